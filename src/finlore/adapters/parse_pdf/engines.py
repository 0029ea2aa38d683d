"""Other readers of PDF tables: a page -> the rows that they see. They are asked where our own grid is in doubt.

What they read is matched to our characters and never written itself. They come with Rust and a pdfium of their own, so
they get the one page that is asked about, and are imported when first needed.
"""

import io
import re
from collections.abc import Callable, Sequence
from functools import partial

import pypdfium2 as pdfium

EngineRow = tuple[str, ...]  # the texts of the cells, from left to right
Engine = Callable[[bytes], list[EngineRow]]

_RULE = re.compile(r":?-+:?")
_BORDER = re.compile(r"(?<!\\)\|")
_MARKS = re.compile(r"\*\*|<br ?/?>|\\(?=[|*_\\<>])")


def page_file(document: pdfium.PdfDocument, page: int) -> bytes:
    """One page (counted from 1) as a PDF of its own; PdfiumError where it cannot be taken out."""
    alone, file = pdfium.PdfDocument.new(), io.BytesIO()
    try:
        alone.import_pages(document, [page - 1])
        alone.save(file)
    finally:
        alone.close()
    return file.getvalue()


def liteparse_rows(content: bytes) -> list[EngineRow]:
    """The rows of all tables that liteparse finds; it would fetch models for OCR, hence without."""
    from liteparse import LiteParse

    result = LiteParse(ocr_enabled=False, quiet=True, extract_blocks=True, output_format="json").parse(content)
    return [
        tuple(cell.text for cell in row)
        for page in result.pages
        for block in page.blocks or ()
        if block.kind == "table"
        for row in (*((block.header,) if block.header else ()), *(block.rows or ()))
    ]


def inspector_rows(content: bytes) -> list[EngineRow]:
    """The rows of all tables that pdf-inspector finds, read from its Markdown."""
    from pdf_inspector import extract_pages_markdown_bytes

    lines = [line.strip() for page in extract_pages_markdown_bytes(content).pages for line in page.markdown.split("\n")]
    rows = [
        tuple(_MARKS.sub("", cell).strip() for cell in _BORDER.split(line)[1:-1])
        for line in lines
        if line.startswith("|")
    ]
    return [row for row in rows if not all(_RULE.fullmatch(cell) for cell in row)]


ENGINES: tuple[Engine, ...] = (liteparse_rows, inspector_rows)


def opinions_on(
    document: pdfium.PdfDocument, engines: Sequence[Engine] = ENGINES
) -> list[Callable[[int], list[EngineRow]]]:
    """For each engine a function from the number of a page to the rows that it sees there."""
    return [partial(_rows_seen, document, engine) for engine in engines]


def _rows_seen(document: pdfium.PdfDocument, engine: Engine, page: int) -> list[EngineRow]:
    """What an engine reads; nothing where it is not installed or fails: the page is never lost for it."""
    try:
        return engine(page_file(document, page))
    except (KeyboardInterrupt, SystemExit, MemoryError):
        raise
    except BaseException:  # a panic in Rust has no class that could be named, and is no Exception
        return []
