-- A form brings several files.
DROP INDEX media_inbound;
CREATE INDEX media_inbound ON media (inbound_id);
