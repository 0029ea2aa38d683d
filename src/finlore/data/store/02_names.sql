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
CREATE INDEX surface_brand_1 ON surface (substr(CAST(string AS TEXT), 1 + 1, 2)) WHERE substr(string, -3) IN (x'e58fb8', x'e4b89a');
CREATE INDEX surface_brand_2 ON surface (substr(CAST(string AS TEXT), 2 + 1, 2)) WHERE substr(string, -3) IN (x'e58fb8', x'e4b89a');
CREATE INDEX surface_brand_3 ON surface (substr(CAST(string AS TEXT), 3 + 1, 2)) WHERE substr(string, -3) IN (x'e58fb8', x'e4b89a');
CREATE INDEX surface_brand_4 ON surface (substr(CAST(string AS TEXT), 4 + 1, 2)) WHERE substr(string, -3) IN (x'e58fb8', x'e4b89a');
CREATE TABLE trace (                -- what the text of a version may hold, to be searched for later surfaces (`traces`)
    version INTEGER PRIMARY KEY REFERENCES version ON DELETE CASCADE,
    grams BLOB NOT NULL
);
INSERT INTO trace SELECT id, x'' FROM version WHERE read_through > 0;
