/**
 * Online backups. A backup is copied from one consistent state of a running server's database, marked with backup
 * metadata, and verified with the full set of checks; only then is it given its name.
 */
import { existsSync, statSync } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import type { Client } from "#src/db/driver.ts";
import { createPrivateDirectory, createPrivateFile } from "#src/db/files.ts";
import { type BackupMetadata, readInstance, writeBackupMetadata } from "#src/db/instance.ts";
import { schemaVersion } from "#src/db/migrate.ts";
import { emptySearchIndex } from "#src/db/search-index.ts";
import { type CheckFinding, checkDatabase, countRows } from "#src/health/check.ts";
import { isDamage, reading, writing } from "./database-file.ts";
import { compareDigest, writeDigest } from "./digest.ts";
import { moveIntoPlace, removeDatabase, removeUnfinished, requireFreeSpace, UNFINISHED } from "./files.ts";

export interface Backup {
  file: string;
  bytes: number;
  schema: number;
  counts: Record<string, number>;
  /** Number of checks made. */
  checks: number;
  /** The time of the state that it holds, in milliseconds. */
  at: number;
  /** SHA-256 of the file, which is also beside it. */
  digest: string;
  /** What is wrong with the database, and therefore with the backup; the backup is kept. */
  findings: CheckFinding[];
}

/** The target path exists: a backup never overwrites a file. */
export class NameTaken extends Error {
  override readonly name = "NameTaken";
}

/** The copy failed verification; it has been deleted. */
export class BackupBroken extends Error {
  override readonly name = "BackupBroken";
  readonly findings: CheckFinding[];
  constructor(findings: CheckFinding[]) {
    super(`the copy is broken: ${findings.map(({ name, ids }) => `${name} (${ids.join("; ")})`).join(", ")}`);
    this.findings = findings;
  }
}

/** Called before each step. */
type OnStep = (step: string) => void;

/**
 * Makes and verifies a backup. Blocks the thread, so call it in its own process or worker. `now`: milliseconds. Throws
 * `NameTaken`, `InsufficientSpace` or `BackupBroken`.
 */
export function makeBackup(database: string, file: string, now: number, onStep: OnStep = () => undefined): Backup {
  const target = resolve(file);
  if (existsSync(target)) throw new NameTaken(`${target} already exists, and a backup never replaces a file`);
  createPrivateDirectory(dirname(target));
  removeUnfinished(target);
  const unfinished = `${target}${UNFINISHED}-backup`;
  try {
    onStep("copying the database");
    copyDatabase(database, unfinished, { kind: "backup", at: now, hasGap: false });
    const verification = inspectBackup(unfinished, now, onStep);
    // Damage may come from the copying, so the copy is rejected. Broken invariants come from the database, so the copy
    // is faithful.
    if (verification.findings.some(({ name }) => isDamage(name))) throw new BackupBroken(verification.findings);
    // The digest first: after a crash in between, it waits for a file that never comes.
    const digest = writeDigest(unfinished, target);
    moveIntoPlace(unfinished, target);
    return { ...verification, file: target, bytes: statSync(target).size, at: now, digest };
  } catch (error) {
    removeDatabase(unfinished);
    throw error;
  }
}

/**
 * Writes a consistent snapshot of the database to a new file, with `backupMetadata` unless null. It only reads the
 * database: writers do not wait, but the WAL cannot be truncated meanwhile. Throws `InsufficientSpace`.
 */
export function copyDatabase(database: string, target: string, backupMetadata: BackupMetadata | null): void {
  reading(database, (source) => {
    requireFreeSpace(dirname(target), requiredBytes(source), `a copy of ${basename(database)}`);
    createPrivateFile(target);
    // Gives the copy incremental auto-vacuum, so that pages freed later can be returned to the disk. If the database
    // already has it, setting the pragma again would be a write.
    if (source.pragma("auto_vacuum", { simple: true }) === 0) source.pragma("auto_vacuum = INCREMENTAL");
    source.prepare("VACUUM INTO ?").run(target);
  });
  writing(target, (copy) => {
    // It is made again from the rows.
    emptySearchIndex(copy);
    copy.pragma("incremental_vacuum");
    if (backupMetadata !== null) writeBackupMetadata(copy, backupMetadata);
  });
}

/** The expected size of a copy, with a margin. */
function requiredBytes(source: Client): number {
  const readPragma = (name: string): number => Number(source.pragma(name, { simple: true }));
  return (
    Math.ceil((readPragma("page_count") - readPragma("freelist_count")) * readPragma("page_size") * 1.05) + 1_000_000
  );
}

/** What verifying a backup found. */
export interface VerificationResult extends Pick<Backup, "schema" | "counts" | "checks" | "findings"> {
  /** The time of the state that it holds, in milliseconds; null if unknown. */
  at: number | null;
  /** Null: there is none beside the file, or it differs. */
  digest: string | null;
}

/** Verifies an existing backup. Read-only. A file that cannot be opened as a database counts as damaged. */
export function verifyBackup(file: string, now: number, onStep: OnStep): VerificationResult {
  try {
    onStep("comparing the digest");
    const state = compareDigest(file);
    if (state.kind === "broken")
      return { schema: 0, counts: {}, checks: 1, findings: [state.finding], at: null, digest: null };
    return { ...inspectBackup(file, now, onStep), digest: state.kind === "same" ? state.digest : null };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const finding = {
      name: "integrity",
      sentence: "SQLite's integrity check passes.",
      count: 1,
      of: "damage",
      ids: [reason],
      next: "use another backup, and check the disk that holds this one",
    };
    return { schema: 0, counts: {}, checks: 1, findings: [finding], at: null, digest: null };
  }
}

function inspectBackup(path: string, now: number, onStep: OnStep): Omit<VerificationResult, "digest"> {
  return reading(path, (copy) => {
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
  });
}
