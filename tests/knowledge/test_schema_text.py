"""A schema can be shown as a tree, and written so that it is read again."""

import json
from dataclasses import asdict, replace

from hypothesis import given
from hypothesis import strategies as st

from finlore.knowledge.schema import load_schema, make_schema, parse_schema
from finlore.knowledge.schema_text import Branch, drawn, to_toml, tree
from finlore.knowledge.schema_types import DIRECTIONS, cue_fault
from finlore.records.schema import AttributeType, Cue, DriverType, EventType, Labels, LinkType

lines = st.text("证券股价 aZ09\"'\\#[]=.{}\u00e9\U0001f600", min_size=1, max_size=20).map(lambda text: f"x{text}y")
cues = st.lists(lines.filter(lambda text: not cue_fault(text)), unique_by=str.lower, max_size=20)
labels = st.builds(Labels, lines, lines)


def cued(texts: list[str], directed: bool) -> tuple[Cue, ...]:
    """Cues in the order in which a schema keeps them."""
    made = [
        Cue(text, DIRECTIONS[n % 3] if directed else "neutral", directed and n % 2 == 1) for n, text in enumerate(texts)
    ]
    return tuple(sorted(made, key=lambda cue: (cue.swaps, DIRECTIONS.index(cue.direction))))


def test_the_shipped_schema_is_read_again_as_it_was_written() -> None:
    schema = load_schema()
    assert parse_schema(to_toml(schema), name=schema.name) == schema


@given(labels, lines, cues, cues)
def test_any_labels_descriptions_and_cues_survive_being_written(
    named: Labels, description: str, some: list[str], others: list[str]
) -> None:
    description = description.strip()
    named = Labels(named.zh.strip(), named.en.strip())
    event = EventType("b", "a", named, description, "", cued(some, directed=True))
    schema = make_schema(
        "own",
        attributes=[
            AttributeType("n", named, description, "number", "money", True, ("company",), (), "", cued(some, False)),
            AttributeType("e", named, description, "entity", "percent", False, ("company",), ("person", "work"), ""),
        ],
        drivers=[DriverType("a", named, description, "https://example.org/terms#A", (event,))],
        links=[
            LinkType("l", named, Labels(named.en, named.zh), description, ("company",), ("region",), True, False, "",
                     cued(others, directed=True)),
            LinkType("s", named, named, description, ("company",), ("company",), False, True, ""),
        ],
    )  # fmt: skip
    assert parse_schema(to_toml(schema), name="own") == schema


def test_the_tree_names_every_type_once_below_its_part() -> None:
    schema = load_schema()
    top = tree(schema)
    attributes, drivers, links = top.branches
    assert [branch.id for branch in attributes.branches] == [attribute.id for attribute in schema.attributes]
    assert [branch.id for branch in links.branches] == [link.id for link in schema.links]
    assert {branch.id: [below.id for below in branch.branches] for branch in drivers.branches} == {
        driver.id: [event.id for event in driver.events] for driver in schema.drivers
    }
    assert schema.version in top.detail


def test_a_tree_is_drawn_with_a_line_for_each_type_and_is_plain_json() -> None:
    leaf = Branch("b", "乙", "b", "1 cue")
    top = Branch("own", "模式", "schema", "", (Branch("", "甲", "a", "1", (leaf,)), replace(leaf, id="c")))
    assert list(drawn(top)) == ["own  模式 schema", "├─ 甲 a  1", "│  └─ b  乙 b  1 cue", "└─ c  乙 b  1 cue"]
    assert json.loads(json.dumps(asdict(top)))["branches"][1]["id"] == "c"
