-- What a user is writing to a person, until it is sent.
CREATE TABLE conversation_drafts (
  contact_id INTEGER NOT NULL REFERENCES contacts (id),
  user_id INTEGER NOT NULL REFERENCES users (id),
  workspace_id INTEGER NOT NULL REFERENCES workspaces (id),
  -- As the console has it, at most 32 KiB of JSON. Null: it was sent or emptied, so that no older change returns.
  content TEXT,
  -- The idempotency key with which the message is sent; empty: it was sent.
  message_key TEXT NOT NULL,
  -- When the user last changed it; it may be stored later.
  changed_at INTEGER NOT NULL,
  PRIMARY KEY (contact_id, user_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX conversation_drafts_user ON conversation_drafts (user_id, workspace_id);
CREATE INDEX conversation_drafts_workspace ON conversation_drafts (workspace_id);
CREATE INDEX conversation_drafts_age ON conversation_drafts (changed_at);
