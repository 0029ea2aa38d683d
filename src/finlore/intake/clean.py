"""Flags what is not about the subject: disclaimers, running heads, tables of contents. Flags only, removes nothing.

A wrongly flagged paragraph is lost to every question, a missed one only costs a little precision: so a section is dropped
only under a heading that says so, and a paragraph elsewhere only with two phrases of a disclaimer.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from finlore.intake.lexicon import Boilerplate, boilerplate, folded, letters
from finlore.language.reading import read, readable_spans
from finlore.records.document import NOT_INDEXED, Block, Role, Span

_LONGEST_HEADING = 60
_LONGEST_FOOTER = 120
_LONGEST_READ = 4000
_STRANGERS = 2  # paragraphs without any phrase of a disclaimer that end a dropped section
_LONG_PARAGRAPH = 60
_LEADER = re.compile(r"(?:[.·…]\s*){3,}\d{0,4}\s*$")
_ENTRY = re.compile(r"(?:.{1,80}[.…\s]\d{1,3}|(?:图表?|表格?|figure|table|exhibit)\s*\d+.{0,80})$", re.IGNORECASE)


def flag_boilerplate(text: str, blocks: Sequence[Block], *, markup: Sequence[Span] = ()) -> tuple[Block, ...]:
    """The blocks, with the role of disclaimers, running lines and contents set; all others as they were."""
    spans = readable_spans(markup)
    words = boilerplate()
    readings = [read(text, spans, b.start, min(b.end, b.start + _LONGEST_READ)).text for b in blocks]
    roles = list(_roles(blocks, readings, words))
    return tuple(b if role == b.role else replace(b, role=role) for b, role in zip(blocks, roles, strict=True))


def _roles(blocks: Sequence[Block], readings: Sequence[str], words: Boilerplate) -> Iterator[Role]:
    section: Role | None = None  # what the section that is open is flagged as
    strangers = 0
    for n, (block, reading) in enumerate(zip(blocks, readings, strict=True)):
        if block.role in NOT_INDEXED:
            yield block.role
            continue
        opened = _opens(block, reading, words)
        if opened is not None:
            section, strangers = opened, 0
        elif section == "disclaimer" and block.role != "table":
            if block.role == "heading":
                section = section if _stays_inside(reading, words) else None
            elif _count_phrases(reading, words) or len(reading) < _LONG_PARAGRAPH:
                strangers = 0
            elif (strangers := strangers + 1) >= _STRANGERS or not _more_follows(n, blocks, readings, words):
                section = None
        elif section == "header_footer" and (block.role == "heading" or not _is_entry(reading)):
            section = None
        yield section or _alone(block, reading, words)


def _opens(block: Block, reading: str, words: Boilerplate) -> Role | None:
    """The flag of the section that this block opens, if it is the heading of one."""
    if len(reading) > _LONGEST_HEADING or (block.role != "heading" and not _stands_alone(block, reading)):
        return None
    name = letters(reading)
    if name.replace(" ", "") in words.contents or name in words.contents:
        return "header_footer"
    if any(name.startswith(heading) for heading in words.content_headings):
        return None
    plain = name.replace("投资", "") if not name.isascii() else name
    for heading in words.headings:
        if name == heading or (not heading.isascii() and (heading in name or heading in plain)):
            return "disclaimer"
        if heading.isascii() and block.role == "heading" and name.startswith(heading):
            return "disclaimer"
    return None


def _stands_alone(block: Block, reading: str) -> bool:
    return block.role == "body" and len(reading) <= 30 and reading.strip()[-1:] not in "。；，,;.！？!?"


def _stays_inside(reading: str, words: Boilerplate) -> bool:
    name = letters(reading)
    return any(part in name for part in words.inner_headings) or _count_phrases(reading, words) > 0


def _more_follows(at: int, blocks: Sequence[Block], readings: Sequence[str], words: Boilerplate) -> bool:
    """Whether the next long paragraph under the same heading still speaks like a disclaimer."""
    for block, reading in zip(blocks[at + 1 : at + 6], readings[at + 1 : at + 6], strict=True):
        if block.role == "heading":
            return False
        if len(reading) >= _LONG_PARAGRAPH:
            return _count_phrases(reading, words) > 0
    return False


def _count_phrases(reading: str, words: Boilerplate) -> int:
    text = folded(reading)
    if words.triggers.search(text) is None:
        return 0
    return sum(phrase.search(text) is not None for phrase in words.phrases)


def _is_entry(reading: str) -> bool:
    """Whether a block is an entry of a table of contents."""
    return _LEADER.search(reading) is not None or _ENTRY.match(folded(reading)) is not None


def _alone(block: Block, reading: str, words: Boilerplate) -> Role:
    """The role of a block outside any dropped section."""
    if block.role in {"table", "heading"}:
        return block.role
    if len(reading) <= _LONGEST_FOOTER and (_LEADER.search(reading) or words.footers.fullmatch(folded(reading))):
        return "header_footer"
    if block.role in {"body", "list", "side"} and _count_phrases(reading, words) >= 2:
        return "disclaimer"
    return block.role
