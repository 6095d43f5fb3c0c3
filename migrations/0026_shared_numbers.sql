-- What tells whether opt-outs in threads of other senders arrive: since when threads are passed on the number, and since when
-- copies of what people write to another sender arrive. Null: never.
ALTER TABLE numbers ADD COLUMN routed_since INTEGER;
ALTER TABLE numbers ADD COLUMN standby_since INTEGER;
UPDATE numbers SET routed_since = (
  SELECT min(created_at) FROM echoes WHERE echoes.number_id = numbers.id AND echoes.origin IN ('control_pass', 'standby')
) WHERE shared_since IS NOT NULL;
UPDATE numbers SET standby_since = (
  SELECT min(created_at) FROM inbounds WHERE inbounds.number_id = numbers.id AND inbounds.origin = 'standby'
) WHERE shared_since IS NOT NULL;

-- The days (in UTC, their first millisecond) on which something arrived on a number, for those that fall silent.
CREATE TABLE number_days (
  number_id INTEGER NOT NULL REFERENCES numbers (id),
  day INTEGER NOT NULL,
  PRIMARY KEY (number_id, day)
) STRICT, WITHOUT ROWID;
INSERT INTO number_days (number_id, day)
SELECT DISTINCT number_id, created_at - created_at % 86400000 FROM inbounds
WHERE origin <> 'history' AND created_at > (SELECT max(created_at) FROM inbounds) - 30 * 86400000;
CREATE TRIGGER inbounds_day AFTER INSERT ON inbounds WHEN new.origin <> 'history' BEGIN
  INSERT INTO number_days (number_id, day) VALUES (new.number_id, new.created_at - new.created_at % 86400000)
    ON CONFLICT (number_id, day) DO NOTHING;
END;
