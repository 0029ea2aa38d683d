"""Plain text, told by its shape."""

from finlore.formats.plain import read_plain


def blocks(text: str) -> list[tuple[str, str]]:
    return [(block.role, text[block.start : block.end]) for block in read_plain(text).blocks]


def test_every_line_is_a_paragraph_where_nothing_was_wrapped() -> None:
    assert blocks("公司收入增长百分之十二，超出预期。\n毛利率提升。\n") == [
        ("body", "公司收入增长百分之十二，超出预期。"),
        ("body", "毛利率提升。"),
    ]


def test_lines_wrapped_at_a_width_are_joined_until_a_short_one() -> None:
    text = (
        "The company reported revenue growth of twelve percent in the quarter and\n"
        "raised its outlook for the full year, citing strong demand for its newest\n"
        "products across all regions and a better mix of contracts than expected in\n"
        "spring.\n"
        "Margins fell because raw materials were more expensive than a year ago and\n"
        "freight rates rose.\n"
    )
    assert [body.split()[0] for _, body in blocks(text)] == ["The", "Margins"]


def test_a_short_line_alone_above_longer_text_is_a_heading() -> None:
    text = "核心优势\n\n公司的技术平台具有独特的优势，客户持续增加。\n\n1.1 产能\n产能扩张顺利推进，二期已经投产。\n"
    assert [role for role, _ in blocks(text)] == ["heading", "body", "heading", "body"]


def test_numbered_sentences_are_list_items_not_headings() -> None:
    assert [role for role, _ in blocks("1、行业库存处于历史中枢水平。\n2、补库意愿仍待观察。\n")] == ["list", "list"]
