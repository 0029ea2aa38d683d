"""Tables of all formats, as the one grid that they are."""

from hypothesis import given
from hypothesis import strategies as st

from finlore.adapters.parse_html import HtmlParser
from finlore.adapters.parse_markdown import MarkdownParser
from finlore.intake.prepare import prepare
from finlore.intake.tables.read import read_tables, table_values
from finlore.ports import Source
from finlore.records.document import Document
from finlore.records.instant import end_of_day
from tests.intake.tables.sheets import PUBLISHED, document, sheet

HTML = """<table><tr><td rowspan="2">公司</td><td colspan="2">EPS（元）</td><td colspan=2>PE</td></tr>
<tr><td>2024A</td><td>2025E</td><td>2024A</td><td>2025E</td></tr>
<tr><td>甲电子（600001）</td><td>$1 . 0 0$</td><td>1.25</td><td>20.0</td><td>16.0</td></tr></table>"""
PIPES = r"""| 公司 | EPS（元） 2024A | EPS（元） 2025E | PE 2024A | PE 2025E |
|---|---:|---:|---:|---:|
| 甲电子（600001） | 1.00 | **1.25** | 20.0 | 16.0 |"""
TABS = sheet("公司|EPS（元）||PE|", "|2024A|2025E|2024A|2025E", "甲电子（600001）|1.00|1.25|20.0|16.0")


def parsed(parser: MarkdownParser | HtmlParser, text: str) -> Document:
    suffix = parser.suffixes[0]
    (found,), _ = parser.parse(Source(f"/r/a{suffix}", suffix, text.encode()))
    ready, _ = prepare(found, zone="Asia/Shanghai", received_at=end_of_day(PUBLISHED))
    assert ready is not None
    return ready


def said(source: Document) -> list[tuple[str, float, str, str, str | None]]:
    values = table_values(source, read_tables(source))
    return [(value.metric, value.value, value.unit, value.period, value.security) for value in values]


def test_the_same_table_says_the_same_in_every_format() -> None:
    expected = [
        ("metric:eps", 1.0, "元", "2024", "600001.SH"),
        ("metric:eps", 1.25, "元", "2025", "600001.SH"),
        ("metric:pe", 20.0, "", "2024", "600001.SH"),
        ("metric:pe", 16.0, "", "2025", "600001.SH"),
    ]
    assert said(document(("table", TABS))) == expected
    assert said(parsed(MarkdownParser(), f"正文一句。\n\n{HTML}\n\n正文一句。")) == expected
    assert said(parsed(MarkdownParser(), f"正文一句。\n\n{PIPES}\n")) == expected
    assert (
        said(parsed(HtmlParser(), f"<html><body><p>正文一句。</p>{HTML.replace('$1 . 0 0$', '1.00')}</body></html>"))
        == expected
    )


def test_cells_point_into_the_text_and_merged_ones_are_empty_where_they_go_on() -> None:
    source = parsed(MarkdownParser(), HTML)
    (table,) = read_tables(source)
    texts = [source.text[cell.start : cell.end] for cell in table.cells]
    assert (table.n_rows, table.n_columns, table.n_header_rows, table.n_label_columns) == (3, 5, 2, 1)
    assert texts[:6] == ["公司", "EPS（元）", "", "PE", "", ""]
    assert texts[-4:] == ["$1 . 0 0$", "1.25", "20.0", "16.0"]


def test_the_caption_stands_above() -> None:
    table = ("table", sheet("|2023A", "收入|1"))
    for parts, caption in (
        ((("caption", "表 1：收入"), table), "表 1：收入"),
        ((("caption", "资料来源：公司公告"), table), None),
        ((("heading", "盈利预测"), table), "盈利预测"),
        ((("caption", "表 1：收入"), ("body", "单位：亿元"), table), "表 1：收入"),
        ((("body", "收入保持增长。"), table), None),
    ):
        source = document(*parts)
        (read,) = read_tables(source)
        assert (source.text[read.caption.start : read.caption.end] if read.caption else None) == caption


def test_the_second_half_of_a_statement_has_the_caption_of_the_first() -> None:
    first = ("table", sheet("项目|2023A|2024E", "资产总计|1|2"))
    second = ("table", sheet("项目|2023A|2024E", "负债合计|1|2"))
    source = document(("heading", "资产负债表（百万元）"), first, second)
    assert {(table.caption, table.unit) for table in read_tables(source)} == {
        (read_tables(source)[0].caption, "百万元")
    }


def test_the_unit_is_found_in_caption_line_or_corner() -> None:
    rows = ("|2023A", "收入|1")
    assert read_tables(document(("caption", "表 1（单位：亿元）"), ("table", sheet(*rows))))[0].unit == "亿元"
    assert read_tables(document(("body", "单位：万元"), ("table", sheet(*rows))))[0].unit == "万元"
    assert read_tables(document(("table", sheet("(RMB mn)|2023A", "Revenue|1"))))[0].unit == "百万元"
    assert read_tables(document(("table", sheet(*rows))))[0].unit == ""


def test_headers_of_several_rows_are_told_from_sections_and_values() -> None:
    for rows, n_header_rows in (
        (("|2023A|2024E", "收入|1|2"), 1),
        (("利润表||", "百万元|2023A|2024E", "收入|1|2"), 2),
        (
            (
                "|13 Weeks Ended|",
                "|April 29,|April 30,",
                "|2023|2022",
                "|(Unaudited)|(Unaudited)",
                "Assets||",
                "Cash|1|2",
            ),
            4,
        ),
        (("|2025年|||2024年||", "|贸易额|进口额|出口额|贸易额|进口额|出口额", "中国|1|2|3|4|5|6"), 2),
        (("收盘价|41.80", "总市值|62,700"), 0),
        (("类型|时间|事件", "政策|四月|甲", "政策|五月|乙"), 1),
    ):
        assert read_tables(document(("table", sheet(*rows))))[0].n_header_rows == n_header_rows


def test_a_table_that_goes_on_over_a_page_keeps_its_headers() -> None:
    first = ("table", sheet("百万元|2023A|2024E", "营业收入|1,000|1,200"))
    rest = ("table", sheet("净利润|100|118", "每股收益（元）|0.50|0.59"))
    source = document(("caption", "表 3：预测"), first, ("header_footer", "请务必阅读 1 / 4"), rest, pages=(1, 1, 1, 2))
    _, second = read_tables(source)
    assert (second.page, second.n_rows, second.n_header_rows, second.unit) == (2, 3, 1, "百万元")
    values = [value for value in table_values(source, read_tables(source)) if value.page == 2]
    assert [(value.metric, value.unit, value.period) for value in values] == [
        ("metric:net_profit", "百万元", "2023"),
        ("metric:net_profit", "百万元", "2024"),
        ("metric:eps", "元", "2023"),
        ("metric:eps", "元", "2024"),
    ]


def test_a_table_of_its_own_takes_no_headers_from_another() -> None:
    first = ("table", sheet("百万元|2023A|2024E", "营业收入|1,000|1,200"))
    for parts, pages in (
        ((first, ("body", "一句正文。"), ("table", sheet("收盘价|1|2"))), (1, 1, 2)),
        ((first, ("table", sheet("收盘价|1"))), (1, 2)),
        ((first, ("table", sheet("收盘价|1|2"))), (1, 3)),
    ):
        assert read_tables(document(*parts, pages=pages))[-1].n_header_rows == 0


def test_doubtful_tables_are_issues_for_a_person() -> None:
    text = "| 百万元 | 2023A | 2024E |\n|---|---|---|\n| 净利润 | 100 | 120 |\n| 同比（%） | 5.0 | 50.0 |\n"
    (issue,) = parsed(MarkdownParser(), text).issues
    assert issue.severity == "warning"
    assert issue.message.startswith("table 1: row 3 '净利润 / 同比（%）', column 3 (2024): printed 50.0, computed")
    assert issue.message.endswith("needs review")


def test_of_a_table_that_is_a_whole_file_the_first_rows_are_read() -> None:
    rows = (f"{n}\t{n}" for n in range(3_000))
    (table,) = read_tables(document(("table", "\n".join(("项目\t2024E", *rows)))))
    assert table.n_rows == 2_000


@given(st.lists(st.lists(st.text("12 3,.%()-|\t收入年2024E<td>", max_size=8), min_size=1, max_size=5), max_size=6))
def test_no_grid_breaks_it(rows: list[list[str]]) -> None:
    source = document(("table", "\n".join("\t".join(row) for row in rows)))
    for value in table_values(source, read_tables(source)):
        assert source.text[value.start : value.end].strip()


@given(st.text("<>/trdh colspan=\"'0123456789 收入table\n", max_size=120))
def test_no_html_breaks_it(inside: str) -> None:
    source = parsed(MarkdownParser(), f"正文。\n\n<table>{inside}</table>\n")
    for table in read_tables(source):
        assert all(cell.start <= cell.end <= len(source.text) for cell in table.cells)
        assert len(table.cells) == table.n_rows * table.n_columns
