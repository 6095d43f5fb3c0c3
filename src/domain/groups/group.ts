/** Rules of a group's name, and of what it is. Pure. */
import type { Group } from "./table.ts";

export const GROUP_NAME_LENGTH_MAX = 191;

/** A name as it is compared: two names that differ only in case, or in how an accent is encoded, are one. */
export function foldName(name: string): string {
  return name.normalize("NFC").toLowerCase();
}

/** A dynamic group is a saved search: nobody can be added to it or taken out. */
export function isDynamic({ filter }: Pick<Group, "filter">): boolean {
  return filter !== null;
}
