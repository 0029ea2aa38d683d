"""Who is listed on the synthetic market: codes, names, sizes and risks, and when each of them trades.

All of it is drawn before the first session and independently of how long the market goes on: rows are counted from the
first session and may lie beyond the last. Only sums, products and square roots are used, which are the same on every
machine; logarithms and exponentials are not.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from finlore.records.panel import Days, Mask, Prices

Rows = NDArray[np.int64]

SECTORS: Final = (
    ("810000", "信息", ("数智", "软件")), ("820000", "电子", ("微电", "光电")), ("830000", "医药", ("生物", "药业")),
    ("840000", "消费", ("食品", "家居")), ("850000", "金融", ("信托", "金控")), ("860000", "地产", ("置业", "建设")),
    ("870000", "能源", ("能源", "电力")), ("880000", "材料", ("新材", "化工")), ("890000", "机械", ("重装", "精工")),
    ("910000", "运输", ("航运", "物流")),
)  # fmt: skip
"""(code of the class, name, endings of names)"""
_FIRST: Final = "澜峙砚岑霁朔翊珩甯泓棠黎邶鄢曜澍羿骞琰阆"
_SECOND: Final = "禾岳川桓彧泽衡湛屿阙棣笙舫垣樾"
NEVER: Final = 2**40
"""A row that no market reaches."""
_YOUNG: Final = 0.13
_DOOMED: Final = 0.07
_SPELLS: Final = 3


@dataclass(frozen=True, slots=True)
class _Board:
    """`oldest`: days since the board opened; `risk` times that of the main board."""

    prefix: str
    market: str
    count: int
    oldest: int
    risk: float = 1.0
    b_shares: bool = False


_BOARDS: Final = (  # by code; numbers that the exchanges have not given away
    _Board("004", "SZ", 75, 11_000),
    _Board("2003", "SZ", 4, 11_000, 0.8, b_shares=True),
    _Board("309", "SZ", 60, 5_000, 1.25),
    _Board("609", "SH", 95, 11_000),
    _Board("686", "SH", 40, 1_600, 1.3),
    _Board("9008", "SH", 6, 11_000, 0.8, b_shares=True),
    _Board("929", "BJ", 20, 1_000, 1.35),
)


@dataclass(frozen=True, slots=True, eq=False)
class Companies:
    """All that ever trade (m,), by code. `price`, `shares`: at the beginning or at the issue; `risk`: of its own, a
    session; `turnover`: share of its shares that changes hands in a session.

    `first_row`, `end_row`: it is listed on rows from the first up to, not including, the end (NEVER without one);
    `age`: days before the first session since the listing, 0 for those that come later. `special_from`, `special_to`
    and `halted_from`, `halted_to` (m, spells): under special treatment and suspended, as ranges of rows; `jumps` (m,
    spells): by how much the value has moved when trade resumes. `pops`: what a new one gains on its first day.
    """

    codes: tuple[str, ...]
    names: tuple[str, ...]
    b_shares: Mask
    sector: Rows
    beta: Prices
    risk: Prices
    price: Prices
    shares: Prices
    turnover: Prices
    age: Rows
    first_row: Rows
    end_row: Rows
    special_from: Rows
    special_to: Rows
    halted_from: Rows
    halted_to: Rows
    jumps: Prices
    pops: Prices

    def is_listed(self, n: int) -> Mask:
        """(n, m)"""
        return _within(n, self.first_row[:, None], self.end_row[:, None])

    def is_special(self, n: int) -> Mask:
        """What is delisted under special treatment stays so."""
        return _within(n, self.special_from, self.special_to) & (np.arange(n)[:, None] >= self.first_row)

    def is_halted(self, n: int) -> Mask:
        """Suspended: neither in the weeks after the listing nor in those before the delisting."""
        rows = np.arange(n)[:, None]
        settled = (rows >= self.first_row + 25) & (rows < self.end_row - 25)
        return _within(n, self.halted_from, self.halted_to) & settled

    def listed_days(self, days: Days) -> Days:
        """(m,) NaT for those that come after the last of `days`."""
        old = days[0] - self.age
        young = np.append(days, np.datetime64("NaT"))[np.minimum(self.first_row, len(days))]
        return np.where(self.age > 0, old, young)

    def delisted_days(self, days: Days) -> Days:
        """(m,) the last day of each, NaT for those that are still listed after the last of `days`."""
        gone = self.end_row < len(days)
        return np.where(gone, days[np.where(gone, self.end_row, 1) - 1], np.datetime64("NaT"))


def found_companies(seed: int) -> Companies:
    """The companies of a seed."""
    draw = np.random.Generator(np.random.PCG64([seed, 1]))
    boards = [board for board in _BOARDS for _ in range(board.count)]
    ordinals = np.array([at for board in _BOARDS for at in range(board.count)])
    m = len(boards)
    b_shares = np.array([board.b_shares for board in boards])
    sector = _whole(draw.random(m), len(SECTORS))
    size = 1 / np.maximum(draw.random(m), 0.002)
    worth = 2e9 * np.sqrt(size * np.sqrt(size))
    price = _cents(4 + 60 * draw.random(m) * draw.random(m))
    small = 1 / np.sqrt(np.sqrt(worth / 2e9))
    young = (ordinals + 1 > np.array([board.count for board in boards]) * (1 - _YOUNG)) & ~b_shares
    doomed = (draw.random(m) < _DOOMED) & ~young
    end_row = np.where(doomed, 70 + _whole(draw.random(m), 830), NEVER)
    oldest = np.array([board.oldest for board in boards])
    special = _special(draw.random((3, m)), end_row)
    halted = _halted(draw.random((3, m, _SPELLS)))
    return Companies(
        codes=tuple(
            f"{board.prefix}{at + 1:0{6 - len(board.prefix)}d}.{board.market}"
            for board, at in zip(boards, ordinals.tolist(), strict=True)
        ),
        names=tuple(_name(at, of, board) for at, (of, board) in enumerate(zip(sector.tolist(), boards, strict=True))),
        b_shares=b_shares,
        sector=sector,
        beta=0.6 + 0.8 * draw.random(m),
        risk=np.array([board.risk for board in boards]) * (0.011 + 0.009 * draw.random(m) + 0.007 * small),
        price=price,
        shares=np.rint(worth / price / 100) * 100,
        turnover=0.002 + 0.03 * small * draw.random(m),
        age=np.where(young, 0, 200 + (draw.random(m) * (oldest - 200)).astype(np.int64)),
        first_row=np.where(young, 5 + _whole(draw.random(m), 520), 0),
        end_row=end_row,
        special_from=special[0],
        special_to=special[1],
        halted_from=halted[0],
        halted_to=halted[1],
        jumps=0.5 * (draw.random((m, _SPELLS)) - 0.45),
        pops=0.2 + 1.3 * draw.random(m),
    )


def _special(drawn: Prices, end_row: Rows) -> tuple[Rows, Rows]:
    """(m, 1) each: the months before a delisting, or a year or so of a few others."""
    some = drawn[0] < 0.07
    begin = np.where(some, _whole(drawn[1], 750) - 150, NEVER)
    end = np.where(some, begin + 100 + _whole(drawn[2], 250), NEVER)
    doomed = end_row < NEVER
    begin = np.where(doomed, end_row - 110 - _whole(drawn[1], 60), begin)
    return begin[:, None], np.where(doomed, NEVER, end)[:, None]


def _halted(drawn: Prices) -> tuple[Rows, Rows]:
    """(m, spells) each: now and then a few weeks."""
    lengths = 4 + _whole(drawn[0], 9) + _whole(drawn[1], 9)
    gaps = 1 + _whole(drawn[2], 1_600)
    ends = np.cumsum(gaps + lengths, axis=1)
    return ends - lengths, ends


def _name(at: int, sector: int, board: _Board) -> str:
    first = at % len(_FIRST)
    second = (at // len(_FIRST) + 4 * first) % len(_SECOND)
    return f"{_FIRST[first]}{_SECOND[second]}" + ("B" if board.b_shares else SECTORS[sector][2][at // 2 % 2])


def _within(n: int, begin: Rows, end: Rows) -> Mask:
    """(n, m) whether each row is in one of the ranges (m, k)."""
    rows = np.arange(n)[:, None]
    held = np.zeros((n, len(begin)), bool)
    for at in range(begin.shape[1]):
        held |= (rows >= begin[:, at]) & (rows < end[:, at])
    return held


def _whole(drawn: Prices, below: int) -> Rows:
    """Whole numbers from 0 up to `below`, of numbers in [0, 1)."""
    return (drawn * below).astype(np.int64)


def _cents(amounts: Prices) -> Prices:
    return np.rint(amounts * 100) / 100
