/**
 * The network has two endpoints that take messages: marketing templates go to the one for marketing, where the account is
 * onboarded to it, all else to the general one. The template's latest category decides. A message changes the path only
 * after an answer of the endpoint for marketing that it is not its own: once, in a new attempt with the same send token. An
 * unknown outcome never changes it. (Meta: Route template messages by category.)
 */
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import { MARKETING_ONBOARDED, noteMarketingRefusal } from "../numbers/account-sync.ts";
import { marketingStatusOf } from "../numbers/statements.ts";
import type { SendingNumber } from "../numbers/table.ts";
import type { TemplateCategory } from "../templates/template.ts";
import type { Outcome } from "./outcome.ts";
import { setFellBack } from "./statements.ts";

export type SendPath = "general" | "marketing";

/** `category`: of the template as it is now; null for a free message. `fellBack`: the message has changed its path. */
export function choosePath(
  tx: ReadTx,
  { workspaceId, accountId }: Pick<SendingNumber, "workspaceId" | "accountId">,
  category: TemplateCategory | null,
  fellBack: boolean,
): SendPath {
  if (category !== "MARKETING" || fellBack) return "general";
  const account = marketingStatusOf(tx).get({ workspaceId, accountId });
  return account?.marketingStatus === MARKETING_ONBOARDED ? "marketing" : "general";
}

export type WrongPath = Extract<Outcome, { kind: "refused" }> & { isWrongPath: true };

export function isWrongPath(outcome: Outcome): outcome is WrongPath {
  return outcome.kind === "refused" && outcome.isWrongPath === true;
}

/** In the transaction that requeues the message. */
export function changePath(tx: Tx, message: { id: number; numberId: number }, { code }: WrongPath): void {
  setFellBack(tx).run({ id: message.id });
  noteMarketingRefusal(tx, message.numberId, code);
}
