/** Lists of error codes, made from the tables that decide: those of WhatsApp, and those of the API. */

import { type ErrorMeaning, listErrorMeanings } from "#src/domain/messages/error-table.ts";
import type { FailureScope } from "#src/domain/messages/failure.ts";
import { answers } from "../../errors.ts";
import { codeDescriptions } from "../openapi/problems.ts";
import type { Guide } from "./guide.ts";

const headings: readonly (readonly [scope: FailureScope, heading: string, sentence: string])[] = [
  ["recipient", "The recipient", "Only this person is concerned. A broadcast continues with the next one."],
  ["message", "The message", "The values, the file or the destination of this message. Change it first."],
  ["template", "The template", "Every message of this template would fail. A broadcast pauses."],
  ["number", "The sending number", "Every message from this number would fail. A broadcast pauses."],
  ["account", "The account", "Every message of this account would fail. A broadcast pauses; the operator has to act."],
  ["network", "WhatsApp itself", "WhatsApp is in trouble, asks to wait, or gives no reason."],
];

const INTRODUCTION = `Every error code of WhatsApp that can appear as \`whatsapp_code\`, and whether the same message may be sent again.

- **Yes**: the same message may succeed later. WhatsApp did not take it. Where WhatsApp only asks to wait, this server
  waits and tries again first; a request that had to wait too long is answered with \`rate_limited\`.
- **Later**: time alone mends it. \`retryable\` is false, because a repetition at once fails again.
- **No**: the same message fails again until a person changes something.
- **Never**: the message may have arrived, so a repetition could send it twice.

\`error.retryable\` of the answer says the same for programs; [Errors](errors.md) shows how to use it. \`timeout\`,
\`unreachable\` and \`interrupted\` are codes of this server: [what they mean](errors.md#when-the-network-does-not-answer).
A code that is missing here says something about these messages, not about WhatsApp: each is refused alone, and a broadcast
pauses after ten consecutive refusals with such codes.
`;

export function codesGuide(): Guide["source"] {
  const all = listErrorMeanings();
  const sections = headings.map(([scope, heading, sentence]) => {
    const rows = all.filter(({ meaning }) => groupOf(meaning) === scope).map(row);
    return `## ${heading}\n\n${sentence}\n\n| code | may be repeated | meaning |\n| --- | --- | --- |\n${rows.join("\n")}\n`;
  });
  return `# Error codes of WhatsApp\n\n${INTRODUCTION}\n${sections.join("\n")}`;
}

/** A pair of numbers that has to wait stands with the codes that ask to wait. */
function groupOf({ scope, throttles }: ErrorMeaning): FailureScope {
  return throttles === undefined ? scope : "network";
}

function row({ codes, meaning }: { codes: string; meaning: ErrorMeaning }): string {
  return `| <span id="code-${codes}">\`${codes}\`</span> | ${mayBeRepeated(meaning)} | ${meaning.description} |`;
}

function mayBeRepeated({ scope, throttles, mayHaveBeenSent, mendsAfterMs }: ErrorMeaning): string {
  if (mayHaveBeenSent) return "never";
  if (throttles !== undefined || scope === "network") return "yes";
  return mendsAfterMs === undefined ? "no" : "later";
}

/** The codes of the API, as a section for the page about errors. */
export function problemsSection(): string {
  const rows = Object.entries(codeDescriptions).map(([code, { description }]) => {
    const known = code as keyof typeof codeDescriptions;
    const repeated =
      known === "whatsapp_error" ? "[by its code](whatsapp-codes.md)" : answers[known].isRetryable ? "yes" : "no";
    return `| <span id="${code}">\`${code}\`</span> | ${answers[known].status} | ${repeated} | ${description} |`;
  });
  return `\n## Every code\n\nA repetition that is allowed waits first: for \`Retry-After\`, or longer each time.\n\n| code | status | may be repeated | meaning |\n| --- | --- | --- | --- |\n${rows.join("\n")}\n`;
}
