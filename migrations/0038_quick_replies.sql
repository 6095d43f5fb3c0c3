-- Texts that the staff of a workspace insert into a reply. The file of one is kept as long as it uses it.
CREATE TABLE quick_replies (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  workspace_id INTEGER NOT NULL REFERENCES workspaces (id),
  name TEXT NOT NULL,
  -- The name for comparison.
  folded TEXT NOT NULL,
  text TEXT NOT NULL,
  upload_id INTEGER REFERENCES uploads (id),
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX quick_replies_name ON quick_replies (workspace_id, folded);
CREATE INDEX quick_replies_upload ON quick_replies (upload_id) WHERE upload_id IS NOT NULL;
