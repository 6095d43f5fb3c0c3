-- Since when a number can send: a late refusal of a message that left before does not stop it again.
ALTER TABLE numbers ADD COLUMN ready_at INTEGER;

-- A refused template is paused itself, for every broadcast and single message.
ALTER TABLE broadcasts DROP COLUMN template_refused_at;

-- Whose sending number a phone number is.
CREATE INDEX numbers_by_phone ON numbers (phone) WHERE removed_at IS NULL;
