-- What the network bills, by country: rates differ from country to country. SQLite changes a primary key only with its
-- table.

CREATE TABLE new_network_usage (
  workspace_id INTEGER NOT NULL REFERENCES workspaces (id),
  -- YYYY-MM, by the workspace's timezone.
  month TEXT NOT NULL,
  number_id INTEGER NOT NULL REFERENCES numbers (id),
  -- The network's own words.
  category TEXT NOT NULL,
  type TEXT NOT NULL,
  billable INTEGER NOT NULL CHECK (billable IN (0, 1)),
  -- Of the person's phone number: ISO 3166-1. Empty: not known, or counted before countries were.
  country TEXT NOT NULL DEFAULT '',
  messages INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, month, number_id, category, type, billable, country)
) STRICT, WITHOUT ROWID;

INSERT INTO new_network_usage (workspace_id, month, number_id, category, type, billable, country, messages)
SELECT workspace_id, month, number_id, category, type, billable, '', messages FROM network_usage;

DROP TABLE network_usage;

ALTER TABLE new_network_usage RENAME TO network_usage;

CREATE INDEX network_usage_number ON network_usage (number_id, month);
