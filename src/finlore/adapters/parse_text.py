"""Plain text files: UTF-8, GB 18030, UTF-16."""

from finlore.formats.decode import decode
from finlore.formats.outline import read_document
from finlore.formats.plain import read_plain
from finlore.ports import Source
from finlore.records.document import Issue, ParsedDocument


class TextParser:
    """The text is the source itself; paragraphs, lists and headings are told by their shape."""

    suffixes = (".txt", ".text")
    isolated = False

    def parse(self, source: Source) -> tuple[list[ParsedDocument], list[Issue]]:
        return read_document(source, "text", lambda content: read_plain(decode(content)))
