-- `contacts_born` had its rows by birthday and name, so each contact of an import was written to a page of its own. Here new
-- contacts of a day follow each other: all days together have some hundred pages that are written to. Birthday and name
-- are there for possible duplicates, which are found day by day.

DROP INDEX contacts_born;
DROP INDEX contacts_birthday;
CREATE INDEX contacts_birthday ON contacts (workspace_id, substr(birthday, -5), id, birthday, name COLLATE NOCASE)
  WHERE birthday IS NOT NULL;
