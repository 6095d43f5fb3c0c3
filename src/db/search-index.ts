/** Empties the search index as a whole, which the indexer then fills again: copies omit it, and a reset changes every row. */
import search from "../../migrations/0039_search.sql" with { type: "text" };
import type { Client } from "./driver.ts";

/** Does nothing in a database of a schema without the index. What the file itself says of the tables is not executed. */
export function emptySearchIndex(client: Client): void {
  const isThere = client.prepare("SELECT 1 FROM main.sqlite_schema WHERE name = 'search_cursors'").get() !== undefined;
  if (isThere) client.exec(`DROP TABLE main.search_index; DROP TABLE main.search_cursors; ${search}`);
}
