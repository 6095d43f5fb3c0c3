-- When people see that their messages were read in the console.
ALTER TABLE workspaces ADD COLUMN read_receipts TEXT NOT NULL DEFAULT 'off';
