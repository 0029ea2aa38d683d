"""Bytes -> an open PDF that is no trap, with what a person should know about it; the same to read and to render."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import pypdfium2 as pdfium
import pypdfium2.raw as pdf

from finlore.adapters.parse_pdf.disguises import true_kind
from finlore.adapters.parse_pdf.preflight import Refused, inspect
from finlore.adapters.parse_pdf.salvage import salvaged

MOST_PAGES = 5000
_MAGIC_WITHIN = 1024  # readers accept junk of this length before %PDF
DAMAGED = "this PDF is truncated or damaged and cannot be opened"


@dataclass(frozen=True, slots=True)
class Opened:
    """`n_pages` are those that are read. `warnings` say what is missing, `notes` what is there and not looked at."""

    document: pdfium.PdfDocument
    n_pages: int
    warnings: tuple[str, ...]
    notes: tuple[str, ...]
    is_salvaged: bool


@contextmanager
def opened(content: bytes) -> Iterator[Opened]:
    """The open file; Refused, with a sentence for a person, where there is none."""
    if b"%PDF-" not in content[:_MAGIC_WITHIN] and (kind := true_kind(content)):
        raise Refused(f"this is not a PDF but {kind}")
    notes = tuple(f"{words} in this PDF: ignored" for words in inspect(content))
    document, is_salvaged = _open(content)
    try:
        n_pages, warnings = _count(document)
        if is_salvaged:
            pages = "one page" if n_pages == 1 else f"{n_pages} pages"
            warnings = (f"this PDF is truncated or damaged: {pages} of it could be recovered", *warnings)
        yield Opened(document, n_pages, warnings, notes, is_salvaged)
    finally:
        document.close()


def _open(content: bytes) -> tuple[pdfium.PdfDocument, bool]:
    """The file, and whether it had to be mended."""
    try:
        return pdfium.PdfDocument(content), False
    except pdfium.PdfiumError as error:
        if error.err_code in (pdf.FPDF_ERR_PASSWORD, pdf.FPDF_ERR_SECURITY):
            raise Refused("a password is needed to open this PDF; save a copy without one") from error
    mended = salvaged(content)
    try:
        return pdfium.PdfDocument(mended or b""), True
    except pdfium.PdfiumError as error:
        is_pdf = b"%PDF-" in content[:_MAGIC_WITHIN]
        raise Refused(DAMAGED if is_pdf else "this is not a PDF file, whatever its name says") from error


def _count(document: pdfium.PdfDocument) -> tuple[int, tuple[str, ...]]:
    """How many pages are read: what a file says about it counts only where there is a page."""
    claimed = len(document)
    if claimed > MOST_PAGES:
        return MOST_PAGES, (f"of its {claimed:,} pages only the first {MOST_PAGES:,} are read",)
    n_pages = claimed
    while n_pages and not _is_page(document, n_pages - 1):
        n_pages -= 1
    return n_pages, (f"it claims {claimed:,} pages, and has {n_pages:,}",) if n_pages < claimed else ()


def _is_page(document: pdfium.PdfDocument, index: int) -> bool:
    try:
        document[index].close()
    except pdfium.PdfiumError:
        return False
    return True
