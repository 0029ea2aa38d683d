"""What stands around a table: its caption above it, and the unit that caption and headers state for all."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from finlore.intake.tables.grid import CellReader, Grid
from finlore.intake.tables.units import find_unit, is_money, parts_of, read_unit
from finlore.records.document import NOT_INDEXED, Block, Span

_SOURCE = re.compile(r"(?:资料来源|数据来源|来源|注|备注|sources?|notes?)\s*[:：]", re.IGNORECASE)
_UNIT_LINE = re.compile(
    r"单位\s*[:：]|\bunits?\s*:|\bin (?:thousands|millions|billions)\b|(?:人民币|美元|港元)?(?:百万|亿|万|千)元",
    re.IGNORECASE,
)
_EXCEPT_SHARES = re.compile(
    r"except (?:for )?(?:per[- ]share|share|earnings per)|除每股|每股数据除外|per[- ]share", re.IGNORECASE
)
_CURRENCY_SIGN = re.compile(r"^\(?\s*(US\$|HK\$|NT\$|[$€£¥￥])")
_LONGEST: Final = 160
_FURTHEST: Final = 4


@dataclass(frozen=True, slots=True)
class Surroundings:
    """A table block and the blocks of its document."""

    blocks: Sequence[Block]
    at: int
    cells: CellReader

    def above(self) -> Iterator[Block]:
        """Blocks above on the same page, nearest first, running lines left out; another table ends them."""
        for block in reversed(self.blocks[max(self.at - _FURTHEST, 0) : self.at]):
            if block.role == "table" or block.page != self.blocks[self.at].page:
                return
            if block.role not in NOT_INDEXED:
                yield block

    def caption(self) -> Span | None:
        """The nearest caption above, else a heading or a short line right above."""
        block = self._caption_above() or self._line_above()
        return Span(block.start, block.end, "caption") if block else None

    def unit(self, caption: Span | None, grid: Grid, n_header_rows: int) -> str:
        """The unit that caption, a line about units, or the corner and titles of the table state; "" if none does."""
        texts = [self.cells.read(caption.start, caption.end)] if caption else []
        lines = [self._text(block) for block in list(self.above())[:2] if block.end - block.start <= _LONGEST]
        texts += filter(_UNIT_LINE.search, lines)
        texts += (row[0] for row in grid.rows[:n_header_rows] if not _is_bare_thing(row[0]))
        unit = next((unit for text in texts if (unit := find_unit(text))), "")
        signs = {match[1] for row in grid.rows for cell in row if (match := _CURRENCY_SIGN.match(cell))}
        lacks_currency = is_money(unit) and not parts_of(unit)[1]
        return unit + read_unit(signs.pop()) if lacks_currency and len(signs) == 1 else unit

    def _caption_above(self) -> Block | None:
        for block in list(self.above())[:2]:
            if block.role == "caption":
                return None if _SOURCE.match(self._text(block)) else block
            if block.role == "heading" or block.end - block.start > _LONGEST:
                return None
        return None

    def _line_above(self) -> Block | None:
        block = next(self.above(), None)
        if block is None or block.role not in {"heading", "body", "side"} or block.end - block.start > _LONGEST:
            return None
        text = self._text(block)
        return block if text and text[-1] not in "。；！？.;!?，," else None

    def _text(self, block: Block) -> str:
        return self.cells.read(block.start, block.end)


def _is_bare_thing(text: str) -> bool:
    """Whether a corner names what its column lists (年, 天), which would be a unit elsewhere."""
    unit = read_unit(text)
    return bool(unit) and not is_money(unit) and parts_of(unit)[0] == 1 and unit == text


def per_share_unit(caption: str, unit: str) -> str:
    """The unit of amounts per share where the caption leaves them out of the scale: the bare currency."""
    return parts_of(unit)[1] if _EXCEPT_SHARES.search(caption) else ""
