"""Names that reach older texts: which texts must still be searched for which surfaces, and what was found in them.

A version remembers the sequence number up to which it has been searched, a surface the one since which it means
something.
"""

import sqlite3
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from finlore.adapters.store_embedded.packing import (
    Place,
    from_bytes,
    pack_places,
    to_bytes,
    unpack_mentions,
    unpack_metadata,
    unpack_places,
    unpack_sentences,
    unpack_spans,
    unpack_text,
)
from finlore.adapters.store_embedded.traces import may_hold, trace
from finlore.language.reading import context_lines, read, readable_spans
from finlore.records.names import Mention
from finlore.records.store import NameScan, ScannedMentions, ScanText

SearchedAs = Callable[[str], Iterable[str]]
"""The strings in which names are looked for when a sentence is searched: what is in none of them is not found in it."""
FEW_SURFACES: Final = 1_000
_TRACES_AT_A_TIME: Final = 20_000
_REMEMBERED: Final = 4  # characters
_SURFACES_PER_CHARACTER: Final = 2  # to look up what begins at one costs as much as to search for two surfaces more


@dataclass(frozen=True, slots=True)
class Portion:
    """Versions (whole, in the order of their rows) that lack the surfaces learnt later than `after`."""

    after: int
    versions: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Unread:
    """What has not been searched for the surfaces learnt up to `through`.

    `fresh` versions have been searched for none; of the others, which have been searched `after` is up to where all of
    them are, `older` are those that may hold one of the rest. Each with how many passages it has.
    """

    through: int
    after: int
    fresh: tuple[tuple[int, int], ...]
    older: tuple[tuple[int, int], ...]

    def portions(self, n_passages: int) -> Iterator[Portion]:
        """About `n_passages` passages at a time."""
        for after, versions in ((0, self.fresh), (self.after, self.older)):
            batch, size = list[int](), 0
            for version, n in versions:
                if batch and size + n > n_passages:
                    yield Portion(after, tuple(batch))
                    batch, size = [], 0
                batch.append(version)
                size += n
            if batch:
                yield Portion(after, tuple(batch))


def unread(db: sqlite3.Connection) -> Unread:
    """Versions that were not yet searched for every learnt surface."""
    through = _newest(db)
    (after,) = db.execute("SELECT read_through FROM workspace").fetchone()
    fresh = db.execute("SELECT id, n_passages FROM version WHERE read_through = 0 AND n_passages > 0 ORDER BY id")
    return Unread(
        through,
        after,
        tuple(fresh.fetchall()) if through else (),
        tuple(_older(db, after, through)) if after < through else (),
    )


def _newest(db: sqlite3.Connection) -> int:
    return int(db.execute("SELECT coalesce(max(learnt), 0) FROM surface WHERE learnt > 0").fetchone()[0])


def _older(db: sqlite3.Connection, after: int, through: int) -> Iterator[tuple[int, int]]:
    new = surfaces_learnt(db, after, through, at_most=FEW_SURFACES + 1)
    new = () if len(new) > FEW_SURFACES else new
    held = db.execute("SELECT version, grams FROM trace ORDER BY version" if new else "SELECT version, x'' FROM trace")
    while traces := held.fetchmany(_TRACES_AT_A_TIME):
        for version in sorted(may_hold(traces, new or [""])):
            yield from db.execute(
                "SELECT id, n_passages FROM version WHERE id = ? AND read_through < ?", (version, through)
            )


def n_unread(db: sqlite3.Connection) -> int:
    """How many versions have not been searched for all learnt surfaces, as far as one can tell without reading them."""
    (n,) = db.execute(
        "SELECT count(*) FROM version WHERE n_passages > 0 AND read_through < ?1"
        " AND (read_through = 0 OR (SELECT read_through FROM workspace) < ?1)",
        (_newest(db),),
    ).fetchone()
    return int(n)


def surfaces_learnt(db: sqlite3.Connection, after: int, through: int, *, at_most: int = -1) -> tuple[str, ...]:
    """The surfaces learnt in between, sorted; with `at_most` no more than that, whichever."""
    found = db.execute(
        "SELECT string FROM surface INDEXED BY surface_learnt WHERE learnt > 0 AND learnt > ? AND learnt <= ? LIMIT ?",
        (after, through, at_most),
    )
    return tuple(sorted(from_bytes(string) for (string,) in found))


class Search:
    """Makes scans up to one sequence number; reads all surfaces at once only where few of them can be left out."""

    def __init__(self, through: int, searched_as: SearchedAs) -> None:
        self._through, self._searched_as = through, searched_as
        self._whole: dict[int, tuple[str, ...]] = {}

    def scan(self, db: sqlite3.Connection, portion: Portion) -> NameScan | None:
        """What must be done for a portion, for at least those of its surfaces that stand in it; None when it has been
        forgotten meanwhile."""
        texts = tuple(text for version in portion.versions for text in _scan_texts(db, version))
        forms: dict[int, list[str]] = defaultdict(list)
        for text in texts:
            forms[text.version_row] += (form for _, read in text.sentences for form in self._searched_as(read.text))
        if not texts:
            return None
        surfaces = self._surfaces(db, portion.after, {form for searched in forms.values() for form in searched})
        traces = tuple((version, trace(searched)) for version, searched in forms.items())
        return NameScan(surfaces, texts, self._through, traces)

    def _surfaces(self, db: sqlite3.Connection, after: int, forms: set[str]) -> tuple[str, ...]:
        if after not in self._whole:
            worth = sum(map(len, forms)) * _SURFACES_PER_CHARACTER
            few = surfaces_learnt(db, after, self._through, at_most=worth + 1)
            if len(few) > worth:
                return standing_in(db, forms)
            self._whole[after] = few
        return self._whole[after]


def standing_in(db: sqlite3.Connection, texts: Iterable[str]) -> tuple[str, ...]:
    """The learnt surfaces that are a part of one of the texts, sorted, without reading the others."""
    last = (
        "SELECT string FROM surface INDEXED BY surface_string_learnt WHERE learnt > 0 AND string <= ?"
        " ORDER BY string DESC LIMIT 1"
    )
    found: set[str] = set()
    done: set[str] = set()  # beginnings of which all surfaces are found
    for text in texts:
        for at in range(len(text)):
            rest = text[at:]
            while rest and rest not in done:  # a surface that begins the text begins all between itself and the text
                row = db.execute(last, (to_bytes(rest),)).fetchone()
                if row is None:
                    break
                near, whole = from_bytes(row[0]), rest
                rest = rest[: _n_shared(near, rest)]
                if rest == near:
                    found.add(near)
                    rest = near[:-1]
                if len(whole) <= _REMEMBERED:
                    done.add(whole)
    return tuple(sorted(found))


def _n_shared(a: str, b: str) -> int:
    """How many characters two strings begin with together."""
    return next((n for n, (one, other) in enumerate(zip(a, b, strict=False)) if one != other), min(len(a), len(b)))


def _scan_texts(db: sqlite3.Connection, version: int) -> Iterator[ScanText]:
    row = db.execute(
        "SELECT t.content, v.metadata, v.markup FROM version v JOIN text t ON t.id = v.text WHERE v.id = ?", (version,)
    ).fetchone()
    if row is None:
        return
    text, metadata, spans = unpack_text(row[0]), unpack_metadata(row[1]), readable_spans(unpack_spans(row[2]))
    for ordinal, first, heading, packed in db.execute(
        "SELECT ordinal, first, heading, sentences FROM passage WHERE version = ? ORDER BY ordinal", (version,)
    ):
        context = ((0, line) for line in context_lines(metadata, from_bytes(heading)))
        sentences = (read(text, spans, s.start, s.end) for s in unpack_sentences(packed, first))
        yield ScanText(version, ordinal, (*context, *enumerate(sentences, start=1)))


def add_mentions(db: sqlite3.Connection, scanned: ScannedMentions, sequence: int) -> int:
    """Store what a scan found and mark its texts as read; how many mentions were new.

    A version that was forgotten or a surface that lost its meaning since the scan was made is passed over.
    """
    found: dict[int, dict[str, set[Place]]] = defaultdict(lambda: defaultdict(set))
    for version, mention in scanned.mentions:
        found[version][mention.surface].add((mention.passage, mention.sentence, mention.start, mention.end))
    new = sum(_add_to_version(db, version, surfaces, sequence) for version, surfaces in sorted(found.items()))
    db.executemany(
        "UPDATE version SET read_through = max(read_through, ?) WHERE id = ?",
        ((scanned.scan.through, version) for version in {text.version_row for text in scanned.scan.texts}),
    )
    db.executemany(
        "INSERT OR REPLACE INTO trace (version, grams) SELECT id, ?2 FROM version WHERE id = ?1", scanned.scan.traces
    )
    return new


def settle(db: sqlite3.Connection, work: Unread) -> None:
    """Remember that all older versions have been searched, if those that needed it have."""
    if work.after < work.through and not any(
        db.execute("SELECT 1 FROM version WHERE id = ? AND read_through < ?", (version, work.through)).fetchone()
        for version, _ in work.older
    ):
        db.execute("UPDATE workspace SET read_through = max(read_through, ?)", (work.through,))


def _add_to_version(db: sqlite3.Connection, version: int, surfaces: dict[str, set[Place]], sequence: int) -> int:
    row = db.execute("SELECT mentions FROM version WHERE id = ?", (version,)).fetchone()
    if row is None:
        return 0
    own: dict[str, set[Place]] = defaultdict(set)
    for mention in unpack_mentions(row[0]):
        own[mention.surface].add((mention.passage, mention.sentence, mention.start, mention.end))
    new = 0
    for surface, places in sorted(surfaces.items()):
        new += _add_places(db, version, surface, places - own[surface], sequence)
    if new:
        db.execute("UPDATE version SET changed = ? WHERE id = ?", (sequence, version))
    return new


def _add_places(db: sqlite3.Connection, version: int, surface: str, places: set[Place], sequence: int) -> int:
    row = db.execute("SELECT id FROM surface WHERE string = ? AND learnt > 0", (to_bytes(surface),)).fetchone()
    if row is None or not places:
        return 0
    held = db.execute(
        "SELECT places FROM learnt_mention WHERE version = ? AND surface = ?", (version, row[0])
    ).fetchone()
    before = set(unpack_places(held[0])) if held else set()
    if places <= before:
        return 0
    db.execute(
        "INSERT INTO learnt_mention (version, surface, added, places, n_mentions) VALUES (?, ?, ?, ?, ?)"
        " ON CONFLICT (version, surface) DO UPDATE"
        " SET added = excluded.added, places = excluded.places, n_mentions = excluded.n_mentions",
        (version, row[0], sequence, pack_places(places | before), len(places | before)),
    )
    return len(places - before)


def learnt_mentions(db: sqlite3.Connection, version: int, *, through: int) -> Iterator[Mention]:
    """Mentions that were found in a version later than it was stored, up to a sequence number."""
    for string, places in db.execute(
        "SELECT s.string, m.places FROM learnt_mention m JOIN surface s ON s.id = m.surface"
        " WHERE m.version = ? AND m.added <= ? ORDER BY s.string",
        (version, through),
    ):
        surface = from_bytes(string)
        for passage, sentence, start, end in unpack_places(places):
            yield Mention(passage, sentence, start, end, surface)
