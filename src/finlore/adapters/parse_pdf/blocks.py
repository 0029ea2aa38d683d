"""Rows of one chunk -> drafts of blocks: paragraphs, list items, captions, headings, tables."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from finlore.adapters.parse_pdf.characters import Glyph
from finlore.adapters.parse_pdf.columns import Chunk
from finlore.adapters.parse_pdf.grid import GridRow, grid_of, line_of
from finlore.adapters.parse_pdf.rows import Row, is_wide, make_row, row_glyphs, rows_of, text_of
from finlore.adapters.parse_pdf.tables import CAPTION, SOURCE, is_bullet, tables_in, with_cells
from finlore.language.normal import HAN
from finlore.records.document import Box, Role

_LEADERS = re.compile(r"[.．·…]{4}\s*\d{1,4}$")
_ITEM = re.compile(r"[(（]\d{1,2}[)）]|\d{1,2}[)）]|\d{1,2}(?:[、．]|\.(?!\d))|[①-⑳]")
_FIELD = re.compile(r"[^\W\d]{2,8}[：:]|《")  # how the lines of a side bar start that are no continuation
_NUMBERED = (
    re.compile(
        r"[一二三四五六七八九十]{1,3}[、.．]|第[一二三四五六七八九十\d]{1,3}[章节部]"
        rf"|\d{{1,2}}(?:[、．]|\.(?!\d)| ?(?=[{HAN}])(?![年月日季周天家个只项大倍类种点]))"
    ),
    re.compile(r"\d{1,2}\.\d{1,2}(?![\d.])|[（(][一二三四五六七八九十]{1,3}[)）]"),
    re.compile(r"\d{1,2}\.\d{1,2}\.\d{1,2}"),
)
_STOPS = ("。", "！", "？", "；", ".", "!", "?", ";")
_ENDS = (*_STOPS, "：", ":", "”", "）", ")")
_UNFINISHED = (*_STOPS, "，", ",", "、", "：", ":")
_SAME_SIZE = 1.04
_SMALLEST_BOLD, _LARGER, _MUCH_LARGER = 0.65, 1.05, 1.25  # times the body size
_HEADING_EMS, _HEADING_ROWS = 45.0, 3
_LINE_EMS = 15.0  # a line of prose is longer


@dataclass(frozen=True, slots=True)
class Draft:
    """A block before it has a place in the text. `lines` are what is printed; a table keeps one line per row.

    `size` is in points; of headings, `numbering` is the level that their number states (0: none).
    """

    role: Role
    lines: tuple[tuple[Glyph, ...], ...]
    boxes: tuple[Box, ...]
    size: float
    numbering: int = 0


def drafts_of(chunk: Chunk, body_size: float) -> Iterator[Draft]:
    """Drafts from top to bottom; in a side bar everything but tables has the role `side`."""
    rows = [with_cells(part) for row in rows_of(chunk.segments) for part in _captions_apart(row)]
    tables = list(tables_in(rows))
    in_table = {at for start, end in tables for at in range(start, end)}
    prose = rows if chunk.is_side else [row for at, row in enumerate(rows) if at not in in_table]
    shape = _shape(prose, chunk.is_side)
    at = 0
    for start, end in [*tables, (len(rows), len(rows))]:
        for paragraph in _paragraphs(rows[at:start], shape):
            yield _side(paragraph) if chunk.is_side else _prose(paragraph, body_size)
        if start < end:
            yield _table(grid_of(rows[start:end]), rows[start].size)
        at = end


def _captions_apart(row: Row) -> list[Row]:
    """The captions of figures that stand side by side, each as a row of its own; any other row as it is."""
    is_captions = all(CAPTION.match(segment.text) or SOURCE.match(segment.text) for segment in row.segments)
    return [make_row([segment]) for segment in row.segments] if is_captions else [row]


def draft(role: Role, rows: Sequence[Row]) -> Draft:
    """A draft with one line per row."""
    return Draft(role, tuple(tuple(row_glyphs(row)) for row in rows), tuple(row.box for row in rows), rows[0].size)


def _table(grid: Sequence[GridRow], size: float) -> Draft:
    return Draft("table", tuple(tuple(line_of(row)) for row in grid), tuple(row.box for row in grid), size)


def continues_in(last: Draft, following: Draft) -> bool:
    """Whether a paragraph goes on at the top of the next column."""
    is_prose = last.role in ("body", "list") and following.role == "body"
    is_next_column = following.boxes[0].y0 < last.boxes[-1].y0 and following.boxes[0].x0 > last.boxes[-1].x0
    same_size = max(last.size, following.size) <= _SAME_SIZE * min(last.size, following.size)
    return is_prose and is_next_column and same_size and not text_of(last.lines[-1]).rstrip().endswith(_ENDS)


def joined(last: Draft, following: Draft) -> Draft:
    return replace(last, lines=last.lines + following.lines, boxes=last.boxes + following.boxes)


def _side(rows: Sequence[Row]) -> Draft:
    return draft("side", rows)


def _prose(rows: Sequence[Row], body_size: float) -> Draft:
    plain = draft("body", rows)
    text = " ".join(text_of(line) for line in plain.lines).strip()
    if _LEADERS.search(text):
        return replace(plain, role="header_footer")
    if len(rows) <= 2 and (CAPTION.match(text) or SOURCE.match(text)) and not text.endswith("。"):
        return replace(plain, role="caption")
    if not any(character.isalpha() for character in text):
        return replace(plain, role="caption")  # numbers alone belong to a figure: its axes and labels
    is_item = is_bullet(text[0])
    if _is_heading(text, rows, body_size):
        levels = (level for level in (3, 2, 1) if _NUMBERED[level - 1].match(text))
        return replace(plain, role="heading", numbering=next(levels, 3 if is_item else 0))
    return replace(plain, role="list") if is_item or _ITEM.match(text) else plain


def _is_heading(text: str, rows: Sequence[Row], body_size: float) -> bool:
    """Large or bold, short, not the end of a sentence."""
    ems = sum(1.0 if is_wide(character) else 0.5 for character in text)
    if len(rows) > _HEADING_ROWS or ems > _HEADING_EMS:
        return False
    size = rows[0].size
    if size >= _MUCH_LARGER * body_size:
        return not text.endswith(("。", "；"))
    emphasised = size >= _LARGER * body_size or (
        size >= _SMALLEST_BOLD * body_size and all(row.is_bold for row in rows)
    )
    return emphasised and not text.endswith(_UNFINISHED) and not text.startswith(("(", "（"))


@dataclass(frozen=True, slots=True)
class _Shape:
    """The block of text that rows belong to: its edges and usual size in points, the usual leading in ems."""

    left: float
    right: float
    size: float
    leading: float
    is_side: bool


def _shape(rows: Sequence[Row], is_side: bool) -> _Shape | None:
    if not rows:
        return None
    left, far = min(row.box.x0 for row in rows), max(row.box.x1 for row in rows)
    right = max(row.box.x1 for row in rows if is_side or row.box.x0 <= left + (far - left) / 3)
    steps = [(lower.baseline - upper.baseline) / lower.size for upper, lower in pairwise(rows)]
    steps = sorted(step for step in steps if step >= 1)  # less is an index, a formula, a cell that sits lower
    size = sorted(row.size for row in rows)[len(rows) // 2]
    return _Shape(left, right, size, steps[len(steps) // 4] if steps else 1.5, is_side)


def _paragraphs(rows: Sequence[Row], shape: _Shape | None) -> Iterator[list[Row]]:
    if not rows or not shape:
        return
    steps = [lower.baseline - upper.baseline for upper, lower in pairwise(rows)]
    paragraph = [rows[0]]
    for at, row in enumerate(rows[1:]):
        beside = min(steps[max(0, at - 1) : at] + steps[at + 1 : at + 2], default=0.0)
        is_apart = steps[at] > min(1.12 * max(beside, shape.leading * row.size), 1.5 * shape.leading * row.size)
        if is_apart or _starts_paragraph(paragraph, row, shape):
            yield paragraph
            paragraph = []
        paragraph.append(row)
    yield paragraph


def _starts_paragraph(paragraph: Sequence[Row], row: Row, shape: _Shape) -> bool:
    last, text = paragraph[-1], row.text.strip()
    if max(row.size, last.size) > _SAME_SIZE * min(row.size, last.size) or row.is_bold != last.is_bold:
        return True
    if _opens(text) or (shape.is_side and _FIELD.match(text)) or _LEADERS.search(last.text):
        return True
    if row.size > _MUCH_LARGER * shape.size:
        return False  # a title of several lines, perhaps centred
    is_set = not shape.is_side and _is_set_to_edge([*paragraph[-2:], row])
    return (not is_set and _is_short(last, text, shape)) or _is_indented(paragraph, row, shape)


def _opens(text: str) -> bool:
    """Whether a line starts a block by what it says."""
    return bool(is_bullet(text[0]) or any(pattern.match(text) for pattern in (_ITEM, CAPTION, SOURCE)))


def _is_set_to_edge(rows: Sequence[Row]) -> bool:
    """Whether the line before the last of these is long and ends where a neighbour ends, as beside a figure."""
    last = rows[-2]
    is_long = last.box.x1 - last.box.x0 > _LINE_EMS * last.size and not last.text.rstrip().endswith(_STOPS)
    return is_long and any(abs(row.box.x1 - last.box.x1) < 0.5 * last.size for row in rows if row is not last)


def _is_short(last: Row, text: str, shape: _Shape) -> bool:
    """Whether the next line's first word would have fitted at the end of `last`."""
    if last.text.endswith("-"):
        return False
    room = (shape.right - last.box.x1) / last.size
    needed = 1.0 if is_wide(text[0]) else 0.5 * (len(text.partition(" ")[0]) + 1)
    return room > needed + (0.2 if last.text.rstrip().endswith(_STOPS) else 2.0)


def _is_indented(paragraph: Sequence[Row], row: Row, shape: _Shape) -> bool:
    """Whether `row` starts about two ems to the right of the lines before it."""
    if len(paragraph) == 1 and _opens(paragraph[0].text.strip()):
        return False  # an item's lines hang
    usual = paragraph[1].box.x0 if len(paragraph) > 1 else shape.left
    indent = (row.box.x0 - usual) / row.size
    return 1.2 < indent < 3.5 and row.box.x0 > paragraph[-1].box.x0 + row.size
