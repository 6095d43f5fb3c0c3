/** Compiled by the executable's test: queries the reader, in an executable, for the contents of a database. */
import { createReader } from "#src/db/reader.ts";

const reader = createReader(process.argv[2] ?? "");
console.log(JSON.stringify(await reader.query("SELECT id, name FROM workspaces WHERE id = ?", [1])));
reader.close();
