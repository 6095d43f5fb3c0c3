/**
 * Every kind of callback that Meta describes: each webhook field, type of message, status and event, with how its item
 * has to end. Values follow Meta's examples; ids and numbers are those of the fake Cloud API. `meta-examples.json` has
 * the recordings of Meta's own description.
 */
import { type Change, GRAPH_ACCOUNT_ID, GRAPH_PHONE_NUMBER_ID } from "./graph.ts";
import { GRAPH_APP_ID } from "./graph-account.ts";

/** How the item of a callback ends. */
export type Ending =
  /** Stored as a received message, which the conversation shows. */
  | { end: "shown"; type: string }
  /** It changed what this table holds. */
  | { end: "acted on"; table: string }
  /** It changed nothing, and is counted: `reason` and `about` as in `waxwing status`. */
  | { end: "counted"; reason: "ignored" | "unhandled" | "unreadable" | "foreign"; about: string };

export interface CorpusRow {
  name: string;
  /** `statusOf`: the change of a status, of a message that this server has sent. */
  change: (statusOf: (status: string, more?: object) => Change) => Change;
  ending: Ending;
}

/** The number that the rows are about. */
export const CORPUS_OWN_PHONE = "4930000000";
const METADATA = { display_phone_number: CORPUS_OWN_PHONE, phone_number_id: GRAPH_PHONE_NUMBER_ID };
const WA_ID = "4915112345678";
const NAMED = { message_template_id: 900000000000001, message_template_name: "greeting" };
const TEMPLATE = { ...NAMED, message_template_language: "en-US" };
/** The time of what the rows report, in seconds. */
export const CORPUS_TIME = "1795248000";
const TIME = CORPUS_TIME;

let made = 0;

function messages(value: object): Change {
  return { field: "messages", value: { messaging_product: "whatsapp", metadata: METADATA, ...value } };
}

function inbound(type: string, more: object, from: object = { from: WA_ID }): () => Change {
  return () => {
    made += 1;
    const contacts = [{ profile: { name: "Anna" }, wa_id: WA_ID }];
    return messages({ contacts, messages: [{ ...from, id: `wamid.C${made}=`, timestamp: TIME, type, ...more }] });
  };
}

function field(name: string, value: object): () => Change {
  return () => ({ field: name, value });
}

const shown = (type: string): Ending => ({ end: "shown", type });
const actedOn = (table: string): Ending => ({ end: "acted on", table });
const ignored = (about: string): Ending => ({ end: "counted", reason: "ignored", about });
const unhandled = (about: string): Ending => ({ end: "counted", reason: "unhandled", about });
const unreadable = (about: string): Ending => ({ end: "counted", reason: "unreadable", about });
const foreign = (about: string): Ending => ({ end: "counted", reason: "foreign", about });

const MEDIA = { id: "1003383421387256", mime_type: "image/jpeg", sha256: "SfInY0gGKTsJlUWbwxC1k" };
const REPLY = { context: { from: "4930000000", id: "wamid.HBgL=" } };

const received: CorpusRow[] = (
  [
    ["text", { text: { body: "Does it come in another colour?" } }],
    ["text", { text: { body: "A reply" }, ...REPLY }],
    ["text", { text: { body: "Forwarded" }, context: { frequently_forwarded: true } }],
    ["text", { text: { body: "From an ad" }, referral: { source_url: "https://fb.me/x", source_type: "ad" } }],
    ["image", { image: { ...MEDIA, caption: "Taj Mahal" } }],
    ["video", { video: { ...MEDIA, mime_type: "video/mp4" } }],
    ["audio", { audio: { ...MEDIA, mime_type: "audio/ogg", voice: true } }],
    ["document", { document: { ...MEDIA, filename: "invoice.pdf" } }],
    ["sticker", { sticker: { ...MEDIA, animated: false } }],
    ["location", { location: { latitude: 37.4, longitude: -122.1, name: "Coffee" } }],
    ["contacts", { contacts: [{ name: { formatted_name: "Lucia" }, phones: [{ phone: "+1 983 555 2319" }] }] }],
    ["button", { button: { payload: "more", text: "Tell me more" }, ...REPLY }],
    ["interactive", { interactive: { type: "button_reply", button_reply: { id: "yes", title: "Yes" } } }],
    ["interactive", { interactive: { type: "list_reply", list_reply: { id: "express", title: "Express" } } }],
    [
      "interactive",
      { interactive: { type: "nfm_reply", nfm_reply: { name: "flow", body: "Sent", response_json: "{}" } } },
    ],
    ["interactive", { interactive: { type: "call_permission_reply", call_permission_reply: { response: "accept" } } }],
    ["reaction", { reaction: { message_id: "wamid.HBgL=", emoji: "👍" } }],
    [
      "order",
      { order: { catalog_id: "1", product_items: [{ product_retailer_id: "a", quantity: 2, item_price: 30 }] } },
    ],
    ["edit", { edit: { original_message_id: "wamid.HBgL=", message: { type: "text", text: { body: "Corrected" } } } }],
    ["revoke", { revoke: { original_message_id: "wamid.HBgL=" } }],
    ["unsupported", { errors: [{ code: 131051, title: "Message type unknown" }] }],
    ["unknown", { errors: [{ code: 131051, title: "Message type unknown" }] }],
    ["request_welcome", {}],
    ["ephemeral", { ephemeral: { of: "the future" } }],
  ] as [string, object][]
).map(([type, more], index) => ({
  name: `messages: ${type} (${index + 1})`,
  change: inbound(type, more),
  ending: shown(type),
}));

const notices: CorpusRow[] = [
  {
    name: "messages: from a person without a phone number",
    change: inbound("text", { text: { body: "Hi" } }, { from_user_id: "DE.1234567890" }),
    ending: shown("text"),
  },
  {
    name: "messages: system, changed number",
    change: inbound("system", { system: { type: "user_changed_number", wa_id: "4915187654321", body: "…" } }),
    ending: actedOn("contacts"),
  },
  {
    name: "messages: system, changed user id",
    change: inbound(
      "system",
      { system: { type: "user_changed_user_id", user_id: "DE.222", previous_user_id: "DE.1234567890", body: "…" } },
      { from_user_id: "DE.1234567890" },
    ),
    ending: actedOn("contacts"),
  },
  {
    name: "messages: system, changed security code",
    change: inbound("system", { system: { type: "customer_identity_changed", identity: "x", body: "…" } }),
    ending: ignored("system notice customer_identity_changed"),
  },
  {
    name: "messages: system, a notice of the future",
    change: inbound("system", { system: { type: "user_grew_up", body: "…" } }),
    ending: unhandled("system notice user_grew_up"),
  },
  {
    name: "messages: in a group",
    change: inbound("text", { text: { body: "Hi all" }, group_id: "Y2FwaV9ncm91cDox" }),
    ending: ignored("message in a group"),
  },
  {
    name: "messages: errors of the number",
    change: () => messages({ errors: [{ code: 130429, title: "Rate limit hit" }] }),
    ending: actedOn("number_notices"),
  },
  {
    name: "messages: without items",
    change: () => messages({}),
    ending: ignored("field messages without items"),
  },
  {
    name: "messages: without a time",
    change: () => messages({ messages: [{ from: WA_ID, id: "wamid.X=", type: "text", text: { body: "?" } }] }),
    ending: shown("text"),
  },
  {
    name: "messages: without an id",
    change: () => messages({ messages: [{ from: WA_ID, timestamp: TIME, type: "text", text: { body: "!" } }] }),
    ending: shown("text"),
  },
  {
    name: "messages: system, changed number, without the new one",
    change: inbound("system", { system: { type: "user_changed_number" } }),
    ending: unreadable("the notice names no new number"),
  },
  {
    name: "messages: of a number that is not on this server",
    change: () => ({
      field: "messages",
      value: {
        metadata: { ...METADATA, phone_number_id: "299999999999999" },
        messages: [{ from: WA_ID, id: "wamid.Y=", timestamp: TIME, type: "text", text: { body: "Hi" } }],
      },
    }),
    ending: foreign("a received message for a number that is not on this server"),
  },
];

/** A send token of another instance. */
const ANOTHER_INSTANCE = "wx1.copycopy.01jd9a0000.c9tqk1mxw7ez0rfnvk2bpg4h5j";

const statuses: CorpusRow[] = [
  ...["delivered", "read", "failed"].map(
    (status): CorpusRow => ({
      name: `messages: status ${status}`,
      change: (statusOf) => statusOf(status),
      ending: actedOn("messages"),
    }),
  ),
  ...["played", "deleted", "warning"].map(
    (status): CorpusRow => ({
      name: `messages: status ${status}`,
      change: (statusOf) => statusOf(status),
      ending: ignored(`status ${status}`),
    }),
  ),
  {
    name: "messages: a status of the future",
    change: (statusOf) => statusOf("teleported"),
    ending: unhandled("status teleported"),
  },
  {
    name: "messages: a status in a group",
    change: (statusOf) => statusOf("delivered", { recipient_type: "group" }),
    ending: ignored("status in a group"),
  },
  {
    name: "messages: a status of a message that a copy of this database sent",
    change: (statusOf) => statusOf("delivered", { id: "wamid.COPY=", biz_opaque_callback_data: ANOTHER_INSTANCE }),
    ending: ignored("a status of a message that is not ours"),
  },
  {
    name: "messages: a status of a message that other software sent, which waits for the message and is then counted",
    change: (statusOf) => statusOf("delivered", { id: "wamid.OTHER=", biz_opaque_callback_data: "other-software" }),
    ending: actedOn("parked_statuses"),
  },
];

const preference = { wa_id: WA_ID, category: "marketing_messages", timestamp: 1_795_248_000 };

const preferences: CorpusRow[] = (
  [
    ["stop", {}, actedOn("contacts")],
    ["resume", {}, actedOn("contacts")],
    ["signup", {}, ignored("preference signup")],
    ["pause", {}, unhandled("preference pause")],
    ["stop", { category: "calls" }, unhandled("preference for calls")],
  ] as [string, object, Ending][]
).map(([value, more, ending]) => ({
  name: `user_preferences: ${value}${Object.keys(more).length > 0 ? " for calls" : ""}`,
  change: field("user_preferences", {
    ...{ messaging_product: "whatsapp", metadata: METADATA, contacts: [{ wa_id: WA_ID }] },
    user_preferences: [{ ...preference, value, ...more }],
  }),
  ending,
}));

const templateEvents = ["PAUSED", "APPROVED", "REJECTED", "PENDING", "DISABLED", "FLAGGED", "IN_APPEAL", "REINSTATED"];

const templates: CorpusRow[] = [
  ...[...templateEvents, "PENDING_DELETION", "DELETED", "ARCHIVED", "UNARCHIVED", "LIMIT_EXCEEDED", "LOCKED"].map(
    (event): CorpusRow => ({
      name: `message_template_status_update: ${event}`,
      change: field("message_template_status_update", { ...TEMPLATE, event, reason: "NONE" }),
      // At least the account is compared with the network.
      ending: actedOn("outbox"),
    }),
  ),
  {
    name: "message_template_quality_update",
    change: field("message_template_quality_update", { ...TEMPLATE, new_quality_score: "YELLOW" }),
    ending: actedOn("templates"),
  },
  {
    name: "message_template_quality_update, under the field of Meta's own example",
    change: field("message_template_status_update", { ...TEMPLATE, new_quality_score: "RED" }),
    ending: actedOn("templates"),
  },
  {
    name: "message_template_components_update",
    change: field("message_template_components_update", { ...TEMPLATE, message_template_element: "Other words" }),
    ending: actedOn("outbox"),
  },
  {
    name: "template_category_update: announced",
    change: field("template_category_update", { ...TEMPLATE, new_category: "UTILITY", correct_category: "MARKETING" }),
    ending: actedOn("outbox"),
  },
  {
    name: "template_category_update: done",
    change: field("template_category_update", { ...TEMPLATE, previous_category: "UTILITY", new_category: "MARKETING" }),
    ending: actedOn("templates"),
  },
  {
    name: "template_correct_category_detection",
    change: field("template_correct_category_detection", { ...TEMPLATE, correct_category: "MARKETING" }),
    ending: actedOn("account_syncs"),
  },
];

const WITHOUT_EFFECT = [
  ...["VOLUME_BASED_PRICING_TIER_UPDATE", "BUSINESS_PRIMARY_LOCATION_COUNTRY_UPDATE", "PARTNER_ADDED"],
  ...["AUTH_INTL_PRICE_ELIGIBILITY_UPDATE", "AD_ACCOUNT_LINKED", "PARTNER_APP_INSTALLED"],
];
const WABA = { waba_id: GRAPH_ACCOUNT_ID, owner_business_id: "5" };

const accounts: CorpusRow[] = [
  ...(
    [
      [{ event: "ACCOUNT_VIOLATION", violation_info: { violation_type: "SCAM" } }, "number_states"],
      [
        {
          event: "DISABLED_UPDATE",
          ban_info: { waba_ban_state: "SCHEDULE_FOR_DISABLE", waba_ban_date: "May 1, 2027" },
        },
        "number_states",
      ],
      [{ event: "DISABLED_UPDATE", ban_info: { waba_ban_state: "DISABLE" } }, "numbers"],
      [{ event: "DISABLED_UPDATE", ban_info: { waba_ban_state: "REINSTATE" } }, "numbers"],
      [
        {
          event: "ACCOUNT_RESTRICTION",
          restriction_info: [{ restriction_type: "RESTRICTED_BIZ_INITIATED_MESSAGING" }],
        },
        "numbers",
      ],
      [
        {
          event: "ACCOUNT_RESTRICTION",
          restriction_info: [{ restriction_type: "RESTRICTED_ADD_PHONE_NUMBER_ACTION" }],
        },
        "outbox",
      ],
      [{ event: "ACCOUNT_RECONNECTED" }, "numbers"],
      [{ event: "ACCOUNT_DELETED" }, "numbers"],
      [{ event: "ACCOUNT_OFFBOARDED" }, "number_states"],
      [{ event: "ACCOUNT_RECONNECTED" }, "numbers"],
      [{ event: "PARTNER_REMOVED", waba_info: WABA }, "numbers"],
      [{ event: "PARTNER_APP_UNINSTALLED", waba_info: { ...WABA, partner_app_id: GRAPH_APP_ID } }, "number_states"],
      [{ event: "ACCOUNT_RECONNECTED" }, "numbers"],
      [{ event: "MM_LITE_TERMS_SIGNED", waba_info: WABA }, "account_syncs"],
      // Another app of the account: nothing is stored about the number, but the account is compared.
      [{ event: "PARTNER_APP_UNINSTALLED", waba_info: { ...WABA, partner_app_id: "301" } }, "outbox"],
    ] as [{ event: string }, string][]
  ).map(([value, table], index) => ({
    name: `account_update: ${value.event} (${index + 1})`,
    change: field("account_update", value),
    ending: actedOn(table),
  })),
  ...WITHOUT_EFFECT.map((event) => ({
    name: `account_update: ${event}`,
    change: field("account_update", { event }),
    ending: ignored(`account ${event}`),
  })),
  {
    name: "account_update: an event of the future",
    change: field("account_update", { event: "ACCOUNT_ASCENDED" }),
    ending: unhandled("account ACCOUNT_ASCENDED"),
  },
  {
    name: "account_alerts",
    change: field("account_alerts", {
      ...{ entity_type: "BUSINESS", entity_id: "5" },
      alert_info: {
        alert_severity: "CRITICAL",
        alert_status: "ACTIVE",
        alert_type: "OBA_APPROVED",
        alert_description: "…",
      },
    }),
    ending: actedOn("number_notices"),
  },
  {
    name: "account_review_update",
    change: field("account_review_update", { decision: "APPROVED" }),
    ending: actedOn("outbox"),
  },
  {
    name: "business_capability_update",
    change: field("business_capability_update", { max_daily_conversations_per_business: 10_000 }),
    ending: actedOn("number_states"),
  },
  {
    name: "phone_number_quality_update",
    change: field("phone_number_quality_update", {
      ...{ display_phone_number: "4930000000", event: "THROUGHPUT_UPGRADE" },
      max_daily_conversations_per_business: "TIER_UNLIMITED",
    }),
    ending: actedOn("number_states"),
  },
  {
    name: "phone_number_name_update",
    change: field("phone_number_name_update", { display_phone_number: "4930000000", decision: "DEFERRED" }),
    ending: actedOn("outbox"),
  },
  {
    name: "security",
    change: field("security", { display_phone_number: "4930000000", event: "PIN_RESET_REQUEST", requester: "6" }),
    ending: actedOn("number_notices"),
  },
];

/** Fields that name no account or number of ours, or that this version does not read. */
const others: CorpusRow[] = [
  ...["group_lifecycle_update", "group_participants_update", "group_settings_update", "group_status_update"],
  ...["partner_solutions", "payment_configuration_update", "tracking_events", "automatic_events"],
].map((name) => ({ name, change: field(name, { metadata: METADATA }), ending: ignored(`field ${name}`) }));

const PERSON = { contacts: [{ profile: { name: "Anna" }, wa_id: WA_ID }] };
const written = (id: string, more: object = {}): object => ({
  ...{ from: WA_ID, id: `wamid.${id}=`, timestamp: TIME, type: "text", text: { body: "Hi" }, ...more },
});
const call = (event: string, more: object = {}): object => ({
  ...{
    id: `wacid.${event}`,
    from: WA_ID,
    to: "4930000000",
    event,
    timestamp: TIME,
    direction: "USER_INITIATED",
    ...more,
  },
});
const pass = {
  ...{ type: "control_passed", timestamp: TIME, sender: { phone_number: WA_ID } },
  ...{ recipient: { phone_number_id: GRAPH_PHONE_NUMBER_ID }, control_passed: { previous_owner_app_role: "agent" } },
};
const OWN = { from: "4930000000", to: WA_ID };

/** What other senders on the number write: the field, its value, and how it ends. */
const elsewhere: CorpusRow[] = (
  [
    ["standby", { standby: { messages: [written("S1")] }, ...PERSON }, shown("text")],
    ["standby", { standby: { message_echoes: [written("S2", OWN)] } }, actedOn("echoes")],
    ["messaging_handovers", { ...pass, ...PERSON }, actedOn("echoes")],
    ["smb_message_echoes", { message_echoes: [written("S3", OWN)] }, actedOn("echoes")],
    [
      "history",
      { history: [{ metadata: { phase: 0, progress: 10 }, threads: [{ id: WA_ID, messages: [written("S4")] }] }] },
      actedOn("history_imports"),
    ],
    [
      "smb_app_state_sync",
      {
        state_sync: [
          {
            ...{ type: "contact", action: "add", metadata: { timestamp: TIME } },
            contact: { full_name: "Anna of the phone", first_name: "Anna", phone_number: "4915199999999" },
          },
        ],
      },
      actedOn("contacts"),
    ],
    ["smb_app_state_sync", { state_sync: [{ type: "label" }] }, ignored("state of the phone label")],
    ["calls", { calls: [call("terminate", { status: "FAILED" })], ...PERSON }, shown("call")],
    ["calls", { calls: [call("connect", { timestamp: String(Number(TIME) + 1) })], ...PERSON }, actedOn("contacts")],
    ["calls", { calls: [call("ringing")] }, ignored("call ringing")],
    ...["standby", "smb_message_echoes", "history", "smb_app_state_sync"].map((name) => [
      ...[name, {}, ignored(`field ${name} without items`)],
    ]),
    ["calls", {}, ignored("field calls without calls")],
    ...["flows", "message_echoes", "business_username_update", "business_status_update", "holograms"].map((name) => [
      ...[name, {}, unhandled(`field ${name}`)],
    ]),
  ] as [string, object, Ending][]
).map(([name, value, ending], index) => ({
  name: `${name} (${index + 1})`,
  change: field(name, { messaging_product: "whatsapp", metadata: METADATA, ...value }),
  ending,
}));

export const corpus: readonly CorpusRow[] = [
  ...[received, statuses, notices, preferences, templates, accounts, others, elsewhere].flat(),
];
