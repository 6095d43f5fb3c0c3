/**
 * Commands that are one transaction on the database. `createCommand` also creates a missing database. A list is declared
 * by its rows, which are its JSON, and by what a table shows of each.
 */
import { sleep } from "#src/core/clock.ts";
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import { getWorkspace, listWorkspaces } from "#src/domain/workspaces/read.ts";
import type { Workspace } from "#src/domain/workspaces/table.ts";
import { type Command, command, type Says } from "./command.ts";
import type { Context } from "./context.ts";
import { type Database, withDatabase } from "./database.ts";
import { number, type Options, type Values, workspaceFilter } from "./option.ts";
import { type Cells, listed, type Report } from "./output.ts";

/** Checks the values, and returns the work for the transaction: a mistake is reported before the database is opened. */
type Act<Transaction, Declared> = (
  values: Values<Declared>,
  context: Context,
) => Work<Transaction> | Promise<Work<Transaction>>;
type Work<Transaction> = (tx: Transaction, database: Database) => Report;

export function readCommand<Declared extends Options>(
  words: string,
  says: Says,
  declared: Declared,
  act: Act<ReadTx, Declared>,
): Command {
  return command(words, says, declared, async (context, values) => {
    const work = await act(values, context);
    return withDatabase(context, "read", (database) => database.store.read((tx) => work(tx, database)));
  });
}

function writing(purpose: "write" | "create") {
  return <Declared extends Options>(words: string, says: Says, declared: Declared, act: Act<Tx, Declared>): Command =>
    command(words, says, declared, async (context, values) => {
      const work = await act(values, context);
      return withDatabase(context, purpose, (database) => database.store.write((tx) => work(tx, database)));
    });
}

export const writeCommand = writing("write");
export const createCommand = writing("create");

/** What belongs to workspaces, with the option `--workspace` for only one of them. */
export function listCommand<Row extends object, Declared extends Options>(
  words: string,
  says: Says,
  declared: Declared,
  parts: {
    rows(tx: ReadTx, workspaces: readonly Workspace[], values: Values<Declared>): Row[];
    columns(row: Row): Cells;
    /** Printed instead of an empty table. */
    empty: string;
  },
): Command {
  return readCommand(words, says, { workspace: workspaceFilter, ...declared }, (values) => (tx) => {
    // The compiler does not see the types of single values behind a type parameter.
    const { workspace } = values as Values<{ workspace: typeof workspaceFilter }>;
    return listed(parts.rows(tx, workspacesOf(tx, workspace), values), parts.columns, parts.empty);
  });
}

const NEWEST = 50;
export const limitOption = number("N", `Maximum number shown (default: ${NEWEST})`);

/** The newest rows of all workspaces, of which `read` gives up to `limit` each. */
export function newest<Row extends { id: number }>(
  workspaces: readonly Workspace[],
  limit: number | undefined,
  read: (workspace: Workspace, limit: number) => Row[],
): Row[] {
  const max = limit ?? NEWEST;
  const rows = workspaces.flatMap((workspace) => read(workspace, max));
  return rows.toSorted((a, b) => b.id - a.id).slice(0, max);
}

/** The workspace with this id (throws `not_found`), or all workspaces. */
export function workspacesOf(tx: ReadTx, id: number | undefined): Workspace[] {
  return id === undefined ? listWorkspaces(tx) : [getWorkspace(tx, id)];
}

/** Pause between two batches, so that a running server can write too. */
const GAP_MS = 5;

/** Writes batch by batch until `batch` returns true, which means that nothing is left. */
export async function writeInBatches({ io }: Context, { store }: Database, batch: (tx: Tx) => boolean): Promise<void> {
  while (!(await store.write(batch))) await sleep(io.clock, GAP_MS);
}
