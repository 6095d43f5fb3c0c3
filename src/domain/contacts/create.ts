/** A person whom nobody knew yet: nothing but the number, or the network's own id, and no consent. */
import { sql } from "drizzle-orm";
import type { E164 } from "#src/primitives/phone.ts";
import { statement, type Tx } from "#src/storage/transaction.ts";
import { type Contact, contacts } from "./table.ts";

const insert = statement((db) =>
  db
    .insert(contacts)
    .values({
      workspaceId: sql.placeholder("workspaceId"),
      phone: sql.placeholder("phone"),
      networkUserId: sql.placeholder("networkUserId"),
      name: sql.placeholder("name"),
      consent: "unknown",
      createdAt: sql.placeholder("now"),
      updatedAt: sql.placeholder("now"),
    })
    .returning()
    .prepare(),
);

export function createContact(
  tx: Tx,
  workspaceId: number,
  person: { phone: E164 | null; networkUserId?: string | null; name?: string | null },
): Contact {
  return insert(tx).get({
    workspaceId,
    phone: person.phone,
    networkUserId: person.networkUserId ?? null,
    name: person.name ?? null,
    now: tx.now,
  });
}
