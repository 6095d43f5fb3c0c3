/**
 * The bodies of refusals: an object for each error code, with the details that this code has, and for each answer the
 * union of the codes that it may carry.
 */
import { type TObject, type TProperties, type TSchema, Type } from "@sinclair/typebox";
import { faultRules } from "#src/core/fault.ts";
import { type ProblemCode, problemCodes } from "#src/core/problem.ts";
import { Component, Instant, inDocument, OneOf } from "#src/core/schema.ts";
import { pascalCase } from "./schemas.ts";

const Decimal = (description: string) => Type.String({ description, examples: ["0.0085"] });

const faults = Type.Array(
  Component("FieldFault", "What is wrong with one field, for programs.", {
    field: Type.String({ description: "The field's path.", examples: ["to"] }),
    rule: OneOf(faultRules, "What is wrong. Rules never change, so you can branch on them. New ones may be added."),
    limit: Type.Optional(
      Type.Number({ description: "With the `too_…` rules: the largest or smallest value, length or count." }),
    ),
    suggestion: Type.Optional(
      Type.String({
        description: "The name that you probably meant; with `missing_scope`: the scope that the key lacks.",
        examples: ["template"],
      }),
    ),
  }),
);

/** What a code has beyond the members that every error has. */
const details: Readonly<Partial<Record<ProblemCode, TProperties>>> = {
  invalid_request: {
    fields: Type.Record(Type.String(), Type.Array(Type.String()), {
      description: "The problems of each field, keyed by the field's path.",
    }),
    faults: Type.Optional({
      ...faults,
      description: "One entry for each problem in `fields`; absent where no field is at fault.",
    }),
    oldest: Type.Optional(Type.String({ description: "Of `GET /events`: the cursor to start again from." })),
  },
  not_found: {
    moved_to: Type.Optional(
      Type.String({
        description:
          "Of `GET /contacts/{phone}`: the person's new number, for 30 days after they moved away from this one, unless another contact has it now.",
        examples: ["+442079460211"],
      }),
    ),
  },
  opted_out: { since: Instant("When the person opted out.") },
  insufficient_balance: {
    needed: Decimal("The cost of the request."),
    available: Decimal("The available balance."),
  },
  api_not_enabled: {
    faults: Type.Optional({ ...faults, description: "For lack of a scope: the header `Authorization`." }),
  },
  template_not_found: {
    faults: Type.Optional({ ...faults, description: "The field that names the template or its language." }),
  },
  whatsapp_error: {
    whatsapp_code: Type.String({
      description:
        "The network's error code, for support requests. `timeout`, `unreachable` and `interrupted` are codes of this server: it received no response from the network.",
      examples: ["131049"],
    }),
  },
};

/** Codes of requests that take an Idempotency-Key and of no others. */
export const codesWithKey: readonly ProblemCode[] = [
  "insufficient_balance",
  "idempotency_conflict",
  "window_closed",
  "thread_owned_elsewhere",
];

/** Codes of requests that never take an Idempotency-Key. */
const codesWithoutKey: readonly ProblemCode[] = ["not_cancellable", "conversation_assigned"];

const RetryKey = OneOf(
  ["same", "new"],
  "For requests that take an Idempotency-Key: which key the next try needs. `same`: the key is unused, or the outcome is unknown, and the same key never sends twice. `new`: this answer is kept under the key, and nothing was sent.",
);

function sendMembers(code: ProblemCode): TProperties {
  if (codesWithoutKey.includes(code)) return {};
  return {
    message_id: Type.Optional(
      Type.Integer({ description: "The message that the request stored, if it did.", examples: [1042] }),
    ),
    outcome: Type.Optional(
      OneOf(
        ["not_sent", "unknown"],
        "Present wherever the network was asked, and with 503. `not_sent`: the network provably does not have the message. `unknown`: it may have it.",
      ),
    ),
    retry_key: codesWithKey.includes(code) ? RetryKey : Type.Optional(RetryKey),
  };
}

/** `not_found` → `NotFoundError`, `internal_error` → `InternalError`. */
function errorName(code: ProblemCode): string {
  return `${pascalCase(code.replace(/_error$/, ""))}Error`;
}

const schemas: ReadonlyMap<ProblemCode, TObject> = new Map(
  problemCodes.map((code) => [
    code,
    Component(errorName(code), `An error with the code \`${code}\`.`, {
      code: Type.Literal(code, { description: "Error code. Codes never change, so you can branch on them." }),
      message: Type.String({
        description: "Explanation of the error, suitable for showing to people. The wording may change.",
      }),
      ...details[code],
      ...sendMembers(code),
      retryable: Type.Boolean({
        description:
          "Whether the same request may succeed later without a change. Never true if anything may have been sent.",
      }),
    }),
  ]),
);

/** The body of an answer with one of these codes. */
export function errorSchema(codes: readonly ProblemCode[]): TObject<{ error: TSchema }> {
  const forms = codes.map((code) => schemas.get(code)).filter((schema) => schema !== undefined);
  const [only] = forms;
  if (forms.length === 1 && only !== undefined) return Type.Object({ error: only });
  const mapping = Object.fromEntries(codes.map((code) => [code, `#/components/schemas/${errorName(code)}`]));
  return Type.Object({
    error: inDocument(Type.Union(forms), { discriminator: { propertyName: "code", mapping } }),
  });
}
