"""Lines that were recognised in the image of a page come out as those of a digital page do."""

import zlib
from collections.abc import Iterable

import pytest

from finlore.adapters.parse_pdf import PdfParser
from finlore.adapters.parse_pdf.recognised import Placed, in_columns
from finlore.ports import RecognisedLine, RecognisedPage, Source
from finlore.records.document import Box, PageVerdict, ParsedDocument
from tests.adapters.parse_pdf.pdf_writer import Page, pdf
from tests.hostile_files import glued, image_page, turned

PROSE = [
    "远山储能上半年收入同比增长两成，海外订单占",
    "比提升至六成，毛利率随之上行，经营现金流由",
    "负转正，全年目标不变。",
]


def line(x: float, y: float, text: str, *, size: float = 10) -> RecognisedLine:
    """A line whose baseline is `y`, in a box as engines draw them: a little larger than its ink."""
    width = size * sum(1.0 if ord(letter) > 255 else 0.5 for letter in text)
    return RecognisedLine(text, Box(x - 0.2 * size, y - size, x + width + 0.2 * size, y + 0.25 * size), 0.98)


def lines(x: float, y: float, texts: Iterable[str], *, size: float = 10) -> list[RecognisedLine]:
    return [line(x, y + 15 * number, text, size=size) for number, text in enumerate(texts)]


def scan() -> bytes:
    return image_page(64, packed=zlib.compress(zlib.compress(b"\xee" * 64 * 64)))


def parsed(content: bytes, *pages: RecognisedPage) -> ParsedDocument:
    (document,), _ = PdfParser().parse(Source("scan.pdf", ".pdf", content, pages))
    return document


def page_of(*lines: RecognisedLine, number: int = 1) -> RecognisedPage:
    return RecognisedPage(number, tuple(lines))


def blocks(document: ParsedDocument) -> list[tuple[str, str]]:
    return [(block.role, document.text[block.start : block.end]) for block in document.blocks]


def test_lines_become_headings_and_paragraphs_with_their_place() -> None:
    document = parsed(scan(), page_of(line(50, 80, "半年报点评", size=18), *lines(50, 130, PROSE)))
    assert blocks(document) == [("heading", "半年报点评"), ("body", "".join(PROSE))]
    body = document.blocks[1].box
    assert body is not None
    assert (body.x0, body.x1) == pytest.approx((50, 260), abs=4)
    assert (body.y0, body.y1) == pytest.approx((122, 162), abs=4)
    assert all(len(mapped.edges) == mapped.end - mapped.start + 1 for mapped in document.lines)


def test_cells_on_one_height_are_rows_of_a_table() -> None:
    rows = [("会计年度", "2023A", "2024E"), ("营业收入", "18,240", "21,570"), ("净利润", "(5.2)", "18.3")]
    cells = [
        line(x, 100 + 16 * at + x / 200, text)
        for at, row in enumerate(rows)
        for x, text in zip((50, 200, 280), row, strict=True)
    ]
    assert blocks(parsed(scan(), page_of(*cells))) == [("table", "\n".join("\t".join(row) for row in rows))]


def test_sizes_that_are_measured_a_little_differently_are_one() -> None:
    wavering = [line(50, 130 + 15 * at, text, size=10 + 0.6 * (at % 2)) for at, text in enumerate(PROSE[:2] * 3)]
    assert [role for role, _ in blocks(parsed(scan(), page_of(*wavering)))] == ["body"]


def test_a_short_line_whose_box_is_a_little_high_still_ends_its_paragraph() -> None:
    last = line(50, 160, "正，目标不变。", size=11.2)
    assert [role for role, _ in blocks(parsed(scan(), page_of(*lines(50, 130, PROSE[:2]), last)))] == ["body"]


def test_the_verdict_says_that_it_was_recognised_and_how_surely() -> None:
    document = parsed(glued(scan(), scan()), page_of(*lines(50, 100, PROSE)), page_of(number=2))
    assert document.pages == (
        PageVerdict(1, "ok", "recognised in its image, 98 % sure", is_ocr=True),
        PageVerdict(2, "ok", "no text was found in its image", is_ocr=True),
    )


def test_pages_with_text_of_their_own_stand_beside_recognised_ones() -> None:
    page = Page()
    page.write_lines(50, 100, PROSE)
    document = parsed(glued(pdf(page), scan()), page_of(line(50, 100, "附件一：担保合同"), number=2))
    assert [block.page for block in document.blocks] == [1, 2]
    assert [verdict.is_ocr for verdict in document.pages] == [False, True]


@pytest.mark.parametrize("turns", [1, 2, 3])
def test_a_page_that_was_scanned_on_its_side_reads_the_same_and_keeps_its_boxes(turns: int) -> None:
    found = [_turned(each, turns) for each in lines(50, 100, PROSE)]
    document = parsed(turned(scan(), 90 * turns), page_of(*found))
    assert blocks(document) == [("body", "".join(PROSE))]
    box = document.blocks[0].box
    assert box is not None
    assert box.x0 == pytest.approx(min(each.box.x0 for each in found), abs=3)
    assert box.y1 == pytest.approx(max(each.box.y1 for each in found), abs=3)


def _turned(upright: RecognisedLine, turns: int) -> RecognisedLine:
    """Where a line is found when its page of 600 x 800 points is shown so many quarter turns clockwise."""
    box, size = upright.box, (600.0, 800.0)
    for _ in range(turns):
        box, size = Box(size[1] - box.y1, box.x0, size[1] - box.y0, box.x1), (size[1], size[0])
    return RecognisedLine(upright.text, box, upright.score, turns=-turns % 4)


def test_boxes_are_those_of_the_page_as_displayed() -> None:
    document = parsed(turned(scan(), 90), page_of(line(700, 500, "末行在右下角")))
    box = document.blocks[0].box
    assert box is not None
    assert 690 < box.x0 < box.x1 < 770
    assert 480 < box.y0 < box.y1 < 510


def placed(*columns: tuple[float, float, list[str]]) -> list[Placed]:
    found = [line(x, y + 15 * at, text) for x, y, texts in columns for at, text in enumerate(texts)]
    return [Placed(each.text, each.box) for each in sorted(found, key=lambda each: (each.box.y0, each.box.x0))]


def order(lines: list[Placed]) -> list[str]:
    return [each.text for each in in_columns(lines)]


LEFT = [f"左栏的第{number}行文字写满了这一栏的宽度" for number in "一二三四"]
RIGHT = [f"右栏的第{number}行文字写满了这一栏的宽度" for number in "一二三四"]


def test_columns_of_prose_are_read_one_after_the_other_between_what_spans_them() -> None:
    above, below = (
        "通栏的标题横跨左右两栏一直写到右边的尽头为止不留空白处",
        "通栏的结语横跨左右两栏一直写到右边的尽头为止不留空白处",
    )
    lines = placed((50, 60, [above]), (50, 100, LEFT), (300, 100, RIGHT), (50, 200, [below]))
    assert order(lines) == [above, *LEFT, *RIGHT, below]


def test_a_side_bar_in_a_measure_of_its_own_is_read_after_the_text_beside_it() -> None:
    side = ["买入（维持）", "目标价：五十元", "分析师：林一", "联系人：王二"]
    lines = placed(
        (50, 100, LEFT), (300, 106, side[:1]), (300, 123, side[1:2]), (300, 141, side[2:3]), (300, 163, side[3:])
    )
    assert order(lines) == [*LEFT, *side]


def test_labels_and_numbers_and_remarks_of_one_table_stay_in_their_rows() -> None:
    numbers = ["18,240 21,570", "2,015 2,468", "28.1 29.4", "1.34 1.64"]
    remarks = ["高于预期", "符合预期", "略有改善", "低于预期"]
    for cells in (numbers, remarks):
        rows = [text for pair in zip(LEFT, cells, strict=True) for text in pair]
        assert order(placed((50, 100, LEFT), (300, 100, cells))) == rows
