"""Other engines see one page at a time, and nothing that happens to them loses a page."""

import pypdfium2 as pdfium
import pytest

from finlore.adapters.parse_pdf.engines import ENGINES, Engine, EngineRow, opinions_on
from tests.adapters.parse_pdf.pdf_writer import Page, pdf

ROWS = [("Item", "2023", "2024"), ("Sales", "18,240", "21,570"), ("Cost", "13,115", "15,228"), ("Tax", "912", "1,057")]


def table_page() -> Page:
    page = Page()
    for number, (label, *values) in enumerate(ROWS):
        page.write(50, 200 + 16 * number, label)
        for column, value in enumerate(values):
            page.write(300 + 100 * column - 5 * len(value), 200 + 16 * number, value)
    return page


def seen(engine: Engine, *pages: Page, page: int) -> list[EngineRow]:
    document = pdfium.PdfDocument(pdf(*pages))
    (opinion,) = opinions_on(document, [engine])
    rows = opinion(page)
    document.close()
    return rows


@pytest.mark.parametrize("engine", ENGINES)
def test_an_engine_reads_the_cells_of_the_page_that_it_is_asked_about(
    engine: Engine, capfd: pytest.CaptureFixture[str]
) -> None:
    assert set(ROWS[1:]) <= set(seen(engine, Page(), table_page(), page=2))
    assert seen(engine, Page(), table_page(), page=1) == []
    assert capfd.readouterr() == ("", "")


class Panic(BaseException):
    """What a panic in Rust looks like from Python."""


@pytest.mark.parametrize("error", [ImportError("not installed"), ValueError("damaged"), Panic("index out of range")])
def test_an_engine_that_is_missing_or_fails_sees_nothing(error: BaseException) -> None:
    def fail(content: bytes) -> list[EngineRow]:
        raise error

    assert seen(fail, table_page(), page=1) == []


def test_a_page_that_cannot_be_taken_out_is_not_seen() -> None:
    assert seen(lambda content: [("never",)], table_page(), page=7) == []


def test_a_person_can_stop_an_engine() -> None:
    def stop(content: bytes) -> list[EngineRow]:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        seen(stop, table_page(), page=1)
