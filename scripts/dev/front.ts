/**
 * The address that a developer opens: passes requests on to the server that runs now, and lets them wait while it is
 * replaced. It serves the console's bundle itself, tells open pages to load a new one, and signs the demo operator in.
 */
import { constantTimeEqual } from "#src/core/secret.ts";
import type { ConsoleFiles } from "./console-files.ts";

const ASSETS = "/console/assets/";
const RELOAD_SCRIPT = `const changes = new EventSource("/dev/changes");
let shown;
changes.onmessage = ({ data }) => {
  if (shown !== undefined && data !== shown) location.reload();
  shown = data;
};
`;
const TYPES: Readonly<Record<string, string>> = {
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
};

export interface FrontOptions {
  readonly listen: { readonly hostname: string; readonly port: number };
  readonly files: ConsoleFiles;
  readonly signInToken: string;
  /** Where the server listens now, as soon as it does; null while it cannot start. */
  server(): Promise<string | null>;
  signIn(server: string): Promise<string[]>;
}

export interface Front {
  readonly url: string;
  /** Open pages with an older bundle load themselves again. */
  announceBuild(): void;
  /** Ends long-lived answers such as event streams, because their server is replaced. The clients reconnect. */
  endStreams(): void;
  stop(): void;
}

export function startFront({ listen, files, signInToken, server, signIn }: FrontOptions): Front {
  const pages = new Set<ReadableStreamDefaultController<string>>();
  const streams = new Set<AbortController>();

  const changes = (): Response => {
    let page: ReadableStreamDefaultController<string>;
    const body = new ReadableStream<string>({
      start(controller) {
        page = controller;
        pages.add(page);
        page.enqueue(`data: ${files.name()}\n\n`);
      },
      cancel: () => void pages.delete(page),
    });
    return new Response(body, { headers: { "content-type": "text/event-stream", "cache-control": "no-store" } });
  };

  const enter = async (given: string): Promise<Response> => {
    if (!constantTimeEqual(given, signInToken)) return new Response("This link is not of this run.\n", { status: 403 });
    const url = await server();
    if (url === null) return unavailable();
    const headers = new Headers({ location: "/console", "cache-control": "no-store" });
    for (const cookie of await signIn(url)) headers.append("set-cookie", cookie);
    return new Response(null, { status: 303, headers });
  };

  const forward = async (request: Request): Promise<Response> => {
    const url = await server();
    if (url === null) return unavailable();
    const { pathname, search } = new URL(request.url);
    const isPage = request.method === "GET" && pathname.startsWith("/console") && !pathname.startsWith("/console/api/");
    const headers = new Headers(request.headers);
    // A page is changed on its way, so it must come as plain text.
    if (isPage) headers.delete("accept-encoding");
    const ending = new AbortController();
    const ask = (server: string): Promise<Response> =>
      fetch(`${server}${pathname}${search}`, {
        method: request.method,
        headers,
        body: request.body,
        redirect: "manual",
        decompress: false,
        signal: AbortSignal.any([request.signal, ending.signal]),
      });
    const response = await ask(url).catch(async (error: unknown) => {
      // A server that is being replaced may close the connection first. Only a request without effects is repeated.
      if ((request.method !== "GET" && request.method !== "HEAD") || request.signal.aborted) throw error;
      const next = await server();
      return next === null ? unavailable() : ask(next);
    });
    const type = response.headers.get("content-type") ?? "";
    if (type.startsWith("text/event-stream")) {
      streams.add(ending);
      request.signal.addEventListener("abort", () => streams.delete(ending), { once: true });
    }
    if (!isPage || !type.startsWith("text/html")) return response;
    const kept = new Headers(response.headers);
    kept.delete("content-length");
    return new Response(files.completePage(await response.text(), "/dev/reload.js"), {
      status: response.status,
      headers: kept,
    });
  };

  const answer = (request: Request): Response | Promise<Response> => {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname === "/dev/changes") return changes();
    if (pathname === "/dev/reload.js")
      return new Response(RELOAD_SCRIPT, { headers: { "content-type": TYPES.js ?? "" } });
    if (pathname === "/dev/sign-in") return enter(searchParams.get("token") ?? "");
    const file = pathname.startsWith(ASSETS) ? files.find(pathname.slice(ASSETS.length)) : undefined;
    if (file === undefined) return forward(request);
    const type = TYPES[file.name.split(".").at(-1) ?? ""] ?? "image/svg+xml";
    return new Response(file.bytes, { headers: { "content-type": type, "cache-control": "no-cache" } });
  };

  const http = Bun.serve({
    ...listen,
    idleTimeout: 0,
    fetch: answer,
    error: (error) => new Response(`The server does not answer: ${error.message}\n`, { status: 502 }),
  });
  return {
    url: `http://${listen.hostname.includes(":") ? `[${listen.hostname}]` : listen.hostname}:${http.port}`,
    announceBuild() {
      for (const page of pages) page.enqueue(`data: ${files.name()}\n\n`);
    },
    endStreams() {
      for (const stream of streams) stream.abort();
      streams.clear();
    },
    stop: () => void http.stop(true),
  };
}

function unavailable(): Response {
  return new Response("The server could not start; the terminal says why. It starts again after the next change.\n", {
    status: 503,
    headers: { "retry-after": "1" },
  });
}
