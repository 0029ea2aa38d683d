"""Schemas in words: as the TOML that they are read from, and as a tree to be shown."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from finlore.knowledge.schema_types import DIRECTIONS
from finlore.records.schema import AttributeType, Cue, DriverType, EventType, LinkType, Schema

_CUES_A_LINE: Final = 8


@dataclass(frozen=True, slots=True)
class Branch:
    """A node of the tree: `detail` says what its labels do not; its `id` is empty where it only gathers others."""

    id: str
    zh: str
    en: str
    detail: str = ""
    branches: tuple["Branch", ...] = ()


def tree(schema: Schema) -> Branch:
    """The schema as a tree, ready for `dataclasses.asdict` and `drawn`."""
    return Branch(
        schema.name, "模式", "schema", f"version {schema.version}",
        (
            _gathered("属性", "attributes", map(_attribute_branch, schema.attributes)),
            _gathered("驱动因素", "drivers", map(_driver_branch, schema.drivers)),
            _gathered("关系", "links", map(_link_branch, schema.links)),
        ),
    )  # fmt: skip


def drawn(branch: Branch) -> Iterator[str]:
    """The lines of a tree."""
    yield _worded(branch)
    for number, below in enumerate(branch.branches, 1):
        is_last = number == len(branch.branches)
        first, *rest = drawn(below)
        yield f"{'└─' if is_last else '├─'} {first}"
        yield from (f"{'  ' if is_last else '│ '} {line}" for line in rest)


def to_toml(schema: Schema) -> dict[str, str]:
    """The TOML texts of a schema by part (`schema.PARTS`); reading them gives the same schema."""
    links = ("\n".join(_link_lines(link)) for link in schema.links)
    attributes = ("\n".join(_attribute_lines(attribute)) for attribute in schema.attributes)
    drivers = ("\n\n".join(_driver_tables(driver)) for driver in schema.drivers)
    parts = {"attributes": attributes, "drivers": drivers, "links": links}
    return {part: "".join(f"{table}\n\n" for table in tables).rstrip("\n") + "\n" for part, tables in parts.items()}


def _gathered(zh: str, en: str, branches: Iterable[Branch]) -> Branch:
    below = tuple(branches)
    return Branch("", zh, en, str(len(below)), below)


def _worded(branch: Branch) -> str:
    return "  ".join(filter(None, (branch.id, f"{branch.zh} {branch.en}", branch.detail)))


def _attribute_branch(attribute: AttributeType) -> Branch:
    takes = " ".join(filter(None, (attribute.value, attribute.quantity, _alternatives(attribute.range))))
    number = "one at a time of each source" if attribute.opinion else _number(attribute.single)
    detail = f"{_alternatives(attribute.domain)} -> {takes}, {number}"
    return Branch(attribute.id, attribute.labels.zh, attribute.labels.en, f"{detail}, {_counted(attribute.cues)}")


def _driver_branch(driver: DriverType) -> Branch:
    below = tuple(
        Branch(event.id, event.labels.zh, event.labels.en, _counted(event.cues)) for event in driver.events
    )  # fmt: skip
    return Branch(driver.id, driver.labels.zh, driver.labels.en, "", below)


def _link_branch(link: LinkType) -> Branch:
    arrow = "<->" if link.symmetric else "->"
    detail = f"{_alternatives(link.domain)} {arrow} {_alternatives(link.range)}, {_number(link.single)}"
    return Branch(link.id, link.labels.zh, link.labels.en, f"{detail}, {_counted(link.cues)}")


def _alternatives(kinds: Iterable[str]) -> str:
    return "|".join(kinds)


def _number(single: bool) -> str:
    return "one at a time" if single else "many"


def _counted(cues: Sequence[Cue]) -> str:
    return f"{len(cues)} cue{'' if len(cues) == 1 else 's'}"


def _attribute_lines(attribute: AttributeType) -> Iterator[str]:
    yield from _head_lines((attribute.id,), attribute)
    yield f"value = {_quoted(attribute.value)}"
    if attribute.quantity:
        yield f"quantity = {_quoted(attribute.quantity)}"
    if attribute.opinion:
        yield "opinion = true"
    yield from _bounds(attribute)
    yield from _term(attribute)
    if attribute.cues:
        yield f"cues = {_list(cue.text for cue in attribute.cues)}"


def _driver_tables(driver: DriverType) -> Iterator[str]:
    yield "\n".join((*_head_lines((driver.id,), driver), *_term(driver)))
    for event in driver.events:
        head = _head_lines((driver.id, "events", event.id), event)
        yield "\n".join((*head, *_term(event), *_cue_lines(event.cues)))


def _link_lines(link: LinkType) -> Iterator[str]:
    yield from _head_lines((link.id,), link)
    if link.symmetric:
        yield "symmetric = true"
    else:
        yield f"inverse_zh = {_quoted(link.inverse.zh)}"
        yield f"inverse_en = {_quoted(link.inverse.en)}"
    yield from _bounds(link)
    yield from _term(link)
    yield from _cue_lines(link.cues)


def _head_lines(path: Iterable[str], item: AttributeType | DriverType | EventType | LinkType) -> Iterator[str]:
    yield f"[{'.'.join(path)}]"
    yield f"zh = {_quoted(item.labels.zh)}"
    yield f"en = {_quoted(item.labels.en)}"
    yield f"description = {_quoted(item.description)}"


def _bounds(item: AttributeType | LinkType) -> Iterator[str]:
    if item.single:
        yield "single = true"
    yield f"domain = {_list(item.domain)}"
    if item.range:
        yield f"range = {_list(item.range)}"


def _term(item: AttributeType | DriverType | EventType | LinkType) -> Iterator[str]:
    if item.fibo:
        yield f"fibo = {_quoted(item.fibo)}"


def _cue_lines(cues: Sequence[Cue]) -> Iterator[str]:
    for key, swaps in (("cues", False), ("swapped_cues", True)):
        for direction in DIRECTIONS:
            texts = [cue.text for cue in cues if cue.swaps is swaps and cue.direction == direction]
            if texts:
                yield f"{key}.{direction} = {_list(texts)}"


def _list(texts: Iterable[str]) -> str:
    quoted = [_quoted(text) for text in texts]
    if len(quoted) <= _CUES_A_LINE:
        return f"[{', '.join(quoted)}]"
    rows = (quoted[at : at + _CUES_A_LINE] for at in range(0, len(quoted), _CUES_A_LINE))
    return "[\n" + "".join(f"  {', '.join(row)},\n" for row in rows) + "]"


def _quoted(text: str) -> str:
    """A basic string of TOML: JSON's escapes are TOML's, but for DEL, which no label or cue may hold."""
    return json.dumps(text, ensure_ascii=False)
