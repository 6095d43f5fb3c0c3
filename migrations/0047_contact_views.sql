-- Contacts by the name that is shown (`SHOWN_NAME` in `domain/filters/sort.ts`, word for word); those without one by id.
CREATE INDEX contacts_shown_name ON contacts (
  workspace_id,
  (CASE WHEN name IS NOT NULL THEN name WHEN coalesce(first_name, '') = '' THEN nullif(last_name, '') WHEN coalesce(last_name, '') = '' THEN first_name ELSE first_name || ' ' || last_name END) COLLATE NOCASE
) WHERE (phone IS NOT NULL OR network_user_id IS NOT NULL);

-- A filter of the list of contacts with its order and its columns, under a name.
CREATE TABLE contact_views (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  workspace_id INTEGER NOT NULL REFERENCES workspaces (id),
  -- Who made it, and alone sees it unless it is shared with the workspace.
  user_id INTEGER NOT NULL REFERENCES users (id),
  name TEXT NOT NULL,
  -- The name for comparison.
  folded TEXT NOT NULL,
  is_shared INTEGER NOT NULL CHECK (is_shared = 0 OR is_shared = 1),
  -- JSON: the parameters of the list (`q`, `consent`, `group`, `filter`, `sort`).
  search TEXT NOT NULL,
  -- JSON: names of columns, in the order in which they are shown.
  columns TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX contact_views_name ON contact_views (workspace_id, user_id, folded);
CREATE INDEX contact_views_shared ON contact_views (workspace_id, folded) WHERE is_shared = 1;
CREATE INDEX contact_views_user ON contact_views (user_id);

-- The contacts of a running bulk change, as they were when it was counted: rows of at most a thousand.
CREATE TABLE bulk_people (
  bulk_id INTEGER NOT NULL REFERENCES bulk_changes (id) ON DELETE CASCADE,
  -- How many contacts the rows before it hold.
  first INTEGER NOT NULL,
  -- JSON: ids of contacts.
  ids TEXT NOT NULL,
  PRIMARY KEY (bulk_id, first)
) STRICT, WITHOUT ROWID;
