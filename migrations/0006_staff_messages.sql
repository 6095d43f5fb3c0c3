-- Messages that users of the console sent, by their recipient: the inbox looks for answers among them. Messages of software
-- and of broadcasts, which are many, are not in it.

CREATE INDEX messages_staff ON messages (contact_id, dispatched_at) WHERE origin = 'console';
