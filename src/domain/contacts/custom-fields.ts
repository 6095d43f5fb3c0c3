/** Reads and adds custom fields, and reads a contact's values. */
import { invalidRequest } from "#src/core/problem.ts";
import { SHOWS_NOTHING } from "#src/core/shown-text.ts";
import { insertRow } from "#src/db/rows.ts";
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import { getWorkspace } from "../workspaces/read.ts";
import { type FieldKind, type FieldValue, findKeyProblem, readValue } from "./custom-field.ts";
import { fieldByKey, fieldsOfWorkspace, valuesOfContact } from "./detail-statements.ts";
import { type CustomField, customFields } from "./table.ts";

export function listFields(tx: ReadTx, workspaceId: number): CustomField[] {
  return fieldsOfWorkspace(tx).all({ workspaceId });
}

export function findField(tx: ReadTx, workspaceId: number, key: string): CustomField | undefined {
  return fieldByKey(tx).get({ workspaceId, key });
}

/** The contact's values by key. Keys without a value are omitted. */
export function readFieldsOfContact(tx: ReadTx, contactId: number): Record<string, FieldValue> {
  const values: Record<string, FieldValue> = {};
  for (const { key, kind, ...stored } of valuesOfContact(tx).all({ contactId })) {
    const value = readValue(kind, stored);
    if (value !== null) values[key] = value;
  }
  return values;
}

interface NewField {
  key: string;
  label: string;
  kind: FieldKind;
  /** For a choice: at least one, without duplicates. Empty for the other kinds. */
  choices: string[];
}

export function addField(tx: Tx, workspaceId: number, { key, label, kind, choices }: NewField): CustomField {
  getWorkspace(tx, workspaceId);
  const problems: Record<string, string[]> = {};
  const keyProblem = findKeyProblem(key);
  if (keyProblem !== null) problems.key = [keyProblem];
  if (SHOWS_NOTHING.test(label)) problems.label = ["A field needs a label."];
  if (kind === "choice" && (choices.length === 0 || new Set(choices).size < choices.length || choices.includes(""))) {
    problems.choices = ["A field of the kind choice needs choices, all different."];
  }
  if (kind !== "choice" && choices.length > 0) problems.choices = ["Only a field of the kind choice has choices."];
  if (keyProblem === null && findField(tx, workspaceId, key) !== undefined) {
    problems.key = [`There is already a field ${key}.`];
  }
  if (Object.keys(problems).length > 0) throw invalidRequest(problems);
  return insertRow(tx, customFields, {
    workspaceId,
    key,
    label: label.trim(),
    kind,
    choices: kind === "choice" ? choices : null,
    createdAt: tx.now,
  });
}
