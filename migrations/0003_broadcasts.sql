-- Broadcasts: one template to many.

CREATE TABLE broadcasts (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  workspace_id INTEGER NOT NULL REFERENCES workspaces (id),
  number_id INTEGER NOT NULL REFERENCES numbers (id),
  name TEXT NOT NULL,
  status TEXT NOT NULL
    CHECK (status IN ('scheduled', 'queueing', 'running', 'paused', 'completed', 'cancelled', 'failed')),
  -- In words, for people; `pause_cause` is the same for the code.
  status_reason TEXT,
  pause_cause TEXT,
  template_name TEXT NOT NULL,
  template_language TEXT NOT NULL,
  -- As it was confirmed: a template that has changed since is not sent without asking.
  template_category TEXT NOT NULL,
  template_format TEXT NOT NULL,
  template_components TEXT NOT NULL,
  -- The network called it paused or unapproved then, whatever our copy said: only what is learned later counts.
  template_refused_at INTEGER,
  -- JSON of the values for header and body: texts, and names of contact fields with what stands in for a missing one.
  variables TEXT NOT NULL,
  -- Erased when the broadcast is finished.
  media_link TEXT,
  media_filename TEXT,
  from_phone TEXT NOT NULL,
  -- Null: addressed by a list of numbers, which are recipients from the start. No reference: a group may be removed.
  group_id INTEGER,
  -- The day that birthdays are taken from; null for every other broadcast.
  day_starts_at INTEGER,
  day_ends_at INTEGER,
  requested INTEGER NOT NULL,
  send_at INTEGER,
  -- Since when it could have gone on: what lateness is measured by.
  due_since INTEGER NOT NULL,
  -- Strange hours: it goes on by itself then.
  waits_until INTEGER,
  -- All recipients are there; and up to which contact (or recipient) they are, while they are not.
  is_built INTEGER NOT NULL CHECK (is_built IN (0, 1)),
  built_after_id INTEGER NOT NULL,
  -- Resumed after a restore that left a gap: whoever is not sent yet may have been, and becomes failed.
  fails_unsent INTEGER NOT NULL CHECK (fails_unsent IN (0, 1)),
  -- Finished, and its unsent recipients have been written as skipped.
  is_tidy INTEGER NOT NULL CHECK (is_tidy IN (0, 1)),
  created_at INTEGER NOT NULL,
  started_at INTEGER,
  completed_at INTEGER,
  -- When its recipients were thrown away; the figures stay.
  purged_at INTEGER
) STRICT;
CREATE INDEX broadcasts_started ON broadcasts (workspace_id, started_at) WHERE started_at IS NOT NULL;
CREATE INDEX broadcasts_workspace ON broadcasts (workspace_id, id);
CREATE INDEX broadcasts_open ON broadcasts (status, id) WHERE status IN ('scheduled', 'queueing', 'running', 'paused');
CREATE INDEX broadcasts_untidy ON broadcasts (id) WHERE is_tidy = 0 AND completed_at IS NOT NULL;
CREATE INDEX broadcasts_unpurged ON broadcasts (completed_at) WHERE completed_at IS NOT NULL AND purged_at IS NULL;

-- What a broadcast has come to: counted with every change, so that nobody ever has to count its recipients.
CREATE TABLE broadcast_figures (
  broadcast_id INTEGER PRIMARY KEY REFERENCES broadcasts (id),
  workspace_id INTEGER NOT NULL REFERENCES workspaces (id),
  -- pending or queued
  to_go INTEGER NOT NULL CHECK (to_go >= 0),
  sending INTEGER NOT NULL CHECK (sending >= 0),
  -- A funnel: who was read to was delivered to, and who was delivered to was sent to.
  sent INTEGER NOT NULL,
  delivered INTEGER NOT NULL,
  read INTEGER NOT NULL,
  failed INTEGER NOT NULL,
  skipped INTEGER NOT NULL,
  -- Whether its recipients cost something, and what each does once delivered.
  is_charged INTEGER NOT NULL CHECK (is_charged IN (0, 1)),
  rate INTEGER NOT NULL,
  -- Whether exactly the cost of everybody whose end is open is blocked; before, a part of it may be.
  is_held INTEGER NOT NULL CHECK (is_held IN (0, 1)),
  held INTEGER NOT NULL CHECK (held >= 0),
  -- All that was ever blocked: what the ledger knows of.
  booked INTEGER NOT NULL,
  charged INTEGER NOT NULL,
  is_finished INTEGER NOT NULL CHECK (is_finished IN (0, 1)),
  settled_at INTEGER,
  last_sent_at INTEGER,
  -- The breaker: the same refusal, so many people in a row; answers and statuses apart.
  answer_code TEXT,
  answer_row INTEGER NOT NULL,
  status_code TEXT,
  status_row INTEGER NOT NULL
) STRICT;

-- Who was sent a template in the last 24 hours, in workspaces with a daily cap.
CREATE TABLE reached_people (
  workspace_id INTEGER NOT NULL REFERENCES workspaces (id),
  person_id INTEGER NOT NULL,
  last_at INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, person_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX reached_people_last ON reached_people (workspace_id, last_at);
CREATE TABLE reached_counts (
  workspace_id INTEGER PRIMARY KEY REFERENCES workspaces (id),
  people INTEGER NOT NULL
) STRICT;
CREATE TRIGGER reached_people_in AFTER INSERT ON reached_people BEGIN
  INSERT INTO reached_counts (workspace_id, people) VALUES (NEW.workspace_id, 1)
  ON CONFLICT (workspace_id) DO UPDATE SET people = people + 1;
END;
CREATE TRIGGER reached_people_out AFTER DELETE ON reached_people BEGIN
  UPDATE reached_counts SET people = people - 1 WHERE workspace_id = OLD.workspace_id;
END;
-- A cap that is set counts whoever was sent a template in the 24 hours before. Ids grow with the time of creation, so what
-- the last day sent alone is looked at from the end; recipients may have been made long before.
CREATE TRIGGER reached_people_gathered AFTER UPDATE OF daily_cap ON workspaces
WHEN OLD.daily_cap IS NULL AND NEW.daily_cap IS NOT NULL BEGIN
  DELETE FROM reached_people WHERE workspace_id = NEW.id;
  INSERT INTO reached_people (workspace_id, person_id, last_at)
  SELECT messages.workspace_id, coalesce(contacts.person_id, contacts.id) AS person, max(messages.handed_over_at)
  FROM messages JOIN contacts ON contacts.id = messages.contact_id
  WHERE messages.workspace_id = NEW.id AND messages.handed_over_at > NEW.updated_at - 86400000
    AND messages.type = 'template' AND messages.status IN ('sending', 'sent', 'delivered', 'read', 'failed')
    AND (messages.status <> 'failed' OR messages.outcome_unknown = 1)
    AND (
      messages.id > coalesce(
        (SELECT id FROM messages WHERE created_at <= NEW.updated_at - 86400000 ORDER BY id DESC LIMIT 1), 0
      )
      OR messages.broadcast_id IN (
        SELECT broadcast_id FROM broadcast_figures
        WHERE workspace_id = NEW.id AND last_sent_at > NEW.updated_at - 86400000
      )
    )
  GROUP BY person;
END;
-- Two contacts turn out to be one person: from then on they count once.
CREATE TRIGGER reached_people_joined AFTER UPDATE OF person_id ON contacts
WHEN NEW.person_id IS NOT NULL AND coalesce(OLD.person_id, OLD.id) <> NEW.person_id BEGIN
  INSERT INTO reached_people (workspace_id, person_id, last_at)
  SELECT workspace_id, NEW.person_id, last_at FROM reached_people
  WHERE workspace_id = NEW.workspace_id AND person_id = coalesce(OLD.person_id, OLD.id)
  ON CONFLICT (workspace_id, person_id) DO UPDATE SET last_at = max(last_at, excluded.last_at);
  DELETE FROM reached_people
  WHERE workspace_id = NEW.workspace_id AND person_id = coalesce(OLD.person_id, OLD.id);
END;
