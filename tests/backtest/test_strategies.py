"""What results are held against."""

from dataclasses import replace
from datetime import date

import numpy as np

from finlore.backtest.composite import Scores
from finlore.backtest.strategies import always, following, of_prices
from finlore.records.backtest import Signal
from finlore.records.instant import Instant
from finlore.records.panel import PricePanel
from tests.backtest.markets import market, sessions


def said(*brokers: str) -> list[Signal]:
    day = date(2025, 1, 6)
    return [Signal("0", Instant(at), day, "Fall" if at % 2 else "Rise", 0.9, who) for at, who in enumerate(brokers)]


def test_brokers_are_followed_together_and_alone_from_so_many_ratings_on() -> None:
    found = {one.name: len(one.signals) for one in following(said("a", "b", "b", "c", "c", "", ""), at_least=2)}
    assert list(found.items()) == [("brokers", 7), ("broker:b", 2), ("broker:c", 2)]
    assert list(following([], at_least=1)) == []


def test_a_constant_says_one_thing_of_the_same_calls_and_is_sure_of_nothing() -> None:
    found = always("Fall", said("a", "b"))
    assert found.name == "always-fall"
    assert [(one.at, one.label, one.confidence) for one in found.signals] == [(0, "Fall", None), (1, "Fall", None)]


def test_of_the_whole_universe_only_what_traded_is_called() -> None:
    panel = market(sessions("2025-01-06", 10), *[[10.0] * 10 for _ in range(4)], [10.0] * 4 + [np.nan] * 6)
    rows = np.array([4, 9])
    scores = [Scores(np.array([0.1, 0.4, 0.6, 0.9, np.nan]), 0.5)] * 2
    found = {one.name: one.calls for one in of_prices(panel, rows, scores)}
    assert list(found) == ["equal-weight", "composite", "avoid-worst-fifth", "random-half"]
    assert found["equal-weight"].assets.tolist() == [0, 1, 2, 3] * 2
    assert found["composite"].assets.tolist() == [2, 3] * 2
    assert found["avoid-worst-fifth"].assets.tolist() == [1, 2, 3] * 2
    assert found["composite"].confidence.tolist() == [0.51, 0.54] * 2


def test_chance_draws_the_same_half_every_time() -> None:
    panel = market(sessions("2025-01-06", 5), *[[10.0] * 5 for _ in range(200)])
    scores = [Scores(np.full(200, np.nan), 0.5)]
    first, second = (list(of_prices(panel, np.array([4]), scores)) for _ in range(2))
    assert [one.name for one in first] == ["equal-weight", "random-half"]  # nothing is rated
    assert first[1].calls.assets.tolist() == second[1].calls.assets.tolist()
    assert 70 < len(first[1].calls.assets) < 130


def test_what_is_drawn_of_a_security_in_a_week_depends_on_nothing_beside_it() -> None:
    days, flat = sessions("2025-01-06", 10), [10.0] * 10
    few, more = market(days, *[flat] * 50), market(days, *[flat] * 60)
    newcomers_first = replace(more, codes=(*more.codes[50:], *more.codes[:50]))

    def drawn(panel: PricePanel, *rows: int) -> set[tuple[str, str]]:
        scores = [Scores(np.full(len(panel.codes), np.nan), 0.5)] * len(rows)
        calls = list(of_prices(panel, np.array(rows), scores))[1].calls
        return {(panel.codes[asset], str(day)) for asset, day in zip(calls.assets, calls.days, strict=True)}

    both = drawn(few, 4, 9)
    assert {call for call in drawn(newcomers_first, 4, 9) if int(call[0]) < 50} == both
    assert drawn(few, 9) == {call for call in both if call[1] == days[9]}
    assert {code for code, day in both if day == days[4]} != {code for code, day in both if day == days[9]}
