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
