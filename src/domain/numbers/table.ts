/** Sending phone numbers, their state at the network, and account syncs. */
import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { bytes, flag, instant } from "#src/db/columns.ts";
import type { ProfileTexts } from "./business-profile.ts";
import type { ConnectionFacts } from "./connection-facts.ts";
import type { Provider } from "./provider.ts";

/** Whether the account may send utility messages without a template, as the network last answered. */
export interface DirectSendState {
  /** `refused`: it was never allowed (100); `blocked`: it no longer is (139200). */
  state: "allowed" | "refused" | "blocked";
  /** When it was first answered. */
  since: number;
  /** When the network was last asked. */
  at: number;
  /** When the network last reported a message that was none for the category, and the right category in its word. */
  misuse?: { at: number; category: string };
}

/** Meta's business portfolios: their numbers, of several workspaces perhaps, share one messaging limit. */
export const portfolios = sqliteTable("portfolios", {
  id: integer().primaryKey({ autoIncrement: true }),
  /** `portfolio:ID` as Meta or an operator names it; `account:ID` where only the account is known; `simulator:WORKSPACE`. */
  name: text().notNull(),
  /** People in 24 hours; null: none, or not known. */
  personLimit: integer(),
  /** People counted; kept by triggers. */
  people: integer().notNull().default(0),
  updatedAt: instant().notNull(),
});

export type Portfolio = typeof portfolios.$inferSelect;

export const numbers = sqliteTable("numbers", {
  id: integer().primaryKey({ autoIncrement: true }),
  workspaceId: integer().notNull(),
  /** E.164. */
  phone: text().notNull(),
  /** The name that customers see. */
  name: text().notNull(),
  network: text().$type<"simulator" | "whatsapp">().notNull(),
  /** On WhatsApp: who serves the number, and at which address if not the usual one. */
  provider: text().$type<Provider>().notNull().default("graph"),
  apiUrl: text(),
  /** Messages per second. */
  throughput: integer().notNull(),
  /** A person chose the throughput; else it follows what the network reports. */
  throughputGiven: flag().notNull(),
  /** Whose messaging limit counts; null on the simulator, unless test control has set a limit. */
  portfolioId: integer(),
  /** The portfolio that an operator named. */
  givenPortfolio: text(),
  ready: flag().notNull(),
  unreadyReason: text(),
  /** Who stopped the number: if a person did, the network's reports do not start it again. Null while ready. */
  unreadyBy: text().$type<"person" | "network">(),
  /** Since when it can send: refusals of messages that left before say nothing about it. Null: from the start. */
  readyAt: instant(),
  /** The network's account that owns the number and its templates. */
  accountId: text().notNull(),
  /** The network's id of the number; unique on this server. */
  phoneNumberId: text().notNull(),
  /** Sealed; see `core/secret.ts`. */
  accessToken: text(),
  appSecret: text(),
  /** Requests prove that this server knows the app secret: the network has accepted, or demands, that proof. */
  sendsProof: flag().notNull().default(false),
  createdAt: instant().notNull(),
  removedAt: instant(),
  /** Since when another sender is known on the number; null: none is. */
  sharedSince: instant(),
  /** Who that sender is, as an operator said: Meta's Business Agent, or another one. Null: it was not said. */
  sharedWith: text().$type<SharedWith>(),
  /** Since when threads are passed from sender to sender on it; null: none was. */
  routedSince: instant(),
  /** Since when copies arrive of what people write to another sender; null: none did. */
  standbySince: instant(),
});

export type SharedWith = "agent" | "other";
export type SendingNumber = typeof numbers.$inferSelect;

/** Where a number accepts callbacks without a signature. */
export const callbackAddresses = sqliteTable("callback_addresses", {
  id: integer().primaryKey({ autoIncrement: true }),
  numberId: integer().notNull(),
  tokenHash: bytes().notNull(),
  secretHash: bytes().notNull(),
  needsSecret: flag().notNull(),
  createdAt: instant().notNull(),
  /** The latest accepted call, to the hour. */
  usedAt: instant(),
  /** Null for the newest address. */
  expiresAt: instant(),
});

export type CallbackAddress = typeof callbackAddresses.$inferSelect;

/** A connection that an owner began in the console, until its number is added: what was entered, sealed. */
export const connectionDrafts = sqliteTable("connection_drafts", {
  workspaceId: integer().primaryKey(),
  accessToken: text().notNull(),
  appSecret: text(),
  createdAt: instant().notNull(),
  updatedAt: instant().notNull(),
});

export type ConnectionDraft = typeof connectionDrafts.$inferSelect;

/** A sign-up at the network that an owner began: `hash` is that of the state, which works once. */
export const signUps = sqliteTable("sign_ups", {
  id: integer().primaryKey({ autoIncrement: true }),
  workspaceId: integer().notNull(),
  sessionId: integer().notNull(),
  hash: bytes().notNull(),
  numberId: integer(),
  createdAt: instant().notNull(),
  usedAt: instant(),
});

/** When the network last verified the callback address with the verify token of a workspace. */
export const callbackVerifications = sqliteTable("callback_verifications", {
  workspaceId: integer().primaryKey(),
  verifiedAt: instant().notNull(),
});

export const changedProperties = ["quality", "limit", "status", "restriction", "category"] as const;
export type ChangedProperty = (typeof changedProperties)[number];

/** What the network says about a number, in its own values; null if it gave none. */
export const numberStates = sqliteTable("number_states", {
  numberId: integer().primaryKey(),
  status: text(),
  verifiedName: text(),
  nameStatus: text(),
  quality: text(),
  throughputLevel: text(),
  /** Different people per day: digits, or `unlimited`. */
  messagingLimit: text(),
  /** Why the number cannot send, in plain text. */
  problem: text(),
  /** A problem that does not keep the number from sending. */
  warning: text(),
  /** An announcement of the network, until it is revoked. */
  notice: text(),
  /** A restriction that the network reported, in plain text. `restrictedUntil`: when it ends. */
  restriction: text(),
  restrictedUntil: instant(),
  /** The network's time of its latest report about a restriction. */
  restrictionUpdatedAt: instant().notNull(),
  checkedAt: instant(),
});

export type NumberState = typeof numberStates.$inferSelect;

/** What the network changed about a number or a template; see `network-changes.ts`. */
export const networkChanges = sqliteTable("network_changes", {
  id: integer().primaryKey({ autoIncrement: true }),
  workspaceId: integer().notNull(),
  /** One of both. */
  numberId: integer(),
  templateId: integer(),
  property: text().$type<ChangedProperty>().notNull(),
  /** In the network's own value. Null: not known, or no restriction. Of a restriction: what it says. */
  was: text(),
  became: text(),
  /** The network's time. */
  at: instant().notNull(),
});

export type NetworkChange = typeof networkChanges.$inferSelect;

/** What the network said at the last account sync about the connection of a number with this server. */
export const connections = sqliteTable("connections", {
  numberId: integer().primaryKey(),
  facts: text({ mode: "json" }).$type<ConnectionFacts>().notNull(),
  checkedAt: instant().notNull(),
});

/** What the network reported on its own about a number and a person should know; the last report of each kind. */
export const numberNotices = sqliteTable(
  "number_notices",
  {
    numberId: integer().notNull(),
    kind: text().notNull(),
    says: text().notNull(),
    /** The network's time. */
    at: instant().notNull(),
  },
  ({ numberId, kind }) => [primaryKey({ columns: [numberId, kind] })],
);

export type NumberNotice = typeof numberNotices.$inferSelect;

/** What a number's results say about the network; see `network-health.ts`. No row: there was no trouble yet. */
export const networkHealth = sqliteTable("network_health", {
  numberId: integer().primaryKey(),
  state: text().$type<"well" | "slow" | "down" | "recovering">().notNull(),
  /** Which results are the trouble: answers, or statuses that came later. */
  source: text().$type<"answer" | "status">().notNull(),
  /** Consecutive failures on the network's side. */
  answerFailures: integer().notNull(),
  statusFailures: integer().notNull(),
  /** The last failure, in the network's words. */
  message: text().notNull(),
  /** When it entered this state. */
  changedAt: instant().notNull(),
  /** When it last recovered: failures of messages sent before no longer count. */
  recoveredAt: instant(),
  /** Successes since it recovers. */
  successes: integer().notNull(),
  /** Consecutive good probes while down, and the last probe of any kind. */
  goodProbes: integer().notNull(),
  probedAt: instant(),
});

export type NetworkHealth = typeof networkHealth.$inferSelect;

/** Refusals with a code that this version does not know, since the last success; see `unlisted-refusals.ts`. */
export const unlistedRefusals = sqliteTable(
  "unlisted_refusals",
  {
    numberId: integer().notNull(),
    /** `free`: everything that is not a template. */
    kind: text().$type<"template" | "free">().notNull(),
    source: text().$type<"answer" | "status">().notNull(),
    code: text().notNull(),
    /** Ids of the contacts that were refused, at most ten. */
    people: text({ mode: "json" }).$type<number[]>().notNull(),
    /** The last refusal, in the network's words. */
    message: text().notNull(),
    beganAt: instant().notNull(),
    changedAt: instant().notNull(),
  },
  ({ numberId, kind, source, code }) => [primaryKey({ columns: [numberId, kind, source, code] })],
);

export type UnlistedRefusal = typeof unlistedRefusals.$inferSelect;

/** The result of the last sync of an account's numbers and templates. */
export const accountSyncs = sqliteTable(
  "account_syncs",
  {
    workspaceId: integer().notNull(),
    accountId: text().notNull(),
    succeededAt: instant(),
    failedAt: instant(),
    error: text(),
    /** What the account says of itself; null: not known. */
    portfolio: text(),
    hasPaymentMethod: flag(),
    /** Whether it may send to the endpoint for marketing, in the network's word. */
    marketingStatus: text(),
    /** The last answer of that endpoint that a message is not its own. */
    marketingRefusal: text({ mode: "json" }).$type<{ code: string; at: number }>(),
    /** What the network last answered about Direct Send. */
    directSend: text({ mode: "json" }).$type<DirectSendState>(),
  },
  (sync) => [primaryKey({ columns: [sync.workspaceId, sync.accountId] })],
);

export type AccountSync = typeof accountSyncs.$inferSelect;

/** What the simulated network keeps of a number. */
export const simulatedProfiles = sqliteTable("simulated_profiles", {
  numberId: integer().primaryKey(),
  workspaceId: integer().notNull(),
  profile: text({ mode: "json" }).$type<ProfileTexts>().notNull(),
  username: text(),
  photo: bytes(),
});
