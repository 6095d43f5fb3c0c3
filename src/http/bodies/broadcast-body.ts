/**
 * The body of `POST /broadcasts`: the conversion from JSON to the input of the
 * domain.
 */
import { Type } from "@sinclair/typebox";
import { readInstant } from "#src/core/instant.ts";
import { type FieldProblems, invalidRequest } from "#src/core/problem.ts";
import type { BroadcastInput } from "#src/domain/broadcasts/plan.ts";
import type { BroadcastValue, BroadcastVariables } from "#src/domain/broadcasts/values.ts";
import { findFieldProblems } from "../validate.ts";
import { ContactFieldValue, CreateBroadcastBody } from "./broadcast-schema.ts";
import { checkLink, checkWellFormed, type ReadValue, readLiteral, readVariables } from "./variables-body.ts";

/**
 * The fields that the schema checks. `variables` and `send_at` are checked by code: a schema's messages about a union
 * are useless, and a time needs the workspace's timezone.
 */
const Checked = Type.Omit(CreateBroadcastBody, ["variables", "send_at"], { additionalProperties: false });

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
    const sentence =
      to === undefined ? "Say whom to send to: to or group." : "Send to a list of numbers or to a group, not both.";
    fields.to = [sentence];
    fields.group = [sentence];
  }
  if (fields.name === undefined && name.trim() === "") fields.name = ["The name must not be blank."];
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
  for (const [name, sentences] of Object.entries(
    findFieldProblems(ContactFieldValue, raw as Record<string, unknown>),
  )) {
    fields[`${path}.${name}`] = sentences;
  }
  const { field, fallback } = raw as { field: string; fallback?: string };
  // A fallback is sent as it is, so the rules for literal values apply.
  if (typeof fallback === "string") readLiteral(fallback, `${path}.fallback`, fields);
  return { field, fallback: fallback ?? null };
};

function readTime(raw: unknown, timezone: string, fields: FieldProblems): number | null {
  if (raw === undefined) return null;
  const sendAt = typeof raw === "string" ? readInstant(raw, timezone) : null;
  if (sendAt === null) fields.send_at = ["This is no ISO 8601 time such as 2026-11-27T10:00:00+05:30."];
  return sendAt;
}
