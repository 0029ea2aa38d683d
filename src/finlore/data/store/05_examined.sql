ALTER TABLE workspace ADD COLUMN examined INTEGER NOT NULL DEFAULT 0;  -- the last transaction looked at for doubts
