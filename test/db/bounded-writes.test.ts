/**
 * A statement of the domain that deletes or changes rows names them by their key, or takes a bounded number of them, or stands in a list
 * with what bounds it: whatever grows with a person, a workspace or time is changed in slices, so that no request waits for it.
 */
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";

const domain = join(import.meta.dir, "../../src/domain");

interface Write {
  file: string;
  /** As it stands in the source, on one line. */
  text: string;
  table: string;
}

const SQL = /\b(?:DELETE FROM|UPDATE)\s+(\$\{[^}]+\}|[a-z_]+)\s(?:(?!`|"\s*[,;)])[\s\S])*/g;
const BUILT = /\.(?:update|delete)\((\w+)\)[\s\S]*?\.(?:run|returning|prepare)\(/g;
/** By the values of columns: see `db/rows.ts`. */
const MATCHED = /\b(?:updateRows|changeRow|deleteRows)\(\s*\w+,\s*(\w+),[^;]*/g;
/** A hot statement: see `db/hot-table.ts`. */
const HOT = /\bhotDelete\((\w+),[^;]*/g;

function writesOf(file: string, source: string): Write[] {
  const code = source.replace(/^\s*(\/\/|\/?\*).*$/gm, "");
  return [SQL, BUILT, MATCHED, HOT].flatMap((pattern) =>
    [...code.matchAll(pattern)]
      // Not what a map deletes.
      .filter(([text]) => !text.includes(";"))
      .map(([text, table = ""]) => ({ file, text: text.replace(/\s+/g, " "), table: snake(table) })),
  );
}

function snake(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** The row by its key, or rows whose keys were read with a limit. */
const NAMED =
  /^(?:updateRows|changeRow|deleteRows)\(\s*\w+, \w+, \{[^}:]*\b(?:id|seq|key)\b|^hotDelete\(\w+, \["(?:id|hash|messageId)"|\beq\(\w+\.(id|seq|key)\b|\beq\((id|userId), |\bWHERE (\w+\.)?(id|seq|hash|rowid|message_id|subject) = |inArray\(\w+\.(id|seq|\w+Id|\w+Seq|sendToken|phone)\b|\bLIMIT\b|WHERE id IN \$\{ids\}/;

/** Of these there are a few for each workspace, number, user or key, whatever a workspace does. */
const FEW = new Set([
  ...[
    "account_syncs",
    "ai_notices",
    "api_keys",
    "billing_accounts",
    "broadcast_counters",
    "broadcast_drafts",
    "broadcasts",
  ],
  ...[
    "callback_addresses",
    "connection_drafts",
    "contact_views",
    "custom_fields",
    "further_webhooks",
    "groups",
    "instance",
  ],
  ...[
    "key_days",
    "known_devices",
    "memberships",
    "network_health",
    "number_notices",
    "number_states",
    "numbers",
    "portfolios",
  ],
  ...[
    "quick_replies",
    "recovery_codes",
    "sample_uploads",
    "sessions",
    "sign_in_attempts",
    "template_drafts",
    "templates",
  ],
  ...["unlisted_refusals", "user_links", "users", "webhooks", "workspaces", "sign_ups"],
]);

test("the search finds writes in each form, and what names no row", () => {
  const found = writesOf(
    "x.ts",
    "tx.db.delete(messages).where(eq(messages.broadcastId, id)).run(); sql`DELETE FROM inbounds WHERE contact_id = 1`; deleteRows(tx, echoes, { contactId: id });",
  );
  expect(found.map(({ table }) => table)).toEqual(["inbounds", "messages", "echoes"]);
  expect(found.filter(({ text }) => NAMED.test(text))).toEqual([]);
  expect(NAMED.test("DELETE FROM a WHERE id IN (SELECT id FROM a LIMIT 5)")).toBe(true);
});

/** Of the others: what bounds them, by file and table. */
const BOUNDED: Readonly<Record<string, string>> = {
  "broadcasts/change.ts messages": "the recipients of a broadcast that may still be changed, at most 1,000",
  "contacts/contact-updates.ts contact_update_mutes": "one row for each workspace",
  "contacts/conversation-statements.ts conversations": "a person on one number: one row",
  "contacts/detail-statements.ts contact_tags": "a person's tag: one row",
  "contacts/detail-statements.ts contact_fields": "a person's field: one row",
  "contacts/erased-opt-outs.ts erased_opt_outs": "a number: one row",
  "contacts/identity.ts contacts": "the contacts that the network says are one person: a handful",
  "contacts/joined.ts contact_network_ids": "the names of one contact",
  "contacts/learn-identity.ts contact_network_ids": "the names of one contact",
  "contacts/statements.ts contacts": "one contact: its WHERE follows a list of columns that is computed",
  "erasure/erase-attached.ts ${sql.raw(table)}": "by which a person is found: few for each name and each number",
  "erasure/erase-names.ts parked_statuses": "a range of ids that was read with a limit",
  "erasure/join-attached.ts ${sql.raw(table)}": "a row for each number, tag, group or field of one contact",
  "erasure/join-attached.ts contact_people": "the people of one contact, of whom a request takes few",
  "erasure/join-attached.ts different_people": "what users said of one contact, pair by pair",
  "erasure/join-contacts.ts contact_fields": "the fields of one contact",
  "erasure/join-contacts.ts contact_network_ids": "the names of one contact",
  "erasure/join-rows.ts contact_messages": "one row by its whole key",
  "erasure/person-columns.ts ${sql.raw(table)}":
    "the condition is the caller's: rows that were read with a limit, or a few by table",
  "groups/statements.ts group_members": "a person in one group: one row",
  "idempotency/keys.ts idempotency_keys": "the key of one message",
  "inbound/change-number.ts contact_network_ids": "the names of one contact",
  "inbound/drafts.ts conversation_drafts": "a user's draft to one person: one row",
  "inbound/mentions.ts note_mentions": "what one user has not read of one person",
  "inbound/quarantine.ts callback_marks": "one item of a callback: one row",
  "inbound/simulated-blocks.ts simulated_blocks": "a person on one number: one row",
  "media/release.ts network_uploads": "one upload on each number",
  "media/release.ts upload_people": "an upload of which no more people are left than its caller takes at once",
  "media/send-upload.ts upload_people": "one upload and one person",
  "media/statements.ts media": "the files of one message",
  "media/upload-statements.ts network_uploads": "one upload on one number: one row",
  "messages/contact-message-statements.ts contact_messages": "one row by its whole key",
  "messages/counter-statements.ts recent_recipients": "one person: one row",
  "messages/key-budget.ts key_people": "a person on one day: one row",
  "messages/network-id-statements.ts recent_network_ids": "a batch of some thousand ids, which moves in sixteen steps",
  "messages/portfolio-statements.ts portfolio_recipients": "one person: one row",
  "messages/redirect.ts messages":
    "what waits for one person: one row of each broadcast that waits, and a list that was read",
  "messages/redirect.ts ${scheduled_messages}": "a list of messages that was read with a limit",
  "messages/scheduled.ts scheduled_messages": "a restore, before the server starts",
  "messages/scheduled.ts outbox": "a restore, before the server starts",
  "users/change.ts conversation_drafts": "the drafts of one user, which live for 30 days; a user is removed by hand",
  "users/links.ts form_answers": "the forms that one user has sent in a day",
  "webhooks/attempt.ts deliveries": "a range of jobs that was read with a limit",
  "webhooks/statements.ts bursts": "one delivery: one row",
  "workspaces/request-log.ts key_requests": "up to an id that was read with a limit",
};

test("every statement of the domain that deletes or changes rows takes a bounded number of them, or says what bounds it", () => {
  const all = [...new Bun.Glob("**/*.ts").scanSync(domain)]
    .sort()
    .flatMap((file) => writesOf(file, readFileSync(join(domain, file), "utf8")));
  expect(all.length).toBeGreaterThan(250);
  const open = all.filter(({ text, table }) => !NAMED.test(text) && !FEW.has(table));
  const key = ({ file, table }: Write): string => `${file} ${table}`;
  expect(open.filter((write) => BOUNDED[key(write)] === undefined)).toEqual([]);
  // Each reason is about a statement that is there.
  const known = new Set(open.map(key));
  expect(Object.keys(BOUNDED).filter((name) => !known.has(name))).toEqual([]);
});
