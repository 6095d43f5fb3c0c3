-- Opening hours, and what a person who writes outside them is answered.
ALTER TABLE workspaces ADD COLUMN opening_hours TEXT NOT NULL DEFAULT '';
-- JSON array.
ALTER TABLE workspaces ADD COLUMN closed_days TEXT NOT NULL DEFAULT '[]';
ALTER TABLE workspaces ADD COLUMN away_message TEXT NOT NULL DEFAULT '';

-- 1: sent automatically, such as an away message; it answers nothing.
ALTER TABLE messages ADD COLUMN automated INTEGER NOT NULL DEFAULT 0 CHECK (automated IN (0, 1));

-- Whom the away message was meant for on which day (YYYY-MM-DD in the workspace's timezone). Written with the inbound.
CREATE TABLE away_days (
  contact_id INTEGER NOT NULL REFERENCES contacts (id),
  day TEXT NOT NULL,
  workspace_id INTEGER NOT NULL REFERENCES workspaces (id),
  created_at INTEGER NOT NULL,
  PRIMARY KEY (contact_id, day)
) STRICT, WITHOUT ROWID;
CREATE INDEX away_days_created ON away_days (created_at);
CREATE INDEX away_days_workspace ON away_days (workspace_id);
