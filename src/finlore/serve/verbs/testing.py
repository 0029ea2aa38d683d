"""What strategies would have made."""

import csv
import time
from dataclasses import asdict
from datetime import date
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, cast

import typer

from finlore.errors import UsageError
from finlore.serve.application import SOME_REJECTED, Told, app, opened, verb
from finlore.serve.output import check, written

if TYPE_CHECKING:
    from collections.abc import Iterable

    from finlore.backtest.trades import Trades
    from finlore.serve.words import Json


@verb(app)
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
    trades: Annotated[
        Path | None, typer.Option(help="Also write what became of each call, its prices and days, to this CSV file.")
    ] = None,
) -> Told:
    """Trade signals by the rules of a mode and hold the result against the market, constants, brokers and chance; exit
    1 where nothing could be tested, 3 where a table could not be read. Kept as a run, and counted among what was
    tried."""
    from finlore.records.run import BacktestRequest
    from finlore.serve import backtests
    from finlore.serve.tearsheet import page

    began, cpu_began = time.perf_counter(), time.process_time()
    request = BacktestRequest(
        _day(since, "--from"), _day(until, "--to"), tuple(strategy or ()), mode, entry, cost_bps, broker_signals
    )
    for path in filter(None, (html, trades)):
        check(path)
    tested = opened().backtest(request)
    if html is not None:
        with written(html) as file:
            file.write(page(tested.document))
    if trades is not None:
        _write_trades(trades, tested.trades)
    document = {
        **tested.document,
        "issues": [*map(asdict, tested.issues), *cast("list[Json]", tested.document["issues"])],
        "run": tested.run,
        "seconds": round(time.perf_counter() - began, 3),
        "cpu_seconds": round(time.process_time() - cpu_began, 3),
    }
    found = tested.backtest
    has_signals = any(result.n_signals for result in found.strategies)
    unread = any(issue.severity == "rejected" and issue.source in request.strategies for issue in found.issues)
    return Told(
        document, backtests.show, has_signals or bool(found.benchmarks and not strategy), unread * SOME_REJECTED
    )


def _day(written: str, option: str) -> date:
    try:
        return date.fromisoformat(written.strip())
    except ValueError:
        raise UsageError(f"{option} {written!r} is no date", hint=f"{option} 2025-03-07") from None


def _write_trades(path: Path, trades: "Iterable[Trades]") -> None:
    from finlore.backtest.trades import Trade

    with written(path) as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(Trade._fields)
        writer.writerows(map(_cell, trade) for trade in chain.from_iterable(trades))


def _cell(value: str | float | None) -> str:
    """A number with all digits that count; a text as a text, even if a spreadsheet would take it for a formula."""
    if isinstance(value, str):
        return f"'{value}" if value.startswith(("=", "+", "-", "@", "\t", "\r")) else value
    return "" if value is None else f"{value:.10g}"
