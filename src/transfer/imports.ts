/** The rows of the console's imports. `import-jobs.ts` runs them. */
import { and, asc, desc, eq, inArray, lte } from "drizzle-orm";
import { notFound } from "#src/core/problem.ts";
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import { type Import, type ImportSettings, imports } from "./table.ts";

const RETENTION_MS = 7 * 24 * 60 * 60 * 1000;
const LISTED_MAX = 20;

/** Of a file without any decision of a user. */
export const NO_SETTINGS: ImportSettings = { map: {}, optIn: null, proof: "" };

export function createImport(tx: Tx, workspaceId: number, userId: number, fileName: string): Import {
  return tx.db
    .insert(imports)
    .values({
      workspaceId,
      userId,
      fileName,
      state: "given",
      settings: NO_SETTINGS,
      createdAt: tx.now,
      updatedAt: tx.now,
    })
    .returning()
    .get();
}

/** Throws `not_found`, also for an import of another workspace. */
export function getImport(tx: ReadTx, workspaceId: number, id: number): Import {
  const found = tx.db
    .select()
    .from(imports)
    .where(and(eq(imports.workspaceId, workspaceId), eq(imports.id, id)))
    .get();
  if (found === undefined) throw notFound("import");
  return found;
}

/** Newest first. */
export function listImports(tx: ReadTx, workspaceId: number): Import[] {
  return tx.db
    .select()
    .from(imports)
    .where(eq(imports.workspaceId, workspaceId))
    .orderBy(desc(imports.id))
    .limit(LISTED_MAX)
    .all();
}

/** All of them: at most as many as a workspace may keep, and those that are being uploaded. */
export function listAllImports(tx: ReadTx, workspaceId: number): { id: number }[] {
  return tx.db.select({ id: imports.id }).from(imports).where(eq(imports.workspaceId, workspaceId)).all();
}

/** Oldest first. */
export function listEndedImports(tx: ReadTx, workspaceId: number): { id: number }[] {
  return tx.db
    .select({ id: imports.id })
    .from(imports)
    .where(and(eq(imports.workspaceId, workspaceId), inArray(imports.state, ["done", "failed"])))
    .orderBy(asc(imports.id))
    .all();
}

type Changes = Partial<Pick<Import, "state" | "settings" | "outcome" | "error">>;

export function changeImport(tx: Tx, id: number, changes: Changes): Import | undefined {
  return tx.db
    .update(imports)
    .set({ ...changes, updatedAt: tx.now })
    .where(eq(imports.id, id))
    .returning()
    .get();
}

export function removeImport(tx: Tx, id: number): void {
  tx.db.delete(imports).where(eq(imports.id, id)).run();
}

/** Imports that have not changed for a week. The caller deletes their files too. */
export function listOldImports(tx: ReadTx): Import[] {
  return tx.db
    .select()
    .from(imports)
    .where(lte(imports.updatedAt, tx.now - RETENTION_MS))
    .orderBy(asc(imports.id))
    .limit(LISTED_MAX)
    .all();
}

/** Deletes a workspace's finished imports and returns their ids, so that the caller can delete their files. */
export function removeEndedImports(tx: Tx, workspaceId: number): number[] {
  return tx.db
    .delete(imports)
    .where(and(eq(imports.workspaceId, workspaceId), inArray(imports.state, ["done", "failed"])))
    .returning({ id: imports.id })
    .all()
    .map(({ id }) => id);
}
