-- Free messages beside texts: the network's word for what they are (their type is `text`, which means that they need an
-- open window), and JSON of what was sent, without links.
ALTER TABLE messages ADD COLUMN network_type TEXT;
ALTER TABLE messages ADD COLUMN content TEXT;
