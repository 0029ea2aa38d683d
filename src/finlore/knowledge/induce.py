"""A schema derived from template texts by a language model: attributes, categories of drivers, each one's event types.

Answers are checked type by type. What is not of the form is left out and named; nothing that a template or a model says
becomes more than an id, a label, a description, a kind or a cue.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain, islice
from typing import Final, TypeVar

from finlore.knowledge.induction_prompts import MOST, MOST_CUES, MOST_PIECES, Question, pieces, question
from finlore.knowledge.schema import make_schema
from finlore.knowledge.schema_types import (
    DIRECTIONS,
    MOST_DESCRIPTION_CHARACTERS,
    Fault,
    Table,
    cue_fault,
    read_attribute,
    read_event,
)
from finlore.language.normal import fold
from finlore.ports import LanguageModel
from finlore.records.document import Issue
from finlore.records.llm import Prompt, Refusal
from finlore.records.schema import AttributeType, DriverType, EventType, Schema

_SOURCE: Final = "schema induction"
_TERM = re.compile(
    r"https://(?:spec\.edmcouncil\.org/fibo/ontology|www\.omg\.org/spec/Commons)/(?:[A-Za-z0-9-]+/)+[A-Za-z0-9]+"
)
_NOT_ID = re.compile(r"[^a-z0-9]+")

Type = TypeVar("Type", AttributeType, DriverType, EventType)
Row = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Induction:
    """What came of templates: the schema, None where nothing is left; what was left out of it, and why. `is_cut_short`:
    the budget did not suffice for all questions."""

    schema: Schema | None
    issues: tuple[Issue, ...]
    is_cut_short: bool


def induce(
    templates: Sequence[str], model: LanguageModel, *, known: Schema | None = None, name: str = "induced"
) -> Induction:
    """The schema that the templates ask for.

    From a `known` schema come the links, of which templates say nothing, and the ids of types that it calls the same.
    """
    read = list(islice(pieces(templates), MOST_PIECES + 1))
    interview = _Interview(model, read[:MOST_PIECES], {link.id for link in known.links} if known else set())
    if len(read) > MOST_PIECES:
        interview.note("the templates are too long: their end was not read")
    attributes = list(_attributes(interview, known))
    drivers = list(_drivers(interview, known))
    if not attributes and not drivers:
        interview.note("nothing usable was derived from the templates")
        return Induction(None, tuple(interview.issues), interview.is_over)
    links = known.links if known else ()
    schema = make_schema(name, attributes=attributes, drivers=drivers, links=links)
    return Induction(schema, tuple(interview.issues), interview.is_over)


def expected_prompts(templates: Sequence[str], *, like: Schema) -> list[Prompt]:
    """What would be asked, were the categories of drivers those of another schema: to estimate what it takes."""
    read = list(islice(pieces(templates), MOST_PIECES))
    kinds: tuple[Question, ...] = ("attributes", "drivers")
    opening = [question(kind, piece) for kind in kinds for piece in read]
    return opening + [question("events", piece, driver=driver) for driver in like.drivers for piece in read]


@dataclass(slots=True)
class _Interview:
    """What is asked of a model and what is to be said of its answers. `taken`: ids that mean something already."""

    model: LanguageModel
    pieces: Sequence[str]
    taken: set[str]
    issues: list[Issue] = field(default_factory=list)
    is_over: bool = False  # the budget is spent

    def note(self, message: str) -> None:
        self.issues.append(Issue(_SOURCE, message))

    def groups(
        self, kind: Question, ids: Mapping[str, str], *, driver: DriverType | None = None
    ) -> Iterator[tuple[str, list[Row]]]:
        """(id, all rows of the answers that describe this type), at most `MOST` of them."""
        grouped: dict[str, list[Row]] = {}
        for row in self._rows(kind, driver):
            if key := _id_of(row, ids):
                grouped.setdefault(key, []).append(row)
            else:
                self.note(f"{kind}: a type without a name was left out")
        if len(grouped) > MOST[kind]:
            self.note(f"{kind}: more than {MOST[kind]} types, the others were left out")
        return islice(iter(grouped.items()), MOST[kind])

    def accept(self, key: str, read: Callable[[], Type]) -> Iterator[Type]:
        """The type, if it can be read and its id is free; else why not is noted."""
        if key in self.taken:
            self.note(f"'{key}' was left out: the id stands for something else already")
            return
        try:
            found = read()
        except Fault as fault:
            self.note(f"'{key}' was left out: {fault.reason}")
            return
        self.taken.add(key)
        yield found

    def table(self, key: str, row: Row) -> dict[str, object]:
        """Labels, description and term of a row; one label stands in for the other where a model knew only one."""
        zh, en = _line(row.get("zh")), _line(row.get("en"))
        description = _line(row.get("description"))[:MOST_DESCRIPTION_CHARACTERS]
        table: dict[str, object] = {"zh": zh or en, "en": en or zh, "description": description or en or zh}
        term = _line(row.get("fibo"))
        if _TERM.fullmatch(term):
            table["fibo"] = term
        elif term:
            self.note(f"'{key}': {term[:80]!r} is no term of FIBO")
        return table

    def cues(self, key: str, rows: Iterable[Row], columns: Iterable[str]) -> dict[str, list[str]]:
        """The usable wordings under each column of all rows, none twice; how many were not usable is noted."""
        rows, seen, n_bad = list(rows), set[str](), 0
        kept: dict[str, list[str]] = {}
        for column in columns:
            for cue in chain.from_iterable(_strings(row.get(column)) for row in rows):
                if cue_fault(cue):
                    n_bad += 1
                elif cue.lower() not in seen and len(seen) < MOST_CUES:
                    seen.add(cue.lower())
                    kept.setdefault(column, []).append(cue)
        if n_bad:
            self.note(f"'{key}': {n_bad} cues that announce nothing were left out")
        return kept

    def _rows(self, kind: Question, driver: DriverType | None) -> Iterator[Row]:
        for piece in self.pieces:
            if self.is_over:
                return
            answer = self.model.ask(question(kind, piece, driver=driver))
            if isinstance(answer, Refusal):
                self.note(f"{kind}: {answer.reason}")
                self.is_over = answer.kind == "budget"
                continue
            listed = answer.data.get(kind) if isinstance(answer.data, Mapping) else None
            if not isinstance(listed, list):
                self.note(f"{kind}: the answer lists none")
                continue
            if len(listed) > MOST[kind]:
                self.note(f"{kind}: {len(listed) - MOST[kind]} types beyond the first {MOST[kind]} were left out")
            yield from (row if isinstance(row, Mapping) else {} for row in listed[: MOST[kind]])


def _attributes(interview: _Interview, known: Schema | None) -> Iterator[AttributeType]:
    ids = _ids(known.attributes if known else ())
    for key, rows in interview.groups("attributes", ids):
        table = interview.table(key, rows[0]) | _typing(rows[0]) | interview.cues(key, rows, ["cues"])
        yield from interview.accept(key, partial(read_attribute, key, Table(table)))


def _drivers(interview: _Interview, known: Schema | None) -> Iterator[DriverType]:
    """All categories are known before the first is asked for its event types, so that none can stand below another."""
    categories: list[DriverType] = []
    for key, rows in interview.groups("drivers", _ids(known.drivers if known else ())):
        table = Table(interview.table(key, rows[0]))
        categories += interview.accept(key, partial(_category, key, table))
    ids = _ids(event for driver in known.drivers for event in driver.events) if known else {}
    for category in categories:
        events = tuple(_events(interview, category, ids))
        if events:
            yield replace(category, events=events)
        else:
            interview.note(f"'{category.id}' was left out: it has no event types")


def _category(key: str, table: Table) -> DriverType:
    return DriverType(key, table.labels(), table.description(), table.iri(), ())


def _events(interview: _Interview, driver: DriverType, ids: Mapping[str, str]) -> Iterator[EventType]:
    for key, rows in interview.groups("events", ids, driver=driver):
        table = interview.table(key, rows[0]) | {"cues": interview.cues(key, rows, DIRECTIONS)}
        yield from interview.accept(key, partial(read_event, key, driver.id, Table(table)))


def _typing(row: Row) -> dict[str, object]:
    """What kind of value an attribute has, without what does not go with it: a form wants every key filled in."""
    typing = {key: row[key] for key in ("value", "quantity", "single", "domain", "range") if key in row}
    if row.get("value") != "entity":
        typing.pop("range", None)
    if row.get("value") in ("text", "date"):
        typing.pop("quantity", None)
    return typing


def _id_of(row: Row, ids: Mapping[str, str]) -> str:
    """The id of the known type that is called the same, else the row's own, else one made of the English label."""
    for label in ("en", "zh"):
        if key := ids.get(fold(_line(row.get(label)))):
            return key
    return _slug(_line(row.get("id"))) or _slug(_line(row.get("en")))


def _ids(types: Iterable[AttributeType | DriverType | EventType]) -> dict[str, str]:
    """Folded name -> id: labels of types; of attributes their cues as well, which are other names of the same."""
    listed = list(types)
    ids = {fold(cue.text): item.id for item in listed if isinstance(item, AttributeType) for cue in item.cues}
    ids |= {fold(label): item.id for item in listed for label in (item.labels.zh, item.labels.en)}
    ids.pop("", None)
    return ids


def _slug(text: str) -> str:
    slug = _NOT_ID.sub("_", text.lower())[:60].strip("_")
    return slug if slug[:1].isalpha() else ""


def _line(found: object) -> str:
    return " ".join(found.split()) if isinstance(found, str) else ""


def _strings(found: object) -> Iterator[str]:
    return (_line(item) for item in found if isinstance(item, str)) if isinstance(found, list) else iter(())
