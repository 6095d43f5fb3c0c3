-- JSON: the message that a free message answers, by its id here (`{"inbound": 7}` or `{"message": 7}`); null if it answers none.
ALTER TABLE messages ADD COLUMN reply_to TEXT;
