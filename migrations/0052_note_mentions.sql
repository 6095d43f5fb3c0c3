-- Users whom a note names with @, until they have read it. The note is not a foreign key, so that the rows of an erased person
-- can be deleted in any order.
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
