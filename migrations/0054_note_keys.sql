-- The key of the form that wrote a note in the console: a repeat finds the note, whatever its age.
ALTER TABLE conversation_notes ADD COLUMN form_key TEXT;
CREATE UNIQUE INDEX conversation_notes_form ON conversation_notes (workspace_id, form_key) WHERE form_key IS NOT NULL;
