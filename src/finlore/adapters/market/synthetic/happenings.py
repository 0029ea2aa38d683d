"""What happens to companies of the synthetic market, whatever their prices do: earnings, news, shares and dividends.

Each happening has a day of its own and is drawn by that day's quarter, year or week, so that a market that goes on for
longer has the same ones before.
"""

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Final
from zoneinfo import ZoneInfo

import numpy as np

from finlore.adapters.market.synthetic.companies import Companies, Rows
from finlore.records.instant import Instant, instant_of
from finlore.records.panel import Days, Mask, Prices, week_of

REACTION: Final = 0.05
"""What the largest surprise does to a price in the first session that opens after it is known; …"""
DRIFT: Final = 0.0015
DRIFT_SESSIONS: Final = 10
"""… and in each of so many next ones."""
NEWS: Final = 0.03
"""What the best news of a week does to a price in five sessions."""
_SLIDE: Final = -0.02
_SLIDE_SESSIONS: Final = 55
_LAGS: Final = {3: (14, 30), 6: (30, 61), 9: (10, 30), 12: (50, 119)}
"""Month in which a period ends -> first and last of the days after it on which its earnings come out."""


@dataclass(frozen=True, slots=True)
class Announcement:
    """Earnings of a period that ended on `period`, known from an evening weeks later. `surprise` from -1 to 1: the
    price follows its sign on the next session and drifts the same way for ten more."""

    security: str
    period: date
    known_at: Instant
    surprise: float


@dataclass(frozen=True, slots=True, eq=False)
class Happenings:
    """`drift` (n, m): what of each session's return has a cause, known factors apart. `news` (weeks, m) from -1 to 1,
    by `week` (n,) of the sessions and for the week after the last. `cash` (n, m), a share of the price, and `bonus`
    (n, m), new shares for an old one, go to those who held at the close before."""

    drift: Prices
    news: Prices
    week: Rows
    cash: Prices
    bonus: Prices
    announcements: tuple[Announcement, ...]


def happen(days: Days, companies: Companies, *, seed: int, zone: str) -> Happenings:
    """Everything that happens on `days`, the sessions from the first on."""
    n, m = len(days), len(companies.codes)
    week = week_of(days) - week_of(days)[0]
    drawn = np.random.Generator(np.random.PCG64([seed, 2])).random((int(week[-1]) + 2, m))
    news = 2 * drawn - 1
    drift = NEWS / 5 * news[week]
    rows = np.arange(n)[:, None]
    drift += _SLIDE * ((rows >= companies.end_row - _SLIDE_SESSIONS) & (rows < companies.end_row))
    _move_once(drift, companies.halted_to, companies.jumps)
    _move_once(drift, np.where(companies.age > 0, n, companies.first_row)[:, None], companies.pops[:, None])
    announcements = _announce(days, companies, drift, seed=seed, zone=zone)
    cash, bonus = _distribute(days, m, seed=seed)
    return Happenings(drift, news, week, cash, bonus, announcements)


def _move_once(drift: Prices, rows: Rows, moves: Prices) -> None:
    """Add moves (m, k) on their rows (m, k), where there are such."""
    assets, at = np.nonzero(rows < len(drift))
    drift[rows[assets, at], assets] += moves[assets, at]


def _announce(days: Days, companies: Companies, drift: Prices, *, seed: int, zone: str) -> tuple[Announcement, ...]:
    """The announcements up to the last day, by instant; their effect is added to `drift`."""
    listed = companies.is_listed(len(days))
    told: list[Announcement] = []
    for period in _quarters(days[0].item() - timedelta(days=180), days[-1].item()):
        draw = np.random.Generator(np.random.PCG64([seed, 3, period.toordinal()]))
        first, last = _LAGS[period.month]
        lags, minutes, surprises = draw.random((3, len(companies.codes)))
        evenings = np.datetime64(period) + (first + (lags * (last - first + 1)).astype(np.int64))
        after = np.searchsorted(days, evenings, side="right")
        reached = (evenings >= days[0]) & (evenings <= days[-1])
        for at in np.flatnonzero(reached & listed[np.maximum(after - 1, 0), np.arange(len(lags))]).tolist():
            moment = datetime.combine(evenings[at].item(), datetime.min.time(), ZoneInfo(zone))
            moment = moment.replace(hour=17, minute=int(minutes[at] * 60))
            surprise = round(2 * float(surprises[at]) - 1, 3)
            told.append(Announcement(companies.codes[at], period, instant_of(moment), surprise))
            drift[after[at] : after[at] + 1, at] += REACTION * surprise
            drift[after[at] + 1 : after[at] + 1 + DRIFT_SESSIONS, at] += DRIFT * surprise
    return tuple(sorted(told, key=lambda one: (one.known_at, one.security, one.period)))


def _quarters(first: date, last: date) -> list[date]:
    """Ends of quarters between two days."""
    begins = [date(year, month, 1) for year in range(first.year, last.year + 2) for month in (1, 4, 7, 10)]
    ends = [begin - timedelta(days=1) for begin in begins]
    return [end for end in ends if first <= end <= last]


def _distribute(days: Days, m: int, *, seed: int) -> tuple[Prices, Prices]:
    """Cash (share of the price) and new shares (n, m): once a year between May and July, of most companies."""
    cash, bonus = np.zeros((2, len(days), m))
    for year in range(days[0].item().year, days[-1].item().year + 1):
        drawn = np.random.Generator(np.random.PCG64([seed, 4, year])).random((4, m))
        ex_days = np.datetime64(date(year, 5, 15)) + (drawn[0] * 75).astype(np.int64)
        rows = np.searchsorted(days, ex_days)
        fits: Mask = (ex_days >= days[0]) & (rows < len(days))
        assets = np.flatnonzero(fits)
        cash[rows[fits], assets] = np.where(drawn[1] < 0.75, 0.035 * drawn[2], 0.0)[fits]
        bonus[rows[fits], assets] = np.select([drawn[3] < 0.04, drawn[3] < 0.15], [1.0, 0.4])[fits]
    return cash, bonus
