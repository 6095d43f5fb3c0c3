/** What a change of a number means and what to do, in sentences for people. Pure. */
import { STATUS_DESCRIPTIONS } from "./network-state.ts";
import type { NetworkChange } from "./table.ts";

/** By the network's own word (Meta: quality rating). */
const QUALITIES: Readonly<Record<string, string>> = {
  GREEN: "People rarely block or report its messages. There is nothing to do.",
  YELLOW:
    "More people block or report its messages. Send less marketing, to people who agreed to it, and say in each template how to stop.",
  RED: "Many people block or report its messages, and Meta may restrict it. Stop marketing from it until the quality has risen; its limit does not rise until then.",
};
const NOT_RATED = "Meta has too few messages of the last days to rate it. There is nothing to do.";

export function explainNumberChange(change: Pick<NetworkChange, "property" | "was" | "became">): string {
  const { property, was, became } = change;
  switch (property) {
    case "quality":
      return (Object.hasOwn(QUALITIES, became ?? "") && QUALITIES[became ?? ""]) || NOT_RATED;
    case "limit":
      return explainLimit(was, became);
    case "restriction":
      return became ?? "Meta has lifted the restriction: the number can send again, unless a person has stopped it.";
    default:
      return explainStatus(became);
  }
}

function explainLimit(was: string | null, became: string | null): string {
  const people = became === "unlimited" ? "any number of people" : `${Number(became).toLocaleString("en")} people`;
  const says = `The numbers of its portfolio may together send templates to ${people} in 24 hours.`;
  if (isLess(became, was)) {
    return `${says} That is fewer than before: broadcasts take longer, and a better quality raises it again.`;
  }
  return became === "unlimited" ? says : `${says} Meta raises it when half of it is used over 7 days at good quality.`;
}

function isLess(one: string | null, other: string | null): boolean {
  const count = (limit: string | null): number => (limit === "unlimited" ? Number.POSITIVE_INFINITY : Number(limit));
  return other !== null && count(one) < count(other);
}

function explainStatus(status: string | null): string {
  if (status === "CONNECTED") return "The number is connected: Meta lets it send.";
  const says = (Object.hasOwn(STATUS_DESCRIPTIONS, status ?? "") && STATUS_DESCRIPTIONS[status ?? ""]) || null;
  return says === null ? "The number cannot send. Meta's dashboard says why." : `The number cannot send: ${says}.`;
}
