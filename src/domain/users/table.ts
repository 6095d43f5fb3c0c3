/** Tables of console users and what belongs to them. Tokens, codes and passwords are stored only as hashes. */
import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { bytes, flag, instant } from "#src/db/columns.ts";
import type { WorkspaceRole } from "./roles.ts";
import type { LinkKind } from "./user.ts";

export const users = sqliteTable("users", {
  id: integer().primaryKey({ autoIncrement: true }),
  /** As entered. */
  email: text().notNull(),
  /** Lower case, for lookups. */
  emailKey: text().notNull(),
  /** Argon2id; null until the user has redeemed a one-time link. */
  password: text(),
  isOperator: flag().notNull(),
  /** Sealed. */
  totpSecret: text(),
  totpPending: text(),
  totpStep: integer().notNull(),
  createdAt: instant().notNull(),
  updatedAt: instant().notNull(),
  disabledAt: instant(),
  /** When the user showed to receive what is sent to the address. */
  emailVerifiedAt: instant(),
});

export type User = typeof users.$inferSelect;

export const memberships = sqliteTable(
  "memberships",
  {
    userId: integer().notNull(),
    workspaceId: integer().notNull(),
    role: text().$type<WorkspaceRole>().notNull(),
    /** The numbers whose conversations an agent sees; null: all. */
    numberIds: text({ mode: "json" }).$type<number[]>(),
    /** The owner has not been shown yet that members lost the exports. */
    hasNews: flag().notNull().default(false),
    createdAt: instant().notNull(),
    /** When the member last used the console in the workspace. Updated at most once a minute; null: never. */
    seenAt: instant(),
  },
  (table) => [primaryKey({ columns: [table.userId, table.workspaceId] })],
);

export const userLinks = sqliteTable("user_links", {
  id: integer().primaryKey({ autoIncrement: true }),
  kind: text().$type<LinkKind>().notNull(),
  /** Null: the link creates the first operator. */
  userId: integer(),
  hash: bytes().notNull(),
  createdAt: instant().notNull(),
  expiresAt: instant().notNull(),
  usedAt: instant(),
  /** For an invitation: the workspace, the role in it, and the numbers of an agent. */
  workspaceId: integer(),
  role: text().$type<WorkspaceRole>(),
  numberIds: text({ mode: "json" }).$type<number[]>(),
});

export type UserLink = typeof userLinks.$inferSelect;

export const sessions = sqliteTable("sessions", {
  id: integer().primaryKey({ autoIncrement: true }),
  userId: integer().notNull(),
  hash: bytes().notNull(),
  createdAt: instant().notNull(),
  /** Updated at most once a minute. */
  seenAt: instant().notNull(),
  expiresAt: instant().notNull(),
  /** When the user last proved in this session who they are, by password or second factor. */
  confirmedAt: instant().notNull(),
  address: text().notNull(),
  agent: text().notNull(),
});

export type Session = typeof sessions.$inferSelect;

export const knownDevices = sqliteTable("known_devices", {
  id: integer().primaryKey({ autoIncrement: true }),
  userId: integer().notNull(),
  hash: bytes().notNull(),
  expiresAt: instant().notNull(),
});

export type KnownDevice = typeof knownDevices.$inferSelect;

export const recoveryCodes = sqliteTable(
  "recovery_codes",
  { userId: integer().notNull(), hash: bytes().notNull(), usedAt: instant() },
  (table) => [primaryKey({ columns: [table.userId, table.hash] })],
);

export const signInAttempts = sqliteTable("sign_in_attempts", {
  subject: bytes().primaryKey(),
  count: integer().notNull(),
  blockedUntil: instant().notNull(),
  lastAt: instant().notNull(),
});

/** At most one row. */
export const untrustedProxies = sqliteTable("untrusted_proxies", {
  id: integer().primaryKey(),
  address: text().notNull(),
  seenAt: instant().notNull(),
});

export const formAnswers = sqliteTable(
  "form_answers",
  {
    userId: integer().notNull(),
    key: text().notNull(),
    fingerprint: bytes().notNull(),
    status: integer().notNull(),
    body: text().notNull(),
    createdAt: instant().notNull(),
  },
  (table) => [primaryKey({ columns: [table.userId, table.key] })],
);

export const auditLog = sqliteTable("audit_log", {
  id: integer().primaryKey({ autoIncrement: true }),
  at: instant().notNull(),
  /** Null: the command line. */
  userId: integer(),
  /** Null: concerns the whole server, or only the user. */
  workspaceId: integer(),
  /** A noun and a verb: `key.create`. */
  action: text().notNull(),
  /** The object of the action, named as a person would name it. */
  subject: text().notNull(),
  /** Values before and after; never a secret. */
  details: text({ mode: "json" }).$type<Record<string, unknown>>().notNull(),
  /** The client's address; empty for the command line. */
  address: text().notNull(),
});

export type AuditEntry = typeof auditLog.$inferSelect;

/** What a user is writing to a person. */
export const conversationDrafts = sqliteTable(
  "conversation_drafts",
  {
    contactId: integer().notNull(),
    userId: integer().notNull(),
    workspaceId: integer().notNull(),
    /** As the console has it; null: it was sent or emptied. */
    content: text({ mode: "json" }).$type<Readonly<Record<string, unknown>>>(),
    /** With which the message is sent; empty: it was sent. */
    messageKey: text().notNull(),
    /** When the user last changed it. */
    changedAt: instant().notNull(),
  },
  ({ contactId, userId }) => [primaryKey({ columns: [contactId, userId] })],
);

export type ConversationDraft = typeof conversationDrafts.$inferSelect;
