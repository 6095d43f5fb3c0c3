/**
 * An issue: something that is wrong with a number's connection, with the next step. `doctor` shows it as a finding,
 * `status`, the console, metrics and alarms as a condition, all in the same words.
 */
import type { ForeignText } from "#src/core/foreign-text.ts";
import type { ConnectionFacts } from "#src/domain/numbers/connection-facts.ts";
import type { DirectSendState, NumberNotice, NumberState, SendingNumber } from "#src/domain/numbers/table.ts";
import type { Condition } from "./conditions.ts";
import type { ConnectionSettings } from "./connection-settings.ts";
import type { Check } from "./rule.ts";

export interface Issue {
  /** `token_expired`, `not_subscribed` …: what stays the same while the words may change. */
  id: string;
  level: "problem" | "warning";
  /** The check of the doctor: `token`, `number`, `subscription` … */
  check: string;
  says: string;
  next: string;
  /** A command to copy, which `next` contains; null if none helps. */
  command: string | null;
  /** What it keeps the number from; null: nothing yet. */
  hits: "sending" | "receiving" | null;
  /** Not of one number: the server's configuration, or the way to the network. */
  isShared?: boolean;
  /** A condition of the severity `critical`, whatever the number's state. */
  isCritical?: boolean;
}

type NumberColumn =
  | ("id" | "phone" | "provider" | "apiUrl" | "accountId" | "phoneNumberId" | "appSecret")
  | ("ready" | "unreadyBy");

/** What issues are found in. */
export interface IssueInput {
  /** `appSecret`: only whether there is one counts. */
  number: Pick<SendingNumber, NumberColumn> & { unreadyReason: ForeignText | null };
  facts: ConnectionFacts;
  state: (Pick<NumberState, "restrictedUntil"> & Record<"restriction" | "notice", ForeignText | null>) | null;
  notices: readonly (Pick<NumberNotice, "kind"> & { says: ForeignText })[];
  /** Callbacks of the last day with a wrong signature, since the last accepted one. */
  refused: { count: number; lastAt: number } | null;
  /** How the number accepts callbacks without a signature; null: it does not. */
  unsigned: { hasSecretHeader: boolean } | null;
  /** Of the account, as it says itself; null: it does not say. */
  hasPaymentMethod: boolean | null;
  /** The account's way of sending marketing; null: nothing is known of the account yet. */
  marketing: MarketingPath | null;
  /** What the network last answered about messages without a template; null: the account has sent none. */
  directSend: DirectSendState | null;
  /** The network recently refused a message because the account's payment is not in order. */
  isPaymentRefused: boolean;
  /** Another sender is on the number; null: none is known. */
  sharing: Sharing | null;
  /** The last day on which something arrived, of a number on which something arrived every day; null: it is no such number. */
  silentSince: number | null;
  /** With which code the network refuses what the number sends, for the number or the account; null: it does not. */
  refusedCode: string | null;
  settings: ConnectionSettings;
  now: number;
}

interface MarketingPath {
  /** Whether it may send to the endpoint for marketing, in the network's word; null: the network does not say. */
  status: string | null;
  /** The account has a marketing template that can be sent. */
  hasTemplates: boolean;
  /** The last answer of the endpoint for marketing that a message is not its own. */
  refusal: { code: string; at: number } | null;
}

interface Sharing {
  since: number;
  /** An operator said it. */
  isSaid: boolean;
  /** Threads go from sender to sender: what people write in those of others goes to them. */
  isRouted: boolean;
  /** Copies of that arrive here. */
  hasStandby: boolean;
}

export interface IssueSubject {
  id: number;
  phone: string;
  ready: boolean;
  workspaceId: number;
  workspace: ForeignText;
}

const HITS = {
  sending: "sends from this number are rejected and its broadcasts are paused.",
  receiving: "received messages and statuses are not recorded.",
} as const;

/** Conditions that have had these names for longer than issues. */
const CONDITION_IDS: Readonly<Record<string, "callbacks_refused" | "number_restricted">> = {
  app_secret_wrong: "callbacks_refused",
  restricted: "number_restricted",
};

/** `about`: the number; null for an issue that is not of one. */
export function conditionOf(issue: Issue, about: IssueSubject | null): Condition {
  const { id, says, next, command, hits, isShared = false, isCritical = false } = issue;
  const isStopped = hits === "sending" && about?.ready === false;
  const base = {
    severity: isStopped || isCritical ? "critical" : "warning",
    check: "connection" satisfies Check,
    ...{ says, since: null, next, command },
  } as const;
  if (isShared || about === null) {
    const affects = hits === null ? null : `Everyone: ${HITS[hits]}`;
    return { ...base, id: `connection:${id}`, subject: "connection to WhatsApp", hits: affects };
  }
  const known = CONDITION_IDS[id] ?? (isStopped ? "number_not_ready" : null);
  return {
    ...base,
    id: known === null ? `connection:${id}:${about.id}` : `${known}:${about.id}`,
    subject: `number ${about.phone}`,
    hits: hits === null || (hits === "sending" && about.ready) ? null : `${about.workspace}: ${HITS[hits]}`,
    workspaceId: about.workspaceId,
    subjectId: about.id,
  };
}
