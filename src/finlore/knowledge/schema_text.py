"""Schemas in words: as the TOML that they are read from, and as a tree to be shown."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from itertools import product
from typing import Final
from unicodedata import east_asian_width

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


def drawn(branch: Branch, *, width: int = 100) -> Iterator[str]:
    """The lines of a tree, none wider than `width` columns while what they say can be broken."""
    yield from _worded(branch, width)
    for number, below in enumerate(branch.branches, 1):
        is_last = number == len(branch.branches)
        first, *rest = drawn(below, width=width - 3)
        yield f"{'└─' if is_last else '├─'} {first}"
        yield from (f"{'  ' if is_last else '│ '} {line}" for line in rest)


def to_toml(schema: Schema) -> dict[str, str]:
    """The TOML texts of a schema by part (`schema.PARTS`); reading them gives the same schema."""
    parts = {"attributes": [_table(item.id, item) for item in schema.attributes], "drivers": list[str](),
             "links": [_table(item.id, item) for item in schema.links]}  # fmt: skip
    for driver in schema.drivers:
        events = [_table(f"{driver.id}.events.{event.id}", event) for event in driver.events]
        parts["drivers"] += [_table(driver.id, driver), *events]
    return {part: "\n\n".join(tables) + "\n" for part, tables in parts.items()}


def _gathered(zh: str, en: str, branches: Iterable[Branch]) -> Branch:
    below = tuple(branches)
    return Branch("", zh, en, str(len(below)), below)


def _worded(branch: Branch, width: int) -> Iterator[str]:
    """What is said of a node: in one line where there is room, else the detail in lines of its own."""
    head = "  ".join(filter(None, (branch.id, f"{branch.zh} {branch.en}")))
    if columns(f"{head}  {branch.detail}") <= width:
        yield "  ".join(filter(None, (head, branch.detail)))
        return
    yield head
    line = "│ " if branch.branches else "  "
    indent = f"{line}   "
    folded = indent
    for part in branch.detail.split(" "):
        if columns(f"{folded} {part}") > width and folded != indent:
            yield folded
            folded = indent
        folded += part if folded == indent else f" {part}"
    yield folded


def columns(text: str) -> int:
    """How wide a terminal shows a text: Chinese letters take two columns."""
    return sum(1 + (east_asian_width(letter) in "WF") for letter in text)


def _attribute_branch(attribute: AttributeType) -> Branch:
    takes = ", ".join(filter(None, (attribute.value, attribute.quantity)))
    number = "single for each source" if attribute.opinion else _number(attribute.single)
    objects = f"-> {', '.join(attribute.range)}" if attribute.range else ""
    whose = " ".join(filter(None, (", ".join(attribute.domain), objects)))
    detail = _detail(takes, number, whose, fibo=attribute.fibo, cues=attribute.cues)
    return Branch(attribute.id, attribute.labels.zh, attribute.labels.en, detail)


def _driver_branch(driver: DriverType) -> Branch:
    below = tuple(
        Branch(event.id, event.labels.zh, event.labels.en, _detail(fibo=event.fibo, cues=event.cues))
        for event in driver.events
    )
    return Branch(driver.id, driver.labels.zh, driver.labels.en, _detail(fibo=driver.fibo), below)


def _link_branch(link: LinkType) -> Branch:
    ends = f"{', '.join(link.domain)} {'<->' if link.symmetric else '->'} {', '.join(link.range)}"
    detail = _detail(_number(link.single), ends, fibo=link.fibo, cues=link.cues)
    return Branch(link.id, link.labels.zh, link.labels.en, detail)


def _detail(*parts: str, fibo: str, cues: Sequence[Cue] | None = None) -> str:
    """What there is to say of a type; of its term the last part, which names it."""
    term = f"fibo:{fibo.rstrip('/').replace('#', '/').rpartition('/')[2]}" if fibo else ""
    counted = "" if cues is None else f"{len(cues)} cue{'' if len(cues) == 1 else 's'}"
    return "; ".join(filter(None, (*parts, term, counted)))


def _number(single: bool) -> str:
    return "single" if single else "many"


def _table(path: str, item: AttributeType | DriverType | EventType | LinkType) -> str:
    """A table with a line for each key that says something."""
    return "\n".join((f"[{path}]", *(f"{key} = {_written(value)}" for key, value in _values(item) if value)))


def _values(item: AttributeType | DriverType | EventType | LinkType) -> Iterator[tuple[str, object]]:
    """(key of the TOML, value) of what a type holds, in the order of its fields."""
    for field in fields(item):
        value = getattr(item, field.name)
        match field.name:
            case "id" | "driver" | "events":
                continue  # stand in the path, and in tables of their own
            case "labels":
                yield from (("zh", value.zh), ("en", value.en))
            case "inverse" if isinstance(item, LinkType):
                yield from () if item.symmetric else (("inverse_zh", value.zh), ("inverse_en", value.en))
            case "cues" if isinstance(item, AttributeType):
                yield "cues", [cue.text for cue in value]
            case "cues":
                for (key, swaps), direction in product((("cues", False), ("swapped_cues", True)), DIRECTIONS):
                    cues = (cue for cue in value if cue.swaps is swaps and cue.direction == direction)
                    yield f"{key}.{direction}", [cue.text for cue in cues]
            case name:
                yield name, value


def _written(value: object) -> str:
    """A string, a flag or a list of strings. JSON's escapes are TOML's, but for DEL, which no label or cue may hold."""
    if not isinstance(value, Sequence) or isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    items = [_written(item) for item in value]
    if len(items) <= _CUES_A_LINE:
        return f"[{', '.join(items)}]"
    rows = (items[at : at + _CUES_A_LINE] for at in range(0, len(items), _CUES_A_LINE))
    return "[\n" + "".join(f"  {', '.join(row)},\n" for row in rows) + "]"
