/** Texts of the plots. */
import { plural } from "../ui/plural.ts";

export const words = {
  title: "Metrics",
  lead: "How this server has gone. Kept in its memory, a look a minute for a day: a restart begins anew.",
  range: "How far back",
  hours: { "1": "1 hour", "6": "6 hours", "24": "24 hours" },
  since: "The server was started",
  asOf: "As of",
  table: "Show as table",
  moment: "From",
  nothing: "Nothing in this time",
  none: "–",
  messages: "Messages handed to the network",
  messagesText: (all: number, share: string) =>
    all === 0 ? "Nothing was handed to a network." : `${plural(all, "attempt", "attempts")}, ${share} of them taken.`,
  accepted: "Taken",
  refused: "Refused or put off",
  unknown: "Outcome unknown",
  waiting: "Work that waits",
  waitingText: (rows: number, age: string) =>
    rows === 0 ? "Nothing waits." : `${plural(rows, "piece", "pieces")} of work now; the oldest is due since ${age}.`,
  waitingNotDue: (rows: number) => `${plural(rows, "piece", "pieces")} of work now, none of it late.`,
  rows: "Waiting or under way",
  webhooks: "Webhook attempts",
  webhooksText: (all: number, share: string) =>
    all === 0 ? "No webhook was called." : `${plural(all, "attempt", "attempts")}, ${share} of them answered with 2xx.`,
  taken: "Answered with 2xx",
  failed: "Failed",
  network: "How long networks take",
  api: "How long API calls take",
  webhookTimes: "How long receivers of webhooks take",
  commit: "How long the disk takes",
  p50: "Half are faster than (p50)",
  p99: "99 of 100 are faster than (p99)",
  timesText: (p50: string, p99: string) => `Lately half take under ${p50}, 99 of 100 under ${p99}.`,
  timesNone: "Nothing to measure lately.",
} as const;
