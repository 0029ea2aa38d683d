"""Parties that naming does not know."""

import pytest

from finlore.knowledge.lexicon.clauses import clauses_of
from finlore.knowledge.lexicon.coined import parties_in
from finlore.knowledge.sentences import Named
from finlore.records.fact import Party


def named(text: str, *known: str) -> list[str]:
    names = [Named(text.index(name), text.index(name) + len(name), Party(name, name, "company")) for name in known]
    return [name.party.name for name in parties_in(text, clauses_of(text), names)]


@pytest.mark.parametrize(
    ("text", "known", "expected"),
    [
        ("公司实控人林望舒及股东禾屿控股拟减持", ["禾屿控股"], ["林望舒", "禾屿控股"]),
        ("股东林望舒、叶枫和范峥拟减持", [], ["林望舒", "叶枫", "范峥"]),
        ("云屿实业通过集中竞价减持", [], ["云屿实业"]),
        ("杭州浩屿减持341万股", [], ["杭州浩屿"]),
        ("公司为子公司禾屿新材提供担保", [], ["禾屿新材"]),
        ("向岚山银行湖州分行质押", ["岚山银行"], ["岚山银行湖州分行"]),
        ("其第一大股东禾屿控股持股", ["其第一大股东禾屿控股"], ["禾屿控股"]),
        ("与岚山电子股份有限公司签署", ["与岚山电子股份有限公司"], ["岚山电子股份有限公司"]),
    ],
)
def test_a_party_is_known_by_where_it_stands(text: str, known: list[str], expected: list[str]) -> None:
    assert named(text, *known) == expected


@pytest.mark.parametrize("text", ["金额合计3亿元", "高管拟减持", "公司已公告", "方案已通过", "国内需求持续增长"])
def test_ordinary_words_are_no_parties(text: str) -> None:
    assert named(text) == []
