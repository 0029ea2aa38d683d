"""Backtests as text for people: one table of strategies and benchmarks, what they are held against, and what is to be
said of it."""

from collections.abc import Iterable
from itertools import zip_longest
from typing import Final

from rich.cells import cell_len

from finlore.records.instant import end_of_day, isoformat
from finlore.records.run import BacktestRun
from finlore.serve.terminal import note, printable, say
from finlore.serve.words import NOTICE, Json

_NOTHING: Final = "–"
_ISSUES: Final = 20


def listed(records: Iterable[BacktestRun]) -> list[Json]:
    """Rows as `runs list` has them for answers."""
    return [
        {
            "run": record.run,
            "created_at": isoformat(record.created_at),
            "question": f"backtest {record.request.since} to {record.request.until}, {record.request.mode}",
            "as_of": isoformat(end_of_day(record.request.until)),
            "after": None,
            "found": True,
            "redacted": [],
        }
        for record in records
    ]


def show(document: Json) -> None:
    rules, weeks = document["rules"], document["weeks"]
    say(f"{document['since']} to {document['until']}, {weeks} weeks, {rules['mode']}, entry {rules['entry']}", "bold")
    _warnings(document)
    _results(document)
    _figures("the market", document["figures"])
    for row in document["strategies"]:
        _figures(row["name"], row["figures"])
        _parts(row)
    say("")
    for remark in document["honesty"]:
        say(f"{remark['what']}: {remark['words']}", "dim")
    run = f"run {document['run']} · " if document.get("run") else ""
    say(f"{run}{NOTICE}", "dim")


def _warnings(document: Json) -> None:
    """What is wrong with the inputs: who does not know it misreads every figure."""
    told = (issue for owner in (*document["strategies"], document) for issue in owner["issues"])
    issues = list({(issue["message"], issue["line"]): issue for issue in reversed(list(told))}.values())[::-1]
    for issue in issues[:_ISSUES]:
        line = f", line {issue['line']}" if issue["line"] else ""
        note(f"! {issue['source']}{line}: {issue['message']}", "yellow")
    if len(issues) > _ISSUES:
        note(f"… and {len(issues) - _ISSUES} more; --json lists all")


def _results(document: Json) -> None:
    strategies, benchmarks = document["strategies"], document["benchmarks"]
    measured = ("total", "ARR", "VOL", "SR", "Sharpe", "MDD", "CR")
    values = ((row["name"], *_measures(row), *_trading(row)) for row in strategies)
    indices = ((row["name"], *_measures(row)) for row in benchmarks)
    _columns(("strategy", *measured, "turnover", "held", "over index", "blocked"), *values, *indices)
    if not document["meaningful"]:
        say(f"what is annualised of {document['weeks']} weeks (ARR, VOL, SR, Sharpe, CR, DSR): not meaningful")
    if strategies:
        say("")
        worth = ("independent", "percentile", "PSR", "DSR")
        rows = ((row["name"], *_calls(row)) for row in strategies)
        say("ACC: of all calls with an outcome, falls and what could not be bought too; ACC traded: of what was bought")
        _columns(("calls", "n", "ACC", "95 %", "bought", "ACC traded", "always rise", "excess", *worth), *rows)


def _columns(*table: tuple[str, ...]) -> None:
    """One line a row however wide it is, for a figure that is cut says nothing."""
    rows = [tuple(map(printable, row)) for row in table]
    widths = [max(map(cell_len, column)) for column in zip_longest(*rows, fillvalue="")]
    for row in rows:
        gaps = [" " * (width - cell_len(cell)) for cell, width in zip(row, widths, strict=False)]
        cells = (gap + cell for gap, cell in zip(gaps[1:], row[1:], strict=True))
        say("  ".join((row[0] + gaps[0], *cells)), "bold" if row is rows[0] else "")


def _measures(row: Json) -> tuple[str, ...]:
    return _share(row["total"]), *(_plain(row[key]) for key in ("arr", "vol", "sr", "sharpe", "mdd", "cr"))


def _trading(row: Json) -> tuple[str, ...]:
    """`over index`: over the first benchmark held with the same share of capital."""
    over = next(iter(row["over_exposure"].values()), None)
    return _share(row["turnover"]), _share(row["exposure"]), _share(over), str(row["blocked"])


def _calls(row: Json) -> tuple[str, ...]:
    low, high = row["ci"]["acc"]
    return (
        str(row["n_signals"]),
        _plain(row["acc"]),
        _NOTHING if low is None else f"{low:.2f}-{high:.2f}",
        str(row["n_traded"]),
        _plain(row["acc_traded"]),
        _plain(row["base_rate"]),
        _plain(row["excess_acc"]),
        _NOTHING if row["effective_n"] is None else f"{row['effective_n']:.0f}",
        *(_plain(row[key]) for key in ("percentile", "psr", "dsr")),
    )


def _figures(owner: str, figures: list[Json]) -> None:
    for figure in figures:
        low, high = figure["ci"]
        interval = f"  95 %: {low:.3f} to {high:.3f}" if low is not None else ""
        value = "not known" if figure["value"] is None else f"{figure['value']:.3f}{interval}"
        say(f"{owner}: {figure['label']}: {value}  n {figure['n']} {figure['note']}".rstrip())


def _parts(row: Json) -> None:
    known = [part for part in row["parts"] if part["mean"] is not None]
    if known:
        said = ", ".join(f"{part['label']} {part['mean']:+.2%}" for part in known)
        say(f"{row['name']}: mean return around calls to buy: {said}", "dim")


def _share(value: float | None) -> str:
    return _NOTHING if value is None else f"{value:+.1%}"


def _plain(value: float | None) -> str:
    return _NOTHING if value is None else f"{value:.3f}"
