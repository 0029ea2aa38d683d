"""Saved web pages."""

from dataclasses import replace

import pytest

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


def nested(depth: int, tag: str = "div") -> str:
    """A heading, a paragraph, a script and a table, deep down; text before and after."""
    table = "<table><caption>表 1</caption><tr><td>收入<td>10.5</table>"
    inside = f"<h2>点评</h2><script>track()</script><p>收入<b>增长</b>。</p>{table}尾部"
    return f"<title>题</title><p>之前</p>{f'<{tag}>' * depth}{inside}{f'</{tag}>' * depth}<p>之后</p>"


@pytest.mark.parametrize("tag", ["div", "center", "span", "font", "ul"])
@pytest.mark.parametrize("depth", [10, 120, 300, 3_000, 30_000])
def test_however_deep_a_text_stands_it_is_read_the_same(depth: int, tag: str) -> None:
    flat, deep = parse(nested(1, tag).encode()), parse(nested(depth, tag).encode())
    assert deep == replace(flat, raw_hash=deep.raw_hash)


@pytest.mark.parametrize("tag", ["li", "p", "blockquote", "section"])
def test_whatever_is_nested_no_text_is_lost_and_none_of_a_script_shown(tag: str) -> None:
    text = parse(nested(3_000, tag).encode()).text
    assert [part for part in text.split() if part != "|"] == [
        "之前",
        "点评",
        "收入增长。",
        "表",
        "1",
        "收入",
        "10.5",
        "尾部",
        "之后",
    ]


def test_tags_that_are_never_closed_lose_no_text() -> None:
    page = "".join(f"<p><font><b>第{n}段。" for n in range(2_000))
    assert parse(page.encode()).text == "".join(f"第{n}段。\n\n" for n in range(2_000))


def test_declared_entities_are_not_replaced() -> None:
    laughs = "".join(f'<!ENTITY a{n} "&a{n - 1};&a{n - 1};">' for n in range(1, 40))
    page = f'<!DOCTYPE html [<!ENTITY a0 "ha"><!ENTITY f SYSTEM "/etc/passwd">{laughs}]><p>收入增长。&a39; &f;</p>'
    text = parse(page.encode()).text
    assert "收入增长" in text
    assert "haha" not in text
    assert "root:" not in text
    assert len(text) < len(page)


def test_a_page_without_text_is_rejected() -> None:
    documents, (issue,) = HtmlParser().parse(Source("/r/a.html", ".html", b"<html><script>x</script></html>"))
    assert (documents, issue.severity) == ([], "rejected")
