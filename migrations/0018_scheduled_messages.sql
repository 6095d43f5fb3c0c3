-- Messages that are sent later. `send_at`: when, as the caller asked; null for all others. Until it is sent such a message
-- is `pending`; one that was cancelled is `skipped`.
ALTER TABLE messages ADD COLUMN send_at INTEGER;
CREATE INDEX messages_scheduled ON messages (workspace_id, created_at)
  WHERE send_at IS NOT NULL AND status IN ('pending', 'sending');
CREATE INDEX messages_scheduled_contact ON messages (contact_id, created_at) WHERE send_at IS NOT NULL;
CREATE INDEX messages_undispatched ON messages (contact_id, created_at)
  WHERE send_at IS NOT NULL AND dispatched_at IS NULL;

-- What a scheduled message is made of, until it is sent or over.
CREATE TABLE scheduled_messages (
  message_id INTEGER PRIMARY KEY REFERENCES messages (id),
  workspace_id INTEGER NOT NULL REFERENCES workspaces (id),
  contact_id INTEGER NOT NULL,
  -- JSON: what the request asked for, links included. Values are filled in when the message is due.
  content TEXT NOT NULL,
  cancel_on_reply INTEGER NOT NULL CHECK (cancel_on_reply IN (0, 1)),
  -- Lateness counts from here: `send_at`, or the end of the quiet hours that the message waited for.
  due_since INTEGER NOT NULL,
  -- The API key, if it has a daily budget of people.
  key_id INTEGER,
  -- The database is a copy from before this message was due: another copy may have sent it.
  is_restored INTEGER NOT NULL DEFAULT 0 CHECK (is_restored IN (0, 1))
) STRICT;
CREATE INDEX scheduled_messages_contact ON scheduled_messages (contact_id) WHERE cancel_on_reply = 1;
CREATE INDEX scheduled_messages_of_workspace ON scheduled_messages (workspace_id);
