-- People of the console: who may sign in, from where they are signed in, and what they did.

CREATE TABLE users (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  -- As it was given, and in small letters: the second is what is looked for.
  email TEXT NOT NULL,
  email_key TEXT NOT NULL,
  -- Argon2id in its own notation; null until a one-time link was used.
  password TEXT,
  is_operator INTEGER NOT NULL CHECK (is_operator IN (0, 1)),
  -- Sealed. A secret that no code has confirmed yet stands apart from the one that is asked for.
  totp_secret TEXT,
  totp_pending TEXT,
  -- The last time step whose code was taken: no code counts twice.
  totp_step INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  disabled_at INTEGER
) STRICT;
CREATE UNIQUE INDEX users_email ON users (email_key);
CREATE INDEX users_operator ON users (is_operator) WHERE is_operator = 1 AND disabled_at IS NULL;

CREATE TABLE memberships (
  user_id INTEGER NOT NULL REFERENCES users (id),
  workspace_id INTEGER NOT NULL REFERENCES workspaces (id),
  role TEXT NOT NULL CHECK (role IN ('owner', 'member')),
  created_at INTEGER NOT NULL,
  PRIMARY KEY (user_id, workspace_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX memberships_workspace ON memberships (workspace_id);

-- One-time links. Only the hash of the token is kept; the link to make the first operator belongs to nobody yet.
CREATE TABLE user_links (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  kind TEXT NOT NULL CHECK (kind IN ('setup', 'join', 'reset')),
  user_id INTEGER REFERENCES users (id),
  hash BLOB NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  used_at INTEGER
) STRICT;
CREATE UNIQUE INDEX user_links_hash ON user_links (hash);
CREATE INDEX user_links_user ON user_links (user_id);

CREATE TABLE sessions (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id INTEGER NOT NULL REFERENCES users (id),
  hash BLOB NOT NULL,
  created_at INTEGER NOT NULL,
  -- Written at most once a minute.
  seen_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  address TEXT NOT NULL,
  agent TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX sessions_hash ON sessions (hash);
CREATE INDEX sessions_user ON sessions (user_id);
CREATE INDEX sessions_expiry ON sessions (expires_at);

CREATE TABLE recovery_codes (
  user_id INTEGER NOT NULL REFERENCES users (id),
  hash BLOB NOT NULL,
  used_at INTEGER,
  PRIMARY KEY (user_id, hash)
) STRICT, WITHOUT ROWID;

-- Guesses that were wrong, for each account and each address; the name is kept as a keyed hash only.
CREATE TABLE sign_in_tries (
  subject BLOB PRIMARY KEY,
  count INTEGER NOT NULL,
  blocked_until INTEGER NOT NULL,
  last_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX sign_in_tries_last ON sign_in_tries (last_at);

-- Rows are only ever added. Without a user: the command line.
CREATE TABLE audit_log (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  at INTEGER NOT NULL,
  user_id INTEGER REFERENCES users (id),
  workspace_id INTEGER REFERENCES workspaces (id),
  action TEXT NOT NULL,
  subject TEXT NOT NULL,
  -- JSON: what it was and what it became. Never a secret.
  details TEXT NOT NULL,
  address TEXT NOT NULL
) STRICT;
CREATE INDEX audit_log_user ON audit_log (user_id, id);
CREATE INDEX audit_log_workspace ON audit_log (workspace_id, id);

-- Broadcasts on their way through the wizard. A draft becomes one broadcast at most: the row says which, for ever.
CREATE TABLE broadcast_drafts (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  workspace_id INTEGER NOT NULL REFERENCES workspaces (id),
  user_id INTEGER NOT NULL REFERENCES users (id),
  -- JSON: the body of POST /broadcasts as far as it is known; emptied once it was sent.
  content TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  broadcast_id INTEGER REFERENCES broadcasts (id)
) STRICT;
CREATE INDEX broadcast_drafts_workspace ON broadcast_drafts (workspace_id, updated_at);
CREATE INDEX broadcast_drafts_updated ON broadcast_drafts (updated_at);
CREATE INDEX broadcast_drafts_user ON broadcast_drafts (user_id);
CREATE INDEX broadcast_drafts_broadcast ON broadcast_drafts (broadcast_id);

-- Files of people that were given to the console; the files themselves lie beside the database.
CREATE TABLE imports (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  workspace_id INTEGER NOT NULL REFERENCES workspaces (id),
  user_id INTEGER NOT NULL REFERENCES users (id),
  -- As it was called where it came from.
  file_name TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('given', 'checking', 'checked', 'importing', 'done', 'failed')),
  -- JSON: which column is what, and whether everybody in it agreed.
  settings TEXT NOT NULL,
  -- JSON: what the last run came to, with its first failures; null before the first.
  outcome TEXT,
  error TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX imports_workspace ON imports (workspace_id, id);
CREATE INDEX imports_user ON imports (user_id);
CREATE INDEX imports_updated ON imports (updated_at);

-- Changes to many contacts at once. How far one has come is written with each part of it, so that nothing is done twice.
CREATE TABLE bulk_changes (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  workspace_id INTEGER NOT NULL REFERENCES workspaces (id),
  user_id INTEGER NOT NULL REFERENCES users (id),
  -- JSON: contacts by id, a filter, or the recipients of a broadcast; and what is changed.
  whom TEXT NOT NULL,
  change TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('running', 'done', 'stopped', 'failed')),
  -- As it was counted before it began.
  total INTEGER NOT NULL,
  -- The last row that was looked at, and the last that there was when it began.
  position INTEGER NOT NULL,
  last INTEGER NOT NULL,
  seen INTEGER NOT NULL,
  changed INTEGER NOT NULL,
  error TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX bulk_changes_workspace ON bulk_changes (workspace_id, id);
CREATE INDEX bulk_changes_user ON bulk_changes (user_id);
CREATE INDEX bulk_changes_updated ON bulk_changes (updated_at);

-- What a form of the console was answered, so that a second press acts once. Secrets are never part of it.
CREATE TABLE form_answers (
  user_id INTEGER NOT NULL REFERENCES users (id),
  key TEXT NOT NULL,
  fingerprint BLOB NOT NULL,
  status INTEGER NOT NULL,
  body TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (user_id, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX form_answers_created ON form_answers (created_at);
