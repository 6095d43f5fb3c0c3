/** What several kinds check of a request and no schema can say. Pure. */
import type { Fault, FieldProblems } from "#src/core/fault.ts";
import { SHOWS_NOTHING } from "#src/core/shown-text.ts";

/** Every text in `value` has to show something. */
export function checkAllShown(fields: FieldProblems, value: unknown, path: string): void {
  if (typeof value === "string") {
    if (SHOWS_NOTHING.test(value)) addFault(fields, path, { rule: "too_short", sentence: "This must not be blank." });
  } else if (typeof value === "object" && value !== null) {
    for (const [name, member] of Object.entries(value)) checkAllShown(fields, member, `${path}.${name}`);
  }
}

/** Each of the values, which stand at these paths, has to differ from those before. */
export function checkUnique(fields: FieldProblems, values: readonly (readonly [path: string, value: string])[]): void {
  const seen = new Map<string, string>();
  for (const [path, value] of values) {
    const first = seen.get(value);
    if (first === undefined) seen.set(value, path);
    else
      addFault(fields, path, { rule: "conflict", sentence: `This is the same as ${first}; each has to be another.` });
  }
}

/** The first fault of a field stays. */
export function addFault(fields: FieldProblems, path: string, fault: Fault): void {
  fields[path] ??= [fault];
}
