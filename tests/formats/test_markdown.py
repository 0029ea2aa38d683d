"""Markdown as people and PDF converters write it."""

from finlore.formats.markdown import read_markdown


def blocks(text: str) -> list[tuple[str, str]]:
    return [(block.role, text[block.start : block.end]) for block in read_markdown(text).blocks]


def test_headings_paragraphs_lists_and_captions_are_told_apart() -> None:
    text = "# 山海股份点评\n\n收入增长。\n利润增长。\n\n- 一\n- 二\n\n图 1：收入\n\n## 风险 ##\n\n资料来源：山海证券\n"
    assert blocks(text) == [
        ("heading", "山海股份点评"),
        ("body", "收入增长。\n利润增长。"),
        ("list", "一"),
        ("list", "二"),
        ("caption", "图 1：收入"),
        ("heading", "风险"),
        ("caption", "资料来源：山海证券"),
    ]


def test_underlined_headings_and_their_levels() -> None:
    outline = read_markdown("标题\n===\n\n文\n\n小节\n---\n\n### 三级\n")
    assert [(block.role, block.level) for block in outline.blocks] == [
        ("heading", 1),
        ("body", 0),
        ("heading", 2),
        ("heading", 3),
    ]


def test_hard_breaks_separate_the_lines_of_a_letterhead() -> None:
    assert blocks("分析师：甲  \n电话：1\n") == [("body", "分析师：甲"), ("body", "电话：1")]


def test_an_html_table_is_one_block_with_a_span_for_each_row() -> None:
    text = "前文 <table><tr><td>指标</td></tr><tr><td>收入</td></tr></table>\n\n后文"
    outline = read_markdown(text)
    assert [block.role for block in outline.blocks] == ["body", "table", "body"]
    rows = [text[span.start : span.end] for span in outline.markup if span.kind == "table_row"]
    assert len(rows) == 2
    assert "收入" in rows[1]


def test_a_pipe_table_needs_its_rule() -> None:
    text = "| 指标 | 2024 |\n|---|---:|\n| 收入 | 10 |\n\n甲 | 乙\n"
    outline = read_markdown(text)
    assert [block.role for block in outline.blocks] == ["table", "body"]
    assert sum(span.kind == "table_row" for span in outline.markup) == 2


def test_front_matter_states_fields_and_is_not_text() -> None:
    outline = read_markdown("---\ntitle: 山海股份\npublished_at: 2024-05-31\n---\n# 一\n")
    assert outline.stated == (("title", "山海股份"), ("published_at", "2024-05-31"))
    assert [block.role for block in outline.blocks] == ["header_footer", "heading"]


def test_a_rule_at_the_top_is_no_front_matter() -> None:
    assert [block.role for block in read_markdown("---\n\n正文。\n").blocks] == ["body"]


def test_code_keeps_its_lines_and_is_searched_for_no_headings() -> None:
    assert blocks("```\n# 不是标题\n收入\n```\n") == [("body", "# 不是标题"), ("body", "收入")]


def test_a_negative_number_or_a_star_opens_no_list() -> None:
    assert [role for role, _ in blocks("-5.2%的跌幅\n\n*ST山海复牌\n")] == ["body", "body"]


def test_windows_line_ends_are_line_ends() -> None:
    assert blocks("# 一\r\n\r\n文一\r\n文二\r\n") == [("heading", "一"), ("body", "文一\r\n文二")]


def test_what_is_fenced_as_markdown_is_read_as_markdown() -> None:
    table = "| 指标 | 2024 |\n|---|---|\n| 收入 | 10 |"
    assert blocks(f"如下：\n\n```markdown\n# 利润表\n\n{table}\n```\n\n以上。\n") == [
        ("body", "如下："),
        ("heading", "利润表"),
        ("table", table),
        ("body", "以上。"),
    ]
    assert blocks(f"```\n{table}\n```\n")[0] == ("body", "| 指标 | 2024 |")
