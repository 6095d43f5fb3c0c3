/** Locks between processes: one alone or many together, and a process that dies holds nothing. */
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

describe("a lock that another process has alone", () => {
  test("is refused at once, alone and shared, with the file's name", async () => {
    await using database = openTestDatabase();
    await hold(database, "exclusive");
    const path = lockOf(database);
    expect(() => lockExclusively(path)).toThrow(new LockHeld(`another process holds ${path}`));
    expect(() => lockShared(path)).toThrow(LockHeld);
  });

  test("is free when it is released, and when its holder is killed", async () => {
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
  test("is held by many, and keeps out whoever wants it alone until the last has gone", async () => {
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

test("our own lock keeps other processes out, and ourselves as well", async () => {
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

test("a lock that cannot be made says why, and is not mistaken for one that is held", () => {
  try {
    lockExclusively("/nowhere/at/all.lock");
    expect.unreachable();
  } catch (error) {
    expect(error).not.toBeInstanceOf(LockHeld);
  }
});
