-- Whom a key may message, null: anybody; and what its messages may cost on a day, null: any amount.
ALTER TABLE api_keys ADD COLUMN group_id INTEGER;
ALTER TABLE api_keys ADD COLUMN daily_money INTEGER;
-- What the messages of the day cost, for keys with such a limit.
ALTER TABLE key_days ADD COLUMN money INTEGER NOT NULL DEFAULT 0;
