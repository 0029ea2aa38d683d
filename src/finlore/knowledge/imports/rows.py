"""Rows -> what they state: who, about whom, what value, when. What cannot be used says why."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from finlore.knowledge.imports.cells import blank, instant, number, several
from finlore.knowledge.imports.columns import Columns
from finlore.knowledge.imports.parties import Meanings, Meant, Place, Refused
from finlore.knowledge.imports.relations import Relation
from finlore.records.fact import Evidence, Fact
from finlore.records.imported import ImportedRow
from finlore.records.instant import Instant


class Unusable(ValueError):
    """Why a row, or one thing in it, is left out: the reason, and what stands there."""

    def __init__(self, reason: str, what: str = "") -> None:
        super().__init__(reason)
        self.reason, self.what = reason, what


@dataclass(frozen=True, slots=True)
class Statement:
    """One thing that a row says; `value` where it stands beside the object in one cell."""

    subject: Meant
    object: Meant | None
    value: str = ""


@dataclass(frozen=True, slots=True)
class When:
    valid_from: Instant | None
    valid_to: Instant | None
    known_at: Instant | None


@dataclass(slots=True)
class RowReader:
    """Reads the rows of one table as one relation. `received`: from when rows are known that do not say it."""

    relation: Relation
    columns: Columns
    meanings: Meanings
    is_directed: bool
    split: str
    zone: str
    received: Instant
    places: Mapping[str, Place] = field(init=False)
    _stated: dict[int, int] = field(default_factory=dict)  # a hash of what was stated -> its line

    def __post_init__(self) -> None:
        admits = {"subject": self.relation.subjects, "object": self.relation.objects}
        columns = self.columns
        self.places = {
            part: Place(part, self.relation.id, kinds, columns.kinds.get(part), columns.spaces.get(part, ""))
            for part, kinds in admits.items()
            if kinds and part in columns
        }

    def when(self, row: ImportedRow) -> When:
        first, last, known_at = (self._day(row, part) for part in ("valid_from", "valid_to", "known_at"))
        if first is not None and last is not None and last < first:
            raise Unusable("it ends before it begins", f"{self.columns.printed(row, 'valid_to')}")
        if known_at is None and "known_at" in self.columns:  # others in its document are known earlier
            known_at = self.received
        return When(first, last, known_at)

    def statements(self, row: ImportedRow) -> Iterator[Statement | Unusable]:
        """All that a row says."""
        subject = self.columns.printed(row, "subject"), self.columns.printed(row, "subject_name")
        if not self.relation.objects:
            meant = self._meant(*subject, "subject")
            yield meant if isinstance(meant, Unusable) else Statement(meant, None)
            return
        called = self.columns.printed(row, "object_name")
        for cell, value in several(self.columns.cell(row, "object"), self.split):
            is_directed = self.is_directed if row.is_directed is None else row.is_directed
            yield self._statement(subject, (cell, called), value, is_directed=is_directed)

    def fact(self, row: ImportedRow, said: Statement, *, when: When, at: Evidence) -> Fact:
        """A statement as a fact; Unusable where there is no value, or the same was said before."""
        subject, other = said.subject.party, said.object.party if said.object else None
        if subject == other:
            raise Unusable("subject and object are the same", subject.name)
        printed = said.value or self.columns.printed(row, "value")
        amount, unit = self._amount(printed, self.columns.printed(row, "unit"))
        text = self.columns.printed(row, "text") or (other.name if other else printed)
        if not text:
            raise Unusable("there is no value")
        fact = Fact(
            subject=subject,
            relation=self.relation.id,
            evidence=at,
            text=text,
            object=other,
            value=amount,
            unit=unit,
            period=self.columns.printed(row, "period"),
            valid_from=when.valid_from,
            valid_to=when.valid_to,
            known_at=when.known_at,
        )
        self._note(fact, row.line)
        return fact

    def _meant(self, cell: str, name: str, part: str) -> Meant | Unusable:
        found = self.meanings.meant(cell, self.places[part], name=name)
        return Unusable(found.reason, cell or name) if isinstance(found, Refused) else found

    def _statement(
        self, one: tuple[str, str], other: tuple[str, str], value: str, *, is_directed: bool
    ) -> Statement | Unusable:
        """What two cells say; of an edge without direction what only one way round is possible."""
        forth = self._directed(one, other, value)
        if is_directed or self.relation.is_symmetric:
            return forth
        back = self._directed(other, one, value)
        if isinstance(forth, Statement) and isinstance(back, Statement):
            return Unusable("the graph has no direction, and both ways round are possible", f"{one[0]} {other[0]}")
        return back if isinstance(back, Statement) else forth

    def _directed(self, subject: tuple[str, str], other: tuple[str, str], value: str) -> Statement | Unusable:
        whom, what = self._meant(*subject, "subject"), self._meant(*other, "object")
        if isinstance(whom, Unusable):
            return whom
        return what if isinstance(what, Unusable) else Statement(whom, what, value)

    def _amount(self, printed: str, unit: str) -> tuple[float | None, str]:
        if blank(printed):
            if self.relation.value == "number":
                raise Unusable("there is no value")
            return None, ""
        found = number(printed)
        if found is None:
            if self.relation.value == "number" or self.relation.objects:
                raise Unusable("the value is no number", printed)
            return None, ""
        return found.value, unit or found.unit

    def _day(self, row: ImportedRow, part: str) -> Instant | None:
        text = self.columns.printed(row, part)
        if blank(text):
            return None
        day = instant(text, zone=self.zone)
        if day is None:
            raise Unusable(f"{part} is no date", text)
        return day

    def _note(self, fact: Fact, line: int) -> None:
        """Remember what was said; Unusable where it was said before."""
        parties = fact.subject, fact.object
        whom = frozenset(parties) if self.relation.is_symmetric else parties
        days = fact.valid_from, fact.valid_to, fact.known_at
        said = hash((whom, fact.text, fact.value, fact.unit, fact.period, days))
        if said in self._stated:
            raise Unusable("it repeats an earlier row", f"line {self._stated[said]}")
        self._stated[said] = line
