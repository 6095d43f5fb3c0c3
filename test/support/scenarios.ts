/**
 * Shared by the API's tests: everyday templates, a network that answers as a test says, a snapshot of every row of the
 * database with the changes between two of them, and requests as raw bytes.
 */
import { connect } from "node:net";
import type { Store } from "#src/db/store.ts";
import type { Outcome } from "#src/domain/messages/outcome.ts";
import type { Network, OutboundMessage } from "#src/networks/network.ts";
import { parseCallback } from "#src/networks/whatsapp/callback.ts";
import type { TestServer, TestWorkspace } from "./server.ts";

/** A template in the network's own format. */
export function template(name: string, components: unknown[], changes: Record<string, unknown> = {}) {
  return { name, language: "en_US", category: "UTILITY", components, ...changes };
}

const body = { type: "BODY", text: "It is ready." };
const button = (one: Record<string, unknown>) => ({ type: "BUTTONS", buttons: [one] });

export const templates = {
  plain: template("plain", [body]),
  shipped: template("shipped", [{ type: "BODY", text: "Hi {{1}}, your order {{2}} is on its way." }]),
  headed: template("headed", [
    { type: "HEADER", format: "TEXT", text: "Order {{1}}" },
    { type: "BODY", text: "Hi {{1}}." },
  ]),
  pictured: template("pictured", [{ type: "HEADER", format: "IMAGE" }, body]),
  filed: template("filed", [
    { type: "HEADER", format: "DOCUMENT" },
    { type: "BODY", text: "Bill {{1}}." },
  ]),
  offer: template("offer", [body], { category: "MARKETING" }),
};

/** Templates that the API does not support, by the feature that it lacks. */
export const unsupportedTemplates = {
  location: template("location", [{ type: "HEADER", format: "LOCATION" }, body]),
  dynamic_url: template("dynamic_url", [body, button({ type: "URL", text: "See", url: "https://a.example/{{1}}" })]),
  copy_code: template("copy_code", [body, button({ type: "COPY_CODE", example: "SAVE10" })]),
  flow: template("flow", [body, button({ type: "FLOW", text: "Book" })]),
  catalog: template("catalog", [body, button({ type: "CATALOG", text: "Shop" })]),
  carousel: template("carousel", [body, { type: "CAROUSEL", cards: [] }]),
  limited_offer: template("limited_offer", [body, { type: "LIMITED_TIME_OFFER", limited_time_offer: { text: "Go" } }]),
};

/**
 * A number's bucket starts empty with its first request (here a refused one). After one second it holds 100 ms' worth
 * of tokens, and that many sends need no move of the clock, which makes tests of many sends fast.
 */
export async function fillBucket(app: TestServer, { key, number }: TestWorkspace): Promise<void> {
  await app.call("POST", "/api/v1/messages", { key, body: { to: "nobody", text: "x", from: number } });
  await app.clock.advance(1_000);
}

export interface FakeNetwork extends Network {
  /** Every message sent, in order. */
  outbounds: OutboundMessage[];
  /** The outcome of the next sends. */
  answer: (outbound: OutboundMessage) => Outcome | Promise<Outcome>;
}

export function fakeNetwork(answer: FakeNetwork["answer"] = () => accepted()): FakeNetwork {
  const network: FakeNetwork = {
    name: "simulator",
    parse: parseCallback,
    isReachable: async () => true,
    probe: async () => true,
    outbounds: [],
    answer,
    async send(outbound) {
      network.outbounds.push(outbound);
      return network.answer(outbound);
    },
  };
  return network;
}

let acceptedCount = 0;

/** `recipientId`: the network's number variant of the recipient, in digits. */
export function accepted(recipientId: string | null = null): Outcome {
  acceptedCount += 1;
  return {
    kind: "accepted",
    networkMessageId: `wamid.FAKE${acceptedCount}`,
    recipientId,
    recipientNetworkUserId: null,
  };
}

export function refused(code: string): Outcome {
  return { kind: "refused", code, message: "The network said no.", scope: "recipient" };
}

export function throttled(retryAfterMs: number | null = null): Outcome {
  return { kind: "throttled", code: "130429", message: "Slow down.", retryAfterMs, scope: "number" };
}

export type Row = Record<string, unknown>;
export type Snapshot = Readonly<Record<string, readonly string[]>>;

/** Not compared, beside the search index, which follows later: the instance id, and counters that triggers keep in step with the contacts. */
const IGNORED_TABLES = ["instance", "contact_counters", "key_requests", "key_request_days", "key_request_runs"];
const IGNORED_COLUMNS = ["last_used_at"];

/** Every row of every table, as text. */
export function snapshot({ client }: Store): Snapshot {
  const names = client
    .prepare(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'search_%' ORDER BY name",
    )
    .pluck()
    .all()
    .map(String)
    .filter((name) => !IGNORED_TABLES.includes(name));
  return Object.fromEntries(names.map((name) => [name, rowsOf(client.prepare(`SELECT * FROM "${name}"`).all())]));
}

function rowsOf(rows: unknown[]): string[] {
  return rows.map((row) =>
    JSON.stringify(row, (column, value: unknown) => (IGNORED_COLUMNS.includes(column) ? undefined : value)),
  );
}

export interface TableChange {
  added: Row[];
  removed: Row[];
}

/** The tables that differ, with the added and removed rows; a changed row is in both. */
export function changesBetween(before: Snapshot, after: Snapshot): Record<string, TableChange> {
  const changes: Record<string, TableChange> = {};
  for (const table of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [was, is] = [before[table] ?? [], after[table] ?? []];
    const added = is.filter((row) => !was.includes(row)).map(parseRow);
    const removed = was.filter((row) => !is.includes(row)).map(parseRow);
    if (added.length + removed.length > 0) changes[table] = { added, removed };
  }
  return changes;
}

function parseRow(text: string): Row {
  return JSON.parse(text) as Row;
}

/** How many rows each table gained; throws if a row was removed or changed. */
export function rowsAdded(before: Snapshot, after: Snapshot): Record<string, number> {
  return Object.fromEntries(
    Object.entries(changesBetween(before, after)).map(([table, { added, removed }]) => {
      if (removed.length > 0) throw new Error(`rows of ${table} changed: ${JSON.stringify(removed)}`);
      return [table, added.length];
    }),
  );
}

/**
 * Sends a request byte by byte, without the corrections of a client library, and returns the whole answer. `announced`:
 * the length that the head declares, whatever follows.
 */
export function sendRaw(
  url: string,
  head: readonly string[],
  content: Uint8Array,
  announced = content.length,
): Promise<string> {
  const { port, hostname } = new URL(url);
  return new Promise((resolve, reject) => {
    let answer = "";
    const socket = connect(Number(port), hostname, () => {
      const lines = [...head, `Host: ${hostname}`, "Connection: close", `Content-Length: ${announced}`, "", ""];
      socket.write(Buffer.concat([Buffer.from(lines.join("\r\n")), content]));
    });
    socket.on("data", (piece) => {
      answer += piece.toString();
      if (announced > content.length) socket.end();
    });
    socket.on("close", () => resolve(answer));
    socket.on("error", reject);
  });
}
