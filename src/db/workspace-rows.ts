/**
 * Which rows of the database belong to one workspace, derived from the schema: a table's own `workspace_id`, or a
 * reference to rows that belong to it. Test control resets one workspace by it.
 */
import type { Client } from "./driver.ts";
import { NUMBER_QUEUES } from "./queue-keys.ts";
import { isReplicationTable } from "./schema-objects.ts";
import { type TablesWith, tablesWith } from "./table-policies.ts";

/** Where it is not 1: what the condition of a listed table reads. */
const SPECIAL_DEPTHS: Readonly<Record<string, number>> = {
  workspaces: 0,
  callback_marks: 2,
  contact_messages: 2,
  network_ids: 2,
  provider_requests: 2,
  recent_network_ids: 2,
};

/** Condition on the rows of a table, by the schema that it is in (`main`, or an attached one). */
type Condition = (schema: string) => string;

export interface WorkspaceTable {
  name: string;
  where: Condition;
  /** Null: all. Otherwise these columns are copied, because the id may have been given to another row since. */
  columns: readonly string[] | null;
}

/**
 * A workspace's tables. Those whose condition reads other tables come first, so that they can be emptied in order.
 * `oldCallbacks` is a condition on the callbacks of `main` that may be of the workspace, which only their bodies tell: all of
 * them by default.
 */
export function workspaceTables(client: Client, workspaceId: number, oldCallbacks = "TRUE"): WorkspaceTable[] {
  const server: ReadonlySet<string> = new Set(tablesWith("reset", "server"));
  const found = new Map<string, { where: Condition; depth: number } | null>();
  const numbers: Condition = (schema) => `(SELECT id FROM ${schema}.numbers WHERE workspace_id = ${workspaceId})`;
  /** Found by two indexes: other workspaces may have many messages. */
  const messages: Condition = (schema) =>
    `(SELECT id FROM ${schema}.messages WHERE workspace_id = ${workspaceId} AND broadcast_id IS NULL
      UNION ALL SELECT id FROM ${schema}.messages
        WHERE broadcast_id IN (SELECT id FROM ${schema}.broadcasts WHERE workspace_id = ${workspaceId}))`;
  const ofNumber = (schema: string, body: string): string =>
    `EXISTS (SELECT 1 FROM ${schema}.numbers AS owned WHERE owned.workspace_id = ${workspaceId}
      AND instr(${body}, '"phone_number_id":"' || owned.phone_number_id || '"') > 0)`;
  /** Rows that name a workspace's row without a foreign key, and those for which another way to it is shorter. */
  const listed: Record<TablesWith<"reset", "listed">, Condition> = {
    workspaces: () => `id = ${workspaceId}`,
    // Its own queue, those of further webhook addresses, and those of numbers.
    outbox: (schema) =>
      `(queue_key = ${workspaceId}
        OR queue_key IN (SELECT -id FROM ${schema}.further_webhooks WHERE workspace_id = ${workspaceId})
        OR queue_key IN (SELECT ${NUMBER_QUEUES} + id FROM ${schema}.numbers WHERE workspace_id = ${workspaceId}))`,
    callbacks: (schema) => `${schema === "main" ? `(${oldCallbacks}) AND ` : ""}${ofNumber(schema, "body")}`,
    // There are few of these, and many of what they belong to.
    callback_marks: (schema) =>
      `EXISTS (SELECT 1 FROM ${schema}.callbacks AS marked WHERE marked.id = callback_id AND ${ofNumber(schema, "marked.body")})`,
    provider_requests: (schema) =>
      `EXISTS (SELECT 1 FROM ${schema}.messages AS sent WHERE sent.send_token = provider_requests.send_token
        AND sent.workspace_id = ${workspaceId})`,
    messages: (schema) => `id IN ${messages(schema)}`,
    contact_messages: (schema) =>
      `(contact_id, dispatched_at, message_id) IN (SELECT contact_id, dispatched_at, id FROM ${schema}.messages
        WHERE workspace_id = ${workspaceId} AND broadcast_id IS NULL)`,
    network_ids: (schema) =>
      `(hash, message_id) IN (SELECT text_hash(network_message_id), id FROM ${schema}.messages
        WHERE id IN ${messages(schema)} AND network_message_id IS NOT NULL)`,
    recent_network_ids: (schema) => `message_id IN ${messages(schema)}`,
    refusals: (schema) => `number_id IN ${numbers(schema)}`,
    refused_callbacks: (schema) => `number_id IN ${numbers(schema)}`,
  };

  const find = (table: string): { where: Condition; depth: number } | null => {
    const known = found.get(table);
    if (known !== undefined) return known;
    const made = derive(table);
    found.set(table, made);
    return made;
  };
  const derive = (table: string): { where: Condition; depth: number } | null => {
    if (server.has(table)) return null;
    if (table in listed) return { where: listed[table as keyof typeof listed], depth: SPECIAL_DEPTHS[table] ?? 1 };
    if (columnsOf(client, table).includes("workspace_id"))
      return { where: () => `workspace_id = ${workspaceId}`, depth: 0 };
    const references = client.pragma(`foreign_key_list("${table}")`) as { table: string; from: string; to: string }[];
    for (const { table: parent, from, to } of references) {
      const owner = find(parent);
      if (owner === null) continue;
      return {
        where: (schema) => `"${from}" IN (SELECT "${to}" FROM ${schema}."${parent}" WHERE ${owner.where(schema)})`,
        depth: owner.depth + 1,
      };
    }
    throw new Error(`no workspace owns the rows of ${table}: say in db/table-policies.ts whose they are`);
  };

  return tablesOf(client)
    .map((name) => ({ name, owned: find(name) }))
    .flatMap(({ name, owned }) => (owned === null ? [] : [{ name, ...owned }]))
    .toSorted((a, b) => b.depth - a.depth)
    .map(({ name, where }) => ({ name, where, columns: copiedColumns(client, name) }));
}

/** Condition on the callbacks that came after the given one (null: after the save), and on those of the saved state. */
export function callbacksSince(id: number | null): string {
  return `id > ${id ?? "(SELECT coalesce(max(id), 0) FROM seed.callbacks)"} OR id IN (SELECT id FROM seed.callbacks)`;
}

/** Every table with rows of ours, without those in which a virtual table keeps its own. */
export function tablesOf(client: Client): string[] {
  const names = client
    .prepare(
      "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type <> 'shadow' AND name NOT LIKE 'sqlite_%' ORDER BY name",
    )
    .pluck()
    .all() as string[];
  return names.filter((name) => !isReplicationTable(name));
}

function columnsOf(client: Client, table: string): string[] {
  return (client.pragma(`table_info("${table}")`) as { name: string }[]).map(({ name }) => name);
}

/** Ids of idempotency keys may be given again after a key has expired, and nothing refers to them. */
function copiedColumns(client: Client, table: string): string[] | null {
  if (table !== "idempotency_keys") return null;
  return columnsOf(client, table).filter((name) => name !== "id");
}
