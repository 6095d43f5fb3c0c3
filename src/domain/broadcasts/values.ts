/**
 * The values of a broadcast's template: fixed texts, and contact fields with fallbacks. They are resolved once, when
 * the broadcast is built, and frozen.
 */
import { type FieldProblems, unknownName } from "#src/core/fault.ts";
import { SHOWS_NOTHING } from "#src/core/shown-text.ts";
import type { ReadTx } from "#src/db/transaction.ts";
import { listFields, readFieldsOfContact } from "../contacts/custom-fields.ts";
import { broadcastNames, type ProfileName, profileFields } from "../contacts/profile-fields.ts";
import type { Contact } from "../contacts/table.ts";
import type { GivenValues, PlacedValues } from "../messages/given-values.ts";
import type { FrozenValues } from "../messages/table.ts";

export type BroadcastValue = { text: string } | { field: string; fallback: string | null };

export type BroadcastVariables = PlacedValues<BroadcastValue>;

/** The person whom a message addresses: the contact, or another person on its number. */
export interface Addressee {
  name: string | null;
  firstName: string | null;
}

/** Reports fields that are neither standard nor custom contact fields, by their paths. */
export function findUnknownFields(
  tx: ReadTx,
  workspaceId: number,
  { isList, names, header, body }: GivenValues<BroadcastValue>,
): FieldProblems {
  const problems: FieldProblems = {};
  let custom: string[] | null = null;
  const check = (values: readonly BroadcastValue[], path: string, keys: readonly string[] = []): void => {
    for (const [index, value] of values.entries()) {
      if ("text" in value || isContactField(value.field)) continue;
      custom ??= listFields(tx, workspaceId).map(({ key }) => key);
      if (custom.includes(value.field)) continue;
      const known = [...broadcastNames, ...custom];
      problems[`${path}.${keys[index] ?? index}.field`] = [
        unknownName(`There is no contact field "${value.field}". Use ${known.join(", ")}.`, value.field, known),
      ];
    }
  };
  check(header, "variables.header", names?.header);
  check(body, isList ? "variables" : "variables.body", names?.body);
  return problems;
}

/** Whether every recipient gets the same values: then no contact has to be read. */
export function areFixed({ header, body }: BroadcastVariables): boolean {
  return [...header, ...body].every((value) => "text" in value);
}

/** The fields that a contact must have because they have no fallback. */
export function requiredFields({ header, body }: BroadcastVariables): string[] {
  const names = [...header, ...body].flatMap((value) =>
    "field" in value && value.fallback === null ? [value.field] : [],
  );
  return [...new Set(names)];
}

type Resolved = { values: FrozenValues | null } | { missing: string };

/** The values for one person; `missing` names the first field that has neither a value nor a fallback. */
export function resolveValues(
  tx: ReadTx,
  variables: BroadcastVariables,
  contact: Contact | null,
  addressee: Addressee | null = null,
): Resolved {
  let custom: Readonly<Record<string, unknown>> | null = null;
  const read = (field: string): string | null => {
    if (addressee !== null && field === "name") return addressee.name;
    if (addressee !== null && field === "first_name") return addressee.firstName;
    if (contact === null) return null;
    if (isContactField(field)) return contact[profileFields[field].column];
    custom ??= readFieldsOfContact(tx, contact.id);
    const value = custom[field];
    return value === undefined || value === null ? null : String(value);
  };
  const missing: string[] = [];
  const resolve = (value: BroadcastValue): string => {
    if ("text" in value) return value.text;
    const found = collapseWhitespace(read(value.field)) ?? value.fallback;
    if (found === null) missing.push(value.field);
    return found ?? "";
  };
  const values = { header: variables.header.map(resolve), body: variables.body.map(resolve) };
  const [first] = missing;
  if (first !== undefined) return { missing: first };
  return { values: values.header.length + values.body.length === 0 ? null : values };
}

/**
 * Line breaks and long runs of spaces become one space, because the network refuses them. A value without a visible
 * character, which the network refuses too, counts as missing.
 */
function collapseWhitespace(text: string | null): string | null {
  const collapsed = text?.replace(/\s+/gu, " ").trim();
  return collapsed === undefined || SHOWS_NOTHING.test(collapsed) ? null : collapsed;
}

function isContactField(name: string): name is ProfileName {
  return broadcastNames.some((known) => known === name);
}
