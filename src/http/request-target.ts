/**
 * Checks how a request is addressed, before any route sees it. The runtime builds `request.url` from the `Host` header
 * and normalizes it, so a strange host or a path with dots could reach a route that a proxy in front did not see.
 */
import { invalidRequest } from "#src/core/problem.ts";
import { answerProblem } from "./errors.ts";
import { addSecurityHeaders, type RequestIds } from "./headers.ts";
import { nothingHere, toResponse } from "./respond.ts";

type Fetch = (request: Request) => Response | Promise<Response>;

interface Entrances {
  routes: Record<string, Fetch>;
  fetch: Fetch;
}

const ORIGIN = "http://localhost";
/** Elysia takes for the path what begins here or later, so it would take a part of the path after a shorter origin. */
const PATH_START_MIN = 11;

/**
 * Wraps `fetch`. The runtime matches `routes` against the path as it was sent, and each entrance passes a request on
 * only if the normalized path is in the same family (its first segment). `paths`: of all routes behind `fetch`.
 */
export function guardEntrances(fetch: Fetch, paths: readonly string[], ids: RequestIds): Entrances {
  const families = new Set(paths.map(familyOf).filter((family) => family !== "*"));
  const enter =
    (isOwn: (target: string) => boolean): Fetch =>
    (request) => {
      const { url } = request;
      const pathStart = url.startsWith("/") ? 0 : url.indexOf("/", url.indexOf("//") + 2);
      const target = pathStart === 0 ? normalized(url) : url.slice(pathStart);
      if (!isOwn(target)) return addSecurityHeaders(nothingHere(), ids(request));
      // Only where it has to be: it costs a tenth of a short request.
      if (pathStart < PATH_START_MIN) Object.defineProperty(request, "url", { value: ORIGIN + target });
      return fetch(request);
    };
  const routes: Record<string, Fetch> = {};
  for (const family of families) {
    const handle = enter((target) => isInFamily(target, family));
    routes[`/${family}`] = handle;
    if (family !== "") routes[`/${family}/*`] = handle;
  }
  return { routes, fetch: enter((target) => !families.has(familyOf(target))) };
}

/** Path and query of a request without a host: the runtime passes on what was sent. */
function normalized(sent: string): string {
  const { pathname, search } = new URL(ORIGIN + sent);
  return pathname + search;
}

/** `familyOf(path) === family`, at less cost: every request asks. */
function isInFamily(path: string, family: string): boolean {
  return path.startsWith(family, 1) && "/?#".includes(path.charAt(family.length + 1));
}

function familyOf(path: string): string {
  return path.split(/[/?#]/, 2)[1] ?? "";
}

export function refuseHost(requestId: string): Response {
  const rule = "Send one Host header with a host name or address, and a port if it is not the usual one.";
  return toResponse(answerProblem(invalidRequest({ Host: [rule] })), requestId);
}
