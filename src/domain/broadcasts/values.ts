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
import { type GivenValues, listValues, mapValues, type PlacedValues } from "../messages/given-values.ts";
import type { FrozenValues } from "../messages/table.ts";
import { fits, limitOf, type ValueButton, type ValueLimit } from "../templates/buttons.ts";
import { cardAt } from "../templates/cards.ts";
import type { TemplateShape } from "../templates/template.ts";

/** `limit`: of a field whose value a button takes. Absent: of any other. */
export type BroadcastValue = { text: string } | { field: string; fallback: string | null; limit?: ValueLimit };

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
  { isList, names, header, body, buttons = [], cards = [] }: GivenValues<BroadcastValue>,
): FieldProblems {
  const problems: FieldProblems = {};
  let custom: string[] | null = null;
  const check = (values: readonly (BroadcastValue | null)[], path: string, keys: readonly string[] = []): void => {
    for (const [index, value] of values.entries()) {
      if (value === null || "text" in value || isContactField(value.field)) continue;
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
  check(buttons, "variables.buttons");
  for (const [index, card] of cards.entries()) {
    check(card.body, `cards.${index}.body`, card.names);
    check(card.buttons, `cards.${index}.buttons`);
  }
  return problems;
}

/** The placed values, in which each field that a button takes knows the button's limit. */
export function withLimits(
  { buttons, cards }: TemplateShape,
  placed: PlacedValues<BroadcastValue>,
): PlacedValues<BroadcastValue> {
  const limited = (values: readonly (BroadcastValue | null)[], taking: readonly ValueButton[]) =>
    values.map((value, index) => {
      const button = taking[index];
      if (value === null || "text" in value || button === undefined) return value;
      return { ...value, limit: limitOf(button) };
    });
  return {
    ...placed,
    ...(placed.buttons === undefined ? {} : { buttons: limited(placed.buttons, buttons) }),
    ...(placed.cards === undefined || cards === null
      ? {}
      : {
          cards: placed.cards.map((card, index) => ({
            ...card,
            buttons: limited(card.buttons, cardAt(cards, index)?.buttons ?? []),
          })),
        }),
  };
}

/** Whether every recipient gets the same values: then no contact has to be read. */
export function areFixed(variables: BroadcastVariables): boolean {
  return listValues(variables).every((value) => "text" in value);
}

/** The fields that a contact must have because they have no fallback. */
export function requiredFields(variables: BroadcastVariables): string[] {
  const names = listValues(variables).flatMap((value) =>
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
    const own = collapseWhitespace(read(value.field));
    // What the button does not take counts as missing: the network would refuse it for this person.
    const isFit = own !== null && (value.limit === undefined || fits(value.limit, own));
    const found = isFit ? own : value.fallback;
    if (found === null) missing.push(value.field);
    return found ?? "";
  };
  const values = mapValues(variables, resolve);
  const [first] = missing;
  if (first !== undefined) return { missing: first };
  return { values: listValues(variables).length === 0 ? null : values };
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
