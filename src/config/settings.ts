/** Derived from the table of keys: the type of the whole configuration, and the names by which a key can be set. */
import type { Key } from "./key.ts";
import { sections } from "./keys.ts";

type Sections = typeof sections;
type ValueOf<K> = K extends Key<infer T> ? T : never;

/** The value of every key, under the names of the table; durations are in milliseconds if the name ends in `Ms`. */
export type Settings = {
  readonly [S in keyof Sections]: { readonly [K in keyof Sections[S]]: ValueOf<Sections[S][K]> };
};

export interface ConfigKey {
  readonly section: string;
  /** The property of `Settings[section]` that holds the value. */
  readonly property: string;
  /** `section.name`, as used in messages. */
  readonly path: string;
  /** The environment variable that overrides the file. */
  readonly variable: string;
  readonly key: Key<unknown>;
}

/** All keys in the order of the table. */
export const configKeys: readonly ConfigKey[] = Object.entries(sections).flatMap(([section, keys]) =>
  Object.entries<Key<unknown>>(keys).map(([property, one]) => ({
    section,
    property,
    path: `${section}.${one.name}`,
    variable: `WAXWING_${section.replace(".", "_")}_${one.name}`.toUpperCase(),
    key: one,
  })),
);
