/** Who a message of the console is from: the user, and the number. */
import { invalidRequest } from "#src/core/problem.ts";
import type { ReadTx } from "#src/db/transaction.ts";
import type { SentBy } from "#src/domain/messages/accept.ts";
import { chooseSender } from "#src/domain/numbers/choose.ts";
import type { WorkspaceCall } from "./call.ts";

export function sentByUser({ email }: Pick<WorkspaceCall["user"], "email">): SentBy {
  return { senderName: email, automated: false, byAi: false };
}

/**
 * `from` as it was given; for a user who is limited to numbers one of those. Throws `invalid_request` for any other, which
 * reads as if the workspace did not have it.
 */
export function senderOf(
  tx: ReadTx,
  { workspace, numberIds }: Pick<WorkspaceCall, "workspace" | "numberIds">,
  from: string | null,
): string | null {
  if (numberIds === null) return from;
  const chosen = chooseSender(tx, workspace, from, numberIds);
  if ("fields" in chosen) throw invalidRequest(chosen.fields);
  if (chosen.sender === null) throw invalidRequest({ from: ["There is no number that you may send from."] });
  return chosen.sender.phone;
}
