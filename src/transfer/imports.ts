/** The rows of imports: those of the console, which `import-jobs.ts` runs, and those of the command line. */
import { and, asc, desc, eq, inArray, isNotNull, isNull, lte, type SQL, sql } from "drizzle-orm";
import { notFound } from "#src/core/problem.ts";
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import {
  type GivenCommand,
  type Import,
  type ImportProgress,
  type ImportSettings,
  type ImportTold,
  imports,
} from "./table.ts";

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

/** An import of the command line, whose file stays where it is. */
export function createCommandImport(tx: Tx, workspaceId: number, fileName: string, command: GivenCommand): Import {
  const settings: ImportSettings = { ...NO_SETTINGS, command };
  const times = { createdAt: tx.now, updatedAt: tx.now };
  return tx.db
    .insert(imports)
    .values({ workspaceId, userId: null, fileName, state: "importing", settings, ...times })
    .returning()
    .get();
}

export function findCommandImport(tx: ReadTx, id: number): Import | undefined {
  return tx.db
    .select()
    .from(imports)
    .where(and(eq(imports.id, id), isNull(imports.userId)))
    .get();
}

/** Those of the command line that have not ended, newest first. */
export function listUnfinishedCommandImports(tx: ReadTx): { id: number }[] {
  return tx.db
    .select({ id: imports.id })
    .from(imports)
    .where(and(isNull(imports.userId), eq(imports.state, "importing")))
    .orderBy(desc(imports.id))
    .limit(LISTED_MAX)
    .all();
}

/** Begins a run: from now on it alone may write. Throws `not_found`. */
export function beginRun(tx: Tx, id: number): Pick<Import, "id" | "run" | "progress"> {
  const begun = tx.db
    .update(imports)
    .set({ run: sql`${imports.run} + 1`, updatedAt: tx.now })
    .where(eq(imports.id, id))
    .returning({ id: imports.id, run: imports.run, progress: imports.progress })
    .get();
  if (begun === undefined) throw notFound("import");
  return begun;
}

/** Removes an import that wrote nothing. */
export function removeUnbegunImport(tx: Tx, id: number): void {
  tx.db
    .delete(imports)
    .where(and(eq(imports.id, id), isNull(imports.progress)))
    .run();
}

export function isLastRun(tx: ReadTx, { id, run }: Pick<Import, "id" | "run">): boolean {
  return tx.db.select({ run: imports.run }).from(imports).where(eq(imports.id, id)).get()?.run === run;
}

export function saveProgress(tx: Tx, id: number, progress: ImportProgress & ImportTold): void {
  tx.db.update(imports).set({ progress, updatedAt: tx.now }).where(eq(imports.id, id)).run();
}

/** The imports of a workspace whose file the server keeps. */
function ofConsole(workspaceId: number): SQL | undefined {
  return and(eq(imports.workspaceId, workspaceId), isNotNull(imports.userId));
}

/** Throws `not_found`, also for an import of another workspace. */
export function getImport(tx: ReadTx, workspaceId: number, id: number): Import {
  const found = tx.db
    .select()
    .from(imports)
    .where(and(ofConsole(workspaceId), eq(imports.id, id)))
    .get();
  if (found === undefined) throw notFound("import");
  return found;
}

/** Newest first. */
export function listImports(tx: ReadTx, workspaceId: number): Import[] {
  return tx.db.select().from(imports).where(ofConsole(workspaceId)).orderBy(desc(imports.id)).limit(LISTED_MAX).all();
}

/** All of them: at most as many as a workspace may keep, and those that are being uploaded. */
export function listAllImports(tx: ReadTx, workspaceId: number): { id: number }[] {
  return tx.db.select({ id: imports.id }).from(imports).where(ofConsole(workspaceId)).all();
}

/** Oldest first. */
export function listEndedImports(tx: ReadTx, workspaceId: number): { id: number }[] {
  return tx.db
    .select({ id: imports.id })
    .from(imports)
    .where(and(ofConsole(workspaceId), inArray(imports.state, ["done", "failed"])))
    .orderBy(asc(imports.id))
    .all();
}

type Changes = Partial<Pick<Import, "state" | "settings" | "outcome" | "error" | "progress">>;

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
