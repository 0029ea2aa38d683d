"""What strategies would have made."""

import os
import time
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from finlore.errors import UsageError
from finlore.serve.application import Json, app, nothing_found_unless, opened, print_document

if TYPE_CHECKING:
    from finlore.backtest.results import Backtest


@app.command()
def backtest(
    *,
    since: Annotated[str, typer.Option("--from", help="The first day of signals and prices.")],
    until: Annotated[str, typer.Option("--to", help="The last day; nothing later is read.")],
    strategy: Annotated[
        list[str] | None,
        typer.Option(
            help="file:signals.csv (date, security, label, confidence), brokers, broker:NAME, always-rise, "
            "always-fall, equal-weight, composite, avoid-worst-fifth, random-half; again for more [default: all]."
        ),
    ] = None,
    mode: Annotated[
        Literal["strict", "paper"], typer.Option(help="strict: T+1, limits, suspensions, costs; paper: its letter.")
    ] = "strict",
    entry: Annotated[
        Literal["open", "close", "next_close"] | None, typer.Option(help="When to buy [default: next_close].")
    ] = None,
    cost_bps: Annotated[
        float | None, typer.Option(help="Basis points a side, in place of what the mode takes.")
    ] = None,
    broker_signals: Annotated[int, typer.Option(help="Brokers with so many ratings are followed alone.")] = 100,
    html: Annotated[Path | None, typer.Option(help="Also write a page to this file.")] = None,
    as_json: Json = False,
) -> None:
    """Trade signals by the rules of a mode and hold the result against the market, constants, brokers and chance; exit
    1 where nothing could be tested. Kept as a run, and counted among what was tried."""
    from finlore.records.run import BacktestRequest
    from finlore.serve import backtests

    began, cpu_began = time.perf_counter(), time.process_time()
    request = BacktestRequest(
        _day(since, "--from"), _day(until, "--to"), tuple(strategy or ()), mode, entry, cost_bps, broker_signals
    )
    if html is not None:
        _check(html)
    with opened() as workspace:
        tested = workspace.backtest(request)
    if html is not None:
        _write(html, tested.backtest)
    spent = {
        "seconds": round(time.perf_counter() - began, 3),
        "cpu_seconds": round(time.process_time() - cpu_began, 3),
    }
    print_document({**tested.document, "run": tested.run, **spent}, as_json, backtests.show)
    found = tested.backtest
    nothing_found_unless(any(r.n_signals for r in found.strategies) or bool(found.benchmarks and not strategy))


def _day(written: str, option: str) -> date:
    try:
        return date.fromisoformat(written.strip())
    except ValueError:
        raise UsageError(f"{option} {written!r} is no date", hint=f"{option} 2025-03-07") from None


def _check(path: Path) -> None:
    """Before anything is reckoned and counted among what was tried."""
    if path.is_dir() or not os.access(path if path.exists() else path.parent, os.W_OK):
        raise UsageError(f"{path} cannot be written", hint="name a file in a folder that exists and can be written")


def _write(path: Path, backtest: "Backtest") -> None:
    from finlore.serve.tearsheet import page

    try:
        path.write_text(page(backtest), encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror or error}", hint="name another file") from error
