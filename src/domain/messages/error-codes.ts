/** Codes as they are stored, looked up in the table. */
import { type ErrorMeaning, findErrorMeaning, listErrorMeanings } from "./error-table.ts";
import type { FailureEffect } from "./failure.ts";

/** Undefined also for the codes of this server, such as `timeout`. */
export function findStoredMeaning(code: string): ErrorMeaning | undefined {
  return /^\d{1,9}$/.test(code) ? findErrorMeaning(Number(code)) : undefined;
}

/** What a stored failure proves beyond its scope. */
export function effectOf(code: string | null): FailureEffect | undefined {
  return code === null ? undefined : findStoredMeaning(code)?.effect;
}

/** The codes whose meaning is so. */
export function codesThat(holds: (meaning: ErrorMeaning) => boolean): string[] {
  return listErrorMeanings()
    .filter(({ meaning }) => holds(meaning))
    .flatMap(({ codes }) => {
      const [first = 0, last = first] = codes.split("–").map(Number);
      return Array.from({ length: last - first + 1 }, (_, index) => String(first + index));
    });
}
