/** Sends a test event to the address, like any event. */
import { Problem } from "#src/primitives/problem.ts";
import type { Tx } from "#src/storage/transaction.ts";
import { recordEvent } from "../events/record.ts";
import { getWorkspace } from "../workspaces/read.ts";
import { addDelivery } from "./publish.ts";
import { findWebhook } from "./read.ts";

/** Returns the delivery's id. Refused without an address: there is nothing to test. */
export function sendTestEvent(tx: Tx, workspaceId: number): number {
  const workspace = getWorkspace(tx, workspaceId);
  if (findWebhook(tx, workspaceId)?.url == null) {
    throw new Problem(
      "not_found",
      "This workspace has no webhook address to test: set one with `waxwing webhook set`.",
    );
  }
  const { seq } = recordEvent(tx, workspace, "webhook.test", {});
  return addDelivery(tx, workspaceId, seq);
}
