-- The last change of a template's category that the network announced or made, as JSON, and when it takes or took effect.
ALTER TABLE templates ADD COLUMN category_change TEXT;
ALTER TABLE templates ADD COLUMN category_change_at INTEGER;
CREATE INDEX templates_category_change ON templates (category_change_at) WHERE category_change_at IS NOT NULL;
