/** Turns the search above the contact list (text, consent, group) into a group filter. */

import { notFound } from "#src/core/problem.ts";
import { isUserId } from "#src/core/user-id.ts";
import type { ReadTx } from "#src/db/transaction.ts";
import { consents } from "#src/domain/contacts/consent.ts";
import { findGroup } from "#src/domain/groups/read.ts";
import type { Workspace } from "#src/domain/workspaces/table.ts";
import { requireId } from "../answer.ts";
import { wrongParameter } from "../page.ts";

interface ContactSearch {
  q?: string | null;
  consent?: string | null;
  /** Id of a static or dynamic group. */
  group?: string | null;
}

export function readContactSearch(query: { get(name: keyof ContactSearch): string | null }): ContactSearch {
  return { q: query.get("q"), consent: query.get("consent"), group: query.get("group") };
}

/**
 * The filter as JSON; the filter of a dynamic group is included in full. Throws `invalid_request`, or `not_found` for
 * the group.
 */
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
      throw wrongParameter("consent", `Consent must be one of ${consents.join(", ")}.`);
    }
    conditions.push({ field: "consent", is: consent });
  }
  if (text !== "") conditions.push(textFilter(text));
  return conditions.length === 0 ? everybody : { all: conditions };
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
  // Stored numbers contain neither a trunk zero nor a leading 00.
  const digits = text.replace(/[\s().+-]/g, "").replace(/^0+/, "");
  const isNumber = /^\d{3,}$/.test(digits);
  return { any: isNumber ? [...conditions, { field: "phone", contains: digits }] : conditions };
}
