"""What people decide of the graph."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from finlore.serve.application import Json, app, nothing_found_unless, opened, print_document

if TYPE_CHECKING:
    from finlore.records.review import Reviewed

review_app = typer.Typer(
    help="Doubts about the graph, and what people say to them: list, accept, reject, edit, undo.", no_args_is_help=True
)
app.add_typer(review_app, name="review")

Ids = Annotated[list[str], typer.Argument(metavar="ID…", help="As `review list` shows them; a beginning will do.")]
Note = Annotated[str, typer.Option(help="Why, for whoever reads the audit.")]


@app.command()
def merge(entity: str, into: str, as_json: Json = False) -> None:
    """Say that two entities are one; `split` takes it back."""
    from finlore.serve import show

    with opened() as workspace:
        pair = workspace.merge(entity, into)
    print_document({"merged": pair[0], "into": pair[1]}, as_json, show.plain)


@app.command()
def split(entity: str, as_json: Json = False) -> None:
    """Take back a merge, whoever made it."""
    from finlore.serve import show

    with opened() as workspace:
        done = workspace.split(entity)
    print_document({"split": entity if done else None}, as_json, show.plain)
    nothing_found_unless(done)


@review_app.command("list")
def review_list(
    kind: Annotated[
        str | None,
        typer.Option(help="merge, low_confidence, failed_check, schema, contradiction, completion or instruction"),
    ] = None,
    status: Annotated[
        Literal["open", "accepted", "rejected", "edited", "all"], typer.Option(help="What became of it.")
    ] = "open",
    as_json: Json = False,
) -> None:
    """What is doubtful, and what was decided of it, when and by whom."""
    with opened() as workspace:
        found = workspace.reviews(kind=kind, status=None if status == "all" else status)
    _print(found, as_json)
    nothing_found_unless(bool(found))


@review_app.command("accept")
def review_accept(ids: Ids, note: Note = "", as_json: Json = False) -> None:
    """Say yes to what reviews propose."""
    with opened() as workspace:
        found = workspace.accept(*ids, note=note)
    _print(found, as_json)


@review_app.command("reject")
def review_reject(ids: Ids, note: Note = "", as_json: Json = False) -> None:
    """Say no: what is asked about is read no more, what is proposed is not done."""
    with opened() as workspace:
        found = workspace.reject(*ids, note=note)
    _print(found, as_json)


@review_app.command("edit")
def review_edit(
    id_: Annotated[str, typer.Argument(metavar="ID", help="As `review list` shows it; a beginning will do.")],
    edits: Annotated[list[str], typer.Argument(metavar="KEY=VALUE…", help="value=26.8, unit=元, into=600519.SH …")],
    note: Note = "",
    as_json: Json = False,
) -> None:
    """Say yes, but with other values."""
    from finlore.serve import review_words

    with opened() as workspace:
        found = workspace.edit(id_, review_words.edited(edits), note=note)
    _print(found, as_json)


@review_app.command("undo")
def review_undo(ids: Ids, as_json: Json = False) -> None:
    """Take back what was decided, by people or by the machine; that it was stays in the audit."""
    with opened() as workspace:
        found = workspace.undo(*ids)
    _print(found, as_json)


def _print(found: "Iterable[Reviewed]", as_json: bool) -> None:
    from finlore.serve import review_words

    print_document(review_words.reviews(found), as_json, review_words.show)
