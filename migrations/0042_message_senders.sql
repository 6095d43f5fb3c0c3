-- Who sent a message, and what the keys are marked as.

-- The name of the API key or the e-mail address of the user, as it was then; null for a broadcast, an away message, and
-- what was sent before.
ALTER TABLE messages ADD COLUMN sender_name TEXT;
ALTER TABLE messages ADD COLUMN by_ai INTEGER NOT NULL DEFAULT 0 CHECK (by_ai IN (0, 1));
-- The key's messages do not count as answers.
ALTER TABLE api_keys ADD COLUMN is_automation INTEGER NOT NULL DEFAULT 0 CHECK (is_automation IN (0, 1));
-- An AI writes the key's messages.
ALTER TABLE api_keys ADD COLUMN is_ai INTEGER NOT NULL DEFAULT 0 CHECK (is_ai IN (0, 1));
