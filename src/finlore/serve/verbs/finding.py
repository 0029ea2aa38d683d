"""What is found in a workspace: passages, names, tables, and how they hang together."""

from typing import Annotated, Literal

import typer

from finlore.serve.application import AsOf, Json, app, nothing_found_unless, opened, print_document


@app.command()
def search(
    query: str,
    top: Annotated[int, typer.Option(min=1, max=1000, help="How many passages.")] = 10,
    method: Annotated[Literal["auto", "text", "dense", "graph"], typer.Option(help="How to rank.")] = "auto",
    as_of: AsOf = None,
    as_json: Json = False,
) -> None:
    """The passages that bear on a question, best first."""
    from finlore.serve import show, words

    with opened() as workspace:
        found = workspace.search(query, top=top, method=method, as_of=as_of)
    print_document(words.searched(found), as_json, show.searched)
    nothing_found_unless(bool(found.hits))


@app.command()
def entity(name: str, as_of: AsOf = None, as_json: Json = False) -> None:
    """What is known under a name: its spellings, its neighbours, the passages about it."""
    from finlore.serve import fact_words, show, words

    with opened() as workspace:
        found, words_of = workspace.entity(name, as_of=as_of), (workspace.vocabulary, workspace.names(as_of=as_of))
        known = {**fact_words.facts(found.facts, *words_of), **fact_words.events(found.events, *words_of)}
    page = words.entity(found.entity, found.neighbours, found.passages)
    print_document({**page, **known}, as_json, show.entity)


@app.command()
def edge(a: str, b: str, as_of: AsOf = None, as_json: Json = False) -> None:
    """All passages in which both names occur, best first."""
    from finlore.serve import show, words

    with opened() as workspace:
        passages = workspace.edge(a, b, as_of=as_of)
    print_document(words.edge(passages), as_json, show.edge)
    nothing_found_unless(bool(passages))


@app.command()
def paths(
    a: str,
    b: str,
    hops: Annotated[int, typer.Option(min=1, max=6, help="Longest chain of shared passages.")] = 3,
    as_of: AsOf = None,
    as_json: Json = False,
) -> None:
    """How two names are connected: chains of entities, and the passages that link them."""
    from finlore.serve import show, words

    with opened() as workspace:
        found, passages = workspace.paths(a, b, hops=hops, as_of=as_of)
    print_document(words.name_paths(found, passages), as_json, show.name_paths)
    nothing_found_unless(bool(found))


@app.command()
def tables(document: str, as_of: AsOf = None, as_json: Json = False) -> None:
    """The tables of a document: cells, what each number means, and what is doubtful."""
    from finlore.serve import show, words

    with opened() as workspace:
        found = workspace.tables(document, as_of=as_of)
    print_document(words.tables(found.document, found.tables, found.values), as_json, show.tables)
    nothing_found_unless(bool(found.tables))
