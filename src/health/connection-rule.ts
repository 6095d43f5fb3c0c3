/**
 * A rule about the connection of a number to WhatsApp, and what it finds. `doctor` prints a finding; `status`, the console,
 * metrics and alarms show the same as a condition (`connections.ts`), all in the words of the rule.
 */
import type { ForeignText } from "#src/core/foreign-text.ts";
import type { ConnectionFacts } from "#src/domain/numbers/connection-facts.ts";
import type { DirectSendState, NumberNotice, NumberState, SendingNumber } from "#src/domain/numbers/table.ts";
import type { ConnectionSettings } from "./connection-settings.ts";

export const connectionSteps = ["access", "callbacks", "registration", "sending"] as const;

/** What a rule and what it found may both say. */
interface About {
  level: "ok" | "warning" | "problem";
  /** What was checked, in the words of the doctor: `token`, `number`, `subscription` … */
  check: string;
  /** What it keeps the number from. Absent: nothing yet. */
  hits?: "sending" | "receiving" | null;
  /** Not of one number: the server's configuration, or the way to the network. */
  isShared?: boolean;
  /** A condition of the severity `critical`, whatever the number's state. */
  isCritical?: boolean;
  /** The step of connecting a number at which it is mended. Absent: that of the check. */
  step?: (typeof connectionSteps)[number];
  /** The next step in the browser, where `next` names a command, which an owner cannot run. */
  console?: string;
}

export interface Finding extends About {
  /** `token_expired`, `not_subscribed` …: what stays the same while the words may change. Absent: of the doctor alone. */
  kind?: string;
  says: string;
  /** Null if there is nothing to do. */
  next: string | null;
  /** A command to copy, which `next` contains. Absent: none helps. */
  command?: string | null;
}

export type Found = Partial<Finding> & Pick<Finding, "says">;

interface ConnectionRule<Input = ConnectionInput> extends About {
  /** `COMMAND` is replaced by the command. Absent: it is with what was found. */
  next?: string;
  command?: (input: Input) => string;
  /** Pure. A text is what it says, where all the rest is in the row. */
  evaluate: (input: Input) => string | Found | false | null;
}

/** The rows of a list of rules, by the kind of what each finds. */
export type ConnectionRules<Input = ConnectionInput> = Readonly<Record<string, ConnectionRule<Input>>>;

/** In the order of the rules. */
export function findAll<Input>(rules: ConnectionRules<Input>, input: Input): Finding[] {
  return Object.entries(rules).flatMap(([kind, rule]) => find(kind, rule, input) ?? []);
}

/** Of rules of which the first that applies is the cause of the others: at most one finding. */
export function findFirst<Input>(rules: ConnectionRules<Input>, input: Input): Finding[] {
  for (const [kind, rule] of Object.entries(rules)) {
    const finding = find(kind, rule, input);
    if (finding !== null) return [finding];
  }
  return [];
}

function find<Input>(kind: string, rule: ConnectionRule<Input>, input: Input): Finding | null {
  const found = rule.evaluate(input);
  if (found === false || found === null) return null;
  const { evaluate: _, command: commandOf, next = "", ...about } = rule;
  const command = commandOf?.(input) ?? null;
  return {
    ...{ kind, command, ...about, next: next.replace("COMMAND", () => command ?? "") },
    ...(typeof found === "string" ? { says: found } : found),
  };
}

type NumberColumn =
  | ("id" | "phone" | "provider" | "apiUrl" | "accountId" | "phoneNumberId" | "appSecret")
  | ("ready" | "unreadyBy");

/** What the rules look at. */
export interface ConnectionInput {
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
