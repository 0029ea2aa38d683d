"""Rows -> what they state: who, about whom, what value, when. What cannot be used says why."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from finlore.knowledge.imports.cells import blank, instant, number, several
from finlore.knowledge.imports.columns import Columns
from finlore.knowledge.imports.parties import Meanings, Meant, Place, Unusable
from finlore.knowledge.imports.relations import Relation
from finlore.records.fact import Evidence, Fact
from finlore.records.imported import ImportedRow
from finlore.records.instant import Instant

Days = tuple[Instant | None, Instant | None, Instant | None]
"""Since when it holds, until when, and from when it is known."""


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

    def read(
        self, row: ImportedRow, write: Callable[[ImportedRow], Evidence]
    ) -> Iterator[tuple[Fact, list[Meant]] | Unusable]:
        """Each thing that a row says, with whom it means, or why it is left out. `write` makes it a line of a text
        once it states something."""
        try:
            if row.fault:
                raise Unusable(row.fault)
            days = self._days(row)
        except Unusable as why:
            yield why
            return
        at: Evidence | None = None
        objects = several(self.columns.cell(row, "object"), self.split) if self.relation.objects else [("", "")]
        for cell, value in objects:
            try:
                parties = self._parties(row, cell)
                at = at or write(row)
                yield self._fact(row, parties, value, days=days, at=at), parties
            except Unusable as why:
                yield why

    def _parties(self, row: ImportedRow, cell: str) -> list[Meant]:
        """Of whom, and about whom a row speaks; of an edge without direction what only one way round is possible."""
        printed = self.columns.printed
        subject = printed(row, "subject"), printed(row, "subject_name")
        if not self.relation.objects:
            return [self._meant("subject", *subject)]
        other = cell, printed(row, "object_name")
        is_directed = self.is_directed if row.is_directed is None else row.is_directed
        forth, back = (subject, other), (other, subject)
        possible, faults = list[list[Meant]](), list[Unusable]()
        for one, two in (forth,) if is_directed or self.relation.is_symmetric else (forth, back):
            try:
                possible.append([self._meant("subject", *one), self._meant("object", *two)])
            except Unusable as why:
                faults.append(why)
        if len(possible) > 1:
            raise Unusable("the graph has no direction, and both ways round are possible", f"{subject[0]} {other[0]}")
        if not possible:
            raise faults[0]
        return possible[0]

    def _meant(self, part: str, cell: str, name: str) -> Meant:
        return self.meanings.meant(cell, self.places[part], name=name)

    def _fact(self, row: ImportedRow, parties: list[Meant], value: str, *, days: Days, at: Evidence) -> Fact:
        """What the row says of them; `value` where it stands beside the object in one cell. Unusable where there is no
        value, or the same was said before."""
        printed = self.columns.printed
        subject, other = parties[0].party, parties[1].party if len(parties) > 1 else None
        if subject == other:
            raise Unusable("subject and object are the same", subject.name)
        value = value or printed(row, "value")
        amount, unit = self._amount(value, printed(row, "unit"))
        text = printed(row, "text") or (other.name if other else value)
        if not text:
            raise Unusable("there is no value")
        since, until, known_at = days
        fact = Fact(
            subject, self.relation.id, at, text, other, amount, unit, printed(row, "period"),
            valid_from=since, valid_to=until, known_at=known_at,
        )  # fmt: skip
        whom = frozenset((subject, other)) if self.relation.is_symmetric else (subject, other)
        said = hash((whom, text, amount, unit, fact.period, days))
        if said in self._stated:
            raise Unusable("it repeats an earlier row", f"line {self._stated[said]}")
        self._stated[said] = row.line
        return fact

    def _amount(self, printed: str, unit: str) -> tuple[float | None, str]:
        needs_number = self.relation.value == "number"
        if blank(printed):
            if needs_number:
                raise Unusable("there is no value")
            return None, ""
        found = number(printed)
        if found is None:
            if needs_number or self.relation.objects:
                raise Unusable("the value is no number", printed)
            return None, ""
        return found.value, unit or found.unit

    def _days(self, row: ImportedRow) -> Days:
        since, until, known_at = (self._day(row, part) for part in ("valid_from", "valid_to", "known_at"))
        if since is not None and until is not None and until < since:
            raise Unusable("it ends before it begins", self.columns.printed(row, "valid_to"))
        if known_at is None and "known_at" in self.columns:  # others in its document are known earlier
            known_at = self.received
        return since, until, known_at

    def _day(self, row: ImportedRow, part: str) -> Instant | None:
        text = self.columns.printed(row, part)
        if blank(text):
            return None
        day = instant(text, zone=self.zone)
        if day is None:
            raise Unusable(f"{part} is no date", text)
        return day
