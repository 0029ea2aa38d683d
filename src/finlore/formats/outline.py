"""What the reader of a format finds: a text, its blocks and mark-up, and the fields that it states about itself."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from finlore.formats.decode import NotText, fingerprint
from finlore.ports import Source
from finlore.records.document import Block, Issue, ParsedDocument, Span

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|\Z)")
_CAPTION = re.compile(
    r"(?:图表?|表格?|图片|附图|附表|figure|fig\.|table|exhibit|chart)\s*"
    r"[0-9０-９一二三四五六七八九十]{1,4}\s*(?:[-.—–]\s*\d{1,3})?\s*[：:.、 \t]"
    r"|(?:资料来源|数据来源|来源|sources?)\s*[：:]",
    re.IGNORECASE,
)
_LONGEST_CAPTION = 160
LIST_ITEM = re.compile(
    r"(?:[-*+](?=[ \t])|[•●○◆◇■□▪◼▶➢➤❖★☆※✓√·\uf000-\uf0ff]|(?:\d{1,2}[.)）、]|[a-zA-Z][)）])(?!\d)"
    r"|[（(](?:\d{1,2}|[a-z]|[ivx]{1,4}|[一二三四五六七八九十]{1,3})[）)]|[①-⑳])[ \t\u3000]*(?=\S)"
)


@dataclass(frozen=True, slots=True)
class Outline:
    """Blocks in reading order, markup sorted by (start, -end), and (name, value) of stated fields."""

    text: str
    blocks: tuple[Block, ...]
    markup: tuple[Span, ...] = ()
    stated: tuple[tuple[str, str], ...] = ()


def read_document(
    source: Source, format_name: str, read: Callable[[bytes], Outline]
) -> tuple[list[ParsedDocument], list[Issue]]:
    """The one document that a file holds; where `read` finds NotText in it, a `rejected` issue that says so."""
    try:
        outline = read(source.content)
    except NotText as error:
        return [], [Issue(source.name, str(error), "rejected")]
    document = ParsedDocument(
        source=source.name,
        text=outline.text,
        blocks=outline.blocks,
        format=format_name,
        markup=outline.markup,
        stated=outline.stated,
        raw_hash=fingerprint(source.content),
    )
    return [document], []


def lines_of(text: str) -> Iterator[tuple[int, int]]:
    """(start, end) of every line without its line break; any of the three line breaks ends one."""
    at = 0
    for match in _LINE.finditer(text):
        line = match.group()
        if at < len(text) or line:
            yield at, at + len(line.rstrip("\r\n"))
        at = match.end()


def is_caption(line: str) -> bool:
    """Whether a line names a figure or table, or says where its data are from."""
    return len(line) <= _LONGEST_CAPTION and _CAPTION.match(line.lstrip("*# \t")) is not None
