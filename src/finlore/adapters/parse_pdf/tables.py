"""Rows -> runs of rows that form a grid. Finds where a table lies and what its cells are, not what they mean."""

import re
from collections.abc import Iterator, Sequence

from finlore.adapters.parse_pdf.rows import Row, Segment, make_row, make_segment, words_of

BULLETS = frozenset("•●○■□▪▫◆◇►▶➢➤✓✔❖❑❒☐☑Ø⚫⬤·※★▲")
_NUMBER = re.compile(r"[(（]?[-+−–－]?[$¥￥€£]?\s?\d[\d,.，．]*\s?(?:[%％xX倍]|bps?|pct)?[)）]?[AEFae]?")
_RANGE = re.compile(r"\d[\d,.]*\s?[/~～–-]\s?\d[\d,.]*%?")
_BLANK = re.compile(r"[-—–－]+|n\.?[am]\.?|N/?A|NM|/")
_CURRENCY = re.compile(r"[(（]?(?:[$¥￥€£]|US\$|HK\$)")
_LABEL = re.compile(r"[(（]?[0-9一二三四五六七八九十a-zA-Z]{1,2}[)）.、]|[①-⑳]")
_ALIGNED = 3.0  # points
_PITCH = 2.6  # ems between rows of one table
_HEADER_ROWS = 4


def is_number(text: str) -> bool:
    """Whether a cell holds one value: a number with sign, unit or year mark, a range, or a mark for none."""
    text = text.strip()
    return bool(_NUMBER.fullmatch(text) or _RANGE.fullmatch(text) or _BLANK.fullmatch(text))


def is_bullet(text: str) -> bool:
    return text in BULLETS or (len(text) == 1 and "\ue000" <= text <= "\uf8ff")


def tables_in(rows: Sequence[Row]) -> Iterator[tuple[int, int]]:
    """Half-open ranges of rows that form a grid."""
    start = 0
    while start < len(rows):
        end = _grid_end(rows, start)
        if end - start >= 2:
            first = _header_start(rows, start, end)
            yield first, end
        start = max(end, start + 1)


def with_cells(row: Row) -> Row:
    """The same row with one segment per cell: runs of values parted, a currency sign with its value."""
    cells: list[Segment] = []
    for value in (value for segment in row.segments for value in _values(segment)):
        if cells and _CURRENCY.fullmatch(cells[-1].text):
            first, *rest = value.glyphs
            cells[-1] = make_segment([*cells[-1].glyphs, first._replace(space="printed"), *rest])
        else:
            cells.append(value)
    return row if len(cells) == len(row.segments) else make_row(cells)


def _values(segment: Segment) -> list[Segment]:
    tokens = segment.text.split(" ")
    if len(tokens) < 2 or not all(is_number(token) or _CURRENCY.fullmatch(token) for token in tokens):
        return [segment]
    return [make_segment(word) for word in words_of(segment.glyphs)]


def _grid_end(rows: Sequence[Row], start: int) -> int:
    """One past the last row of the grid that starts at `start`; `start` itself when there is none."""
    if not _has_cells(rows[start]):
        return start
    end, at, members = start + 1, start + 1, 1
    while at < len(rows) and _is_near(rows[at - 1], rows[at]) and at - end <= 1:
        if _has_cells(rows[at]) and _is_aligned(rows[end - 1], rows[at]):
            members, end = members + 1, at + 1
        elif len(rows[at].segments) > 1 and not _has_cells(rows[at]):
            break
        at += 1
    values = sum(_has_values(row) for row in rows[start:end])
    return end if values >= 2 or members >= 3 else start


def _has_cells(row: Row) -> bool:
    """Two or more cells that are not a bullet, or a counting label, and its text."""
    texts = [segment.text.strip() for segment in row.segments]
    return len(texts) >= 2 and not (len(texts) == 2 and (is_bullet(texts[0]) or _LABEL.fullmatch(texts[0])))


def _has_values(row: Row) -> bool:
    return any(is_number(segment.text) for segment in row.segments[1:])


def _is_near(upper: Row, lower: Row) -> bool:
    return lower.baseline - upper.baseline <= _PITCH * max(upper.size, lower.size) and lower.size < 1.25 * upper.size


def _is_aligned(upper: Row, lower: Row) -> bool:
    """Whether a cell after the first shares its left edge, right edge or middle with one of the row above."""
    return any(
        min(abs(a.box.x0 - b.box.x0), abs(a.box.x1 - b.box.x1), abs(a.box.x0 + a.box.x1 - b.box.x0 - b.box.x1) / 2)
        <= _ALIGNED
        for a in upper.segments[1:]
        for b in lower.segments[1:]
    )


def _header_start(rows: Sequence[Row], start: int, end: int) -> int:
    """The first of up to four rows above the grid whose text stands over its columns of values."""
    labels = [row.segments[0].box.x1 for row in rows[start:end] if not is_number(row.segments[0].text)]
    left = max(labels, default=rows[start].box.x0)
    first = start
    while first > max(0, start - _HEADER_ROWS) and _is_near(rows[first - 1], rows[first]):
        above = rows[first - 1]
        if len(above.segments) < 2 and above.box.x0 < left:
            break
        first -= 1
    return first
