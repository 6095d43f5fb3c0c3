/**
 * Every kind of free message, once as a request of the API, as the part of Meta's request that it becomes (the examples of
 * Meta's pages), and as the message that is shown; and every limit. The tests of all kinds walk these tables.
 */

export interface KindCase {
  /** Members of the request beside `to`. */
  body: Record<string, unknown>;
  type: string;
  text: string;
  content: Record<string, unknown> | null;
  /** Members of Meta's request beside the address and the send token. */
  part: Record<string, unknown>;
}

/** The network's id of the received message 1. */
export const FIRST_INBOUND = "wamid.HBgLMTY0NjcwNDM1OTUVAgASGBQzQUZCMTY0MDc2MUYwNzBDNTY5MAA=";

export const LINK = "https://files.example.com/secret-path/table.jpg";
const PDF = "https://files.example.com/secret-path/lucky-shrub-invoice.pdf";

const file = (type: string, link: string, more: object = {}, name: object = {}): KindCase => ({
  body: { media: { type, link, ...more } },
  type,
  text: (more as { caption?: string }).caption ?? "",
  content: { media: { type, ...more, ...name } },
  part: { type, [type]: { link, ...more, ...name } },
});

export const kindCases: Record<string, KindCase> = {
  "a text": {
    body: { text: "As requested: https://example.com" },
    type: "text",
    text: "As requested: https://example.com",
    content: { text: "As requested: https://example.com" },
    part: { type: "text", text: { preview_url: false, body: "As requested: https://example.com" } },
  },
  "a text with a preview": {
    body: { text: "As requested: https://example.com", preview_url: true },
    type: "text",
    text: "As requested: https://example.com",
    content: { text: "As requested: https://example.com", preview_url: true },
    part: { type: "text", text: { preview_url: true, body: "As requested: https://example.com" } },
  },
  "a reaction": {
    body: { reaction: { emoji: "😀", to: { inbound: 1 } } },
    type: "reaction",
    text: "😀",
    content: { reaction: { emoji: "😀", to: { inbound: 1 } } },
    part: { type: "reaction", reaction: { message_id: FIRST_INBOUND, emoji: "😀" } },
  },
  "a reaction that is taken away": {
    body: { reaction: { emoji: "", to: { inbound: 1 } } },
    type: "reaction",
    text: "",
    content: { reaction: { emoji: "", to: { inbound: 1 } } },
    part: { type: "reaction", reaction: { message_id: FIRST_INBOUND, emoji: "" } },
  },
  "an image": file("image", LINK, { caption: "The best succulent ever?" }),
  "an image without a caption": file("image", LINK),
  "a video": file("video", "https://files.example.com/secret-path/a.mp4", { caption: "A succulent eclipse!" }),
  audio: file("audio", "https://files.example.com/secret-path/a.ogg"),
  "a voice message": file("audio", "https://files.example.com/secret-path/a.ogg", { voice: true }),
  "a sticker": file("sticker", "https://files.example.com/secret-path/a.webp"),
  "a document": file("document", PDF, { caption: "Lucky Shrub Invoice", filename: "Invoice 7.pdf" }),
  "a document named by its link": file("document", PDF, {}, { filename: "lucky-shrub-invoice.pdf" }),
  "a file whose link says what it is": {
    ...file("image", LINK),
    body: { media: { link: LINK } },
  },
  "a location": {
    body: {
      location: {
        latitude: 37.44216251868683,
        longitude: -122.16153582049394,
        name: "Philz Coffee",
        address: "101 Forest Ave, Palo Alto, CA 94301",
      },
    },
    type: "location",
    text: "Philz Coffee",
    content: {
      location: {
        latitude: 37.44216251868683,
        longitude: -122.16153582049394,
        name: "Philz Coffee",
        address: "101 Forest Ave, Palo Alto, CA 94301",
      },
    },
    part: {
      type: "location",
      location: {
        latitude: "37.44216251868683",
        longitude: "-122.16153582049394",
        name: "Philz Coffee",
        address: "101 Forest Ave, Palo Alto, CA 94301",
      },
    },
  },
  "a place at the pole": {
    body: { location: { latitude: -90, longitude: 0 } },
    type: "location",
    text: "",
    content: { location: { latitude: -90, longitude: 0 } },
    part: { type: "location", location: { latitude: "-90", longitude: "0" } },
  },
  "a location without words": {
    body: { location: { latitude: 0.0000001, longitude: -180 } },
    type: "location",
    text: "",
    content: { location: { latitude: 1e-7, longitude: -180 } },
    part: { type: "location", location: { latitude: "0.000000100000000", longitude: "-180" } },
  },
};

const card = {
  addresses: [
    {
      street: "1 Lucky Shrub Way",
      city: "Menlo Park",
      state: "CA",
      zip: "94025",
      country: "United States",
      country_code: "US",
      type: "Office",
    },
  ],
  birthday: "1999-01-23",
  emails: [{ email: "bjohnson@luckyshrub.com", type: "Work" }],
  name: {
    formatted_name: "Barbara J. Johnson",
    first_name: "Barbara",
    last_name: "Johnson",
    middle_name: "Joana",
    suffix: "Esq.",
    prefix: "Dr.",
  },
  org: { company: "Lucky Shrub", department: "Legal", title: "Lead Counsel" },
  phones: [
    { phone: "+16505559999", type: "Landline" },
    { phone: "+19175559999", type: "Mobile", wa_id: "19175559999" },
  ],
  urls: [{ url: "https://www.luckyshrub.com", type: "Company" }],
};
const plainCard = { name: { formatted_name: "Corner Shop" } };

function cards(contacts: readonly { name: { formatted_name: string } }[]): KindCase {
  const text = contacts.map(({ name }) => name.formatted_name).join(", ");
  return { body: { contacts }, type: "contacts", text, content: { contacts }, part: { type: "contacts", contacts } };
}

/** `asked`: members beside the body; `action`: as Meta has it. `header`: of the content and of Meta's request. */
function interactive(
  asked: Record<string, unknown>,
  type: string,
  action: Record<string, unknown>,
  { header, kept, footer }: { header?: unknown; kept?: unknown; footer?: string } = {},
): KindCase {
  const text = "Which shipping option do you prefer?";
  const content = { body: text, ...asked, ...(kept === undefined ? {} : { header: kept }) };
  return {
    body: { interactive: { body: text, ...asked } },
    type: "interactive",
    text,
    content: { interactive: content },
    part: {
      type: "interactive",
      interactive: {
        type,
        ...(header === undefined ? {} : { header }),
        body: { text },
        ...(footer === undefined ? {} : { footer: { text: footer } }),
        action,
      },
    },
  };
}

const buttons = [
  { id: "change-button", title: "Change" },
  { id: "cancel-button", title: "Cancel" },
];
const reply = (button: { id: string; title: string }) => ({ type: "reply", reply: button });
const footer = "Lucky Shrub: Your gateway to succulents™";
const sections = [
  {
    title: "I want it ASAP!",
    rows: [
      { id: "priority_express", title: "Priority Mail Express", description: "Next Day to 2 Days" },
      { id: "priority_mail", title: "Priority Mail", description: "1–3 Days" },
    ],
  },
  { title: "I can wait a bit", rows: [{ id: "usps_ground_advantage", title: "USPS Ground Advantage" }] },
];
const link = {
  title: "See Dates",
  url: "https://www.luckyshrub.com?clickID=kqDGWd24Q5TRwoEQTICY7W1JKoXvaZOXWAS7h1P76s0R7Paec4",
};
const address = { country: "IN", values: { name: "Asha Rao", phone_number: "+919876543210", in_pin_code: "400063" } };

Object.assign(kindCases, {
  "a contact card": cards([card]),
  "two contact cards": cards([plainCard, card]),
  buttons: interactive({ buttons }, "button", { buttons: buttons.map(reply) }),
  "buttons below a document": interactive(
    { header: { type: "document", link: PDF }, buttons },
    "button",
    { buttons: buttons.map(reply) },
    {
      header: { type: "document", document: { link: PDF, filename: "lucky-shrub-invoice.pdf" } },
      kept: { type: "document", filename: "lucky-shrub-invoice.pdf" },
    },
  ),
  "a list": interactive(
    { header: "Choose Shipping Option", footer, list: { button: "Shipping Options", sections } },
    "list",
    { button: "Shipping Options", sections },
    { header: { type: "text", text: "Choose Shipping Option" }, footer },
  ),
  "a list of one section without a title": interactive(
    { list: { button: "Options", sections: [{ rows: [{ id: "a", title: "A" }] }] } },
    "list",
    { button: "Options", sections: [{ rows: [{ id: "a", title: "A" }] }] },
  ),
  "a link": interactive({ link }, "cta_url", {
    name: "cta_url",
    parameters: { display_text: link.title, url: link.url },
  }),
  "a request for a location": interactive({ location_request: true }, "location_request_message", {
    name: "send_location",
  }),
  "a request for an address": interactive({ address }, "address_message", {
    name: "address_message",
    parameters: address,
  }),
  "a flow": interactive({ flow: { id: "1197715005513101", cta: "Book now" } }, "flow", {
    name: "flow",
    parameters: {
      flow_message_version: "3",
      flow_id: "1197715005513101",
      flow_cta: "Book now",
      flow_action: "navigate",
    },
  }),
  "a flow with a screen": interactive(
    { flow: { id: "1", cta: "Book now", token: "booking-7", screen: "BOOKING", data: { days: ["2026-12-01"] } } },
    "flow",
    {
      name: "flow",
      parameters: {
        flow_message_version: "3",
        flow_id: "1",
        flow_cta: "Book now",
        flow_token: "booking-7",
        flow_action: "navigate",
        flow_action_payload: { screen: "BOOKING", data: { days: ["2026-12-01"] } },
      },
    },
  ),
});

/** What stands above each action that takes a file or a headline, and small print below it. */
const headed: [name: string, asked: Record<string, unknown>, type: string, action: Record<string, unknown>][] = [
  ["buttons", { buttons }, "button", { buttons: buttons.map(reply) }],
  ["a link", { link }, "cta_url", { name: "cta_url", parameters: { display_text: link.title, url: link.url } }],
  ["a request for an address", { address }, "address_message", { name: "address_message", parameters: address }],
  [
    "a flow",
    { flow: { id: "1", cta: "Book" } },
    "flow",
    {
      name: "flow",
      parameters: { flow_message_version: "3", flow_id: "1", flow_cta: "Book", flow_action: "navigate" },
    },
  ],
];
const VIDEO = "https://files.example.com/secret-path/a.mp4";
const tops: [name: string, header: unknown, sent: Record<string, unknown>, kept: unknown][] = [
  ["a headline", "Your delivery", { type: "text", text: "Your delivery" }, "Your delivery"],
  ["a picture", { type: "image", link: LINK }, { type: "image", image: { link: LINK } }, { type: "image" }],
  ["a video", { type: "video", link: VIDEO }, { type: "video", video: { link: VIDEO } }, { type: "video" }],
  [
    "a named document",
    { type: "document", link: PDF, filename: "Invoice 7.pdf" },
    { type: "document", document: { link: PDF, filename: "Invoice 7.pdf" } },
    { type: "document", filename: "Invoice 7.pdf" },
  ],
];
for (const [name, asked, type, action] of headed) {
  for (const [top, header, sent, kept] of tops) {
    kindCases[`${name} below ${top}`] = interactive({ ...asked, header, footer }, type, action, {
      ...{ header: sent, kept, footer },
    });
  }
}

const everyField = {
  ...{ name: "Asha Rao", phone_number: "+919876543210", in_pin_code: "400063", house_number: "7", floor_number: "2" },
  ...{ tower_number: "1", building_name: "Sea View", address: "1 Marine Drive", landmark_area: "Near the fort" },
  ...{ city: "Mumbai", state: "Maharashtra" },
};
kindCases["a request for an address with every field"] = interactive(
  { address: { country: "IN", values: everyField } },
  "address_message",
  { name: "address_message", parameters: { country: "IN", values: everyField } },
);

export interface LimitCase {
  /** The path of the member. */
  field: string;
  max: number;
  /** A request whose member is this long, this many or this large. */
  body: (size: number) => Record<string, unknown>;
  /** The smallest difference that counts: 1 unless it is a number. */
  step?: number;
  /** The network names no such limit, so the simulator has none. */
  isOurs?: true;
}

const long = (size: number): string => "🎂".repeat(size);
const place = { latitude: 1, longitude: 2 };

export const limitCases: readonly LimitCase[] = [
  { field: "text", max: 4_096, body: (size) => ({ text: long(size) }) },
  ...["image", "video", "document"].map((type) => ({
    field: "media.caption",
    max: 1_024,
    body: (size: number) => ({ media: { type, link: LINK, caption: long(size) } }),
  })),
  {
    field: "media.filename",
    max: 240,
    body: (size) => ({ media: { type: "document", link: LINK, filename: long(size) } }),
    isOurs: true,
  },
  {
    field: "media.link",
    max: 2_048,
    body: (size) => ({ media: { type: "image", link: LINK.padEnd(size, "x") } }),
    isOurs: true,
  },
  { field: "location.latitude", max: 90, step: 0.1, body: (latitude) => ({ location: { ...place, latitude } }) },
  { field: "location.longitude", max: 180, step: 0.1, body: (longitude) => ({ location: { ...place, longitude } }) },
  { field: "location.name", max: 1_000, body: (size) => ({ location: { ...place, name: long(size) } }), isOurs: true },
  {
    field: "location.address",
    max: 1_000,
    body: (size) => ({ location: { ...place, address: long(size) } }),
    isOurs: true,
  },
];

const times = <T>(size: number, make: (index: number) => T): T[] =>
  Array.from({ length: size }, (_, index) => make(index));
const asking = (members: object) => ({ interactive: { body: "Which?", ...members } });
const button = (members: object) => asking({ buttons: [{ id: "a", title: "A", ...members }] });
const row = (members: object) =>
  asking({ list: { button: "Options", sections: [{ rows: [{ id: "a", title: "A", ...members }] }] } });
const rowsOf = (size: number, from = 0) =>
  times(size, (index) => ({ id: `r${from + index}`, title: `R${from + index}` }));
const listOf = (...made: object[]) => asking({ list: { button: "Options", sections: made } });
const flow = (members: object) => asking({ flow: { id: "1", cta: "Book", screen: "A", ...members } });

/** One emoji of this many characters: a group of people that no font has. */
const glued = (size: number): string => {
  const group = Array.from({ length: Math.ceil(size / 2) }, () => "👩").join("\u200d");
  return size % 2 === 0 ? `${group}\ufe0f` : group;
};

(limitCases as LimitCase[]).push(
  {
    field: "reaction.emoji",
    max: 64,
    body: (size) => ({ reaction: { emoji: glued(size), to: { inbound: 1 } } }),
    isOurs: true,
  },
  {
    field: "interactive.header.filename",
    max: 240,
    body: (size) => asking({ header: { type: "document", link: PDF, filename: long(size) }, buttons }),
    isOurs: true,
  },
  { field: "contacts", max: 257, body: (size) => ({ contacts: times(size, () => plainCard) }) },
  {
    field: "contacts.0.name.formatted_name",
    max: 1_000,
    body: (size) => ({ contacts: [{ name: { formatted_name: long(size) } }] }),
    isOurs: true,
  },
  {
    field: "contacts.0.phones",
    max: 20,
    body: (size) => ({ contacts: [{ ...plainCard, phones: times(size, () => ({ phone: "1" })) }] }),
    isOurs: true,
  },
  { field: "interactive.body", max: 1_024, body: (size) => ({ interactive: { body: long(size), buttons } }) },
  {
    field: "interactive.body",
    max: 4_096,
    body: (size) => ({ interactive: { body: long(size), list: { button: "Options", sections } } }),
  },
  { field: "interactive.header", max: 60, body: (size) => asking({ header: long(size), buttons }) },
  {
    field: "interactive.header",
    max: 60,
    body: (size) => asking({ header: long(size), list: { button: "A", sections } }),
  },
  { field: "interactive.footer", max: 60, body: (size) => asking({ footer: long(size), buttons }) },
  {
    field: "interactive.buttons",
    max: 3,
    body: (size) => asking({ buttons: times(size, (index) => ({ id: `b${index}`, title: `B${index}` })) }),
  },
  { field: "interactive.buttons.0.id", max: 256, body: (size) => button({ id: long(size) }) },
  { field: "interactive.buttons.0.title", max: 20, body: (size) => button({ title: long(size) }) },
  {
    field: "interactive.list.button",
    max: 20,
    body: (size) => asking({ list: { button: long(size), sections } }),
  },
  {
    field: "interactive.list.sections",
    max: 10,
    body: (size) => listOf(...times(size, (index) => ({ title: `S${index}`, rows: rowsOf(1, index) }))),
  },
  {
    field: "interactive.list.sections.0.title",
    max: 24,
    body: (size) => listOf({ title: long(size), rows: rowsOf(1) }),
  },
  { field: "interactive.list.sections.0.rows", max: 10, body: (size) => listOf({ rows: rowsOf(size) }) },
  {
    field: "interactive.list.sections",
    max: 10,
    body: (size) => listOf({ title: "A", rows: rowsOf(5) }, { title: "B", rows: rowsOf(size - 5, 5) }),
  },
  { field: "interactive.list.sections.0.rows.0.id", max: 200, body: (size) => row({ id: long(size) }) },
  { field: "interactive.list.sections.0.rows.0.title", max: 24, body: (size) => row({ title: long(size) }) },
  {
    field: "interactive.list.sections.0.rows.0.description",
    max: 72,
    body: (size) => row({ description: long(size) }),
  },
  { field: "interactive.link.title", max: 20, body: (size) => asking({ link: { ...link, title: long(size) } }) },
  {
    field: "interactive.link.url",
    max: 2_048,
    body: (size) => asking({ link: { ...link, url: link.url.padEnd(size, "x") } }),
    isOurs: true,
  },
  {
    field: "interactive.body",
    max: 1_024,
    body: (size) => ({ interactive: { body: long(size), location_request: true } }),
  },
  {
    field: "interactive.address.country",
    max: 2,
    body: (size) => asking({ address: { country: "I".repeat(size) } }),
  },
  {
    field: "interactive.address.values.in_pin_code",
    max: 6,
    body: (size) => asking({ address: { country: "IN", values: { in_pin_code: "4".repeat(size) } } }),
  },
  {
    field: "interactive.address.values.city",
    max: 1_000,
    body: (size) => asking({ address: { country: "IN", values: { city: long(size) } } }),
    isOurs: true,
  },
  { field: "interactive.flow.cta", max: 30, body: (size) => flow({ cta: "x".repeat(size) }) },
  { field: "interactive.flow.id", max: 64, body: (size) => flow({ id: "1".repeat(size) }), isOurs: true },
  { field: "interactive.flow.token", max: 256, body: (size) => flow({ token: long(size) }), isOurs: true },
  { field: "interactive.flow.screen", max: 256, body: (size) => flow({ screen: long(size) }), isOurs: true },
);

/** Requests that are refused, each with the members that are named. */
export const wrongCases: Record<string, [body: Record<string, unknown>, fields: string[]]> = {
  "a blank text": [{ text: " \u200b" }, ["text"]],
  "a reaction to nothing": [{ reaction: { emoji: "😀" } }, ["reaction.to"]],
  "a reaction to two messages": [{ reaction: { emoji: "😀", to: { inbound: 1, message: 1 } } }, ["reaction.to"]],
  "a reaction to a message of an unknown kind": [
    { reaction: { emoji: "😀", to: { inbound: 1, id: 1 } } },
    ["reaction.to.id"],
  ],
  "a reaction with a text": [{ reaction: { emoji: "ok", to: { inbound: 1 } } }, ["reaction.emoji"]],
  "a reaction with two emoji": [{ reaction: { emoji: "😀😀", to: { inbound: 1 } } }, ["reaction.emoji"]],
  "a reaction as an answer": [
    { reaction: { emoji: "😀", to: { inbound: 1 } }, reply_to: { inbound: 1 } },
    ["reply_to"],
  ],
  "a preview of a picture": [{ media: { type: "image", link: LINK }, preview_url: true }, ["preview_url"]],
  "a preview that is not a flag": [{ text: "x", preview_url: "yes" }, ["preview_url"]],
  "an answer to nothing": [{ text: "x", reply_to: {} }, ["reply_to"]],
  "an answer to a number": [{ text: "x", reply_to: 1 }, ["reply_to"]],
  "an answer to a text": [{ text: "x", reply_to: { inbound: "1" } }, ["reply_to.inbound"]],
  "a template as an answer": [{ template: "greeting", variables: ["Anna"], reply_to: { inbound: 1 } }, ["reply_to"]],
  "no contact cards": [{ contacts: [] }, ["contacts"]],
  "a card without a name": [{ contacts: [{ phones: [{ phone: "1" }] }] }, ["contacts.0.name"]],
  "a card without its whole name": [{ contacts: [{ name: { first_name: "A" } }] }, ["contacts.0.name.formatted_name"]],
  "a phone number without it": [
    { contacts: [{ ...plainCard, phones: [{ type: "Work" }] }] },
    ["contacts.0.phones.0.phone"],
  ],
  "an email address and a website without them": [
    { contacts: [{ ...plainCard, emails: [{}], urls: [{}] }] },
    ["contacts.0.emails.0.email", "contacts.0.urls.0.url"],
  ],
  "a card with an unknown member": [{ contacts: [{ ...plainCard, company: "x" }] }, ["contacts.0.company"]],
  "a card with a blank member": [{ contacts: [{ ...plainCard, org: { company: " " } }] }, ["contacts.0.org.company"]],
  "a card with a day that there is not": [
    { contacts: [{ ...plainCard, birthday: "1990-02-30" }] },
    ["contacts.0.birthday"],
  ],
  "no action": [asking({}), ["interactive"]],
  "two actions": [asking({ buttons, link }), ["interactive.buttons", "interactive.link"]],
  "an unknown action": [asking({ buton: buttons, buttons }), ["interactive.buton"]],
  "no body": [{ interactive: { buttons } }, ["interactive.body"]],
  "a blank body": [{ interactive: { body: " ", buttons } }, ["interactive.body"]],
  "no buttons": [asking({ buttons: [] }), ["interactive.buttons"]],
  "a button without a title": [asking({ buttons: [{ id: "a" }] }), ["interactive.buttons.0.title"]],
  "two buttons with the same id": [
    asking({
      buttons: [
        { id: "a", title: "A" },
        { id: "a", title: "B" },
      ],
    }),
    ["interactive.buttons.1.id"],
  ],
  "two buttons with the same title": [
    asking({
      buttons: [
        { id: "a", title: "A" },
        { id: "b", title: "A" },
      ],
    }),
    ["interactive.buttons.1.title"],
  ],
  "white space around an id": [button({ id: " a" }), ["interactive.buttons.0.id"]],
  "a header of an unknown type": [
    asking({ header: { type: "audio", link: LINK }, buttons }),
    ["interactive.header.type"],
  ],
  "a header over http": [
    asking({ header: { type: "image", link: "http://a.example/a.jpg" }, buttons }),
    ["interactive.header.link"],
  ],
  "a file name on a picture in the header": [
    asking({ header: { type: "image", link: LINK, filename: "a" }, buttons }),
    ["interactive.header.filename"],
  ],
  "a file above a list": [
    asking({ header: { type: "image", link: LINK }, list: { button: "A", sections } }),
    ["interactive.header"],
  ],
  "no sections": [listOf(), ["interactive.list.sections"]],
  "a section without rows": [listOf({ rows: [] }), ["interactive.list.sections.0.rows"]],
  "a section without a title beside another": [
    listOf({ title: "A", rows: rowsOf(1) }, { rows: rowsOf(1, 1) }),
    ["interactive.list.sections.1.title"],
  ],
  "two rows with the same id": [
    listOf({ title: "A", rows: rowsOf(1) }, { title: "B", rows: rowsOf(1) }),
    ["interactive.list.sections.1.rows.0.id"],
  ],
  "a link that is not an address": [asking({ link: { title: "A", url: "shop" } }), ["interactive.link.url"]],
  "a link of another kind": [asking({ link: { title: "A", url: "tel:1" } }), ["interactive.link.url"]],
  "a request for a location that is false": [asking({ location_request: false }), ["interactive.location_request"]],
  "a headline above a request for a location": [
    asking({ location_request: true, header: "Hi" }),
    ["interactive.header"],
  ],
  "small print below a request for a location": [
    asking({ location_request: true, footer: "Hi" }),
    ["interactive.footer"],
  ],
  "a country that is not a code": [asking({ address: { country: "in" } }), ["interactive.address.country"]],
  "an unknown field of an address": [
    asking({ address: { country: "IN", values: { street: "x" } } }),
    ["interactive.address.values.street"],
  ],
  "an emoji on the button of a flow": [flow({ cta: "Book 🎂" }), ["interactive.flow.cta"]],
  "data of a flow without a screen": [
    asking({ flow: { id: "1", cta: "A", data: { a: 1 } } }),
    ["interactive.flow.screen"],
  ],
  "empty data of a flow": [flow({ data: {} }), ["interactive.flow.data"]],
  "a file without a link": [{ media: { type: "image" } }, ["media.link"]],
  "a file of a type that there is not": [{ media: { type: "gif", link: LINK } }, ["media.type"]],
  "a file whose link does not say what it is": [{ media: { link: "https://a.example/file" } }, ["media.type"]],
  "a link over http": [{ media: { type: "image", link: "http://a.example/a.jpg" } }, ["media.link"]],
  "a caption below audio": [{ media: { type: "audio", link: LINK, caption: "x" } }, ["media.caption"]],
  "a caption below a sticker": [{ media: { type: "sticker", link: LINK, caption: "x" } }, ["media.caption"]],
  "a picture as a voice message": [{ media: { type: "image", link: LINK, voice: true } }, ["media.voice"]],
  "MP3 as a voice message": [{ media: { link: "https://a.example/a.mp3", voice: true } }, ["media.voice"]],
  "a blank caption": [{ media: { type: "image", link: LINK, caption: " \u200b" } }, ["media.caption"]],
  "a file name on a picture": [{ media: { type: "image", link: LINK, filename: "a.jpg" } }, ["media.filename"]],
  "an unknown member of a file": [{ media: { type: "image", link: LINK, name: "x" } }, ["media.name"]],
  "half a character in a caption": [{ media: { type: "image", link: LINK, caption: "\ud800" } }, ["media.caption"]],
  "a place without a longitude": [{ location: { latitude: 1 } }, ["location.longitude"]],
  "a place with a text for a number": [{ location: { ...place, latitude: "1" } }, ["location.latitude"]],
  "a place south of the pole": [{ location: { ...place, latitude: -90.1 } }, ["location.latitude"]],
  "a place west of the date line": [{ location: { ...place, longitude: -180.1 } }, ["location.longitude"]],
  "a place with a blank name": [{ location: { ...place, name: " " } }, ["location.name"]],
};

/** A request of each kind with the mark in every text that a caller chooses. */
export function markedKinds(mark: string, degrees: number): Record<string, Record<string, unknown>> {
  const link = `https://files.example.com/${mark}`;
  return {
    media: { media: { type: "document", link, caption: mark, filename: `${mark}.pdf` } },
    location: { location: { latitude: degrees, longitude: degrees, name: mark, address: mark } },
    contacts: {
      contacts: [{ name: { formatted_name: mark }, phones: [{ phone: mark }], org: { company: mark } }],
    },
    reaction: { reaction: { emoji: "👍", to: { inbound: 1 } } },
    interactive: {
      interactive: { body: mark, header: mark, footer: mark, buttons: [{ id: mark, title: mark }] },
    },
  };
}
