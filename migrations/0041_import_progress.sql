-- Imports of the command line, and how far each import is. SQLite drops a NOT NULL only with its table.

CREATE TABLE new_imports (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  workspace_id INTEGER NOT NULL REFERENCES workspaces (id),
  -- Null: an import of the command line, which reads the file where it is.
  user_id INTEGER REFERENCES users (id),
  -- The name of the file on the user's computer.
  file_name TEXT NOT NULL,
  state TEXT NOT NULL
    CHECK (state = 'given' OR state = 'checking' OR state = 'checked' OR state = 'importing' OR state = 'done' OR
      state = 'failed'),
  -- JSON: the mapping of columns, and whether everyone in the file has opted in; or the options of the command.
  settings TEXT NOT NULL,
  -- JSON: the result of the last run, with its first failures; null before the first run.
  outcome TEXT,
  error TEXT,
  -- JSON: how far the import is, written with its rows; null before its first rows.
  progress TEXT,
  -- How often it was begun. Only the last run may write.
  run INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
-- Ids are never given twice, also where the newest import is gone.
INSERT INTO sqlite_sequence (name, seq) SELECT 'new_imports', seq FROM sqlite_sequence WHERE name = 'imports';
INSERT INTO new_imports (id, workspace_id, user_id, file_name, state, settings, outcome, error, created_at, updated_at)
  SELECT id, workspace_id, user_id, file_name, state, settings, outcome, error, created_at, updated_at FROM imports;
DROP TABLE imports;
ALTER TABLE new_imports RENAME TO imports;
CREATE INDEX imports_updated ON imports (updated_at);
CREATE INDEX imports_user ON imports (user_id);
CREATE INDEX imports_workspace ON imports (workspace_id, id);
