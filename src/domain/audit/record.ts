/** Writes down who did something, in the transaction in which it is done. */
import type { Tx } from "#src/storage/transaction.ts";
import { auditLog } from "./table.ts";

export interface Doer {
  /** Null: the command line. */
  userId: number | null;
  address: string;
}

export const COMMAND_LINE: Doer = { userId: null, address: "" };

export interface Deed {
  workspaceId: number | null;
  /** A noun and a verb: `key.create`. */
  action: string;
  subject: string;
  /** What it was and what it became; never a secret. */
  details?: Record<string, unknown>;
}

export function recordDeed(tx: Tx, { userId, address }: Doer, deed: Deed): void {
  const { workspaceId, action, subject, details = {} } = deed;
  tx.db.insert(auditLog).values({ at: tx.now, userId, workspaceId, action, subject, details, address }).run();
}
