"""Rows -> runs of rows that form a grid. Finds where a table lies and what its cells are, not what they mean."""

import re
from collections.abc import Sequence
from itertools import pairwise, takewhile

from finlore.adapters.parse_pdf.characters import Glyph
from finlore.adapters.parse_pdf.rows import Row, Segment, make_row, make_segment, words_of
from finlore.language.normal import HAN

BULLETS = frozenset("•●○■□▪▫◆◇►▶➢➤✓✔❖❑❒☐☑Ø⚫⬤·※★▲")
_NUMBER = re.compile(r"[(（]?[-+−–－]?[$¥￥€£]?\s?\d[\d,.，．]*\s?(?:[%％xX倍]|bps?|pct)?[)）]?[AEFae]?[¹²³⁰⁴-⁹⁽⁾]*")
YEAR = re.compile(r"(?:FY)?((?:19|20)\d\d)[AaEeFf年]?")
_RANGE = re.compile(r"\d[\d,.]*\s?[/~～–-]\s?\d[\d,.]*%?")
_BLANK = re.compile(r"[-—–－]+|n\.?[am]\.?|N/?A|NM|/")
CAPTION = re.compile(r"(?:图表?|表|Fig(?:ure)?\.?|Table|Exhibit|Chart)\s*\d+(?:[-–.]\d+)?\s*[：:.、|｜\s]\s*\S", re.I)
SOURCE = re.compile(r"(?:资料|数据)来源|来源[：:]|(?:Sources?|Notes?)\s*:|注[：:]", re.I)
_CURRENCY = re.compile(r"[(（]?(?:[$¥￥€£]|US\$|HK\$)")
_OPENS_VALUE, _CLOSES_VALUE = re.compile(rf"{_CURRENCY.pattern} ?[(（]?|[(（]"), re.compile(r"[)）]?[%％]?[)）]?")
_LABEL = re.compile(r"[(（]?[0-9一二三四五六七八九十a-zA-Z]{1,2}[)）.、]|[①-⑳]")
_BRACKET_BETWEEN = re.compile(r"\d[%％]?[)）]?(?=[(（]\d)|[)）](?=\d)|[^\d(（](?=[(（]\d+[.,][\d,.]+[%％]?[)）]$)")
_WORDS = re.compile(rf"[^\W\d_]{{4}}|[{HAN}]{{2}}")  # no value holds so many letters
_ALIGNED = 3.0  # points
_PITCH = 3.3  # ems between rows of one table
_IMPLIED_GAP, _PRINTED_GAP, _MARK_GAP = 0.35, 0.75, 1.5  # ems
_TABLE_VALUES = 3  # a row of so many is none of a formula
_HALF_LINE, _LINE, _LONG_CELL = 1.0, 1.6, 12.0  # ems: lines of one cell lie between the first two
_HEADER_ROWS, _LABEL_ROWS, _COLUMN_ROWS = 4, 3, 5


def is_number(text: str) -> bool:
    """Whether a cell holds one value: a number with sign, unit or year mark, a range, or a mark for none."""
    text = text.strip()
    return bool(_NUMBER.fullmatch(text) or _RANGE.fullmatch(text) or _BLANK.fullmatch(text))


def is_value(text: str) -> bool:
    """Whether a cell holds a number that is no year: years head columns."""
    return is_number(text) and not YEAR.fullmatch(text.strip())


def is_bullet(text: str) -> bool:
    return text in BULLETS or (len(text) == 1 and "\ue000" <= text <= "\uf8ff")


def tables_in(rows: Sequence[Row]) -> list[tuple[int, int]]:
    """Half-open ranges of rows that form a grid; grids that follow one another closely are one."""
    tables: list[tuple[int, int]] = []
    start = 0
    while start < len(rows):
        end = _grid_end(rows, start)
        if end > start:
            previous = tables[-1][1] if tables else 0
            first = _header_start(rows, previous, start)
            if tables and first == previous and _is_near(rows[first - 1], rows[first]) and _has_cells(rows[first]):
                first = tables.pop()[0]
            tables.append((first, end))
        start = max(end, start + 1)
    return tables


def with_cells(row: Row) -> Row:
    """The same row with one segment per cell: runs of values parted; a currency sign, a bracket or a percent sign with
    its value."""
    cells: list[Segment] = []
    part = _values_beside_words if _n_values(row) >= _TABLE_VALUES else _values
    for value in (value for segment in row.segments for value in part(segment)):
        if cells and (_OPENS_VALUE.fullmatch(cells[-1].text) or _closes(cells[-1], value)):
            first, *rest = value.glyphs
            is_sign = bool(_CURRENCY.fullmatch(cells[-1].text)) and cells[-1].text[-1] not in "(（"
            cells[-1] = make_segment([*cells[-1].glyphs, first._replace(space="printed" if is_sign else ""), *rest])
        else:
            cells.append(value)
    return row if len(cells) == len(row.segments) else make_row(cells)


def _n_values(row: Row) -> int:
    """How many words of a row of several segments are values."""
    is_row = len(row.segments) > 1
    return sum(is_value(word) for segment in row.segments for word in segment.text.split(" ")) if is_row else 0


def _closes(value: Segment, mark: Segment) -> bool:
    is_near = mark.box.x0 - value.box.x1 < _MARK_GAP * mark.size
    return is_near and bool(_CLOSES_VALUE.fullmatch(mark.text)) and any(map(str.isdigit, value.text))


def is_apart(one: Segment, other: Segment) -> bool:
    """Whether there is more than a space between two words of a line: many faces have spaces of half an em."""
    least = _PRINTED_GAP if other.glyphs[0].space == "printed" else _IMPLIED_GAP
    blank_half = 0.5 if one.text[-1] in "）】" else 0.0
    return other.box.x0 - one.box.x1 > (least - blank_half) * one.size


def joined(words: Sequence[Segment]) -> Segment:
    """Neighbouring words as one segment again."""
    return make_segment([glyph for word in words for glyph in word.glyphs])


def words_in(segment: Segment) -> list[Segment]:
    """Words, and values that nothing but the bracket of a negative one parts."""
    words: list[Sequence[Glyph]] = []
    for word in words_of(segment.glyphs):
        text = "".join(glyph.text[0] for glyph in word)
        borders = (0, *(found.end() for found in _BRACKET_BETWEEN.finditer(text)), len(word))
        words += [word[start:end] for start, end in pairwise(borders)]
    return [make_segment(word) for word in words]


def _values(segment: Segment) -> list[Segment]:
    if _WORDS.search(segment.text):
        return [segment]
    words = words_in(segment)
    is_parted = len(words) > 1 and all(
        is_number(word.text) or _OPENS_VALUE.fullmatch(word.text) or _CLOSES_VALUE.fullmatch(word.text)
        for word in words
    )
    return words if is_parted else [segment]


def _values_beside_words(segment: Segment) -> list[Segment]:
    """The parts of a segment that stands beside values: those that have more than a space between a value and words."""
    values = _values(segment)
    words = words_in(segment) if len(values) == 1 and any(map(str.isdigit, segment.text)) else []
    ends = [
        at
        for at, (one, other) in enumerate(pairwise(words), 1)
        if any(is_number(word.text) or _OPENS_VALUE.fullmatch(word.text) for word in (one, other))
        if is_apart(one, other)
    ]
    return [joined(words[at:end]) for at, end in pairwise((0, *ends, len(words)))] if ends else values


def _grid_end(rows: Sequence[Row], start: int) -> int:
    """One past the last row of the grid that starts at `start`; `start` itself when there is none."""
    if not _has_cells(rows[start]):
        return start
    members, end = [rows[start]], start + 1
    for at in range(start + 1, len(rows)):
        is_label = len(rows[at].segments) == 1 and rows[at].box.x0 < members[-1].segments[0].box.x1
        row = _with_values_apart(rows[at]) if is_label else rows[at]
        if not _is_near(rows[at - 1], row) or at - end > _LABEL_ROWS:
            break
        if _has_cells(row):
            if not any(_is_aligned(member, row) for member in members[-_COLUMN_ROWS:]):
                break
            members.append(row)
            end = at + 1
        elif not _is_label(members[-1], row):
            break
        elif is_number(row.text):
            end = at + 1
    values = sum(_has_values(row) for row in rows[start:end])
    if (values < 2 or len(members) < 2) and len(members) < 3:
        return start
    return end + 1 if end < len(rows) and _ends_cell(members[-1], rows[end]) else end


def _with_values_apart(row: Row) -> Row:
    """A row of one segment with the values that follow its text closely as cells of their own."""
    words = words_in(row.segments[0])
    n_text = len(words) - sum(1 for _ in takewhile(lambda word: is_number(word.text), reversed(words)))
    if not 0 < n_text < len(words):
        return row
    return make_row([joined(words[:n_text]), *words[n_text:]])


def _ends_cell(upper: Row, lower: Row) -> bool:
    """Whether one segment below the last row of a grid is the last line of a cell of it: so close that the cell is
    centred beside its values, or below the start of a long one."""
    step = lower.baseline - upper.baseline
    if step < _HALF_LINE * lower.size:
        return _is_label(upper, lower)
    long = [cell.box for cell in upper.segments[1:] if cell.box.x1 - cell.box.x0 > _LONG_CELL * cell.size]
    is_below = any(abs(box.x0 - lower.box.x0) <= _ALIGNED and lower.box.x1 < box.x1 for box in long)
    return step < _LINE * lower.size and len(lower.segments) == 1 and is_below


def _is_label(above: Row, row: Row) -> bool:
    """Whether a row without cells stands in the label column, or in one of the columns of values, of the grid above."""
    if CAPTION.match(row.text) or SOURCE.match(row.text):
        return False
    first, second, box = above.segments[0].box, above.segments[1].box, row.box
    return len(row.segments) == 1 and (box.x0 >= second.x0 - _ALIGNED or box.x1 < max(second.x0, first.x1 + row.size))


def _has_cells(row: Row) -> bool:
    """Two or more cells that are not a bullet, or a counting label, and its text."""
    texts = [segment.text.strip() for segment in row.segments]
    return len(texts) >= 2 and not (len(texts) == 2 and (is_bullet(texts[0]) or _LABEL.fullmatch(texts[0])))


def _has_values(row: Row) -> bool:
    return any(is_number(segment.text) for segment in row.segments[1:])


def _is_near(upper: Row, lower: Row) -> bool:
    return lower.baseline - upper.baseline <= _PITCH * max(upper.size, lower.size) and lower.size < 1.25 * upper.size


def _is_aligned(upper: Row, lower: Row) -> bool:
    """Whether as many cells stand below one another, or one after the first shares an edge or its middle with one
    above."""
    pairs = list(zip(upper.segments, lower.segments, strict=False))
    if len(upper.segments) == len(lower.segments) and all(not _apart(a, b) for a, b in pairs):
        return True
    return any(
        min(abs(a.box.x0 - b.box.x0), abs(a.box.x1 - b.box.x1), abs(a.box.x0 + a.box.x1 - b.box.x0 - b.box.x1) / 2)
        <= _ALIGNED
        for a in upper.segments[1:]
        for b in lower.segments[1:]
    )


def _apart(one: Segment, other: Segment) -> bool:
    return one.box.x1 <= other.box.x0 or other.box.x1 <= one.box.x0


def _header_start(rows: Sequence[Row], least: int, start: int) -> int:
    """The first of up to four rows above the grid that have cells too or stand centred over cells."""
    first = start
    while first > max(least, start - _HEADER_ROWS) and _is_near(rows[first - 1], rows[first]):
        above, below = rows[first - 1], rows[first]
        if not _has_cells(above) and not _is_spanner(above, below):
            break
        first -= 1
    return first


def _is_spanner(row: Row, below: Row) -> bool:
    """Whether one cell is centred over all cells of the row below, or over all but the first; or says nothing ("…")."""
    if not any(character.isalnum() for character in row.text):
        return True
    if row.text.rstrip().endswith((":", "：", "。", ".")):
        return False
    middle = (row.box.x0 + row.box.x1) / 2
    spans = [(cell.box.x0, below.box.x1) for cell in below.segments[:2] if len(below.segments) > 1]
    return any(
        x0 - _ALIGNED <= row.box.x0 and row.box.x1 <= x1 + _ALIGNED and abs(middle - (x0 + x1) / 2) < 0.08 * (x1 - x0)
        for x0, x1 in spans
    )
