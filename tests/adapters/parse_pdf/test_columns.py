"""In which order the columns of a page are read."""

from finlore.adapters.parse_pdf import PdfParser
from finlore.ports import Source
from tests.adapters.parse_pdf.pdf_writer import Page, pdf

FULL = [
    "远山储能上半年收入同比增长两成，海外订单占比提升至六成，毛利率随之上行，经营现金流由负",
    "转正，管理层维持全年目标不变，预计下半年交付继续放量，新基地投产。",
]
LEFT = ["国内市场上半年新增装机同比增长七成，", "公司中标多个百兆瓦级项目，市占率继续", "提升，交付节奏加快。"]
RIGHT = ["海外市场方面，北美项目均已进入交付阶", "段，单位毛利明显高于国内，回款质量改", "善，存货周转天数下降。"]


def body(page: Page) -> list[str]:
    (document,), _ = PdfParser().parse(Source("report.pdf", ".pdf", pdf(page)))
    return [document.text[block.start : block.end] for block in document.blocks if block.role == "body"]


def test_a_short_band_of_two_columns_is_read_column_by_column_between_the_lines_above_and_below() -> None:
    page = Page()
    page.write_lines(50, 100, FULL)
    page.write_lines(50, 145, LEFT)
    page.write_lines(290, 145, RIGHT)
    page.write_lines(50, 205, FULL)
    assert body(page) == ["".join(FULL), "".join(LEFT), "".join(RIGHT), "".join(FULL)]


def test_columns_that_run_on_into_full_lines_are_cut_at_the_band() -> None:
    page = Page()
    page.write_lines(50, 100, [*FULL, *LEFT])
    page.write_lines(290, 130, RIGHT)
    page.write_lines(50, 190, FULL)
    assert "".join(LEFT) in body(page)
    assert "".join(RIGHT) in body(page)


def test_lines_that_are_short_because_a_figure_stands_beside_them_are_one_paragraph() -> None:
    page = Page()
    page.write_lines(50, 100, FULL)
    page.write_lines(50, 145, [LEFT[0][:17], LEFT[1][:17], RIGHT[0][:17], LEFT[2]])
    assert body(page)[1] == LEFT[0][:17] + LEFT[1][:17] + RIGHT[0][:17] + LEFT[2]
