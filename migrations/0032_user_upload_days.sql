-- The bytes that a user of the console has uploaded in a workspace on a day of it.
CREATE TABLE user_upload_days (
  user_id INTEGER NOT NULL REFERENCES users (id),
  workspace_id INTEGER NOT NULL REFERENCES workspaces (id),
  -- The first instant of the day.
  began_at INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  PRIMARY KEY (user_id, workspace_id, began_at)
) STRICT, WITHOUT ROWID;
CREATE INDEX user_upload_days_began ON user_upload_days (began_at);
CREATE INDEX user_upload_days_workspace ON user_upload_days (workspace_id);
