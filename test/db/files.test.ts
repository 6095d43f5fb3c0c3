/** Access to files on disk: directories have mode 0700, files 0600, whatever the umask is. */
import { afterAll, expect, test } from "bun:test";
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createPrivateDirectory, databaseFiles, makePrivate } from "#src/db/files.ts";
import { lockExclusively } from "#src/db/lock.ts";
import { openStore } from "#src/db/store.ts";

const place = mkdtempSync(join(tmpdir(), "waxwing-files-"));
afterAll(() => rmSync(place, { recursive: true, force: true }));

const mode = (path: string): string => (statSync(path).mode & 0o777).toString(8);
const isRoot = process.getuid?.() === 0;

test("a new data directory has mode 0700, and missing parents are created with it", () => {
  const directory = join(place, "a", "b", "data");
  createPrivateDirectory(directory);
  expect(mode(directory)).toBe("700");
});

test("an existing data directory keeps its mode", () => {
  const directory = join(place, "there");
  mkdirSync(directory);
  chmodSync(directory, 0o750);
  createPrivateDirectory(directory);
  expect(mode(directory)).toBe("750");
});

test("protecting files removes every right of group and others; missing files are skipped", () => {
  const file = join(place, "open");
  writeFileSync(file, "x", { mode: 0o666 });
  chmodSync(file, 0o666);
  makePrivate(file, join(place, "missing"));
  expect(mode(file)).toBe("600");
  expect(existsSync(join(place, "missing"))).toBe(false);
});

test("a database, its log and its locks are never readable by others, not even for a moment", () => {
  const umask = process.umask(0o022);
  try {
    const files = databaseFiles(join(place, "waxwing.db"));
    const store = openStore(files.database, { busyTimeoutMs: 0 });
    store.client.exec("CREATE TABLE rows (id INTEGER) STRICT");
    const lock = lockExclusively(files.serverLock);
    for (const path of [files.database, `${files.database}-wal`, `${files.database}-shm`, files.serverLock]) {
      expect(mode(path)).toBe("600");
    }
    lock.release();
    store.close();
  } finally {
    process.umask(umask);
  }
});

test.if(isRoot)("files that root creates in another user's directory belong to that user", () => {
  const SOMEBODY = 54_321;
  const theirs = join(place, "theirs");
  mkdirSync(theirs);
  chownSync(theirs, SOMEBODY, SOMEBODY);
  const inner = join(theirs, "data");
  createPrivateDirectory(inner);
  const file = join(inner, "file");
  writeFileSync(file, "x");
  makePrivate(file);
  for (const path of [inner, file]) {
    const { uid, gid } = statSync(path);
    expect([uid, gid]).toEqual([SOMEBODY, SOMEBODY]);
  }
});
