"""How many faults a grid has, by what holds in any table of figures. Knows no metrics but growth and valuation."""

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise, takewhile

from finlore.adapters.parse_pdf.grid import GridRow
from finlore.adapters.parse_pdf.rows import text_of
from finlore.adapters.parse_pdf.tables import YEAR, is_number, is_value

_GROWTH = re.compile(r"同比|增速|增长率|增长（?\(?%|yoy|growth", re.I)
_PRICE_EARNINGS, _EARNINGS = re.compile(r"市盈率|P/?E\b", re.I), re.compile(r"每股收益|\bEPS\b", re.I)
_FEW = 0.2  # share of a column's cells up to which those of another kind are outliers
_POINTS, _SHARE = 0.25, 0.03  # rounding: of growth in percent points, of a product


def n_faults(grid: Sequence[GridRow]) -> int:
    """Cells that hold several values or are of another kind than their column, columns whose headers stand elsewhere,
    years out of order, values without a label, sums that do not come out. 0: nothing speaks against this grid."""
    texts = [[text_of(cell).strip() for cell in row.cells] for row in grid]
    n_header = next((at for at, row in enumerate(texts) if any(is_value(cell) for cell in row[1:])), len(texts))
    header, body = texts[:n_header], texts[n_header:]
    return (
        sum(_n_glued(cell) for row in texts for cell in row)
        + sum(_ends_in_value(row[0]) for row in body)
        + sum(_n_outliers(column) for column in list(zip(*body, strict=True))[1:])
        + _n_misplaced(header, body)
        + sum(_n_disorder(row) for row in header)
        + sum(not row[0] and sum(map(is_value, row)) > 1 for row in body[1:-1])
        + _n_wrong(body)
    )


def _n_glued(text: str) -> int:
    """Values in a cell beyond the one that may stand there."""
    words = text.split(" ")
    values = takewhile(lambda word: is_value(word) and any(map(str.isdigit, word)), reversed(words))
    return max(0, sum(1 for _ in values) - 1)


def _ends_in_value(label: str) -> bool:
    """Whether the value of the next column may have got into a label; plain numbers are parts of names."""
    text, _, last = label.rpartition(" ")
    return bool(text) and is_value(last) and any(mark in last for mark in ",.%")


def _n_outliers(column: Sequence[str]) -> int:
    filled = [is_number(text) for text in column if text]
    few = min(sum(filled), len(filled) - sum(filled))
    return few if few <= _FEW * len(filled) else 0


def _n_misplaced(header: Sequence[Sequence[str]], body: Sequence[Sequence[str]]) -> int:
    """Headers above nothing, as many as there are values below nothing."""
    if not header or not body:
        return 0
    has_header = [any(column) for column in zip(*header, strict=True)]
    has_values = [any(column) for column in zip(*body, strict=True)]
    above_nothing = sum(above and not below for above, below in zip(has_header, has_values, strict=True))
    return min(above_nothing, sum(below and not above for above, below in zip(has_header, has_values, strict=True)))


def _n_disorder(row: Sequence[str]) -> int:
    """Steps between years that go another way than the first; where the first year comes again, another part starts."""
    years = [int(found.group(1)) for found in map(YEAR.fullmatch, row) if found]
    steps = [later - earlier for earlier, later in pairwise(years) if later != years[0]]
    return sum(step * steps[0] < 0 or step == 0 for step in steps) if steps else 0


def _n_wrong(body: Sequence[Sequence[str]]) -> int:
    """Growth that does not follow from the row above, prices that differ from year to year: 1 each where most do."""
    rows = [[_amount(cell) for cell in row[1:]] for row in body]
    wrong = 0
    for (_, above), (label, row) in pairwise(zip((row[0] for row in body), rows, strict=True)):
        if _GROWTH.search(label):
            wrong += _mostly_wrong(
                abs((now / before - 1) * 100 - stated) <= _POINTS + abs(stated) * _SHARE
                for (before, now), stated in zip(pairwise(above), row[1:], strict=True)
                if before and before > 0 and now is not None and stated is not None
            )
    multiples = [row for line, row in zip(body, rows, strict=True) if _PRICE_EARNINGS.search(line[0])]
    earnings = [row for line, row in zip(body, rows, strict=True) if _EARNINGS.search(line[0])]
    if len(multiples) == len(earnings) == 1:
        prices = [p * e for p, e in zip(multiples[0], earnings[0], strict=True) if p and e and p > 0 and e > 0]
        wrong += _mostly_wrong(abs(later / earlier - 1) <= _SHARE for earlier, later in pairwise(prices))
    return wrong


def _mostly_wrong(checks: Iterable[bool]) -> bool:
    """Whether more than half of at least two checks fail."""
    results = list(checks)
    return len(results) >= 2 and 2 * sum(results) < len(results)


def _amount(text: str) -> float | None:
    if not is_number(text):
        return None
    digits = re.sub(r"[^\d.]", "", text)
    try:
        amount = float(digits)
    except ValueError:
        return None
    return -amount if text.lstrip().startswith(("-", "(", "（", "−")) else amount
