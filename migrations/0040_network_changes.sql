-- What the network changed about a number or a template, in its own words: its quality, its limit, its status.
CREATE TABLE network_changes (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  workspace_id INTEGER NOT NULL REFERENCES workspaces (id),
  number_id INTEGER REFERENCES numbers (id),
  template_id INTEGER REFERENCES templates (id),
  property TEXT NOT NULL,
  -- Null: not known, or no restriction. Of a restriction: what it says.
  was TEXT,
  became TEXT,
  -- The network's time.
  at INTEGER NOT NULL,
  CHECK ((number_id IS NULL) <> (template_id IS NULL))
) STRICT;
CREATE INDEX network_changes_at ON network_changes (at);
CREATE INDEX network_changes_number ON network_changes (number_id, at, id) WHERE number_id IS NOT NULL;
CREATE INDEX network_changes_listed ON network_changes (workspace_id, at, id);
CREATE INDEX network_changes_template ON network_changes (template_id, at, id) WHERE template_id IS NOT NULL;
