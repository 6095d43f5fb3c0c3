/**
 * The reference's description of every error code, with example answers. The function that makes the real answers also
 * makes the examples, so their fields are correct.
 */
import { Type } from "@sinclair/typebox";
import { faultRules, unknownName } from "#src/core/fault.ts";
import { invalidRequest, notFound, Problem, type ProblemCode, problemCodes } from "#src/core/problem.ts";
import { Instant, OneOf } from "#src/core/schema.ts";
import { bodyOf, internalError, unavailable } from "../../errors.ts";
import { wrongParameter } from "../../page.ts";
import { missingScope } from "../scopes.ts";

interface CodeDescription {
  /** When the code is returned: a sentence that follows the code. */
  description: string;
  /** Keyed by a word that distinguishes them; a single example has its code as the key in the document. */
  examples: Readonly<Record<string, Problem>>;
}

const Decimal = (description: string) => Type.String({ description, examples: ["0.0085"] });

export const ErrorView = Type.Object(
  {
    error: Type.Object({
      code: OneOf(problemCodes, "Error code. Codes never change, so you can branch on them. New codes may be added."),
      message: Type.String({
        description: "Explanation of the error, suitable for showing to people. The wording may change.",
      }),
      fields: Type.Optional(
        Type.Record(Type.String(), Type.Array(Type.String()), {
          description: "Always present with `invalid_request`: the problems of each field, keyed by the field's path.",
        }),
      ),
      faults: Type.Optional(
        Type.Array(
          Type.Object({
            field: Type.String({ description: "The field's path.", examples: ["to"] }),
            rule: OneOf(
              faultRules,
              "What is wrong. Rules never change, so you can branch on them. New ones may be added.",
            ),
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
          {
            description:
              "With `invalid_request`: one entry for each problem in `fields`; absent where no field is at fault. With `template_not_found`: the field that names the template or its language. With `api_not_enabled` for lack of a scope: the header `Authorization`.",
          },
        ),
      ),
      since: Type.Optional(Instant("With `opted_out`: when the person opted out.")),
      needed: Type.Optional(Decimal("With `insufficient_balance`: the cost of the request.")),
      available: Type.Optional(Decimal("With `insufficient_balance`: the available balance.")),
      whatsapp_code: Type.Optional(
        Type.String({
          description:
            "With `whatsapp_error`: the network's error code, for support requests. `timeout`, `unreachable` and `interrupted` are codes of this server: it received no response from the network.",
          examples: ["131049"],
        }),
      ),
      oldest: Type.Optional(
        Type.String({ description: "With `invalid_request` of `GET /events`: the cursor to start again from." }),
      ),
      message_id: Type.Optional(
        Type.Integer({ description: "The message that the request stored, if it did.", examples: [1042] }),
      ),
      outcome: Type.Optional(
        OneOf(
          ["not_sent", "unknown"],
          "Present wherever the network was asked, and with 503. `not_sent`: the network provably does not have the message. `unknown`: it may have it.",
        ),
      ),
      retryable: Type.Boolean({
        description:
          "Whether the same request may succeed later without a change. Never true if anything may have been sent.",
      }),
      retry_key: Type.Optional(
        OneOf(
          ["same", "new"],
          "For requests that take an Idempotency-Key: which key the next try needs. `same`: the key is unused, or the outcome is unknown, and the same key never sends twice. `new`: this answer is kept under the key, and nothing was sent.",
        ),
      ),
    }),
  },
  { $id: "Error", description: "The body of every error response." },
);

export const codeDescriptions: Readonly<Record<ProblemCode, CodeDescription>> = {
  invalid_request: {
    description:
      "The request is invalid: malformed JSON, or a field or parameter that is missing, unknown or has an invalid value.",
    examples: {
      field: invalidRequest({
        to: [{ rule: "required", sentence: "This field is required." }],
        templte: [unknownName("Unknown field.", "templte", ["template"])],
      }),
      parameter: wrongParameter("page", { rule: "format", sentence: "The page is a whole number, at least 1." }),
    },
  },
  unauthenticated: withExample(
    "The API key is missing, unknown, expired or revoked.",
    new Problem("unauthenticated", "This API key is unknown, has expired or was revoked."),
  ),
  insufficient_balance: withExample(
    "The balance does not cover the cost. `needed` and `available` give both amounts.",
    new Problem("insufficient_balance", "The balance does not cover the cost of this message.", {
      needed: 8_500,
      available: 1_200,
    }),
  ),
  api_not_enabled: {
    description:
      "The API is not enabled for this workspace, or not for this API key: it lacks the scope that `faults` names with the rule `missing_scope`.",
    examples: {
      workspace: new Problem("api_not_enabled", "The API is not switched on for this workspace."),
      scope: missingScope(["read"], ["send"]),
    },
  },
  workspace_suspended: withExample(
    "The workspace is suspended and cannot send. `message` gives the reason.",
    new Problem("workspace_suspended", "Sending is stopped for this workspace: the invoice of October is unpaid"),
  ),
  not_found: withExample("The resource does not exist in this workspace.", notFound("message")),
  idempotency_conflict: withExample(
    "The Idempotency-Key was already used with a different request.",
    new Problem("idempotency_conflict", "This Idempotency-Key was used before with a different request."),
  ),
  opted_out: withExample(
    "The person has opted out; `since` gives the time. Only they can opt back in, by sending START.",
    new Problem("opted_out", "This person opted out on 2026-11-20 and can only opt in again by sending START.", {
      since: Date.UTC(2026, 10, 20, 12, 30),
      timezone: "Asia/Kolkata",
    }),
  ),
  invalid_number: withExample(
    "The phone number is not valid, or is not registered on the network.",
    new Problem("invalid_number", '"12" is not a phone number. Numbers without a country code are read in IN.'),
  ),
  window_closed: withExample(
    "Free-form text can only be sent within 24 hours of the recipient's last message. Send a template instead.",
    new Problem(
      "window_closed",
      "This person last wrote over 24 hours ago, so free-form text cannot be sent. Send a template.",
    ),
  ),
  template_not_found: withExample(
    "The workspace has no template with this name and language.",
    new Problem("template_not_found", 'There is no template "order_shiped". Did you mean order_shipped?', {
      fault: { field: "template", ...unknownName("", "order_shiped", ["order_shipped"]) },
    }),
  ),
  template_not_sendable: withExample(
    "The template is pending, rejected, paused or disabled. `message` says which.",
    new Problem("template_not_sendable", "The template order_shipped is rejected by the network."),
  ),
  missing_variable: withExample(
    "The template needs more values than the request contains.",
    new Problem("missing_variable", "The template's body needs 2 values, 1 was given."),
  ),
  missing_media: withExample(
    "The template has a media header, but the request has no `media` and the template has no stored sample.",
    new Problem("missing_media", "The template invoice has a document at the top: give its link in media."),
  ),
  unsupported_template: withExample(
    "The template has a component that this API cannot fill, such as a location or a carousel.",
    new Problem("unsupported_template", "The template find_us cannot be sent: it has a location at the top."),
  ),
  number_not_ready: withExample(
    "The sending number cannot send yet, or the workspace has no sending number.",
    new Problem("number_not_ready", "+911244001100 cannot send yet: the network has not made it ready."),
  ),
  not_cancellable: withExample(
    "The broadcast has already finished.",
    new Problem("not_cancellable", "This broadcast has already finished."),
  ),
  rate_limited: withExample(
    "Too many requests, or the network's limit or the daily cap was reached. Nothing was changed. Retry after the time in `Retry-After`.",
    new Problem("rate_limited", "Too many requests: this workspace may make 50 a second.", { retryAfterMs: 1_000 }),
  ),
  internal_error: withExample(
    "An error in this server. Its log has the details under the request id.",
    internalError(),
  ),
  whatsapp_error: {
    description:
      "The network rejected the message or did not respond. `message` gives the reason; if there was no response, it says whether the message may still arrive.",
    examples: {
      refused: new Problem(
        "whatsapp_error",
        "The network held the message back, because this person gets many marketing messages.",
        { whatsappCode: "131049", messageId: 1042, outcome: "not_sent" },
      ),
      unknown: new Problem(
        "whatsapp_error",
        "The network did not answer. The message may have arrived, so do not send it again blindly; if the network reports it, an event follows.",
        { whatsappCode: "timeout", messageId: 1042, outcome: "unknown" },
      ),
    },
  },
  unavailable: withExample(
    "The server cannot currently write to its database. Retry after the time in `Retry-After`.",
    unavailable(),
  ),
};

function withExample(description: string, example: Problem): CodeDescription {
  return { description, examples: { example } };
}

/** Example bodies for this code, under names that are unique in the whole document. */
export function examplesOf(code: ProblemCode): Record<string, { value: unknown }> {
  const examples = Object.entries(codeDescriptions[code].examples);
  return Object.fromEntries(
    examples.map(([name, problem]) => [
      examples.length === 1 ? code : `${code}_${name}`,
      // Only requests that take an Idempotency-Key ask the network.
      { value: bodyOf(problem, problem.details.messageId !== undefined) },
    ]),
  );
}
