/** Looking workspaces up. */
import { asc, eq, sql } from "drizzle-orm";
import { notFound } from "#src/core/problem.ts";
import { type Reading, statement } from "#src/db/transaction.ts";
import { type Workspace, workspaces } from "./table.ts";

const byId = statement((db) =>
  db
    .select()
    .from(workspaces)
    .where(eq(workspaces.id, sql.placeholder("id")))
    .prepare(),
);

export function findWorkspace(reading: Reading, id: number): Workspace | undefined {
  return byId(reading).get({ id });
}

/** Throws `not_found`. */
export function getWorkspace(reading: Reading, id: number): Workspace {
  const workspace = findWorkspace(reading, id);
  if (workspace === undefined) throw notFound("workspace");
  return workspace;
}

export function listWorkspaces(reading: Reading): Workspace[] {
  return reading.db.select().from(workspaces).orderBy(asc(workspaces.id)).all();
}
