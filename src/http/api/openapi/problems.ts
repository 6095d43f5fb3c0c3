/**
 * The reference's description of every error code, with example answers. The function that makes the real answers also
 * makes the examples, so their fields are correct.
 */
import { unknownName } from "#src/core/fault.ts";
import { invalidRequest, notFound, Problem, type ProblemCode } from "#src/core/problem.ts";
import { bodyOf, internalError, unavailable } from "../../errors.ts";
import { wrongParameter } from "../../page.ts";
import { missingScope } from "../auth.ts";
import { codesWithKey } from "./error-schema.ts";

interface CodeDescription {
  /** When the code is returned: a sentence that follows the code. */
  description: string;
  /** Keyed by a word that distinguishes them; a single example has its code as the key in the document. */
  examples: Readonly<Record<string, Problem>>;
}

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
      scope: missingScope({ scopes: ["read"], isOfFirstVersion: false }, ["send"]),
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
  conversation_assigned: withExample(
    "A colleague answers the conversation. `take: true` takes it from them.",
    new Problem(
      "conversation_assigned",
      "asha@example.com answers this conversation. To take it from them, repeat the request with `take: true`.",
    ),
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
    new Problem("window_closed", "This person last wrote over 24 hours ago, so only a template can be sent."),
  ),
  thread_owned_elsewhere: withExample(
    "Another sender on the number has the conversation with this person, so the network takes only templates. Nothing was sent, and the idempotency key is unused. `take: true` sends all the same.",
    new Problem(
      "thread_owned_elsewhere",
      "Another sender has this conversation on +442079460100, so only a template can be sent. Take it over first, or send with `take: true`.",
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
    "The template needs a member that the request lacks, such as `location` or `cards` (see `needs` of the template), or has a component that this API does not know.",
    new Problem(
      "unsupported_template",
      "The template find_us cannot be sent without location: it has a location header.",
    ),
  ),
  number_not_ready: withExample(
    "The sending number cannot send yet, or the workspace has no sending number.",
    new Problem("number_not_ready", "+442079460100 cannot send yet: the network has not made it ready."),
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
        "The network did not answer. The message may have arrived, so check before you send it again; if the network reports it, an event follows.",
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
export function examplesOf(
  code: ProblemCode,
  { hasBody, takesKey }: { hasBody: boolean; takesKey: boolean },
): Record<string, { value: unknown }> {
  const isPossible = (name: string): boolean => code !== "invalid_request" || hasBody === (name === "field");
  const examples = Object.entries(codeDescriptions[code].examples).filter(([name]) => isPossible(name));
  return Object.fromEntries(
    examples.map(([name, problem]) => [
      examples.length === 1 ? code : `${code}_${name}`,
      { value: bodyOf(problem, takesKey || codesWithKey.includes(code)) },
    ]),
  );
}
