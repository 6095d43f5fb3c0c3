/**
 * Reads Meta's error answers and decides what each means: throttled or refused, and what the refusal applies to.
 * Decides by `error.code` alone, never by HTTP status or English text. Meta's details about parameters are passed on;
 * its other free text is not, because it has been seen to repeat access tokens.
 */
import type { Outcome, RefusalScope } from "#src/domain/messages/outcome.ts";
import { type ErrorMeaning, findErrorMeaning } from "./error-table.ts";
import { asObject, integerOf, type JsonObject, memberOf, objectOf, parseJson, sentenceOf } from "./json.ts";

export interface GraphError {
  code: number;
  subcode: number | null;
  details: string | null;
}

/**
 * Subcode of error 100 for an id in the path that does not exist or is invisible to the token; here, the sending
 * number.
 */
const OBJECT_UNKNOWN_SUBCODE = 33;
const OBJECT_UNKNOWN_CODE = 33;
const PARAMETER_CODE = 100;

const LONGEST_DETAILS = 300;
/** Upper limit for the wait that Meta asks for: no limit of Meta's has a window longer than a day. */
const LONGEST_HINT_MS = 24 * 60 * 60 * 1000;

/** The error in an HTTP body. Null if the body is not a Graph error with a code; it then proves nothing. */
export function readGraphError(body: string): GraphError | null {
  return graphErrorOf(objectOf(asObject(parseJson(body)), "error"));
}

/** The error in one element of a status's `errors`. */
export function graphErrorOf(error: JsonObject | null): GraphError | null {
  const code = integerOf(error, "code");
  if (code === null) return null;
  return { code, subcode: integerOf(error, "error_subcode"), details: detailsOf(error) };
}

/** `error_data` is an object, or plain text in some answers; old statuses have `details` next to the code. */
function detailsOf(error: JsonObject | null): string | null {
  return (
    sentenceOf(objectOf(error, "error_data"), "details") ??
    sentenceOf(error, "error_data") ??
    sentenceOf(error, "details")
  );
}

export function classify(error: GraphError, headers: Headers, nowMs: number): Outcome {
  const meaning = meaningOf(error);
  const code = String(error.code);
  const message = describeError(error);
  if (meaning?.kind === "throttled") {
    return {
      kind: "throttled",
      code,
      message,
      scope: meaning.scope,
      retryAfterMs: readWaitHint(headers, meaning.scope, nowMs),
    };
  }
  return { kind: "refused", code, message, scope: scopeOf(error) };
}

/**
 * What a failure applies to, also for a failure reported by a status, where no retry is possible. An unlisted code is
 * attributed to the network: a single one stops nothing, but a streak of them does.
 */
export function scopeOf(error: GraphError): RefusalScope {
  const meaning = meaningOf(error);
  if (meaning?.kind === "refused") return meaning.scope;
  return meaning?.scope === "pair" ? "recipient" : "network";
}

/** What a code means and what to do about it, for people. Accepts any text and says so if the code is unknown. */
export function describeCode(code: string): string {
  const meaning = /^\d{1,9}$/.test(code) ? findErrorMeaning(Number(code)) : undefined;
  return (
    meaning?.description ??
    `WhatsApp refused the message with error ${code}, which is not a known one. Look it up in Meta's list of error codes.`
  );
}

/** The error's description, followed by Meta's details if they name the value or component at fault. */
export function describeError(error: GraphError): string {
  const meaning = meaningOf(error);
  const description = meaning?.description ?? describeCode(String(error.code));
  const isAboutContent = meaning?.kind === "refused" && (meaning.scope === "message" || meaning.scope === "template");
  if (!isAboutContent || error.details === null) return description;
  return `${description} WhatsApp says: ${[...error.details].slice(0, LONGEST_DETAILS).join("")}`;
}

function meaningOf(error: GraphError): ErrorMeaning | undefined {
  const isUnknownObject = error.code === PARAMETER_CODE && error.subcode === OBJECT_UNKNOWN_SUBCODE;
  return findErrorMeaning(isUnknownObject ? OBJECT_UNKNOWN_CODE : error.code);
}

/** The longest wait in any header. The usage header applies to the account, not to one recipient. */
function readWaitHint(headers: Headers, scope: "number" | "pair", nowMs: number): number | null {
  const hints = [readRetryAfter(headers, nowMs), scope === "number" ? readUsageHint(headers) : null].filter(
    (hint) => hint !== null,
  );
  return hints.length === 0 ? null : Math.min(Math.max(...hints), LONGEST_HINT_MS);
}

/** The header holds seconds or a date. */
function readRetryAfter(headers: Headers, nowMs: number): number | null {
  const value = headers.get("retry-after")?.trim();
  if (value === undefined || value === "") return null;
  if (/^\d{1,9}(\.\d+)?$/.test(value)) return Math.ceil(Number(value) * 1000);
  const dateMs = Date.parse(value);
  return Number.isNaN(dateMs) ? null : Math.max(0, dateMs - nowMs);
}

/** `{"<business id>": [{"type": …, "estimated_time_to_regain_access": minutes}]}`; 0 means that nothing is blocked. */
function readUsageHint(headers: Headers): number | null {
  const usage = asObject(parseJson(headers.get("x-business-use-case-usage") ?? ""));
  if (usage === null) return null;
  const minutes = Object.keys(usage)
    .flatMap((business) => {
      const entries = memberOf(usage, business);
      return Array.isArray(entries) ? entries : [];
    })
    .map((entry) => integerOf(asObject(entry), "estimated_time_to_regain_access") ?? 0);
  const longestMinutes = Math.max(0, ...minutes);
  return longestMinutes > 0 ? longestMinutes * 60_000 : null;
}
