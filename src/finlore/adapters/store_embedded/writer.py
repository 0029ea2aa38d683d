"""Changes of content: each function is called inside one transaction and leaves everything it touches consistent."""

import sqlite3
from collections.abc import Iterable, Mapping, Sequence

from finlore.adapters.store_embedded.carriers import Copy, Interval, carriers
from finlore.adapters.store_embedded.packing import (
    content_fingerprint,
    fingerprint,
    from_bytes,
    mentioned_surfaces,
    pack_layout,
    pack_mentions,
    pack_metadata,
    pack_sentences,
    pack_spans,
    pack_text,
    text_fingerprint,
    to_bytes,
)
from finlore.adapters.store_embedded.reader import alias_known
from finlore.errors import UsageError
from finlore.ports import Bytes8
from finlore.records.document import Document, Metadata
from finlore.records.index import passage_key
from finlore.records.instant import NEVER, Instant
from finlore.records.names import Alias, FoundNames, SameName
from finlore.records.store import PutResult


def next_sequence(db: sqlite3.Connection) -> int:
    """The number of the transaction that is being made."""
    (sequence,) = db.execute("UPDATE workspace SET sequence = sequence + 1 RETURNING sequence").fetchone()
    return int(sequence)


def stated_instant(metadata: Metadata, known_by: str) -> Instant | None:
    """When the document itself says that one could know it: its publication, or its crawl when that is later."""
    if known_by == "ingestion":
        return None
    return max((at for at in (metadata.published_at, metadata.crawled_at) if at is not None), default=None)


def version_known(stated: Instant | None, ingested_at: Instant, previous: Instant | None) -> tuple[Instant, bool]:
    """From when a version is known, and whether its own date says so. `previous`: when the version before it was.

    A new version whose date is not later than that of the one before is known from when it was first seen.
    """
    if stated is not None and (previous is None or stated > previous):
        return stated, True
    return (ingested_at if previous is None else max(ingested_at, previous)), False


def put(
    db: sqlite3.Connection, document: Document, found: FoundNames, *, ingested_at: Instant, known_by: str
) -> PutResult:
    """Store a document, its names and what they support; a document that is there already changes nothing."""
    name, content = to_bytes(document.id), content_fingerprint(document)
    latest = db.execute(
        "SELECT v.id, v.number, v.content, v.known, v.says, v.n_passages FROM version v JOIN document d"
        " ON d.id = v.document WHERE d.name = ? ORDER BY v.number DESC LIMIT 1",
        (name,),
    ).fetchone()
    if latest is not None and latest[2] == content:
        return PutResult(document.id, "unchanged", latest[1], latest[5], Instant(latest[3]))
    sequence = next_sequence(db)
    number = latest[1] + 1 if latest else 1
    known, dated = version_known(
        stated_instant(document.metadata, known_by), ingested_at, Instant(latest[3]) if latest else None
    )
    version = _insert_version(
        db, document, found, number=number, known=known, dated=dated, ingested_at=ingested_at, sequence=sequence
    )
    db.executemany(
        "INSERT INTO surface (string, support, learnt) VALUES (?, 1, 0)"
        " ON CONFLICT (string) DO UPDATE SET support = support + 1",
        ((to_bytes(surface),) for surface in sorted({mention.surface for mention in found.mentions})),
    )
    _state(db, version, known, found.aliases, sequence)
    if latest:
        db.execute("UPDATE version SET until = ? WHERE id = ?", (known, latest[0]))
        if latest[4] != says_of(document):
            settle_copies(db, latest[4], sequence)
    settle_copies(db, says_of(document), sequence)
    return _outcome(db, version, document, number=number, known=known)


def _insert_version(
    db: sqlite3.Connection,
    document: Document,
    found: FoundNames,
    *,
    number: int,
    known: Instant,
    dated: bool,
    ingested_at: Instant,
    sequence: int,
) -> int:
    """The rows of a version and of its passages; the row number of the version."""
    name, content = to_bytes(document.id), content_fingerprint(document)
    row = db.execute("SELECT id FROM document WHERE name = ?", (name,)).fetchone()
    columns: dict[str, object] = {
        "document": row[0] if row else db.execute("INSERT INTO document (name) VALUES (?)", (name,)).lastrowid,
        "number": number,
        "text": _text_row(db, document.text),
        "says": says_of(document),
        "known": known,
        "until": NEVER,
        "dated": dated,
        "shown": known,
        "hidden": NEVER,
        "ingested": ingested_at,
        "added": sequence,
        "changed": sequence,
        "closed": 0,
        "read_through": 0,
        "content": content,
        "digest": _contribution(document, found, number=number, known=known if dated else None, content=content),
        "source": to_bytes(document.source),
        "format": document.format,
        "raw_hash": document.raw_hash,
        "metadata": pack_metadata(document.metadata),
        "layout": pack_layout(document),
        "markup": pack_spans(document.markup),
        "subject": None if found.subject is None else to_bytes(found.subject),
        "n_pages": document.n_pages,
        "n_passages": len(document.passages),
        "mentions": pack_mentions(found.mentions),
        "n_mentions": len(found.mentions),
    }
    version = db.execute(
        f"INSERT INTO version ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})", tuple(columns.values())
    ).lastrowid
    db.executemany(
        "INSERT INTO passage (version, ordinal, key, first, last, role, heading, sentences)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (
            (
                *(version, ordinal, passage_key(document.id, number, ordinal), passage.start, passage.end),
                *(passage.role, to_bytes(passage.heading), pack_sentences(passage.sentences, passage.start)),
            )
            for ordinal, passage in enumerate(document.passages)
        ),
    )
    return int(version or 0)


def _outcome(db: sqlite3.Connection, version: int, document: Document, *, number: int, known: Instant) -> PutResult:
    shown, hidden, says = db.execute("SELECT shown, hidden, says FROM version WHERE id = ?", (version,)).fetchone()
    if shown == known and hidden > known:
        status = "added" if number == 1 else "new_version"
        return PutResult(document.id, status, number, len(document.passages), known)  # type: ignore[arg-type]
    (carrier,) = db.execute(
        "SELECT d.name FROM version v JOIN document d ON d.id = v.document"
        " WHERE v.says = ? AND v.shown <= ? AND v.hidden > ?",
        (says, known, known),
    ).fetchone()
    return PutResult(document.id, "duplicate", number, 0, known, reason=from_bytes(carrier))


def says_of(document: Document) -> str:
    """The same for all copies of one text. Where there is none to read, every document is one of its own."""
    if not document.passages:
        return f"nothing:{text_fingerprint(document.id).hex()}"
    return document.text_hash or text_fingerprint(document.text).hex()


def _text_row(db: sqlite3.Connection, text: str) -> int:
    key = text_fingerprint(text)
    row = db.execute("SELECT id FROM text WHERE hash = ?", (key,)).fetchone()
    if row is None:
        row = (db.execute("INSERT INTO text (hash, content) VALUES (?, ?)", (key, pack_text(text))).lastrowid,)
    return int(row[0])


def _contribution(
    document: Document, found: FoundNames, *, number: int, known: Instant | None, content: bytes
) -> bytes:
    """Hash of all that a version adds to a store, whatever else is there and whenever it was ingested."""
    return fingerprint(
        *(document.id, number, known, content.hex(), found.subject),
        [[p.start, p.end, p.role, p.heading, [[s.start, s.end] for s in p.sentences]] for p in document.passages],
        sorted([m.passage, m.sentence, m.start, m.end, m.surface, m.kind] for m in found.mentions),
        sorted([a.surface, a.entity, a.kind, a.name, a.strength, a.known_at or 0, a.needs] for a in found.aliases),
    )


# names ---------------------------------------------------------------------------------------------------------------


def _state(db: sqlite3.Connection, version: int, known: Instant, aliases: Iterable[Alias], sequence: int) -> None:
    stated: dict[int, None] = {}
    for alias in aliases:
        taught = alias.known_at is None
        surface = _surface(db, alias.surface, learnt=sequence if taught else 0)
        listed = NEVER if alias.known_at is None else alias.known_at
        meaning = (to_bytes(alias.entity), alias.kind, to_bytes(alias.name), alias.strength)
        values = (surface, *meaning, listed, alias.needs)
        db.execute(
            "INSERT INTO alias (surface, entity, kind, name, strength, listed, needs, known)"
            f" VALUES (?, ?, ?, ?, ?, ?, ?, {NEVER}) ON CONFLICT DO NOTHING",
            values,
        )
        (row,) = db.execute(
            "SELECT id FROM alias WHERE surface = ? AND entity = ? AND kind = ? AND name = ? AND strength = ?"
            " AND listed = ? AND needs = ?",
            values,
        ).fetchone()
        stated[row] = None
    db.executemany(
        "INSERT INTO statement (alias, known, version) VALUES (?, ?, ?)", ((row, known, version) for row in stated)
    )
    settle_aliases(db, stated)


def _surface(db: sqlite3.Connection, string: str, *, learnt: int) -> int:
    """The row of a surface, which means something since `learnt` unless it did before."""
    (row,) = db.execute(
        "INSERT INTO surface (string, support, learnt) VALUES (?, 0, ?) ON CONFLICT (string) DO UPDATE"
        " SET learnt = iif(learnt, learnt, excluded.learnt) RETURNING id",
        (to_bytes(string), learnt),
    ).fetchone()
    return int(row)


def settle_aliases(db: sqlite3.Connection, aliases: Iterable[int]) -> None:
    """Count the support of these aliases again."""
    for alias in aliases:
        db.execute("UPDATE alias SET known = ?1 WHERE id = ?2 AND known <> ?1", (alias_known(db, alias), alias))


def relate(db: sqlite3.Connection, links: Sequence[SameName]) -> int:
    """Store links between surfaces; how many were new."""
    new = [link for link in dict.fromkeys(links) if not _is_linked(db, link)]
    sequence = next_sequence(db) if new else 0
    db.executemany(
        "INSERT INTO link (surface, via, strength, added) VALUES (?, ?, ?, ?)",
        (
            (_surface(db, link.surface, learnt=sequence), _surface(db, link.via, learnt=0), link.strength, sequence)
            for link in new
        ),
    )
    return len(new)


def _is_linked(db: sqlite3.Connection, link: SameName) -> bool:
    row = db.execute(
        "SELECT 1 FROM link l JOIN surface a ON a.id = l.surface JOIN surface b ON b.id = l.via"
        " WHERE a.string = ? AND b.string = ? AND l.strength = ?",
        (to_bytes(link.surface), to_bytes(link.via), link.strength),
    ).fetchone()
    return row is not None


def merge(db: sqlite3.Connection, entity: str, into: str) -> None:
    """From now on `entity` is `into`, at every date; UsageError when that would go round in a circle."""
    targets = {
        from_bytes(a): from_bytes(b) for a, b in db.execute("SELECT entity, target FROM merge WHERE undone IS NULL")
    }
    end = into
    while end != entity and end in targets:
        end = targets[end]
    if end == entity:
        raise UsageError(f"{into} already stands for {entity}", hint="split it first")
    sequence = next_sequence(db)
    db.execute("UPDATE merge SET undone = ? WHERE entity = ? AND undone IS NULL", (sequence, to_bytes(entity)))
    db.execute(
        "INSERT INTO merge (entity, target, made) VALUES (?, ?, ?)", (to_bytes(entity), to_bytes(into), sequence)
    )


def split(db: sqlite3.Connection, entity: str) -> bool:
    """Take back the merge of `entity`; False when there is none."""
    if not db.execute("SELECT 1 FROM merge WHERE entity = ? AND undone IS NULL", (to_bytes(entity),)).fetchone():
        return False
    db.execute("UPDATE merge SET undone = ? WHERE entity = ? AND undone IS NULL", (next_sequence(db), to_bytes(entity)))
    return True


# copies --------------------------------------------------------------------------------------------------------------


def settle_copies(db: sqlite3.Connection, says: str, sequence: int) -> None:
    """Decide again which copies of a text carry it when; what changes is noted, so that a replay can take it back."""
    rows = db.execute(
        "SELECT v.id, v.known, d.name, v.number, v.until, v.shown, v.hidden, v.added FROM version v"
        " JOIN document d ON d.id = v.document WHERE v.says = ?",
        (says,),
    ).fetchall()
    copies = {Copy(Instant(known), from_bytes(name), number, Instant(until)): (version, Interval(shown, hidden), added)
              for version, known, name, number, until, shown, hidden, added in rows}  # fmt: skip
    for copy, now in carriers(copies).items():
        version, before, added = copies[copy]
        if now == before:
            continue
        was_row, is_row = before.start < before.end, now.start < now.end
        again = is_row and (not was_row or now.start != before.start)  # else its row stands, with another end
        db.execute(
            f"UPDATE version SET shown = ?, hidden = ?, {'changed' if again else 'closed'} = ? WHERE id = ?",
            (now.start, now.end, sequence, version),
        )
        if added < sequence:
            db.execute(
                "INSERT INTO retired (version, sequence, shown, hidden) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
                (version, sequence, before.start, before.end),
            )


# forgetting ----------------------------------------------------------------------------------------------------------


def forget(db: sqlite3.Connection, document: str) -> int:
    """Remove all versions of a document and whatever only they supported; how many versions there were."""
    versions = db.execute(
        "SELECT v.id, v.text, v.says, v.mentions FROM version v JOIN document d ON d.id = v.document WHERE d.name = ?",
        (to_bytes(document),),
    ).fetchall()
    if not versions:
        return 0
    sequence = next_sequence(db)
    surfaces: set[int] = set()
    aliases: set[int] = set()
    for version, _, _, mentions in versions:
        strings = [to_bytes(surface) for surface in mentioned_surfaces(mentions)]
        surfaces |= {_unsupported(db, string) for string in strings}
        aliases |= _ids(db, "SELECT alias FROM statement WHERE version = ?", version)
        surfaces |= _ids(db, "SELECT surface FROM learnt_mention WHERE version = ?", version)
        db.execute(
            "INSERT INTO forgotten (key, sequence) SELECT key, ? FROM passage WHERE version = ?"
            " ON CONFLICT DO UPDATE SET sequence = excluded.sequence",
            (sequence, version),
        )
    db.execute("DELETE FROM document WHERE name = ?", (to_bytes(document),))
    for says in {says for _, _, says, _ in versions}:
        settle_copies(db, says, sequence)
    for text in {text for _, text, _, _ in versions}:
        db.execute("DELETE FROM text WHERE id = ? AND NOT EXISTS (SELECT 1 FROM version WHERE text = text.id)", (text,))
    surfaces |= _drop_unstated(db, aliases)
    _drop_unused(db, surfaces, sequence)
    return len(versions)


def _unsupported(db: sqlite3.Connection, string: bytes) -> int:
    (row,) = db.execute("UPDATE surface SET support = support - 1 WHERE string = ? RETURNING id", (string,)).fetchone()
    return int(row)


def _drop_unstated(db: sqlite3.Connection, aliases: set[int]) -> set[int]:
    """Drop those of the aliases that no document states any more; the surfaces of all of them."""
    surfaces = set()
    for alias in aliases:
        surfaces |= _ids(db, "SELECT surface FROM alias WHERE id = ?", alias)
        db.execute(
            "DELETE FROM alias WHERE id = ? AND NOT EXISTS (SELECT 1 FROM statement WHERE alias = alias.id)", (alias,)
        )
    settle_aliases(db, [alias for alias in sorted(aliases) if _ids(db, "SELECT id FROM alias WHERE id = ?", alias)])
    return surfaces


def _drop_unused(db: sqlite3.Connection, surfaces: set[int], sequence: int) -> None:
    """Drop links of surfaces that nothing mentions or names, what was found for surfaces that mean nothing any more,
    and at last the surfaces themselves."""
    for surface in sorted(surfaces):
        used = db.execute(
            "SELECT support > 0 OR EXISTS (SELECT 1 FROM alias WHERE surface = surface.id) FROM surface WHERE id = ?",
            (surface,),
        ).fetchone()
        if not used[0]:
            surfaces = surfaces | _ids(db, "SELECT surface FROM link WHERE via = ?", surface)
            surfaces = surfaces | _ids(db, "SELECT via FROM link WHERE surface = ?", surface)
            db.execute("DELETE FROM link WHERE surface = ? OR via = ?", (surface, surface))
    for surface in sorted(surfaces):
        if not db.execute(
            f"SELECT EXISTS (SELECT 1 FROM alias WHERE surface = ?1 AND listed = {NEVER})"
            " OR EXISTS (SELECT 1 FROM link WHERE surface = ?1)",
            (surface,),
        ).fetchone()[0]:
            db.execute(
                "UPDATE version SET changed = ? WHERE id IN (SELECT version FROM learnt_mention WHERE surface = ?)",
                (sequence, surface),
            )
            db.execute("DELETE FROM learnt_mention WHERE surface = ?", (surface,))
            db.execute("UPDATE surface SET learnt = 0 WHERE id = ?", (surface,))
        db.execute(
            "DELETE FROM surface WHERE id = ?1 AND support = 0 AND learnt = 0"
            " AND NOT EXISTS (SELECT 1 FROM alias WHERE surface = ?1)"
            " AND NOT EXISTS (SELECT 1 FROM link WHERE ?1 IN (surface, via))",
            (surface,),
        )


def _ids(db: sqlite3.Connection, query: str, value: int) -> set[int]:
    return {row[0] for row in db.execute(query, (value,))}


# vectors -------------------------------------------------------------------------------------------------------------


def put_vectors(db: sqlite3.Connection, model: str, vectors: Mapping[int, Bytes8]) -> int:
    """Store int8 vectors of passages; those of passages that are gone are passed over. How many were stored.

    UsageError when their length is not that of the vectors which the model has given before.
    """
    held = db.execute("SELECT length(data) FROM vector WHERE model = ? LIMIT 1", (model,)).fetchone()
    lengths = {len(vector) for vector in vectors.values()} | set(held or ())
    if len(lengths) > 1:
        raise UsageError(f"vectors of {model} have different lengths: {sorted(lengths)}")
    sequence = next_sequence(db)
    return db.executemany(
        "INSERT INTO vector (key, model, added, data) SELECT key, ?, ?, ? FROM passage WHERE key = ?"
        " ON CONFLICT (key, model) DO UPDATE SET added = excluded.added, data = excluded.data",
        ((model, sequence, vector.tobytes(), key) for key, vector in vectors.items()),
    ).rowcount
