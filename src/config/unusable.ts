/** Values of the configuration that have the right form and cannot be used: a missing file, an address of another machine. */
import type { Config } from "./config.ts";

/** `message` is a sentence that says why. */
export class SettingUnusable extends Error {
  override readonly name = "SettingUnusable";
  /** The path of the key, such as `server.tls_cert`. */
  readonly key: string;
  /** What to do; null: `cause` says it. */
  readonly next: string | null;

  constructor(key: string, message: string, { next = null, cause }: { next?: string | null; cause?: unknown }) {
    super(message, { cause });
    this.key = key;
    this.next = next;
  }
}

/** Does work with the value of a key: an error for which `isMeant` holds is thrown as `SettingUnusable`. */
export function usingSetting<T>(key: string, work: () => T, isMeant = isSystemError): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof Error && isMeant(error))) throw error;
    throw new SettingUnusable(key, error.message, { cause: error });
  }
}

/** An error of the operating system. */
function isSystemError(error: Error): boolean {
  return "syscall" in error && "code" in error;
}

/** These have a default that follows from the data directory. */
const IN_DATA: ReadonlySet<string> = new Set([
  "storage.path",
  "secrets.key_file",
  "media.directory",
  "backup.directory",
]);

/**
 * Where the value of a key was given, and the key: `waxwing.toml:12: server.tls_cert`. The key alone if it is a default.
 */
export function placeOf({ places }: Pick<Config, "places">, key: string): string {
  const given = !places.has(key) && IN_DATA.has(key) && places.has("storage.data") ? "storage.data" : key;
  const place = places.get(given);
  if (place === undefined) return given;
  return `${place.source}${place.line === null ? "" : `:${place.line}`}: ${given}`;
}
