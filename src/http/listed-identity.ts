/** `identity=any` of lists of people: also those whom the network names by its own user id alone. */

import { OneOf } from "#src/core/schema.ts";
import type { Reader } from "#src/db/reader.ts";
import type { Store } from "#src/db/store.ts";
import { countContacts, countSinceSql, type ListedIdentity } from "#src/domain/contacts/list.ts";
import { countInReader, wrongParameter } from "./page.ts";

const identities = ["phone", "any"] as const satisfies readonly ListedIdentity[];

export const IdentityQuery = {
  identity: OneOf(
    identities,
    "`any`: also list people whom the network names by its own user id alone; their `phone` is null. Without it, only people with a phone number are listed.",
  ),
};

/** Throws `invalid_request`. */
export function readIdentity(query: { get(name: "identity"): string | null }): ListedIdentity {
  const value = query.get("identity") ?? "phone";
  const known = identities.find((one) => one === value);
  if (known === undefined) throw wrongParameter("identity", `identity is one of ${identities.join(", ")}.`);
  return known;
}

const FIRST = 0;

/** The total of a list; `since`: of what changed at or after it. */
export async function countListed(
  { store, reader }: { store: Store; reader: Reader },
  { workspaceId, identity }: { workspaceId: number; identity: ListedIdentity },
  kind: "contacts" | "optOuts",
  since: number | null,
): Promise<number> {
  const withPhone =
    since === null
      ? readCounter(store, workspaceId, kind)
      : await countInReader(reader, countSinceSql.phone[kind], workspaceId, since);
  if (identity === "phone") return withPhone;
  return withPhone + (await countInReader(reader, countSinceSql.userId[kind], workspaceId, since ?? FIRST));
}

function readCounter(store: Store, workspaceId: number, kind: "contacts" | "optOuts"): number {
  const counters = store.read((tx) => countContacts(tx, workspaceId));
  return kind === "contacts" ? counters.contacts : counters.optedOut;
}
