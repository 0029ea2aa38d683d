"""Ratings by brokers of the synthetic market: a few know something of next week's news, most know nothing."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Final

import numpy as np

from finlore.adapters.market.synthetic.companies import Companies
from finlore.adapters.market.synthetic.happenings import Happenings
from finlore.records.panel import Days, Mask, Prices, week_of

BROKERS: Final = {
    "砚岭证券": 0.5, "桐汀证券": 0.35, "禾渡证券": 0.2, "澄埠证券": 0.0, "朔桥证券": 0.0, "珩湾证券": 0.0,
    "岑浦证券": 0.0, "棠溪证券": 0.0, "甯海证券": 0.0, "翊川证券": 0.0, "泓坪证券": 0.0, "邶原证券": 0.0,
}  # fmt: skip
"""Fictional broker -> its skill: the share of its reports that are written in knowledge of next week's news."""
_GOOD: Final = 1 / 3
"""News that is worth a call, for the better or, negated, for the worse."""
_BUYS: Final = (("买入", 0.55), ("增持", 0.88), ("中性", 0.95), ("减持", 1.0))
_RISES: Final = 0.88
_TITLES: Final = {
    True: (
        "{}：订单回暖，盈利拐点可期",
        "{}：新品放量，份额稳步提升",
        "{}跟踪点评：经营韧性凸显",
        "{}：费用下降，利润弹性释放",
    ),
    False: ("{}：需求走弱，短期承压", "{}：竞争加剧，毛利率下行", "{}跟踪点评：等待库存出清"),
}
_CRAWLED: Final = time(7, 40)


@dataclass(frozen=True, slots=True)
class Rating:
    """A report as a list of ratings has it; `crawled_at` is a time of the market's zone."""

    day: date
    security: str
    name: str
    broker: str
    rating: str
    title: str
    crawled_at: datetime


def rate(days: Days, companies: Companies, happenings: Happenings, traded: Mask, *, seed: int) -> Iterator[Rating]:
    """The reports of every calendar day from the first of `days` to the last, weekends (a few) included."""
    dates = np.arange(days[0], days[-1] + 1)
    for day, week in zip(dates, week_of(dates) - week_of(dates)[0], strict=True):
        row, news = np.searchsorted(days, day, side="right") - 1, happenings.news[week + 1]
        covered = traded[row] & ~companies.b_shares
        chances = np.random.Generator(np.random.PCG64([seed, 7, int(day.astype(np.int64))])).random((len(BROKERS), 6))
        writes = chances[:, 0] < (0.75 if np.is_busday(day) else 0.08)
        for at in np.flatnonzero(writes).tolist():
            broker = list(BROKERS)[at]
            yield _report(day.item(), companies, covered, news, broker=broker, chance=chances[at])


def _report(day: date, companies: Companies, covered: Mask, news: Prices, *, broker: str, chance: Prices) -> Rating:
    rating = next(word for word, share in _BUYS if chance[1] < share)
    rises = bool(chance[1] < _RISES)
    told = covered & ((news if rises else -news) > _GOOD)
    known = np.flatnonzero(told if chance[2] < BROKERS[broker] and told.any() else covered)
    at = int(known[int(chance[3] * len(known))])
    name, titles = companies.names[at], _TITLES[rises]
    title = titles[int(chance[4] * len(titles))].format(name)
    crawled_at = datetime.combine(day + timedelta(days=1 + int(chance[5] * 1.2)), _CRAWLED)
    return Rating(day, companies.codes[at], name, broker, rating, title, crawled_at)
