"""The SQLite file: its tables, how it is opened, and how older files are brought up to date.

Strings that come from documents are stored as UTF-8 bytes with surrogates passed through: SQLite's TEXT holds no lone
surrogates, and file names may have them.
"""

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from finlore.errors import StoreDamaged

APPLICATION_ID = 0x46494E4C  # "FINL"

FIRST = """
CREATE TABLE workspace (sequence INTEGER NOT NULL, zone TEXT NOT NULL, known_by TEXT NOT NULL);
CREATE TABLE text (id INTEGER PRIMARY KEY, hash BLOB NOT NULL UNIQUE, content BLOB NOT NULL);
CREATE TABLE document (id INTEGER PRIMARY KEY AUTOINCREMENT, name BLOB NOT NULL UNIQUE);
CREATE TABLE version (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    document INTEGER NOT NULL REFERENCES document ON DELETE CASCADE,
    number INTEGER NOT NULL,
    text INTEGER NOT NULL REFERENCES text,
    says TEXT NOT NULL,             -- the same for all copies of one text
    known INTEGER NOT NULL,         -- alive iff known <= D < until
    until INTEGER NOT NULL,
    dated INTEGER NOT NULL,         -- whether `known` is a date that the document states
    shown INTEGER NOT NULL,         -- carries its text iff shown <= D < hidden
    hidden INTEGER NOT NULL,
    ingested INTEGER NOT NULL,
    added INTEGER NOT NULL,         -- sequence numbers: of the version,
    changed INTEGER NOT NULL,       -- of the last change after which its index rows must be made again,
    closed INTEGER NOT NULL,        -- of the last change of `hidden` alone,
    read_through INTEGER NOT NULL,  -- and of the surfaces learnt elsewhere that its text has been searched for
    content BLOB NOT NULL,          -- hash of the text and of the metadata that make a version
    digest BLOB NOT NULL,           -- hash of all that the document contributes
    source BLOB NOT NULL,
    format TEXT NOT NULL,
    raw_hash TEXT NOT NULL,
    metadata BLOB NOT NULL,
    layout BLOB NOT NULL,
    markup BLOB NOT NULL,
    subject BLOB,
    n_pages INTEGER,
    n_passages INTEGER NOT NULL,
    mentions BLOB NOT NULL,
    n_mentions INTEGER NOT NULL,
    UNIQUE (document, number)
);
CREATE INDEX version_text ON version (text);
CREATE INDEX version_says ON version (says);
CREATE INDEX version_changed ON version (changed);
CREATE INDEX version_closed ON version (closed);
CREATE INDEX version_read ON version (read_through);
CREATE TABLE passage (
    version INTEGER NOT NULL REFERENCES version ON DELETE CASCADE,
    ordinal INTEGER NOT NULL,
    key INTEGER NOT NULL UNIQUE,
    first INTEGER NOT NULL,
    last INTEGER NOT NULL,
    role TEXT NOT NULL,
    heading BLOB NOT NULL,
    sentences BLOB NOT NULL,
    PRIMARY KEY (version, ordinal)
) WITHOUT ROWID;
CREATE TABLE vector (
    key INTEGER NOT NULL REFERENCES passage (key) ON DELETE CASCADE,
    model TEXT NOT NULL,
    added INTEGER NOT NULL,
    data BLOB NOT NULL,
    PRIMARY KEY (key, model)
) WITHOUT ROWID;
CREATE INDEX vector_added ON vector (added);
CREATE TABLE surface (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    string BLOB NOT NULL UNIQUE,
    support INTEGER NOT NULL,       -- versions that came with a mention of it
    learnt INTEGER NOT NULL         -- sequence since which a taught alias or a link gives it a meaning; 0: none does
);
CREATE INDEX surface_learnt ON surface (learnt) WHERE learnt > 0;
CREATE TABLE learnt_mention (       -- found later, because another document taught the surface
    version INTEGER NOT NULL REFERENCES version ON DELETE CASCADE,
    surface INTEGER NOT NULL REFERENCES surface ON DELETE CASCADE,
    added INTEGER NOT NULL,
    places BLOB NOT NULL,
    n_mentions INTEGER NOT NULL,
    PRIMARY KEY (version, surface)
) WITHOUT ROWID;
CREATE INDEX learnt_mention_surface ON learnt_mention (surface);
CREATE INDEX learnt_mention_added ON learnt_mention (added);
CREATE TABLE alias (
    id INTEGER PRIMARY KEY,
    surface INTEGER NOT NULL REFERENCES surface,
    entity BLOB NOT NULL,
    kind TEXT NOT NULL,
    name BLOB NOT NULL,
    strength INTEGER NOT NULL,
    listed INTEGER NOT NULL,        -- instant of a shipped name; NEVER for what documents teach
    needs INTEGER NOT NULL,
    known INTEGER NOT NULL,         -- support counted
    UNIQUE (surface, entity, kind, name, strength, listed, needs)
);
CREATE TABLE statement (
    alias INTEGER NOT NULL REFERENCES alias ON DELETE CASCADE,
    known INTEGER NOT NULL,         -- of the version; in the key, so that the earliest come first
    version INTEGER NOT NULL REFERENCES version ON DELETE CASCADE,
    PRIMARY KEY (alias, known, version)
) WITHOUT ROWID;
CREATE INDEX statement_version ON statement (version);
CREATE TABLE link (
    surface INTEGER NOT NULL REFERENCES surface,
    via INTEGER NOT NULL REFERENCES surface,
    strength INTEGER NOT NULL,
    unlisted_only INTEGER NOT NULL, -- holds only while `via` does not mean a security
    added INTEGER NOT NULL,
    PRIMARY KEY (surface, via, strength, unlisted_only)
) WITHOUT ROWID;
CREATE INDEX link_via ON link (via);
CREATE TABLE merge (entity BLOB NOT NULL, target BLOB NOT NULL, made INTEGER NOT NULL, undone INTEGER);
CREATE TABLE retired (              -- what `shown` and `hidden` were before a change: a replay takes it back
    version INTEGER NOT NULL REFERENCES version ON DELETE CASCADE,
    sequence INTEGER NOT NULL,
    shown INTEGER NOT NULL,
    hidden INTEGER NOT NULL,
    PRIMARY KEY (version, sequence)
) WITHOUT ROWID;
CREATE INDEX retired_sequence ON retired (sequence);
CREATE TABLE forgotten (key INTEGER PRIMARY KEY, sequence INTEGER NOT NULL);  -- until derived files are rid of them
"""

_BRAND = (
    "CREATE INDEX surface_brand_{at} ON surface (substr(CAST(string AS TEXT), {at} + 1, 2))"
    " WHERE substr(string, -3) IN (x'e58fb8', x'e4b89a');"
)
NAMES = """
ALTER TABLE workspace ADD COLUMN read_through INTEGER NOT NULL DEFAULT 0;  -- by every version that was ever read
ALTER TABLE workspace ADD COLUMN unnamed INTEGER NOT NULL DEFAULT 0;       -- sequence at which a meaning last went
ALTER TABLE alias ADD COLUMN changed INTEGER NOT NULL DEFAULT 0;           -- sequence of the last change of `known`
CREATE INDEX alias_changed ON alias (changed);
CREATE INDEX link_added ON link (added);
CREATE TABLE unrelated (            -- surfaces that came to mean something, until `relate` has seen them
    surface INTEGER PRIMARY KEY REFERENCES surface ON DELETE CASCADE
);
INSERT INTO unrelated SELECT DISTINCT surface FROM alias WHERE known < 4611686018427387904;
CREATE TRIGGER alias_known AFTER UPDATE OF known ON alias BEGIN
    UPDATE alias SET changed = (SELECT sequence FROM workspace) WHERE id = new.id;
    INSERT OR IGNORE INTO unrelated
    SELECT new.surface WHERE old.known = 4611686018427387904 AND new.known < 4611686018427387904;
END;
CREATE TRIGGER alias_gone AFTER DELETE ON alias BEGIN
    UPDATE workspace SET unnamed = sequence;
END;
CREATE TRIGGER link_gone AFTER DELETE ON link BEGIN
    UPDATE workspace SET unnamed = sequence;
END;
CREATE INDEX surface_string_learnt ON surface (string) WHERE learnt > 0;
{brands}
CREATE TABLE trace (                -- what the text of a version may hold, to be searched for later surfaces (`traces`)
    version INTEGER PRIMARY KEY REFERENCES version ON DELETE CASCADE,
    grams BLOB NOT NULL
);
INSERT INTO trace SELECT id, x'' FROM version WHERE read_through > 0;
""".replace("{brands}", "\n".join(_BRAND.format(at=at) for at in (1, 2, 3, 4)))
"""What keeps the cost of a document the same however many names there are. Brands: two characters near the head of a
name that ends as legal ones do (公司, 企业); those that stand first are found by the order of the strings."""

INPUTS = """
CREATE TABLE input (                -- what became of each source when it was last read
    source BLOB PRIMARY KEY,
    raw_hash TEXT NOT NULL,
    rules TEXT NOT NULL,
    outcome TEXT NOT NULL,
    reason TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX input_not_read ON input (outcome) WHERE outcome <> 'read';
CREATE INDEX version_source ON version (source);
"""

FACTS = """
CREATE TABLE extraction (           -- what one extractor read out of a version
    id INTEGER PRIMARY KEY,
    version INTEGER NOT NULL REFERENCES version ON DELETE CASCADE,
    name TEXT NOT NULL,             -- of the extractor,
    release TEXT NOT NULL,          -- and with its version
    added INTEGER NOT NULL,         -- sequence numbers: of this,
    replaced INTEGER,               -- and of what the same extractor said later: a replay reads what was there before
    notes BLOB NOT NULL,
    digest BLOB NOT NULL
);
CREATE UNIQUE INDEX extraction_standing ON extraction (version, name) WHERE replaced IS NULL;
CREATE INDEX extraction_version ON extraction (version);
CREATE TABLE claim (                -- a fact or an event
    id INTEGER PRIMARY KEY,
    extraction INTEGER NOT NULL REFERENCES extraction ON DELETE CASCADE,
    key INTEGER NOT NULL,           -- hash of what is said and where
    is_event INTEGER NOT NULL,
    type TEXT NOT NULL,             -- relation of a fact, driver of an event
    known INTEGER NOT NULL,         -- not before, whenever its version is
    page INTEGER,
    content BLOB NOT NULL
);
CREATE INDEX claim_extraction ON claim (extraction);
CREATE INDEX claim_type ON claim (is_event, type);
CREATE INDEX claim_key ON claim (key);
CREATE TABLE party (
    string BLOB NOT NULL,           -- entity id, or surface where the document does not say which entity
    claim INTEGER NOT NULL REFERENCES claim ON DELETE CASCADE,
    PRIMARY KEY (string, claim)
) WITHOUT ROWID;
CREATE INDEX party_claim ON party (claim);
CREATE TABLE review (               -- what people are asked
    id TEXT PRIMARY KEY,
    kind TEXT NOT NULL,
    confidence REAL NOT NULL,
    asked INTEGER NOT NULL,
    content BLOB                    -- NULL: what it was about was forgotten
) WITHOUT ROWID;
CREATE TABLE decision (             -- what they said; nothing is ever removed
    id INTEGER PRIMARY KEY,
    review TEXT NOT NULL REFERENCES review,
    status TEXT NOT NULL,
    made INTEGER NOT NULL,
    undone INTEGER,
    content BLOB
);
CREATE INDEX decision_review ON decision (review);
"""

EXAMINED = """
ALTER TABLE workspace ADD COLUMN examined INTEGER NOT NULL DEFAULT 0;  -- the last transaction looked at for doubts
"""

MIGRATIONS: tuple[str, ...] = (FIRST, NAMES, INPUTS, FACTS, EXAMINED)
"""Statements that take a file from schema version n to n + 1, in order; never edited once released."""
SCHEMA_VERSION = len(MIGRATIONS)


def connect(path: Path, *, writable: bool) -> sqlite3.Connection:
    """A connection to a finlore store, whatever its schema version. `StoreDamaged` when the file is something else."""
    if not writable:
        return _connect_read_only(path)
    connection = _open(path, "rwc")
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA synchronous = FULL")  # what is committed survives a power cut as well
    connection.execute("PRAGMA secure_delete = ON")  # what is forgotten is overwritten, not only unlinked
    connection.execute("PRAGMA cache_size = -32000")
    return connection


def _connect_read_only(path: Path) -> sqlite3.Connection:
    """Where nothing can be written, a file that no writer holds open is read as if it never changed."""
    try:
        return _open(path, "ro")
    except sqlite3.OperationalError:
        log = path.with_name(path.name + "-wal")
        if log.exists() and log.stat().st_size:
            raise
    return _open(path, "ro&immutable=1")


def _open(path: Path, mode: str) -> sqlite3.Connection:
    connection = sqlite3.connect(
        f"{path.resolve().as_uri()}?mode={mode}", uri=True, isolation_level=None, check_same_thread=False, timeout=30
    )
    try:
        _check(connection, path)
    except BaseException:
        connection.close()
        raise
    return connection


def empty(*, zone: str, known_by: str) -> sqlite3.Connection:
    """A store with nothing in it, in memory: what a reader of an absent workspace sees."""
    connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    migrate(connection, backup=None, zone=zone, known_by=known_by)
    return connection


def version_of(connection: sqlite3.Connection) -> int:
    """The schema version of the file, 0 for one that has no tables yet."""
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def migrate(
    connection: sqlite3.Connection,
    *,
    backup: Path | None,
    zone: str,
    known_by: str,
    migrations: Sequence[str] = MIGRATIONS,
) -> None:
    """Bring the file up to the last of `migrations` in one transaction, after copying it to `backup`. A file without
    tables becomes an empty store of that zone and known_by."""
    at = version_of(connection)
    if at > 0 and backup is not None:
        _copy(connection, backup)
    connection.execute("BEGIN IMMEDIATE")
    try:
        for step in migrations[version_of(connection) :]:  # another process may have been faster
            for statement in _statements(step):
                connection.execute(statement)
        if at == 0:
            connection.execute(
                "INSERT INTO workspace (sequence, zone, known_by) SELECT 0, ?, ?"
                " WHERE NOT EXISTS (SELECT 1 FROM workspace)",
                (zone, known_by),
            )
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {len(migrations)}")
        connection.execute("COMMIT")
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")


def _copy(connection: sqlite3.Connection, to: Path) -> None:
    """Written aside, so that one which was cut short is never taken for a copy."""
    aside = to.with_name(f"{to.name}.writing")
    aside.unlink(missing_ok=True)
    with closing(sqlite3.connect(aside)) as copy:
        connection.backup(copy)
        copy.execute("PRAGMA journal_mode = DELETE")
    aside.replace(to)


def _statements(script: str) -> list[str]:
    statements, pending = [], ""
    for line in script.splitlines(keepends=True):
        pending += line
        if sqlite3.complete_statement(pending):
            statements.append(pending)
            pending = ""
    return statements


def _check(connection: sqlite3.Connection, path: Path) -> None:
    try:
        (application,) = connection.execute("PRAGMA application_id").fetchone()
        (n_tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlite3.OperationalError:
        raise
    except sqlite3.DatabaseError as error:
        raise StoreDamaged(
            f"{path} cannot be read as a store: {error}", hint="finlore restore FILE --replace, with a backup"
        ) from error
    if application != APPLICATION_ID and n_tables:
        raise StoreDamaged(f"{path} is a database of another program", hint="choose another workspace folder")
    if version_of(connection) > SCHEMA_VERSION:
        raise StoreDamaged(
            f"{path} has schema version {version_of(connection)}, this finlore knows up to {SCHEMA_VERSION}",
            hint="upgrade finlore",
        )
