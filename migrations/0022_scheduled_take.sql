-- Whether a scheduled message may take the thread from another sender, as its request said it; null: it did not.
ALTER TABLE scheduled_messages ADD COLUMN take INTEGER CHECK (take IN (0, 1));
