-- An address may get what one person writes within a short time as one event.
ALTER TABLE webhooks ADD COLUMN group_bursts_ms INTEGER;
ALTER TABLE further_webhooks ADD COLUMN group_bursts_ms INTEGER;

-- The delivery that what the person writes next joins.
CREATE TABLE bursts (
  id INTEGER PRIMARY KEY,
  workspace_id INTEGER NOT NULL REFERENCES workspaces (id),
  contact_id INTEGER NOT NULL REFERENCES contacts (id),
  number_id INTEGER NOT NULL REFERENCES numbers (id),
  queue_key INTEGER NOT NULL,
  delivery_id INTEGER NOT NULL,
  until INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX bursts_writer ON bursts (contact_id, number_id, queue_key);
CREATE INDEX bursts_workspace ON bursts (workspace_id);
CREATE INDEX bursts_delivery ON bursts (delivery_id);

-- The events that a delivery carries together.
CREATE TABLE burst_events (
  delivery_id INTEGER NOT NULL REFERENCES deliveries (id),
  event_seq INTEGER NOT NULL REFERENCES events (seq),
  PRIMARY KEY (delivery_id, event_seq)
) STRICT, WITHOUT ROWID;
CREATE INDEX burst_events_event ON burst_events (event_seq);
