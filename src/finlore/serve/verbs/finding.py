"""What is found in a workspace: passages, names, tables, and how they hang together."""

from typing import Annotated, Literal

import typer

from finlore.serve.application import AsOf, Told, app, opened, verb


@verb(app)
def search(
    query: str,
    top: Annotated[int, typer.Option(min=1, max=1000, help="How many passages.")] = 10,
    method: Annotated[Literal["auto", "text", "dense", "graph"], typer.Option(help="How to rank.")] = "auto",
    as_of: AsOf = None,
) -> Told:
    """The passages that bear on a question, best first."""
    from finlore.serve import show, words

    found = opened().search(query, top=top, method=method, as_of=as_of)
    return Told(words.searched(found), show.searched, found.hits)


@verb(app)
def entity(name: str, as_of: AsOf = None) -> Told:
    """What is known under a name: its spellings, its neighbours, the passages about it."""
    from finlore.serve import fact_words, show, words

    workspace = opened()
    found, words_of = workspace.entity(name, as_of=as_of), (workspace.vocabulary, workspace.names(as_of=as_of))
    known = {**fact_words.facts(found.facts, *words_of), **fact_words.events(found.events, *words_of)}
    return Told({**words.entity(found.entity, found.neighbours, found.passages), **known}, show.entity)


@verb(app)
def edge(a: str, b: str, as_of: AsOf = None) -> Told:
    """All passages in which both names occur, best first."""
    from finlore.serve import show, words

    passages = opened().edge(a, b, as_of=as_of)
    return Told(words.edge(passages), show.edge, passages)


@verb(app)
def paths(
    a: str,
    b: str,
    hops: Annotated[int, typer.Option(min=1, max=6, help="Longest chain of shared passages.")] = 3,
    as_of: AsOf = None,
) -> Told:
    """How two names are connected: chains of entities, and the passages that link them."""
    from finlore.serve import show, words

    found, passages = opened().paths(a, b, hops=hops, as_of=as_of)
    return Told(words.name_paths(found, passages), show.name_paths, found)


@verb(app)
def tables(document: str, as_of: AsOf = None) -> Told:
    """The tables of a document: cells, what each number means, and what is doubtful."""
    from finlore.serve import show, words

    found = opened().tables(document, as_of=as_of)
    return Told(words.tables(found.document, found.tables, found.values), show.tables, found.tables)
