-- What the console's inbox and its list of messages are read from.

-- A person who wrote: when last, and how much of it nobody has looked at. Kept by the trigger below, so that whatever
-- brings inbounds in (a callback, a restore that takes over newer ones) brings them into the inbox.
CREATE TABLE conversations (
  contact_id INTEGER PRIMARY KEY REFERENCES contacts (id),
  workspace_id INTEGER NOT NULL REFERENCES workspaces (id),
  last_inbound_id INTEGER NOT NULL,
  wrote_at INTEGER NOT NULL,
  unread INTEGER NOT NULL
) STRICT;
CREATE INDEX conversations_listed ON conversations (workspace_id, wrote_at, contact_id);
CREATE INDEX conversations_unread ON conversations (workspace_id, wrote_at, contact_id) WHERE unread > 0;

INSERT INTO conversations (contact_id, workspace_id, last_inbound_id, wrote_at, unread)
  SELECT contact_id, workspace_id, max(id), max(received_at), 0 FROM inbounds GROUP BY contact_id;

CREATE TRIGGER inbounds_conversation AFTER INSERT ON inbounds BEGIN
  INSERT INTO conversations (contact_id, workspace_id, last_inbound_id, wrote_at, unread)
    VALUES (new.contact_id, new.workspace_id, new.id, new.received_at, 1)
    ON CONFLICT (contact_id) DO UPDATE SET
      last_inbound_id = max(last_inbound_id, excluded.last_inbound_id),
      wrote_at = max(wrote_at, excluded.wrote_at),
      unread = unread + 1;
END;

-- Messages sent alone, the newest first. A broadcast's recipients are found by their broadcast or their contact.
CREATE INDEX messages_single ON messages (workspace_id, id) WHERE broadcast_id IS NULL;
