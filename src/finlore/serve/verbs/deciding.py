"""What people decide of the graph."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from finlore.serve.application import Told, app, opened, verb

if TYPE_CHECKING:
    from finlore.records.review import Reviewed

review_app = typer.Typer(
    help="Doubts about the graph, and what people say to them: list, accept, reject, edit, undo.", no_args_is_help=True
)
app.add_typer(review_app, name="review")

Ids = Annotated[list[str], typer.Argument(metavar="ID…", help="As `review list` shows them; a beginning will do.")]
Note = Annotated[str, typer.Option(help="Why, for whoever reads the audit.")]


@verb(app)
def merge(entity: str, into: str) -> Told:
    """Say that two entities are one; `split` takes it back."""
    from finlore.serve import show

    pair = opened().merge(entity, into)
    return Told({"merged": pair[0], "into": pair[1]}, show.plain)


@verb(app)
def split(entity: str) -> Told:
    """Take back a merge, whoever made it."""
    from finlore.serve import show

    done = opened().split(entity)
    return Told({"split": entity if done else None}, show.plain, done)


@verb(review_app, "list")
def review_list(
    kind: Annotated[
        str | None,
        typer.Option(help="merge, low_confidence, failed_check, schema, contradiction, completion or instruction"),
    ] = None,
    status: Annotated[
        Literal["open", "accepted", "rejected", "edited", "all"], typer.Option(help="What became of it.")
    ] = "open",
) -> Told:
    """What is doubtful, and what was decided of it, when and by whom."""
    found = opened().reviews(kind=kind, status=None if status == "all" else status)
    return _told(found, found)


@verb(review_app, "accept")
def review_accept(ids: Ids, note: Note = "") -> Told:
    """Say yes to what reviews propose."""
    return _told(opened().accept(*ids, note=note))


@verb(review_app, "reject")
def review_reject(ids: Ids, note: Note = "") -> Told:
    """Say no: what is asked about is read no more, what is proposed is not done."""
    return _told(opened().reject(*ids, note=note))


@verb(review_app, "edit")
def review_edit(
    id_: Annotated[str, typer.Argument(metavar="ID", help="As `review list` shows it; a beginning will do.")],
    edits: Annotated[list[str], typer.Argument(metavar="KEY=VALUE…", help="value=26.8, unit=元, into=600519.SH …")],
    note: Note = "",
) -> Told:
    """Say yes, but with other values."""
    from finlore.serve import review_words

    return _told(opened().edit(id_, review_words.edited(edits), note=note))


@verb(review_app, "undo")
def review_undo(ids: Ids) -> Told:
    """Take back what was decided, by people or by the machine; that it was stays in the audit."""
    return _told(opened().undo(*ids))


def _told(reviews: "Iterable[Reviewed]", found: object = True) -> Told:
    from finlore.serve import review_words

    return Told(review_words.reviews(reviews), review_words.show, found)
