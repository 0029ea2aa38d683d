"""Word documents, by way of their HTML."""

import io
import zipfile
from xml.parsers.expat import ExpatError

import mammoth

from finlore.formats.decode import NotText, fingerprint
from finlore.formats.html import HtmlText, read_html
from finlore.ports import Source
from finlore.records.document import Issue, ParsedDocument

LARGEST_UNPACKED = 200 * 1024**2
HIGHEST_RATIO = 200


class DocxParser:
    """Headings, lists and tables as their styles say; pictures are left out and nothing outside the file is fetched."""

    suffixes = (".docx",)
    isolated = True

    def parse(self, source: Source) -> tuple[list[ParsedDocument], list[Issue]]:
        try:
            page = _read(source.content)
        except NotText as error:
            return [], [Issue(source.name, str(error), "rejected")]
        document = ParsedDocument(
            source=source.name,
            text=page.text,
            blocks=page.blocks,
            format="docx",
            markup=page.rows,
            stated=page.stated,
            raw_hash=fingerprint(source.content),
        )
        return [document], []


def _read(content: bytes) -> HtmlText:
    """The text of the document; NotText for what is no Word document, or would unpack to too much."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            size = sum(info.file_size for info in archive.infolist())
            declares_types = any(_declares_types(archive, info) for info in archive.infolist())
        if declares_types:
            raise NotText("the document declares XML entities, which Word never does")
        if size > LARGEST_UNPACKED or size > HIGHEST_RATIO * max(len(content), 1024):
            raise NotText("the document would unpack to an absurd size")
        converted = mammoth.convert_to_html(io.BytesIO(content), convert_image=_no_picture, external_file_access=False)
    except (zipfile.BadZipFile, KeyError, OSError, ValueError, ExpatError, RuntimeError, NotImplementedError) as error:
        raise NotText(f"this is not a readable Word document: {error}") from error
    return read_html(f"<html><body>{converted.value}</body></html>")


def _declares_types(archive: zipfile.ZipFile, part: zipfile.ZipInfo) -> bool:
    """Whether an XML part starts with a document type, the only place where entities can be declared."""
    if not part.filename.endswith((".xml", ".rels")):
        return False
    with archive.open(part) as stream:
        return b"<!DOCTYPE" in stream.read(4096).replace(b"\0", b"")


def _no_picture(image: object) -> list[object]:
    return []
