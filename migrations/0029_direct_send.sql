-- What the network last answered about messages without a template outside the window (Direct Send), as JSON; null: the account
-- has sent none.
ALTER TABLE account_syncs ADD COLUMN direct_send TEXT;
