/**
 * The network's statuses of a template (Meta: template status), ours for each, and why one that is not approved cannot be
 * sent. Only an approved template can be sent. An unknown status counts as pending, which sends nothing and fails nothing.
 */
import { clauseOf } from "#src/core/sentence.ts";
import type { Template } from "./table.ts";
import type { TemplateStatus } from "./template.ts";

/** The network's status of a deleted template. */
export const DELETED = "DELETED";

/** Ours, and the rest of a sentence that begins with the template's name. */
const STATUSES: Readonly<Record<string, readonly [TemplateStatus, says: string]>> = {
  APPROVED: ["APPROVED", "is approved"],
  REINSTATED: ["APPROVED", "is approved"],
  PENDING: ["PENDING", "is pending: the network has not approved it yet"],
  IN_APPEAL: ["PENDING", "is pending: the network has not decided on the appeal yet"],
  REJECTED: ["REJECTED", "is rejected by the network"],
  PAUSED: ["PAUSED", "is paused by the network, because people blocked or reported it"],
  FLAGGED: [
    "PAUSED",
    "is flagged by the network, because people blocked or reported it; send it to fewer people later",
  ],
  LOCKED: ["PAUSED", "is locked by the network (LOCKED); WhatsApp Manager says why, and until when"],
  LIMIT_EXCEEDED: ["PAUSED", "is stopped, because the account has more templates than it may have; delete some"],
  ARCHIVED: ["PAUSED", "is archived (ARCHIVED), because it was not used for long; restore it in WhatsApp Manager"],
  DISABLED: ["DISABLED", "is disabled by the network for good; make a new one"],
  PENDING_DELETION: ["DISABLED", "is being deleted at the network"],
  [DELETED]: ["DISABLED", "was deleted at the network"],
};

/** Without the network's own word: a refused message, or a person, decided. */
const OURS: Readonly<Record<TemplateStatus, string>> = {
  APPROVED: "is approved",
  PENDING: "is pending",
  REJECTED: "is rejected",
  PAUSED: "is paused",
  DISABLED: "is disabled",
};

function find(word: string | null) {
  return word !== null && Object.hasOwn(STATUSES, word) ? STATUSES[word] : undefined;
}

export function statusOf(word: string): TemplateStatus {
  return find(word)?.[0] ?? "PENDING";
}

/** The network's word as it is recorded among the changes: a template that is reinstated is approved. */
export function recordedWord(word: string): string {
  return find(word) === undefined || statusOf(word) === "APPROVED" ? statusOf(word) : word;
}

/** The same of a template: a refused message, or a person, may have decided since the network did. */
export function recordedStatus({ status, networkStatus }: Pick<Template, "status" | "networkStatus">): string {
  return networkStatus !== null && statusOf(networkStatus) === status ? recordedWord(networkStatus) : status;
}

/** What follows from such a word: the rest of a sentence that begins with the template's name. */
export function describeStatus(word: string): string {
  return find(word)?.[1] ?? OURS[statusOf(word)];
}

/** The network's own last word: a refused message, or a person, may have said otherwise since. */
export function isApprovedByNetwork({ networkStatus }: Pick<Template, "networkStatus">): boolean {
  return find(networkStatus)?.[0] === "APPROVED";
}

/** `The template NAME` and what keeps it from being sent, with the reason that was given; without a full stop. */
export function whyNotSendable(template: Pick<Template, "name" | "status" | "networkStatus" | "statusReason">): string {
  const { name, status, networkStatus, statusReason } = template;
  const known = find(networkStatus);
  const says = known?.[0] === status ? known[1] : OURS[status];
  return `the template ${name} ${says}${statusReason === null ? "" : `: ${clauseOf(statusReason)}`}`;
}
