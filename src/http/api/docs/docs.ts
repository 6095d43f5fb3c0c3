/**
 * Serves the API reference from the executable: the OpenAPI document, and a page that renders it. The page runs no
 * script and loads nothing from other hosts; its content security policy enforces both.
 */
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { Elysia } from "elysia";
import { openApiDocument, openApiText } from "../openapi/openapi.ts";
import style from "./page.css" with { type: "text" };
import { referencePage } from "./page.ts";

const POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  // The empty icon keeps browsers from requesting one.
  "img-src data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

interface Asset {
  path: string;
  contentType: string;
  make: () => string;
}

const assets: readonly Asset[] = [
  { path: "/docs", contentType: "text/html; charset=utf-8", make: () => referencePage(openApiDocument()) },
  { path: "/docs/page.css", contentType: "text/css; charset=utf-8", make: () => style },
  { path: "/docs/openapi.json", contentType: "application/json", make: openApiText },
];

export function docsRoutes() {
  const routes = new Elysia({ normalize: false });
  routes.get("/", () => new Response(null, { status: 302, headers: { location: "/console" } }));
  for (const asset of assets) {
    const prepare = once(() => prepareAsset(asset));
    routes.get(asset.path, async ({ request }) => answerAsset(request, asset.contentType, await prepare()));
  }
  return routes;
}

interface PreparedAsset {
  plain: Uint8Array<ArrayBuffer>;
  gzipped: Uint8Array<ArrayBuffer>;
  etag: string;
}

const gzipAsync = promisify(gzip);

/** Prepared on the first request: most servers never get one, and startup should not wait for it. */
async function prepareAsset({ make }: Asset): Promise<PreparedAsset> {
  const plain = new TextEncoder().encode(make());
  const hash = new Bun.CryptoHasher("sha256").update(plain).digest("base64url").slice(0, 22);
  return { plain, gzipped: new Uint8Array(await gzipAsync(plain)), etag: `W/"${hash}"` };
}

function answerAsset(request: Request, contentType: string, { plain, gzipped, etag }: PreparedAsset): Response {
  const takesGzip = /\bgzip\b/.test(request.headers.get("accept-encoding") ?? "");
  const headers = {
    // Browsers revalidate on each use and get 304 until the executable changes.
    "cache-control": "no-cache",
    etag,
    vary: "Accept-Encoding",
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
  };
  if (request.headers.get("if-none-match") === etag) return new Response(null, { status: 304, headers });
  return new Response(takesGzip ? gzipped : plain, {
    headers: { ...headers, "content-type": contentType, ...(takesGzip ? { "content-encoding": "gzip" } : {}) },
  });
}

/** Runs `make` once; after a failure, the next call tries again. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make().catch((error: unknown) => {
      made = undefined;
      throw error;
    });
    return made;
  };
}
