"""Drafts -> one canonical text with blocks and the character map."""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from finlore.adapters.parse_pdf.blocks import Draft
from finlore.adapters.parse_pdf.characters import Frame, Glyph
from finlore.adapters.parse_pdf.rows import enclosing, is_wide, text_of
from finlore.records.document import Block, Box, Line

_WORD = re.compile(r"[^\W\d_]+")
_HYPHENATED = re.compile(r"([^\W\d_]+)-$")


@dataclass(slots=True)
class TextBuilder:
    """Grows the text block by block; `drafts[i]` without its lines stays beside `blocks[i]` for the heading levels."""

    parts: list[str] = field(default_factory=list)
    length: int = 0
    blocks: list[Block] = field(default_factory=list)
    lines: list[Line] = field(default_factory=list)
    drafts: list[Draft] = field(default_factory=list)
    words: set[str] = field(default_factory=set)

    @property
    def text(self) -> str:
        return "".join(self.parts)

    def add(self, draft: Draft, *, page: int, frame: Frame) -> None:
        """Append a block; drafts without printed text leave no trace."""
        printed = [(_trimmed(line), box) for line, box in zip(draft.lines, draft.boxes, strict=True)]
        printed = [(glyphs, box) for glyphs, box in printed if glyphs]
        if not printed:
            return
        self._write("\n\n" if self.blocks else "")
        start, first_line = self.length, len(self.lines)
        for number, (glyphs, box) in enumerate(printed):
            following = text_of(printed[number + 1][0]) if number + 1 < len(printed) else None
            joint = "" if following is None else self._joint(draft, text_of(glyphs), following)
            kept = glyphs[:-1] if joint == "-" else glyphs
            self._write_line(kept, page=page, frame=frame, box=box)
            self._write("" if joint == "-" else joint)
        box = enclosing(line.box for line in self.lines[first_line:])
        self.blocks.append(Block(start, self.length, draft.role, page=page, box=box))
        self.drafts.append(replace(draft, lines=(), boxes=()))

    def learn_words(self, text: str) -> None:
        """Words that tell whether a hyphen at a line's end belongs to the word."""
        self.words.update(word.lower() for word in _WORD.findall(text))

    def _joint(self, draft: Draft, text: str, following: str) -> str:
        """What stands between two printed lines; a hyphen means that the one printed there goes."""
        if draft.role == "table":
            return "\n"
        hyphenated, word = text.endswith("-") and _HYPHENATED.search(text), _WORD.match(following)
        if hyphenated and word:
            return "-" if (hyphenated.group(1) + word.group()).lower() in self.words else ""
        is_set_solid = is_wide(text[-1]) or is_wide(following[0])
        return "" if is_set_solid and not unicodedata.combining(following[0]) else " "

    def _write_line(self, glyphs: Sequence[Glyph], *, page: int, frame: Frame, box: Box) -> None:
        text = text_of(glyphs)
        shown = frame.displayed(box)
        edges = _edges(glyphs) if frame.is_upright else _spread(shown, len(text))
        self.lines.append(Line(self.length, self.length + len(text), page, shown, edges))
        self._write(text)

    def _write(self, text: str) -> None:
        self.parts.append(text)
        self.length += len(text)


def with_levels(blocks: Sequence[Block], drafts: Sequence[Draft]) -> tuple[Block, ...]:
    """Headings with level 1..3: by their numbering, by a numbered heading of the same size, else by rank of size."""
    headings = [draft for draft in drafts if draft.role == "heading"]
    sizes = sorted({_half_points(draft) for draft in headings}, reverse=True)
    levels = {size: min(3, rank + 1) for rank, size in enumerate(sizes)}
    for draft in sorted(headings, key=lambda draft: -draft.numbering):
        if draft.numbering:
            levels[_half_points(draft)] = draft.numbering
    return tuple(
        replace(block, level=draft.numbering or levels[_half_points(draft)]) if block.role == "heading" else block
        for block, draft in zip(blocks, drafts, strict=True)
    )


def _half_points(draft: Draft) -> int:
    return round(2 * draft.size)


def _trimmed(line: Sequence[Glyph]) -> list[Glyph]:
    """The line in NFC without outer spaces (tabs part cells, some empty): a mark that composes with what stands
    before it joins its glyph."""
    glyphs = list(line)
    while glyphs and glyphs[0].text == " ":
        glyphs.pop(0)
    while glyphs and glyphs[-1].text == " ":
        glyphs.pop()
    if unicodedata.is_normalized("NFC", text_of(glyphs)):
        return glyphs
    composed: list[Glyph] = []
    for glyph in glyphs:
        joined = unicodedata.normalize("NFC", composed[-1].text + glyph.text) if composed else glyph.text
        if composed and joined != composed[-1].text + glyph.text:
            composed[-1] = composed[-1]._replace(text=joined, x1=max(composed[-1].x1, glyph.x1))
        else:
            composed.append(glyph)
    return composed


def _edges(glyphs: Sequence[Glyph]) -> tuple[int, ...]:
    edges: list[int] = []
    for glyph in glyphs:
        edges.append(round(10 * glyph.x0))
        if (n_parts := len(glyph.text)) > 1:
            share = (glyph.x1 - glyph.x0) / n_parts
            edges += [round(10 * (glyph.x0 + share * part)) for part in range(1, n_parts)]
    return (*edges, round(10 * glyphs[-1].x1))


def _spread(box: Box, n_characters: int) -> tuple[int, ...]:
    """Edges of a line that does not run from left to right on the page: its width in equal parts."""
    return tuple(round(10 * (box.x0 + (box.x1 - box.x0) * part / n_characters)) for part in range(n_characters + 1))
