/**
 * A database file in its own directory for one test, with second connections to observe it from outside and other
 * processes that use it too. `await using` closes everything, ends the processes and removes the directory.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Clock, systemClock } from "#src/core/clock.ts";
import { type Client, openClient } from "#src/db/driver.ts";
import { migrate } from "#src/db/migrate.ts";
import { openStore, type Store, type StoreOptions } from "#src/db/store.ts";

/** Real time and timers, but no operation counts as slow: a group ends with the queue, on a busy machine too. */
export const standingClock: Clock = { ...systemClock, monotonic: () => 0 };

export interface TestDatabase extends AsyncDisposable {
  directory: string;
  path: string;
  store: Store;
  /** Another connection: sees committed rows only. */
  connect(): Client;
  /** Closes the store and opens the file again, as a restart does. */
  reopen(): Store;
  spawn(...words: string[]): OtherProcess;
}

export interface TestDatabaseOptions extends Partial<StoreOptions> {
  /** All migrations (`true`), or this statement, or nothing. */
  schema?: true | string;
}

export function openTestDatabase({ schema, ...given }: TestDatabaseOptions = {}): TestDatabase {
  const directory = mkdtempSync(join(tmpdir(), "waxwing-storage-"));
  const path = join(directory, "waxwing.db");
  const options: StoreOptions = { busyTimeoutMs: 0, clock: standingClock, ...given };
  const connections: Client[] = [];
  const processes: OtherProcess[] = [];
  if (schema === true) placeMigrated(path);
  let store = openStore(path, options);
  if (typeof schema === "string") store.client.exec(schema);
  return {
    directory,
    path,
    get store() {
      return store;
    },
    connect() {
      const client = openClient(path, { timeout: 5_000 });
      connections.push(client);
      return client;
    },
    reopen() {
      store.close();
      store = openStore(path, options);
      return store;
    },
    spawn(...words) {
      const other = new OtherProcess(words);
      processes.push(other);
      return other;
    },
    async [Symbol.asyncDispose]() {
      for (const other of processes) await other.kill();
      for (const client of connections) client.close();
      store.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

let migrated: Buffer | null = null;

/**
 * Puts a new database with the whole schema at `path`: a copy of one that is made once, because the statements that
 * make it take longer than many a test. Nothing is in it that only one database may have.
 */
export function placeMigrated(path: string): void {
  migrated ??= makeMigrated();
  writeFileSync(path, migrated, { mode: 0o600 });
}

function makeMigrated(): Buffer {
  const directory = mkdtempSync(join(tmpdir(), "waxwing-migrated-"));
  try {
    const path = join(directory, "waxwing.db");
    const store = openStore(path, { busyTimeoutMs: 0, clock: standingClock });
    migrate(store.client);
    store.checkpoint();
    store.close();
    return readFileSync(path);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** One column of one row. */
export function single(client: Client, sql: string): unknown {
  return client.prepare(sql).pluck().get();
}

/** Every row's first column. */
export function column(client: Client, sql: string): unknown[] {
  return client.prepare(sql).pluck().all();
}

/** A process that runs `storage-process.ts`; both sides talk line by line. */
export class OtherProcess {
  readonly #child;
  readonly #lines: AsyncGenerator<string>;

  constructor(words: string[]) {
    this.#child = Bun.spawn([process.execPath, join(import.meta.dir, "storage-process.ts"), ...words], {
      stdin: "pipe",
      stdout: "pipe",
      stderr: "inherit",
    });
    this.#lines = linesOf(this.#child.stdout);
  }

  /** The next line that it prints; null when it has ended. */
  async line(): Promise<string | null> {
    const { value, done } = await this.#lines.next();
    return done ? null : value;
  }

  /** Everything that it still prints. */
  async rest(): Promise<string[]> {
    const lines: string[] = [];
    for await (const line of this.#lines) lines.push(line);
    return lines;
  }

  tell(line: string): void {
    this.#child.stdin.write(`${line}\n`);
    this.#child.stdin.flush();
  }

  /** SIGKILL: the process cannot clean up. */
  async kill(): Promise<void> {
    this.#child.kill(9);
    await this.#child.exited;
  }

  get exited(): Promise<number> {
    return this.#child.exited;
  }
}

/** Whole lines only: a killed process may leave half of one. */
export async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let left = "";
  for await (const chunk of stream) {
    const lines = (left + decoder.decode(chunk, { stream: true })).split("\n");
    left = lines.pop() ?? "";
    yield* lines;
  }
}

/** Timers fire in the next turn of the real event loop, and time jumps to them: waits take no real time. */
export function jumpingClock(start = Date.parse("2026-11-21T08:00:00Z")): Clock & { timerCount: number } {
  let elapsedMs = 0;
  const clock = {
    timerCount: 0,
    now: () => start + elapsedMs,
    monotonic: () => elapsedMs,
    setTimer(delayMs: number, fire: () => void) {
      clock.timerCount += 1;
      const handle = setImmediate(() => {
        elapsedMs += Math.max(0, delayMs);
        fire();
      });
      return { cancel: () => clearImmediate(handle) };
    },
  };
  return clock;
}
