"""Tables that check themselves: what fails is said in words, and what cannot be checked is not counted."""

import pytest

from finlore.intake.tables.read import read_tables, table_values
from finlore.records.document import Document
from tests.intake.tables.sheets import document, sheet

RIGHT = (
    "会计年度|2022A|2023A|2024E|2025E",
    "营业收入（百万元）|1,000|1,200|1,500|1,800",
    "同比增速（%）|10.0|20.0|25.0|20.0",
    "归母净利润（百万元）|100|132|166|198",
    "每股收益（元）|0.50|0.66|0.83|0.99",
    "P/E（倍）|40.0|30.3|24.1|20.2",
)
BALANCE = (
    "百万元|2023A|2024E",
    "营业收入|1,000|1,200",
    "营业成本|(700)|(820)",
    "毛利|300|380",
    "毛利率（%）|30.0|31.7",
    "利润总额|130|150",
    "所得税|20|20",
    "净利润|110|130",
    "少数股东损益|10|12",
    "归母净利润|100|118",
    "资产总计|1,000|1,100",
    "负债合计|400|450",
    "股东权益合计|600|650",
)


def doubts_of(source: Document) -> list[tuple[str, ...]]:
    return [table.doubts for table in read_tables(source)]


def with_cell(table: tuple[str, ...], row: int, column: int, text: str) -> str:
    rows = [line.split("|") for line in table]
    rows[row][column] = text
    return sheet(*("|".join(line) for line in rows))


@pytest.mark.parametrize("table", [RIGHT, BALANCE])
def test_a_table_that_adds_up_has_no_doubts(table: tuple[str, ...]) -> None:
    (read,) = read_tables(document(("table", sheet(*table))))
    assert read.doubts == ()
    assert read.n_checks >= 20


@pytest.mark.parametrize(
    ("table", "row", "column", "text", "said"),
    [
        (
            RIGHT,
            2,
            3,
            "15.0",
            "row 3 '营业收入（百万元） / 同比增速（%）', column 4 (2024): printed 15.0, computed 24.8 to 25.2",
        ),
        (RIGHT, 1, 3, "1,900", "(2024): printed 25.0, computed 58.1 to 58.5 (growth)"),
        (RIGHT, 5, 3, "14.2", "row 6 'P/E（倍）', column 4 (2024): printed 14.2"),
        (
            BALANCE,
            3,
            1,
            "330",
            "row 4 '毛利', column 2 (2023): printed 330, computed 298.0 to 302.0 (营业收入 - 营业成本)",
        ),
        (BALANCE, 4, 2, "37.1", "row 5 '毛利率（%）', column 3 (2024): printed 37.1"),
        (BALANCE, 7, 2, "103", "(利润总额 - 所得税)"),
        (BALANCE, 9, 1, "80", "(归母净利润 + 少数股东损益)"),
        (BALANCE, 10, 2, "1,010", "row 11 '资产总计', column 3 (2024): printed 1,010, computed 1,098.0 to 1,102.0"),
    ],
)
def test_one_wrong_number_is_found_and_said_in_words(
    table: tuple[str, ...], row: int, column: int, text: str, said: str
) -> None:
    source = document(("table", with_cell(table, row, column, text)))
    tables = read_tables(source)
    assert any(said in doubt for doubt in tables[0].doubts), tables[0].doubts
    doubtful = {(value.row, value.column) for value in table_values(source, tables) if value.is_doubtful}
    assert (row, column) in doubtful
    assert len(doubtful) < 12


def test_each_company_of_a_comparison_has_its_own_price() -> None:
    rows = ("公司|股价（元）|EPS 2024E|PE 2024E", "甲电子|20.00|1.25|16.0", "乙科技|33.00|1.50|22.0", "平均|||19.0")
    assert doubts_of(document(("table", sheet(*rows)))) == [()]
    (doubt,) = doubts_of(document(("table", with_cell(rows, 2, 3, "26.0"))))[0]
    assert "printed 26.0" in doubt


@pytest.mark.parametrize(
    ("table", "said"),
    [
        (sheet("|2023A|2025E|2024E", "收入|1|3|2"), "the periods above columns 2, 3, 4 are in no order"),
        (sheet("|2023A|2024E", "收入|319.8 294.3|354.8"), "column 2 holds several numbers in one cell in row 2"),
        (sheet("|2023A|2024E|", "收入|1|2|3", "成本|1|2|3"), "column 4 has no header"),
        (sheet("收入|1|2", "成本|1|2"), "there are no headers"),
        ("项目\t2023A\t2024E\n收入\t1\t2\n成本\t1\n利润\t1\t2", "row 3 has 2 cells, unlike the other rows"),
        (sheet("|甲|乙", "a|1|1", "b|高|2", "c|低|3", "d|2|4", "e|3|5"), "only 60% of column 2 are numbers"),
    ],
)
def test_a_grid_that_was_read_wrongly_shows_it(table: str, said: str) -> None:
    assert said in doubts_of(document(("table", table)))[0]


def test_periods_may_fall_repeat_under_other_headers_or_stand_beside_their_shares() -> None:
    falling = sheet("|2024|2023|2022", "收入|3|2|1")
    repeated = sheet("公司|EPS||PE|", "|2023A|2024E|2023A|2024E", "甲电子|1.0|2.0|20|10")
    shares = sheet("|2023||2022|", "Net sales|2,634|100.0%|2,345|100.0%")
    for table in (falling, repeated, shares):
        assert doubts_of(document(("table", table))) == [()]


def test_negative_bases_have_no_growth_to_check() -> None:
    table = sheet("百万元|2023A|2024E", "净利润|(20)|30", "同比（%）|n.a.|250.0")
    assert doubts_of(document(("table", table))) == [()]


def test_what_cannot_be_checked_is_not_counted() -> None:
    unknown = read_tables(document(("table", sheet("|甲|乙", "子|买入|增持", "丑|好|坏"))))[0]
    assert unknown.n_checks == 0
    alone = read_tables(document(("table", sheet("百万元|2024E", "净利润|10"))))[0]
    known = read_tables(document(("table", sheet("百万元|2023A|2024E", "净利润|10|12", "同比（%）|5.0|20.0"))))[0]
    assert 0 < alone.n_checks < known.n_checks


def test_rates_printed_as_fractions_are_right_too() -> None:
    table = sheet("百万元|2023A|2024E", "净利润|100|120", "同比|0.05|0.20")
    assert doubts_of(document(("table", table))) == [()]


def test_a_header_of_other_length_makes_every_value_doubtful() -> None:
    source = document(("table", "项目\t2023A\t2024E\n收入\t\t1\t2\n成本\t\t1\t2\n利润\t\t1\t2"))
    values = table_values(source, read_tables(source))
    assert all(value.is_doubtful for value in values)


SUMMED = (
    "百万元|2023A|2024E|2025E",
    "货币资金|300|350|400",
    "合同资产|100|150|200",
    "其他|100|100|100",
    "流动资产合计|500|600|700",
    "固定资产|400|420|450",
    "在建工程|100|80|50",
    "非流动资产合计|500|500|500",
)
PROFIT = (
    "百万元|2023A|2024E|2025E|2026E",
    "营业收入|1,000|1,200|1,500|1,800",
    "营业成本|700|820|1,000|1,200",
    "销售费用|100|120|150|180",
    "资产减值损失|-10|-20|-20|-30",
    "营业利润|205|240|330|390",
)


@pytest.mark.parametrize(
    ("table", "row", "column", "text"), [(SUMMED, 2, 2, "750"), (SUMMED, 7, 3, "510"), (PROFIT, 3, 3, "350")]
)
def test_a_total_that_adds_up_in_most_periods_shows_where_it_does_not(
    table: tuple[str, ...], row: int, column: int, text: str
) -> None:
    assert doubts_of(document(("table", sheet(*table)))) == [()]
    (doubt,) = doubts_of(document(("table", with_cell(table, row, column, text))))[0]
    assert f"column {column + 1}" in doubt
    assert "(from " in doubt


def test_what_is_called_a_total_and_adds_nothing_up_is_no_check() -> None:
    table = sheet("百万元|2023A|2024E", "货币资金|300|350", "存货|100|150", "资产总计|900|999")
    assert doubts_of(document(("table", table))) == [()]


def test_growth_margins_and_multiples_are_checked_against_the_statements() -> None:
    statement = (
        "table",
        sheet("百万元|2023A|2024E", "营业收入|1,000|1,200", "营业成本|700|820", "每股收益（元）|0.50|0.59"),
    )
    ratios = ("主要财务比率|2023A|2024E", "营业收入增长率|5.0%|20.0%", "毛利率|30.0%|31.7%", "P/E|41.0|34.7")
    assert doubts_of(document(statement, ("table", sheet(*ratios)))) == [(), ()]
    for row, text in ((1, "26.0%"), (2, "37.1%"), (3, "24.7")):
        source = document(statement, ("table", with_cell(ratios, row, 2, text)))
        tables = read_tables(source)
        assert tables[0].doubts == ()
        assert f"printed {text.rstrip('%')}" in tables[1].doubts[0 if row < 3 else -1]
        doubtful = {(v.start, v.value) for v in table_values(source, tables) if v.is_doubtful}
        assert all(start >= tables[1].start for start, _ in doubtful)


def test_a_list_of_labels_and_values_may_hold_words() -> None:
    box = sheet("评级|买入", "收盘价（元）|36.00", "目标价（元）|42.00", "行业|电池", "总股本（亿股）|4.55")
    assert doubts_of(document(("table", box))) == [()]
