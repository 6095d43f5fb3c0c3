-- The list of a bulk change is stored in slices. Until it is complete, the change has not begun, and no user sees it; what a crash leaves of it,
-- the next start removes.
ALTER TABLE bulk_changes ADD COLUMN is_listing INTEGER NOT NULL DEFAULT 0 CHECK (is_listing IN (0, 1));
