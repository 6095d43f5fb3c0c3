/**
 * Direct Send: a text, or a text with buttons or a link, that goes out with a category instead of a template. It is a
 * template message in all but its name: charged, held, counted under every limit, sent outside the window, and never to a
 * person who has opted out. The network makes a template of it behind the scenes. It takes such messages from accounts that
 * it has enabled, which its answers alone tell. (Meta: Direct Send.)
 */
import type { FieldProblems } from "#src/core/fault.ts";
import { Problem } from "#src/core/problem.ts";
import { isLonger } from "#src/core/text-limits.ts";
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import { recordDirectSend } from "../numbers/account-sync.ts";
import { findNumber } from "../numbers/read.ts";
import { directSendOf } from "../numbers/statements.ts";
import type { DirectSendState, SendingNumber } from "../numbers/table.ts";
import type { TemplateCategory } from "../templates/template.ts";
import { findStoredMeaning } from "./error-codes.ts";
import { addFault } from "./kinds/check.ts";
import type { ServiceContent } from "./kinds/kinds.ts";
import type { Outcome } from "./outcome.ts";
import type { Message } from "./table.ts";

/** What a request may name. Meta has `authentication`, too, for accounts that it chooses. */
export const directCategories = ["utility"] as const;
export type DirectCategory = (typeof directCategories)[number];

/** As the network and the templates write it. */
export const DIRECT_CATEGORY = "UTILITY";

export const DIRECT_BODY_MAX = 1024;
/** A refusal is believed for this long: then the network is asked again. */
const BELIEVED_MS = 60 * 60 * 1000;

/** Checks what is narrower than for a free message of the kind. */
export function checkDirect(content: ServiceContent, fields: FieldProblems): void {
  if (content.type === "text") {
    if (isLonger(content.body, DIRECT_BODY_MAX)) {
      const sentence = `With \`category\` a text has at most ${DIRECT_BODY_MAX} characters.`;
      addFault(fields, "text", { rule: "too_long", sentence, limit: DIRECT_BODY_MAX });
    }
    return;
  }
  if (content.type !== "interactive") {
    addFault(fields, "category", {
      rule: "conflict",
      sentence: "Only `text` and `interactive` are sent with a category. Send a template instead.",
    });
    return;
  }
  const { buttons, link, header, body: _, footer: __, ...others } = content.interactive;
  for (const name of Object.keys(others)) {
    const sentence = "With `category` the action is `buttons` or `link`.";
    addFault(fields, `interactive.${name}`, { rule: "conflict", sentence });
  }
  if (typeof header === "object") {
    const sentence = "With `category` the header is a text. Send a template with a file instead.";
    addFault(fields, "interactive.header", { rule: "conflict", sentence });
  }
}

/** Whether the message goes out by its category, without a template of its own. */
export function isDirect({ type, templateCategory }: Pick<Message, "type" | "templateCategory">): boolean {
  return type !== "template" && templateCategory !== null;
}

/** Throws `window_closed` while the network's last refusal is believed. */
export function requireAllowed(tx: ReadTx, { workspaceId, accountId }: SendingNumber): void {
  const known = directSendOf(tx).get({ workspaceId, accountId })?.directSend ?? null;
  if (known === null || known.state === "allowed" || tx.now - known.at >= BELIEVED_MS || known.at > tx.now) return;
  throw new Problem("window_closed", DIRECT_REFUSALS[known.state]);
}

/** Sentences for the caller; the network's own words may follow. */
const DIRECT_REFUSALS = {
  refused:
    "WhatsApp does not let this account send messages without a template (Direct Send), so only a template can be sent.",
  blocked:
    "WhatsApp has revoked this account's access to messages without a template (Direct Send), so only a template can be sent.",
} as const satisfies Partial<Record<DirectSendState["state"], string>>;

/** What a code says about the account; null: nothing. */
function stateIn(code: string | null): "refused" | "blocked" | null {
  return code === null ? null : (findStoredMeaning(code)?.directSend ?? null);
}

/** Why the account may not send so, in words for the caller; null: the failure has another reason. */
export function directRefusal(message: Pick<Message, "type" | "templateCategory" | "errorCode">): string | null {
  const state = isDirect(message) ? stateIn(message.errorCode) : null;
  return state === null ? null : DIRECT_REFUSALS[state];
}

/** The answer to a message of the plan, in the transaction that records it. */
export function noteDirectAnswer(
  tx: Tx,
  { sender, category, template }: { sender: SendingNumber; category: TemplateCategory | null; template: object | null },
  outcome: Outcome,
): void {
  if (category === null || template !== null) return;
  const refused = outcome.kind === "refused" && outcome.scope === "message" ? stateIn(outcome.code) : null;
  const state = outcome.kind === "accepted" ? "allowed" : refused;
  if (state !== null) recordDirectSend(tx, sender, state);
}

/** The failure that a status reports: only a revocation says something about the account then. */
export function noteDirectStatus(tx: Tx, message: Message, code: string | undefined): void {
  if (code === undefined || stateIn(code) !== "blocked" || !isDirect(message)) return;
  const number = findNumber(tx, message.numberId);
  if (number !== undefined) recordDirectSend(tx, number, "blocked");
}
