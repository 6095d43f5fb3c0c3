-- Whom a number blocks, as far as is known, and what the network is asked while its answer is not known.
CREATE TABLE blocks (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  workspace_id INTEGER NOT NULL REFERENCES workspaces (id),
  contact_id INTEGER NOT NULL REFERENCES contacts (id),
  number_id INTEGER NOT NULL REFERENCES numbers (id),
  -- Since when; null: the number does not block the person.
  blocked_at INTEGER,
  asked TEXT CHECK (asked IN ('block', 'unblock')),
  asked_at INTEGER,
  CHECK ((asked IS NULL) = (asked_at IS NULL))
) STRICT;
CREATE UNIQUE INDEX blocks_thread ON blocks (contact_id, number_id);

-- What the simulated network keeps of a number: its profile as JSON, its username, its photo.
CREATE TABLE simulated_profiles (
  number_id INTEGER PRIMARY KEY REFERENCES numbers (id),
  workspace_id INTEGER NOT NULL REFERENCES workspaces (id),
  profile TEXT NOT NULL,
  username TEXT,
  photo BLOB
) STRICT;
CREATE UNIQUE INDEX simulated_profiles_username ON simulated_profiles (username) WHERE username IS NOT NULL;

-- Whom a number blocks on the simulated network.
CREATE TABLE simulated_blocks (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  workspace_id INTEGER NOT NULL REFERENCES workspaces (id),
  contact_id INTEGER NOT NULL REFERENCES contacts (id),
  number_id INTEGER NOT NULL REFERENCES numbers (id)
) STRICT;
CREATE UNIQUE INDEX simulated_blocks_person ON simulated_blocks (contact_id, number_id);
CREATE INDEX simulated_blocks_number ON simulated_blocks (number_id, id);
