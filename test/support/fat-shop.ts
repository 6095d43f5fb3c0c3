/**
 * Fills a workspace as far as its limits allow: a page of every list with the largest rows, one person with everything
 * that a person may have, and as many of everything else as is shown at once.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Objects, TEMPLATE } from "./matrix-objects.ts";

/** More than the largest page. */
const ROWS = 520;
const LINE = 191;
/** What people write; WhatsApp's own apps allow no more. */
const WRITTEN = 65_536;
/** As many as a form of a contact may name. */
const NAMES = 100;
/** What people send may have a hundred megabytes; more of them are not measured differently. */
const FILE_BYTES = 16 * 1024 * 1024;
const FIELDS = 50;
const PEOPLE = 20;
export const LIST = 1_000;

const fat = (length: number): string => `'${"w".repeat(length)}'`;

/** Everything that a template may hold, with the longest texts. */
const buttons = Array.from({ length: 10 }, (_, index) => ({
  type: "URL",
  text: `Button ${index}`.padEnd(25, "x"),
  url: `https://example.com/${"p".repeat(1_980)}`,
}));
export const FAT_COMPONENTS = [
  { type: "HEADER", format: "TEXT", text: "h".repeat(60) },
  { type: "BODY", text: "b".repeat(1_024) },
  { type: "FOOTER", text: "f".repeat(60) },
  { type: "BUTTONS", buttons },
];

/** Call before the clock is released. */
export function fatten(side: Objects): void {
  const { client } = side.app.store;
  const { id: workspace } = side.workspace;
  const now = side.app.clock.now();
  client.pragma("foreign_keys = OFF");

  /** Copies a row; `n` counts the copies from 1 in what the columns become. */
  const copy = (table: string, count: number, which: string, changes: Readonly<Record<string, string>>): void => {
    const columns = client
      .prepare(`SELECT name FROM pragma_table_info('${table}') WHERE name NOT IN ('id', 'seq') OR name = ?`)
      .pluck()
      .all("id" in changes ? "id" : "") as string[];
    const values = columns.map((name) => changes[name] ?? `one.${name}`);
    client.exec(
      `INSERT INTO ${table} (${columns}) WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < ${count})
      SELECT ${values} FROM (SELECT * FROM ${table} WHERE ${which} LIMIT 1) one, n`,
    );
    const left = client.prepare(`SELECT count(*) FROM ${table}`).pluck().get();
    if (Number(left) < count) throw new Error(`nothing of ${table} could be copied where ${which}`);
  };
  const own = `workspace_id = ${workspace}`;
  const components = `'${JSON.stringify(FAT_COMPONENTS)}'`;
  const variables = `'${JSON.stringify({ header: [], body: Array.from({ length: 100 }, () => "v".repeat(LINE)) })}'`;

  writeFileSync(join(side.app.directory, "media", `${workspace}-matrix${workspace}`), new Uint8Array(FILE_BYTES));
  client.exec("BEGIN");
  client.exec(`UPDATE media_files SET bytes = ${FILE_BYTES}`);
  side.field();
  copy("custom_fields", FIELDS, own, { key: "'f' || n", label: fat(LINE) });
  client.exec(`INSERT INTO tags (workspace_id, name, folded) VALUES (${workspace}, 'tag', 'tag')`);
  copy("tags", NAMES, own, { name: `${fat(LINE - 10)} || n`, folded: `${fat(LINE - 10)} || n` });
  side.group();
  copy("groups", ROWS, own, { name: `${fat(LINE - 10)} || n`, folded: `${fat(LINE - 10)} || n` });
  client.exec(`
    UPDATE contacts SET ${["name", "first_name", "last_name", "email", "city", "state", "postal_code", "company"]
      .map((name) => `${name} = ${fat(LINE)}`)
      .join(", ")}, birthday = '1990-02-28', consent = 'opted_in', consent_source = 'api', consent_at = ${now}
    WHERE id = ${side.contact};
    INSERT INTO consent_log (workspace_id, contact_id, was, became, source, evidence, at)
      VALUES (${workspace}, ${side.contact}, 'unknown', 'opted_in', 'api',
        json_object('purpose', ${fat(LINE)}, 'notice', ${fat(4_000)}), ${now});
  `);
  copy("consent_log", ROWS, `contact_id = ${side.contact}`, {});
  const people = { phone: `'+9197' || printf('%08d', n)`, network_user_id: "NULL", identity_id: "NULL" };
  copy("contacts", ROWS, `id = ${side.contact}`, { ...people, updated_at: `${now} - n` });
  copy("contacts", ROWS, `id = ${side.contact}`, {
    ...people,
    phone: `'+9196' || printf('%08d', n)`,
    consent: "'opted_out'",
    updated_at: `${now} - 1000000 - n`,
  });
  const everybody = `SELECT id FROM contacts WHERE ${own}`;
  client.exec(`
    INSERT INTO contact_fields (contact_id, field_id, text_value)
      SELECT c.id, f.id, ${fat(LINE)} FROM (${everybody}) c, custom_fields f WHERE f.${own};
    INSERT INTO contact_tags (contact_id, tag_id) SELECT c.id, t.id FROM (${everybody}) c, tags t WHERE t.${own};
    INSERT INTO group_members (group_id, contact_id)
      SELECT g.id, c.id FROM (SELECT id FROM groups WHERE ${own} ORDER BY id LIMIT ${NAMES}) g, (${everybody}) c;
    INSERT INTO contact_people (contact_id, position, name, first_name, birthday, ref)
      WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < ${PEOPLE})
      SELECT c.id, n, ${fat(LINE)}, ${fat(LINE)}, '1990-02-28', ${fat(50)} || n FROM (${everybody}) c, n;
    INSERT INTO consent_log (workspace_id, contact_id, was, became, source, evidence, at)
      SELECT ${workspace}, c.id, 'unknown', 'opted_in', 'api', json_object('notice', ${fat(4_000)}), ${now}
      FROM (${everybody}) c;
  `);

  const details = `'${JSON.stringify({ raw: "r".repeat(15_000) })}'`;
  client.exec(`UPDATE inbounds SET text = ${fat(WRITTEN)}, details = ${details} WHERE id = ${side.inbound}`);
  copy("inbounds", ROWS, `id = ${side.inbound}`, {
    network_message_id: "'fat.' || n",
    received_at: "one.received_at + n",
  });
  client.exec(`
    INSERT INTO inbounds (workspace_id, number_id, contact_id, network_message_id, type, text, received_at, created_at, origin)
      SELECT ${workspace}, one.number_id, c.id, 'of.' || c.id, 'text', one.text, one.received_at + c.id, one.created_at, 'messages'
      FROM (SELECT * FROM inbounds WHERE id = ${side.inbound}) one, (${everybody} AND id <> ${side.contact} LIMIT ${ROWS}) c;
    UPDATE messages SET text = ${fat(4_096)}, reference = ${fat(LINE)} WHERE id = ${side.message};
  `);
  copy("messages", ROWS, `id = ${side.message}`, {
    send_token: "'fat.' || n",
    network_message_id: "NULL",
    dispatched_at: "one.dispatched_at + n",
    created_at: "one.created_at + n",
  });
  client.exec(`
    INSERT OR IGNORE INTO contact_messages (contact_id, dispatched_at, message_id)
      SELECT contact_id, dispatched_at, id FROM messages WHERE ${own} AND broadcast_id IS NULL AND contact_id IS NOT NULL;
  `);
  const body = `json_object('id', 'evt', 'type', one.type, 'data', json_object('text', ${fat(WRITTEN)}))`;
  copy("events", ROWS, own, { id: "'evt_' || n", body });
  const events = `(SELECT max(seq) FROM events)`;
  client.exec(`
    INSERT INTO deliveries (event_seq, workspace_id, status, attempt_count, first_attempt_at, created_at, finished_at)
      VALUES (${events}, ${workspace}, 'exhausted', 20, ${now}, ${now}, ${now});
  `);
  copy("deliveries", ROWS, `${own} AND status = 'exhausted' AND event_seq = ${events}`, {});
  client.exec(`
    INSERT OR IGNORE INTO delivery_attempts (delivery_id, id, url, attempted_at, duration_ms, status_code, error, response)
      WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 20)
      SELECT d.id, n, ${fat(2_000)}, ${now}, 1, 500, ${fat(300)}, ${fat(1_000)} FROM deliveries d, n WHERE d.${own};
  `);
  client.exec(`
    INSERT INTO key_requests (workspace_id, key_id, at, method, path, status, duration_ms)
      WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < ${ROWS})
      SELECT workspace_id, max(id), ${now}, 'DELETE', '/broadcasts/{id}/recipients', 404, 10000
      FROM api_keys, n WHERE ${own} AND revoked_at IS NULL GROUP BY n;
  `);

  copy("templates", ROWS, own, { name: "'fat_' || n", components });
  copy("broadcasts", ROWS, `id = ${side.sentBroadcast}`, {
    name: fat(LINE),
    template_components: components,
    variables,
    status_reason: fat(300),
  });
  client.exec(`
    INSERT INTO broadcast_counters SELECT ${counterColumns(client)} FROM broadcast_counters one, broadcasts b
      WHERE one.broadcast_id = ${side.sentBroadcast} AND b.${own} AND b.id NOT IN (SELECT broadcast_id FROM broadcast_counters);
  `);
  copy("messages", LIST, `broadcast_id = ${side.sentBroadcast}`, {
    send_token: "'part.' || n",
    contact_id: `(SELECT min(id) + n - 1 FROM contacts WHERE ${own} AND phone LIKE '+9196%')`,
    network_message_id: "NULL",
    variables,
    error_message: fat(1_024),
  });
  side.draft();
  copy("broadcast_drafts", 40, own, { content: `'${JSON.stringify(fatDraft(side))}'` });
  side.bulk("done");
  const target = JSON.stringify({ contacts: Array.from({ length: LIST }, (_, index) => index) });
  copy("bulk_changes", ROWS, own, { target: `'${target}'` });

  side.key();
  copy("api_keys", ROWS, own, { hash: "randomblob(32)", name: fat(100) });
  side.member();
  copy("users", ROWS, "email LIKE 'member%'", {
    email: "'u' || n || '@example.com'",
    email_key: "'u' || n || '@example.com'",
  });
  client.exec(`
    INSERT INTO memberships (user_id, workspace_id, role, created_at)
      SELECT id, ${workspace}, 'member', 1 FROM users WHERE email LIKE 'u%@example.com';
    INSERT INTO audit_log (at, user_id, workspace_id, action, subject, details, address)
      VALUES (${now}, 1, ${workspace}, 'contact.change', ${fat(LINE)}, json_object('was', ${fat(10_000)}), '::1');
    INSERT INTO ledger_entries (workspace_id, kind, amount, note, created_at)
      VALUES (${workspace}, 'credit', 1, ${fat(300)}, ${now});
  `);
  copy("audit_log", ROWS, `${own} AND subject = ${fat(LINE)}`, {});
  copy("ledger_entries", ROWS, `${own} AND note = ${fat(300)}`, {});
  copy("workspaces", ROWS, `id = ${workspace}`, { name: fat(LINE) });
  copy("sessions", 45, "user_id = (SELECT max(user_id) FROM sessions)", { hash: "randomblob(32)", agent: fat(200) });
  client.exec(`
    INSERT INTO account_syncs (workspace_id, account_id, failed_at, error)
      WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 200)
      SELECT ${workspace}, 'account' || n, 1, ${fat(1_024)} FROM n;
    INSERT INTO network_usage (workspace_id, month, number_id, category, type, billable, messages)
      WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < ${ROWS})
      SELECT ${workspace}, strftime('%Y-%m', ${now} / 1000, 'unixepoch'), ${side.workspace.numberId}, 'c' || n, 't', 1, 1 FROM n;
  `);
  const told = "'quality', 'GREEN', 'RED', n FROM n";
  client.exec(`
    INSERT INTO network_changes (workspace_id, number_id, property, was, became, at)
      WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < ${ROWS})
      SELECT ${workspace}, ${side.workspace.numberId}, ${told};
    INSERT INTO network_changes (workspace_id, template_id, property, was, became, at)
      WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < ${ROWS})
      SELECT ${workspace}, (SELECT id FROM templates WHERE ${own} AND name = '${TEMPLATE}'), ${told};
  `);
  client.exec("COMMIT; ANALYZE");
  client.pragma("foreign_keys = ON");
}

/** The counters of one broadcast for another. */
function counterColumns(client: Objects["app"]["store"]["client"]): string {
  const names = client.prepare("SELECT name FROM pragma_table_info('broadcast_counters')").pluck().all() as string[];
  return names.map((name) => (name === "broadcast_id" ? "b.id" : `one.${name}`)).join(", ");
}

/** As large as the console saves one. */
export function fatDraft(side: Objects): Record<string, unknown> {
  const { name, template, from } = side.broadcasting();
  const to = Array.from({ length: LIST }, (_, index) => `+9197${String(index + 1).padStart(8, "0")}`);
  return { name: String(name).padEnd(LINE, "n"), template, from, to };
}
