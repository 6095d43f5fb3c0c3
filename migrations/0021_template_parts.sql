-- JSON: what the template of a broadcast gets beside values and a linked file (a place, the end of an offer, products, cards
-- with their files, an upload at the top); null if nothing, and once the broadcast is finished.
ALTER TABLE broadcasts ADD COLUMN parts TEXT;
