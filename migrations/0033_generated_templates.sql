-- 1: the network made the template of messages with a category.
ALTER TABLE templates ADD COLUMN generated INTEGER NOT NULL DEFAULT 0;
