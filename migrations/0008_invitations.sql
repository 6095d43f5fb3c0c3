-- An invitation to a workspace is a one-time link with the role that its use gives. An account that exists already has
-- nothing of the workspace until then.
ALTER TABLE user_links ADD COLUMN workspace_id INTEGER REFERENCES workspaces (id);
ALTER TABLE user_links ADD COLUMN role TEXT CHECK (role IN ('owner', 'member'));

-- The workspace that invited this address first; null where an operator of the server did.
ALTER TABLE users ADD COLUMN first_workspace_id INTEGER REFERENCES workspaces (id);
UPDATE users SET first_workspace_id = (
  SELECT workspace_id FROM memberships WHERE user_id = users.id ORDER BY created_at, workspace_id LIMIT 1
) WHERE is_operator = 0;

-- A user without a password has only been invited, so these memberships become invitations. The link of a single one
-- goes on working; one link for several workspaces does not, and each of them needs a new one.
DELETE FROM user_links WHERE kind = 'join' AND used_at IS NULL AND user_id IN (
  SELECT user_id FROM memberships JOIN users ON users.id = user_id
    WHERE password IS NULL GROUP BY user_id HAVING count(*) > 1
);
UPDATE user_links SET (workspace_id, role) = (
  SELECT workspace_id, role FROM memberships WHERE user_id = user_links.user_id
) WHERE kind = 'join' AND used_at IS NULL AND user_id IN (SELECT id FROM users WHERE password IS NULL);
INSERT INTO user_links (kind, user_id, hash, created_at, expires_at, workspace_id, role)
  SELECT 'join', user_id, randomblob(32), memberships.created_at, memberships.created_at, workspace_id, role
    FROM memberships JOIN users ON users.id = user_id
    WHERE password IS NULL AND NOT EXISTS (
      SELECT 1 FROM user_links WHERE user_id = memberships.user_id AND workspace_id = memberships.workspace_id
    );
DELETE FROM memberships WHERE user_id IN (SELECT id FROM users WHERE password IS NULL);

CREATE UNIQUE INDEX user_links_invitation ON user_links (workspace_id, user_id)
  WHERE workspace_id IS NOT NULL AND used_at IS NULL;
