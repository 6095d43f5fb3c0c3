/** Opens the database for the server: lock, key, upgrade, migrations, identity, readers; and closes it again. */

import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { reading } from "#src/backup/database-file.ts";
import { detectCopy, tryRenewRunMarker } from "#src/backup/detect-copy.ts";
import { removeIfEmpty } from "#src/backup/empty-database.ts";
import { requireMoveEnded } from "#src/backup/move/move-in.ts";
import { requireNotMoved } from "#src/backup/move/original.ts";
import { upgradeIfOlder } from "#src/backup/upgrade.ts";
import { usingSetting } from "#src/config/unusable.ts";
import { sleep, systemClock } from "#src/core/clock.ts";
import { newInstanceId } from "#src/core/id.ts";
import { loadKeys, SECRET_KEY_VARIABLE, SecretKeyUnusable } from "#src/core/key-file.ts";
import { bracketed } from "#src/core/plain-address.ts";
import { createSecretBox } from "#src/core/secret.ts";
import { isStorageFailure } from "#src/db/failure.ts";
import { createReaders } from "#src/db/fair-reader.ts";
import { type FileState, FileWatch } from "#src/db/file-watch.ts";
import { createPrivateDirectory, type DatabaseFiles, databaseFiles, makePrivate } from "#src/db/files.ts";
import { readOrCreateInstanceId } from "#src/db/instance.ts";
import { hashKeyOf } from "#src/db/kept-keys.ts";
import { type Lock, LockHeld, lockExclusively } from "#src/db/lock.ts";
import { LogCopier } from "#src/db/log-copier.ts";
import { migrate, schemaVersion } from "#src/db/migrate.ts";
import { openStore, type Store } from "#src/db/store.ts";
import { MediaFiles } from "#src/media/files.ts";
import { MediaLinks } from "#src/media/links.ts";
import type { Environment, Storage } from "./context.ts";

const REPLACED: readonly FileState[] = ["replaced", "log_replaced"];
/** Until the server serves requests, a statement may sleep for the lock of a command, or of the recovery from a crash. */
const BUSY_TIMEOUT_MS = 5_000;

/** Commands hold the lock for a moment, to learn whether a server runs; a server that runs holds it much longer. */
const LOCK_TRIES = 20;
const LOCK_RETRY_MS = 50;

/** Throws `LockHeld`. */
async function lockServer(path: string): Promise<Lock> {
  for (let tries = 1; ; tries += 1) {
    try {
      return usingSetting("storage.path", () => lockExclusively(path), isStorageFailure);
    } catch (error) {
      if (!(error instanceof LockHeld) || tries === LOCK_TRIES) throw error;
      await sleep(systemClock, LOCK_RETRY_MS);
    }
  }
}

export async function openStorage(environment: Environment): Promise<Storage> {
  const { config } = environment;
  const files = databaseFiles(config.storage.path);
  usingSetting("storage.data", () => createPrivateDirectory(config.storage.data));
  usingSetting("storage.path", () => createPrivateDirectory(dirname(files.database)));
  usingSetting("media.directory", () => createPrivateDirectory(config.media.directory));
  const lock = await lockServer(files.serverLock);
  const isNew = !existsSync(files.database);
  try {
    return await openLocked(environment, files, lock);
  } catch (error) {
    if (isNew) removeIfEmpty(files.database, [files.commandLock]);
    lock.release();
    throw error;
  }
}

async function openLocked(environment: Environment, files: DatabaseFiles, lock: Lock): Promise<Storage> {
  const { config, log, clock, socketClock, random, control, readFileIdentity, metrics, onCommit } = environment;
  requireNotMoved(files.database);
  requireMoveEnded(files.database);
  const isNew = !existsSync(files.database);
  // What is no database at all needs no key.
  if (!isNew) usingSetting("storage.path", () => reading(files.database, schemaVersion), isStorageFailure);
  // Before the database, and a new key only for a new database: a lost key is never silently replaced.
  const keys = usingSetting(
    "secrets.key_file",
    () => loadKeys({ keyFile: config.secrets.keyFile, env: process.env, random }, isNew),
    (error) => error instanceof SecretKeyUnusable && process.env[SECRET_KEY_VARIABLE] === undefined,
  );
  const box = createSecretBox(keys, random);
  if (keys.isNew) {
    const kept = "Secrets are encrypted with a new key; keep a copy of it apart from the backups";
    log.info("key.created", kept, { file: keys.keyFile, id: keys.current().id });
  }
  const newId = (): string => newInstanceId(random);
  upgradeIfOlder(files, { now: clock.now(), newInstanceId: newId, readFileIdentity }, log, lock);
  let logCopier: LogCopier | null = null;
  const store: Store = openStore(files.database, {
    clock: socketClock,
    lockClock: systemClock,
    random,
    busyTimeoutMs: BUSY_TIMEOUT_MS,
    hashKey: hashKeyOf(
      () => store.client,
      () => keys,
      () => box,
    ),
    log,
    onCommit(operations, durationMs) {
      metrics.countCommit(operations, durationMs);
      onCommit.emit();
      logCopier?.countCommit();
    },
  });
  for (const { version, name } of migrateOrClose(store))
    log.info("database.migration_applied", "Migration applied", { version, name });
  makePrivate(files.database, `${files.database}-wal`, `${files.database}-shm`);
  const readers = createReaders(files.database, config.limits.queryTimeMs);
  readOrCreateInstanceId(store.client, clock.now(), newId, readFileIdentity(files.database));
  const { instanceId, copy } = await detectCopy(store, files.database, readFileIdentity, newId);
  if (copy !== null)
    log.warn("database.copied", "This database is a copy: it has a new instance id, and its broadcasts are on hold", {
      ...copy,
    });
  // Whatever ran before has written, so the log is there.
  const fileWatch = new FileWatch(files.database);
  store.watchFiles(fileWatch);
  // From now on the writer retries by timer: a sleeping statement would block the only thread.
  store.client.pragma("busy_timeout = 0");
  // Data of a test: it survives the end of the process as ever, and a power cut does not matter.
  if (control !== null) store.client.pragma("synchronous = OFF");
  else
    logCopier = new LogCopier({
      store,
      path: files.database,
      clock: systemClock,
      isInPlace: () => fileWatch.isInPlace(),
    });
  return {
    files,
    fileWatch,
    store,
    readers,
    box,
    media: new MediaFiles(config.media.directory),
    links: new MediaLinks(keys, originOf(config.server)),
    instanceId,
    close({ isClean }) {
      readers.close();
      logCopier?.close();
      const found = fileWatch.look();
      // The database's own file is in place.
      if (found === "log_gone" || found === "log_replaced") tryCopyLog(store);
      if (REPLACED.includes(found)) {
        // Closing would delete the log by its path: the log of another database by now. The process ends soon.
        lock.release();
        return;
      }
      if (isClean) {
        tryRenewRunMarker(store, files.database, newId);
        store.checkpoint();
      }
      store.close();
      lock.release();
    },
  };
}

/** SQLite copies the log when the last connection closes, which may be that of a reader's thread: it only reads. */
function tryCopyLog(store: Store): void {
  try {
    store.copyLog();
  } catch {
    // A disk that cannot be written is a condition already.
  }
}

function migrateOrClose(store: Store): ReturnType<typeof migrate> {
  try {
    return migrate(store.client);
  } catch (error) {
    store.close();
    throw error;
  }
}

/** The server's own address until a public one is set; its port is known when it listens. */
function originOf({ publicUrl, listen }: Environment["config"]["server"]): string {
  return publicUrl?.replace(/\/+$/, "") ?? `http://${bracketed(listen.host)}:${listen.port}`;
}
