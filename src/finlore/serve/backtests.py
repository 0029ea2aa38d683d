"""Backtests as text for people: one table of strategies and benchmarks, what they are held against, and what is to be
said of it."""

from collections.abc import Iterable
from typing import Final

from rich.table import Column, Table

from finlore.records.instant import end_of_day, isoformat
from finlore.records.run import BacktestRun
from finlore.serve.terminal import literal, note, out, say
from finlore.serve.words import NOTICE, Json

_NOTHING: Final = "–"
_ISSUES: Final = 20
_WIDE: Final = 132


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
    _results(document)
    _figures("the market", document["figures"])
    for row in document["strategies"]:
        _figures(row["name"], row["figures"])
        _parts(row)
    say("")
    for remark in document["honesty"]:
        say(f"{remark['what']}: {remark['words']}", "dim")
    issues = [issue for owner in (document, *document["strategies"]) for issue in owner["issues"]]
    for issue in issues[:_ISSUES]:
        line = f", line {issue['line']}" if issue["line"] else ""
        note(f"! {issue['source']}{line}: {issue['message']}", "yellow")
    if len(issues) > _ISSUES:
        note(f"… and {len(issues) - _ISSUES} more; --json lists all")
    run = f"run {document['run']} · " if document.get("run") else ""
    say(f"{run}{NOTICE}", "dim")


def _results(document: Json) -> None:
    values = _table("strategy", "total", "ARR", "VOL", "SR", "Sharpe", "MDD", "CR", "turnover", "blocked")
    calls = _table("calls", "n", "ACC", "95 %", "always rise", "excess", "n independent", "percentile", "DSR")
    for row in document["strategies"]:
        values.add_row(literal(row["name"]), *_measures(row), _share(row["turnover"]), str(row["blocked"]))
        low, high = row["ci"]["acc"]
        calls.add_row(
            literal(row["name"]), str(row["n_signals"]), _plain(row["acc"]),
            _NOTHING if low is None else f"{low:.2f}-{high:.2f}", _plain(row["base_rate"]), _plain(row["excess_acc"]),
            _NOTHING if row["effective_n"] is None else f"{row['effective_n']:.0f}", _plain(row["percentile"]),
            _plain(row["dsr"]),
        )  # fmt: skip
    for row in document["benchmarks"]:
        values.add_row(literal(row["name"]), *_measures(row))
    _print(values)
    if not document["meaningful"]:
        say(f"what is annualised of {document['weeks']} weeks (ARR, VOL, SR, Sharpe, CR, DSR): not meaningful")
    if document["strategies"]:
        _print(calls)


def _table(name: str, *headings: str) -> Table:
    columns = (Column(heading, justify="right", no_wrap=True) for heading in headings)
    return Table(Column(name, no_wrap=True, max_width=40), *columns, box=None, pad_edge=False, padding=(0, 1))


def _print(table: Table) -> None:
    """As wide as it needs to be: figures that are cut say nothing."""
    out.print(table, width=max(out.width, _WIDE), crop=False)


def _measures(row: Json) -> tuple[str, ...]:
    return _share(row["total"]), *(_plain(row[key]) for key in ("arr", "vol", "sr", "sharpe", "mdd", "cr"))


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
