"""What is wrong in a database: each check yields findings that say what to do."""

import sqlite3
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextlib import closing

from finlore.adapters.store_embedded import facts, schema
from finlore.adapters.store_embedded.backfill import learnt_mentions
from finlore.adapters.store_embedded.carriers import Copy, Interval, carriers
from finlore.adapters.store_embedded.packing import (
    content_fingerprint,
    from_bytes,
    mentioned_surfaces,
    text_fingerprint,
    to_bytes,
    unpack_mentions,
    unpack_text,
)
from finlore.adapters.store_embedded.reader import alias_known, document
from finlore.adapters.store_embedded.writer import contribution
from finlore.language.reading import context_text
from finlore.records.document import Document, Passage
from finlore.records.index import passage_key
from finlore.records.instant import NEVER, Instant
from finlore.records.names import STRENGTH_TABLE, Alias, FoundNames, Mention
from finlore.records.report import Finding

REPAIR = "finlore doctor --repair"
RESTORE = "finlore restore FILE --replace, with a file that `finlore backup` wrote"
UNREADABLE = (zlib.error, ValueError, TypeError, KeyError, IndexError)
"""What unpacking raises on bytes that nobody packed."""


def problem(message: str, fix: str = REPAIR) -> Finding:
    return Finding("store", False, message, fix)


def damage(db: sqlite3.Connection) -> Iterator[Finding]:
    """What only a backup can mend: pages that contradict themselves."""
    try:
        for (message,) in db.execute("PRAGMA integrity_check(20)"):
            if message != "ok":
                yield problem(f"the database is damaged: {message}", RESTORE)
    except sqlite3.DatabaseError as error:
        yield problem(f"the database is damaged: {error}", RESTORE)


def foreign_tables(db: sqlite3.Connection) -> Iterator[Finding]:
    """Tables, triggers and views other than those of the schema version that the file states."""
    listing = "SELECT type, name, sql FROM sqlite_master WHERE name NOT LIKE 'sqlite_stat%'"
    version = schema.version_of(db)
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as expected:
        if version:
            steps = schema.MIGRATIONS[:version]
            schema.migrate(expected, backup=None, zone="", known_by="", migrations=steps)
        else:
            yield problem("there are no tables", RESTORE)
        names = {name for _, name, _ in set(db.execute(listing)) ^ set(expected.execute(listing))}
    for name in sorted(names):
        yield problem(f"{name} is not as schema version {version} has it", RESTORE)


_PACKED = {"text": ("content",), "version": ("layout", "markup", "mentions"), "passage": ("sentences",)}
_LONG, _LONGEST = 64 << 10, 512 << 20


def bombs(db: sqlite3.Connection) -> Iterator[Finding]:
    """Packed values that unpack to more than any document has: of a file that somebody else may have made."""
    for table, columns in _PACKED.items():
        for column in columns:
            for (data,) in db.execute(f"SELECT {column} FROM {table} WHERE length({column}) > {_LONG}"):
                unpacking, left, length = zlib.decompressobj(), bytes(data), 0
                while left and length <= _LONGEST and not unpacking.eof:
                    length += len(unpacking.decompress(left, 1 << 20))
                    left = unpacking.unconsumed_tail
                if length > _LONGEST:
                    yield problem(f"a {column} in {table} unpacks to more than {_LONGEST:,} bytes", RESTORE)


def problems(db: sqlite3.Connection) -> Iterator[Finding]:
    """Everything in the database that contradicts itself; content is looked at where the pages are sound."""
    damaged = [*damage(db), *foreign_tables(db)]
    yield from damaged
    if damaged:
        return
    for table in sorted({str(table) for table, *_ in db.execute("PRAGMA foreign_key_check")}):
        yield problem(f"rows of {table} refer to something that is not there")
    yield from _left_over(db)
    yield from _wrong_order(db)
    yield from _wrong_carriers(db)
    yield from _wrong_support(db)
    yield from _wrong_vectors(db)
    yield from _wrong_content(db)
    yield from _wrong_facts(db)


def _left_over(db: sqlite3.Connection) -> Iterator[Finding]:
    for what, query in LEFT_OVER.items():
        (n,) = db.execute(f"SELECT count(*) FROM {query}").fetchone()
        if n:
            yield problem(f"{n} {what} belong to no document")
    (n,) = db.execute(f"SELECT count(*) FROM version WHERE {UNTRACED}").fetchone()
    if n:
        yield problem(f"{n} document versions would not be searched for names that are learnt later")
    (n,) = db.execute(f"SELECT count(*) FROM input WHERE {NOTHING_KEPT}").fetchone()
    if n:
        why = "they are copies of others, or were lost"
        yield Finding("inputs", True, f"of {n} sources no document is kept: {why}", f"{REPAIR}, to read them again")


LEFT_OVER = {
    "texts": "text WHERE NOT EXISTS (SELECT 1 FROM version WHERE text = text.id)",
    "document names": "document WHERE NOT EXISTS (SELECT 1 FROM version WHERE document = document.id)",
    "meanings": "alias WHERE NOT EXISTS (SELECT 1 FROM statement WHERE alias = alias.id)",
}
"""What each query finds stays behind when the document that it came with has gone."""
NOTHING_KEPT = (
    "outcome <> 'rejected' AND NOT EXISTS (SELECT 1 FROM version v WHERE v.source = input.source OR"
    " (v.source >= CAST(input.source || '#' AS BLOB) AND v.source < CAST(input.source || '$' AS BLOB)))"
)
"""Sources that count as read and of which there is no document: copies of others, or something was lost."""
UNTRACED = "read_through > 0 AND n_passages > 0 AND NOT EXISTS (SELECT 1 FROM trace WHERE version = version.id)"


def _wrong_order(db: sqlite3.Connection) -> Iterator[Finding]:
    versions: dict[bytes, list[tuple[int, int, int]]] = defaultdict(list)
    for name, number, known, until in db.execute(
        "SELECT d.name, v.number, v.known, v.until FROM version v JOIN document d ON d.id = v.document"
        " ORDER BY v.document, v.number"
    ):
        versions[name].append((number, known, until))
    for name, held in versions.items():
        called = from_bytes(name)
        if [number for number, _, _ in held] != list(range(1, len(held) + 1)):
            yield problem(f"versions of {called} are missing", _again(called))
        ends = [known for _, known, _ in held[1:]] + [int(NEVER)]
        if [until for _, _, until in held] != ends or ends != sorted(ends):
            yield problem(f"the versions of {called} do not follow one another in time")
    sequence = "SELECT max(added), max(changed), max(closed) FROM version"
    rows = db.execute("SELECT sequence FROM workspace").fetchall()
    if len(rows) != 1 or max(map(_or_zero, db.execute(sequence).fetchone())) > rows[0][0]:
        yield problem("the sequence number is behind the documents")


def _or_zero(value: int | None) -> int:
    return value or 0


def _wrong_carriers(db: sqlite3.Connection) -> Iterator[Finding]:
    copies: dict[str, dict[Copy, Interval]] = {}
    for says, known, name, number, until, shown, hidden in db.execute(
        "SELECT v.says, v.known, d.name, v.number, v.until, v.shown, v.hidden FROM version v"
        " JOIN document d ON d.id = v.document"
    ):
        copy = Copy(Instant(known), from_bytes(name), number, Instant(until))
        copies.setdefault(says, {})[copy] = Interval(Instant(shown), Instant(hidden))
    for held in copies.values():
        right = carriers(held)
        for copy, interval in held.items():
            if interval != right[copy]:
                yield problem(f"version {copy.version} of {copy.document} is visible at the wrong dates")


def supports(db: sqlite3.Connection) -> Counter[bytes]:
    """How many versions came with a mention of each surface; versions that cannot be read are passed over."""
    support: Counter[bytes] = Counter()
    for (mentions,) in db.execute("SELECT mentions FROM version"):
        try:
            support.update(to_bytes(surface) for surface in mentioned_surfaces(mentions))
        except UNREADABLE:
            continue
    return support


MEANS_SOMETHING = (
    "(EXISTS (SELECT 1 FROM alias WHERE surface = surface.id"
    f" AND (listed = {NEVER} OR strength = {STRENGTH_TABLE}))"  # Alias.is_taught
    " OR EXISTS (SELECT 1 FROM link WHERE surface = surface.id))"
)
UNUSED = (
    "support = 0 AND NOT EXISTS (SELECT 1 FROM alias WHERE surface = surface.id)"
    " AND NOT EXISTS (SELECT 1 FROM link WHERE surface.id IN (surface, via))"
)


def _wrong_support(db: sqlite3.Connection) -> Iterator[Finding]:
    support = supports(db)
    for string, counted in db.execute("SELECT string, support FROM surface"):
        if support.pop(string, 0) != counted:
            yield problem(f"the support of the name {from_bytes(string)!r} is miscounted")
    for string in support:
        yield problem(f"the name {from_bytes(string)!r} is mentioned and not listed")
    for (string,) in db.execute(f"SELECT string FROM surface WHERE {UNUSED}"):
        yield problem(f"the name {from_bytes(string)!r} is listed and nowhere used")
    for (string,) in db.execute(f"SELECT string FROM surface WHERE (learnt > 0) <> {MEANS_SOMETHING}"):
        yield problem(f"whether documents teach the name {from_bytes(string)!r} is noted wrongly")
    for alias, string, known in db.execute(
        "SELECT a.id, s.string, a.known FROM alias a JOIN surface s ON s.id = a.surface"
    ).fetchall():
        if alias_known(db, alias) != known:
            yield problem(f"a meaning of {from_bytes(string)!r} is known from the wrong instant")


def _wrong_vectors(db: sqlite3.Connection) -> Iterator[Finding]:
    for model, lengths in db.execute("SELECT model, count(DISTINCT length(data)) FROM vector GROUP BY model"):
        if lengths > 1:
            yield problem(f"vectors of {model} have {lengths} different lengths")


def _wrong_facts(db: sqlite3.Connection) -> Iterator[Finding]:
    for name, number, extractor in facts.damaged(db, UNREADABLE):
        yield problem(f"what {extractor} read out of version {number} of {name} is not what was kept", _again(name))
    if unlisted := facts.unlisted_parties(db, UNREADABLE):
        yield problem(f"{len(unlisted)} facts and events are not listed under those whom they speak of")


# content, document by document


def _wrong_content(db: sqlite3.Connection) -> Iterator[Finding]:
    """Documents of which something cannot be read, or is not what was put; damaged texts are named once each."""
    damaged = {row for row, *stored in db.execute("SELECT id, hash, content FROM text") if not _is_whole(*stored)}
    for text, row, called, number in db.execute(
        "SELECT v.text, v.id, d.name, v.number FROM version v JOIN document d ON d.id = v.document ORDER BY v.id"
    ):
        name = from_bytes(called)
        if text in damaged:
            yield problem(f"the stored text of {name} is damaged", _again(name))
            continue
        try:
            wrong = list(_wrong_in(db, row, name, number))
        except UNREADABLE as error:
            wrong = [f"cannot be read: {error}"]
        for what in wrong:
            yield problem(f"version {number} of {name} {what}", _again(name))


def _is_whole(key: bytes, content: bytes) -> bool:
    try:
        return text_fingerprint(unpack_text(content)) == key
    except UNREADABLE:
        return False


def _wrong_in(db: sqlite3.Connection, row: int, name: str, number: int) -> Iterator[str]:
    held = document(db, name, number, as_of=Instant(NEVER - 1))
    if held is None:
        yield "cannot be found"
        return
    content, digest, subject, known, n_passages, packed, n_mentions = db.execute(
        "SELECT content, digest, subject, iif(dated, known, NULL), n_passages, mentions, n_mentions FROM version"
        " WHERE id = ?",
        (row,),
    ).fetchone()
    mentions = unpack_mentions(packed)
    keys = db.execute("SELECT ordinal, key FROM passage WHERE version = ? ORDER BY ordinal", (row,)).fetchall()
    expected = [(n, passage_key(name, number, n)) for n in range(n_passages)]
    if keys != expected or len(held.passages) != n_passages:
        yield "has other passages than it was stored with"
        return
    if not _in_order(held.passages, len(held.text)):
        yield "has passages or sentences outside its text"
    if len(mentions) != n_mentions:
        yield "has other mentions than it was stored with"
    learnt = learnt_mentions(db, row, through=NEVER)
    if not all(_stands(mention, held) for mention in (*mentions, *learnt)):
        yield "has a mention outside its sentence"
    found = FoundNames(tuple(mentions), _stated(db, row), None if subject is None else from_bytes(subject))
    known = None if known is None else Instant(known)
    if content_fingerprint(held) != content or digest != contribution(
        held, found, number=number, known=known, content=content
    ):
        yield "is not what was stored: its digest differs"


def _in_order(passages: Sequence[Passage], length: int) -> bool:
    bounds = [0, *(bound for passage in passages for bound in (passage.start, passage.end)), length]
    return bounds == sorted(bounds) and all(
        passage.start <= sentence.start <= sentence.end <= passage.end
        for passage in passages
        for sentence in passage.sentences
    )


def _stands(mention: Mention, held: Document) -> bool:
    if not 0 <= mention.passage < len(held.passages):
        return False
    passage = held.passages[mention.passage]
    if mention.sentence == 0:
        return 0 <= mention.start <= mention.end <= len(context_text(held.metadata, passage.heading))
    if not 0 < mention.sentence <= len(passage.sentences):
        return False
    sentence = passage.sentences[mention.sentence - 1]
    return sentence.start <= mention.start <= mention.end <= sentence.end


def _stated(db: sqlite3.Connection, version: int) -> tuple[Alias, ...]:
    return tuple(
        Alias(
            *(from_bytes(surface), from_bytes(entity), kind, from_bytes(name), strength),
            None if listed == NEVER else Instant(listed),
            needs,
        )
        for surface, entity, kind, name, strength, listed, needs in db.execute(
            "SELECT s.string, a.entity, a.kind, a.name, a.strength, a.listed, a.needs FROM statement t"
            " JOIN alias a ON a.id = t.alias JOIN surface s ON s.id = a.surface WHERE t.version = ?",
            (version,),
        )
    )


def _again(name: str) -> str:
    return f"finlore forget {name!r}, then ingest it again; or restore a backup"
