-- Quiet hours of a workspace, as "21:00-08:00"; "off": none; empty: those of the configuration.
ALTER TABLE workspaces ADD COLUMN quiet TEXT NOT NULL DEFAULT '';
