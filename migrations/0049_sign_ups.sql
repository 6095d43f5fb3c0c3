-- Sign-ups at the network that owners began in the console: what ties the answer to the session that began it.
CREATE TABLE sign_ups (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  workspace_id INTEGER NOT NULL REFERENCES workspaces (id),
  -- Not a foreign key, so that the session can end. No id of a session is used twice.
  session_id INTEGER NOT NULL,
  -- Of the state that the network brings back.
  hash BLOB NOT NULL,
  -- The number whose access is renewed; null: one that is not connected yet.
  number_id INTEGER REFERENCES numbers (id),
  created_at INTEGER NOT NULL,
  used_at INTEGER
) STRICT;
CREATE UNIQUE INDEX sign_ups_hash ON sign_ups (hash);
CREATE INDEX sign_ups_workspace ON sign_ups (workspace_id);
CREATE INDEX sign_ups_number ON sign_ups (number_id) WHERE number_id IS NOT NULL;
CREATE INDEX sign_ups_created ON sign_ups (created_at);
