"""Word documents, by way of their HTML."""

import io
import zipfile
from contextlib import suppress
from xml.parsers import expat

import mammoth

from finlore.formats.archive import danger
from finlore.formats.decode import NotText
from finlore.formats.html import read_html
from finlore.formats.outline import Outline, read_document
from finlore.ports import Source
from finlore.records.document import Issue, ParsedDocument

LARGEST_UNPACKED = 200 * 1024**2
HIGHEST_RATIO = 200
MOST_PARTS = 10_000
_CHUNK = 4096


class DocxParser:
    """Headings, lists and tables as their styles say; pictures are left out and nothing outside the file is fetched."""

    suffixes = (".docx",)
    isolated = True

    def parse(self, source: Source) -> tuple[list[ParsedDocument], list[Issue]]:
        return read_document(source, "docx", _read)


def _read(content: bytes) -> Outline:
    """The text of the document; NotText for what is no Word document, or would unpack to too much."""
    try:
        if why := danger(
            io.BytesIO(content), most_members=MOST_PARTS, most_bytes=LARGEST_UNPACKED, highest_ratio=HIGHEST_RATIO
        ):
            raise NotText(why)
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            if any(_declares_types(archive, part) for part in archive.infolist()):
                raise NotText("the document declares XML entities, which Word never does")
        converted = mammoth.convert_to_html(io.BytesIO(content), convert_image=_no_picture, external_file_access=False)
    except RecursionError as error:
        raise NotText("this Word document is nested too deeply") from error
    except (
        zipfile.BadZipFile,
        KeyError,
        OSError,
        ValueError,
        expat.ExpatError,
        RuntimeError,
        NotImplementedError,
    ) as error:
        raise NotText(f"this is not a readable Word document: {error}") from error
    return read_html(f"<html><body>{converted.value}</body></html>")


def _declares_types(archive: zipfile.ZipFile, part: zipfile.ZipInfo) -> bool:
    """Whether a part has a document type, the only place where entities can be declared: before the first element,
    however far down that is. Parts that are no XML have none."""
    found: list[str] = []
    parser = expat.ParserCreate()
    parser.StartDoctypeDeclHandler = lambda *_: found.append("type")
    parser.StartElementHandler = lambda *_: found.append("element")
    with archive.open(part) as stream, suppress(expat.ExpatError):
        while not found and (chunk := stream.read(_CHUNK)):
            parser.Parse(chunk, False)
    return found[:1] == ["type"]


def _no_picture(image: object) -> list[object]:
    return []
