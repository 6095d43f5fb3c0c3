/** A row of a file as its contact would be stored, for a person who looks before anything changes. */
import type { ReadTx } from "#src/db/transaction.ts";
import { lookUpContact } from "#src/domain/contacts/find.ts";
import { viewContact } from "#src/domain/contacts/view.ts";
import type { Workspace } from "#src/domain/workspaces/table.ts";
import { type ColumnMapping, nameOfTarget } from "./columns.ts";
import type { WrittenRow } from "./row-writer.ts";
import type { StoredRow } from "./table.ts";

/** Reads the contact, which the same transaction has written. */
export function storedRow(
  tx: ReadTx,
  workspace: Workspace,
  { prepared: { line, row, isRepeated }, report }: WrittenRow,
  targets: ColumnMapping["targets"],
): StoredRow {
  const problems = report?.problems.map(({ says }) => says) ?? [];
  const shown = { line, is_repeated: isRepeated, problems };
  if ("problems" in row || report?.isRejected === true) return { ...shown, values: null };
  const name = row.phone === "" ? (row.userId ?? "") : row.phone;
  const contact = lookUpContact(tx, workspace.id, name, workspace.country)?.contact;
  if (contact == null) return { ...shown, values: null };
  const { fields, tags, groups, consent, ...view } = viewContact(tx, contact, workspace);
  const all: Record<string, unknown> = {
    ...view,
    ...Object.fromEntries(Object.entries(fields).map(([key, value]) => [`fields.${key}`, value])),
    tags: tags.join(", "),
    groups: groups.map((group) => group.name).join(", "),
  };
  const mapped = targets.flatMap((target) => (target === null ? [] : nameOfTarget(target)));
  const values = ["phone", ...mapped].flatMap((target) => {
    const value = all[target];
    return value == null || value === "" ? [] : [[target, String(value)] as const];
  });
  return { ...shown, values: { ...Object.fromEntries(values), consent: consent.status } };
}
