CREATE TABLE input (                -- what became of each source when it was last read
    source BLOB PRIMARY KEY,
    raw_hash TEXT NOT NULL,
    rules TEXT NOT NULL,
    outcome TEXT NOT NULL,
    reason TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX input_not_read ON input (outcome) WHERE outcome <> 'read';
CREATE INDEX version_source ON version (source);
