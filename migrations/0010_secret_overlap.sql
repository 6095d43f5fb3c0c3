-- A secret that was replaced, and until when it still signs beside its successor. Sealed like `secret`.
ALTER TABLE webhooks ADD COLUMN previous_secret TEXT;
ALTER TABLE webhooks ADD COLUMN previous_until INTEGER;
