/** What the doctor reports of the set-up, as sentences, each with the next step if there is one. */
import type { Condition } from "./conditions.ts";
import type { Finding } from "./connection-rule.ts";
import { type ConnectionSubject, conditionOf } from "./connections.ts";

export interface Reported extends Finding {
  numberId: number | null;
  /** The condition that says the same; null if there is none. */
  conditionId: string | null;
}

const LEVELS: readonly Finding["level"][] = ["problem", "warning", "ok"];

export class Findings {
  readonly #all: Reported[] = [];

  /** Problems first; what causes a problem was added before it. */
  get all(): Reported[] {
    return this.#all.toSorted((one, other) => LEVELS.indexOf(one.level) - LEVELS.indexOf(other.level));
  }

  ok(check: string, numberId: number | null, says: string): void {
    this.#all.push({ level: "ok", check, numberId, says, next: null, conditionId: null });
  }

  warn(check: string, numberId: number | null, says: string, next: string): void {
    this.#all.push({ level: "warning", check, numberId, says, next, conditionId: null });
  }

  problem(check: string, numberId: number | null, says: string, next: string): void {
    this.#all.push({ level: "problem", check, numberId, says, next, conditionId: null });
  }

  /** A warning that is a condition of the server too. */
  addCondition(check: string, { id, says, next }: Condition): void {
    this.#all.push({ level: "warning", check, numberId: null, says, next, conditionId: id });
  }

  /** What is not of one number is added once. `about`: the number; null: none. */
  add(finding: Finding, about: ConnectionSubject | null): void {
    const { id: conditionId } = conditionOf(finding, about);
    const isShared = finding.isShared === true || about === null;
    if (isShared && this.#all.some((one) => one.numberId === null && one.conditionId === conditionId)) return;
    this.#all.push({ ...finding, numberId: isShared ? null : about.id, conditionId });
  }
}
