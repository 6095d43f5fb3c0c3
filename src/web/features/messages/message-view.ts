/** Messages as the console's server shows them, and what became of one in a sentence. */
import { isUnknown, type MessageStatus } from "./message-state.ts";
import { words } from "./strings.ts";

export interface AnyMessage {
  id: number;
  to: string;
  name: string | null;
  contact_id: number | null;
  from: string;
  type: "template" | "text";
  origin: keyof typeof words.origins;
  template: { name: string; language: string } | null;
  broadcast: { id: number; name: string } | null;
  text: string;
  status: MessageStatus;
  is_unknown: boolean;
  error: { code: string; message: string } | null;
  money: keyof typeof words.money;
  rate: string | null;
  created_at: string;
  sent_at: string | null;
  delivered_at: string | null;
  read_at: string | null;
  failed_at: string | null;
}

export interface Step {
  /** To the millisecond, in UTC. */
  at: string;
  what: keyof typeof words.what;
  says: string;
  details: Record<string, unknown>;
}

export interface MessageStory extends AnyMessage {
  reference: string;
  network_message_id: string | null;
  network: "simulator" | "whatsapp";
  is_whole: boolean;
  steps: Step[];
}

export interface SentItem extends AnyMessage {
  kind: "message";
  key: string;
  at: string;
  buttons: { text: string; is_reply: boolean }[];
}

export interface WrittenItem {
  kind: "inbound";
  key: string;
  id: number;
  type: string;
  text: string | null;
  at: string;
}

export type ThreadItem = SentItem | WrittenItem;

/** Nothing more is expected to happen to it. */
export function isAtRest({ status }: Pick<AnyMessage, "status">): boolean {
  return status === "read" || status === "skipped";
}

/** What became of it, in a sentence. */
export function taleOf(story: MessageStory): string {
  const { tale } = words;
  if (isUnknown(story)) return words.unknownText;
  const begin = story.steps.find(({ what }) => what === "request")?.at ?? story.created_at;
  const end = story.steps.find(({ what }) => what === "delivered")?.at;
  const took = end === undefined ? "" : duration(Date.parse(end) - Date.parse(begin));
  const isInVain = ({ what, details }: Step): boolean => what === "attempt" && details.outcome !== "accepted";
  const tries = 1 + story.steps.filter(isInVain).length;
  const inTries = tale.tries[tries] ?? tale.triesMore(tries);
  switch (story.status) {
    case "pending":
    case "queued":
      return tale.waiting;
    case "sending":
      return tale.sending;
    case "sent":
      return tale.sent;
    case "delivered":
      return tale.delivered(took, inTries);
    case "read":
      return tale.read(took, inTries);
    case "failed":
      return tale.failed(story.error?.message ?? "");
    case "skipped":
      return tale.skipped;
  }
}

function duration(ms: number): string {
  if (ms < 1_000) return `${Math.max(0, ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  const minutes = Math.round(ms / 60_000);
  return minutes < 90 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
}

/** A clock to the millisecond, in the workspace's zone. */
export function clockOf(at: string, zone: string): string {
  return new Intl.DateTimeFormat("en-GB", {
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    fractionalSecondDigits: 3,
    timeZone: zone,
  }).format(Date.parse(at));
}

/** The day of a moment in the workspace's zone. */
export function dayOf(at: string, zone: string): string {
  return new Intl.DateTimeFormat("en-GB", {
    weekday: "short",
    day: "numeric",
    month: "short",
    year: "numeric",
    timeZone: zone,
  }).format(Date.parse(at));
}

export function hourOf(at: string, zone: string): string {
  return new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", timeZone: zone }).format(
    Date.parse(at),
  );
}
