"""Rows of one chunk -> drafts of blocks: paragraphs, list items, captions, headings, tables."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from finlore.adapters.parse_pdf.columns import Chunk
from finlore.adapters.parse_pdf.rows import Piece, Row, cell_pieces, enclosing, is_wide, row_pieces, rows_of
from finlore.adapters.parse_pdf.tables import BULLETS, is_bullet, tables_in, with_cells
from finlore.records.document import Box, Role

_CAPTION = re.compile(r"(?:图|表|图表|Fig(?:ure)?\.?|Table|Exhibit|Chart)\s*\d+(?:[-–.]\d+)?\s*[：:.、|｜\s]\s*\S", re.I)
_SOURCE = re.compile(r"(?:资料|数据)来源|来源[：:]|(?:Sources?|Notes?)\s*:|注[：:]", re.I)
_LEADERS = re.compile(r"[.．·…]{4,}\s*\d{1,4}$")
_ITEM = re.compile(r"[(（]\d{1,2}[)）]|\d{1,2}[)）]|[①-⑳]")
_NUMBERED = (
    re.compile(r"[一二三四五六七八九十]{1,3}[、.．]|第[一二三四五六七八九十\d]{1,3}[章节部]|\d{1,2}(?:[、．]|\.(?!\d)|\s)"),
    re.compile(r"\d{1,2}\.\d{1,2}(?![\d.])|[（(][一二三四五六七八九十]{1,3}[)）]"),
    re.compile(r"\d{1,2}\.\d{1,2}\.\d{1,2}"),
)
_UNFINISHED = tuple("。；;，,、：:！!")
_LARGER = 1.05  # times the body size
_HEADING_EMS = 45.0
_HEADING_ROWS = 3


@dataclass(frozen=True, slots=True)
class Draft:
    """A block before it has a place in the text. `lines` are what is printed; a table keeps one line per row.

    `emphasis` is the size relative to the body for headings; a heading that is only bold has 1.
    """

    role: Role
    lines: tuple[tuple[Piece, ...], ...]
    boxes: tuple[Box, ...]
    size: float
    numbering: int = 0
    emphasis: float = 1.0

    @property
    def text(self) -> str:
        return "".join(piece.text for line in self.lines for piece in line)


def drafts_of(chunk: Chunk, body_size: float) -> Iterator[Draft]:
    """Drafts from top to bottom; in a side bar everything but tables has the role `side`."""
    rows = [with_cells(row) for row in rows_of(chunk.segments)]
    at = 0
    for start, end in [*tables_in(rows), (len(rows), len(rows))]:
        for paragraph in _paragraphs(rows[max(at, 0) : max(start, at)]):
            draft = _prose(paragraph, body_size)
            yield replace(draft, role="side", numbering=0) if chunk.is_side else draft
        if end > max(start, at):
            yield _draft("table", rows[max(start, at) : end], [cell_pieces(row) for row in rows[max(start, at) : end]])
        at = end


def _draft(role: Role, rows: Sequence[Row], lines: Sequence[Sequence[Piece]]) -> Draft:
    return Draft(role, tuple(tuple(line) for line in lines), tuple(row.box for row in rows), rows[0].size)


def _prose(rows: Sequence[Row], body_size: float) -> Draft:
    draft = _draft("body", rows, [row_pieces(row) for row in rows])
    text = draft.text.strip()
    if _LEADERS.search(text):
        return replace(draft, role="header_footer")
    if len(rows) <= 2 and (_CAPTION.match(text) or _SOURCE.match(text)) and not text.endswith("。"):
        return replace(draft, role="caption")
    is_item = text[0] in BULLETS or is_bullet(text[0])
    if _is_heading(text, rows, body_size):
        numbering = next((level for level in (3, 2, 1) if _NUMBERED[level - 1].match(text)), 3 if is_item else 0)
        return replace(draft, role="heading", numbering=numbering, emphasis=max(1.0, rows[0].size / body_size))
    return replace(draft, role="list") if is_item or _ITEM.match(text) else draft


def _is_heading(text: str, rows: Sequence[Row], body_size: float) -> bool:
    """Large or bold, short, not the end of a sentence."""
    ems = sum(1.0 if is_wide(character) else 0.5 for character in text)
    if len(rows) > _HEADING_ROWS or ems > _HEADING_EMS or not any(character.isalpha() for character in text):
        return False
    if rows[0].size >= 1.25 * body_size:
        return not text.endswith(("。", "；", "."))
    emphasised = rows[0].size >= _LARGER * body_size or all(row.is_bold for row in rows)
    return emphasised and not text.endswith((*_UNFINISHED, ".")) and not text.startswith(("(", "（"))


def _paragraphs(rows: Sequence[Row]) -> Iterator[list[Row]]:
    if not rows:
        return
    left, right = min(row.box.x0 for row in rows), max(row.box.x1 for row in rows)
    pitch = _usual_pitch(rows)
    paragraph = [rows[0]]
    for row in rows[1:]:
        if _starts_paragraph(paragraph, row, left=left, right=right, pitch=pitch):
            yield paragraph
            paragraph = []
        paragraph.append(row)
    yield paragraph


def _usual_pitch(rows: Sequence[Row]) -> float:
    """The smallest quarter of the distances between baselines, in ems: the leading inside paragraphs."""
    pitches = sorted((lower.baseline - upper.baseline) / lower.size for upper, lower in zip(rows, rows[1:], strict=False))
    return pitches[len(pitches) // 4] if pitches else 1.5


def _starts_paragraph(paragraph: Sequence[Row], row: Row, *, left: float, right: float, pitch: float) -> bool:
    last, em = paragraph[-1], row.size
    text = row.text.strip()
    if not 0.93 <= row.size / last.size <= 1.07 or row.is_bold != last.is_bold:
        return True
    if row.baseline - last.baseline > (1.3 * pitch + 0.1) * em:
        return True
    if text[0] in BULLETS or is_bullet(text[0]) or _ITEM.match(text) or _CAPTION.match(text) or _SOURCE.match(text):
        return True
    if _LEADERS.search(last.text) or _LEADERS.search(text):
        return True
    first_word = 2.2 * em if is_wide(text[0]) else 0.5 * em * (len(text.split(" ")[0]) + 1)
    if right - last.box.x1 > first_word + 0.5 * em:
        return True
    indent = row.box.x0 - (paragraph[1].box.x0 if len(paragraph) > 1 else left)
    return 1.2 * em < indent < 3.5 * em and last.box.x0 < row.box.x0 - em and len(paragraph) > 1
