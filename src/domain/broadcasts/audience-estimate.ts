/**
 * Estimates the audience of a group without building recipients: one query over all members, to be run on the reader's
 * thread. Birthday broadcasts are counted person by person instead, because several people on a number may have their
 * birthday on that day.
 */
import { BLANK_CHARACTERS } from "#src/core/shown-text.ts";
import { withinBudget } from "#src/db/query-budget.ts";
import type { ReadTx } from "#src/db/transaction.ts";
import { findField } from "../contacts/custom-fields.ts";
import { listPeople } from "../contacts/details.ts";
import { getContact } from "../contacts/find.ts";
import { broadcastNames } from "../contacts/profile-fields.ts";
import type { Contact } from "../contacts/table.ts";
import { compileIds, type Sql } from "../filters/compile.ts";
import { birthdayConditions, celebrants } from "./birthday.ts";
import type { BroadcastPlan } from "./plan.ts";
import { type BroadcastVariables, requiredFields, resolveValues } from "./values.ts";

export interface AudienceEstimate {
  reached: number;
  optedOut: number;
  mayWantToStop: number;
  noOptIn: number;
  missingVariable: number;
}

/** A GLOB of texts with a visible character: the definition that decides when recipients are built. */
const VISIBLE = `*[^${BLANK_CHARACTERS}]*`;
const SURE = "(may_want_to_stop_since IS NULL)";

/**
 * One row with `opted_in`, `opted_out`, `doubtful`, `no_opt_in` and `missing`; contacts that lack a value also count as
 * opted in.
 */
export function audienceEstimateSql(tx: ReadTx, plan: BroadcastPlan): Sql {
  const members = membersSql(tx, plan);
  const missing = missingSql(tx, plan.workspace.id, plan.variables);
  return {
    sql:
      `SELECT coalesce(sum(consent = 'opted_in' AND ${SURE}), 0) AS opted_in, ` +
      "coalesce(sum(consent = 'opted_out'), 0) AS opted_out, " +
      `coalesce(sum(consent <> 'opted_out' AND NOT ${SURE}), 0) AS doubtful, ` +
      `coalesce(sum(consent = 'unknown' AND ${SURE}), 0) AS no_opt_in, ` +
      `coalesce(sum(consent = 'opted_in' AND ${SURE} AND (${missing.sql})), 0) AS missing ` +
      `FROM contacts WHERE (phone IS NOT NULL OR network_user_id IS NOT NULL) AND ${withinBudget("contacts.id")} AND id IN (${members.sql})`,
    parameters: [...missing.parameters, ...members.parameters],
  };
}

/** FROM and WHERE of the contacts that the broadcast reaches; not for a group about birthdays. */
export function eligibleSql(tx: ReadTx, plan: BroadcastPlan): Sql {
  const members = membersSql(tx, plan);
  const missing = missingSql(tx, plan.workspace.id, plan.variables);
  return {
    sql:
      `FROM contacts WHERE (phone IS NOT NULL OR network_user_id IS NOT NULL) AND ${withinBudget("contacts.id")} ` +
      `AND consent = 'opted_in' AND ${SURE} AND NOT (${missing.sql}) AND id IN (${members.sql})`,
    parameters: [...missing.parameters, ...members.parameters],
  };
}

export function readAudienceEstimate(row: Readonly<Record<string, unknown>> | undefined): AudienceEstimate {
  const missingVariable = Number(row?.missing ?? 0);
  return {
    reached: Number(row?.opted_in ?? 0) - missingVariable,
    optedOut: Number(row?.opted_out ?? 0),
    mayWantToStop: Number(row?.doubtful ?? 0),
    noOptIn: Number(row?.no_opt_in ?? 0),
    missingVariable,
  };
}

/** Rows with `id`: the members of a dynamic group after an id, for the reader's thread. */
export function celebrantIdsSql(plan: BroadcastPlan, at: number, afterId: number, limit: number): Sql {
  const { group, workspace } = plan;
  if (group?.filter == null) throw new Error("only a dynamic group can have birthdays");
  const context = { workspaceId: workspace.id, timezone: workspace.timezone, now: at };
  return compileIds(group.filter, context, afterId, limit);
}

/** Counts the people with a matching birthday on these contacts' numbers. */
export function countCelebrants(
  tx: ReadTx,
  plan: BroadcastPlan,
  at: number,
  contactIds: readonly number[],
): AudienceEstimate {
  const { group, workspace, variables } = plan;
  const conditions = group?.filter == null ? [] : birthdayConditions(group.filter);
  const estimate: AudienceEstimate = { reached: 0, optedOut: 0, mayWantToStop: 0, noOptIn: 0, missingVariable: 0 };
  for (const id of contactIds) {
    const contact = getContact(tx, workspace.id, id);
    for (const addressee of celebrants(conditions, contact, listPeople(tx, id), at, workspace.timezone)) {
      const isMissing = (): boolean => "missing" in resolveValues(tx, variables, contact, addressee);
      estimate[findFate(contact, isMissing)] += 1;
    }
  }
  return estimate;
}

function findFate(
  { consent, mayWantToStopSince }: Pick<Contact, "consent" | "mayWantToStopSince">,
  isMissing: () => boolean,
): keyof AudienceEstimate {
  if (consent === "opted_out") return "optedOut";
  if (mayWantToStopSince !== null) return "mayWantToStop";
  if (consent !== "opted_in") return "noOptIn";
  return isMissing() ? "missingVariable" : "reached";
}

function membersSql(tx: ReadTx, { group, workspace }: BroadcastPlan): Sql {
  if (group === null) throw new Error("only a group's audience is counted this way");
  if (group.filter === null) {
    return {
      sql: `SELECT contact_id FROM group_members WHERE group_id = ? AND ${withinBudget("contact_id")}`,
      parameters: [group.group.id],
    };
  }
  const context = { workspaceId: workspace.id, timezone: workspace.timezone, now: tx.now };
  return compileIds(group.filter, context, 0, Number.MAX_SAFE_INTEGER);
}

/** True for contacts that lack a value without a fallback. */
function missingSql(tx: ReadTx, workspaceId: number, variables: BroadcastVariables): Sql {
  const conditions = requiredFields(variables).map((name): Sql => {
    const column = broadcastNames.find((known) => known === name);
    if (column !== undefined) return { sql: `coalesce(contacts.${column}, '') NOT GLOB ?`, parameters: [VISIBLE] };
    return {
      sql:
        "NOT EXISTS (SELECT 1 FROM contact_fields WHERE contact_id = contacts.id AND field_id = ? " +
        "AND (number_value IS NOT NULL OR text_value GLOB ?))",
      parameters: [findField(tx, workspaceId, name)?.id ?? 0, VISIBLE],
    };
  });
  if (conditions.length === 0) return { sql: "0", parameters: [] };
  return {
    sql: conditions.map(({ sql }) => sql).join(" OR "),
    parameters: conditions.flatMap(({ parameters }) => parameters),
  };
}
