"""What one cell holds: a number, nothing, or several glued together."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from finlore.intake.tables.numbers import Number, holds_several, is_blank, read_number


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("1,234.5", Number(1234.5, 1)),
        ("１，２３４", Number(1234.0, 0)),
        ("(5.2)", Number(-5.2, 1)),
        ("（1.0）", Number(-1.0, 1)),
        ("－3.10", Number(-3.1, 2)),
        ("+0.34", Number(0.34, 2)),
        ("-12. 73%", Number(-12.73, 2, "%")),
        ("2, 534. 47", Number(2534.47, 2)),
        ("$ 2,634.3", Number(2634.3, 1, "美元")),
        ("$(1,234)", Number(-1234.0, 0, "美元")),
        ("(0.3)%", Number(-0.3, 1, "%")),
        ("12.5倍", Number(12.5, 1, "x")),
        ("18.2x", Number(18.2, 1, "x")),
        ("0.5pct", Number(0.5, 1, "pct")),
        ("25bps", Number(25.0, 0, "bps")),
        ("25.4亿元", Number(25.4, 1, "亿元")),
        ("US$1.2bn", Number(1.2, 1, "十亿美元")),
        ("0.10***", Number(0.1, 2)),
        (".74", Number(0.74, 2)),
        ("13.1¹", Number(13.1, 1)),
        ("(56)⁽²⁾", Number(-56.0, 0)),
    ],
)
def test_a_number_is_read_with_its_sign_its_decimals_and_its_unit(text: str, number: Number) -> None:
    assert read_number(text) == number


@pytest.mark.parametrize(
    "text", ["", "-", "23.673.3", "1,23", "56.20/33.15", "12 34", "0-0.2", "2024E", "买入", "(3", "--5"]
)
def test_anything_else_is_no_number(text: str) -> None:
    assert read_number(text) is None


@pytest.mark.parametrize("text", ["", " ", "-", "--", "—", "n.a.", "N/A", "NM", "不适用", "一"])
def test_marks_for_no_value(text: str) -> None:
    assert is_blank(text)


def test_zero_is_a_value_and_not_a_blank() -> None:
    assert not is_blank("0")
    assert read_number("0.0%") == Number(0.0, 1, "%")


@pytest.mark.parametrize(
    ("text", "glued"), [("319.8 294.3", True), ("1,234 (56.7)", True), ("27. 05", False), ("1,234", False)]
)
def test_several_numbers_in_one_cell_are_noticed(text: str, glued: bool) -> None:
    assert holds_several(text) is glued


@given(st.decimals(min_value=-(10**9), max_value=10**9, places=2))
def test_every_number_is_read_back_however_it_is_printed(value) -> None:
    expected = float(value)
    minus = f"({-value:,})" if value < 0 else f"{value:,}"
    for printed in (f"{value:,}", minus, str(value)):
        number = read_number(printed)
        assert number is not None
        assert (number.value, number.decimals) == (expected, 2)


@given(st.text(max_size=30))
def test_no_text_breaks_it(text: str) -> None:
    read_number(text)
    holds_several(text)
    is_blank(text)
