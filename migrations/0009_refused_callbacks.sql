-- Failures on the network's side: consecutive ones, by answer and by status, with what the network said last.
ALTER TABLE broadcast_figures ADD COLUMN answer_streak INTEGER NOT NULL DEFAULT 0;
ALTER TABLE broadcast_figures ADD COLUMN answer_words TEXT;
ALTER TABLE broadcast_figures ADD COLUMN status_streak INTEGER NOT NULL DEFAULT 0;
ALTER TABLE broadcast_figures ADD COLUMN status_words TEXT;
-- JSON: a refusal of the template, the number or the account that came by status, until the broadcast obeys it.
ALTER TABLE broadcast_figures ADD COLUMN reported_refusal TEXT;
-- What a message that left before this fails with says nothing about now.
ALTER TABLE broadcast_figures ADD COLUMN resumed_at INTEGER;

-- Callbacks that were refused, by the hour; number 0 where the body names none of ours.
CREATE TABLE refused_callbacks (
  hour INTEGER NOT NULL,
  reason TEXT NOT NULL,
  number_id INTEGER NOT NULL,
  count INTEGER NOT NULL,
  last_at INTEGER NOT NULL,
  PRIMARY KEY (hour, reason, number_id)
) STRICT, WITHOUT ROWID;
