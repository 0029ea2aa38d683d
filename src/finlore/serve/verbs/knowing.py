"""What is stated and what happened, and when it became known."""

from typing import Annotated

import typer

from finlore.serve.application import AsOf, Json, app, nothing_found_unless, opened, print_document


@app.command()
def facts(
    subject: Annotated[str | None, typer.Option(help="Of whom: a name, code or id.")] = None,
    relation: Annotated[
        str | None, typer.Option(help="Which attribute, link or metric: an id or what it is called.")
    ] = None,
    as_of: AsOf = None,
    as_json: Json = False,
) -> None:
    """What is stated, by whom, on which page, since when and until when; what contradicts it."""
    from finlore.serve import fact_words, show

    with opened() as workspace:
        found, vocabulary = workspace.facts(subject=subject, relation=relation, as_of=as_of), workspace.vocabulary
    print_document(fact_words.facts(found, vocabulary), as_json, show.facts)
    nothing_found_unless(bool(found))


@app.command()
def events(
    subject: Annotated[str | None, typer.Option(help="Who takes part: a name, code or id.")] = None,
    driver: Annotated[str | None, typer.Option(help="Which driver or kind of event.")] = None,
    as_of: AsOf = None,
    as_json: Json = False,
) -> None:
    """What happened to companies: which driver, in which direction, why, and where it is said."""
    from finlore.serve import fact_words, show

    with opened() as workspace:
        found, vocabulary = workspace.events(subject=subject, driver=driver, as_of=as_of), workspace.vocabulary
    print_document(fact_words.events(found, vocabulary), as_json, show.events)
    nothing_found_unless(bool(found))


@app.command()
def timeline(
    name: str,
    since: Annotated[str | None, typer.Option("--from", help="Only what became known after this day.")] = None,
    until: Annotated[str | None, typer.Option("--to", help="Only what was known by this day.")] = None,
    as_of: AsOf = None,
    as_json: Json = False,
) -> None:
    """What became known of an entity day by day, and how two days differ."""
    from finlore.serve import fact_words, show

    with opened() as workspace:
        found = workspace.timeline(name, since=since, until=until, as_of=as_of)
        vocabulary = workspace.vocabulary
    print_document(fact_words.timeline(found, vocabulary), as_json, show.timeline)
    nothing_found_unless(bool(found.steps or found.events))
