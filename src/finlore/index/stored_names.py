"""The names of a store as arrays in a folder, memory mapped: strings, what they mean, and the name lists of segments.

All strings that names or the stored segments speak of are numbered here, in their order, so that nothing of them must
be read to open a store.
"""

import json
from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import numpy as np

from finlore.errors import StoreDamaged
from finlore.index.arrays import Ints, Numbers
from finlore.index.bound import BoundLists, SettledLists, bind, speak_of
from finlore.index.numbering import tails
from finlore.index.postings import Postings
from finlore.index.strings import Strings
from finlore.ports import Bools
from finlore.records.index import NESTED, KnownName
from finlore.records.instant import Instant
from finlore.records.names import SameName

FORMAT: Final = 1
_BOUND: Final = ("surfaces", "guesses", "subjects", "owned", "covers", "covered")


@dataclass(frozen=True, slots=True)
class Statements:
    """Statements "surface means target", those about one surface together: strongest, earliest, smallest target."""

    surfaces: Ints
    targets: Ints
    strengths: Ints
    known: Ints

    def best(self, as_of: Instant) -> Ints:
        """Those that decide at `as_of`: the first of each surface among the statements known by then."""
        known = np.flatnonzero(self.known <= as_of)
        return known[np.flatnonzero(np.diff(self.surfaces[known], prepend=-1))]

    def at(self, places: Ints) -> "Statements":
        return Statements(*(column[places] for column in self._columns))

    def joined(self, others: "Statements") -> "Statements":
        if not len(others.known):
            return self
        pairs = zip(self._columns, others._columns, strict=True)
        return Statements(*(np.concatenate(pair).astype(np.int64, copy=False) for pair in pairs))

    @property
    def _columns(self) -> tuple[Ints, ...]:
        return self.surfaces, self.targets, self.strengths, self.known


@dataclass(frozen=True, slots=True)
class Links:
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

    def joined(self, others: "Links") -> "Links":
        if not len(others.surfaces):
            return self
        return Links(*map(np.concatenate, zip(self._columns, others._columns, strict=True)))

    def at(self, places: Ints) -> "Links":
        return Links(*(column[places] for column in self._columns))

    def renumbered(self, surfaces: Ints) -> "Links":
        return Links(surfaces[self.surfaces], surfaces[self.vias], self.strengths, self.unlisted_only)

    @property
    def _columns(self) -> tuple[Numbers, ...]:
        return self.surfaces, self.vias, self.strengths, self.unlisted_only


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
        for name, held in self._arrays().items():
            np.save(folder / f"{name}.npy", held, allow_pickle=False)
        names = {segments[lists]: place for place, lists in enumerate(self.bound)}
        for place, bound in enumerate(self.bound.values()):
            for name in _BOUND:
                np.save(folder / f"bound.{place}.{name}.npy", _small(getattr(bound, name)), allow_pickle=False)
        stated = {"format": FORMAT, "sequence": self.sequence, "segments": names}
        (folder / "names.json").write_text(json.dumps(stated), encoding="utf-8")

    def _arrays(self) -> dict[str, Numbers]:
        arrays: dict[str, Numbers] = {
            "listed": self.listed,
            "unlisted_only": self.links.unlisted_only,
            "said_at": _small(self.said_at),
        }
        for name in ("surfaces", "entities", "said"):
            strings: Strings = getattr(self, name)
            arrays |= {f"{name}.blob": strings.blob, f"{name}.bytes": strings.sizes}
        for name in ("surfaces", "targets", "strengths", "known"):
            arrays[f"direct.{name}"] = _small(getattr(self.direct, name))
        for name in ("surfaces", "vias", "strengths"):
            arrays[f"links.{name}"] = _small(getattr(self.links, name))
        return arrays

    @classmethod
    def load(cls, folder: Path, segments: Mapping[str, Postings]) -> "StoredNames":
        """The names in `folder`, memory mapped, bound to those of the segments that they knew; StoredDamaged when they
        are incomplete or of another format."""

        def read(name: str) -> Numbers:
            held: Numbers = np.load(folder / f"{name}.npy", mmap_mode="r", allow_pickle=False)
            return held

        try:
            stated = json.loads((folder / "names.json").read_text(encoding="utf-8"))
            if stated["format"] != FORMAT:
                raise StoreDamaged(f"{folder} holds names in another format", hint="rebuild the index")
            surfaces, entities, said = (
                Strings(read(f"{name}.blob"), read(f"{name}.bytes")) for name in ("surfaces", "entities", "said")
            )
            direct = Statements(*(read(f"direct.{name}") for name in ("surfaces", "targets", "strengths", "known")))
            linked, vias, strengths = (read(f"links.{name}") for name in ("surfaces", "vias", "strengths"))
            links = Links(linked, vias, strengths, read("unlisted_only"))
            bound = {
                segments[name]: BoundLists(*(read(f"bound.{place}.{part}") for part in _BOUND))
                for name, place in stated["segments"].items()
                if name in segments
            }
            return cls(
                stated["sequence"], surfaces, entities, read("listed"), direct, read("said_at"), said, links, bound
            )
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise StoreDamaged(f"{folder} holds no names: {error}", hint="rebuild the index") from error


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
