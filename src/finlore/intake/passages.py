"""Blocks -> sentences -> passages: consecutive prose under one heading, tables row by row with their header."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from finlore.language.reading import read
from finlore.language.sentences import MASK, language_of, split_sentences
from finlore.records.document import NOT_INDEXED, Block, Box, Language, Line, Passage, Role, Sentence, Span

SIZES: dict[Language, tuple[int, int]] = {"zh": (200, 400), "en": (300, 600)}
"""Characters that a passage aims for: at least, at most. Mark-up does not count."""
_PROSE: frozenset[Role] = frozenset({"body", "list"})
_MOST_HEADER_ROWS = 3
_CELLS = re.compile(r"\s*\|\s*|\t|\s{2,}")
_FIGURE = re.compile(r"(?!(?:19|20)\d\d[AaEe]?$)[(（+±-]?[\d,.\s]*\d[)）%％xX倍]?")
_LONGEST_HEADING = 160


@dataclass(frozen=True, slots=True)
class _Unit:
    """A sentence on its way into a passage; `size` is its readable length, `last` says that its block ends here."""

    sentence: Sentence
    size: int
    last: bool


@dataclass(slots=True)
class _Section:
    """Blocks of one role under one heading, in order."""

    heading: str
    role: Role
    units: list[_Unit] = field(default_factory=list)


def make_passages(
    text: str,
    blocks: Sequence[Block],
    *,
    spans: Sequence[Span] = (),
    rows: Sequence[Span] = (),
    lines: Sequence[Line] = (),
    title: str = "",
) -> tuple[Passage, ...]:
    """Passages of a document in reading order; blocks whose role is not indexed are in none.

    `spans` come from `readable_spans`; `rows` are the table rows, where the parser knows them better than line by line.
    `title` is left out of the headings: every passage is found by it anyway.
    """
    cutter = _Cutter(text, spans, rows, lines)
    return tuple(passage for section in cutter.sections(blocks, title) for passage in _pack(text, section))


class _Cutter:
    """One document being cut; holds what every block needs."""

    def __init__(self, text: str, spans: Sequence[Span], rows: Sequence[Span], lines: Sequence[Line]) -> None:
        self._text = text
        self._spans = spans
        self._masked = _masked(text, self._spans)
        self._rows = rows
        self._row_starts = [row.start for row in self._rows]
        self._lines = lines
        self._line_starts = [line.start for line in lines]

    def sections(self, blocks: Sequence[Block], title: str) -> Iterator[_Section]:
        """Runs of blocks that may share passages.

        A heading opens the first passage of its section, so that it can be found and quoted; headings without text of
        their own travel on to the next one.
        """
        trail: list[tuple[int, str]] = []
        waiting: list[_Unit] = []
        section: _Section | None = None
        shown = [(block, units) for block in blocks if block.role not in NOT_INDEXED and (units := self._units(block))]
        for n, (block, units) in enumerate(shown):
            following = shown[n + 1][0].role if n + 1 < len(shown) else None
            if section is not None and not _belongs(section, block.role, following):
                yield section
                section = None
            if block.role == "heading":
                trail = [(level, name) for level, name in trail if level < block.level][-1:]
                trail.append((block.level, self._read(block.start, block.end)[:_LONGEST_HEADING]))
                waiting += units
                continue
            if section is None:
                names = [name for _, name in trail if name != title]
                if block.role == "caption" and following == "table":
                    names.append(self._read(block.start, block.end)[:_LONGEST_HEADING])
                section = _Section(" / ".join(names), block.role)
            elif section.role == "caption":
                section.role = block.role
            section.units += waiting + units
            waiting = []
        if section is not None:
            yield section
        if waiting:
            yield _Section(" / ".join(name for _, name in trail), "heading", waiting)

    def _units(self, block: Block) -> list[_Unit]:
        if block.role == "table":
            sentences = list(self._table(block))
        elif block.role == "heading":
            sentences = [self._sentence(block.start, block.end, block)]
        else:
            spans = split_sentences(self._masked, block.start, block.end)
            sentences = [self._sentence(start, end, block) for start, end in spans]
        sizes = [self._size(sentence.start, sentence.end) for sentence in sentences]
        kept = [(s, size) for s, size in zip(sentences, sizes, strict=True) if size]
        return [_Unit(s, size, last=n == len(kept)) for n, (s, size) in enumerate(kept, start=1)]

    def _table(self, block: Block) -> Iterator[Sentence]:
        """One sentence a row; the rows after the header have it as context."""
        rows = [(start, end) for start, end in self._table_rows(block) if self._size(start, end)]
        n_header = _header_rows([self._read(start, end) for start, end in rows[: _MOST_HEADER_ROWS + 1]])
        header = Span(rows[0][0], rows[n_header - 1][1], "table_header") if n_header else None
        for n, (start, end) in enumerate(rows):
            yield self._sentence(start, end, block, context=header if n >= n_header else None)

    def _table_rows(self, block: Block) -> Iterator[tuple[int, int]]:
        first = bisect_left(self._row_starts, block.start)
        last = bisect_left(self._row_starts, block.end)
        if first < last:
            yield from ((row.start, min(row.end, block.end)) for row in self._rows[first:last])
            return
        at = block.start
        for line in self._text[block.start : block.end].split("\n"):
            yield at, at + len(line)
            at += len(line) + 1

    def _sentence(self, start: int, end: int, block: Block, *, context: Span | None = None) -> Sentence:
        page, box = place(self._lines, self._line_starts, start, end)
        return Sentence(start, end, page or block.page, box or (None if self._lines else block.box), context)

    def _read(self, start: int, end: int) -> str:
        return read(self._text, self._spans, start, end).text.strip()

    def _size(self, start: int, end: int) -> int:
        piece = self._masked[start:end]
        return len(piece.strip()) - piece.count(MASK)


def _header_rows(rows: Sequence[str]) -> int:
    """How many of the first rows are the header: those without a figure; the first one where none has figures."""
    for n, row in enumerate(rows):
        if any(_FIGURE.fullmatch(cell) for cell in _CELLS.split(row)):
            return n
    return min(1, len(rows))


def place(lines: Sequence[Line], line_starts: Sequence[int], start: int, end: int) -> tuple[int | None, Box | None]:
    """Page and box of a span from the character map: the lines it touches on its first page, cut at its edges."""
    first = max(bisect_right(line_starts, start) - 1, 0)
    touched: list[Line] = []
    for line in lines[first:]:
        if line.start >= end:
            break
        if line.end > start and (not touched or line.page == touched[0].page):
            touched.append(line)
    if not touched:
        return None, None
    lefts, rights = zip(*(_sides(line, start, end) for line in touched), strict=True)
    return touched[0].page, Box(
        min(lefts), min(line.box.y0 for line in touched), max(rights), max(line.box.y1 for line in touched)
    )


def _sides(line: Line, start: int, end: int) -> tuple[float, float]:
    """The outer edges of the part of a line inside a span. In a table cell that wraps the edges step back."""
    if start <= line.start and line.end <= end:
        return line.box.x0, line.box.x1
    edges = line.edges[max(start - line.start, 0) : min(end, line.end) - line.start + 1]
    return min(edges) / 10, max(edges) / 10


def _belongs(section: _Section, role: Role, following: Role | None) -> bool:
    """Prose goes with prose; a caption opens the table that follows it and closes anything else."""
    if role == "heading" or (role == "caption" and following == "table"):
        return False
    return "caption" in {role, section.role} or section.role == role or {section.role, role} <= _PROSE


def _pack(text: str, section: _Section) -> Iterator[Passage]:
    """Passages of one section: closed at the last end of a block once they are long enough, else when full."""
    units = section.units
    least, most = SIZES[language_of(text[units[0].sentence.start : units[-1].sentence.end])]
    first, size, good = 0, 0, 0
    for n, unit in enumerate(units):
        if size and size + unit.size > most:
            cut = good if good > first else n
            yield _passage(section, units[first:cut])
            size = sum(u.size for u in units[cut:n])
            first = cut
            if size + unit.size > most and size:
                yield _passage(section, units[first:n])
                first, size = n, 0
        size += unit.size
        if unit.last and size >= least:
            good = n + 1
    yield _passage(section, units[first:])


def _passage(section: _Section, units: Sequence[_Unit]) -> Passage:
    sentences = tuple(unit.sentence for unit in units)
    return Passage(sentences[0].start, sentences[-1].end, sentences, section.heading, section.role)


def _masked(text: str, spans: Sequence[Span]) -> str:
    """The text with mark-up hidden, character for character: formulas count as digits, cells as spaces."""
    if not spans:
        return text
    pieces: list[str] = []
    at = 0
    for span in spans:
        pieces.append(text[at : span.start])
        filler = "0" if span.kind in {"latex", "entity"} else MASK
        pieces.append(filler * (span.end - span.start))
        at = span.end
    pieces.append(text[at:])
    return "".join(pieces)
