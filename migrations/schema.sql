-- Made by `bun scripts/schema.ts` from the migrations; schema 3. Do not edit.

CREATE TABLE account_syncs (
  workspace_id INTEGER NOT NULL REFERENCES workspaces (id),
  account_id TEXT NOT NULL,
  succeeded_at INTEGER,
  failed_at INTEGER,
  error TEXT,
  PRIMARY KEY (workspace_id, account_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE api_keys (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  workspace_id INTEGER NOT NULL REFERENCES workspaces (id),
  name TEXT NOT NULL,
  prefix TEXT NOT NULL,
  hash BLOB NOT NULL,
  created_at INTEGER NOT NULL,
  last_used_at INTEGER,
  revoked_at INTEGER
) STRICT;
CREATE UNIQUE INDEX api_keys_hash ON api_keys (hash);
CREATE INDEX api_keys_workspace ON api_keys (workspace_id, id);

CREATE TABLE billing_accounts (
  workspace_id INTEGER PRIMARY KEY REFERENCES workspaces (id),
  currency TEXT NOT NULL,
  rate INTEGER NOT NULL CHECK (rate >= 0),
  credited INTEGER NOT NULL,
  held INTEGER NOT NULL CHECK (held >= 0),
  charged INTEGER NOT NULL
) STRICT;

CREATE TABLE callbacks (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  network TEXT NOT NULL,
  body TEXT NOT NULL,
  received_at INTEGER NOT NULL,
  due_at INTEGER NOT NULL,
  done_at INTEGER,
  note TEXT
, trust TEXT) STRICT;
CREATE INDEX callbacks_done ON callbacks (done_at) WHERE done_at IS NOT NULL;
CREATE INDEX callbacks_waiting ON callbacks (due_at, id) WHERE done_at IS NULL;

CREATE TABLE consent_log (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  workspace_id INTEGER NOT NULL REFERENCES workspaces (id),
  contact_id INTEGER NOT NULL REFERENCES contacts (id),
  was TEXT NOT NULL,
  became TEXT NOT NULL,
  source TEXT NOT NULL,
  evidence TEXT NOT NULL,
  at INTEGER NOT NULL
) STRICT;
CREATE INDEX consent_log_contact ON consent_log (contact_id, id);

CREATE TABLE contact_counters (
  workspace_id INTEGER PRIMARY KEY REFERENCES workspaces (id),
  contacts INTEGER NOT NULL,
  opted_out INTEGER NOT NULL
) STRICT;

CREATE TABLE contact_fields (
  contact_id INTEGER NOT NULL REFERENCES contacts (id) ON DELETE CASCADE,
  field_id INTEGER NOT NULL REFERENCES custom_fields (id) ON DELETE CASCADE,
  text_value TEXT,
  number_value REAL,
  PRIMARY KEY (contact_id, field_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX contact_fields_number ON contact_fields (field_id, number_value) WHERE number_value IS NOT NULL;
CREATE INDEX contact_fields_text ON contact_fields (field_id, text_value COLLATE NOCASE) WHERE text_value IS NOT NULL;

CREATE TABLE contact_network_ids (
  workspace_id INTEGER NOT NULL,
  network_id TEXT NOT NULL,
  contact_id INTEGER NOT NULL REFERENCES contacts (id),
  PRIMARY KEY (workspace_id, network_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX contact_network_ids_contact ON contact_network_ids (contact_id);

CREATE TABLE contact_people (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  contact_id INTEGER NOT NULL REFERENCES contacts (id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  name TEXT NOT NULL,
  first_name TEXT,
  birthday TEXT,
  ref TEXT
) STRICT;
CREATE INDEX contact_people_birthday ON contact_people (substr(birthday, -5)) WHERE birthday IS NOT NULL;
CREATE INDEX contact_people_contact ON contact_people (contact_id, position);

CREATE TABLE contact_tags (
  contact_id INTEGER NOT NULL REFERENCES contacts (id) ON DELETE CASCADE,
  tag_id INTEGER NOT NULL REFERENCES tags (id),
  PRIMARY KEY (contact_id, tag_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX contact_tags_tag ON contact_tags (tag_id, contact_id);

CREATE TABLE contacts (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  workspace_id INTEGER NOT NULL REFERENCES workspaces (id),
  -- Null for somebody whom the network names only by its own user id.
  phone TEXT,
  network_user_id TEXT,
  -- Contacts that turned out to be one person share this; a contact alone has its own id here.
  person_id INTEGER,
  name TEXT,
  first_name TEXT,
  last_name TEXT,
  email TEXT,
  city TEXT,
  state TEXT,
  postal_code TEXT,
  company TEXT,
  birthday TEXT,
  anniversary TEXT,
  consent TEXT NOT NULL CHECK (consent IN ('unknown', 'opted_in', 'opted_out')),
  consent_source TEXT,
  consent_at INTEGER,
  -- The network's times of the latest STOP and START, whether or not they changed anything: the later one holds.
  stop_said_at INTEGER,
  start_said_at INTEGER,
  last_message_at INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX contacts_anniversary ON contacts (workspace_id, substr(anniversary, -5))
  WHERE anniversary IS NOT NULL AND phone IS NOT NULL;
CREATE INDEX contacts_birthday ON contacts (workspace_id, substr(birthday, -5))
  WHERE birthday IS NOT NULL AND phone IS NOT NULL;
CREATE INDEX contacts_city ON contacts (workspace_id, city COLLATE NOCASE) WHERE city IS NOT NULL AND phone IS NOT NULL;
CREATE INDEX contacts_last_message ON contacts (workspace_id, last_message_at)
  WHERE last_message_at IS NOT NULL AND phone IS NOT NULL;
CREATE INDEX contacts_listed ON contacts (workspace_id, updated_at, id) WHERE phone IS NOT NULL;
CREATE UNIQUE INDEX contacts_network_user ON contacts (workspace_id, network_user_id) WHERE network_user_id IS NOT NULL;
CREATE INDEX contacts_opted_out ON contacts (workspace_id, consent_at, id)
  WHERE phone IS NOT NULL AND consent = 'opted_out';
CREATE INDEX contacts_person ON contacts (person_id) WHERE person_id IS NOT NULL;
CREATE UNIQUE INDEX contacts_phone ON contacts (workspace_id, phone) WHERE phone IS NOT NULL;
CREATE INDEX contacts_walked ON contacts (workspace_id) WHERE phone IS NOT NULL;
CREATE TRIGGER contacts_counted_again AFTER UPDATE OF phone, consent ON contacts
WHEN (OLD.phone IS NULL) <> (NEW.phone IS NULL) OR (OLD.consent = 'opted_out') <> (NEW.consent = 'opted_out') BEGIN
  INSERT INTO contact_counters (workspace_id, contacts, opted_out)
  VALUES (
    NEW.workspace_id,
    (NEW.phone IS NOT NULL) - (OLD.phone IS NOT NULL),
    (NEW.phone IS NOT NULL AND NEW.consent = 'opted_out') - (OLD.phone IS NOT NULL AND OLD.consent = 'opted_out')
  )
  ON CONFLICT (workspace_id) DO UPDATE
  SET contacts = contacts + excluded.contacts, opted_out = opted_out + excluded.opted_out;
END;
CREATE TRIGGER contacts_counted_in AFTER INSERT ON contacts WHEN NEW.phone IS NOT NULL BEGIN
  INSERT INTO contact_counters (workspace_id, contacts, opted_out)
  VALUES (NEW.workspace_id, 1, NEW.consent = 'opted_out')
  ON CONFLICT (workspace_id) DO UPDATE
  SET contacts = contacts + 1, opted_out = opted_out + excluded.opted_out;
END;
CREATE TRIGGER contacts_counted_out AFTER DELETE ON contacts WHEN OLD.phone IS NOT NULL BEGIN
  UPDATE contact_counters
  SET contacts = contacts - 1, opted_out = opted_out - (OLD.consent = 'opted_out')
  WHERE workspace_id = OLD.workspace_id;
END;

CREATE TABLE custom_fields (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  workspace_id INTEGER NOT NULL REFERENCES workspaces (id),
  key TEXT NOT NULL,
  label TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('text', 'number', 'date', 'boolean', 'choice')),
  -- JSON array; null but for a choice.
  choices TEXT,
  created_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX custom_fields_key ON custom_fields (workspace_id, key);

CREATE TABLE deliveries (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  event_seq INTEGER NOT NULL REFERENCES events (seq),
  workspace_id INTEGER NOT NULL REFERENCES workspaces (id),
  status TEXT NOT NULL CHECK (status IN ('pending', 'delivered', 'exhausted')),
  attempt_count INTEGER NOT NULL,
  first_attempt_at INTEGER,
  next_attempt_at INTEGER,
  created_at INTEGER NOT NULL,
  finished_at INTEGER
) STRICT;
CREATE INDEX deliveries_event ON deliveries (event_seq);
CREATE INDEX deliveries_listed ON deliveries (workspace_id, id);
CREATE INDEX deliveries_workspace ON deliveries (workspace_id, status, id);

CREATE TABLE delivery_attempts (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  delivery_id INTEGER NOT NULL REFERENCES deliveries (id),
  url TEXT NOT NULL,
  attempted_at INTEGER NOT NULL,
  duration_ms INTEGER NOT NULL,
  status_code INTEGER,
  error TEXT,
  response TEXT
) STRICT;
CREATE INDEX delivery_attempts_delivery ON delivery_attempts (delivery_id, id);

CREATE TABLE erased_opt_outs (
  workspace_id INTEGER NOT NULL REFERENCES workspaces (id),
  phone_hash BLOB NOT NULL,
  opted_out_at INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, phone_hash)
) STRICT, WITHOUT ROWID;

CREATE TABLE events (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL,
  workspace_id INTEGER NOT NULL REFERENCES workspaces (id),
  type TEXT NOT NULL,
  -- The bytes that every attempt sends.
  body TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX events_id ON events (id);
CREATE INDEX events_workspace ON events (workspace_id, seq);

CREATE TABLE group_members (
  group_id INTEGER NOT NULL REFERENCES groups (id) ON DELETE CASCADE,
  contact_id INTEGER NOT NULL REFERENCES contacts (id) ON DELETE CASCADE,
  PRIMARY KEY (group_id, contact_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX group_members_contact ON group_members (contact_id, group_id);
CREATE TRIGGER group_members_added AFTER INSERT ON group_members BEGIN
  UPDATE groups SET member_count = member_count + 1 WHERE id = NEW.group_id;
END;
CREATE TRIGGER group_members_removed AFTER DELETE ON group_members BEGIN
  UPDATE groups SET member_count = member_count - 1 WHERE id = OLD.group_id;
END;

CREATE TABLE groups (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  workspace_id INTEGER NOT NULL REFERENCES workspaces (id),
  name TEXT NOT NULL,
  folded TEXT NOT NULL,
  -- JSON of a saved search; null for a list.
  filter TEXT,
  -- Of a list, kept by triggers; of a saved search, as of counted_at.
  member_count INTEGER NOT NULL,
  counted_at INTEGER,
  created_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX groups_name ON groups (workspace_id, folded);

CREATE TABLE idempotency_keys (
  id INTEGER PRIMARY KEY,
  workspace_id INTEGER NOT NULL REFERENCES workspaces (id),
  key TEXT NOT NULL,
  fingerprint BLOB NOT NULL,
  message_id INTEGER,
  -- Null until the first request has its answer.
  status INTEGER,
  body TEXT,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX idempotency_keys_created ON idempotency_keys (created_at);
CREATE UNIQUE INDEX idempotency_keys_key ON idempotency_keys (workspace_id, key);
CREATE INDEX idempotency_keys_message ON idempotency_keys (message_id) WHERE message_id IS NOT NULL;

CREATE TABLE inbounds (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  workspace_id INTEGER NOT NULL REFERENCES workspaces (id),
  number_id INTEGER NOT NULL REFERENCES numbers (id),
  contact_id INTEGER NOT NULL REFERENCES contacts (id),
  network_message_id TEXT NOT NULL,
  type TEXT NOT NULL,
  text TEXT,
  received_at INTEGER NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX inbounds_contact ON inbounds (contact_id, id);
CREATE UNIQUE INDEX inbounds_network ON inbounds (workspace_id, network_message_id);

CREATE TABLE instance (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  instance_id TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE ledger_entries (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  workspace_id INTEGER NOT NULL REFERENCES workspaces (id),
  kind TEXT NOT NULL CHECK (kind IN ('credit', 'hold', 'release', 'charge')),
  amount INTEGER NOT NULL,
  message_id INTEGER,
  note TEXT,
  ref TEXT,
  created_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX ledger_entries_ref ON ledger_entries (workspace_id, ref) WHERE ref IS NOT NULL;
CREATE INDEX ledger_entries_workspace ON ledger_entries (workspace_id, id);

CREATE TABLE messages (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  workspace_id INTEGER NOT NULL REFERENCES workspaces (id),
  number_id INTEGER NOT NULL REFERENCES numbers (id),
  contact_id INTEGER NOT NULL REFERENCES contacts (id),
  origin TEXT NOT NULL CHECK (origin IN ('api', 'console')),
  type TEXT NOT NULL CHECK (type IN ('template', 'text')),
  to_phone TEXT NOT NULL,
  from_phone TEXT NOT NULL,
  template_name TEXT,
  template_language TEXT,
  template_category TEXT,
  text TEXT NOT NULL,
  status TEXT NOT NULL
    CHECK (status IN ('pending', 'queued', 'sending', 'sent', 'delivered', 'read', 'failed', 'skipped')),
  -- Handed over, and nobody knows what became of it.
  outcome_unknown INTEGER NOT NULL CHECK (outcome_unknown IN (0, 1)),
  reference TEXT NOT NULL,
  network_message_id TEXT,
  error_code TEXT,
  error_message TEXT,
  charged INTEGER NOT NULL CHECK (charged IN (0, 1)),
  rate INTEGER NOT NULL,
  money TEXT NOT NULL CHECK (money IN ('none', 'held', 'charged', 'released')),
  created_at INTEGER NOT NULL,
  handed_over_at INTEGER,
  sent_at INTEGER,
  delivered_at INTEGER,
  read_at INTEGER,
  failed_at INTEGER
) STRICT;
CREATE INDEX messages_contact ON messages (contact_id, handed_over_at);
CREATE INDEX messages_held ON messages (created_at) WHERE money = 'held';
CREATE INDEX messages_network ON messages (network_message_id, number_id) WHERE network_message_id IS NOT NULL;
CREATE INDEX messages_open ON messages (id) WHERE status IN ('queued', 'sending');
CREATE UNIQUE INDEX messages_reference ON messages (reference);
CREATE INDEX messages_templates_sent ON messages (workspace_id, handed_over_at, contact_id)
  WHERE type = 'template' AND (status <> 'failed' OR outcome_unknown = 1);
CREATE INDEX messages_workspace ON messages (workspace_id, id);

CREATE TABLE number_states (
  number_id INTEGER PRIMARY KEY REFERENCES numbers (id),
  status TEXT,
  verified_name TEXT,
  name_status TEXT,
  quality TEXT,
  throughput_level TEXT,
  -- Different people a day: a row of digits, or "unlimited".
  messaging_limit TEXT,
  -- Why it cannot send, and what should be known although it can, in words for a person.
  problem TEXT,
  warning TEXT,
  -- What the network announced, until it takes that back.
  notice TEXT,
  -- A stop that the network told of by itself, and when it ends.
  restriction TEXT,
  restricted_until INTEGER,
  -- The network's time of the latest news of restrictions: older news change nothing.
  news_at INTEGER NOT NULL,
  checked_at INTEGER
) STRICT;

CREATE TABLE numbers (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  workspace_id INTEGER NOT NULL REFERENCES workspaces (id),
  phone TEXT NOT NULL,
  name TEXT NOT NULL,
  network TEXT NOT NULL CHECK (network IN ('simulator', 'whatsapp')),
  throughput INTEGER NOT NULL CHECK (throughput > 0),
  ready INTEGER NOT NULL CHECK (ready IN (0, 1)),
  unready_reason TEXT,
  account_id TEXT NOT NULL,
  phone_number_id TEXT NOT NULL,
  -- Sealed with the key file's key; null on the simulator.
  access_token TEXT,
  app_secret TEXT,
  callback_token TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  removed_at INTEGER
, unready_by TEXT CHECK (unready_by IN ('person', 'network'))) STRICT;
CREATE INDEX numbers_account ON numbers (account_id) WHERE removed_at IS NULL;
CREATE UNIQUE INDEX numbers_callback_token ON numbers (callback_token);
CREATE UNIQUE INDEX numbers_phone ON numbers (workspace_id, phone) WHERE removed_at IS NULL;
CREATE UNIQUE INDEX numbers_phone_number_id ON numbers (phone_number_id) WHERE removed_at IS NULL;
CREATE INDEX numbers_workspace ON numbers (workspace_id, id) WHERE removed_at IS NULL;

CREATE TABLE outbox (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  kind TEXT NOT NULL,
  subject INTEGER NOT NULL,
  lane INTEGER NOT NULL,
  due_at INTEGER NOT NULL,
  boot TEXT
) STRICT;
CREATE INDEX outbox_boot ON outbox (boot) WHERE boot IS NOT NULL;
CREATE INDEX outbox_due ON outbox (kind, lane, due_at) WHERE boot IS NULL;
CREATE UNIQUE INDEX outbox_subject ON outbox (kind, subject);

CREATE TABLE parked_statuses (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  number_id INTEGER NOT NULL REFERENCES numbers (id),
  network_message_id TEXT NOT NULL,
  reference TEXT,
  report TEXT NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX parked_statuses_expiry ON parked_statuses (expires_at);
CREATE INDEX parked_statuses_network ON parked_statuses (network_message_id, number_id);
CREATE INDEX parked_statuses_reference ON parked_statuses (reference) WHERE reference IS NOT NULL;

CREATE TABLE sample_uploads (
  number_id INTEGER NOT NULL REFERENCES numbers (id),
  link TEXT NOT NULL,
  media_id TEXT,
  expires_at INTEGER NOT NULL,
  error TEXT,
  tried_at INTEGER NOT NULL,
  PRIMARY KEY (number_id, link)
) STRICT, WITHOUT ROWID;

CREATE TABLE tags (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  workspace_id INTEGER NOT NULL REFERENCES workspaces (id),
  name TEXT NOT NULL,
  folded TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX tags_name ON tags (workspace_id, folded);

CREATE TABLE templates (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  workspace_id INTEGER NOT NULL REFERENCES workspaces (id),
  account_id TEXT NOT NULL,
  name TEXT NOT NULL,
  language TEXT NOT NULL,
  category TEXT NOT NULL CHECK (category IN ('MARKETING', 'UTILITY', 'AUTHENTICATION')),
  status TEXT NOT NULL CHECK (status IN ('APPROVED', 'PENDING', 'REJECTED', 'PAUSED', 'DISABLED')),
  -- The network's components, as it gave them.
  components TEXT NOT NULL,
  parameter_format TEXT NOT NULL CHECK (parameter_format IN ('POSITIONAL', 'NAMED')),
  sample_link TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
, network_status TEXT, status_reason TEXT, status_at INTEGER NOT NULL DEFAULT 0, quality TEXT) STRICT;
CREATE INDEX templates_account ON templates (account_id, name, language);
CREATE INDEX templates_listed ON templates (workspace_id, name, id);
CREATE UNIQUE INDEX templates_name ON templates (workspace_id, account_id, name, language);

CREATE TABLE webhooks (
  workspace_id INTEGER PRIMARY KEY REFERENCES workspaces (id),
  url TEXT,
  -- Sealed; it stays when the address is cleared, so that setting one again keeps the receiver's secret.
  secret TEXT NOT NULL,
  timeouts_in_a_row INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;

CREATE TABLE workspaces (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL,
  country TEXT NOT NULL,
  timezone TEXT NOT NULL,
  api_enabled INTEGER NOT NULL CHECK (api_enabled IN (0, 1)),
  suspended_at INTEGER,
  suspended_reason TEXT,
  daily_cap INTEGER,
  stop_words TEXT NOT NULL,
  start_words TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
