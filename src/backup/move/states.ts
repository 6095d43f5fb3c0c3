/**
 * A planned move as states, without any file: what may happen to the original and to the move file, and what the
 * database that comes out of the file becomes. At most one database continues to send without a hold: the original until
 * it is closed, then the one that the file was used for with its code.
 */
import { hashToken } from "#src/core/secret.ts";

export const CODE_VALID_MS = 24 * 60 * 60_000;

/** What is recorded in the file itself. `by` is the token of the database that it was used for. */
export type FileUse = { kind: "unused" } | { kind: "used"; at: number; by: string };

/**
 * `open`: it runs, or may be started. `copy`: it was restored or copied, and no start has held it yet. `moved_out`: closed,
 * because its successor is in a move file.
 */
export type Original = "open" | "copy" | "moved_out";

type Verdict<Yes extends string, No extends string> = { kind: Yes } | { kind: "refused"; because: No };

/** A successor starts without a hold, so an original that was to start with one has no successor. */
export function judgeMoveOut(original: Original): Verdict<"close", "copy" | "moved_out"> {
  return original === "open" ? { kind: "close" } : { kind: "refused", because: original };
}

/** A person may have the code, so the original is never simply open again. */
export function judgeCancel(original: Original): Verdict<"copy", "not_moved_out"> {
  return original === "moved_out" ? { kind: "copy" } : { kind: "refused", because: "not_moved_out" };
}

interface AdmissionRequest {
  use: FileUse;
  expiresAt: number;
  code: "none" | "right" | "wrong";
  now: number;
  /** The token of a move into this directory that did not end; null: there is none. */
  interruptedToken: string | null;
  /** The token of the database in this directory; null: there is none, or it came out of no move file. */
  presentToken: string | null;
}

export type Admission =
  /** It continues as the original: no hold, the same ids, everything as scheduled. */
  | { kind: "successor" }
  /** The same, and the file is already marked: a move into this directory was interrupted after that. */
  | { kind: "continue" }
  /** The database in this directory came out of the file. */
  | { kind: "done" }
  /** It starts as a restored copy does, held. */
  | { kind: "copy"; because: CopyReason }
  | { kind: "refused"; because: "wrong_code" };

export type CopyReason = "no_code" | "expired" | "used";

export function admit(request: AdmissionRequest): Admission {
  const { use, expiresAt, code, now, interruptedToken, presentToken } = request;
  if (code === "wrong") return { kind: "refused", because: "wrong_code" };
  if (use.kind === "used" && use.by === presentToken) return { kind: "done" };
  if (code === "none") return { kind: "copy", because: "no_code" };
  if (use.kind === "used")
    return use.by === interruptedToken ? { kind: "continue" } : { kind: "copy", because: "used" };
  return now < expiresAt ? { kind: "successor" } : { kind: "copy", because: "expired" };
}

/** Letters are compared without case, and spaces and dashes are only for reading. */
export function hashCode(code: string): string {
  return Buffer.from(hashToken(code.toLowerCase().replace(/[\s-]/g, ""))).toString("hex");
}
