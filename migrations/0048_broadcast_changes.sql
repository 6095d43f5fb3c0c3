-- Drafts that change a broadcast before its first message, and broadcasts that repeat another for those who failed.
ALTER TABLE broadcast_drafts ADD COLUMN changes_id INTEGER REFERENCES broadcasts (id);
CREATE INDEX broadcast_drafts_changes ON broadcast_drafts (changes_id) WHERE changes_id IS NOT NULL;
-- The first broadcast of those that repeat one another, and whether unknown outcomes are sent to again. Not a foreign key,
-- so that a workspace's broadcasts can be deleted in any order.
ALTER TABLE broadcast_drafts ADD COLUMN again_of INTEGER;
ALTER TABLE broadcast_drafts ADD COLUMN is_again_unknown INTEGER NOT NULL DEFAULT 0 CHECK (is_again_unknown IN (0, 1));
ALTER TABLE broadcasts ADD COLUMN again_of INTEGER;
ALTER TABLE broadcasts ADD COLUMN is_again_unknown INTEGER NOT NULL DEFAULT 0 CHECK (is_again_unknown IN (0, 1));
CREATE INDEX broadcasts_again ON broadcasts (again_of) WHERE again_of IS NOT NULL;
