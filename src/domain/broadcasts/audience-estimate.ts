/**
 * Whom a group would reach, counted without building anybody: one statement for the reader's thread, for it walks over all
 * members. Birthday broadcasts are counted person by person instead, for a number may have several whose day it is.
 */
import type { Reading } from "#src/db/transaction.ts";
import { findField } from "../contacts/custom-fields.ts";
import { listPeople } from "../contacts/details.ts";
import { getContact } from "../contacts/find.ts";
import { compileIds, type Sql } from "../filters/compile.ts";
import { birthdayConditions, celebrants } from "./birthday.ts";
import type { BroadcastPlan } from "./plan.ts";
import { type BroadcastVariables, contactFieldNames, requiredFields, resolveValues } from "./values.ts";

export interface Reach {
  reached: number;
  optedOut: number;
  noOptIn: number;
  missingVariable: number;
}

const COLUMNS: Readonly<Record<(typeof contactFieldNames)[number], string>> = {
  name: "name",
  first_name: "first_name",
  last_name: "last_name",
  email: "email",
  city: "city",
  state: "state",
  company: "company",
};

/** One row with `opted_in`, `opted_out`, `no_opt_in` and `missing`; those who miss a value have opted in. */
export function reachSql(reading: Reading, plan: BroadcastPlan): Sql {
  const members = membersSql(reading, plan);
  const missing = missingSql(reading, plan.workspace.id, plan.variables);
  return {
    sql:
      "SELECT coalesce(sum(consent = 'opted_in'), 0) AS opted_in, coalesce(sum(consent = 'opted_out'), 0) AS opted_out, " +
      "coalesce(sum(consent = 'unknown'), 0) AS no_opt_in, " +
      `coalesce(sum(consent = 'opted_in' AND (${missing.sql})), 0) AS missing ` +
      `FROM contacts WHERE phone IS NOT NULL AND id IN (${members.sql})`,
    parameters: [...missing.parameters, ...members.parameters],
  };
}

export function readReach(row: Readonly<Record<string, unknown>> | undefined): Reach {
  const missingVariable = Number(row?.missing ?? 0);
  return {
    reached: Number(row?.opted_in ?? 0) - missingVariable,
    optedOut: Number(row?.opted_out ?? 0),
    noOptIn: Number(row?.no_opt_in ?? 0),
    missingVariable,
  };
}

/** Rows with `id`: the members of a saved search behind an id, for the reader's thread. */
export function celebrantIdsSql(plan: BroadcastPlan, at: number, afterId: number, limit: number): Sql {
  const { group, workspace } = plan;
  if (group?.filter == null) throw new Error("only a saved search is about birthdays");
  const context = { workspaceId: workspace.id, timezone: workspace.timezone, now: at };
  return compileIds(group.filter, context, afterId, limit);
}

/** Counts the celebrants on these numbers. */
export function countCelebrants(
  reading: Reading,
  plan: BroadcastPlan,
  at: number,
  contactIds: readonly number[],
): Reach {
  const { group, workspace, variables } = plan;
  const conditions = group?.filter == null ? [] : birthdayConditions(group.filter);
  const reach: Reach = { reached: 0, optedOut: 0, noOptIn: 0, missingVariable: 0 };
  for (const id of contactIds) {
    const contact = getContact(reading, workspace.id, id);
    for (const person of celebrants(conditions, contact, listPeople(reading, id), at, workspace.timezone)) {
      if (contact.consent === "opted_out") reach.optedOut += 1;
      else if (contact.consent !== "opted_in") reach.noOptIn += 1;
      else if ("missing" in resolveValues(reading, variables, contact, person)) reach.missingVariable += 1;
      else reach.reached += 1;
    }
  }
  return reach;
}

function membersSql(reading: Reading, { group, workspace }: BroadcastPlan): Sql {
  if (group === null) throw new Error("only a group's reach is counted so");
  if (group.filter === null) {
    return { sql: "SELECT contact_id FROM group_members WHERE group_id = ?", parameters: [group.group.id] };
  }
  const context = { workspaceId: workspace.id, timezone: workspace.timezone, now: reading.now };
  return compileIds(group.filter, context, 0, Number.MAX_SAFE_INTEGER);
}

/** True for contacts that lack a value which has no stand-in. */
function missingSql(reading: Reading, workspaceId: number, variables: BroadcastVariables): Sql {
  const parts = requiredFields(variables).map((name): Sql => {
    const own = contactFieldNames.find((known) => known === name);
    if (own !== undefined) return { sql: `trim(coalesce(contacts.${COLUMNS[own]}, '')) = ''`, parameters: [] };
    return {
      sql:
        "NOT EXISTS (SELECT 1 FROM contact_fields WHERE contact_id = contacts.id AND field_id = ? " +
        "AND (number_value IS NOT NULL OR trim(coalesce(text_value, '')) <> ''))",
      parameters: [findField(reading, workspaceId, name)?.id ?? 0],
    };
  });
  if (parts.length === 0) return { sql: "0", parameters: [] };
  return { sql: parts.map(({ sql }) => sql).join(" OR "), parameters: parts.flatMap(({ parameters }) => parameters) };
}
