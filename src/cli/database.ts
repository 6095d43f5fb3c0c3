/**
 * Opens the database for a command, with or without a running server. Only a command with purpose `create` creates a
 * missing database, with its directory and key; all others fail and name the path. A database with another schema is
 * refused. Commands that write hold a lock, so that the file is not replaced while they run.
 */
import { statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { removeIfEmpty } from "#src/backup/empty-database.ts";
import { requireNotMoved } from "#src/backup/move/original.ts";
import type { Config } from "#src/config/config.ts";
import { newInstanceId } from "#src/core/id.ts";
import { type LoadedKeys, loadKeys } from "#src/core/key-file.ts";
import { once } from "#src/core/once.ts";
import { createSecretBox, type SecretBox } from "#src/core/secret.ts";
import { readFileIdentity } from "#src/db/file-identity.ts";
import { createPrivateDirectory, type DatabaseFiles, databaseFiles, makePrivate } from "#src/db/files.ts";
import { readOrCreateInstanceId } from "#src/db/instance.ts";
import { hashKeyOf } from "#src/db/kept-keys.ts";
import { type Lock, LockHeld, lockExclusively, lockShared } from "#src/db/lock.ts";
import { migrate, NewerSchema, schemaVersion } from "#src/db/migrate.ts";
import { migrations } from "#src/db/migrations.ts";
import { openStore, type Store } from "#src/db/store.ts";
import type { Context, Io } from "./context.ts";
import { listRunningDevs } from "./dev/running-devs.ts";
import { CommandFailure } from "./failure.ts";

export interface Database {
  readonly config: Config;
  readonly store: Store;
  /** Seals and opens stored secrets. The key is loaded at the first call. */
  box(): SecretBox;
  /** Takes the server's lock; null if a server is running. */
  lockServer(): Lock | null;
}

/** `create` includes writing. */
type Purpose = "read" | "write" | "create";

/** How long a statement may block on another process's lock; the server's own writes take milliseconds. */
const BUSY_TIMEOUT_MS = 5_000;

/** Opens the configured database for `work` and closes it afterwards, even if `work` fails. */
export async function withDatabase<T>(
  context: Context,
  purpose: Purpose,
  work: (database: Database) => Promise<T> | T,
): Promise<T> {
  const config = allowLocalReceivers(context.loadConfig(), context.io);
  const files = databaseFiles(config.storage.path);
  const exists = fileExists(files.database);
  if (!exists && purpose !== "create") throw noDatabase(files.database);
  if (!exists) createDataDirectory(config, context);
  const lock = purpose === "read" ? null : lockForWriting(files);
  try {
    if (purpose !== "read") requireNotMoved(files.database);
    const keys = once(() => loadConfiguredKeys(config, context.io, false));
    const box = once(() => createSecretBox(keys(), context.io.random));
    const hashKey = hashKeyOf(() => store.client, keys, box);
    const store: Store = open(files, purpose, context.io, () => hashKey());
    try {
      return await work({
        config,
        store,
        box,
        lockServer: () => tryLockServer(files),
      });
    } finally {
      store.close();
    }
  } finally {
    lock?.release();
    if (!exists) removeIfEmpty(files.database, [files.serverLock, files.commandLock]);
  }
}

/** Under test control, and so beside dev, receivers are local addresses, for a command as for the server. */
function allowLocalReceivers(config: Config, io: Io): Config {
  const data = resolve(config.storage.data);
  const isTest = config.simulator.control || listRunningDevs(io).some((dev) => resolve(dev.data) === data);
  return isTest ? { ...config, webhooks: { ...config.webhooks, allowHttp: true, allowPrivate: true } } : config;
}

/** The directories of the database and of its companions, where they are missing. */
export function createDirectories({ storage }: Config): void {
  createPrivateDirectory(dirname(resolve(storage.path)));
  createPrivateDirectory(resolve(storage.data));
}

/**
 * Creates the key before the database: every database then has had a key, so a missing key is lost and never replaced.
 */
function createDataDirectory(config: Config, { io, options }: Context): void {
  createDirectories(config);
  const { isNew, keyFile, current } = loadConfiguredKeys(config, io, true);
  // A program reads stdout and may take anything on stderr for a fault; `key-file show` tells it the same.
  if (isNew && keyFile !== null && !options.json) {
    io.err(
      `Secrets are encrypted with a new key (${current().id}) in ${resolve(keyFile)}. Keep a copy of it apart from the backups.\n`,
    );
  }
}

export function loadConfiguredKeys({ secrets }: Config, { env, random }: Io, create: boolean): LoadedKeys {
  return loadKeys({ keyFile: secrets.keyFile, env, random }, create);
}

function open(files: DatabaseFiles, purpose: Purpose, { clock, random }: Io, hashKey: () => Uint8Array): Store {
  const store = openStore(files.database, { busyTimeoutMs: BUSY_TIMEOUT_MS, clock, random, hashKey });
  try {
    const found = schemaVersion(store.client);
    const known = migrations.at(-1)?.version ?? 0;
    if (found > known) throw new NewerSchema(found, known);
    if (found < known && !(purpose === "create" && found === 0)) throw olderSchema(files.database, found, known);
    if (found === 0) migrate(store.client);
    if (purpose === "create") {
      readOrCreateInstanceId(store.client, clock.now(), () => newInstanceId(random), readFileIdentity(files.database));
    }
    makePrivate(files.database, `${files.database}-wal`, `${files.database}-shm`);
    return store;
  } catch (error) {
    store.close();
    throw error;
  }
}

function lockForWriting(files: DatabaseFiles): Lock {
  try {
    return lockShared(files.commandLock);
  } catch (error) {
    if (!(error instanceof LockHeld)) throw error;
    throw new CommandFailure(
      "locked",
      `the database ${resolve(files.database)} is being replaced by another process (a restore or an upgrade)`,
      "wait until that is done, then try again",
    );
  }
}

function tryLockServer(files: DatabaseFiles): Lock | null {
  try {
    return lockExclusively(files.serverLock);
  } catch (error) {
    if (error instanceof LockHeld) return null;
    throw error;
  }
}

/** Whether a server runs on the database at this path. */
export function isServed(database: string): boolean {
  const files = databaseFiles(database);
  if (!fileExists(files.serverLock)) return false;
  const lock = tryLockServer(files);
  lock?.release();
  return lock === null;
}

export function fileExists(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : String(error);
    if (code === "ENOENT" || code === "ENOTDIR") return false;
    throw new CommandFailure(
      "unavailable",
      `the database ${resolve(path)} cannot be read (${code})`,
      "run this as the owner of the data directory, or as root",
    );
  }
}

export function noDatabase(path: string): CommandFailure {
  return new CommandFailure(
    "no_database",
    `there is no database at ${resolve(path)}`,
    "name the right directory with --data DIR (or the configuration with --config FILE), or create a database with waxwing workspace create",
  );
}

function olderSchema(path: string, found: number, known: number): CommandFailure {
  return new CommandFailure(
    "older_schema",
    `the database ${resolve(path)} has schema ${found}, and this executable needs schema ${known}`,
    "start the server with this executable once to migrate the database (make a backup first)",
  );
}
