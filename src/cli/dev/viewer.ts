/**
 * The webhook viewer of `waxwing dev`: a receiver like a customer's. It checks every signature and shows the webhooks
 * on one page. It keeps the last 200 in memory, listens on this machine only, and needs nothing from the Internet.
 */
import type { Clock } from "#src/core/clock.ts";
import { constantTimeEqual, hmacSha256Hex } from "#src/core/secret.ts";
import { viewerPage } from "./viewer-page.ts";

export interface Viewer {
  /** `http://127.0.0.1:PORT`, the page; webhooks go to `/webhook` below it. */
  readonly url: string;
  /** The secret that signatures are checked with. Until it is set, every signature is invalid. */
  trust(secret: string): void;
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
  /** The body as received; JSON is indented. */
  readonly body: string;
}

const RECEIVED_MAX = 200;
const BODY_BYTES_MAX = 1024 * 1024;
/** Below the server's own limit, so that its delivery log shows which address was slow. */
const FORWARD_LIMIT_MS = 9_000;
/** A receiver refuses a webhook that is replayed later. */
const SIGNATURE_AGE_MAX_SECONDS = 5 * 60;

interface ViewerOptions {
  readonly clock: Clock;
  /** Where to listen if it is free. */
  readonly port: number;
  /** Every webhook is passed on to this address as it came, and its answer is the viewer's. */
  readonly forwardTo: string | null;
}

export function startViewer({ clock, port, forwardTo }: ViewerOptions): Viewer {
  const received: Received[] = [];
  let secret: string | null = null;
  let count = 0;

  const receive = async (request: Request): Promise<Response> => {
    const body = new Uint8Array(await request.arrayBuffer());
    const signature = request.headers.get("service-signature") ?? "";
    const { type, text } = formatBody(new TextDecoder().decode(body));
    const distrust =
      secret === null ? "the secret is not known yet" : findSignatureProblem(signature, body, secret, clock.now());
    count += 1;
    received.unshift({ number: count, at: new Date(clock.now()).toISOString(), type, distrust, signature, body: text });
    received.length = Math.min(received.length, RECEIVED_MAX);
    if (forwardTo !== null && distrust === null) return forward(forwardTo, request, body);
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
    Bun.serve({ hostname: "127.0.0.1", port, maxRequestBodySize: BODY_BYTES_MAX, fetch: answer });
  const http = listenOnFree(listen, port);
  return {
    url: `http://127.0.0.1:${http.port}`,
    trust(known) {
      secret = known;
    },
    stop: () => http.stop(true),
  };
}

/** The same bytes under the same signature. What the address answers decides whether the webhook is tried again. */
async function forward(
  url: string,
  { headers }: { headers: Headers },
  body: Uint8Array<ArrayBuffer>,
): Promise<Response> {
  const passed = new Headers();
  for (const name of ["content-type", "user-agent", "service-signature"]) passed.set(name, headers.get(name) ?? "");
  try {
    const signal = AbortSignal.timeout(FORWARD_LIMIT_MS);
    const answer = await fetch(url, { method: "POST", headers: passed, body, redirect: "manual", signal });
    return new Response(await answer.text(), { status: answer.status });
  } catch (error) {
    return new Response(`${url} did not answer: ${error instanceof Error ? error.message : "unknown error"}\n`, {
      status: 502,
    });
  }
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
  const parts = /^t=(\d{1,12}),v1=([0-9a-f]{64})$/.exec(header);
  if (parts?.[1] === undefined || parts[2] === undefined)
    return "the Service-Signature header is missing or unreadable";
  const signed = Buffer.concat([Buffer.from(`${parts[1]}.`), body]);
  if (!constantTimeEqual(hmacSha256Hex(secret, signed), parts[2])) return "the signature does not match";
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
