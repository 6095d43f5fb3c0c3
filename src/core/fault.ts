/**
 * What is wrong with one field of a request: a sentence for people, and a rule for programs. Rules are part of the API
 * and permanent, like the codes of problems.
 */

/** `invalid` is every fault that has no rule of its own. */
export const faultRules = [
  "required",
  "unknown",
  "type",
  "too_long",
  "too_short",
  "too_many",
  "too_few",
  "too_small",
  "too_large",
  "one_of",
  "format",
  "conflict",
  "not_found",
  "missing_scope",
  "invalid",
] as const;

type FaultRule = (typeof faultRules)[number];

export interface Fault {
  rule: FaultRule;
  /** A complete sentence, without the name of the field. */
  sentence: string;
  /** The largest or smallest value, length or count that is allowed. */
  limit?: number;
  /** The name that was probably meant; of `missing_scope` the scope that is missing. */
  suggestion?: string;
}

/** A sentence alone is a fault with the rule `invalid`. */
export type FieldFault = string | Fault;

/** The faults of each field, keyed by the field's path (`media.link`, `variables.body.0`). */
export type FieldProblems = Record<string, FieldFault[]>;

export function faultOf(fault: FieldFault): Fault {
  return typeof fault === "string" ? { rule: "invalid", sentence: fault } : fault;
}

export function sentenceOf(fault: FieldFault): string {
  return typeof fault === "string" ? fault : fault.sentence;
}

/** The sentences of each field. */
export function sentencesOf(problems: FieldProblems): Record<string, string[]> {
  return Object.fromEntries(Object.entries(problems).map(([path, faults]) => [path, faults.map(sentenceOf)]));
}

/** The sentences of all fields, without their names. */
export function allSentences(problems: FieldProblems | undefined): string[] {
  return Object.values(problems ?? {})
    .flat()
    .map(sentenceOf);
}

/** A name that does not exist. `known`: the names that do. */
export function unknownName(sentence: string, name: string, known: Iterable<string>): Fault {
  const suggestion = findNearest(name, known);
  if (suggestion === null) return { rule: "unknown", sentence };
  return { rule: "unknown", sentence: `${sentence} ${didYouMean(suggestion)}`, suggestion };
}

function didYouMean(suggestion: string): string {
  return `Did you mean ${suggestion}?`;
}

/** Longer names are not compared. */
const COMPARED_LENGTH_MAX = 64;

/** The known name that differs least from `name`, by at most a third of its letters; null if none is that near. */
export function findNearest(name: string, known: Iterable<string>): string | null {
  if (name.length > COMPARED_LENGTH_MAX) return null;
  const typed = name.toLowerCase();
  let nearest: string | null = null;
  let smallest = Math.max(1, Math.floor(name.length / 3)) + 1;
  for (const candidate of known) {
    if (candidate === name || Math.abs(candidate.length - name.length) >= smallest) continue;
    const distance = countEdits(typed, candidate.toLowerCase());
    if (distance < smallest) {
      nearest = candidate;
      smallest = distance;
    }
  }
  return nearest;
}

/** Letters to insert, remove or replace, or neighbours to swap, that lead from one text to the other. */
function countEdits(from: string, to: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let row = 1; row <= from.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= to.length; column += 1) {
      const isSame = from[row - 1] === to[column - 1];
      const isSwap = row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      current[column] = Math.min(
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (isSame ? 0 : 1),
        isSwap ? (beforeLast[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    beforeLast = last;
    last = current;
  }
  return last[to.length] ?? 0;
}
