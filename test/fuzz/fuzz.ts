/**
 * Sends the given number of requests from a seed and checks every answer: none is a 5xx except a 502 that the network
 * meant, each conforms to the document, and each refusal has the error's shape. Memory is sampled at rest after each
 * tenth.
 */
import { heapStats } from "bun:jsc";
import { openApiDocument } from "#src/http/api/openapi/openapi.ts";
import { Chance } from "./chance.ts";
import { type Conformance, createConformance } from "./conformance.ts";
import { Generator } from "./generate.ts";
import { asCommand, type FuzzRequest } from "./request.ts";
import { type Exchange, Wire, type WireAnswer } from "./wire.ts";
import { type FuzzWorld, startFuzzWorld } from "./world.ts";

export interface FuzzOptions {
  seed: number;
  requests: number;
  /** The run ends after this many failures. */
  failuresMax?: number;
  /** Changes an answer before it is checked: tests use it to show that the checks detect faults. */
  tamper?: (answer: WireAnswer, request: FuzzRequest) => WireAnswer;
}

export interface FuzzFailure {
  number: number;
  what: string[];
  command: string;
  answer: string;
}

export interface FuzzReport {
  requests: number;
  failures: FuzzFailure[];
  /** Number of answers by status; "closed" for connections that ended without one. */
  statuses: Record<string, number>;
  /** Number of answers by operation of the document and status. */
  byOperation: Record<string, Record<string, number>>;
  memory: { heapMb: number; rssMb: number }[];
  /** Equal for two runs that sent the same requests. */
  fingerprint: string;
  perSecond: number;
}

const REAL_PATIENCE_MS = 50;
/** For a request whose body never ends: only the clock ends it. */
const CUT_SHORT_PATIENCE_MS = 5;
/** The first step covers a retry, the next ones the wait for a body. */
const FIRST_STEP_MS = 3_000;
const STEP_MS = 31_000;
/** The server waits 30 seconds for a missing body, and 8 for retries: after this time there will be no answer. */
const CLOCK_PATIENCE_MS = 90_000;
const REAL_LIMIT_MS = 10_000;
const SETTLE_EVERY = 250;

/** Statuses with which the HTTP layer refuses malformed requests; 505 is the one for another version. */
const REFUSALS_OF_HTTP = [400, 404, 405, 411, 413, 414, 417, 431, 501, 505];

export async function fuzz({ seed, requests, failuresMax = 10, tamper }: FuzzOptions): Promise<FuzzReport> {
  await using world = await startFuzzWorld();
  const { app } = world;
  const document = openApiDocument();
  const conformance = createConformance(document);
  const generator = new Generator({ document, keys: world.keys, cursors: world.cursors });
  const chance = new Chance(seed);
  const wire = new Wire(app.server.url);
  const hasher = new Bun.CryptoHasher("sha256");
  const report: FuzzReport = {
    requests: 0,
    failures: [],
    statuses: {},
    byOperation: Object.fromEntries(generator.operationNames.map((name) => [name, {}])),
    memory: [],
    fingerprint: "",
    perSecond: 0,
  };
  const startedAt = performance.now();
  for (let number = 1; number <= requests && report.failures.length < failuresMax; number++) {
    const request = generator.next(chance);
    hasher.update(withoutKeys(JSON.stringify({ ...request, body: request.body.toString("latin1") }), world.keys));
    const meantBefore = world.meant();
    let exchange = await answered(world, wire.send(request), request.form === "cut_short");
    if (tamper !== undefined && typeof exchange === "object") exchange = tamper(exchange, request);
    count(report, request, exchange);
    const wasMeant = world.meant() > meantBefore;
    const what = check(conformance, request, exchange, wasMeant);
    const logged = app.logged.splice(0).filter((line) => line.includes(" ERROR "));
    if (logged.length > 0) what.push(`the server logged: ${logged.join("").slice(0, 3_000)}`);
    if (what.length > 0) {
      const command = asCommand(request, app.server.url);
      report.failures.push({ number, what, command, answer: shownAnswer(exchange) });
    }
    if (number % SETTLE_EVERY === 0) await app.clock.advance(2_000);
    if (number % Math.ceil(requests / 10) === 0) report.memory.push(await memoryAtRest(world));
    report.requests = number;
  }
  report.perSecond = report.requests / ((performance.now() - startedAt) / 1_000);
  wire.close();
  // Let everything in flight finish; stopping the server then checks the whole database.
  await app.clock.advance(60_000);
  report.fingerprint = hasher.digest("hex");
  return report;
}

/** The clock stands still, except for requests that wait for it: a retry, or a body that never arrives. */
async function answered({ app }: FuzzWorld, sent: Promise<Exchange>, isCutShort: boolean): Promise<Exchange | "never"> {
  let isSettled = false;
  const settled = sent.finally(() => {
    isSettled = true;
  });
  const soon = Promise.withResolvers<void>();
  const timer = setTimeout(soon.resolve, isCutShort ? CUT_SHORT_PATIENCE_MS : REAL_PATIENCE_MS);
  await Promise.race([settled, soon.promise]);
  clearTimeout(timer);
  for (
    let waited = 0, step = FIRST_STEP_MS;
    !isSettled && waited <= CLOCK_PATIENCE_MS;
    waited += step, step = STEP_MS
  ) {
    await app.clock.advance(step);
  }
  if (isSettled) return settled;
  // Answers that do not depend on the clock may be slow in real time, on a shared machine.
  const late = Promise.withResolvers<"never">();
  const end = setTimeout(() => late.resolve("never"), REAL_LIMIT_MS);
  return await Promise.race([settled, late.promise]).finally(() => clearTimeout(end));
}

function check(
  conformance: Conformance,
  request: FuzzRequest,
  exchange: Exchange | "never",
  wasMeant: boolean,
): string[] {
  if (exchange === "never") return ["it was never answered"];
  if (exchange === "closed") return request.form === "plain" ? ["the connection was closed without an answer"] : [];
  const { status } = exchange;
  const isReplay = exchange.headers.get("idempotent-replayed") === "true";
  if (request.form === "broken") {
    const isRefusal = REFUSALS_OF_HTTP.includes(status) || status < 500;
    return isRefusal ? [] : [`what is no HTTP was answered ${status}`];
  }
  if (status >= 500 && !(status === 502 && (wasMeant || isReplay))) return [`it was answered ${status}`];
  if (request.operation === null) {
    const isOfTheApi = /^\/api\/v1(\/|$)/.test(request.target) && request.method !== "HEAD";
    // A path with dots or an undecodable one may lead anywhere; refusals of the HTTP layer have no body.
    const mayBeElsewhere = /\.\.|%2e|\\|%(?![0-9a-f]{2})/i.test(request.target);
    return isOfTheApi && !mayBeElsewhere && status >= 400 ? conformance.findInRefusal(exchange) : [];
  }
  // Refused by the HTTP layer before a request existed.
  if (exchange.body.length === 0 && REFUSALS_OF_HTTP.includes(status) && hasOddHead(request)) return [];
  // The path matches no endpoint, because its parameter is not valid.
  const found = conformance.find(request.operation, exchange);
  return found.length > 0 && status === 404 ? conformance.findInRefusal(exchange) : found;
}

/** The head contains something that the HTTP layer may refuse. */
function hasOddHead({ headers, target }: FuzzRequest): boolean {
  const text = headers.map(([name, value]) => `${name}: ${value}`).join("\n");
  return (
    /[^\x20-\x7e\n]/.test(text + target) || /^(transfer-encoding|expect|upgrade):/m.test(text) || text.length > 8_000
  );
}

function count(report: FuzzReport, { operation }: FuzzRequest, exchange: Exchange | "never"): void {
  const status = typeof exchange === "string" ? exchange : String(exchange.status);
  report.statuses[status] = (report.statuses[status] ?? 0) + 1;
  const of = operation === null ? undefined : report.byOperation[operation];
  if (of !== undefined) of[status] = (of[status] ?? 0) + 1;
}

async function memoryAtRest({ app }: FuzzWorld): Promise<FuzzReport["memory"][number]> {
  await app.clock.advance(1_000);
  Bun.gc(true);
  const megabytes = (bytes: number): number => Math.round(bytes / 1024 / 102.4) / 10;
  return { heapMb: megabytes(heapStats().heapSize), rssMb: megabytes(process.memoryUsage.rss()) };
}

/** Keys differ in each run; the rest of a request does not. */
function withoutKeys(text: string, keys: readonly string[]): string {
  return keys.reduce((left, key, index) => left.replaceAll(key, `key ${index}`), text);
}

function shownAnswer(exchange: Exchange | "never"): string {
  if (typeof exchange === "string") return exchange;
  const head = [...exchange.headers].map(([name, value]) => `${name}: ${value}`).join("\n");
  return `${exchange.status}\n${head}\n\n${exchange.body.toString().slice(0, 2_000)}`;
}
