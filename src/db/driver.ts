/**
 * Loads the SQLite driver. The package's main entry looks for its native module next to itself on disk, where a
 * compiled executable has no files; the platform-specific entries embed the module. The bundler treats platform and
 * architecture as constants, so only the matching branch, with its native module, ends up in an executable.
 */
import type BetterSqlite3 from "better-sqlite3";
import { textHash } from "#src/core/text-hash.ts";
import { isBusy } from "./failure.ts";

export type Client = BetterSqlite3.Database;

type Driver = new (path: string, options?: BetterSqlite3.Options) => Client;

/**
 * Opens a database file with this platform's driver. Throws on a platform without one. What the file's schema executes
 * may call only harmless functions: the file may come from another author.
 */
export function openClient(path: string, options: BetterSqlite3.Options): Client {
  const client = openWith(loadDriver(), path, options);
  client.pragma("trusted_schema = OFF");
  defineBudget(client, () => undefined);
  client.function("text_hash", { deterministic: true }, (text) => textHash(String(text)));
  return client;
}

/** The driver's native module cannot be unpacked into the directory for temporary files, or cannot run from there. */
export class DriverUnusable extends Error {
  override readonly name: string = "DriverUnusable";
}

/** The system has not all libraries that the driver's native module is linked with. */
export class LibraryMissing extends DriverUnusable {
  override readonly name = "LibraryMissing";
}

function openWith(PlatformDriver: Driver, path: string, options: BetterSqlite3.Options): Client {
  try {
    return new PlatformDriver(path, options);
  } catch (error) {
    const isModule = error instanceof Error && "code" in error && error.code === "ERR_DLOPEN_FAILED";
    // As an error of the operating system names it; SQLite's own does not.
    if (!isModule) throw error instanceof Error ? Object.assign(error, { path }) : error;
    throw describeUnloaded(error);
  }
}

/** `error`: of the system's loader. */
export function describeUnloaded(error: Error): DriverUnusable {
  const [library = "", more] = error.message.split(": cannot open shared object file");
  return more === undefined || !library.startsWith("lib")
    ? new DriverUnusable(`the SQLite driver cannot be loaded: ${error.message}`, { cause: error })
    : new LibraryMissing(`the SQLite driver needs ${library}, which this system does not have`, { cause: error });
}

/**
 * Defines the function that `query-budget.ts` writes into statements; `check` throws to end the statement. Every
 * connection needs it, because a statement that names an unknown function cannot be prepared.
 */
export function defineBudget(client: Client, check: () => void): void {
  client.function("within_budget", { deterministic: false }, () => {
    check();
    return 1;
  });
}

/**
 * Selects the write-ahead log, which the file keeps. Blocks for about `limitMs` at most while other processes select it
 * for the same new file: there SQLite reports SQLITE_BUSY at once, whatever the connection's busy timeout is.
 */
export function useWriteAheadLog(client: Client, limitMs: number): void {
  const never = new Int32Array(new SharedArrayBuffer(4));
  for (let leftMs = limitMs; ; leftMs--) {
    try {
      client.pragma("journal_mode = WAL");
      return;
    } catch (error) {
      if (!isBusy(error) || leftMs <= 0) throw error;
      Atomics.wait(never, 0, 0, 1);
    }
  }
}

function loadDriver(): Driver {
  if (process.platform === "linux" && process.arch === "x64") return require("better-sqlite3/linux-x64");
  if (process.platform === "linux" && process.arch === "arm64") return require("better-sqlite3/linux-arm64");
  if (process.platform === "darwin" && process.arch === "arm64") return require("better-sqlite3/darwin-arm64");
  if (process.platform === "darwin" && process.arch === "x64") return require("better-sqlite3/darwin-x64");
  throw new Error(`Waxwing has no SQLite driver for ${process.platform} on ${process.arch}`);
}
