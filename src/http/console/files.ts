/**
 * Serves the front end. Each file has a name with its hash, so browsers may cache it forever. The page is rendered per
 * request with the user's theme, so that the wrong theme never flashes.
 */

import { brotliCompressSync, constants } from "node:zlib";
import { once } from "#src/core/once.ts";
import { embedded } from "./assets.ts";
import { readSessionCookie, readTheme } from "./cookies.ts";
import { frameOutline, signInOutline } from "./outline.ts";

interface ServedFile {
  plain: () => Promise<Uint8Array<ArrayBuffer>>;
  brotli: () => Promise<Uint8Array<ArrayBuffer>>;
  type: string;
}

/** The parts of `scripts/console-bundle.ts` that are used here. */
interface Bundler {
  bundleConsole(): Promise<{ name: string; bytes: Uint8Array<ArrayBuffer> }[]>;
}

/** Names of the scripts that are needed beside the main one: of the two screens that people see first, and of others. */
type FirstScreens = Readonly<Record<"signIn" | "home" | "other", readonly string[]>>;

interface Bundle {
  files: ReadonlyMap<string, ServedFile>;
  script: string;
  style: string;
  firstScreens: FirstScreens;
}

const FIRST_SCREENS = "first-screens.json";

const TYPES: Readonly<Record<string, string>> = {
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  svg: "image/svg+xml",
};

/** Only the console's own scripts and styles, nothing from other hosts, and no string is evaluated as code. */
const POLICY = [
  "default-src 'self'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  // A recorded voice note is heard before it is sent.
  "media-src 'self' blob:",
  "connect-src 'self'",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ");

const ICON =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'%3E%3Crect width='32' height='32' rx='7' fill='%230b6b53'/%3E%3Cpath d='M7 11l4.5 11L16 12l4.5 10L25 11' fill='none' stroke='%23fff' stroke-width='3' stroke-linecap='round' stroke-linejoin='round'/%3E%3C/svg%3E";

let bundle: Promise<Bundle> | null = null;

/** Built on first use; after a failure, the next call tries again. */
function getBundle(): Promise<Bundle> {
  bundle ??= (embedded.length > 0 ? fromExecutable() : fromSource()).catch((error: unknown) => {
    bundle = null;
    throw error;
  });
  return bundle;
}

async function fromExecutable(): Promise<Bundle> {
  const read = (path: string) => once(async () => new Uint8Array(await Bun.file(path).arrayBuffer()));
  return assemble(embedded.map(({ name, plain, brotli }) => ({ name, plain: read(plain), brotli: read(brotli) })));
}

async function fromSource(): Promise<Bundle> {
  // A computed path keeps the executable's bundler from including the build script.
  const path = new URL("../../../scripts/console-bundle.ts", import.meta.url).href;
  const { bundleConsole } = (await import(path)) as Bundler;
  const files = await bundleConsole();
  return assemble(
    files.map(({ name, bytes }) => ({
      name,
      plain: async () => bytes,
      brotli: once(async () => compress(bytes)),
    })),
  );
}

async function assemble(all: readonly (Omit<ServedFile, "type"> & { name: string })[]): Promise<Bundle> {
  const files = all.filter(({ name }) => name !== FIRST_SCREENS);
  const firstScreens = await all.find(({ name }) => name === FIRST_SCREENS)?.plain();
  if (firstScreens === undefined) throw new Error(`the console's bundle has no ${FIRST_SCREENS}`);
  const nameOf = (pattern: RegExp): string => {
    const found = files.find(({ name }) => pattern.test(name));
    if (found === undefined) throw new Error(`the console's bundle has no file like ${pattern}`);
    return found.name;
  };
  return {
    files: new Map(
      files.map(({ name, ...file }) => [
        name,
        { ...file, type: TYPES[name.split(".").at(-1) ?? ""] ?? TYPES.svg ?? "" },
      ]),
    ),
    script: nameOf(/^main-.*\.js$/),
    style: nameOf(/^main-.*\.css$/),
    firstScreens: JSON.parse(new TextDecoder().decode(firstScreens)) as FirstScreens,
  };
}

/** Used only when running from source, so it favours speed over size. */
function compress(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return new Uint8Array(brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }));
}

/** Serves one file of the front end; null if no such file exists. */
export async function answerAsset(request: Request, name: string): Promise<Response | null> {
  const file = (await getBundle()).files.get(name);
  if (file === undefined) return null;
  const etag = `"${name}"`;
  const headers = {
    "cache-control": "public, max-age=31536000, immutable",
    etag,
    vary: "Accept-Encoding",
    "x-content-type-options": "nosniff",
    "cross-origin-resource-policy": "same-origin",
  };
  if (request.headers.get("if-none-match") === etag) return new Response(null, { status: 304, headers });
  const takesBrotli = /\bbr\b/.test(request.headers.get("accept-encoding") ?? "");
  const body = await (takesBrotli ? file.brotli() : file.plain());
  return new Response(body, {
    headers: { ...headers, "content-type": file.type, ...(takesBrotli ? { "content-encoding": "br" } : {}) },
  });
}

/**
 * The single page that serves every address of the console. It holds the outline of the screen that the script is about to
 * draw, and asks for all scripts at once.
 */
export async function answerPage(request: Request): Promise<Response> {
  const { script, style, firstScreens } = await getBundle();
  const theme = readTheme(request.headers);
  const { pathname } = new URL(request.url);
  // Without a session every address leads to signing in.
  const isSignedIn = [true, false].some((isSecure) => readSessionCookie(request.headers, isSecure) !== null);
  const isFramed = isSignedIn && !/^\/console\/(sign-in|setup|join|reset|forgot|verify|connect)$/.test(pathname);
  const isHome = /^\/console(\/w\/\d+)?\/?$/.test(pathname);
  const soon = firstScreens[isFramed ? (isHome ? "home" : "other") : "signIn"];
  const html = [
    "<!doctype html>",
    `<html lang="en"${theme === null ? "" : ` data-theme="${theme}"`}>`,
    '<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="color-scheme" content="light dark"><meta name="robots" content="noindex">',
    `<title>Waxwing</title><link rel="icon" href="${ICON}">`,
    `<link rel="stylesheet" href="/console/assets/${style}">`,
    ...soon.map((name) => `<link rel="modulepreload" href="/console/assets/${name}">`),
    `<script type="module" src="/console/assets/${script}"></script></head>`,
    `<body><div id="root">${isFramed ? frameOutline : signInOutline}</div>`,
    "<noscript>The console needs JavaScript. The command line does not: waxwing help.</noscript></body></html>\n",
  ].join("\n");
  return new Response(html, {
    headers: {
      "content-type": "text/html; charset=utf-8",
      "cache-control": "no-cache",
      vary: "Cookie",
      "content-security-policy": POLICY,
      "x-content-type-options": "nosniff",
      "referrer-policy": "same-origin",
      "cross-origin-opener-policy": "same-origin",
      "permissions-policy": "camera=(), microphone=(self), geolocation=()",
    },
  });
}
