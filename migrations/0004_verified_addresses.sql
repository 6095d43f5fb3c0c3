-- When the user showed to receive what is sent to the address; null: not yet. Accounts that exist keep working as they are.

ALTER TABLE users ADD COLUMN email_verified_at INTEGER;
