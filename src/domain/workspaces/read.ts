/** Queries for workspaces. */
import { asc, eq, sql } from "drizzle-orm";
import { notFound } from "#src/core/problem.ts";
import { type ReadTx, statement } from "#src/db/transaction.ts";
import { type Workspace, workspaces } from "./table.ts";

const byId = statement((db) =>
  db
    .select()
    .from(workspaces)
    .where(eq(workspaces.id, sql.placeholder("id")))
    .prepare(),
);

export function findWorkspace(tx: ReadTx, id: number): Workspace | undefined {
  return byId(tx).get({ id });
}

/** Throws `not_found`. */
export function getWorkspace(tx: ReadTx, id: number): Workspace {
  const workspace = findWorkspace(tx, id);
  if (workspace === undefined) throw notFound("workspace");
  return workspace;
}

export function listWorkspaces(tx: ReadTx): Workspace[] {
  return tx.db.select().from(workspaces).orderBy(asc(workspaces.id)).all();
}
