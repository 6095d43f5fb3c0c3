/** Turns the search of a list of contacts (words, consent, group, tag, country, filter) into a group filter. */

import { isUserId } from "#src/core/user-id.ts";
import type { ReadTx } from "#src/db/transaction.ts";
import { consents } from "#src/domain/contacts/consent.ts";
import { prefixesOf } from "#src/domain/contacts/country-prefix.ts";
import { readGroupFilter } from "#src/domain/filters/group-filter.ts";
import { findGroup, findGroupByName } from "#src/domain/groups/read.ts";
import type { Group } from "#src/domain/groups/table.ts";
import type { Workspace } from "#src/domain/workspaces/table.ts";
import { wrongParameter } from "./page.ts";

export interface ContactSearch {
  q?: string | null;
  consent?: string | null;
  /** Id or name of a static or dynamic group. */
  group?: string | null;
  tag?: string | null;
  /** ISO 3166, of the phone number. */
  country?: string | null;
  /** A group filter as JSON, as a dynamic group has one. */
  filter?: unknown;
}

/** Throws `invalid_request`. */
export function readContactSearch(query: {
  get(name: "q" | "consent" | "group" | "filter"): string | null;
}): ContactSearch {
  return {
    q: query.get("q"),
    consent: query.get("consent"),
    group: query.get("group"),
    filter: readFilterText(query.get("filter")),
  };
}

function readFilterText(text: string | null): unknown {
  if (text === null || text === "") return null;
  try {
    return JSON.parse(text);
  } catch {
    throw wrongParameter("filter", `The filter is written as JSON, for example {"field": "city", "is": "Pune"}.`);
  }
}

/** Whether the list holds only some contacts. */
export function isSelective(search: ContactSearch): boolean {
  return Object.values(search).some((value) => value !== null && value !== undefined && value !== "");
}

/**
 * The filter as JSON; the filter of a dynamic group is included in full. Throws `invalid_request`, or `not_found` for
 * the group.
 */
export function contactFilter(tx: ReadTx, workspace: Workspace, search: ContactSearch): unknown {
  const { q, consent, group, tag, country, filter } = search;
  const words = (q ?? "").trim();
  const conditions: unknown[] = [];
  if (group != null) {
    const found = findGroupOf(tx, workspace.id, group);
    if (found === undefined) throw wrongParameter("group", "There is no group of this id or name.");
    conditions.push(found.filter ?? { field: "group", is: found.id });
  }
  if (consent != null) {
    if (!consents.some((known) => known === consent)) {
      throw wrongParameter("consent", `Consent must be one of ${consents.join(", ")}.`);
    }
    conditions.push({ field: "consent", is: consent });
  }
  if (tag != null && tag !== "") conditions.push({ field: "tag", is: tag });
  if (country != null && country !== "") conditions.push({ field: "country", is: readCountry(country) });
  if (words !== "") conditions.push(searchFilter(words));
  if (filter != null) {
    // Read on its own first, so that a mistake is named by its place in what the caller wrote.
    readGroupFilter(tx, workspace, filter);
    conditions.push(filter);
  }
  return conditions.length === 0 ? everybody : { all: conditions };
}

function findGroupOf(tx: ReadTx, workspaceId: number, name: string): Group | undefined {
  const byId = /^\d{1,15}$/.test(name) ? findGroup(tx, workspaceId, Number(name)) : undefined;
  return byId ?? findGroupByName(tx, workspaceId, name);
}

function readCountry(text: string): string {
  const country = text.toUpperCase();
  if (prefixesOf(country).length > 0) return country;
  throw wrongParameter("country", "country is a code of two letters, such as IN.");
}

const WORDS_MAX = 8;

/** The text as it stands, or its words in any order, each at the beginning of a name or in the number. */
function searchFilter(text: string): unknown {
  const words = text.split(/\s+/u);
  if (words.length > WORDS_MAX) throw wrongParameter("q", `q has at most ${WORDS_MAX} words.`);
  if (words.length === 1) return textFilter(text);
  return { any: [textFilter(text), { all: words.map(wordFilter) }] };
}

function wordFilter(word: string): unknown {
  const names = ["name", "first_name", "last_name", "email"].map((field) => ({ field, starts_with: word }));
  return { any: [...names, ...numberFilters(word)] };
}

/** Every contact with a name at the network. */
const everybody = { any: ["phone", "user_id"].map((field) => ({ field, set: true })) };

/** Searches names, e-mail addresses, usernames, user ids and, for three or more digits, phone numbers. */
function textFilter(text: string): unknown {
  const conditions: unknown[] = ["name", "first_name", "last_name", "email"].map((field) => ({
    field,
    contains: text,
  }));
  conditions.push({ field: "username", contains: text.replace(/^@(?=.)/, "") });
  if (isUserId(text)) conditions.push({ field: "user_id", is: text });
  return { any: [...conditions, ...numberFilters(text)] };
}

/** Stored numbers contain neither a trunk zero nor a leading 00. */
function numberFilters(text: string): unknown[] {
  const digits = text.replace(/[\s().+-]/g, "").replace(/^0+/, "");
  return /^\d{3,}$/.test(digits) ? [{ field: "phone", contains: digits }] : [];
}
