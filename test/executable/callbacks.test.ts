/**
 * What Meta posts, on the executable: every row of the corpus ends as its line says, a category that Meta changes pauses
 * what was confirmed at the other one, and a call or a handover opens the window.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { openClient } from "#src/db/driver.ts";
import { CORPUS_OWN_PHONE, CORPUS_TIME, type CorpusRow, corpus } from "#test/support/callback-corpus.ts";
import { type Change, GRAPH_ACCOUNT_ID, GRAPH_PHONE_NUMBER_ID, type StatusName } from "#test/support/graph.ts";
import { graphTemplate } from "#test/support/graph-account.ts";
import {
  ACCOUNT_ID,
  PHONE_NUMBER_ID,
  SHOP_PHONE,
  startShop,
  until,
  type WhatsappProcess,
} from "#test/support/whatsapp-process.ts";

const LIMIT_MS = 180_000;
const ANNA = "+4915112345678";
const BERT = "+4915112345679";

let shop: WhatsappProcess;
/** Later for each callback: Meta's times are whole seconds. */
let at = 0;

function openShop(): Promise<WhatsappProcess> {
  const components = [{ type: "BODY", text: "Hello {{1}}" }];
  return startShop({ templates: [graphTemplate("greeting", { components })] }, "send,read,broadcast,contacts");
}

beforeAll(async () => {
  shop = await openShop();
}, LIMIT_MS);
afterAll(() => shop[Symbol.asyncDispose]());

async function hear(change: Change, to = shop): Promise<void> {
  at = Math.max(at + 1, Math.floor(Date.now() / 1_000));
  const named = JSON.stringify(change)
    .replaceAll(GRAPH_PHONE_NUMBER_ID, PHONE_NUMBER_ID)
    .replaceAll(GRAPH_ACCOUNT_ID, ACCOUNT_ID)
    .replaceAll(CORPUS_OWN_PHONE, SHOP_PHONE.replaceAll(/\D/g, ""))
    .replaceAll(String(Number(CORPUS_TIME) + 1), String(at + 1))
    .replaceAll(CORPUS_TIME, String(at));
  expect(await to.hear(JSON.parse(named), { time: at })).toBe(200);
  await until("the callback is applied", () => to.rows("SELECT id FROM callbacks WHERE done_at IS NULL").length === 0);
}

function write(statement: string): void {
  const client = openClient(`${shop.directory}/data/waxwing.db`, {});
  client.exec(statement);
  client.close();
}

async function changeOf({ change, name }: CorpusRow): Promise<Change> {
  if (!(name.startsWith("messages: ") && name.includes("status"))) {
    return change(() => {
      throw new Error(`${name} needs a message`);
    });
  }
  const body = { to: ANNA, template: "greeting", variables: ["Anna"] };
  expect((await shop.call("POST", "/messages", { body })).status).toBe(201);
  const message = shop.graph.accepted.at(-1);
  if (message === undefined) throw new Error("nothing was sent");
  return change((status, more) => shop.graph.status(message, status as StatusName, more));
}

/** Every row of these tables. */
function textOf(...tables: string[]): string {
  return JSON.stringify(
    tables.map((table) => shop.rows(`SELECT * FROM ${table}`)),
    (_, value) => (value instanceof Uint8Array ? Buffer.from(value).toString("hex") : value),
  );
}

const typesReceived = (): string[] =>
  shop.rows<{ type: string }>("SELECT type FROM inbounds ORDER BY id").map(({ type }) => type);

function countOf(ending: CorpusRow["ending"]): number {
  if (ending.end !== "counted") return 0;
  const counted = shop.rows<{ reason: string; about: string; count: number }>("SELECT * FROM unused_items");
  const same = counted.filter(({ reason, about }) => reason === ending.reason && about === ending.about);
  return same.reduce((sum, { count }) => sum + count, 0);
}

test.each([...corpus])(
  "$name",
  async (row) => {
    const { ending } = row;
    const change = await changeOf(row);
    // What an earlier row stopped sends again, and what it scheduled would hide what this one schedules.
    write("UPDATE templates SET status = 'APPROVED'; DELETE FROM outbox WHERE kind = 'sync_account'");
    const before = { types: typesReceived(), count: countOf(ending), unused: textOf("unused_items") };
    const acted = ending.end === "acted on" ? textOf(ending.table) : "";
    await hear(change);
    if (ending.end === "shown") expect(typesReceived().slice(before.types.length)).toEqual([ending.type]);
    expect(countOf(ending) - before.count).toBe(ending.end === "counted" ? 1 : 0);
    expect(textOf("unused_items") === before.unused).toBe(ending.end !== "counted");
    if (ending.end === "acted on") expect(textOf(ending.table) === acted).toBe(false);
  },
  LIMIT_MS,
);

test(
  "a category that Meta changes pauses the broadcast that was confirmed at the other one, until a person resumes it",
  async () => {
    await using other = await openShop();
    const send_at = new Date(Date.now() + 3_000).toISOString();
    const body = { name: "News", to: [ANNA, BERT], template: "greeting", variables: ["Anna"], send_at };
    const headers = { "idempotency-key": "news" };
    const { id } = (await other.call("POST", "/broadcasts", { body, headers })).body.data;
    const sent = other.graph.accepted.length;
    const value = { message_template_id: 1, message_template_name: "greeting", message_template_language: "en-US" };
    const change = { ...value, previous_category: "UTILITY", new_category: "MARKETING" };
    for (const row of other.account.templates) row.category = "MARKETING";
    await hear({ field: "template_category_update", value: change }, other);
    const shown = async () => (await other.call("GET", `/broadcasts/${id}`)).body.data;
    await until(
      "the broadcast is paused",
      () => other.rows("SELECT id FROM broadcasts WHERE status = 'paused'").length > 0,
    );
    expect((await shown()).status_reason).toContain("from UTILITY to MARKETING");
    expect(other.graph.accepted).toHaveLength(sent);
    await other.json("broadcast", "resume", String(id));
    await until("both have it", () => other.graph.accepted.length === sent + 2);
  },
  LIMIT_MS,
);

test.each(["a call", "a handover"])(
  "%s opens the window for a day, and is no message",
  async (what) => {
    const person = what === "a call" ? "+4915112345701" : "+4915112345702";
    const text = { body: { to: person, text: "Hello" } };
    expect((await shop.call("POST", "/messages", text)).body.error.code).toBe("window_closed");
    const timestamp = String(Math.floor(Date.now() / 1_000));
    const metadata = { display_phone_number: SHOP_PHONE, phone_number_id: PHONE_NUMBER_ID };
    const own = { messaging_product: "whatsapp", metadata };
    const call = { id: "wacid.9", event: "terminate", status: "FAILED", direction: "USER_INITIATED", timestamp };
    const handover = { recipient: metadata, sender: { phone_number: person.slice(1) }, timestamp };
    const roles = { previous_owner_role: "ai_agent", new_owner_role: "escalation" };
    await hear(
      what === "a call"
        ? { field: "calls", value: { ...own, calls: [{ ...call, from: person.slice(1) }] } }
        : { field: "messaging_handovers", value: { ...handover, type: "control_passed", control_passed: roles } },
    );
    const contact = (await shop.call("GET", `/contacts/${person}`)).body.data;
    expect(contact.last_message_from_them_at).toBeNull();
    expect(Date.parse(contact.window_ends_at)).toBe((Number(timestamp) + 86_400) * 1_000);
    expect((await shop.call("POST", "/messages", text)).status).toBe(201);
  },
  LIMIT_MS,
);

test(
  "a number whose token has expired is not added: exit 1, and nothing is stored",
  async () => {
    shop.account.refuse = () => ({ code: 190, status: 401, subcode: 463 });
    const added = await shop.command(
      ...[
        "number",
        "add",
        "--workspace",
        "1",
        "--phone",
        "+49 30 7654321",
        "--name",
        "Second",
        "--network",
        "whatsapp",
      ],
      ...["--phone-number-id", "106540352242923", "--account-id", ACCOUNT_ID, "--token-file", "token"],
    );
    expect(added.code).toBe(1);
    expect(added.err).toContain("expired");
    expect(shop.rows("SELECT id FROM numbers")).toHaveLength(1);
  },
  LIMIT_MS,
);
