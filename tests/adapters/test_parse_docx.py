"""Word documents; made here, part by part."""

import io
import warnings
import zipfile

import pytest

from finlore.adapters.parse_docx import DocxParser
from finlore.ports import Source
from finlore.records.document import Issue, ParsedDocument

WORD = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
TYPES = (
    '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
    '<Default Extension="xml" ContentType="application/xml"/>'
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/></Types>'
)
RELATIONS = (
    '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" '
    'Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" '
    'Target="word/document.xml"/></Relationships>'
)
STYLES = f'<w:styles {WORD}><w:style w:type="paragraph" w:styleId="1"><w:name w:val="heading 1"/></w:style></w:styles>'


def paragraph(text: str, style: str = "") -> str:
    properties = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
    return f"<w:p>{properties}<w:r><w:t>{text}</w:t></w:r></w:p>"


def table(*rows: tuple[str, ...]) -> str:
    return "<w:tbl>" + "".join(
        "<w:tr>" + "".join(f"<w:tc>{paragraph(cell)}</w:tc>" for cell in row) + "</w:tr>" for row in rows
    ) + "</w:tbl>"  # fmt: skip


def word(body: str, *, prologue: str = "") -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", TYPES)
        archive.writestr("_rels/.rels", RELATIONS)
        archive.writestr("word/styles.xml", STYLES)
        archive.writestr("word/document.xml", f"{prologue}<w:document {WORD}><w:body>{body}</w:body></w:document>")
    return buffer.getvalue()


def parse(content: bytes) -> tuple[list[ParsedDocument], list[Issue]]:
    return DocxParser().parse(Source("/r/a.docx", ".docx", content))


def test_headings_paragraphs_and_tables_are_read() -> None:
    (document,), issues = parse(
        word(paragraph("山海点评", "1") + paragraph("收入增长。") + table(("指标", "2024E"), ("收入", "10.5")))
    )
    assert issues == []
    assert [(block.role, document.text[block.start : block.end]) for block in document.blocks] == [
        ("heading", "山海点评"),
        ("body", "收入增长。"),
        ("table", "指标 | 2024E\n收入 | 10.5"),
    ]


def test_merged_cells_are_empty_where_they_go_on() -> None:
    def cell(text: str, properties: str = "") -> str:
        return f"<w:tc><w:tcPr>{properties}</w:tcPr>{paragraph(text)}</w:tc>"

    head = cell("公司", '<w:vMerge w:val="restart"/>') + cell("EPS", '<w:gridSpan w:val="2"/>')
    years = cell("", "<w:vMerge/>") + cell("2024A") + cell("2025E")
    (document,), _ = parse(word(f"<w:tbl><w:tr>{head}</w:tr><w:tr>{years}</w:tr></w:tbl>"))
    assert document.text.strip("\n") == "公司 | EPS | \n | 2024A | 2025E"


def test_declared_entities_are_refused() -> None:
    prologue = '<!DOCTYPE d [<!ENTITY x SYSTEM "file:///etc/passwd">]>'
    documents, (issue,) = parse(word(paragraph("&x;"), prologue=prologue))
    assert documents == []
    assert "entities" in issue.message


@pytest.mark.parametrize("part", ["word/document.xml", "word/styles.bin"])
def test_entities_are_found_far_down_and_in_parts_of_any_name(part: str) -> None:
    filler = "".join(f"<!-- {n} -->" for n in range(5_000))
    buffer = io.BytesIO(word(paragraph("收入增长。")))
    with zipfile.ZipFile(buffer, "a") as archive, warnings.catch_warnings(action="ignore"):
        archive.writestr(part, f'<?xml version="1.0"?>{filler}<!DOCTYPE d [<!ENTITY x "y">]><d>&x;</d>')
    documents, (issue,) = parse(buffer.getvalue())
    assert documents == []
    assert "entities" in issue.message


def test_a_bomb_is_not_unpacked() -> None:
    documents, (issue,) = parse(word(paragraph("0" * 3_000_000)))
    assert documents == []
    assert "bomb" in issue.message


def test_other_files_are_rejected_with_a_reason() -> None:
    for content in (b"", b"%PDF-1.7", word("<w:p>")[:200]):
        documents, (issue,) = parse(content)
        assert (documents, issue.severity) == ([], "rejected")
        assert "Word document" in issue.message
