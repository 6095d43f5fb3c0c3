/** The questions of `waxwing setup`: an option answers one, or a person at a terminal, and what came of it is printed. */

import type { KeyChange } from "#src/config/edit.ts";
import type { FileValue } from "#src/config/key.ts";
import { visible } from "#src/core/shown-text.ts";
import type { Io } from "./context.ts";
import { flagOf } from "./option.ts";
import { UsageError } from "./usage-error.ts";

/** The answer that means: do without. */
export const NONE = "none";

/** `Question`: the property of the option that answers it. */
export class Interview<Question extends string> {
  protected readonly io: Io;
  readonly given: { readonly [Name in Question]?: string | undefined };
  readonly #isQuiet: boolean;
  readonly done: { step: string; result: string }[] = [];

  constructor(io: Io, given: { readonly [Name in Question]?: string | undefined }, isQuiet: boolean) {
    this.io = io;
    this.given = given;
    this.#isQuiet = isQuiet;
  }

  /** An option, or an answer at the terminal; null: neither. */
  ask(name: Question, question: string, usual: string | null): string | null {
    const given = this.given[name];
    if (given !== undefined) return given;
    const { ask } = this.io;
    if (ask === undefined) return null;
    const answer = ask(usual === null ? `${question}: ` : `${question} [${usual}]: `).trim();
    return answer === "" ? usual : answer;
  }

  /** What is there already may be kept; otherwise `what` needs an answer. */
  need(name: Question, question: string, what: string, present: string | null = null): string {
    const answer = this.ask(name, question, present) ?? present;
    if (answer === null) throw new UsageError(`${what} needs ${flagOf(name)}`);
    return answer;
  }

  tell(step: string, result: string): void {
    this.done.push({ step, result });
    if (!this.#isQuiet) this.io.out(`${step}: ${visible(result)}\n`);
  }

  skip(step: string, flag: string): null {
    this.tell(step, `skipped (${flag})`);
    return null;
  }
}

type Settings = Readonly<Record<string, FileValue | null | undefined>>;

/** What to change in a section of the configuration. A key of `before` without a value in `after` gets its default. */
export function changesOf(section: string, before: Settings, after: Settings): KeyChange[] {
  return Object.keys({ ...before, ...after }).flatMap((name): KeyChange[] => {
    const [old, value] = [before[name] ?? null, after[name] ?? null];
    const isDefault = old === null || old === false || (Array.isArray(old) && old.length === 0);
    if (JSON.stringify(old) === JSON.stringify(value) || (value === null && isDefault)) return [];
    return [{ section, name, value }];
  });
}
