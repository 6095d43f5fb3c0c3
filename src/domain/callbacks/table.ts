/** Bodies that networks posted, stored before they are answered and applied after. */
import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { instant } from "#src/storage/columns.ts";

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
