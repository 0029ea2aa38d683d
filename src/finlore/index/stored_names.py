"""The names of a store as arrays in a folder, memory mapped: strings, what they mean, and the name lists of segments.

All strings that names or the stored segments speak of are numbered here, in their order, so that nothing of them must
be read to open a store.
"""

from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Final, Self

import numpy as np

from finlore.index.arrays import Ints, Numbers
from finlore.index.bound import BoundLists, SettledLists, bind, speak_of
from finlore.index.folder import ArrayFolder
from finlore.index.numbering import tails
from finlore.index.postings import Postings
from finlore.index.strings import Strings
from finlore.ports import Bools
from finlore.records.index import NESTED, KnownName
from finlore.records.instant import Instant
from finlore.records.names import SameName

FORMAT: Final = 1
_DIRECT: Final = ("surfaces", "targets", "strengths", "known")
_LINKS: Final = ("surfaces", "vias", "strengths")
_BOUND: Final = ("surfaces", "guesses", "subjects", "owned", "covers", "covered")


@dataclass(frozen=True, slots=True)
class _Columns:
    """Arrays of one length, side by side."""

    def at(self, places: Ints) -> Self:
        return type(self)(*(column[places] for column in self._columns()))

    def joined(self, others: Self) -> Self:
        pairs = list(zip(self._columns(), others._columns(), strict=True))
        return type(self)(*map(np.concatenate, pairs)) if len(pairs[0][1]) else self

    def _columns(self) -> list[Numbers]:
        return [getattr(self, column.name) for column in fields(self)]


@dataclass(frozen=True, slots=True)
class Statements(_Columns):
    """Statements "surface means target", those about one surface together: strongest, earliest, smallest target."""

    surfaces: Ints
    targets: Ints
    strengths: Ints
    known: Ints

    def best(self, as_of: Instant) -> Ints:
        """Those that decide at `as_of`: the first of each surface among the statements known by then."""
        known = np.flatnonzero(self.known <= as_of)
        return known[np.flatnonzero(np.diff(self.surfaces[known], prepend=-1))]


@dataclass(frozen=True, slots=True)
class Links(_Columns):
    """`records.names.SameName` by numbers of surfaces."""

    surfaces: Ints
    vias: Ints
    strengths: Ints
    unlisted_only: Bools

    @classmethod
    def of(cls, links: Iterable[SameName], number: Callable[[str], int]) -> "Links":
        rows = [(number(link.surface), number(link.via), link.strength, link.unlisted_only) for link in links]
        columns = np.array(rows, np.int64).reshape(-1, 4)
        return cls(columns[:, 0], columns[:, 1], columns[:, 2], columns[:, 3] > 0)

    def renumbered(self, surfaces: Ints) -> "Links":
        return Links(surfaces[self.surfaces], surfaces[self.vias], self.strengths, self.unlisted_only)


@dataclass(frozen=True, eq=False)
class StoredNames:
    """Names as of `sequence`. `listed` (n_entities,): whether each is a security; `said_at` (n_statements,): where in
    `said` the kind and name of each stand; `bound`: the name lists of segments by these numbers."""

    sequence: int
    surfaces: Strings
    entities: Strings
    listed: Bools
    direct: Statements
    said_at: Ints
    said: Strings
    links: Links
    bound: Mapping[Postings, BoundLists] = field(default_factory=dict)
    settled: dict[Postings, SettledLists] = field(default_factory=dict, repr=False)  # of those, once worked out

    @classmethod
    def of(
        cls,
        sequence: int,
        names: Callable[[], Iterable[KnownName]],
        links: Callable[[], Iterable[SameName]],
        segments: Sequence[Postings] = (),
    ) -> "StoredNames":
        """All of these, and all that the name lists of the segments speak of. Names and links are gone through twice,
        so that they need not be held."""
        surfaces, entities = _spoken(names(), links(), segments)
        of_surface = {surface: number for number, surface in enumerate(surfaces)}
        of_entity = {entity: number for number, entity in enumerate(entities)}
        columns, said = _columns(names(), of_surface, of_entity)
        told = Statements(*columns)
        order = np.lexsort((told.targets, told.known, -told.strengths, told.surfaces))
        return cls(
            sequence,
            Strings.of(surfaces),
            Strings.of(entities),
            np.fromiter((":" not in entity for entity in entities), np.bool_, len(entities)),
            told.at(order),
            order,
            said,
            Links.of(links(), of_surface.__getitem__),
            {lists: bind(lists.strings, of_surface.__getitem__, of_entity.__getitem__) for lists in segments},
        )

    def told(self, at: int) -> tuple[str, str]:
        """Kind and name of a statement."""
        kind, _, name = self.said[int(self.said_at[at])].partition(NESTED)
        return kind, name

    def save(self, folder: Path, segments: Mapping[Postings, str]) -> None:
        """Write all arrays into `folder`, which exists; `segments`: what the segments are called from now on."""
        arrays = {"listed": self.listed, "unlisted_only": self.links.unlisted_only, "said_at": self.said_at}
        for name in ("surfaces", "entities", "said"):
            strings: Strings = getattr(self, name)
            arrays |= {f"{name}.blob": strings.blob, f"{name}.bytes": strings.sizes}
        arrays |= {f"direct.{name}": getattr(self.direct, name) for name in _DIRECT}
        arrays |= {f"links.{name}": getattr(self.links, name) for name in _LINKS}
        for place, bound in enumerate(self.bound.values()):
            arrays |= {f"bound.{place}.{name}": getattr(bound, name) for name in _BOUND}
        small = {name: array if name.endswith((".blob", ".bytes")) else _small(array) for name, array in arrays.items()}
        names = {segments[lists]: place for place, lists in enumerate(self.bound)}
        ArrayFolder(folder).save(small, "names.json", format=FORMAT, sequence=self.sequence, segments=names)

    @classmethod
    def load(cls, folder: Path, segments: Mapping[str, Postings]) -> "StoredNames":
        """The names in `folder`, memory mapped, bound to those of the segments that they knew; StoreDamaged when they
        are incomplete or of another format."""
        held = ArrayFolder(folder)
        stated = held.stated("names.json", FORMAT)
        surfaces, entities, said = (
            Strings(held[f"{name}.blob"], held[f"{name}.bytes"]) for name in ("surfaces", "entities", "said")
        )
        linked, vias, strengths = (held[f"links.{name}"] for name in _LINKS)
        bound = {
            segments[name]: BoundLists(*(held[f"bound.{place}.{part}"] for part in _BOUND))
            for name, place in stated["segments"].items()
            if name in segments
        }
        return cls(
            stated["sequence"],
            surfaces,
            entities,
            held["listed"],
            Statements(*(held[f"direct.{name}"] for name in _DIRECT)),
            held["said_at"],
            said,
            Links(linked, vias, strengths, held["unlisted_only"]),
            bound,
        )


def _spoken(
    names: Iterable[KnownName], links: Iterable[SameName], segments: Iterable[Postings]
) -> tuple[list[str], list[str]]:
    """All surfaces and all entities that names, links or name lists speak of, sorted."""
    surfaces, entities = set[str](), set[str]()
    for name in names:
        surfaces.add(name.surface)
        entities.add(name.entity)
    for link in links:
        surfaces.update((link.surface, link.via))
    for lists in segments:
        speak_of(lists.strings, surfaces, entities)
    surfaces.update(tails(entities))
    return sorted(surfaces), sorted(entities)


def _columns(
    names: Iterable[KnownName], of_surface: Mapping[str, int], of_entity: Mapping[str, int]
) -> tuple[list[Ints], Strings]:
    """Numbers of surface and target, strength and known instant of each name; its kind and name."""
    columns, blob, sizes = [array("q") for _ in range(4)], bytearray(), array("q")
    for name in names:
        row = (of_surface[name.surface], of_entity[name.entity], name.strength, name.known)
        for column, value in zip(columns, row, strict=True):
            column.append(value)
        said = f"{name.kind}{NESTED}{name.name}".encode("utf-8", "surrogatepass")
        blob += said
        sizes.append(len(said))
    said_as = Strings(np.frombuffer(bytes(blob), np.uint8), np.array(sizes, np.int32))
    return [np.array(column, np.int64) for column in columns], said_as


def _small(numbers: Numbers) -> Numbers:
    """The same numbers in four bytes where these are enough."""
    if numbers.dtype == np.bool_ or (len(numbers) and not -(2**31) <= numbers.min() <= numbers.max() < 2**31):
        return numbers
    return numbers.astype(np.int32)


NO_NAMES: Final = StoredNames.of(0, tuple, tuple)
