/**
 * The other process in tests of storage: `bun storage-process.ts <what> <path>`. It prints a line when it has done what
 * it was started for, and continues when it reads a line.
 */
import { writeSync } from "node:fs";
import { sql } from "drizzle-orm";
import { openClient } from "#src/db/driver.ts";
import { LockHeld, lockExclusively, lockShared } from "#src/db/lock.ts";
import { openStore } from "#src/db/store.ts";

const [what, path = ""] = process.argv.slice(2);

switch (what) {
  case "write-lock":
    await holdWriteLock();
    break;
  case "exclusive":
    await holdLock(lockExclusively);
    break;
  case "shared":
    await holdLock(lockShared);
    break;
  case "acknowledge":
    acknowledge();
    break;
  case "come-and-go":
    await comeAndGo();
    break;
  case "create":
    await createDatabases();
    break;
  default:
    throw new Error(`what is ${what}?`);
}

async function holdWriteLock(): Promise<void> {
  const client = openClient(path, { timeout: 5_000 });
  client.exec("BEGIN IMMEDIATE");
  say("held");
  await told();
  client.exec("COMMIT");
  client.close();
}

async function holdLock(take: typeof lockShared): Promise<void> {
  try {
    const lock = take(path);
    say("held");
    await told();
    lock.release();
  } catch (error) {
    if (!(error instanceof LockHeld)) throw error;
    say("refused");
  }
}

/** Writes without end, a few at a time, and prints each id once its promise has resolved. */
function acknowledge(): void {
  const store = openStore(path, { busyTimeoutMs: 5_000 });
  let next = Number(store.client.prepare("SELECT coalesce(max(id), 0) + 1 FROM left_rows").pluck().get());
  const writeOne = (): void => {
    const id = next++;
    void store
      .write((tx) => {
        tx.db.run(sql`INSERT INTO left_rows (id) VALUES (${id})`);
        tx.db.run(sql`INSERT INTO right_rows (id) VALUES (${id})`);
        return id;
      })
      .then((written) => {
        say(String(written));
        writeOne();
      });
  };
  for (let queueKey = 0; queueKey < 8; queueKey++) writeOne();
}

/** Opens a new file every 25 ms by the system's clock, as other processes do at the same moment. */
async function createDatabases(): Promise<void> {
  say("ready");
  await told();
  const start = Math.ceil(Date.now() / 1_000) * 1_000;
  for (let file = 0; file < 80; file++) {
    while (Date.now() < start + 25 * file);
    openStore(`${path}-${file}`, { busyTimeoutMs: 0 }).close();
  }
  say("done");
}

/** Opens, writes and closes repeatedly, as commands beside a server do, until it is told to stop. */
async function comeAndGo(): Promise<void> {
  let isTold = false;
  void told().then(() => {
    isTold = true;
  });
  for (let round = 0; !isTold; round++) {
    const store = openStore(path, { busyTimeoutMs: 5_000 });
    await store.write((tx) => void tx.db.run(sql`INSERT INTO left_rows DEFAULT VALUES`));
    store.close();
    if (round === 0) say("running");
  }
}

function say(line: string): void {
  writeSync(1, `${line}\n`);
}

async function told(): Promise<void> {
  for await (const _ of console) return;
}
