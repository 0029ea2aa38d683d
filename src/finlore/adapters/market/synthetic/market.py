"""The synthetic market behind the market port: 300 companies that do not exist, on the sessions of a real calendar.

Made forward in time from a seed, the same to the last bit on every machine: a market that ends earlier is the beginning
of one that ends later. What is planted in it is in `planted`, what brokers know in `ratings`.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from functools import cached_property
from pathlib import Path
from typing import Final
from zoneinfo import ZoneInfo

import numpy as np

from finlore.adapters.market.panel import AUCTION, CLOSE, instants
from finlore.adapters.market.synthetic import planted
from finlore.adapters.market.synthetic.companies import SECTORS, Companies, Rows, found_companies
from finlore.adapters.market.synthetic.happenings import Announcement, Happenings, happen
from finlore.adapters.market.synthetic.ratings import Rating, rate
from finlore.adapters.market.synthetic.trading import Traded, trade
from finlore.errors import ConfigurationError
from finlore.ports import Calendar
from finlore.records.document import Issue
from finlore.records.instant import MARKET_ZONE, Instant, instant_of
from finlore.records.market import MarketValue, Price
from finlore.records.panel import Days, IndexSeries, PricePanel, Prices

SEED: Final = 3
FIRST: Final = date(2024, 1, 2)
LAST: Final = date(2025, 12, 31)
INDICES: Final = {"990001.SH": "合成全指", "990002.SH": "合成全指全收益"}
"""Code -> name of the index of all A shares by market value, without and with dividends."""
MARKET_VALUE: Final = "market_value"
_OF_A_SESSION: Final = (
    "open", "high", "low", "close", "volume", "factor", "upper", "lower", "traded", "special",
)  # fmt: skip
_DAY: Final = timedelta(days=1)
_STALE: Final = timedelta(days=45)
_B_CURRENCY: Final = {"SH": "美元", "SZ": "港元"}


@dataclass(frozen=True, slots=True, eq=False)
class _World:
    days: Days
    companies: Companies
    happenings: Happenings
    traded: Traded


class SyntheticMarket:
    """The market of a seed from `first` to `last`. `folder` is where other markets have their files: nothing is read
    from it."""

    def __init__(
        self, folder: Path | None = None, *, zone: str = MARKET_ZONE, calendar: Calendar | None = None,
        seed: int = SEED, first: date = FIRST, last: date = LAST,
    ) -> None:  # fmt: skip
        if calendar is None:
            raise ConfigurationError("a synthetic market needs a calendar", hint="calendar = xshg, of finlore[market]")
        self._zone, self._seed, self._days = zone, seed, calendar.sessions(first, last)
        if not len(self._days):
            raise ConfigurationError(f"the calendar has no session from {first} to {last}")

    def write(self, out: Path) -> list[Path]:
        """The files of a folder of prices, ratings among them; OSError where it cannot."""
        from finlore.adapters.market.synthetic.files import write_folder  # which reads this module

        return write_folder(self, out)

    @property
    def reach(self) -> tuple[date, date]:
        """The first and the last session."""
        return self._days[0].item(), self._days[-1].item()

    def price(self, security: str, day: date) -> Price | None:
        row = self._row(day)
        if row >= 0 and security in INDICES:
            return self._price(security, row, self._index(security)[row], "点")
        column = self._column.get(security)
        if row < 0 or column is None:
            return None
        rows = np.flatnonzero(self._world.traded.traded[: row + 1, column])
        if not len(rows) or day - self._day(rows[-1]) > _STALE:
            return None
        return self._price(security, rows[-1], self._world.traded.close[rows[-1], column], self._currency(column))

    def market_value(self, security: str, day: date) -> MarketValue | None:
        price, column = self.price(security, day), self._column.get(security)
        if price is None or column is None:
            return None
        worth = self._world.traded.worth[self._row(price.day), column]
        return MarketValue(security, price.day, float(worth), price.currency, price.known_at)

    def listed(self, day: date) -> Mapping[str, str]:
        """With the names of the time: under special treatment they begin with ST."""
        row = self._row(day)
        companies, special = self._world.companies, self._world.traded.special
        known = np.flatnonzero(companies.first_row <= row).tolist()
        return {companies.codes[at]: ("ST" if special[row, at] else "") + companies.names[at] for at in known}

    def industry(self, security: str, day: date) -> str | None:
        if security not in self.listed(day):
            return None
        return SECTORS[self._world.companies.sector[self._column[security]]][0]

    def issues(self) -> Sequence[Issue]:
        return ()

    def panel(self, first: date, last: date) -> PricePanel:
        rows, columns = self._places(first, last)
        traded, companies, days = self._world.traded, self._world.companies, self._days[rows]
        codes, names = [companies.codes[at] for at in columns.tolist()], self.listed(days[-1].item())
        known = self._days[: rows.stop]
        return PricePanel(
            days=days,
            codes=tuple(codes),
            names=tuple(names[code] for code in codes),
            **{name: getattr(traded, name)[rows, columns] for name in _OF_A_SESSION},
            listed=companies.listed_days(known)[columns],
            delisted=companies.delisted_days(known)[columns],
            opened_at=instants(days.tolist(), AUCTION, self._zone),
            known_at=instants(days.tolist(), CLOSE, self._zone),
            adjustment="none",
        )

    def levels(self, last: date, *, over: timedelta) -> Iterator[tuple[Days, Prices]]:
        rows, traded = slice(0, self._row(last) + 1), self._world.traded
        if rows.stop and last - self.reach[0] >= over:
            yield self._days[rows], traded.close[rows] * traded.factor[rows]

    def fields(self, first: date, last: date) -> Mapping[str, Prices]:
        """What is known beside the panel, in its shape: the value of each company, the planted factor, and the planted
        leak, of which the value of a day is known on the next only."""
        rows, columns = self._places(first, last)
        traded = self._world.traded
        factor = planted.planted_factor(traded.close, traded.volume)
        leak = planted.planted_leak(traded.close * traded.factor, seed=self._seed)
        fields = {MARKET_VALUE: traded.worth, planted.FACTOR: factor, planted.LEAK: leak}
        return {name: values[rows, columns] for name, values in fields.items()}

    def index(self, code: str, first: date, last: date) -> IndexSeries | None:
        rows = self._rows(first, last)
        if code not in INDICES or rows.start >= rows.stop:
            return None
        return IndexSeries(code, INDICES[code], self._days[rows], self._index(code)[rows], code == list(INDICES)[1])

    def indices(self) -> Sequence[str]:
        return tuple(INDICES)

    def announcements(self, first: date, last: date) -> tuple[Announcement, ...]:
        """Earnings that came out in that time, by instant."""
        begin, end = (instant_of(datetime.combine(day, time(), ZoneInfo(self._zone))) for day in (first, last + _DAY))
        return tuple(one for one in self._world.happenings.announcements if begin <= one.known_at < end)

    def ratings(self, first: date, last: date) -> tuple[Rating, ...]:
        """Reports dated in that time, by day and broker."""
        world = self._world
        rated = rate(world.days, world.companies, world.happenings, world.traded.traded, seed=self._seed)
        return tuple(rating for rating in rated if first <= rating.day <= last)

    @cached_property
    def _world(self) -> _World:
        companies = found_companies(self._seed)
        happenings = happen(self._days, companies, seed=self._seed, zone=self._zone)
        return _World(self._days, companies, happenings, trade(self._days, companies, happenings, seed=self._seed))

    @cached_property
    def _column(self) -> Mapping[str, int]:
        return {code: at for at, code in enumerate(self._world.companies.codes)}

    def _places(self, first: date, last: date) -> tuple[slice, Rows]:
        """Sessions, and the columns of what is listed on one of them; ConfigurationError where there is none."""
        rows = self._rows(first, last)
        if rows.start >= rows.stop:
            raise ConfigurationError(f"the synthetic market has no session from {first} to {last}")
        return rows, np.flatnonzero(self._world.traded.listed[rows].any(axis=0))

    def _rows(self, first: date, last: date) -> slice:
        begin = int(np.searchsorted(self._days, np.datetime64(first, "D")))
        return slice(begin, self._row(last) + 1)

    def _row(self, day: date) -> int:
        """Of the last session at or before a day, -1 where there is none."""
        return int(np.searchsorted(self._days, np.datetime64(day, "D"), side="right")) - 1

    def _day(self, row: int) -> date:
        day: date = self._days[row].item()
        return day

    def _index(self, code: str) -> Prices:
        levels: Prices = self._world.traded.levels[list(INDICES).index(code)]
        return levels

    def _currency(self, column: int) -> str:
        market = self._world.companies.codes[column][-2:]
        return _B_CURRENCY[market] if self._world.companies.b_shares[column] else "元"

    def _price(self, security: str, row: int, close: float, currency: str) -> Price:
        day = self._day(row)
        return Price(security, day, float(close), currency, "none", self._instant(day, CLOSE))

    def _instant(self, day: date, clock: time) -> Instant:
        return instant_of(datetime.combine(day, clock, ZoneInfo(self._zone)))
