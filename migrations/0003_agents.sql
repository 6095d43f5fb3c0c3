-- The role agent, and its limit to some of the workspace's numbers. SQLite changes a CHECK only with its table.

CREATE TABLE new_memberships (
  user_id INTEGER NOT NULL REFERENCES users (id),
  workspace_id INTEGER NOT NULL REFERENCES workspaces (id),
  role TEXT NOT NULL CHECK (role IN ('owner', 'member', 'agent')),
  -- Ids of the numbers whose conversations an agent sees, as a JSON array; null: all.
  number_ids TEXT CHECK (number_ids IS NULL OR role = 'agent'),
  -- 1: the owner has not been shown yet that members lost the exports.
  has_news INTEGER NOT NULL DEFAULT 0 CHECK (has_news IN (0, 1)),
  created_at INTEGER NOT NULL,
  PRIMARY KEY (user_id, workspace_id)
) STRICT, WITHOUT ROWID;
INSERT INTO new_memberships (user_id, workspace_id, role, has_news, created_at)
  SELECT user_id, workspace_id, role,
    role = 'owner' AND EXISTS (
      SELECT 1 FROM memberships AS other WHERE other.workspace_id = one.workspace_id AND other.role = 'member'),
    created_at
  FROM memberships AS one;
DROP TABLE memberships;
ALTER TABLE new_memberships RENAME TO memberships;
CREATE INDEX memberships_workspace ON memberships (workspace_id);

CREATE TABLE new_user_links (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  kind TEXT NOT NULL CHECK (kind = 'setup' OR kind = 'join' OR kind = 'reset' OR kind = 'forgot' OR kind = 'verify'),
  user_id INTEGER REFERENCES users (id),
  hash BLOB NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  used_at INTEGER,
  -- For an invitation: the workspace, the role that it grants, and the numbers of an agent.
  workspace_id INTEGER REFERENCES workspaces (id),
  role TEXT CHECK (role IN ('owner', 'member', 'agent')),
  number_ids TEXT CHECK (number_ids IS NULL OR role = 'agent')
) STRICT;
INSERT INTO new_user_links (id, kind, user_id, hash, created_at, expires_at, used_at, workspace_id, role)
  SELECT id, kind, user_id, hash, created_at, expires_at, used_at, workspace_id, role FROM user_links;
DROP TABLE user_links;
ALTER TABLE new_user_links RENAME TO user_links;
CREATE UNIQUE INDEX user_links_hash ON user_links (hash);
CREATE UNIQUE INDEX user_links_invitation ON user_links (workspace_id, user_id)
  WHERE workspace_id IS NOT NULL AND used_at IS NULL;
CREATE INDEX user_links_user ON user_links (user_id);
