-- Numbers that owners connect in the console.

-- A connection that is begun, until its number is added. Both secrets are sealed.
CREATE TABLE connection_drafts (
  workspace_id INTEGER PRIMARY KEY REFERENCES workspaces (id),
  access_token TEXT NOT NULL,
  app_secret TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;

-- When the network last verified the callback address with the verify token of a workspace.
CREATE TABLE callback_verifications (
  workspace_id INTEGER PRIMARY KEY REFERENCES workspaces (id),
  verified_at INTEGER NOT NULL
) STRICT;
