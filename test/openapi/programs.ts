/**
 * Programs against the types that code generators make of the document. The right ones compile; each of the wrong ones is
 * a mistake that the server would refuse, or that would read what is not there, and does not compile.
 *
 * They use the types `SendMessage`, `CreateBroadcast`, `ContactInput`, `Message`, `WaxwingEvent` and `SendRefusal` (the
 * `error` of an answer 422 to `POST /messages`), which the prelude of each generator defines.
 */

export const rightPrograms = `
export const template: SendMessage = {
  to: "+919876543210",
  template: "order_shipped",
  language: "en_US",
  variables: ["Asha", 10042],
  media: { link: "https://files.example.com/a.pdf", filename: "a.pdf" },
  from: "+911244001100",
  reference: "order-10042",
};
export const parts: SendMessage = { to: "+919876543210", template: "invoice", variables: { header: ["A"], body: [1] } };
export const byName: SendMessage = { to: "+919876543210", template: "invoice", variables: { body: { order: 1, name: "A" } } };
export const text: SendMessage = { to: "+919876543210", text: "Your table is ready.", reference: "table-7" };
export const picture: SendMessage = { to: "1", media: { link: "https://files.example.com/a.jpg", caption: "Look" } };
export const place: SendMessage = { to: "1", location: { latitude: 51.5, longitude: -0.1, name: "Shop" } };
export const buttons: SendMessage = {
  to: "1",
  interactive: {
    header: { type: "image", link: "https://files.example.com/a.jpg" },
    body: "When?",
    buttons: [{ id: "a", title: "Monday" }],
  },
};
export const rows: SendMessage = {
  to: "1",
  interactive: { header: "Delivery", body: "When?", list: { button: "Choose", sections: [{ rows: [{ id: "a", title: "A" }] }] } },
};
export const where: SendMessage = { to: "1", interactive: { body: "Where?", location_request: true } };
export const answer: SendMessage = { to: "1", text: "Yes", preview_url: true, reply_to: { inbound: 311 } };
export const thumb: SendMessage = { to: "1", reaction: { emoji: "👍", to: { message: 1042 } } };
export const cards: SendMessage = { to: "1", contacts: [{ name: { formatted_name: "Asha" }, phones: [{ phone: "1" }] }] };
export const carousel: SendMessage = {
  to: "1",
  template: "plants",
  variables: { body: ["Asha"], buttons: ["aloe", null] },
  cards: [{ media: { link: "https://files.example.com/a.jpg" }, body: ["Aloe"], buttons: ["aloe"] }, { product: "b" }],
  products: { catalog_id: "1", thumbnail: "a", sections: [{ title: "New", items: ["a"] }] },
  offer_expires_at: "2026-11-30T20:00:00+05:30",
  location: { latitude: 51.5, longitude: -0.1 },
};
export const carousels: CreateBroadcast = {
  name: "Plants",
  template: "plants",
  group: 3,
  variables: { buttons: [{ field: "city", fallback: "all" }] },
  cards: [{ media: { id: 1 }, body: [{ field: "first_name" }], buttons: [null] }],
};
export const upload: SendMessage = { to: "1", media: { id: 1, type: "video", caption: "Look" }, reply_to: { message: 2 } };
export const track: SendMessage = { to: "1", interactive: { body: "On its way", footer: "Shop", link: { title: "Track", url: "https://a.example" } } };
export const street: SendMessage = { to: "1", interactive: { body: "Where to?", address: { country: "IN", values: { city: "Pune" } } } };
export const form: SendMessage = { to: "1", interactive: { body: "Book", flow: { id: "1", cta: "Book", screen: "A", data: { days: [1] } } } };
export const later: SendMessage = { to: "1", text: "Soon", send_at: "2026-11-27T10:00:00+05:30", cancel_on_reply: true };
export const laterTemplate: SendMessage = { to: "1", template: "a", send_at: "2026-11-27" };
export const pay: SendMessage = {
  to: "1",
  template: "pay",
  order_details: { reference_id: "a", type: "digital-goods", currency: "INR", total_amount: { value: 1, offset: 100 } },
};
export const list: CreateBroadcast = {
  name: "November offer",
  template: "november_offer",
  variables: [{ field: "first_name", fallback: "there" }, "20%"],
  to: ["+919876543210"],
};
export const group: CreateBroadcast = { name: "Offer", template: "offer", group: 3, send_at: "2026-11-27T10:00:00+05:30" };
export const contact: ContactInput = {
  name: "Asha Rao",
  birthday: "--02-28",
  city: null,
  fields: { loyalty_tier: "gold" },
  people: [{ name: "Ravi", ref: "7" }],
  add_tags: ["vip"],
  add_to_groups: [7, "Regulars"],
  consent: "opted_in",
};
export function nameOf(message: Message): string {
  return message.type === "template" ? message.template.name : message.text;
}
export function explain(refusal: SendRefusal): string {
  switch (refusal.code) {
    case "opted_out":
      return refusal.since;
    case "window_closed":
      return refusal.retry_key;
    default:
      return refusal.message;
  }
}
export function read(event: WaxwingEvent): string | null {
  if (event.type === "message.received") return event.data.message.text;
  if (event.type === "broadcast.finished") return event.data.broadcast.charged;
  return event.id;
}
`;

/** One statement each. */
export const wrongPrograms: Readonly<Record<string, string>> = {
  "a template together with a text": `const p: SendMessage = { to: "1", template: "a", text: "b" };`,
  "neither a template nor a text": `const p: SendMessage = { to: "1" };`,
  "a message without a recipient": `const p: SendMessage = { text: "b" };`,
  "media on a text": `const p: SendMessage = { to: "1", text: "b", media: { link: "https://a.example/a.jpg" } };`,
  "a location together with a text": `const p: SendMessage = { to: "1", text: "a", location: { latitude: 1, longitude: 2 } };`,
  "contact cards together with a template": `const p: SendMessage = { to: "1", template: "a", contacts: [{ name: { formatted_name: "a" } }] };`,
  "cards of a carousel without a template": `const p: SendMessage = { to: "1", text: "a", cards: [{ product: "a" }] };`,
  "a card with a link and an upload": `const p: SendMessage = { to: "1", template: "a", cards: [{ media: { link: "https://a.example", id: 1 } }] };`,
  "an order in a broadcast": `const p: CreateBroadcast = { name: "a", template: "b", to: ["1"], order_details: {} };`,
  "a contact's field in one message's button": `const p: SendMessage = { to: "1", template: "a", variables: { buttons: [{ field: "city" }] } };`,
  "a location without a longitude": `const p: SendMessage = { to: "1", location: { latitude: 1 } };`,
  "buttons together with a link": `const p: SendMessage = { to: "1", interactive: { body: "a", buttons: [{ id: "a", title: "b" }], link: { title: "a", url: "https://a.example" } } };`,
  "an interactive message without an action": `const p: SendMessage = { to: "1", interactive: { body: "a" } };`,
  "a file above a list": `const p: SendMessage = { to: "1", interactive: { body: "a", header: { type: "image", link: "https://a.example/a.jpg" }, list: { button: "a", sections: [] } } };`,
  "small print below a request for a location": `const p: SendMessage = { to: "1", interactive: { body: "a", footer: "b", location_request: true } };`,
  "a button without an id": `const p: SendMessage = { to: "1", interactive: { body: "a", buttons: [{ title: "b" }] } };`,
  "a card without a name": `const p: SendMessage = { to: "1", contacts: [{ phones: [{ phone: "1" }] }] };`,
  "a template as an answer": `const p: SendMessage = { to: "1", template: "a", reply_to: { inbound: 1 } };`,
  "a reaction as an answer": `const p: SendMessage = { to: "1", reaction: { emoji: "a", to: { inbound: 1 } }, reply_to: { inbound: 1 } };`,
  "a reaction to nothing": `const p: SendMessage = { to: "1", reaction: { emoji: "a" } };`,
  "an answer to a text": `const p: SendMessage = { to: "1", text: "a", reply_to: { inbound: "b" } };`,
  "a preview of a picture": `const p: SendMessage = { to: "1", media: { link: "https://a.example/a.jpg" }, preview_url: true };`,
  "a file by a link and an upload": `const p: SendMessage = { to: "1", media: { link: "https://a.example/a.jpg", id: 1 } };`,
  "an upload by its name": `const p: SendMessage = { to: "1", media: { id: "a.jpg" } };`,
  "a header by a link and an upload": `const p: SendMessage = { to: "1", interactive: { body: "a", header: { type: "image", link: "https://a.example", id: 1 }, buttons: [] } };`,
  "a header of another kind": `const p: SendMessage = { to: "1", interactive: { body: "a", header: { type: "audio", id: 1 }, buttons: [] } };`,
  "a list without its button": `const p: SendMessage = { to: "1", interactive: { body: "a", list: { sections: [] } } };`,
  "a row without an id": `const p: SendMessage = { to: "1", interactive: { body: "a", list: { button: "a", sections: [{ rows: [{ title: "a" }] }] } } };`,
  "a link without its address": `const p: SendMessage = { to: "1", interactive: { body: "a", link: { title: "a" } } };`,
  "a flow without its button": `const p: SendMessage = { to: "1", interactive: { body: "a", flow: { id: "1" } } };`,
  "an address without a country": `const p: SendMessage = { to: "1", interactive: { body: "a", address: {} } };`,
  "a request for a location that is false": `const p: SendMessage = { to: "1", interactive: { body: "a", location_request: false } };`,
  "a misspelt member of a contact card": `const p: SendMessage = { to: "1", contacts: [{ name: { formatted_name: "a" }, phone: "1" }] };`,
  "a misspelt member of a card": `const p: SendMessage = { to: "1", template: "a", cards: [{ medai: { id: 1 } }] };`,
  "products without a list of them": `const p: SendMessage = { to: "1", template: "a", products: { sections: [{ title: "a" }] } };`,
  "an order without its amount": `const p: SendMessage = { to: "1", template: "a", order_details: { reference_id: "a", type: "digital-goods", currency: "INR" } };`,
  "a reaction to two messages": `const p: SendMessage = { to: "1", reaction: { emoji: "a", to: { inbound: 1, message: 2 } } };`,
  "a time as a number": `const p: SendMessage = { to: "1", text: "a", send_at: 1795750000 };`,
  "cancel_on_reply in a broadcast": `const p: CreateBroadcast = { name: "a", template: "b", to: ["1"], cancel_on_reply: true };`,
  "the content of a message that may be another kind": `const p = (m: Message): string => m.content.media.type;`,
  "a file without a link": `const p: SendMessage = { to: "1", media: { type: "image" } };`,
  "a file of an unknown type": `const p: SendMessage = { to: "1", media: { type: "gif", link: "https://a.example/a.gif" } };`,
  "variables on a text": `const p: SendMessage = { to: "1", text: "b", variables: ["a"] };`,
  "a language on a text": `const p: SendMessage = { to: "1", text: "b", language: "en" };`,
  "a misspelt member of a template": `const p: SendMessage = { to: "1", template: "a", refrence: "b" };`,
  "a misspelt member of a text": `const p: SendMessage = { to: "1", text: "a", form: "+911244001100" };`,
  "an unknown member of media": `const p: SendMessage = { to: "1", template: "a", media: { link: "https://a.example", name: "a" } };`,
  "media without a link": `const p: SendMessage = { to: "1", template: "a", media: { filename: "a.pdf" } };`,
  "a contact's field as a value of one message": `const p: SendMessage = { to: "1", template: "a", variables: [{ field: "name" }] };`,
  "a value that is neither a text nor a number": `const p: SendMessage = { to: "1", template: "a", variables: [true] };`,
  "an unknown part of the variables": `const p: SendMessage = { to: "1", template: "a", variables: { footer: ["a"] } };`,
  "positions and names together": `const p: SendMessage = { to: "1", template: "a", variables: { header: ["a"], body: { b: "c" } } };`,
  "a contact's field as a value by name of one message": `const p: SendMessage = { to: "1", template: "a", variables: { body: { b: { field: "name" } } } };`,
  "a number as a phone number": `const p: SendMessage = { to: 919876543210, text: "a" };`,
  "a broadcast without a target": `const p: CreateBroadcast = { name: "a", template: "b" };`,
  "a broadcast with two targets": `const p: CreateBroadcast = { name: "a", template: "b", to: ["1"], group: 3 };`,
  "a broadcast of a text": `const p: CreateBroadcast = { name: "a", text: "b", to: ["1"] };`,
  "a broadcast without a name": `const p: CreateBroadcast = { template: "b", to: ["1"] };`,
  "a broadcast to one number that is no list": `const p: CreateBroadcast = { name: "a", template: "b", to: "1" };`,
  "a broadcast to a group by its name": `const p: CreateBroadcast = { name: "a", template: "b", group: "Regulars" };`,
  "a reference on a broadcast": `const p: CreateBroadcast = { name: "a", template: "b", to: ["1"], reference: "c" };`,
  "a contact's field without its name": `const p: CreateBroadcast = { name: "a", template: "b", to: ["1"], variables: [{ fallback: "c" }] };`,
  "an unknown member of a contact": `const p: ContactInput = { nickname: "a" };`,
  "an unknown consent": `const p: ContactInput = { consent: "unknown" };`,
  "tags that replace the others": `const p: ContactInput = { tags: ["vip"] };`,
  "a person without a name": `const p: ContactInput = { people: [{ ref: "1" }] };`,
  "the template of a message that may be a text": `const p = (m: Message): string => m.template.name;`,
  "an unknown status": `const p = (m: Message): boolean => m.status === "queued";`,
  "a detail of a refusal without its code": `const p = (e: SendRefusal): string => e.since;`,
  "a code that the operation does not give": `const p = (e: SendRefusal): boolean => e.code === "not_cancellable";`,
  "a misspelt code": `const p = (e: SendRefusal): boolean => e.code === "opted-out";`,
  "the data of an event without its type": `const p = (e: WaxwingEvent): unknown => e.data.message;`,
  "the data of another event": `const p = (e: WaxwingEvent): unknown => (e.type === "contact.erased" ? e.data.contact : null);`,
};

/** A module of all programs. The compiler reports an expected error that does not come. */
export function programsAfter(prelude: string): string {
  const wrong = Object.entries(wrongPrograms).map(
    ([name, code], index) =>
      `// @ts-expect-error ${name}\n${code.replace(/\bp\b/, `wrong${index}`).replace(/^const/, "export const")}`,
  );
  return [prelude, rightPrograms, ...wrong, ""].join("\n");
}
