-- Contacts that users joined: one goes, and its names and rows go to the one that stays, in batches until `ended_at`.
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

-- Pairs that look like one person and are not, as a user said; one row in each direction.
CREATE TABLE different_people (
  contact_id INTEGER NOT NULL REFERENCES contacts (id),
  other_id INTEGER NOT NULL REFERENCES contacts (id),
  workspace_id INTEGER NOT NULL REFERENCES workspaces (id),
  said_at INTEGER NOT NULL,
  PRIMARY KEY (contact_id, other_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX different_people_other ON different_people (other_id);
CREATE INDEX different_people_workspace ON different_people (workspace_id);

-- Of a name that leads to a further number of the person: that number. Null: a name of the person, or of the first number.
ALTER TABLE contact_network_ids ADD COLUMN of_phone TEXT;

CREATE INDEX contacts_email ON contacts (workspace_id, email COLLATE NOCASE) WHERE email IS NOT NULL;
CREATE INDEX contacts_born ON contacts (workspace_id, birthday, name COLLATE NOCASE)
  WHERE birthday IS NOT NULL AND name IS NOT NULL;
