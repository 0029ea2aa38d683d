"""What is to be said beside the numbers of a backtest, in words."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from itertools import islice
from typing import Final

import numpy as np

from finlore.backtest.assess import FEWEST_TRADED, FORESEEN
from finlore.backtest.calls import Window
from finlore.backtest.composite import Prior
from finlore.backtest.results import StrategyResult
from finlore.backtest.significance import FEWEST_WEEKS
from finlore.records.backtest import Rules
from finlore.records.panel import LATELY, Days, IndexSeries, PricePanel, fell_silent

_NAMED: Final = 6


def of_prices(panel: PricePanel) -> Iterator[tuple[str, str]]:
    """What the source of the prices hides."""
    yield "survivorship", _of_survivors(panel)
    adjusted = {
        "none": "prices are what was paid; dividends and splits count as far as the source gives factors",
        "forward": "prices are adjusted backwards from today: a later dividend changes earlier ones, and what a limit "
        "or a lot was cannot be told exactly",
        "backward": "prices are adjusted from the first day on: returns are total, levels are not what was paid",
    }
    yield "adjustment", adjusted[panel.adjustment]
    if panel.inferred:
        yield "inferred", f"the source does not tell, it was concluded from prices: {'; '.join(panel.inferred)}"


def _of_survivors(panel: PricePanel) -> str:
    """Who left, and who is gone without a word."""
    gone, silent = ~np.isnat(panel.delisted), fell_silent(np.isfinite(panel.close), panel.delisted)
    n, among = int(gone.sum()), f"of {_counted(len(panel.codes), 'security', 'securities')}"
    over = f"over {_counted(len(panel.days), 'session', 'sessions')}"
    if n:
        told = f"{n:,} {among} {over} {'is delisted and stays' if n == 1 else 'are delisted and stay'} in until then; "
        told += "those that left before the source was made may be missing, and all numbers are then too good"
    elif silent.any():
        told = f"no delisting is told {among} {over}"
    else:
        return f"no delisting is told {among} {over}: all numbers are of those that survived, and too good"
    if k := int(silent.sum()):
        told += f"; {k:,} {'has' if k == 1 else 'have'} no price in the last {LATELY} sessions and no day of "
        told += "delisting: taken as suspended, held at the last close"
    return told


def _counted(n: int, one: str, many: str) -> str:
    return f"{n:,} {one if n == 1 else many}"


def of_prior(prior: Prior, window: Window) -> Iterator[tuple[str, str]]:
    """What the composite's P(rise) leans on."""
    first, last = prior.at(window.since), prior.at(window.until)
    if prior.first is None:
        yield "prior", "of the composite's P(rise): .5, for the source holds less than two years of prices"
    else:
        yield (
            "prior",
            "of the composite's P(rise): the share of stock-weeks that rose in all weeks that were over, of what the "
            f"source holds from {prior.first} on (nothing is fetched for it), .5 in the first two years: {first:.3f} "
            f"at first, {last:.3f} at last",
        )


def of_time(
    weeks: int, reach: tuple[date, date] | None, window: Window, *, sessions: Days | None = None
) -> Iterator[tuple[str, str]]:
    """How much time there is; `sessions` of securities with prices, within the window."""
    enough = "" if weeks > FEWEST_WEEKS else f"; annualised numbers need {FEWEST_WEEKS}: not meaningful"
    yield "weeks", f"{weeks} weeks with a session, {max(weeks - 1, 0)} weekly returns{enough}"
    if sessions is not None and len(sessions):
        yield "prices", f"from {sessions[0]} to {sessions[-1]}; strategies and indices are measured in this time alone"
    yield (
        "first week",
        "values count from the last close of the first week, as in the paper; what it made before is out",
    )
    if reach is None:
        yield "calendar", "no calendar of the exchange is installed: the last week counts as over (extra: market)"
    elif window.until > reach[1]:
        yield "calendar", f"sessions are known to {reach[1]} only: what lies beyond is not sure"
    else:
        yield "calendar", f"sessions are known from {reach[0]} to {reach[1]}"


def of_rules(rules: Rules, results: Sequence[StrategyResult]) -> Iterator[tuple[str, str]]:
    """What the way of trading leaves out."""
    at_once = sum(result.counts.get("bought and sold at one close", 0) for result in results)
    if rules.exit_after_entry:
        yield (
            "rules",
            f"{rules.name}: bought at the {rules.entry.replace('_', ' ')}, sold at the end of the following week, "
            f"never on the day of entry; limits and suspensions block; {rules.sleeves} sleeves take turns by week, "
            f"at most {rules.cap:.0%} of one in a security",
        )
    else:
        positions = _counted(at_once, "position is", "positions are")
        holes = f"{positions} bought and sold at the same close; " if at_once else ""
        yield (
            "rules",
            f"{rules.name}: the letter of the paper: limits, suspensions, T+1 and costs do not count; {holes}t is the "
            "printed date of a report, t + 1 the next session after it; calls whose following week has no session are "
            "dropped",
        )
    if foreseen := _of_each((r.name, r.counts[FORESEEN]) for r in results if FORESEEN in r.counts):
        yield (
            "hindsight",
            f"calls traded by a printed date that lies before the day on which they were known: {foreseen}",
        )
    yield "costs", "none" if rules.costs is None else "net is after costs, gross before"
    yield "cash", "what waits earns nothing and counts; compare with an index held with the same share of capital"


def of_results(results: Sequence[StrategyResult], variants: int, *, is_kept: bool) -> Iterator[tuple[str, str]]:
    """How much the results are worth."""
    worth = _of_each((r.name, f"{r.hits.n} as {r.effective_n:.0f}") for r in results if np.isfinite(r.effective_n))
    if worth:
        yield "independent calls", f"outcomes of one week move together; {worth}"
    if few := _of_each((r.name, r.traded.calls) for r in results if r.traded.calls < FEWEST_TRADED):
        yield "few trades", f"what is annualised needs {FEWEST_TRADED} calls that were bought: not meaningful of {few}"
    if results:
        yield (
            "accuracy",
            "ACC is of all calls with an outcome, falls and what could not be bought too; ACC traded of those bought",
        )
    kept = "" if is_kept else " (the workspace cannot be written, none is remembered)"
    yield "variants", f"{variants} strategies and settings were tried here so far{kept}; DSR is deflated by that"


def _of_each(numbers: Iterable[tuple[str, object]]) -> str:
    return ", ".join(f"{name}: {number}" for name, number in islice(numbers, _NAMED))


def of_indices(indices: Sequence[IndexSeries], sessions: Days) -> Iterator[tuple[str, str]]:
    """What the benchmarks lack: dividends, and time."""
    plain = [series.code for series in indices if not series.total_return]
    if plain:
        yield "benchmarks", f"without dividends: {', '.join(plain)}"
    if short := [f"{series.code} {told}" for series in indices if (told := shorter(series, sessions))]:
        yield "shorter benchmarks", "; ".join(short)


def shorter(series: IndexSeries, sessions: Days) -> str:
    """What is to be said of an index that begins after the first session or ends before the last; else nothing."""
    if not len(sessions) or (series.days[0] <= sessions[0] and series.days[-1] >= sessions[-1]):
        return ""
    return (
        f"goes from {series.days[0]} to {series.days[-1]}, prices from {sessions[0]} to {sessions[-1]}: its measures "
        "are of its own time, and strategies are held against it in that time alone"
    )
