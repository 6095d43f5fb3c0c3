/** The body of `POST /broadcasts`: its schema, and the conversion from JSON to the input of the domain. */
import { type Static, Type } from "@sinclair/typebox";
import type { Fault } from "#src/core/fault.ts";
import { invalidRequest } from "#src/core/problem.ts";
import { absent, FORM, Form, FormComponent, inDocument, NOT_BLANK } from "#src/core/schema.ts";
import { SHOWS_NOTHING } from "#src/core/shown-text.ts";
import type { BroadcastInput } from "#src/domain/broadcasts/plan.ts";
import type { BroadcastValue } from "#src/domain/broadcasts/values.ts";
import { broadcastNames } from "#src/domain/contacts/profile-fields.ts";
import { findFieldProblems } from "../validate.ts";
import { partsOf, readCardValues, readParts } from "./template-parts.ts";
import { readSendAt, TIME_PATTERN } from "./time.ts";
import {
  checkWellFormed,
  HeaderMediaBody,
  LiteralOrNull,
  LiteralValue,
  type ReadValue,
  readHeaderMedia,
  readLiteral,
  readVariables,
  VALUE_PATTERN,
  variablesOf,
} from "./variables.ts";

const NAME_LENGTH_MAX = 191;
const TO_ITEMS_MAX = 1000;

const ContactFieldValue = FormComponent("ContactFieldValue", "A value that is taken from a field of each contact.", {
  field: Type.String({
    minLength: 1,
    description: `${broadcastNames.map((name) => `\`${name}\``).join(", ")}, or the key of a custom field.`,
    examples: ["first_name"],
  }),
  fallback: Type.Optional(
    inDocument(
      Type.String({
        description: "Used for contacts that have no value. Without a fallback, those contacts are skipped.",
        examples: ["there"],
      }),
      { pattern: VALUE_PATTERN },
    ),
  ),
});

const Value = Type.Union([LiteralValue, ContactFieldValue]);
const ButtonValue = Type.Union([LiteralOrNull, ContactFieldValue]);

const BroadcastVariablesBody = variablesOf(
  Value,
  ButtonValue,
  { all: "BroadcastVariables", named: "NamedBroadcastVariables" },
  {
    list: [{ field: "first_name", fallback: "there" }, "20%"],
    named: { first_name: { field: "first_name", fallback: "there" }, discount: "20%" },
    buttons: [{ field: "city", fallback: "all" }],
  },
  "Values for the template's placeholders and buttons: an array fills the body; an object has separate values for the header and the body, each as an array or, for named placeholders, as an object of names, and an array for the buttons. A value can be taken from a field of each contact.",
);

const To = Type.Array(Type.String(), {
  minItems: 1,
  maxItems: TO_ITEMS_MAX,
  description: "Phone numbers in any common format. Set either `to` or `group`.",
  examples: [["+442079460210", "+44 20 7946 0211"]],
});

const Group = Type.Integer({
  description: "Id of a group, from `GET /groups`. Set either `group` or `to`.",
  examples: [3],
});

/** What the server checks the body with. Code checks that the body has exactly one target. */
const CreateBroadcastBody = Form({
  name: inDocument(
    Type.String({
      minLength: 1,
      maxLength: NAME_LENGTH_MAX,
      description: "Name of the broadcast, shown in the console. It must not be blank.",
      examples: ["November offer"],
    }),
    NOT_BLANK,
  ),
  template: Type.String({ description: "Name of the template.", examples: ["november_offer"] }),
  language: Type.Optional(
    Type.String({
      description: "Language of the template. Required only if the template exists in several languages.",
      examples: ["en_US"],
    }),
  ),
  variables: Type.Optional(BroadcastVariablesBody),
  media: Type.Optional(HeaderMediaBody),
  ...partsOf("BroadcastCard", Value, ButtonValue, [{ field: "city", fallback: "all" }]),
  to: Type.Optional(To),
  group: Type.Optional(Group),
  from: Type.Optional(
    Type.String({
      description: "One of the workspace's sending numbers. Required only if the workspace has more than one.",
      examples: ["+442079460100"],
    }),
  ),
  send_at: Type.Optional(
    inDocument(
      Type.String({
        format: "date-time",
        description:
          "When to start. A time without an offset is interpreted in the workspace's timezone, and a date is its first instant. A time up to 5 minutes in the past counts as now.",
        examples: ["2026-11-27T10:00:00+05:30"],
      }),
      { pattern: TIME_PATTERN },
    ),
  ),
});

const { to: _to, group: _group, ...shared } = CreateBroadcastBody.properties;

const BroadcastToList = inDocument(
  FormComponent("BroadcastToList", "A broadcast to a list of phone numbers.", { ...shared, to: To }),
  { ...FORM, properties: { group: absent("Not together with `to`.") } },
);

const BroadcastToGroup = inDocument(
  FormComponent("BroadcastToGroup", "A broadcast to a group.", { ...shared, group: Group }),
  { ...FORM, properties: { to: absent("Not together with `group`.") } },
);

/** The same body in the document: a form for each target. */
export const CreateBroadcastForms = Type.Union([BroadcastToList, BroadcastToGroup], {
  $id: "CreateBroadcast",
  description: "A template to send to many people: to a list of phone numbers or to a group, not both.",
});

/**
 * The fields that the schema checks. `variables` and `send_at` are checked by code: a schema's messages about a union
 * are useless, and a time needs the workspace's timezone.
 */
const Checked = Form({
  ...CreateBroadcastBody.properties,
  variables: Type.Optional(Type.Unknown()),
  send_at: Type.Optional(Type.Unknown()),
});

/** Checks everything that can be checked from the request alone. Throws `invalid_request` with every wrong field. */
export function readBroadcast(body: Readonly<Record<string, unknown>>, timezone: string): BroadcastInput {
  const { variables: rawVariables, send_at: rawSendAt, ...rest } = body;
  const fields = findFieldProblems(Checked, rest);
  const given = readVariables(rawVariables, fields, readValue);
  const variables = { ...given, ...readCardValues(body.cards, fields, readValue) };
  const sendAt = readSendAt(rawSendAt, timezone, fields);
  const { name, template, language, to, group, from, ...others } = body as Static<typeof Checked>;
  if ((to === undefined) === (group === undefined)) {
    const fault: Fault =
      to === undefined
        ? { rule: "required", sentence: "Say whom to send to: to or group." }
        : { rule: "conflict", sentence: "Send to a list of numbers or to a group, not both." };
    fields.to = [fault];
    fields.group = [fault];
  }
  if (fields.name === undefined && SHOWS_NOTHING.test(name))
    fields.name = [{ rule: "too_short", sentence: "The name must not be blank." }];
  const media = readHeaderMedia(others.media, fields);
  const parts = readParts(others, timezone, fields);
  checkWellFormed(fields, rest);
  if (Object.keys(fields).length > 0) throw invalidRequest(fields);
  return {
    name,
    template,
    language: language ?? null,
    variables,
    media,
    parts,
    audience: to === undefined ? { groupId: group ?? 0 } : { to },
    from: from ?? null,
    sendAt,
  };
}

const readValue: ReadValue<BroadcastValue> = (raw, path, fields) => {
  if (typeof raw !== "object" || raw === null || Array.isArray(raw)) {
    return { text: readLiteral(raw, path, fields) };
  }
  for (const [name, faults] of Object.entries(findFieldProblems(ContactFieldValue, raw as Record<string, unknown>))) {
    fields[`${path}.${name}`] = faults;
  }
  const { field, fallback } = raw as Static<typeof ContactFieldValue>;
  // A fallback is sent as it is, so the rules for literal values apply.
  if (typeof fallback === "string") readLiteral(fallback, `${path}.fallback`, fields);
  return { field, fallback: fallback ?? null };
};
