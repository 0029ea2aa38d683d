"""A few brokers of the synthetic market know something."""

from datetime import date, timedelta
from functools import cache

import numpy as np
import pytest

from finlore import resources
from finlore.adapters.market.synthetic.ratings import BROKERS, Rating
from tests.adapters.market.synthetic.markets import FIRST, LAST, market, panel, week_ends


@cache
def reports() -> tuple[Rating, ...]:
    return market().ratings(FIRST, LAST)


def gains(weeks_later: int) -> dict[str, np.ndarray]:
    """Broker -> (k,) what each of its calls gained over the other securities in a week after that of the report."""
    p, ends = panel(), week_ends(panel())
    levels = (p.close * p.factor)[ends]
    over = levels[1:] / levels[:-1] - 1
    over -= np.nanmean(over, axis=1, keepdims=True)
    column = {code: at for at, code in enumerate(p.codes)}
    found: dict[str, list[float]] = {broker: [] for broker in BROKERS}
    for one in reports():
        monday = np.datetime64(one.day - timedelta(days=one.day.weekday()))
        week = int(np.searchsorted(p.days[ends], monday)) + weeks_later - 1  # `over` begins with the second week
        if 0 <= week < len(over) and np.isfinite(gain := over[week, column[one.security]]):
            found[one.broker].append(gain if one.rating in ("买入", "增持") else -gain)
    return {broker: np.array(of) for broker, of in found.items()}


def test_calls_of_skilled_brokers_gain_by_their_skill_and_those_of_others_nothing() -> None:
    for broker, of in gains(1).items():
        error = of.std() / np.sqrt(len(of))
        assert abs(of.mean() - 0.02 * BROKERS[broker]) < 3 * error, broker
        assert of.mean() > 3 * error or BROKERS[broker] < 0.5, broker


@pytest.mark.parametrize("weeks_later", [-1, 0, 2])
def test_nobody_knows_anything_of_other_weeks(weeks_later: int) -> None:
    of = np.concatenate([gained for broker, gained in gains(weeks_later).items() if BROKERS[broker]])
    assert abs(of.mean()) < 3 * of.std() / np.sqrt(len(of))


def test_skill_is_rare() -> None:
    assert sum(skill > 0 for skill in BROKERS.values()) <= len(BROKERS) / 4


def test_reports_are_crawled_after_their_day_and_name_what_was_traded() -> None:
    p = panel()
    assert len(reports()) > 4_000
    assert any(one.day.weekday() >= 5 for one in reports())
    for one in reports():
        assert one.crawled_at.date() > one.day
        row = int(np.searchsorted(p.days, np.datetime64(one.day), side="right")) - 1
        assert row < 0 or p.traded[row, p.codes.index(one.security)]


def test_most_reports_recommend_to_buy() -> None:
    assert 0.8 < np.mean([one.rating in ("买入", "增持") for one in reports()]) < 0.95


def test_a_span_of_days_has_its_own_reports_only() -> None:
    some = market().ratings(date(2024, 3, 1), date(2024, 3, 31))
    assert some == tuple(one for one in reports() if one.day.isoformat().startswith("2024-03"))


def test_brokers_are_nobodys() -> None:
    known = {name for _, name, _, _ in resources.load_rows("names/brokers.tsv", 4)}
    assert not known & set(BROKERS)
