/**
 * Where requests go and what all of them carry, taken apart once. A busy number posts thousands of messages a second to
 * the same target.
 */
import { headerLines } from "./write-request.ts";

export interface Target {
  url: URL;
  /** Scheme, host and port. */
  origin: string;
  /** Of a request, what follows the method; without the empty line at its end. */
  head: string;
  /** See `withoutSecret`. */
  secretForms: readonly string[];
}

interface Carried {
  headers?: Headers;
  /** Part of the headers. Networks have been seen to repeat it in answers, so it is removed from them. */
  secret?: string | null;
}

const ACCEPT = "accept: */*\r\n";
const SECRET_LENGTH_MIN = 8;

/** Throws for a text that is no URL. */
export function targetOf(address: string, { headers, secret = null }: Carried = {}): Target {
  const url = new URL(address);
  // `Headers` has refused values with line breaks, and a URL has none.
  const head = startOf(url) + ACCEPT + (headers === undefined ? "" : headerLines(headers));
  return { url, origin: url.origin, head, secretForms: formsOf(secret?.trim() ?? "") };
}

/** The beginning of `Target.head`: path, host and what keeps the connection open. */
export function startOf(url: URL): string {
  return ` ${url.pathname}${url.search} HTTP/1.1\r\nhost: ${url.host}\r\nconnection: keep-alive\r\n`;
}

/** A secret as it is, in JSON with escaped slashes, and in a URL. */
function formsOf(secret: string): string[] {
  // A shorter one would be found in ordinary words, and no network issues such a token.
  if (secret.length < SECRET_LENGTH_MIN) return [];
  return [...new Set([secret, secret.replaceAll("/", "\\/"), encodeURIComponent(secret)])];
}

/** Answers are stored, logged and quoted, so a secret that they repeat is removed. */
export function withoutSecret(body: string, { secretForms }: Target): string {
  let left = body;
  for (const form of secretForms) if (left.includes(form)) left = left.replaceAll(form, "[token]");
  return left;
}
