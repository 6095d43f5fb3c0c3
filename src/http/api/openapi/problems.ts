/**
 * The reference's description of every error code, with example answers. The function that makes the real answers also
 * makes the examples, so their fields are correct.
 */
import { Type } from "@sinclair/typebox";
import { invalidRequest, notFound, Problem, type ProblemCode, problemCodes } from "#src/core/problem.ts";
import { Instant, OneOf } from "#src/core/schema.ts";
import { answerProblem, internalError, unavailable } from "../../errors.ts";
import { wrongParameter } from "../../page.ts";

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
      code: OneOf(problemCodes, "Permanent: branch on it. New codes may be added."),
      message: Type.String({ description: "What was wrong, in a sentence fit to show a person. May be reworded." }),
      fields: Type.Optional(
        Type.Record(Type.String(), Type.Array(Type.String()), {
          description: "With `invalid_request`, always: what is wrong with each field, by its path.",
        }),
      ),
      since: Type.Optional(Instant("With `opted_out`: when the person opted out.")),
      needed: Type.Optional(Decimal("With `insufficient_balance`: the cost.")),
      available: Type.Optional(Decimal("With `insufficient_balance`: what is left.")),
      whatsapp_code: Type.Optional(
        Type.String({
          description:
            "With `whatsapp_error`: the network's own code, for support. `timeout`, `unreachable` and `interrupted` are this server's words for a hand-over without an answer.",
          examples: ["131049"],
        }),
      ),
    }),
  },
  { $id: "Error", description: "What every refusal looks like." },
);

export const codeDescriptions: Readonly<Record<ProblemCode, CodeDescription>> = {
  invalid_request: {
    description:
      "The request itself is wrong: malformed JSON, or a field or parameter that is missing, unknown or wrong.",
    examples: {
      field: invalidRequest({ to: ["This field is required."] }),
      parameter: wrongParameter("page", "The page is a whole number, at least 1."),
    },
  },
  unauthenticated: withExample(
    "There is no key, or it is unknown or revoked.",
    new Problem("unauthenticated", "This API key is unknown or was revoked."),
  ),
  insufficient_balance: withExample(
    "The balance does not cover the cost; `needed` and `available` say by how much.",
    new Problem("insufficient_balance", "The balance does not cover the cost of this message.", {
      needed: 8_500,
      available: 1_200,
    }),
  ),
  api_not_enabled: withExample(
    "The API is not switched on for this workspace.",
    new Problem("api_not_enabled", "The API is not switched on for this workspace."),
  ),
  workspace_suspended: withExample(
    "Sending is stopped for this workspace; `message` says why.",
    new Problem("workspace_suspended", "Sending is stopped for this workspace: the invoice of October is unpaid"),
  ),
  not_found: withExample("There is no such thing in this workspace.", notFound("message")),
  idempotency_conflict: withExample(
    "The Idempotency-Key was used before with a different request.",
    new Problem("idempotency_conflict", "This Idempotency-Key was used before with a different request."),
  ),
  opted_out: withExample(
    "The person opted out, `since` says when. Only they can undo it, by writing START.",
    new Problem("opted_out", "This person opted out on 2026-11-20 and can only undo that by writing START.", {
      since: Date.UTC(2026, 10, 20, 12, 30),
      timezone: "Asia/Kolkata",
    }),
  ),
  invalid_number: withExample(
    "This is no phone number, or nobody on the network has it.",
    new Problem("invalid_number", '"12" is not a phone number. Numbers without a country code are read in IN.'),
  ),
  window_closed: withExample(
    "Free-form text can only be sent within 24 hours after the person last wrote; send a template.",
    new Problem(
      "window_closed",
      "This person last wrote over 24 hours ago, so free-form text cannot be sent. Send a template.",
    ),
  ),
  template_not_found: withExample(
    "The workspace has no template of this name and language.",
    new Problem("template_not_found", "There is no template order_shiped."),
  ),
  template_not_sendable: withExample(
    "The template is pending, rejected, paused or disabled; `message` says which.",
    new Problem("template_not_sendable", "The template order_shipped is rejected by the network."),
  ),
  missing_variable: withExample(
    "The template needs more values than were given.",
    new Problem("missing_variable", "The template's body needs 2 values, 1 was given."),
  ),
  missing_media: withExample(
    "The template has a file at the top, and none was given or stored.",
    new Problem("missing_media", "The template invoice has a document at the top: give its link in media."),
  ),
  unsupported_template: withExample(
    "The template has a part that this interface cannot fill, like a map or a carousel.",
    new Problem("unsupported_template", "The template find_us cannot be sent: it has a location at the top."),
  ),
  number_not_ready: withExample(
    "The sending number cannot send yet, or there is none.",
    new Problem("number_not_ready", "+911244001100 cannot send yet: the network has not made it ready."),
  ),
  not_cancellable: withExample(
    "It has already finished.",
    new Problem("not_cancellable", "This broadcast has already finished."),
  ),
  rate_limited: withExample(
    "Too many requests, or no room left at the network or under the daily cap. Nothing was changed; `Retry-After` says how long to wait.",
    new Problem("rate_limited", "Too many requests: this workspace may make 50 a second.", { retryAfterMs: 1_000 }),
  ),
  internal_error: withExample("A fault of this server; its log has it under the request id.", internalError()),
  whatsapp_error: {
    description: "The network refused the message, or did not answer; `message` says what that means.",
    examples: {
      refused: new Problem(
        "whatsapp_error",
        "The network held the message back, because this person gets many marketing messages.",
        { whatsappCode: "131049" },
      ),
      unknown: new Problem(
        "whatsapp_error",
        "The network did not answer. The message may have arrived, so do not simply repeat it; if the network reports it, an event follows.",
        { whatsappCode: "timeout" },
      ),
    },
  },
  unavailable: withExample(
    "The server cannot write its database right now. `Retry-After` says how long to wait.",
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
      { value: JSON.parse(answerProblem(problem).body) as unknown },
    ]),
  );
}
