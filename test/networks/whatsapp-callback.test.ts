import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { CallbackItem } from "#src/networks/network.ts";
import { parseCallback } from "#src/networks/whatsapp/callback.ts";

const NUMBER = "200000000000001";
const ACCOUNT = "100000000000001";
const AT = 1_780_000_000_000;
const METADATA = { display_phone_number: "4930000000", phone_number_id: NUMBER };

function bodyOf(...changes: unknown[]): string {
  return JSON.stringify({ object: "whatsapp_business_account", entry: [{ id: ACCOUNT, changes }] });
}

function messagesOf(value: object): string {
  return bodyOf({ value: { messaging_product: "whatsapp", metadata: METADATA, ...value }, field: "messages" });
}

function message(more: object): object {
  return { from: "4915112345678", id: "wamid.AAA=", timestamp: "1780000000", ...more };
}

function status(more: object): object {
  return { id: "wamid.BBB=", status: "sent", timestamp: "1780000000", recipient_id: "4915112345678", ...more };
}

function kindsOf(reports: CallbackItem[]): string[] {
  return reports.map((report) => report.kind);
}

describe("a status callback", () => {
  test("carries the number, both ids, the send token and the time", () => {
    const statuses = [
      status({ biz_opaque_callback_data: "wx1.k3Qz.c9Tq", status: "delivered", pricing: { category: "utility" } }),
    ];
    expect(parseCallback(messagesOf({ statuses }))).toEqual([
      {
        kind: "status",
        phoneNumberId: NUMBER,
        networkMessageId: "wamid.BBB=",
        sendToken: "wx1.k3Qz.c9Tq",
        status: "delivered",
        at: AT,
        recipientId: "4915112345678",
        recipientNetworkUserId: null,
        error: null,
        pricing: { billable: true, category: "utility", type: "regular", model: null },
      },
    ]);
  });

  test("of a failure gives the reason in words", () => {
    const errors = [{ code: 131049, title: "This message was not delivered", error_data: { details: "x" } }];
    const [report] = parseCallback(messagesOf({ statuses: [status({ status: "failed", errors })] }));
    expect(report).toMatchObject({ status: "failed", sendToken: null, error: { code: "131049", scope: "recipient" } });
    expect(JSON.stringify(report)).toContain("held the message back");
  });

  test("of a failure without a reason is still a failure", () => {
    expect(parseCallback(messagesOf({ statuses: [status({ status: "failed" })] }))).toMatchObject([
      { status: "failed", error: { code: "unknown", scope: "network" } },
    ]);
  });

  test("of a failure has the scope of its code; a throttle has the scope network, or recipient for a pair", () => {
    const codes = [131026, 132012, 132015, 131048, 131042, 131000, 139999, 130429, 131056];
    const statuses = codes.map((code) => status({ status: "failed", errors: [{ code }] }));
    const scopes = parseCallback(messagesOf({ statuses })).map((report) => "error" in report && report.error?.scope);
    const expected = ["recipient", "message", "template", "number", "account", "network", "unlisted", "network"];
    expect<unknown>(scopes).toEqual([...expected, "recipient"]);
  });

  test("of a recipient without a phone number carries the network's user id", () => {
    const statuses = [
      status({ recipient_id: undefined, recipient_user_id: "DE.1234567890" }),
      status({ recipient_id: "DE.9" }),
    ];
    expect(parseCallback(messagesOf({ statuses }))).toMatchObject([
      { recipientId: null, recipientNetworkUserId: "DE.1234567890" },
      { recipientId: null, recipientNetworkUserId: "DE.9" },
    ]);
  });

  test.each([
    ["played", "ignored"],
    ["deleted", "ignored"],
    ["warning", "ignored"],
    ["teleported", "unhandled"],
  ] as const)("with the status %s is %s", (word, kind) => {
    expect(parseCallback(messagesOf({ statuses: [status({ status: word })] }))).toEqual([
      { kind, about: `status ${word}` },
    ]);
  });
});

describe("the network's own marketing preference", () => {
  const preference = {
    wa_id: "4915112345678",
    user_id: "DE.1",
    category: "marketing_messages",
    value: "stop",
    timestamp: 1_780_000_000,
  };
  const parse = (more: object) =>
    parseCallback(
      bodyOf({
        field: "user_preferences",
        value: { metadata: METADATA, user_preferences: [{ ...preference, ...more }] },
      }),
    );

  test.each(["stop", "resume"])("is read as %s", (value) => {
    expect(parse({ value })).toEqual([
      {
        kind: "preference",
        phoneNumberId: NUMBER,
        waId: "4915112345678",
        networkUserId: "DE.1",
        value: value as "stop",
        at: AT,
      },
    ]);
  });

  test("of an advertisement is ignored, with an unknown category unhandled, without a contact broken", () => {
    expect(kindsOf([...parse({ value: "signup" }), ...parse({ category: "weather" })])).toEqual([
      "ignored",
      "unhandled",
    ]);
    expect(kindsOf(parse({ wa_id: "", user_id: undefined }))).toEqual(["broken"]);
  });
});

describe("a template callback", () => {
  const update = {
    event: "REJECTED",
    message_template_id: 900000000000001,
    message_template_name: "spring_offer",
    message_template_language: "en-US",
    reason: "INVALID_FORMAT",
  };
  const parse = (more: object) =>
    parseCallback(bodyOf({ field: "message_template_status_update", value: { ...update, ...more } }));

  test("carries the account, the language as the API writes it, and the reason", () => {
    expect(parse({})).toEqual([
      {
        kind: "template",
        accountId: ACCOUNT,
        name: "spring_offer",
        language: "en_US",
        at: null,
        event: "REJECTED",
        reason: "INVALID_FORMAT",
      },
    ]);
  });

  const rows: { name: string; more: object; expected: object }[] = [
    {
      name: "an event in small letters",
      more: { event: "paused", reason: "NONE" },
      expected: { event: "PAUSED", reason: null },
    },
    {
      name: "a pause says why in its description",
      more: {
        event: "PAUSED",
        reason: "NONE",
        other_info: { title: "FIRST_PAUSE", description: "Paused for 3 hours" },
      },
      expected: { reason: "Paused for 3 hours" },
    },
    {
      name: "an approval has no reason",
      more: { event: "APPROVED", reason: "NONE", other_info: { title: "UNPAUSE" } },
      expected: { event: "APPROVED", reason: null },
    },
    { name: "a language without a country", more: { message_template_language: "de" }, expected: { language: "de" } },
    {
      name: "a language in odd letters",
      more: { message_template_language: "PT-br" },
      expected: { language: "pt_BR" },
    },
    {
      name: "an update of its quality under this field",
      more: { event: undefined, new_quality_score: "RED" },
      expected: { kind: "template_update", change: { type: "quality", score: "RED" } },
    },
    { name: "no name", more: { message_template_name: undefined }, expected: { kind: "broken" } },
  ];

  test.each(rows)("is read: $name", ({ more, expected }) => {
    expect(parse(more)).toMatchObject([expected]);
  });
});

describe("a callback body", () => {
  test("with several entries and changes gives every item, in order", () => {
    const change = (items: object) => ({ field: "messages", value: { metadata: METADATA, ...items } });
    const body = JSON.stringify({
      entry: [
        {
          changes: [
            change({ statuses: [status({}), status({ status: "read" })] }),
            change({ messages: [message({ type: "text" })] }),
          ],
          id: "1",
        },
        { id: "2", changes: [change({ statuses: [status({ status: "delivered" })] })] },
      ],
      object: "whatsapp_business_account",
    });
    expect(kindsOf(parseCallback(body))).toEqual(["status", "status", "inbound", "status"]);
  });

  test("of a thousand items with one broken item keeps the others", () => {
    const statuses: unknown[] = Array.from({ length: 1000 }, () => status({}));
    statuses[500] = status({ status: 7 });
    const kinds = kindsOf(parseCallback(messagesOf({ statuses })));
    expect(kinds.filter((kind) => kind === "status")).toHaveLength(999);
    expect(kinds[500]).toBe("broken");
  });

  const broken: { name: string; body: string }[] = [
    { name: "no JSON", body: '{"object":' },
    { name: "empty", body: "" },
    { name: "null", body: "null" },
    { name: "a list", body: "[]" },
    { name: "without entries", body: '{"object":"whatsapp_business_account"}' },
    { name: "with an entry that is none", body: '{"entry":[7]}' },
    { name: "with a change that is none", body: bodyOf("x") },
    { name: "with a list that is none", body: messagesOf({ statuses: { id: "x" } }) },
    { name: "with an item that is none", body: messagesOf({ messages: [null] }) },
    { name: "whose number is not named", body: bodyOf({ field: "messages", value: { statuses: [status({})] } }) },
    { name: "nested beyond all measure", body: `${'{"a":'.repeat(200_000)}1${"}".repeat(200_000)}` },
  ];

  test.each(broken)("that is broken gives one broken item, with an excerpt to inspect: $name", ({ body }) => {
    const reports = parseCallback(body);
    expect(kindsOf(reports)).toEqual(["broken"]);
    expect(JSON.stringify(reports).length).toBeLessThan(50_000);
  });

  const ignored: { name: string; body: string; about: string }[] = [
    { name: "of another product", body: '{"object":"page","entry":[]}', about: "object page" },
    {
      name: "about groups",
      body: bodyOf({ field: "group_status_update", value: {} }),
      about: "field group_status_update",
    },
    { name: "with no items", body: messagesOf({}), about: "field messages without items" },
  ];

  test.each(ignored)("$name is ignored", ({ body, about }) => {
    expect(parseCallback(body)).toEqual([{ kind: "ignored", about }]);
  });

  test("with a field of the future is unhandled: its body is kept for a version that knows it", () => {
    const body = bodyOf({ field: "holograms", value: {} });
    expect(parseCallback(body)).toEqual([{ kind: "unhandled", about: "field holograms" }]);
  });

  test("with errors of the number is a report about the number, in the network's words", () => {
    const errors = [{ code: 130429, title: "Rate limit hit" }];
    expect(parseCallback(messagesOf({ errors }))).toEqual([
      { kind: "number_error", phoneNumberId: NUMBER, code: "130429", says: expect.stringContaining("Rate limit hit") },
    ]);
  });
});

describe("the callback parser on arbitrary input", () => {
  const word = fc
    .constantFrom(
      "object entry changes field value messages statuses errors contacts metadata phone_number_id id from type text body timestamp status system wa_id event user_preferences standby messaging_handovers smb_message_echoes history smb_app_state_sync message_echoes message threads progress state_sync contact phone_number action remove sender recipient control_passed conversation_context items from_user_id to display_phone_number".split(
        " ",
      ),
    )
    .chain((words) => fc.constantFrom(...words));
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(
      { maxDepth: 6 },
      tie("leaf"),
      fc.array(tie("tree"), { maxLength: 4 }),
      fc.dictionary(fc.oneof(word, fc.string()), tie("tree")),
    ),
    leaf: fc.oneof(
      fc.jsonValue({ maxDepth: 0 }),
      word,
      fc.constantFrom("text", "system", "failed", "1780000000", 1e300, -1),
    ),
  }));

  test("any text at all is read without throwing", () => {
    fc.assert(fc.property(fc.oneof(fc.string(), fc.json()), (body) => Array.isArray(parseCallback(body))));
  });

  test("any JSON made of the format's own words is read without throwing", () => {
    fc.assert(
      fc.property(tree, (value) => Array.isArray(parseCallback(JSON.stringify(value) ?? ""))),
      { numRuns: 500 },
    );
  });

  test("any items in a valid envelope give one result each, and valid neighbours survive", () => {
    fc.assert(
      fc.property(fc.array(tree, { maxLength: 8 }), (items) => {
        const reports = parseCallback(messagesOf({ messages: items, statuses: [...items, status({})] }));
        expect(reports).toHaveLength(items.length * 2 + 1);
        expect(reports.at(-1)).toMatchObject({ kind: "status", networkMessageId: "wamid.BBB=" });
      }),
      { numRuns: 500 },
    );
  });
});
