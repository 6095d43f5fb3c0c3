/**
 * Replaces the database by a backup: verifies the backup, merges newer rows from the replaced database, and writes
 * backup metadata, so that the next start holds broadcasts. The replaced file is kept. Until the final swap the data of
 * the database does not change. The caller must hold the server's lock and the command lock.
 */
import { existsSync } from "node:fs";
import { basename, resolve } from "node:path";
import type { Client } from "#src/db/driver.ts";
import {
  type Instance,
  readInstance,
  readOrCreateInstanceId,
  writeBackupMetadata,
  writeMove,
} from "#src/db/instance.ts";
import { lockExclusively } from "#src/db/lock.ts";
import { migrate, NewerSchema, schemaVersion } from "#src/db/migrate.ts";
import { migrations } from "#src/db/migrations.ts";
import { compareSchema } from "#src/db/schema-objects.ts";
import { type CheckFinding, checkDatabase, countRows, FOREIGN_SCHEMA } from "#src/health/check.ts";
import { BackupBroken, copyDatabase } from "./backup.ts";
import { isDamage, reading, writing } from "./database-file.ts";
import { compareDigest } from "./digest.ts";
import { findFreeName, removeDatabase, removeUnfinished, swapDatabase, UNFINISHED } from "./files.ts";
import { type MergedCounts, mergeNewer } from "./merge-newer.ts";

/** What happened since the backup is unknown, and the operator has not accepted that. */
export class GapNotAccepted extends Error {
  override readonly name = "GapNotAccepted";
  /** Why the replaced file cannot be used. */
  readonly reason: string;
  /** When the backup was made, in milliseconds; null if unknown. */
  readonly since: number | null;
  constructor(reason: string, since: number | null) {
    super(`newer rows cannot be merged: ${reason}`);
    this.reason = reason;
    this.since = since;
  }
}

/** What a gap loses, in words. */
export const lostWithGap = [
  "opt-outs and other consent: a person who sent STOP may be sent to again",
  "messages sent, and their outcomes and cost",
  "answers kept under idempotency keys: a repeated request may send twice",
  "received messages",
  "payments, revoked keys, rotated secrets, suspensions",
];

interface RestoreOptions {
  /** Milliseconds. */
  now: number;
  acceptGap: boolean;
  newInstanceId: () => string;
  onStep: (step: string) => void;
  /** Called once the result is ready, before it takes the database's place; if it throws, nothing changes. */
  beforeSwap?: (prepared: PreparedRestore) => void;
}

/** The result of preparing a restore, before the swap. */
export interface PreparedRestore {
  /** When the backup was made, in milliseconds; null if unknown. */
  since: number | null;
  counts: Record<string, number>;
  merged: MergedCounts | null;
  /** Why nothing was merged; null if the newer rows were merged. */
  gap: string | null;
  /** The backup's digest was beside it, and is right. */
  hasDigest: boolean;
  /** Invariants that are broken in the result, because the backup or the replaced database already broke them. */
  flaws: string[];
}

export interface RestoreResult extends PreparedRestore {
  /** Path of the replaced database; null if there was none. */
  kept: string | null;
}

export function restoreBackup(file: string, database: string, options: RestoreOptions): RestoreResult {
  removeUnfinished(database, file);
  const paths = { fresh: `${database}${UNFINISHED}-restore`, newer: `${database}${UNFINISHED}-replaced` };
  try {
    const prepared = prepareRestore(file, database, paths, options);
    options.beforeSwap?.(prepared);
    const kept = existsSync(database) ? findFreeName(database, "replaced", options.now) : null;
    if (kept !== null) finalizeReplaced(database, options.now);
    swapDatabase(database, paths.fresh, kept ?? `${database}.replaced`);
    return { ...prepared, kept };
  } finally {
    removeDatabase(paths.fresh);
    removeDatabase(paths.newer);
  }
}

/**
 * Does everything that a restore does up to the swap, then deletes the result. It can run beside a running server,
 * because it only reads the database. A gap is reported, not refused. Throws `LockHeld` if another drill is running.
 */
export function runRestoreDrill(
  file: string,
  database: string,
  options: Omit<RestoreOptions, "acceptGap" | "beforeSwap">,
): PreparedRestore {
  const paths = { fresh: `${database}${UNFINISHED}-drill`, newer: `${database}${UNFINISHED}-drill-replaced` };
  const clear = (): void => {
    removeDatabase(paths.fresh);
    removeDatabase(paths.newer);
  };
  // One drill at a time, whether by the server or by a command.
  const lock = lockExclusively(`${database}.drill-lock`);
  try {
    // Left by an interrupted drill.
    clear();
    return prepareRestore(file, database, paths, { ...options, acceptGap: true });
  } finally {
    clear();
    lock.release();
  }
}

/** Prepares the restored database at `fresh`; `newer` is the path for a copy of the database that it replaces. */
function prepareRestore(
  file: string,
  database: string,
  { fresh, newer }: { fresh: string; newer: string },
  { now, acceptGap, newInstanceId, onStep }: RestoreOptions,
): PreparedRestore {
  onStep("checking the backup");
  const { backup, flaws, hasDigest } = verifySource(file, now);
  onStep("copying it");
  copyDatabase(file, fresh, null);
  writing(fresh, (client) => {
    // The file may have been replaced since it was checked; from here on its schema is executed.
    requireOwnSchema(client);
    migrate(client);
    readOrCreateInstanceId(client, now, newInstanceId);
  });
  onStep("reading the replaced database");
  const since = backup?.backupMetadata?.at ?? null;
  const replaced = inspectReplaced(database, newer, fresh, backup, now);
  const gap = "unusable" in replaced ? replaced.unusable : null;
  if (gap !== null && !acceptGap) throw new GapNotAccepted(gap, since);
  onStep(gap === null ? "merging newer rows" : "no newer rows can be merged");
  const merged = gap === null ? writing(fresh, (client) => mergeNewer(client, newer)) : null;
  // After a merge the result holds the present state, otherwise the backup's.
  const at = gap === null ? now : (since ?? now);
  writing(fresh, (client) => {
    writeBackupMetadata(client, { kind: "restore", at, hasGap: gap !== null });
    // A backup of a database that was closed by a move is open again, as a copy.
    writeMove(client, null);
    // Reused pages keep traces of earlier content. VACUUM removes them, so that no data of a person erased since the
    // backup remains.
    client.exec("VACUUM");
  });
  onStep("checking the result");
  const { findings, counts } = inspectResult(fresh, now);
  // An invariant already broken in either source does not prevent the restore; one broken by the restore does.
  const known = [...flaws, ...("flaws" in replaced ? replaced.flaws : [])];
  const made = findings.filter(({ name }) => !known.includes(name));
  if (made.length > 0) throw new BackupBroken(made);
  return { since, counts, merged, gap, hasDigest, flaws: findings.map(({ name }) => name) };
}

/** Throws `BackupBroken`, `NewerSchema` or `UnknownSchema`. `backup` is null for a database without an instance id. */
function verifySource(file: string, now: number): { backup: Instance | null; flaws: string[]; hasDigest: boolean } {
  const digest = compareDigest(file);
  if (digest.kind === "broken") throw new BackupBroken([digest.finding]);
  return reading(file, (client) => {
    if (schemaVersion(client) > latestSchema()) throw new NewerSchema(schemaVersion(client), latestSchema());
    const { findings } = checkDatabase(client, { now, isExclusive: true });
    if (findings.some(({ name }) => isDamage(name) || name === FOREIGN_SCHEMA)) throw new BackupBroken(findings);
    const hasInstanceTable = client.prepare("SELECT 1 FROM sqlite_master WHERE name = 'instance'").get() !== undefined;
    if (!hasInstanceTable) throw new BackupBroken([foreignDatabase(file)]);
    const hasDigest = digest.kind === "same";
    return { backup: readInstance(client), flaws: findings.map(({ name }) => name), hasDigest };
  });
}

/** Throws before anything of a schema that is not ours can run. */
function requireOwnSchema(client: Client): void {
  const differences = compareSchema(client);
  if (differences.length === 0) return;
  const named = differences.slice(0, 5).map(({ object, kind }) => `${object} (${kind})`);
  throw new Error(`its schema is not that of Waxwing: ${named.join(", ")}`);
}

function foreignDatabase(file: string): CheckFinding {
  return {
    name: "kind",
    sentence: "The file is a Waxwing database.",
    count: 1,
    of: "file",
    ids: [basename(file)],
    next: "name a file made by waxwing backup",
  };
}

/**
 * Copies the replaced database to `newer` and migrates it. Returns why it is unusable, in words, or else which
 * invariants it breaks. Broken invariants do not make it unusable: its opt-outs still count.
 */
function inspectReplaced(
  database: string,
  newer: string,
  fresh: string,
  backup: Instance | null,
  now: number,
): { unusable: string } | { flaws: string[] } {
  if (!existsSync(database)) return { unusable: `there is no database at ${resolve(database)}` };
  try {
    copyDatabase(database, newer, null);
    const { names, instance } = writing(newer, (client) => {
      // `upgrade back`: an older executable reads what it knows of a newer schema.
      if (schemaVersion(client) > latestSchema()) return inspectNewerSchema(client, fresh);
      requireOwnSchema(client);
      migrate(client);
      const { findings } = checkDatabase(client, { now, isExclusive: true });
      return { names: findings.map(({ name }) => name), instance: readInstance(client) };
    });
    if (names.some(isDamage)) return { unusable: `the replaced database fails its check (${names.join(", ")})` };
    if (backup === null || instance === null || !isLaterStateOf(instance, backup) || !hasLaterIds(newer, fresh)) {
      return { unusable: "the replaced database is not a later state of this backup" };
    }
    return { flaws: names };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { unusable: `the replaced database cannot be read (${reason})` };
  }
}

/**
 * Throws if the newer schema lacks a table or column of the schema of `fresh`. Its triggers never run: the merge reads
 * tables only.
 */
function inspectNewerSchema(client: Client, fresh: string): { names: string[]; instance: Instance | null } {
  const columnsOf = (one: Client): string[] =>
    one
      .prepare(
        "SELECT s.name || '.' || c.name FROM sqlite_schema s, pragma_table_info(s.name) c WHERE s.type = 'table'",
      )
      .pluck()
      .all() as string[];
  const found = new Set(columnsOf(client));
  const lacking = reading(fresh, columnsOf).filter((column) => !found.has(column));
  if (lacking.length > 0) throw new Error(`its newer schema lacks ${lacking.slice(0, 5).join(", ")}`);
  const isSound = client.pragma("integrity_check(1)", { simple: true }) === "ok";
  return { names: isSound ? [] : ["integrity"], instance: readInstance(client) };
}

function latestSchema(): number {
  return migrations.at(-1)?.version ?? 0;
}

/** Whether `instance` includes everything that the backup holds. */
function isLaterStateOf(instance: Instance, backup: Instance): boolean {
  if (instance.instanceId === backup.instanceId) return true;
  const at = backup.backupMetadata?.at ?? null;
  return instance.lineage.some((one) => one.id === backup.instanceId && (at === null || at <= one.at));
}

/**
 * A disk image that was restored can leave a database with the same instance id that is older than the backup. Its ids
 * are lower then.
 */
function hasLaterIds(newer: string, fresh: string): boolean {
  const idsOf = (path: string): Map<string, number> =>
    reading(path, (client) => {
      const rows = client.prepare("SELECT name, seq FROM sqlite_sequence").all() as { name: string; seq: number }[];
      return new Map(rows.map(({ name, seq }) => [name, seq]));
    });
  const later = idsOf(newer);
  return [...idsOf(fresh)].every(([table, seq]) => (later.get(table) ?? 0) >= seq);
}

function inspectResult(path: string, now: number): { findings: CheckFinding[]; counts: Record<string, number> } {
  return reading(path, (client) => ({
    findings: checkDatabase(client, { now, isExclusive: true }).findings,
    counts: countRows(client),
  }));
}

/**
 * Checkpoints the WAL and writes backup metadata, so that a server started on the kept file detects a copy. A file that
 * cannot be opened is kept as it is.
 */
function finalizeReplaced(database: string, at: number): void {
  try {
    writing(database, (client) => {
      if (readInstance(client) !== null) writeBackupMetadata(client, { kind: "replaced", at, hasGap: false });
      client.pragma("wal_checkpoint(TRUNCATE)");
    });
  } catch {
    // The file is broken, but it is all that is left of the database. No server can start on it.
  }
}
