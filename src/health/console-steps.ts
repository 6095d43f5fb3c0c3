/**
 * How the console shows a finding of the doctor: at which step of connecting a number, and with a next step that is done
 * in the browser where the doctor names a command, which an owner cannot run.
 */

import { sentenceOf } from "#src/core/sentence.ts";
import { ENTER } from "./access-rules.ts";
import type { Finding } from "./connection-rule.ts";

/** Of findings that say no other; those of the other checks are mended at the step `sending`. */
const STEPS: Readonly<Record<string, NonNullable<Finding["step"]>>> = {
  configuration: "access",
  network: "access",
  token: "access",
  "app secret": "access",
  "callback signature": "access",
  subscription: "callbacks",
  webhook: "callbacks",
  "webhook fields": "callbacks",
  callback: "callbacks",
  silence: "callbacks",
  "unsigned callbacks": "callbacks",
};

/** Of findings of the doctor alone, by their check. */
const NEXT_OF_CHECK: Readonly<Record<string, string>> = {
  templates: "Sync with WhatsApp in Numbers.",
  number: "Set it to ready in Numbers.",
};

const OPERATOR = "Ask the operator of this server: a command is needed.";

type Said = Pick<Finding, "kind" | "check" | "next" | "console">;

/** The same in the form of the token and the app secret itself. */
export function nextInForm(finding: Said): string {
  return consoleNext(finding).replace(` ${ENTER}`, "");
}

/** In the words of the console; empty if there is nothing to do. */
export function consoleNext({ kind, check, next, console }: Said): string {
  if (console !== undefined || next === null) return console ?? "";
  if (!next.includes("waxwing ")) return sentenceOf(next);
  return (kind === undefined ? NEXT_OF_CHECK[check] : undefined) ?? OPERATOR;
}

/** A finding as the console shows it. */
export function consoleFinding(finding: Finding) {
  const { kind: issue = null, level, check, says: message, step = STEPS[check] ?? "sending" } = finding;
  return { level, check, message, issue, step, next: finding.next === null ? null : consoleNext(finding) };
}
