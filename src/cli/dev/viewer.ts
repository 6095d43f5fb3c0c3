/**
 * The webhook viewer of `waxwing dev`: a receiver like a customer's. It checks every signature and shows the webhooks
 * on one page. It keeps the last 200 in memory, listens on this machine only, and needs nothing from the Internet.
 */

import type { Clock } from "#src/core/clock.ts";
import { constantTimeEqual, hmacSha256Hex } from "#src/core/secret.ts";
import { serveHttp } from "#src/core/serve-http.ts";
import { viewerPage } from "./viewer-page.ts";

export interface Viewer {
  /** `http://127.0.0.1:PORT`, the page; webhooks go to `/webhook` below it. */
  readonly url: string;
  readonly webhookUrl: string;
  readonly port: number;
  /** The secret that signatures are checked with. Until it is set, every signature is invalid. */
  trust(secret: string): void;
  /** Shows a webhook that went to another address. */
  note(webhook: { url: string; signature: string; body: string; answer: string }): void;
  stop(): Promise<void>;
}

/** A webhook as the page receives it. */
interface Received {
  readonly number: number;
  readonly at: string;
  readonly type: string;
  /** Why the signature is invalid; null if it is valid. */
  readonly distrust: string | null;
  readonly signature: string;
  /** The other address that it went to, and what that answered; null: it came here. */
  readonly elsewhere: string | null;
  /** The body as received; JSON is indented. */
  readonly body: string;
}

const RECEIVED_MAX = 200;
const BODY_BYTES_MAX = 1024 * 1024;
/** A receiver refuses a webhook that is replayed later. */
const SIGNATURE_AGE_MAX_SECONDS = 5 * 60;

/** `port`: where to listen if it is free. */
export function startViewer({ clock, port }: { readonly clock: Clock; readonly port: number }): Viewer {
  const received: Received[] = [];
  let secret: string | null = null;
  let count = 0;

  const show = (one: Omit<Received, "number" | "at">): void => {
    count += 1;
    received.unshift({ number: count, at: new Date(clock.now()).toISOString(), ...one });
    received.length = Math.min(received.length, RECEIVED_MAX);
  };

  const receive = async (request: Request): Promise<Response> => {
    const body = new Uint8Array(await request.arrayBuffer());
    const signature = request.headers.get("service-signature") ?? "";
    const { type, text } = formatBody(new TextDecoder().decode(body));
    const distrust =
      secret === null ? "the secret is not known yet" : findSignatureProblem(signature, body, secret, clock.now());
    show({ type, distrust, signature, body: text, elsewhere: null });
    return new Response(distrust ?? "received", { status: distrust === null ? 200 : 400 });
  };

  const answer = (request: Request, server: Bun.Server<undefined>): Response | Promise<Response> => {
    // A page of the Internet must not read the demo's messages by giving its own name this machine's address.
    if (request.headers.get("host") !== `127.0.0.1:${server.port}`) return new Response("wrong host", { status: 421 });
    const { pathname } = new URL(request.url);
    if (request.method === "POST" && pathname === "/webhook") return receive(request);
    if (request.method !== "GET") return new Response("not here", { status: 405 });
    if (pathname === "/events.json") return Response.json({ count, events: received }, { headers: HEADERS });
    if (pathname !== "/") return new Response("not here", { status: 404 });
    return new Response(viewerPage, { headers: { ...HEADERS, "content-type": "text/html; charset=utf-8" } });
  };

  const listen = (port: number) =>
    serveHttp({ hostname: "127.0.0.1", port, bodyBytesMax: BODY_BYTES_MAX, fetch: answer });
  const http = listenOnFree(listen, port);
  const url = `http://127.0.0.1:${http.port}`;
  return {
    ...{ url, webhookUrl: `${url}/webhook`, port: Number(http.port) },
    trust(known) {
      secret = known;
    },
    note({ url, signature, body, answer }) {
      const { type, text } = formatBody(body);
      show({ type, distrust: null, signature, body: text, elsewhere: `to ${url}: ${answer}` });
    },
    stop: () => http.stop(true),
  };
}

function listenOnFree<T>(listen: (port: number) => T, port: number): T {
  try {
    return listen(port);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EADDRINUSE")) throw error;
    return listen(0);
  }
}

const HEADERS = {
  "cache-control": "no-store",
  "content-security-policy":
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'; frame-ancestors 'none'",
  "x-content-type-options": "nosniff",
};

/** What is wrong with a signature; null if it is valid. */
export function findSignatureProblem(header: string, body: Uint8Array, secret: string, nowMs: number): string | null {
  const parts = /^t=(\d{1,12})((?:,v1=[0-9a-f]{64}){1,2})$/.exec(header);
  if (parts?.[1] === undefined || parts[2] === undefined)
    return "the Service-Signature header is missing or unreadable";
  const expected = hmacSha256Hex(secret, Buffer.concat([Buffer.from(`${parts[1]}.`), body]));
  // While one secret replaces another, there is a signature by each.
  const given = parts[2].slice(",v1=".length).split(",v1=");
  if (!given.some((one) => constantTimeEqual(expected, one))) return "the signature does not match";
  if (Math.abs(nowMs / 1000 - Number(parts[1])) > SIGNATURE_AGE_MAX_SECONDS)
    return "the signature is older than five minutes";
  return null;
}

function formatBody(text: string): { type: string; text: string } {
  try {
    const json: unknown = JSON.parse(text);
    const type = typeof json === "object" && json !== null && "type" in json ? String(json.type) : "(no type)";
    return { type, text: JSON.stringify(json, null, 2) };
  } catch {
    return { type: "(not JSON)", text };
  }
}
