/** What a change of a template means and what to do, in sentences for people. Pure. */
import type { NetworkChange } from "../numbers/table.ts";
import { describeStatus, statusOf } from "./network-status.ts";
import { categoryOf } from "./sync.ts";
import type { TemplateCategory, TemplateStatus } from "./template.ts";

/** By the network's own word (Meta: template quality). */
const QUALITIES: Readonly<Record<string, string>> = {
  GREEN: "People rarely block or report it. There is nothing to do.",
  YELLOW:
    "More people block or report it. Send it to fewer people, only to those who agreed, and say in it how to stop.",
  RED: "Many people block or report it, and Meta pauses it next. Stop sending it, and write a clearer one.",
};
const NOT_RATED = "Meta has no rating of it, because few people have had it in the last days. There is nothing to do.";

/** What to do, by our status. Meta ends its first pause after 3 hours and the second after 6; the third disables. */
const ADVICE: Readonly<Record<TemplateStatus, string>> = {
  APPROVED: "It can be sent.",
  PENDING: "It cannot be sent until the network decides; that takes minutes or a day.",
  REJECTED: "It cannot be sent. Correct what the reason names, and send it in again.",
  PAUSED:
    "It cannot be sent until the pause ends. Meta ends a first pause for quality after 3 hours and a second after 6; a third disables the template. Correct it, or send it to fewer people.",
  DISABLED: "It cannot be sent any more. Write a new template.",
};

const CATEGORIES: Readonly<Record<TemplateCategory, string>> = {
  MARKETING:
    "Since then Meta bills it as marketing, and the rules for marketing apply, such as quiet hours. If it does not advertise, ask for a review in WhatsApp Manager.",
  UTILITY: "Since then Meta bills it as utility: it may say what concerns an order or an account, and not advertise.",
  AUTHENTICATION: "Since then Meta bills it as authentication: it may carry a code, and nothing else.",
};
const LOOK_AT_BROADCASTS = "Unfinished broadcasts with it were paused: look at the cost and resume them.";

export function explainTemplateChange({ property, became }: Pick<NetworkChange, "property" | "became">): string {
  const word = became ?? "";
  switch (property) {
    case "quality":
      return (Object.hasOwn(QUALITIES, word) && QUALITIES[word]) || NOT_RATED;
    case "category":
      return `${CATEGORIES[categoryOf(word)]} ${LOOK_AT_BROADCASTS}`;
    default:
      return explainStatus(word);
  }
}

/** Only a pause for quality ends automatically. */
const ENDS_ALONE = ["PAUSED", "FLAGGED"];

function explainStatus(word: string): string {
  const status = statusOf(word);
  const says = `The template ${describeStatus(word)}.`;
  if (status === "APPROVED") return "The template is approved: it can be sent.";
  if (status === "PAUSED" && !ENDS_ALONE.includes(word)) return `${says} It cannot be sent until then.`;
  return `${says} ${ADVICE[status]}`;
}
