-- The network's id of a template: a correction and the deletion of one language name it. Null: not known yet.
ALTER TABLE templates ADD COLUMN network_id TEXT;

-- What was given to the network about a template, written before the request leaves. An open one may have arrived: the
-- account's list is read before anything is tried again.
CREATE TABLE template_submissions (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  workspace_id INTEGER NOT NULL REFERENCES workspaces (id),
  account_id TEXT NOT NULL,
  name TEXT NOT NULL,
  -- Null: all languages, of a deletion.
  language TEXT,
  action TEXT NOT NULL CHECK (action IN ('create', 'correct', 'delete')),
  -- The request's body, as it leaves; null of a deletion.
  request TEXT,
  -- The template before a correction; null of everything else.
  before TEXT,
  state TEXT NOT NULL CHECK (state IN ('open', 'accepted', 'refused', 'absent')),
  created_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX template_submissions_open ON template_submissions (workspace_id, account_id, name, ifnull(language, ''))
  WHERE state = 'open';
CREATE INDEX template_submissions_name ON template_submissions (workspace_id, account_id, name, created_at);
CREATE INDEX template_submissions_age ON template_submissions (created_at);
