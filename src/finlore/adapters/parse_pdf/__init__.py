"""PDF files that hold text -> documents with roles, boxes and a character map.

pdfium's characters are laid out here (`characters` -> `rows` -> `columns` -> `blocks` -> `text`). Nothing is read from
images, and nothing that the file says about itself is believed: its dates are those of the file, not of the report.
"""

import pypdfium2 as pdfium
import pypdfium2.raw as pdf

from finlore.adapters.parse_pdf.layout import lay_out
from finlore.ports import Source
from finlore.records.document import Issue, ParsedDocument

_MAGIC_WITHIN = 1024  # readers accept junk of this length before %PDF


class PdfParser:
    """Digital PDF. Encrypted files that open without a password are read."""

    suffixes = (".pdf",)
    isolated = True

    def parse(self, source: Source) -> tuple[list[ParsedDocument], list[Issue]]:
        """One document and what could not be read of it, or one `rejected` issue."""
        try:
            document = pdfium.PdfDocument(source.content)
        except pdfium.PdfiumError as error:
            return [], [Issue(source.name, _reason(source, error), "rejected")]
        try:
            parsed, issues = lay_out(document, source)
        finally:
            document.close()
        return [parsed], issues


def _reason(source: Source, error: pdfium.PdfiumError) -> str:
    if error.err_code in (pdf.FPDF_ERR_PASSWORD, pdf.FPDF_ERR_SECURITY):
        return "a password is needed to open this PDF; save a copy without one"
    if b"%PDF-" not in source.content[:_MAGIC_WITHIN]:
        return "this is not a PDF file, whatever its name says"
    return "this PDF is truncated or damaged and cannot be opened"
