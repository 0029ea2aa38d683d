"""Plain text files: UTF-8, GB 18030, UTF-16."""

from finlore.formats.decode import NotText, decode, fingerprint
from finlore.formats.plain import read_plain
from finlore.ports import Source
from finlore.records.document import Issue, ParsedDocument


class TextParser:
    """The text is the source itself; paragraphs, lists and headings are told by their shape."""

    suffixes = (".txt", ".text")
    isolated = False

    def parse(self, source: Source) -> tuple[list[ParsedDocument], list[Issue]]:
        try:
            text = decode(source.content)
        except NotText as error:
            return [], [Issue(source.name, str(error), "rejected")]
        document = ParsedDocument(
            source=source.name,
            text=text,
            blocks=read_plain(text).blocks,
            format="text",
            raw_hash=fingerprint(source.content),
        )
        return [document], []
