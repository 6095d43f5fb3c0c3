-- The network has accepted the message and holds it back (1), or has sent it after all (0). Null: it was never held back.
ALTER TABLE messages ADD COLUMN held_back INTEGER CHECK (held_back IN (0, 1));

-- How many recipients that count as sent the network holds back, and when that last became fewer.
ALTER TABLE broadcast_counters ADD COLUMN held_back INTEGER NOT NULL DEFAULT 0 CHECK (held_back >= 0);
ALTER TABLE broadcast_counters ADD COLUMN held_back_until INTEGER;
