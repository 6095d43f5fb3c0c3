/** Defines a custom field. */
import { invalidRequest } from "#src/primitives/problem.ts";
import type { Tx } from "#src/storage/transaction.ts";
import { getWorkspace } from "../workspaces/read.ts";
import { type FieldKind, findKeyMistake } from "./field.ts";
import { findField } from "./read.ts";
import { type CustomField, customFields } from "./table.ts";

export interface NewField {
  key: string;
  label: string;
  kind: FieldKind;
  /** For a choice: at least one, all different. Empty for the other kinds. */
  choices: string[];
}

export function addField(tx: Tx, workspaceId: number, { key, label, kind, choices }: NewField): CustomField {
  getWorkspace(tx, workspaceId);
  const fields: Record<string, string[]> = {};
  const keyMistake = findKeyMistake(key);
  if (keyMistake !== null) fields.key = [keyMistake];
  if (label.trim() === "") fields.label = ["Say what people call it."];
  if (kind === "choice" && (choices.length === 0 || new Set(choices).size < choices.length || choices.includes(""))) {
    fields.choices = ["A choice needs its choices, all different."];
  }
  if (kind !== "choice" && choices.length > 0) fields.choices = ["Only a field of the kind choice has choices."];
  if (keyMistake === null && findField(tx, workspaceId, key) !== undefined) {
    fields.key = [`There is a field ${key} already.`];
  }
  if (Object.keys(fields).length > 0) throw invalidRequest(fields);
  return tx.db
    .insert(customFields)
    .values({
      workspaceId,
      key,
      label: label.trim(),
      kind,
      choices: kind === "choice" ? choices : null,
      createdAt: tx.now,
    })
    .returning()
    .get();
}
