-- Where a database came from, and what networks answered.

-- Where the file lay when it was last opened for good: a copy made by hand lies elsewhere. Null until it is known.
ALTER TABLE instance ADD COLUMN inode TEXT;
ALTER TABLE instance ADD COLUMN born_at INTEGER;
-- JSON on a copy that Waxwing made itself (why, when, whether something newer was lost); null on a live database.
ALTER TABLE instance ADD COLUMN stamp TEXT;
-- JSON array of the instance ids that this database had before, the oldest first.
ALTER TABLE instance ADD COLUMN ancestors TEXT NOT NULL DEFAULT '[]';
-- The mark of the server's present run, and of the one before: files beside the database carry them, too.
ALTER TABLE instance ADD COLUMN run_mark TEXT;
ALTER TABLE instance ADD COLUMN run_mark_before TEXT;
-- When the last commit was made, by the wall clock, to some seconds: a clock that is earlier than this has been set back.
ALTER TABLE instance ADD COLUMN last_commit_at INTEGER;
-- Changes whenever somebody asks whether the database can be written: what does not change is not written either.
ALTER TABLE instance ADD COLUMN probe INTEGER NOT NULL DEFAULT 0;

-- Attempts at a network, with its raw answer. What was accepted without one (the simulator) stands in the message itself.
CREATE TABLE network_attempts (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  reference TEXT NOT NULL,
  outcome TEXT NOT NULL CHECK (outcome IN ('accepted', 'refused', 'throttled', 'unreachable', 'unknown')),
  code TEXT,
  reason TEXT NOT NULL,
  -- The answer as it came, without the access token; null where there was none.
  http_status INTEGER,
  answer TEXT,
  attempted_at INTEGER NOT NULL,
  duration_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX network_attempts_reference ON network_attempts (reference);
