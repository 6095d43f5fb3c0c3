-- How long a workspace keeps its own messages, what people write and their files: "90 days"; "server": as the configuration.
ALTER TABLE workspaces ADD COLUMN message_retention TEXT NOT NULL DEFAULT 'server';
ALTER TABLE workspaces ADD COLUMN inbound_retention TEXT NOT NULL DEFAULT 'server';
ALTER TABLE workspaces ADD COLUMN media_retention TEXT NOT NULL DEFAULT 'server';
-- What an opt-in is recorded with that names neither purpose nor notice.
ALTER TABLE workspaces ADD COLUMN purpose TEXT NOT NULL DEFAULT '';
ALTER TABLE workspaces ADD COLUMN notice TEXT NOT NULL DEFAULT '';

CREATE INDEX media_stored_workspace ON media (workspace_id, created_at) WHERE state = 'stored';
-- Who changed each setting last.
CREATE INDEX audit_log_settings ON audit_log (action, workspace_id, id) WHERE action = 'settings.update';

-- When the member last used the console in the workspace; at most once a minute.
ALTER TABLE memberships ADD COLUMN seen_at INTEGER;
