from dataclasses import replace

import numpy as np

from finlore.backtest.calls import calls_of
from finlore.backtest.simulate import simulate
from finlore.records.backtest import Label, Signal
from finlore.records.panel import PricePanel
from tests.backtest.markets import FREE, HOUR, instant, market, sessions, walks
from tests.backtest.truncation import as_known, first_change

DAYS = sessions("2024-01-02", 20)
PANEL = walks(20, 5, first=DAYS[0])


def signal(panel: PricePanel, row: int, security: int, *, at: int, label: Label = "Rise") -> Signal:
    return Signal(panel.codes[security], at, panel.days[row].item(), label)


def momentum(panel: PricePanel) -> list[Signal]:
    """At each close, what has risen that day."""
    risen = np.argwhere(panel.close[1:] > panel.close[:-1])
    return [signal(panel, row + 1, security, at=int(panel.known_at[row + 1])) for row, security in risen.tolist()]


def clairvoyant(panel: PricePanel) -> list[Signal]:
    """Stamped today, made of tomorrow's return."""
    will_rise = np.argwhere(panel.close[1:] > panel.close[:-1])
    return [signal(panel, row, security, at=int(panel.known_at[row])) for row, security in will_rise.tolist()]


def at_noon(panel: PricePanel) -> list[Signal]:
    """Stamped before the close of which it is made."""
    return [replace(said, at=said.at - 3 * HOUR) for said in momentum(panel)]


def test_what_looks_back_does_not_change() -> None:
    assert first_change(momentum, PANEL) is None


def test_signals_made_of_tomorrows_returns_are_caught_on_their_first_day() -> None:
    assert first_change(clairvoyant, PANEL) == min(clairvoyant(PANEL), key=lambda one: (one.at, one.security))


def test_the_planted_future_would_have_made_money() -> None:
    panel = walks(120, 20, first=DAYS[0])

    def made(signals: list[Signal], *, earlier: int = 0) -> float:
        """By those of Mondays, bought at their close."""
        mondays = [one for one in signals if one.day.weekday() == 0]
        calls = calls_of([replace(one, at=one.at - earlier) for one in mondays], panel)
        return float(simulate(panel, calls, replace(FREE, entry="close")).gross[-1])

    assert made(clairvoyant(panel), earlier=1) > made(momentum(panel), earlier=1) + 0.05


def test_a_signal_stamped_before_the_close_that_it_needs_is_caught() -> None:
    assert first_change(at_noon, PANEL) == min(at_noon(PANEL), key=lambda one: (one.at, one.security))


def test_a_signal_that_only_hindsight_takes_back_is_caught() -> None:
    assert first_change(lambda panel: momentum(panel)[len(panel.days) == len(DAYS) :], PANEL) == momentum(PANEL)[0]


def test_during_a_session_one_knows_its_opens_alone() -> None:
    before, during, after = (as_known(PANEL, instant(f"{DAYS[4]} {hour}")) for hour in ("09:00", "10:00", "15:00"))
    assert [len(known.days) for known in (before, during, after)] == [5, 5, 5]
    assert [np.isnan(known.open[4]).all() for known in (before, during, after)] == [True, False, False]
    assert [np.isnan(known.close[4]).all() for known in (before, during, after)] == [True, True, False]
    assert not during.traded[4].any()
    assert (during.close[:4] == PANEL.close[:4]).all()


def test_nobody_knows_of_a_delisting_to_come() -> None:
    days = np.array([DAYS[10], DAYS[3], "NaT", "NaT", "NaT"], "datetime64[D]")
    known = as_known(replace(PANEL, delisted=days), instant(f"{DAYS[5]} 15:00"))
    assert np.isnat(known.delisted).tolist() == [True, False, True, True, True]


def test_before_the_first_session_nothing_is_known() -> None:
    known = as_known(PANEL, instant("2023-12-29 12:00"))
    assert np.isnan(known.open).all()
    assert len(as_known(market([], []), instant("2023-12-29 12:00")).days) == 0
