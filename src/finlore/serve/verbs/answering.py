"""Answers, and runs of the past: answers and backtests."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from finlore.errors import StoreDamaged, UsageError
from finlore.serve.application import AsOf, Told, app, opened, verb
from finlore.serve.output import check, written

runs_app = typer.Typer(help="Past answers and backtests: list, show, replay.", no_args_is_help=True)
app.add_typer(runs_app, name="runs")


@verb(app)
def ask(
    question: str,
    after: Annotated[str | None, typer.Option(help="Continue the conversation of this run.")] = None,
    as_of: AsOf = None,
) -> Told:
    """Answer from the documents, every sentence cited; exit 1 when the evidence is not there."""
    from finlore.serve import show, words

    asked = opened().ask(question, after=after, as_of=as_of)
    return Told(words.answered(asked.answer, asked.run, asked.trace), show.answered, asked.answer.found)


@verb(runs_app, "list")
def runs_list() -> Told:
    """Past answers and backtests, oldest first."""
    from finlore.serve import backtests, show, words

    rows = [*words.runs(opened().runs())["runs"], *backtests.listed(opened().backtests.all())]
    damaged = [problem.message for problem in opened().damaged_runs()]
    found = {"runs": sorted(rows, key=lambda row: (row["created_at"], row["run"])), "damaged": damaged}
    return Told(found, show.runs)


@verb(runs_app, "show")
def runs_show(
    run: str, html: Annotated[Path | None, typer.Option(help="Of a backtest: also write its page to this file.")] = None
) -> Told:
    """One past answer, or backtest, as it was told."""
    from finlore.serve import backtests, show, words
    from finlore.serve.tearsheet import page

    tested = opened().backtests
    if tested.holds(run):
        document = {**json.loads(tested.load(run).document), "run": run}
        if html is not None:
            check(html)
            with _of(run), written(html) as file:
                file.write(page(document))
        return Told(document, _of(run)(backtests.show))
    if html is not None:
        raise UsageError(f"run {run} is no backtest, and has no page", hint="finlore runs list")
    record = opened().run(run)
    return Told(words.answered(record.answer, record.run, {}), show.answered)


@contextmanager
def _of(run: str) -> Iterator[None]:
    """StoreDamaged where what was kept of a backtest is not what is told of one."""
    from jinja2 import TemplateError

    try:
        yield
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, TemplateError) as broken:
        raise StoreDamaged(
            f"run record {run}.json holds no backtest: {broken!r:.200}", hint="delete the file"
        ) from broken


@verb(runs_app, "replay")
def runs_replay(run: str) -> Told:
    """Repeat an answer or a backtest on what it was made from, and name the first difference."""
    from finlore.serve import show, words

    replay = opened().replay(run)
    return Told(words.replayed(replay), show.replayed, replay.equal)
