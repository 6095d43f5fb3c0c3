/** Converts one row of a file to contact changes. Pure. */

import { readYearlyDate } from "#src/core/calendar.ts";
import { isUserId } from "#src/core/user-id.ts";
import { type FieldValue, findValueProblem } from "#src/domain/contacts/custom-field.ts";
import { readProfileValue } from "#src/domain/contacts/profile.ts";
import { profileFields } from "#src/domain/contacts/profile-fields.ts";
import type { ContactChanges } from "#src/domain/contacts/put.ts";
import type { CustomField } from "#src/domain/contacts/table.ts";
import type { ColumnMapping } from "./columns.ts";
import { plainCell } from "./csv.ts";

export interface ParsedRow {
  /** Empty: the row has a user id alone. */
  phone: string;
  userId: string | null;
  username: string | null;
  changes: ContactChanges;
  /** What is wrong with each skipped cell, in a sentence that names the column's target; omitted if none was skipped. */
  skipped?: string[];
}

/** Separators of lists within a cell: characters that tag and group names rarely need. */
const LIST_SEPARATORS = /[;|,]/;

/**
 * Parses a row. An empty cell changes nothing. Problems are sentences that name the column's target, one for each bad
 * cell. A row with problems is rejected; if `skipsBadCells`, only one that does not say who the person is.
 */
export function readRow(
  { targets }: ColumnMapping,
  cells: readonly string[],
  skipsBadCells: boolean,
): ParsedRow | { problems: string[] } {
  const problems: string[] = [];
  let isUserIdBad = false;
  const profile: NonNullable<ContactChanges["profile"]> = {};
  const fields: Record<string, FieldValue> = {};
  const row: ParsedRow = { phone: "", userId: null, username: null, changes: { profile, fields } };
  targets.forEach((target, index) => {
    const cell = plainCell((cells[index] ?? "").trim());
    if (target === null || cell === "") return;
    switch (target.to) {
      case "phone":
        row.phone = cell;
        return;
      case "user_id":
        if (isUserId(cell)) row.userId = cell;
        else {
          isUserIdBad = true;
          problems.push(`user_id: "${cell}" is not a user id; one has the form US.13491208655302741918.`);
        }
        return;
      case "username":
        row.username = cell.replace(/^@/, "");
        return;
      case "profile": {
        const { kind, column } = profileFields[target.field];
        const value = readProfileValue(kind, cell);
        if (value === null) problems.push(`${target.field}: "${cell}" cannot be read.`);
        else profile[column] = value;
        return;
      }
      case "field": {
        const value = readFieldCell(target.field, cell);
        const problem = findValueProblem(target.field, value);
        if (problem !== null) problems.push(`fields.${target.field.key}: ${problem}`);
        else fields[target.field.key] = value as FieldValue;
        return;
      }
      case "tags":
        row.changes.addTags = readList(cell);
        return;
      case "groups":
        row.changes.addToGroups = readList(cell);
    }
  });
  const hasNoName = row.phone === "" && row.userId === null;
  if (hasNoName && !isUserIdBad) problems.push("phone: this field is missing.");
  if (problems.length === 0) return row;
  if (!skipsBadCells || hasNoName || isUserIdBad) return { problems };
  row.skipped = problems;
  return row;
}

/**
 * The row without the cells that writing refused: values of custom fields and names of groups. `refused` has sentences
 * by path, as `putContact` names it. Returns null if it names anything else.
 */
export function skipRefusedCells(
  row: ParsedRow,
  refused: Readonly<Record<string, readonly string[]>>,
): ParsedRow | null {
  const { addToGroups, ...changes } = row.changes;
  const fields = { ...changes.fields };
  const skipped = [...(row.skipped ?? [])];
  const ofGroups: string[] = [];
  for (const [path, sentences] of Object.entries(refused)) {
    if (path.startsWith("add_to_groups.")) ofGroups.push(...sentences);
    else if (path.startsWith("fields.")) {
      delete fields[path.slice("fields.".length)];
      skipped.push(`${path}: ${sentences.join(" ")}`);
    } else return null;
  }
  if (ofGroups.length === 0) return { ...row, changes: { ...row.changes, fields }, skipped };
  // The names of a cell stand or fall together: half a cell would be neither what was there nor what the file says.
  return { ...row, changes: { ...changes, fields }, skipped: [...skipped, `groups: ${ofGroups.join(" ")}`] };
}

function readList(cell: string): string[] {
  return cell
    .split(LIST_SEPARATORS)
    .map((name) => name.trim())
    .filter((name) => name !== "");
}

const YES = ["true", "yes", "y", "1", "ja", "si", "sí", "sim", "oui"];
const NO = ["false", "no", "n", "0", "nein", "não", "nao", "non"];

function readFieldCell({ kind }: CustomField, cell: string): unknown {
  if (kind === "number") return /^-?\d+(\.\d+)?$/.test(cell) ? Number(cell) : cell;
  if (kind === "date") return readYearlyDate(cell) ?? cell;
  if (kind !== "boolean") return cell;
  const folded = cell.toLowerCase();
  return YES.includes(folded) ? true : NO.includes(folded) ? false : cell;
}
