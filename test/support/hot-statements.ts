/** Every hot statement of the project, found in the `statements.ts` of its module. */
import { join } from "node:path";
import type { Declared } from "#src/db/hot-statement.ts";
import type { ReadTx } from "#src/db/transaction.ts";
import { checkout, readSources } from "./source.ts";

export interface FoundStatement {
  /** Such as "messages.messageById". */
  name: string;
  statement: ((tx: ReadTx) => unknown) & Declared;
}

/** Files whose name ends in `statements.ts`, such as `src/jobs/statements.ts`. */
export function isStatementFile(path: string): boolean {
  return path.endsWith("/statements.ts") || path.endsWith("-statements.ts");
}

export async function findHotStatements(): Promise<FoundStatement[]> {
  const paths = readSources()
    .map(({ path }) => path)
    .filter(isStatementFile);
  const found = await Promise.all(
    paths.map(async (path) => {
      const exported = Object.entries((await import(join(checkout, path))) as Record<string, unknown>);
      return exported.flatMap(([name, value]) =>
        isHotStatement(value) ? [{ name: `${path.split("/").at(-2)}.${name}`, statement: value }] : [],
      );
    }),
  );
  return found.flat();
}

/** An INSERT of many rows has no text of its own: how many rows a statement has depends on the call. */
function isHotStatement(value: unknown): value is FoundStatement["statement"] {
  return typeof value === "function" && "text" in value;
}
