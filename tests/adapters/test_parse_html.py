"""Saved web pages."""

from finlore.adapters.parse_html import HtmlParser
from finlore.ports import Source
from finlore.records.document import ParsedDocument

PAGE = """<html><head><title>山海股份点评</title>
<meta property="article:published_time" content="2024-05-31T09:00:00+08:00">
<style>p { color: red }</style></head><body><nav>首页</nav><h1>山海股份（600123）</h1>
<p>收入<b>增长</b>&nbsp;10%。<br>毛利率提升。</p><ul><li>一</li><li>二</li></ul>
<table><caption>表 1</caption><tr><th>指标</th><th>2024E</th></tr><tr><td>收入</td><td>10.5</td></tr></table>
<script>track()</script><!-- 注释 --><footer>版权</footer></body></html>"""


def parse(content: bytes) -> ParsedDocument:
    (document,), issues = HtmlParser().parse(Source("/r/a.html", ".html", content))
    assert issues == []
    return document


def blocks(document: ParsedDocument) -> list[tuple[str, str]]:
    return [(block.role, document.text[block.start : block.end]) for block in document.blocks]


def test_the_visible_text_is_read_block_by_block() -> None:
    document = parse(PAGE.encode())
    assert blocks(document) == [
        ("heading", "山海股份（600123）"),
        ("body", "收入增长 10%。"),
        ("body", "毛利率提升。"),
        ("list", "一"),
        ("list", "二"),
        ("caption", "表 1"),
        ("table", "指标 | 2024E\n收入 | 10.5"),
    ]


def test_merged_cells_make_a_rectangular_grid() -> None:
    page = """<table><tr><td rowspan=2>公司<td colspan=2>EPS</tr><tr><td>2024A<td>2025E</tr>
    <tr><td>甲 | 乙<td>1.0</tr></table>"""
    ((_, table),) = blocks(parse(page.encode()))
    assert table == "公司 | EPS | \n | 2024A | 2025E\n甲|乙 | 1.0 | "


def test_rows_are_spans_and_the_head_states_title_and_date() -> None:
    document = parse(PAGE.encode())
    assert [document.text[row.start : row.end] for row in document.markup] == ["指标 | 2024E", "收入 | 10.5"]
    assert dict(document.stated) == {"title": "山海股份点评", "published_at": "2024-05-31T09:00:00+08:00"}


def test_a_declared_encoding_counts_where_the_text_is_not_utf_8() -> None:
    assert (
        "收入增長" in parse('<html><head><meta charset="big5"></head><body>收入增長</body></html>'.encode("big5")).text
    )
    assert "收入增长" in parse('<html><meta charset="gb2312"><body>收入增长</body></html>'.encode("gb18030")).text
    assert "收入增长" in parse('<?xml version="1.0" encoding="gbk"?><html><body>收入增长</body></html>'.encode()).text


def test_deep_nesting_costs_no_recursion() -> None:
    assert parse(b"<div>" * 200 + b"text" + b"</div>" * 200).text.startswith("text")


def test_a_page_without_text_is_rejected() -> None:
    documents, (issue,) = HtmlParser().parse(Source("/r/a.html", ".html", b"<html><script>x</script></html>"))
    assert (documents, issue.severity) == ([], "rejected")
