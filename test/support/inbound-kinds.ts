/**
 * Everything that people write, and what other senders do, one entry for each kind: as Meta's callback has it, and what
 * the API, the webhook and the console make of it. `test/flow/inbound-kinds.test.ts` plays each; `bun run
 * pictures:inbound DIR` takes a picture of each; `docs/inbound.md` is made from it.
 *
 * The forms are those of Meta's OpenAPI description (v23), of the examples published with it, and of the pages named
 * in `source`.
 */

/** The people of one entry. Digits. */
export interface KindWorld {
  /** Our number, and its id. */
  own: string;
  phoneNumberId: string;
  person: string;
  /** Of each message of the entry. */
  id(index?: number): string;
  /** Seconds, as Meta writes them; later than the previous call. */
  timestamp(): string;
}

export interface Played {
  field: string;
  value: Record<string, unknown>;
}

export interface InboundKind {
  name: string;
  /** In the table. */
  says: string;
  source: string;
  play(world: KindWorld): Played[];
  /** The events, in order. */
  events: readonly string[];
  /** Members of `details` of the last `message.received`. */
  details?: readonly string[];
  /** Kinds and types in the console's conversation, oldest first. */
  items: readonly string[];
  /** What the console shows of it, in words. */
  shows: string;
}

const RECEIVED = ["message.received"];
const SPEC = "OpenAPI v23";
const EDITS = "messages/edit, messages/revoke";
const COEXISTENCE = "onboarding of WhatsApp Business app users";

/** Messages of the person on the field `messages`. */
function written(...contents: ((world: KindWorld) => Record<string, unknown>)[]): InboundKind["play"] {
  return (world) =>
    contents.map((content, index) => ({
      field: "messages",
      value: {
        contacts: [{ wa_id: world.person, profile: { name: "Anna Berg" } }],
        messages: [{ from: world.person, id: world.id(index), timestamp: world.timestamp(), ...content(world) }],
      },
    }));
}

const hello = () => ({ type: "text", text: { body: "Is the blue one still there?" } });
const media = (more: object = {}) => ({ id: "1479537139650973", mime_type: "image/jpeg", sha256: "c2hh", ...more });

/** A message of a person: each has an event and an item. */
type Message = Omit<InboundKind, "source" | "events" | "items"> & { source?: string };

/** Text, media and what else a person writes. */
const messages: readonly Message[] = [
  { name: "text", says: "Text", play: written(hello), details: [], shows: "the text" },
  {
    name: "reply",
    says: "Text that replies to a message",
    play: written(hello, (world) => ({
      type: "text",
      text: { body: "I mean this one" },
      context: { from: world.person, id: world.id(0) },
    })),
    details: ["reply_to"],
    shows: "the text, below what it replies to",
  },
  {
    name: "forwarded",
    says: "Forwarded text",
    play: written(() => ({ ...hello(), context: { frequently_forwarded: true } })),
    details: ["forwarded"],
    shows: "the text, and that it was forwarded",
  },
  {
    name: "product",
    says: "Question about a product",
    play: written(() => ({
      ...hello(),
      context: { referred_product: { catalog_id: "1784", product_retailer_id: "blue-1" } },
    })),
    details: ["product"],
    shows: "the text and the product",
  },
  {
    name: "advertisement",
    says: "Text after a click on an advertisement",
    play: written(() => ({
      ...hello(),
      referral: {
        source_url: "https://fb.me/3cr4Wqqkv",
        source_id: "120226305854810726",
        source_type: "ad",
        headline: "Chat with us",
        body: "Fresh flowers every day",
        ctwa_clid: "Aff-n8ZTODiE79d22KtAwQKj9e",
      },
    })),
    details: ["referral"],
    shows: "the text and the advertisement",
  },
  {
    name: "image",
    says: "Picture with a caption",
    play: written(() => ({ type: "image", image: media({ caption: "This one" }) })),
    details: ["media"],
    shows: "the picture and the caption",
  },
  {
    name: "video",
    says: "Video",
    play: written(() => ({ type: "video", video: media({ mime_type: "video/mp4" }) })),
    details: ["media"],
    shows: "the video",
  },
  {
    name: "voice",
    says: "Voice message",
    play: written(() => ({ type: "audio", audio: media({ mime_type: "audio/ogg; codecs=opus", voice: true }) })),
    details: ["media"],
    shows: "a player",
  },
  {
    name: "document",
    says: "Document",
    play: written(() => ({
      type: "document",
      document: media({ mime_type: "application/pdf", filename: "invoice.pdf" }),
    })),
    details: ["media"],
    shows: "the file and its name",
  },
  {
    name: "sticker",
    says: "Sticker",
    play: written(() => ({ type: "sticker", sticker: media({ mime_type: "image/webp", animated: false }) })),
    details: ["media"],
    shows: "the sticker",
  },
  {
    name: "location",
    says: "Place",
    play: written(() => ({
      type: "location",
      location: { latitude: 52.5163, longitude: 13.3777, name: "Brandenburger Tor", address: "Pariser Platz, Berlin" },
    })),
    details: ["location"],
    shows: "name and address",
  },
  {
    name: "contacts",
    says: "Contact card",
    play: written(() => ({
      type: "contacts",
      contacts: [
        {
          name: { formatted_name: "Bert Tal", first_name: "Bert" },
          org: { company: "Tal & Söhne" },
          phones: [{ phone: "+49 30 1234567", type: "WORK" }],
          emails: [{ email: "bert@example.com" }],
        },
      ],
    })),
    details: ["contacts"],
    shows: "the names",
  },
  {
    name: "order",
    says: "Order from the catalog",
    play: written(() => ({
      type: "order",
      order: {
        catalog_id: "1784",
        text: "Please wrap it",
        product_items: [{ product_retailer_id: "blue-1", quantity: 2, item_price: 12.5, currency: "EUR" }],
      },
    })),
    details: ["order"],
    shows: "the text and the items",
  },
  {
    name: "button",
    says: "Quick reply of a template",
    play: written(() => ({ type: "button", button: { text: "Track my order", payload: "track" } })),
    details: ["button"],
    shows: "the button's title",
  },
  {
    name: "reply-button",
    says: "Reply button",
    play: written(() => ({
      type: "interactive",
      interactive: { type: "button_reply", button_reply: { id: "yes", title: "Yes, please" } },
    })),
    details: ["button"],
    shows: "the button's title",
  },
  {
    name: "list",
    says: "Row of a list",
    play: written(() => ({
      type: "interactive",
      interactive: { type: "list_reply", list_reply: { id: "m", title: "Medium", description: "Serves two" } },
    })),
    details: ["list"],
    shows: "the row's title",
  },
  {
    name: "form",
    says: "Form (flow) that was filled in",
    play: written(() => ({
      type: "interactive",
      interactive: {
        type: "nfm_reply",
        nfm_reply: { name: "flow", body: "Sent", response_json: '{"flow_token":"t","people":"2","day":"2026-12-24"}' },
      },
    })),
    details: ["form"],
    shows: "the answers",
  },
  {
    name: "reaction",
    says: "Reaction",
    play: written(hello, (world) => ({ type: "reaction", reaction: { message_id: world.id(0), emoji: "👍" } })),
    details: ["reaction"],
    shows: "the emoji",
  },
  {
    name: "edit",
    says: "Edited text",
    source: EDITS,
    play: written(hello, (world) => ({
      type: "edit",
      edit: { original_message_id: world.id(0), message: { type: "text", text: { body: "Is the red one there?" } } },
    })),
    details: ["edited"],
    shows: "the new text, below the former one",
  },
  {
    name: "revoke",
    says: "Deleted message",
    source: EDITS,
    play: written(hello, (world) => ({ type: "revoke", revoke: { original_message_id: world.id(0) } })),
    details: ["deleted"],
    shows: "that a message was deleted, and which",
  },
  {
    name: "unsupported",
    says: "Message that WhatsApp does not pass on, such as a poll",
    play: written(() => ({
      type: "unsupported",
      errors: [{ code: 131051, title: "Message type unknown", error_data: { details: "Not supported." } }],
      unsupported: { type: "poll_creation" },
    })),
    details: ["unsupported"],
    shows: "that it could not be passed on, and why",
  },
  {
    name: "unknown",
    says: "Type that Meta adds later",
    play: written(() => ({ type: "hologram", hologram: { id: "7", shape: "cube" } })),
    details: ["raw"],
    shows: "that its type is new, and the type's name",
  },
];

/** The messages above, each with an event and an item for every message that it plays. */
const received = messages.map((kind): InboundKind => {
  const played = kind.play(exampleWorld());
  const types = played.map(({ value }) => `inbound ${(value.messages as { type: string }[])[0]?.type ?? ""}`);
  return { source: SPEC, ...kind, events: played.map(() => "message.received"), items: types };
});

const notices: readonly InboundKind[] = [
  {
    name: "changed-number",
    says: "Notice of a changed phone number",
    source: SPEC,
    play: (world) => [
      ...written(hello)(world),
      {
        field: "messages",
        value: {
          messages: [
            {
              from: world.person,
              id: world.id(1),
              timestamp: world.timestamp(),
              type: "system",
              system: { type: "user_changed_number", body: "Anna changed their number", wa_id: `${world.person}9` },
            },
          ],
        },
      },
    ],
    events: [...RECEIVED, ...RECEIVED],
    details: ["number_change"],
    items: ["inbound text", "inbound system"],
    shows: "that the number changed; the contact has the new one",
  },
  {
    name: "marketing-stop",
    says: "Marketing switched off in WhatsApp (`user_preferences`)",
    source: "user_preferences",
    play: (world) => [
      ...written(hello)(world),
      {
        field: "user_preferences",
        value: {
          contacts: [{ wa_id: world.person }],
          user_preferences: [
            {
              wa_id: world.person,
              detail: "User requested to stop marketing messages",
              category: "marketing_messages",
              value: "stop",
              timestamp: Number(world.timestamp()),
            },
          ],
        },
      },
    ],
    events: ["message.received", "contact.opted_out"],
    items: ["inbound text"],
    shows: "the contact as opted out",
  },
  {
    name: "missed-call",
    says: "Call without an answer (`calls`)",
    source: "calls",
    play: (world) => [
      {
        field: "calls",
        value: {
          calls: [
            {
              id: world.id(),
              from: world.person,
              to: world.own,
              event: "terminate",
              direction: "USER_INITIATED",
              status: "FAILED",
              timestamp: world.timestamp(),
            },
          ],
        },
      },
    ],
    events: [],
    items: ["inbound call"],
    shows: "a missed call",
  },
  {
    name: "answered-call",
    says: "Call that another program or the phone answered (`calls`)",
    source: "calls",
    play: (world) => [
      {
        field: "calls",
        value: {
          calls: [
            {
              id: world.id(),
              from: world.person,
              to: world.own,
              event: "terminate",
              direction: "USER_INITIATED",
              status: "COMPLETED",
              duration: 42,
              timestamp: world.timestamp(),
            },
          ],
        },
      },
    ],
    events: [],
    items: ["inbound call"],
    shows: "a call",
  },
];

const text = (world: KindWorld, index: number, body: string) => ({
  id: world.id(index),
  timestamp: world.timestamp(),
  type: "text",
  text: { body },
});

const otherSenders: readonly InboundKind[] = [
  {
    name: "standby",
    says: "Message while Meta's Business Agent holds the conversation (`standby`), and the agent's answer",
    source: "webhooks/reference/standby",
    play: (world) => [
      {
        field: "standby",
        value: {
          standby: {
            contacts: [{ wa_id: world.person, profile: { name: "Anna Berg" } }],
            messages: [{ from: world.person, ...text(world, 0, "What do you sell?") }],
          },
        },
      },
      {
        field: "standby",
        value: {
          standby: {
            message_echoes: [
              {
                id: world.id(1),
                timestamp: world.timestamp(),
                message: { to: world.person, type: "text", text: { body: "Flowers, every day from nine." } },
              },
            ],
          },
        },
      },
    ],
    events: RECEIVED,
    details: [],
    items: ["inbound text", "echo text"],
    shows: "both, with their origin",
  },
  {
    name: "control-passed",
    says: "Conversation passed on by the agent (`messaging_handovers`)",
    source: "recorded by integrators",
    play: (world) => [
      {
        field: "messaging_handovers",
        value: {
          recipient: { display_phone_number: world.own, phone_number_id: world.phoneNumberId },
          sender: { phone_number: world.person },
          timestamp: world.timestamp(),
          type: "control_passed",
          control_passed: {
            previous_owner_role: "ai_agent",
            new_owner_role: "escalation",
            conversation_context: { type: "summary", summary: { text: "Anna wants a refund for order 1042." } },
          },
        },
      },
    ],
    events: [],
    items: ["echo control_pass"],
    shows: "who holds the conversation from here on",
  },
  {
    name: "phone",
    says: "Answer given on the phone (`smb_message_echoes`), edited and deleted there",
    source: "webhooks/reference/smb_message_echoes",
    play: (world) => [
      ...written(hello)(world),
      {
        field: "smb_message_echoes",
        value: {
          message_echoes: [
            { from: world.own, to: world.person, ...text(world, 1, "Yes, until six") },
            {
              from: world.own,
              to: world.person,
              id: world.id(2),
              timestamp: world.timestamp(),
              type: "edit",
              edit: { original_message_id: world.id(1), message: { type: "text", text: { body: "Yes, until five" } } },
            },
            {
              from: world.own,
              to: world.person,
              id: world.id(3),
              timestamp: world.timestamp(),
              type: "revoke",
              revoke: { original_message_id: world.id(1) },
            },
          ],
        },
      },
    ],
    events: RECEIVED,
    items: ["inbound text", "echo text", "echo edit", "echo revoke"],
    shows: "the answers as sent from the phone",
  },
  {
    name: "history",
    says: "History of the phone (`history`), both directions, with a file that came later",
    source: "webhooks/reference/history",
    play: (world) => [
      {
        field: "history",
        value: {
          history: [
            {
              metadata: { phase: 1, chunk_order: 1, progress: 55 },
              threads: [
                {
                  id: world.person,
                  messages: [
                    { from: world.person, ...text(world, 0, "Do you deliver on Sunday?") },
                    {
                      from: world.own,
                      to: world.person,
                      ...text(world, 1, "Yes, from ten o'clock"),
                      history_context: { status: "READ" },
                    },
                    { from: world.person, id: world.id(2), timestamp: world.timestamp(), type: "media_placeholder" },
                  ],
                },
              ],
            },
          ],
        },
      },
      {
        field: "history",
        value: {
          messages: [
            {
              from: world.person,
              id: world.id(2),
              timestamp: world.timestamp(),
              type: "image",
              image: media({ caption: "Our garden" }),
            },
          ],
        },
      },
    ],
    events: [],
    items: ["inbound text", "echo text", "inbound image"],
    shows: "both directions, with their origin; nothing is unread",
  },
  {
    name: "history-stop",
    says: "STOP in the history",
    source: COEXISTENCE,
    play: (world) => [
      {
        field: "history",
        value: {
          history: [{ threads: [{ id: world.person, messages: [{ from: world.person, ...text(world, 0, "STOP") }] }] }],
        },
      },
    ],
    events: ["contact.opted_out"],
    items: ["inbound text"],
    shows: "the contact as opted out",
  },
  {
    name: "address-book",
    says: "Contact of the phone's address book (`smb_app_state_sync`)",
    source: "webhooks/reference/smb_app_state_sync",
    play: (world) => [
      {
        field: "smb_app_state_sync",
        value: {
          state_sync: [
            {
              type: "contact",
              contact: { full_name: "Pablo Morales", first_name: "Pablo", phone_number: world.person },
              action: "add",
              metadata: { timestamp: world.timestamp() },
            },
          ],
        },
      },
    ],
    events: [],
    items: [],
    shows: "the contact with the name, without consent",
  },
  {
    name: "history-declined",
    says: "History that the owner declined to share (2593109)",
    source: "webhooks/reference/history",
    play: () => [
      {
        field: "history",
        value: {
          history: [
            {
              errors: [{ code: 2593109, title: "Declined", message: "History sharing is turned off by the business" }],
            },
          ],
        },
      },
    ],
    events: [],
    items: [],
    shows: "the reason, at the number",
  },
];

export const inboundKinds: readonly InboundKind[] = [...received, ...notices, ...otherSenders];

/** A world for looking at an entry without playing it. */
export function exampleWorld(person = "919876543210", own = "911244001100", startMs = 0): KindWorld {
  let at = Math.floor(startMs / 1000);
  return {
    own,
    phoneNumberId: "106540352242922",
    person,
    id: (index = 0) => `wamid.${person}.${index}`,
    timestamp: () => {
      at += 1;
      return String(at);
    },
  };
}

/** The table of `docs/inbound.md`. */
export function renderInboundTable(): string {
  const rows = inboundKinds.map(({ says, events, details, shows }) => {
    const names = details === undefined || details.length === 0 ? "" : `, \`details.${details.join("`, `details.")}\``;
    const webhook = events.length === 0 ? "none" : [...new Set(events.map((type) => `\`${type}\``))].join(", ");
    return [says, webhook + names, shows];
  });
  const all = [["What arrives", "Events", "The console shows"], ...rows];
  const widths = [0, 1, 2].map((column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  const line = (row: string[]): string =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |`;
  const rule = `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |`;
  const [head = [], ...body] = all;
  return [line(head), rule, ...body.map(line)].join("\n");
}
