"""What is stated and what happened, and when it became known."""

from typing import Annotated

import typer

from finlore.serve.application import AsOf, Told, app, opened, verb

From = Annotated[str | None, typer.Option("--from", help="Only what became known, or changed, after this day.")]
To = Annotated[str | None, typer.Option("--to", help="Only what was known by this day.")]


@verb(app)
def facts(
    *,
    subject: Annotated[str | None, typer.Option(help="Of whom: a name, code or id.")] = None,
    relation: Annotated[
        str | None, typer.Option(help="Which attribute, link or metric: an id or what it is called.")
    ] = None,
    since: From = None,
    until: To = None,
    as_of: AsOf = None,
) -> Told:
    """What is stated, by whom, on which page, since when and until when; what contradicts it. With --from: what has
    changed since that day."""
    from finlore.serve import days, fact_words, show

    workspace = opened()
    words_of = workspace.vocabulary, workspace.names(until=until, as_of=as_of)
    if since is not None:
        changes = workspace.changes(since, until, subject=subject, relation=relation, as_of=as_of)
        return Told({"facts": fact_words.changed(changes, *words_of)}, days.changes, changes)
    found = workspace.facts(subject=subject, relation=relation, until=until, as_of=as_of)
    return Told(fact_words.facts(found, *words_of), show.facts, found)


@verb(app)
def events(
    *,
    subject: Annotated[str | None, typer.Option(help="Who takes part: a name, code or id.")] = None,
    driver: Annotated[str | None, typer.Option(help="Which driver or kind of event.")] = None,
    since: From = None,
    until: To = None,
    as_of: AsOf = None,
) -> Told:
    """What happened to companies: which driver, in which direction, why, and where it is said."""
    from finlore.serve import fact_words, show

    workspace = opened()
    found = workspace.events(subject=subject, driver=driver, since=since, until=until, as_of=as_of)
    document = fact_words.events(found, workspace.vocabulary, workspace.names(until=until, as_of=as_of))
    return Told(document, show.events, found)


@verb(app)
def timeline(
    name: str,
    since: From = None,
    until: To = None,
    as_of: AsOf = None,
) -> Told:
    """What became known of an entity day by day, and how two days differ."""
    from finlore.serve import days, fact_words

    workspace = opened()
    found = workspace.timeline(name, since=since, until=until, as_of=as_of)
    document = fact_words.timeline(found, workspace.vocabulary, workspace.names(until=until, as_of=as_of))
    return Told(document, days.timeline, found.steps or found.events)
