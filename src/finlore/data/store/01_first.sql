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
