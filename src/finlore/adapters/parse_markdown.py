"""Markdown files, as people write them and as PDF converters do."""

from finlore.formats.decode import decode
from finlore.formats.markdown import read_markdown
from finlore.formats.outline import read_document
from finlore.ports import Source
from finlore.records.document import Issue, ParsedDocument


class MarkdownParser:
    """The text is the source itself; mark-up, tables and formulas are flagged."""

    suffixes = (".md", ".markdown")
    isolated = False

    def parse(self, source: Source) -> tuple[list[ParsedDocument], list[Issue]]:
        return read_document(source, "markdown", lambda content: read_markdown(decode(content)))
