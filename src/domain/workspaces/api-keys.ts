/** Creates, finds and revokes API keys. The key in clear is returned once, at creation, and never stored. Also the limits that a key has. */

import { asc } from "drizzle-orm";
import { durationAfter, readDuration } from "#src/core/duration.ts";
import { type FieldProblems, unknownName } from "#src/core/fault.ts";
import { readInstant } from "#src/core/instant.ts";
import { type Micros, readMoney } from "#src/core/money.ts";
import { invalidRequest, noProblems, notFound, quote } from "#src/core/problem.ts";
import { hashToken, newToken } from "#src/core/secret.ts";
import { trimShown } from "#src/core/shown-text.ts";
import { isLonger } from "#src/core/text-limits.ts";
import { findRow, insertRow, listRows, updateRows } from "#src/db/rows.ts";
import { remembered } from "#src/db/settings-cache.ts";
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import { getWorkspace } from "./read.ts";
import { defaultScopes, type Scope, scopes } from "./scopes.ts";
import { validKeyByHash } from "./statements.ts";
import { type ApiKey, apiKeys, type Workspace } from "./table.ts";

const KEY_PREFIX = "wx_";
const KEY_BYTES = 32;
/** Enough to tell keys apart, far too few to guess one. */
const SHOWN_CHARACTERS = 9;
const NAME_LENGTH_MAX = 100;

interface CreatedKey extends ApiKey {
  /** The bearer key in clear. */
  key: string;
}

/** Keys that a test chose. Only `waxwing dev` accepts them, because every reader of the test knows them. */
export const TEST_KEY = /^wx_test_[A-Za-z0-9_]{16,180}$/;
export const TEST_KEY_PREFIX = "wx_test_";

interface KeyOptions {
  limits?: Readonly<KeyLimits>;
  /** A key that a test chose. */
  fixed?: string;
}

export function createKey(
  tx: Tx,
  workspaceId: number,
  name: string,
  { limits = DEFAULT_LIMITS, fixed }: KeyOptions = {},
): CreatedKey {
  getWorkspace(tx, workspaceId);
  const shown = trimShown(name);
  if (shown === "" || isLonger(shown, NAME_LENGTH_MAX)) {
    throw invalidRequest({ name: [`A key's name has 1 to ${NAME_LENGTH_MAX} characters.`] });
  }
  const key = fixed ?? newToken(tx.random, KEY_PREFIX, KEY_BYTES);
  if (fixed !== undefined && validKeyByHash(tx).get({ hash: hashToken(fixed) }) !== undefined) {
    throw invalidRequest({ key: ["Another workspace has this key."] });
  }
  const row = insertRow(tx, apiKeys, {
    workspaceId,
    name: shown,
    prefix: key.slice(0, SHOWN_CHARACTERS),
    hash: hashToken(key),
    ...limits,
    scopes: [...limits.scopes],
    createdAt: tx.now,
  });
  return { ...row, key };
}

export interface Bearer {
  keyId: number;
  scopes: readonly Scope[];
  /** Of the endpoints, the key opens those of 0.1. */
  isOfFirstVersion: boolean;
  /** Null: never. The caller compares it with the clock. */
  expiresAt: number | null;
  /** Null: no limit. */
  dailyPeople: number | null;
  /** Null: anybody. */
  groupId: number | null;
  /** Null: no limit. */
  dailyMoney: Micros | null;
  lastUsedAt: number | null;
  name: string;
  isAutomation: boolean;
  isAi: boolean;
  workspace: Workspace;
}

/** The key's limits and workspace; undefined for an unknown or revoked key. */
export function findBearer(tx: ReadTx, key: string): Bearer | undefined {
  return bearerByHash(tx, Buffer.from(hashToken(key)).toString("hex"));
}

/** By the hash, so that no key is kept in clear. */
const bearerByHash = remembered((tx, hash: string): Bearer | undefined => {
  const found = validKeyByHash(tx).get({ hash: Buffer.from(hash, "hex") });
  if (found === undefined) return undefined;
  const { id: keyId, workspaceId, ...limits } = found;
  return { keyId, ...limits, workspace: getWorkspace(tx, workspaceId) };
});

export function listKeys(tx: ReadTx, workspaceId: number): ApiKey[] {
  return listRows(tx, apiKeys, { workspaceId }, asc(apiKeys.id));
}

/** Throws `not_found` for a key of another workspace. */
export function getKey(tx: ReadTx, workspaceId: number, id: number): ApiKey {
  const key = findRow(tx, apiKeys, { id, workspaceId });
  if (key === undefined) throw notFound("key");
  return key;
}

/** Stores that the key was used. The caller limits this to once a minute. */
export function touchKey(tx: Tx, keyId: number): void {
  updateRows(tx, apiKeys, { id: keyId }, { lastUsedAt: tx.now });
}

export function revokeKey(tx: Tx, id: number): ApiKey {
  updateRows(tx, apiKeys, { id, revokedAt: null }, { revokedAt: tx.now });
  const key = findRow(tx, apiKeys, { id });
  if (key === undefined) throw notFound("key");
  return key;
}

export interface KeyLimits {
  scopes: readonly Scope[];
  /** Null: never. */
  expiresAt: number | null;
  /** Null: no limit. */
  dailyPeople: number | null;
  /** The group whose contacts alone the key may message; null: anybody. */
  groupId: number | null;
  /** The most that its messages may cost on a day; null: no limit. */
  dailyMoney: Micros | null;
  /** Its messages do not count as answers: a conversation still waits for one. */
  isAutomation: boolean;
  /** An AI writes its messages, which say so. */
  isAi: boolean;
}

export const DEFAULT_LIMITS: Readonly<KeyLimits> = {
  ...{ scopes: defaultScopes, expiresAt: null, dailyPeople: null },
  ...{ groupId: null, dailyMoney: null, isAutomation: false, isAi: false },
};
/** For the keys of `waxwing dev`. */
export const EVERY_SCOPE: Readonly<KeyLimits> = { ...DEFAULT_LIMITS, scopes };

/** As it was typed. What is omitted is as in `DEFAULT_LIMITS`. */
interface KeyLimitsInput {
  scopes?: readonly string[] | undefined;
  /** A duration from now, a date or a time. */
  expires?: string | undefined;
  dailyPeople?: number | undefined;
  groupId?: number | undefined;
  /** A decimal. */
  money?: string | undefined;
  isAutomation?: boolean | undefined;
  isAi?: boolean | undefined;
}

/** More people than any number reaches in a day. */
const DAILY_PEOPLE_MAX = 10_000_000;

/** Throws `invalid_request` with every wrong field. */
export function readKeyLimits(
  input: KeyLimitsInput,
  { timezone }: Pick<Workspace, "timezone">,
  now: number,
): KeyLimits {
  const fields = noProblems();
  const { scopes: names, expires, dailyPeople = null, groupId = null, isAutomation = false, isAi = false } = input;
  const dailyMoney = readDailyMoney(input.money, fields);

  const unknown = (names ?? []).filter((name) => !isScope(name));
  if (unknown.length > 0) {
    const sentence = (name: string): string => `${quote(name)} is not a scope; there are ${scopes.join(", ")}.`;
    fields.scopes = unknown.map((name) => unknownName(sentence(name), name, scopes));
  } else if (names?.length === 0) {
    fields.scopes = [{ rule: "too_few", sentence: `Name at least one of ${scopes.join(", ")}.`, limit: 1 }];
  }

  const expiresAt = expires === undefined ? null : readExpiry(expires.trim(), timezone, now);
  if (expires !== undefined && expiresAt === null) {
    fields.expires = [
      { rule: "format", sentence: "Give a duration such as 90d, or a date such as 2027-01-31, up to 100 years ahead." },
    ];
  } else if (expiresAt !== null && expiresAt <= now) {
    fields.expires = ["This time has passed."];
  }

  if (dailyPeople !== null && !isBetween(dailyPeople, 1, DAILY_PEOPLE_MAX)) {
    fields.daily_people = [`Give a whole number from 1 to ${DAILY_PEOPLE_MAX}.`];
  }
  if (Object.keys(fields).length > 0) throw invalidRequest(fields);
  return {
    scopes: names === undefined ? defaultScopes : scopes.filter((scope) => names.includes(scope)),
    expiresAt,
    dailyPeople,
    groupId,
    dailyMoney,
    isAutomation,
    isAi,
  };
}

function readDailyMoney(text: string | undefined, fields: FieldProblems): Micros | null {
  const money = text === undefined ? null : readMoney(text.trim());
  if (text !== undefined && (money === null || money <= 0)) {
    fields.money = [{ rule: "format", sentence: "Give an amount above 0, such as 12.50." }];
  }
  return money;
}

function isScope(name: string): name is Scope {
  return scopes.some((scope) => scope === name);
}

function isBetween(value: number, min: number, max: number): boolean {
  return Number.isInteger(value) && value >= min && value <= max;
}

/** Null: unreadable, or too far ahead. */
function readExpiry(text: string, timezone: string, now: number): number | null {
  const duration = readDuration(text);
  const at = duration === null ? readInstant(text, timezone) : durationAfter(now, duration);
  const latest = durationAfter(now, { kind: "months", months: 1_200 });
  return at === null || at > latest ? null : at;
}
