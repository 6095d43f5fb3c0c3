-- Each request to the network to take, release or pass a thread: stored before it leaves, so that it leaves once.
CREATE TABLE thread_calls (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  workspace_id INTEGER NOT NULL REFERENCES workspaces (id),
  contact_id INTEGER NOT NULL REFERENCES contacts (id),
  number_id INTEGER NOT NULL REFERENCES numbers (id),
  action TEXT NOT NULL CHECK (action IN ('take', 'release', 'pass')),
  -- To whom a thread is passed, in the network's words; null: to the escalation partner.
  target_role TEXT,
  asked_at INTEGER NOT NULL,
  -- Null while no answer is known.
  outcome TEXT CHECK (outcome IN ('done', 'refused', 'unknown')),
  -- The network's code of a refusal.
  code TEXT
) STRICT;
CREATE INDEX thread_calls_thread ON thread_calls (contact_id, number_id);
-- One at a time for each thread; a start finds those that a crash interrupted.
CREATE UNIQUE INDEX thread_calls_open ON thread_calls (contact_id, number_id) WHERE outcome IS NULL;

-- Who else answers on a shared number, as an operator said: Meta's Business Agent, or another sender. Null: not said.
ALTER TABLE numbers ADD COLUMN shared_with TEXT CHECK (shared_with IN ('agent', 'other'));
