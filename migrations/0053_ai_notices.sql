-- The first paragraph of the first message that an AI's key sends in a window. Empty: none.
ALTER TABLE workspaces ADD COLUMN ai_notice TEXT NOT NULL DEFAULT '';

-- The last message that carried the notice to a person on a number. Not a foreign key: messages are deleted by retention.
CREATE TABLE ai_notices (
  contact_id INTEGER NOT NULL REFERENCES contacts (id),
  number_id INTEGER NOT NULL REFERENCES numbers (id),
  workspace_id INTEGER NOT NULL REFERENCES workspaces (id),
  message_id INTEGER NOT NULL,
  carried_at INTEGER NOT NULL,
  -- The window in which it was sent is known to have been open until then.
  window_until INTEGER NOT NULL,
  PRIMARY KEY (contact_id, number_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX ai_notices_window ON ai_notices (window_until);
CREATE INDEX ai_notices_number ON ai_notices (number_id);
CREATE INDEX ai_notices_workspace ON ai_notices (workspace_id);
