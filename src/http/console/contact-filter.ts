/** What stands above the list of contacts, as a filter of the language that groups have: words, a consent, a group. */

import { notFound } from "#src/core/problem.ts";
import type { ReadTx } from "#src/db/transaction.ts";
import { consents } from "#src/domain/contacts/consent.ts";
import { findGroup } from "#src/domain/groups/read.ts";
import type { Workspace } from "#src/domain/workspaces/table.ts";
import { requireId } from "../endpoint.ts";
import { wrongParameter } from "../page.ts";

export interface ContactSearch {
  q?: string | null;
  consent?: string | null;
  /** A group's id; whom it holds, whichever kind it is. */
  group?: string | null;
}

export function readContactSearch(query: URLSearchParams): ContactSearch {
  return { q: query.get("q"), consent: query.get("consent"), group: query.get("group") };
}

/** As JSON; a group's own filter is written out in it. Throws `invalid_request`, and `not_found` for the group. */
export function contactFilter(tx: ReadTx, workspace: Workspace, { q, consent, group }: ContactSearch): unknown {
  const text = (q ?? "").trim();
  const conditions: unknown[] = [];
  if (group != null) {
    const found = findGroup(tx, workspace.id, requireId(group, "group"));
    if (found === undefined) throw notFound("group");
    conditions.push(found.filter ?? { field: "group", is: found.id });
  }
  if (consent != null) {
    if (!consents.some((known) => known === consent)) {
      throw wrongParameter("consent", `The consent is one of ${consents.join(", ")}.`);
    }
    conditions.push({ field: "consent", is: consent });
  }
  if (text !== "") conditions.push(textFilter(text));
  return conditions.length === 0 ? { field: "phone", set: true } : { all: conditions };
}

/** What was typed is looked for in names, numbers and e-mail addresses. */
function textFilter(text: string): unknown {
  const conditions = ["name", "first_name", "last_name", "email"].map((field) => ({ field, contains: text }));
  // A trunk zero, or the two of 00, is no part of what is stored.
  const digits = text.replace(/[\s().+-]/g, "").replace(/^0+/, "");
  const isNumber = /^\d{3,}$/.test(digits);
  return { any: isNumber ? [...conditions, { field: "phone", contains: digits }] : conditions };
}
