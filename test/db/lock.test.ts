/** Locks between processes, exclusive or shared. A process that dies releases its locks. */
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { databaseFiles } from "#src/db/files.ts";
import { LockHeld, lockExclusively, lockShared } from "#src/db/lock.ts";
import { openTestDatabase, type TestDatabase } from "../support/database.ts";

// Real processes and real commits on a machine that may be busy with other tests.
setDefaultTimeout(60_000);

const lockOf = ({ path }: TestDatabase): string => databaseFiles(path).serverLock;

async function hold(database: TestDatabase, how: "exclusive" | "shared"): Promise<ReturnType<TestDatabase["spawn"]>> {
  const other = database.spawn(how, lockOf(database));
  expect(await other.line()).toBe("held");
  return other;
}

describe("an exclusive lock", () => {
  test("of another process refuses exclusive and shared locks at once, with the file's name", async () => {
    await using database = openTestDatabase();
    await hold(database, "exclusive");
    const path = lockOf(database);
    expect(() => lockExclusively(path)).toThrow(new LockHeld(`another process holds ${path}`));
    expect(() => lockShared(path)).toThrow(LockHeld);
  });

  test("can be taken again once its holder releases it or is killed", async () => {
    await using database = openTestDatabase();
    const released = await hold(database, "exclusive");
    released.tell("release");
    expect(await released.exited).toBe(0);
    lockExclusively(lockOf(database)).release();

    const killed = await hold(database, "exclusive");
    await killed.kill();
    lockExclusively(lockOf(database)).release();
  });
});

describe("a shared lock", () => {
  test("is held by several processes and refuses an exclusive lock until the last one is released", async () => {
    await using database = openTestDatabase();
    const path = lockOf(database);
    const first = await hold(database, "shared");
    const mine = lockShared(path);
    expect(() => lockExclusively(path)).toThrow(LockHeld);
    await first.kill();
    expect(() => lockExclusively(path)).toThrow(LockHeld);
    mine.release();
    lockExclusively(path).release();
  });
});

test("an exclusive lock of this process refuses other processes, and a second lock of its own", async () => {
  await using database = openTestDatabase();
  const path = lockOf(database);
  const lock = lockExclusively(path);
  expect(() => lockExclusively(path)).toThrow(LockHeld);
  for (const how of ["exclusive", "shared"]) expect(await database.spawn(how, path).line()).toBe("refused");
  lock.release();
  await hold(database, "shared");
});

test("the lock does not touch the database beside it", async () => {
  await using database = openTestDatabase({ schema: true });
  const lock = lockExclusively(lockOf(database));
  database.connect().exec("DELETE FROM workspaces");
  await database.store.write(() => null);
  lock.release();
});

test("a lock file that cannot be created is reported with the reason, and not as a held lock", () => {
  try {
    lockExclusively("/nowhere/at/all.lock");
    expect.unreachable();
  } catch (error) {
    expect(error).not.toBeInstanceOf(LockHeld);
  }
});
