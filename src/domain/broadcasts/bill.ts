/**
 * What a broadcast is billed by at Meta: the category of the template, and the calling codes of the people, because Meta's
 * prices go by these two. No prices are known here, so nothing is said about an amount.
 */
import { callingCodeIn } from "#src/core/phone.ts";
import type { ReadTx } from "#src/db/transaction.ts";
import { eligibleSql } from "./audience-estimate.ts";
import type { BroadcastPlan } from "./plan.ts";
import type { ResolvedRecipient } from "./resolve-list.ts";

export interface BilledPeople {
  /** Without `+`; null: people without a phone number, or with one of no country. */
  code: string | null;
  people: number;
}

/** Of a list: those who are not skipped, the most frequent code first. */
export function billedOfList(people: readonly ResolvedRecipient[]): BilledPeople[] {
  return sum(
    people.flatMap(({ skip, contactLookup }) =>
      skip === null ? [{ start: contactLookup?.phone ?? null, people: 1 }] : [],
    ),
  );
}

/** A query for the reader: members of the group whom the broadcast reaches, by the start of their numbers. */
export function billedOfGroupSql(tx: ReadTx, plan: BroadcastPlan) {
  const { sql, parameters } = eligibleSql(tx, plan);
  return { sql: `SELECT substr(phone, 1, 4) AS start, count(*) AS people ${sql} GROUP BY 1`, parameters };
}

export function readBilled(rows: readonly Readonly<Record<string, unknown>>[]): BilledPeople[] {
  return sum(
    rows.map(({ start, people }) => ({ start: start === null ? null : String(start), people: Number(people) })),
  );
}

function sum(starts: readonly { start: string | null; people: number }[]): BilledPeople[] {
  const counts = new Map<string | null, number>();
  for (const { start, people } of starts) {
    const code = start === null ? null : callingCodeIn(start);
    counts.set(code, (counts.get(code) ?? 0) + people);
  }
  return [...counts].map(([code, people]) => ({ code, people })).sort((one, other) => other.people - one.people);
}
