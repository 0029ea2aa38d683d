"""What a table of a PDF reads like: a rectangle of cells, each value in its row and column."""

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from finlore.adapters.parse_pdf import PdfParser
from finlore.ports import Source
from finlore.records.document import ParsedDocument
from tests.adapters.parse_pdf.pdf_writer import Page, pdf

EDGES = (260, 330, 400, 470)  # right edges of the value columns


def parsed(*pages: Page) -> ParsedDocument:
    (document,), _ = PdfParser().parse(Source("report.pdf", ".pdf", pdf(*pages)))
    return document


def grids(*pages: Page) -> list[list[list[str]]]:
    """The cells of every table block."""
    document = parsed(*pages)
    texts = (document.text[block.start : block.end] for block in document.blocks if block.role == "table")
    return [[row.split("\t") for row in text.split("\n")] for text in texts]


def width(text: str) -> float:
    return sum(5.0 if character.isascii() else 10.0 for character in text)


def write_row(page: Page, y: float, label: str, values: Sequence[str], edges: Sequence[float] = EDGES) -> None:
    """A label at the left, each value ending at its edge; nothing where a value is empty."""
    if label:
        page.write(50, y, label)
    for value, edge in zip(values, edges, strict=False):
        if value:
            page.write(edge - width(value), y, value)


def page_with(rows: Sequence[Sequence[str]], *, top: float = 200, pitch: float = 15) -> Page:
    page = Page()
    for number, (label, *values) in enumerate(rows):
        write_row(page, top + pitch * number, label, values)
    return page


def test_a_cell_is_empty_where_nothing_is_printed() -> None:
    rows = [
        ["", "2022A", "2023A", "2024E"],
        ["营业收入", "18,240", "21,570", "25,130"],
        ["增长率（%）", "", "18.3", "16.5"],
        ["每股收益", "1.34", "", "2.01"],
        ["商誉", "", "", "88"],
    ]
    assert grids(page_with(rows)) == [rows]


@pytest.mark.parametrize(
    "values",
    [
        ["(5.2)", "-18.3", "—"],
        ["（5.2）", "－18.3", "N/A"],
        ["１.５", "２２.５", "６"],
        ["5.2%", "1.0x", "25-30"],
    ],
)
def test_values_stay_as_printed_in_their_columns(values: list[str]) -> None:
    rows = [["會計年度", "2022", "2023", "2024"], ["營業額", "1,824", "2,157", "2,513"], ["同比增長", *values]]
    assert grids(page_with(rows)) == [rows]


def test_brackets_and_percent_signs_printed_apart_belong_to_their_number() -> None:
    page = page_with([["Item", "2023", "2024"], ["Revenue", "1,234", "1,300"]])
    page.write(50, 230, "Loss")
    for edge in EDGES[:2]:
        page.write(edge - 35, 230, "(")
        page.write(edge - 15, 230, "700")
        page.write(edge + 8, 230, ")")
    assert grids(page)[0][-1] == ["Loss", "(700)", "(700)"]


def test_a_long_label_over_empty_cells_is_no_reason_for_a_column() -> None:
    rows = [
        ["", "2023", "2024"],
        ["Adjustments to reconcile the result to cash flows:", "", ""],
        ["Depreciation", "579", "628"],
        ["Receivables", "91", "(409)"],
    ]
    assert grids(page_with(rows)) == [rows]


def test_a_header_over_several_columns_stands_in_the_first_of_them() -> None:
    page = Page()
    page.write(248, 185, "2023")
    page.write(388, 185, "2024")
    write_row(page, 200, "", ["Sales", "Share", "Sales", "Share"])
    write_row(page, 215, "Storage", ["1,240", "61.0", "1,570", "62.1"])
    write_row(page, 230, "Inverters", ["640", "31.2", "710", "28.9"])
    assert grids(page)[0][0] == ["", "2023", "", "2024", ""]


def test_a_title_over_all_columns_stands_in_the_first_of_them() -> None:
    page = Page()
    page.write(317, 185, "13 Weeks Ended")
    write_row(page, 200, "", ["2023", "%", "2024", "%"])
    write_row(page, 215, "Net sales", ["1,240", "61.0", "1,570", "62.1"])
    write_row(page, 230, "Gross profit", ["640", "31.2", "710", "28.9"])
    assert grids(page)[0][0] == ["", "13 Weeks Ended", "", "", ""]


def test_headers_of_several_lines_are_one_row() -> None:
    page = Page()
    write_row(page, 170, "", ["April 29,", "April 30,"])
    write_row(page, 185, "", ["2024", "2023"])
    write_row(page, 200, "", ["(Unaudited)", "(Unaudited)"])
    write_row(page, 215, "Net sales", ["1,240", "1,570"])
    write_row(page, 230, "Gross profit", ["640", "710"])
    assert grids(page)[0][0] == ["", "April 29, 2024 (Unaudited)", "April 30, 2023 (Unaudited)"]


@pytest.mark.parametrize("values_at", [0, 6, 12])
def test_a_label_of_two_lines_is_one_cell_wherever_its_values_stand(values_at: float) -> None:
    page = page_with([["项目", "2023", "2024"], ["营业收入", "18,240", "21,570"]], pitch=20)
    page.write(50, 240, "扣除非经常性损益")
    page.write(50, 252, "后的净利润")
    write_row(page, 240 + values_at, "", ["1,240", "1,570"])
    write_row(page, 272, "存货", ["240", "570"])
    assert grids(page)[0][2:] == [["扣除非经常性损益后的净利润", "1,240", "1,570"], ["存货", "240", "570"]]


def test_labels_that_wrap_at_the_same_edge_go_on_even_where_lines_are_as_far_apart_as_rows() -> None:
    page = Page()
    write_row(page, 185, "项目", ["2023", "2024"])
    for y, label, values in [
        (200, "归属于上市公司股东的", []),
        (215, "扣除非经常性损益的净", ["1,240", "1,570"]),
        (230, "利润", []),
        (245, "存货", ["240", "570"]),
    ]:
        write_row(page, y, label, values)
    assert grids(page)[0][1:] == [
        ["归属于上市公司股东的扣除非经常性损益的净利润", "1,240", "1,570"],
        ["存货", "240", "570"],
    ]


def test_a_section_title_is_a_row_of_its_own() -> None:
    rows = [
        ["", "2023", "2024"],
        ["Assets", "", ""],
        ["Current assets:", "", ""],
        ["Cash", "636", "737"],
        ["Liabilities", "", ""],
        ["Payables", "621", "559"],
    ]
    assert grids(page_with(rows)) == [rows]


def test_rows_of_words_in_all_columns_stay_apart() -> None:
    rows = [["", "Before", "After"], ["Margin", "no change", "no change"], ["Repurchases", "about 900", "no change"]]
    assert grids(page_with(rows, pitch=12)) == [rows]


def test_cells_that_stand_close_together_are_parted_at_the_columns_of_the_other_rows() -> None:
    rows = [
        ["代码", "2023", "2024"],
        ["经营活动产生的现金流量净额", "(1,240)", "1,570"],
        ["存货", "1,240", "570"],
        ["商誉", "（88）", "（90）"],
    ]
    page = Page()
    for number, (label, *values) in enumerate(rows):
        write_row(page, 200 + 15 * number, label, values, edges=(218, 256))
    assert grids(page) == [rows]


def test_tables_on_top_of_each_other_end_at_the_source_and_the_caption_between_them() -> None:
    first = [["项目", "2023", "2024"], ["营业收入", "18,240", "21,570"], ["存货", "240", "570"]]
    second = [["业务", "收入", "占比", "增速"], ["储能", "1,240", "61.0", "3.1"], ["其他", "150", "9.0", "4.2"]]
    page = page_with(first, top=100)
    page.write(50, 145, "资料来源：公司公告")
    page.write(50, 165, "表 2：分业务收入")
    for number, (label, *values) in enumerate(second):
        write_row(page, 185 + 15 * number, label, values)
    assert grids(page) == [first, second]


def test_years_at_the_top_of_every_page_head_a_table_and_number_no_page() -> None:
    rows = [["会计年度", "2022", "2023", "2024"], ["营业收入", "18,240", "21,570", "25,130"]]
    pages = [page_with(rows, top=50) for _ in range(3)]
    assert grids(*pages) == [rows] * 3


def test_the_character_map_knows_where_every_value_stands_whatever_is_empty_or_wraps() -> None:
    page = page_with([["", "2023", "2024"], ["存货", "", "570"]], pitch=20)
    page.write(50, 240, "扣除非经常性损益")
    page.write(50, 252, "后的净利润")
    write_row(page, 246, "", ["1,240", "1,570"])
    document = parsed(page)
    for value, right in [("570", 330), ("1,240", 260), ("1,570", 330)]:
        start = document.text.index(value)
        line = next(line for line in document.lines if line.start <= start < line.end)
        edges = line.edges[start - line.start : start - line.start + len(value) + 1]
        assert (edges[0], edges[-1]) == (10 * (right - width(value)), 10 * right)


VALUES = st.sampled_from(["", "7", "1.25", "(3.4)", "12,345", "61.0%", "—"])


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(VALUES, VALUES, VALUES, VALUES), min_size=1, max_size=6))
def test_any_values_under_a_full_header_come_out_in_their_cells(body: list[tuple[str, ...]]) -> None:
    rows = [["会计年度", "2022A", "2023A", "2024E", "2025E"], ["营业收入", "1", "22", "333", "4,444"]]
    rows += [[f"科目{number}", *values] for number, values in enumerate(body)]
    (grid,) = grids(page_with(rows))
    filled = len(rows) if any(body[-1]) else max(n for n, row in enumerate(rows, 1) if any(row[1:]))
    assert grid[:filled] == rows[:filled]


def test_a_label_for_several_rows_stands_in_the_first_of_them_wherever_it_is_printed() -> None:
    page = Page()
    page.write(50, 200, "板块")
    page.write(110, 200, "产品")
    write_row(page, 200, "", ["2023", "2024"])
    products = ["电芯", "逆变器", "软件", "运维", "其他"]
    for number, product in enumerate(products, start=1):
        page.write(110, 200 + 20 * number, product)
        write_row(page, 200 + 20 * number, "", [f"{number},140", f"{number},570"])
    page.write(50, 230, "国内")
    page.write(50, 280, "海外")
    assert [row[:2] for row in grids(page)[0][1:]] == [
        ["国内", "电芯"],
        ["", "逆变器"],
        ["海外", "软件"],
        ["", "运维"],
        ["", "其他"],
    ]


def test_statements_side_by_side_are_one_grid_even_where_they_almost_touch() -> None:
    rows = [
        ["资产", "2023A", "2024E", "利润表", "2023A", "2024E"],
        ["货币资金", "5,120", "6,245", "营业收入", "18,240", "21,570"],
        ["存货", "3,890", "4,420", "营业成本", "13,115", "15,228"],
        ["资产总计", "24,960", "28,740", "归母净利润", "2,015", "(18)"],
    ]
    page = Page()
    for number, row in enumerate(rows):
        write_row(page, 200 + 15 * number, row[0], [*row[1:3], "", *row[4:]], edges=(150, 190, 0, 300, 340))
        page.write(198, 200 + 15 * number, row[3])
    assert grids(page) == [rows]


def test_a_description_that_wraps_is_one_cell_also_in_the_last_row() -> None:
    page = Page()
    for y, label, text in [
        (200, "因素", "说明"),
        (215, "订单", "交付节奏有望在下半年明显加快，新产线已"),
        (230, "", "投产"),
        (245, "成本", "原材料价格大幅波动，毛利率承压，竞争加"),
        (260, "", "剧"),
    ]:
        if label:
            page.write(50, y, label)
        page.write(150, y, text)
    assert grids(page)[0][1:] == [
        ["订单", "交付节奏有望在下半年明显加快，新产线已投产"],
        ["成本", "原材料价格大幅波动，毛利率承压，竞争加剧"],
    ]


def test_a_header_over_the_middle_one_of_three_columns_stands_over_all_whose_headers_recur() -> None:
    middles = (200, 250, 300, 350, 400, 450, 500)
    rows = [
        ["公司", "股价", "", "收益", "", "", "倍数", ""],
        ["", "", "2023A", "2024E", "2025E", "2023A", "2024E", "2025E"],
        ["青禾", "42.1", "0.81", "1.02", "1.31", "52.0", "41.3", "32.1"],
        ["临溪", "18.3", "0.55", "0.70", "0.88", "33.3", "26.1", "20.8"],
        ["远鹿", "61.7", "1.20", "1.55", "2.01", "51.4", "39.8", "30.7"],
    ]
    page = Page()
    for number, (label, *values) in enumerate(rows):
        edges = [middle + width(value) / 2 for middle, value in zip(middles, values, strict=True)]
        write_row(page, 200 + 15 * number, label, values, edges)
    (grid,) = grids(page)
    assert grid[0] == ["公司", "股价", "收益", "", "", "倍数", "", ""]
