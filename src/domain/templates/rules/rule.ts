/**
 * What a rule about the content of a template is. The console's bundle contains this folder, so its files import
 * nothing but one another.
 */
import type { Candidate } from "./candidate.ts";

/** Something that is wrong with a template. */
export interface Finding {
  /** Of the member of the request, such as `components.1.text`. */
  path: string;
  /** What the sentence says `%about` and `%count` for. */
  about?: string;
  count?: number;
}

export interface TemplateRule {
  /** The page of Meta's documentation that says it, below `whatsapp/`; for what other pages say, their address. */
  from: string;
  /** The largest length, count or value that is right: `%limit` in the sentence. */
  limit?: number;
  /** A complete sentence, which says what would be right. */
  says: string;
  /** Everything in the template that breaks the rule. */
  find(candidate: Candidate, limit: number): Finding[];
}

export type RuleTable = Readonly<Record<string, TemplateRule>>;

/** The path, if it breaks the rule. */
export function unless(isRight: boolean, path: string, more: Omit<Finding, "path"> = {}): Finding[] {
  return isRight ? [] : [{ path, ...more }];
}

/** A text that is too long. */
export function longer(text: string, limit: number, path: string): Finding[] {
  const count = [...text].length;
  return unless(count <= limit, path, { count });
}
