/**
 * The log of requests that programs make with API keys, for seven days. A list of one workspace is bounded: a day has
 * room for so many requests, and those beyond are counted alone. It says what it may lack.
 */
import { asc, desc, eq, gte, lte } from "drizzle-orm";
import { deleteRows, listSome } from "#src/db/rows.ts";
import { remembered } from "#src/db/settings-cache.ts";
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import {
  addToKeyRequestDay,
  insertKeyRequests,
  keyRequestDay,
  newestKeyRequests,
  newestRequestsOfKey,
  noteKeyRequestRun,
  workspaceOfKey,
} from "./statements.ts";
import { apiKeys, type KeyRequest, keyRequestDays, keyRequestRuns, keyRequests } from "./table.ts";

const DAY_MS = 24 * 60 * 60_000;
const KEPT_MS = 7 * DAY_MS;
/** How many requests of one workspace are listed a day. */
export const LISTED_PER_DAY = 100_000;
/** Server runs that a screen has room to name. */
const RUNS_MAX = 20;

export const statusClasses = ["2xx", "3xx", "4xx", "5xx"] as const;
type StatusClass = (typeof statusClasses)[number];

export type NewKeyRequest = Omit<KeyRequest, "id">;

/** The server's run that writes. Times in milliseconds. */
interface Run {
  beganAt: number;
  /** Null: it has not ended. */
  endedAt: number | null;
}

/** Requests that are known but not listed, of one workspace. */
export interface Unlisted {
  workspaceId: number;
  at: number;
  count: number;
}

/** Null: the key is gone, as after a reset of test control. */
const workspaceIdOf = remembered((tx, keyId: number) => workspaceOfKey(tx).get({ keyId })?.workspaceId ?? null);

/** Adds requests, as far as their day has room; the others are counted. `run`: null where no end of a run is told. */
export function recordKeyRequests(
  tx: Tx,
  found: readonly NewKeyRequest[],
  unlisted: readonly Unlisted[],
  run: Run | null,
): void {
  const days = new Map<string, { workspaceId: number; day: number; room: number; listed: number; unlisted: number }>();
  const dayOf = (workspaceId: number, at: number) => {
    const day = Math.floor(at / DAY_MS) * DAY_MS;
    const key = `${workspaceId} ${day}`;
    const known = days.get(key);
    if (known !== undefined) return known;
    const room = LISTED_PER_DAY - (keyRequestDay(tx).get({ workspaceId, day })?.listed ?? 0);
    const added = { workspaceId, day, room, listed: 0, unlisted: 0 };
    days.set(key, added);
    return added;
  };
  const listed: NewKeyRequest[] = [];
  for (const request of found) {
    const day = dayOf(request.workspaceId, request.at);
    const workspaceId = workspaceIdOf(tx, request.keyId);
    if (day.listed >= day.room) day.unlisted += 1;
    else if (workspaceId !== null) {
      day.listed += 1;
      listed.push({ ...request, workspaceId });
    }
  }
  insertKeyRequests(tx, listed);
  for (const { workspaceId, at, count } of unlisted) dayOf(workspaceId, at).unlisted += count;
  for (const day of days.values()) addToKeyRequestDay(tx).run(day);
  if (run !== null) noteKeyRequestRun(tx).run({ ...run, writtenAt: tx.now });
}

interface KeyRequestFilter {
  keyId: number | null;
  status: StatusClass | null;
  /** Only requests with a lower id; null starts at the newest. */
  before: number | null;
  limit: number;
}

/** The ids, newest first. */
export function listKeyRequests(tx: ReadTx, workspaceId: number, filter: KeyRequestFilter): { id: number }[] {
  const { keyId, status, before, limit } = filter;
  const wanted = (listed: StatusClass): number => (status === null || status === listed ? Number(listed[0]) : 0);
  const page = {
    ...{ first: wanted("2xx"), second: wanted("3xx"), third: wanted("4xx"), fourth: wanted("5xx") },
    ...{ before: before ?? Number.MAX_SAFE_INTEGER, limit },
  };
  return keyId === null
    ? newestKeyRequests(tx).all({ ...page, workspaceId })
    : newestRequestsOfKey(tx).all({ ...page, keyId });
}

/** With the key's name; undefined where the request is no longer in the log. */
export function findKeyRequest(tx: ReadTx, id: number) {
  const found = tx.db
    .select({ request: keyRequests, name: apiKeys.name, prefix: apiKeys.prefix })
    .from(keyRequests)
    .innerJoin(apiKeys, eq(apiKeys.id, keyRequests.keyId))
    .where(eq(keyRequests.id, id))
    .get();
  if (found === undefined) return undefined;
  const { request, name, prefix } = found;
  return { ...request, key: { id: request.keyId, name, prefix } };
}

/** What the log lacks. Times in milliseconds. */
interface Lacks {
  /** Days (UTC) with more requests than there was room for, newest first. */
  days: { day: number; unlisted: number }[];
  /** Between these times the server ended without a clean stop, newest first: what it had not written is lost. */
  ends: { from: number; until: number }[];
}

/** `workspaceId`: whose days. */
export function lacksOfLog(tx: ReadTx, workspaceId: number): Lacks {
  const since = tx.now - KEPT_MS;
  const days = tx.db
    .select({ day: keyRequestDays.day, unlisted: keyRequestDays.unlisted })
    .from(keyRequestDays)
    .where(eq(keyRequestDays.workspaceId, workspaceId))
    .orderBy(desc(keyRequestDays.day))
    .all()
    .filter(({ day, unlisted }) => unlisted > 0 && day >= since - DAY_MS);
  const runs = listSome(tx, keyRequestRuns, gte(keyRequestRuns.beganAt, since), RUNS_MAX, desc(keyRequestRuns.beganAt));
  const ends = runs.flatMap(({ writtenAt, endedAt }, place) => {
    const next = runs[place - 1];
    return endedAt !== null || next === undefined ? [] : [{ from: writtenAt, until: next.beganAt }];
  });
  return { days, ends };
}

/** Deletes up to `limit` requests that are older than seven days; returns how many. */
export function purgeKeyRequests(tx: Tx, limit: number): number {
  // Ids follow the time of writing, so the oldest come first without an index on time.
  const expired = tx.db
    .select({ id: keyRequests.id, at: keyRequests.at })
    .from(keyRequests)
    .orderBy(asc(keyRequests.id))
    .limit(limit)
    .all()
    .filter(({ at }) => at <= tx.now - KEPT_MS);
  const last = expired.at(-1);
  if (last !== undefined) deleteRows(tx, keyRequests, lte(keyRequests.id, last.id));
  return expired.length;
}
