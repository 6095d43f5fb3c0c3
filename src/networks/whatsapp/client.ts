/**
 * Sends one message to Meta's Cloud API, or to a provider with the same interface, with one POST that this module never
 * repeats. Every result is an `Outcome`; a message counts as not sent only if that is proven.
 */

import type { Clock } from "#src/core/clock.ts";
import { findErrorMeaning } from "#src/domain/messages/error-table.ts";
import type { FailedOutcome, Outcome } from "#src/domain/messages/outcome.ts";
import type { Exchange, Transport } from "#src/net/transport.ts";
import { kindOf } from "../kinds/kinds.ts";
import type { Network, OutboundMessage, RawAnswer } from "../network.ts";
import { classify, describeCode, excerptOf, graphErrorOf, readWaitHint } from "./errors.ts";
import { phoneIn } from "./item.ts";
import { asObject, idOf, type JsonObject, listOf, objectOf, parseJson, textOf } from "./json.ts";
import { createPayload } from "./payload.ts";
import type { Endpoint } from "./profile.ts";
import { poolOf } from "./request.ts";
import { SendRoutes } from "./send-routes.ts";
import type { Uploads, WhatsappSettings } from "./settings.ts";
import { HELD_BACK } from "./status.ts";

interface Client {
  send(outbound: OutboundMessage, timeoutMs: number, onAnswer?: (answer: RawAnswer) => void): Promise<Outcome>;
  markRead: NonNullable<Network["markRead"]>;
}

interface Sample {
  link: string;
  /** Meta's id of the upload. */
  id: string;
}

/** Meta's code for an unusable access token. */
const TOKEN_INVALID_CODE = "190";
/** Meta's code for a missing required parameter. */
const PARAMETER_MISSING_CODE = "131008";

export function createClient(
  settings: WhatsappSettings,
  { clock, transport, uploads }: { clock: Clock; transport: Transport; uploads: Uploads },
): Client {
  const routes = new SendRoutes(settings);

  /** The file that the number has uploaded before, and the message names by its link. */
  const findSample = ({ content, sender }: OutboundMessage): Sample | null => {
    const link = kindOf(content).linkOf?.(content) ?? null;
    const id = link === null ? null : uploads.findMediaId(sender.phoneNumberId, link);
    return link === null || id === null ? null : { link, id };
  };

  return {
    async send(outbound, timeoutMs, onAnswer) {
      const { phoneNumberId } = outbound.sender;
      const { endpoint, targets } = routes.of(outbound.sender);
      if (targets === null) return refuseLocally(TOKEN_INVALID_CODE, "account");
      if (outbound.to === null && outbound.recipientNetworkUserId === null) {
        return refuseLocally(PARAMETER_MISSING_CODE, "recipient");
      }
      const sample = findSample(outbound);

      const result = await transport.exchange({
        target: targets[outbound.path ?? "general"],
        method: "POST",
        body: bodyOf(outbound, sample, settings),
        timeoutMs,
        pool: poolOf(outbound.sender),
        isBulk: outbound.isBulk === true,
      });
      if (result.kind === "answered") onAnswer?.(rawOf(result));
      const outcome = outcomeOf(result, endpoint, clock, findAccepted);
      if (outcome.kind !== "refused") return outcome;
      if (outcome.scope === "message" && sample !== null) uploads.invalidate(phoneNumberId, sample.link);
      return isWrongPath(outbound, result, outcome) ? { ...outcome, isWrongPath: true } : outcome;
    },

    async markRead(sender, networkMessageId, isTyping, timeoutMs) {
      const { endpoint, targets } = routes.of(sender);
      if (targets === null) return refuseLocally(TOKEN_INVALID_CODE, "account");
      const typing = isTyping ? { typing_indicator: { type: "text" } } : {};
      const body = { messaging_product: "whatsapp", status: "read", message_id: networkMessageId, ...typing };
      const result = await transport.exchange({
        target: targets.general,
        method: "POST",
        body: JSON.stringify(body),
        timeoutMs,
        pool: poolOf(sender),
        isBulk: false,
      });
      return outcomeOf(result, endpoint, clock, (answer) => (answer?.success === true ? { kind: "done" } : null));
    },
  };
}

function bodyOf(outbound: OutboundMessage, sample: Sample | null, settings: WhatsappSettings): string {
  const payload = createPayload(outbound, sample?.id ?? null);
  return JSON.stringify(outbound.path === "marketing" ? { ...payload, ...marketingMembers(settings) } : payload);
}

/** Members that only the endpoint for marketing takes, of a template message. (Meta: Marketing Messages API.) */
function marketingMembers({ marketingPolicy = "fallback", activitySharing = "default" }: WhatsappSettings) {
  return {
    product_policy: marketingPolicy === "strict" ? "STRICT" : "CLOUD_API_FALLBACK",
    ...(activitySharing === "default" ? {} : { message_activity_sharing: activitySharing === "on" }),
  };
}

/**
 * Whether the endpoint for marketing answers that the message is not its own. Under a 5xx the same code may tell of an
 * error of the network's.
 */
function isWrongPath(
  { path }: OutboundMessage,
  result: Exchange,
  { code }: Extract<Outcome, { kind: "refused" }>,
): boolean {
  if (path !== "marketing" || result.kind !== "answered" || result.status >= 500) return false;
  return findErrorMeaning(Number(code))?.isWrongPath === true;
}

type Answered = Extract<Exchange, { kind: "answered" }>;

function rawOf({ status, body, at }: Answered): RawAnswer {
  return { httpStatus: status, body, at };
}

/** A refusal before anything was sent, with the code that Meta would have given. */
export function refuseLocally(code: string, scope: "account" | "recipient"): Extract<Outcome, { kind: "refused" }> {
  return { kind: "refused", code, message: describeCode(code), scope };
}

/** `findSuccess`: what the answer says if the network has done it; null if it does not say so. */
export function outcomeOf<Success>(
  result: Exchange,
  endpoint: Endpoint,
  clock: Clock,
  findSuccess: (answer: JsonObject | null) => Success | null,
): Success | FailedOutcome {
  if (result.kind === "unreachable") return { kind: "unreachable", reason: result.reason };
  if (result.kind === "lost") return { kind: "unknown", reason: result.reason };

  const { status, body, headers } = result;
  const answer = asObject(parseJson(body));
  const error = graphErrorOf(objectOf(answer, "error"));
  if (error !== null) return classify(error, status, headers, clock.now());
  const success = result.ok ? findSuccess(answer) : null;
  if (success !== null) return success;
  const retryAfterMs = readWaitHint(headers, "pair", clock.now());
  return endpoint.readRefusal(status, body, retryAfterMs) ?? unreadable(status, body, retryAfterMs);
}

/** Proves nothing about the message. A 401 or 403 still tells that the network does not let this account in. */
function unreadable(status: number, body: string, retryAfterMs: number | null): FailedOutcome {
  const words = excerptOf(body);
  const reason = `HTTP ${status} without a readable answer of WhatsApp${words === "" ? "" : ` ("${words}")`}`;
  const failure = {
    code: `http_${status}`,
    message: `The network, or a proxy before it, does not let this server in: ${reason}. Check token and address.`,
    scope: "account",
  } as const;
  const isBarred = status === 401 || status === 403;
  return {
    kind: "unknown",
    reason,
    ...(isBarred ? { failure } : {}),
    ...(retryAfterMs === null ? {} : { retryAfterMs }),
  };
}

/** Accepted means queued at Meta. A message that is held for a quality check is sent or fails later; a status says which. */
function findAccepted(answer: JsonObject | null): Extract<Outcome, { kind: "accepted" }> | null {
  const networkMessageId = idOf(firstOf(answer, "messages"), "id");
  if (networkMessageId === null) return null;
  const contact = firstOf(answer, "contacts");
  const isHeldBack = HELD_BACK.has(textOf(firstOf(answer, "messages"), "message_status") ?? "");
  return {
    kind: "accepted",
    networkMessageId,
    recipientId: phoneIn(idOf(contact, "wa_id")),
    recipientNetworkUserId: idOf(contact, "user_id"),
    ...(isHeldBack ? { isHeldBack } : {}),
  };
}

function firstOf(answer: JsonObject | null, name: string): JsonObject | null {
  return asObject(listOf(answer, name)[0]);
}
