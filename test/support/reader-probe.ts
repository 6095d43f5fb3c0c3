/** Compiled by the executable's test: asks the reader, in an executable, what is in a database. */
import { createReader } from "#src/db/reader.ts";

const reader = createReader(process.argv[2] ?? "");
console.log(JSON.stringify(await reader.query("SELECT id, name FROM workspaces WHERE id = ?", [1])));
reader.close();
