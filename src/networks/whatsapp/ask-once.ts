/**
 * Asks Meta for a change, once: what the answer proves decides whether anything was done. Beside it, how an object of the
 * same number is read.
 */
import { targetOf } from "#src/net/target.ts";
import type { Exchange, ExchangeRequest, Transport } from "#src/net/transport.ts";
import type { Result, Sender } from "../network.ts";
import type { Submitted } from "../template-request.ts";
import { answerOf, failed } from "./account-answer.ts";
import { describeCode, type GraphError, quoteNetwork, readGraphError } from "./errors.ts";
import { asObject, type JsonObject, memberOf, objectOf, parseJson, sentenceOf } from "./json.ts";
import { endpointOf } from "./profile.ts";
import { findHeaders, poolOf, urlOf, withProof } from "./request.ts";
import type { WhatsappSettings } from "./settings.ts";

/** Meta checks what it is given before it answers. */
const TIMEOUT_MS = 30_000;

/** Meta limits our requests: nothing was done. */
const LATER_CODES: ReadonlySet<number> = new Set([4, 17, 32, 341, 613, 80007, 80008, 80014]);
/** Meta is in trouble, and does not say whether it did anything. */
const TROUBLE_CODES: ReadonlySet<number> = new Set([1, 2, 131016]);
/** Codes of this range say what is wrong with a template; Meta gives them as a subcode of a general code. */
const TEMPLATE_CODES = { from: 2_388_000, to: 2_389_000 };

type Asked = Pick<ExchangeRequest, "method" | "body"> & {
  headers?: Readonly<Record<string, string>>;
  timeoutMs?: number;
  /** What the answer says, where it has a form of its own; null: it has the usual one. */
  readOwn?: (answer: JsonObject) => Submitted<JsonObject> | null;
};

export function createAsking(settings: WhatsappSettings, transport: Transport) {
  async function exchange(
    sender: Sender,
    url: string,
    { headers: more = {}, timeoutMs = TIMEOUT_MS, method, body }: Asked,
  ): Promise<Exchange | null> {
    const endpoint = endpointOf(settings, sender);
    const headers = findHeaders(endpoint, sender.accessToken);
    if (headers === null) return null;
    for (const [name, value] of Object.entries(more)) headers.set(name, value);
    const target = targetOf(withProof(url, endpoint, sender), { headers, secret: sender.accessToken });
    return transport.exchange({
      ...{ method, target, timeoutMs, pool: poolOf(sender) },
      ...(body === undefined ? {} : { body }),
    });
  }

  async function ask(sender: Sender, url: string, asked: Asked): Promise<Submitted<JsonObject>> {
    const result = await exchange(sender, url, asked);
    if (result === null) return refused("190", describeCode("190"));
    const value = result.kind === "answered" ? asObject(parseJson(result.body)) : null;
    const own = value === null ? null : (asked.readOwn?.(value) ?? null);
    return own ?? readAnswer(result);
  }

  return {
    ask,

    /** JSON to an edge of `owner`. */
    post(sender: Sender, owner: string, edge: string, body: unknown, more: Partial<Asked> = {}) {
      const url = urlOf(endpointOf(settings, sender), owner, edge);
      const headers = { "content-type": "application/json" };
      return ask(sender, url, { method: "POST", headers, body: JSON.stringify(body), ...more });
    },

    /** An edge of the number. */
    async read(
      sender: Sender,
      edge: string,
      query: Readonly<Record<string, string>> = {},
    ): Promise<Result<JsonObject>> {
      const endpoint = endpointOf(settings, sender);
      const asked = Object.keys(query).length === 0 ? "" : `?${new URLSearchParams(query)}`;
      const result = await exchange(sender, `${urlOf(endpoint, sender.phoneNumberId, edge)}${asked}`, {
        method: "GET",
      });
      return result === null ? failed("190", describeCode("190"), "token") : answerOf(result, endpoint);
    },
  };
}

export function done(answer: Submitted<JsonObject>): Submitted<null> {
  if (answer.kind !== "accepted") return answer;
  return memberOf(answer.value, "success") === false ? unreadable() : { ...answer, value: null };
}

function readAnswer(result: Exchange): Submitted<JsonObject> {
  if (result.kind === "unreachable") return later(`WhatsApp cannot be reached: ${result.reason}.`);
  if (result.kind === "lost") return { kind: "unknown", message: `WhatsApp did not answer: ${result.reason}.` };
  const error = readGraphError(result.body);
  const value = asObject(parseJson(result.body));
  if (error !== null) return refusalOf(result.status, error, objectOf(value, "error"));
  if (result.ok && value !== null) return { kind: "accepted", value, at: result.at };
  // A proxy, or a provider's own refusal: below 500 it says that the request went no further.
  if (result.status >= 400 && result.status < 500) {
    return refused(`HTTP ${result.status}`, `The answer was HTTP ${result.status} and could not be read.`);
  }
  return { kind: "unknown", message: `The answer was HTTP ${result.status} and could not be read.` };
}

/** Next to the error itself, Meta explains to a person what is wrong with a template. */
function refusalOf(status: number, error: GraphError, given: JsonObject | null): Submitted<never> {
  const { code, subcode } = error;
  if (LATER_CODES.has(code)) return later(describeCode(String(code)));
  const isAboutTemplate = subcode !== null && subcode >= TEMPLATE_CODES.from && subcode < TEMPLATE_CODES.to;
  if (TROUBLE_CODES.has(code) || (status >= 500 && !isAboutTemplate)) {
    return { kind: "unknown", message: describeCode(String(code)) };
  }
  const words = sentenceOf(given, "error_user_msg") ?? error.details;
  const message = words === null ? describeCode(String(code)) : quoteNetwork(words);
  return refused(String(isAboutTemplate ? subcode : code), message);
}

export function refused(code: string, message: string): Extract<Submitted<never>, { kind: "refused" }> {
  return { kind: "refused", code, message };
}

export function later(message: string): Extract<Submitted<never>, { kind: "later" }> {
  return { kind: "later", message, retryAfterMs: null };
}

export function unreadable(): Extract<Submitted<never>, { kind: "unknown" }> {
  return { kind: "unknown", message: "The answer has an unexpected form." };
}
