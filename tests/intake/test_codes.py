"""Codes of securities."""

import pytest

from finlore.intake.codes import canonical_security, codes_in_brackets


@pytest.mark.parametrize(
    ("written", "canonical"),
    [
        ("300750", "300750.SZ"), ("600519", "600519.SH"), ("688001", "688001.SH"), ("000001", "000001.SZ"),
        ("832278", "832278.BJ"), ("920002", "920002.BJ"), ("900901", "900901.SH"), ("200002", "200002.SZ"),
        ("sz300750", "300750.SZ"), ("SH600519", "600519.SH"), ("600519.SS", "600519.SH"), ("600519.XSHG", "600519.SH"),
        ("700.HK", "00700.HK"), ("00700", "00700.HK"), ("HK00700", "00700.HK"), ("SEHK: 700", "00700.HK"),
        ("AAPL", "AAPL.US"), ("AAPL.O", "AAPL.US"), ("NASDAQ: AAPL", "AAPL.US"), ("NYSE:BRK", "BRK.US"),
    ],
)  # fmt: skip
def test_codes_have_one_form(written: str, canonical: str) -> None:
    assert canonical_security(written) == canonical


@pytest.mark.parametrize("written", ["", "123", "202306", "1234567", "700000", "ABC.DE", "12.US", "AAPL.SZ", "买入"])
def test_other_things_are_no_codes(written: str) -> None:
    assert canonical_security(written) is None


def test_codes_stand_in_brackets_or_after_their_exchange() -> None:
    text = "山海股份（600123）、河川集团(0700.HK)、Foo Inc. (NASDAQ: FOO)；河川（简称, SZSE: 300750）"
    text += "（202306）（86755）(CEO)"
    assert codes_in_brackets(text) == ["600123.SH", "00700.HK", "FOO.US", "300750.SZ"]
