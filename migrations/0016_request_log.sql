-- The log of requests that programs make.

-- One request with an API key. Nothing in it names a person.
CREATE TABLE key_requests (
  id INTEGER PRIMARY KEY,
  workspace_id INTEGER NOT NULL REFERENCES workspaces (id),
  key_id INTEGER NOT NULL REFERENCES api_keys (id),
  at INTEGER NOT NULL,
  method TEXT NOT NULL,
  path TEXT NOT NULL,
  status INTEGER NOT NULL,
  duration_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX key_requests_workspace ON key_requests (workspace_id, status / 100, id);
CREATE INDEX key_requests_key ON key_requests (key_id, status / 100, id);

-- How many requests of a day (UTC) are in the log, and how many are not because the log had no room.
CREATE TABLE key_request_days (
  workspace_id INTEGER NOT NULL REFERENCES workspaces (id),
  day INTEGER NOT NULL,
  listed INTEGER NOT NULL,
  unlisted INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, day)
) STRICT, WITHOUT ROWID;

-- The runs of the server, which write the log once a second. A run that did not end may have lost its last second.
CREATE TABLE key_request_runs (
  began_at INTEGER PRIMARY KEY,
  written_at INTEGER NOT NULL,
  ended_at INTEGER
) STRICT;
