/**
 * Failures of the storage itself: a full disk, a read-only or broken file, an I/O error. They are nobody's mistake in a
 * request, so they are kept apart from refusals and from bugs: the caller may try again later.
 */

/** The write is not on disk. The API answers 503 `unavailable`; workers try again. */
export class StorageUnavailable extends Error {
  override readonly name = "StorageUnavailable";
}

/** SQLite's primary result codes that speak of the disk or the file, not of the statement. */
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

/** Another process holds the write lock right now. */
export function isBusy(error: unknown): boolean {
  const code = sqliteCode(error);
  return code === "SQLITE_BUSY" || code.startsWith("SQLITE_BUSY_");
}

/** The driver's code, also where drizzle has wrapped its error (it does so for `db.run(sql)`). */
function sqliteCode(error: unknown): string {
  if (typeof error !== "object" || error === null) return "";
  if ("code" in error && typeof error.code === "string") return error.code;
  return "cause" in error ? sqliteCode(error.cause) : "";
}
