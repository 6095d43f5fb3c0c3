-- Templates that are being written in the console. They are no templates yet: no list of templates has them.
CREATE TABLE template_drafts (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  workspace_id INTEGER NOT NULL REFERENCES workspaces (id),
  user_id INTEGER NOT NULL,
  -- The body of POST /templates, as far as it is filled in.
  content TEXT NOT NULL,
  -- The template that the draft corrects; null: it becomes a new one.
  corrects INTEGER,
  -- The template that the draft became; null while it was not sent.
  template_id INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX template_drafts_open ON template_drafts (workspace_id, updated_at) WHERE template_id IS NULL;
CREATE INDEX template_drafts_age ON template_drafts (updated_at);
