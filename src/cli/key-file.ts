/**
 * `waxwing key-file …`: the master key that encrypts stored secrets. A rotation can be interrupted at any moment and
 * repeated: the old key stays in the file until nothing needs it.
 */
import { resolve } from "node:path";
import { requireNotMoved } from "#src/backup/move/original.ts";
import type { Config } from "#src/config/config.ts";
import {
  keepKeyFile,
  type LoadedKeys,
  removeUnfinishedKeyFiles,
  replaceKeyFile,
  SECRET_KEY_VARIABLE,
} from "#src/core/key-file.ts";
import { SECRET_KEY_BYTES } from "#src/core/key-ring.ts";
import { databaseFiles } from "#src/db/files.ts";
import { keepHashKey } from "#src/db/kept-keys.ts";
import { LockHeld, lockExclusively } from "#src/db/lock.ts";
import { type Command, command } from "./command.ts";
import type { Io } from "./context.ts";
import { type Database, loadConfiguredKeys, withDatabase } from "./database.ts";
import { CommandFailure } from "./failure.ts";
import { lines, list } from "./output.ts";
import { countSealed, type Resealed, resealAll } from "./reseal.ts";

export const commands: readonly Command[] = [
  command(
    "key-file show",
    {
      summary: "Show where the master key lies, its id, and what it has encrypted",
      details: "The key itself is not shown.",
    },
    {},
    (context) =>
      withDatabase(context, "read", ({ config, store }) => {
        const keys = loadConfiguredKeys(config, context.io, false);
        const counts = countSealed(store.client);
        const view = {
          source: keys.keyFile === null ? "environment" : "file",
          file: keys.keyFile === null ? null : resolve(keys.keyFile),
          key_id: keys.current().id,
          older_key_ids: olderIds(keys),
          secrets: Object.fromEntries(counts),
          rotation_pending: keys.all().length > 1,
        };
        const text = lines(
          list({
            key: view.file ?? SECRET_KEY_VARIABLE,
            id: view.key_id,
            "older keys": view.older_key_ids.join(", ") || null,
            secrets: [...counts].map(([id, count]) => `${count} with key ${id}`).join(", ") || "none",
          }),
          view.rotation_pending && ["", "A rotation is not complete: waxwing key-file rotate"],
        );
        return { json: view, text };
      }),
  ),
  command(
    "key-file rotate",
    {
      summary: "Make a new master key and encrypt every stored secret with it",
      details:
        "Works while a server runs. If it is interrupted, run it again: the old key is kept until nothing needs it. It is\nthen stored next to the key file, for backups made before.",
    },
    {},
    (context) =>
      withDatabase(context, "read", (database) => {
        const lock = lockCommands(database.config);
        return rotate(database, context.io).finally(() => lock.release());
      }),
  ),
];

async function rotate(database: Database, io: Io) {
  const { config, store } = database;
  requireNotMoved(config.storage.path);
  const keys = loadConfiguredKeys(config, io, false);
  if (keys.keyFile !== null) removeUnfinishedKeyFiles(keys.keyFile);
  const isResumed = keys.all().length > 1;
  if (!isResumed) addKey(keys, io);
  const box = database.box();
  await store.write(() => keepHashKey(store.client, keys, box));
  const resealed = await resealAll(store, box);
  // The server seals in its write transactions, and reads the file again first: one more pass finds what was sealed with
  // the old key just before the file changed, and nothing can be afterwards.
  const late = await resealAll(store, box);
  const olderIdsLeft = olderIds(keys);
  const dropped = dropOlderKeys(keys, io, resealed);
  const view = {
    key_id: keys.current().id,
    older_key_ids: olderIdsLeft,
    resealed: resealed.count + late.count,
    unreadable: resealed.unreadable,
    resumed: isResumed,
    kept: dropped,
  };
  const text = lines(
    `${view.resealed} secrets are now encrypted with key ${view.key_id}.`,
    dropped !== null && `The old key lies in ${dropped}. Backups made before need it; delete it with the last of them.`,
    view.unreadable.length > 0 &&
      `These secrets could not be read with any key and stay as they were: ${view.unreadable.join(", ")}.`,
    keys.keyFile === null && `Now leave the old key out of ${SECRET_KEY_VARIABLE}, and restart the server.`,
    "Keep a copy of the new key apart from the backups.",
  );
  return { json: view, text };
}

/** Writes a new key before the present one. From then on everybody seals with it, and the present one still opens. */
function addKey({ keyFile, all }: LoadedKeys, io: Io): void {
  if (keyFile === null) {
    throw new CommandFailure(
      "key_in_environment",
      `the key comes from ${SECRET_KEY_VARIABLE}, which this command cannot change`,
      `set it to the new key, a space, and the present key (openssl rand -base64 ${SECRET_KEY_BYTES} makes one), restart the server, and run this again`,
    );
  }
  const present = all().map(({ bytes }) => bytes);
  writing(keyFile, () => replaceKeyFile(keyFile, [io.random.bytes(SECRET_KEY_BYTES), ...present], io.random));
}

/** Moves the older keys to a file of their own, and returns its path. Null: they stay where they are. */
function dropOlderKeys(keys: LoadedKeys, io: Io, { unreadable }: Resealed): string | null {
  const { keyFile } = keys;
  const older = keys.all().slice(1);
  if (keyFile === null || older.length === 0 || unreadable.length > 0) return null;
  const kept = `${keyFile}.old-${older.map(({ id }) => id).join("-")}`;
  const bytes = older.map((key) => key.bytes);
  writing(keyFile, () => {
    keepKeyFile(kept, bytes, io.random);
    replaceKeyFile(keyFile, [keys.current().bytes], io.random);
  });
  return resolve(kept);
}

function olderIds(keys: LoadedKeys): string[] {
  return keys
    .all()
    .slice(1)
    .map(({ id }) => id);
}

function writing(keyFile: string, write: () => void): void {
  try {
    write();
  } catch (error) {
    const reason = error instanceof Error && "code" in error ? String(error.code) : String(error);
    throw new CommandFailure(
      "unwritable_key_file",
      `the key file ${resolve(keyFile)} cannot be replaced (${reason}): its directory must be writable for the owner of the data directory`,
      "add the new key as the first line yourself, run this again, and remove the second line when it is done",
    );
  }
}

/**
 * Keeps out other commands that write, rotations too. Such a command may seal a value before its transaction begins; the
 * server seals within its transactions.
 */
function lockCommands({ storage }: Config): { release: () => void } {
  try {
    return lockExclusively(databaseFiles(storage.path).commandLock);
  } catch (error) {
    if (!(error instanceof LockHeld)) throw error;
    throw new CommandFailure("locked", "another command is writing to the database", "wait until it is done");
  }
}
