/**
 * An online copy of a database that proves itself: taken from one consistent state beside a running server, stamped,
 * opened again, looked over like a database that somebody distrusts, and only then given its name.
 */
import { existsSync, statSync } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import { type Client, openClient } from "#src/db/driver.ts";
import { createPrivateDirectory, createPrivateFile } from "#src/db/files.ts";
import { type BackupMetadata, readInstance, writeBackupMetadata } from "#src/db/instance.ts";
import { schemaVersion } from "#src/db/migrate.ts";
import { type CheckFinding, checkDatabase, countRows } from "#src/health/check.ts";
import { moveIntoPlace, removeDatabase, removeUnfinished, requireFreeSpace, UNFINISHED } from "./files.ts";

export interface Backup {
  file: string;
  bytes: number;
  schema: number;
  counts: Record<string, number>;
  /** How many things were looked at. */
  checks: number;
  /** The state that it shows, milliseconds. */
  at: number;
  /** What is wrong with the database itself, and so with the copy; the copy is kept all the same. */
  findings: CheckFinding[];
}

/** There is something under the name already: a backup never replaces anything. */
export class NameTaken extends Error {
  override readonly name = "NameTaken";
}

/** The copy is not what a backup must be; nothing is left of it. */
export class BackupBroken extends Error {
  override readonly name = "BackupBroken";
  readonly findings: CheckFinding[];
  constructor(findings: CheckFinding[]) {
    super(`the copy is broken: ${findings.map(({ name, ids }) => `${name} (${ids.join("; ")})`).join(", ")}`);
    this.findings = findings;
  }
}

/** A finding that speaks of the file, not of what Waxwing wrote into it. */
export function isDamage(name: string): boolean {
  return name === "integrity" || name === "references";
}

/** Told before each part of the work. */
export type OnStep = (step: string) => void;

/** Runs to its end in this thread: call it in a process or a Worker of its own. `now`: milliseconds. */
export function makeBackup(database: string, file: string, now: number, onStep: OnStep = () => undefined): Backup {
  const target = resolve(file);
  if (existsSync(target)) throw new NameTaken(`there is already something at ${target}; a backup replaces nothing`);
  createPrivateDirectory(dirname(target));
  removeUnfinished(target);
  const unfinished = `${target}${UNFINISHED}-backup`;
  try {
    onStep("copying the database");
    copyDatabase(database, unfinished, { kind: "backup", at: now, hasGap: false });
    const verification = inspectBackup(unfinished, now, onStep);
    // The copy may be at fault then, not the database. Broken invariants came from the database: the copy is as good.
    if (verification.findings.some(({ name }) => isDamage(name))) throw new BackupBroken(verification.findings);
    moveIntoPlace(unfinished, target);
    return { ...verification, file: target, bytes: statSync(target).size, at: now };
  } catch (error) {
    removeDatabase(unfinished);
    throw error;
  }
}

/**
 * Writes the database's state of this moment to a new file, stamped. A reader beside the server's writes: nobody waits,
 * only the log cannot be emptied meanwhile.
 */
export function copyDatabase(database: string, target: string, backupMetadata: BackupMetadata | null): void {
  const source = openClient(database, { readonly: true, fileMustExist: true, timeout: 5_000 });
  try {
    requireFreeSpace(dirname(target), requiredBytes(source), `a copy of ${basename(database)}`);
    createPrivateFile(target);
    // Says how the copy is laid out: what is deleted in it later can be given back to the disk. Where the database is
    // laid out so already, saying it again would be a write.
    if (source.pragma("auto_vacuum", { simple: true }) === 0) source.pragma("auto_vacuum = INCREMENTAL");
    source.prepare("VACUUM INTO ?").run(target);
  } finally {
    source.close();
  }
  const copy = openClient(target, { fileMustExist: true });
  try {
    copy.pragma("synchronous = FULL");
    if (backupMetadata !== null) writeBackupMetadata(copy, backupMetadata);
  } finally {
    copy.close();
  }
}

/** The pages that a copy will have, with a little for what comes on top. */
function requiredBytes(source: Client): number {
  const readPragma = (name: string): number => Number(source.pragma(name, { simple: true }));
  return (
    Math.ceil((readPragma("page_count") - readPragma("freelist_count")) * readPragma("page_size") * 1.05) + 1_000_000
  );
}

/** What a backup's file proves, at this moment. */
export interface VerificationResult extends Pick<Backup, "schema" | "counts" | "checks" | "findings"> {
  /** The state that it shows, milliseconds; null where it does not say. */
  at: number | null;
}

/** Looks a file over that was made before. It only reads; what cannot even be opened as a database is damage. */
export function verifyBackup(file: string, now: number, onStep: OnStep): VerificationResult {
  try {
    return inspectBackup(file, now, onStep);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const finding = {
      name: "integrity",
      sentence: "SQLite finds the file whole.",
      count: 1,
      of: "damage",
      ids: [reason],
      next: "use another backup, and look at the disk that this one is on",
    };
    return { schema: 0, counts: {}, checks: 1, findings: [finding], at: null };
  }
}

function inspectBackup(path: string, now: number, onStep: OnStep): VerificationResult {
  const copy = openClient(path, { readonly: true, fileMustExist: true });
  try {
    const { findings, checked } = checkDatabase(copy, {
      now,
      isExclusive: true,
      onStep: (name) => onStep(`checking ${name}`),
    });
    const isReadable = !findings.some(({ name }) => isDamage(name));
    return {
      schema: schemaVersion(copy),
      counts: isReadable ? countRows(copy) : {},
      checks: checked.length,
      findings,
      at: isReadable ? (readInstance(copy)?.backupMetadata?.at ?? null) : null,
    };
  } finally {
    copy.close();
  }
}
