/** The results of checking the set-up, as sentences, each with the next step if there is one. */
import type { Condition } from "./conditions.ts";
import { conditionOf, type Issue, type IssueSubject } from "./issue.ts";

export interface Finding {
  level: "ok" | "warning" | "problem";
  /** What was checked: `token`, `callback`, `clock` … */
  check: string;
  numberId: number | null;
  message: string;
  /** Null if there is nothing to do. */
  next: string | null;
  /** The condition that says the same; null if there is none. */
  conditionId: string | null;
  /** What kind of issue it is, such as `token_expired`; null: none of the list. */
  issue: string | null;
}

const LEVELS: readonly Finding["level"][] = ["problem", "warning", "ok"];

export class Findings {
  readonly #all: Finding[] = [];
  readonly #shared = new Set<string>();

  /** Problems first; what causes a problem was added before it. */
  get all(): Finding[] {
    return this.#all.toSorted((one, other) => LEVELS.indexOf(one.level) - LEVELS.indexOf(other.level));
  }

  ok(check: string, numberId: number | null, message: string): void {
    this.#all.push({ level: "ok", check, numberId, message, next: null, conditionId: null, issue: null });
  }

  warn(check: string, numberId: number | null, message: string, next: string): void {
    this.#all.push({ level: "warning", check, numberId, message, next, conditionId: null, issue: null });
  }

  problem(check: string, numberId: number | null, message: string, next: string): void {
    this.#all.push({ level: "problem", check, numberId, message, next, conditionId: null, issue: null });
  }

  /** A warning that is a condition of the server too. */
  addCondition(check: string, { id, says, next }: Condition): void {
    this.#all.push({ level: "warning", check, numberId: null, message: says, next, conditionId: id, issue: null });
  }

  /** An issue that is not of one number is added once. */
  add(issue: Issue, about: IssueSubject | null): void {
    const { id: conditionId } = conditionOf(issue, about);
    const isShared = issue.isShared === true || about === null;
    if (isShared && this.#shared.has(conditionId)) return;
    if (isShared) this.#shared.add(conditionId);
    const { level, check, says, next } = issue;
    const numberId = isShared ? null : about.id;
    this.#all.push({ level, check, numberId, message: says, next, conditionId, issue: issue.id });
  }
}
