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

const IS_SCHEDULED = "send_at IS NOT NULL AND +status = 'pending'";

export function previewErasure(tx: ReadTx, contact: Contact): ErasurePreview {
  const { workspaceId, contacts, contactIds, names } = findPerson(tx, contact);
  // Lists, not a term for each: a person may have more contacts and names than SQLite takes terms.
  const of = (table: string, condition = ""): string =>
    `SELECT 1 FROM people CROSS JOIN ${table} WHERE ${condition} contact_id = people.id`;
  const ids = idsOfContact("people.id", String(workspaceId), { broadcasts: false });
  const stored = "media JOIN inbounds ON inbounds.id = media.inbound_id AND +media.state = 'stored'";
  const named = (newest: string, list: "ends" | "names"): string =>
    `SELECT 1 FROM (${newest} LIMIT ${COUNTED_MAX}) AS newest WHERE EXISTS (SELECT 1 FROM ${list} WHERE instr(newest.text, ${list}.text) > 0)`;
  const ends = numberEnds(names.flatMap(({ text, until }) => (until === null ? [text] : [])));
  const rows: Record<keyof PreviewCounts, string> = {
    sent: `SELECT 1 FROM people CROSS JOIN messages WHERE messages.id IN (${ids}) AND NOT (${IS_SCHEDULED}) AND ${withinBudget("messages.id")}`,
    of_broadcasts: of("messages", "broadcast_id IS NOT NULL AND"),
    scheduled: of("messages", `${IS_SCHEDULED} AND ${withinBudget("messages.id")} AND`),
    received: of("inbounds"),
    by_other_senders: of("echoes"),
    notes: of("conversation_notes"),
    files: `${of(stored, `${withinBudget("inbounds.id")} AND`)} UNION ALL ${of("upload_people")}`,
    drafts: named(
      `SELECT ${withoutSigns("content")} AS text FROM broadcast_drafts WHERE workspace_id = ${workspaceId} ORDER BY updated_at DESC`,
      "ends",
    ),
    events: named(
      `SELECT body AS text FROM events WHERE workspace_id = ${workspaceId} AND ${withinBudget("seq")} ORDER BY seq DESC`,
      "names",
    ),
  };
  const counts = Object.entries(rows).map(
    ([name, found]) => `(SELECT count(*) FROM (SELECT 1 FROM (${found}) LIMIT ${COUNTED_MAX})) AS ${name}`,
  );
  const keepsOptOut = contacts.some(({ consent }) => consent === "opted_out");
  const lists = {
    people: ["id", contactIds],
    ends: ["text", ends],
    names: ["text", names.map(({ text }) => text)],
  } as const;
  const tables = Object.entries(lists).map(
    ([name, [column]]) => `${name}(${column}) AS MATERIALIZED (SELECT value FROM json_each(?))`,
  );
  const parameters = Object.values(lists).map(([, values]) => JSON.stringify(values));
  return { sql: `WITH ${tables.join(", ")} SELECT ${counts.join(", ")}`, parameters, keepsOptOut };
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
