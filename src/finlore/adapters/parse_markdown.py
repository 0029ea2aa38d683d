"""Markdown files, as people write them and as PDF converters do."""

from finlore.formats.decode import NotText, decode, fingerprint
from finlore.formats.markdown import read_markdown
from finlore.ports import Source
from finlore.records.document import Issue, ParsedDocument


class MarkdownParser:
    """The text is the source itself; mark-up, tables and formulas are flagged."""

    suffixes = (".md", ".markdown")
    isolated = False

    def parse(self, source: Source) -> tuple[list[ParsedDocument], list[Issue]]:
        try:
            text = decode(source.content)
        except NotText as error:
            return [], [Issue(source.name, str(error), "rejected")]
        outline = read_markdown(text)
        document = ParsedDocument(
            source=source.name,
            text=text,
            blocks=outline.blocks,
            format="markdown",
            markup=outline.markup,
            stated=outline.stated,
            raw_hash=fingerprint(source.content),
        )
        return [document], []
