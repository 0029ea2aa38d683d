"""What people decide of the graph."""

from finlore.serve.application import Json, app, nothing_found_unless, opened, print_document


@app.command()
def merge(entity: str, into: str, as_json: Json = False) -> None:
    """Say that two entities are one; `split` takes it back."""
    from finlore.serve import show

    with opened() as workspace:
        pair = workspace.merge(entity, into)
    print_document({"merged": pair[0], "into": pair[1]}, as_json, show.plain)


@app.command()
def split(entity: str, as_json: Json = False) -> None:
    """Take back a merge."""
    from finlore.serve import show

    with opened() as workspace:
        done = workspace.split(entity)
    print_document({"split": entity if done else None}, as_json, show.plain)
    nothing_found_unless(done)
