/** The thread that copies the log into the database beside the writer: with real files, connections and threads. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Clock, systemClock } from "#src/core/clock.ts";
import { openClient } from "#src/db/driver.ts";
import { LogCopier } from "#src/db/log-copier.ts";
import { openStore, type Store } from "#src/db/store.ts";

const LIMIT_MS = 20_000;
/** Of a row that fills most of a page. */
const TEXT = "x".repeat(3_500);

let directory: string;
let path: string;
let store: Store;
let copier: LogCopier;
let written: number;
let isInPlace: boolean;
/** The copier's time, in milliseconds: how busy the server is does not depend on how busy the machine is. */
let now: number;
const clock: Clock = { ...systemClock, monotonic: () => now };
/** With eight commits in 300 ms the server is busy, in 450 it is not. Four busy pauses outlast the wait after a failure. */
const BUSY_PAUSE_MS = 300;
const QUIET_PAUSE_MS = 450;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "waxwing-log-"));
  path = join(directory, "waxwing.db");
  written = 0;
  isInPlace = true;
  now = 0;
  open(path);
});

afterEach(() => {
  if (store.client.open) {
    copier.close();
    store.close();
  }
  rmSync(directory, { recursive: true, force: true });
});

function open(pathOfThread: string): void {
  store = openStore(path, { busyTimeoutMs: 0, onCommit: () => copier.countCommit() });
  store.client.exec("CREATE TABLE rows (id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT");
  copier = new LogCopier({ store, path: pathOfThread, clock, isInPlace: () => isInPlace });
}

/** Commits `rows` rows at a time. 80 commits of a hundred are as many pages as the thread waits for. */
async function write(commits: number, rows = 100): Promise<void> {
  const insert = store.client.prepare("INSERT INTO rows (text) VALUES (?)");
  for (let commit = 0; commit < commits; commit++) {
    await store.write(() => {
      for (let row = 0; row < rows; row++) insert.run(TEXT);
    });
    written += rows;
    now += 1;
  }
}

async function until(holds: () => boolean): Promise<void> {
  const deadline = performance.now() + LIMIT_MS;
  while (!holds()) {
    if (performance.now() > deadline) throw new Error("it does not happen");
    await Bun.sleep(2);
  }
}

/** If the thread could not copy, the next commits ask it again. If it was late, one of them has begun the log anew. */
async function untilCopied(): Promise<void> {
  let before = 0;
  for (let round = 0; round < 8; round++) {
    const { pages } = store.logState();
    expect(pages).toBeLessThan(10_000);
    if (pages < before) return;
    before = pages;
    const askedAt = performance.now();
    // The thread may be late on a busy machine.
    while (performance.now() - askedAt < LIMIT_MS / 2) {
      if (store.logState().copied === pages) return;
      await Bun.sleep(2);
    }
    now += BUSY_PAUSE_MS;
    await write(8);
  }
  throw new Error("the log is not copied");
}

/** Mode and first byte of each lock that this process holds on the file. */
function locksOf(file: string): string[] {
  const { ino } = statSync(file);
  return readFileSync("/proc/locks", "utf8")
    .split("\n")
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , , , pid, place]) => pid === String(process.pid) && place?.endsWith(`:${ino}`))
    .map(([, , , mode, , , start]) => `${mode} ${start}`);
}

/** Each row fills a page. Once the log is copied, the next commit restarts it. */
function hasCopied(): boolean {
  const { pages, copied } = store.logState();
  return copied > 0 || pages < written;
}

/** What another process finds once this one has closed the database. */
function whatIsStored(): { count: number; integrity: string } {
  const client = openClient(path, { readonly: true });
  try {
    const { count } = client.prepare("SELECT count(*) AS count FROM rows").get() as { count: number };
    return { count, integrity: client.pragma("integrity_check", { simple: true }) as string };
  } finally {
    client.close();
  }
}

describe("the log of a busy server", () => {
  test("is copied before the writer would do it, and restarts", async () => {
    for (let round = 0; round < 6; round++) {
      // One commit begins the log anew, and the last of the others asks the thread.
      await write(round === 0 ? 80 : 79);
      await untilCopied();
      await write(1);
      // Those of one commit, or of all that have been written since a late copy.
      expect(store.logState().pages).toBeLessThan(1_200);
    }
    copier.close();
    store.close();
    expect(whatIsStored()).toEqual({ count: written, integrity: "ok" });
  });

  // The system releases a process's locks on a file when any descriptor of it is closed.
  test.skipIf(process.platform !== "linux")("keeps its locks, although the thread closes its connection", async () => {
    await write(80);
    await untilCopied();
    expect(locksOf(path)).toContain("READ 1073741826");
    // Of the log's index: it says that the database is open.
    expect(locksOf(`${path}-shm`)).toContain("READ 128");
  });

  test("is copied as far as no reader of an older state needs it", async () => {
    const reader = openClient(path, { readonly: true });
    reader.exec("BEGIN");
    reader.prepare("SELECT count(*) FROM rows").get();
    await write(88);
    await Bun.sleep(50);
    // The table's own pages.
    expect(store.logState().copied).toBeLessThan(20);
    expect(store.logState().pages).toBeGreaterThan(written);
    expect(reader.prepare("SELECT count(*) AS count FROM rows").get()).toEqual({ count: 0 });
    reader.exec("COMMIT");
    reader.close();
    // After a moment it tries again.
    const deadline = performance.now() + LIMIT_MS;
    while (store.logState().copied < 1_000 && store.logState().pages > written) {
      expect(performance.now()).toBeLessThan(deadline);
      now += BUSY_PAUSE_MS;
      await write(8);
      await Bun.sleep(5);
    }
  });

  test("is gone at the end, although the thread was copying when it began", async () => {
    for (let round = 0; round < 5; round++) {
      // The last look finds enough pages, so the thread has just been asked.
      await write(80);
      copier.close();
      store.close();
      expect([existsSync(`${path}-wal`), existsSync(`${path}-shm`)]).toEqual([false, false]);
      expect(whatIsStored()).toEqual({ count: written, integrity: "ok" });
      store = openStore(path, { busyTimeoutMs: 0, onCommit: () => copier.countCommit() });
      copier = new LogCopier({ store, path, clock, isInPlace: () => true });
    }
  });
});

describe("the writer copies the log itself", () => {
  test("when the thread cannot", async () => {
    copier.close();
    store.close();
    rmSync(path);
    const other = join(directory, "other");
    writeFileSync(other, "This is no database, and it is longer than the header of one. ".repeat(100));
    open(other);
    await write(130);
    await until(hasCopied);
    copier.close();
    store.close();
    expect(whatIsStored()).toEqual({ count: written, integrity: "ok" });
  });

  test("when the path leads to another file", async () => {
    isInPlace = false;
    await write(88);
    await Bun.sleep(50);
    expect(hasCopied()).toBe(false);
  });

  test("when there is little to do", async () => {
    for (let round = 0; round < 6; round++) {
      await write(7, 200);
      now += QUIET_PAUSE_MS;
    }
    await Bun.sleep(50);
    expect(store.logState().pages).toBeGreaterThan(8_000);
    expect(hasCopied()).toBe(false);
  });
});
