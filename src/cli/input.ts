/** Reads input files: by path, or `-` for stdin. */
import { fstatSync, readFileSync, readSync } from "node:fs";
import type { Context } from "./context.ts";
import { CommandFailure } from "./failure.ts";

type Surroundings = Pick<Context, "io" | "files">;

/** The whole file. `option` is the option that named it, for error messages. */
export function readInputBytes({ files }: Pick<Context, "files">, option: string, path: string): Uint8Array {
  return explaining(option, path, "give the path of a file", () => readWhole(files.handleOf(path) ?? path));
}

/** The whole text. `option` is the option that named the file, for error messages. */
export async function readInputFile({ io, files }: Surroundings, option: string, path: string): Promise<string> {
  if (path === "-") return io.readInput();
  return explaining(option, path, "give the path of a file, or - for stdin", () =>
    new TextDecoder("utf-8", { fatal: true }).decode(readWhole(files.handleOf(path) ?? path)),
  );
}

function explaining<T>(option: string, path: string, next: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    throw new CommandFailure("unreadable_file", `${option} ${path}: ${why(code)}`, next);
  }
}

/** What the file holds as JSON, with or without a byte order mark. */
export async function readInputJson(context: Surroundings, option: string, path: string): Promise<unknown> {
  const text = await readInputFile(context, option, path);
  try {
    return JSON.parse(text.replace(/^\ufeff/, ""));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const source = path === "-" ? "stdin" : path;
    throw new CommandFailure("unreadable_file", `${source} is not valid JSON: ${reason}`, "correct the file");
  }
}

/** The secret in a file: a single word, without the line end that editors add. */
export async function readSecretFile(context: Surroundings, option: string, path: string): Promise<string> {
  const secret = (await readInputFile(context, option, path)).trim();
  const source = path === "-" ? "stdin" : path;
  if (secret === "")
    throw new CommandFailure("unreadable_file", `${option}: ${source} is empty`, "write the secret into it");
  if (/[^\x21-\x7e]/.test(secret)) {
    throw new CommandFailure(
      "unreadable_file",
      `${option}: ${source} contains more than one word`,
      "write only the secret into it",
    );
  }
  return secret;
}

function why(code: string): string {
  switch (code) {
    case "ENOENT":
    case "ENOTDIR":
      return "there is no such file";
    case "EISDIR":
      return "it is a directory";
    case "EACCES":
    case "EPERM":
      return "this user may not read it";
    case "ERR_ENCODING_INVALID_ENCODED_DATA":
      return "it is not UTF-8 text";
    default:
      return `it cannot be read (${code})`;
  }
}

/** Always reads from the beginning, because two options may name the same file. */
function readWhole(source: string | number): Uint8Array {
  const size = typeof source === "string" ? 0 : fstatSync(source).size;
  // A path is opened again; a pipe has no size and cannot be read again from the beginning.
  if (typeof source === "string" || size === 0) return readFileSync(source);
  const bytes = Buffer.alloc(size);
  let length = 0;
  for (let read = -1; read !== 0 && length < bytes.length; length += read) {
    read = readSync(source, bytes, length, bytes.length - length, length);
  }
  return bytes.subarray(0, length);
}
