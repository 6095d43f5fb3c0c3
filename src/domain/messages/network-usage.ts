/**
 * What the network bills: each delivered message with the category that its status named, summed by month and country,
 * which its rates depend on. The network names no amounts. Service messages are free up to an allowance for each number and month since October 2026.
 */

import type { Static } from "@sinclair/typebox";
import { asc } from "drizzle-orm";
import { countryOf, fromNetwork } from "#src/core/phone.ts";
import { listRows } from "#src/db/rows.ts";
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import { listNumbers } from "../numbers/read.ts";
import { getWorkspace } from "../workspaces/read.ts";
import type { Workspace } from "../workspaces/table.ts";
import { addUsage } from "./counter-statements.ts";
import type { UsageView } from "./schema.ts";
import type { Pricing } from "./status-item.ts";
import { type Message, networkUsage } from "./table.ts";

type NetworkUsage = typeof networkUsage.$inferSelect;

/** Free service messages for each number and month. */
export const SERVICE_ALLOWANCE = 1_000;
/** The first month in which service messages beyond the allowance are billed. */
const ALLOWANCE_SINCE = "2026-10";
/** Conversations that began with an advertisement are free for 72 hours, and do not count. */
const FREE_ENTRY_POINT = "free_entry_point";

type Owner = Pick<Message, "workspaceId" | "numberId" | "toPhone">;

/** With the calling code, so many digits tell the countries that share one apart. */
const START_DIGITS = 7;
const STARTS_MAX = 10_000;
/** By the first digits: reading a whole number takes longer than storing its status. */
const countries = new Map<string, string>();

/** Empty: not a phone number, or of no country that is known. */
function countryByStart(toPhone: string): string {
  if (!toPhone.startsWith("+")) return "";
  const start = toPhone.slice(1, START_DIGITS + 1);
  const known = countries.get(start);
  if (known !== undefined) return known;
  const phone = fromNetwork(toPhone.slice(1));
  const country = phone === null ? "" : (countryOf(phone) ?? "");
  if (countries.size === STARTS_MAX) countries.clear();
  countries.set(start, country);
  return country;
}

/** Collects what one transaction counts, so that each row is written once. */
export class UsageDeltas {
  readonly #tx: Tx;
  readonly #rows = new Map<string, NetworkUsage>();
  readonly #timezones = new Map<number, string>();

  constructor(tx: Tx) {
    this.#tx = tx;
  }

  add({ workspaceId, numberId, toPhone }: Owner, { category, type, billable }: Pricing, at: number): void {
    const month = monthOf(at, this.#timezoneOf(workspaceId));
    const country = countryByStart(toPhone);
    const key = `${workspaceId} ${month} ${numberId} ${category} ${type} ${billable} ${country}`;
    const known = this.#rows.get(key);
    if (known === undefined)
      this.#rows.set(key, { workspaceId, month, numberId, category, type, billable, country, messages: 1 });
    else known.messages += 1;
  }

  /** Writes all rows and starts over with none. */
  flush(): void {
    for (const row of this.#rows.values()) addUsage(this.#tx).run(row);
    this.#rows.clear();
  }

  #timezoneOf(workspaceId: number): string {
    const known = this.#timezones.get(workspaceId);
    if (known !== undefined) return known;
    const { timezone } = getWorkspace(this.#tx, workspaceId);
    this.#timezones.set(workspaceId, timezone);
    return timezone;
  }
}

/** A month of a workspace, by number, category and type. */
function listUsage(tx: ReadTx, workspaceId: number, month: string): NetworkUsage[] {
  const { category, type, numberId, billable } = networkUsage;
  return listRows(tx, networkUsage, { workspaceId, month }, asc(category), asc(type), asc(billable), asc(numberId));
}

/** The allowance of service messages in this month; null while there is none. */
export function allowanceOf(month: string): number | null {
  return month >= ALLOWANCE_SINCE ? SERVICE_ALLOWANCE : null;
}

function countryKey({ country, category, billable }: { country: string | null; category: string; billable: boolean }) {
  return `${country} ${category} ${billable}`;
}

/** Whether the message counts against the allowance. */
function isService({ category, type }: Pick<NetworkUsage, "category" | "type">): boolean {
  return category === "service" && type !== FREE_ENTRY_POINT;
}

interface Month {
  from: number;
  to: number;
  name: string;
}

const months = new Map<string, Month>();

/** `2026-11`. The latest month of each timezone is remembered: almost every status is of the same. */
export function monthOf(at: number, timezone: string): string {
  const known = months.get(timezone);
  if (known !== undefined && known.from <= at && at < known.to) return known.name;
  const first = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(timezone).with({ day: 1 }).startOfDay();
  const month = {
    from: first.epochMilliseconds,
    to: first.add({ months: 1 }).epochMilliseconds,
    name: first.toPlainDate().toPlainYearMonth().toString(),
  };
  months.set(timezone, month);
  return month.name;
}

export function viewUsage(tx: ReadTx, workspace: Workspace, month: string): Static<typeof UsageView> {
  const rows = listUsage(tx, workspace.id, month);
  const sum = (of: typeof rows): number => of.reduce((total, { messages }) => total + messages, 0);
  const groups = [...Map.groupBy(rows, ({ category, type, billable }) => `${category} ${type} ${billable}`).values()];
  return {
    month,
    messages: sum(rows),
    billable: sum(rows.filter(({ billable }) => billable)),
    categories: groups.flatMap((group) => {
      const [first] = group;
      if (first === undefined) return [];
      return [{ category: first.category, type: first.type, billable: first.billable, messages: sum(group) }];
    }),
    countries: [
      ...Map.groupBy(rows, ({ country, category, billable }) => `${country} ${category} ${billable}`).values(),
    ]
      .flatMap((group) => {
        const [first] = group;
        if (first === undefined) return [];
        const { country, category, billable } = first;
        return [{ country: country === "" ? null : country, category, billable, messages: sum(group) }];
      })
      .toSorted((one, other) => other.messages - one.messages || (countryKey(one) < countryKey(other) ? -1 : 1)),
    service: listNumbers(tx, workspace.id).map(({ id, phone }) => ({
      number: phone,
      messages: sum(rows.filter((row) => row.numberId === id && isService(row))),
      allowance: allowanceOf(month),
    })),
  };
}
