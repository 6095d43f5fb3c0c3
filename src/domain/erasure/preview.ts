/** What an erasure of a person would erase, counted in a bounded number of rows: what is shown before it begins. */
import { sql } from "drizzle-orm";
import type { ReadTx } from "#src/db/transaction.ts";
import { numberEnds } from "../broadcasts/drafts.ts";
import type { Contact, ErasedCounts } from "../contacts/table.ts";
import { idsOfContact } from "../messages/contact-message-statements.ts";
import { findPerson } from "./person.ts";
import { withoutSigns } from "./spelled.ts";

/** Nothing is counted further; also how many of the newest events, callbacks and drafts are looked through. */
export const COUNTED_MAX = 1_000;

interface ErasurePreview {
  /** Those of `COUNTED_MAX` mean that many or more. */
  counts: Pick<
    ErasedCounts,
    "sent" | "of_broadcasts" | "scheduled" | "received" | "by_other_senders" | "notes" | "files" | "drafts" | "events"
  >;
  /** The opt-out stays, as a hash under the server's key. */
  keeps_opt_out: boolean;
}

export function previewErasure(tx: ReadTx, contact: Contact): ErasurePreview {
  const { workspaceId, contacts, contactIds, names } = findPerson(tx, contact);
  const of = (table: string, condition = ""): string =>
    contactIds.map((id) => `SELECT 1 FROM ${table} WHERE ${condition} contact_id = ${id}`).join(" UNION ALL ");
  const count = (rows: string): number => {
    const [found] = tx.db.all<{ count: number }>(
      sql`SELECT count(*) AS count FROM (SELECT 1 FROM (${sql.raw(rows)}) LIMIT ${sql.raw(String(COUNTED_MAX))})`,
    );
    return found?.count ?? 0;
  };
  const messages = (condition: string): string =>
    contactIds
      .map((id) => {
        const ids = idsOfContact(String(id), String(workspaceId), { broadcasts: true });
        return `SELECT 1 FROM messages WHERE id IN (${ids}) AND ${condition}`;
      })
      .join(" UNION ALL ");
  const ends = numberEnds(names.flatMap(({ text, until }) => (until === null ? [text] : [])));
  const isScheduled = "send_at IS NOT NULL AND status = 'pending'";
  return {
    counts: {
      sent: count(messages(`broadcast_id IS NULL AND NOT (${isScheduled})`)),
      of_broadcasts: count(of("messages", "broadcast_id IS NOT NULL AND")),
      scheduled: count(messages(isScheduled)),
      received: count(of("inbounds")),
      by_other_senders: count(of("echoes")),
      notes: count(of("conversation_notes")),
      files: count(
        `${of("media JOIN inbounds ON inbounds.id = media.inbound_id AND media.state = 'stored'")} UNION ALL ${of("upload_people")}`,
      ),
      drafts: countNamed(tx, "broadcast_drafts", workspaceId, ends),
      events: countNamed(
        tx,
        "events",
        workspaceId,
        names.map(({ text }) => text),
      ),
    },
    keeps_opt_out: contacts.some(({ consent }) => consent === "opted_out"),
  };
}

const searched = {
  broadcast_drafts: { text: withoutSigns("content"), order: "updated_at" },
  events: { text: "body", order: "seq" },
} as const;

/** Of the newest rows of the workspace, those whose text has one of the names. */
function countNamed(tx: ReadTx, table: keyof typeof searched, workspaceId: number, names: readonly string[]): number {
  if (names.length === 0) return 0;
  const isNamed = sql.join(
    names.map((name) => sql`instr(text, ${name}) > 0`),
    sql` OR `,
  );
  const { text, order } = searched[table];
  const newest = sql`SELECT ${sql.raw(text)} AS text FROM ${sql.raw(table)} WHERE workspace_id = ${workspaceId}
    ORDER BY ${sql.raw(order)} DESC LIMIT ${sql.raw(String(COUNTED_MAX))}`;
  const [found] = tx.db.all<{ count: number }>(sql`SELECT count(*) AS count FROM (${newest}) WHERE ${isNamed}`);
  return found?.count ?? 0;
}
