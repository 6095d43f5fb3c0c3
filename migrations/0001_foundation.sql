-- The foundation: workspaces, keys, money, numbers, webhooks, people, templates, messages, what they write to us.
-- Instants are integer milliseconds since the epoch, money integer millionths of the currency's unit, flags 0 or 1.

CREATE TABLE instance (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  instance_id TEXT NOT NULL,
  created_at INTEGER NOT NULL
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

-- One row for a workspace that is charged; none for one that is not.
-- Always: available + held + charged = credited, where available is what is left.
CREATE TABLE billing_accounts (
  workspace_id INTEGER PRIMARY KEY REFERENCES workspaces (id),
  currency TEXT NOT NULL,
  rate INTEGER NOT NULL CHECK (rate >= 0),
  credited INTEGER NOT NULL,
  held INTEGER NOT NULL CHECK (held >= 0),
  charged INTEGER NOT NULL
) STRICT;

CREATE TABLE ledger_entries (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  workspace_id INTEGER NOT NULL REFERENCES workspaces (id),
  kind TEXT NOT NULL CHECK (kind IN ('credit', 'hold', 'release', 'charge')),
  amount INTEGER NOT NULL,
  message_id INTEGER,
  -- Holds of a broadcast are booked as sums: when they are made, and when it is settled.
  broadcast_id INTEGER,
  note TEXT,
  ref TEXT,
  created_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX ledger_entries_ref ON ledger_entries (workspace_id, ref) WHERE ref IS NOT NULL;
CREATE INDEX ledger_entries_workspace ON ledger_entries (workspace_id, id);

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
) STRICT;
CREATE UNIQUE INDEX numbers_phone ON numbers (workspace_id, phone) WHERE removed_at IS NULL;
CREATE UNIQUE INDEX numbers_phone_number_id ON numbers (phone_number_id) WHERE removed_at IS NULL;
-- Without it, the list of a workspace's numbers, read for every message, is sorted by hand.
CREATE INDEX numbers_workspace ON numbers (workspace_id, id) WHERE removed_at IS NULL;
CREATE UNIQUE INDEX numbers_callback_token ON numbers (callback_token);

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

CREATE TABLE webhooks (
  workspace_id INTEGER PRIMARY KEY REFERENCES workspaces (id),
  url TEXT,
  -- Sealed; it stays when the address is cleared, so that setting one again keeps the receiver's secret.
  secret TEXT NOT NULL,
  timeouts_in_a_row INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;

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
CREATE INDEX deliveries_workspace ON deliveries (workspace_id, status, id);
CREATE INDEX deliveries_listed ON deliveries (workspace_id, id);

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

-- Durable work. A row without a boot is free; a boot names the process that works on it.
CREATE TABLE outbox (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  kind TEXT NOT NULL,
  subject INTEGER NOT NULL,
  lane INTEGER NOT NULL,
  due_at INTEGER NOT NULL,
  boot TEXT
) STRICT;
CREATE UNIQUE INDEX outbox_subject ON outbox (kind, subject);
CREATE INDEX outbox_due ON outbox (kind, lane, due_at) WHERE boot IS NULL;
CREATE INDEX outbox_boot ON outbox (boot) WHERE boot IS NOT NULL;

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
CREATE UNIQUE INDEX contacts_phone ON contacts (workspace_id, phone) WHERE phone IS NOT NULL;
CREATE UNIQUE INDEX contacts_network_user ON contacts (workspace_id, network_user_id) WHERE network_user_id IS NOT NULL;
CREATE INDEX contacts_person ON contacts (person_id) WHERE person_id IS NOT NULL;
CREATE INDEX contacts_updated ON contacts (workspace_id, updated_at, id);

-- How the network spells a contact (digits), where that differs from the stored phone.
CREATE TABLE contact_network_ids (
  workspace_id INTEGER NOT NULL,
  network_id TEXT NOT NULL,
  contact_id INTEGER NOT NULL REFERENCES contacts (id),
  PRIMARY KEY (workspace_id, network_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX contact_network_ids_contact ON contact_network_ids (contact_id);

-- Every change of consent, with what proves it. Rows are only ever added.
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
) STRICT;
CREATE UNIQUE INDEX templates_name ON templates (workspace_id, account_id, name, language);
CREATE INDEX templates_listed ON templates (workspace_id, name, id);
CREATE INDEX templates_account ON templates (account_id, name, language);

CREATE TABLE messages (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  workspace_id INTEGER NOT NULL REFERENCES workspaces (id),
  number_id INTEGER NOT NULL REFERENCES numbers (id),
  -- Null for a recipient whose number was none.
  contact_id INTEGER REFERENCES contacts (id),
  origin TEXT NOT NULL CHECK (origin IN ('api', 'console', 'broadcast')),
  -- The broadcast that the message belongs to as one of its recipients; null for a message sent alone.
  broadcast_id INTEGER REFERENCES broadcasts (id),
  type TEXT NOT NULL CHECK (type IN ('template', 'text')),
  to_phone TEXT NOT NULL,
  from_phone TEXT NOT NULL,
  template_name TEXT,
  template_language TEXT,
  template_category TEXT,
  -- What the person sees. Null for a recipient, whose text is the broadcast's template with these values.
  text TEXT,
  -- JSON of a recipient's frozen values; null where the template takes none, and for messages sent alone.
  variables TEXT,
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
  -- A recipient that has to wait for its own turn: too soon after another message to the same person.
  not_before INTEGER,
  -- Since when the network has been asking to wait with this recipient alone.
  held_back_since INTEGER,
  handed_over_at INTEGER,
  sent_at INTEGER,
  delivered_at INTEGER,
  read_at INTEGER,
  failed_at INTEGER
) STRICT;
CREATE UNIQUE INDEX messages_reference ON messages (reference);
CREATE INDEX messages_network ON messages (network_message_id, number_id) WHERE network_message_id IS NOT NULL;
CREATE INDEX messages_open ON messages (id) WHERE status IN ('queued', 'sending') AND broadcast_id IS NULL;
CREATE INDEX messages_held ON messages (created_at) WHERE money = 'held' AND broadcast_id IS NULL;
-- A broadcast's recipients: all in the order addressed, and those of one state.
CREATE INDEX messages_broadcast ON messages (broadcast_id, id) WHERE broadcast_id IS NOT NULL;
CREATE INDEX messages_recipients ON messages (broadcast_id, status, id) WHERE broadcast_id IS NOT NULL;
CREATE INDEX messages_delayed ON messages (broadcast_id, not_before)
  WHERE broadcast_id IS NOT NULL AND status = 'queued' AND not_before IS NOT NULL;
CREATE INDEX messages_contact ON messages (contact_id, handed_over_at);

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
CREATE UNIQUE INDEX idempotency_keys_key ON idempotency_keys (workspace_id, key);
CREATE INDEX idempotency_keys_message ON idempotency_keys (message_id) WHERE message_id IS NOT NULL;
CREATE INDEX idempotency_keys_created ON idempotency_keys (created_at);

-- What networks told us, as they told it: stored first, answered then, applied after.
CREATE TABLE callbacks (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  network TEXT NOT NULL,
  body TEXT NOT NULL,
  received_at INTEGER NOT NULL,
  due_at INTEGER NOT NULL,
  done_at INTEGER,
  note TEXT
) STRICT;
CREATE INDEX callbacks_waiting ON callbacks (due_at, id) WHERE done_at IS NULL;
CREATE INDEX callbacks_done ON callbacks (done_at) WHERE done_at IS NOT NULL;

-- Statuses of messages that we do not know (yet).
CREATE TABLE parked_statuses (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  number_id INTEGER NOT NULL REFERENCES numbers (id),
  network_message_id TEXT NOT NULL,
  reference TEXT,
  report TEXT NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX parked_statuses_network ON parked_statuses (network_message_id, number_id);
CREATE INDEX parked_statuses_reference ON parked_statuses (reference) WHERE reference IS NOT NULL;
CREATE INDEX parked_statuses_expiry ON parked_statuses (expires_at);

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
CREATE UNIQUE INDEX inbounds_network ON inbounds (workspace_id, network_message_id);
CREATE INDEX inbounds_contact ON inbounds (contact_id, id);
