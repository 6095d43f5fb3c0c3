-- The webhook addresses of a workspace beside its first one, which is its row of `webhooks` and has the id 1.
CREATE TABLE further_webhooks (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  workspace_id INTEGER NOT NULL REFERENCES workspaces (id),
  url TEXT NOT NULL,
  -- The types of events that the address asked for, as a JSON array; null: the default.
  types TEXT,
  -- Sealed.
  secret TEXT NOT NULL,
  previous_secret TEXT,
  previous_until INTEGER,
  consecutive_timeouts INTEGER NOT NULL,
  -- Null: active.
  disabled_at INTEGER,
  -- The key that added it; null: a person.
  key_id INTEGER REFERENCES api_keys (id),
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX further_webhooks_workspace ON further_webhooks (workspace_id);
CREATE INDEX further_webhooks_key ON further_webhooks (key_id) WHERE key_id IS NOT NULL;
INSERT INTO sqlite_sequence (name, seq) VALUES ('further_webhooks', 1);

ALTER TABLE webhooks ADD COLUMN disabled_at INTEGER;
ALTER TABLE webhooks ADD COLUMN key_id INTEGER REFERENCES api_keys (id);
CREATE INDEX webhooks_key ON webhooks (key_id) WHERE key_id IS NOT NULL;

-- The further address that it is for; null: the first.
ALTER TABLE deliveries ADD COLUMN webhook_id INTEGER;

DROP TRIGGER contacts_changed;
CREATE TRIGGER contacts_changed AFTER UPDATE OF updated_at ON contacts
WHEN (NEW.phone IS NOT NULL OR NEW.network_user_id IS NOT NULL)
  AND (
    EXISTS (
      SELECT 1 FROM webhooks
      WHERE workspace_id = NEW.workspace_id AND url IS NOT NULL AND disabled_at IS NULL
        AND instr(types, '"contact.updated"') > 0
    )
    OR EXISTS (
      SELECT 1 FROM further_webhooks
      WHERE workspace_id = NEW.workspace_id AND disabled_at IS NULL AND instr(types, '"contact.updated"') > 0
    )
  )
  AND NOT EXISTS (SELECT 1 FROM contact_update_mutes WHERE workspace_id = NEW.workspace_id)
BEGIN
  INSERT INTO outbox (kind, subject, queue_key, due_at)
  VALUES ('tell_contact', NEW.id, NEW.workspace_id, max(NEW.updated_at, coalesce(NEW.told_at + 60000, 0)))
  ON CONFLICT (kind, subject) DO UPDATE SET due_at = min(due_at, excluded.due_at);
END;

DROP TRIGGER contacts_created;
CREATE TRIGGER contacts_created AFTER INSERT ON contacts
WHEN (
    EXISTS (
      SELECT 1 FROM webhooks
      WHERE workspace_id = NEW.workspace_id AND url IS NOT NULL AND disabled_at IS NULL
        AND instr(types, '"contact.updated"') > 0
    )
    OR EXISTS (
      SELECT 1 FROM further_webhooks
      WHERE workspace_id = NEW.workspace_id AND disabled_at IS NULL AND instr(types, '"contact.updated"') > 0
    )
  )
  AND NOT EXISTS (SELECT 1 FROM contact_update_mutes WHERE workspace_id = NEW.workspace_id)
BEGIN
  INSERT INTO outbox (kind, subject, queue_key, due_at)
  VALUES ('tell_contact', NEW.id, NEW.workspace_id, NEW.updated_at)
  ON CONFLICT (kind, subject) DO UPDATE SET due_at = min(due_at, excluded.due_at);
END;
