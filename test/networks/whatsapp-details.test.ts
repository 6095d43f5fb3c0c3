/** What each type of message brings beside its text: Meta's examples, and types that its description only names. */
import { describe, expect, test } from "bun:test";
import { Value } from "@sinclair/typebox/value";
import { InboundDetails } from "#src/domain/inbound/details.ts";
import { parseCallback } from "#src/networks/whatsapp/callback.ts";
import { readDetails } from "#src/networks/whatsapp/details.ts";
import examples from "#test/support/meta-examples.json";

const inbounds = Object.values(examples.callbacks).flatMap((body) =>
  parseCallback(JSON.stringify(body)).flatMap((item) => (item.kind === "inbound" ? [item] : [])),
);

/** By the words of the message in Meta's example. */
const expected: [about: string, find: (item: (typeof inbounds)[number]) => boolean, details: object][] = [
  [
    "a picture",
    ({ type }) => type === "image",
    { media: { mime_type: "image/jpeg", sha256: "SfInY0gGKTsJlUWbwxC1k+FAD0FZHvzwfpvO0zX0GUI=", filename: null } },
  ],
  [
    "a place",
    ({ type }) => type === "location",
    {
      location: {
        latitude: 37.44221496582,
        longitude: -122.16165924072,
        name: "Philz Coffee",
        address: "101 Forest Ave, Palo Alto, CA 94301",
        url: "https://philzcoffee.com/",
      },
    },
  ],
  [
    "a contact card",
    ({ type }) => type === "contacts",
    {
      contacts: [
        { name: "Lucía Gómez", company: "Google", phones: ["+1 (983) 555-2319"], emails: [], card: expect.anything() },
      ],
    },
  ],
  ["a reaction", ({ type }) => type === "reaction", { reaction: { emoji: "👍" } }],
  [
    "a button of a template",
    ({ type }) => type === "button",
    { button: { title: "Unsubscribe", payload: "Unsubscribe" } },
  ],
  [
    "a reply button",
    ({ payload }) => payload === "cancel-button",
    { button: { title: "Cancel", payload: "cancel-button" } },
  ],
  [
    "an order",
    ({ type }) => type === "order",
    {
      order: {
        catalog_id: "194836987003835",
        items: [
          { product: "di9ozbzfi4", quantity: 2, price: 30 },
          { product: "nqryix03ez", quantity: 1, price: 25 },
        ],
        currency: "USD",
        total: 85,
      },
    },
  ],
  [
    "an unsupported message",
    ({ type }) => type === "unsupported",
    { unsupported: { reason: "Message type is currently not supported." } },
  ],
  [
    "a text after a click on an advertisement",
    ({ details }) => details.referral !== undefined,
    {
      referral: expect.objectContaining({
        source: "https://fb.me/3cr4Wqqkv",
        source_type: "ad",
        headline: "Chat with us",
        click_id: expect.stringMatching(/^Aff-n8ZT/),
      }),
    },
  ],
];

/** What is stored of a file is completed by the row of the medium. */
const shown = ({ media: _, ...details }: InboundDetails): object => details;

describe("details of Meta's example", () => {
  test.each(expected)("of %s", (_, find, details) => {
    expect(inbounds.find(find)?.details).toEqual(details);
  });

  test("of every type are as the schema says", () => {
    expect(inbounds.length).toBeGreaterThan(10);
    for (const { details } of inbounds) expect([...Value.Errors(InboundDetails, shown(details))]).toEqual([]);
  });
});

const long = "x".repeat(20_000);
const made: [name: string, item: { type: string } & Record<string, unknown>, details: unknown][] = [
  ["a text", { type: "text", text: { body: "Hi" } }, {}],
  [
    "a list row",
    { type: "interactive", interactive: { list_reply: { id: "r1", title: "Two", description: "Two of them" } } },
    { list: { id: "r1", title: "Two", description: "Two of them" } },
  ],
  [
    "a form",
    { type: "interactive", interactive: { nfm_reply: { name: "flow", response_json: '{"size":"M","n":2}' } } },
    { form: { name: "flow", values: { size: "M", n: 2 } } },
  ],
  [
    "a form with answers that are not an object",
    { type: "interactive", interactive: { nfm_reply: { name: "flow", response_json: "[1]" } } },
    { form: { name: "flow", values: null, text: "[1]" } },
  ],
  [
    "a form with too many answers",
    { type: "interactive", interactive: { nfm_reply: { response_json: JSON.stringify({ long: long.repeat(4) }) } } },
    {
      form: { name: null, values: null, text: JSON.stringify({ long: long.repeat(4) }).slice(0, 65_536), is_cut: true },
    },
  ],
  [
    "an interactive reply of a new kind",
    { type: "interactive", interactive: { type: "new", x: 1 } },
    { raw: { type: "new", x: 1 } },
  ],
  ["a removed reaction", { type: "reaction", reaction: { message_id: "w", emoji: "" } }, { reaction: { emoji: null } }],
  [
    "a document",
    { type: "document", document: { id: "1", filename: "a.pdf", mime_type: "application/pdf", sha256: "s" } },
    { media: { mime_type: "application/pdf", sha256: "s", filename: "a.pdf" } },
  ],
  [
    "an order in two currencies",
    {
      type: "order",
      order: {
        product_items: [
          { quantity: 1, item_price: 2, currency: "USD" },
          { quantity: 1, item_price: 2, currency: "EUR" },
        ],
      },
    },
    {
      order: {
        items: [
          { product: null, quantity: 1, price: 2, currency: "USD" },
          { product: null, quantity: 1, price: 2, currency: "EUR" },
        ],
        currency: null,
        total: null,
      },
    },
  ],
  ["a type that is not known here", { type: "hologram", hologram: { size: [1, 2] } }, { raw: { size: [1, 2] } }],
  ["a large one of those", { type: "hologram", hologram: { long } }, { raw: null }],
  ["one without content", { type: "hologram" }, { raw: null }],
  ["contact cards that are no list", { type: "contacts", contacts: 7 }, { contacts: [] }],
  [
    "a place without anything",
    { type: "location" },
    { location: { latitude: null, longitude: null, name: null, address: null, url: null } },
  ],
];

test.each(made)("details of %s", (_, item, details) => {
  const read = readDetails(item, item.type);
  expect(read).toEqual(details as InboundDetails);
  expect([...Value.Errors(InboundDetails, shown(read))]).toEqual([]);
});
