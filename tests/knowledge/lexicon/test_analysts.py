"""Who signs a report."""

import pytest

from finlore.knowledge.lexicon.analysts import find_signatures
from tests.read_reports import facts, read


@pytest.mark.parametrize(
    "page",
    [
        "证券分析师：季云舒\n电话：010-12345678\n邮箱：ji@example.com\n执业证书编号：S0990520060001",
        "分析师季云舒执业证书编号S09905200600011",  # a page number behind it
        "季云舒 分析师SAC 执业证书编号：S0990520060001",
        "季云舒SACNo.S0990520060001研究员",
    ],
)
def test_a_name_stands_before_its_certificate(page: str) -> None:
    (signed,) = find_signatures(read(page)[0])
    assert (signed.name, signed.certificate) == ("季云舒", "S0990520060001")
    assert page[signed.start : signed.end] == "季云舒"


def test_each_that_signs_is_a_fact_about_the_company_that_is_covered() -> None:
    page = "分析师 季云舒 登记编码：S0990520060001\n\n分析师 江月 登记编码：S0990520060002\n\n收入稳定。"
    found = facts(page, "covers", analysts="季云舒、阮知微")
    assert {(fact.subject.name, fact.subject.kind, fact.note) for fact in found} == {
        ("阮知微", "person", ""), ("季云舒", "person", "S0990520060001"), ("江月", "person", "S0990520060002"),
    }  # fmt: skip
    assert {fact.object.entity for fact in found if fact.object} == {"300750.SZ"}


def test_numbers_that_are_no_certificates_and_words_that_are_no_names_sign_nothing() -> None:
    assert find_signatures(read("分析师声明：本报告。证券投资咨询业务资格：Z123")[0]) == []
    assert find_signatures(read("研究团队 执业证书编号：S0990520060001")[0]) == []
