/**
 * The daily budget of an API key: how many different people it messages on one day of the workspace, by single messages
 * and broadcasts together. A person counts from the transaction that accepts the message or the broadcast, whatever
 * becomes of it. Keys without a budget store nothing.
 *
 * The members of a group are known when its broadcast is built. Until then the broadcast reserves as many people as the
 * group has opted-in members; each member that is built uses up one of them.
 */
import { and, asc, eq, lt } from "drizzle-orm";
import { dateIn, startOfDay } from "#src/core/instant.ts";
import { Problem } from "#src/core/problem.ts";
import { deleteRows, findRow } from "#src/db/rows.ts";
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import type { Workspace } from "../workspaces/table.ts";
import { addMessagedPerson, addToBudget, budgetOfDay, messagedPerson, useReserved } from "./counter-statements.ts";
import { keyDays, keyPeople } from "./table.ts";

/** A key that has a budget. */
export interface BudgetedKey {
  keyId: number;
  dailyPeople: number;
}

/** The budget of one day. */
interface DayBudget extends BudgetedKey {
  /** `YYYY-MM-DD` in the workspace's timezone. */
  day: string;
  /** The first instant of the next day. */
  endsAt: number;
  /** Null where messages are sent now. */
  sendAt: number | null;
}

const DAY_MS = 24 * 60 * 60 * 1000;
/** More than the longest day of any timezone. */
const LONGEST_DAY_MS = 36 * 60 * 60 * 1000;
/** Days are kept longer than any timezone differs from UTC. */
const KEPT_MS = 3 * DAY_MS;

/** `sendAt`: when the messages are sent; null: now. */
export function dayBudget(tx: ReadTx, key: BudgetedKey, { timezone }: Workspace, sendAt: number | null): DayBudget {
  const at = sendAt ?? tx.now;
  const endsAt = startOfDay(startOfDay(at, timezone) + LONGEST_DAY_MS, timezone);
  return { ...key, day: dayOf(at, timezone), endsAt, sendAt };
}

function dayOf(at: number, timezone: string): string {
  const { year, month, day } = dateIn(at, timezone);
  return `${String(year).padStart(4, "0")}-${String(month).padStart(2, "0")}-${String(day).padStart(2, "0")}`;
}

/** How many more people the key may message on that day. */
function remainingInBudget(tx: ReadTx, { keyId, day, dailyPeople }: DayBudget): number {
  const used = budgetOfDay(tx).get({ keyId, day });
  return Math.max(0, dailyPeople - (used?.people ?? 0) - (used?.reserved ?? 0));
}

/** Counts these people. Throws `rate_limited` if they are too many, and counts none of them. */
export function countPeople(tx: Tx, budget: DayBudget, identityIds: readonly number[]): void {
  const { keyId, day } = budget;
  const added = [...new Set(identityIds)].filter(
    (identityId) => messagedPerson(tx).get({ keyId, day, identityId }) === undefined,
  );
  requireRoom(tx, budget, added.length);
  for (const identityId of added) addMessagedPerson(tx).run({ keyId, day, identityId });
  if (added.length > 0) addToBudget(tx).run({ keyId, day, people: added.length, reserved: 0 });
}

/** Reserves room for the members of a group. Throws `rate_limited` if they are too many. */
export function reservePeople(tx: Tx, budget: DayBudget, count: number): void {
  requireRoom(tx, budget, count);
  addToBudget(tx).run({ keyId: budget.keyId, day: budget.day, people: 0, reserved: count });
}

function requireRoom(tx: ReadTx, budget: DayBudget, count: number): void {
  const { dailyPeople, endsAt, sendAt, day } = budget;
  const remaining = remainingInBudget(tx, budget);
  if (count <= remaining) return;
  const when = sendAt === null ? "today" : `on ${day}`;
  throw new Problem(
    "rate_limited",
    `This API key may message ${dailyPeople} people a day. ${remaining} are left ${when}, and this request reaches ${count} more.`,
    // On the next day there is room for a full budget; a fixed time of sending does not move to it.
    { retryAfterMs: endsAt - tx.now, isRetryable: sendAt === null && count <= dailyPeople },
  );
}

/** What building a broadcast to a group has used of its reservation. */
export class BudgetUse {
  readonly #tx: Tx;
  readonly #budget: { keyId: number; day: string; dailyPeople: number };
  #reserved: number;
  #released = 0;
  #people = 0;
  /** A birthday broadcast adds one person for each of the people on their number, in succession. */
  #last: number | null = null;

  constructor(tx: Tx, budget: { keyId: number; day: string; dailyPeople: number }, reserved: number) {
    this.#tx = tx;
    this.#budget = budget;
    this.#reserved = reserved;
  }

  get reserved(): number {
    return this.#reserved;
  }

  /** Counts the person. False: the group has grown, and the budget is used up. */
  add(identityId: number): boolean {
    if (identityId === this.#last) return true;
    const { keyId, day, dailyPeople } = this.#budget;
    const isKnown = messagedPerson(this.#tx).get({ keyId, day, identityId }) !== undefined;
    if (this.#reserved > 0) {
      this.#reserved -= 1;
      this.#released += 1;
    } else if (!isKnown) {
      const stored = budgetOfDay(this.#tx).get({ keyId, day }) ?? { people: 0, reserved: 0 };
      const used = stored.people + this.#people + stored.reserved - this.#released;
      if (used >= dailyPeople) return false;
    }
    if (!isKnown) {
      addMessagedPerson(this.#tx).run({ keyId, day, identityId });
      this.#people += 1;
    }
    this.#last = identityId;
    return true;
  }

  /** Stores what was used. The caller stores `reserved`. */
  store(): void {
    const { keyId, day } = this.#budget;
    if (this.#people === 0 && this.#released === 0) return;
    useReserved(this.#tx).run({ keyId, day, people: this.#people, reserved: this.#released });
    this.#people = 0;
    this.#released = 0;
  }
}

interface Reservation {
  budgetKeyId: number | null;
  budgetDay: string | null;
  budgetReserved: number;
}

/** Releases what a broadcast reserved and did not need. The caller stores that it has none left. */
export function releaseReserved(tx: Tx, { budgetKeyId, budgetDay, budgetReserved }: Reservation): void {
  if (budgetKeyId === null || budgetDay === null || budgetReserved === 0) return;
  useReserved(tx).run({ keyId: budgetKeyId, day: budgetDay, people: 0, reserved: budgetReserved });
}

/**
 * Deletes up to `limit` people of a past day, and then the day; a day for which a broadcast still has a reservation stays.
 * Returns `limit` as long as there may be more.
 */
export function purgeKeyDays(tx: Tx, limit: number): number {
  const before = dayOf(tx.now - KEPT_MS, "UTC");
  const isOver = and(lt(keyDays.day, before), eq(keyDays.reserved, 0));
  const past = findRow(tx, keyDays, isOver, asc(keyDays.day));
  if (past === undefined) return 0;
  const { keyId, day } = past;
  const ofDay = and(eq(keyPeople.keyId, keyId), eq(keyPeople.day, day));
  const rows = tx.db.select().from(keyPeople).where(ofDay).limit(limit).all();
  for (const { identityId } of rows) {
    tx.db
      .delete(keyPeople)
      .where(and(ofDay, eq(keyPeople.identityId, identityId)))
      .run();
  }
  if (rows.length < limit) {
    deleteRows(tx, keyDays, { keyId, day });
  }
  return limit;
}
