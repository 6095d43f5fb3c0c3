-- The search index of the inbox. A row of a message, an inbound, an echo or a note has an id that orders it by time; that
-- of a contact is negative. `terms` begins with the row's own tokens: workspace, numbers, contact, file.
CREATE VIRTUAL TABLE search_index USING fts5(
  terms, kind UNINDEXED, subject_id UNINDEXED, contact_id UNINDEXED,
  prefix = '1 2 3', tokenize = "unicode61 remove_diacritics 2 categories 'L* N* M* Co'"
);
-- Nothing of a removed row stays in the file. Segments are merged in the slices of the indexer alone.
INSERT INTO search_index (search_index, rank) VALUES ('secure-delete', 1);
INSERT INTO search_index (search_index, rank) VALUES ('automerge', 0);
INSERT INTO search_index (search_index, rank) VALUES ('crisismerge', 1000);

-- How far the index has got in each source.
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
