/**
 * A whole server for one test: real SQLite in a directory of its own, real sockets, a clock that the test moves, and
 * the few things that nearly every test begins with. `await using` stops it and fails the test when it logged an error
 * that the test did not expect, or left a database in which something does not fit.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Config, loadConfig } from "#src/config/config.ts";
import { randomText } from "#src/core/id.ts";
import { loadKeys } from "#src/core/key-file.ts";
import { createLog } from "#src/core/log.ts";
import { LogTail } from "#src/core/log-tail.ts";
import { systemRandom } from "#src/core/random.ts";
import { createSecretBox } from "#src/core/secret.ts";
import { type Client, openClient } from "#src/db/driver.ts";
import type { Store } from "#src/db/store.ts";
import { credit, setPrice } from "#src/domain/billing/account.ts";
import { storeCallback } from "#src/domain/inbound/callbacks.ts";
import { addNumber } from "#src/domain/numbers/add.ts";
import { getNumber } from "#src/domain/numbers/read.ts";
import { addTemplate, readNewTemplate } from "#src/domain/templates/add.ts";
import type { TemplateStatus } from "#src/domain/templates/template.ts";
import { setWebhook } from "#src/domain/webhooks/address.ts";
import { createKey, EVERY_SCOPE } from "#src/domain/workspaces/api-keys.ts";
import { createWorkspace } from "#src/domain/workspaces/update.ts";
import { type CheckFinding, checkDatabase } from "#src/health/check.ts";
import type { PasswordCost } from "#src/http/console/passwords.ts";
import { inboundCallback } from "#src/networks/simulator/callback.ts";
import type { Server, ServerOptions } from "#src/server/context.ts";
import { startServer } from "#src/server/server.ts";
import { TestClock } from "./clock.ts";
import { strangersIn } from "./closed-lists.ts";
import { placeMigrated } from "./database.ts";
import { isInTransit } from "./traffic.ts";

type Sections = Omit<Config, "file" | "fileText" | "storage" | "secrets">;

export interface TestServerOptions
  extends Pick<
    ServerOptions,
    "lookup" | "networks" | "readFileIdentity" | "healthTimers" | "passwordCost" | "checksAnswers" | "releases"
  > {
  config?: { [S in keyof Sections]?: Partial<Sections[S]> };
  /** Continues with the database of an earlier server, and leaves it there. */
  directory?: string;
  clock?: TestClock;
  /** Log entries (as one line each) that are no reason to fail. */
  expectedErrors?: RegExp;
  /** The test writes rows that no operation would: whether they fit together is not looked at. */
  mayBreak?: boolean;
}

export interface TestWorkspace {
  id: number;
  key: string;
  /** E.164 of its number, null where it was made without one. */
  number: string | null;
  numberId: number;
}

export interface Answered {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: answers are looked into member by member; a wrong one fails the assertion.
  body: any;
  text: string;
  headers: Headers;
}

export interface CallOptions {
  key?: string | null;
  body?: unknown;
  headers?: Record<string, string>;
}

export interface TestServer extends AsyncDisposable {
  server: Server;
  store: Store;
  clock: TestClock;
  directory: string;
  logged: string[];
  /** Requests that the test sent and that have no answer yet. */
  call(method: string, path: string, options?: CallOptions): Promise<Answered>;
  /** Like `call`, moving the clock on as far as the answer needs. */
  send(method: string, path: string, options?: CallOptions): Promise<Answered>;
  workspace(settings?: Partial<WorkspaceRecipe>): Promise<TestWorkspace>;
  template(workspace: TestWorkspace, json: Record<string, unknown>, status?: TemplateStatus): Promise<void>;
  webhook(workspace: TestWorkspace, url: string): Promise<string>;
  /** A person writes to the workspace's number; applied when it returns. */
  inbound(workspace: TestWorkspace, from: string, text: string, at?: number): Promise<void>;
  stop(): Promise<void>;
}

interface WorkspaceRecipe {
  name: string;
  country: string;
  timezone: string;
  dailyCap: number | null;
  apiEnabled: boolean;
  number: string | null;
  throughput: number;
  /** Charged with this rate and balance, in millionths of a dollar. */
  billing: { rate: number; balance: number } | null;
}

/** The token of `/metrics` on a test server. */
export const METRICS_TOKEN = "metrics-for-tests";

const standard: WorkspaceRecipe = {
  name: "Corner Shop",
  country: "IN",
  timezone: "Asia/Kolkata",
  dailyCap: null,
  apiEnabled: true,
  number: "+911244001100",
  throughput: 1_000,
  billing: null,
};

/** At the real cost, a thousand sign-ins take three minutes of a processor. */
const CHEAP_PASSWORDS: PasswordCost = {
  memoryCost: 64,
  timeCost: 1,
  nobodysHash:
    "$argon2id$v=19$m=64,t=1,p=1$6ZdHKurqslFKNklwF6BrEGyk7hY8MMW5fg5EJFldTsg$ySqpAWCtcFdpRKFksEWUxNFXwe7fEQeCH8wRxwVx7Gs",
};

/** What is sent by e-mail waits for the mail server. */
export const WITH_MAIL: NonNullable<TestServerOptions["config"]> = {
  alerts: { smtpUrlFile: "/nowhere/smtp", emailFrom: "waxwing@example.com" },
  server: { publicUrl: "http://localhost:1" },
};

export async function startTestServer(options: TestServerOptions = {}): Promise<TestServer> {
  const directory = options.directory ?? mkdtempSync(join(tmpdir(), "waxwing-test-"));
  const clock = options.clock ?? new TestClock();
  const logged: string[] = [];
  const base = loadConfig({ env: {}, searchPaths: [], data: directory, listen: "127.0.0.1:0" });
  const config = merge(base, {
    simulator: { deliverAfterMs: 0, readAfterMs: 0, noAnswerAfterMs: 0 },
    webhooks: { allowHttp: true, allowPrivate: true, jitter: 0 },
    limits: { requestsPerSecond: 1_000_000, burst: 1_000_000 },
    server: { ...base.server, metricsToken: METRICS_TOKEN },
    backup: { schedule: null },
    alerts: { none: true },
    ...options.config,
  });
  const random = systemRandom;
  if (options.directory === undefined) {
    placeMigrated(config.storage.path);
    loadKeys({ keyFile: config.secrets.keyFile, env: {}, random }, true);
  }
  const logTail = new LogTail();
  const write = (line: string): void => void logged.push(line);
  const log = createLog({ level: "info", format: "text", now: () => clock.now(), write, keep: logTail.keep });
  // A test that continues with a copied directory means a crash, not a restored copy, unless it says where files lie.
  const readFileIdentity = () => ({ inode: "1", createdAt: 1 });
  // Conditions are evaluated when a test asks for them: the test write of each would be one commit more than a test made.
  const healthTimers = { monotonic: () => clock.monotonic(), setTimer: () => ({ cancel() {} }) };
  const server = await startServer({
    readFileIdentity,
    healthTimers,
    checksAnswers: true,
    passwordCost: CHEAP_PASSWORDS,
    ...options,
    config,
    log,
    logTail,
    clock,
  });
  const { store } = server;
  const box = createSecretBox(loadKeys({ keyFile: config.secrets.keyFile, env: {}, random }, true), random);
  let sentCount = 0;
  let answeredCount = 0;
  clock.isBusy = () => server.isActive() || sentCount > answeredCount;
  // What is neither with the test nor with the server is on its way between them.
  const isOnItsWay = (): boolean => sentCount - answeredCount > server.pendingRequests();
  clock.isCertain = () => server.isReading() || isOnItsWay() || isInTransit();
  clock.progress = () => store.counters.operations + store.counters.failures + sentCount + answeredCount;
  let stopped = false;
  /** Values of the API outside of the specification's closed lists. */
  const strangers = new Set<string>();

  const call = async (method: string, path: string, given: CallOptions = {}): Promise<Answered> => {
    sentCount += 1;
    const isFirst = sentCount === 1;
    const ask = () =>
      fetch(`${server.url}${path}`, {
        method,
        redirect: "manual",
        headers: {
          ...(given.key == null ? {} : { authorization: `Bearer ${given.key}` }),
          ...(given.body === undefined ? {} : { "content-type": "application/json" }),
          ...given.headers,
        },
        ...(given.body === undefined ? {} : { body: bodyText(given.body) }),
      });
    try {
      const response = await ask().catch((error: unknown) => {
        // The system gives ports again: `fetch` may still keep a connection to an earlier server of this process.
        if (isFirst && (error as { code?: unknown }).code === "ECONNRESET") return ask();
        throw error;
      });
      const text = await response.text();
      const body = parse(text);
      if (path.startsWith("/api/v1")) for (const one of strangersIn(body)) strangers.add(`${method} ${path}: ${one}`);
      return { status: response.status, body, text, headers: response.headers };
    } finally {
      answeredCount += 1;
    }
  };

  const stop = async (): Promise<void> => {
    if (stopped) return;
    stopped = true;
    await server.stop();
  };

  return {
    server,
    store,
    clock,
    directory,
    logged,
    call,
    send: (method, path, given) => clock.until(call(method, path, given)),
    async workspace(settings = {}) {
      const recipe = { ...standard, ...settings };
      const made = await store.write((tx) => {
        const { id } = createWorkspace(tx, { ...recipe }, recipe.apiEnabled);
        const { key } = createKey(tx, id, "test", { limits: EVERY_SCOPE });
        if (recipe.billing !== null) {
          setPrice(tx, id, "USD", recipe.billing.rate);
          credit(tx, id, { amount: recipe.billing.balance, note: null, ref: null });
        }
        const number =
          recipe.number === null
            ? null
            : addNumber(tx, id, {
                phone: recipe.number,
                name: recipe.name,
                throughput: recipe.throughput,
                route: { network: "simulator" },
              });
        return { id, key, number: number?.phone ?? null, numberId: number?.id ?? 0 };
      });
      // A number's bucket starts empty; tests begin with a number that has been there for a while.
      await clock.advance(1_000);
      return made;
    },
    async template(workspace, json, status = "APPROVED") {
      await store.write((tx) => {
        addTemplate(tx, workspace.id, readNewTemplate(json), status);
      });
    },
    async webhook(workspace, url) {
      return (await store.write((tx) => setWebhook(tx, box, workspace.id, url))).secret;
    },
    async inbound(workspace, from, text, at = clock.now()) {
      await store.write((tx) => {
        const number = getNumber(tx, workspace.numberId);
        const networkMessageId = `wamid.${randomText(random, 24)}`;
        storeCallback(tx, "simulator", inboundCallback(number, { networkMessageId, from, text, at }));
      });
      await clock.advance(0);
    },
    stop,
    async [Symbol.asyncDispose]() {
      await stop();
      const left = inspect(config.storage.path, clock.now(), options.mayBreak === true);
      for (const one of left.strangers) strangers.add(one);
      if (options.directory === undefined) rmSync(directory, { recursive: true, force: true });
      const errors = logged.filter((line) => line.includes(" ERROR ") && !options.expectedErrors?.test(line));
      if (errors.length > 0) throw new Error(`the server logged errors:\n${errors.join("")}`);
      if (strangers.size > 0) throw new Error(`not in the specification: ${[...strangers].join(", ")}`);
      if (left.broken.length > 0) throw new Error(`the database is broken: ${JSON.stringify(left.broken)}`);
    },
  };
}

/** Every test ends with a database of which everything is true that `waxwing check` knows of. */
function inspect(path: string, now: number, mayBreak: boolean): { strangers: string[]; broken: CheckFinding[] } {
  const client = openClient(path, { readonly: true });
  try {
    const broken = mayBreak ? [] : checkDatabase(client, { now, isExclusive: true }).findings;
    return { strangers: strangersInEvents(client), broken };
  } finally {
    client.close();
  }
}

function strangersInEvents(client: Client): string[] {
  const bodies = client.prepare("SELECT body FROM events ORDER BY seq LIMIT 10000").pluck().all() as string[];
  return [...new Set(bodies.flatMap((body) => strangersIn(parse(body))).map((one) => `an event: ${one}`))];
}

function merge(base: Config, changes: NonNullable<TestServerOptions["config"]>): Config {
  const merged: Record<string, unknown> = { ...base };
  for (const [section, values] of Object.entries(changes)) {
    merged[section] = { ...(merged[section] as object), ...values };
  }
  return merged as unknown as Config;
}

function bodyText(body: unknown): string | Uint8Array<ArrayBuffer> {
  if (body instanceof Uint8Array) return new Uint8Array(body);
  return typeof body === "string" ? body : JSON.stringify(body);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
