import { describe, expect, test } from "bun:test";
import type { CallbackItem } from "#src/networks/network.ts";
import { parseCallback } from "#src/networks/whatsapp/callback.ts";

const NUMBER = "200000000000001";
const AT = 1_780_000_000_000;

function messagesOf(value: object): string {
  const metadata = { display_phone_number: "4930000000", phone_number_id: NUMBER };
  const change = { field: "messages", value: { messaging_product: "whatsapp", metadata, ...value } };
  return JSON.stringify({ object: "whatsapp_business_account", entry: [{ id: "100000000000001", changes: [change] }] });
}

function message(more: object): object {
  return { from: "4915112345678", id: "wamid.AAA=", timestamp: "1780000000", ...more };
}

function parseMessage(more: object): CallbackItem[] {
  return parseCallback(messagesOf({ messages: [message(more)] }));
}

describe("an inbound message", () => {
  test("as a text carries number, sender, name, time and the normalised command", () => {
    const contacts = [
      { profile: { name: "Anna", username: "@anna" }, wa_id: "4915112345678", user_id: "DE.1234567890" },
    ];
    const messages = [message({ from_user_id: "DE.1234567890", type: "text", text: { body: "Stop" } })];
    expect(parseCallback(messagesOf({ contacts, messages }))).toEqual([
      {
        kind: "inbound",
        phoneNumberId: NUMBER,
        networkMessageId: "wamid.AAA=",
        from: "4915112345678",
        fromNetworkUserId: "DE.1234567890",
        profileName: "Anna",
        username: "anna",
        type: "text",
        text: "Stop",
        command: "Stop",
        isWritten: true,
        payload: null,
        details: {},
        networkMediaId: null,
        references: { reply_to: null, reaction: null, edited: null, deleted: null },
        at: AT,
      },
    ]);
  });

  const kinds: { name: string; item: object; text: string | null; command?: string | null }[] = [
    {
      name: "a button's label, not its payload",
      item: { type: "button", button: { payload: "GO", text: "Stop" } },
      text: "Stop",
      command: "Stop",
    },
    {
      name: "a button reply's title",
      item: { type: "interactive", interactive: { type: "button_reply", button_reply: { id: "1", title: "Yes" } } },
      text: "Yes",
      command: "Yes",
    },
    {
      name: "a list reply's title",
      item: {
        type: "interactive",
        interactive: { type: "list_reply", list_reply: { id: "1", title: "Red", description: "x" } },
      },
      text: "Red",
      command: "Red",
    },
    {
      name: "a form's own words, never as a command",
      item: {
        type: "interactive",
        interactive: { type: "nfm_reply", nfm_reply: { name: "flow", body: "Sent", response_json: "[1]" } },
      },
      text: "Sent",
    },
    { name: "an interactive message without a body", item: { type: "interactive" }, text: null },
    {
      name: "an image's caption",
      item: { type: "image", image: { id: "1", caption: "STOP" } },
      text: "STOP",
      command: "STOP",
    },
    { name: "an image without a caption", item: { type: "image", image: { id: "1" } }, text: null },
    { name: "a video's caption", item: { type: "video", video: { caption: "Look" } }, text: "Look", command: "Look" },
    {
      name: "a document's caption",
      item: { type: "document", document: { caption: "Bill", filename: "a.pdf" } },
      text: "Bill",
      command: "Bill",
    },
    {
      name: "a document's filename, never as a command",
      item: { type: "document", document: { filename: "a.pdf" } },
      text: "a.pdf",
    },
    { name: "a voice message", item: { type: "audio", audio: { id: "1", voice: true } }, text: null },
    { name: "a sticker", item: { type: "sticker", sticker: { animated: false } }, text: null },
    {
      name: "a named place",
      item: { type: "location", location: { latitude: 1, longitude: 2, name: "Shop", address: "Main St 1" } },
      text: "Shop, Main St 1",
    },
    {
      name: "a place without a name",
      item: { type: "location", location: { latitude: 52.5, longitude: 13.4 } },
      text: "52.5, 13.4",
    },
    {
      name: "contact cards",
      item: { type: "contacts", contacts: [{ name: { formatted_name: "Bo" } }, { phones: [{ phone: "+4930" }] }] },
      text: "Bo, +4930",
    },
    { name: "a reaction", item: { type: "reaction", reaction: { message_id: "w", emoji: "👍" } }, text: "👍" },
    { name: "a removed reaction", item: { type: "reaction", reaction: { message_id: "w", emoji: "" } }, text: null },
    { name: "an order", item: { type: "order", order: { catalog_id: "1", text: "Two please" } }, text: "Two please" },
    {
      name: "an edit",
      item: { type: "edit", edit: { original_message_id: "w", message: { type: "text", text: { body: "STOP" } } } },
      text: "STOP",
      command: "STOP",
    },
    { name: "a revoked message", item: { type: "revoke", revoke: { original_message_id: "w" } }, text: null },
    {
      name: "something unsupported",
      item: { type: "unsupported", errors: [{ code: 131051 }], unsupported: { type: "poll" } },
      text: null,
    },
    { name: "a kind of the future", item: { type: "hologram", hologram: { depth: 3 } }, text: null },
    { name: "a kind whose member is of another shape", item: { type: "text", text: "plain" }, text: null },
  ];

  test.each(kinds)("is read: $name", ({ item, text, command = null }) => {
    expect(parseMessage(item)).toMatchObject([{ kind: "inbound", text, command, from: "4915112345678" }]);
  });

  test("with its time as a number is read like one with its time as a text", () => {
    expect(parseMessage({ type: "text", timestamp: 1_780_000_000 })).toMatchObject([{ kind: "inbound", at: AT }]);
  });

  test("written in a group is ignored", () => {
    expect(parseMessage({ type: "text", text: { body: "Stop" }, group_id: "g" })).toMatchObject([{ kind: "ignored" }]);
  });
});

describe("senders without a phone number", () => {
  const contacts = [{ profile: { name: "Anna" }, wa_id: "", user_id: "DE.1234567890" }];

  test("a user id in the place of the phone number is recognised as a user id", () => {
    const messages = [message({ from: "DE.1234567890", type: "text", text: { body: "Hi" } })];
    expect(parseCallback(messagesOf({ contacts, messages }))).toMatchObject([
      { from: null, fromNetworkUserId: "DE.1234567890", profileName: "Anna" },
    ]);
  });

  test("the user id of a parent company is recognised too", () => {
    expect(parseMessage({ from: "DE.ENT.ab12", type: "text" })).toMatchObject([
      { from: null, fromNetworkUserId: "DE.ENT.ab12" },
    ]);
  });

  test("a message without a sender belongs to the only contact beside it", () => {
    const messages = [message({ from: undefined, type: "text", text: { body: "Hi" } })];
    expect(parseCallback(messagesOf({ contacts, messages }))).toMatchObject([
      { from: null, fromNetworkUserId: "DE.1234567890" },
    ]);
  });

  test("a message without a sender beside several contacts is broken, rather than given to the wrong one", () => {
    const two = [...contacts, { wa_id: "49301", user_id: "DE.2" }];
    const messages = [message({ from: undefined, type: "text" })];
    expect(parseCallback(messagesOf({ contacts: two, messages }))).toMatchObject([{ kind: "broken" }]);
  });

  test("another contact's name and id are never used", () => {
    const others = [{ profile: { name: "Bo" }, wa_id: "49301", user_id: "DE.2" }];
    expect(parseCallback(messagesOf({ contacts: others, messages: [message({ type: "text" })] }))).toMatchObject([
      { from: "4915112345678", fromNetworkUserId: null, profileName: null },
    ]);
  });
});

describe("a sender changes", () => {
  const rows: { name: string; system: object; expected: object }[] = [
    {
      name: "to another number",
      system: { type: "user_changed_number", body: "User A changed", wa_id: "4917099999999" },
      expected: {
        kind: "number_change",
        from: "4915112345678",
        newPhone: "4917099999999",
        newNetworkUserId: null,
        at: AT,
      },
    },
    {
      name: "to another number, in the older words",
      system: { type: "customer_changed_number", new_wa_id: "4917099999999", customer: "4915112345678" },
      expected: { kind: "number_change", newPhone: "4917099999999" },
    },
    {
      name: "to another id",
      system: { type: "user_changed_user_id", user_id: "DE.2", previous_user_id: "DE.1" },
      expected: { kind: "number_change", fromNetworkUserId: "DE.1", newPhone: null, newNetworkUserId: "DE.2" },
    },
    {
      name: "not, with a new phone behind the same number",
      system: { type: "customer_identity_changed" },
      expected: { kind: "ignored" },
    },
    { name: "nowhere that is named", system: { type: "user_changed_number" }, expected: { kind: "broken" } },
  ];

  test.each(rows)("$name", ({ system, expected }) => {
    expect(parseMessage({ type: "system", system })).toMatchObject([expected]);
  });
});
