"""Saved web pages."""

import re

from finlore.formats.decode import decode
from finlore.formats.html import read_html
from finlore.formats.outline import Outline, read_document
from finlore.ports import Source
from finlore.records.document import Issue, ParsedDocument

_CHARSET = re.compile(rb"charset\s*=\s*[\"']?\s*([\w.:-]{2,30})|encoding\s*=\s*[\"']([\w.:-]{2,30})", re.IGNORECASE)


class HtmlParser:
    """The text is what the page shows, block by block; rows of tables are lines."""

    suffixes = (".html", ".htm", ".xhtml")
    isolated = False

    def parse(self, source: Source) -> tuple[list[ParsedDocument], list[Issue]]:
        return read_document(source, "html", _read)


def _read(content: bytes) -> Outline:
    return read_html(decode(content, declared=_declared(content)))


def _declared(content: bytes) -> str:
    """The encoding that the head of a page names, or nothing."""
    match = _CHARSET.search(content, 0, 2048)
    return (match[1] or match[2]).decode("ascii") if match else ""
