-- The real network: who vouches for a callback, what the network says of numbers and templates, uploaded samples.

-- For whom a callback was signed, as JSON: {"configuration": whether by the configuration's secret, "numbers": those
-- whose own secret or address it came by}. Null: made by this server itself.
ALTER TABLE callbacks ADD COLUMN trust TEXT;

-- Who says that a number cannot send: what a person stopped, the network does not start again.
ALTER TABLE numbers ADD COLUMN unready_by TEXT CHECK (unready_by IN ('person', 'network'));

-- Callbacks about an account name no number.
CREATE INDEX numbers_account ON numbers (account_id) WHERE removed_at IS NULL;

-- What the network says of a number. Words as it gave them; null: it said nothing.
CREATE TABLE number_states (
  number_id INTEGER PRIMARY KEY REFERENCES numbers (id),
  status TEXT,
  verified_name TEXT,
  name_status TEXT,
  quality TEXT,
  throughput_level TEXT,
  -- Different people a day: a row of digits, or "unlimited".
  messaging_limit TEXT,
  -- Why it cannot send, and what should be known although it can, in words for a person.
  problem TEXT,
  warning TEXT,
  -- What the network announced, until it takes that back.
  notice TEXT,
  -- A stop that the network told of by itself, and when it ends.
  restriction TEXT,
  restricted_until INTEGER,
  -- The network's time of the latest news of restrictions: older news change nothing.
  news_at INTEGER NOT NULL,
  checked_at INTEGER
) STRICT;

-- How the last look at an account's numbers and templates went.
CREATE TABLE account_syncs (
  workspace_id INTEGER NOT NULL REFERENCES workspaces (id),
  account_id TEXT NOT NULL,
  succeeded_at INTEGER,
  failed_at INTEGER,
  error TEXT,
  PRIMARY KEY (workspace_id, account_id)
) STRICT, WITHOUT ROWID;

-- The network's own word for the status, why, and when it decided: older news change nothing.
ALTER TABLE templates ADD COLUMN network_status TEXT;
ALTER TABLE templates ADD COLUMN status_reason TEXT;
ALTER TABLE templates ADD COLUMN status_at INTEGER NOT NULL DEFAULT 0;
ALTER TABLE templates ADD COLUMN quality TEXT;

-- Stored samples, uploaded once for each number: the network's ids belong to a number, and expire.
CREATE TABLE sample_uploads (
  number_id INTEGER NOT NULL REFERENCES numbers (id),
  link TEXT NOT NULL,
  media_id TEXT,
  expires_at INTEGER NOT NULL,
  error TEXT,
  tried_at INTEGER NOT NULL,
  PRIMARY KEY (number_id, link)
) STRICT, WITHOUT ROWID;

-- How many statuses without a reference of ours wait for each number: only so many may, and counting them for each more
-- that comes would read them all.
CREATE TABLE parked_counts (
  number_id INTEGER PRIMARY KEY REFERENCES numbers (id),
  statuses INTEGER NOT NULL
) STRICT;
CREATE TRIGGER parked_statuses_in AFTER INSERT ON parked_statuses WHEN NEW.reference IS NULL BEGIN
  INSERT INTO parked_counts (number_id, statuses) VALUES (NEW.number_id, 1)
  ON CONFLICT (number_id) DO UPDATE SET statuses = statuses + 1;
END;
CREATE TRIGGER parked_statuses_out AFTER DELETE ON parked_statuses WHEN OLD.reference IS NULL BEGIN
  UPDATE parked_counts SET statuses = statuses - 1 WHERE number_id = OLD.number_id;
END;
INSERT INTO parked_counts (number_id, statuses)
SELECT number_id, count(*) FROM parked_statuses WHERE reference IS NULL GROUP BY number_id;
