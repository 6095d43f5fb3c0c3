// Generated from the OpenAPI document by `bun run clients`. Do not edit.
import { type ApiList, type CallOptions, type Core, type Entries, type MediaFile, type Upload } from "./core.js";

export const VERSION = "0.1.0";

export type ErrorCode =
  | "api_not_enabled"
  | "conversation_assigned"
  | "idempotency_conflict"
  | "insufficient_balance"
  | "internal_error"
  | "invalid_number"
  | "invalid_request"
  | "missing_media"
  | "missing_variable"
  | "not_cancellable"
  | "not_found"
  | "number_not_ready"
  | "opted_out"
  | "rate_limited"
  | "template_not_found"
  | "template_not_sendable"
  | "thread_owned_elsewhere"
  | "unauthenticated"
  | "unavailable"
  | "unsupported_template"
  | "whatsapp_error"
  | "window_closed"
  | "workspace_suspended";

/** A note for the staff. */
export type AddConversationNote = {
  text: string;
};

export type AddWebhook = {
  /** An https address. Private and local addresses are refused. */
  url: string;
  /** The types of events that the address receives. */
  types?: Array<"message.sent" | "message.delivered" | "message.read" | "message.failed" | "message.scheduled" | "message.cancelled" | "message.received" | "media.stored" | "media.failed" | "contact.opted_out" | "contact.opted_in" | "contact.may_want_to_stop" | "contact.updated" | "conversation.updated" | "contact.erased" | "broadcast.paused" | "broadcast.resumed" | "broadcast.blocked" | "broadcast.finished" | "template.approved" | "template.rejected" | "template.updated" | "webhook.test">;
  /**
   * How long, from a person's first message on, what the person writes to a number is gathered into one
   * `message.received` with `texts` and `messages`: 1s to 5m. Null: each message is sent alone.
   */
  group_bursts?: string | null;
};

/** A form for a postal address. */
export type AddressRequest = {
  /** WhatsApp has it in India alone. */
  country: string;
  values?: AddressValues;
};

/** What is filled in already. */
export type AddressValues = {
  name?: string;
  phone_number?: string;
  in_pin_code?: string;
  house_number?: string;
  floor_number?: string;
  tower_number?: string;
  building_name?: string;
  address?: string;
  landmark_area?: string;
  city?: string;
  state?: string;
};

/** Balance and price of a workspace that is charged. */
export type Billing = {
  /** ISO 4217 code. */
  currency: string;
  /** The balance less the amount held for messages in progress, as a decimal string. */
  available: string;
  /** Price of one delivered template message, as a decimal string. */
  rate: string;
};

/** A template that is sent to many people. */
export type Broadcast = {
  id: number;
  name: string;
  /**
   * `scheduled`: waiting for `send_at`. `queueing`: preparing the recipients. `running`: sending. `paused`: not
   * sending; `status_reason` gives the reason. `completed`, `cancelled`, `failed`: finished.
   */
  status: "scheduled" | "queueing" | "running" | "paused" | "completed" | "cancelled" | "failed";
  /**
   * Why the broadcast is paused, is waiting or has failed, in plain text. After it is completed: why the network
   * refused its messages, if that concerns the template, the number or the account.
   */
  status_reason: string | null;
  template: MessageTemplate;
  /** The sending number in E.164. */
  from: string;
  counts: BroadcastCounts;
  /**
   * How many of `sent` WhatsApp holds back for a quality check of the template. It sends them later, or drops
   * them: then they are `failed`.
   */
  held: number;
  /** The cost, once it is settled. Null before that, and if the workspace is not charged. */
  charged: string | null;
  /** Whether the broadcast is finished and its counts and its cost are final, but for late deliveries. */
  settled: boolean;
  /** When the broadcast is scheduled to start. */
  send_at: string | null;
  /** When the server started to prepare the recipients. */
  started_at: string | null;
  /** When the broadcast completed, failed or was cancelled. */
  completed_at: string | null;
  created_at: string;
};

/**
 * The template, the number or the group of a scheduled broadcast is gone or can no longer be used;
 * `status_reason` says which. It stays scheduled, and fails only if that still holds at `send_at`.
 */
export type BroadcastBlockedEvent = {
  /** Id of the event, the same in every attempt: ignore events that you have already processed. */
  id: string;
  type: "broadcast.blocked";
  created_at: string;
  data: {
    broadcast: Broadcast;
  };
};

/** What a card of a carousel shows; which members it needs, the template says. */
export type BroadcastCard = {
  media?: CardMedia;
  /** Your own id of the product. */
  product?: string;
  /** Values for the card's text: a list or, for named placeholders, an object of names. */
  body?: Array<string | number | ContactFieldValue> | Record<string, string | number | ContactFieldValue>;
  /**
   * One value for each button that takes one, in order: the end of a link, the code to copy, the payload of a
   * quick reply, the token of a form. Quick replies keep their own words with null, or if all of them are
   * omitted.
   */
  buttons?: Array<string | number | null | ContactFieldValue>;
};

/** The recipients of a broadcast, counted by status. */
export type BroadcastCounts = {
  /** All recipients: sent, failed, skipped and not yet sent. */
  total: number;
  /** Accepted by the network; includes `delivered`. */
  sent: number;
  /** Delivered to the recipient's phone; includes `read`. */
  delivered: number;
  read: number;
  /** Failed. A message that fails after it was sent is counted here and no longer in `sent`. */
  failed: number;
  /** Not sent. Each skipped recipient has a reason. */
  skipped: number;
};

/**
 * A broadcast completed, failed or was cancelled, and its counts and its cost are final. For the result of each
 * recipient, call `GET /broadcasts/{id}/recipients`.
 */
export type BroadcastFinishedEvent = {
  /** Id of the event, the same in every attempt: ignore events that you have already processed. */
  id: string;
  type: "broadcast.finished";
  created_at: string;
  data: {
    broadcast: Broadcast;
  };
};

/** A broadcast stopped sending. `status_reason` says why, and whether it resumes automatically. */
export type BroadcastPausedEvent = {
  /** Id of the event, the same in every attempt: ignore events that you have already processed. */
  id: string;
  type: "broadcast.paused";
  created_at: string;
  data: {
    broadcast: Broadcast;
  };
};

/** A preview of a broadcast. */
export type BroadcastPreview = {
  /** Number of phone numbers in `to`; 0 for a group. */
  requested: number;
  /** Number of people who would receive the message. */
  reached: number;
  skipped: SkipCounts;
  /** The numbers in `to` that would be skipped, in the order of `to`. */
  skips: PreviewSkip[];
  /** The cost of the broadcast; null if the workspace is not charged. */
  cost: PreviewCost | null;
  /** How many more people can be sent templates under the daily cap; null if there is no daily cap. */
  daily_cap_left: number | null;
  /** Meta's messaging limit; null if there is none, or none is known. */
  network_limit: NetworkLimit | null;
  /** The `warnings` of the template. */
  warnings: string[];
  /** When the broadcast would start. */
  starts_at: string;
  /** When the last message would be sent, if the number sends at its full rate and has nothing else to send. */
  ends_at: string;
};

/** A paused broadcast continues, because a person resumed it or because the cause of the pause is over. */
export type BroadcastResumedEvent = {
  /** Id of the event, the same in every attempt: ignore events that you have already processed. */
  id: string;
  type: "broadcast.resumed";
  created_at: string;
  data: {
    broadcast: Broadcast;
  };
};

/** A broadcast to a group. */
export type BroadcastToGroup = {
  /** Name of the broadcast, shown in the console. It must not be blank. */
  name: string;
  /** Name of the template. */
  template: string;
  /** Language of the template. Required only if the template exists in several languages. */
  language?: string;
  variables?: BroadcastVariables;
  media?: HeaderMedia;
  location?: Location;
  /**
   * When a limited-time offer ends: the message shows it, and nothing is sent afterwards. A time without an
   * offset is interpreted in the workspace's timezone.
   */
  offer_expires_at?: string;
  /** One for each card of a carousel, in order. */
  cards?: BroadcastCard[];
  products?: TemplateProducts;
  /** One of the workspace's sending numbers. Required only if the workspace has more than one. */
  from?: string;
  /**
   * When to start. A time without an offset is interpreted in the workspace's timezone, and a date is its first
   * instant. A time up to 5 minutes in the past counts as now.
   */
  send_at?: string;
  /** Id of a group, from `GET /groups`. Set either `group` or `to`. */
  group: number;
  /** Not together with `group`. */
  to?: never;
};

/** A broadcast to a list of phone numbers. */
export type BroadcastToList = {
  /** Name of the broadcast, shown in the console. It must not be blank. */
  name: string;
  /** Name of the template. */
  template: string;
  /** Language of the template. Required only if the template exists in several languages. */
  language?: string;
  variables?: BroadcastVariables;
  media?: HeaderMedia;
  location?: Location;
  /**
   * When a limited-time offer ends: the message shows it, and nothing is sent afterwards. A time without an
   * offset is interpreted in the workspace's timezone.
   */
  offer_expires_at?: string;
  /** One for each card of a carousel, in order. */
  cards?: BroadcastCard[];
  products?: TemplateProducts;
  /** One of the workspace's sending numbers. Required only if the workspace has more than one. */
  from?: string;
  /**
   * When to start. A time without an offset is interpreted in the workspace's timezone, and a date is its first
   * instant. A time up to 5 minutes in the past counts as now.
   */
  send_at?: string;
  /** Phone numbers in any common format. Set either `to` or `group`. */
  to: string[];
  /** Not together with `to`. */
  group?: never;
};

/**
 * Values for the template's placeholders and buttons: an array fills the body; an object has separate values for
 * the header and the body, each as an array or, for named placeholders, as an object of names, and an array for
 * the buttons. A value can be taken from a field of each contact.
 */
export type BroadcastVariables = Array<string | number | ContactFieldValue> | {
  /**
   * Values in the order of the placeholders. A text is one line, is not blank and has at most four spaces in a
   * row; a number needs no exponent.
   */
  header?: Array<string | number | ContactFieldValue>;
  /**
   * Values in the order of the placeholders. A text is one line, is not blank and has at most four spaces in a
   * row; a number needs no exponent.
   */
  body?: Array<string | number | ContactFieldValue>;
  /**
   * One value for each button that takes one, in order: the end of a link, the code to copy, the payload of a
   * quick reply, the token of a form. Quick replies keep their own words with null, or if all of them are
   * omitted.
   */
  buttons?: Array<string | number | null | ContactFieldValue>;
} | NamedBroadcastVariables;

/** A postal address of a contact card. */
export type CardAddress = {
  /** Street and number. */
  street?: string;
  /** City. */
  city?: string;
  /** State. */
  state?: string;
  /** Postal code. */
  zip?: string;
  /** Name of the country. */
  country?: string;
  /** Two-letter code of the country. */
  country_code?: string;
  /** What it is for, such as `Work` or `Home`. */
  type?: string;
};

/** An email address of a contact card. */
export type CardEmail = {
  /** Email address. */
  email: string;
  /** What it is for, such as `Work` or `Home`. */
  type?: string;
};

/** The image or video of a card: by a link, or by the id of an upload. */
export type CardMedia = CardMediaByLink | CardMediaById;

/** The image or video of a card: by a link, or by the id of an upload. */
export type CardMediaById = {
  /** The id of an upload, as `POST /media` answers it. */
  id: number;
  /** Not together with `id`. */
  link?: never;
};

/** The image or video of a card: by a link, or by the id of an upload. */
export type CardMediaByLink = {
  /**
   * A public HTTPS URL, which the network fetches when the message is sent. JPG or PNG up to 5 MB, or MP4 up to
   * 16 MB, as the card has it.
   */
  link: string;
  /** Not together with `link`. */
  id?: never;
};

/** The name on a contact card. */
export type CardName = {
  /** The whole name, as the recipient sees it. */
  formatted_name: string;
  /** First name. */
  first_name?: string;
  /** Last name. */
  last_name?: string;
  /** Middle name. */
  middle_name?: string;
  /** What follows the name. */
  suffix?: string;
  /** What precedes the name. */
  prefix?: string;
};

/** Where the person works. */
export type CardOrganization = {
  /** Company. */
  company?: string;
  /** Department. */
  department?: string;
  /** Title of the position. */
  title?: string;
};

/** A phone number of a contact card. */
export type CardPhone = {
  /** Phone number. */
  phone: string;
  /** What it is for, such as `Work` or `Home`. */
  type?: string;
  /** The number on WhatsApp, in digits. Without it, the card offers to invite the person. */
  wa_id?: string;
};

/** A website of a contact card. */
export type CardUrl = {
  /** Address of the website. */
  url: string;
  /** What it is for, such as `Work` or `Home`. */
  type?: string;
};

/** What changes of a conversation. */
export type ChangeConversation = {
  /** `snoozed` without `snoozed_until`: until the person writes. */
  state?: "open" | "snoozed" | "done";
  /**
   * When the snoozed conversation opens, at most a year ahead; null: when the person writes. Without an offset,
   * in the workspace's timezone.
   */
  snoozed_until?: string | null;
  /** Who answers it: the e-mail address of a user of the console; null: no user. */
  assignee?: string | null;
  /** Whether the conversation is also taken from a colleague who answers it; else that is 409. */
  take?: boolean;
};

export type ChangeWebhook = {
  /** An https address. Private and local addresses are refused. */
  url?: string;
  /** The types of events that the address receives. */
  types?: Array<"message.sent" | "message.delivered" | "message.read" | "message.failed" | "message.scheduled" | "message.cancelled" | "message.received" | "media.stored" | "media.failed" | "contact.opted_out" | "contact.opted_in" | "contact.may_want_to_stop" | "contact.updated" | "conversation.updated" | "contact.erased" | "broadcast.paused" | "broadcast.resumed" | "broadcast.blocked" | "broadcast.finished" | "template.approved" | "template.rejected" | "template.updated" | "webhook.test">;
  /**
   * A disabled address receives nothing, and what was waiting for it is exhausted: it can be replayed once the
   * address is active again.
   */
  state?: "active" | "disabled";
  /**
   * How long, from a person's first message on, what the person writes to a number is gathered into one
   * `message.received` with `texts` and `messages`: 1s to 5m. Null: each message is sent alone.
   */
  group_bursts?: string | null;
};

/** A list from which the person chooses one row. */
export type ChoiceList = {
  /** What the button says that opens the list. */
  button: string;
  /** One to ten sections, with at most 10 rows in all. */
  sections: ListSection[];
};

/** A person to whom the workspace can send messages, or who has sent it a message. */
export type Contact = {
  /**
   * Phone number in E.164. Null only for a person whom the network identifies by its own id, in events and with
   * `identity=any`.
   */
  phone: string | null;
  /** The network's own id of the person, if it is known. It stands wherever a phone number may stand. */
  user_id: string | null;
  /** The person's username on the network, if it is known. */
  username: string | null;
  name: string | null;
  first_name: string | null;
  last_name: string | null;
  email: string | null;
  city: string | null;
  state: string | null;
  postal_code: string | null;
  company: string | null;
  /** ISO 8601 date; `--MM-DD` if the year is unknown. */
  birthday: string | null;
  /** ISO 8601 date; `--MM-DD` if the year is unknown. */
  anniversary: string | null;
  /** Custom fields by key. */
  fields: Record<string, unknown>;
  people: PersonOnNumber[];
  tags: string[];
  groups: ContactGroup[];
  consent: ContactConsent;
  /** When the contact last sent a message. Free-form text can be sent for 24 hours from then. */
  last_message_from_them_at: string | null;
  /**
   * Until when messages other than templates can be sent, or could last be sent: 24 hours after the person wrote
   * or called, or after another sender on the number passed the conversation to you. The window also ends when
   * the network refuses a message because it is closed (131047). Null: it was never open.
   */
  window_ends_at: string | null;
  /**
   * Who may answer the person with free messages, on each number that others answer too. Empty where no other
   * sender is known. See `Conversation.owner`.
   */
  threads: Array<{
    /** Your number, in E.164. */
    number: string;
    owner: "us" | "other" | "nobody";
    /** Since when. */
    since: string;
  }>;
  created_at: string;
  updated_at: string;
};

/** A contact card, in WhatsApp's own form. */
export type ContactCard = {
  name: CardName;
  phones?: CardPhone[];
  emails?: CardEmail[];
  urls?: CardUrl[];
  addresses?: CardAddress[];
  org?: CardOrganization;
  /** `YYYY-MM-DD`. */
  birthday?: string;
};

/** Two contacts side by side, and what joining them would do. */
export type ContactComparison = {
  fields: Array<{
    /** `phone`, a profile field, or `fields.` and the key of a custom field. */
    field: string;
    stays: string | number | boolean | null;
    goes: string | number | boolean | null;
    /** Both have a value and they are not the same: `take` decides. A value that only one has is kept. */
    differs: boolean;
  }>;
  consent: {
    stays: "unknown" | "opted_in" | "opted_out";
    goes: "unknown" | "opted_in" | "opted_out";
    /** What holds after the join. It is never raised: an opt-out of either holds. */
    becomes: "unknown" | "opted_in" | "opted_out";
  };
  /**
   * The number that is not answered first after the join, unless `take` has `phone`. It still leads to the
   * contact. Null: both are one number, or only one has a number.
   */
  further_phone: string | null;
  /** What the contact that stays gets from the other one. 1,000 means that many or more. */
  moves: {
    sent: number;
    of_broadcasts: number;
    scheduled: number;
    received: number;
    by_other_senders: number;
    notes: number;
    files: number;
    tags: number;
    groups: number;
  };
  /** Stands for what was compared; a join that names it fails if either changed since. */
  seen: string;
};

/** Whether the person has agreed to receive messages. */
export type ContactConsent = {
  /**
   * `opted_out`: no messages are sent until the person sends START. `unknown`: neither an opt-in nor an opt-out
   * is recorded.
   */
  status: "unknown" | "opted_in" | "opted_out";
  /** How the consent was recorded. `inbound_message`: the person sent STOP or START. */
  source: "inbound_message" | "manual" | "bulk" | "import" | "api" | null;
  /** When the consent was recorded. */
  at: string | null;
  /** What the person agreed to, in your words. Null unless the opt-in named it. */
  purpose: string | null;
  /** The text that the person was shown when they agreed, or its version. Null unless the opt-in named it. */
  notice: string | null;
  /**
   * Since when something that the person wrote may mean that they want to stop. Marketing waits until a user
   * clears it, or the person sends START. Null: there is no doubt.
   */
  may_want_to_stop_since: string | null;
};

/**
 * A person's data was erased on request: erase your copy too. The body of this event is emptied once it is
 * delivered or its attempts are exhausted.
 */
export type ContactErasedEvent = {
  /** Id of the event, the same in every attempt: ignore events that you have already processed. */
  id: string;
  type: "contact.erased";
  created_at: string;
  data: {
    /** The person's phone number in E.164. */
    phone: string | null;
    /** The network's own id of the person. */
    user_id: string | null;
  };
};

/** A value that is taken from a field of each contact. */
export type ContactFieldValue = {
  /** `name`, `first_name`, `last_name`, `email`, `city`, `state`, `company`, or the key of a custom field. */
  field: string;
  /** Used for contacts that have no value. Without a fallback, those contacts are skipped. */
  fallback?: string;
};

/** A static group that contains the contact. */
export type ContactGroup = {
  id: number;
  name: string;
};

/** Fields that are not sent keep their value. Null clears a text or a date. */
export type ContactInput = {
  name?: string | null;
  first_name?: string | null;
  last_name?: string | null;
  /** An e-mail address. */
  email?: string | null;
  city?: string | null;
  state?: string | null;
  postal_code?: string | null;
  company?: string | null;
  /** `YYYY-MM-DD`, `--MM-DD` without a year, or `DD/MM/YYYY` (day first). */
  birthday?: string | null;
  /** Same formats as `birthday`. */
  anniversary?: string | null;
  /**
   * Custom fields by key. Keys that are not listed keep their value, and null clears a field. Unknown keys are
   * rejected.
   */
  fields?: Record<string, unknown>;
  /** All other people who use this number. Replaces the existing list. */
  people?: PersonInput[];
  /** Tags to add. Tags that do not exist are created. */
  add_tags?: string[];
  /** Tags to remove. They are removed after `add_tags` is applied. */
  remove_tags?: string[];
  /**
   * Groups to add the contact to: an integer is an id, a string is a name. Groups whose name does not exist are
   * created.
   */
  add_to_groups?: Array<number | string>;
  /** Groups to remove the contact from. Applied after `add_to_groups`. */
  remove_from_groups?: Array<number | string>;
  /** Records consent. Only the person can undo an opt-out. */
  consent?: "opted_in" | "opted_out";
  /** `false`: you asked the person, and they want to keep receiving messages. It ends the doubt. */
  may_want_to_stop?: false;
  /**
   * With `consent: opted_in`: what the person agreed to, in your words. A new opt-in without purpose and notice
   * gets those of the workspace's settings.
   */
  consent_purpose?: string;
  /** With `consent: opted_in`: the text that the person was shown, or its version. */
  consent_notice?: string;
};

/**
 * A person wrote something that may mean STOP: a word with other meanings, STOP inside more text, or a refusal
 * in other words; or reacted to marketing with a thumbs-down or a stop sign. `text` is what they wrote; it is
 * empty where their message could not be read. Marketing waits, and no opt-in is recorded, until a user clears
 * it in the console or the person sends START.
 */
export type ContactMayWantToStopEvent = {
  /** Id of the event, the same in every attempt: ignore events that you have already processed. */
  id: string;
  type: "contact.may_want_to_stop";
  created_at: string;
  data: {
    contact: Contact;
    text: string;
  };
};

/** One of many contacts to create or update: its number, and the fields of `ContactInput`. */
export type ContactOfManyInput = {
  /** As in the path of `PUT /contacts/{phone}`: a phone number in any common format, or a user id. */
  phone: string;
  name?: string | null;
  first_name?: string | null;
  last_name?: string | null;
  /** An e-mail address. */
  email?: string | null;
  city?: string | null;
  state?: string | null;
  postal_code?: string | null;
  company?: string | null;
  /** `YYYY-MM-DD`, `--MM-DD` without a year, or `DD/MM/YYYY` (day first). */
  birthday?: string | null;
  /** Same formats as `birthday`. */
  anniversary?: string | null;
  /**
   * Custom fields by key. Keys that are not listed keep their value, and null clears a field. Unknown keys are
   * rejected.
   */
  fields?: Record<string, unknown>;
  /** All other people who use this number. Replaces the existing list. */
  people?: PersonInput[];
  /** Tags to add. Tags that do not exist are created. */
  add_tags?: string[];
  /** Tags to remove. They are removed after `add_tags` is applied. */
  remove_tags?: string[];
  /**
   * Groups to add the contact to: an integer is an id, a string is a name. Groups whose name does not exist are
   * created.
   */
  add_to_groups?: Array<number | string>;
  /** Groups to remove the contact from. Applied after `add_to_groups`. */
  remove_from_groups?: Array<number | string>;
  /** Records consent. Only the person can undo an opt-out. */
  consent?: "opted_in" | "opted_out";
  /** `false`: you asked the person, and they want to keep receiving messages. It ends the doubt. */
  may_want_to_stop?: false;
  /**
   * With `consent: opted_in`: what the person agreed to, in your words. A new opt-in without purpose and notice
   * gets those of the workspace's settings.
   */
  consent_purpose?: string;
  /** With `consent: opted_in`: the text that the person was shown, or its version. */
  consent_notice?: string;
};

/** A person who had opted out sent START. */
export type ContactOptedInEvent = {
  /** Id of the event, the same in every attempt: ignore events that you have already processed. */
  id: string;
  type: "contact.opted_in";
  created_at: string;
  data: {
    contact: Contact;
  };
};

/** A person replied STOP, or was marked as opted out. No more messages are sent to them. */
export type ContactOptedOutEvent = {
  /** Id of the event, the same in every attempt: ignore events that you have already processed. */
  id: string;
  type: "contact.opted_out";
  created_at: string;
  data: {
    contact: Contact;
  };
};

/** The outcome of one contact. `contact` is present with 200 and 201, `error` with 400 and 422. */
export type ContactResult = {
  /**
   * Of a contact that was written: its phone number, or its user id if it has none. Otherwise the text that you
   * sent; null if you sent none.
   */
  phone: string | null;
  /** The status with which `PUT /contacts/{phone}` would have answered. 201: the contact was created. */
  status: 200 | 201 | 400 | 422;
  contact?: Contact;
  error?: InvalidRequestError | InvalidNumberError | OptedOutError;
};

/**
 * Anything that the API shows of a contact changed, or the contact is new. Sent only to addresses that asked for
 * it (`waxwing webhook set --types`), at once, or a minute after the previous one for the same contact, with the
 * contact as it is then. Imports send none.
 */
export type ContactUpdatedEvent = {
  /** Id of the event, the same in every attempt: ignore events that you have already processed. */
  id: string;
  type: "contact.updated";
  created_at: string;
  data: {
    contact: Contact;
  };
};

/** The contact cards that were sent. */
export type ContactsContent = {
  /** Contact cards. */
  contacts: ContactCard[];
};

/** Many contacts to create or update. */
export type ContactsInput = {
  /** Applied in this order. */
  contacts: ContactOfManyInput[];
};

/** Contact cards that were sent to one person. */
export type ContactsMessage = {
  id: number;
  /** The recipient's phone number in E.164, or their user id if no phone number is known. */
  to: string;
  /** The sending number in E.164. */
  from: string;
  /** Your own id of the message, as you sent it; null if you sent none. */
  reference: string | null;
  sent_by: SentBy;
  type: "contacts";
  /** Only templates, and messages that were sent with a `category`, have one. */
  category: null;
  template: null;
  /** What was sent, in the form of the request and without links. Null once the person was erased. */
  content: ContactsContent | null;
  /** The message that yours answers; null if you named none. */
  reply_to: NamedMessage | null;
  /**
   * The text that the recipient sees, with all variables filled in: of a file its caption, of a place its name,
   * of contact cards the names, of a reaction the emoji. Empty if there are no words.
   */
  text: string;
  /**
   * `scheduled`: to be sent at `send_at`; `cancelled`: it will not be sent. Only messages with `send_at` are
   * either. `sent`: accepted by the network. `delivered`: delivered to the recipient's phone. `read`: read by
   * the recipient. `failed`: not delivered; `error` gives the reason.
   */
  status: "scheduled" | "sent" | "delivered" | "read" | "failed" | "cancelled";
  /** Why the message failed; null unless it failed. */
  error: MessageError | null;
  /** Only templates, and messages that were sent with a `category`, are charged. */
  charged: false;
  /** When this server accepted the message. */
  created_at: string;
  /** When a scheduled message is to be sent, as you asked; null for one that was sent at once. */
  send_at: string | null;
  /** When the network accepted the message. */
  sent_at: string | null;
  /** When the message was delivered to the recipient's phone. */
  delivered_at: string | null;
  /** When the recipient read the message. Recipients can turn off read receipts. */
  read_at: string | null;
};

/** Who is to have a conversation. */
export type ControlThread = {
  /**
   * `take`: you answer from now on. `release`: no sender has the conversation, and WhatsApp routes the next
   * message of the person. `pass`: another sender gets it at once.
   */
  action: "take" | "release" | "pass";
  /**
   * With `pass`: Meta's Business Agent gets the conversation. Without it, the escalation partner of the number
   * does.
   */
  to?: "ai_agent";
};

/** A person on one number of the workspace. */
export type Conversation = {
  id: number;
  contact: Contact;
  /** The workspace's number that the conversation is on, in E.164. */
  number: string;
  /**
   * `us`: this server may answer with free messages. `other`: another sender on the number, such as Meta's
   * Business Agent or the phone, has the conversation. `nobody`: it was released, or the person has not written
   * for 24 hours; who writes first takes it.
   */
  owner: "us" | "other" | "nobody";
  /** Since when it has this owner. */
  owner_since: string;
  /**
   * `open`: it is to be looked at. `snoozed`: until `snoozed_until`, or until the person writes. `done`: until
   * the person writes.
   */
  state: "open" | "snoozed" | "done";
  /** When a snoozed conversation opens; null: when the person writes. */
  snoozed_until: string | null;
  /** The user of the console who answers it, by e-mail address. */
  assignee: string | null;
  /**
   * `blocked`: the number blocks the person, who cannot write to it, and WhatsApp delivers nothing to them.
   * `checking`: WhatsApp did not answer a request to block or unblock; its list is read within a minute. Null:
   * not blocked, as far as is known.
   */
  block_state: "blocked" | "checking" | null;
  /** Received messages that no user of the console has looked at. */
  unread: number;
  /** What was last said on this number; null if it was long ago. */
  last_message: ConversationEntry | null;
  /** As in `contact`: until when messages other than templates can be sent. */
  window_ends_at: string | null;
};

/** An entry of a conversation. */
export type ConversationEntry = {
  /** `in`: the person wrote it. `out`: it was sent from a number of yours. */
  direction: "in" | "out";
  /**
   * `in`: the `id` of `message.received`. `out`: the message's id. Null for what was not sent through this
   * server.
   */
  id: number | null;
  /**
   * How it arrived or was sent. `messages`: a new message. `api`, `console`, `broadcast`: sent through this
   * server. `automation`: sent by no person, as an away message, or with a key that is marked so; it answers
   * nothing. `phone`: sent in the WhatsApp Business app. `standby`: while another sender, such as Meta's
   * Business Agent, held the conversation, or by that sender. `history`: in the history of the phone.
   * `control_pass`: no message; one sender passed the conversation to another.
   */
  origin: "messages" | "standby" | "history" | "phone" | "control_pass" | "api" | "console" | "broadcast" | "automation";
  /** Of a single message that was sent through this server; null for all else. */
  sent_by: SentBy | null;
  /** Type of the message, as named by the network. */
  type: string;
  text: string | null;
  details: InboundDetails;
  /** Only with the origin `control_pass`: who held the conversation before and after. */
  control_pass?: {
    from: string | null;
    to: string | null;
  };
  /** Of what was sent: the latest status that is known. Null for what the person wrote. */
  status: string | null;
  /** When it was written or sent, by the network's clock where it is known. */
  at: string;
};

/** A note of the staff about a conversation. */
export type ConversationNote = {
  id: number;
  text: string;
  /** Who wrote it: the user's e-mail address, or the name of the program's key. */
  author: {
    /** `user`: a user of the console. `api`: a program. */
    kind: "user" | "api";
    name: string;
  };
  created_at: string;
};

/**
 * On a number that others answer too, who may answer the person changed: a message arrived for you or for
 * another sender, a sender passed or took the conversation, or you did. On every number, its state or who
 * answers it changed; a done or snoozed conversation opens when the person writes. Sent only to addresses that
 * asked for it (`waxwing webhook set --types`). The end of 24 hours without a word of the person publishes
 * nothing.
 */
export type ConversationUpdatedEvent = {
  /** Id of the event, the same in every attempt: ignore events that you have already processed. */
  id: string;
  type: "conversation.updated";
  created_at: string;
  data: {
    conversation: Conversation;
  };
};

/** All parts of a template, which replace the present ones. */
export type CorrectTemplate = {
  /** Lower-case letters, digits and underscores. */
  name?: string;
  language?: string;
  category: "MARKETING" | "UTILITY" | "AUTHENTICATION";
  /** Whether placeholders are numbered or have names. Default: as the texts have them. */
  parameter_format?: "POSITIONAL" | "NAMED";
  /** For how long WhatsApp tries to deliver a message with the template. */
  message_send_ttl_seconds?: number;
  /**
   * One of the workspace's sending numbers: the template belongs to its account. Required only if the workspace
   * has numbers of several accounts.
   */
  from?: string;
  /** Files of `POST /media` that are given to WhatsApp as samples. */
  sample_media?: {
    /** Id of an upload: the sample of the header. */
    header?: number;
    /** Ids of uploads: the sample of each card. */
    cards?: number[];
  };
  /** In WhatsApp's own form, with samples of all values (`example`). */
  components: Array<{
    type: string;
  }>;
};

/** A template to send to many people: to a list of phone numbers or to a group, not both. */
export type CreateBroadcast = BroadcastToList | BroadcastToGroup;

/** A new broadcast, with the recipients that it skips. */
export type CreatedBroadcast = {
  id: number;
  name: string;
  /**
   * `scheduled`: waiting for `send_at`. `queueing`: preparing the recipients. `running`: sending. `paused`: not
   * sending; `status_reason` gives the reason. `completed`, `cancelled`, `failed`: finished.
   */
  status: "scheduled" | "queueing" | "running" | "paused" | "completed" | "cancelled" | "failed";
  /**
   * Why the broadcast is paused, is waiting or has failed, in plain text. After it is completed: why the network
   * refused its messages, if that concerns the template, the number or the account.
   */
  status_reason: string | null;
  template: MessageTemplate;
  /** The sending number in E.164. */
  from: string;
  counts: BroadcastCounts;
  /**
   * How many of `sent` WhatsApp holds back for a quality check of the template. It sends them later, or drops
   * them: then they are `failed`.
   */
  held: number;
  /** The cost, once it is settled. Null before that, and if the workspace is not charged. */
  charged: string | null;
  /** Whether the broadcast is finished and its counts and its cost are final, but for late deliveries. */
  settled: boolean;
  /** When the broadcast is scheduled to start. */
  send_at: string | null;
  /** When the server started to prepare the recipients. */
  started_at: string | null;
  /** When the broadcast completed, failed or was cancelled. */
  completed_at: string | null;
  created_at: string;
  /** Number of phone numbers in `to`; 0 for a group. */
  requested: number;
  /** The numbers in `to` that are skipped, in the order of `to`. For a group, list the recipients instead. */
  skipped: Skip[];
};

/** Templates that WhatsApp no longer has. */
export type DeletedTemplates = {
  name: string;
  languages: string[];
};

/** That two contacts are different people. */
export type DifferentPeople = {
  different: boolean;
};

/** One of two contacts that may be one person. */
export type DuplicateContact = {
  phone: string | null;
  user_id: string | null;
  name: string | null;
  email: string | null;
  birthday: string | null;
  consent: "unknown" | "opted_in" | "opted_out";
  last_message_from_them_at: string | null;
  created_at: string;
};

/** Two contacts that may be one person, and why. */
export type DuplicatePair = {
  /**
   * Why the two may be one person: `network`: WhatsApp named one by a number or user id of the other;
   * `same_number`: two variants of one number, as in Brazil, Mexico and Argentina; `same_email`;
   * `same_name_and_birthday`.
   */
  reasons: Array<"network" | "same_number" | "same_email" | "same_name_and_birthday">;
  one: DuplicateContact;
  other: DuplicateContact;
};

/** An event of the workspace, as webhooks receive it. New types may be added. */
export type WebhookEvent = MessageSentEvent | MessageDeliveredEvent | MessageReadEvent | MessageFailedEvent | MessageScheduledEvent | MessageCancelledEvent | MessageReceivedEvent | MediaStoredEvent | MediaFailedEvent | ContactOptedOutEvent | ContactOptedInEvent | ContactMayWantToStopEvent | ContactUpdatedEvent | ConversationUpdatedEvent | ContactErasedEvent | BroadcastPausedEvent | BroadcastResumedEvent | BroadcastBlockedEvent | BroadcastFinishedEvent | TemplateApprovedEvent | TemplateRejectedEvent | TemplateUpdatedEvent | WebhookTestEvent;

/** The position in the event log. */
export type EventLogPage = {
  per_page: number;
  /**
   * With `signed`: the `Service-Signature` of each event, made now with the webhook's secret (by both, while one
   * replaces the other); null while the workspace has no secret.
   */
  signatures?: Array<string | null>;
  /**
   * With `cursors`: the cursor behind each event. Stored in the transaction that holds the event's effects, it
   * makes each event count once.
   */
  cursors?: string[];
  /** Whether to ask again at once: more events may follow. */
  has_more: boolean;
  /** Cursor to continue with, passed as `after`; never null. */
  next: string;
};

/** A file at the top: by a link, which is not stored, or by the id of an upload. */
export type FileHeader = FileHeaderByLink | FileHeaderById;

/** A file at the top: by a link, which is not stored, or by the id of an upload. */
export type FileHeaderById = {
  /** The id of an upload, as `POST /media` answers it. */
  id: number;
  /** What the file is. */
  type: "image" | "video" | "document";
  /**
   * For documents only: the file name that the recipient sees. Default: the last part of the link, or the name
   * that came with the upload.
   */
  filename?: string;
  /** Not together with `id`. */
  link?: never;
};

/** A file at the top: by a link, which is not stored, or by the id of an upload. */
export type FileHeaderByLink = {
  /** A public HTTPS URL, which the network fetches when the message is sent. */
  link: string;
  /** What the file is. */
  type: "image" | "video" | "document";
  /**
   * For documents only: the file name that the recipient sees. Default: the last part of the link, or the name
   * that came with the upload.
   */
  filename?: string;
  /** Not together with `link`. */
  id?: never;
};

/** A form made in WhatsApp Flows. */
export type Flow = {
  /** Id of the published flow. */
  id: string;
  /** What the button says; no emoji. */
  cta: string;
  /** Your own id of this form, which comes back with it. */
  token?: string;
  /** Id of the first screen. */
  screen?: string;
  /** Input of the first screen; only with `screen`, and not empty. */
  data?: Record<string, unknown>;
};

/** A static or dynamic group of contacts. */
export type Group = {
  id: number;
  name: string;
  /** A dynamic group contains every contact that matches its filter: contacts cannot be added to it. */
  type: "static" | "dynamic";
  /** Number of contacts in the group. For a dynamic group, the count can be up to a minute old. */
  count: number;
};

/**
 * The file for a template with a media header: by a link, which is not stored longer than the message or
 * broadcast needs it, or by the id of an upload of the header's media type.
 */
export type HeaderMedia = HeaderMediaByLink | HeaderMediaById;

/**
 * The file for a template with a media header: by a link, which is not stored longer than the message or
 * broadcast needs it, or by the id of an upload of the header's media type.
 */
export type HeaderMediaById = {
  /** The id of an upload, as `POST /media` answers it. */
  id: number;
  /** For PDFs only: the file name that the recipient sees. Default: the last part of the link. */
  filename?: string;
  /** Not together with `id`. */
  link?: never;
};

/**
 * The file for a template with a media header: by a link, which is not stored longer than the message or
 * broadcast needs it, or by the id of an upload of the header's media type.
 */
export type HeaderMediaByLink = {
  /**
   * A public HTTPS URL, which the network fetches when the message is sent. JPG or PNG up to 5 MB, MP4 up to 16
   * MB, or PDF up to 100 MB, matching the media type of the template.
   */
  link: string;
  /** For PDFs only: the file name that the recipient sees. Default: the last part of the link. */
  filename?: string;
  /** Not together with `link`. */
  id?: never;
};

/** What the message brings beside its text. Members depend on its type. */
export type InboundDetails = {
  media?: ReceivedMedia;
  /** The button that was pressed. */
  button?: {
    title: string | null;
    payload: string | null;
  };
  /** The row that was chosen. */
  list?: {
    id: string | null;
    title: string | null;
    description: string | null;
  };
  /** A form that was filled in. */
  form?: {
    name: string | null;
    /** The answers, if they are a JSON object. */
    values: Record<string, unknown> | null;
    /** Answers of another form, as they came. */
    text?: string;
    /** `text` was longer than 64 kB, and its end is missing. */
    is_cut?: boolean;
    /** Files that were uploaded in the form. `media.stored` or `media.failed` follows for each. */
    files?: Array<{
      /** Id for `GET /media/{id}`. */
      id: number;
      mime_type: string | null;
      sha256: string | null;
      filename: string | null;
    }>;
  };
  /** An order from the catalog. Several currencies have no `currency` and no `total`. */
  order?: {
    /** The network's id of the catalog. */
    catalog_id?: string;
    items: Array<{
      product: string | null;
      quantity: number | null;
      price: number | null;
      /** Only where the items have several currencies. */
      currency?: string | null;
    }>;
    currency: string | null;
    total: number | null;
  };
  location?: {
    latitude: number | null;
    longitude: number | null;
    name: string | null;
    address: string | null;
    url: string | null;
  };
  /** Contact cards. */
  contacts?: Array<{
    name: string | null;
    company: string | null;
    phones: string[];
    emails: string[];
    /** The whole card, as the network writes it; null if it is too large. */
    card?: unknown;
  }>;
  /** `emoji` is null if a reaction was removed. */
  reaction?: {
    emoji: string | null;
    /**
     * Our id of the message that this one is about; null if it is not known here, such as one that another
     * program sent.
     */
    message_id?: number | null;
    /** `out`: `message_id` is the id of a message of yours. Absent: it is the `id` of a received message. */
    direction?: "out";
    /** The message, in the form of a request; null if it is not known here. */
    to?: NamedMessage | null;
  };
  reply_to?: {
    /**
     * Our id of the message that this one is about; null if it is not known here, such as one that another
     * program sent.
     */
    message_id: number | null;
    /** `out`: `message_id` is the id of a message of yours. Absent: it is the `id` of a received message. */
    direction?: "out";
    /** The `id` of a received message: a name of its own for the same id. */
    inbound?: number;
    /** The id of a message of yours: a name of its own for the same id. */
    message?: number;
  };
  /** The advertisement that the person came from. */
  referral?: {
    source: string | null;
    source_type: string | null;
    source_id: string | null;
    headline: string | null;
    body: string | null;
    click_id: string | null;
    /** `image` or `video`. */
    media_type?: string;
    media_url?: string;
    thumbnail_url?: string;
    /** The greeting that the advertisement showed. */
    welcome?: string;
  };
  /** The person forwarded the message; `often`: many times. */
  forwarded?: {
    often: boolean;
  };
  /** The product that the message asks about. */
  product?: {
    catalog: string | null;
    product: string | null;
  };
  /** A call. `status` is the network's: `COMPLETED` if it was answered. Never in an event. */
  call?: {
    direction: string | null;
    status: string | null;
  };
  /**
   * The person's former and new phone number; their user ids, if only these changed. The contact has the new
   * one.
   */
  number_change?: {
    from: string | null;
    to: string | null;
  };
  edited?: {
    /**
     * Our id of the message that this one is about; null if it is not known here, such as one that another
     * program sent.
     */
    message_id: number | null;
    /** `out`: `message_id` is the id of a message of yours. Absent: it is the `id` of a received message. */
    direction?: "out";
    /** The `id` of a received message: a name of its own for the same id. */
    inbound?: number;
    /** The id of a message of yours: a name of its own for the same id. */
    message?: number;
  };
  deleted?: {
    /**
     * Our id of the message that this one is about; null if it is not known here, such as one that another
     * program sent.
     */
    message_id: number | null;
    /** `out`: `message_id` is the id of a message of yours. Absent: it is the `id` of a received message. */
    direction?: "out";
    /** The `id` of a received message: a name of its own for the same id. */
    inbound?: number;
    /** The id of a message of yours: a name of its own for the same id. */
    message?: number;
  };
  /** The network could not pass on this message. */
  unsupported?: {
    reason: string | null;
    type?: string | null;
  };
  /** The network's JSON of a type that is not known here; null if it is too large. */
  raw?: unknown;
};

/** A message that a person sent to the workspace. */
export type InboundMessage = {
  id: number;
  /**
   * Phone number of the sender in E.164. Null if the network identifies the person only by its own id:
   * `contact.user_id`.
   */
  from: string | null;
  /** The workspace's number that the person wrote to, in E.164. */
  to: string;
  /** Type of the message, as named by the network. */
  type: string;
  /** The text, caption or button title; null if there is none. */
  text: string | null;
  details: InboundDetails;
  /**
   * `standby`: another sender on the number, such as Meta's Business Agent, holds the conversation and may
   * answer. A reply of yours takes it over. Absent otherwise.
   */
  origin?: "standby";
  /** When the person sent the message, by the network's clock. */
  received_at: string;
};

/** A text with exactly one action below it. */
export type Interactive = InteractiveButtons | InteractiveList | InteractiveLink | InteractiveLocationRequest | InteractiveAddress | InteractiveFlow;

/** A form for a postal address, in India. */
export type InteractiveAddress = {
  /** The text above the action. */
  body: string;
  header?: string | FileHeader;
  /** Small print below the text. */
  footer?: string;
  address: AddressRequest;
  /** Not in this form. */
  buttons?: never;
  /** Not in this form. */
  list?: never;
  /** Not in this form. */
  link?: never;
  /** Not in this form. */
  location_request?: never;
  /** Not in this form. */
  flow?: never;
};

/** One to three buttons; pressing one is an answer. */
export type InteractiveButtons = {
  /** The text above the action. */
  body: string;
  header?: string | FileHeader;
  /** Small print below the text. */
  footer?: string;
  /** One to three buttons. */
  buttons: ReplyButton[];
  /** Not in this form. */
  list?: never;
  /** Not in this form. */
  link?: never;
  /** Not in this form. */
  location_request?: never;
  /** Not in this form. */
  address?: never;
  /** Not in this form. */
  flow?: never;
};

/** The text with its action that was sent. */
export type InteractiveContent = {
  interactive: {
    body: string;
    header?: string | SentFileHeader;
    footer?: string;
    /** One to three buttons. */
    buttons?: ReplyButton[];
    list?: ChoiceList;
    link?: LinkButton;
    /** Asks for the person's location. */
    location_request?: true;
    address?: AddressRequest;
    flow?: Flow;
  };
};

/** A button that opens a form made in WhatsApp Flows. */
export type InteractiveFlow = {
  /** The text above the action. */
  body: string;
  header?: string | FileHeader;
  /** Small print below the text. */
  footer?: string;
  flow: Flow;
  /** Not in this form. */
  buttons?: never;
  /** Not in this form. */
  list?: never;
  /** Not in this form. */
  link?: never;
  /** Not in this form. */
  location_request?: never;
  /** Not in this form. */
  address?: never;
};

/** A button that opens a website. */
export type InteractiveLink = {
  /** The text above the action. */
  body: string;
  header?: string | FileHeader;
  /** Small print below the text. */
  footer?: string;
  link: LinkButton;
  /** Not in this form. */
  buttons?: never;
  /** Not in this form. */
  list?: never;
  /** Not in this form. */
  location_request?: never;
  /** Not in this form. */
  address?: never;
  /** Not in this form. */
  flow?: never;
};

/** A list from which one row is chosen. */
export type InteractiveList = {
  /** The text above the list. */
  body: string;
  /** A headline. */
  header?: string;
  /** Small print below the text. */
  footer?: string;
  list: ChoiceList;
  /** Not in this form. */
  buttons?: never;
  /** Not in this form. */
  link?: never;
  /** Not in this form. */
  location_request?: never;
  /** Not in this form. */
  address?: never;
  /** Not in this form. */
  flow?: never;
};

/** A button by which the person sends their location. */
export type InteractiveLocationRequest = {
  /** The text above the action. */
  body: string;
  /** Asks for the person's location. */
  location_request: true;
  /** Not in this form. */
  header?: never;
  /** Not in this form. */
  footer?: never;
  /** Not in this form. */
  buttons?: never;
  /** Not in this form. */
  list?: never;
  /** Not in this form. */
  link?: never;
  /** Not in this form. */
  address?: never;
  /** Not in this form. */
  flow?: never;
};

/** A text with an action below it that was sent to one person. */
export type InteractiveMessage = {
  id: number;
  /** The recipient's phone number in E.164, or their user id if no phone number is known. */
  to: string;
  /** The sending number in E.164. */
  from: string;
  /** Your own id of the message, as you sent it; null if you sent none. */
  reference: string | null;
  sent_by: SentBy;
  type: "interactive";
  /** `utility`: it was sent with this category, as a template is; null for a free message. */
  category: "utility" | null;
  template: null;
  /** What was sent, in the form of the request and without links. Null once the person was erased. */
  content: InteractiveContent | null;
  /** The message that yours answers; null if you named none. */
  reply_to: NamedMessage | null;
  /**
   * The text that the recipient sees, with all variables filled in: of a file its caption, of a place its name,
   * of contact cards the names, of a reaction the emoji. Empty if there are no words.
   */
  text: string;
  /**
   * `scheduled`: to be sent at `send_at`; `cancelled`: it will not be sent. Only messages with `send_at` are
   * either. `sent`: accepted by the network. `delivered`: delivered to the recipient's phone. `read`: read by
   * the recipient. `failed`: not delivered; `error` gives the reason.
   */
  status: "scheduled" | "sent" | "delivered" | "read" | "failed" | "cancelled";
  /** Why the message failed; null unless it failed. */
  error: MessageError | null;
  /** Whether the message is charged when it is delivered: with a `category`, in a workspace that is charged. */
  charged: boolean;
  /** When this server accepted the message. */
  created_at: string;
  /** When a scheduled message is to be sent, as you asked; null for one that was sent at once. */
  send_at: string | null;
  /** When the network accepted the message. */
  sent_at: string | null;
  /** When the message was delivered to the recipient's phone. */
  delivered_at: string | null;
  /** When the recipient read the message. Recipients can turn off read receipts. */
  read_at: string | null;
};

/** A template of WhatsApp's library: its words are fixed and reviewed. */
export type LibraryTemplate = {
  name: string;
  language: string;
  category: "MARKETING" | "UTILITY" | "AUTHENTICATION";
  topic: string | null;
  usecase: string | null;
  industry: string[];
  /** The text of the header; null: it has none. */
  header: string | null;
  body: string;
  /** A sample of each value of the body, in order. */
  body_params: string[];
  /**
   * The type of each value in WhatsApp's words: `TEXT`, `NUMBER`, `AMOUNT`, `DATE`, `ADDRESS`, `EMAIL`, `PHONE
   * NUMBER`. WhatsApp refuses a message with a value of another type.
   */
  body_param_types: string[];
  buttons: Array<{
    type: string;
    text: string;
    /** A sample; your own stands in its place. */
    url: string | null;
    /** A sample; your own stands in its place. */
    phone_number: string | null;
  }>;
};

/** A button that opens a website. */
export type LinkButton = {
  /** What the button says. */
  title: string;
  /** The address that it opens. */
  url: string;
};

/** A row of a list. */
export type ListRow = {
  /** Your own id of the row: `details.list.id` of the answer. */
  id: string;
  /** What the row says. */
  title: string;
  /** A second line. */
  description?: string;
};

/** Rows under a common title. */
export type ListSection = {
  /** Title of the section. Required if there are several. */
  title?: string;
  rows: ListRow[];
};

/** A place on the map. */
export type Location = {
  /** Degrees. */
  latitude: number;
  /** Degrees. */
  longitude: number;
  /** Title of the place. */
  name?: string;
  /** Shown below the title. */
  address?: string;
};

/** The place that was sent. */
export type LocationContent = {
  location: Location;
};

/** A place on the map that was sent to one person. */
export type LocationMessage = {
  id: number;
  /** The recipient's phone number in E.164, or their user id if no phone number is known. */
  to: string;
  /** The sending number in E.164. */
  from: string;
  /** Your own id of the message, as you sent it; null if you sent none. */
  reference: string | null;
  sent_by: SentBy;
  type: "location";
  /** Only templates, and messages that were sent with a `category`, have one. */
  category: null;
  template: null;
  /** What was sent, in the form of the request and without links. Null once the person was erased. */
  content: LocationContent | null;
  /** The message that yours answers; null if you named none. */
  reply_to: NamedMessage | null;
  /**
   * The text that the recipient sees, with all variables filled in: of a file its caption, of a place its name,
   * of contact cards the names, of a reaction the emoji. Empty if there are no words.
   */
  text: string;
  /**
   * `scheduled`: to be sent at `send_at`; `cancelled`: it will not be sent. Only messages with `send_at` are
   * either. `sent`: accepted by the network. `delivered`: delivered to the recipient's phone. `read`: read by
   * the recipient. `failed`: not delivered; `error` gives the reason.
   */
  status: "scheduled" | "sent" | "delivered" | "read" | "failed" | "cancelled";
  /** Why the message failed; null unless it failed. */
  error: MessageError | null;
  /** Only templates, and messages that were sent with a `category`, are charged. */
  charged: false;
  /** When this server accepted the message. */
  created_at: string;
  /** When a scheduled message is to be sent, as you asked; null for one that was sent at once. */
  send_at: string | null;
  /** When the network accepted the message. */
  sent_at: string | null;
  /** When the message was delivered to the recipient's phone. */
  delivered_at: string | null;
  /** When the recipient read the message. Recipients can turn off read receipts. */
  read_at: string | null;
};

/** How a received message is marked. */
export type MarkRead = {
  /** Whether the phone also shows that an answer is being written, for 25 seconds at most. */
  typing?: boolean;
};

/** A received message that is marked as read. */
export type MarkedRead = {
  id: number;
  typing: boolean;
};

/** The file that was sent, without its link. */
export type MediaContent = {
  media: {
    /** What the file is. */
    type: "image" | "video" | "audio" | "document" | "sticker";
    /** The id of the upload; absent for a link. */
    id?: number;
    /** The text below an image, a video or a document. */
    caption?: string;
    /**
     * For documents only: the file name that the recipient sees. Default: the last part of the link, or the name
     * that came with the upload.
     */
    filename?: string;
    /** True for audio that was sent as a voice message. */
    voice?: boolean;
  };
};

/**
 * `too_large`: larger than this server accepts. `not_found`: WhatsApp no longer has it. `unavailable`: WhatsApp
 * did not give it for 7 days. `no_room`: the disk quota left no room for 7 days. `number_removed`: the number
 * was removed first.
 */
export type MediaFailedEvent = {
  /** Id of the event, the same in every attempt: ignore events that you have already processed. */
  id: string;
  type: "media.failed";
  created_at: string;
  data: {
    reason: "too_large" | "not_found" | "unavailable" | "no_room" | "number_removed";
    inbound_id: number;
    message_id: number;
    /**
     * Phone number of the sender in E.164. Null if the network identifies the person only by its own id:
     * `contact.user_id`.
     */
    from: string | null;
    /** The workspace's number that the person wrote to, in E.164. */
    to: string;
    contact: Contact;
  };
};

/** A file that was sent to one person. */
export type MediaMessage = {
  id: number;
  /** The recipient's phone number in E.164, or their user id if no phone number is known. */
  to: string;
  /** The sending number in E.164. */
  from: string;
  /** Your own id of the message, as you sent it; null if you sent none. */
  reference: string | null;
  sent_by: SentBy;
  /** What the file is. */
  type: "image" | "video" | "audio" | "document" | "sticker";
  /** Only templates, and messages that were sent with a `category`, have one. */
  category: null;
  template: null;
  /** What was sent, in the form of the request and without links. Null once the person was erased. */
  content: MediaContent | null;
  /** The message that yours answers; null if you named none. */
  reply_to: NamedMessage | null;
  /**
   * The text that the recipient sees, with all variables filled in: of a file its caption, of a place its name,
   * of contact cards the names, of a reaction the emoji. Empty if there are no words.
   */
  text: string;
  /**
   * `scheduled`: to be sent at `send_at`; `cancelled`: it will not be sent. Only messages with `send_at` are
   * either. `sent`: accepted by the network. `delivered`: delivered to the recipient's phone. `read`: read by
   * the recipient. `failed`: not delivered; `error` gives the reason.
   */
  status: "scheduled" | "sent" | "delivered" | "read" | "failed" | "cancelled";
  /** Why the message failed; null unless it failed. */
  error: MessageError | null;
  /** Only templates, and messages that were sent with a `category`, are charged. */
  charged: false;
  /** When this server accepted the message. */
  created_at: string;
  /** When a scheduled message is to be sent, as you asked; null for one that was sent at once. */
  send_at: string | null;
  /** When the network accepted the message. */
  sent_at: string | null;
  /** When the message was delivered to the recipient's phone. */
  delivered_at: string | null;
  /** When the recipient read the message. Recipients can turn off read receipts. */
  read_at: string | null;
};

/**
 * The file of a received message was fetched from WhatsApp. `media.url` needs no key and works for 7 days;
 * later, `GET /media/{id}` with a key gives the file. `inbound_id` is `message.id` of `message.received`
 * (`message_id` is its former name); `GET /inbounds/{id}` gives that message.
 */
export type MediaStoredEvent = {
  /** Id of the event, the same in every attempt: ignore events that you have already processed. */
  id: string;
  type: "media.stored";
  created_at: string;
  data: {
    media: ReceivedMedia;
    inbound_id: number;
    message_id: number;
    /**
     * Phone number of the sender in E.164. Null if the network identifies the person only by its own id:
     * `contact.user_id`.
     */
    from: string | null;
    /** The workspace's number that the person wrote to, in E.164. */
    to: string;
    contact: Contact;
  };
};

/** A message to one person. */
export type Message = TemplateMessage | TextMessage | MediaMessage | LocationMessage | ContactsMessage | InteractiveMessage | ReactionMessage;

/**
 * A program or a user cancelled a scheduled message, or the person wrote first and it had `cancel_on_reply`.
 * Sent only to addresses that asked for it (`waxwing webhook set --types`).
 */
export type MessageCancelledEvent = {
  /** Id of the event, the same in every attempt: ignore events that you have already processed. */
  id: string;
  type: "message.cancelled";
  created_at: string;
  data: {
    message: Message;
  };
};

/**
 * A message sent through the API was delivered to the recipient's phone. If its `charged` is true, it is charged
 * now.
 */
export type MessageDeliveredEvent = {
  /** Id of the event, the same in every attempt: ignore events that you have already processed. */
  id: string;
  type: "message.delivered";
  created_at: string;
  data: {
    message: Message;
  };
};

/** Why a message failed. */
export type MessageError = {
  /** Why the message failed, in plain text. */
  message: string;
  /**
   * The network's error code, for support requests. `timeout`, `unreachable` and `interrupted` are codes of this
   * server: it received no response from the network. A scheduled message that was refused when it was due has
   * the code of the refusal, such as `opted_out` or `window_closed`; `too_late`, `erased` and `restored` are
   * further codes of these.
   */
  whatsapp_code: string;
};

/**
 * A message sent through the API failed; `error` gives the reason. This event often arrives minutes after
 * `message.sent`, because the network reports most failures late. In rare cases the message is delivered after
 * all: `message.sent` or a later event then follows.
 */
export type MessageFailedEvent = {
  /** Id of the event, the same in every attempt: ignore events that you have already processed. */
  id: string;
  type: "message.failed";
  created_at: string;
  data: {
    message: Message;
  };
};

/** The recipient read a message sent through the API. Recipients can turn off read receipts. */
export type MessageReadEvent = {
  /** Id of the event, the same in every attempt: ignore events that you have already processed. */
  id: string;
  type: "message.read";
  created_at: string;
  data: {
    message: Message;
  };
};

/**
 * A person sent a message to one of the workspace's numbers. For 24 hours from `received_at`, you can send them
 * free-form text.
 */
export type MessageReceivedEvent = {
  /** Id of the event, the same in every attempt: ignore events that you have already processed. */
  id: string;
  type: "message.received";
  created_at: string;
  data: {
    message: InboundMessage;
    contact: Contact;
    /**
     * Only to an address with `group_bursts`: the texts that the person wrote within that time, the oldest
     * first. `message` is the newest message.
     */
    texts?: string[];
    /** Beside `texts`: all messages of that time, also those without a text, the oldest first. */
    messages?: InboundMessage[];
  };
};

/** A message, received or sent. */
export type MessageReference = ReceivedReference | SentReference;

/**
 * A message with `send_at` was accepted through the API. Sent only to addresses that asked for it (`waxwing
 * webhook set --types`).
 */
export type MessageScheduledEvent = {
  /** Id of the event, the same in every attempt: ignore events that you have already processed. */
  id: string;
  type: "message.scheduled";
  created_at: string;
  data: {
    message: Message;
  };
};

/** The network accepted a message sent through the API. The message can still fail. */
export type MessageSentEvent = {
  /** Id of the event, the same in every attempt: ignore events that you have already processed. */
  id: string;
  type: "message.sent";
  created_at: string;
  data: {
    message: Message;
  };
};

/** A template, identified by name and language. */
export type MessageTemplate = {
  name: string;
  language: string;
};

/** Values of named placeholders, by name. */
export type NamedBroadcastVariables = {
  /**
   * Values by the names of the placeholders. A text is one line, is not blank and has at most four spaces in a
   * row; a number needs no exponent.
   */
  header?: Record<string, string | number | ContactFieldValue>;
  /**
   * Values by the names of the placeholders. A text is one line, is not blank and has at most four spaces in a
   * row; a number needs no exponent.
   */
  body?: Record<string, string | number | ContactFieldValue>;
  /**
   * One value for each button that takes one, in order: the end of a link, the code to copy, the payload of a
   * quick reply, the token of a form. Quick replies keep their own words with null, or if all of them are
   * omitted.
   */
  buttons?: Array<string | number | null | ContactFieldValue>;
};

/**
 * A message: `inbound` is the `id` of `message.received`, `message` the id of one that was sent. One of them is
 * there.
 */
export type NamedMessage = {
  inbound?: number;
  message?: number;
};

/** Values of named placeholders, by name. */
export type NamedVariables = {
  /**
   * Values by the names of the placeholders. A text is one line, is not blank and has at most four spaces in a
   * row; a number needs no exponent.
   */
  header?: Record<string, string | number>;
  /**
   * Values by the names of the placeholders. A text is one line, is not blank and has at most four spaces in a
   * row; a number needs no exponent.
   */
  body?: Record<string, string | number>;
  /**
   * One value for each button that takes one, in order: the end of a link, the code to copy, the payload of a
   * quick reply, the token of a form. Quick replies keep their own words with null, or if all of them are
   * omitted.
   */
  buttons?: Array<string | number | null>;
};

/** A change that the network made to a number or a template. */
export type NetworkChange = {
  id: number;
  /** When the network changed it; of a change that no report told of, when it was found. */
  at: string;
  /** Your number that changed; null of a template. */
  number: string | null;
  /** The template that changed; null of a number. */
  template: {
    name: string;
    language: string;
  } | null;
  /**
   * What changed. Of a number: `quality`, `limit` (people in 24 hours), `status`, `restriction`. Of a template:
   * `quality`, `status`, `category`.
   */
  property: "quality" | "limit" | "status" | "restriction" | "category";
  /** Null: not known, or no restriction. */
  from: string | null;
  /** The same for what it became. */
  to: string | null;
  /** What it means and what to do. */
  meaning: string;
};

/**
 * Meta's messaging limit: different people in 24 hours who are sent templates without having written in the last
 * 24 hours. An estimate: messages that other software sends are not known here.
 */
export type NetworkLimit = {
  /** People whom all numbers of the business portfolio may send to in 24 hours. */
  limit: number;
  /** People whom this workspace has sent to in the last 24 hours. Other workspaces are not shown. */
  used: number;
  /** How many people of this broadcast can be sent to now; the others wait. */
  today: number;
};

/**
 * What Meta bills to the account that owns the numbers: delivered messages by category. Meta names no amounts.
 * The balance of the workspace is something else.
 */
export type NetworkUsage = {
  /** The month, by the workspace's timezone. */
  month: string;
  /** Delivered messages for which Meta named a category. */
  messages: number;
  /** How many of them Meta bills. */
  billable: number;
  categories: Array<{
    /** Meta's category: `marketing`, `utility`, `authentication`, `service` and others. */
    category: string;
    /** Why Meta bills it or not: `regular`, `free_customer_service` and others. */
    type: string;
    billable: boolean;
    messages: number;
  }>;
  /** The same messages by country, the most first. Meta's rates differ between countries. */
  countries: Array<{
    /** The country of the people's phone numbers, in ISO 3166-1; null if it is not known, or was not counted yet. */
    country: string | null;
    category: string;
    billable: boolean;
    messages: number;
  }>;
  /** Service messages of each number. Beyond the allowance Meta bills them. */
  service: Array<{
    /** The sending number, in E.164. */
    number: string;
    /** Delivered service messages (replies). */
    messages: number;
    /** How many are free in this month; null before October 2026. */
    allowance: number | null;
  }>;
};

/** An address that was just added, with its secret. */
export type NewWebhook = {
  /** The workspace's first address, which `webhook set` sets, has the id 1. */
  id: number;
  url: string;
  /** The types of events that the address receives. */
  types: Array<"message.sent" | "message.delivered" | "message.read" | "message.failed" | "message.scheduled" | "message.cancelled" | "message.received" | "media.stored" | "media.failed" | "contact.opted_out" | "contact.opted_in" | "contact.may_want_to_stop" | "contact.updated" | "conversation.updated" | "contact.erased" | "broadcast.paused" | "broadcast.resumed" | "broadcast.blocked" | "broadcast.finished" | "template.approved" | "template.rejected" | "template.updated" | "webhook.test">;
  /**
   * A disabled address receives nothing, and what was waiting for it is exhausted: it can be replayed once the
   * address is active again.
   */
  state: "active" | "disabled";
  /**
   * How long, from a person's first message on, what the person writes to a number is gathered into one
   * `message.received` with `texts` and `messages`: 1s to 5m. Null: each message is sent alone.
   */
  group_bursts: string | null;
  /** Until when the previous secret signs beside the present one; null: it does not. */
  old_secret_until: string | null;
  updated_at: string;
  /** Signs the events of this address. It is in this answer alone. */
  secret: string;
};

/** A phone number that the workspace sends from. */
export type SendingNumber = {
  /** Phone number in E.164. */
  phone: string;
  /** The display name that recipients see. */
  name: string;
  /** Whether the number can currently send. */
  ready: boolean;
};

/** A person who is currently opted out. */
export type OptOut = {
  /** Phone number in E.164. Null only with `identity=any`. */
  phone: string | null;
  /** Only with `identity=any`: the network's own id of the person, if it is known. */
  user_id?: string | null;
  /** When the opt-out was recorded. */
  opted_out_at: string;
  /** How the opt-out was recorded. `inbound_message`: the person sent STOP. */
  source: "inbound_message" | "manual" | "bulk" | "import" | "api";
};

/** An amount as WhatsApp has it: `value` divided by `offset`. */
export type OrderAmount = {
  /** In units of `offset`. */
  value: number;
  /** 100 for two decimals. */
  offset: number;
};

/**
 * An order to pay, in WhatsApp's own form, for an account that has payments (India, Brazil). Further members,
 * such as `order` and `payment_settings`, are passed on as they are.
 */
export type OrderDetails = {
  /** Your own id of the order, unique for each. */
  reference_id: string;
  type: "digital-goods" | "physical-goods";
  currency: string;
  total_amount: OrderAmount;
};

/** The position of a page in its list. */
export type Page = {
  /** Number of the page; always 1 if the request used `after`. */
  page: number;
  /** Maximum number of entries on a page. */
  per_page: number;
  /** Total number of entries on all pages. */
  total: number;
  /** Whether more entries follow this page. */
  has_more: boolean;
  /** Cursor of the next page, to be passed as `after`; null on the last page. */
  next: string | null;
  /**
   * Only in lists of messages filtered by `reference` or `idempotency_key`: matching messages that were accepted
   * and are not listed yet, because they are still on their way to the network.
   */
  pending?: number;
};

/** The names of a template's placeholders, in order. */
export type ParameterOrder = {
  header: string[];
  body: string[];
};

/** A person who also uses the contact's number. */
export type PersonInput = {
  name: string;
  /** First name, for use in messages. Default: the first word of `name` that is not a title. */
  first_name?: string | null;
  /** `YYYY-MM-DD`, `--MM-DD` or `DD/MM/YYYY`. */
  birthday?: string | null;
  /** Your own id for this person, so that a repeated sync updates the person instead of adding a duplicate. */
  ref?: string | null;
};

/** Another person who uses the contact's phone number. */
export type PersonOnNumber = {
  name: string;
  first_name: string | null;
  /** ISO 8601 date; `--MM-DD` if the year is unknown. */
  birthday: string | null;
  /** Your own id for this person. */
  ref: string | null;
};

/** The cost of a broadcast. */
export type PreviewCost = {
  currency: string;
  /** Price of one delivered message. */
  rate: string;
  /** Cost if every message is delivered. */
  amount: string;
  /** The current balance, less the amount held for messages in progress. */
  available: string;
  /** The balance that would be left; negative if the balance does not cover the cost. */
  available_after: string;
  /** Whether the balance covers the cost. */
  covered: boolean;
};

/** A recipient that a broadcast would skip. */
export type PreviewSkip = {
  /** The phone number in E.164, or the value from the request if it is not a phone number. */
  to: string;
  reason: "opted_out" | "invalid_number" | "duplicate" | "no_opt_in" | "missing_variable" | "daily_cap" | "may_want_to_stop";
  /** Since when; only present with the reasons `opted_out` and `may_want_to_stop`. */
  since?: string;
};

/** Products under a common title. */
export type ProductSection = {
  /** Title of the section. Required if there are several. */
  title?: string;
  /** Products by your own ids; at most 30 in all sections. */
  items: string[];
};

/** A reaction to a message. It replaces an earlier one. */
export type Reaction = {
  /** One emoji. Empty: takes the earlier reaction away. */
  emoji: string;
  to: MessageReference;
};

/** The reaction that was sent. */
export type ReactionContent = {
  reaction: {
    emoji: string;
    to: NamedMessage;
  };
};

/** A reaction that was sent to one person. WhatsApp reports neither its delivery nor that it was read. */
export type ReactionMessage = {
  id: number;
  /** The recipient's phone number in E.164, or their user id if no phone number is known. */
  to: string;
  /** The sending number in E.164. */
  from: string;
  /** Your own id of the message, as you sent it; null if you sent none. */
  reference: string | null;
  sent_by: SentBy;
  type: "reaction";
  /** Only templates, and messages that were sent with a `category`, have one. */
  category: null;
  template: null;
  /** What was sent, in the form of the request and without links. Null once the person was erased. */
  content: ReactionContent | null;
  /** The message that yours answers; null if you named none. */
  reply_to: NamedMessage | null;
  /**
   * The text that the recipient sees, with all variables filled in: of a file its caption, of a place its name,
   * of contact cards the names, of a reaction the emoji. Empty if there are no words.
   */
  text: string;
  /**
   * `scheduled`: to be sent at `send_at`; `cancelled`: it will not be sent. Only messages with `send_at` are
   * either. `sent`: accepted by the network. `delivered`: delivered to the recipient's phone. `read`: read by
   * the recipient. `failed`: not delivered; `error` gives the reason.
   */
  status: "scheduled" | "sent" | "delivered" | "read" | "failed" | "cancelled";
  /** Why the message failed; null unless it failed. */
  error: MessageError | null;
  /** Only templates, and messages that were sent with a `category`, are charged. */
  charged: false;
  /** When this server accepted the message. */
  created_at: string;
  /** When a scheduled message is to be sent, as you asked; null for one that was sent at once. */
  send_at: string | null;
  /** When the network accepted the message. */
  sent_at: string | null;
  /** When the message was delivered to the recipient's phone. */
  delivered_at: string | null;
  /** When the recipient read the message. Recipients can turn off read receipts. */
  read_at: string | null;
};

/** A picture, video, voice message, sticker or document that a person sent. */
export type ReceivedMedia = {
  /** Id for `GET /media/{id}`; null if the network sent no file with the message. */
  id: number | null;
  /** As the network states it; once stored, as read from the bytes. */
  mime_type: string | null;
  /** Size; null until the file is stored. */
  bytes: number | null;
  /** SHA-256 in base64: as the network states it; once stored, of the bytes. */
  sha256: string | null;
  /** The name that the sender gave a document. */
  filename: string | null;
  /** A link to the file that needs no key; null until the file is stored. Anyone who has it can read the file. */
  url: string | null;
  /** When `url` stops working. */
  expires_at: string | null;
  /**
   * `pending`: being fetched; `media.stored` or `media.failed` follows. `expired`: its retention is over.
   * `erased`: its sender was erased.
   */
  state: "pending" | "stored" | "failed" | "expired" | "erased";
  /** True for a voice message, in `message.received` alone. */
  voice?: boolean;
  /** True for an animated sticker, in `message.received` alone. */
  animated?: boolean;
};

/** A message that the person sent. */
export type ReceivedReference = {
  /** The `id` of `message.received`. */
  inbound: number;
  /** Not together with `inbound`. */
  message?: never;
};

/** A recipient of a broadcast. */
export type Recipient = {
  /** The phone number in E.164, or the value from the request if it is not a phone number. */
  to: string;
  /** Id of the message to this recipient. Messages of broadcasts are shown only here. */
  message_id: number;
  status: "pending" | "queued" | "sending" | "sent" | "delivered" | "read" | "failed" | "skipped";
  /** Why the message was skipped or failed, in plain text. */
  reason: string | null;
  sent_at: string | null;
  delivered_at: string | null;
  read_at: string | null;
};

/** An address that was just removed. */
export type RemovedWebhook = {
  id: number;
  /** How many deliveries were waiting. They are exhausted now. */
  exhausted: number;
};

/** A button; pressing it is an answer. */
export type ReplyButton = {
  /** Your own id of the button: `details.button.payload` of the answer. */
  id: string;
  /** What the button says. */
  title: string;
};

export type RotateSecret = {
  /**
   * How long the old secret signs too: 1m to 30 days. The receiver is first sent a `webhook.test` with two
   * signatures; unless it answers 2xx, nothing changes. Absent: the old secret ends at once.
   */
  overlap?: string;
};

/** The new secret of an address. */
export type RotatedSecret = {
  /** The workspace's first address, which `webhook set` sets, has the id 1. */
  id: number;
  /** Signs the events of this address from now on. It is in this answer alone. */
  secret: string;
  /** Until when the previous secret signs beside the present one; null: it does not. */
  old_secret_until: string | null;
};

/** A person, a message or a note that was found. */
export type SearchHit = {
  /** What was found. */
  kind: "message" | "contact" | "note";
  /**
   * The message's or the note's id; null for a contact, and for a message that another sender on the number
   * sent.
   */
  id: number | null;
  /** Of a message: who wrote it. */
  direction: "in" | "out" | null;
  /** The conversation that the message or the note is in; null for a contact. */
  conversation: number | null;
  contact: {
    phone: string | null;
    user_id: string | null;
    username: string | null;
    name: string | null;
  };
  /** Your number that the message or the note is on; null for a contact. */
  number: string | null;
  /** When it was written; of a contact, when it was last changed. */
  at: string;
  /** The name of the file that the message brings. */
  file: string | null;
  /**
   * The part of the text around the first word that was found, in order, in pieces: together they are the text,
   * and those with `match` are the words found.
   */
  snippet: Array<{
    text: string;
    /** Whether the piece is one of the words that were searched for. */
    match: boolean;
  }>;
};

/** Sends contact cards, within 24 hours of the recipient's last message. */
export type SendContacts = {
  /** A phone number in any common format. Without a country code, the workspace's country is assumed. */
  to: string;
  /** Contact cards. */
  contacts: ContactCard[];
  reply_to?: MessageReference;
  /**
   * What happens where another sender on the number has the conversation. `true`: the message is sent, and takes
   * it. `false`: the message is refused with `thread_owned_elsewhere`. Without it: the message is sent where
   * Meta's Business Agent has the conversation, which then is yours, and refused where any other sender has it.
   */
  take?: boolean;
  /** One of the workspace's sending numbers. Required only if the workspace has more than one. */
  from?: string;
  /**
   * Your own id of the message, such as an order number. The message and its events show it, and `GET
   * /messages?reference=` finds it. It is not sent to the network and need not be unique.
   */
  reference?: string;
  /**
   * When to send the message, at most 90 days ahead: it is accepted with 202 and `status: scheduled`, and
   * evaluated again when it is due. A time without an offset is interpreted in the workspace's timezone, and a
   * date is its first instant. A time up to 5 minutes in the past counts as now.
   */
  send_at?: string;
  /**
   * With `send_at`: cancel the message if the person writes before it is sent. A reaction does not count as
   * writing.
   */
  cancel_on_reply?: boolean;
  /** Not together with `contacts`. */
  template?: never;
  /** Not together with `contacts`. */
  text?: never;
  /** Not together with `contacts`. */
  media?: never;
  /** Not together with `contacts`. */
  location?: never;
  /** Not together with `contacts`. */
  interactive?: never;
  /** Not together with `contacts`. */
  reaction?: never;
  /** Only with `template`. */
  language?: never;
  /** Only with `template`. */
  variables?: never;
  /** Only with `template`. */
  cards?: never;
  /** Only with `template`. */
  products?: never;
  /** Only with `template`. */
  offer_expires_at?: never;
  /** Only with `template`. */
  order_details?: never;
  /** Only with `text`. */
  preview_url?: never;
  /** Only with `text` or `interactive`. */
  category?: never;
};

/**
 * Sends a text with buttons, a list, a link, or a request for a location, an address or a form, within 24 hours
 * of the recipient's last message.
 */
export type SendInteractive = {
  /** A phone number in any common format. Without a country code, the workspace's country is assumed. */
  to: string;
  interactive: Interactive;
  reply_to?: MessageReference;
  /**
   * Sends the message as a template of this category is sent: at any time, charged, and counted under every
   * limit. WhatsApp makes a template of it. Only accounts that Meta has enabled for Direct Send may; for others
   * the answer is 422 `window_closed`. At most 1,024 characters, with `buttons` or a `link` and a text as
   * header, and without `reply_to`, `preview_url` and `take`.
   */
  category?: "utility";
  /**
   * What happens where another sender on the number has the conversation. `true`: the message is sent, and takes
   * it. `false`: the message is refused with `thread_owned_elsewhere`. Without it: the message is sent where
   * Meta's Business Agent has the conversation, which then is yours, and refused where any other sender has it.
   */
  take?: boolean;
  /** One of the workspace's sending numbers. Required only if the workspace has more than one. */
  from?: string;
  /**
   * Your own id of the message, such as an order number. The message and its events show it, and `GET
   * /messages?reference=` finds it. It is not sent to the network and need not be unique.
   */
  reference?: string;
  /**
   * When to send the message, at most 90 days ahead: it is accepted with 202 and `status: scheduled`, and
   * evaluated again when it is due. A time without an offset is interpreted in the workspace's timezone, and a
   * date is its first instant. A time up to 5 minutes in the past counts as now.
   */
  send_at?: string;
  /**
   * With `send_at`: cancel the message if the person writes before it is sent. A reaction does not count as
   * writing.
   */
  cancel_on_reply?: boolean;
  /** Not together with `interactive`. */
  template?: never;
  /** Not together with `interactive`. */
  text?: never;
  /** Not together with `interactive`. */
  media?: never;
  /** Not together with `interactive`. */
  location?: never;
  /** Not together with `interactive`. */
  contacts?: never;
  /** Not together with `interactive`. */
  reaction?: never;
  /** Only with `template`. */
  language?: never;
  /** Only with `template`. */
  variables?: never;
  /** Only with `template`. */
  cards?: never;
  /** Only with `template`. */
  products?: never;
  /** Only with `template`. */
  offer_expires_at?: never;
  /** Only with `template`. */
  order_details?: never;
  /** Only with `text`. */
  preview_url?: never;
};

/** Sends a place on the map, within 24 hours of the recipient's last message. */
export type SendLocation = {
  /** A phone number in any common format. Without a country code, the workspace's country is assumed. */
  to: string;
  location: Location;
  reply_to?: MessageReference;
  /**
   * What happens where another sender on the number has the conversation. `true`: the message is sent, and takes
   * it. `false`: the message is refused with `thread_owned_elsewhere`. Without it: the message is sent where
   * Meta's Business Agent has the conversation, which then is yours, and refused where any other sender has it.
   */
  take?: boolean;
  /** One of the workspace's sending numbers. Required only if the workspace has more than one. */
  from?: string;
  /**
   * Your own id of the message, such as an order number. The message and its events show it, and `GET
   * /messages?reference=` finds it. It is not sent to the network and need not be unique.
   */
  reference?: string;
  /**
   * When to send the message, at most 90 days ahead: it is accepted with 202 and `status: scheduled`, and
   * evaluated again when it is due. A time without an offset is interpreted in the workspace's timezone, and a
   * date is its first instant. A time up to 5 minutes in the past counts as now.
   */
  send_at?: string;
  /**
   * With `send_at`: cancel the message if the person writes before it is sent. A reaction does not count as
   * writing.
   */
  cancel_on_reply?: boolean;
  /** Not together with `location`. */
  template?: never;
  /** Not together with `location`. */
  text?: never;
  /** Not together with `location`. */
  media?: never;
  /** Not together with `location`. */
  contacts?: never;
  /** Not together with `location`. */
  interactive?: never;
  /** Not together with `location`. */
  reaction?: never;
  /** Only with `template`. */
  language?: never;
  /** Only with `template`. */
  variables?: never;
  /** Only with `template`. */
  cards?: never;
  /** Only with `template`. */
  products?: never;
  /** Only with `template`. */
  offer_expires_at?: never;
  /** Only with `template`. */
  order_details?: never;
  /** Only with `text`. */
  preview_url?: never;
  /** Only with `text` or `interactive`. */
  category?: never;
};

/** Sends an image, a video, audio, a document or a sticker, within 24 hours of the recipient's last message. */
export type SendMedia = {
  /** A phone number in any common format. Without a country code, the workspace's country is assumed. */
  to: string;
  media: SentMedia;
  reply_to?: MessageReference;
  /**
   * What happens where another sender on the number has the conversation. `true`: the message is sent, and takes
   * it. `false`: the message is refused with `thread_owned_elsewhere`. Without it: the message is sent where
   * Meta's Business Agent has the conversation, which then is yours, and refused where any other sender has it.
   */
  take?: boolean;
  /** One of the workspace's sending numbers. Required only if the workspace has more than one. */
  from?: string;
  /**
   * Your own id of the message, such as an order number. The message and its events show it, and `GET
   * /messages?reference=` finds it. It is not sent to the network and need not be unique.
   */
  reference?: string;
  /**
   * When to send the message, at most 90 days ahead: it is accepted with 202 and `status: scheduled`, and
   * evaluated again when it is due. A time without an offset is interpreted in the workspace's timezone, and a
   * date is its first instant. A time up to 5 minutes in the past counts as now.
   */
  send_at?: string;
  /**
   * With `send_at`: cancel the message if the person writes before it is sent. A reaction does not count as
   * writing.
   */
  cancel_on_reply?: boolean;
  /** Not together with `media`. */
  template?: never;
  /** Not together with `media`. */
  text?: never;
  /** Not together with `media`. */
  location?: never;
  /** Not together with `media`. */
  contacts?: never;
  /** Not together with `media`. */
  interactive?: never;
  /** Not together with `media`. */
  reaction?: never;
  /** Only with `template`. */
  language?: never;
  /** Only with `template`. */
  variables?: never;
  /** Only with `template`. */
  cards?: never;
  /** Only with `template`. */
  products?: never;
  /** Only with `template`. */
  offer_expires_at?: never;
  /** Only with `template`. */
  order_details?: never;
  /** Only with `text`. */
  preview_url?: never;
  /** Only with `text` or `interactive`. */
  category?: never;
};

/** Either a template or one kind of free message: exactly one of their members is there. */
export type SendMessage = SendTemplate | SendText | SendMedia | SendLocation | SendContacts | SendInteractive | SendReaction;

/** Reacts to a message, within 24 hours of the recipient's last message. */
export type SendReaction = {
  /** A phone number in any common format. Without a country code, the workspace's country is assumed. */
  to: string;
  reaction: Reaction;
  /**
   * What happens where another sender on the number has the conversation. `true`: the message is sent, and takes
   * it. `false`: the message is refused with `thread_owned_elsewhere`. Without it: the message is sent where
   * Meta's Business Agent has the conversation, which then is yours, and refused where any other sender has it.
   */
  take?: boolean;
  /** One of the workspace's sending numbers. Required only if the workspace has more than one. */
  from?: string;
  /**
   * Your own id of the message, such as an order number. The message and its events show it, and `GET
   * /messages?reference=` finds it. It is not sent to the network and need not be unique.
   */
  reference?: string;
  /**
   * When to send the message, at most 90 days ahead: it is accepted with 202 and `status: scheduled`, and
   * evaluated again when it is due. A time without an offset is interpreted in the workspace's timezone, and a
   * date is its first instant. A time up to 5 minutes in the past counts as now.
   */
  send_at?: string;
  /**
   * With `send_at`: cancel the message if the person writes before it is sent. A reaction does not count as
   * writing.
   */
  cancel_on_reply?: boolean;
  /** Not together with `reaction`. */
  template?: never;
  /** Not together with `reaction`. */
  text?: never;
  /** Not together with `reaction`. */
  media?: never;
  /** Not together with `reaction`. */
  location?: never;
  /** Not together with `reaction`. */
  contacts?: never;
  /** Not together with `reaction`. */
  interactive?: never;
  /** Only with `template`. */
  language?: never;
  /** Only with `template`. */
  variables?: never;
  /** Only with `template`. */
  cards?: never;
  /** Only with `template`. */
  products?: never;
  /** Only with `template`. */
  offer_expires_at?: never;
  /** Only with `template`. */
  order_details?: never;
  /** Only with `text`. */
  preview_url?: never;
  /** Only with `text` or `interactive`. */
  category?: never;
  /** A reaction names its message in `to`. */
  reply_to?: never;
};

/** Sends an approved template. Templates can be sent at any time. */
export type SendTemplate = {
  /** A phone number in any common format. Without a country code, the workspace's country is assumed. */
  to: string;
  /** Name of the template. */
  template: string;
  /** Language of the template. Required only if the template exists in several languages. */
  language?: string;
  variables?: Variables;
  media?: HeaderMedia;
  location?: Location;
  /**
   * When a limited-time offer ends: the message shows it, and nothing is sent afterwards. A time without an
   * offset is interpreted in the workspace's timezone.
   */
  offer_expires_at?: string;
  /** One for each card of a carousel, in order. */
  cards?: TemplateCard[];
  products?: TemplateProducts;
  order_details?: OrderDetails;
  /** One of the workspace's sending numbers. Required only if the workspace has more than one. */
  from?: string;
  /**
   * Your own id of the message, such as an order number. The message and its events show it, and `GET
   * /messages?reference=` finds it. It is not sent to the network and need not be unique.
   */
  reference?: string;
  /**
   * When to send the message, at most 90 days ahead: it is accepted with 202 and `status: scheduled`, and
   * evaluated again when it is due. A time without an offset is interpreted in the workspace's timezone, and a
   * date is its first instant. A time up to 5 minutes in the past counts as now.
   */
  send_at?: string;
  /**
   * With `send_at`: cancel the message if the person writes before it is sent. A reaction does not count as
   * writing.
   */
  cancel_on_reply?: boolean;
  /** Not together with `template`. */
  text?: never;
  /** Not together with `template`. */
  contacts?: never;
  /** Not together with `template`. */
  interactive?: never;
  /** Not together with `template`. */
  reaction?: never;
  /** Only without `template`. */
  reply_to?: never;
  /** Only without `template`: a template can always be sent. */
  take?: never;
  /** Only without `template`, which has its own. */
  category?: never;
  /** Only with `text`. */
  preview_url?: never;
};

/** Sends free-form text. Free-form text can be sent within 24 hours of the recipient's last message. */
export type SendText = {
  /** A phone number in any common format. Without a country code, the workspace's country is assumed. */
  to: string;
  /** The text, which must not be blank. */
  text: string;
  /** Whether a preview of the first link in the text is shown. Default: false. */
  preview_url?: boolean;
  reply_to?: MessageReference;
  /**
   * Sends the message as a template of this category is sent: at any time, charged, and counted under every
   * limit. WhatsApp makes a template of it. Only accounts that Meta has enabled for Direct Send may; for others
   * the answer is 422 `window_closed`. At most 1,024 characters, with `buttons` or a `link` and a text as
   * header, and without `reply_to`, `preview_url` and `take`.
   */
  category?: "utility";
  /**
   * What happens where another sender on the number has the conversation. `true`: the message is sent, and takes
   * it. `false`: the message is refused with `thread_owned_elsewhere`. Without it: the message is sent where
   * Meta's Business Agent has the conversation, which then is yours, and refused where any other sender has it.
   */
  take?: boolean;
  /** One of the workspace's sending numbers. Required only if the workspace has more than one. */
  from?: string;
  /**
   * Your own id of the message, such as an order number. The message and its events show it, and `GET
   * /messages?reference=` finds it. It is not sent to the network and need not be unique.
   */
  reference?: string;
  /**
   * When to send the message, at most 90 days ahead: it is accepted with 202 and `status: scheduled`, and
   * evaluated again when it is due. A time without an offset is interpreted in the workspace's timezone, and a
   * date is its first instant. A time up to 5 minutes in the past counts as now.
   */
  send_at?: string;
  /**
   * With `send_at`: cancel the message if the person writes before it is sent. A reaction does not count as
   * writing.
   */
  cancel_on_reply?: boolean;
  /** Not together with `text`. */
  template?: never;
  /** Not together with `text`. */
  media?: never;
  /** Not together with `text`. */
  location?: never;
  /** Not together with `text`. */
  contacts?: never;
  /** Not together with `text`. */
  interactive?: never;
  /** Not together with `text`. */
  reaction?: never;
  /** Only with `template`. */
  language?: never;
  /** Only with `template`. */
  variables?: never;
  /** Only with `template`. */
  cards?: never;
  /** Only with `template`. */
  products?: never;
  /** Only with `template`. */
  offer_expires_at?: never;
  /** Only with `template`. */
  order_details?: never;
};

/** Who sent the message. */
export type SentBy = {
  /**
   * `api`: a program, with an API key. `console`: a user of the console. `agent`: a key that is marked as an
   * AI's. `automation`: a key that is marked as an automation's, whose messages do not count as answers, or the
   * server itself.
   */
  kind: "api" | "console" | "agent" | "automation";
  /**
   * The name of the key, or the user's e-mail address, when the message was accepted; null for the server
   * itself, and for messages of versions that did not keep it.
   */
  name: string | null;
  /** Whether the key is marked as an AI's. */
  ai: boolean;
};

/** The file at the top, without its link. */
export type SentFileHeader = {
  /** What the file is. */
  type: "image" | "video" | "document";
  /**
   * For documents only: the file name that the recipient sees. Default: the last part of the link, or the name
   * that came with the upload.
   */
  filename?: string;
  /** The id of the upload; absent for a link. */
  id?: number;
};

/** A file: by a link, which is not stored, or by the id of an upload. */
export type SentMedia = SentMediaByLink | SentMediaById;

/** A file: by a link, which is not stored, or by the id of an upload. */
export type SentMediaById = {
  /** The id of an upload, as `POST /media` answers it. */
  id: number;
  /**
   * What the file is. Required with a link whose end does not show it: `.jpg`, `.mp4`, `.mp3`, `.pdf`, `.webp`
   * do.
   */
  type?: "image" | "video" | "audio" | "document" | "sticker";
  /** The text below an image, a video or a document. */
  caption?: string;
  /**
   * For documents only: the file name that the recipient sees. Default: the last part of the link, or the name
   * that came with the upload.
   */
  filename?: string;
  /** For audio alone: whether phones show it as a voice message. It has to be Ogg with Opus then. Default: false. */
  voice?: boolean;
  /** Not together with `id`. */
  link?: never;
};

/** A file: by a link, which is not stored, or by the id of an upload. */
export type SentMediaByLink = {
  /**
   * A public HTTPS URL, which the network fetches when the message is sent. Image: JPG or PNG up to 5 MB. Video:
   * MP4 or 3GP up to 16 MB. Audio: AAC, AMR, MP3, M4A or Ogg Opus up to 16 MB. Document: up to 100 MB. Sticker:
   * WebP up to 100 kB, animated up to 500 kB.
   */
  link: string;
  /**
   * What the file is. Required with a link whose end does not show it: `.jpg`, `.mp4`, `.mp3`, `.pdf`, `.webp`
   * do.
   */
  type?: "image" | "video" | "audio" | "document" | "sticker";
  /** The text below an image, a video or a document. */
  caption?: string;
  /**
   * For documents only: the file name that the recipient sees. Default: the last part of the link, or the name
   * that came with the upload.
   */
  filename?: string;
  /** For audio alone: whether phones show it as a voice message. It has to be Ogg with Opus then. Default: false. */
  voice?: boolean;
  /** Not together with `link`. */
  id?: never;
};

/** A message that was sent to the person. */
export type SentReference = {
  /** The `id` of the message. */
  message: number;
  /** Not together with `message`. */
  inbound?: never;
};

/** A recipient that a broadcast skips. */
export type Skip = {
  /** The phone number in E.164, or the value from the request if it is not a phone number. */
  to: string;
  /** `opted_out` also for a person who may want to stop. */
  reason: "opted_out" | "invalid_number" | "duplicate" | "no_opt_in" | "missing_variable" | "daily_cap";
  /** Since when; only present with the reason `opted_out`. */
  since?: string;
};

/** Number of recipients that would be skipped, by reason. */
export type SkipCounts = {
  opted_out: number;
  may_want_to_stop: number;
  invalid_number: number;
  duplicate: number;
  no_opt_in: number;
  missing_variable: number;
  daily_cap: number;
};

/** A template as WhatsApp takes it. */
export type SubmitTemplate = {
  /** Lower-case letters, digits and underscores. */
  name: string;
  language: string;
  category: "MARKETING" | "UTILITY" | "AUTHENTICATION";
  /** Whether placeholders are numbered or have names. Default: as the texts have them. */
  parameter_format?: "POSITIONAL" | "NAMED";
  /** For how long WhatsApp tries to deliver a message with the template. */
  message_send_ttl_seconds?: number;
  /**
   * One of the workspace's sending numbers: the template belongs to its account. Required only if the workspace
   * has numbers of several accounts.
   */
  from?: string;
  /** Files of `POST /media` that are given to WhatsApp as samples. */
  sample_media?: {
    /** Id of an upload: the sample of the header. */
    header?: number;
    /** Ids of uploads: the sample of each card. */
    cards?: number[];
  };
  /** In WhatsApp's own form, with samples of all values (`example`). Required without `library`. */
  components?: Array<{
    type: string;
  }>;
  /**
   * Makes the template of one of WhatsApp's library (`GET /templates/library`), in its language and category.
   * `components`, `parameter_format`, `message_send_ttl_seconds` and `sample_media` are omitted then: the
   * library has the words, which are reviewed already.
   */
  library?: {
    /** The name in the library. */
    name: string;
    /**
     * In WhatsApp's own form, one for each button of the library's template, in its order: `url` with `base_url`
     * and `url_suffix_example`, `phone_number`, or `otp_type`.
     */
    buttons?: Array<{
      type: string;
    }>;
    /** What WhatsApp adds to the body, where the template takes it. */
    body?: {
      add_contact_number?: boolean;
      add_learn_more_link?: boolean;
      add_security_recommendation?: boolean;
      add_track_package_link?: boolean;
      code_expiration_minutes?: number;
    };
  };
};

/** A message template, which the network has to approve before it can be sent. */
export type Template = {
  name: string;
  language: string;
  category: "MARKETING" | "UTILITY" | "AUTHENTICATION";
  /** Status of the template at the network. Only an `APPROVED` template can be sent. */
  status: "APPROVED" | "PENDING" | "REJECTED" | "PAUSED" | "DISABLED";
  /**
   * Whether the template is approved, and values by position for header and body, and a file, are all that it
   * takes. False if it needs more (`needs`), and while a new `parameter_order` waits to be confirmed; values by
   * name are sent then, too.
   */
  sendable: boolean;
  /**
   * The members of a request that the template needs beside values for header and body, and a file. Empty if
   * there are none, or if the template cannot be sent at all.
   */
  needs: Array<"variables.buttons" | "location" | "offer_expires_at" | "cards" | "products" | "order_details">;
  variables: {
    /** Number of values for the header. */
    header: number;
    /** Number of values for the body. */
    body: number;
  };
  /**
   * The names of named placeholders, in the order of the text, for values by name in `variables`. Both lists are
   * empty if the placeholders are numbered.
   */
  parameter_names: {
    header: string[];
    body: string[];
  };
  /**
   * The names of named placeholders in the order of values by position: `{{n}}` in `text` is the n-th name of
   * `body`. Names keep the order in which they were first approved here, and an added name comes last. Null if
   * the placeholders are numbered.
   */
  parameter_order: ParameterOrder | null;
  /** The body with its placeholders. */
  text: string;
  /** The media header; null if the template has none. */
  media: TemplateMedia | null;
  /** The components in WhatsApp's own form, as they were approved. */
  components: Array<{
    type: string;
  }>;
  /** Why WhatsApp rejected the template, and what to change; null unless its status is `REJECTED`. */
  rejection: {
    /** In WhatsApp's own words. */
    reason: string;
    /** What to change, in plain text. */
    advice: string;
  } | null;
  /**
   * What is worth mending in a `MARKETING` template, in plain text: it does not say how to stop, or a button
   * looks like a way to stop and is none. It can be sent all the same.
   */
  warnings: string[];
};

/** The network approved a template. It can be sent if `sendable` is true. */
export type TemplateApprovedEvent = {
  /** Id of the event, the same in every attempt: ignore events that you have already processed. */
  id: string;
  type: "template.approved";
  created_at: string;
  data: {
    template: Template;
    /** The network's reason for the rejection; null for an approval. */
    reason: string | null;
  };
};

/** What a card of a carousel shows; which members it needs, the template says. */
export type TemplateCard = {
  media?: CardMedia;
  /** Your own id of the product. */
  product?: string;
  /** Values for the card's text: a list or, for named placeholders, an object of names. */
  body?: Array<string | number> | Record<string, string | number>;
  /**
   * One value for each button that takes one, in order: the end of a link, the code to copy, the payload of a
   * quick reply, the token of a form. Quick replies keep their own words with null, or if all of them are
   * omitted.
   */
  buttons?: Array<string | number | null>;
};

/** What is wrong with a template, and what WhatsApp may find in its review. */
export type TemplateCheck = {
  valid: boolean;
  problems: Array<{
    /** Of the member that is wrong. */
    path: string;
    /** Name of the rule, for programs. */
    rule: string;
    /** What would be right, for people. */
    message: string;
  }>;
  /**
   * What WhatsApp tends to put in another category, which has another price, or to reject in its review. It
   * keeps nothing from being submitted, and a template without warnings may be rejected all the same.
   */
  warnings: Array<{
    /** Of the member that it is about. */
    path: string;
    /** Name of the hint, for programs. */
    rule: string;
    /** What WhatsApp may find, for people. */
    message: string;
    /** Address of the page of WhatsApp's documentation that says it. */
    source: string;
  }>;
};

/** The media header of a template. */
export type TemplateMedia = {
  type: "image" | "video" | "document";
  /** Whether a stored sample is sent if the request has no `media`. */
  default: boolean;
};

/** A template that was sent to one person. */
export type TemplateMessage = {
  id: number;
  /** The recipient's phone number in E.164, or their user id if no phone number is known. */
  to: string;
  /** The sending number in E.164. */
  from: string;
  /** Your own id of the message, as you sent it; null if you sent none. */
  reference: string | null;
  sent_by: SentBy;
  type: "template";
  /** The template's category when the message was sent; null for one that is not sent yet. */
  category: "marketing" | "utility" | "authentication" | null;
  template: MessageTemplate;
  content: null;
  reply_to: null;
  /**
   * The text that the recipient sees, with all variables filled in: of a file its caption, of a place its name,
   * of contact cards the names, of a reaction the emoji. Empty if there are no words.
   */
  text: string;
  /**
   * `scheduled`: to be sent at `send_at`; `cancelled`: it will not be sent. Only messages with `send_at` are
   * either. `sent`: accepted by the network. `delivered`: delivered to the recipient's phone. `read`: read by
   * the recipient. `failed`: not delivered; `error` gives the reason.
   */
  status: "scheduled" | "sent" | "delivered" | "read" | "failed" | "cancelled";
  /** Why the message failed; null unless it failed. */
  error: MessageError | null;
  /** Whether the message is charged when it is delivered: true in a workspace that is charged. */
  charged: boolean;
  /** When this server accepted the message. */
  created_at: string;
  /** When a scheduled message is to be sent, as you asked; null for one that was sent at once. */
  send_at: string | null;
  /** When the network accepted the message. */
  sent_at: string | null;
  /** When the message was delivered to the recipient's phone. */
  delivered_at: string | null;
  /** When the recipient read the message. Recipients can turn off read receipts. */
  read_at: string | null;
};

/** Products of a catalogue that is connected to the account. */
export type TemplateProducts = {
  /**
   * Id of the catalogue. Required where the template or its cards show a product; elsewhere WhatsApp takes the
   * catalogue of the account.
   */
  catalog_id?: string;
  /** Your own id of the product whose picture is shown at the top. Optional with a catalogue. */
  thumbnail?: string;
  /** What a multi-product template shows; only for such a template. */
  sections?: ProductSection[];
};

/** The network rejected a template. `reason` is the network's explanation. */
export type TemplateRejectedEvent = {
  /** Id of the event, the same in every attempt: ignore events that you have already processed. */
  id: string;
  type: "template.rejected";
  created_at: string;
  data: {
    template: Template;
    /** The network's reason for the rejection; null for an approval. */
    reason: string | null;
  };
};

/**
 * A template was submitted, corrected or deleted through the API, WhatsApp decided on it, or its content or
 * category changed at WhatsApp. Sent only to addresses that asked for it (`waxwing webhook set --types`).
 */
export type TemplateUpdatedEvent = {
  /** Id of the event, the same in every attempt: ignore events that you have already processed. */
  id: string;
  type: "template.updated";
  created_at: string;
  data: {
    template: Template;
  };
};

/** The text that was sent. */
export type TextContent = {
  text: string;
  preview_url?: boolean;
};

/** Free-form text that was sent to one person. */
export type TextMessage = {
  id: number;
  /** The recipient's phone number in E.164, or their user id if no phone number is known. */
  to: string;
  /** The sending number in E.164. */
  from: string;
  /** Your own id of the message, as you sent it; null if you sent none. */
  reference: string | null;
  sent_by: SentBy;
  type: "text";
  /** `utility`: it was sent with this category, as a template is; null for a free message. */
  category: "utility" | null;
  template: null;
  /** What was sent, in the form of the request and without links. Null once the person was erased. */
  content: TextContent | null;
  /** The message that yours answers; null if you named none. */
  reply_to: NamedMessage | null;
  /**
   * The text that the recipient sees, with all variables filled in: of a file its caption, of a place its name,
   * of contact cards the names, of a reaction the emoji. Empty if there are no words.
   */
  text: string;
  /**
   * `scheduled`: to be sent at `send_at`; `cancelled`: it will not be sent. Only messages with `send_at` are
   * either. `sent`: accepted by the network. `delivered`: delivered to the recipient's phone. `read`: read by
   * the recipient. `failed`: not delivered; `error` gives the reason.
   */
  status: "scheduled" | "sent" | "delivered" | "read" | "failed" | "cancelled";
  /** Why the message failed; null unless it failed. */
  error: MessageError | null;
  /** Whether the message is charged when it is delivered: with a `category`, in a workspace that is charged. */
  charged: boolean;
  /** When this server accepted the message. */
  created_at: string;
  /** When a scheduled message is to be sent, as you asked; null for one that was sent at once. */
  send_at: string | null;
  /** When the network accepted the message. */
  sent_at: string | null;
  /** When the message was delivered to the recipient's phone. */
  delivered_at: string | null;
  /** When the recipient read the message. Recipients can turn off read receipts. */
  read_at: string | null;
};

/** A file that was uploaded to be sent. */
export type UploadedMedia = {
  /** Id for `media.id` of a message and for `GET /media/{id}`. */
  id: number;
  /** Read from the bytes. */
  mime_type: string;
  /** Size. */
  bytes: number;
  /** SHA-256 of the bytes, in base64. */
  sha256: string;
  /** The name that came with the file. */
  filename: string | null;
  /** When it was uploaded. */
  created_at: string;
  /** When it is deleted, unless it is sent before; null: never. */
  expires_at: string | null;
};

/**
 * Values for the template's placeholders and buttons: an array fills the body; an object has separate values for
 * the header and the body, each as an array or, for named placeholders, as an object of names, and an array for
 * the buttons.
 */
export type Variables = Array<string | number> | {
  /**
   * Values in the order of the placeholders. A text is one line, is not blank and has at most four spaces in a
   * row; a number needs no exponent.
   */
  header?: Array<string | number>;
  /**
   * Values in the order of the placeholders. A text is one line, is not blank and has at most four spaces in a
   * row; a number needs no exponent.
   */
  body?: Array<string | number>;
  /**
   * One value for each button that takes one, in order: the end of a link, the code to copy, the payload of a
   * quick reply, the token of a form. Quick replies keep their own words with null, or if all of them are
   * omitted.
   */
  buttons?: Array<string | number | null>;
} | NamedVariables;

/** An address that receives events. */
export type Webhook = {
  /** The workspace's first address, which `webhook set` sets, has the id 1. */
  id: number;
  url: string;
  /** The types of events that the address receives. */
  types: Array<"message.sent" | "message.delivered" | "message.read" | "message.failed" | "message.scheduled" | "message.cancelled" | "message.received" | "media.stored" | "media.failed" | "contact.opted_out" | "contact.opted_in" | "contact.may_want_to_stop" | "contact.updated" | "conversation.updated" | "contact.erased" | "broadcast.paused" | "broadcast.resumed" | "broadcast.blocked" | "broadcast.finished" | "template.approved" | "template.rejected" | "template.updated" | "webhook.test">;
  /**
   * A disabled address receives nothing, and what was waiting for it is exhausted: it can be replayed once the
   * address is active again.
   */
  state: "active" | "disabled";
  /**
   * How long, from a person's first message on, what the person writes to a number is gathered into one
   * `message.received` with `texts` and `messages`: 1s to 5m. Null: each message is sent alone.
   */
  group_bursts: string | null;
  /** Until when the previous secret signs beside the present one; null: it does not. */
  old_secret_until: string | null;
  updated_at: string;
};

/** A test event was requested for this webhook. `data` is empty. */
export type WebhookTestEvent = {
  /** Id of the event, the same in every attempt: ignore events that you have already processed. */
  id: string;
  type: "webhook.test";
  created_at: string;
  data: Record<string, unknown>;
};

/** The workspace that the API key belongs to. */
export type Workspace = {
  id: number;
  name: string;
  /** ISO 3166 code of the country that is assumed for phone numbers without a country code. */
  country: string;
  /** IANA name. All times in responses have the offset of this timezone. */
  timezone: string;
  numbers: SendingNumber[];
  /** Balance and price; null if the workspace is not charged. */
  billing: Billing | null;
};

/** The settings of a workspace. */
export type WorkspaceSettings = {
  /** The name that your team sees, and that e-mails of this server name. */
  name: string;
  /** Phone numbers without a country code are read as numbers of this country, from now on. */
  country: string;
  /** Every time is shown in it, and quiet hours and birthdays follow it. Scheduled broadcasts keep their moment. */
  timezone: string;
  /** At most so many people are sent a template within 24 hours. Empty: no limit. */
  daily_cap: number | null;
  /** A person who writes one of them, and nothing else, is opted out, as with STOP and its translations. */
  stop_words: string[];
  /** A person who writes one of them, and nothing else, is opted in, as with START, UNSTOP and SUBSCRIBE. */
  start_words: string[];
  /**
   * Outside these hours of your timezone, a person who writes gets the away message, once a day. For example:
   * mon-fri 09:00-13:00, 15:00-19:00; sat 10:00-14:00. A day that is not named is closed. Empty: always open.
   */
  opening_hours: string;
  /** Dates on which you are closed, such as 2026-12-26, or 12-25 for that day of every year. */
  closed_days: string[];
  /**
   * Answers a person who writes outside the opening hours, at most once a day. The conversation still waits for
   * your answer. Empty: nothing is sent.
   */
  away_message: string;
  /**
   * In these hours of your timezone, such as 21:00-08:00, scheduled messages of marketing templates wait for the
   * end, and so does a marketing broadcast that is more than an hour late. A broadcast that starts at its time
   * is sent. Write off for none. Empty: those of this server.
   */
  quiet: string;
  /**
   * The first paragraph of the first message that an AI sends a person, such as: This answer was written by an
   * AI. Write PERSON to reach one of us. It is repeated when the person writes again after 24 hours of silence.
   * It concerns keys that are marked as an AI's; templates say it in their own words. Empty: nothing is added.
   */
  ai_notice: string;
  /**
   * When people see on their phone that you have read what they wrote. While a colleague types, they see that
   * too, unless it is never: WhatsApp shows typing only with the receipt.
   */
  read_receipts: string;
  /**
   * What people agree to, such as offers and news by WhatsApp. It is recorded with each new opt-in, by the API,
   * the console or a file, that names neither purpose nor notice. Opt-ins of the past stay as they are.
   */
  purpose: string;
  /**
   * The text that people are shown when they agree, or its version. It is recorded together with the purpose, as
   * evidence.
   */
  notice: string;
  /**
   * Messages to one person that are older are deleted, with their texts; balance and figures stay. Recipients of
   * broadcasts are kept as the server's operator says.
   */
  message_retention: string;
  /** Texts that are older are deleted, those that a phone on the number sent, too. Consent and its evidence stay. */
  inbound_retention: string;
  /** Files that are older are deleted. */
  media_retention: string;
};

/** An error with the code `api_not_enabled`. */
export type ApiNotEnabledError = {
  /** Error code. Codes never change, so you can branch on them. */
  code: "api_not_enabled";
  /** Explanation of the error, suitable for showing to people. The wording may change. */
  message: string;
  /** For lack of a scope: the header `Authorization`. */
  faults?: FieldFault[];
  /** The message that the request stored, if it did. */
  message_id?: number;
  /**
   * Present wherever the network was asked, and with 503. `not_sent`: the network provably does not have the
   * message. `unknown`: it may have it.
   */
  outcome?: "not_sent" | "unknown";
  /**
   * For requests that take an Idempotency-Key: which key the next try needs. `same`: the key is unused, or the
   * outcome is unknown, and the same key never sends twice. `new`: this answer is kept under the key, and
   * nothing was sent.
   */
  retry_key?: "same" | "new";
  /** Whether the same request may succeed later without a change. Never true if anything may have been sent. */
  retryable: boolean;
};

/** An error with the code `conversation_assigned`. */
export type ConversationAssignedError = {
  /** Error code. Codes never change, so you can branch on them. */
  code: "conversation_assigned";
  /** Explanation of the error, suitable for showing to people. The wording may change. */
  message: string;
  /** Whether the same request may succeed later without a change. Never true if anything may have been sent. */
  retryable: boolean;
};

/** What is wrong with one field, for programs. */
export type FieldFault = {
  /** The field's path. */
  field: string;
  /** What is wrong. Rules never change, so you can branch on them. New ones may be added. */
  rule: "required" | "unknown" | "type" | "too_long" | "too_short" | "too_many" | "too_few" | "too_small" | "too_large" | "one_of" | "format" | "conflict" | "not_found" | "missing_scope" | "invalid";
  /** With the `too_…` rules: the largest or smallest value, length or count. */
  limit?: number;
  /** The name that you probably meant; with `missing_scope`: the scope that the key lacks. */
  suggestion?: string;
};

/** An error with the code `idempotency_conflict`. */
export type IdempotencyConflictError = {
  /** Error code. Codes never change, so you can branch on them. */
  code: "idempotency_conflict";
  /** Explanation of the error, suitable for showing to people. The wording may change. */
  message: string;
  /** The message that the request stored, if it did. */
  message_id?: number;
  /**
   * Present wherever the network was asked, and with 503. `not_sent`: the network provably does not have the
   * message. `unknown`: it may have it.
   */
  outcome?: "not_sent" | "unknown";
  /**
   * For requests that take an Idempotency-Key: which key the next try needs. `same`: the key is unused, or the
   * outcome is unknown, and the same key never sends twice. `new`: this answer is kept under the key, and
   * nothing was sent.
   */
  retry_key: "same" | "new";
  /** Whether the same request may succeed later without a change. Never true if anything may have been sent. */
  retryable: boolean;
};

/** An error with the code `insufficient_balance`. */
export type InsufficientBalanceError = {
  /** Error code. Codes never change, so you can branch on them. */
  code: "insufficient_balance";
  /** Explanation of the error, suitable for showing to people. The wording may change. */
  message: string;
  /** The cost of the request. */
  needed: string;
  /** The available balance. */
  available: string;
  /** The message that the request stored, if it did. */
  message_id?: number;
  /**
   * Present wherever the network was asked, and with 503. `not_sent`: the network provably does not have the
   * message. `unknown`: it may have it.
   */
  outcome?: "not_sent" | "unknown";
  /**
   * For requests that take an Idempotency-Key: which key the next try needs. `same`: the key is unused, or the
   * outcome is unknown, and the same key never sends twice. `new`: this answer is kept under the key, and
   * nothing was sent.
   */
  retry_key: "same" | "new";
  /** Whether the same request may succeed later without a change. Never true if anything may have been sent. */
  retryable: boolean;
};

/** An error with the code `internal_error`. */
export type InternalError = {
  /** Error code. Codes never change, so you can branch on them. */
  code: "internal_error";
  /** Explanation of the error, suitable for showing to people. The wording may change. */
  message: string;
  /** The message that the request stored, if it did. */
  message_id?: number;
  /**
   * Present wherever the network was asked, and with 503. `not_sent`: the network provably does not have the
   * message. `unknown`: it may have it.
   */
  outcome?: "not_sent" | "unknown";
  /**
   * For requests that take an Idempotency-Key: which key the next try needs. `same`: the key is unused, or the
   * outcome is unknown, and the same key never sends twice. `new`: this answer is kept under the key, and
   * nothing was sent.
   */
  retry_key?: "same" | "new";
  /** Whether the same request may succeed later without a change. Never true if anything may have been sent. */
  retryable: boolean;
};

/** An error with the code `invalid_number`. */
export type InvalidNumberError = {
  /** Error code. Codes never change, so you can branch on them. */
  code: "invalid_number";
  /** Explanation of the error, suitable for showing to people. The wording may change. */
  message: string;
  /** The message that the request stored, if it did. */
  message_id?: number;
  /**
   * Present wherever the network was asked, and with 503. `not_sent`: the network provably does not have the
   * message. `unknown`: it may have it.
   */
  outcome?: "not_sent" | "unknown";
  /**
   * For requests that take an Idempotency-Key: which key the next try needs. `same`: the key is unused, or the
   * outcome is unknown, and the same key never sends twice. `new`: this answer is kept under the key, and
   * nothing was sent.
   */
  retry_key?: "same" | "new";
  /** Whether the same request may succeed later without a change. Never true if anything may have been sent. */
  retryable: boolean;
};

/** An error with the code `invalid_request`. */
export type InvalidRequestError = {
  /** Error code. Codes never change, so you can branch on them. */
  code: "invalid_request";
  /** Explanation of the error, suitable for showing to people. The wording may change. */
  message: string;
  /** The problems of each field, keyed by the field's path. */
  fields: Record<string, string[]>;
  /** One entry for each problem in `fields`; absent where no field is at fault. */
  faults?: FieldFault[];
  /** Of `GET /events`: the cursor to start again from. */
  oldest?: string;
  /** The message that the request stored, if it did. */
  message_id?: number;
  /**
   * Present wherever the network was asked, and with 503. `not_sent`: the network provably does not have the
   * message. `unknown`: it may have it.
   */
  outcome?: "not_sent" | "unknown";
  /**
   * For requests that take an Idempotency-Key: which key the next try needs. `same`: the key is unused, or the
   * outcome is unknown, and the same key never sends twice. `new`: this answer is kept under the key, and
   * nothing was sent.
   */
  retry_key?: "same" | "new";
  /** Whether the same request may succeed later without a change. Never true if anything may have been sent. */
  retryable: boolean;
};

/** An error with the code `missing_media`. */
export type MissingMediaError = {
  /** Error code. Codes never change, so you can branch on them. */
  code: "missing_media";
  /** Explanation of the error, suitable for showing to people. The wording may change. */
  message: string;
  /** The message that the request stored, if it did. */
  message_id?: number;
  /**
   * Present wherever the network was asked, and with 503. `not_sent`: the network provably does not have the
   * message. `unknown`: it may have it.
   */
  outcome?: "not_sent" | "unknown";
  /**
   * For requests that take an Idempotency-Key: which key the next try needs. `same`: the key is unused, or the
   * outcome is unknown, and the same key never sends twice. `new`: this answer is kept under the key, and
   * nothing was sent.
   */
  retry_key?: "same" | "new";
  /** Whether the same request may succeed later without a change. Never true if anything may have been sent. */
  retryable: boolean;
};

/** An error with the code `missing_variable`. */
export type MissingVariableError = {
  /** Error code. Codes never change, so you can branch on them. */
  code: "missing_variable";
  /** Explanation of the error, suitable for showing to people. The wording may change. */
  message: string;
  /** The message that the request stored, if it did. */
  message_id?: number;
  /**
   * Present wherever the network was asked, and with 503. `not_sent`: the network provably does not have the
   * message. `unknown`: it may have it.
   */
  outcome?: "not_sent" | "unknown";
  /**
   * For requests that take an Idempotency-Key: which key the next try needs. `same`: the key is unused, or the
   * outcome is unknown, and the same key never sends twice. `new`: this answer is kept under the key, and
   * nothing was sent.
   */
  retry_key?: "same" | "new";
  /** Whether the same request may succeed later without a change. Never true if anything may have been sent. */
  retryable: boolean;
};

/** An error with the code `not_cancellable`. */
export type NotCancellableError = {
  /** Error code. Codes never change, so you can branch on them. */
  code: "not_cancellable";
  /** Explanation of the error, suitable for showing to people. The wording may change. */
  message: string;
  /** Whether the same request may succeed later without a change. Never true if anything may have been sent. */
  retryable: boolean;
};

/** An error with the code `not_found`. */
export type NotFoundError = {
  /** Error code. Codes never change, so you can branch on them. */
  code: "not_found";
  /** Explanation of the error, suitable for showing to people. The wording may change. */
  message: string;
  /**
   * Of `GET /contacts/{phone}`: the person's new number, for 30 days after they moved away from this one, unless
   * another contact has it now.
   */
  moved_to?: string;
  /** The message that the request stored, if it did. */
  message_id?: number;
  /**
   * Present wherever the network was asked, and with 503. `not_sent`: the network provably does not have the
   * message. `unknown`: it may have it.
   */
  outcome?: "not_sent" | "unknown";
  /**
   * For requests that take an Idempotency-Key: which key the next try needs. `same`: the key is unused, or the
   * outcome is unknown, and the same key never sends twice. `new`: this answer is kept under the key, and
   * nothing was sent.
   */
  retry_key?: "same" | "new";
  /** Whether the same request may succeed later without a change. Never true if anything may have been sent. */
  retryable: boolean;
};

/** An error with the code `number_not_ready`. */
export type NumberNotReadyError = {
  /** Error code. Codes never change, so you can branch on them. */
  code: "number_not_ready";
  /** Explanation of the error, suitable for showing to people. The wording may change. */
  message: string;
  /** The message that the request stored, if it did. */
  message_id?: number;
  /**
   * Present wherever the network was asked, and with 503. `not_sent`: the network provably does not have the
   * message. `unknown`: it may have it.
   */
  outcome?: "not_sent" | "unknown";
  /**
   * For requests that take an Idempotency-Key: which key the next try needs. `same`: the key is unused, or the
   * outcome is unknown, and the same key never sends twice. `new`: this answer is kept under the key, and
   * nothing was sent.
   */
  retry_key?: "same" | "new";
  /** Whether the same request may succeed later without a change. Never true if anything may have been sent. */
  retryable: boolean;
};

/** An error with the code `opted_out`. */
export type OptedOutError = {
  /** Error code. Codes never change, so you can branch on them. */
  code: "opted_out";
  /** Explanation of the error, suitable for showing to people. The wording may change. */
  message: string;
  /** When the person opted out. */
  since: string;
  /** The message that the request stored, if it did. */
  message_id?: number;
  /**
   * Present wherever the network was asked, and with 503. `not_sent`: the network provably does not have the
   * message. `unknown`: it may have it.
   */
  outcome?: "not_sent" | "unknown";
  /**
   * For requests that take an Idempotency-Key: which key the next try needs. `same`: the key is unused, or the
   * outcome is unknown, and the same key never sends twice. `new`: this answer is kept under the key, and
   * nothing was sent.
   */
  retry_key?: "same" | "new";
  /** Whether the same request may succeed later without a change. Never true if anything may have been sent. */
  retryable: boolean;
};

/** An error with the code `rate_limited`. */
export type RateLimitedError = {
  /** Error code. Codes never change, so you can branch on them. */
  code: "rate_limited";
  /** Explanation of the error, suitable for showing to people. The wording may change. */
  message: string;
  /** The message that the request stored, if it did. */
  message_id?: number;
  /**
   * Present wherever the network was asked, and with 503. `not_sent`: the network provably does not have the
   * message. `unknown`: it may have it.
   */
  outcome?: "not_sent" | "unknown";
  /**
   * For requests that take an Idempotency-Key: which key the next try needs. `same`: the key is unused, or the
   * outcome is unknown, and the same key never sends twice. `new`: this answer is kept under the key, and
   * nothing was sent.
   */
  retry_key?: "same" | "new";
  /** Whether the same request may succeed later without a change. Never true if anything may have been sent. */
  retryable: boolean;
};

/** An error with the code `template_not_found`. */
export type TemplateNotFoundError = {
  /** Error code. Codes never change, so you can branch on them. */
  code: "template_not_found";
  /** Explanation of the error, suitable for showing to people. The wording may change. */
  message: string;
  /** The field that names the template or its language. */
  faults?: FieldFault[];
  /** The message that the request stored, if it did. */
  message_id?: number;
  /**
   * Present wherever the network was asked, and with 503. `not_sent`: the network provably does not have the
   * message. `unknown`: it may have it.
   */
  outcome?: "not_sent" | "unknown";
  /**
   * For requests that take an Idempotency-Key: which key the next try needs. `same`: the key is unused, or the
   * outcome is unknown, and the same key never sends twice. `new`: this answer is kept under the key, and
   * nothing was sent.
   */
  retry_key?: "same" | "new";
  /** Whether the same request may succeed later without a change. Never true if anything may have been sent. */
  retryable: boolean;
};

/** An error with the code `template_not_sendable`. */
export type TemplateNotSendableError = {
  /** Error code. Codes never change, so you can branch on them. */
  code: "template_not_sendable";
  /** Explanation of the error, suitable for showing to people. The wording may change. */
  message: string;
  /** The message that the request stored, if it did. */
  message_id?: number;
  /**
   * Present wherever the network was asked, and with 503. `not_sent`: the network provably does not have the
   * message. `unknown`: it may have it.
   */
  outcome?: "not_sent" | "unknown";
  /**
   * For requests that take an Idempotency-Key: which key the next try needs. `same`: the key is unused, or the
   * outcome is unknown, and the same key never sends twice. `new`: this answer is kept under the key, and
   * nothing was sent.
   */
  retry_key?: "same" | "new";
  /** Whether the same request may succeed later without a change. Never true if anything may have been sent. */
  retryable: boolean;
};

/** An error with the code `thread_owned_elsewhere`. */
export type ThreadOwnedElsewhereError = {
  /** Error code. Codes never change, so you can branch on them. */
  code: "thread_owned_elsewhere";
  /** Explanation of the error, suitable for showing to people. The wording may change. */
  message: string;
  /** The message that the request stored, if it did. */
  message_id?: number;
  /**
   * Present wherever the network was asked, and with 503. `not_sent`: the network provably does not have the
   * message. `unknown`: it may have it.
   */
  outcome?: "not_sent" | "unknown";
  /**
   * For requests that take an Idempotency-Key: which key the next try needs. `same`: the key is unused, or the
   * outcome is unknown, and the same key never sends twice. `new`: this answer is kept under the key, and
   * nothing was sent.
   */
  retry_key: "same" | "new";
  /** Whether the same request may succeed later without a change. Never true if anything may have been sent. */
  retryable: boolean;
};

/** An error with the code `unauthenticated`. */
export type UnauthenticatedError = {
  /** Error code. Codes never change, so you can branch on them. */
  code: "unauthenticated";
  /** Explanation of the error, suitable for showing to people. The wording may change. */
  message: string;
  /** The message that the request stored, if it did. */
  message_id?: number;
  /**
   * Present wherever the network was asked, and with 503. `not_sent`: the network provably does not have the
   * message. `unknown`: it may have it.
   */
  outcome?: "not_sent" | "unknown";
  /**
   * For requests that take an Idempotency-Key: which key the next try needs. `same`: the key is unused, or the
   * outcome is unknown, and the same key never sends twice. `new`: this answer is kept under the key, and
   * nothing was sent.
   */
  retry_key?: "same" | "new";
  /** Whether the same request may succeed later without a change. Never true if anything may have been sent. */
  retryable: boolean;
};

/** An error with the code `unavailable`. */
export type UnavailableError = {
  /** Error code. Codes never change, so you can branch on them. */
  code: "unavailable";
  /** Explanation of the error, suitable for showing to people. The wording may change. */
  message: string;
  /** The message that the request stored, if it did. */
  message_id?: number;
  /**
   * Present wherever the network was asked, and with 503. `not_sent`: the network provably does not have the
   * message. `unknown`: it may have it.
   */
  outcome?: "not_sent" | "unknown";
  /**
   * For requests that take an Idempotency-Key: which key the next try needs. `same`: the key is unused, or the
   * outcome is unknown, and the same key never sends twice. `new`: this answer is kept under the key, and
   * nothing was sent.
   */
  retry_key?: "same" | "new";
  /** Whether the same request may succeed later without a change. Never true if anything may have been sent. */
  retryable: boolean;
};

/** An error with the code `unsupported_template`. */
export type UnsupportedTemplateError = {
  /** Error code. Codes never change, so you can branch on them. */
  code: "unsupported_template";
  /** Explanation of the error, suitable for showing to people. The wording may change. */
  message: string;
  /** The message that the request stored, if it did. */
  message_id?: number;
  /**
   * Present wherever the network was asked, and with 503. `not_sent`: the network provably does not have the
   * message. `unknown`: it may have it.
   */
  outcome?: "not_sent" | "unknown";
  /**
   * For requests that take an Idempotency-Key: which key the next try needs. `same`: the key is unused, or the
   * outcome is unknown, and the same key never sends twice. `new`: this answer is kept under the key, and
   * nothing was sent.
   */
  retry_key?: "same" | "new";
  /** Whether the same request may succeed later without a change. Never true if anything may have been sent. */
  retryable: boolean;
};

/** An error with the code `whatsapp_error`. */
export type WhatsappError = {
  /** Error code. Codes never change, so you can branch on them. */
  code: "whatsapp_error";
  /** Explanation of the error, suitable for showing to people. The wording may change. */
  message: string;
  /**
   * The network's error code, for support requests. `timeout`, `unreachable` and `interrupted` are codes of this
   * server: it received no response from the network.
   */
  whatsapp_code: string;
  /** The message that the request stored, if it did. */
  message_id?: number;
  /**
   * Present wherever the network was asked, and with 503. `not_sent`: the network provably does not have the
   * message. `unknown`: it may have it.
   */
  outcome?: "not_sent" | "unknown";
  /**
   * For requests that take an Idempotency-Key: which key the next try needs. `same`: the key is unused, or the
   * outcome is unknown, and the same key never sends twice. `new`: this answer is kept under the key, and
   * nothing was sent.
   */
  retry_key?: "same" | "new";
  /** Whether the same request may succeed later without a change. Never true if anything may have been sent. */
  retryable: boolean;
};

/** An error with the code `window_closed`. */
export type WindowClosedError = {
  /** Error code. Codes never change, so you can branch on them. */
  code: "window_closed";
  /** Explanation of the error, suitable for showing to people. The wording may change. */
  message: string;
  /** The message that the request stored, if it did. */
  message_id?: number;
  /**
   * Present wherever the network was asked, and with 503. `not_sent`: the network provably does not have the
   * message. `unknown`: it may have it.
   */
  outcome?: "not_sent" | "unknown";
  /**
   * For requests that take an Idempotency-Key: which key the next try needs. `same`: the key is unused, or the
   * outcome is unknown, and the same key never sends twice. `new`: this answer is kept under the key, and
   * nothing was sent.
   */
  retry_key: "same" | "new";
  /** Whether the same request may succeed later without a change. Never true if anything may have been sent. */
  retryable: boolean;
};

/** An error with the code `workspace_suspended`. */
export type WorkspaceSuspendedError = {
  /** Error code. Codes never change, so you can branch on them. */
  code: "workspace_suspended";
  /** Explanation of the error, suitable for showing to people. The wording may change. */
  message: string;
  /** The message that the request stored, if it did. */
  message_id?: number;
  /**
   * Present wherever the network was asked, and with 503. `not_sent`: the network provably does not have the
   * message. `unknown`: it may have it.
   */
  outcome?: "not_sent" | "unknown";
  /**
   * For requests that take an Idempotency-Key: which key the next try needs. `same`: the key is unused, or the
   * outcome is unknown, and the same key never sends twice. `new`: this answer is kept under the key, and
   * nothing was sent.
   */
  retry_key?: "same" | "new";
  /** Whether the same request may succeed later without a change. Never true if anything may have been sent. */
  retryable: boolean;
};

export interface GetUsageQuery {
  /** The month, by the workspace's timezone; by default the present one. */
  month?: string;
}

export interface ListMessagesQuery {
  /** Return only messages that were sent with this `reference`. */
  reference?: string;
  /** Return only messages whose request had this `Idempotency-Key`. */
  idempotency_key?: string;
  /** Return only messages to this phone number, in any common format. Encode a leading `+` as `%2B`. */
  to?: string;
  /** Return only messages with this status. */
  status?: "scheduled" | "sent" | "delivered" | "read" | "failed" | "cancelled";
  /** Return only messages that were accepted at or after this time. */
  since?: string;
  /** Number of the page. A page past the end is empty. */
  page?: number;
  /** Maximum number of entries on a page; more than 500 counts as 500. */
  per_page?: number;
  /**
   * Cursor: the `meta.next` of the previous response. Use it for syncing: with page numbers, an entry that is
   * removed between two requests shifts all later entries.
   */
  after?: string;
}

export interface ListBroadcastsQuery {
  /** Number of the page. A page past the end is empty. */
  page?: number;
  /** Maximum number of entries on a page; more than 500 counts as 500. */
  per_page?: number;
  /**
   * Cursor: the `meta.next` of the previous response. Use it for syncing: with page numbers, an entry that is
   * removed between two requests shifts all later entries.
   */
  after?: string;
}

export interface ListRecipientsQuery {
  /**
   * Return only recipients with this status. `pending` returns all recipients whose message has not been sent
   * yet.
   */
  status?: "pending" | "sent" | "delivered" | "read" | "failed" | "skipped";
  /** Number of the page. A page past the end is empty. */
  page?: number;
  /** Maximum number of entries on a page; more than 500 counts as 500. */
  per_page?: number;
  /**
   * Cursor: the `meta.next` of the previous response. Use it for syncing: with page numbers, an entry that is
   * removed between two requests shifts all later entries.
   */
  after?: string;
}

export interface ListContactsQuery {
  /** Only contacts with this tag. */
  tag?: string;
  /** Only contacts in this group, static or dynamic: its id, or its name if no group has this id. */
  group?: string;
  /** Only contacts with this consent. */
  consent?: "unknown" | "opted_in" | "opted_out";
  /**
   * Only contacts whose phone number is of this country, two letters as in ISO 3166. Countries that share a
   * calling code, such as Jersey and the United Kingdom, are listed together, except for +1 and +7.
   */
  country?: string;
  /**
   * Only contacts with this text in a name, the e-mail address, the username or the phone number, or with each
   * of its words, at most 8, at the beginning of a name.
   */
  q?: string;
  /** Only contacts that match this filter: JSON, as the filter of a dynamic group. */
  filter?: string;
  /** Return only contacts that were updated at or after this time. */
  updated_since?: string;
  /**
   * The order of the list; with - before it, the other direction. By phone, name, consent, last_message_at,
   * created_at, updated_at, city, username, birthday or anniversary. By another profile field, or by fields. and
   * the key of a custom field, at most 20,000 contacts. Contacts without a value come last. Pages are read with
   * `after`; a contact whose value changes meanwhile can be missed or returned twice. Without it, the list is
   * sorted by update, newest first, and nothing is missed.
   */
  sort?: string;
  /**
   * `any`: also list people whom the network names by its own user id alone; their `phone` is null. Without it,
   * only people with a phone number are listed.
   */
  identity?: "phone" | "any";
  /** Number of the page. A page past the end is empty. */
  page?: number;
  /** Maximum number of entries on a page; more than 500 counts as 500. */
  per_page?: number;
  /**
   * Cursor: the `meta.next` of the previous response. Use it for syncing: with page numbers, an entry that is
   * removed between two requests shifts all later entries.
   */
  after?: string;
}

export interface GetConversationQuery {
  /** Maximum number of entries on a page; more than 500 counts as 500. */
  per_page?: number;
  /** Cursor: the `meta.next` of the previous response. */
  after?: string;
}

export interface ListConversationsQuery {
  /** Maximum number of entries on a page; more than 500 counts as 500. */
  per_page?: number;
  /** Cursor: the `meta.next` of the previous response. */
  after?: string;
  /** Only the conversations on this number of yours, in any common format. */
  number?: string;
  /** Only the conversations in this state. */
  state?: "open" | "snoozed" | "done";
  /**
   * Only the conversations that this user of the console answers: the e-mail address, or `none` for those
   * without an assignee.
   */
  assignee?: string;
}

export interface ListConversationNotesQuery {
  /** Maximum number of entries on a page; more than 500 counts as 500. */
  per_page?: number;
  /** Cursor: the `meta.next` of the previous response. */
  after?: string;
}

export interface SearchQuery {
  /**
   * The words to find, with spaces between them: all of them, each a whole word or the beginning of one, in any
   * script. Case and accents make no difference. A phone number may have spaces. Without it: everything that the
   * filters let through.
   */
  q?: string;
  /** What to find, with commas between them: `messages`, `contacts`, `notes`. Default: all. */
  kinds?: string;
  /** Only what belongs to this person: a phone number in any common format, or a user id. */
  from?: string;
  /** Only what is on this number of yours, in any common format. */
  number?: string;
  /** Only what belongs to people with this tag. */
  tag?: string;
  /** Only what was written at this time or later. */
  since?: string;
  /** Only what was written at this time or earlier. */
  until?: string;
  /** Only messages with a file. */
  has_file?: boolean;
  /** Maximum number of entries on a page; more than 500 counts as 500. */
  per_page?: number;
  /** Cursor: the `meta.next` of the previous response. */
  after?: string;
}

export interface ListOptOutsQuery {
  /** Return only opt-outs that were recorded at or after this time. */
  since?: string;
  /**
   * `any`: also list people whom the network names by its own user id alone; their `phone` is null. Without it,
   * only people with a phone number are listed.
   */
  identity?: "phone" | "any";
  /** Number of the page. A page past the end is empty. */
  page?: number;
  /** Maximum number of entries on a page; more than 500 counts as 500. */
  per_page?: number;
  /**
   * Cursor: the `meta.next` of the previous response. Use it for syncing: with page numbers, an entry that is
   * removed between two requests shifts all later entries.
   */
  after?: string;
}

export interface ListTemplatesQuery {
  /** Return only templates with this status. */
  status?: "APPROVED" | "PENDING" | "REJECTED" | "PAUSED" | "DISABLED";
  /**
   * Return the templates that WhatsApp made of messages with a `category` (Direct Send) instead of the
   * workspace's own. They can be neither corrected nor deleted.
   */
  generated?: boolean;
  /** Number of the page. A page past the end is empty. */
  page?: number;
  /** Maximum number of entries on a page; more than 500 counts as 500. */
  per_page?: number;
  /**
   * Cursor: the `meta.next` of the previous response. Use it for syncing: with page numbers, an entry that is
   * removed between two requests shifts all later entries.
   */
  after?: string;
}

export interface DeleteTemplateQuery {
  /**
   * One of the workspace's sending numbers: the template belongs to its account. Required only if the workspace
   * has numbers of several accounts.
   */
  from?: string;
}

export interface DeleteTemplateInAllLanguagesQuery {
  /**
   * One of the workspace's sending numbers: the template belongs to its account. Required only if the workspace
   * has numbers of several accounts.
   */
  from?: string;
}

export interface ListTemplateLibraryQuery {
  /** Words to look for in names and texts. */
  search?: string;
  /** The name of the template, or a part of it. */
  name?: string;
  /** Only templates in this language. */
  language?: string;
  /** Only templates of this topic, in WhatsApp's words. */
  topic?: string;
  /** Only templates for this use, in WhatsApp's words. */
  usecase?: string;
  /** Only templates for this industry, in WhatsApp's words. */
  industry?: string;
  /**
   * One of the workspace's sending numbers: its account asks. Required only if the workspace has numbers of
   * several accounts.
   */
  from?: string;
  /** Cursor: the `meta.next` of the previous response. */
  after?: string;
}

export interface ListNetworkChangesQuery {
  /** Your number, in E.164. */
  number?: string;
  /** The name of a template. Without it and without `number`: everything. */
  template?: string;
  /** With `template`: its language; without it, all of them. */
  language?: string;
  /** Maximum number of entries on a page; more than 500 counts as 500. */
  per_page?: number;
  /** Cursor: the `meta.next` of the previous response. */
  after?: string;
}

export interface ListGroupsQuery {
  /** Number of the page. A page past the end is empty. */
  page?: number;
  /** Maximum number of entries on a page; more than 500 counts as 500. */
  per_page?: number;
  /**
   * Cursor: the `meta.next` of the previous response. Use it for syncing: with page numbers, an entry that is
   * removed between two requests shifts all later entries.
   */
  after?: string;
}

export interface ListEventsQuery {
  /**
   * Cursor: the `meta.next` of the previous response. Without it, the log starts with the oldest kept event;
   * with `latest`, with the next event.
   */
  after?: string;
  /** Return only events of these types, separated by commas. */
  types?: Array<"message.sent" | "message.delivered" | "message.read" | "message.failed" | "message.scheduled" | "message.cancelled" | "message.received" | "media.stored" | "media.failed" | "contact.opted_out" | "contact.opted_in" | "contact.may_want_to_stop" | "contact.updated" | "conversation.updated" | "contact.erased" | "broadcast.paused" | "broadcast.resumed" | "broadcast.blocked" | "broadcast.finished" | "template.approved" | "template.rejected" | "template.updated" | "webhook.test">;
  /** Seconds to hold the response while there is no event; more than 30 counts as 30. */
  wait?: number;
  /**
   * `true`: `meta.signatures` has a signature for each event, as its webhook would carry it. For programs that
   * pass events on to a receiver that checks them.
   */
  signed?: boolean;
  /** `true`: `meta.cursors` has the cursor behind each event, for programs that store their position with each. */
  cursors?: boolean;
  /** Maximum number of entries on a page; more than 500 counts as 500. */
  per_page?: number;
}

export interface ListWebhooksQuery {
  /** Number of the page. A page past the end is empty. */
  page?: number;
  /** Maximum number of entries on a page; more than 500 counts as 500. */
  per_page?: number;
  /**
   * Cursor: the `meta.next` of the previous response. Use it for syncing: with page numbers, an entry that is
   * removed between two requests shifts all later entries.
   */
  after?: string;
}

/** What `getWorkspace` may be refused with: `WaxwingError.error`, told apart by `code`. */
export type GetWorkspaceError =
  | ApiNotEnabledError
  | InternalError
  | RateLimitedError
  | UnauthenticatedError
  | UnavailableError;

/** What `getUsage` may be refused with: `WaxwingError.error`, told apart by `code`. */
export type GetUsageError =
  | ApiNotEnabledError
  | InternalError
  | InvalidRequestError
  | RateLimitedError
  | UnauthenticatedError
  | UnavailableError;

/** What `sendMessage` may be refused with: `WaxwingError.error`, told apart by `code`. */
export type SendMessageError =
  | ApiNotEnabledError
  | IdempotencyConflictError
  | InsufficientBalanceError
  | InternalError
  | InvalidNumberError
  | InvalidRequestError
  | MissingMediaError
  | MissingVariableError
  | NumberNotReadyError
  | OptedOutError
  | RateLimitedError
  | TemplateNotFoundError
  | TemplateNotSendableError
  | ThreadOwnedElsewhereError
  | UnauthenticatedError
  | UnavailableError
  | UnsupportedTemplateError
  | WhatsappError
  | WindowClosedError
  | WorkspaceSuspendedError;

/** What `listMessages` may be refused with: `WaxwingError.error`, told apart by `code`. */
export type ListMessagesError =
  | ApiNotEnabledError
  | InternalError
  | InvalidRequestError
  | RateLimitedError
  | UnauthenticatedError
  | UnavailableError;

/** What `cancelMessage` may be refused with: `WaxwingError.error`, told apart by `code`. */
export type CancelMessageError =
  | ApiNotEnabledError
  | InternalError
  | NotCancellableError
  | NotFoundError
  | RateLimitedError
  | UnauthenticatedError
  | UnavailableError;

/** What `getMessage` may be refused with: `WaxwingError.error`, told apart by `code`. */
export type GetMessageError =
  | ApiNotEnabledError
  | InternalError
  | NotFoundError
  | RateLimitedError
  | UnauthenticatedError
  | UnavailableError;

/** What `createBroadcast` may be refused with: `WaxwingError.error`, told apart by `code`. */
export type CreateBroadcastError =
  | ApiNotEnabledError
  | IdempotencyConflictError
  | InsufficientBalanceError
  | InternalError
  | InvalidRequestError
  | MissingMediaError
  | MissingVariableError
  | NotFoundError
  | NumberNotReadyError
  | RateLimitedError
  | TemplateNotFoundError
  | TemplateNotSendableError
  | UnauthenticatedError
  | UnavailableError
  | UnsupportedTemplateError
  | WorkspaceSuspendedError;

/** What `listBroadcasts` may be refused with: `WaxwingError.error`, told apart by `code`. */
export type ListBroadcastsError =
  | ApiNotEnabledError
  | InternalError
  | InvalidRequestError
  | RateLimitedError
  | UnauthenticatedError
  | UnavailableError;

/** What `previewBroadcast` may be refused with: `WaxwingError.error`, told apart by `code`. */
export type PreviewBroadcastError =
  | ApiNotEnabledError
  | InternalError
  | InvalidRequestError
  | MissingMediaError
  | MissingVariableError
  | NotFoundError
  | NumberNotReadyError
  | RateLimitedError
  | TemplateNotFoundError
  | TemplateNotSendableError
  | UnauthenticatedError
  | UnavailableError
  | UnsupportedTemplateError
  | WorkspaceSuspendedError;

/** What `getBroadcast` may be refused with: `WaxwingError.error`, told apart by `code`. */
export type GetBroadcastError =
  | ApiNotEnabledError
  | InternalError
  | NotFoundError
  | RateLimitedError
  | UnauthenticatedError
  | UnavailableError;

/** What `listRecipients` may be refused with: `WaxwingError.error`, told apart by `code`. */
export type ListRecipientsError =
  | ApiNotEnabledError
  | InternalError
  | InvalidRequestError
  | NotFoundError
  | RateLimitedError
  | UnauthenticatedError
  | UnavailableError;

/** What `cancelBroadcast` may be refused with: `WaxwingError.error`, told apart by `code`. */
export type CancelBroadcastError =
  | ApiNotEnabledError
  | InternalError
  | NotCancellableError
  | NotFoundError
  | RateLimitedError
  | UnauthenticatedError
  | UnavailableError;

/** What `listContacts` may be refused with: `WaxwingError.error`, told apart by `code`. */
export type ListContactsError =
  | ApiNotEnabledError
  | InternalError
  | InvalidRequestError
  | RateLimitedError
  | UnauthenticatedError
  | UnavailableError;

/** What `putContacts` may be refused with: `WaxwingError.error`, told apart by `code`. */
export type PutContactsError =
  | ApiNotEnabledError
  | InternalError
  | InvalidRequestError
  | RateLimitedError
  | UnauthenticatedError
  | UnavailableError;

/** What `getContact` may be refused with: `WaxwingError.error`, told apart by `code`. */
export type GetContactError =
  | ApiNotEnabledError
  | InternalError
  | NotFoundError
  | RateLimitedError
  | UnauthenticatedError
  | UnavailableError;

/** What `putContact` may be refused with: `WaxwingError.error`, told apart by `code`. */
export type PutContactError =
  | ApiNotEnabledError
  | InternalError
  | InvalidNumberError
  | InvalidRequestError
  | OptedOutError
  | RateLimitedError
  | UnauthenticatedError
  | UnavailableError;

/** What `getConversation` may be refused with: `WaxwingError.error`, told apart by `code`. */
export type GetConversationError =
  | ApiNotEnabledError
  | InternalError
  | InvalidRequestError
  | NotFoundError
  | RateLimitedError
  | UnauthenticatedError
  | UnavailableError;

/** What `optOutContact` may be refused with: `WaxwingError.error`, told apart by `code`. */
export type OptOutContactError =
  | ApiNotEnabledError
  | InternalError
  | InvalidNumberError
  | RateLimitedError
  | UnauthenticatedError
  | UnavailableError;

/** What `listConversations` may be refused with: `WaxwingError.error`, told apart by `code`. */
export type ListConversationsError =
  | ApiNotEnabledError
  | InternalError
  | InvalidRequestError
  | RateLimitedError
  | UnauthenticatedError
  | UnavailableError;

/** What `getConversationById` may be refused with: `WaxwingError.error`, told apart by `code`. */
export type GetConversationByIdError =
  | ApiNotEnabledError
  | InternalError
  | NotFoundError
  | RateLimitedError
  | UnauthenticatedError
  | UnavailableError;

/** What `changeConversation` may be refused with: `WaxwingError.error`, told apart by `code`. */
export type ChangeConversationError =
  | ApiNotEnabledError
  | ConversationAssignedError
  | InternalError
  | InvalidRequestError
  | NotFoundError
  | RateLimitedError
  | UnauthenticatedError
  | UnavailableError;

/** What `controlConversationThread` may be refused with: `WaxwingError.error`, told apart by `code`. */
export type ControlConversationThreadError =
  | ApiNotEnabledError
  | InternalError
  | InvalidNumberError
  | InvalidRequestError
  | NotFoundError
  | NumberNotReadyError
  | RateLimitedError
  | UnauthenticatedError
  | UnavailableError
  | WhatsappError;

/** What `blockPerson` may be refused with: `WaxwingError.error`, told apart by `code`. */
export type BlockPersonError =
  | ApiNotEnabledError
  | InternalError
  | InvalidNumberError
  | NotFoundError
  | NumberNotReadyError
  | RateLimitedError
  | UnauthenticatedError
  | UnavailableError
  | WhatsappError;

/** What `unblockPerson` may be refused with: `WaxwingError.error`, told apart by `code`. */
export type UnblockPersonError =
  | ApiNotEnabledError
  | InternalError
  | InvalidNumberError
  | NotFoundError
  | NumberNotReadyError
  | RateLimitedError
  | UnauthenticatedError
  | UnavailableError
  | WhatsappError;

/** What `listConversationNotes` may be refused with: `WaxwingError.error`, told apart by `code`. */
export type ListConversationNotesError =
  | ApiNotEnabledError
  | InternalError
  | InvalidRequestError
  | NotFoundError
  | RateLimitedError
  | UnauthenticatedError
  | UnavailableError;

/** What `addConversationNote` may be refused with: `WaxwingError.error`, told apart by `code`. */
export type AddConversationNoteError =
  | ApiNotEnabledError
  | IdempotencyConflictError
  | InternalError
  | InvalidRequestError
  | NotFoundError
  | RateLimitedError
  | UnauthenticatedError
  | UnavailableError;

/** What `search` may be refused with: `WaxwingError.error`, told apart by `code`. */
export type SearchError =
  | ApiNotEnabledError
  | InternalError
  | InvalidRequestError
  | RateLimitedError
  | UnauthenticatedError
  | UnavailableError;

/** What `listOptOuts` may be refused with: `WaxwingError.error`, told apart by `code`. */
export type ListOptOutsError =
  | ApiNotEnabledError
  | InternalError
  | InvalidRequestError
  | RateLimitedError
  | UnauthenticatedError
  | UnavailableError;

/** What `listTemplates` may be refused with: `WaxwingError.error`, told apart by `code`. */
export type ListTemplatesError =
  | ApiNotEnabledError
  | InternalError
  | InvalidRequestError
  | RateLimitedError
  | UnauthenticatedError
  | UnavailableError;

/** What `submitTemplate` may be refused with: `WaxwingError.error`, told apart by `code`. */
export type SubmitTemplateError =
  | ApiNotEnabledError
  | IdempotencyConflictError
  | InternalError
  | InvalidRequestError
  | NumberNotReadyError
  | RateLimitedError
  | UnauthenticatedError
  | UnavailableError
  | WhatsappError;

/** What `checkTemplate` may be refused with: `WaxwingError.error`, told apart by `code`. */
export type CheckTemplateError =
  | ApiNotEnabledError
  | InternalError
  | InvalidRequestError
  | NumberNotReadyError
  | RateLimitedError
  | UnauthenticatedError
  | UnavailableError;

/** What `correctTemplate` may be refused with: `WaxwingError.error`, told apart by `code`. */
export type CorrectTemplateError =
  | ApiNotEnabledError
  | IdempotencyConflictError
  | InternalError
  | InvalidRequestError
  | NotFoundError
  | NumberNotReadyError
  | RateLimitedError
  | UnauthenticatedError
  | UnavailableError
  | WhatsappError;

/** What `deleteTemplate` may be refused with: `WaxwingError.error`, told apart by `code`. */
export type DeleteTemplateError =
  | ApiNotEnabledError
  | IdempotencyConflictError
  | InternalError
  | InvalidRequestError
  | NotFoundError
  | NumberNotReadyError
  | RateLimitedError
  | TemplateNotSendableError
  | UnauthenticatedError
  | UnavailableError
  | WhatsappError;

/** What `deleteTemplateInAllLanguages` may be refused with: `WaxwingError.error`, told apart by `code`. */
export type DeleteTemplateInAllLanguagesError =
  | ApiNotEnabledError
  | IdempotencyConflictError
  | InternalError
  | InvalidRequestError
  | NotFoundError
  | NumberNotReadyError
  | RateLimitedError
  | TemplateNotSendableError
  | UnauthenticatedError
  | UnavailableError
  | WhatsappError;

/** What `listTemplateLibrary` may be refused with: `WaxwingError.error`, told apart by `code`. */
export type ListTemplateLibraryError =
  | ApiNotEnabledError
  | InternalError
  | InvalidRequestError
  | NumberNotReadyError
  | RateLimitedError
  | UnauthenticatedError
  | UnavailableError
  | WhatsappError;

/** What `listNetworkChanges` may be refused with: `WaxwingError.error`, told apart by `code`. */
export type ListNetworkChangesError =
  | ApiNotEnabledError
  | InternalError
  | InvalidRequestError
  | RateLimitedError
  | UnauthenticatedError
  | UnavailableError;

/** What `listGroups` may be refused with: `WaxwingError.error`, told apart by `code`. */
export type ListGroupsError =
  | ApiNotEnabledError
  | InternalError
  | InvalidRequestError
  | RateLimitedError
  | UnauthenticatedError
  | UnavailableError;

/** What `listEvents` may be refused with: `WaxwingError.error`, told apart by `code`. */
export type ListEventsError =
  | ApiNotEnabledError
  | InternalError
  | InvalidRequestError
  | RateLimitedError
  | UnauthenticatedError
  | UnavailableError;

/** What `listWebhooks` may be refused with: `WaxwingError.error`, told apart by `code`. */
export type ListWebhooksError =
  | ApiNotEnabledError
  | InternalError
  | InvalidRequestError
  | RateLimitedError
  | UnauthenticatedError
  | UnavailableError;

/** What `addWebhook` may be refused with: `WaxwingError.error`, told apart by `code`. */
export type AddWebhookError =
  | ApiNotEnabledError
  | InternalError
  | InvalidRequestError
  | RateLimitedError
  | UnauthenticatedError
  | UnavailableError;

/** What `changeWebhook` may be refused with: `WaxwingError.error`, told apart by `code`. */
export type ChangeWebhookError =
  | ApiNotEnabledError
  | InternalError
  | InvalidRequestError
  | NotFoundError
  | RateLimitedError
  | UnauthenticatedError
  | UnavailableError;

/** What `removeWebhook` may be refused with: `WaxwingError.error`, told apart by `code`. */
export type RemoveWebhookError =
  | ApiNotEnabledError
  | InternalError
  | NotFoundError
  | RateLimitedError
  | UnauthenticatedError
  | UnavailableError;

/** What `rotateWebhookSecret` may be refused with: `WaxwingError.error`, told apart by `code`. */
export type RotateWebhookSecretError =
  | ApiNotEnabledError
  | InternalError
  | InvalidRequestError
  | NotFoundError
  | RateLimitedError
  | UnauthenticatedError
  | UnavailableError;

/** What `markInboundRead` may be refused with: `WaxwingError.error`, told apart by `code`. */
export type MarkInboundReadError =
  | ApiNotEnabledError
  | InternalError
  | InvalidRequestError
  | NotFoundError
  | NumberNotReadyError
  | RateLimitedError
  | UnauthenticatedError
  | UnavailableError
  | WhatsappError
  | WorkspaceSuspendedError;

/** What `getInbound` may be refused with: `WaxwingError.error`, told apart by `code`. */
export type GetInboundError =
  | ApiNotEnabledError
  | InternalError
  | NotFoundError
  | RateLimitedError
  | UnauthenticatedError
  | UnavailableError;

/** What `uploadMedia` may be refused with: `WaxwingError.error`, told apart by `code`. */
export type UploadMediaError =
  | ApiNotEnabledError
  | InternalError
  | InvalidRequestError
  | RateLimitedError
  | UnauthenticatedError
  | UnavailableError;

/** What `getMedia` may be refused with: `WaxwingError.error`, told apart by `code`. */
export type GetMediaError =
  | ApiNotEnabledError
  | InternalError
  | NotFoundError
  | RateLimitedError
  | UnauthenticatedError
  | UnavailableError;

/** What `getSettings` may be refused with: `WaxwingError.error`, told apart by `code`. */
export type GetSettingsError =
  | ApiNotEnabledError
  | InternalError
  | RateLimitedError
  | UnauthenticatedError
  | UnavailableError;

/** What `listDuplicates` may be refused with: `WaxwingError.error`, told apart by `code`. */
export type ListDuplicatesError =
  | ApiNotEnabledError
  | InternalError
  | RateLimitedError
  | UnauthenticatedError
  | UnavailableError;

/** What `markDifferentPeople` may be refused with: `WaxwingError.error`, told apart by `code`. */
export type MarkDifferentPeopleError =
  | ApiNotEnabledError
  | InternalError
  | InvalidRequestError
  | NotFoundError
  | RateLimitedError
  | UnauthenticatedError
  | UnavailableError;

/** What `compareContacts` may be refused with: `WaxwingError.error`, told apart by `code`. */
export type CompareContactsError =
  | ApiNotEnabledError
  | InternalError
  | NotFoundError
  | RateLimitedError
  | UnauthenticatedError
  | UnavailableError;

/** What `joinContacts` may be refused with: `WaxwingError.error`, told apart by `code`. */
export type JoinContactsError =
  | ApiNotEnabledError
  | InternalError
  | InvalidRequestError
  | NotFoundError
  | RateLimitedError
  | UnauthenticatedError
  | UnavailableError;

/** The calls of the API. */
export abstract class Operations {
  protected abstract readonly core: Core;

  /**
   * Retrieve the workspace. Returns the workspace that the API key belongs to, with its sending numbers and its
   * balance. Use it to check that a key works. Every key may do this.
   */
  getWorkspace(options: CallOptions = {}): Promise<Workspace> {
    return this.core.one<Workspace>({ operation: "getWorkspace", method: "GET", path: `/me`, isIdempotent: true }, options);
  }

  /**
   * Retrieve what Meta bills. Returns how many messages Meta delivered in a month, by the category that Meta
   * bills. Meta bills the owner of the WhatsApp account; the workspace's own balance is in `GET /me`. Needs a
   * key with the scope `read`.
   */
  getUsage(query: GetUsageQuery = {}, options: CallOptions = {}): Promise<NetworkUsage> {
    return this.core.one<NetworkUsage>({ operation: "getUsage", method: "GET", path: `/usage`, query: { ...query }, isIdempotent: true }, options);
  }

  /**
   * Send a message. Sends a template (at any time), or free-form text, a file, a place, contact cards, a text
   * with buttons, a list or a link, or a reaction (within 24 hours of the recipient's last message; a text, and
   * one with buttons or a link, at any time with a `category`). The message is sent to the network before the
   * response is returned, so the response says whether the network accepted it. Later status changes are
   * reported by events and by `GET /messages/{id}`. With `send_at` the message is stored and sent at that time:
   * everything but the 24 hours, the balance, the daily cap and the number's readiness is evaluated now, and
   * everything again when it is due. Where the workspace has an AI notice, the first message of a key that is
   * marked as an AI's in a window begins with it: lengths count with it, and a message without words waits for a
   * text. Needs a key with the scope `send`.
   */
  sendMessage(body: SendMessage, options: CallOptions = {}): Promise<Message> {
    return this.core.one<Message>({ operation: "sendMessage", method: "POST", path: `/messages`, body, takesKey: true }, options);
  }

  /**
   * List messages. Returns messages that were sent one at a time through the API, newest first; not recipients
   * of broadcasts, and not replies from the console. Filters can be combined. A message is listed once the
   * network has answered, a scheduled one from its creation. Filtered by `reference` or `idempotency_key`,
   * `meta.pending` counts accepted messages that are not listed yet: only `total` 0 and `pending` 0 mean that no
   * such message was accepted. Needs a key with the scope `read`.
   */
  listMessages(query: ListMessagesQuery = {}, options: CallOptions = {}): Promise<ApiList<Message>> {
    return this.core.list<Message>({ operation: "listMessages", method: "GET", path: `/messages`, query: { ...query }, isIdempotent: true }, options);
  }

  /** All entries of `listMessages`, page after page. */
  iterateMessages(query: ListMessagesQuery = {}, options: CallOptions = {}): AsyncGenerator<Message, void, undefined> {
    return this.core.iterate<Message>({ operation: "listMessages", method: "GET", path: `/messages`, query: { ...query }, isIdempotent: true }, options);
  }

  /**
   * Cancel a scheduled message. Cancels a message that was accepted with `send_at` and is not sent yet.
   * Cancelling it again returns the same message. A message that is being sent, was sent or has failed cannot be
   * cancelled. Needs a key with the scope `send`.
   */
  cancelMessage(id: number, options: CallOptions = {}): Promise<Message> {
    return this.core.one<Message>({ operation: "cancelMessage", method: "POST", path: `/messages/${encodeURIComponent(String(id))}/cancel` }, options);
  }

  /**
   * Retrieve a message. Returns a message that was sent through the API, with its current status. Needs a key
   * with the scope `read`.
   */
  getMessage(id: number, options: CallOptions = {}): Promise<Message> {
    return this.core.one<Message>({ operation: "getMessage", method: "GET", path: `/messages/${encodeURIComponent(String(id))}`, isIdempotent: true }, options);
  }

  /**
   * Create a broadcast. Sends a template to a list of phone numbers or to a group. The response is returned
   * before any message is sent; it lists the numbers in `to` that are skipped, and why. To see recipients that
   * are skipped later, list the recipients. Everyone in `to` who has not opted out is recorded as opted in. In a
   * group, only contacts who have opted in receive the message. A single `broadcast.finished` event follows when
   * the counts are final. Needs a key with the scope `broadcast`.
   */
  createBroadcast(body: CreateBroadcast, options: CallOptions = {}): Promise<CreatedBroadcast> {
    return this.core.one<CreatedBroadcast>({ operation: "createBroadcast", method: "POST", path: `/broadcasts`, body, takesKey: true }, options);
  }

  /** List broadcasts. Returns all broadcasts of the workspace, newest first. Needs a key with the scope `read`. */
  listBroadcasts(query: ListBroadcastsQuery = {}, options: CallOptions = {}): Promise<ApiList<Broadcast>> {
    return this.core.list<Broadcast>({ operation: "listBroadcasts", method: "GET", path: `/broadcasts`, query: { ...query }, isIdempotent: true }, options);
  }

  /** All entries of `listBroadcasts`, page after page. */
  iterateBroadcasts(query: ListBroadcastsQuery = {}, options: CallOptions = {}): AsyncGenerator<Broadcast, void, undefined> {
    return this.core.iterate<Broadcast>({ operation: "listBroadcasts", method: "GET", path: `/broadcasts`, query: { ...query }, isIdempotent: true }, options);
  }

  /**
   * Preview a broadcast. Takes the same body as `POST /broadcasts` and returns what the broadcast would do: how
   * many people would receive it, who would be skipped, what it would cost and when it would end. Nothing is
   * sent or stored, and no consent is recorded. Needs a key with the scope `broadcast`.
   */
  previewBroadcast(body: CreateBroadcast, options: CallOptions = {}): Promise<BroadcastPreview> {
    return this.core.one<BroadcastPreview>({ operation: "previewBroadcast", method: "POST", path: `/broadcasts/preview`, body }, options);
  }

  /** Retrieve a broadcast. Returns a broadcast with its current counts. Needs a key with the scope `read`. */
  getBroadcast(id: number, options: CallOptions = {}): Promise<Broadcast> {
    return this.core.one<Broadcast>({ operation: "getBroadcast", method: "GET", path: `/broadcasts/${encodeURIComponent(String(id))}`, isIdempotent: true }, options);
  }

  /**
   * List a broadcast's recipients. Returns the recipients of a broadcast in sending order, each with its status,
   * including skipped recipients. Recipients are deleted 18 months after the broadcast has finished; the
   * broadcast and its counts are kept. Needs a key with the scope `read`.
   */
  listRecipients(id: number, query: ListRecipientsQuery = {}, options: CallOptions = {}): Promise<ApiList<Recipient>> {
    return this.core.list<Recipient>({ operation: "listRecipients", method: "GET", path: `/broadcasts/${encodeURIComponent(String(id))}/recipients`, query: { ...query }, isIdempotent: true }, options);
  }

  /** All entries of `listRecipients`, page after page. */
  iterateRecipients(id: number, query: ListRecipientsQuery = {}, options: CallOptions = {}): AsyncGenerator<Recipient, void, undefined> {
    return this.core.iterate<Recipient>({ operation: "listRecipients", method: "GET", path: `/broadcasts/${encodeURIComponent(String(id))}/recipients`, query: { ...query }, isIdempotent: true }, options);
  }

  /**
   * Cancel a broadcast. Stops a broadcast: no more messages are sent. Messages already sent to the network are
   * not recalled, and are charged if they are delivered. The part of the balance that was held for unsent
   * messages is released immediately. Needs a key with the scope `broadcast`.
   */
  cancelBroadcast(id: number, options: CallOptions = {}): Promise<Broadcast> {
    return this.core.one<Broadcast>({ operation: "cancelBroadcast", method: "POST", path: `/broadcasts/${encodeURIComponent(String(id))}/cancel` }, options);
  }

  /**
   * List contacts. Returns contacts, most recently updated first. To sync contacts, set `updated_since` and
   * follow `meta.next` until it is null: contacts that change in the meantime are returned again, and none is
   * missed. Filters can be combined with each other and with `updated_since`. Needs a key with the scope `read`
   * or `contacts`.
   */
  listContacts(query: ListContactsQuery = {}, options: CallOptions = {}): Promise<ApiList<Contact>> {
    return this.core.list<Contact>({ operation: "listContacts", method: "GET", path: `/contacts`, query: { ...query }, isIdempotent: true }, options);
  }

  /** All entries of `listContacts`, page after page. */
  iterateContacts(query: ListContactsQuery = {}, options: CallOptions = {}): AsyncGenerator<Contact, void, undefined> {
    return this.core.iterate<Contact>({ operation: "listContacts", method: "GET", path: `/contacts`, query: { ...query }, isIdempotent: true }, options);
  }

  /**
   * Create or update many contacts. Creates or updates up to 500 contacts. Each is applied as `PUT
   * /contacts/{phone}` applies it, in the order of the list, and a contact that is refused does not affect the
   * others: the response is 200 with one result for each, in the same order. If the server cannot write all of
   * them, it answers 503; repeat the whole request then. Needs a key with the scope `contacts`.
   */
  putContacts(body: ContactsInput, options: CallOptions = {}): Promise<ContactResult[]> {
    return this.core.one<ContactResult[]>({ operation: "putContacts", method: "PUT", path: `/contacts`, body, isIdempotent: true }, options);
  }

  /**
   * Retrieve a contact. Returns the contact with this phone number. For 30 days after a person moved to another
   * number, the old number returns 404 with the new one in `error.moved_to`. Needs a key with the scope `read`
   * or `contacts`.
   */
  getContact(phone: string, options: CallOptions = {}): Promise<Contact> {
    return this.core.one<Contact>({ operation: "getContact", method: "GET", path: `/contacts/${encodeURIComponent(String(phone))}`, isIdempotent: true }, options);
  }

  /**
   * Create or update a contact. Creates or updates a contact. Fields that are not in the body keep their value.
   * Returns 201 if the contact was created. Needs a key with the scope `contacts`.
   */
  putContact(phone: string, body: ContactInput, options: CallOptions = {}): Promise<Contact> {
    return this.core.one<Contact>({ operation: "putContact", method: "PUT", path: `/contacts/${encodeURIComponent(String(phone))}`, body, isIdempotent: true }, options);
  }

  /**
   * Get the conversation with a contact. Returns what the person wrote and what was sent to them, newest first:
   * by the API, in broadcasts, from the console, on the phone that shares the number, and by other senders on
   * the number. Entries of the phone's history were never new: they are in no event. Follow `meta.next` for
   * older entries. Needs a key with the scope `inbox`.
   */
  getConversation(phone: string, query: GetConversationQuery = {}, options: CallOptions = {}): Promise<ApiList<ConversationEntry>> {
    return this.core.list<ConversationEntry>({ operation: "getConversation", method: "GET", path: `/contacts/${encodeURIComponent(String(phone))}/conversation`, query: { ...query }, isIdempotent: true }, options);
  }

  /** All entries of `getConversation`, page after page. */
  iterateConversation(phone: string, query: GetConversationQuery = {}, options: CallOptions = {}): AsyncGenerator<ConversationEntry, void, undefined> {
    return this.core.iterate<ConversationEntry>({ operation: "getConversation", method: "GET", path: `/contacts/${encodeURIComponent(String(phone))}/conversation`, query: { ...query }, isIdempotent: true }, options);
  }

  /**
   * Opt out a contact. Records an opt-out that reached your own system. No messages are sent to the person until
   * they send START. Also works for numbers that are not contacts yet, and in suspended workspaces. Needs a key
   * with the scope `contacts`.
   */
  optOutContact(phone: string, options: CallOptions = {}): Promise<Contact> {
    return this.core.one<Contact>({ operation: "optOutContact", method: "POST", path: `/contacts/${encodeURIComponent(String(phone))}/opt-out` }, options);
  }

  /**
   * List conversations. Returns the conversations of the workspace, one for each person on each of its numbers,
   * the latest writer first. A page may have fewer entries than asked for although more follow: read on while
   * `meta.next` is not null. Needs a key with the scope `inbox`.
   */
  listConversations(query: ListConversationsQuery = {}, options: CallOptions = {}): Promise<ApiList<Conversation>> {
    return this.core.list<Conversation>({ operation: "listConversations", method: "GET", path: `/conversations`, query: { ...query }, isIdempotent: true }, options);
  }

  /** All entries of `listConversations`, page after page. */
  iterateConversations(query: ListConversationsQuery = {}, options: CallOptions = {}): AsyncGenerator<Conversation, void, undefined> {
    return this.core.iterate<Conversation>({ operation: "listConversations", method: "GET", path: `/conversations`, query: { ...query }, isIdempotent: true }, options);
  }

  /**
   * Get a conversation. Returns a conversation with the person, the owner and what was last said. Needs a key
   * with the scope `inbox`.
   */
  getConversationById(conversation: number, options: CallOptions = {}): Promise<Conversation> {
    return this.core.one<Conversation>({ operation: "getConversationById", method: "GET", path: `/conversations/${encodeURIComponent(String(conversation))}`, isIdempotent: true }, options);
  }

  /**
   * Change a conversation's state, or who answers it. Members that are omitted stay as they are. Whatever the
   * state, a new message of the person opens the conversation. Each change is an event `conversation.updated`,
   * for addresses that name it. Needs a key with the scope `inbox`.
   */
  changeConversation(conversation: number, body: ChangeConversation, options: CallOptions = {}): Promise<Conversation> {
    return this.core.one<Conversation>({ operation: "changeConversation", method: "PATCH", path: `/conversations/${encodeURIComponent(String(conversation))}`, body }, options);
  }

  /**
   * Take a conversation over, give it back, or pass it on. On a number that other senders answer too, only the
   * owner of a conversation may send free messages in it. WhatsApp is asked once, and never again where it gave
   * no answer: then the answer is 502 with `whatsapp_code` `timeout`, and what arrives next shows the owner.
   * Only the escalation partner of the number, chosen in Meta Business Suite, may take a conversation (else 502
   * with 2494191). A conversation that is yours already is not taken, and one that is not yours is not given
   * away: both answer 200 and ask nothing. Needs a key with the scope `inbox`.
   */
  controlConversationThread(conversation: number, body: ControlThread, options: CallOptions = {}): Promise<Conversation> {
    return this.core.one<Conversation>({ operation: "controlConversationThread", method: "POST", path: `/conversations/${encodeURIComponent(String(conversation))}/thread`, body }, options);
  }

  /**
   * Block the person on the number of a conversation. WhatsApp then lets the person write no more to this
   * number, and delivers nothing of it to them; they are not told. It blocks only people who wrote within the
   * last 24 hours (else 502 with 131047). WhatsApp is asked once: where it gave no answer, the answer is 502
   * with `whatsapp_code` `timeout`, `block_state` is `checking`, and WhatsApp's list says within a minute what
   * it is. A person who is blocked already is not blocked again: 200. Needs a key with the scope `inbox`.
   */
  blockPerson(conversation: number, options: CallOptions = {}): Promise<Conversation> {
    return this.core.one<Conversation>({ operation: "blockPerson", method: "POST", path: `/conversations/${encodeURIComponent(String(conversation))}/block` }, options);
  }

  /**
   * Unblock the person on the number of a conversation. The person can write to the number again. WhatsApp is
   * asked once, as to block. A person who is not blocked is not unblocked: 200. Needs a key with the scope
   * `inbox`.
   */
  unblockPerson(conversation: number, options: CallOptions = {}): Promise<Conversation> {
    return this.core.one<Conversation>({ operation: "unblockPerson", method: "DELETE", path: `/conversations/${encodeURIComponent(String(conversation))}/block` }, options);
  }

  /**
   * List the notes of a conversation. Returns the notes of the staff and of programs about a conversation, the
   * newest first. Needs a key with the scope `inbox`.
   */
  listConversationNotes(conversation: number, query: ListConversationNotesQuery = {}, options: CallOptions = {}): Promise<ApiList<ConversationNote>> {
    return this.core.list<ConversationNote>({ operation: "listConversationNotes", method: "GET", path: `/conversations/${encodeURIComponent(String(conversation))}/notes`, query: { ...query }, isIdempotent: true }, options);
  }

  /** All entries of `listConversationNotes`, page after page. */
  iterateConversationNotes(conversation: number, query: ListConversationNotesQuery = {}, options: CallOptions = {}): AsyncGenerator<ConversationNote, void, undefined> {
    return this.core.iterate<ConversationNote>({ operation: "listConversationNotes", method: "GET", path: `/conversations/${encodeURIComponent(String(conversation))}/notes`, query: { ...query }, isIdempotent: true }, options);
  }

  /**
   * Add a note to a conversation. A note is for the staff alone: it is never sent, and is in no event. It is
   * deleted when the person is erased. Needs a key with the scope `inbox`.
   */
  addConversationNote(conversation: number, body: AddConversationNote, options: CallOptions = {}): Promise<ConversationNote> {
    return this.core.one<ConversationNote>({ operation: "addConversationNote", method: "POST", path: `/conversations/${encodeURIComponent(String(conversation))}/notes`, body, takesKey: true }, options);
  }

  /**
   * Search. Finds people by name, number and tag, messages both ways by their words and file names, and notes:
   * the newest first, contacts last. What is written is found within a few seconds; `meta.behind` says that rows
   * are still missing. What a broadcast said to its recipients is not searched, and what people answered is.
   * Needs a key with the scope `inbox`.
   */
  search(query: SearchQuery = {}, options: CallOptions = {}): Promise<ApiList<SearchHit>> {
    return this.core.list<SearchHit>({ operation: "search", method: "GET", path: `/search`, query: { ...query }, isIdempotent: true }, options);
  }

  /** All entries of `search`, page after page. */
  iterateSearch(query: SearchQuery = {}, options: CallOptions = {}): AsyncGenerator<SearchHit, void, undefined> {
    return this.core.iterate<SearchHit>({ operation: "search", method: "GET", path: `/search`, query: { ...query }, isIdempotent: true }, options);
  }

  /**
   * List opt-outs. Returns everyone who is currently opted out, in the order in which the opt-outs were
   * recorded. To sync opt-outs, set `since` and follow `meta.next` until it is null. Needs a key with the scope
   * `read` or `contacts`.
   */
  listOptOuts(query: ListOptOutsQuery = {}, options: CallOptions = {}): Promise<ApiList<OptOut>> {
    return this.core.list<OptOut>({ operation: "listOptOuts", method: "GET", path: `/opt-outs`, query: { ...query }, isIdempotent: true }, options);
  }

  /** All entries of `listOptOuts`, page after page. */
  iterateOptOuts(query: ListOptOutsQuery = {}, options: CallOptions = {}): AsyncGenerator<OptOut, void, undefined> {
    return this.core.iterate<OptOut>({ operation: "listOptOuts", method: "GET", path: `/opt-outs`, query: { ...query }, isIdempotent: true }, options);
  }

  /**
   * List templates. Returns the templates of the workspace, sorted by name, each with the values it needs and
   * whether it can be sent. A template with several languages is returned once per language. Needs a key with
   * the scope `read` or `templates`.
   */
  listTemplates(query: ListTemplatesQuery = {}, options: CallOptions = {}): Promise<ApiList<Template>> {
    return this.core.list<Template>({ operation: "listTemplates", method: "GET", path: `/templates`, query: { ...query }, isIdempotent: true }, options);
  }

  /** All entries of `listTemplates`, page after page. */
  iterateTemplates(query: ListTemplatesQuery = {}, options: CallOptions = {}): AsyncGenerator<Template, void, undefined> {
    return this.core.iterate<Template>({ operation: "listTemplates", method: "GET", path: `/templates`, query: { ...query }, isIdempotent: true }, options);
  }

  /**
   * Submit a template. Gives a template to WhatsApp, which reviews it: `template.approved`, `template.rejected`
   * and `template.updated` report what it decides. What WhatsApp would certainly refuse is refused before, with
   * 400 and a sentence for each member. Where WhatsApp does not answer, the response is 503 with `outcome:
   * unknown`: repeat the request after a minute. Then the account's templates are read first, and nothing is
   * submitted twice. Needs a key with the scope `templates`.
   */
  submitTemplate(body: SubmitTemplate, options: CallOptions = {}): Promise<Template> {
    return this.core.one<Template>({ operation: "submitTemplate", method: "POST", path: `/templates`, body, takesKey: true }, options);
  }

  /**
   * Check a template. Says what is wrong with a template, by the rules that submitting it uses, and what
   * WhatsApp may find in its review. Submits nothing. Where the account has a template of this name and
   * language, it is checked as its correction. Needs a key with the scope `templates`.
   */
  checkTemplate(body: SubmitTemplate, options: CallOptions = {}): Promise<TemplateCheck> {
    return this.core.one<TemplateCheck>({ operation: "checkTemplate", method: "POST", path: `/templates/check`, body }, options);
  }

  /**
   * Correct a template. Replaces the parts of a template that is approved, rejected or paused; WhatsApp reviews
   * it again. An approved one can be corrected once in 24 hours and ten times in 30 days, and keeps its
   * category. Where WhatsApp does not answer, the response is 503 with `outcome: unknown`: repeat the request
   * after a minute. Then the account's templates are read first, and nothing is submitted twice. Needs a key
   * with the scope `templates`.
   */
  correctTemplate(name: string, language: string, body: CorrectTemplate, options: CallOptions = {}): Promise<Template> {
    return this.core.one<Template>({ operation: "correctTemplate", method: "PUT", path: `/templates/${encodeURIComponent(String(name))}/${encodeURIComponent(String(language))}`, body, takesKey: true, isIdempotent: true }, options);
  }

  /**
   * Delete a template in one language. Deletes the template at WhatsApp. For 30 days, the name of an approved
   * one cannot be used again in this language. Messages that are under way still arrive. Where WhatsApp does not
   * answer, the response is 503 with `outcome: unknown`: repeat the request after a minute. Then the account's
   * templates are read first, and nothing is submitted twice. Needs a key with the scope `templates`.
   */
  deleteTemplate(name: string, language: string, query: DeleteTemplateQuery = {}, options: CallOptions = {}): Promise<DeletedTemplates> {
    return this.core.one<DeletedTemplates>({ operation: "deleteTemplate", method: "DELETE", path: `/templates/${encodeURIComponent(String(name))}/${encodeURIComponent(String(language))}`, query: { ...query }, takesKey: true }, options);
  }

  /**
   * Delete a template in all languages. Deletes all languages of the template at WhatsApp. Where WhatsApp does
   * not answer, the response is 503 with `outcome: unknown`: repeat the request after a minute. Then the
   * account's templates are read first, and nothing is submitted twice. Needs a key with the scope `templates`.
   */
  deleteTemplateInAllLanguages(name: string, query: DeleteTemplateInAllLanguagesQuery = {}, options: CallOptions = {}): Promise<DeletedTemplates> {
    return this.core.one<DeletedTemplates>({ operation: "deleteTemplateInAllLanguages", method: "DELETE", path: `/templates/${encodeURIComponent(String(name))}`, query: { ...query }, takesKey: true }, options);
  }

  /**
   * List WhatsApp's template library. Asks WhatsApp for the templates of its library. `POST /templates` with
   * `library` makes a template of one. An account that may not use the library gets `whatsapp_error` with
   * WhatsApp's reason. Needs a key with the scope `read` or `templates`.
   */
  listTemplateLibrary(query: ListTemplateLibraryQuery = {}, options: CallOptions = {}): Promise<ApiList<LibraryTemplate>> {
    return this.core.list<LibraryTemplate>({ operation: "listTemplateLibrary", method: "GET", path: `/templates/library`, query: { ...query }, isIdempotent: true }, options);
  }

  /** All entries of `listTemplateLibrary`, page after page. */
  iterateTemplateLibrary(query: ListTemplateLibraryQuery = {}, options: CallOptions = {}): AsyncGenerator<LibraryTemplate, void, undefined> {
    return this.core.iterate<LibraryTemplate>({ operation: "listTemplateLibrary", method: "GET", path: `/templates/library`, query: { ...query }, isIdempotent: true }, options);
  }

  /**
   * List what the network changed. Returns what the network changed about a number or a template, newest first:
   * the quality, the messaging limit, restrictions, pauses, decisions and categories, each with its date and
   * what it means; of one number, of one template, or of all. A report that arrives late stands where it belongs
   * by the network's time, and one that arrives twice stands there once. What is not known from reports is found
   * by the hourly comparison. Changes are kept for 400 days. Needs a key with the scope `read` or `templates`.
   */
  listNetworkChanges(query: ListNetworkChangesQuery = {}, options: CallOptions = {}): Promise<ApiList<NetworkChange>> {
    return this.core.list<NetworkChange>({ operation: "listNetworkChanges", method: "GET", path: `/network-changes`, query: { ...query }, isIdempotent: true }, options);
  }

  /** All entries of `listNetworkChanges`, page after page. */
  iterateNetworkChanges(query: ListNetworkChangesQuery = {}, options: CallOptions = {}): AsyncGenerator<NetworkChange, void, undefined> {
    return this.core.iterate<NetworkChange>({ operation: "listNetworkChanges", method: "GET", path: `/network-changes`, query: { ...query }, isIdempotent: true }, options);
  }

  /**
   * List groups. Returns all groups of the workspace, sorted by name. The count of a dynamic group can be up to
   * a minute old. Needs a key with the scope `read` or `contacts`.
   */
  listGroups(query: ListGroupsQuery = {}, options: CallOptions = {}): Promise<ApiList<Group>> {
    return this.core.list<Group>({ operation: "listGroups", method: "GET", path: `/groups`, query: { ...query }, isIdempotent: true }, options);
  }

  /** All entries of `listGroups`, page after page. */
  iterateGroups(query: ListGroupsQuery = {}, options: CallOptions = {}): AsyncGenerator<Group, void, undefined> {
    return this.core.iterate<Group>({ operation: "listGroups", method: "GET", path: `/groups`, query: { ...query }, isIdempotent: true }, options);
  }

  /**
   * Read the event log. Returns events in the order in which they happened, oldest first, whether or not a
   * webhook is set. Store `meta.next` with what you have processed, and pass it as `after`: no event is missed
   * and none is returned twice. With `wait`, the response is held until there is an event. A page may be empty
   * although `has_more` is true, if the events that were examined are of other types. A cursor that is older
   * than the kept events, or that belongs to another copy of the database, returns 400 with `error.oldest`, the
   * cursor to start again from. Needs a key with the scope `read`.
   */
  listEvents(query: ListEventsQuery = {}, options: CallOptions = {}): Promise<ApiList<WebhookEvent>> {
    return this.core.list<WebhookEvent>({ operation: "listEvents", method: "GET", path: `/events`, query: { ...query }, isIdempotent: true }, options);
  }

  /** All entries of `listEvents`, page after page; `cursor` of the result is the position behind each. */
  iterateEvents(query: ListEventsQuery = {}, options: CallOptions = {}): Entries<WebhookEvent> {
    return this.core.iterateWithCursor<WebhookEvent>({ operation: "listEvents", method: "GET", path: `/events`, query: { ...query }, isIdempotent: true }, options);
  }

  /**
   * List webhook addresses. Returns the addresses that receive the workspace's events, at most ten, the first
   * one first. Needs a key with the scope `webhooks`.
   */
  listWebhooks(query: ListWebhooksQuery = {}, options: CallOptions = {}): Promise<ApiList<Webhook>> {
    return this.core.list<Webhook>({ operation: "listWebhooks", method: "GET", path: `/webhooks`, query: { ...query }, isIdempotent: true }, options);
  }

  /** All entries of `listWebhooks`, page after page. */
  iterateWebhooks(query: ListWebhooksQuery = {}, options: CallOptions = {}): AsyncGenerator<Webhook, void, undefined> {
    return this.core.iterate<Webhook>({ operation: "listWebhooks", method: "GET", path: `/webhooks`, query: { ...query }, isIdempotent: true }, options);
  }

  /**
   * Add a webhook address. Adds an address with a secret of its own, up to ten. It receives the events from now
   * on. Without `types`, it receives all but message.scheduled, message.cancelled, contact.updated,
   * conversation.updated, template.updated, also those of later versions that it need not ask for. The secret is
   * in this answer alone. Where the workspace has no first address, it becomes that, and has the id 1. The
   * owners get an e-mail about it. Needs a key with the scope `webhooks`.
   */
  addWebhook(body: AddWebhook, options: CallOptions = {}): Promise<NewWebhook> {
    return this.core.one<NewWebhook>({ operation: "addWebhook", method: "POST", path: `/webhooks`, body }, options);
  }

  /**
   * Change a webhook address. Changes what is given. Waiting deliveries go to a new `url`. The secret stays. The
   * owners get an e-mail about it. Needs a key with the scope `webhooks`.
   */
  changeWebhook(id: number, body: ChangeWebhook, options: CallOptions = {}): Promise<Webhook> {
    return this.core.one<Webhook>({ operation: "changeWebhook", method: "PATCH", path: `/webhooks/${encodeURIComponent(String(id))}`, body }, options);
  }

  /**
   * Remove a webhook address. Nothing more is sent there. The owners get an e-mail about it. Needs a key with
   * the scope `webhooks`.
   */
  removeWebhook(id: number, options: CallOptions = {}): Promise<RemovedWebhook> {
    return this.core.one<RemovedWebhook>({ operation: "removeWebhook", method: "DELETE", path: `/webhooks/${encodeURIComponent(String(id))}` }, options);
  }

  /**
   * Replace the secret of a webhook address. Creates a new secret. The owners get an e-mail about it. A receiver
   * that does not accept the test event is 400, with what it answered in `fields.overlap`. Needs a key with the
   * scope `webhooks`.
   */
  rotateWebhookSecret(id: number, body: RotateSecret, options: CallOptions = {}): Promise<RotatedSecret> {
    return this.core.one<RotatedSecret>({ operation: "rotateWebhookSecret", method: "POST", path: `/webhooks/${encodeURIComponent(String(id))}/rotate-secret`, body }, options);
  }

  /**
   * Mark a received message as read. Shows the person that their message, and everything before it, was read. A
   * repeat changes nothing. The console's own count of unread messages is another thing: it is what the staff
   * have not looked at. Needs a key with the scope `send`.
   */
  markInboundRead(id: number, body: MarkRead, options: CallOptions = {}): Promise<MarkedRead> {
    return this.core.one<MarkedRead>({ operation: "markInboundRead", method: "POST", path: `/inbounds/${encodeURIComponent(String(id))}/read`, body }, options);
  }

  /**
   * Get a received message. Returns a message that a person sent, as `message.received` shows it, with the
   * present state of its file. Its id is a number of its own: `GET /messages/{id}` knows only what was sent.
   * After the person was erased, it returns 404. Needs a key with the scope `read`.
   */
  getInbound(id: number, options: CallOptions = {}): Promise<InboundMessage> {
    return this.core.one<InboundMessage>({ operation: "getInbound", method: "GET", path: `/inbounds/${encodeURIComponent(String(id))}`, isIdempotent: true }, options);
  }

  /**
   * Upload a file. Takes a file to be sent by its id, once or many times, as a form (`multipart/form-data`) with
   * one part `file`. The type is read from the bytes: JPEG or PNG up to 5 MB; MP4 or 3GP video, AAC, AMR, MP3,
   * M4A or Ogg Opus audio up to 16 MB; PDF, text, Word, Excel, PowerPoint, OpenDocument, RTF or ZIP up to 100
   * MB; a WebP sticker up to 100 kB, animated up to 500 kB. `expires_at` says when the file is deleted unless it
   * is sent before; each message that sends it extends its life. A workspace makes 4 uploads at once, and a key
   * uploads 2 GB a day; beyond that: 429. The uploads of a workspace may take half of its share of the server's
   * room; beyond that: 400. An upload that is cut short leaves nothing. Needs a key with the scope `send`.
   */
  uploadMedia(file: Upload, options: CallOptions = {}): Promise<UploadedMedia> {
    return this.core.one<UploadedMedia>({ operation: "uploadMedia", method: "POST", path: `/media`, file }, options);
  }

  /**
   * Get a file. Returns the bytes of a picture, video, voice message, sticker or document that a person sent or
   * that was uploaded. A received file is there as soon as it is stored: `media.stored` says so and carries a
   * link that needs no key. The type is read from the bytes. Parts can be requested with `Range` (206; 416
   * beyond the end), also conditionally with `If-Range` and `If-None-Match` against the `ETag`. A file that is
   * not stored, or not any more, returns 404, and the message says why. Needs a key with the scope `read`.
   */
  getMedia(id: number, range?: string, options: CallOptions = {}): Promise<MediaFile> {
    return this.core.file({ operation: "getMedia", method: "GET", path: `/media/${encodeURIComponent(String(id))}`, isIdempotent: true }, range, options);
  }

  /**
   * Retrieve the settings. Returns the workspace's settings as they hold now. Owners change them in the console,
   * operators with `waxwing workspace update`; a change holds from the next message on. Needs a key with the
   * scope `read`.
   */
  getSettings(options: CallOptions = {}): Promise<WorkspaceSettings> {
    return this.core.one<WorkspaceSettings>({ operation: "getSettings", method: "GET", path: `/settings`, isIdempotent: true }, options);
  }

  /**
   * List possible duplicates. Returns pairs of contacts that may be one person, at most 50, the surest reasons
   * first. Further pairs follow once some are joined or marked as different people. Nothing is joined
   * automatically. Needs a key with the scope `read` or `contacts`.
   */
  listDuplicates(options: CallOptions = {}): Promise<DuplicatePair[]> {
    return this.core.one<DuplicatePair[]>({ operation: "listDuplicates", method: "GET", path: `/duplicates`, isIdempotent: true }, options);
  }

  /**
   * Mark two contacts as different people. The two are not listed as possible duplicates from now on. Needs a
   * key with the scope `contacts`.
   */
  markDifferentPeople(phone: string, options: CallOptions = {}): Promise<DifferentPeople> {
    return this.core.one<DifferentPeople>({ operation: "markDifferentPeople", method: "POST", path: `/contacts/${encodeURIComponent(String(phone))}/different` }, options);
  }

  /**
   * Compare two contacts before joining them. Says what a join would do: the fields in which the contacts
   * differ, the consent that would hold, and what would move from the other contact to the first one in the
   * path. Changes nothing. Needs a key with the scope `read` or `contacts`.
   */
  compareContacts(phone: string, other: string, options: CallOptions = {}): Promise<ContactComparison> {
    return this.core.one<ContactComparison>({ operation: "compareContacts", method: "GET", path: `/contacts/${encodeURIComponent(String(phone))}/join/${encodeURIComponent(String(other))}`, isIdempotent: true }, options);
  }

  /**
   * Join two contacts. The contact named by `with` becomes a part of the contact in the path: its numbers and
   * user ids lead there, its messages, conversations, notes, tags, groups and scheduled messages follow, and
   * consent is never raised: an opt-out of either holds, and the evidence of both is kept. Cannot be undone.
   * Messages of the past follow within moments. Needs a key with the scope `contacts`.
   */
  joinContacts(phone: string, options: CallOptions = {}): Promise<Contact> {
    return this.core.one<Contact>({ operation: "joinContacts", method: "POST", path: `/contacts/${encodeURIComponent(String(phone))}/join` }, options);
  }
}
