"""A view at D equals, in every member, that of an index that never saw what became known after D."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random

import numpy as np
import pytest

from finlore.graph.learn import same_names
from finlore.index.merge import merged
from finlore.index.names import NameTable
from finlore.index.rows import index_row
from finlore.index.segment import Segment
from finlore.index.vectors import RowVectors
from finlore.index.view import IndexView
from finlore.records.document import Metadata, Passage, Sentence
from finlore.records.index import IndexRow, KnownName
from finlore.records.instant import ALWAYS, NEVER, Instant
from finlore.records.names import Mention, SameName

LEGAL = ["青禾新能源电池有限公司", "青禾电池股份有限公司", "青禾电池"]
SURFACES = ["mao", "mao tai", "mao tai wine", "tai", "ningde", "ningde times", "battery", "600000", *LEGAL]
ENTITIES = ["600000.SH", "300001.SZ", "company:mao tai wine", "product:battery", "company:ningde"]
FILLERS = ["grows", "falls", "supplies", "buys", "12.5%", "capacity", "quarter"]
DAYS = range(10, 40)


@dataclass(frozen=True)
class World:
    """All that ever happens: rows with the end that each has in the end, forgotten keys, names, links, merges."""

    rows: tuple[IndexRow, ...]
    ends: Mapping[int, Instant]
    forgotten: frozenset[int]
    names: tuple[KnownName, ...]
    links: tuple[SameName, ...]
    merges: Mapping[str, str]


def random_row(random: Random, key: int, known: Instant) -> IndexRow:
    """A passage of a few sentences full of nested names, guesses and names that nothing but an alias makes visible."""
    text, sentences, mentions = "", [], []
    for ordinal in range(1, random.randint(2, 4)):
        start = len(text)
        for _ in range(random.randint(2, 6)):
            word = random.choice(SURFACES + FILLERS)
            at, text = len(text), f"{text}{word} "
            for surface in SURFACES:
                place = f" {word} ".find(f" {surface} ")
                if place >= 0:
                    kind = random.choice(["", "", "company", "name"])
                    mentions.append(Mention(0, ordinal, at + place, at + place + len(surface), surface, kind))
        sentences.append(Sentence(start, len(text)))
    return index_row(
        key,
        known,
        NEVER,
        document_text=text,
        passage=Passage(0, len(text), tuple(sentences), heading=random.choice(["outlook", "risks", ""])),
        mentions=mentions,
        metadata=Metadata(title="mao tai report", broker="East", language=random.choice(["zh", "en"])),
        subject=random.choice([None, *ENTITIES]),
    )


def random_world(random: Random) -> World:

    def day() -> Instant:
        return Instant(random.choice(DAYS))

    rows = tuple(random_row(random, random.getrandbits(62), day()) for _ in range(random.randint(3, 25)))
    ended = [row for row in rows if random.random() < 0.3]
    return World(
        rows=rows,
        ends={row.key: Instant(row.known + random.randint(1, 15)) for row in ended},
        forgotten=frozenset(row.key for row in rows if random.random() < 0.1),
        names=tuple(
            KnownName(
                random.choice(SURFACES),
                entity := random.choice(ENTITIES),
                "company",
                f"The {entity} {random.randint(1, 2)}",
                random.choice([20, 60, 80]),
                random.choice([ALWAYS, day(), day()]),
            )
            for _ in range(random.randint(0, 12))
        )
        + tuple(company_names(random)),
        links=tuple(
            SameName(*random.sample(SURFACES, 2), random.choice([20, 60, 80]), random.random() < 0.5)
            for _ in range(random.randint(0, 3))
        ),
        merges={ENTITIES[0]: ENTITIES[1]} if random.random() < 0.3 else {},
    )


def company_names(random: Random) -> Iterator[KnownName]:
    """Legal names for themselves, and a short name that a listed company may take over from an unlisted one."""
    for surface in random.sample(LEGAL, random.randint(0, 3)):
        yield KnownName(surface, f"company:{surface}", "company", surface, 20, Instant(random.choice(DAYS)))
    if random.random() < 0.5:
        yield KnownName(LEGAL[-1], "300001.SZ", "security", LEGAL[-1], 80, Instant(random.choice(DAYS)))


def ingested(world: World, random: Random, day: Instant) -> IndexView:
    """A view at `day` of the world, ingested in any order (back-dated rows too), in any number of segments."""
    segments: list[Segment] = []
    fresh: list[IndexRow] = []
    until: dict[int, Instant] = {}  # what the segments have not been told
    replaced: set[int] = set()
    for row in random.sample(world.rows, len(world.rows)):
        if random.random() < 0.2:  # known with fewer names first, then written anew
            segments.append(Segment.from_rows([without_names(row)]))
            replaced.add(row.key)
        fresh.append(row)
        if row.key in world.ends or row.key in world.forgotten:
            until[row.key] = ALWAYS if row.key in world.forgotten else world.ends[row.key]
        if random.random() < 0.3:
            segments = refreshed(segments, fresh, replaced, until, random)
            fresh, replaced, until = [], set(), until if random.random() < 0.5 else {}
    segments = [*segments, Segment.from_rows(fresh)]
    return IndexView(
        segments,
        NameTable(random.sample(world.names, len(world.names)), (*world.links, *links_of(world)), world.merges),
        as_of=day,
        sequence=1,
        until=until,
        replaced=frozenset(replaced),
        vectors={"model": [vectors(segment, world.rows, random) for segment in segments]},
    )


def refreshed(
    segments: list[Segment], fresh: list[IndexRow], replaced: set[int], until: dict[int, Instant], random: Random
) -> list[Segment]:
    """The segments told of all that happened, some of the last of them merged with what is fresh, in small ranges."""
    told = [segment.ending({**until, **dict.fromkeys(replaced, ALWAYS)}) for segment in segments]
    first = random.randint(0, len(told))
    chunks = [Segment.from_rows(fresh[at::2]).ending(until) for at in range(2)]
    return [*told[:first], merged([*told[first:], *chunks], chunk=random.choice([3, 1000]))]


def links_of(world: World) -> list[SameName]:
    """What naming links after all that the world ever knew."""
    return same_names(NameTable(world.names, world.links, world.merges).resolve(Instant(NEVER - 1)))


def without_names(row: IndexRow) -> IndexRow:
    return replace(row, sentences=tuple(replace(sentence, names={}) for sentence in row.sentences))


def vectors(segment: Segment, rows: Sequence[IndexRow], random: Random) -> list[RowVectors]:
    """Vectors of two numbers for some of the rows, in any order and number of parts."""
    keys = np.array([row.key for row in random.sample(rows, len(rows)) if row.key % 3], np.int64)
    values = np.stack([keys % 127, keys % 101], axis=1).astype(np.int8)
    cut = random.randint(0, len(keys))
    return [RowVectors.of(segment, keys[part], values[part]) for part in (slice(cut), slice(cut, None))]


def only_past(world: World, day: Instant) -> World:
    """What was known at `day`, of what is not forgotten: as if the rest had never been."""
    rows = tuple(row for row in world.rows if row.known <= day and row.key not in world.forgotten)
    names = tuple(name for name in world.names if name.known <= day)
    surfaces = {name.surface for name in names}
    return replace(
        world,
        rows=rows,
        ends={row.key: world.ends[row.key] for row in rows if world.ends.get(row.key, NEVER) <= day},
        forgotten=frozenset(),
        names=names,
        links=tuple(link for link in world.links if {link.surface, link.via} <= surfaces),
    )


def everything(view: IndexView, asked: list[str]) -> dict[str, object]:
    """Every member of a view by keys, ordinals and entity ids, so that no number of a row or entity shows."""
    living = np.flatnonzero(view.alive)
    rows = np.arange(len(view.keys))
    places = list(zip(view.keys[view.sentence_rows].tolist(), view.sentence_ordinals.tolist(), strict=True))
    sentences, entities = np.arange(len(places)), np.arange(len(view.entity_ids))
    keys, ids = view.keys.tolist(), list(view.entity_ids)
    held = view.vectors("model") or ()
    return {
        "as of": (view.as_of, view.n_passages),
        "rows": sorted(
            zip(*(column[living].tolist() for column in (view.keys, view.lengths, view.languages)), strict=True)
        ),
        "sentences": sorted(places[at] for at in sentences if view.alive[view.sentence_rows[at]]),
        "words": {term: counted(view.words(term), places) for term in asked},
        "entity counts": dict(zip(ids, view.entity_counts.tolist(), strict=True)),
        "sentence entities": crossed(view.sentence_entities(sentences), ids, places),
        "entity sentences": crossed(view.entity_sentences(entities), places, ids),
        "row entities": crossed(view.row_entities(rows), ids, keys),
        "entity rows": crossed(view.entity_rows(entities), keys, ids),
        "owners": {
            keys[at]: ids[owner] if owner >= 0 else None for at, owner in zip(living, view.owners(living), strict=True)
        },
        "owned rows": sorted((keys[row], ids[at]) for row, at in zip(*view.owned_rows(entities), strict=True)),
        "lookup": {surface: ids[entity] for surface, entity in view.lookup(asked).items()},
        "entities": {id_: view.entity(number) for number, id_ in enumerate(ids)},
        "vectors": {keys[row]: vector.tolist() for row, vector in zip(*held, strict=True)},
    }


def counted(found: tuple[np.ndarray, np.ndarray], places: list[tuple[int, int]]) -> dict[tuple[int, int], int]:
    assert (np.diff(found[0]) > 0).all()
    return {places[at]: count for at, count in zip(*(column.tolist() for column in found), strict=True)}


def crossed(found: tuple[np.ndarray, ...], names: list, owners: list) -> dict[tuple[object, object], int]:
    """(owner, what it holds) -> count; every pair stands once."""
    pairs = {(owners[owner], names[at]): count for at, count, owner in zip(*(c.tolist() for c in found), strict=True)}
    assert len(pairs) == len(found[0])
    return pairs


ASKED = [
    *SURFACES,
    *FILLERS,
    "grow",
    "fall",
    "suppli",
    "buy",
    "quarter",
    "capaciti",
    "batteri",
    "~supply",
    "east",
    "time",
]


@pytest.mark.parametrize("seed", range(160))
def test_a_view_equals_that_of_an_index_which_never_saw_the_future(seed: int) -> None:
    random = Random(seed)
    world = random_world(random)
    day = Instant(random.choice(DAYS))
    assert everything(ingested(world, random, day), ASKED) == everything(
        ingested(only_past(world, day), random, day), ASKED
    )
