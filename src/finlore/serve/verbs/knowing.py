"""What is stated and what happened, and when it became known."""

from typing import Annotated

import typer

from finlore.serve.application import AsOf, Json, app, nothing_found_unless, opened, print_document

From = Annotated[str | None, typer.Option("--from", help="Only what became known, or changed, after this day.")]
To = Annotated[str | None, typer.Option("--to", help="Only what was known by this day.")]


@app.command()
def facts(
    *,
    subject: Annotated[str | None, typer.Option(help="Of whom: a name, code or id.")] = None,
    relation: Annotated[
        str | None, typer.Option(help="Which attribute, link or metric: an id or what it is called.")
    ] = None,
    since: From = None,
    until: To = None,
    as_of: AsOf = None,
    as_json: Json = False,
) -> None:
    """What is stated, by whom, on which page, since when and until when; what contradicts it. With --from: what has
    changed since that day."""
    from finlore.serve import days, fact_words, show

    with opened() as workspace:
        vocabulary = workspace.vocabulary
        if since is not None:
            changes = workspace.changes(since, until, subject=subject, relation=relation, as_of=as_of)
            called = workspace.names(until=until, as_of=as_of)
            print_document({"facts": fact_words.changed(changes, vocabulary, called)}, as_json, days.changes)
            nothing_found_unless(bool(changes))
            return
        found = workspace.facts(subject=subject, relation=relation, until=until, as_of=as_of)
        document = fact_words.facts(found, vocabulary, workspace.names(until=until, as_of=as_of))
    print_document(document, as_json, show.facts)
    nothing_found_unless(bool(found))


@app.command()
def events(
    *,
    subject: Annotated[str | None, typer.Option(help="Who takes part: a name, code or id.")] = None,
    driver: Annotated[str | None, typer.Option(help="Which driver or kind of event.")] = None,
    since: From = None,
    until: To = None,
    as_of: AsOf = None,
    as_json: Json = False,
) -> None:
    """What happened to companies: which driver, in which direction, why, and where it is said."""
    from finlore.serve import fact_words, show

    with opened() as workspace:
        found = workspace.events(subject=subject, driver=driver, since=since, until=until, as_of=as_of)
        document = fact_words.events(found, workspace.vocabulary, workspace.names(until=until, as_of=as_of))
    print_document(document, as_json, show.events)
    nothing_found_unless(bool(found))


@app.command()
def timeline(
    name: str,
    since: From = None,
    until: To = None,
    as_of: AsOf = None,
    as_json: Json = False,
) -> None:
    """What became known of an entity day by day, and how two days differ."""
    from finlore.serve import days, fact_words

    with opened() as workspace:
        found = workspace.timeline(name, since=since, until=until, as_of=as_of)
        document = fact_words.timeline(found, workspace.vocabulary, workspace.names(until=until, as_of=as_of))
    print_document(document, as_json, days.timeline)
    nothing_found_unless(bool(found.steps or found.events))
