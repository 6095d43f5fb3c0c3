-- What a person may ask for: to be forgotten, and to get what is kept. Both are jobs that outlive a crash.

CREATE TABLE erasures (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  workspace_id INTEGER NOT NULL REFERENCES workspaces (id),
  -- The first of the person's contacts, whose row stays without the person.
  contact_id INTEGER NOT NULL REFERENCES contacts (id),
  -- Null: the command line.
  user_id INTEGER REFERENCES users (id),
  address TEXT NOT NULL,
  -- JSON: the contacts, which are empty already, and the names that rows are searched for; null once all is searched.
  person TEXT,
  -- 1 or 2: everything is searched twice, because a running server records something meanwhile.
  round INTEGER NOT NULL,
  -- JSON: how many of what is erased so far.
  counts TEXT NOT NULL,
  -- JSON: what still holds something of the person; null before the end.
  holders TEXT,
  created_at INTEGER NOT NULL,
  ended_at INTEGER
) STRICT;
CREATE INDEX erasures_workspace ON erasures (workspace_id, ended_at);
CREATE INDEX erasures_ended ON erasures (ended_at);
CREATE INDEX erasures_contact ON erasures (contact_id);
CREATE INDEX erasures_user ON erasures (user_id);

CREATE TABLE hand_outs (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  workspace_id INTEGER NOT NULL REFERENCES workspaces (id),
  contact_id INTEGER NOT NULL REFERENCES contacts (id),
  user_id INTEGER NOT NULL REFERENCES users (id),
  address TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('making', 'ready', 'failed')),
  -- JSON: what the archive has; null before it is ready.
  report TEXT,
  -- Why it failed, for a person to read.
  reason TEXT,
  created_at INTEGER NOT NULL,
  -- When its archive is deleted; null while it is made.
  expires_at INTEGER
) STRICT;
CREATE INDEX hand_outs_workspace ON hand_outs (workspace_id, state);
CREATE INDEX hand_outs_user ON hand_outs (user_id);
CREATE INDEX hand_outs_contact ON hand_outs (contact_id, id);
