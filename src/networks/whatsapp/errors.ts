/**
 * Reads Meta's error answers and decides what each means: throttled or refused, and what the refusal applies to.
 * Decides by `error.code`, never by English text. The network's own words are passed on, without
 * anything that looks like an access token, because Meta has been seen to repeat tokens.
 */
import { type ErrorMeaning, findErrorMeaning, PROOF_REFUSED } from "#src/domain/messages/error-table.ts";
import type { Failure } from "#src/domain/messages/failure.ts";
import type { FailedOutcome } from "#src/domain/messages/outcome.ts";
import type { AnswerHeaders } from "#src/net/answer-reader.ts";
import { asObject, integerOf, type JsonObject, memberOf, objectOf, parseJson, sentenceOf } from "./json.ts";

export interface GraphError {
  code: number;
  subcode: number | null;
  /** The network's own words: its message and details. */
  details: string | null;
}

/**
 * Subcode of error 100 for an id in the path that does not exist or is invisible to the token; here, the sending
 * number.
 */
const OBJECT_UNKNOWN_SUBCODE = 33;
const OBJECT_UNKNOWN_CODE = 33;
const PARAMETER_CODE = 100;
/** The parameter that error 100 names when the app's proof is missing or wrong; not as a part of a URL. */
const PROOF_PARAMETER = /\bappsecret_proof\b(?!=)/;

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
  const message = (sentenceOf(error, "message") ?? sentenceOf(error, "title"))?.replace(/^\(#\d{1,9}\) ?/, "") ?? null;
  const details =
    sentenceOf(objectOf(error, "error_data"), "details") ??
    sentenceOf(error, "error_data") ??
    sentenceOf(error, "details");
  if (message === null || details === null || details.includes(message)) return details ?? message;
  return `${message}: ${details}`;
}

/** `headers` and `nowMs`: for the wait that the network asks for. */
export function classify(error: GraphError, httpStatus: number, headers: AnswerHeaders, nowMs: number): FailedOutcome {
  const meaning = meaningOf(error);
  const known = failureOf(error);
  // Under a 5xx even a code that this version does not know tells of the network.
  const failure: Failure = known.scope === "unlisted" && httpStatus >= 500 ? { ...known, scope: "network" } : known;
  const retryAfterMs = readWaitHint(headers, meaning.throttles ?? "pair", nowMs);
  if (meaning.throttles !== undefined) {
    const { code, message } = failure;
    return { kind: "throttled", code, message, scope: meaning.throttles, retryAfterMs };
  }
  if (meaning.mayHaveBeenSent === true) return { kind: "unknown", reason: failure.message, failure, retryAfterMs };
  // The network's own hint is more exact than the table, if it is longer.
  const { mendsAfterMs } = failure;
  const mends = mendsAfterMs === undefined ? {} : { mendsAfterMs: Math.max(mendsAfterMs, retryAfterMs ?? 0) };
  return { kind: "refused", ...failure, ...mends, ...(retryAfterMs === null ? {} : { retryAfterMs }) };
}

/**
 * The failure that an error reports, also in a status, where no retry is possible. A code that only asks to wait is then
 * attributed to the network.
 */
export function failureOf(error: GraphError): Failure {
  const { scope, effect, mendsAfterMs } = meaningOf(error);
  return {
    code: String(error.code),
    message: describeError(error),
    scope,
    ...(effect === undefined ? {} : { effect }),
    ...(mendsAfterMs === undefined ? {} : { mendsAfterMs }),
  };
}

/** What a code means and what to do about it, for people. Accepts any text and says so if the code is unknown. */
export function describeCode(code: string): string {
  const meaning = /^\d{1,9}$/.test(code) ? findErrorMeaning(Number(code)) : undefined;
  return meaning?.description ?? `WhatsApp refused the message with error ${code}, which this version does not know.`;
}

/** Meta reports a missing and a wrong proof of the app secret as a wrong parameter. */
export function isAboutProof({ code, details }: GraphError): boolean {
  return code === PARAMETER_CODE && details !== null && PROOF_PARAMETER.test(details);
}

/** Our description, followed by the network's own words. */
export function describeError(error: GraphError): string {
  const { description } = meaningOf(error);
  // The simulator says what we say.
  return error.details === null || error.details === description
    ? description
    : `${description} ${quoteNetwork(error.details)}`;
}

/** Cut, and without anything that looks like an access token. */
export function quoteNetwork(words: string): string {
  const cut = [...words.slice(0, 2 * LONGEST_DETAILS)].slice(0, LONGEST_DETAILS).join("");
  return `WhatsApp says: ${cut.replaceAll(/\bEA[A-Z]\w+/g, "[token]")}`;
}

export function meaningOf(error: GraphError): ErrorMeaning {
  const isUnknownObject = error.code === PARAMETER_CODE && error.subcode === OBJECT_UNKNOWN_SUBCODE;
  const code = isUnknownObject ? OBJECT_UNKNOWN_CODE : error.code;
  if (isAboutProof(error)) return PROOF_REFUSED;
  return findErrorMeaning(code) ?? { scope: "unlisted", description: describeCode(String(code)) };
}

/** The longest wait in any header. The usage header applies to the account, not to one recipient. */
export function readWaitHint(headers: AnswerHeaders, scope: "number" | "pair", nowMs: number): number | null {
  const hints = [readRetryAfter(headers, nowMs), scope === "number" ? readUsageHint(headers) : null].filter(
    (hint) => hint !== null,
  );
  return hints.length === 0 ? null : Math.min(Math.max(...hints), LONGEST_HINT_MS);
}

/** The header holds seconds or a date. */
function readRetryAfter(headers: AnswerHeaders, nowMs: number): number | null {
  const value = headers.get("retry-after")?.trim();
  if (value === undefined || value === "") return null;
  if (/^\d{1,9}(\.\d+)?$/.test(value)) return Math.ceil(Number(value) * 1000);
  const dateMs = Date.parse(value);
  return Number.isNaN(dateMs) ? null : Math.max(0, dateMs - nowMs);
}

/** `{"<business id>": [{"type": …, "estimated_time_to_regain_access": minutes}]}`; 0 means that nothing is blocked. */
function readUsageHint(headers: AnswerHeaders): number | null {
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

const EXCERPT_MAX = 80;

/** The first words of a page, without its tags. */
export function excerptOf(body: string): string {
  const text = body
    .slice(0, 1_000)
    .split("<")
    .map((part, index) => (index === 0 ? part : part.slice(part.indexOf(">") + 1)))
    .join(" ");
  return [...text.split(/\s+/).filter(Boolean).join(" ")].slice(0, EXCERPT_MAX).join("");
}
