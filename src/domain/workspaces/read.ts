/** Queries for workspaces. */
import { asc } from "drizzle-orm";
import { notFound } from "#src/core/problem.ts";
import { remembered } from "#src/db/settings-cache.ts";
import type { ReadTx } from "#src/db/transaction.ts";
import { workspaceById } from "./statements.ts";
import { type Workspace, workspaces } from "./table.ts";

export const findWorkspace = remembered((tx, id: number): Workspace | undefined => workspaceById(tx).get({ id }));

/** Throws `not_found`. */
export function getWorkspace(tx: ReadTx, id: number): Workspace {
  const workspace = findWorkspace(tx, id);
  if (workspace === undefined) throw notFound("workspace");
  return workspace;
}

export function listWorkspaces(tx: ReadTx): Workspace[] {
  return tx.db.select().from(workspaces).orderBy(asc(workspaces.id)).all();
}
