/**
 * `/control/v1`: how a test suite moves the clock, plays the network and sees what was sent. Mounted only where test
 * control is on. It answers programs on this machine that hold the token, and refuses to work beside a real number.
 */
import { Elysia } from "elysia";
import { unknownName } from "#src/core/fault.ts";
import type { Log } from "#src/core/log.ts";
import { invalidRequest, noProblems, Problem } from "#src/core/problem.ts";
import type { Random } from "#src/core/random.ts";
import { constantTimeEqual } from "#src/core/secret.ts";
import { listOnNetwork } from "#src/domain/numbers/read.ts";
import type { Answer } from "../answer.ts";
import { readBody } from "../body.ts";
import { answerProblem, bodyOf } from "../errors.ts";
import { requestIds } from "../headers.ts";
import { problemOf, splitUrl, toResponse } from "../respond.ts";
import { findFieldProblems } from "../validate.ts";
import { accountRoutes } from "./account.ts";
import { clockRoutes } from "./clock.ts";
import { inboundRoutes } from "./inbound.ts";
import { journalRoutes } from "./journals.ts";
import { operatorRoutes } from "./operator.ts";
import type { ControlContext, ControlRoute } from "./route.ts";
import { ruleRoutes } from "./rules.ts";
import { workspaceRoutes } from "./workspaces.ts";

const CONTROL = "/control/v1";

interface ControlOptions extends ControlContext {
  token: string;
  /** Whether programs at this address may use it, beside those on this machine. */
  isAdmitted: (address: string) => boolean;
  random: Random;
  log: Log;
}

/** Room for a photo or a short video as base64, and for a large seed. */
const BODY_MAX = { bytes: 24 * 1024 * 1024, entries: 100_000 };
const BEARER = /^bearer +([!-~]{1,200}) *$/i;
const LOOPBACK = /^(127\.\d+\.\d+\.\d+|::1|::ffff:127\.\d+\.\d+\.\d+)$/;
/** How a listener of both families shows an IPv4 address. */
const MAPPED = /^::ffff:(?=\d+\.)/;
/** A reverse proxy on this machine would lend its own address to strangers. */
const FORWARDING_HEADERS = ["forwarded", "x-forwarded-for", "x-real-ip"];

const routes: readonly ControlRoute[] = [
  ...clockRoutes,
  ...journalRoutes,
  ...inboundRoutes,
  ...accountRoutes,
  ...ruleRoutes,
  ...operatorRoutes,
  ...workspaceRoutes,
];

export function controlRoutes(options: ControlOptions) {
  const { log, realClock, store } = options;
  const ids = requestIds(options.random);

  const answer = async (request: Request, address: string, route: ControlRoute | null): Promise<Answer> => {
    if (!mayAsk(request, address, options)) return forbidden();
    requireToken(request, options.token);
    if (route === null) throw new Problem("not_found", "There is no such call of the test control.");
    if (store.read((tx) => listOnNetwork(tx, "whatsapp")).length > 0) {
      throw new Problem("number_not_ready", "A number on WhatsApp was added: test control does not work beside it.");
    }
    const { query } = splitUrl(request.url);
    requireKnownParameters(query, route.query ?? []);
    const isEmpty = route.body === undefined || request.body === null;
    const body = isEmpty ? {} : await readBody(request, BODY_MAX, realClock, async (parse) => parse());
    const fields = route.body === undefined ? {} : findFieldProblems(route.body, body);
    if (Object.keys(fields).length > 0) throw invalidRequest(fields);
    return route.handle({ ...options, query, body });
  };

  const app = new Elysia({ normalize: false, strictPath: true });
  const run =
    (route: ControlRoute | null) =>
    async ({ request, server }: { request: Request; server: Connections | null }): Promise<Response> => {
      const requestId = ids(request);
      // Waiting is the caller's wish, and moving the clock by years takes its time.
      server?.timeout(request, 0);
      try {
        return toResponse(await answer(request, server?.requestIP(request)?.address ?? "", route), requestId);
      } catch (error) {
        return toResponse(answerProblem(problemOf(error, log, requestId)), requestId);
      }
    };
  for (const route of routes) app.route(route.method, CONTROL + route.path, run(route), { parse: "none" });
  return app.all(`${CONTROL}/*`, run(null), { parse: "none" }).all(CONTROL, run(null), { parse: "none" });
}

interface Connections {
  timeout(request: Request, seconds: number): void;
  requestIP(request: Request): { address: string } | null;
}

function mayAsk({ headers }: Request, address: string, { isAdmitted }: Pick<ControlOptions, "isAdmitted">): boolean {
  const isNear = LOOPBACK.test(address) || isAdmitted(address.replace(MAPPED, ""));
  return isNear && !FORWARDING_HEADERS.some((name) => headers.has(name));
}

function forbidden(): Answer {
  const problem = new Problem(
    "not_found",
    "Test control answers only programs on the same machine, or at an address of [simulator] control_from, without a proxy.",
  );
  return { status: 403, body: JSON.stringify(bodyOf(problem)) };
}

function requireToken(request: Request, token: string): void {
  const presented = BEARER.exec(request.headers.get("authorization") ?? "")?.[1];
  if (presented !== undefined && constantTimeEqual(presented, token)) return;
  throw new Problem("unauthenticated", "Send the control token in the header `Authorization: Bearer <token>`.");
}

function requireKnownParameters(query: URLSearchParams, known: readonly string[]): void {
  const fields = noProblems();
  for (const name of query.keys())
    if (!known.includes(name)) fields[name] = [unknownName("Unknown parameter.", name, known)];
  if (Object.keys(fields).length > 0) throw invalidRequest(fields);
}
