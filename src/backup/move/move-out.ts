/**
 * Writes the successor of a database into one file and closes the database. The file is complete on disk before the
 * database is closed, and the database is closed on disk before the code is shown: until then the file can only become
 * a copy, held. The caller must hold the server's lock and the command lock.
 */
import { closeSync, existsSync, fstatSync, fsyncSync, ftruncateSync, openSync, rmSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { version } from "#src/core/version.ts";
import type { Client } from "#src/db/driver.ts";
import { createPrivateDirectory } from "#src/db/files.ts";
import { readInstance, readMove } from "#src/db/instance.ts";
import {
  type ArchivedFiles,
  archiveEntries,
  entryNames,
  markFinished,
  maxArchiveBytes,
  writeArchive,
} from "../archive/archive.ts";
import { BackupBroken, NameTaken } from "../backup.ts";
import { checkFile, writing } from "../database-file.ts";
import { moveIntoPlace, removeUnfinished, requireFreeSpace, UNFINISHED, writeWhole } from "../files.ts";
import { close, type IdentityOf, type MovedAway, MovedOut, stateOf } from "./original.ts";
import { CODE_VALID_MS, hashCode, judgeMoveOut } from "./states.ts";

/** A copy that no start has held yet: its successor would start without the hold. */
export class CopyNotStarted extends Error {
  override readonly name = "CopyNotStarted";
}

interface MoveOutOptions {
  database: string;
  /** The file's path, and its handle if it was opened by another user: then it is empty. */
  file: { path: string; handle: number | null };
  files: ArchivedFiles;
  code: string;
  now: number;
  host: string;
  /** A new token. */
  marker: string;
  identityOf: IdentityOf;
  /** Called before each step. */
  onStep: (step: string) => void;
}

export interface MovedOutFile {
  file: string;
  bytes: number;
  /** How many files that people sent it holds. */
  media: number;
  expiresAt: number;
  /** Invariants that the database already broke. */
  flaws: string[];
}

/** Throws `MovedOut`, `CopyNotStarted`, `NameTaken`, `InsufficientSpace` and `BackupBroken`; the database is open then. */
export async function moveOut(options: MoveOutOptions): Promise<MovedOutFile> {
  const { database, file, now, host, onStep } = options;
  onStep("checking the database");
  const { about, flaws } = inspect(options);
  const entries = archiveEntries({ about, database, digest: null, files: options.files });
  const path = resolve(file.path);
  const { expiresAt, codeHash } = about.move;
  const move: MovedAway = { state: "out", at: now, expiresAt, codeHash, file: path, host };
  const target = file.handle === null ? createTarget(path, maxArchiveBytes(entries)) : given(file.handle);
  try {
    onStep("writing the file");
    let at = 0;
    for await (const piece of writeArchive(entries, false)) {
      writeWhole(target.handle, piece, at);
      at += piece.length;
    }
    onStep("syncing the file");
    fsyncSync(target.handle);
    await markFinished(target.handle);
    onStep("finishing the file");
    target.finish();
    onStep("closing this database");
    writing(database, (client) => close(client, database, move, options.marker));
  } catch (error) {
    target.discard();
    throw error;
  }
  onStep("closed");
  const media = entries.filter(({ name }) => name.startsWith(entryNames.media)).length;
  return { file: path, bytes: target.bytes(), media, expiresAt, flaws };
}

function inspect(options: MoveOutOptions) {
  const { database, now, host, code, identityOf } = options;
  return writing(database, (client) => {
    const state = stateOf(client, database, identityOf);
    const verdict = judgeMoveOut(state);
    if (verdict.kind === "refused") throw refusal(client, database);
    const { findings, damage } = checkFile(client, now);
    if (damage.length > 0) throw new BackupBroken(damage);
    // The file alone is complete then, and nothing writes to it any more.
    client.pragma("wal_checkpoint(TRUNCATE)");
    const about = {
      ...{ version, instanceId: readInstance(client)?.instanceId ?? "", takenAt: now },
      move: { expiresAt: now + CODE_VALID_MS, codeHash: hashCode(code), host, database: resolve(database) },
    };
    return { about, flaws: findings.map(({ name }) => name) };
  });
}

function refusal(client: Client, database: string): Error {
  const move = readMove(client);
  if (move?.state === "out") return new MovedOut(database, move);
  return new CopyNotStarted(`${database} is a restored copy that was not started yet`);
}

interface Target {
  handle: number;
  /** The file gets its name. */
  finish(): void;
  discard(): void;
  bytes(): number;
}

function createTarget(path: string, bytes: number): Target {
  if (existsSync(path)) throw new NameTaken(`${path} already exists, and a move never replaces a file`);
  createPrivateDirectory(dirname(path));
  removeUnfinished(path);
  requireFreeSpace(dirname(path), bytes, "the move file");
  const unfinished = `${path}${UNFINISHED}-move`;
  const handle = openSync(unfinished, "wx+", 0o600);
  return {
    handle,
    finish() {
      closeSync(handle);
      moveIntoPlace(unfinished, path);
    },
    discard() {
      rmSync(unfinished, { force: true });
      rmSync(path, { force: true });
    },
    bytes: () => statSync(path).size,
  };
}

/** A file whose directory this process may not change. */
function given(handle: number): Target {
  let size = 0;
  return {
    handle,
    finish() {
      size = fstatSync(handle).size;
    },
    discard: () => ftruncateSync(handle, 0),
    bytes: () => size,
  };
}
