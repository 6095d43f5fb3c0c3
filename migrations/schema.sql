-- Made by `bun scripts/schema.ts` from the migrations; schema 59. Do not edit.

CREATE TABLE account_syncs (
  workspace_id INTEGER NOT NULL REFERENCES workspaces (id),
  account_id TEXT NOT NULL,
  succeeded_at INTEGER,
  failed_at INTEGER,
  error TEXT,
  -- What the account says of itself; null: not known.
  portfolio TEXT,
  has_payment_method INTEGER CHECK (has_payment_method IN (0, 1)), marketing_status TEXT, marketing_refusal TEXT, direct_send TEXT,
  PRIMARY KEY (workspace_id, account_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE acme_accounts (
  directory TEXT PRIMARY KEY,
  private_key TEXT NOT NULL,
  url TEXT,
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

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
CREATE INDEX ai_notices_number ON ai_notices (number_id);
CREATE INDEX ai_notices_window ON ai_notices (window_until);
CREATE INDEX ai_notices_workspace ON ai_notices (workspace_id);

CREATE TABLE api_keys (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  workspace_id INTEGER NOT NULL REFERENCES workspaces (id),
  name TEXT NOT NULL,
  prefix TEXT NOT NULL,
  hash BLOB NOT NULL,
  -- JSON array of what the key may do; null: everything.
  expires_at INTEGER,
  -- Most people whom the key may message on one day of the workspace; null: no limit.
  daily_people INTEGER CHECK (daily_people > 0),
  created_at INTEGER NOT NULL,
  last_used_at INTEGER,
  revoked_at INTEGER
, scopes TEXT NOT NULL DEFAULT '[]', is_of_first_version INTEGER NOT NULL DEFAULT 0 CHECK (is_of_first_version IN (0, 1)), is_automation INTEGER NOT NULL DEFAULT 0 CHECK (is_automation IN (0, 1)), is_ai INTEGER NOT NULL DEFAULT 0 CHECK (is_ai IN (0, 1)), group_id INTEGER, daily_money INTEGER) STRICT;
CREATE UNIQUE INDEX api_keys_hash ON api_keys (hash);
CREATE INDEX api_keys_workspace ON api_keys (workspace_id, id);

CREATE TABLE audit_log (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  at INTEGER NOT NULL,
  user_id INTEGER REFERENCES users (id),
  workspace_id INTEGER REFERENCES workspaces (id),
  action TEXT NOT NULL,
  subject TEXT NOT NULL,
  -- JSON: values before and after. Never a secret.
  details TEXT NOT NULL,
  address TEXT NOT NULL
) STRICT;
CREATE INDEX audit_log_settings ON audit_log (action, workspace_id, id) WHERE action = 'settings.update';
CREATE INDEX audit_log_user ON audit_log (user_id, id);
CREATE INDEX audit_log_workspace ON audit_log (workspace_id, id);

CREATE TABLE away_days (
  contact_id INTEGER NOT NULL REFERENCES contacts (id),
  day TEXT NOT NULL,
  workspace_id INTEGER NOT NULL REFERENCES workspaces (id),
  created_at INTEGER NOT NULL,
  PRIMARY KEY (contact_id, day)
) STRICT, WITHOUT ROWID;
CREATE INDEX away_days_created ON away_days (created_at);
CREATE INDEX away_days_workspace ON away_days (workspace_id);

CREATE TABLE billing_accounts (
  workspace_id INTEGER PRIMARY KEY REFERENCES workspaces (id),
  currency TEXT NOT NULL,
  rate INTEGER NOT NULL CHECK (rate >= 0),
  credited INTEGER NOT NULL,
  held INTEGER NOT NULL CHECK (held >= 0),
  charged INTEGER NOT NULL
) STRICT;

CREATE TABLE blocks (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  workspace_id INTEGER NOT NULL REFERENCES workspaces (id),
  contact_id INTEGER NOT NULL REFERENCES contacts (id),
  number_id INTEGER NOT NULL REFERENCES numbers (id),
  -- Since when; null: the number does not block the person.
  blocked_at INTEGER,
  asked TEXT CHECK (asked IN ('block', 'unblock')),
  asked_at INTEGER,
  CHECK ((asked IS NULL) = (asked_at IS NULL))
) STRICT;
CREATE UNIQUE INDEX blocks_thread ON blocks (contact_id, number_id);

CREATE TABLE broadcast_counters (
  broadcast_id INTEGER PRIMARY KEY REFERENCES broadcasts (id),
  workspace_id INTEGER NOT NULL REFERENCES workspaces (id),
  -- pending or queued
  pending INTEGER NOT NULL CHECK (pending >= 0),
  sending INTEGER NOT NULL CHECK (sending >= 0),
  -- A funnel: `sent` includes `delivered`, which includes `read`.
  sent INTEGER NOT NULL,
  delivered INTEGER NOT NULL,
  read INTEGER NOT NULL,
  failed INTEGER NOT NULL,
  skipped INTEGER NOT NULL,
  -- Whether the workspace is charged for the broadcast, and the price of one delivered message.
  is_charged INTEGER NOT NULL CHECK (is_charged IN (0, 1)),
  rate INTEGER NOT NULL,
  -- Whether `held` is exactly the cost of all recipients without a final outcome, not an amount held up front.
  is_held INTEGER NOT NULL CHECK (is_held IN (0, 1)),
  held INTEGER NOT NULL CHECK (held >= 0),
  -- The total of the holds booked in the ledger.
  booked INTEGER NOT NULL,
  charged INTEGER NOT NULL,
  is_finished INTEGER NOT NULL CHECK (is_finished IN (0, 1)),
  settled_at INTEGER,
  last_sent_at INTEGER,
  -- Circuit breaker: current streaks of refusals with the same code, from answers and from statuses.
  answer_code TEXT,
  answer_repeats INTEGER NOT NULL,
  status_code TEXT,
  status_repeats INTEGER NOT NULL,
  -- The text of the last refusal of the message.
  refusal_message TEXT,
  -- JSON: a refusal of the template, the number or the account reported by a status, until it is applied.
  reported_refusal TEXT,
  -- When the broadcast was last resumed. A failure of a message sent before says nothing about the present.
  resumed_at INTEGER
, held_back INTEGER NOT NULL DEFAULT 0 CHECK (held_back >= 0), held_back_until INTEGER, refusals TEXT) STRICT;

CREATE TABLE broadcast_drafts (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  workspace_id INTEGER NOT NULL REFERENCES workspaces (id),
  user_id INTEGER NOT NULL REFERENCES users (id),
  -- JSON: the body of POST /broadcasts, possibly incomplete; emptied once the broadcast is created.
  content TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  broadcast_id INTEGER REFERENCES broadcasts (id)
, changes_id INTEGER REFERENCES broadcasts (id), again_of INTEGER, is_again_unknown INTEGER NOT NULL DEFAULT 0 CHECK (is_again_unknown IN (0, 1))) STRICT;
CREATE INDEX broadcast_drafts_broadcast ON broadcast_drafts (broadcast_id);
CREATE INDEX broadcast_drafts_changes ON broadcast_drafts (changes_id) WHERE changes_id IS NOT NULL;
CREATE INDEX broadcast_drafts_updated ON broadcast_drafts (updated_at);
CREATE INDEX broadcast_drafts_user ON broadcast_drafts (user_id);
CREATE INDEX broadcast_drafts_workspace ON broadcast_drafts (workspace_id, updated_at);

CREATE TABLE broadcasts (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  workspace_id INTEGER NOT NULL REFERENCES workspaces (id),
  number_id INTEGER NOT NULL REFERENCES numbers (id),
  name TEXT NOT NULL,
  status TEXT NOT NULL
    CHECK (status = 'scheduled' OR status = 'queueing' OR status = 'running' OR status = 'paused' OR
      status = 'completed' OR status = 'cancelled' OR status = 'failed'),
  -- Plain text for people; `pause_cause` is the same for the code.
  status_reason TEXT,
  pause_cause TEXT,
  -- When a pause that time alone mends ends.
  resume_at INTEGER,
  -- JSON: when it was paused for the network in the last day. The third time waits for a person.
  network_pauses TEXT NOT NULL DEFAULT '[]',
  template_name TEXT NOT NULL,
  template_language TEXT NOT NULL,
  -- The template as it was confirmed: if it has changed since, a person must confirm it again.
  template_category TEXT NOT NULL,
  template_format TEXT NOT NULL,
  template_components TEXT NOT NULL,
  -- The network refused the template at this time, whatever the stored template says: only a later update counts.
  variables TEXT NOT NULL,
  -- Cleared when the broadcast finishes.
  media_link TEXT,
  media_filename TEXT,
  from_phone TEXT NOT NULL,
  -- Null for a list of numbers, whose recipients exist from the start. Not a foreign key: a group can be removed.
  group_id INTEGER,
  -- The day whose birthdays are addressed; null for every other broadcast.
  day_starts_at INTEGER,
  day_ends_at INTEGER,
  requested INTEGER NOT NULL,
  -- To a group, with an API key that has a daily budget: the key, the day that the people count for, and how many are
  -- still reserved.
  budget_key_id INTEGER REFERENCES api_keys (id),
  budget_day TEXT,
  budget_reserved INTEGER NOT NULL DEFAULT 0,
  send_at INTEGER,
  -- Since when the broadcast could have continued; lateness is measured from here.
  due_since INTEGER NOT NULL,
  -- The end of what the broadcast waits for, quiet hours or room under the network's limit; it then continues
  -- automatically.
  waits_until INTEGER,
  waits_for TEXT CHECK (waits_for IN ('quiet_hours', 'network_limit')),
  -- Whether all recipients are built; until then, the last contact (or recipient of the list) that is.
  is_built INTEGER NOT NULL CHECK (is_built IN (0, 1)),
  built_after_id INTEGER NOT NULL,
  -- Resumed after a restore with a gap: unsent recipients may have been sent to, so they fail.
  is_failing_unsent INTEGER NOT NULL CHECK (is_failing_unsent IN (0, 1)),
  -- Finished, and the rows of its unsent recipients are marked as skipped.
  is_unsent_skipped INTEGER NOT NULL CHECK (is_unsent_skipped IN (0, 1)),
  created_at INTEGER NOT NULL,
  started_at INTEGER,
  completed_at INTEGER,
  -- When its recipients were deleted; the counters stay.
  purged_at INTEGER
, template_order TEXT, parts TEXT, again_of INTEGER, is_again_unknown INTEGER NOT NULL DEFAULT 0 CHECK (is_again_unknown IN (0, 1))) STRICT;
CREATE INDEX broadcasts_again ON broadcasts (again_of) WHERE again_of IS NOT NULL;
CREATE INDEX broadcasts_budget ON broadcasts (budget_key_id, budget_day) WHERE budget_key_id IS NOT NULL;
CREATE INDEX broadcasts_open ON broadcasts (status, id) WHERE status IN ('scheduled', 'queueing', 'running', 'paused');
CREATE INDEX broadcasts_started ON broadcasts (workspace_id, started_at) WHERE started_at IS NOT NULL;
CREATE INDEX broadcasts_unpurged ON broadcasts (completed_at) WHERE completed_at IS NOT NULL AND purged_at IS NULL;
CREATE INDEX broadcasts_unsent_unskipped ON broadcasts (id) WHERE is_unsent_skipped = 0 AND completed_at IS NOT NULL;
CREATE INDEX broadcasts_workspace ON broadcasts (workspace_id, id);

CREATE TABLE bulk_changes (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  workspace_id INTEGER NOT NULL REFERENCES workspaces (id),
  user_id INTEGER NOT NULL REFERENCES users (id),
  -- JSON: contacts by id, a group filter, or the recipients of a broadcast; and the change.
  target TEXT NOT NULL,
  change TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state = 'running' OR state = 'done' OR state = 'stopped' OR state = 'failed'),
  -- The count before the change began.
  total INTEGER NOT NULL,
  -- The last row that was processed, and the last row that existed when the change began.
  position INTEGER NOT NULL,
  last INTEGER NOT NULL,
  processed INTEGER NOT NULL,
  changed INTEGER NOT NULL,
  error TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
, is_listing INTEGER NOT NULL DEFAULT 0 CHECK (is_listing IN (0, 1))) STRICT;
CREATE INDEX bulk_changes_updated ON bulk_changes (updated_at);
CREATE INDEX bulk_changes_user ON bulk_changes (user_id);
CREATE INDEX bulk_changes_workspace ON bulk_changes (workspace_id, id);

CREATE TABLE bulk_people (
  bulk_id INTEGER NOT NULL REFERENCES bulk_changes (id) ON DELETE CASCADE,
  -- How many contacts the rows before it hold.
  first INTEGER NOT NULL,
  -- JSON: ids of contacts.
  ids TEXT NOT NULL,
  PRIMARY KEY (bulk_id, first)
) STRICT, WITHOUT ROWID;

CREATE TABLE burst_events (
  delivery_id INTEGER NOT NULL REFERENCES deliveries (id),
  event_seq INTEGER NOT NULL REFERENCES events (seq),
  PRIMARY KEY (delivery_id, event_seq)
) STRICT, WITHOUT ROWID;
CREATE INDEX burst_events_event ON burst_events (event_seq);

CREATE TABLE bursts (
  id INTEGER PRIMARY KEY,
  workspace_id INTEGER NOT NULL REFERENCES workspaces (id),
  contact_id INTEGER NOT NULL REFERENCES contacts (id),
  number_id INTEGER NOT NULL REFERENCES numbers (id),
  queue_key INTEGER NOT NULL,
  delivery_id INTEGER NOT NULL,
  until INTEGER NOT NULL
) STRICT;
CREATE INDEX bursts_delivery ON bursts (delivery_id);
CREATE INDEX bursts_workspace ON bursts (workspace_id);
CREATE UNIQUE INDEX bursts_writer ON bursts (contact_id, number_id, queue_key);

CREATE TABLE callback_addresses (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  number_id INTEGER NOT NULL REFERENCES numbers (id),
  token_hash BLOB NOT NULL,
  -- Of the header that is required once the provider has sent it.
  secret_hash BLOB NOT NULL,
  needs_secret INTEGER NOT NULL CHECK (needs_secret IN (0, 1)),
  created_at INTEGER NOT NULL,
  -- The latest accepted call, to the hour; null before the first one.
  used_at INTEGER,
  -- Null for the newest address.
  expires_at INTEGER
) STRICT;
CREATE INDEX callback_addresses_number ON callback_addresses (number_id);
CREATE UNIQUE INDEX callback_addresses_token ON callback_addresses (token_hash);

CREATE TABLE callback_marks (
  callback_id INTEGER NOT NULL REFERENCES callbacks (id) ON DELETE CASCADE,
  -- The position in the body; -1: reading the body. `marks`: how often it was tried alone.
  item INTEGER NOT NULL,
  marks INTEGER NOT NULL,
  PRIMARY KEY (callback_id, item)
) STRICT, WITHOUT ROWID;

CREATE TABLE callback_verifications (
  workspace_id INTEGER PRIMARY KEY REFERENCES workspaces (id),
  verified_at INTEGER NOT NULL
) STRICT;

CREATE TABLE callbacks (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  network TEXT NOT NULL,
  body TEXT NOT NULL,
  received_at INTEGER NOT NULL,
  due_at INTEGER NOT NULL,
  done_at INTEGER,
  note TEXT,
  -- JSON: which secrets signed it: {"configuration": boolean, "numbers": ids}. Null: this server created it.
  trust TEXT,
  -- Why the callback, or one of its items, had no effect; null if all had. Retention keeps all but `foreign`.
  state TEXT CHECK (state = 'unreadable' OR state = 'unhandled' OR state = 'foreign' OR state = 'quarantined')
) STRICT;
CREATE INDEX callbacks_done ON callbacks (done_at) WHERE done_at IS NOT NULL AND (state IS NULL OR state = 'foreign');
CREATE INDEX callbacks_state ON callbacks (state, id) WHERE state IS NOT NULL;
CREATE INDEX callbacks_waiting ON callbacks (due_at, id) WHERE done_at IS NULL;

CREATE TABLE certificates (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  domain TEXT NOT NULL,
  directory TEXT NOT NULL,
  status TEXT NOT NULL
    CHECK (status = 'ordering' OR status = 'validating' OR status = 'finalizing' OR status = 'valid' OR
      status = 'failed'),
  ordered_at INTEGER NOT NULL,
  order_url TEXT,
  private_key TEXT,
  chain TEXT,
  starts_at INTEGER,
  ends_at INTEGER,
  renew_at INTEGER,
  retry_at INTEGER,
  failure_kind TEXT,
  failure TEXT
) STRICT;
CREATE INDEX certificates_domain ON certificates (domain, directory, id);

CREATE TABLE connection_drafts (
  workspace_id INTEGER PRIMARY KEY REFERENCES workspaces (id),
  access_token TEXT NOT NULL,
  app_secret TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;

CREATE TABLE connections (
  number_id INTEGER PRIMARY KEY REFERENCES numbers (id),
  -- JSON: token, subscription, callback addresses, state of the number.
  facts TEXT NOT NULL,
  checked_at INTEGER NOT NULL
) STRICT;

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
  -- Not a foreign key: SQLite would read this whole table when a field is removed.
  field_id INTEGER NOT NULL,
  text_value TEXT,
  number_value REAL,
  PRIMARY KEY (contact_id, field_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX contact_fields_number ON contact_fields (field_id, number_value) WHERE number_value IS NOT NULL;
CREATE INDEX contact_fields_text ON contact_fields (field_id, text_value COLLATE NOCASE) WHERE text_value IS NOT NULL;

CREATE TABLE contact_joins (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  workspace_id INTEGER NOT NULL REFERENCES workspaces (id),
  -- The one that stays.
  contact_id INTEGER NOT NULL REFERENCES contacts (id),
  gone_id INTEGER NOT NULL REFERENCES contacts (id),
  created_at INTEGER NOT NULL,
  -- Null: not all rows have followed.
  ended_at INTEGER
) STRICT;
CREATE INDEX contact_joins_contact ON contact_joins (contact_id);
CREATE INDEX contact_joins_gone ON contact_joins (gone_id);
CREATE INDEX contact_joins_workspace ON contact_joins (workspace_id);

CREATE TABLE contact_messages (
  contact_id INTEGER NOT NULL,
  dispatched_at INTEGER NOT NULL,
  message_id INTEGER NOT NULL,
  PRIMARY KEY (contact_id, dispatched_at, message_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE contact_network_ids (
  workspace_id INTEGER NOT NULL,
  network_id TEXT NOT NULL,
  contact_id INTEGER NOT NULL REFERENCES contacts (id),
  -- Of a user id: the portfolio in which messages can be sent to it. Null: the id only leads to the contact.
  portfolio TEXT, of_phone TEXT,
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

CREATE TABLE contact_update_mutes (
  workspace_id INTEGER PRIMARY KEY
) STRICT;

CREATE TABLE contact_views (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  workspace_id INTEGER NOT NULL REFERENCES workspaces (id),
  -- Who made it, and alone sees it unless it is shared with the workspace.
  user_id INTEGER NOT NULL REFERENCES users (id),
  name TEXT NOT NULL,
  -- The name for comparison.
  folded TEXT NOT NULL,
  is_shared INTEGER NOT NULL CHECK (is_shared = 0 OR is_shared = 1),
  -- JSON: the parameters of the list (`q`, `consent`, `group`, `filter`, `sort`).
  search TEXT NOT NULL,
  -- JSON: names of columns, in the order in which they are shown.
  columns TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX contact_views_name ON contact_views (workspace_id, user_id, folded);
CREATE INDEX contact_views_shared ON contact_views (workspace_id, folded) WHERE is_shared = 1;
CREATE INDEX contact_views_user ON contact_views (user_id);

CREATE TABLE contacts (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  workspace_id INTEGER NOT NULL REFERENCES workspaces (id),
  -- Null for a person known only by the network's user id.
  phone TEXT,
  network_user_id TEXT,
  -- The portfolio in which the user id is valid; null: not known.
  network_portfolio TEXT,
  username TEXT,
  -- Shared by linked contacts, which are one person; null for a contact without links.
  identity_id INTEGER,
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
  consent TEXT NOT NULL CHECK (consent = 'unknown' OR consent = 'opted_in' OR consent = 'opted_out'),
  consent_source TEXT,
  consent_at INTEGER,
  -- The network's times of the latest STOP and START, whether or not they changed anything: the later one holds.
  stop_said_at INTEGER,
  start_said_at INTEGER,
  -- Since when the person may want to stop, until a user clears it; null: no doubt.
  may_want_to_stop_since INTEGER,
  -- The network's time of the latest message that raised this doubt, also after it ended.
  may_want_to_stop_said_at INTEGER,
  last_message_at INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  -- When the last `contact.updated` was written.
  told_at INTEGER
, window_opened_at INTEGER, window_closed_at INTEGER) STRICT;
CREATE INDEX contacts_addressable ON contacts (workspace_id)
  WHERE (phone IS NOT NULL OR network_user_id IS NOT NULL);
CREATE INDEX contacts_anniversary ON contacts (workspace_id, substr(anniversary, -5))
  WHERE anniversary IS NOT NULL AND (phone IS NOT NULL OR network_user_id IS NOT NULL);
CREATE INDEX contacts_birthday ON contacts (workspace_id, substr(birthday, -5), id, birthday, name COLLATE NOCASE)
  WHERE birthday IS NOT NULL;
CREATE INDEX contacts_city ON contacts (workspace_id, city COLLATE NOCASE)
  WHERE city IS NOT NULL AND (phone IS NOT NULL OR network_user_id IS NOT NULL);
CREATE INDEX contacts_email ON contacts (workspace_id, email COLLATE NOCASE) WHERE email IS NOT NULL;
CREATE INDEX contacts_identity ON contacts (identity_id) WHERE identity_id IS NOT NULL;
CREATE INDEX contacts_last_message ON contacts (workspace_id, last_message_at)
  WHERE last_message_at IS NOT NULL AND (phone IS NOT NULL OR network_user_id IS NOT NULL);
CREATE INDEX contacts_listed ON contacts (workspace_id, updated_at, id) WHERE phone IS NOT NULL;
CREATE UNIQUE INDEX contacts_network_user ON contacts (workspace_id, network_user_id) WHERE network_user_id IS NOT NULL;
CREATE INDEX contacts_opted_out ON contacts (workspace_id, consent_at, id)
  WHERE phone IS NOT NULL AND consent = 'opted_out';
CREATE UNIQUE INDEX contacts_phone ON contacts (workspace_id, phone) WHERE phone IS NOT NULL;
CREATE INDEX contacts_shown_name ON contacts (
  workspace_id,
  (CASE WHEN name IS NOT NULL THEN name WHEN coalesce(first_name, '') = '' THEN nullif(last_name, '') WHEN coalesce(last_name, '') = '' THEN first_name ELSE first_name || ' ' || last_name END) COLLATE NOCASE
) WHERE (phone IS NOT NULL OR network_user_id IS NOT NULL);
CREATE INDEX contacts_username ON contacts (workspace_id, username COLLATE NOCASE) WHERE username IS NOT NULL;
CREATE INDEX contacts_without_phone ON contacts (workspace_id, updated_at, id)
  WHERE phone IS NULL AND network_user_id IS NOT NULL;
CREATE INDEX contacts_without_phone_opted_out ON contacts (workspace_id, consent_at, id)
  WHERE phone IS NULL AND network_user_id IS NOT NULL AND consent = 'opted_out';
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
CREATE TRIGGER contacts_delete AFTER DELETE ON contacts WHEN OLD.phone IS NOT NULL BEGIN
  UPDATE contact_counters
  SET contacts = contacts - 1, opted_out = opted_out - (OLD.consent = 'opted_out')
  WHERE workspace_id = OLD.workspace_id;
END;
CREATE TRIGGER contacts_insert AFTER INSERT ON contacts WHEN NEW.phone IS NOT NULL BEGIN
  INSERT INTO contact_counters (workspace_id, contacts, opted_out)
  VALUES (NEW.workspace_id, 1, NEW.consent = 'opted_out')
  ON CONFLICT (workspace_id) DO UPDATE
  SET contacts = contacts + 1, opted_out = opted_out + excluded.opted_out;
END;
CREATE TRIGGER contacts_update AFTER UPDATE OF phone, consent ON contacts
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
CREATE TRIGGER recent_recipients_merge AFTER UPDATE OF identity_id ON contacts
WHEN NEW.identity_id IS NOT NULL AND coalesce(OLD.identity_id, OLD.id) <> NEW.identity_id BEGIN
  INSERT INTO recent_recipients (workspace_id, identity_id, last_at)
  SELECT workspace_id, NEW.identity_id, last_at FROM recent_recipients
  WHERE workspace_id = NEW.workspace_id AND identity_id = coalesce(OLD.identity_id, OLD.id)
  ON CONFLICT (workspace_id, identity_id) DO UPDATE SET last_at = max(last_at, excluded.last_at);
  DELETE FROM recent_recipients
  WHERE workspace_id = NEW.workspace_id AND identity_id = coalesce(OLD.identity_id, OLD.id);
END;

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
CREATE INDEX conversation_drafts_age ON conversation_drafts (changed_at);
CREATE INDEX conversation_drafts_user ON conversation_drafts (user_id, workspace_id);
CREATE INDEX conversation_drafts_workspace ON conversation_drafts (workspace_id);

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
, form_key TEXT) STRICT;
CREATE UNIQUE INDEX conversation_notes_form ON conversation_notes (workspace_id, form_key) WHERE form_key IS NOT NULL;
CREATE INDEX conversation_notes_thread ON conversation_notes (contact_id, number_id, id);

CREATE TABLE "conversations" (
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
CREATE INDEX conversations_assigned ON conversations (assignee_id, workspace_id, state, wrote_at, id)
  WHERE assignee_id IS NOT NULL;
CREATE INDEX conversations_listed ON conversations (workspace_id, wrote_at, id);
CREATE UNIQUE INDEX conversations_person ON conversations (contact_id, number_id);
CREATE INDEX conversations_state ON conversations (workspace_id, state, wrote_at, id);
CREATE INDEX conversations_unread ON conversations (workspace_id, wrote_at, id) WHERE unread > 0;

CREATE TABLE custom_fields (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  workspace_id INTEGER NOT NULL REFERENCES workspaces (id),
  key TEXT NOT NULL,
  label TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind = 'text' OR kind = 'number' OR kind = 'date' OR kind = 'boolean' OR kind = 'choice'),
  -- JSON array; only for the kind 'choice'.
  choices TEXT,
  created_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX custom_fields_key ON custom_fields (workspace_id, key);

CREATE TABLE deliveries (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  event_seq INTEGER NOT NULL REFERENCES events (seq),
  workspace_id INTEGER NOT NULL REFERENCES workspaces (id),
  status TEXT NOT NULL CHECK (status = 'pending' OR status = 'delivered' OR status = 'exhausted'),
  attempt_count INTEGER NOT NULL,
  first_attempt_at INTEGER,
  -- Null once it has ended.
  next_attempt_at INTEGER,
  created_at INTEGER NOT NULL,
  finished_at INTEGER,
  -- To the second address of the workspace.
  is_forwarded INTEGER NOT NULL DEFAULT 0 CHECK (is_forwarded IN (0, 1))
, webhook_id INTEGER) STRICT;
CREATE INDEX deliveries_event ON deliveries (event_seq);
CREATE INDEX deliveries_workspace ON deliveries (workspace_id, status, id);

CREATE TABLE delivery_attempts (
  delivery_id INTEGER NOT NULL REFERENCES deliveries (id),
  -- Counts the attempts of the delivery, also across replays.
  id INTEGER NOT NULL,
  url TEXT NOT NULL,
  attempted_at INTEGER NOT NULL,
  duration_ms INTEGER NOT NULL,
  status_code INTEGER,
  error TEXT,
  response TEXT,
  PRIMARY KEY (delivery_id, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE different_people (
  contact_id INTEGER NOT NULL REFERENCES contacts (id),
  other_id INTEGER NOT NULL REFERENCES contacts (id),
  workspace_id INTEGER NOT NULL REFERENCES workspaces (id),
  said_at INTEGER NOT NULL,
  PRIMARY KEY (contact_id, other_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX different_people_other ON different_people (other_id);
CREATE INDEX different_people_workspace ON different_people (workspace_id);

CREATE TABLE echoes (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  workspace_id INTEGER NOT NULL REFERENCES workspaces (id),
  number_id INTEGER NOT NULL REFERENCES numbers (id),
  contact_id INTEGER NOT NULL REFERENCES contacts (id),
  network_message_id TEXT NOT NULL,
  origin TEXT NOT NULL CHECK (origin = 'phone' OR origin = 'standby' OR origin = 'history' OR origin = 'control_pass'),
  type TEXT NOT NULL,
  text TEXT,
  details TEXT,
  -- The network's latest status of it; null if none is known.
  status TEXT CHECK (status = 'sent' OR status = 'delivered' OR status = 'read' OR status = 'failed'),
  sent_at INTEGER NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX echoes_contact ON echoes (contact_id, sent_at, id);
CREATE UNIQUE INDEX echoes_network ON echoes (workspace_id, network_message_id);
CREATE TRIGGER echoes_insert AFTER INSERT ON echoes BEGIN
  INSERT INTO conversations (workspace_id, contact_id, number_id, last_inbound_id, wrote_at, unread)
    VALUES (new.workspace_id, new.contact_id, new.number_id, 0, new.sent_at, 0)
    ON CONFLICT (contact_id, number_id) DO NOTHING;
END;

CREATE TABLE erased_opt_outs (
  workspace_id INTEGER NOT NULL REFERENCES workspaces (id),
  phone_hash BLOB NOT NULL,
  opted_out_at INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, phone_hash)
) STRICT, WITHOUT ROWID;

CREATE TABLE erasures (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  workspace_id INTEGER NOT NULL REFERENCES workspaces (id),
  -- The first of the person's contacts, whose row stays without the person.
  contact_id INTEGER NOT NULL REFERENCES contacts (id),
  -- Null: the command line.
  user_id INTEGER REFERENCES users (id),
  address TEXT NOT NULL,
  -- JSON: the contacts, which are empty already, and the names that rows are searched for; null once all is searched.
  person TEXT,
  -- 1 or 2: everything is searched twice, because a running server records something meanwhile.
  round INTEGER NOT NULL,
  -- JSON: how many of what is erased so far.
  counts TEXT NOT NULL,
  -- JSON: what still holds something of the person; null before the end.
  holders TEXT,
  created_at INTEGER NOT NULL,
  ended_at INTEGER
) STRICT;
CREATE INDEX erasures_contact ON erasures (contact_id);
CREATE INDEX erasures_ended ON erasures (ended_at);
CREATE INDEX erasures_user ON erasures (user_id);
CREATE INDEX erasures_workspace ON erasures (workspace_id, ended_at);

CREATE TABLE events (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL,
  workspace_id INTEGER NOT NULL REFERENCES workspaces (id),
  type TEXT NOT NULL,
  -- The exact bytes that every attempt sends.
  body TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX events_workspace ON events (workspace_id, seq);

CREATE TABLE form_answers (
  user_id INTEGER NOT NULL REFERENCES users (id),
  key TEXT NOT NULL,
  fingerprint BLOB NOT NULL,
  status INTEGER NOT NULL,
  body TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (user_id, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX form_answers_created ON form_answers (created_at);

CREATE TABLE former_phones (
  workspace_id INTEGER NOT NULL,
  phone TEXT NOT NULL,
  contact_id INTEGER NOT NULL REFERENCES contacts (id),
  -- The number that the notice of the move named.
  moved_to TEXT NOT NULL,
  moved_at INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, phone)
) STRICT, WITHOUT ROWID;
CREATE INDEX former_phones_contact ON former_phones (contact_id);

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
, group_bursts_ms INTEGER) STRICT;
CREATE INDEX further_webhooks_key ON further_webhooks (key_id) WHERE key_id IS NOT NULL;
CREATE INDEX further_webhooks_workspace ON further_webhooks (workspace_id);

CREATE TABLE group_members (
  group_id INTEGER NOT NULL REFERENCES groups (id) ON DELETE CASCADE,
  contact_id INTEGER NOT NULL REFERENCES contacts (id) ON DELETE CASCADE,
  PRIMARY KEY (group_id, contact_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX group_members_contact ON group_members (contact_id, group_id);
CREATE TRIGGER group_members_delete AFTER DELETE ON group_members BEGIN
  UPDATE groups SET member_count = member_count - 1 WHERE id = OLD.group_id;
END;
CREATE TRIGGER group_members_insert AFTER INSERT ON group_members BEGIN
  UPDATE groups SET member_count = member_count + 1 WHERE id = NEW.group_id;
END;

CREATE TABLE groups (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  workspace_id INTEGER NOT NULL REFERENCES workspaces (id),
  name TEXT NOT NULL,
  folded TEXT NOT NULL,
  -- JSON of a dynamic group's filter; null for a static group.
  filter TEXT,
  -- Static groups: always current, kept by triggers. Dynamic groups: as of counted_at.
  member_count INTEGER NOT NULL,
  counted_at INTEGER,
  created_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX groups_name ON groups (workspace_id, folded);

CREATE TABLE hand_outs (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  workspace_id INTEGER NOT NULL REFERENCES workspaces (id),
  contact_id INTEGER NOT NULL REFERENCES contacts (id),
  user_id INTEGER NOT NULL REFERENCES users (id),
  address TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('making', 'ready', 'failed')),
  -- JSON: what the archive has; null before it is ready.
  report TEXT,
  -- Why it failed, for a person to read.
  reason TEXT,
  created_at INTEGER NOT NULL,
  -- When its archive is deleted; null while it is made.
  expires_at INTEGER
) STRICT;
CREATE INDEX hand_outs_contact ON hand_outs (contact_id, id);
CREATE INDEX hand_outs_user ON hand_outs (user_id);
CREATE INDEX hand_outs_workspace ON hand_outs (workspace_id, state);

CREATE TABLE history_imports (
  number_id INTEGER PRIMARY KEY REFERENCES numbers (id),
  phase INTEGER,
  -- Percent.
  progress INTEGER,
  chunks INTEGER NOT NULL,
  declined_code TEXT,
  declined_reason TEXT,
  started_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;

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

CREATE TABLE "imports" (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  workspace_id INTEGER NOT NULL REFERENCES workspaces (id),
  -- Null: an import of the command line, which reads the file where it is.
  user_id INTEGER REFERENCES users (id),
  -- The name of the file on the user's computer.
  file_name TEXT NOT NULL,
  state TEXT NOT NULL
    CHECK (state = 'given' OR state = 'checking' OR state = 'checked' OR state = 'importing' OR state = 'done' OR
      state = 'failed'),
  -- JSON: the mapping of columns, and whether everyone in the file has opted in; or the options of the command.
  settings TEXT NOT NULL,
  -- JSON: the result of the last run, with its first failures; null before the first run.
  outcome TEXT,
  error TEXT,
  -- JSON: how far the import is, written with its rows; null before its first rows.
  progress TEXT,
  -- How often it was begun. Only the last run may write.
  run INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX imports_updated ON imports (updated_at);
CREATE INDEX imports_user ON imports (user_id);
CREATE INDEX imports_workspace ON imports (workspace_id, id);

CREATE TABLE inbounds (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  workspace_id INTEGER NOT NULL REFERENCES workspaces (id),
  number_id INTEGER NOT NULL REFERENCES numbers (id),
  contact_id INTEGER NOT NULL REFERENCES contacts (id),
  network_message_id TEXT NOT NULL,
  type TEXT NOT NULL,
  text TEXT,
  -- What it brings beside the text, as JSON.
  details TEXT,
  received_at INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  -- How it arrived: as a new message; while another sender held the conversation; in the history of the phone.
  origin TEXT NOT NULL DEFAULT 'messages' CHECK (origin = 'messages' OR origin = 'standby' OR origin = 'history')
) STRICT;
CREATE INDEX inbounds_contact ON inbounds (contact_id, received_at, id);
CREATE UNIQUE INDEX inbounds_network ON inbounds (workspace_id, network_message_id);
CREATE TRIGGER inbounds_day AFTER INSERT ON inbounds WHEN new.origin <> 'history' BEGIN
  INSERT INTO number_days (number_id, day) VALUES (new.number_id, new.created_at - new.created_at % 86400000)
    ON CONFLICT (number_id, day) DO NOTHING;
END;
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
CREATE TRIGGER inbounds_insert_history AFTER INSERT ON inbounds WHEN new.origin = 'history' BEGIN
  INSERT INTO conversations (workspace_id, contact_id, number_id, last_inbound_id, wrote_at, unread)
    VALUES (new.workspace_id, new.contact_id, new.number_id, 0, new.received_at, 0)
    ON CONFLICT (contact_id, number_id) DO UPDATE SET wrote_at = max(wrote_at, excluded.wrote_at);
END;
CREATE TRIGGER inbounds_promote AFTER UPDATE OF origin ON inbounds
WHEN old.origin = 'history' AND new.origin <> 'history' BEGIN
  UPDATE conversations
    SET last_inbound_id = max(last_inbound_id, new.id), unread = unread + 1, state = 'open', snoozed_until = NULL
    WHERE contact_id = new.contact_id AND number_id = new.number_id;
END;

CREATE TABLE instance (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  instance_id TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  -- The identity of the database file: a copy made with other tools has another. Null if unknown.
  inode TEXT,
  file_created_at INTEGER,
  -- JSON in a backup (why, of what time, whether newer data was lost); null in a live database.
  backup_metadata TEXT,
  -- JSON array of the databases that this one continues, as {id, at}, the oldest first.
  lineage TEXT NOT NULL DEFAULT '[]',
  -- JSON after a planned move: "out" closes this database, "in" tells where it came from. Null: it was never moved.
  move TEXT,
  -- The run markers of the current and the previous run; files beside the database carry them too.
  run_marker TEXT,
  previous_run_marker TEXT,
  -- Wall clock of the last commit, to within some seconds: if it is now earlier, the clock was set back.
  last_commit_at INTEGER,
  -- Toggled by each write test, because SQLite does not write a page that stays the same.
  write_probe INTEGER NOT NULL DEFAULT 0,
  -- Single messages up to this id are in contact_messages.
  contact_messages_until INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE kept_keys (
  purpose TEXT PRIMARY KEY CHECK (purpose = 'hash'),
  sealed TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE key_days (
  key_id INTEGER NOT NULL REFERENCES api_keys (id),
  day TEXT NOT NULL,
  people INTEGER NOT NULL,
  reserved INTEGER NOT NULL CHECK (reserved >= 0), money INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (key_id, day)
) STRICT, WITHOUT ROWID;
CREATE INDEX key_days_day ON key_days (day) WHERE reserved = 0;

CREATE TABLE key_people (
  key_id INTEGER NOT NULL REFERENCES api_keys (id),
  day TEXT NOT NULL,
  identity_id INTEGER NOT NULL,
  PRIMARY KEY (key_id, day, identity_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE key_request_days (
  workspace_id INTEGER NOT NULL REFERENCES workspaces (id),
  day INTEGER NOT NULL,
  listed INTEGER NOT NULL,
  unlisted INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, day)
) STRICT, WITHOUT ROWID;

CREATE TABLE key_request_runs (
  began_at INTEGER PRIMARY KEY,
  written_at INTEGER NOT NULL,
  ended_at INTEGER
) STRICT;

CREATE TABLE key_requests (
  id INTEGER PRIMARY KEY,
  workspace_id INTEGER NOT NULL REFERENCES workspaces (id),
  key_id INTEGER NOT NULL REFERENCES api_keys (id),
  at INTEGER NOT NULL,
  method TEXT NOT NULL,
  path TEXT NOT NULL,
  status INTEGER NOT NULL,
  duration_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX key_requests_key ON key_requests (key_id, status / 100, id);
CREATE INDEX key_requests_workspace ON key_requests (workspace_id, status / 100, id);

CREATE TABLE known_devices (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id INTEGER NOT NULL REFERENCES users (id),
  hash BLOB NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX known_devices_expiry ON known_devices (expires_at);
CREATE UNIQUE INDEX known_devices_hash ON known_devices (hash);
CREATE INDEX known_devices_user ON known_devices (user_id);

CREATE TABLE ledger_entries (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  workspace_id INTEGER NOT NULL REFERENCES workspaces (id),
  kind TEXT NOT NULL CHECK (kind = 'credit' OR kind = 'hold' OR kind = 'release' OR kind = 'charge'),
  amount INTEGER NOT NULL,
  message_id INTEGER,
  -- Holds of a broadcast are booked as sums: when they are made, and when the broadcast is settled.
  broadcast_id INTEGER,
  note TEXT,
  ref TEXT,
  created_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX ledger_entries_ref ON ledger_entries (workspace_id, ref) WHERE ref IS NOT NULL;
CREATE INDEX ledger_entries_workspace ON ledger_entries (workspace_id, id);

CREATE TABLE media (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  workspace_id INTEGER NOT NULL REFERENCES workspaces (id),
  number_id INTEGER NOT NULL REFERENCES numbers (id),
  inbound_id INTEGER NOT NULL REFERENCES inbounds (id),
  network_media_id TEXT NOT NULL,
  mime_type TEXT,
  -- As the network states it.
  sha256 TEXT,
  filename TEXT,
  state TEXT NOT NULL,
  reason TEXT,
  file_id INTEGER REFERENCES media_files (id),
  attempt_count INTEGER NOT NULL DEFAULT 0,
  -- Set while there is no room for it.
  waiting_since INTEGER,
  -- The event that told of its result.
  event_seq INTEGER,
  -- Of a phone's history: no event tells of it.
  is_silent INTEGER NOT NULL DEFAULT 0 CHECK (is_silent IN (0, 1)),
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX media_failed ON media (created_at, reason) WHERE state = 'failed';
CREATE INDEX media_file ON media (file_id) WHERE file_id IS NOT NULL;
CREATE INDEX media_inbound ON media (inbound_id);
CREATE INDEX media_stored ON media (created_at) WHERE state = 'stored';
CREATE INDEX media_stored_workspace ON media (workspace_id, created_at) WHERE state = 'stored';
CREATE INDEX media_waiting ON media (waiting_since) WHERE waiting_since IS NOT NULL;

CREATE TABLE media_files (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  workspace_id INTEGER NOT NULL REFERENCES workspaces (id),
  -- SHA-256, hexadecimal: with the workspace's id, the name of the file.
  hash TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  content_type TEXT NOT NULL,
  -- How many media have this file; at 0 it is about to be removed.
  refs INTEGER NOT NULL CHECK (refs >= 0),
  created_at INTEGER NOT NULL
, upload_refs INTEGER NOT NULL DEFAULT 0 CHECK (upload_refs >= 0)) STRICT;
CREATE UNIQUE INDEX media_files_hash ON media_files (workspace_id, hash);
CREATE INDEX media_files_unused ON media_files (id) WHERE refs = 0;
CREATE TRIGGER media_files_delete AFTER DELETE ON media_files BEGIN
  UPDATE media_usage SET
    bytes = bytes - old.bytes, upload_bytes = upload_bytes - iif(old.upload_refs > 0, old.bytes, 0)
    WHERE workspace_id = old.workspace_id;
END;
CREATE TRIGGER media_files_insert AFTER INSERT ON media_files BEGIN
  INSERT INTO media_usage (workspace_id, bytes, upload_bytes)
    VALUES (new.workspace_id, new.bytes, iif(new.upload_refs > 0, new.bytes, 0))
    ON CONFLICT (workspace_id) DO UPDATE SET
      bytes = bytes + excluded.bytes, upload_bytes = upload_bytes + excluded.upload_bytes;
END;
CREATE TRIGGER media_files_uploads AFTER UPDATE OF upload_refs ON media_files
  WHEN (old.upload_refs > 0) <> (new.upload_refs > 0) BEGIN
  UPDATE media_usage SET upload_bytes = upload_bytes + iif(new.upload_refs > 0, new.bytes, -new.bytes)
    WHERE workspace_id = new.workspace_id;
END;

CREATE TABLE media_usage (
  workspace_id INTEGER PRIMARY KEY REFERENCES workspaces (id),
  bytes INTEGER NOT NULL
, upload_bytes INTEGER NOT NULL DEFAULT 0) STRICT;

CREATE TABLE "memberships" (
  user_id INTEGER NOT NULL REFERENCES users (id),
  workspace_id INTEGER NOT NULL REFERENCES workspaces (id),
  role TEXT NOT NULL CHECK (role IN ('owner', 'member', 'agent')),
  -- Ids of the numbers whose conversations an agent sees, as a JSON array; null: all.
  number_ids TEXT CHECK (number_ids IS NULL OR role = 'agent'),
  -- 1: the owner has not been shown yet that members lost the exports.
  has_news INTEGER NOT NULL DEFAULT 0 CHECK (has_news IN (0, 1)),
  created_at INTEGER NOT NULL, seen_at INTEGER,
  PRIMARY KEY (user_id, workspace_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX memberships_workspace ON memberships (workspace_id);

CREATE TABLE messages (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  workspace_id INTEGER NOT NULL REFERENCES workspaces (id),
  number_id INTEGER NOT NULL REFERENCES numbers (id),
  -- Null for a recipient whose phone number is invalid. Not a foreign key: those of single messages have no index, and
  -- contacts are erased, never deleted.
  contact_id INTEGER,
  origin TEXT NOT NULL CHECK (origin = 'api' OR origin = 'console' OR origin = 'broadcast'),
  -- The broadcast whose recipient this is; null for a single message.
  broadcast_id INTEGER REFERENCES broadcasts (id),
  type TEXT NOT NULL CHECK (type IN ('template', 'text')),
  to_phone TEXT NOT NULL,
  from_phone TEXT NOT NULL,
  template_name TEXT,
  template_language TEXT,
  template_category TEXT,
  -- The text that the person sees. Null for a recipient: its text is the broadcast's template with these values.
  text TEXT,
  -- JSON of a recipient's frozen values; null if the template takes none, and for single messages.
  variables TEXT,
  status TEXT NOT NULL
    CHECK (status = 'pending' OR status = 'queued' OR status = 'sending' OR status = 'sent' OR status = 'delivered' OR
      status = 'read' OR status = 'failed' OR status = 'skipped'),
  -- The message was sent and its outcome is unknown.
  outcome_unknown INTEGER NOT NULL CHECK (outcome_unknown IN (0, 1)),
  send_token TEXT NOT NULL,
  -- The caller's own id of a message of the API, and the key of its request. They never leave for the network.
  reference TEXT,
  idempotency_key TEXT,
  network_message_id TEXT,
  error_code TEXT,
  error_message TEXT,
  charged INTEGER NOT NULL CHECK (charged IN (0, 1)),
  rate INTEGER NOT NULL,
  money TEXT NOT NULL CHECK (money = 'none' OR money = 'held' OR money = 'charged' OR money = 'released'),
  created_at INTEGER NOT NULL,
  -- A delayed recipient is not sent before this time: too soon after another message to the person, or throttled.
  not_before INTEGER,
  -- Since when the network has been throttling this recipient.
  throttled_since INTEGER,
  -- How many times the network refused this recipient for reasons of its own.
  network_refusals INTEGER NOT NULL DEFAULT 0,
  dispatched_at INTEGER,
  sent_at INTEGER,
  delivered_at INTEGER,
  read_at INTEGER,
  failed_at INTEGER,
  -- How the network bills the message, as its status said; JSON.
  pricing TEXT
, held_back INTEGER CHECK (held_back IN (0, 1)), network_type TEXT, content TEXT, reply_to TEXT, send_at INTEGER, fell_back INTEGER NOT NULL DEFAULT 0 CHECK (fell_back IN (0, 1)), automated INTEGER NOT NULL DEFAULT 0 CHECK (automated IN (0, 1)), sender_name TEXT, by_ai INTEGER NOT NULL DEFAULT 0 CHECK (by_ai IN (0, 1))) STRICT;
CREATE INDEX messages_api ON messages (workspace_id, created_at) WHERE origin = 'api';
CREATE INDEX messages_api_key ON messages (workspace_id, idempotency_key, created_at) WHERE idempotency_key IS NOT NULL;
CREATE INDEX messages_api_reference ON messages (workspace_id, reference, created_at) WHERE reference IS NOT NULL;
CREATE INDEX messages_api_status ON messages (workspace_id, status, created_at)
  WHERE origin = 'api' AND status NOT IN ('queued', 'sending');
CREATE INDEX messages_broadcast ON messages (broadcast_id, id) WHERE broadcast_id IS NOT NULL;
CREATE INDEX messages_contact ON messages (contact_id, dispatched_at) WHERE broadcast_id IS NOT NULL;
CREATE INDEX messages_delayed ON messages (broadcast_id, not_before)
  WHERE broadcast_id IS NOT NULL AND status = 'queued' AND not_before IS NOT NULL;
CREATE INDEX messages_held ON messages (created_at) WHERE money = 'held' AND broadcast_id IS NULL;
CREATE INDEX messages_open ON messages (id) WHERE status IN ('queued', 'sending') AND broadcast_id IS NULL;
CREATE INDEX messages_recipients ON messages (broadcast_id, status, id) WHERE broadcast_id IS NOT NULL;
CREATE INDEX messages_scheduled ON messages (workspace_id, created_at)
  WHERE send_at IS NOT NULL AND status IN ('pending', 'sending');
CREATE INDEX messages_scheduled_contact ON messages (contact_id, created_at) WHERE send_at IS NOT NULL;
CREATE UNIQUE INDEX messages_send_token ON messages (send_token);
CREATE INDEX messages_single ON messages (workspace_id, id, contact_id, dispatched_at, broadcast_id) WHERE broadcast_id IS NULL;
CREATE INDEX messages_staff ON messages (contact_id, dispatched_at) WHERE origin = 'console';
CREATE INDEX messages_undispatched ON messages (contact_id, created_at)
  WHERE send_at IS NOT NULL AND dispatched_at IS NULL;
CREATE TRIGGER contact_messages_delete AFTER DELETE ON messages WHEN OLD.broadcast_id IS NULL BEGIN
  DELETE FROM contact_messages
  WHERE contact_id = OLD.contact_id AND dispatched_at = OLD.dispatched_at AND message_id = OLD.id;
END;

CREATE TABLE network_changes (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  workspace_id INTEGER NOT NULL REFERENCES workspaces (id),
  number_id INTEGER REFERENCES numbers (id),
  template_id INTEGER REFERENCES templates (id),
  property TEXT NOT NULL,
  -- Null: not known, or no restriction. Of a restriction: what it says.
  was TEXT,
  became TEXT,
  -- The network's time.
  at INTEGER NOT NULL,
  CHECK ((number_id IS NULL) <> (template_id IS NULL))
) STRICT;
CREATE INDEX network_changes_at ON network_changes (at);
CREATE INDEX network_changes_listed ON network_changes (workspace_id, at, id);
CREATE INDEX network_changes_number ON network_changes (number_id, at, id) WHERE number_id IS NOT NULL;
CREATE INDEX network_changes_template ON network_changes (template_id, at, id) WHERE template_id IS NOT NULL;

CREATE TABLE network_health (
  number_id INTEGER PRIMARY KEY REFERENCES numbers (id),
  state TEXT NOT NULL CHECK (state = 'well' OR state = 'slow' OR state = 'down' OR state = 'recovering'),
  -- Which results are the trouble: answers, or statuses that came later.
  source TEXT NOT NULL CHECK (source IN ('answer', 'status')),
  answer_failures INTEGER NOT NULL,
  status_failures INTEGER NOT NULL,
  -- The last failure, in the network's words.
  message TEXT NOT NULL,
  changed_at INTEGER NOT NULL,
  -- When it last recovered: failures of messages sent before no longer count.
  recovered_at INTEGER,
  successes INTEGER NOT NULL,
  good_probes INTEGER NOT NULL,
  probed_at INTEGER
) STRICT;

CREATE TABLE network_ids (
  -- XXH32 of the network's id, signed.
  hash INTEGER NOT NULL,
  message_id INTEGER NOT NULL,
  PRIMARY KEY (hash, message_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE network_uploads (
  upload_id INTEGER NOT NULL REFERENCES uploads (id),
  number_id INTEGER NOT NULL REFERENCES numbers (id),
  network_media_id TEXT NOT NULL,
  expires_at INTEGER NOT NULL,
  PRIMARY KEY (upload_id, number_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE "network_usage" (
  workspace_id INTEGER NOT NULL REFERENCES workspaces (id),
  -- YYYY-MM, by the workspace's timezone.
  month TEXT NOT NULL,
  number_id INTEGER NOT NULL REFERENCES numbers (id),
  -- The network's own words.
  category TEXT NOT NULL,
  type TEXT NOT NULL,
  billable INTEGER NOT NULL CHECK (billable IN (0, 1)),
  -- Of the person's phone number: ISO 3166-1. Empty: not known, or counted before countries were.
  country TEXT NOT NULL DEFAULT '',
  messages INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, month, number_id, category, type, billable, country)
) STRICT, WITHOUT ROWID;
CREATE INDEX network_usage_number ON network_usage (number_id, month);

CREATE TABLE note_mentions (
  user_id INTEGER NOT NULL REFERENCES users (id),
  note_id INTEGER NOT NULL,
  workspace_id INTEGER NOT NULL REFERENCES workspaces (id),
  contact_id INTEGER NOT NULL REFERENCES contacts (id),
  number_id INTEGER NOT NULL REFERENCES numbers (id),
  -- Null: not read yet.
  read_at INTEGER,
  PRIMARY KEY (user_id, note_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX note_mentions_contact ON note_mentions (contact_id);
CREATE INDEX note_mentions_unread ON note_mentions (user_id, workspace_id, contact_id, number_id) WHERE read_at IS NULL;

CREATE TABLE number_days (
  number_id INTEGER NOT NULL REFERENCES numbers (id),
  day INTEGER NOT NULL,
  PRIMARY KEY (number_id, day)
) STRICT, WITHOUT ROWID;

CREATE TABLE number_notices (
  number_id INTEGER NOT NULL REFERENCES numbers (id),
  kind TEXT NOT NULL,
  says TEXT NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (number_id, kind)
) STRICT, WITHOUT ROWID;

CREATE TABLE number_states (
  number_id INTEGER PRIMARY KEY REFERENCES numbers (id),
  status TEXT,
  verified_name TEXT,
  name_status TEXT,
  quality TEXT,
  throughput_level TEXT,
  -- Different people per day: digits, or "unlimited".
  messaging_limit TEXT,
  -- Why the number cannot send, and a problem that does not keep it from sending. Plain text.
  problem TEXT,
  warning TEXT,
  -- An announcement of the network, until it is revoked.
  notice TEXT,
  -- A restriction that the network reported, and when it ends.
  restriction TEXT,
  restricted_until INTEGER,
  -- The network's time of its latest report about a restriction: older reports change nothing.
  restriction_updated_at INTEGER NOT NULL,
  checked_at INTEGER
) STRICT;

CREATE TABLE numbers (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  workspace_id INTEGER NOT NULL REFERENCES workspaces (id),
  phone TEXT NOT NULL,
  name TEXT NOT NULL,
  network TEXT NOT NULL CHECK (network IN ('simulator', 'whatsapp')),
  -- On WhatsApp: who serves the number, and at which address if not the usual one.
  provider TEXT NOT NULL DEFAULT 'graph' CHECK (provider IN ('graph', '360dialog')),
  api_url TEXT,
  throughput INTEGER NOT NULL CHECK (throughput > 0),
  -- Whether a person chose the throughput; else it follows what the network reports.
  throughput_given INTEGER NOT NULL CHECK (throughput_given IN (0, 1)),
  -- Whose messaging limit counts; null on the simulator. Below: the portfolio that an operator named.
  portfolio_id INTEGER REFERENCES portfolios (id),
  given_portfolio TEXT,
  ready INTEGER NOT NULL CHECK (ready IN (0, 1)),
  unready_reason TEXT,
  account_id TEXT NOT NULL,
  phone_number_id TEXT NOT NULL,
  -- Sealed with the key in the key file; null on the simulator.
  access_token TEXT,
  app_secret TEXT,
  -- Whether requests prove that this server knows the app secret.
  sends_proof INTEGER NOT NULL DEFAULT 0 CHECK (sends_proof IN (0, 1)),
  created_at INTEGER NOT NULL,
  removed_at INTEGER,
  -- Who stopped the number: if a person did, the network's reports do not start it again.
  unready_by TEXT CHECK (unready_by IN ('person', 'network'))
, shared_since INTEGER, shared_with TEXT CHECK (shared_with IN ('agent', 'other')), routed_since INTEGER, standby_since INTEGER, ready_at INTEGER) STRICT;
CREATE INDEX numbers_account ON numbers (account_id) WHERE removed_at IS NULL;
CREATE INDEX numbers_by_phone ON numbers (phone) WHERE removed_at IS NULL;
CREATE UNIQUE INDEX numbers_phone ON numbers (workspace_id, phone) WHERE removed_at IS NULL;
CREATE UNIQUE INDEX numbers_phone_number_id ON numbers (phone_number_id) WHERE removed_at IS NULL;
CREATE INDEX numbers_portfolio ON numbers (portfolio_id) WHERE portfolio_id IS NOT NULL;
CREATE INDEX numbers_workspace ON numbers (workspace_id, id) WHERE removed_at IS NULL;

CREATE TABLE outbox (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  kind TEXT NOT NULL,
  subject INTEGER NOT NULL,
  queue_key INTEGER NOT NULL,
  due_at INTEGER NOT NULL
) STRICT;
CREATE INDEX outbox_due ON outbox (kind, queue_key, due_at);
CREATE UNIQUE INDEX outbox_subject ON outbox (kind, subject);

CREATE TABLE parked_status_counts (
  number_id INTEGER PRIMARY KEY REFERENCES numbers (id),
  count INTEGER NOT NULL
) STRICT;

CREATE TABLE parked_statuses (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  number_id INTEGER NOT NULL REFERENCES numbers (id),
  network_message_id TEXT NOT NULL,
  send_token TEXT,
  item TEXT NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX parked_statuses_expiry ON parked_statuses (expires_at);
CREATE INDEX parked_statuses_network ON parked_statuses (network_message_id, number_id);
CREATE INDEX parked_statuses_send_token ON parked_statuses (send_token) WHERE send_token IS NOT NULL;
CREATE TRIGGER parked_statuses_delete AFTER DELETE ON parked_statuses WHEN OLD.send_token IS NULL BEGIN
  UPDATE parked_status_counts SET count = count - 1 WHERE number_id = OLD.number_id;
END;
CREATE TRIGGER parked_statuses_insert AFTER INSERT ON parked_statuses WHEN NEW.send_token IS NULL BEGIN
  INSERT INTO parked_status_counts (number_id, count) VALUES (NEW.number_id, 1)
  ON CONFLICT (number_id) DO UPDATE SET count = count + 1;
END;

CREATE TABLE phone_contacts (
  contact_id INTEGER NOT NULL REFERENCES contacts (id),
  number_id INTEGER NOT NULL REFERENCES numbers (id),
  name TEXT,
  first_name TEXT,
  changed_at INTEGER NOT NULL,
  PRIMARY KEY (contact_id, number_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE portfolio_recipients (
  portfolio_id INTEGER NOT NULL REFERENCES portfolios (id),
  -- E.164, or the network's id of the person.
  person TEXT NOT NULL,
  -- Who sent last.
  workspace_id INTEGER NOT NULL REFERENCES workspaces (id),
  last_at INTEGER NOT NULL,
  PRIMARY KEY (portfolio_id, person)
) STRICT, WITHOUT ROWID;
CREATE INDEX portfolio_recipients_last ON portfolio_recipients (portfolio_id, last_at, workspace_id);
CREATE TRIGGER portfolio_recipients_delete AFTER DELETE ON portfolio_recipients BEGIN
  UPDATE portfolios SET people = people - 1 WHERE id = OLD.portfolio_id;
END;
CREATE TRIGGER portfolio_recipients_insert AFTER INSERT ON portfolio_recipients BEGIN
  UPDATE portfolios SET people = people + 1 WHERE id = NEW.portfolio_id;
END;

CREATE TABLE portfolios (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  -- "portfolio:ID" as Meta or an operator names it; "account:ID" where only the account is known.
  name TEXT NOT NULL,
  -- People in 24 hours; null: none, or not known.
  person_limit INTEGER CHECK (person_limit > 0),
  -- The number of rows in portfolio_recipients; kept by triggers.
  people INTEGER NOT NULL DEFAULT 0,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX portfolios_name ON portfolios (name);
CREATE TRIGGER portfolio_recipients_clear AFTER UPDATE OF person_limit ON portfolios
WHEN OLD.person_limit IS NOT NULL AND NEW.person_limit IS NULL BEGIN
  DELETE FROM portfolio_recipients WHERE portfolio_id = NEW.id;
END;
CREATE TRIGGER portfolio_recipients_fill AFTER UPDATE OF person_limit ON portfolios
WHEN OLD.person_limit IS NULL AND NEW.person_limit IS NOT NULL BEGIN
  INSERT INTO portfolio_recipients (portfolio_id, person, workspace_id, last_at)
  SELECT NEW.id, messages.to_phone, messages.workspace_id, max(messages.dispatched_at)
  FROM messages
  JOIN numbers ON numbers.id = messages.number_id AND numbers.portfolio_id = NEW.id
  LEFT JOIN contacts ON contacts.id = messages.contact_id
  WHERE messages.dispatched_at > NEW.updated_at - 86400000
    AND messages.type = 'template' AND messages.status IN ('queued', 'sending', 'sent', 'delivered', 'read', 'failed')
    AND (messages.status <> 'queued' OR messages.broadcast_id IS NULL)
    AND (messages.status <> 'failed' OR messages.outcome_unknown = 1)
    AND NOT coalesce(
      contacts.last_message_at BETWEEN messages.dispatched_at - 86400000 AND messages.dispatched_at, 0
    )
    AND (
      messages.id > coalesce(
        (SELECT id FROM messages WHERE created_at <= NEW.updated_at - 86400000 ORDER BY id DESC LIMIT 1), 0
      )
      OR messages.broadcast_id IN (
        SELECT broadcast_id FROM broadcast_counters WHERE last_sent_at > NEW.updated_at - 86400000
      )
    )
  GROUP BY messages.to_phone;
END;

CREATE TABLE provider_requests (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  send_token TEXT NOT NULL,
  outcome TEXT NOT NULL
    CHECK (outcome = 'accepted' OR outcome = 'refused' OR outcome = 'throttled' OR outcome = 'unreachable' OR
      outcome = 'unknown'),
  code TEXT,
  reason TEXT NOT NULL,
  -- The raw answer without the access token; null if there was none.
  http_status INTEGER,
  answer TEXT,
  requested_at INTEGER NOT NULL,
  duration_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX provider_requests_send_token ON provider_requests (send_token);

CREATE TABLE quick_replies (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  workspace_id INTEGER NOT NULL REFERENCES workspaces (id),
  name TEXT NOT NULL,
  -- The name for comparison.
  folded TEXT NOT NULL,
  text TEXT NOT NULL,
  upload_id INTEGER REFERENCES uploads (id),
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX quick_replies_name ON quick_replies (workspace_id, folded);
CREATE INDEX quick_replies_upload ON quick_replies (upload_id) WHERE upload_id IS NOT NULL;

CREATE TABLE recent_network_ids (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  hash INTEGER NOT NULL,
  message_id INTEGER NOT NULL
) STRICT;

CREATE TABLE recent_recipient_counts (
  workspace_id INTEGER PRIMARY KEY REFERENCES workspaces (id),
  count INTEGER NOT NULL
) STRICT;

CREATE TABLE recent_recipients (
  workspace_id INTEGER NOT NULL REFERENCES workspaces (id),
  identity_id INTEGER NOT NULL,
  last_at INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, identity_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX recent_recipients_last ON recent_recipients (workspace_id, last_at);
CREATE TRIGGER recent_recipients_delete AFTER DELETE ON recent_recipients BEGIN
  UPDATE recent_recipient_counts SET count = count - 1 WHERE workspace_id = OLD.workspace_id;
END;
CREATE TRIGGER recent_recipients_insert AFTER INSERT ON recent_recipients BEGIN
  INSERT INTO recent_recipient_counts (workspace_id, count) VALUES (NEW.workspace_id, 1)
  ON CONFLICT (workspace_id) DO UPDATE SET count = count + 1;
END;

CREATE TABLE recovery_codes (
  user_id INTEGER NOT NULL REFERENCES users (id),
  hash BLOB NOT NULL,
  used_at INTEGER,
  PRIMARY KEY (user_id, hash)
) STRICT, WITHOUT ROWID;

CREATE TABLE refusals (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  at INTEGER NOT NULL,
  reason TEXT NOT NULL,
  number_id INTEGER NOT NULL
) STRICT;
CREATE INDEX refusals_at ON refusals (at);

CREATE TABLE refused_callbacks (
  hour INTEGER NOT NULL,
  reason TEXT NOT NULL,
  number_id INTEGER NOT NULL,
  count INTEGER NOT NULL,
  last_at INTEGER NOT NULL,
  PRIMARY KEY (hour, reason, number_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE sample_uploads (
  number_id INTEGER NOT NULL REFERENCES numbers (id),
  link TEXT NOT NULL,
  media_id TEXT,
  expires_at INTEGER NOT NULL,
  error TEXT,
  attempted_at INTEGER NOT NULL,
  PRIMARY KEY (number_id, link)
) STRICT, WITHOUT ROWID;

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
, take INTEGER CHECK (take IN (0, 1))) STRICT;
CREATE INDEX scheduled_messages_contact ON scheduled_messages (contact_id) WHERE cancel_on_reply = 1;
CREATE INDEX scheduled_messages_of_workspace ON scheduled_messages (workspace_id);

CREATE TABLE search_cursors (
  source TEXT NOT NULL,
  -- Of contacts: the id of the workspace; else 0.
  part INTEGER NOT NULL,
  -- Of contacts, the last `updated_at`; else the last id.
  position INTEGER NOT NULL,
  -- Of contacts with the same `updated_at`: the last id.
  last_id INTEGER NOT NULL,
  PRIMARY KEY (source, part)
) STRICT, WITHOUT ROWID;

CREATE VIRTUAL TABLE search_index USING fts5(
  terms, kind UNINDEXED, subject_id UNINDEXED, contact_id UNINDEXED,
  prefix = '1 2 3', tokenize = "unicode61 remove_diacritics 2 categories 'L* N* M* Co'"
);

CREATE TABLE sessions (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id INTEGER NOT NULL REFERENCES users (id),
  hash BLOB NOT NULL,
  created_at INTEGER NOT NULL,
  -- Written at most once a minute.
  seen_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  -- When the user last proved in this session who they are, by password or second factor.
  confirmed_at INTEGER NOT NULL,
  address TEXT NOT NULL,
  agent TEXT NOT NULL
) STRICT;
CREATE INDEX sessions_expiry ON sessions (expires_at);
CREATE UNIQUE INDEX sessions_hash ON sessions (hash);
CREATE INDEX sessions_user ON sessions (user_id);

CREATE TABLE sign_in_attempts (
  subject BLOB PRIMARY KEY,
  count INTEGER NOT NULL,
  blocked_until INTEGER NOT NULL,
  last_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX sign_in_attempts_last ON sign_in_attempts (last_at);

CREATE TABLE sign_ups (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  workspace_id INTEGER NOT NULL REFERENCES workspaces (id),
  -- Not a foreign key, so that the session can end. No id of a session is used twice.
  session_id INTEGER NOT NULL,
  -- Of the state that the network brings back.
  hash BLOB NOT NULL,
  -- The number whose access is renewed; null: one that is not connected yet.
  number_id INTEGER REFERENCES numbers (id),
  created_at INTEGER NOT NULL,
  used_at INTEGER
) STRICT;
CREATE INDEX sign_ups_created ON sign_ups (created_at);
CREATE UNIQUE INDEX sign_ups_hash ON sign_ups (hash);
CREATE INDEX sign_ups_number ON sign_ups (number_id) WHERE number_id IS NOT NULL;
CREATE INDEX sign_ups_workspace ON sign_ups (workspace_id);

CREATE TABLE simulated_blocks (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  workspace_id INTEGER NOT NULL REFERENCES workspaces (id),
  contact_id INTEGER NOT NULL REFERENCES contacts (id),
  number_id INTEGER NOT NULL REFERENCES numbers (id)
) STRICT;
CREATE INDEX simulated_blocks_number ON simulated_blocks (number_id, id);
CREATE UNIQUE INDEX simulated_blocks_person ON simulated_blocks (contact_id, number_id);

CREATE TABLE simulated_profiles (
  number_id INTEGER PRIMARY KEY REFERENCES numbers (id),
  workspace_id INTEGER NOT NULL REFERENCES workspaces (id),
  profile TEXT NOT NULL,
  username TEXT,
  photo BLOB
) STRICT;
CREATE UNIQUE INDEX simulated_profiles_username ON simulated_profiles (username) WHERE username IS NOT NULL;

CREATE TABLE tags (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  workspace_id INTEGER NOT NULL REFERENCES workspaces (id),
  name TEXT NOT NULL,
  folded TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX tags_name ON tags (workspace_id, folded);

CREATE TABLE template_drafts (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  workspace_id INTEGER NOT NULL REFERENCES workspaces (id),
  user_id INTEGER NOT NULL,
  -- The body of POST /templates, as far as it is filled in.
  content TEXT NOT NULL,
  -- The template that the draft corrects; null: it becomes a new one.
  corrects INTEGER,
  -- The template that the draft became; null while it was not sent.
  template_id INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX template_drafts_age ON template_drafts (updated_at);
CREATE INDEX template_drafts_open ON template_drafts (workspace_id, updated_at) WHERE template_id IS NULL;

CREATE TABLE template_submissions (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  workspace_id INTEGER NOT NULL REFERENCES workspaces (id),
  account_id TEXT NOT NULL,
  name TEXT NOT NULL,
  -- Null: all languages, of a deletion.
  language TEXT,
  action TEXT NOT NULL CHECK (action IN ('create', 'correct', 'delete')),
  -- The request's body, as it leaves; null of a deletion.
  request TEXT,
  -- The template before a correction; null of everything else.
  before TEXT,
  state TEXT NOT NULL CHECK (state IN ('open', 'accepted', 'refused', 'absent')),
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX template_submissions_age ON template_submissions (created_at);
CREATE INDEX template_submissions_name ON template_submissions (workspace_id, account_id, name, created_at);
CREATE UNIQUE INDEX template_submissions_open ON template_submissions (workspace_id, account_id, name, ifnull(language, ''))
  WHERE state = 'open';

CREATE TABLE templates (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  workspace_id INTEGER NOT NULL REFERENCES workspaces (id),
  account_id TEXT NOT NULL,
  name TEXT NOT NULL,
  language TEXT NOT NULL,
  category TEXT NOT NULL CHECK (category = 'MARKETING' OR category = 'UTILITY' OR category = 'AUTHENTICATION'),
  status TEXT NOT NULL
    CHECK (status = 'APPROVED' OR status = 'PENDING' OR status = 'REJECTED' OR status = 'PAUSED' OR
      status = 'DISABLED'),
  -- The network's components, unchanged.
  components TEXT NOT NULL,
  parameter_format TEXT NOT NULL CHECK (parameter_format IN ('POSITIONAL', 'NAMED')),
  sample_link TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  -- The network's own status, its reason, and when it decided: an older decision changes nothing.
  network_status TEXT,
  status_reason TEXT,
  status_at INTEGER NOT NULL DEFAULT 0,
  quality TEXT
, parameter_order TEXT, was_approved INTEGER NOT NULL DEFAULT 1 CHECK (was_approved IN (0, 1)), category_change TEXT, category_change_at INTEGER, network_id TEXT, generated INTEGER NOT NULL DEFAULT 0) STRICT;
CREATE INDEX templates_account ON templates (account_id, name, language);
CREATE INDEX templates_category_change ON templates (category_change_at) WHERE category_change_at IS NOT NULL;
CREATE INDEX templates_listed ON templates (workspace_id, name, id);
CREATE UNIQUE INDEX templates_name ON templates (workspace_id, account_id, name, language);

CREATE TABLE thread_calls (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  workspace_id INTEGER NOT NULL REFERENCES workspaces (id),
  contact_id INTEGER NOT NULL REFERENCES contacts (id),
  number_id INTEGER NOT NULL REFERENCES numbers (id),
  action TEXT NOT NULL CHECK (action IN ('take', 'release', 'pass')),
  -- To whom a thread is passed, in the network's words; null: to the escalation partner.
  target_role TEXT,
  asked_at INTEGER NOT NULL,
  -- Null while no answer is known.
  outcome TEXT CHECK (outcome IN ('done', 'refused', 'unknown')),
  -- The network's code of a refusal.
  code TEXT
) STRICT;
CREATE UNIQUE INDEX thread_calls_open ON thread_calls (contact_id, number_id) WHERE outcome IS NULL;
CREATE INDEX thread_calls_thread ON thread_calls (contact_id, number_id);

CREATE TABLE unlisted_refusals (
  number_id INTEGER NOT NULL REFERENCES numbers (id),
  kind TEXT NOT NULL CHECK (kind IN ('template', 'free')),
  source TEXT NOT NULL CHECK (source IN ('answer', 'status')),
  code TEXT NOT NULL,
  -- JSON: ids of the contacts, at most ten.
  people TEXT NOT NULL,
  -- The last refusal, in the network's words.
  message TEXT NOT NULL,
  began_at INTEGER NOT NULL,
  changed_at INTEGER NOT NULL,
  PRIMARY KEY (number_id, kind, source, code)
) STRICT, WITHOUT ROWID;

CREATE TABLE untrusted_proxies (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  address TEXT NOT NULL,
  seen_at INTEGER NOT NULL
) STRICT;

CREATE TABLE unused_items (
  hour INTEGER NOT NULL,
  reason TEXT NOT NULL
    CHECK (reason = 'unreadable' OR reason = 'unhandled' OR reason = 'foreign' OR reason = 'ignored' OR
      reason = 'quarantined'),
  about TEXT NOT NULL,
  count INTEGER NOT NULL,
  last_at INTEGER NOT NULL,
  PRIMARY KEY (hour, reason, about)
) STRICT, WITHOUT ROWID;

CREATE TABLE upload_days (
  key_id INTEGER NOT NULL REFERENCES api_keys (id),
  -- The first instant of the day.
  began_at INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  PRIMARY KEY (key_id, began_at)
) STRICT, WITHOUT ROWID;
CREATE INDEX upload_days_began ON upload_days (began_at);

CREATE TABLE upload_people (
  upload_id INTEGER NOT NULL REFERENCES uploads (id),
  contact_id INTEGER NOT NULL REFERENCES contacts (id),
  PRIMARY KEY (upload_id, contact_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX upload_people_contact ON upload_people (contact_id);

CREATE TABLE uploads (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  workspace_id INTEGER NOT NULL REFERENCES workspaces (id),
  file_id INTEGER NOT NULL REFERENCES media_files (id),
  -- Read from the bytes.
  mime_type TEXT NOT NULL,
  filename TEXT,
  -- 'pending' until the file has its name on disk; a start removes those that stayed pending.
  state TEXT NOT NULL CHECK (state IN ('pending', 'stored')),
  -- 1: a broadcast to more than one person has sent it.
  is_shared INTEGER NOT NULL DEFAULT 0 CHECK (is_shared IN (0, 1)),
  created_at INTEGER NOT NULL,
  -- The last time that it was uploaded or sent; its life is counted from then.
  used_at INTEGER NOT NULL
) STRICT;
CREATE INDEX uploads_file ON uploads (file_id);
CREATE INDEX uploads_pending ON uploads (id) WHERE state = 'pending';
CREATE INDEX uploads_used ON uploads (used_at) WHERE state = 'stored';

CREATE TABLE "user_links" (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  kind TEXT NOT NULL CHECK (kind = 'setup' OR kind = 'join' OR kind = 'reset' OR kind = 'forgot' OR kind = 'verify'),
  user_id INTEGER REFERENCES users (id),
  hash BLOB NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  used_at INTEGER,
  -- For an invitation: the workspace, the role that it grants, and the numbers of an agent.
  workspace_id INTEGER REFERENCES workspaces (id),
  role TEXT CHECK (role IN ('owner', 'member', 'agent')),
  number_ids TEXT CHECK (number_ids IS NULL OR role = 'agent')
) STRICT;
CREATE UNIQUE INDEX user_links_hash ON user_links (hash);
CREATE UNIQUE INDEX user_links_invitation ON user_links (workspace_id, user_id)
  WHERE workspace_id IS NOT NULL AND used_at IS NULL;
CREATE INDEX user_links_user ON user_links (user_id);

CREATE TABLE user_upload_days (
  user_id INTEGER NOT NULL REFERENCES users (id),
  workspace_id INTEGER NOT NULL REFERENCES workspaces (id),
  -- The first instant of the day.
  began_at INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  PRIMARY KEY (user_id, workspace_id, began_at)
) STRICT, WITHOUT ROWID;
CREATE INDEX user_upload_days_began ON user_upload_days (began_at);
CREATE INDEX user_upload_days_workspace ON user_upload_days (workspace_id);

CREATE TABLE users (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  -- The address as given, and in lower case for lookups.
  email TEXT NOT NULL,
  email_key TEXT NOT NULL,
  -- Argon2id hash in PHC format; null until a one-time link was used.
  password TEXT,
  is_operator INTEGER NOT NULL CHECK (is_operator IN (0, 1)),
  -- Sealed. totp_pending is a new secret that no code has confirmed yet.
  totp_secret TEXT,
  totp_pending TEXT,
  -- The last time step whose code was accepted: no code is accepted twice.
  totp_step INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  disabled_at INTEGER
, email_verified_at INTEGER) STRICT;
CREATE UNIQUE INDEX users_email ON users (email_key);
CREATE INDEX users_operator ON users (is_operator) WHERE is_operator = 1 AND disabled_at IS NULL;

CREATE TABLE webhooks (
  workspace_id INTEGER PRIMARY KEY REFERENCES workspaces (id),
  url TEXT,
  -- The types of events that the address asked for, as a JSON array; null: all but `contact.updated`.
  types TEXT,
  -- Sealed. It stays when the address is cleared, so that the receiver's secret remains valid for the next address.
  secret TEXT NOT NULL,
  consecutive_timeouts INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  -- A second address that gets every event as well: of `waxwing dev --forward` alone.
  forward_url TEXT
, previous_secret TEXT, previous_until INTEGER, disabled_at INTEGER, key_id INTEGER REFERENCES api_keys (id), group_bursts_ms INTEGER) STRICT;
CREATE INDEX webhooks_key ON webhooks (key_id) WHERE key_id IS NOT NULL;

CREATE TABLE workspaces (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL,
  country TEXT NOT NULL,
  timezone TEXT NOT NULL,
  api_enabled INTEGER NOT NULL CHECK (api_enabled IN (0, 1)),
  suspended_at INTEGER,
  suspended_reason TEXT,
  daily_cap INTEGER,
  -- What pressing quick-reply buttons means, as a JSON array.
  button_marks TEXT NOT NULL DEFAULT '[]',
  stop_words TEXT NOT NULL,
  start_words TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
, opening_hours TEXT NOT NULL DEFAULT '', closed_days TEXT NOT NULL DEFAULT '[]', away_message TEXT NOT NULL DEFAULT '', quiet TEXT NOT NULL DEFAULT '', read_receipts TEXT NOT NULL DEFAULT 'off', message_retention TEXT NOT NULL DEFAULT 'server', inbound_retention TEXT NOT NULL DEFAULT 'server', media_retention TEXT NOT NULL DEFAULT 'server', purpose TEXT NOT NULL DEFAULT '', notice TEXT NOT NULL DEFAULT '', ai_notice TEXT NOT NULL DEFAULT '') STRICT;
CREATE TRIGGER recent_recipients_fill AFTER UPDATE OF daily_cap ON workspaces
WHEN OLD.daily_cap IS NULL AND NEW.daily_cap IS NOT NULL BEGIN
  DELETE FROM recent_recipients WHERE workspace_id = NEW.id;
  INSERT INTO recent_recipients (workspace_id, identity_id, last_at)
  SELECT messages.workspace_id, coalesce(contacts.identity_id, contacts.id) AS person, max(messages.dispatched_at)
  FROM messages JOIN contacts ON contacts.id = messages.contact_id
  WHERE messages.workspace_id = NEW.id AND messages.dispatched_at > NEW.updated_at - 86400000
    AND messages.type = 'template' AND messages.status IN ('queued', 'sending', 'sent', 'delivered', 'read', 'failed')
    AND (messages.status <> 'queued' OR messages.broadcast_id IS NULL)
    AND (messages.status <> 'failed' OR messages.outcome_unknown = 1)
    AND (
      messages.id > coalesce(
        (SELECT id FROM messages WHERE created_at <= NEW.updated_at - 86400000 ORDER BY id DESC LIMIT 1), 0
      )
      OR messages.broadcast_id IN (
        SELECT broadcast_id FROM broadcast_counters
        WHERE workspace_id = NEW.id AND last_sent_at > NEW.updated_at - 86400000
      )
    )
  GROUP BY person;
END;
