/** The outbox: one row for each durable job that is not done yet. */
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { instant } from "#src/db/columns.ts";

export const outbox = sqliteTable("outbox", {
  id: integer().primaryKey({ autoIncrement: true }),
  /** What is to be done; see `outboxKinds`. */
  kind: text().$type<OutboxKind>().notNull(),
  /** The id of the row that the job is about. */
  subject: integer().notNull(),
  /**
   * A workspace's id, 0 for the server's own jobs, negative for a further webhook address, or above `NUMBER_QUEUES` for a
   * number. Jobs of one queue do not wait for those of another.
   */
  queueKey: integer().notNull(),
  dueAt: instant().notNull(),
});

/**
 * `deliver_webhook`: subject is a delivery · `expire_message`: subject is a message in doubt · `start_broadcast`: a
 * scheduled broadcast · `review_broadcast`: a broadcast that may have to be completed, settled or paused ·
 * `sync_account`: subject is the first number of a network's account · `tell_contact`: a contact that has changed ·
 * `fetch_media`: subject is a medium of an inbound · `mail_link`: a one-time link that is sent by e-mail · `mail_owners`: an
 * audit entry about which the owners of its workspace get an e-mail · `end_deliveries`: subject is the last job that an
 * address had when it was removed · `send_message`: a scheduled message ·
 * `cancel_replied`: a contact who wrote, and had more scheduled messages that this cancels than one transaction takes ·
 * `end_snooze`: a conversation that is snoozed until a time · `erase_person`: subject is an erasure · `hand_out`: an archive
 * of a person's data that is to be made, or deleted · `join_contacts`: two contacts that were joined · `resolve_block`: a block of a person whose outcome is not known.
 */
const outboxKinds = [
  "deliver_webhook",
  "expire_message",
  "start_broadcast",
  "review_broadcast",
  "sync_account",
  "tell_contact",
  "fetch_media",
  "mail_link",
  "mail_owners",
  "end_deliveries",
  "send_message",
  "cancel_replied",
  "end_snooze",
  "erase_person",
  "hand_out",
  "join_contacts",
  "resolve_block",
] as const;
export type OutboxKind = (typeof outboxKinds)[number];

export type OutboxRow = typeof outbox.$inferSelect;
