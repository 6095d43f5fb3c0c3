-- A conversation is one person on one number of ours, with an id of its own. Until now it was one person of a workspace:
-- the rows are made from the received messages and echoes, in one pass over each.

DROP TRIGGER inbounds_insert;
DROP TRIGGER inbounds_insert_history;
DROP TRIGGER inbounds_promote;
DROP TRIGGER echoes_insert;
ALTER TABLE conversations RENAME TO former_conversations;

CREATE TABLE conversations (
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
  owner TEXT CHECK (owner IN ('us', 'other', 'nobody')),
  -- The role of the other sender in the network's words; null: it is not said.
  owner_role TEXT,
  -- The network's time of what decided the owner. Of two reports with the same time the one with the higher rank counts.
  owner_at INTEGER,
  owner_rank INTEGER
) STRICT;
CREATE UNIQUE INDEX conversations_person ON conversations (contact_id, number_id);

INSERT INTO conversations (workspace_id, contact_id, number_id, last_inbound_id, wrote_at, unread)
SELECT min(workspace_id), contact_id, number_id, max(iif(origin = 'history', 0, id)), max(received_at), 0
FROM inbounds GROUP BY contact_id, number_id;

INSERT INTO conversations (workspace_id, contact_id, number_id, last_inbound_id, wrote_at, unread)
SELECT min(workspace_id), contact_id, number_id, 0, min(sent_at), 0
FROM echoes WHERE true GROUP BY contact_id, number_id
ON CONFLICT (contact_id, number_id) DO NOTHING;

-- Whose messages have all been deleted by retention: on the first number of the workspace.
INSERT INTO conversations (workspace_id, contact_id, number_id, last_inbound_id, wrote_at, unread)
SELECT former.workspace_id, former.contact_id, numbers.first_id, former.last_inbound_id, former.wrote_at, 0
FROM former_conversations AS former
JOIN (SELECT workspace_id, min(id) AS first_id FROM numbers GROUP BY workspace_id) AS numbers
  ON numbers.workspace_id = former.workspace_id
WHERE NOT EXISTS (SELECT 1 FROM conversations WHERE conversations.contact_id = former.contact_id);

-- Unread are the newest inbounds of the person, on whichever number they arrived.
WITH newest AS (
  SELECT contact_id, number_id, row_number() OVER (PARTITION BY contact_id ORDER BY id DESC) AS place
  FROM inbounds
  WHERE origin <> 'history' AND contact_id IN (SELECT contact_id FROM former_conversations WHERE unread > 0)
), counted AS (
  SELECT newest.contact_id, newest.number_id, count(*) AS unread
  FROM newest JOIN former_conversations AS former ON former.contact_id = newest.contact_id
  WHERE newest.place <= former.unread GROUP BY newest.contact_id, newest.number_id
)
UPDATE conversations SET unread = counted.unread FROM counted
WHERE counted.contact_id = conversations.contact_id AND counted.number_id = conversations.number_id;

DROP TABLE former_conversations;
CREATE INDEX conversations_listed ON conversations (workspace_id, wrote_at, id);
CREATE INDEX conversations_unread ON conversations (workspace_id, wrote_at, id) WHERE unread > 0;

CREATE TRIGGER inbounds_insert AFTER INSERT ON inbounds WHEN new.origin <> 'history' BEGIN
  INSERT INTO conversations (workspace_id, contact_id, number_id, last_inbound_id, wrote_at, unread)
    VALUES (new.workspace_id, new.contact_id, new.number_id, new.id, new.received_at, 1)
    ON CONFLICT (contact_id, number_id) DO UPDATE SET
      last_inbound_id = max(last_inbound_id, excluded.last_inbound_id),
      wrote_at = max(wrote_at, excluded.wrote_at),
      unread = unread + 1;
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
  UPDATE conversations SET last_inbound_id = max(last_inbound_id, new.id), unread = unread + 1
    WHERE contact_id = new.contact_id AND number_id = new.number_id;
END;

-- A person who was written to from the phone, and never wrote, has a conversation.
CREATE TRIGGER echoes_insert AFTER INSERT ON echoes BEGIN
  INSERT INTO conversations (workspace_id, contact_id, number_id, last_inbound_id, wrote_at, unread)
    VALUES (new.workspace_id, new.contact_id, new.number_id, 0, new.sent_at, 0)
    ON CONFLICT (contact_id, number_id) DO NOTHING;
END;

-- Since when another sender is known on a number: each of its conversations has an owner. Null: none is known.
ALTER TABLE numbers ADD COLUMN shared_since INTEGER;
UPDATE numbers SET shared_since = (
  SELECT min(echoes.created_at) FROM echoes WHERE echoes.number_id = numbers.id AND echoes.origin <> 'history'
);
