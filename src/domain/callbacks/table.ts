/** Bodies that networks posted, stored before they are answered and applied after. */
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { instant } from "#src/storage/columns.ts";

export const callbacks = sqliteTable("callbacks", {
  id: integer().primaryKey({ autoIncrement: true }),
  network: text().$type<"simulator" | "whatsapp">().notNull(),
  /** As it came. */
  body: text().notNull(),
  receivedAt: instant().notNull(),
  /** The simulator's own callbacks lie here until their time; a real network's are due at once. */
  dueAt: instant().notNull(),
  /** Null until every item is applied. */
  doneAt: instant(),
  /** What could not be applied, in words. */
  note: text(),
});

export type Callback = typeof callbacks.$inferSelect;
