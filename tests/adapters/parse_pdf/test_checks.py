"""What speaks against a grid."""

import pytest

from finlore.adapters.parse_pdf.characters import Glyph
from finlore.adapters.parse_pdf.checks import n_faults
from finlore.adapters.parse_pdf.grid import GridRow
from finlore.records.document import Box

FORECAST = [
    "会计年度|2022A|2023A|2024E|2025E",
    "营业收入|18,240|21,570|25,130|29,860",
    "同比增速（%）|12.4|18.3|16.5|18.8",
    "每股收益（元）|1.34|1.64|2.01|2.47",
    "市盈率（倍）|31.2|25.5|20.8|16.9",
]
TWINS = ["资产|2022A|2023A|利润|2022A|2023A", "存货|1,240|1,570|成本|912|1,057", "商誉|88|90|费用|730|841"]


def grid(lines: list[str]) -> list[GridRow]:
    return [GridRow(tuple(tuple(map(_glyph, cell)) for cell in line.split("|")), Box(0, 0, 1, 1)) for line in lines]


def _glyph(character: str) -> Glyph:
    return Glyph(character, 0, 5, 10, 10, False, "")


@pytest.mark.parametrize("lines", [FORECAST, TWINS, ["评级|说明", "买入|涨幅20%以上", "减持|跌幅10%以上"]])
def test_nothing_speaks_against_a_sound_table(lines: list[str]) -> None:
    assert n_faults(grid(lines)) == 0


@pytest.mark.parametrize(
    ("row", "instead"),
    [
        (1, "营业收入|18,240 21,570||25,130|29,860"),  # two values in a cell
        (1, "营业收入 18,240|21,570||25,130|29,860"),  # a value in the label
        (0, "会计年度|2023A|2022A|2024E|2025E"),  # years out of order
        (2, "同比增速（%）|12.4|12.4|18.3|16.5"),  # growth of other years
        (4, "市盈率（倍）|25.5|31.2|16.9|20.8"),  # the price would jump from year to year
        (2, "|12.4|18.3|16.5|18.8"),  # values without a label
    ],
)
def test_a_row_that_cannot_be_right_is_a_fault(row: int, instead: str) -> None:
    assert n_faults(grid([*FORECAST[:row], instead, *FORECAST[row + 1 :]])) > 0


def test_a_word_among_the_values_of_a_column_is_a_fault() -> None:
    lines = ["项目|2023", *(f"科目{n}|{n},100" for n in range(1, 8)), "商誉|合计"]
    assert n_faults(grid(lines)) == 1


def test_headers_that_stand_beside_their_values_are_a_fault() -> None:
    assert n_faults(grid(["项目|2022A||2023A", "存货||1,240|1,570", "商誉||88|90"])) == 1


def test_growth_of_a_loss_and_a_missing_value_prove_nothing() -> None:
    lines = ["项目|2022|2023|2024", "净利润|(2,015)|—|3,012", "增长率（%）|(5.2)|22.5|N/A"]
    assert n_faults(grid(lines)) == 0
