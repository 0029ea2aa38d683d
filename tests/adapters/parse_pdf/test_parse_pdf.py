"""What a reader gets from a PDF: text in reading order, roles, boxes, and clear words about what cannot be read."""

import unicodedata
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from finlore.adapters.parse_pdf import PdfParser
from finlore.ports import Source
from finlore.records.document import Block, Issue, ParsedDocument
from tests.adapters.parse_pdf.pdf_writer import Page, pdf
from tests.hostile_files import turned

PROSE = [
    "远山储能上半年收入同比增长两成，海外订单",
    "占比提升至六成，毛利率随之上行，经营现金",
    "流由负转正，全年目标不变。",
]


def parsed(*pages: Page) -> ParsedDocument:
    (document,), _ = PdfParser().parse(Source("report.pdf", ".pdf", pdf(*pages)))
    return document


def issues_of(content: bytes) -> list[Issue]:
    documents, issues = PdfParser().parse(Source("report.pdf", ".pdf", content))
    assert not documents or not any(issue.severity == "rejected" for issue in issues)
    return issues


def texts(document: ParsedDocument, *roles: str) -> list[str]:
    return [_text(document, block) for block in document.blocks if not roles or block.role in roles]


def _text(document: ParsedDocument, block: Block) -> str:
    return document.text[block.start : block.end]


def page_of_prose() -> Page:
    page = Page()
    page.write_lines(50, 200, PROSE)
    return page


def test_lines_of_chinese_are_joined_without_a_space_and_of_english_with_one() -> None:
    page = page_of_prose()
    page.write_lines(50, 300, ["Larkfield Storage raised its outlook after", "orders from abroad doubled."])
    assert texts(parsed(page)) == [
        "".join(PROSE),
        "Larkfield Storage raised its outlook after orders from abroad doubled.",
    ]


def test_blocks_are_parted_by_a_blank_line_and_know_their_page_and_box() -> None:
    page = page_of_prose()
    page.write(50, 300, "管理层维持全年指引不变。")
    document = parsed(Page(), page)
    first, second = document.blocks
    assert document.text[first.end : second.start] == "\n\n"
    assert first.page == 2
    assert first.box is not None
    assert (first.box.x0, first.box.x1) == (50, 250)
    assert 185 < first.box.y0 < 200 < first.box.y1 < 240


def test_a_hyphen_at_a_line_end_goes_only_when_the_document_knows_the_word_without_it() -> None:
    page = Page()
    page.write_lines(50, 100, ["The company expects that its manage-", "ment will keep the long-", "term plan."])
    page.write(50, 200, "Since May the management has been complete.")
    assert texts(parsed(page))[0] == "The company expects that its management will keep the long-term plan."


def test_a_printed_space_is_kept_and_the_spacing_of_justified_lines_is_not() -> None:
    page = Page()
    for number, character in enumerate("收入增长"):
        page.write(50 + 13 * number, 100, character)
    page.write(50, 150, "Q1 收入")
    assert texts(parsed(page)) == ["收入增长", "Q1 收入"]


@pytest.mark.parametrize("side_first", [True, False])
def test_a_side_bar_follows_the_main_column_whatever_the_order_in_the_file(side_first: bool) -> None:
    page = Page()
    parts = [
        lambda: page.write_lines(50, 100, PROSE * 3),
        lambda: page.write_lines(
            320, 100, ["买入（维持）", "分析师：林一", "电话：0551", "目标价：五十元"], leading=17
        ),
    ]
    for write in reversed(parts) if side_first else parts:
        write()
    document = parsed(page)
    assert "".join(texts(document, "body")) == "".join(PROSE * 3)
    assert texts(document)[-4:] == texts(document, "side")
    assert texts(document, "side") == ["买入（维持）", "分析师：林一", "电话：0551", "目标价：五十元"]


def test_two_columns_inside_a_page_are_read_one_after_the_other() -> None:
    page = Page()
    page.write(50, 80, "半年报解读", size=16)
    page.write_lines(50, 120, [*PROSE[:2], "左栏到此为止，下接右栏的第一行并且很长吧"], leading=15)
    page.write_lines(
        300,
        116,
        ["右栏接着说，费用率下降零点三个百分点，研", "发费用率提升，现金流改善，存货周转天数下", "降，回款质量好。"],
    )
    page.write(50, 200, "通栏的一行写在两栏之后。")
    text = parsed(page).text
    assert "下接右栏的第一行并且很长吧右栏接着说，费用率" in text
    places = [text.index(part) for part in ("半年报", "远山", "左栏", "右栏接着", "发费用率", "通栏")]
    assert places == sorted(places)


def test_a_table_is_one_block_with_a_line_per_row_and_tabs_between_cells() -> None:
    page = page_of_prose()
    rows = [
        ("会计年度", "2023A", "2024E", "2025E"),
        ("营业收入", "18,240", "21,570", "25,130"),
        ("同比增速（%）", "(5.2)", "18.3", "16.5"),
        ("每股收益", "1.34", "—", "2.01"),
    ]
    for number, cells in enumerate(rows):
        page.write(50, 300 + 16 * number, cells[0])
        for column, cell in enumerate(cells[1:]):
            page.write(250 + 60 * column - 5 * len(cell), 300 + 16 * number, cell)
    page.write(50, 380, "管理层维持全年指引不变，预计海外收入占比继续提升。")
    (table,) = texts(parsed(page), "table")
    assert table == "\n".join("\t".join(cells) for cells in rows)


def test_a_currency_sign_belongs_to_its_number_and_a_row_without_numbers_to_its_table() -> None:
    page = Page()
    for y, label, cells in [
        (100, "Net sales", ("2,634", "2,345")),
        (115, "Per share:", ()),
        (130, "Diluted", ("6.88", "6.30")),
    ]:
        page.write(50, y, label)
        for column, cell in enumerate(cells):
            page.write(300 + 80 * column, y, "$")
            page.write(350 + 80 * column - 5 * len(cell), y, cell)
    (table,) = texts(parsed(page), "table")
    assert table.split("\n") == ["Net sales\t$ 2,634\t$ 2,345", "Per share:\t\t", "Diluted\t$ 6.88\t$ 6.30"]


def test_prose_with_numbers_is_no_table() -> None:
    page = Page()
    page.write_lines(50, 100, ["2023 年收入 18.2 亿元，同比增长 12.4%，", "2024 年收入 21.5 亿元，同比增长 18.3%。"])
    assert not texts(parsed(page), "table")


def test_headings_have_levels_by_number_and_by_size() -> None:
    page = Page()
    page.write(50, 80, "远山储能：大单落地", size=20)
    for y, text, size in [(120, "一、行业", 14), (200, "1.1 装机", 12), (280, "风险提示", 14)]:
        page.write(50, y, text, size=size)
        page.write_lines(50, y + 30, PROSE)
    document = parsed(page)
    headings = [(_text(document, block), block.level) for block in document.blocks if block.role == "heading"]
    assert headings == [("远山储能：大单落地", 1), ("一、行业", 1), ("1.1 装机", 2), ("风险提示", 1)]


def test_a_bold_line_of_its_own_is_a_heading_and_a_bold_sentence_is_not() -> None:
    page = page_of_prose()
    page.write(50, 100, "海外订单落地", bold=True)
    page.write(50, 150, "我们上调全年预测。", bold=True)
    assert texts(parsed(page), "heading") == ["海外订单落地"]


def test_captions_sources_and_items_have_their_roles() -> None:
    page = Page()
    lines = [
        "图 3：收入结构",
        "资料来源：公司公告",
        "● 海外订单翻倍",
        "（1）产能爬坡",
        "Figure 2: Shipments",
        "如图 3 所示，收入结构继续改善，海外订单占比提升。",
    ]
    for number, text in enumerate(lines):
        page.write(50, 100 + 40 * number, text)
    document = parsed(page)
    assert [block.role for block in document.blocks] == ["caption", "caption", "list", "list", "caption", "body"]


def test_captions_of_figures_side_by_side_are_blocks_of_their_own() -> None:
    page = page_of_prose()
    page.write(50, 300, "图 1：收入结构")
    page.write(320, 300, "图 2：成本结构")
    page.write(50, 420, "资料来源：公司公告")
    page.write(320, 420, "资料来源：公司公告")
    assert texts(parsed(page), "caption") == [
        "图 1：收入结构",
        "图 2：成本结构",
        "资料来源：公司公告",
        "资料来源：公司公告",
    ]


def test_what_repeats_at_the_edges_of_the_pages_is_furniture() -> None:
    pages = [page_of_prose() for _ in range(3)]
    for number, page in enumerate(pages, start=1):
        page.write(50, 40, "青松证券｜公司点评")
        page.write(500, 780, f"{number} / 3")
        page.write(50, 780, "请阅读免责条款")
    document = parsed(*pages)
    assert texts(document, "header_footer") == [
        line for number in (1, 2, 3) for line in ("青松证券｜公司点评", f"请阅读免责条款 {number} / 3")
    ]
    assert texts(document, "body") == ["".join(PROSE)] * 3


def test_a_first_line_that_does_not_repeat_is_no_furniture() -> None:
    pages = [page_of_prose(), page_of_prose(), page_of_prose()]
    pages[1].write(50, 40, "业绩超出预期。")
    assert "业绩超出预期。" in texts(parsed(*pages), "body")


def test_a_spine_a_slanted_mark_and_what_nobody_can_see_are_kept_but_not_indexed() -> None:
    page = page_of_prose()
    for number, character in enumerate("证券研究报告"):
        page.write(15, 200 + 14 * number, character)
    page.write(100, 500, "Watermark", size=40, slope=0.7)
    page.write(300, 600, "tracking0815", size=2)
    page.write(300, 900, "below the page")
    document = parsed(page)
    assert texts(document, "body") == ["".join(PROSE)]
    assert set(texts(document, "header_footer")) == {"证券研究报告", "Watermark", "tracking0815", "below the page"}


def test_a_contents_line_is_not_indexed() -> None:
    page = page_of_prose()
    page.write(50, 100, "1.1 行业空间" + "." * 40 + " 12")
    assert len(texts(parsed(page), "header_footer")) == 1


def test_the_title_is_the_largest_heading_of_the_first_page_that_names_no_broker() -> None:
    page = page_of_prose()
    page.write(50, 60, "青松证券研究所", size=24)
    page.write(50, 100, "远山储能：大单落地，", size=18)
    page.write(50, 124, "全年高增可期", size=18)
    assert dict(parsed(page).stated) == {"title": "远山储能：大单落地，全年高增可期"}


@pytest.mark.parametrize("turns", range(4))
def test_a_turned_page_reads_as_it_is_displayed(turns: int) -> None:
    page = Page(turns=turns)
    page.write_lines(50, 100, ["Larkfield Storage raised its outlook after", "orders from abroad doubled."])
    document = parsed(page)
    assert document.text == "Larkfield Storage raised its outlook after orders from abroad doubled."
    first = document.lines[0]
    assert (first.box.x0, first.box.x1) == (50, 260)
    assert 90 < first.box.y0 < 100 < first.box.y1 < 102
    assert first.edges[:3] == (500, 550, 600)


def test_text_that_stands_upright_on_a_page_displayed_on_its_side_is_read_in_order() -> None:
    page = Page(turns=1)
    page.write_lines(50, 100, ["Larkfield Storage raised its outlook after", "orders from abroad doubled."])
    page.turns = 0
    document = parsed(page)
    assert document.text == "Larkfield Storage raised its outlook after orders from abroad doubled."
    box = document.lines[0].box
    assert box.y1 - box.y0 == pytest.approx(210)
    assert document.lines[0].edges[0] == round(10 * box.x0)
    assert document.lines[0].edges[-1] == round(10 * box.x1)


def test_a_file_that_needs_a_password_is_rejected_and_one_with_an_owner_password_is_read() -> None:
    (issue,) = issues_of(pdf(page_of_prose(), user_password="secret"))
    assert issue.severity == "rejected"
    assert "password" in issue.message
    assert issues_of(pdf(page_of_prose(), user_password="")) == []


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (pdf(page_of_prose())[:1500], "damaged"),
        (b"<html>not found</html>", "not a PDF"),
        (b"", "an empty file"),
    ],
)
def test_what_cannot_be_opened_is_rejected_with_the_reason(content: bytes, reason: str) -> None:
    (issue,) = issues_of(content)
    assert (issue.source, issue.severity) == ("report.pdf", "rejected")
    assert reason in issue.message


@pytest.mark.parametrize("degrees", [90, 180, 270])
def test_a_page_that_is_shown_turned_says_the_same_in_the_same_order(degrees: int) -> None:
    page = page_of_prose()
    page.write(50, 100, "半年报点评", size=18)
    page.write_lines(50, 300, ["Larkfield Storage raised its outlook after", "orders from abroad doubled."])
    upright = parsed(page)
    (lying,), _ = PdfParser().parse(Source("report.pdf", ".pdf", turned(pdf(page), degrees)))
    assert lying.text == upright.text
    assert [block.role for block in lying.blocks] == [block.role for block in upright.blocks]
    width, height = (800, 600) if degrees % 180 else (600, 800)
    assert all(
        0 <= line.box.x0 < line.box.x1 <= width and 0 <= line.box.y0 < line.box.y1 <= height for line in lying.lines
    )
    assert lying.lines[0].box != upright.lines[0].box


def test_characters_of_a_face_without_a_map_are_left_out_of_a_page_that_is_otherwise_sound() -> None:
    page = page_of_prose()
    page.write(50, 300, "\x05\x06\x07\x08")
    document = parsed(page)
    assert document.text == "".join(PROSE)
    assert document.pages[0].reason == "4 characters of a face without a character map are left out"


def test_empty_pages_are_nothing_to_worry_about() -> None:
    content = pdf(page_of_prose(), Page(), page_of_prose())
    assert issues_of(content) == []
    document = parsed(page_of_prose(), Page(), page_of_prose())
    assert [block.page for block in document.blocks] == [1, 3]
    assert [(page.status, page.reason) for page in document.pages] == [
        ("ok", ""),
        ("ok", "nothing is printed on it"),
        ("ok", ""),
    ]


def test_radicals_that_look_like_ideographs_stay_and_are_noted() -> None:
    page = Page()
    page.write(50, 100, "归\u2f92净利润")
    assert parsed(page).text == "归\u2f92净利润"
    (issue,) = issues_of(pdf(page))
    assert issue.severity == "note"


def test_text_is_nfc_even_where_an_accent_is_a_glyph_of_its_own() -> None:
    page = Page()
    page.write(50, 100, "Cafe\u0301 sales rose")
    document = parsed(page)
    assert document.text == "Café sales rose"
    assert len(document.lines[0].edges) == len(document.text) + 1


WORDS = st.text(st.sampled_from("收入增长海外订单abcXYZ0189.,%，。"), min_size=1, max_size=12)
PLACES = st.tuples(st.integers(0, 3), st.integers(3, 45))


@settings(max_examples=40, deadline=None)
@given(st.dictionaries(PLACES, WORDS, min_size=1, max_size=15))
def test_every_printed_character_stands_in_exactly_one_block_and_line(words: dict[tuple[int, int], str]) -> None:
    page = Page()
    for (column, row), word in words.items():
        page.write(30 + 130 * column, 16 * row, word)
    document = parsed(page)
    printed = sorted(character for word in words.values() for character in word)
    assert sorted(document.text.translate({32: None, 9: None, 10: None})) == printed
    assert unicodedata.is_normalized("NFC", document.text)
    blocks = [range(block.start, block.end) for block in document.blocks]
    assert all(before.stop < after.start for before, after in pairwise(blocks))
    for line in document.lines:
        assert any(line.start in block and line.end - 1 in block for block in blocks)
        assert len(line.edges) == line.end - line.start + 1
        assert 0 <= line.box.x0 <= line.box.x1 <= 600
