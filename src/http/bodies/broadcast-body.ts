/**
 * The body of `POST /broadcasts`: the conversion from JSON to the input of the
 * domain.
 */
import { Type } from "@sinclair/typebox";
import type { Fault, FieldProblems } from "#src/core/fault.ts";
import { readInstant } from "#src/core/instant.ts";
import { invalidRequest } from "#src/core/problem.ts";
import type { BroadcastInput } from "#src/domain/broadcasts/plan.ts";
import type { BroadcastValue, BroadcastVariables } from "#src/domain/broadcasts/values.ts";
import { findFieldProblems } from "../validate.ts";
import { ContactFieldValue, CreateBroadcastBody } from "./broadcast-schema.ts";
import { checkLink, checkWellFormed, type ReadValue, readLiteral, readVariables } from "./variables-body.ts";

/**
 * The fields that the schema checks. `variables` and `send_at` are checked by code: a schema's messages about a union
 * are useless, and a time needs the workspace's timezone.
 */
const Checked = Type.Object(
  {
    ...CreateBroadcastBody.properties,
    variables: Type.Optional(Type.Unknown()),
    send_at: Type.Optional(Type.Unknown()),
  },
  { additionalProperties: false },
);

/** Checks everything that can be checked from the request alone. Throws `invalid_request` with every wrong field. */
export function readBroadcast(body: Readonly<Record<string, unknown>>, timezone: string): BroadcastInput {
  const { variables: rawVariables, send_at: rawSendAt, ...rest } = body;
  const fields = findFieldProblems(Checked, rest);
  const variables: BroadcastVariables = readVariables(rawVariables, fields, readValue);
  const sendAt = readTime(rawSendAt, timezone, fields);
  const { name, template, language, media, to, group, from } = rest as {
    name: string;
    template: string;
    language?: string;
    media?: { link: string; filename?: string };
    to?: string[];
    group?: number;
    from?: string;
  };
  if ((to === undefined) === (group === undefined)) {
    const fault: Fault =
      to === undefined
        ? { rule: "required", sentence: "Say whom to send to: to or group." }
        : { rule: "conflict", sentence: "Send to a list of numbers or to a group, not both." };
    fields.to = [fault];
    fields.group = [fault];
  }
  if (fields.name === undefined && name.trim() === "")
    fields.name = [{ rule: "too_short", sentence: "The name must not be blank." }];
  if (fields["media.link"] === undefined && fields.media === undefined && media !== undefined) {
    checkLink(fields, media.link);
  }
  checkWellFormed(fields, rest);
  if (Object.keys(fields).length > 0) throw invalidRequest(fields);
  return {
    name,
    template,
    language: language ?? null,
    variables,
    media: media === undefined ? null : { link: media.link, filename: media.filename ?? null },
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
  const { field, fallback } = raw as { field: string; fallback?: string };
  // A fallback is sent as it is, so the rules for literal values apply.
  if (typeof fallback === "string") readLiteral(fallback, `${path}.fallback`, fields);
  return { field, fallback: fallback ?? null };
};

function readTime(raw: unknown, timezone: string, fields: FieldProblems): number | null {
  if (raw === undefined) return null;
  const sendAt = typeof raw === "string" ? readInstant(raw, timezone) : null;
  if (sendAt === null) {
    fields.send_at = [{ rule: "format", sentence: "This is no ISO 8601 time such as 2026-11-27T10:00:00+05:30." }];
  }
  return sendAt;
}
