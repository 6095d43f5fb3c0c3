/**
 * Puts a backup in the place of the database: proven first, with what the replaced file knows and the backup does not,
 * and stamped, so that the next start holds what must not go on by itself. The replaced file is kept. Until the last
 * step, the swap, nothing of the database is changed. For whoever holds the server's and the commands' lock.
 */
import { existsSync } from "node:fs";
import { basename, resolve } from "node:path";
import { type Client, openClient } from "#src/db/driver.ts";
import { type Instance, readInstance, readOrCreateInstanceId, writeBackupMetadata } from "#src/db/instance.ts";
import { lockExclusively } from "#src/db/lock.ts";
import { migrate, NewerSchema, schemaVersion } from "#src/db/migrate.ts";
import { migrations } from "#src/db/migrations.ts";
import { type CheckFinding, checkDatabase, countRows } from "#src/health/check.ts";
import { BackupBroken, copyDatabase, isDamage } from "./backup.ts";
import { findFreeName, removeDatabase, removeUnfinished, swapDatabase, UNFINISHED } from "./files.ts";
import { type MergedCounts, mergeNewer } from "./merge-newer.ts";

/** Nobody can say what happened since the backup, and nobody has said that this is accepted. */
export class GapNotAccepted extends Error {
  override readonly name = "GapNotAccepted";
  /** Why the replaced file does not help. */
  readonly reason: string;
  /** When the backup was made, milliseconds; null where it does not say. */
  readonly since: number | null;
  constructor(reason: string, since: number | null) {
    super(`what happened since the backup cannot be taken over: ${reason}`);
    this.reason = reason;
    this.since = since;
  }
}

/** What is lost with a gap, in words. */
export const lostWithGap = [
  "opt-outs and other consent: somebody who said STOP may be written to again",
  "messages sent, and their outcomes and cost",
  "answers kept under idempotency keys: a repeated request may send a second time",
  "what people wrote in",
  "payments, revoked keys, rotated secrets, suspensions",
];

export interface RestoreOptions {
  /** Milliseconds. */
  now: number;
  acceptGap: boolean;
  newInstanceId: () => string;
  onStep: (step: string) => void;
}

/** What a restore makes, before it takes the database's place. */
export interface PreparedRestore {
  /** When the backup was made, milliseconds; null where it does not say. */
  since: number | null;
  counts: Record<string, number>;
  merged: MergedCounts | null;
  /** Why nothing was taken over; null where something was. */
  gap: string | null;
  /** Invariants that are broken in the result, because the backup or the replaced database broke them already. */
  flaws: string[];
}

export interface RestoreResult extends PreparedRestore {
  /** Where the replaced database is; null where there was none. */
  kept: string | null;
}

export function restoreBackup(file: string, database: string, options: RestoreOptions): RestoreResult {
  removeUnfinished(database, file);
  const paths = { fresh: `${database}${UNFINISHED}-restore`, newer: `${database}${UNFINISHED}-replaced` };
  try {
    const prepared = prepareRestore(file, database, paths, options);
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
 * Everything that a restore would do, up to the swap, and nothing of it stays: beside a running server, which it only
 * reads. A gap is told, not refused. Throws `LockHeld` where another one is under way.
 */
export function runRestoreDrill(
  file: string,
  database: string,
  options: Omit<RestoreOptions, "acceptGap">,
): PreparedRestore {
  const paths = { fresh: `${database}${UNFINISHED}-drill`, newer: `${database}${UNFINISHED}-drill-replaced` };
  const clear = (): void => {
    removeDatabase(paths.fresh);
    removeDatabase(paths.newer);
  };
  // One at a time, whoever it is: the server, or a command beside it.
  const lock = lockExclusively(`${database}.drill-lock`);
  try {
    // Of one that was broken off.
    clear();
    return prepareRestore(file, database, paths, { ...options, acceptGap: true });
  } finally {
    clear();
    lock.release();
  }
}

/** Makes what would be restored, at `fresh`; `newer` is room for a copy of the database that it replaces. */
function prepareRestore(
  file: string,
  database: string,
  { fresh, newer }: { fresh: string; newer: string },
  { now, acceptGap, newInstanceId, onStep }: RestoreOptions,
): PreparedRestore {
  onStep("checking the backup");
  const { backup, flaws } = verifySource(file, now);
  onStep("copying it");
  copyDatabase(file, fresh, null);
  withWritableClient(fresh, (client) => {
    migrate(client);
    readOrCreateInstanceId(client, now, newInstanceId);
  });
  onStep("reading the database that it replaces");
  const since = backup?.backupMetadata?.at ?? null;
  const replaced = inspectReplaced(database, newer, fresh, backup, now);
  const gap = "unusable" in replaced ? replaced.unusable : null;
  if (gap !== null && !acceptGap) throw new GapNotAccepted(gap, since);
  onStep(gap === null ? "taking over what is newer" : "nothing can be taken over");
  const merged = gap === null ? withWritableClient(fresh, (client) => mergeNewer(client, newer)) : null;
  // With everything taken over the copy shows this moment, else that of the backup.
  const at = gap === null ? now : (since ?? now);
  withWritableClient(fresh, (client) => {
    writeBackupMetadata(client, { kind: "restore", at, hasGap: gap !== null });
    // Pages that were filled anew keep traces of what stood there: of somebody who was erased since, nothing may be left.
    client.exec("VACUUM");
  });
  onStep("checking the result");
  const { findings, counts } = inspectResult(fresh, now);
  // What was wrong already in either of them keeps nobody from restoring; what this made wrong does.
  const known = [...flaws, ...("flaws" in replaced ? replaced.flaws : [])];
  const made = findings.filter(({ name }) => !known.includes(name));
  if (made.length > 0) throw new BackupBroken(made);
  return { since, counts, merged, gap, flaws: findings.map(({ name }) => name) };
}

/** Throws `CopyBroken`, `NewerSchema` or `UnknownSchema`. `backup` is null for a database without a name. */
function verifySource(file: string, now: number): { backup: Instance | null; flaws: string[] } {
  return withReadOnlyClient(file, (client) => {
    const known = migrations.at(-1)?.version ?? 0;
    if (schemaVersion(client) > known) throw new NewerSchema(schemaVersion(client), known);
    const { findings } = checkDatabase(client, { now, isExclusive: true });
    if (findings.some(({ name }) => isDamage(name))) throw new BackupBroken(findings);
    const hasInstanceTable = client.prepare("SELECT 1 FROM sqlite_master WHERE name = 'instance'").get() !== undefined;
    if (!hasInstanceTable) throw new BackupBroken([foreignDatabase(file)]);
    return { backup: readInstance(client), flaws: findings.map(({ name }) => name) };
  });
}

function foreignDatabase(file: string): CheckFinding {
  return {
    name: "kind",
    sentence: "It is a database of Waxwing.",
    count: 1,
    of: "file",
    ids: [basename(file)],
    next: "name a file that waxwing backup has made",
  };
}

/**
 * Makes a copy of the replaced database, of this executable's schema, at `newer`, and says why it is of no use, in words;
 * else which invariants it breaks. Those are no reason to forget what it knows: an opt-out counts all the same.
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
    const { names, instance } = withWritableClient(newer, (client) => {
      migrate(client);
      const { findings } = checkDatabase(client, { now, isExclusive: true });
      return { names: findings.map(({ name }) => name), instance: readInstance(client) };
    });
    if (names.some(isDamage)) return { unusable: `the database that is replaced is broken (${names.join(", ")})` };
    if (backup === null || instance === null || !isLaterStateOf(instance, backup) || !hasLaterIds(newer, fresh)) {
      return { unusable: "the database that is replaced is not a later state of this backup" };
    }
    return { flaws: names };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { unusable: `the database that is replaced cannot be read (${reason})` };
  }
}

/** Whether everything that the backup holds happened in `instance` too. */
function isLaterStateOf(instance: Instance, backup: Instance): boolean {
  if (instance.instanceId === backup.instanceId) return true;
  const at = backup.backupMetadata?.at ?? null;
  return instance.lineage.some((one) => one.id === backup.instanceId && (at === null || at <= one.at));
}

/** A disk that was put back leaves a database of the same name that is older than its own backup. */
function hasLaterIds(newer: string, fresh: string): boolean {
  const idsOf = (path: string): Map<string, number> =>
    withReadOnlyClient(path, (client) => {
      const rows = client.prepare("SELECT name, seq FROM sqlite_sequence").all() as { name: string; seq: number }[];
      return new Map(rows.map(({ name, seq }) => [name, seq]));
    });
  const later = idsOf(newer);
  return [...idsOf(fresh)].every(([table, seq]) => (later.get(table) ?? 0) >= seq);
}

function inspectResult(path: string, now: number): { findings: CheckFinding[]; counts: Record<string, number> } {
  return withReadOnlyClient(path, (client) => ({
    findings: checkDatabase(client, { now, isExclusive: true }).findings,
    counts: countRows(client),
  }));
}

/** Its log goes into it, and a stamp says what it is; a file that cannot be opened is put aside as it is. */
function finalizeReplaced(database: string, at: number): void {
  try {
    withWritableClient(database, (client) => {
      if (readInstance(client) !== null) writeBackupMetadata(client, { kind: "replaced", at, hasGap: false });
      client.pragma("wal_checkpoint(TRUNCATE)");
    });
  } catch {
    // Broken as it is, it is what is left of the database: nobody can stamp it, and nobody can start on it.
  }
}

function withReadOnlyClient<T>(path: string, work: (client: Client) => T): T {
  return withClient(openClient(path, { readonly: true, fileMustExist: true, timeout: 5_000 }), work);
}

function withWritableClient<T>(path: string, work: (client: Client) => T): T {
  const client = openClient(path, { fileMustExist: true, timeout: 5_000 });
  client.pragma("synchronous = FULL");
  client.pragma("foreign_keys = ON");
  return withClient(client, work);
}

function withClient<T>(client: Client, work: (client: Client) => T): T {
  try {
    return work(client);
  } finally {
    client.close();
  }
}
