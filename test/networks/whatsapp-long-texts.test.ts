/** Every text of a callback, one by one, as long as a callback may be: read within a moment, and cut to its limit. */
import { describe, expect, test } from "bun:test";
import { NETWORK_ID_LENGTH_MAX, WRITTEN_LENGTH_MAX } from "#src/core/text-limits.ts";
import { parseCallback } from "#src/networks/whatsapp/callback.ts";
import examples from "#test/support/meta-examples.json";

const CALLBACK_BYTES = 4 * 1024 * 1024;
/** Processor time, so that other work on the machine does not count. */
const LIMIT_MS = 500;
/** All texts of one item together: the sender's own words, as shown and as a command, and some ids and labels. */
const KEPT_MAX = 2 * WRITTEN_LENGTH_MAX + 20_000;

type Path = readonly (string | number)[];

function pathsOfTexts(value: unknown, at: Path = []): Path[] {
  if (typeof value === "string") return [at];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => pathsOfTexts(member, [...at, name]));
}

function withText(value: unknown, [name, ...rest]: Path, text: string): unknown {
  if (name === undefined) return text;
  if (Array.isArray(value))
    return value.map((one, index) => (String(index) === name ? withText(one, rest, text) : one));
  const object = value as Record<string, unknown>;
  return { ...object, [name]: withText(object[name], rest, text) };
}

function lengthOfTexts(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 0;
  return Object.values(value).reduce((sum: number, member) => sum + lengthOfTexts(member), 0);
}

function callbackOf(messages: object): object {
  const value = {
    messaging_product: "whatsapp",
    metadata: { display_phone_number: "4930000000", phone_number_id: "200000000000001" },
    contacts: [{ profile: { name: "Anna", username: "anna" }, wa_id: "4915112345678", user_id: "DE.12345" }],
    ...messages,
  };
  const entry = [{ id: "100000000000001", time: "1780000000", changes: [{ field: "messages", value }] }];
  return { object: "whatsapp_business_account", entry };
}

const message = (more: object) => {
  const base = { from: "4915112345678", from_user_id: "DE.12345", id: "wamid.AAA=", timestamp: "1780000000" };
  return callbackOf({ messages: [{ ...base, ...more }] });
};

/** Kinds of which Meta publishes no example. */
const ownKinds: Record<string, object> = {
  button: message({ type: "button", button: { text: "Stop", payload: "stop" } }),
  "button reply": message({ type: "interactive", interactive: { button_reply: { id: "1", title: "Yes" } } }),
  "list reply": message({ type: "interactive", interactive: { list_reply: { title: "Red", description: "x" } } }),
  form: message({ type: "interactive", interactive: { nfm_reply: { body: "Sent", response_json: "[1]" } } }),
  document: message({ type: "document", document: { caption: "Bill" } }),
  file: message({ type: "document", document: { filename: "a.pdf" } }),
  location: message({ type: "location", location: { latitude: "1.5", longitude: "2", name: "a", address: "b" } }),
  coordinates: message({ type: "location", location: { latitude: "1.5", longitude: "2" } }),
  cards: message({ type: "contacts", contacts: [{ name: { formatted_name: "Bo" }, phones: [{ phone: "+49" }] }] }),
  order: message({ type: "order", order: { text: "Two" } }),
  edit: message({ type: "edit", edit: { message: { type: "image", image: { caption: "x" } } } }),
  move: message({ type: "system", system: { type: "user_changed_number", customer: "49301", wa_id: "49302" } }),
  status: callbackOf({
    statuses: [
      {
        id: "wamid.AAA=",
        status: "failed",
        timestamp: "1780000000",
        recipient_id: "4915112345678",
        biz_opaque_callback_data: "x",
        errors: [{ code: "132018", error_data: { details: "the second value is too long" } }],
      },
    ],
  }),
};

const bodies: [name: string, body: object][] = [
  ...Object.entries(ownKinds),
  ...Object.entries(examples.callbacks as unknown as Record<string, object>),
];

const units = ["! ", " ", "\u0316\u0301", "1", "_"];

describe("a text as long as a callback may be is read in time and cut", () => {
  for (const unit of units) {
    const bytes = Buffer.byteLength(JSON.stringify(unit)) - 2;
    const text = `${unit.repeat((CALLBACK_BYTES - 20_000) / bytes)}a`;
    test(`when it is made of ${JSON.stringify(unit)}`, () => {
      const wrong: string[] = [];
      for (const [name, body] of bodies) {
        for (const path of pathsOfTexts(body)) {
          const written = JSON.stringify(withText(body, path, text));
          const before = process.cpuUsage();
          const reports = parseCallback(written);
          const { user, system } = process.cpuUsage(before);
          const ms = (user + system) / 1000;
          const kept = Math.max(...reports.map(lengthOfTexts));
          if (ms > LIMIT_MS || kept > KEPT_MAX) wrong.push(`${name} ${path.join(".")}: ${ms} ms, ${kept} kept`);
        }
      }
      expect(wrong).toEqual([]);
    }, 600_000);
  }
});

test("as many items and contacts as fit into a body are matched in time", () => {
  const count = 12_000;
  const phone = (index: number) => `4915${String(index).padStart(9, "0")}`;
  const all = Array.from({ length: count }, (_, index) => index);
  const body = JSON.stringify(
    callbackOf({
      contacts: all.map((index) => ({ wa_id: phone(index), profile: { name: `n${index}` } })),
      messages: all.map((index) => ({
        from: phone(index),
        id: `wamid.${index}`,
        timestamp: "1780000000",
        type: "text",
        text: { body: "Hi" },
      })),
    }),
  );
  expect(body.length).toBeLessThan(CALLBACK_BYTES);
  const before = process.cpuUsage();
  const reports = parseCallback(body);
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1000).toBeLessThan(LIMIT_MS);
  expect(reports.at(-1)).toMatchObject({ from: phone(count - 1), profileName: `n${count - 1}` });
});

test("a long text is cut between characters, and shown", () => {
  const [report] = parseCallback(
    JSON.stringify(message({ type: "text", text: { body: "x".concat("🛑".repeat(99_999)) } })),
  );
  expect(report).toMatchObject({ kind: "inbound", text: "x".concat("🛑".repeat(WRITTEN_LENGTH_MAX / 2 - 1)) });
});

test("an id that is too long is never cut, because another id may begin alike: one is made from the bytes", () => {
  const id = `wamid.${"A".repeat(NETWORK_ID_LENGTH_MAX)}`;
  const idOf = (last: string) => {
    const [read] = parseCallback(JSON.stringify(message({ id: id + last, type: "text", text: { body: "Hi" } })));
    return read?.kind === "inbound" ? read.networkMessageId : "";
  };
  expect([idOf("A"), idOf("B")]).toEqual([
    expect.stringMatching(/^made\.[0-9a-f]{40}$/),
    expect.stringMatching(/^made/),
  ]);
  expect(idOf("A")).toBe(idOf("A"));
  expect(idOf("A")).not.toBe(idOf("B"));
  const from = { from: "9".repeat(21), from_user_id: "x".repeat(NETWORK_ID_LENGTH_MAX + 1) };
  const item = { ...from, id: "wamid.B", timestamp: "1780000000", type: "text", text: { body: "Hi" } };
  expect(parseCallback(JSON.stringify(callbackOf({ contacts: [], messages: [item] })))).toMatchObject([
    { kind: "broken", why: "the message names no sender" },
  ]);
});
