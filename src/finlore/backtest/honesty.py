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
from finlore.backtest.significance import FEWEST_CLUSTERS, FEWEST_WEEKS
from finlore.records.backtest import PAPER, STRICT, Costs, Rules
from finlore.records.panel import LATELY, Days, IndexSeries, PricePanel, fell_silent

_NAMED: Final = 6
_OTHER: Final = {
    STRICT.name: "Total, paper is of the same calls by their printed dates, without costs, limits, suspensions, T+1 "
    "and the cap of 10 %, less those whose following week has no session",
    PAPER.name: "Total, strict is of the same calls by their hours, with costs, limits, suspensions, T+1 and a cap of "
    "10 % of a sleeve in one security",
}


def of_prices(panel: PricePanel) -> Iterator[tuple[str, str]]:
    """What the source of the prices hides."""
    yield "survivorship", _of_survivors(panel)
    adjusted = {
        "none": "prices are what was paid; dividends and splits count as far as the source gives factors",
        "forward": "prices are forward-adjusted (前复权), those of today are what is paid: a later dividend changes "
        "earlier ones, and what a limit or a lot was cannot be told exactly",
        "backward": "prices are backward-adjusted (后复权), those of the first day are what was paid: returns are "
        "total, later levels are not what was paid",
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


def _returns(weeks: int) -> str:
    return _counted(max(weeks - 1, 0), "weekly return", "weekly returns")


def of_prior(prior: Prior, window: Window) -> Iterator[tuple[str, str]]:
    """What the composite's P(rise) leans on."""
    first, last = prior.at(window.since), prior.at(window.until)
    if prior.first is None:
        yield "prior", "of the composite's P(rise): 0.5, for the source holds less than two years of prices"
    else:
        yield (
            "prior",
            "of the composite's P(rise): the share of stock-weeks that rose in all weeks that were over, of what the "
            f"source holds from {prior.first} on (nothing is fetched for it), 0.5 in the first two years: {first:.3f} "
            f"at first, {last:.3f} at last",
        )


def of_time(
    weeks: int, reach: tuple[date, date] | None, window: Window, *, sessions: Days | None = None
) -> Iterator[tuple[str, str]]:
    """How much time there is; `sessions` of securities with prices, within the window."""
    enough = "" if weeks > FEWEST_WEEKS else f"; annualised numbers need {FEWEST_WEEKS}: not meaningful"
    yield "weeks", f"{_counted(weeks, 'week', 'weeks')} with a session, {_returns(weeks)}{enough}"
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
    """How was traded, and what that way leaves out."""
    yield "rules", f"{rules.name}: {'; '.join((*_timing(rules), *_sizes(rules)))}"
    if results:
        yield "total of the other mode", _OTHER[rules.name]
    if at_once := sum(result.counts.get("bought and sold at one close", 0) for result in results):
        yield "same close", f"{_counted(at_once, 'position is', 'positions are')} bought and sold at the same close"
    if foreseen := _of_each((r.name, r.counts[FORESEEN]) for r in results if FORESEEN in r.counts):
        yield (
            "hindsight",
            f"calls traded by a printed date that lies before the day on which they were known: {foreseen}",
        )
    yield (
        "costs",
        "none, net is gross" if rules.costs is None else f"net is after costs, gross before; {_costs(rules.costs)}",
    )
    yield "cash", "what waits earns nothing and counts; compare with an index held with the same share of capital"
    one_sleeve = 1.2 / rules.sleeves
    idle = ((r.name, f"{100 * r.usual_exposure:.0f} %") for r in results if 0 < r.usual_exposure < one_sleeve)
    if rules.sleeves > 1 and (little := _of_each(idle)):
        yield (
            "idle sleeve",
            f"about 1 / {rules.sleeves} of the capital works at most where calls come once a week, for what they buy "
            "is sold before the next are bought, or where they are few; at nine of ten closes no more than this is "
            f"invested, so that totals compare at the same exposure alone: {little}",
        )


def _timing(rules: Rules) -> Iterator[str]:
    if rules.rolls_by_clock:
        bought = {"open": "bought at Tuesday's open, ", "close": "", "next_close": ""}[rules.entry]
        then = {"open": "", "close": " and bought there", "next_close": " and bought at Wednesday's"}[rules.entry]
        yield f"a call dated Monday without an hour is {bought}heard at Tuesday's close{then}"
        yield "one with an hour is heard at the first close from then on"
    else:
        bought = {"open": "the open of t + 1", "close": "the close of t", "next_close": "the close of t + 1"}[
            rules.entry
        ]
        yield f"the letter of the paper: t is the printed date of a call, whatever the hour; it is bought at {bought}"
    if rules.exit_after_entry:
        yield "sold at the last close of the following week, of one that has a session, never on the day of entry (T+1)"
    else:
        yield "sold at the last close of the following calendar week, which may be the close at which it was bought"
        yield "calls whose following week has no session are dropped"


def _sizes(rules: Rules) -> Iterator[str]:
    if rules.respects_limits:
        yield "nothing is bought at its upper limit, sold at its lower one, or traded while suspended"
    else:
        yield "limits, suspensions and T+1 do not count"
    yield f"{_counted(rules.sleeves, 'sleeve', 'sleeves that take turns by week')}, whose new names get one size"
    yield f"at most {_rate(rules.cap)} of a sleeve in one security" if rules.cap < 1 else "no cap: one name can fill it"
    left = f"loses {_rate(rules.haircut)} of its last price" if rules.haircut else "is paid at its last price"
    yield f"what is delisted while held {left}"


def _costs(costs: Costs) -> str:
    rates = {"commission": costs.commission, "transfer fee": costs.transfer_fee, "slippage": costs.slippage}
    sides = ", ".join(f"{name} {_rate(rate)}" for name, rate in rates.items() if rate)
    duties = ", ".join(
        f"{_rate(rate)}{f' from {day}' if place else ''}" for place, (day, rate) in enumerate(costs.stamp_duty)
    )
    least = f"at least {costs.minimum:g} an order of a capital of {costs.capital:,.0f}" if costs.capital else ""
    if costs.minimum and not least:
        least = f"the minimum of {costs.minimum:g} an order is left out, for no capital is named"
    told = (
        f"each purchase and sale {sides or 'nothing'}",
        f"each sale a stamp duty of {duties}" if duties else "",
        least,
    )
    return "; ".join(filter(None, told))


def _rate(rate: float) -> str:
    return f"{100 * rate:.4g} %"


def of_results(results: Sequence[StrategyResult], variants: int, *, is_kept: bool) -> Iterator[tuple[str, str]]:
    """How much the results are worth."""
    worth = _of_each((r.name, f"{r.hits.n} as {r.effective_n:.0f}") for r in results if np.isfinite(r.effective_n))
    if worth:
        yield "independent calls", f"outcomes of one week move together; {worth}"
    if few := _of_each((r.name, r.traded.calls) for r in results if r.traded.calls < FEWEST_TRADED):
        yield "few trades", f"what is annualised needs {FEWEST_TRADED} calls that were bought: not meaningful of {few}"
    if short := _of_each((r.name, r.hits.n) for r in results if r.hits.n and np.isnan(r.accuracy.low)):
        yield (
            "intervals",
            f"outcomes of {FEWEST_CLUSTERS} weeks that differ are needed, fewer are too few to tell how much: {short}",
        )
    if results:
        yield (
            "accuracy",
            "ACC is of all calls with an outcome, falls and what could not be bought too; ACC traded of those bought",
        )
    kept = "" if is_kept else " (the workspace cannot be written, none is remembered)"
    yield (
        "variants",
        f"{_counted(variants, 'strategy was', 'strategies and settings were')} tried so far{kept}; DSR counts them",
    )


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
