"""Answers, and runs of the past: answers and backtests."""

import json
from typing import Annotated

import typer

from finlore.serve.application import AsOf, Told, app, opened, verb

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
    return Told({"runs": sorted(rows, key=lambda row: (row["created_at"], row["run"]))}, show.runs)


@verb(runs_app, "show")
def runs_show(run: str) -> Told:
    """One past answer, or backtest, as it was told."""
    from finlore.serve import backtests, show, words

    tested = opened().backtests
    if tested.holds(run):
        return Told({**json.loads(tested.load(run).document), "run": run}, backtests.show)
    record = opened().run(run)
    return Told(words.answered(record.answer, record.run, {}), show.answered)


@verb(runs_app, "replay")
def runs_replay(run: str) -> Told:
    """Repeat an answer or a backtest on what it was made from, and name the first difference."""
    from finlore.serve import show, words

    replay = opened().replay(run)
    return Told(words.replayed(replay), show.replayed, replay.equal)
