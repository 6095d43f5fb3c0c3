/**
 * Stops what a refusal makes pointless for every other message: the template, or the number. `failure.ts` decides. The
 * network's next report on the number or the template ends it. Broadcasts pause when they read that they may not send.
 */
import type { Tx } from "#src/db/transaction.ts";
import { findNumber } from "../numbers/read.ts";
import { markUnready } from "../numbers/readiness.ts";
import { decideWithReason } from "../templates/decide.ts";
import { findInAccount } from "../templates/read.ts";
import { describeFailure, type Failure, whatStops } from "./failure.ts";
import type { Message } from "./table.ts";

/** The message, or the broadcast whose recipients met the refusal. */
type Refused = Pick<Message, "workspaceId" | "numberId" | "templateName" | "templateLanguage"> & {
  isSingle: boolean;
  /** The network held it back, to check the template. */
  wasHeldBack: boolean;
  /** One that left before the number or the template was last found to be right says nothing about it. */
  dispatchedAt: number;
};

export function stopForFailure(tx: Tx, refused: Refused, failure: Failure): void {
  const stops = whatStops(failure, refused);
  const number = stops === null ? undefined : findNumber(tx, refused.numberId);
  if (number === undefined) return;
  const { workspaceId, templateName, templateLanguage, dispatchedAt } = refused;
  const reason = describeFailure(failure);
  if (stops === "number") {
    if (number.ready && dispatchedAt >= (number.readyAt ?? 0)) markUnready(tx, number.id, reason, "network");
    return;
  }
  if (templateName === null || templateLanguage === null) return;
  const template = findInAccount(tx, workspaceId, number.accountId, templateName, templateLanguage);
  if (template?.status !== "APPROVED" || dispatchedAt < template.updatedAt) return;
  decideWithReason(tx, template, failure.effect === "template_disabled" ? "DISABLED" : "PAUSED", reason);
}

/** A single message met the failure. Recipients report theirs to their broadcast. */
export function stopForSingle(tx: Tx, message: Message, failure: Failure): void {
  if (message.broadcastId !== null) return;
  const { heldBack, dispatchedAt } = message;
  const met = { isSingle: true, wasHeldBack: heldBack === true, dispatchedAt: dispatchedAt ?? 0 };
  stopForFailure(tx, { ...message, ...met }, failure);
}
