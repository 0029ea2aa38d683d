"""What is to be said beside the numbers of a backtest, in words."""

from collections.abc import Iterator, Sequence
from datetime import date

import numpy as np

from finlore.backtest.calls import Window
from finlore.backtest.results import StrategyResult
from finlore.backtest.significance import FEWEST_WEEKS
from finlore.records.backtest import Rules
from finlore.records.panel import IndexSeries, PricePanel


def of_prices(panel: PricePanel) -> Iterator[tuple[str, str]]:
    """What the source of the prices hides."""
    if np.isnat(panel.delisted).all():
        told = "the source has no delisted security: all numbers are of those that survived, and too good"
    else:
        told = f"{int((~np.isnat(panel.delisted)).sum())} securities of the source are delisted, and stay in until then"
    yield "survivorship", told
    adjusted = {
        "none": "prices are what was paid; dividends and splits count as far as the source gives factors",
        "forward": "prices are adjusted backwards from today: a later dividend changes earlier ones, and what a limit "
        "or a lot was cannot be told exactly",
        "backward": "prices are adjusted from the first day on: returns are total, levels are not what was paid",
    }
    yield "adjustment", adjusted[panel.adjustment]
    if panel.inferred:
        yield "inferred", f"the source does not tell, it was concluded from prices: {'; '.join(panel.inferred)}"


def of_time(weeks: int, reach: tuple[date, date] | None, window: Window) -> Iterator[tuple[str, str]]:
    """How much time there is."""
    enough = "" if weeks > FEWEST_WEEKS else f"; annualised numbers need {FEWEST_WEEKS}: not meaningful"
    yield "weeks", f"{weeks} weeks with a session, {max(weeks - 1, 0)} weekly returns{enough}"
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
        yield (
            "rules",
            f"{rules.name}: the letter of the paper: limits, suspensions, T+1 and costs do not count; {at_once} "
            f"positions are bought and sold at the same close; calls whose following week has no session are dropped",
        )
    yield "costs", "none" if rules.costs is None else "net is after costs, gross before"
    yield "cash", "what waits earns nothing and counts; compare with an index held with the same share of capital"


def of_results(results: Sequence[StrategyResult], variants: int, *, is_kept: bool) -> Iterator[tuple[str, str]]:
    """How much the results are worth."""
    worth = [f"{r.name}: {r.hits.n} as {r.effective:.0f}" for r in results if np.isfinite(r.effective)]
    if worth:
        yield "independent calls", "outcomes of one week move together; " + ", ".join(worth[:6])
    kept = "" if is_kept else " (the workspace cannot be written, none is remembered)"
    yield "variants", f"{variants} strategies and settings were tried here so far{kept}; DSR is deflated by that"


def of_indices(indices: Sequence[IndexSeries]) -> Iterator[tuple[str, str]]:
    plain = [series.code for series in indices if not series.total_return]
    if plain:
        yield "benchmarks", f"without dividends: {', '.join(plain)}"
