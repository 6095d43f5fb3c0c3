/** What people wrote, each exactly once. */
import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { instant } from "#src/db/columns.ts";

export const inbounds = sqliteTable("inbounds", {
  id: integer().primaryKey({ autoIncrement: true }),
  workspaceId: integer().notNull(),
  numberId: integer().notNull(),
  contactId: integer().notNull(),
  /** The network's id: the same one twice is one inbound. */
  networkMessageId: text().notNull(),
  /** The network's word for its kind. */
  type: text().notNull(),
  text: text(),
  /** The network's time. */
  receivedAt: instant().notNull(),
  createdAt: instant().notNull(),
});

export type Inbound = typeof inbounds.$inferSelect;

/** Everybody who wrote, with what nobody has looked at yet; the rows are kept by a trigger on `inbounds`. */
export const conversations = sqliteTable("conversations", {
  contactId: integer().primaryKey(),
  workspaceId: integer().notNull(),
  lastInboundId: integer().notNull(),
  /** When they last wrote, by the network's time. */
  wroteAt: instant().notNull(),
  /** How many inbounds came since somebody looked. */
  unread: integer().notNull(),
});

export type Conversation = typeof conversations.$inferSelect;

/** Whose word a body is: decided by whoever received it, obeyed by whoever applies it. */
export interface Trust {
  /** Signed with the configuration's secret, which speaks for every number without one of its own. */
  configuration: boolean;
  /** Numbers whose own secret signed it, or by whose own address it came. */
  numbers: number[];
}

export const callbacks = sqliteTable("callbacks", {
  id: integer().primaryKey({ autoIncrement: true }),
  network: text().$type<"simulator" | "whatsapp">().notNull(),
  /** As it came. */
  body: text().notNull(),
  receivedAt: instant().notNull(),
  /** The simulator's own callbacks lie here until their time; a real network's are due at once. */
  dueAt: instant().notNull(),
  /** For whom it was signed; null: this server made it itself. */
  trust: text({ mode: "json" }).$type<Trust>(),
  /** Null until every item is applied. */
  doneAt: instant(),
  /** What could not be applied, in words. */
  note: text(),
});

export type Callback = typeof callbacks.$inferSelect;

export type RefusalReason =
  /** No secret here made its signature. */
  | "wrong_signature"
  | "no_signature"
  /** There is no secret here at all. */
  | "no_secret"
  /** An address of a number that none has. */
  | "unknown_address";

export const refusedCallbacks = sqliteTable(
  "refused_callbacks",
  {
    /** Its beginning. */
    hour: instant().notNull(),
    reason: text().$type<RefusalReason>().notNull(),
    /** 0 where the body names none of ours: it is only what a body claims that nobody has proven. */
    numberId: integer().notNull(),
    count: integer().notNull(),
    lastAt: instant().notNull(),
  },
  ({ hour, reason, numberId }) => [primaryKey({ columns: [hour, reason, numberId] })],
);

export type RefusedCount = typeof refusedCallbacks.$inferSelect;
