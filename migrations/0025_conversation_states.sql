-- What the staff have made of a conversation: its state, who answers it, and their notes.
ALTER TABLE conversations ADD COLUMN state TEXT NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'snoozed', 'done'));
-- Null while it is snoozed: until the person writes.
ALTER TABLE conversations ADD COLUMN snoozed_until INTEGER CHECK (snoozed_until IS NULL OR state = 'snoozed');
-- The user of the console who answers it.
ALTER TABLE conversations ADD COLUMN assignee_id INTEGER REFERENCES users (id);
CREATE INDEX conversations_state ON conversations (workspace_id, state, wrote_at, id);
CREATE INDEX conversations_assigned ON conversations (assignee_id, workspace_id, state, wrote_at, id)
  WHERE assignee_id IS NOT NULL;

-- A new message opens the conversation.
DROP TRIGGER inbounds_insert;
CREATE TRIGGER inbounds_insert AFTER INSERT ON inbounds WHEN new.origin <> 'history' BEGIN
  INSERT INTO conversations (workspace_id, contact_id, number_id, last_inbound_id, wrote_at, unread)
    VALUES (new.workspace_id, new.contact_id, new.number_id, new.id, new.received_at, 1)
    ON CONFLICT (contact_id, number_id) DO UPDATE SET
      last_inbound_id = max(last_inbound_id, excluded.last_inbound_id),
      wrote_at = max(wrote_at, excluded.wrote_at),
      unread = unread + 1,
      state = 'open',
      snoozed_until = NULL;
END;

DROP TRIGGER inbounds_promote;
-- The message was delivered as a new one after it had arrived in the history.
CREATE TRIGGER inbounds_promote AFTER UPDATE OF origin ON inbounds
WHEN old.origin = 'history' AND new.origin <> 'history' BEGIN
  UPDATE conversations
    SET last_inbound_id = max(last_inbound_id, new.id), unread = unread + 1, state = 'open', snoozed_until = NULL
    WHERE contact_id = new.contact_id AND number_id = new.number_id;
END;

CREATE TABLE conversation_notes (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  workspace_id INTEGER NOT NULL REFERENCES workspaces (id),
  contact_id INTEGER NOT NULL REFERENCES contacts (id),
  number_id INTEGER NOT NULL REFERENCES numbers (id),
  -- Who wrote it: a user of the console, or a program with a key. The name is as it was then.
  user_id INTEGER REFERENCES users (id),
  author TEXT NOT NULL,
  text TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX conversation_notes_thread ON conversation_notes (contact_id, number_id, id);
