"""Periods as the heads of columns print them."""

import pytest

from finlore.intake.tables.periods import is_period, left_over, read_period, year_before


@pytest.mark.parametrize(
    ("headers", "text", "basis"),
    [
        (["2024A"], "2024", "actual"),
        (["2025E"], "2025", "forecast"),
        (["2025F"], "2025", "forecast"),
        (["2024(E)"], "2024", "forecast"),
        (["24E"], "2024", "forecast"),
        (["FY25"], "2025", ""),
        (["2024年预测"], "2024", "forecast"),
        (["1Q25"], "2025Q1", ""),
        (["25Q1"], "2025Q1", ""),
        (["Q1-25E"], "2025Q1", "forecast"),
        (["FY25Q1"], "2025Q1", ""),
        (["2024Q3A"], "2024Q3", "actual"),
        (["2025年一季度"], "2025Q1", ""),
        (["2025H1"], "2025H1", ""),
        (["1H25A"], "2025H1", "actual"),
        (["2024年上半年"], "2024H1", ""),
        (["2024年三季报"], "2024Q1-Q3", ""),
        (["2025年前三季度"], "2025Q1-Q3", ""),
        (["9M25"], "2025Q1-Q3", ""),
        (["2024年1-6月"], "2024H1", ""),
        (["11M20"], "2020M1-M11", ""),
        (["2024-12-31"], "2024-12-31", ""),
        (["2025-12-31E"], "2025-12-31", "forecast"),
        (["As of December 31, 2024"], "2024-12-31", ""),
        (["2025年", "M3"], "2025-03", ""),
        (["Dec-24E"], "2024-12", "forecast"),
        (["Three Months Ended", "March 31,", "2025"], "2025Q1", ""),
        (["Six months ended 30 June 2024"], "2024H1", ""),
        (["Year ended December 31, 2024"], "2024", ""),
        (["13 Weeks Ended", "April 29,", "2023", "(Unaudited)"], "P13W/2023-04-29", ""),
        (["2024-2026E CAGR"], "2024-2026", "forecast"),
        (["2019/1-2019/3"], "2019-01/2019-03", ""),
        (["归母净利润（百万元）", "2025E"], "2025", "forecast"),
    ],
)
def test_headers_one_above_the_other_give_one_period(headers: list[str], text: str, basis: str) -> None:
    period = read_period(headers)
    assert period is not None
    assert (period.text, period.basis) == (text, basis)


@pytest.mark.parametrize(
    "header", ["营业收入", "1,234", "0-0.2", "4.3", "$2024", "2025Q1Vs2024Q1", "12月31日", "三个月", "11-25"]
)
def test_other_headers_give_none(header: str) -> None:
    assert read_period([header]) is None


def test_what_stands_beside_the_period_is_left_over() -> None:
    assert left_over("2024年归母净利润（亿元）") == "归母净利润(亿元)"
    assert left_over("EPS 2025E") == "eps"
    assert [left_over(text) for text in ("2024A", "April 29,", "(Unaudited)", "13 Weeks Ended", "M3")] == [""] * 5


def test_a_cell_is_a_period_only_if_it_says_nothing_else() -> None:
    assert is_period("2024E")
    assert not is_period("2024E EPS")
    assert not is_period("M3")


def test_the_year_before_is_of_the_same_kind() -> None:
    assert [year_before(period) for period in ("2025", "2025Q3", "2025-06-30", "TTM")] == [
        "2024", "2024Q3", "2024-06-30", "",
    ]  # fmt: skip
