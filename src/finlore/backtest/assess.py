"""What came out of one strategy: a simulation -> its results."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from finlore.backtest import measures, significance
from finlore.backtest.attribution import attribution
from finlore.backtest.calls import Candidate, contradicted, probabilities
from finlore.backtest.industries import Classes
from finlore.backtest.measures import NAN, returns_of
from finlore.backtest.quotes import Quotes
from finlore.backtest.results import EquityCurve, EventReturn, IndustryShares, Performance, Period, StrategyResult
from finlore.backtest.schedule import heard
from finlore.backtest.significance import FEWEST_WEEKS, Interval
from finlore.backtest.weeks import last_of_week
from finlore.records.backtest import Calls, Rules, Simulation
from finlore.records.panel import Days, IndexSeries, Mask, PricePanel, Prices, week_of

UNKNOWN: Final = Interval(NAN, NAN)
_OFFSETS: Final = (-6, -1, 0, 1)  # sessions around the one in which a call is heard
_MONTHS_SHOWN: Final = 24
FEWEST_TRADED: Final = 10  # calls
FORESEEN: Final = "dated before it was known"
_TRADED: Final = ("closed", "held", "prolonged")


@dataclass(frozen=True, slots=True, eq=False)
class Setup:
    """What all strategies of a backtest share. `panel` has the sessions of the test, `levels` (n, m) those of `history`
    too, carried over days without a bar; `first`: the row of it that is the first of the panel.
    `quotes`: of the panel."""

    panel: PricePanel
    rules: Rules
    history: PricePanel
    levels: Prices
    first: int
    benchmarks: Mapping[str, IndexSeries]
    industries: Classes
    quotes: Quotes


def assess(candidate: Candidate, done: Simulation, setup: Setup) -> StrategyResult:
    """All that one strategy tells by itself; what depends on other trials (`dsr`, `percentile`) is NaN."""
    calls = candidate.calls
    by_clock = setup.rules.rolls_by_clock
    weeks = _weeks_of(calls, heard(setup.panel, calls, by_clock=by_clock), setup)
    curve, gross = _curve(done, done.net), _curve(done, done.gross)
    returns = returns_of(curve.values)
    bought = np.isin(done.states, _TRADED)
    is_long = len(returns) >= FEWEST_WEEKS and int(bought.sum()) >= FEWEST_TRADED
    made = np.where(contradicted(calls, done.entered), np.nan, done.returns)
    said = probabilities(calls)
    known = np.isfinite(made)
    correct = np.where(known, np.sign(made) == calls.signs, np.nan)
    holds = done.breadth > 0
    area, area_interval, _ = weekly_areas(np.where(known, said, np.nan), made > 0, weeks)
    hits = measures.hits(calls.signs, made)
    foreseen = {FORESEEN: candidate.foreseen} if candidate.foreseen else {}
    benchmarks = {code: levels_at(series, curve.days) for code, series in setup.benchmarks.items()}
    return StrategyResult(
        name=candidate.name,
        description=candidate.description,
        n_signals=len(calls.signs),
        n_rises=int((calls.signs > 0).sum()),
        net=performance(curve.values, annualised=is_long),
        gross=performance(gross.values, annualised=is_long),
        hits=hits,
        traded=measures.hits(calls.signs[bought], done.returns[bought]),
        capacity=measures.capacity(*_purchases(calls, done, setup.panel)),
        attribution=attribution(calls, done, setup.quotes, setup.industries, weeks),
        accuracy=significance.clustered(correct, weeks, least=0.0, most=1.0),
        effective_n=measures.quotient(hits.n, significance.design_effect(correct, weeks)),
        brier=measures.brier(said[known], made[known] > 0),
        auc=area,
        auc_interval=area_interval,
        sharpe_interval=significance.sharpe_interval(returns) if is_long else UNKNOWN,
        psr=significance.probabilistic_sharpe(returns) if is_long else NAN,
        dsr=NAN,
        percentile=NAN,
        beside={code: _relative(returns, returns_of(values), is_long) for code, values in benchmarks.items()},
        over_exposure={code: _over_exposure(done, series) for code, series in setup.benchmarks.items()},
        turnover=measures.quotient(float(done.turnover.sum()) / 2.0, len(curve.days)),
        breadth=float(np.median(done.breadth[holds])) if holds.any() else 0.0,
        exposure=float(done.exposure.mean()) if len(done.days) else 0.0,
        usual_exposure=float(np.quantile(done.exposure, 0.9)) if len(done.days) else 0.0,
        idle_weeks=len(curve.days) - len(np.unique(week_of(done.days[holds]))),
        counts=dict(sorted({**done.counts, **foreseen}.items())),
        curve=curve,
        parts=tuple(_event_returns(calls, done, setup)),
        periods=tuple(_periods(done, setup)),
        industries=tuple(_industry_shares(calls, done, setup, weeks)),
        issues=candidate.issues,
    )


def performance(values: Prices, *, annualised: bool = True) -> Performance:
    """Of weekly values (weeks,); what is annualised is NaN where that is not wanted or of fewer than 26 returns."""
    returns = returns_of(values)
    total = float(values[-1] / values[0] - 1.0) if len(values) > 1 else NAN
    lost = measures.max_drawdown(values)
    if not annualised or len(returns) < FEWEST_WEEKS:
        return Performance(NAN, NAN, NAN, NAN, lost, NAN, total)
    return Performance(
        arr=measures.annual_return(values),
        vol=measures.volatility(returns),
        sr=measures.return_to_volatility(values),
        sharpe=measures.sharpe(returns),
        mdd=lost,
        cr=measures.calmar(values),
        total=total,
    )


def _purchases(calls: Calls, done: Simulation, panel: PricePanel) -> tuple[Prices, Prices]:
    """Of the calls that were bought: shares of the capital, and the value traded in their securities that day."""
    bought = np.isfinite(done.weights)
    at = done.entered[bought], calls.assets[bought]
    return done.weights[bought], panel.volume[at] * panel.close[at]


def levels_at(series: IndexSeries, days: Days) -> Prices:
    """The last close of an index at or before each day; NaN before its first and after its last."""
    if not len(series.days):
        return np.full(len(days), np.nan)
    rows = np.searchsorted(series.days, days, side="right") - 1
    is_known = (rows >= 0) & (days <= series.days[-1])
    return np.where(is_known, series.closes[np.maximum(rows, 0)], np.nan)


def _curve(done: Simulation, values: Prices) -> EquityCurve:
    """What is bought and sold within a week is gone at its end: exposure and breadth are of the whole week."""
    rows = last_of_week(done.days)
    first = np.append(0, rows[:-1] + 1)[: len(rows)]
    exposure = np.add.reduceat(done.exposure, first) / (rows + 1 - first) if len(rows) else np.zeros(0)
    breadth = np.maximum.reduceat(done.breadth, first).astype(np.float64) if len(rows) else np.zeros(0)
    return EquityCurve(done.days[rows], values[rows], exposure, breadth)


def _weeks_of(calls: Calls, rows: NDArray[np.int64], setup: Setup) -> NDArray[np.int64]:
    """(k,) the week in which each call is heard, in `rows` of the panel."""
    days = setup.panel.days
    if not len(days):
        return week_of(calls.days)
    return week_of(days)[np.minimum(rows, len(days) - 1)]


def weekly_areas(scores: Prices, outcomes: Mask, weeks: NDArray[np.int64]) -> tuple[float, Interval, int]:
    """Area under the curve within weeks: mean, its interval, weeks that have one."""
    known = np.isfinite(scores)
    groups = np.unique(weeks[known])
    areas = [measures.area_under_curve(scores[at], outcomes[at]) for at in (known & (weeks == g) for g in groups)]
    found = np.array([area for area in areas if np.isfinite(area)])
    interval = significance.clustered(found, np.arange(len(found)), least=0.0, most=1.0)
    return float(found.mean()) if len(found) else NAN, interval, len(found)


def _relative(returns: Prices, benchmark: Prices, is_long: bool) -> measures.Relative:
    """Over the steps of which the benchmark tells, without what is annualised where these are few."""
    common = np.isfinite(benchmark)
    found = measures.relative(returns[common], benchmark[common])
    is_long = is_long and int(common.sum()) >= FEWEST_WEEKS
    return found if is_long else replace(found, alpha=NAN, tracking_error=NAN, information=NAN)


def _over_exposure(done: Simulation, series: IndexSeries) -> float:
    """From the last close of the first week on, as far as the index goes, session by session, for what is bought and
    sold within a week is gone at its end."""
    index = levels_at(series, done.days)
    index[: last_of_week(done.days)[:1].sum()] = np.nan
    common = np.isfinite(index)
    return measures.exposure_matched(done.net[common], index[common], done.exposure[common])


def _event_returns(calls: Calls, done: Simulation, setup: Setup) -> Iterator[EventReturn]:
    """Of the calls to buy that have an outcome, so that all parts are of the same ones as far as prices reach. By the
    letter t is the printed date and t + 1 the next session after it: the close of t is the last one by then."""
    used = np.flatnonzero((calls.signs > 0) & np.isfinite(done.returns))
    assets = calls.assets[used]
    if setup.rules.rolls_by_clock:
        t = setup.first + heard(setup.panel, calls, by_clock=True)[used]
    else:
        t = np.searchsorted(setup.history.days, calls.days[used], side="right") - 1
    for begin, end in pairwise(_OFFSETS):
        before, after = t + begin, t + end
        inside = (before >= 0) & (after < len(setup.levels))
        made = setup.levels[after[inside], assets[inside]] / setup.levels[before[inside], assets[inside]] - 1.0
        yield _event_return(f"{_offset(begin)} to {_offset(end)}", made)
    yield _event_return("entry to exit", done.returns[used])


def _event_return(label: str, made: Prices) -> EventReturn:
    known = made[np.isfinite(made)]
    return EventReturn(label, float(known.mean()) if len(known) else NAN, len(known))


def _offset(sessions: int) -> str:
    return f"t{sessions:+d}" if sessions else "t"


def _periods(done: Simulation, setup: Setup) -> Iterator[Period]:
    """Months, or quarters of more than two years; each from the close before it."""
    if not len(done.days):
        return
    months = done.days.astype("datetime64[M]").astype(np.int64)
    length = 3 if months[-1] - months[0] >= _MONTHS_SHOWN else 1
    of = months // length
    rows = np.append(0, np.flatnonzero(np.append(of[1:] != of[:-1], True)))
    first = next(iter(setup.benchmarks.values()), None)
    beside = np.full(len(done.days), NAN) if first is None else levels_at(first, done.days)
    for begin, end in pairwise(rows.tolist()):
        year, month = divmod(int(of[end]) * length, 12)
        label = f"{1970 + year}-{month + 1:02d}" if length == 1 else f"{1970 + year} Q{month // 3 + 1}"
        yield Period(label, float(done.net[end] / done.net[begin] - 1), float(beside[end] / beside[begin] - 1))


def _industry_shares(
    calls: Calls, done: Simulation, setup: Setup, weeks: NDArray[np.int64]
) -> Iterator[IndustryShares]:
    """Shares of the calls to buy, and of the sessions in which what they bought was held, the most called first."""
    if not setup.industries:
        return
    named = setup.industries.names
    bought = np.isin(done.states, ("closed", "held"))
    called = (calls.signs > 0) & (calls.assets >= 0)
    until = np.where(done.left < 0, len(done.days), done.left)
    held = np.where(bought, until - done.entered, 0)[called]
    groups = setup.industries.at(weeks[called], calls.assets[called])
    shares = [
        _shares(np.bincount(setup.industries.of.ravel(), minlength=len(named))),
        _shares(np.bincount(groups, minlength=len(named))),
        _shares(np.bincount(groups, held, minlength=len(named))),
    ]
    for at in np.argsort(-shares[1], kind="stable").tolist():
        yield IndustryShares(named[at], *(float(share[at]) for share in shares))


def _shares(counts: NDArray[np.int64] | Prices) -> Prices:
    return np.asarray(counts / counts.sum() if counts.sum() else np.zeros(len(counts)), np.float64)
