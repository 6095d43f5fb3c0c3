/**
 * Mounts the console: its page, the page's files, and its API routes. As for the public API, Elysia only matches
 * routes.
 */
import { type Context, Elysia } from "elysia";
import type { ConsoleEndpoint } from "../endpoints/endpoint.ts";
import { consoleEndpoints } from "../endpoints/endpoints.ts";
import { addSecurityHeaders, requestIds } from "../headers.ts";
import { LINGER_S } from "../unverified-body.ts";
import type { ConsoleOptions } from "./context.ts";
import { answerAsset, answerPage } from "./files.ts";
import { CONSOLE_API, createPipeline } from "./pipeline.ts";

interface RouterContext {
  request: Request;
  /** Absent on a route without `{names}`. */
  params?: Record<string, string>;
  server: Context["server"];
}

const PLAIN = { "content-type": "text/plain; charset=utf-8" };

export function consoleRoutes(options: ConsoleOptions) {
  const ids = requestIds(options.random);
  const pipeline = createPipeline(options, ids);
  const routes = new Elysia({ normalize: false, strictPath: true });
  routes.mapResponse(({ request, responseValue }) =>
    responseValue instanceof Response ? addSecurityHeaders(responseValue, ids(request)) : undefined,
  );
  const run =
    (route: ConsoleEndpoint | null) =>
    ({ request, params, server }: RouterContext): Promise<Response> =>
      pipeline(request, route, route === null ? {} : (params ?? {}), {
        address: server?.requestIP(request)?.address ?? "",
        keepOpen: () => server?.timeout(request, 0),
        closeSoon: () => server?.timeout(request, LINGER_S),
      });
  for (const route of consoleEndpoints) {
    const path = CONSOLE_API + route.path.replace(/\{(\w+)\}/g, ":$1");
    routes.route(route.method, path, run(route), { parse: "none" });
  }
  // Each method by name: the page's GET route would take precedence over a route for all methods.
  for (const method of ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]) {
    routes.route(method, `${CONSOLE_API}/*`, run(null), { parse: "none" });
  }
  routes.get(
    "/console/assets/:name",
    async ({ request, params }) =>
      (await answerAsset(request, params.name)) ?? new Response("File not found.\n", { status: 404, headers: PLAIN }),
  );
  const page = async ({ request }: { request: Request }): Promise<Response> => {
    try {
      return await answerPage(request);
    } catch (error) {
      options.log.error("console.failed", "Console page could not be built", { error });
      return new Response("The console could not be loaded. See the server's log.\n", {
        status: 500,
        headers: PLAIN,
      });
    }
  };
  routes.get("/console", page).get("/console/*", page);
  return routes;
}
