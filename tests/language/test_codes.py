"""Codes have one canonical form, and are read in text where something says that a number is one."""

import pytest

from finlore.language.codes import canonical_security, code_surface, codes_in_brackets, find_codes


@pytest.mark.parametrize(
    ("written", "canonical"),
    [
        ("300750", "300750.SZ"), ("600519", "600519.SH"), ("688001", "688001.SH"), ("000001", "000001.SZ"),
        ("832278", "832278.BJ"), ("920002", "920002.BJ"), ("900901", "900901.SH"), ("200002", "200002.SZ"),
        ("sz300750", "300750.SZ"), ("SH600519", "600519.SH"), ("600519.SS", "600519.SH"), ("600519.XSHG", "600519.SH"),
        ("700.HK", "00700.HK"), ("00700", "00700.HK"), ("HK00700", "00700.HK"), ("SEHK: 700", "00700.HK"),
        ("AAPL", "AAPL.US"), ("AAPL.O", "AAPL.US"), ("NASDAQ: AAPL", "AAPL.US"), ("NYSE:BRK", "BRK.US"),
        ("201872", "201872.SZ"), ("300750 CH", "300750.SZ"), ("sh.600519", "600519.SH"), ("000001.SH", "000001.SH"),
        ("430990", "430990.BJ"), ("400001.BJ", "400001.BJ"),
    ],
)  # fmt: skip
def test_codes_have_one_form(written: str, canonical: str) -> None:
    assert canonical_security(written) == canonical
    assert canonical_security(canonical) == canonical


@pytest.mark.parametrize(
    "written",
    [
        "",
        "123",
        "202306",
        "1234567",
        "700000",
        "400001",
        "ABC.DE",
        "12.US",
        "AAPL.SZ",
        "AAPL.CH",
        "买入",
        "３００７５０",
    ],
)
def test_other_things_are_no_codes(written: str) -> None:
    assert canonical_security(written) is None


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
def test_a_code_in_text_is_read_with_its_market(text: str, entity: str) -> None:
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


def test_codes_stand_in_brackets_or_after_their_exchange() -> None:
    text = "山海股份（600123）、河川集团(0700.HK)、Foo Inc. (NASDAQ: FOO)；河川（简称, SZSE: 300750）"
    text += "（202306）（86755）(CEO)"
    assert codes_in_brackets(text) == ["600123.SH", "00700.HK", "FOO.US", "300750.SZ"]
