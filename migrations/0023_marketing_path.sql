-- Whether the account may send marketing templates to the network's endpoint for marketing, in the network's word; null: not
-- known. And the last answer of that endpoint that a message is not its own, as JSON; null: there was none.
ALTER TABLE account_syncs ADD COLUMN marketing_status TEXT;
ALTER TABLE account_syncs ADD COLUMN marketing_refusal TEXT;

-- The endpoint for marketing has answered that the message is not its own (1): the next attempt takes the general one.
ALTER TABLE messages ADD COLUMN fell_back INTEGER NOT NULL DEFAULT 0 CHECK (fell_back IN (0, 1));
