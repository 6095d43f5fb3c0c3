/**
 * Failures of the storage itself: a full disk, a read-only or corrupt file, an I/O error. They are neither invalid
 * requests nor bugs, so they have an error of their own: the caller may retry later.
 */

/** The write is not on disk. The API answers 503 `unavailable`; workers retry. */
export class StorageUnavailable extends Error {
  override readonly name = "StorageUnavailable";
}

/** SQLite's primary result codes that concern the disk or the file rather than the statement. */
const FAILURES = [
  "SQLITE_FULL",
  "SQLITE_IOERR",
  "SQLITE_READONLY",
  "SQLITE_CANTOPEN",
  "SQLITE_CORRUPT",
  "SQLITE_NOTADB",
  "SQLITE_NOMEM",
  "SQLITE_PROTOCOL",
];

export function isStorageFailure(error: unknown): boolean {
  const code = sqliteCode(error);
  return (
    error instanceof StorageUnavailable ||
    FAILURES.some((failure) => code === failure || code.startsWith(`${failure}_`))
  );
}

/** Another process currently holds the write lock. */
export function isBusy(error: unknown): boolean {
  const code = sqliteCode(error);
  return code === "SQLITE_BUSY" || code.startsWith("SQLITE_BUSY_");
}

/** The driver's code, also when drizzle has wrapped the error (as `db.run(sql)` does). */
function sqliteCode(error: unknown): string {
  if (typeof error !== "object" || error === null) return "";
  if ("code" in error && typeof error.code === "string") return error.code;
  return "cause" in error ? sqliteCode(error.cause) : "";
}
