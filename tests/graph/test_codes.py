"""Codes are read where something says that a number is one, and become canonical ids."""

import pytest

from finlore.graph.codes import canonical_id, code_surface, find_codes


@pytest.mark.parametrize(
    ("text", "entity"),
    [
        ("青禾电池（300990）", "300990.SZ"),
        ("青禾电池(600990.SH)", "600990.SH"),
        ("证券代码：430990，", "430990.BJ"),
        ("SZ300990 收涨", "300990.SZ"),
        ("Qinghe (300990 CH)", "300990.SZ"),
        ("指数 000990.SH", "000990.SH"),
        ("海湾 990.HK 下跌", "00990.HK"),
        ("Larkfield (NYSE: LKFD)", "LKFD.US"),
        ("LKFD.US", "LKFD.US"),
    ],
)
def test_a_code_is_read_with_its_market(text: str, entity: str) -> None:
    assert [code.entity for code in find_codes(text)] == [entity]


@pytest.mark.parametrize("text", ["产量300990吨", "收入（1300990）", "2024年600990元", "（990990）", "v1.600990"])
def test_other_numbers_are_no_codes(text: str) -> None:
    assert find_codes(text) == ()


def test_a_match_covers_the_code_and_its_market_without_the_brackets() -> None:
    text = "青禾电池（300990.SZ）"
    (code,) = find_codes(text)
    assert text[code.start : code.end] == "300990.SZ"


def test_the_surface_is_the_number_unless_the_market_contradicts_it() -> None:
    assert code_surface("000990.SZ") == "000990"
    assert code_surface("000990.SH") == "000990 sh"
    assert code_surface("00990.HK") == "00990 hk"


@pytest.mark.parametrize(
    ("code", "market"),
    [("600990", "SH"), ("900990", "SH"), ("002990", "SZ"), ("200990", "SZ"), ("830990", "BJ"), ("920990", "BJ")],
)
def test_the_numbering_tells_the_exchange(code: str, market: str) -> None:
    assert canonical_id(code) == f"{code}.{market}"


def test_what_is_no_code_has_no_id() -> None:
    assert canonical_id("青禾") is None
    assert canonical_id("") is None
    assert canonical_id("700990") is None
