"""Flags what is not about the subject: disclaimers, running heads, tables of contents. Flags only, removes nothing.

A wrongly flagged paragraph is lost to every question, a missed one only costs a little precision: so a section is
dropped only under a heading that says so, and a paragraph elsewhere only with two phrases of a disclaimer.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from finlore.intake.lexicon import Boilerplate, as_listed, boilerplate, letters
from finlore.language.reading import read
from finlore.records.document import NOT_INDEXED, Block, Role, Span

_LONGEST_HEADING = 60
_LONGEST_FOOTER = 120
_SHORT_FOOTER = 12
_LONGEST_READ = 4000
_PHRASE_COVERS = 500  # characters of a disclaimer for each of its phrases: a long text may happen to hold two
_FIGURES = 6  # numbers of a statement in a table
_STRANGERS = 2  # paragraphs without any phrase of a disclaimer that end a dropped section
_LONG_PARAGRAPH = 40
_LONGEST_ENTRY = 80
_FIGURE = re.compile(r"(?<![\d.,-])\d{1,3}(?:,\d{3})+(?:\.\d+)?(?![\d-])|(?<![\d.,-])\d+\.\d{1,4}(?![\d.-])")
_PAGE = re.compile(r"[\s.·…]*\d*\s*$")
_LEADER = re.compile(r"(?:(?:[.·…]\s*){3,}\d{1,4}|(?:[.·]\s*){7,})\s*$")


def flag_boilerplate(text: str, blocks: Sequence[Block], *, spans: Sequence[Span] = ()) -> tuple[Block, ...]:
    """The blocks, with the role of disclaimers, running lines and contents set; all others as they were.

    `spans` come from `readable_spans`.
    """
    words = boilerplate()
    readings = [
        "" if b.role == "table" else read(text, spans, b.start, min(b.end, b.start + _LONGEST_READ)).text
        for b in blocks
    ]
    figures = [b.role == "table" and _states_figures(text[b.start : b.end]) for b in blocks]
    roles = list(_roles(blocks, readings, figures, words))
    return tuple(b if role == b.role else replace(b, role=role) for b, role in zip(blocks, roles, strict=True))


def _roles(
    blocks: Sequence[Block], readings: Sequence[str], figures: Sequence[bool], words: Boilerplate
) -> Iterator[Role]:
    section: Role | None = None  # what the section that is open is flagged as
    strangers = 0
    entries: set[str] = set()  # of the table of contents
    for n, (block, reading) in enumerate(zip(blocks, readings, strict=True)):
        if block.role in NOT_INDEXED:
            yield block.role
            continue
        opened = _opens(block, reading, words)
        if opened == "header_footer" or (
            opened == "disclaimer" and (section or _confirmed(n, blocks, readings, words))
        ):
            section, strangers = opened, 0
        elif figures[n]:
            section = None
        elif section == "disclaimer" and block.role != "table":
            if block.role == "heading":
                section = section if _stays_inside(reading, words) else None
            elif not _is_prose(reading) or _belongs(reading, words):
                strangers = 0
            elif (strangers := strangers + 1) >= _STRANGERS or not _more_follows(n, blocks, readings, words):
                section = None
        elif section == "header_footer":
            entry = letters(_PAGE.sub("", reading))
            if block.role == "heading" or not _is_entry(reading) or entry in entries:  # what it announced begins
                section = None
            entries.add(entry)
        yield section or _alone(block, reading, words)


def _opens(block: Block, reading: str, words: Boilerplate) -> Role | None:
    """The flag of the section that this block would open, if it is the heading of one."""
    is_heading = block.role == "heading"
    if len(reading) > _LONGEST_HEADING or not (is_heading or block.role == "body"):
        return None
    name = letters(reading)
    if name.replace(" ", "") in words.contents or name in words.contents:
        return "header_footer"
    if any(name.startswith(heading) for heading in words.content_headings):
        return None
    whole = words.headings.fullmatch(name) or words.english_headings.fullmatch(name)
    part = is_heading and (words.headings.search(name) or words.english_headings.match(name))
    return "disclaimer" if whole or part else None


def _confirmed(at: int, blocks: Sequence[Block], readings: Sequence[str], words: Boilerplate) -> bool:
    """Whether what follows speaks like a disclaimer; short lines alone count under a marked heading only."""
    has_prose = False
    for block, reading in zip(blocks[at + 1 : at + 9], readings[at + 1 : at + 9], strict=True):
        if block.role == "heading" and not _opens(block, reading, words):
            break
        if _phrases(reading, words):
            return True
        has_prose = has_prose or _is_prose(reading)
    return blocks[at].role == "heading" and not has_prose


def _stays_inside(reading: str, words: Boilerplate) -> bool:
    name = letters(reading)
    return any(part in name for part in words.inner_headings) or bool(_phrases(reading, words))


def _is_prose(reading: str) -> bool:
    """Whether a block is a paragraph, not an address, a name or a line of a definition."""
    return len(reading) >= _LONG_PARAGRAPH and (
        len(reading) >= 3 * _LONG_PARAGRAPH or reading.rstrip()[-1] in "。；！？.;!?"
    )


def _belongs(reading: str, words: Boilerplate) -> bool:
    """Whether a paragraph in a dropped section is of its kind, or goes on in the middle of a sentence."""
    if len(reading) >= _LONGEST_READ:
        return False
    return reading[0].islower() or words.inside.search(as_listed(reading)) is not None or bool(_phrases(reading, words))


def _states_figures(table: str) -> bool:
    """Whether a table is about money rather than about ratings or telephones."""
    return len(_FIGURE.findall(table)) >= _FIGURES


def _more_follows(at: int, blocks: Sequence[Block], readings: Sequence[str], words: Boilerplate) -> bool:
    """Whether the next long paragraph under the same heading still speaks like a disclaimer."""
    for block, reading in zip(blocks[at + 1 : at + 6], readings[at + 1 : at + 6], strict=True):
        if block.role == "heading":
            return False
        if _is_prose(reading):
            return _belongs(reading, words)
    return False


def _phrases(reading: str, words: Boilerplate) -> list[int]:
    """Where the phrases of a disclaimer stand, the first of each."""
    if not _speaks(reading, words):
        return []
    text = as_listed(reading)
    return [found.start() for phrase in words.phrases if (found := phrase.search(text))]


def _speaks(reading: str, words: Boilerplate) -> bool:
    """Whether any phrase can be in it: looked for first, because most paragraphs have none."""
    lower = reading.lower()
    return any(trigger in lower for trigger in words.triggers)


def _is_entry(reading: str) -> bool:
    """Whether a block under the heading of a table of contents is an entry of it."""
    if len(reading) <= _LONGEST_ENTRY:
        return reading.rstrip()[-1:] not in "。；！？;!?"
    return _LEADER.search(reading[-_LONGEST_FOOTER:]) is not None


def _is_footer(reading: str, words: Boilerplate) -> bool:
    if _LEADER.search(reading[-_LONGEST_FOOTER:]):
        return True
    worth_reading = len(reading) <= _SHORT_FOOTER or _speaks(reading, words)
    return worth_reading and words.footers.fullmatch(as_listed(reading)) is not None


def _alone(block: Block, reading: str, words: Boilerplate) -> Role:
    """The role of a block outside any dropped section."""
    if block.role in {"table", "heading"}:
        return block.role
    if len(reading) <= _LONGEST_FOOTER and _is_footer(reading, words):
        return "header_footer"
    phrases = _phrases(reading, words) if block.role in {"body", "list", "side"} else []
    fills = len(phrases) >= 2 and min(phrases) < _PHRASE_COVERS
    return "disclaimer" if fills and block.end - block.start <= _PHRASE_COVERS * len(phrases) else block.role
