/** Reads and adds custom fields, and reads a contact's values. */

import { and, asc, eq, sql } from "drizzle-orm";
import { invalidRequest } from "#src/core/problem.ts";
import { type ReadTx, statement, type Tx } from "#src/db/transaction.ts";
import { getWorkspace } from "../workspaces/read.ts";
import { type FieldKind, type FieldValue, findKeyProblem, readValue } from "./custom-field.ts";
import { type CustomField, contactFields, customFields } from "./table.ts";

const byWorkspace = statement((db) =>
  db
    .select()
    .from(customFields)
    .where(eq(customFields.workspaceId, sql.placeholder("workspaceId")))
    .orderBy(asc(customFields.key))
    .prepare(),
);

export function listFields(tx: ReadTx, workspaceId: number): CustomField[] {
  return byWorkspace(tx).all({ workspaceId });
}

const byKey = statement((db) =>
  db
    .select()
    .from(customFields)
    .where(
      and(eq(customFields.workspaceId, sql.placeholder("workspaceId")), eq(customFields.key, sql.placeholder("key"))),
    )
    .prepare(),
);

export function findField(tx: ReadTx, workspaceId: number, key: string): CustomField | undefined {
  return byKey(tx).get({ workspaceId, key });
}

const byContact = statement((db) =>
  db
    .select({
      key: customFields.key,
      kind: customFields.kind,
      textValue: contactFields.textValue,
      numberValue: contactFields.numberValue,
    })
    .from(contactFields)
    .innerJoin(customFields, eq(customFields.id, contactFields.fieldId))
    .where(eq(contactFields.contactId, sql.placeholder("contactId")))
    .orderBy(asc(customFields.key))
    .prepare(),
);

/** The contact's values by key. Keys without a value are omitted. */
export function readFieldsOfContact(tx: ReadTx, contactId: number): Record<string, FieldValue> {
  const values: Record<string, FieldValue> = {};
  for (const { key, kind, ...stored } of byContact(tx).all({ contactId })) {
    const value = readValue(kind, stored);
    if (value !== null) values[key] = value;
  }
  return values;
}

export interface NewField {
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
  if (label.trim() === "") problems.label = ["A field needs a label."];
  if (kind === "choice" && (choices.length === 0 || new Set(choices).size < choices.length || choices.includes(""))) {
    problems.choices = ["A field of the kind choice needs choices, all different."];
  }
  if (kind !== "choice" && choices.length > 0) problems.choices = ["Only a field of the kind choice has choices."];
  if (keyProblem === null && findField(tx, workspaceId, key) !== undefined) {
    problems.key = [`There is already a field ${key}.`];
  }
  if (Object.keys(problems).length > 0) throw invalidRequest(problems);
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
