/** Rules for group names and for the two kinds of group. Pure. */
import type { Group } from "./table.ts";

export const GROUP_NAME_LENGTH_MAX = 191;

/** The name for comparison: names that differ only in case, or in the encoding of accents, are equal. */
export function foldName(name: string): string {
  return name.normalize("NFC").toLowerCase();
}

/** A dynamic group is defined by a filter: contacts cannot be added or removed. */
export function isDynamic({ filter }: Pick<Group, "filter">): boolean {
  return filter !== null;
}
