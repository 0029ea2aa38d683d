"""Where backtests go wrong: what the engine makes of each."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from finlore.backtest.simulate import simulate
from finlore.records.backtest import PAPER, STRICT, Calls, Rules, Simulation
from finlore.records.panel import PricePanel
from tests.backtest.markets import FREE, any_rules, instant, market, said, scattered_calls, sessions, troubled_markets

DAYS = sessions("2024-01-01", 20)  # Mondays are 0, 5, 10, 15
CALL = f"{DAYS[1]} 14:00"  # bought on day 2, sold on day 9
FLAT = [10.0] * 20
SPRING_2024 = ["2024-02-05", "2024-02-06", "2024-02-07", "2024-02-08", *sessions("2024-02-19", 10)]
GOLDEN_2024 = [*sessions("2024-09-23", 5), "2024-09-30", *sessions("2024-10-08", 9)]
SPRING_2025 = [*sessions("2025-01-20", 5), "2025-01-27", *sessions("2025-02-05", 8)]
"""Sessions of the XSHG around its holidays."""


def bought_and_sold(days: list[str], calls: Calls, rules: Rules) -> list[tuple[str, str]]:
    done = simulate(market(days, [10.0] * len(days)), calls, rules)
    pairs = zip(done.entered.tolist(), done.left.tolist(), strict=True)
    return [("" if entry < 0 else days[entry], "" if exit_ < 0 else days[exit_]) for entry, exit_ in pairs]


def trade(panel: PricePanel, *calls: tuple[int, str] | tuple[int, str, int]) -> Simulation:
    return simulate(panel, said(*(calls or [(0, CALL)])), replace(FREE, sleeves=1))


class TestWhenACallCounts:
    @pytest.mark.parametrize(
        ("at", "strictly", "in_the_paper"),  # days of January
        [
            ("2024-01-02 14:59", ("03", "12"), ("03", "12")),
            ("2024-01-02 15:00:00", ("03", "12"), ("03", "12")),  # said by the close, it belongs to the day
            ("2024-01-02 15:00:01", ("04", "12"), ("03", "12")),  # after it, to the next; in the paper the date counts
            ("2024-01-02 15:01", ("04", "12"), ("03", "12")),
            ("2024-01-02 23:59:59", ("04", "12"), ("03", "12")),  # a bare date
            ("2024-01-05 18:00", ("09", "19"), ("08", "12")),  # Friday evening: to Monday, and to Monday's week
            ("2024-01-06 11:00", ("09", "19"), ("08", "12")),  # Saturday; in the paper it ends a week
            ("2024-01-08 09:00", ("09", "19"), ("09", "19")),
        ],
    )
    def test_by_the_clock_it_belongs_to_the_first_close_that_is_not_before_it(
        self, at: str, strictly: tuple[str, str], in_the_paper: tuple[str, str]
    ) -> None:
        for rules, (entry, exit_) in ((STRICT, strictly), (PAPER, in_the_paper)):
            assert bought_and_sold(DAYS, said((0, at)), rules) == [(f"2024-01-{entry}", f"2024-01-{exit_}")]

    def test_crawled_before_its_printed_date_it_counts_from_when_it_was_in_hand(self) -> None:
        calls = replace(said((0, "2024-01-02 10:00")), days=np.array(["2024-01-10"], "datetime64[D]"))
        assert bought_and_sold(DAYS, calls, STRICT) == [("2024-01-03", "2024-01-12")]
        assert bought_and_sold(DAYS, calls, PAPER) == [("2024-01-11", "2024-01-19")]

    def test_made_of_a_close_it_is_not_bought_at_that_close(self) -> None:
        at_close = replace(STRICT, entry="close")
        assert bought_and_sold(DAYS, said((0, "2024-01-02 15:00")), at_close) == [("2024-01-03", "2024-01-12")]
        assert bought_and_sold(DAYS, said((0, "2024-01-02 14:59")), at_close) == [("2024-01-02", "2024-01-12")]

    def test_made_at_an_open_it_is_not_bought_at_that_open(self) -> None:
        at_open = replace(STRICT, entry="open")
        assert bought_and_sold(DAYS, said((0, "2024-01-02 09:30")), at_open) == [("2024-01-03", "2024-01-12")]
        assert bought_and_sold(DAYS, said((0, "2024-01-02 09:29")), at_open) == [("2024-01-02", "2024-01-12")]

    @pytest.mark.parametrize("rules", [STRICT, PAPER])
    def test_made_long_before_the_data_begin_it_is_not_bought_on_their_first_day(self, rules: Rules) -> None:
        done = simulate(market(DAYS, FLAT), said((0, "2019-06-03 10:00")), rules)
        assert (done.states, done.entered.tolist(), done.gross[-1]) == (("before_the_start",), [-1], 1.0)

    def test_made_on_the_last_day_it_is_not_bought(self) -> None:
        done = trade(market(DAYS, FLAT), (0, f"{DAYS[-1]} 10:00"))
        assert (done.states, done.entered.tolist(), done.left.tolist()) == (("after_the_end",), [-1], [-1])


class TestWeeksWithoutSessions:
    def test_the_following_week_is_the_next_that_has_any(self) -> None:
        calls = said((0, "2024-02-06 10:00"), (0, "2024-02-08 16:00"))
        traded = bought_and_sold(SPRING_2024, calls, STRICT)
        assert traded == [("2024-02-07", "2024-02-23"), ("2024-02-20", "2024-03-01")]

    def test_in_the_paper_a_call_of_the_week_before_has_no_exit(self) -> None:
        done = simulate(market(SPRING_2024, [10.0] * 14), said((0, "2024-02-06 10:00"), (0, "2024-02-19 10:00")), PAPER)
        assert done.states == ("no_exit", "closed")
        assert done.counts == {"no_exit": 1, "closed": 1}

    def test_in_the_paper_a_call_of_the_week_itself_is_sold_after_it(self) -> None:
        assert bought_and_sold(SPRING_2024, said((0, "2024-02-14 10:00")), PAPER) == [("2024-02-19", "2024-02-23")]


WEEKS_OF_ONE_SESSION = [
    (GOLDEN_2024, "2024-09-27", "2024-09-30", "2024-10-11"),
    (SPRING_2025, "2025-01-24", "2025-01-27", "2025-02-07"),
]


class TestAWeekOfOneSession:
    @pytest.mark.parametrize(("days", "friday", "alone"), [week[:3] for week in WEEKS_OF_ONE_SESSION])
    def test_in_the_paper_it_buys_and_sells_at_one_close_and_makes_nothing(
        self, days: list[str], friday: str, alone: str
    ) -> None:
        calls = said((0, f"{friday} 10:00"))
        assert bought_and_sold(days, calls, PAPER) == [(alone, alone)]
        done = simulate(market(days, np.linspace(10, 20, len(days))), calls, PAPER)
        assert done.gross.tolist() == [1.0] * len(days)
        assert done.returns.tolist() == [0.0]
        assert (done.states, done.turnover.sum(), done.breadth.sum()) == (("closed",), 0.0, 0)
        assert done.counts == {"closed": 1, "bought and sold at one close": 1}

    @pytest.mark.parametrize(("days", "friday", "alone", "next_end"), WEEKS_OF_ONE_SESSION)
    def test_strictly_what_is_bought_is_sold_when_the_week_after_ends(
        self, days: list[str], friday: str, alone: str, next_end: str
    ) -> None:
        assert bought_and_sold(days, said((0, f"{friday} 10:00")), STRICT) == [(alone, next_end)]


class TestSuspensions:
    def test_nothing_is_bought_of_what_does_not_trade(self) -> None:
        panel = market(DAYS, FLAT[:2] + [np.nan] * 2 + FLAT[4:])
        assert trade(panel).states == ("suspended",)
        assert trade(replace(panel, close=np.array([FLAT]).T)).states == ("suspended",)  # a price carried forward

    def test_a_price_carried_forward_at_its_limit_is_that_of_a_suspended_one(self) -> None:
        panel = market(DAYS, FLAT)
        for limits, traded, day in ((panel.upper, panel.traded, 2), (panel.lower, panel.traded, 9)):
            limits[day], traded[day] = 10.0, False
        assert trade(panel).states == ("suspended",)
        panel.traded[2], panel.upper[2] = True, np.nan
        assert trade(panel).counts == {"closed": 1, "exit suspended": 1}

    def test_suspended_through_entry_and_exit_it_is_never_bought(self) -> None:
        done = trade(market(DAYS, FLAT[:2] + [np.nan] * 12 + [30.0] * 6))
        assert (done.states, done.gross[-1], done.counts) == (("suspended",), 1.0, {"suspended": 1})

    def test_it_is_sold_when_trading_resumes_with_the_jump_as_its_return(self) -> None:
        done = trade(market(DAYS, [10.0] * 5 + [np.nan] * 8 + [5.0] + [99.0] * 6))
        assert done.gross[4:15].tolist() == [1.0] * 9 + [0.5] * 2
        assert done.breadth[[9, 12, 13]].tolist() == [1, 1, 0]
        assert done.counts == {"closed": 1, "exit suspended": 1}

    def test_never_resumed_it_is_held_at_its_last_close(self) -> None:
        done = trade(market(DAYS, [10.0] * 5 + [20.0] + [np.nan] * 14))
        assert (done.states, done.gross[-1], done.breadth[-1]) == (("held",), 2.0, 1)
        assert done.counts == {"held": 1, "exit suspended": 1}

    def test_what_cannot_be_sold_is_not_cut_either(self) -> None:
        panel = market(DAYS, [10.0] * 3 + [np.nan] * 4 + [10.0] * 13, FLAT)
        done = trade(panel, (0, CALL), (1, f"{DAYS[2]} 14:00"))
        assert done.turnover[3] == 0.0
        assert done.gross.tolist() == [1.0] * 20

    def test_nothing_befalls_a_position_that_was_never_bought(self) -> None:
        panel = market(DAYS, [10.0] * 2 + [11.0] + [10.0] * 6 + [np.nan] + [10.0] * 10)
        panel.upper[2] = 11.0
        assert trade(panel).counts == {"at_limit": 1}


class TestLimits:
    def limited(self, **at: tuple[int, float]) -> PricePanel:
        panel = market(DAYS, FLAT)
        columns = {name: np.full((20, 1), np.nan) for name in at}
        for name, (day, price) in at.items():
            columns[name][day] = price
        return replace(panel, **columns)  # type: ignore[arg-type]

    def test_at_its_upper_limit_nothing_is_bought(self) -> None:
        done = trade(self.limited(upper=(2, 10.0)))
        assert (done.states, done.gross[-1], done.turnover.sum()) == (("at_limit",), 1.0, 0.0)

    def test_at_its_upper_limit_one_can_sell(self) -> None:
        assert trade(self.limited(upper=(9, 10.0))).breadth.tolist() == [0] * 2 + [1] * 7 + [0] * 11

    def test_at_its_lower_limit_one_can_buy(self) -> None:
        assert trade(self.limited(lower=(2, 10.0))).states == ("closed",)

    def test_at_its_lower_limit_it_is_sold_a_day_later(self) -> None:
        done = trade(self.limited(lower=(9, 10.0)))
        assert done.breadth.tolist() == [0] * 2 + [1] * 8 + [0] * 10
        assert done.counts == {"closed": 1, "exit at the limit": 1}

    def test_bought_at_the_open_it_is_the_open_that_must_not_be_at_the_limit(self) -> None:
        panel = self.limited(upper=(2, 11.0))
        panel.open[2], panel.close[2] = 10.5, 11.0
        calls, at_open = said((0, CALL)), replace(FREE, entry="open")
        assert simulate(panel, calls, at_open).states == ("closed",)
        panel.open[2] = 11.0
        assert simulate(panel, calls, at_open).states == ("at_limit",)

    def test_what_falls_to_its_limit_after_the_open_could_be_cut_at_the_open(self) -> None:
        panel = market(DAYS, FLAT, FLAT)
        panel.lower[3, 0] = panel.close[3, 0] = 9.0
        done = simulate(panel, said((0, CALL), (1, f"{DAYS[2]} 14:00")), replace(FREE, entry="open", sleeves=1))
        assert done.breadth[3] == 2

    def test_who_buys_at_the_open_does_not_know_the_close(self) -> None:
        rises_after_the_open = market(DAYS, FLAT[:3] + [20.0] * 17, FLAT)
        calls, rules = said((0, CALL), (1, f"{DAYS[2]} 14:00")), replace(FREE, entry="open", sleeves=1)
        assert simulate(rises_after_the_open, calls, rules).gross[3] == pytest.approx(0.5 * 2 + 0.5)
        no_open = np.where(np.arange(20)[:, None] == 3, np.nan, rises_after_the_open.open)
        no_open[:, 1] = 10.0
        assert simulate(replace(rises_after_the_open, open=no_open), calls, rules).gross[3] == pytest.approx(2.0)

    def test_the_paper_knows_no_limits(self) -> None:
        done = simulate(self.limited(upper=(2, 10.0), lower=(9, 10.0)), said((0, CALL)), PAPER)
        assert (done.states, done.left.tolist()) == (("closed",), [9])


class TestDelistings:
    def delisted(self, day: int) -> PricePanel:
        prices = [10.0] * 20
        return replace(
            market(DAYS, prices[: day + 1] + [np.nan] * (19 - day)), delisted=np.array([DAYS[day]], "datetime64[D]")
        )

    def test_what_is_delisted_while_held_is_paid_out_the_day_after_less_the_haircut(self) -> None:
        done = trade(self.delisted(5))
        assert done.gross[[5, 6, 19]].tolist() == [1.0, 0.5, 0.5]
        assert done.breadth[[5, 6]].tolist() == [1, 0]
        assert done.counts == {"closed": 1, "delisted while held": 1}
        assert done.returns.tolist() == [-0.5]

    def test_it_is_not_bought_any_more(self) -> None:
        assert trade(self.delisted(1)).states == ("no_bar",)

    def test_a_price_after_the_last_day_is_none(self) -> None:
        ghost = replace(market(DAYS, FLAT), delisted=np.array([DAYS[5]], "datetime64[D]"))
        assert trade(ghost).gross[-1] == 0.5
        assert trade(ghost, (0, f"{DAYS[6]} 10:00")).states == ("no_bar",)

    def test_delisted_after_the_exit_it_costs_nothing(self) -> None:
        assert trade(self.delisted(9)).counts == {"closed": 1}


class TestPrices:
    def test_a_split_is_not_a_loss(self) -> None:
        factor = np.array([[1.0] * 5 + [2.0] * 15]).T
        done = trade(replace(market(DAYS, [10.0] * 5 + [5.0] * 15), factor=factor))
        assert done.gross.tolist() == [1.0] * 20
        assert done.returns.tolist() == [0.0]

    def test_a_split_does_not_move_the_limits_of_the_price(self) -> None:
        panel = replace(market(DAYS, [10.0] * 2 + [5.0] * 18), factor=np.array([[1.0] * 2 + [2.0] * 18]).T)
        assert trade(replace(panel, upper=np.full((20, 1), 5.5))).states == ("closed",)

    @pytest.mark.parametrize("price", [np.nan, 0.0, -3.0, np.inf])
    def test_what_is_no_price_is_neither_paid_nor_counted(self, price: float) -> None:
        not_bought = trade(market(DAYS, [*FLAT[:2], price, *FLAT[3:]]))
        assert (not_bought.states, not_bought.gross[-1]) == (("suspended",), 1.0)
        held = trade(market(DAYS, [*FLAT[:5], price, *FLAT[6:]]))
        assert held.gross.tolist() == [1.0] * 20
        sold_later = trade(market(DAYS, FLAT[:9] + [price] + [20.0] * 10))
        assert sold_later.gross[[8, 9, 10]].tolist() == [1.0, 1.0, 2.0]

    @pytest.mark.parametrize("factor", [np.nan, 0.0, np.inf])
    def test_a_price_without_a_factor_is_none(self, factor: float) -> None:
        factors = np.ones((20, 1))
        factors[2] = factor
        assert trade(replace(market(DAYS, FLAT), factor=factors)).states == ("suspended",)

    def test_before_the_first_price_nothing_is_bought(self) -> None:
        assert trade(market(DAYS, [np.nan] * 4 + FLAT[4:])).states == ("no_bar",)


class TestCalls:
    def test_one_that_is_repeated_buys_nothing_more(self) -> None:
        once, twice = trade(market(DAYS, FLAT), (0, CALL)), trade(market(DAYS, FLAT), (0, CALL), (0, CALL))
        assert twice.states == ("closed", "repeated")
        assert twice.turnover.tolist() == once.turnover.tolist()

    def test_one_on_what_is_held_lets_it_stand_longer(self) -> None:
        done = trade(market(DAYS, FLAT), (0, CALL), (0, f"{DAYS[6]} 10:00"))
        assert done.states == ("closed", "prolonged")
        assert done.breadth.tolist() == [0] * 2 + [1] * 12 + [0] * 6
        assert done.turnover.sum() == 2.0

    def test_one_that_is_bought_where_another_is_sold_lets_it_stand(self) -> None:
        done = trade(market(DAYS, FLAT), (0, CALL), (0, f"{DAYS[8]} 10:00"))
        assert (done.states, done.turnover.sum()) == (("closed", "prolonged"), 2.0)

    def test_even_at_the_upper_limit_what_is_held_stands_longer(self) -> None:
        panel = market(DAYS, FLAT)
        panel.upper[7] = 10.0
        assert trade(panel, (0, CALL), (0, f"{DAYS[6]} 10:00")).states == ("closed", "prolonged")

    def test_blocked_on_one_day_it_may_be_called_again_on_the_next(self) -> None:
        panel = market(DAYS, FLAT)
        panel.upper[2] = 10.0
        assert trade(panel, (0, CALL), (0, f"{DAYS[2]} 10:00")).states == ("at_limit", "closed")

    def test_those_of_a_session_that_contradict_one_another_are_not_traded(self) -> None:
        done = trade(market(DAYS, FLAT), (0, f"{DAYS[1]} 10:00"), (0, CALL, -1), (0, f"{DAYS[2]} 10:00"))
        assert done.states == ("conflict", "fall", "closed")

    def test_a_fall_is_not_sold_short_but_its_return_is_told(self) -> None:
        done = trade(market(DAYS, [10.0] * 5 + [5.0] * 15), (0, CALL, -1))
        assert (done.states, done.gross[-1], done.returns.tolist()) == (("fall",), 1.0, [-0.5])

    def test_one_on_an_unknown_security_is_counted(self) -> None:
        done = trade(market(DAYS, FLAT, FLAT), (-1, CALL), (2, CALL), (-1, CALL, -1))
        assert done.states == ("unknown_security",) * 3
        assert np.isnan(done.returns).all()


class TestTheEndOfTheData:
    def test_a_last_week_that_goes_on_is_not_sold_yet(self) -> None:
        panel, calls = market(DAYS[:8], FLAT[:8]), said((0, CALL))
        assert simulate(panel, calls, STRICT).states == ("closed",)
        done = simulate(panel, calls, STRICT, week_goes_on=True)
        assert (done.states, done.left.tolist(), done.breadth[-1]) == (("held",), [-1], 1)
        assert simulate(panel, calls, PAPER, week_goes_on=True).states == ("held",)

    def test_what_is_sold_next_week_is_held(self) -> None:
        assert simulate(market(DAYS[:5], FLAT[:5]), said((0, CALL)), STRICT).states == ("held",)


@settings(max_examples=100, deadline=None)
@given(st.data(), any_rules(), st.integers(0, 23))
def test_what_happens_later_changes_nothing_before_to_the_bit(data: st.DataObject, rules: Rules, row: int) -> None:
    panel = data.draw(troubled_markets())
    row = min(row, len(panel.days) - 1)
    calls = data.draw(scattered_calls(panel))
    other_panel, other_calls = another_future(panel, row), data.draw(scattered_calls(panel))
    known = said_by(calls, panel, row, rules)
    changed = joined(calls, known, other_calls, ~said_by(other_calls, panel, row, rules))
    one, other = simulate(panel, calls, rules), simulate(other_panel, changed, rules)
    for name in ("gross", "net", "exposure", "breadth", "turnover"):
        assert getattr(one, name)[: row + 1].tolist() == getattr(other, name)[: row + 1].tolist(), name


def another_future(panel: PricePanel, row: int) -> PricePanel:
    """The sessions after `row` in reverse order, at other prices; who is delisted then, is not."""

    def turned(values: np.ndarray) -> np.ndarray:
        return np.concatenate([values[: row + 1], values[row + 1 :][::-1] * 1.7])

    kept = panel.delisted <= panel.days[row]
    return replace(
        panel, open=turned(panel.open), close=turned(panel.close), upper=turned(panel.upper),
        lower=turned(panel.lower), factor=turned(panel.factor), traded=turned(panel.traded) > 0,
        delisted=np.where(kept, panel.delisted, np.datetime64("NaT")),
    )  # fmt: skip


def said_by(calls: Calls, panel: PricePanel, row: int, rules: Rules) -> np.ndarray:
    """Which calls had been made by the close of a session, or were dated so where that is what counts."""
    return calls.at <= panel.known_at[row] if rules.rolls_by_clock else calls.days <= panel.days[row]


def joined(first: Calls, some: np.ndarray, second: Calls, others: np.ndarray) -> Calls:
    columns = ("assets", "signs", "at", "days", "confidence")
    return Calls(*(np.concatenate([getattr(first, name)[some], getattr(second, name)[others]]) for name in columns))


def test_an_instant_of_shanghai_is_eight_hours_before_that_of_greenwich() -> None:
    assert instant("1970-01-01 08:00") == 0
