-- The numbers that people have moved away from. For 30 days, a program that asks for a contact by its old number gets the
-- new one; an erasure finds by them what names the person by an old number.

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
