-- Every key has a list of scopes. Keys that exist now keep the endpoints of 0.1: a key without a list opens all of them,
-- and none of them opens an endpoint that a later version adds.

ALTER TABLE api_keys ADD COLUMN held TEXT NOT NULL DEFAULT '[]';
UPDATE api_keys SET held = coalesce(scopes, '["read","send","broadcast","contacts","templates"]');
ALTER TABLE api_keys DROP COLUMN scopes;
ALTER TABLE api_keys RENAME COLUMN held TO scopes;

-- 1: the key was made by 0.1.
ALTER TABLE api_keys ADD COLUMN is_of_first_version INTEGER NOT NULL DEFAULT 0 CHECK (is_of_first_version IN (0, 1));
UPDATE api_keys SET is_of_first_version = 1;
