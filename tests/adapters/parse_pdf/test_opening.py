"""Files that are odd, damaged, or no PDF at all: what is read of them, and what a person is told."""

import io
import zipfile
import zlib

import pytest
from pypdf import PdfReader

from finlore.adapters.parse_pdf import PdfParser
from finlore.adapters.parse_pdf.opening import MOST_PAGES
from finlore.adapters.parse_pdf.salvage import salvaged
from finlore.ports import Source
from finlore.records.document import Issue, ParsedDocument
from tests.adapters.parse_pdf.pdf_writer import Page, pdf
from tests.hostile_files import PNG, active, latin, nested_object_streams, raw_pdf, word


def read(content: bytes) -> tuple[ParsedDocument, list[Issue]]:
    (document,), issues = PdfParser().parse(Source("report.pdf", ".pdf", content))
    return document, issues


def refusal(content: bytes) -> str:
    documents, (issue,) = PdfParser().parse(Source("report.pdf", ".pdf", content))
    assert (documents, issue.severity, issue.source) == ([], "rejected", "report.pdf")
    return issue.message


def page_of(text: str) -> Page:
    page = Page()
    page.write(50, 100, text)
    return page


def archive() -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as packed:
        packed.writestr("a.txt", "text")
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (PNG, "a PNG image"),
        (b"\xff\xd8\xff\xe0", "a JPEG image"),
        (b"\xef\xbb\xbf\n<!DOCTYPE html><p>Not found", "a web page (HTML)"),
        (archive(), "a ZIP archive"),
        (word("text"), "a Word document (.docx)"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1", "an old Office document (.doc, .xls)"),
        (b"", "an empty file"),
        (b"\0" * 4096, "a file of blanks"),
    ],
)
def test_what_only_has_the_name_of_a_pdf_is_called_what_it_is(content: bytes, kind: str) -> None:
    assert refusal(content) == f"this is not a PDF but {kind}"


def test_anything_else_is_called_no_pdf() -> None:
    assert refusal(b"quarterly figures") == "this is not a PDF file, whatever its name says"
    assert "truncated or damaged" in refusal(b"%PDF-1.7\nquarterly figures")
    assert "truncated or damaged" in refusal(nested_object_streams())


def test_scripts_and_files_inside_are_noted_and_the_text_is_read() -> None:
    document, issues = read(active(pdf(page_of("活动材料点评"))))
    assert document.text == "活动材料点评"
    assert {issue.severity for issue in issues} == {"note"}
    assert "JavaScript in this PDF: ignored" in [issue.message for issue in issues]


def test_pages_that_are_only_claimed_are_no_pages() -> None:
    document, (issue,) = read(latin("Larkfield Storage", pages=b"/Kids [3 0 R 9 0 R 8 0 R] /Count 3"))
    assert (document.n_pages, len(document.pages), document.text) == (1, 1, "Larkfield Storage")
    assert issue.message == "it claims 3 pages, and has 1"
    document, _ = read(latin("Larkfield Storage", pages=b"/Kids [3 0 R 2 0 R] /Count 10000000"))
    assert document.n_pages == 1


def test_of_a_book_without_end_the_first_pages_are_read() -> None:
    kids = b"3 0 R " * (MOST_PAGES + 1)
    empty = b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] >>"
    tree = b"<< /Type /Pages /Kids [%s] /Count %d >>" % (kids, MOST_PAGES + 1)
    document, (issue,) = read(raw_pdf([b"<< /Type /Catalog /Pages 2 0 R >>", tree, empty]))
    assert document.n_pages == len(document.pages) == MOST_PAGES
    assert issue.message == "of its 5,001 pages only the first 5,000 are read"


THREE = pdf(page_of("首页的内容"), page_of("次页的内容"), page_of("末页的内容"))


def test_a_file_that_lost_its_end_is_read_as_far_as_it_goes() -> None:
    document, issues = read(THREE[: THREE.rindex(b"14 0 obj")])
    assert document.text == "首页的内容\n\n次页的内容"
    assert issues == [
        Issue("report.pdf", "this PDF is truncated or damaged: 2 pages of it could be recovered", "warning"),
    ]


def test_pages_in_object_streams_are_recovered_too_in_their_order() -> None:
    mended = salvaged(compact(THREE))
    assert mended is not None
    assert read(mended)[0].text.split("\n\n") == ["首页的内容", "次页的内容", "末页的内容"]


def compact(content: bytes) -> bytes:
    """The same objects, those without data in one object stream, and no index."""
    reader = PdfReader(io.BytesIO(content))
    plain, packed, at = b"%PDF-1.7\n", [], 0
    for number in sorted(reader.xref[0]):
        start = reader.xref[0][number]
        body = content[start : content.index(b"endobj", start)]
        if b"stream" in body:
            plain += body + b"endobj\n"
        else:
            packed.append((number, body.partition(b"obj")[2]))
    head = b""
    for number, body in packed:
        head += b"%d %d " % (number, at)
        at += len(body)
    data = head + b"".join(body for _, body in packed)
    fields = b"/Type /ObjStm /N %d /First %d /Length %d" % (len(packed), len(head), len(data))
    index = b"99 0 obj\n<< %s /Filter /FlateDecode >>\nstream\n%s\nendstream\nendobj\n"
    return plain + index % (fields, zlib.compress(data))


def test_nothing_is_made_of_a_file_without_pages_or_with_a_key() -> None:
    assert salvaged(b"%PDF-1.7\n1 0 obj\n<< /Type /Catalog >>\nendobj\n") is None
    assert salvaged(THREE + b"/Encrypt") is None


def test_a_page_whose_content_was_cut_off_is_called_failed_and_no_file_is_made_of_such_pages_alone() -> None:
    document, issues = read(THREE[: THREE.rindex(b"15 0 obj")])
    assert [page.status for page in document.pages] == ["ok", "ok", "failed"]
    assert document.text == "首页的内容\n\n次页的内容"
    assert "page 3: cannot be read" in [issue.message for issue in issues]
    alone = latin("Larkfield Storage")
    assert "truncated or damaged" in refusal(alone[: alone.index(b"4 0 obj")])
