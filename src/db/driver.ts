/**
 * The SQLite driver. Its package's main entry looks for the native part beside itself on disk, which a compiled
 * executable does not have; the entries named for a platform carry it inside. The bundler knows platform and
 * architecture as constants, so only the matching branch (and only its native part) ends up in an executable.
 */
import type BetterSqlite3 from "better-sqlite3";

export type Client = BetterSqlite3.Database;

type Driver = new (path: string, options?: BetterSqlite3.Options) => Client;

/** Opens a database file with the driver of this platform; throws on a platform that has none. */
export function openClient(path: string, options: BetterSqlite3.Options): Client {
  const PlatformDriver = loadDriver();
  return new PlatformDriver(path, options);
}

function loadDriver(): Driver {
  if (process.platform === "linux" && process.arch === "x64") return require("better-sqlite3/linux-x64");
  if (process.platform === "linux" && process.arch === "arm64") return require("better-sqlite3/linux-arm64");
  if (process.platform === "darwin" && process.arch === "arm64") return require("better-sqlite3/darwin-arm64");
  if (process.platform === "darwin" && process.arch === "x64") return require("better-sqlite3/darwin-x64");
  throw new Error(`Waxwing has no SQLite driver for ${process.platform} on ${process.arch}`);
}
