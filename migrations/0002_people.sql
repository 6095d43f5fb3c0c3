-- People in full: others on a number, tags, groups, custom fields, and what is remembered of the erased.
-- `folded` is a name as it is compared: without case. Counters are kept by triggers, in the transaction of the change
-- itself, so that no list ever counts a table.

CREATE TABLE contact_people (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  contact_id INTEGER NOT NULL REFERENCES contacts (id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  name TEXT NOT NULL,
  first_name TEXT,
  birthday TEXT,
  ref TEXT
) STRICT;
CREATE INDEX contact_people_contact ON contact_people (contact_id, position);
-- Birthdays are looked for by month and day, whatever the year: the last five characters of both forms.
CREATE INDEX contact_people_birthday ON contact_people (substr(birthday, -5)) WHERE birthday IS NOT NULL;

CREATE TABLE tags (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  workspace_id INTEGER NOT NULL REFERENCES workspaces (id),
  name TEXT NOT NULL,
  folded TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX tags_name ON tags (workspace_id, folded);

CREATE TABLE contact_tags (
  contact_id INTEGER NOT NULL REFERENCES contacts (id) ON DELETE CASCADE,
  tag_id INTEGER NOT NULL REFERENCES tags (id),
  PRIMARY KEY (contact_id, tag_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX contact_tags_tag ON contact_tags (tag_id, contact_id);

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

-- One value of a contact: a text (also a date or a choice) or a number (also a boolean, as 0 or 1).
CREATE TABLE contact_fields (
  contact_id INTEGER NOT NULL REFERENCES contacts (id) ON DELETE CASCADE,
  field_id INTEGER NOT NULL REFERENCES custom_fields (id) ON DELETE CASCADE,
  text_value TEXT,
  number_value REAL,
  PRIMARY KEY (contact_id, field_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX contact_fields_text ON contact_fields (field_id, text_value COLLATE NOCASE) WHERE text_value IS NOT NULL;
CREATE INDEX contact_fields_number ON contact_fields (field_id, number_value) WHERE number_value IS NOT NULL;

-- What the API lists: contacts with a phone number.
CREATE TABLE contact_counters (
  workspace_id INTEGER PRIMARY KEY REFERENCES workspaces (id),
  contacts INTEGER NOT NULL,
  opted_out INTEGER NOT NULL
) STRICT;

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

INSERT INTO contact_counters (workspace_id, contacts, opted_out)
SELECT workspace_id, count(*), sum(consent = 'opted_out') FROM contacts WHERE phone IS NOT NULL GROUP BY workspace_id;

-- Lists show only people with a phone number, so their indexes hold only those.
DROP INDEX contacts_updated;
CREATE INDEX contacts_listed ON contacts (workspace_id, updated_at, id) WHERE phone IS NOT NULL;
CREATE INDEX contacts_opted_out ON contacts (workspace_id, consent_at, id)
  WHERE phone IS NOT NULL AND consent = 'opted_out';

-- For saved searches. They find only people with a phone number; said here as well, it makes the indexes enough to count.
CREATE INDEX contacts_city ON contacts (workspace_id, city COLLATE NOCASE) WHERE city IS NOT NULL AND phone IS NOT NULL;
CREATE INDEX contacts_birthday ON contacts (workspace_id, substr(birthday, -5))
  WHERE birthday IS NOT NULL AND phone IS NOT NULL;
CREATE INDEX contacts_anniversary ON contacts (workspace_id, substr(anniversary, -5))
  WHERE anniversary IS NOT NULL AND phone IS NOT NULL;
CREATE INDEX contacts_last_message ON contacts (workspace_id, last_message_at)
  WHERE last_message_at IS NOT NULL AND phone IS NOT NULL;
-- A workspace's contacts in the order of the table itself, for searches that must look at everybody: any other order
-- would jump through the file.
CREATE INDEX contacts_walked ON contacts (workspace_id) WHERE phone IS NOT NULL;

-- A keyed hash of the number of an erased person who had opted out: enough that no import revives them.
CREATE TABLE erased_opt_outs (
  workspace_id INTEGER NOT NULL REFERENCES workspaces (id),
  phone_hash BLOB NOT NULL,
  opted_out_at INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, phone_hash)
) STRICT, WITHOUT ROWID;
