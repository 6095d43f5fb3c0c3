-- The order of a template's named placeholders, as JSON: {"header": [..], "body": [..]}. Null: the order in its text.
-- It is stored when a text that was approved changes, so a template that exists keeps the order that its text has now.

ALTER TABLE templates ADD COLUMN parameter_order TEXT;
-- 1: the network has approved it before. A template that exists counts as approved, because callers know its order.
ALTER TABLE templates ADD COLUMN was_approved INTEGER NOT NULL DEFAULT 1 CHECK (was_approved IN (0, 1));

-- The order of the template's placeholders as it was confirmed. Null: the order in the confirmed text.
ALTER TABLE broadcasts ADD COLUMN template_order TEXT;
