/**
 * Brings in the database of a move file. Everything lies complete beside its place before the file is marked as used,
 * and the mark is on disk before the database gets its place: a move that is killed leaves the file unused, or a marked
 * file and the database beside its place, which the same command then puts there. The caller must hold the server's
 * lock and the command lock.
 */
import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { parseKeys } from "#src/core/key-file.ts";
import { isSameFile } from "#src/db/file-identity.ts";
import { createPrivateDirectory } from "#src/db/files.ts";
import { readInstance, readMove, writeBackupMetadata, writeFileIdentity, writeMove } from "#src/db/instance.ts";
import { NewerSchema, schemaVersion } from "#src/db/migrate.ts";
import { migrations } from "#src/db/migrations.ts";
import { forgetUnknownMarkers } from "#src/db/run-marker.ts";
import { checkDatabase, countRows, FOREIGN_SCHEMA } from "#src/health/check.ts";
import { BackupBroken, isDamage } from "../backup.ts";
import { findFreeName, removeDatabase, requireFreeSpace, swapDatabase, syncDirectory, syncFile } from "../files.ts";
import { isMarkable, MoveFileBroken, markUsed, readMoveFile } from "./archive.ts";
import { extract, type Places } from "./extract.ts";
import type { MoveSummary } from "./move-out.ts";
import { type IdentityOf, withClient } from "./original.ts";
import { type Admission, admit, type CopyReason, type FileUse, hashCode } from "./states.ts";

/** Part of the name of a database that lies beside its place, complete or not. */
const MOVING_IN = ".moving-in";

function movingInPath(database: string): string {
  return `${database}${MOVING_IN}`;
}

/** Why nothing was moved in; nothing was changed. */
export class MoveRefused extends Error {
  override readonly name = "MoveRefused";
  readonly because: "wrong_code" | "not_markable" | "occupied" | "other_keys";
  constructor(because: MoveRefused["because"], message: string) {
    super(message);
    this.because = because;
  }
}

interface MoveInOptions {
  database: string;
  /** Open for reading, and for writing too where that is allowed. */
  handle: number;
  /** Undefined: none was given. */
  code: string | undefined;
  places: Omit<Places, "database">;
  /** Keys in the environment, which take precedence over a file; null: there are none. */
  keysHere: readonly Uint8Array[] | null;
  now: number;
  /** A new one. */
  token: string;
  identityOf: IdentityOf;
  /** Called before each step. */
  onStep: (step: string) => void;
}

export interface MovedIn {
  summary: MoveSummary;
  /** `done`: it was there already. Null: it continues as the original. */
  heldBecause: CopyReason | null;
  isDone: boolean;
  counts: Record<string, number>;
  /** Path of a database without workspaces that was here before; null: there was none. */
  replaced: string | null;
  /** Invariants that the database already broke. */
  flaws: string[];
}

/** Throws `MoveFileBroken`, `MoveRefused`, `BackupBroken`, `NewerSchema` and `InsufficientSpace`. */
export function moveIn(options: MoveInOptions): MovedIn {
  const { database, handle, onStep } = options;
  onStep("checking the file");
  const { summary, use, entries, keys } = inspectFile(handle);
  const admission = admissionOf(options, summary, use);
  if (admission.kind === "done") return { ...outcome(summary, database), isDone: true };
  requirePlace(database);
  requireSameKeys(options.keysHere, keys);
  const fresh = movingInPath(database);
  const { identityOf, now } = options;
  const flaws = admission.kind === "continue" ? [] : prepare(options, { summary, entries, admission }, fresh);
  onStep("putting the database in its place");
  const isSuccessor = admission.kind !== "copy";
  withClient(fresh, false, (client) => {
    client.pragma("synchronous = FULL");
    if (!isSuccessor) return;
    client.transaction(() => {
      client.prepare("UPDATE instance SET backup_metadata = NULL WHERE id = 1").run();
      writeFileIdentity(client, identityOf(fresh));
    })();
    forgetUnknownMarkers(client, database);
  });
  const replaced = existsSync(database) ? findFreeName(database, "replaced", now) : null;
  swapDatabase(database, fresh, replaced ?? `${database}.replaced`);
  onStep("moved in");
  const heldBecause = admission.kind === "copy" ? admission.because : null;
  return { ...outcome(summary, database), heldBecause, replaced, flaws };
}

function outcome(summary: MoveSummary, database: string): MovedIn {
  const counts = withClient(database, true, countRows);
  return { summary, heldBecause: null, isDone: false, counts, replaced: null, flaws: [] };
}

interface FoundEntries {
  databaseBytes: number;
  mediaBytes: number;
}

interface Inspected {
  summary: MoveSummary;
  use: FileUse;
  entries: FoundEntries;
  keys: Uint8Array[];
}

/** Reads the file once, from its first to its last byte, and writes nothing. */
function inspectFile(handle: number): Inspected {
  const entries: FoundEntries = { databaseBytes: 0, mediaBytes: 0 };
  const texts: Record<string, Buffer[]> = { "move.json": [], "waxwing.key": [] };
  const use = readMoveFile(handle, (name, bytes) => {
    if (name === "waxwing.db") entries.databaseBytes = bytes;
    if (name.startsWith("media/")) entries.mediaBytes += bytes;
    const pieces = texts[name];
    if (pieces === undefined) return null;
    return { write: (piece) => pieces.push(Buffer.from(piece)), end: () => undefined };
  });
  const textOf = (name: string): string => Buffer.concat(texts[name] ?? []).toString("utf8");
  const keys = parseKeys(textOf("waxwing.key"));
  if (keys === null || entries.databaseBytes === 0) throw new MoveFileBroken("database or master key is missing in it");
  return { summary: readSummary(textOf("move.json")), use, entries, keys };
}

function requireSameKeys(here: readonly Uint8Array[] | null, moved: readonly Uint8Array[]): void {
  if (here === null) return;
  const isHere = (key: Uint8Array): boolean => here.some((one) => Buffer.from(one).equals(key));
  if (!moved.every(isHere))
    throw new MoveRefused("other_keys", "the master key in the environment is not the one that came with that file");
}

function readSummary(text: string): MoveSummary {
  try {
    const summary = JSON.parse(text) as MoveSummary;
    if (summary.format === 1 && typeof summary.codeHash === "string" && typeof summary.expiresAt === "number")
      return summary;
  } catch {
    // Falls through: it says nothing that this executable can read.
  }
  throw new MoveFileBroken("another version of Waxwing wrote it in a form that this one cannot read");
}

function admissionOf({ database, code, now, identityOf }: MoveInOptions, summary: MoveSummary, use: FileUse) {
  const admission: Admission = admit({
    ...{ use, now, expiresAt: summary.expiresAt },
    code: code === undefined ? "none" : hashCode(code) === summary.codeHash ? "right" : "wrong",
    interruptedToken: tokenOf(movingInPath(database), identityOf),
    presentToken: tokenOf(database, null),
  });
  if (admission.kind === "refused") throw new MoveRefused("wrong_code", "this is not the code of that file");
  return admission;
}

/** The token of a database that came out of a move file. With `identityOf`, only if the file is no copy of it. */
function tokenOf(path: string, identityOf: IdentityOf | null): string | null {
  if (!existsSync(path)) return null;
  try {
    return withClient(path, true, (client) => {
      const move = readMove(client);
      const known = readInstance(client)?.fileIdentity ?? null;
      if (move?.state !== "in") return null;
      const isItself = identityOf === null || (known !== null && isSameFile(known, identityOf(path)));
      return isItself ? move.token : null;
    });
  } catch {
    return null;
  }
}

/** A database without workspaces, as a new installation makes one, is put aside; any other is in the way. */
function requirePlace(database: string): void {
  if (!existsSync(database)) return;
  const hasWorkspace = withClient(database, true, (client) =>
    client.prepare("SELECT EXISTS (SELECT 1 FROM workspaces)").pluck().get(),
  );
  if (hasWorkspace !== 0) throw new MoveRefused("occupied", `there is a database with workspaces at ${database}`);
}

interface Found {
  summary: MoveSummary;
  entries: FoundEntries;
  admission: Admission;
}

/** Everything up to the last step. If it throws, nothing has changed. Returns the invariants that are broken. */
function prepare(options: MoveInOptions, { summary, entries, admission }: Found, fresh: string): string[] {
  const { database, handle, places, token, now, identityOf, onStep } = options;
  const isSuccessor = admission.kind === "successor";
  if (isSuccessor && !isMarkable(handle))
    throw new MoveRefused("not_markable", "that file cannot be written to, so it cannot be marked as used");
  createPrivateDirectory(dirname(database));
  removeDatabase(fresh);
  requireFreeSpace(dirname(database), entries.databaseBytes + 1_000_000, "the database");
  const extraction = extract(handle, { ...places, database: fresh }, entries.mediaBytes, onStep);
  try {
    onStep("checking the database");
    const flaws = requireSound(fresh, now);
    withClient(fresh, false, (client) => {
      client.pragma("synchronous = FULL");
      client.transaction(() => {
        writeBackupMetadata(client, { kind: "move", at: summary.at, hasGap: false });
        writeMove(client, isSuccessor ? { state: "in", at: now, token, from: summary.host } : null);
        if (isSuccessor) writeFileIdentity(client, identityOf(fresh));
      })();
    });
    syncFile(fresh);
    syncDirectory(dirname(fresh));
    extraction.placeKeys();
    if (isSuccessor) {
      onStep("marking the file as used");
      markUsed(handle, now, token);
    }
    return flaws;
  } catch (error) {
    extraction.undo();
    removeDatabase(fresh);
    throw error;
  }
}

function requireSound(path: string, now: number): string[] {
  return withClient(path, true, (client) => {
    const known = migrations.at(-1)?.version ?? 0;
    if (schemaVersion(client) > known) throw new NewerSchema(schemaVersion(client), known);
    const { findings } = checkDatabase(client, { now, isExclusive: true });
    if (findings.some(({ name }) => isDamage(name) || name === FOREIGN_SCHEMA)) throw new BackupBroken(findings);
    return findings.map(({ name }) => name);
  });
}

/** A move into this directory was killed: a start beside it would begin another database in its place. */
export class MoveInterrupted extends Error {
  override readonly name = "MoveInterrupted";
}

/** Throws `MoveInterrupted`. */
export function requireMoveEnded(database: string): void {
  const path = movingInPath(database);
  if (existsSync(path))
    throw new MoveInterrupted(`a move in to this directory did not end: ${path} waits for its place`);
}
