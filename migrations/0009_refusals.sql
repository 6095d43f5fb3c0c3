-- Refusals with a code that is in no list, counted by number, kind of message, source and code since the last success.
CREATE TABLE unlisted_refusals (
  number_id INTEGER NOT NULL REFERENCES numbers (id),
  kind TEXT NOT NULL CHECK (kind IN ('template', 'free')),
  source TEXT NOT NULL CHECK (source IN ('answer', 'status')),
  code TEXT NOT NULL,
  -- JSON: ids of the contacts, at most ten.
  people TEXT NOT NULL,
  -- The last refusal, in the network's words.
  message TEXT NOT NULL,
  began_at INTEGER NOT NULL,
  changed_at INTEGER NOT NULL,
  PRIMARY KEY (number_id, kind, source, code)
) STRICT, WITHOUT ROWID;

-- JSON: refusals of the template, the number or the account by status, each with its count, until the broadcast is settled.
ALTER TABLE broadcast_counters ADD COLUMN refusals TEXT;
