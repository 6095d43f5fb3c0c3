-- The user of the console who last changed the state or the assignee; null: a program, or time.
ALTER TABLE conversations ADD COLUMN changed_by_id INTEGER REFERENCES users (id);
