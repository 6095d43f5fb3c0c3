/**
 * Checks a template against every rule before it is submitted. What WhatsApp would certainly refuse is a problem; what it
 * may find in a review is not. The console runs it while a person types. Pure.
 */
import { buttonRules } from "./buttons.ts";
import { type CheckContext, readCandidate } from "./candidate.ts";
import { generalRules } from "./general.ts";
import { sourceOf, templateHints } from "./hints.ts";
import { kindRules } from "./kinds.ts";
import { libraryRules } from "./library.ts";
import type { Finding, TemplateRule } from "./rule.ts";
import { sampleRules } from "./samples.ts";
import { textRules } from "./texts.ts";

const table = { ...generalRules, ...textRules, ...sampleRules, ...buttonRules, ...kindRules, ...libraryRules } as const;

/** The ids of the rules are part of the API and permanent. */
export type RuleId = keyof typeof table;

export const templateRules: Readonly<Record<RuleId, TemplateRule>> = table;
export const ruleIds = Object.keys(table) as RuleId[];

/** Of a template whose words are those of the library. */
const idsOfLibrary = Object.keys({ ...generalRules, ...libraryRules }) as RuleId[];

interface TemplateProblem {
  path: string;
  rule: RuleId;
  message: string;
}

/** In the order of the rules; empty: nothing is wrong. */
export function checkTemplate(input: unknown, context: CheckContext = {}, rules = templateRules): TemplateProblem[] {
  const candidate = readCandidate(input, context);
  const ids = candidate.given.library === undefined ? ruleIds : idsOfLibrary;
  return ids.flatMap((id) => {
    const rule = rules[id];
    return rule
      .find(candidate, rule.limit ?? 0)
      .map((finding) => ({ path: finding.path, rule: id, message: sentenceOf(rule, finding) }));
  });
}

/** The ids of the hints are part of the API and permanent. */
export type HintId = keyof typeof templateHints;

interface TemplateHint {
  path: string;
  rule: HintId;
  message: string;
  /** Address of the page of Meta's documentation that says it. */
  source: string;
}

/** What WhatsApp may find in a review. Keeps nothing from being submitted. */
export function findHints(input: unknown): TemplateHint[] {
  const candidate = readCandidate(input);
  return Object.entries<TemplateRule>(templateHints).flatMap(([id, hint]) =>
    hint.find(candidate, hint.limit ?? 0).map((finding) => ({
      ...{ path: finding.path, rule: id as HintId, message: sentenceOf(hint, finding), source: sourceOf(hint) },
    })),
  );
}

function sentenceOf({ says, limit = 0 }: TemplateRule, { about = "", count = 0 }: Finding): string {
  const values: Readonly<Record<string, string>> = { about, count: String(count), limit: limit.toLocaleString("en") };
  return says.replace(/%(about|count|limit)/g, (whole, name: string) => values[name] ?? whole);
}
