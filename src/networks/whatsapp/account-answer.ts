/** Reads the answer to a query about an account: its JSON, or why there is none. */
import type { Exchange } from "#src/net/transport.ts";
import type { RequestFailure, Result } from "../network.ts";
import { describeError, excerptOf, type GraphError, isAboutProof, meaningOf, readGraphError } from "./errors.ts";
import { asObject, type JsonObject, parseJson } from "./json.ts";
import type { Endpoint } from "./profile.ts";

export function answerOf(result: Exchange, endpoint: Endpoint): Result<JsonObject> {
  if (result.kind === "unreachable")
    return failed("unreachable", `WhatsApp cannot be reached: ${result.reason}.`, "later");
  if (result.kind === "lost") return failed("no_answer", `WhatsApp did not answer: ${result.reason}.`, "later");
  const error = readGraphError(result.body);
  if (error !== null) return failed(String(error.code), describeGraphError(error), kindOf(error), error.subcode);
  const refusal = endpoint.readRefusal(result.status, result.body, null);
  if (refusal?.kind === "refused")
    return failed(refusal.code, refusal.message, refusal.scope === "account" ? "token" : "other");
  if (refusal?.kind === "throttled") return failed(refusal.code, refusal.message, "later");
  const value = asObject(parseJson(result.body));
  if (!result.ok || value === null) return foreign(result, value === null);
  return { ok: true, value, at: result.at };
}

/** Not the answer of a Graph API. A host that is down answers with a page as well, so a 5xx is temporary. */
function foreign(
  { status, body }: Extract<Exchange, { kind: "answered" }>,
  isPage: boolean,
): ReturnType<typeof failed> {
  const words = isPage ? excerptOf(body) : "";
  const said = words === "" ? "" : ` (“${words}”)`;
  const message = `The answer was HTTP ${status} and could not be read: it is not one of WhatsApp's${said}.`;
  if (status >= 500) return failed(`HTTP ${status}`, message, "later");
  // A provider's own refusal, in a form that is not Meta's.
  const isBarred = !isPage && (status === 401 || status === 403);
  return failed(`HTTP ${status}`, message, isBarred ? "token" : "foreign");
}

/** Decided by code alone, as for sending. */
function kindOf(error: GraphError): RequestFailure["kind"] {
  if (isAboutProof(error)) return "proof";
  const { asked, throttles, scope } = meaningOf(error);
  if (asked !== undefined && asked !== "pin") return asked;
  // Meta is busy, down, or rate-limiting us.
  return throttles !== undefined || scope === "network" ? "later" : "other";
}

/** Our description; the network's own words follow only where we have none. */
function describeGraphError(error: GraphError): string {
  return isAboutProof(error) ? describeError(error) : meaningOf(error).description;
}

export function failed(
  code: string,
  message: string,
  kind: RequestFailure["kind"],
  subcode: number | null = null,
): { ok: false; failure: RequestFailure } {
  return { ok: false, failure: { code, message, kind, ...(subcode === null ? {} : { subcode }) } };
}

export function unreadable(): { ok: false; failure: RequestFailure } {
  return failed("other", "The answer has an unexpected form.", "other");
}
