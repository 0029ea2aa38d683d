"""What the verbs `schema …` print: schemas as JSON documents, and as trees."""

from dataclasses import asdict

from finlore.flows import InducedSchema
from finlore.knowledge.schema import SHIPPED
from finlore.knowledge.schema_text import drawn, tree
from finlore.records.schema import Schema
from finlore.serve.extract_words import usage
from finlore.serve.show import plain
from finlore.serve.terminal import note, say
from finlore.serve.words import Json
from finlore.wiring.schemas import Schemas


def schema(found: Schema, *, active: str) -> Json:
    """All of it, with `tree`: the lines that people see."""
    return {**asdict(found), "active": found.name == active, "tree": list(drawn(tree(found)))}


def show(document: Json) -> None:
    for line in document["tree"]:
        say(line)


def names(schemas: Schemas) -> Json:
    kept = list(dict.fromkeys((SHIPPED, *schemas.kept(), schemas.name)))
    return {"active": schemas.name, "schemas": [{"name": name, "active": name == schemas.name} for name in kept]}


def show_names(document: Json) -> None:
    for row in document["schemas"]:
        say(f"{row['name']}{'  (this workspace)' if row['active'] else ''}")


def induced(found: InducedSchema) -> Json:
    return {
        "schema": schema(found.schema, active="") if found.schema else None,
        "written": str(found.written) if found.written else None,
        "left_out": [issue.message for issue in found.left_out],
        "is_cut_short": found.is_cut_short,
        "estimate": usage(found.estimate),
        "usage": usage(found.usage),
        "llm_calls": found.usage.calls,
        "cost": found.usage.cost,
    }


def show_induced(document: Json) -> None:
    if document["schema"]:
        show(document["schema"])
        name = document["schema"]["name"]
        plain({"written": document["written"], "next": f"finlore ingest --schema {name} PATH…"})
    for message in document["left_out"]:
        note(f"! {message}", "yellow")
