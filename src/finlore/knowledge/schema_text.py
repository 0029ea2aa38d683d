"""Schemas in words: as the TOML that they are read from, and as a tree to be shown."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
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
    links = ("\n".join(_link_lines(link)) for link in schema.links)
    attributes = ("\n".join(_attribute_lines(attribute)) for attribute in schema.attributes)
    drivers = ("\n\n".join(_driver_tables(driver)) for driver in schema.drivers)
    parts = {"attributes": attributes, "drivers": drivers, "links": links}
    return {part: "".join(f"{table}\n\n" for table in tables).rstrip("\n") + "\n" for part, tables in parts.items()}


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
    objects = f"-> {_alternatives(attribute.range)}" if attribute.range else ""
    whose = " ".join(filter(None, (_alternatives(attribute.domain), objects)))
    detail = _detail(takes, number, whose, fibo=attribute.fibo, cues=attribute.cues)
    return Branch(attribute.id, attribute.labels.zh, attribute.labels.en, detail)


def _driver_branch(driver: DriverType) -> Branch:
    below = tuple(
        Branch(event.id, event.labels.zh, event.labels.en, _detail(fibo=event.fibo, cues=event.cues))
        for event in driver.events
    )
    return Branch(driver.id, driver.labels.zh, driver.labels.en, _detail(fibo=driver.fibo), below)


def _link_branch(link: LinkType) -> Branch:
    ends = f"{_alternatives(link.domain)} {'<->' if link.symmetric else '->'} {_alternatives(link.range)}"
    detail = _detail(_number(link.single), ends, fibo=link.fibo, cues=link.cues)
    return Branch(link.id, link.labels.zh, link.labels.en, detail)


def _detail(*parts: str, fibo: str, cues: Sequence[Cue] | None = None) -> str:
    """What there is to say of a type; of its term the last part, which names it."""
    term = f"fibo:{fibo.rstrip('/').replace('#', '/').rpartition('/')[2]}" if fibo else ""
    return "; ".join(filter(None, (*parts, term, "" if cues is None else _counted(cues))))


def _alternatives(kinds: Iterable[str]) -> str:
    return ", ".join(kinds)


def _number(single: bool) -> str:
    return "single" if single else "many"


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
