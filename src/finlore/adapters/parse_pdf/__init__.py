"""PDF files -> documents with roles, boxes and a character map, and images of their pages.

A file is looked through before any engine opens it (`preflight`, `opening`). pdfium's characters are laid out here
(`characters` -> `rows` -> `columns` -> `blocks` -> `text`), and so are lines that were recognised in images
(`recognised`); every page gets a verdict (`verdicts`). Nothing that the file says about itself is believed: its dates
are those of the file, not of the report.
"""

from finlore.adapters.parse_pdf.layout import lay_out
from finlore.adapters.parse_pdf.opening import DAMAGED, opened
from finlore.adapters.parse_pdf.preflight import Refused
from finlore.adapters.parse_pdf.render import PdfRenderer
from finlore.ports import Source
from finlore.records.document import Issue, ParsedDocument

__all__ = ["PdfParser", "PdfRenderer"]


class PdfParser:
    """PDF with text, or with that of its images in `Source.recognised`. What opens without a password is read."""

    suffixes = (".pdf",)
    isolated = True

    def parse(self, source: Source) -> tuple[list[ParsedDocument], list[Issue]]:
        """One document and what could not be read of it, or one `rejected` issue."""
        try:
            with opened(source.content) as file:
                parsed, issues = lay_out(file, source)
                if file.is_salvaged and all(page.status == "failed" for page in parsed.pages):
                    raise Refused(DAMAGED)
                warnings = [Issue(source.name, words) for words in file.warnings]
                notes = [Issue(source.name, words, "note") for words in file.notes]
        except Refused as refused:
            return [], [Issue(source.name, str(refused), "rejected")]
        return [parsed], [*warnings, *issues, *notes]
