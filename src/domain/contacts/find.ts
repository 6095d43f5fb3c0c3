/**
 * From what somebody typed, or what the network named, to the contact. Whatever we or the network ever called a person
 * leads back to that person: the stored number, the network's spellings of it, and a country's other way to write it.
 */
import { and, eq, isNotNull, sql } from "drizzle-orm";
import { type E164, fromNetwork, otherSpelling, phoneDigits, readPhone } from "#src/core/phone.ts";
import { type Reading, statement } from "#src/db/transaction.ts";
import { type Contact, contactNetworkIds, contacts } from "./table.ts";

const byPhone = statement((db) =>
  db
    .select()
    .from(contacts)
    .where(
      and(
        eq(contacts.workspaceId, sql.placeholder("workspaceId")),
        eq(contacts.phone, sql.placeholder("phone")),
        isNotNull(contacts.phone),
      ),
    )
    .prepare(),
);

/** As a subquery: the same as a join costs ten times as much here (measured), and it runs for every look-up. */
const byNetworkId = statement((db) =>
  db
    .select()
    .from(contacts)
    .where(
      eq(
        contacts.id,
        db
          .select({ id: contactNetworkIds.contactId })
          .from(contactNetworkIds)
          .where(
            and(
              eq(contactNetworkIds.workspaceId, sql.placeholder("workspaceId")),
              eq(contactNetworkIds.networkId, sql.placeholder("networkId")),
            ),
          ),
      ),
    )
    .prepare(),
);

const byNetworkUser = statement((db) =>
  db
    .select()
    .from(contacts)
    .where(
      and(
        eq(contacts.workspaceId, sql.placeholder("workspaceId")),
        eq(contacts.networkUserId, sql.placeholder("networkUserId")),
        isNotNull(contacts.networkUserId),
      ),
    )
    .prepare(),
);

const byId = statement((db) =>
  db
    .select()
    .from(contacts)
    .where(and(eq(contacts.workspaceId, sql.placeholder("workspaceId")), eq(contacts.id, sql.placeholder("id"))))
    .prepare(),
);

export function findById(reading: Reading, workspaceId: number, id: number): Contact | undefined {
  return byId(reading).get({ workspaceId, id });
}

export function getContact(reading: Reading, workspaceId: number, id: number): Contact {
  const contact = byId(reading).get({ workspaceId, id });
  if (contact === undefined) throw new Error(`contact ${id} is gone from workspace ${workspaceId}`);
  return contact;
}

export function findByNetworkUser(reading: Reading, workspaceId: number, networkUserId: string): Contact | undefined {
  return byNetworkUser(reading).get({ workspaceId, networkUserId });
}

/** Exactly this stored number. */
export function findByPhone(reading: Reading, workspaceId: number, phone: E164): Contact | undefined {
  return byPhone(reading).get({ workspaceId, phone });
}

/** The stored number, then the network's ids, then the country's other spelling of it. */
export function findByAnySpelling(reading: Reading, workspaceId: number, phone: E164): Contact | undefined {
  return findExact(reading, workspaceId, phone) ?? findByOtherSpelling(reading, workspaceId, phone);
}

function findByOtherSpelling(reading: Reading, workspaceId: number, phone: E164): Contact | undefined {
  const other = otherSpelling(phone);
  return other === null ? undefined : findExact(reading, workspaceId, other);
}

function findExact(reading: Reading, workspaceId: number, phone: E164): Contact | undefined {
  return (
    byPhone(reading).get({ workspaceId, phone }) ?? byNetworkId(reading).get({ workspaceId, networkId: phone.slice(1) })
  );
}

export interface FoundPerson {
  /** E.164 to send to; a known contact's is the one that was stored first. */
  phone: E164;
  contact: Contact | null;
}

/** What an input says about whom it means, before anybody is looked for. */
export interface PersonNames {
  /** Null where no reading of it is a valid number. */
  phone: E164 | null;
  /** Every number or network id (with `+`) by which `findPerson` looks: where none is known, nobody is found. */
  names: E164[];
}

export function readPersonNames(input: string, country: string): PersonNames {
  const written = phoneDigits(input);
  const named = written === null ? null : fromNetwork(written.digits);
  const phone = readPhone(input, country);
  const other = phone === null ? null : otherSpelling(phone);
  return { phone, names: [...new Set([named, phone, other])].filter((name) => name !== null) };
}

/** As JSON, for it takes any number of them. Which names exist, in one look. */
const whichNames = statement((db) =>
  db
    .select({ name: sql<string>`value` })
    .from(sql`json_each(${sql.placeholder("names")})`)
    .where(
      sql`exists (select 1 from ${contacts} where ${contacts.workspaceId} = ${sql.placeholder("workspaceId")} and ${contacts.phone} = value and ${contacts.phone} is not null)
        or exists (select 1 from ${contactNetworkIds} where ${contactNetworkIds.workspaceId} = ${sql.placeholder("workspaceId")} and ${contactNetworkIds.networkId} = substr(value, 2))`,
    )
    .prepare(),
);

/** Those of the names that are a contact's, as its number or as a network's id. */
export function findKnownNames(reading: Reading, workspaceId: number, names: readonly string[]): string[] {
  return whichNames(reading)
    .all({ workspaceId, names: JSON.stringify(names) })
    .map(({ name }) => name);
}

/** Reads a number that a caller wrote, in the workspace's country. Null: it is no phone number. */
export function findPerson(reading: Reading, workspaceId: number, input: string, country: string): FoundPerson | null {
  const named = findNamed(reading, workspaceId, input, country);
  if (named !== null) return named;
  const phone = readPhone(input, country);
  if (phone === null) return null;
  // What was written in full has been looked for already.
  const isLookedUp = `+${phoneDigits(input)?.digits}` === phone;
  const contact =
    (isLookedUp ? findByOtherSpelling(reading, workspaceId, phone) : findByAnySpelling(reading, workspaceId, phone)) ??
    null;
  return contact?.phone == null ? { phone, contact } : { phone: contact.phone as E164, contact };
}

/**
 * A contact whose stored number or network id is literally what was written, valid or not: so whatever was ever
 * returned can be answered. Bare digits could also be a national number; where that is a contact too, it is meant.
 */
function findNamed(reading: Reading, workspaceId: number, input: string, country: string): FoundPerson | null {
  const written = phoneDigits(input);
  if (written === null) return null;
  const phone = fromNetwork(written.digits);
  const contact = phone === null ? undefined : findExact(reading, workspaceId, phone);
  if (contact?.phone == null) return null;
  if (!written.international) {
    const national = readPhone(input, country);
    const other = national === null ? undefined : findByAnySpelling(reading, workspaceId, national);
    if (other !== undefined && other.id !== contact.id) return { phone: other.phone as E164, contact: other };
  }
  return { phone: contact.phone as E164, contact };
}
