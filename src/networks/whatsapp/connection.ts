/**
 * One HTTP exchange with fetch, and what a failure of it proves. fetch's behaviour was tested on raw sockets (Bun
 * 1.4.5; the tests are kept):
 * - It sends a POST once. When a reused connection breaks, fetch silently repeats a GET but not a POST (Bun 1.3.11
 *   did repeat it: oven-sh/bun#28706). A test counts requests, so that another Bun version cannot reintroduce duplicate
 *   messages.
 * - It follows a redirect by sending the POST again: hence `redirect: "manual"`. A flag in the environment may enable
 *   HTTP/2, on which nothing here was tested: hence `protocol`.
 * - `ECONNREFUSED`, a failed lookup and a certificate that we reject all occur before anything is sent. `EPROTO`
 *   proves nothing although its message says "handshake failed": it also occurs when the stream breaks after the server
 *   has read the request. A reset looks the same during the handshake and after the request. `prober.ts` makes up for
 *   both.
 * - At most 256 requests run at once in the whole process (`BUN_CONFIG_MAX_HTTP_REQUESTS`). Further requests queue
 *   inside fetch while their time runs, so callers stay well below that limit.
 */
export type Exchange =
  /** `at`: the time in the answer's `Date` header, milliseconds. */
  | { kind: "answered"; status: number; ok: boolean; headers: Headers; body: string; at: number | null }
  /** Nothing was sent. */
  | { kind: "unreachable"; reason: string }
  /** The server may have read the request. `isAmbiguous`: over TLS, the handshake may have failed instead. */
  | { kind: "lost"; reason: string; isAmbiguous: boolean };

interface ExchangeRequest {
  method: "POST" | "HEAD" | "GET";
  headers?: Headers;
  body?: string | FormData;
  /** Part of the headers. Networks have been seen to repeat it in answers, so it is removed from them. */
  accessToken?: string | null;
  signal: AbortSignal;
}

export async function exchange(url: string, { accessToken = null, ...request }: ExchangeRequest): Promise<Exchange> {
  let response: Response;
  try {
    response = await fetch(url, { ...request, redirect: "manual", protocol: "http1.1" });
  } catch (error) {
    return failureOf(error, request.signal);
  }
  try {
    const body = withoutToken(await response.text(), accessToken);
    const { status, ok, headers } = response;
    const date = Date.parse(headers.get("date") ?? "");
    return { kind: "answered", status, ok, headers, body, at: Number.isNaN(date) ? null : date };
  } catch (error) {
    // The head has arrived, so the server had read the request before the connection broke.
    if (request.signal.aborted) return TIME_LIMIT_PASSED;
    const reason = `the connection was lost during the answer (${codeOf(error)})`;
    return { kind: "lost", reason, isAmbiguous: false };
  }
}

/** Answers are stored, logged and quoted. The token is looked for as it is, in JSON with escaped slashes, and in a URL. */
function withoutToken(body: string, accessToken: string | null): string {
  const token = accessToken?.trim() ?? "";
  if (token === "") return body;
  const forms = new Set([token, token.replaceAll("/", "\\/"), encodeURIComponent(token)]);
  return [...forms].reduce((text, form) => text.replaceAll(form, "[token]"), body);
}

export const TIME_LIMIT_PASSED = {
  kind: "lost",
  reason: "no answer within the time limit",
  isAmbiguous: false,
} as const;

/** Codes of a certificate that we rejected. fetch checks it before it writes the request. */
const REFUSED_CERTIFICATE_CODES: ReadonlySet<string> = new Set([
  "CERT_CHAIN_TOO_LONG",
  "CERT_HAS_EXPIRED",
  "CERT_NOT_YET_VALID",
  "CERT_REJECTED",
  "CERT_REVOKED",
  "CERT_SIGNATURE_FAILURE",
  "CERT_UNTRUSTED",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "ERR_TLS_CERT_ALTNAME_INVALID",
  "HOSTNAME_MISMATCH",
  "INVALID_CA",
  "INVALID_PURPOSE",
  "PATH_LENGTH_EXCEEDED",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_DECODE_ISSUER_PUBLIC_KEY",
  "UNABLE_TO_DECRYPT_CERT_SIGNATURE",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
]);

const LOOKUP_FAILURE_CODES: ReadonlySet<string> = new Set(["ENOTFOUND", "EAI_AGAIN"]);

const AMBIGUOUS_CODES: ReadonlySet<string> = new Set(["ECONNRESET", "EPROTO"]);

/** A closed list of codes proves that nothing was sent; with any other code the request may have been sent. */
function failureOf(error: unknown, signal: AbortSignal): Exchange {
  const code = codeOf(error);
  if (LOOKUP_FAILURE_CODES.has(code))
    return { kind: "unreachable", reason: `the host name was not resolved (${code})` };
  if (code === "ECONNREFUSED") return { kind: "unreachable", reason: `the connection was refused (${code})` };
  if (REFUSED_CERTIFICATE_CODES.has(code)) {
    return { kind: "unreachable", reason: `the host's certificate was not accepted (${code})` };
  }
  if (signal.aborted) return TIME_LIMIT_PASSED;
  return {
    kind: "lost",
    reason: `the connection was lost before an answer (${code})`,
    isAmbiguous: AMBIGUOUS_CODES.has(code),
  };
}

/** Only the code, because fetch's messages contain the URL. */
function codeOf(error: unknown): string {
  if (typeof error === "object" && error !== null && "code" in error && typeof error.code === "string")
    return error.code;
  return error instanceof Error ? error.name : "unknown error";
}
