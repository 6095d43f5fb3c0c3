-- Files that a program uploads to send them. Received media and uploads are read by the same path, so no id is given to
-- both: those of uploads begin at a billion.

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
INSERT INTO sqlite_sequence (name, seq) VALUES ('uploads', 999999999);

-- The network's id of an upload: it belongs to one number, and expires.
CREATE TABLE network_uploads (
  upload_id INTEGER NOT NULL REFERENCES uploads (id),
  number_id INTEGER NOT NULL REFERENCES numbers (id),
  network_media_id TEXT NOT NULL,
  expires_at INTEGER NOT NULL,
  PRIMARY KEY (upload_id, number_id)
) STRICT, WITHOUT ROWID;

-- To whom an upload was sent in a single message: an erasure asks whether it was one person alone.
CREATE TABLE upload_people (
  upload_id INTEGER NOT NULL REFERENCES uploads (id),
  contact_id INTEGER NOT NULL REFERENCES contacts (id),
  PRIMARY KEY (upload_id, contact_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX upload_people_contact ON upload_people (contact_id);

-- The bytes that a key has uploaded on a day of its workspace.
CREATE TABLE upload_days (
  key_id INTEGER NOT NULL REFERENCES api_keys (id),
  -- The first instant of the day.
  began_at INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  PRIMARY KEY (key_id, began_at)
) STRICT, WITHOUT ROWID;
CREATE INDEX upload_days_began ON upload_days (began_at);

-- How many uploads have a file, and the bytes of a workspace's files that an upload has.
ALTER TABLE media_files ADD COLUMN upload_refs INTEGER NOT NULL DEFAULT 0 CHECK (upload_refs >= 0);
ALTER TABLE media_usage ADD COLUMN upload_bytes INTEGER NOT NULL DEFAULT 0;

DROP TRIGGER media_files_insert;
CREATE TRIGGER media_files_insert AFTER INSERT ON media_files BEGIN
  INSERT INTO media_usage (workspace_id, bytes, upload_bytes)
    VALUES (new.workspace_id, new.bytes, iif(new.upload_refs > 0, new.bytes, 0))
    ON CONFLICT (workspace_id) DO UPDATE SET
      bytes = bytes + excluded.bytes, upload_bytes = upload_bytes + excluded.upload_bytes;
END;

DROP TRIGGER media_files_delete;
CREATE TRIGGER media_files_delete AFTER DELETE ON media_files BEGIN
  UPDATE media_usage SET
    bytes = bytes - old.bytes, upload_bytes = upload_bytes - iif(old.upload_refs > 0, old.bytes, 0)
    WHERE workspace_id = old.workspace_id;
END;

CREATE TRIGGER media_files_uploads AFTER UPDATE OF upload_refs ON media_files
  WHEN (old.upload_refs > 0) <> (new.upload_refs > 0) BEGIN
  UPDATE media_usage SET upload_bytes = upload_bytes + iif(new.upload_refs > 0, new.bytes, -new.bytes)
    WHERE workspace_id = new.workspace_id;
END;
