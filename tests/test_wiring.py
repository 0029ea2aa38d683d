"""Sources become documents in the order in which they came, whichever process reads them."""

import subprocess
import sys
from pathlib import Path

from finlore.intake.prepare import prepare
from finlore.ports import Source
from finlore.records.document import Issue, ParsedDocument
from finlore.records.instant import MARKET_ZONE, now
from finlore.wiring import Adapters, read_sources
from tests.adapters.parse_pdf.pdf_writer import Page, pdf
from tests.small_world import settings


def test_documents_and_issues_come_in_the_order_of_their_sources(tmp_path: Path) -> None:
    page = Page()
    page.write(50, 200, "Larkfield Storage raised its outlook after orders from abroad doubled.")
    missing = Issue("gone.pdf", "there is no such file", "rejected")
    sources = [
        Source("a.txt", ".txt", b"The first source."),
        Source("b.pdf", ".pdf", pdf(page)),
        missing,
        Source("c.pdf", ".pdf", b"not a PDF"),
        Source("d.md", ".md", b"# Last\n\nThe last source."),
    ]
    read = list(read_sources(Adapters(settings(tmp_path)), sources))
    assert [found.source for found in read] == ["a.txt", "b.pdf", "gone.pdf", "c.pdf", "d.md"]
    assert [type(found) for found in read] == [ParsedDocument, ParsedDocument, Issue, Issue, ParsedDocument]


def test_a_document_keeps_what_its_parser_doubts(tmp_path: Path) -> None:
    page = Page()
    page.write(50, 200, "Larkfield Storage raised its outlook after orders from abroad doubled.")
    (scan,) = read_sources(Adapters(settings(tmp_path)), [Source("scan.pdf", ".pdf", pdf(page, Page()))])
    assert isinstance(scan, ParsedDocument)
    document, told = prepare(scan, zone=MARKET_ZONE, received_at=now())
    assert document is not None
    assert [issue.message for issue in told if "page 2" in issue.message]
    assert document.issues == tuple(told)


def test_a_worker_that_parses_loads_no_settings() -> None:
    program = "import sys, finlore.wiring\nassert 'pydantic' not in sys.modules"
    subprocess.run([sys.executable, "-c", program], check=True)
