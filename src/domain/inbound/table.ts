/** Inbound messages, echoes of what others sent from our numbers, callbacks and refused callbacks. */
import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { instant } from "#src/db/columns.ts";
import type { EchoDetails, InboundDetails } from "./details.ts";
import type { EchoOrigin, EchoStatus, InboundOrigin } from "./origin.ts";
import type { ThreadAction } from "./thread-actions.ts";

export const inbounds = sqliteTable("inbounds", {
  id: integer().primaryKey({ autoIncrement: true }),
  workspaceId: integer().notNull(),
  numberId: integer().notNull(),
  contactId: integer().notNull(),
  /** The network's id: an inbound with the same id is stored only once. */
  networkMessageId: text().notNull(),
  /** The network's name of the kind. */
  type: text().notNull(),
  text: text(),
  /** What the message brings beside its text. Null once it was deleted, and for a notice. */
  details: text({ mode: "json" }).$type<InboundDetails>(),
  /** The network's time. */
  receivedAt: instant().notNull(),
  createdAt: instant().notNull(),
  origin: text().$type<InboundOrigin>().notNull().default("messages"),
});

export type Inbound = typeof inbounds.$inferSelect;

/** What was sent from one of our numbers, but not by this server. */
export const echoes = sqliteTable("echoes", {
  id: integer().primaryKey({ autoIncrement: true }),
  workspaceId: integer().notNull(),
  numberId: integer().notNull(),
  contactId: integer().notNull(),
  /** The network's id: an echo with the same id is stored only once. */
  networkMessageId: text().notNull(),
  origin: text().$type<EchoOrigin>().notNull(),
  type: text().notNull(),
  text: text(),
  details: text({ mode: "json" }).$type<EchoDetails>(),
  /** The network's latest status of it; null if none is known. */
  status: text().$type<EchoStatus>(),
  /** The network's time. */
  sentAt: instant().notNull(),
  createdAt: instant().notNull(),
});

export type Echo = typeof echoes.$inferSelect;

/** Whom the away message was meant for on which day of the workspace (`YYYY-MM-DD`): see `send-away.ts`. */
export const awayDays = sqliteTable(
  "away_days",
  {
    contactId: integer().notNull(),
    day: text().notNull(),
    workspaceId: integer().notNull(),
    createdAt: instant().notNull(),
  },
  ({ contactId, day }) => [primaryKey({ columns: [contactId, day] })],
);

/** A request to the network about who owns a thread: stored before it leaves, and made once. */
export const threadCalls = sqliteTable("thread_calls", {
  id: integer().primaryKey({ autoIncrement: true }),
  workspaceId: integer().notNull(),
  contactId: integer().notNull(),
  numberId: integer().notNull(),
  action: text().$type<ThreadAction>().notNull(),
  /** To whom a thread is passed, in the network's words; null: to the escalation partner. */
  targetRole: text(),
  askedAt: instant().notNull(),
  /** Null while no answer is known. */
  outcome: text().$type<ThreadCallOutcome>(),
  /** The network's code of a refusal. */
  code: text(),
});

export type ThreadCallOutcome = "done" | "refused" | "unknown";
export type ThreadCall = typeof threadCalls.$inferSelect;

/** Whom a number blocks, as far as is known; see `blocks.ts`. */
export const blocks = sqliteTable("blocks", {
  id: integer().primaryKey({ autoIncrement: true }),
  workspaceId: integer().notNull(),
  contactId: integer().notNull(),
  numberId: integer().notNull(),
  /** Null: the number does not block the person. */
  blockedAt: instant(),
  /** What the network is asked, while its answer is not known, and since when. */
  asked: text().$type<BlockAction>(),
  askedAt: instant(),
});

export type BlockAction = "block" | "unblock";
export type Block = typeof blocks.$inferSelect;

/** Whom a number blocks on the simulated network. */
export const simulatedBlocks = sqliteTable("simulated_blocks", {
  id: integer().primaryKey({ autoIncrement: true }),
  workspaceId: integer().notNull(),
  contactId: integer().notNull(),
  numberId: integer().notNull(),
});

/** For the staff alone: never sent, and in no event. */
export const conversationNotes = sqliteTable("conversation_notes", {
  id: integer().primaryKey({ autoIncrement: true }),
  workspaceId: integer().notNull(),
  contactId: integer().notNull(),
  numberId: integer().notNull(),
  /** The user of the console who wrote it; null: a program. */
  userId: integer(),
  /** The user's e-mail address, or the name of the program's key, as it was then. */
  author: text().notNull(),
  text: text().notNull(),
  createdAt: instant().notNull(),
  /** Of the form of the console that wrote it, and of no other note of the workspace; null: a program wrote it. */
  formKey: text(),
});

export type ConversationNote = typeof conversationNotes.$inferSelect;

/** Whom a note names, until they have read it. */
export const noteMentions = sqliteTable(
  "note_mentions",
  {
    userId: integer().notNull(),
    noteId: integer().notNull(),
    workspaceId: integer().notNull(),
    contactId: integer().notNull(),
    numberId: integer().notNull(),
    /** Null: not read yet. */
    readAt: instant(),
  },
  ({ userId, noteId }) => [primaryKey({ columns: [userId, noteId] })],
);

/** Texts that the staff insert into a reply. */
export const quickReplies = sqliteTable("quick_replies", {
  id: integer().primaryKey({ autoIncrement: true }),
  workspaceId: integer().notNull(),
  name: text().notNull(),
  /** The name for comparison: see `foldName`. */
  folded: text().notNull(),
  /** Contact fields are named as `{{first_name}}`. */
  text: text().notNull(),
  /** The file that goes with it, which is kept as long as this row names it; null: none. */
  uploadId: integer(),
  createdAt: instant().notNull(),
  updatedAt: instant().notNull(),
});

export type QuickReply = typeof quickReplies.$inferSelect;

/** How far the history of a number's phone has arrived, or that its owner declined to share it. */
export const historyImports = sqliteTable("history_imports", {
  numberId: integer().primaryKey(),
  /** 0: the last day; 1: up to 90 days; 2: up to 180 days. */
  phase: integer(),
  /** Percent. */
  progress: integer(),
  chunks: integer().notNull(),
  declinedCode: text(),
  declinedReason: text(),
  startedAt: instant().notNull(),
  updatedAt: instant().notNull(),
});

export type HistoryImport = typeof historyImports.$inferSelect;

/** The address book of a number's phone. `name` and `firstName` are null once the contact was removed there. */
export const phoneContacts = sqliteTable(
  "phone_contacts",
  {
    contactId: integer().notNull(),
    numberId: integer().notNull(),
    name: text(),
    firstName: text(),
    /** The network's time of the latest change. */
    changedAt: instant().notNull(),
  },
  ({ contactId, numberId }) => [primaryKey({ columns: [contactId, numberId] })],
);

/** Which numbers a body is trusted for: decided on receipt, enforced when it is applied. */
export interface Trust {
  /** Signed with the secret of the configuration, which covers every number without a secret of its own. */
  configuration: boolean;
  /** Numbers whose own secret signed the body, or at whose own callback address it arrived. */
  numbers: number[];
}

export const callbacks = sqliteTable("callbacks", {
  id: integer().primaryKey({ autoIncrement: true }),
  network: text().$type<"simulator" | "whatsapp">().notNull(),
  /** The raw body. */
  body: text().notNull(),
  receivedAt: instant().notNull(),
  /** Callbacks of the simulator stay pending until this time; those of a real network are due at once. */
  dueAt: instant().notNull(),
  /** Null: this server created the callback. */
  trust: text({ mode: "json" }).$type<Trust>(),
  /** Null until every item is applied. */
  doneAt: instant(),
  /** What could not be applied, in plain text. Before that: `queued`. */
  note: text(),
  state: text().$type<CallbackState>(),
});

/**
 * Why a callback, or one of its items, had no effect: the worst of its items, which is the last one here. `foreign`: it
 * is about a number or account that is not on this server. The bodies of the others stay until they are applied.
 */
export const callbackStates = ["foreign", "unhandled", "unreadable", "quarantined"] as const;
export type CallbackState = (typeof callbackStates)[number];

/** Why one item had no effect. `ignored`: nothing follows from it; also a status of a message that is not ours. */
export type UnusedReason = CallbackState | "ignored";

/** How many items had no effect, by the hour in which they were applied. */
export const unusedItems = sqliteTable(
  "unused_items",
  {
    hour: instant().notNull(),
    reason: text().$type<UnusedReason>().notNull(),
    /** What it was: `field flows`, `status played`. */
    about: text().notNull(),
    count: integer().notNull(),
    lastAt: instant().notNull(),
  },
  ({ hour, reason, about }) => [primaryKey({ columns: [hour, reason, about] })],
);

export type UnusedCount = typeof unusedItems.$inferSelect;

export const callbackMarks = sqliteTable(
  "callback_marks",
  {
    callbackId: integer().notNull(),
    /** The position in the body; `BODY`: reading the body. */
    item: integer().notNull(),
    marks: integer().notNull(),
  },
  ({ callbackId, item }) => [primaryKey({ columns: [callbackId, item] })],
);

export type Callback = typeof callbacks.$inferSelect;

export type RefusalReason =
  /** The signature matches none of this server's secrets. */
  | "wrong_signature"
  | "no_signature"
  /** This server has no secret at all. */
  | "no_secret"
  /** The callback address belongs to no number. */
  | "unknown_address"
  /** A call of a number's own address without its secret header, or with another one. */
  | "wrong_header"
  /** The sender is known, but what it sent is not a JSON object. */
  | "not_an_object";

export const refusedCallbacks = sqliteTable(
  "refused_callbacks",
  {
    /** Start of the hour. */
    hour: instant().notNull(),
    reason: text().$type<RefusalReason>().notNull(),
    /** 0 if the body names no number of this server. The number is only what an unverified body claims. */
    numberId: integer().notNull(),
    count: integer().notNull(),
    lastAt: instant().notNull(),
  },
  ({ hour, reason, numberId }) => [primaryKey({ columns: [hour, reason, numberId] })],
);

/** The first refused callbacks of each day, one by one. */
export const refusals = sqliteTable("refusals", {
  id: integer().primaryKey({ autoIncrement: true }),
  at: instant().notNull(),
  reason: text().$type<RefusalReason>().notNull(),
  /** As in the counts. */
  numberId: integer().notNull(),
});

export type Refusal = typeof refusals.$inferSelect;

export type RefusedCount = typeof refusedCallbacks.$inferSelect;
