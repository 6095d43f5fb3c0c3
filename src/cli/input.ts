/** Files that a command is given: by path, or `-` for stdin. */
import { readFileSync } from "node:fs";
import type { Io } from "./context.ts";
import { CommandFailure } from "./failure.ts";

/** The whole text. `option` is the option that named the file, for the message where it cannot be read. */
export async function readInputFile(io: Io, option: string, path: string): Promise<string> {
  if (path === "-") return io.readInput();
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(readFileSync(path));
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    throw new CommandFailure(
      "unreadable_file",
      `${option} ${path}: ${why(code)}`,
      "give the path of a file, or - for stdin",
    );
  }
}

/** The one word of a file that holds a secret, without the line end that editors add. */
export async function readSecretFile(io: Io, option: string, path: string): Promise<string> {
  const secret = (await readInputFile(io, option, path)).trim();
  const source = path === "-" ? "stdin" : path;
  if (secret === "")
    throw new CommandFailure("unreadable_file", `${option}: ${source} is empty`, "put the secret into it");
  if (/[^\x21-\x7e]/.test(secret)) {
    throw new CommandFailure(
      "unreadable_file",
      `${option}: ${source} holds more than one word`,
      "put only the secret into it",
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
      return "it may not be read by this user";
    case "ERR_ENCODING_INVALID_ENCODED_DATA":
      return "it is not UTF-8 text";
    default:
      return `it cannot be read (${code})`;
  }
}
