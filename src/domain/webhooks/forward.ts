/** The second address of `waxwing dev --forward`: it gets every event that the workspace's own address would get. */
import { isNotNull } from "drizzle-orm";
import type { SecretBox } from "#src/core/secret.ts";
import { updateRows } from "#src/db/rows.ts";
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import { clearWebhook, setWebhook } from "./address.ts";
import { findWebhook } from "./read.ts";
import { webhooks } from "./table.ts";

/** Never called: a secret outlives its address, so a workspace without an address of its own gets one this way. */
const NOWHERE = "http://127.0.0.1:9/";

/** Null: there is none. Its deliveries are signed with the workspace's secret. */
export function setForward(tx: Tx, box: SecretBox, workspaceId: number, url: string | null): void {
  if (findWebhook(tx, workspaceId) === undefined) {
    if (url === null) return;
    setWebhook(tx, box, workspaceId, NOWHERE);
    clearWebhook(tx, workspaceId);
  }
  updateRows(tx, webhooks, { workspaceId }, { forwardUrl: url });
}

/** The address that the other workspaces have: all have the same. */
export function findForward({ db }: ReadTx): string | null {
  return db.select().from(webhooks).where(isNotNull(webhooks.forwardUrl)).limit(1).get()?.forwardUrl ?? null;
}
