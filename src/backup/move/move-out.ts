/**
 * Writes the successor of a database into one file and closes the database. The file is complete on disk before the
 * database is closed, and the database is closed on disk before the code is shown: until then the file can only become
 * a copy, held. The caller must hold the server's lock and the command lock.
 */
import {
  closeSync,
  existsSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import type { Client } from "#src/db/driver.ts";
import { createPrivateDirectory } from "#src/db/files.ts";
import { readInstance, readMove } from "#src/db/instance.ts";
import { schemaVersion } from "#src/db/migrate.ts";
import { checkDatabase, FOREIGN_SCHEMA } from "#src/health/check.ts";
import { BackupBroken, isDamage, NameTaken } from "../backup.ts";
import { moveIntoPlace, removeUnfinished, requireFreeSpace, UNFINISHED } from "../files.ts";
import { isMoveName, MoveFileWriter } from "./archive.ts";
import { close, type IdentityOf, type MovedAway, MovedOut, stateOf, withClient } from "./original.ts";
import { CODE_VALID_MS, hashCode, judgeMoveOut } from "./states.ts";

/** A copy that no start has held yet: its successor would start without the hold. */
export class CopyNotStarted extends Error {
  override readonly name = "CopyNotStarted";
}

/** What the file says about itself, in its entry `move.json`. */
export interface MoveSummary {
  format: 1;
  version: string;
  at: number;
  expiresAt: number;
  codeHash: string;
  host: string;
  database: string;
  instanceId: string;
  schema: number;
  media: { files: number; bytes: number };
}

interface MoveOutOptions {
  database: string;
  /** The file's path, and its handle if it was opened by another user: then it is empty. */
  file: { path: string; handle: number | null };
  /** The master keys as their file has them, whether they are in a file or not. */
  keys: string;
  /** The key file, beside which older keys lie; null: the keys are in the environment. */
  keyFile: string | null;
  /** The text of the configuration; null: there is none. */
  config: string | null;
  mediaDirectory: string;
  code: string;
  now: number;
  host: string;
  version: string;
  /** A new token. */
  marker: string;
  identityOf: IdentityOf;
  /** Called before each step. */
  onStep: (step: string) => void;
}

export interface MovedOutFile {
  file: string;
  bytes: number;
  summary: MoveSummary;
  /** Invariants that the database already broke. */
  flaws: string[];
}

/** Throws `MovedOut`, `CopyNotStarted`, `NameTaken`, `InsufficientSpace` and `BackupBroken`; the database is open then. */
export function moveOut(options: MoveOutOptions): MovedOutFile {
  const { database, file, now, host, onStep } = options;
  onStep("checking the database");
  const { summary, flaws } = inspect(options);
  const path = resolve(file.path);
  const { expiresAt, codeHash } = summary;
  const move: MovedAway = { state: "out", at: now, expiresAt, codeHash, file: path, host };
  const target = file.handle === null ? createTarget(path, requiredBytes(options, summary)) : given(file.handle);
  try {
    write(target.handle, options, summary);
    onStep("finishing the file");
    target.finish();
    onStep("closing this database");
    withClient(database, false, (client) => close(client, database, move, options.marker));
  } catch (error) {
    target.discard();
    throw error;
  }
  onStep("closed");
  return { file: path, bytes: target.bytes(), summary, flaws };
}

function inspect(options: MoveOutOptions): { summary: MoveSummary; flaws: string[] } {
  const { database, now, host, version, code, identityOf, mediaDirectory } = options;
  return withClient(database, false, (client) => {
    const state = stateOf(client, database, identityOf);
    const verdict = judgeMoveOut(state);
    if (verdict.kind === "refused") throw refusal(client, database);
    const { findings } = checkDatabase(client, { now, isExclusive: true });
    const damage = findings.filter(({ name }) => isDamage(name) || name === FOREIGN_SCHEMA);
    if (damage.length > 0) throw new BackupBroken(damage);
    // The file alone is complete then, and nothing writes to it any more.
    client.pragma("wal_checkpoint(TRUNCATE)");
    const media = mediaFiles(mediaDirectory).map((name) => statSync(join(mediaDirectory, name)).size);
    const summary: MoveSummary = {
      ...{ format: 1, version, at: now, expiresAt: now + CODE_VALID_MS, codeHash: hashCode(code), host },
      database: resolve(database),
      instanceId: readInstance(client)?.instanceId ?? "",
      schema: schemaVersion(client),
      media: { files: media.length, bytes: media.reduce((total, size) => total + size, 0) },
    };
    return { summary, flaws: findings.map(({ name }) => name) };
  });
}

function refusal(client: Client, database: string): Error {
  const move = readMove(client);
  if (move?.state === "out") return new MovedOut(database, move);
  return new CopyNotStarted(`${database} is a restored copy that was not started yet`);
}

function write(handle: number, options: MoveOutOptions, summary: MoveSummary): void {
  const { database, keys, keyFile, config, mediaDirectory, onStep } = options;
  const writer = new MoveFileWriter(handle);
  writer.addText("move.json", `${JSON.stringify(summary, null, 2)}\n`);
  onStep("writing the database");
  writer.addFile("waxwing.db", database);
  onStep("writing keys and configuration");
  writer.addText("waxwing.key", keys);
  for (const old of oldKeys(keyFile)) writer.addText(old.name, readFileSync(old.path, "utf8"));
  if (config !== null) writer.addText("waxwing.toml", config);
  onStep("writing media");
  for (const name of mediaFiles(mediaDirectory)) writer.addFile(`media/${name}`, join(mediaDirectory, name));
  onStep("syncing the file");
  writer.finish();
}

/** Complete files only; names sorted as the file needs them. */
function mediaFiles(directory: string): string[] {
  if (!existsSync(directory)) return [];
  return readdirSync(directory)
    .filter((name) => isMoveName(`media/${name}`))
    .sort();
}

/** Keys from before a rotation, which older backups need. */
function oldKeys(keyFile: string | null): { name: string; path: string }[] {
  if (keyFile === null || !existsSync(dirname(keyFile))) return [];
  const prefix = `${basename(keyFile)}.old-`;
  return readdirSync(dirname(keyFile))
    .filter((name) => name.startsWith(prefix))
    .map((name) => ({ name: `waxwing.key.old-${name.slice(prefix.length)}`, path: join(dirname(keyFile), name) }))
    .filter(({ name }) => isMoveName(name))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

function requiredBytes({ database }: MoveOutOptions, { media }: MoveSummary): number {
  return statSync(database).size + media.bytes + media.files * 1_024 + 1_000_000;
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
