/**
 * `/docs/try`: requests to this server from a page, with Swagger UI, which `@elysiajs/swagger` mounts. Its page would load
 * the program from another host and start it with a script inside the page; here both are files of this server, so that
 * the policy can forbid everything else. The page may call the API and nothing besides, and forgets the key when it closes.
 * Under `waxwing dev` it has the demo's key from the beginning, for readers on this machine.
 */
import { Elysia } from "elysia";
import { type OperationObject, ownParameters } from "../openapi/document.ts";
import { openApiDocument } from "../openapi/openapi.ts";
import { type ExplorerFile, explorerFiles } from "./explorer-files.ts";
import { html } from "./html.ts";
import { addressOf } from "./server-address.ts";

const PATH = "/docs/try";

/** Names of this machine, which a page of the Internet cannot have: such a page must not read the key. */
const LOCAL_HOST = /^(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?$/i;
const KEY_NAME = "demo-key";

/** Runs after the page has started. The page holds the key in memory alone. */
const AUTHORISE = `
addEventListener("load", () => {
  const key = document.querySelector('meta[name="${KEY_NAME}"]')?.content;
  if (key !== undefined) ui.preauthorizeApiKey("key", key);
});
`;

const DESCRIPTION =
  "Requests from this page go to this server, whose network is simulated. Under waxwing dev, they carry the key of the demo. Elsewhere, or for another key, press Authorize and paste an API key of a workspace; the page keeps it in memory and forgets it when it is closed or loaded again. [The documentation](/docs) explains each request.";

/** No eval and no inline script. `hosts`: may be called, below the API's path alone. */
function policy(hosts: readonly string[]): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    `connect-src ${hosts.map((host) => `${host}/api/v1/`).join(" ") || "'none'"}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
}

interface Explorer {
  page: string;
  start: string;
}

export function explorerRoutes(publicUrl: string | null, demoKey: string | null) {
  let made: Promise<Explorer> | null = null;
  const explorer = (): Promise<Explorer> => {
    made ??= makeExplorer().catch((error: unknown) => {
      made = null;
      throw error;
    });
    return made;
  };
  const routes = new Elysia({ normalize: false, strictPath: true });
  const answer = (request: Request, contentType: string, body: string | Uint8Array<ArrayBuffer>, encoding?: "br") => {
    // The page calls where it came from: the public address, or another name of this server.
    const origins = [publicUrl === null ? null : new URL(publicUrl).origin, addressOf(request, null)];
    // Without a scheme, it is that of the page, also behind a proxy that speaks HTTPS for this server.
    const hosts = origins.flatMap((origin) => origin?.replace(/^https?:\/\//, "") ?? []);
    return new Response(body, {
      headers: {
        "content-type": contentType,
        "cache-control": "no-store",
        vary: "Accept-Encoding",
        "content-security-policy": policy([...new Set(hosts)]),
        "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer",
        ...(encoding === undefined ? {} : { "content-encoding": encoding }),
      },
    });
  };
  const file = async (request: Request, contentType: string, { plain, brotli }: ExplorerFile): Promise<Response> => {
    const takesBrotli = /\bbr\b/.test(request.headers.get("accept-encoding") ?? "");
    return takesBrotli
      ? answer(request, contentType, await brotli(), "br")
      : answer(request, contentType, await plain());
  };
  routes.get(PATH, async ({ request }) => {
    const { page } = await explorer();
    const isLocal = LOCAL_HOST.test(request.headers.get("host") ?? "");
    const head =
      demoKey !== null && isLocal ? html`<head><meta name="${KEY_NAME}" content="${demoKey}">`.text : "<head>";
    return answer(
      request,
      "text/html; charset=utf-8",
      page.replace("<head>", () => head),
    );
  });
  routes.get(`${PATH}/start.js`, async ({ request }) =>
    answer(request, "text/javascript; charset=utf-8", (await explorer()).start),
  );
  routes.get(`${PATH}/explorer.js`, ({ request }) =>
    file(request, "text/javascript; charset=utf-8", explorerFiles.script),
  );
  routes.get(`${PATH}/explorer.css`, ({ request }) => file(request, "text/css; charset=utf-8", explorerFiles.style));
  return routes;
}

/** Mounted on the first request: the package is needed nowhere else. */
async function makeExplorer(): Promise<Explorer> {
  const { swagger } = await import("@elysiajs/swagger");
  const { webhooks: _, ...document } = openApiDocument();
  // A key that every request begins with would conflict as soon as the reader changes the body.
  for (const operation of Object.values(document.paths).flatMap(Object.values<OperationObject>)) {
    for (const parameter of ownParameters(operation)) if (parameter.in === "header") delete parameter.examples;
  }
  const spec = { ...document, info: { ...document.info, description: DESCRIPTION } };
  const mounted = new Elysia().use(
    swagger({
      path: PATH,
      provider: "swagger-ui",
      theme: `${PATH}/explorer.css`,
      autoDarkMode: false,
      documentation: { info: { title: "Try requests – Waxwing", version: document.info.version } },
      swaggerOptions: {
        ...{ spec, url: undefined, validatorUrl: null, deepLinking: true, persistAuthorization: false },
        ...{ tryItOutEnabled: true, displayRequestDuration: true, defaultModelsExpandDepth: -1 },
      } as object,
    }),
  );
  const rendered = await (await mounted.handle(new Request(`http://localhost${PATH}`))).text();
  return withoutInlineScript(rendered);
}

const REMOTE_SCRIPT = /<script src="https:\/\/[^"]*" crossorigin><\/script>/;
const INLINE_SCRIPT = /<script>([\s\S]*)<\/script>/;

/** The package's page with files in place of its two scripts. */
function withoutInlineScript(rendered: string): Explorer {
  const [, start] = INLINE_SCRIPT.exec(rendered) ?? [];
  if (start === undefined || !REMOTE_SCRIPT.test(rendered)) throw new Error("@elysiajs/swagger renders another page");
  const page = rendered
    .replace(REMOTE_SCRIPT, `<script src="${PATH}/explorer.js"></script>`)
    .replace(INLINE_SCRIPT, `<script src="${PATH}/start.js"></script>`)
    .replace("<head>", '<head>\n    <link rel="icon" href="data:,">');
  return { page, start: start + AUTHORISE };
}
