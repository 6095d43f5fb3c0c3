-- SQLite evaluates `x IN (a, b, c)` in a CHECK with a temporary table for each row, which took half of the time in which a
-- received message is stored. A CHECK is changed only with its table.

DROP TRIGGER inbounds_insert;
DROP TRIGGER inbounds_insert_history;
DROP TRIGGER inbounds_promote;
DROP TRIGGER echoes_insert;

CREATE TABLE new_conversations (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  workspace_id INTEGER NOT NULL REFERENCES workspaces (id),
  contact_id INTEGER NOT NULL REFERENCES contacts (id),
  number_id INTEGER NOT NULL REFERENCES numbers (id),
  -- The last inbound that was new; 0 if there is none.
  last_inbound_id INTEGER NOT NULL,
  -- When the person last wrote, by the network's time; for a person who never wrote, the first echo.
  wrote_at INTEGER NOT NULL,
  unread INTEGER NOT NULL,
  -- Who may answer with free messages: this server, another sender on the number, or none since it was released. Null:
  -- nothing was reported. After 24 hours without a word of the person there is no owner, whatever stands here.
  owner TEXT CHECK (owner = 'us' OR owner = 'other' OR owner = 'nobody'),
  -- The role of the other sender in the network's words; null: it is not said.
  owner_role TEXT,
  -- The network's time of what decided the owner. Of two reports with the same time the one with the higher rank counts.
  owner_at INTEGER,
  owner_rank INTEGER,
  state TEXT NOT NULL DEFAULT 'open' CHECK (state = 'open' OR state = 'snoozed' OR state = 'done'),
  snoozed_until INTEGER CHECK (snoozed_until IS NULL OR state = 'snoozed'),
  assignee_id INTEGER REFERENCES users (id),
  -- The user who last changed state or assignee.
  changed_by_id INTEGER REFERENCES users (id)
) STRICT;
-- Ids are never given twice.
INSERT INTO sqlite_sequence (name, seq) SELECT 'new_conversations', seq FROM sqlite_sequence WHERE name = 'conversations';
INSERT INTO new_conversations (
  id, workspace_id, contact_id, number_id, last_inbound_id, wrote_at, unread, owner, owner_role, owner_at, owner_rank, state,
  snoozed_until, assignee_id, changed_by_id
) SELECT
  id, workspace_id, contact_id, number_id, last_inbound_id, wrote_at, unread, owner, owner_role, owner_at, owner_rank, state,
  snoozed_until, assignee_id, changed_by_id
FROM conversations;
DROP TABLE conversations;
ALTER TABLE new_conversations RENAME TO conversations;
CREATE INDEX conversations_assigned ON conversations (assignee_id, workspace_id, state, wrote_at, id)
  WHERE assignee_id IS NOT NULL;
CREATE INDEX conversations_listed ON conversations (workspace_id, wrote_at, id);
CREATE UNIQUE INDEX conversations_person ON conversations (contact_id, number_id);
CREATE INDEX conversations_state ON conversations (workspace_id, state, wrote_at, id);
CREATE INDEX conversations_unread ON conversations (workspace_id, wrote_at, id) WHERE unread > 0;

-- A new message opens the conversation.
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

-- History is never new: nothing is unread, and no answer is awaited.
CREATE TRIGGER inbounds_insert_history AFTER INSERT ON inbounds WHEN new.origin = 'history' BEGIN
  INSERT INTO conversations (workspace_id, contact_id, number_id, last_inbound_id, wrote_at, unread)
    VALUES (new.workspace_id, new.contact_id, new.number_id, 0, new.received_at, 0)
    ON CONFLICT (contact_id, number_id) DO UPDATE SET wrote_at = max(wrote_at, excluded.wrote_at);
END;

-- The message was delivered as a new one after it had arrived in the history.
CREATE TRIGGER inbounds_promote AFTER UPDATE OF origin ON inbounds
WHEN old.origin = 'history' AND new.origin <> 'history' BEGIN
  UPDATE conversations
    SET last_inbound_id = max(last_inbound_id, new.id), unread = unread + 1, state = 'open', snoozed_until = NULL
    WHERE contact_id = new.contact_id AND number_id = new.number_id;
END;

-- A person who was written to from the phone, and never wrote, has a conversation.
CREATE TRIGGER echoes_insert AFTER INSERT ON echoes BEGIN
  INSERT INTO conversations (workspace_id, contact_id, number_id, last_inbound_id, wrote_at, unread)
    VALUES (new.workspace_id, new.contact_id, new.number_id, 0, new.sent_at, 0)
    ON CONFLICT (contact_id, number_id) DO NOTHING;
END;
