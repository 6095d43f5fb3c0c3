-- What opens and closes the 24-hour window beside a person's messages, both by the network's time. Null: nothing has.

-- The latest call, or handover of the conversation to this server.
ALTER TABLE contacts ADD COLUMN window_opened_at INTEGER;
-- The dispatch of the latest free message that the network refused because the window is closed.
ALTER TABLE contacts ADD COLUMN window_closed_at INTEGER;
