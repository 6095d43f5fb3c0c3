/** What an erasure of a person would erase, counted in a bounded number of rows: what is shown before it begins. */
import { withinBudget } from "#src/db/query-budget.ts";
import type { ReadTx } from "#src/db/transaction.ts";
import { numberEnds } from "../broadcasts/drafts.ts";
import type { Contact, ErasedCounts } from "../contacts/table.ts";
import { idsOfContact } from "../messages/contact-message-statements.ts";
import { findPerson } from "./person.ts";
import { withoutSigns } from "./spelled.ts";

/** Nothing is counted further; also how many of the newest events and drafts are searched. */
export const COUNTED_MAX = 1_000;

/** Those of `COUNTED_MAX` mean that many or more. */
type PreviewCounts = Pick<
  ErasedCounts,
  "sent" | "of_broadcasts" | "scheduled" | "received" | "by_other_senders" | "notes" | "files" | "drafts" | "events"
>;

interface ErasurePreview {
  /** One query, whose one row has a column for each count. For a reader's thread: it reads the text of thousands of rows. */
  sql: string;
  parameters: string[];
  /** The opt-out stays, as a hash under the server's key. */
  keepsOptOut: boolean;
}

const IS_SCHEDULED = "send_at IS NOT NULL AND status = 'pending'";

export function previewErasure(tx: ReadTx, contact: Contact): ErasurePreview {
  const { workspaceId, contacts, contactIds, names } = findPerson(tx, contact);
  const of = (table: string, condition = ""): string =>
    contactIds.map((id) => `SELECT 1 FROM ${table} WHERE ${condition} contact_id = ${id}`).join(" UNION ALL ");
  const messages = (condition: string): string =>
    contactIds
      .map((id) => {
        const ids = idsOfContact(String(id), String(workspaceId), { broadcasts: true });
        return `SELECT 1 FROM messages WHERE id IN (${ids}) AND ${condition} AND ${withinBudget("messages.id")}`;
      })
      .join(" UNION ALL ");
  const stored = "media JOIN inbounds ON inbounds.id = media.inbound_id AND media.state = 'stored'";
  const parameters: string[] = [];
  const named = (newest: string, texts: readonly string[]): string => {
    parameters.push(...texts);
    return `SELECT 1 FROM (${newest} LIMIT ${COUNTED_MAX}) WHERE ${texts.map(() => "instr(text, ?) > 0").join(" OR ") || "0"}`;
  };
  const ends = numberEnds(names.flatMap(({ text, until }) => (until === null ? [text] : [])));
  const rows: Record<keyof PreviewCounts, string> = {
    sent: messages(`broadcast_id IS NULL AND NOT (${IS_SCHEDULED})`),
    of_broadcasts: of("messages", "broadcast_id IS NOT NULL AND"),
    scheduled: messages(IS_SCHEDULED),
    received: of("inbounds"),
    by_other_senders: of("echoes"),
    notes: of("conversation_notes"),
    files: `${of(stored)} UNION ALL ${of("upload_people")}`,
    drafts: named(
      `SELECT ${withoutSigns("content")} AS text FROM broadcast_drafts WHERE workspace_id = ${workspaceId} ORDER BY updated_at DESC`,
      ends,
    ),
    events: named(
      `SELECT body AS text FROM events WHERE workspace_id = ${workspaceId} AND ${withinBudget("seq")} ORDER BY seq DESC`,
      names.map(({ text }) => text),
    ),
  };
  const counts = Object.entries(rows).map(
    ([name, found]) => `(SELECT count(*) FROM (SELECT 1 FROM (${found}) LIMIT ${COUNTED_MAX})) AS ${name}`,
  );
  const keepsOptOut = contacts.some(({ consent }) => consent === "opted_out");
  return { sql: `SELECT ${counts.join(", ")}`, parameters, keepsOptOut };
}

/** Of the query's row. */
export function readPreviewCounts(row: Readonly<Record<string, unknown>> | undefined): PreviewCounts {
  const count = (name: keyof PreviewCounts): number => Number(row?.[name] ?? 0);
  return {
    ...{ sent: count("sent"), of_broadcasts: count("of_broadcasts"), scheduled: count("scheduled") },
    ...{ received: count("received"), by_other_senders: count("by_other_senders"), notes: count("notes") },
    ...{ files: count("files"), drafts: count("drafts"), events: count("events") },
  };
}
