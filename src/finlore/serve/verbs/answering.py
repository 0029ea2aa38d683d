"""Answers, and runs of the past: answers and backtests."""

import json
from typing import Annotated

import typer

from finlore.serve.application import AsOf, Json, app, nothing_found_unless, opened, print_document

runs_app = typer.Typer(help="Past answers and backtests: list, show, replay.", no_args_is_help=True)
app.add_typer(runs_app, name="runs")


@app.command()
def ask(
    question: str,
    after: Annotated[str | None, typer.Option(help="Continue the conversation of this run.")] = None,
    as_of: AsOf = None,
    as_json: Json = False,
) -> None:
    """Answer from the documents, every sentence cited; exit 1 when the evidence is not there."""
    from finlore.serve import show, words

    with opened() as workspace:
        asked = workspace.ask(question, after=after, as_of=as_of)
    print_document(words.answered(asked.answer, asked.run, asked.trace), as_json, show.answered)
    nothing_found_unless(asked.answer.found)


@runs_app.command("list")
def runs_list(as_json: Json = False) -> None:
    """Past answers and backtests, oldest first."""
    from finlore.serve import backtests, show, words

    with opened() as workspace:
        rows = [*words.runs(workspace.runs())["runs"], *backtests.listed(workspace.backtests.all())]
    found = {"runs": sorted(rows, key=lambda row: (row["created_at"], row["run"]))}
    print_document(found, as_json, show.runs)


@runs_app.command("show")
def runs_show(run: str, as_json: Json = False) -> None:
    """One past answer, or backtest, as it was told."""
    from finlore.serve import backtests, show, words

    with opened() as workspace:
        if workspace.backtests.holds(run):
            kept = workspace.backtests.load(run)
            print_document({**json.loads(kept.document), "run": run}, as_json, backtests.show)
            return
        record = workspace.run(run)
    print_document(words.answered(record.answer, record.run, {}), as_json, show.answered)


@runs_app.command("replay")
def runs_replay(run: str, as_json: Json = False) -> None:
    """Repeat an answer or a backtest on what it was made from, and name the first difference."""
    from finlore.serve import show, words

    with opened() as workspace:
        replay = workspace.replay(run)
    print_document(words.replayed(replay), as_json, show.replayed)
    nothing_found_unless(replay.equal)
