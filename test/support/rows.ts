/** Rows of a test server's database, read in one read transaction: for state that no interface shows. */
import { asc, eq } from "drizzle-orm";
import type { Store } from "#src/db/store.ts";
import { type BillingAccount, billingAccounts, ledgerEntries } from "#src/domain/billing/table.ts";
import { type Contact, consentLog, contactNetworkIds, contacts } from "#src/domain/contacts/table.ts";
import { idempotencyKeys } from "#src/domain/idempotency/table.ts";
import { type Inbound, inbounds } from "#src/domain/inbound/table.ts";
import { type MessageRow, messages, parkedStatuses } from "#src/domain/messages/table.ts";
import { events } from "#src/domain/webhooks/table.ts";

interface WithStore {
  store: Store;
}

export interface RecordedEvent {
  type: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read events member by member; a missing member fails the assertion.
  data: any;
}

/** Every event of the workspace in the order in which they were recorded. */
export function eventsOf({ store }: WithStore, workspace: { id: number }): RecordedEvent[] {
  return store
    .read(({ db }) =>
      db.select().from(events).where(eq(events.workspaceId, workspace.id)).orderBy(asc(events.seq)).all(),
    )
    .map(({ type, body }) => ({ type, data: JSON.parse(body).data }));
}

export function eventTypesOf(app: WithStore, workspace: { id: number }): string[] {
  return eventsOf(app, workspace).map(({ type }) => type);
}

export function messagesOf({ store }: WithStore): MessageRow[] {
  return store.read(({ db }) => db.select().from(messages).orderBy(asc(messages.id)).all());
}

/** The only message, or the `index`th. */
export function messageOf(app: WithStore, index = 0): MessageRow {
  return required(messagesOf(app)[index], `there is no message ${index}`);
}

export function contactsOf({ store }: WithStore): Contact[] {
  return store.read(({ db }) => db.select().from(contacts).orderBy(asc(contacts.id)).all());
}

export function contactOf(app: WithStore, phone: string): Contact {
  return required(
    contactsOf(app).find((contact) => contact.phone === phone),
    `there is no contact ${phone}`,
  );
}

export function aliasesOf({ store }: WithStore): { networkId: string; contactId: number }[] {
  return store.read(({ db }) =>
    db
      .select({ networkId: contactNetworkIds.networkId, contactId: contactNetworkIds.contactId })
      .from(contactNetworkIds)
      .all(),
  );
}

export function consentLogOf({ store }: WithStore): (typeof consentLog.$inferSelect)[] {
  return store.read(({ db }) => db.select().from(consentLog).orderBy(asc(consentLog.id)).all());
}

export function inboundsOf({ store }: WithStore): Inbound[] {
  return store.read(({ db }) => db.select().from(inbounds).orderBy(asc(inbounds.id)).all());
}

export function keysOf({ store }: WithStore): (typeof idempotencyKeys.$inferSelect)[] {
  return store.read(({ db }) => db.select().from(idempotencyKeys).all());
}

export function parkedCount({ store }: WithStore): number {
  return store.read(({ db }) => db.select().from(parkedStatuses).all()).length;
}

export function accountOf({ store }: WithStore, workspace: { id: number }): BillingAccount {
  return required(
    store.read(({ db }) =>
      db.select().from(billingAccounts).where(eq(billingAccounts.workspaceId, workspace.id)).get(),
    ),
    "the workspace has no account",
  );
}

export function ledgerOf({ store }: WithStore, workspace: { id: number }): [kind: string, amount: number][] {
  return store
    .read(({ db }) =>
      db
        .select()
        .from(ledgerEntries)
        .where(eq(ledgerEntries.workspaceId, workspace.id))
        .orderBy(asc(ledgerEntries.id))
        .all(),
    )
    .map(({ kind, amount }) => [kind, amount]);
}

export function required<T>(value: T | undefined | null, otherwise: string): T {
  if (value == null) throw new Error(otherwise);
  return value;
}
