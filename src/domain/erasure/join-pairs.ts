/**
 * Who may be one person: pairs of contacts, each with the reasons. Every reason is one query in the order of an index, for a
 * reader's thread. A million contacts without duplicates, all of them Brazilian mobiles, took 3.5 s there for the four
 * queries on a busy machine: 2.0 s for number variants, 1.0 s for birthdays, 0.5 s for addresses. Birthdays took 0.1 s of
 * processor time in an index of their own and take 0.3 s now, but each import pays less. Values that more than
 * `SHARED_MAX` contacts have say nothing about a person, so they make no pair.
 */
import { withinBudget } from "#src/db/query-budget.ts";

export const pairReasons = [
  /** The network named one by a name of the other. */
  "network",
  /** Two variants of one number: `otherVariant` of `core/phone.ts`. */
  "same_number",
  "same_email",
  "same_name_and_birthday",
] as const;
export type PairReason = (typeof pairReasons)[number];

/** Further pairs are found once some of these are joined or dismissed. */
const PAIRS_MAX = 50;
const SHARED_MAX = 5;

/** The long variant of a number becomes the short one; null for any other number. */
const SHORT_VARIANT = `CASE
  WHEN length(one.phone) <> 14 THEN NULL
  WHEN one.phone GLOB '+55[1-9][1-9]9[6-9]*' THEN substr(one.phone, 1, 5) || substr(one.phone, 7)
  WHEN one.phone GLOB '+521[2-9]*' THEN '+52' || substr(one.phone, 5)
  WHEN one.phone GLOB '+549[1-9]*' THEN '+54' || substr(one.phone, 5) END`;

function isNamed(table: string): string {
  return `(${table}.phone IS NOT NULL OR ${table}.network_user_id IS NOT NULL)`;
}

/** `person.value`: the ids of contacts with one name and birthday. Grouped day by day, so only those of a day are sorted. */
function bornAlike(workspaceId: number): string {
  const groups = `SELECT json_group_array(id) AS ids FROM contacts INDEXED BY contacts_birthday
    WHERE workspace_id = ${workspaceId} AND substr(birthday, -5) = day AND birthday IS NOT NULL AND name IS NOT NULL
      AND ${withinBudget("id")}
    GROUP BY birthday, name COLLATE NOCASE HAVING count(*) BETWEEN 2 AND ${SHARED_MAX}`;
  return `(WITH RECURSIVE months (month) AS (SELECT 1 UNION ALL SELECT month + 1 FROM months WHERE month < 12),
      days (day) AS (SELECT 1 UNION ALL SELECT day + 1 FROM days WHERE day < 31)
    SELECT format('%02d-%02d', month, day) AS day FROM months CROSS JOIN days)
    CROSS JOIN json_each((SELECT json_group_array(json(ids)) FROM (${groups}))) AS person`;
}

/** One query for each reason, with `one` and `other` as the ids of contacts. */
export function pairQueries(workspaceId: number): Record<PairReason, string> {
  const pairs = (from: string, condition: string): string =>
    `SELECT one.id AS one, other.id AS other FROM ${from}
    WHERE ${condition} AND ${withinBudget("one.id")} AND ${isNamed("one")} AND ${isNamed("other")}
      AND NOT EXISTS (SELECT 1 FROM different_people WHERE contact_id = one.id AND other_id = other.id)
    LIMIT ${PAIRS_MAX}`;
  const shared = (columns: string, condition: string, by: string): string =>
    `(SELECT ${columns} FROM contacts WHERE workspace_id = ${workspaceId} AND ${condition}
      AND ${withinBudget("id")} GROUP BY ${by} HAVING count(*) BETWEEN 2 AND ${SHARED_MAX}) AS shared`;
  const both = `one.workspace_id = ${workspaceId} AND other.workspace_id = ${workspaceId}`;
  return {
    network: pairs(
      "contacts AS one INDEXED BY contacts_identity CROSS JOIN contacts AS other",
      `one.identity_id IS NOT NULL AND other.identity_id = one.identity_id AND other.id > one.id AND ${both}`,
    ),
    same_number: pairs(
      "contacts AS one CROSS JOIN contacts AS other",
      `one.phone > '+52' AND one.phone < '+56' AND other.phone = ${SHORT_VARIANT} AND other.phone IS NOT NULL AND ${both}`,
    ),
    same_email: pairs(
      `${shared("email", "email IS NOT NULL", "email COLLATE NOCASE")}
        CROSS JOIN contacts AS one CROSS JOIN contacts AS other`,
      `one.email = shared.email COLLATE NOCASE AND one.email IS NOT NULL
        AND other.email = shared.email COLLATE NOCASE AND other.email IS NOT NULL AND other.id > one.id AND ${both}`,
    ),
    same_name_and_birthday: pairs(
      `${bornAlike(workspaceId)}
        CROSS JOIN json_each(person.value) AS first CROSS JOIN json_each(person.value) AS second
        CROSS JOIN contacts AS one CROSS JOIN contacts AS other`,
      "one.id = first.value AND other.id = second.value AND other.id > one.id",
    ),
  };
}

export interface FoundPair {
  one: number;
  other: number;
  reasons: PairReason[];
}

/** The rows of each query become pairs, each once with all its reasons, the surest reason first; at most `PAIRS_MAX`. */
export function mergePairs(found: Readonly<Record<PairReason, readonly Record<string, unknown>[]>>): FoundPair[] {
  const pairs = new Map<string, FoundPair>();
  for (const reason of pairReasons) {
    for (const row of found[reason]) {
      const [one = 0, other = 0] = [Number(row.one), Number(row.other)].toSorted((a, b) => a - b);
      const key = `${one} ${other}`;
      const pair = pairs.get(key) ?? { one, other, reasons: [] };
      pair.reasons.push(reason);
      pairs.set(key, pair);
    }
  }
  return [...pairs.values()].slice(0, PAIRS_MAX);
}
