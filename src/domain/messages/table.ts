/**
 * Outbound messages, their provider requests, broadcast counters, and statuses of messages that are not known (yet).
 */
import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { flag, instant, micros } from "#src/db/columns.ts";
import type { TemplateCategory } from "../templates/template.ts";
import type { Failure } from "./failure.ts";
import type { TemplateInput } from "./fill-template.ts";
import type { KeptContent, ServiceContent } from "./kinds/kinds.ts";
import type { MessageForm, MessageMoney, MessageOrigin, MessageStatus, MessageType } from "./message.ts";
import type { ProviderRequestOutcome } from "./outcome.ts";
import type { MessageReference } from "./reference.ts";
import type { Pricing, StatusItem } from "./status-item.ts";

export const messages = sqliteTable("messages", {
  id: integer().primaryKey({ autoIncrement: true }),
  workspaceId: integer().notNull(),
  numberId: integer().notNull(),
  /** Null for a recipient whose phone number is invalid. */
  contactId: integer(),
  /** Only messages of the API emit events. */
  origin: text().$type<MessageOrigin>().notNull(),
  /** Null for a single message. */
  broadcastId: integer(),
  /** `text`: any free message. */
  type: text().$type<MessageForm>().notNull(),
  /** E.164. */
  toPhone: text().notNull(),
  fromPhone: text().notNull(),
  templateName: text(),
  templateLanguage: text(),
  templateCategory: text().$type<TemplateCategory>(),
  /** The text that the person sees, values filled in. Null for a recipient: the broadcast has the template. */
  text: text(),
  /** A recipient's values, frozen when the broadcast was built. Null if the template takes none. */
  variables: text({ mode: "json" }).$type<FrozenValues>(),
  status: text().$type<MessageStatus>().notNull(),
  /** The message was sent and its outcome is unknown. A status with its send token can still change it. */
  outcomeUnknown: flag().notNull(),
  /** Sent to the network, which echoes it in statuses. */
  sendToken: text().notNull(),
  /** The caller's own id of a message of the API. It never leaves for the network. */
  reference: text(),
  /** The Idempotency-Key of the request. It outlives the kept answer, so that the message can be found by it. */
  idempotencyKey: text(),
  networkMessageId: text(),
  /** The network has accepted the message and holds it back; false once it is sent after all; null: never held back. */
  heldBack: flag(),
  errorCode: text(),
  errorMessage: text(),
  /** Whether the message costs something when it is delivered. */
  charged: flag().notNull(),
  /** The price, frozen at the time of the hold; 0 if the message is not charged. */
  rate: micros().notNull(),
  money: text().$type<MessageMoney>().notNull(),
  createdAt: instant().notNull(),
  /**
   * A delayed recipient is not sent before this time: it is too soon after another message to the person, or the
   * network has been throttling this recipient since `throttledSince`.
   */
  notBefore: instant(),
  throttledSince: instant(),
  /** How many times the network refused this recipient for reasons of its own. */
  networkRefusals: integer().notNull().default(0),
  /** Start of the latest attempt. */
  dispatchedAt: instant(),
  sentAt: instant(),
  deliveredAt: instant(),
  readAt: instant(),
  failedAt: instant(),
  /** How the network bills the message, as its status said. */
  pricing: text({ mode: "json" }).$type<Pricing>(),
  /** The network's word for a free message that is no text; null for texts and templates. */
  networkType: text().$type<Exclude<MessageType, MessageForm>>(),
  /** What was sent, without links. Null where the text is all. */
  content: text({ mode: "json" }).$type<KeptContent>(),
  /** Null: it answers no message. */
  replyTo: text({ mode: "json" }).$type<MessageReference>(),
  /** When a scheduled message is to be sent, as the caller asked; null for all others. */
  sendAt: instant(),
  /** The endpoint for marketing has answered that the message is not its own: see `send-path.ts`. */
  fellBack: flag().notNull().default(false),
  /** Sent by no person, as an away message or with a key for automation: it answers nothing. */
  automated: flag().notNull().default(false),
  /**
   * The name of the API key or the e-mail address of the user, as it was then. Null for recipients of broadcasts and away
   * messages.
   */
  senderName: text(),
  /** Of an API key that is marked as an AI's. */
  byAi: flag().notNull().default(false),
});

/** What a scheduled message is made of, until it is sent or over: see `scheduled.ts`. */
export const scheduledMessages = sqliteTable("scheduled_messages", {
  messageId: integer().primaryKey(),
  workspaceId: integer().notNull(),
  contactId: integer().notNull(),
  /** Links included, as nothing else that is stored. */
  content: text({ mode: "json" }).$type<ServiceContent | TemplateInput>().notNull(),
  cancelOnReply: flag().notNull(),
  /** Lateness counts from here: `sendAt`, or the end of the quiet hours that the message waited for. */
  dueSince: instant().notNull(),
  /** The API key, if it has limits: see `key-limits.ts`. */
  keyId: integer(),
  /** Another copy of the database may have sent the message. */
  isRestored: flag().notNull().default(false),
  /** Whether the message may take the thread from another sender; null: the request did not say. */
  take: flag(),
});

export type ScheduledMessage = typeof scheduledMessages.$inferSelect;

export type MessageRow = typeof messages.$inferSelect;

/** A recipient's values are read only where its text is made or shown. */
export type Message = Omit<MessageRow, "variables">;

/** Values in the order of the template's placeholders. */
export interface FrozenValues {
  header: string[];
  body: string[];
  /** For the buttons that take one, in order; null: a quick reply keeps its own. Absent: none was given. */
  buttons?: (string | null)[];
  /** For each card of a carousel. Absent: it is none. */
  cards?: { body: string[]; buttons: (string | null)[] }[];
}

/** People who were sent a template in the last 24 hours; kept only for workspaces with a daily cap. */
export const recentRecipients = sqliteTable(
  "recent_recipients",
  { workspaceId: integer().notNull(), identityId: integer().notNull(), lastAt: instant().notNull() },
  (table) => [primaryKey({ columns: [table.workspaceId, table.identityId] })],
);

/**
 * People who were sent a template outside an open window in the last 24 hours; kept only for portfolios with a limit.
 */
export const portfolioRecipients = sqliteTable(
  "portfolio_recipients",
  {
    portfolioId: integer().notNull(),
    /** E.164, or the network's id of the person. */
    person: text().notNull(),
    /** Who sent last. */
    workspaceId: integer().notNull(),
    lastAt: instant().notNull(),
  },
  (table) => [primaryKey({ columns: [table.portfolioId, table.person] })],
);

/** How many people an API key with a daily budget has messaged, by day in the workspace's timezone (`YYYY-MM-DD`). */
export const keyDays = sqliteTable(
  "key_days",
  {
    keyId: integer().notNull(),
    day: text().notNull(),
    /** The number of rows in `keyPeople`. */
    people: integer().notNull(),
    /** Members of groups whose broadcasts are not built yet. */
    reserved: integer().notNull(),
    /** What messages cost, of a key with a limit for it. */
    money: micros().notNull().default(0),
  },
  ({ keyId, day }) => [primaryKey({ columns: [keyId, day] })],
);

export const keyPeople = sqliteTable(
  "key_people",
  { keyId: integer().notNull(), day: text().notNull(), identityId: integer().notNull() },
  ({ keyId, day, identityId }) => [primaryKey({ columns: [keyId, day, identityId] })],
);

/** Delivered messages as the network bills them, by month in the workspace's timezone (`YYYY-MM`). */
export const networkUsage = sqliteTable(
  "network_usage",
  {
    workspaceId: integer().notNull(),
    month: text().notNull(),
    numberId: integer().notNull(),
    category: text().notNull(),
    type: text().notNull(),
    billable: flag().notNull(),
    /** Of the person's phone number; empty: not known, or counted before countries were. */
    country: text().notNull().default(""),
    messages: integer().notNull(),
  },
  ({ workspaceId, month, numberId, category, type, billable, country }) => [
    primaryKey({ columns: [workspaceId, month, numberId, category, type, billable, country] }),
  ],
);

/** The number of rows in `recentRecipients` for each workspace; kept by triggers. */
export const recentRecipientCounts = sqliteTable("recent_recipient_counts", {
  workspaceId: integer().primaryKey(),
  count: integer().notNull(),
});

export const parkedStatuses = sqliteTable("parked_statuses", {
  id: integer().primaryKey({ autoIncrement: true }),
  numberId: integer().notNull(),
  networkMessageId: text().notNull(),
  sendToken: text(),
  item: text({ mode: "json" }).$type<StatusItem>().notNull(),
  expiresAt: instant().notNull(),
});

/** The number of rows in `parkedStatuses` without a send token, for each number; kept by triggers. */
export const parkedStatusCounts = sqliteTable("parked_status_counts", {
  numberId: integer().primaryKey(),
  count: integer().notNull(),
});

/** The index of `networkMessageId`: see `network-ids.ts`. */
export const networkIds = sqliteTable(
  "network_ids",
  { hash: integer().notNull(), messageId: integer().notNull() },
  ({ hash, messageId }) => [primaryKey({ columns: [hash, messageId] })],
);

export const recentNetworkIds = sqliteTable("recent_network_ids", {
  id: integer().primaryKey({ autoIncrement: true }),
  hash: integer().notNull(),
  messageId: integer().notNull(),
});

/** The index of single messages by their contact: see `contact-messages.ts`. */
export const contactMessages = sqliteTable(
  "contact_messages",
  { contactId: integer().notNull(), dispatchedAt: instant().notNull(), messageId: integer().notNull() },
  ({ contactId, dispatchedAt, messageId }) => [primaryKey({ columns: [contactId, dispatchedAt, messageId] })],
);

export const providerRequests = sqliteTable("provider_requests", {
  id: integer().primaryKey({ autoIncrement: true }),
  /** The send token that the request carried. It outlives a message that was discarded. */
  sendToken: text().notNull(),
  outcome: text().$type<ProviderRequestOutcome>().notNull(),
  code: text(),
  /** Plain text. */
  reason: text().notNull(),
  httpStatus: integer(),
  answer: text(),
  requestedAt: instant().notNull(),
  durationMs: integer().notNull(),
});

export type ProviderRequest = typeof providerRequests.$inferSelect;

export const broadcastCounters = sqliteTable("broadcast_counters", {
  broadcastId: integer().primaryKey(),
  workspaceId: integer().notNull(),
  /** Recipients that are pending or queued. */
  pending: integer().notNull(),
  sending: integer().notNull(),
  /** The next three counts are a funnel: `sent` includes `delivered`, which includes `read`. */
  sent: integer().notNull(),
  delivered: integer().notNull(),
  read: integer().notNull(),
  failed: integer().notNull(),
  skipped: integer().notNull(),
  /** How many of `sent` the network holds back, and when that last became fewer. */
  heldBack: integer().notNull().default(0),
  heldBackUntil: instant(),
  /** Whether the workspace was charged when the broadcast was created, and the price of one message. */
  isCharged: flag().notNull(),
  rate: micros().notNull(),
  /** Whether `held` is exactly the cost of all recipients without a final outcome, not an amount held up front. */
  isHeld: flag().notNull(),
  held: micros().notNull(),
  /** The total of the holds booked in the ledger. */
  booked: micros().notNull(),
  charged: micros().notNull(),
  isFinished: flag().notNull(),
  settledAt: instant(),
  /** When recipients were last dispatched. */
  lastSentAt: instant(),
  /** Current streaks of refusals with the same code: from answers and from statuses. */
  answerCode: text(),
  answerRepeats: integer().notNull(),
  statusCode: text(),
  statusRepeats: integer().notNull(),
  /** The text of the last refusal of the message. */
  refusalMessage: text(),
  /** A refusal of the template, the number or the account reported by a status, until the broadcast has acted on it. */
  reportedRefusal: text({ mode: "json" }).$type<Failure>(),
  /** All such refusals by code, until the broadcast is settled. */
  refusals: text({ mode: "json" }).$type<{ failure: Failure; count: number }[]>(),
  /** When the broadcast was last resumed. A status of a message that was sent before says nothing about the present. */
  resumedAt: instant(),
});

export type BroadcastCounters = typeof broadcastCounters.$inferSelect;

/** The last message that carried the workspace's AI notice to a person on a number: see `ai-notice.ts`. */
export const aiNotices = sqliteTable(
  "ai_notices",
  {
    contactId: integer().notNull(),
    numberId: integer().notNull(),
    workspaceId: integer().notNull(),
    messageId: integer().notNull(),
    carriedAt: instant().notNull(),
    /** The window in which it was sent is known to have been open until then. */
    windowUntil: instant().notNull(),
  },
  (table) => [primaryKey({ columns: [table.contactId, table.numberId] })],
);

export type AiNotice = typeof aiNotices.$inferSelect;
