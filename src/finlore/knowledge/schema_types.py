"""Types of a schema out of plain tables, wherever these come from: a TOML file, or what a language model replied.

Nothing is guessed and nothing is passed over: a table that is not exactly of the form is a `Fault`, which tells where.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, TypeVar, get_args

from finlore.language.normal import has_han
from finlore.records.fact import Direction
from finlore.records.names import EntityKind
from finlore.records.schema import AttributeType, Cue, DriverType, EventType, Labels, LinkType, Quantity, ValueType
from finlore.resources import load_toml

KINDS: Final[tuple[EntityKind, ...]] = get_args(EntityKind)
DIRECTIONS: Final[tuple[Direction, ...]] = get_args(Direction)
VALUES: Final[tuple[ValueType, ...]] = get_args(ValueType)
QUANTITIES: Final[tuple[Quantity, ...]] = get_args(Quantity)
MOST_CUE_CHARACTERS: Final = 60
_MOST_LABEL_CHARACTERS: Final = 80
MOST_DESCRIPTION_CHARACTERS: Final = 400
_MOST_IRI_CHARACTERS: Final = 300
_ID = re.compile(r"[a-z][a-z0-9_]{0,59}")
_IRI = re.compile(r"https?://[a-z0-9-]+(?:\.[a-z0-9-]+)+(?::\d+)?/[\w.~:/?#\[\]@!$&'()*+,;=%-]*[\w-]/?", re.ASCII)

Choice = TypeVar("Choice", bound=str)


class Fault(ValueError):
    """What is wrong with a schema; `path` leads to it: keys from the top, at the end the text of a cue."""

    def __init__(self, reason: str, *path: str) -> None:
        super().__init__(reason)
        self.reason = reason
        self.path = path


@dataclass(frozen=True, slots=True)
class Table:
    """A table and the keys that lead to it; each method gives what stands under a key, or a `Fault`."""

    values: Mapping[str, object]
    path: tuple[str, ...] = ()

    def fault(self, reason: str, *path: str) -> Fault:
        return Fault(reason, *self.path, *path)

    def only(self, *keys: str) -> None:
        for key in self.values:
            if key not in keys:
                raise self.fault(f"unknown key '{key}'; there are {', '.join(keys)}", key)

    def tables(self) -> Iterator[tuple[str, "Table"]]:
        """(id, its table) of everything in a table of types."""
        for key in self.values:
            if not _ID.fullmatch(key):
                raise self.fault(f"'{key[:60]}' is no id: lower case letters, digits and _, at most 60", key)
            yield key, self.table(key)

    def table(self, key: str) -> "Table":
        found = self.values.get(key, {})
        if not isinstance(found, Mapping):
            raise self.fault(f"'{key}' is not a table", key)
        return Table(found, (*self.path, key))

    def text(self, key: str, *, most: int, what: str) -> str:
        found = self.values.get(key, "")
        if not isinstance(found, str) or not found.strip():
            raise self.fault(f"{what} '{key}' is missing", *([key] if key in self.values else []))
        if len(found) > most or not found.strip().isprintable():
            raise self.fault(f"'{key}' is one line of at most {most} characters", key)
        return found.strip()

    def choice(self, key: str, choices: tuple[Choice, ...], default: Choice | None = None) -> Choice:
        found = self.values.get(key, default)
        for choice in choices:
            if found == choice:
                return choice
        raise self.fault(
            f"'{key}' is one of {', '.join(filter(None, choices))}", *([key] if key in self.values else [])
        )

    def flag(self, key: str) -> bool:
        found = self.values.get(key, False)
        if not isinstance(found, bool):
            raise self.fault(f"'{key}' is true or false", key)
        return found

    def strings(self, key: str) -> tuple[str, ...]:
        found = self.values.get(key, [])
        if not isinstance(found, list) or not all(isinstance(item, str) for item in found):
            raise self.fault(f"'{key}' is a list of strings", key)
        return tuple(found)

    def kinds(self, key: str) -> tuple[EntityKind, ...]:
        found = self.strings(key)
        for kind in found:
            if kind not in KINDS:
                raise self.fault(f"unknown kind '{kind[:60]}' in '{key}'; there are {', '.join(KINDS)}", key, kind)
        return tuple(kind for kind in KINDS if kind in found)

    def labels(self, zh: str = "zh", en: str = "en") -> Labels:
        most = _MOST_LABEL_CHARACTERS
        return Labels(self.text(zh, most=most, what="label"), self.text(en, most=most, what="label"))

    def description(self) -> str:
        return self.text("description", most=MOST_DESCRIPTION_CHARACTERS, what="the")

    def iri(self) -> str:
        if "fibo" not in self.values:
            return ""
        found = self.text("fibo", most=_MOST_IRI_CHARACTERS, what="the term")
        if not _IRI.fullmatch(found):
            raise self.fault(f"'{found[:80]}' is not the IRI of a term", "fibo")
        return found

    def cues(self) -> tuple[Cue, ...]:
        """Plain ones before swapped ones, in the order of `DIRECTIONS`, then as they stand."""
        found = [*self._cues_under("cues"), *self._cues_under("swapped_cues")]
        seen: set[str] = set()
        for cue in found:
            if cue.text.lower() in seen:
                key = "swapped_cues" if cue.swaps else "cues"
                under = (key, cue.direction) if isinstance(self.values[key], Mapping) else (key,)
                raise self.fault(f"cue '{cue.text}' stands twice", *under, cue.text)
            seen.add(cue.text.lower())
        return tuple(found)

    def _cues_under(self, key: str) -> Iterator[Cue]:
        if isinstance(self.values.get(key, []), list):
            yield from self._read_cues(key, "neutral", swaps=key == "swapped_cues")
            return
        directed = self.table(key)
        for direction in directed.values:
            if direction not in DIRECTIONS:
                raise directed.fault(f"direction '{direction}' is not one of {', '.join(DIRECTIONS)}", direction)
        for direction in DIRECTIONS:
            yield from directed._read_cues(direction, direction, swaps=key == "swapped_cues")

    def _read_cues(self, key: str, direction: Direction, *, swaps: bool) -> Iterator[Cue]:
        for text in self.strings(key):
            if reason := cue_fault(text):
                raise self.fault(f"cue '{text[:60]}' {reason}", key, text)
            yield Cue(text.strip(), direction, swaps)


def cue_fault(text: str) -> str:
    """Why a wording announces nothing; empty when it may."""
    letters = [character for character in text if character.isalnum() or character == "%"]
    if not letters:
        return "is empty"
    if len(text) > MOST_CUE_CHARACTERS or not text.isprintable():
        return f"is not one line of at most {MOST_CUE_CHARACTERS} characters"
    if len(letters) == 1:
        return "is a single character, which stands everywhere"
    if "*" in text.strip().removesuffix("*") or ("*" in text and has_han(text)):
        return "has a '*' elsewhere than at the end of a Latin word"
    if text.strip().lower() in _common_words() or ("*" in text and len(letters) < 3):
        return "is a word that stands everywhere"
    return ""


@lru_cache(maxsize=1)
def _common_words() -> frozenset[str]:
    table = load_toml("lexicon/stopwords.toml")
    return frozenset(word for word in f"{table['common']} {table['asking']}".split() if word.isascii())


def read_attribute(key: str, table: Table) -> AttributeType:
    """A property of securities and companies."""
    table.only(
        "zh", "en", "description", "value", "quantity", "single", "opinion", "domain", "range", "fibo", "cues"
    )  # fmt: skip
    value = table.choice("value", VALUES)
    quantity = table.choice("quantity", QUANTITIES, "")
    if (value == "number") > bool(quantity) or (quantity and value in ("text", "date")):
        raise table.fault(f"a {value} has {'a' if value == 'number' else 'no'} quantity", "value")
    if not isinstance(table.values.get("cues", []), list):
        raise table.fault("cues of an attribute have no direction", "cues")
    if table.flag("opinion") and not table.flag("single"):
        raise table.fault("an opinion has one value at a time: it is 'single'", "opinion")
    return AttributeType(
        key, table.labels(), table.description(), value, quantity, table.flag("single"),
        _some(table, "domain"), _range(table, value), table.iri(), table.cues(), table.flag("opinion"),
    )  # fmt: skip


def read_driver(key: str, table: Table) -> DriverType:
    """A category of drivers with its event types."""
    table.only("zh", "en", "description", "fibo", "events")
    events = tuple(read_event(event, key, inner) for event, inner in table.table("events").tables())
    if not events:
        raise table.fault(f"driver '{key}' has no event types")
    return DriverType(key, table.labels(), table.description(), table.iri(), events)


def read_event(key: str, driver: str, table: Table) -> EventType:
    """A type of events under a driver."""
    table.only("zh", "en", "description", "fibo", "cues", "swapped_cues")
    return EventType(key, driver, table.labels(), table.description(), table.iri(), table.cues())


def read_link(key: str, table: Table) -> LinkType:
    """A relation of two entities; one without direction is worded alike from both sides."""
    table.only(
        "zh", "en", "inverse_zh", "inverse_en", "description", "domain", "range", "single", "symmetric", "fibo",
        "cues", "swapped_cues",
    )  # fmt: skip
    labels, symmetric = table.labels(), table.flag("symmetric")
    link = LinkType(
        key, labels, labels if symmetric else table.labels("inverse_zh", "inverse_en"), table.description(),
        _some(table, "domain"), _some(table, "range"), table.flag("single"), symmetric, table.iri(), table.cues(),
    )  # fmt: skip
    if symmetric and link.domain != link.range:
        raise table.fault("the domain and range of a symmetric link are the same", "range")
    for extra in ("inverse_zh", "inverse_en", "swapped_cues"):
        if symmetric and extra in table.values:
            raise table.fault(f"a symmetric link has no '{extra}'", extra)
    return link


def check_ids(attributes: Iterable[AttributeType], drivers: Sequence[DriverType], links: Iterable[LinkType]) -> None:
    """A `Fault` where an id means two things, or where a category would stand below its own event type."""
    categories = {driver.id: {event.id for event in driver.events} for driver in drivers}
    places: list[tuple[str, ...]] = [("attributes", attribute.id) for attribute in attributes]
    places += [("drivers", driver.id) for driver in drivers]
    places += [("links", link.id) for link in links]
    places += [("drivers", driver.id, "events", event.id) for driver in drivers for event in driver.events]
    taken: dict[str, str] = {}
    for *path, key in places:
        if key in categories and len(path) > 1:
            raise Fault(f"a cycle: {_cycle(path[1], key, categories)}", *path, key)
        if key in taken:
            raise Fault(f"duplicate id '{key}': it stands in {taken[key]} too", *path, key)
        taken[key] = " ".join(path[:2])


def _cycle(driver: str, event: str, categories: Mapping[str, set[str]]) -> str:
    around = f" > {driver}" if driver != event and driver in categories[event] else ""
    return f"'{event}' is a driver, it cannot be an event type of one ({driver} > {event}{around})"


def _some(table: Table, key: str) -> tuple[EntityKind, ...]:
    kinds = table.kinds(key)
    if not kinds:
        raise table.fault(f"'{key}' names no kind", *([key] if key in table.values else []))
    return kinds


def _range(table: Table, value: ValueType) -> tuple[EntityKind, ...]:
    if value == "entity":
        return _some(table, "range")
    if table.kinds("range"):
        raise table.fault(f"a {value} has no range of kinds", "range")
    return ()
