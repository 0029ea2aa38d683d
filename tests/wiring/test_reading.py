"""Sources become documents in the order in which they came, whichever process reads them."""

import subprocess
import sys
from contextlib import closing
from pathlib import Path

from finlore.ports import Source
from finlore.records.document import Issue, ParsedDocument
from finlore.wiring import Adapters, Reading
from tests.adapters.parse_pdf.pdf_writer import Page, pdf
from tests.small_world import settings


def read(folder: Path, *sources: Source | Issue) -> list[ParsedDocument | Issue]:
    with closing(Adapters(settings(folder))) as adapters:
        return [part for source in Reading(adapters, sources) for part in source.parts]


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
    found = read(tmp_path, *sources)
    assert [one.source for one in found] == ["a.txt", "b.pdf", "gone.pdf", "c.pdf", "d.md"]
    assert [type(one) for one in found] == [ParsedDocument, ParsedDocument, Issue, Issue, ParsedDocument]


def test_a_worker_that_parses_loads_no_settings() -> None:
    program = "import sys, finlore.wiring\nassert 'pydantic' not in sys.modules"
    subprocess.run([sys.executable, "-c", program], check=True)
