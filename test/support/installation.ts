/**
 * A whole installation outside the test's process, for tests that kill it: a data directory with a workspace, a number
 * on WhatsApp and people who have opted in; a network in another process that records every request; and a server that
 * the test starts and kills as often as it wants, from source or as the executable. Real time, real files.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadKeys } from "#src/core/key-file.ts";
import { deriveKey } from "#src/core/key-ring.ts";
import type { E164 } from "#src/core/phone.ts";
import { systemRandom } from "#src/core/random.ts";
import { createSecretBox } from "#src/core/secret.ts";
import { migrate } from "#src/db/migrate.ts";
import { openStore } from "#src/db/store.ts";
import { credit, setPrice } from "#src/domain/billing/account.ts";
import { createContact } from "#src/domain/contacts/create.ts";
import { addMember, findOrCreateStaticGroup } from "#src/domain/groups/membership.ts";
import { MARKETING_ONBOARDED, recordMarketingStatus } from "#src/domain/numbers/account-sync.ts";
import { addNumber } from "#src/domain/numbers/add.ts";
import { markReady } from "#src/domain/numbers/readiness.ts";
import { addTemplate, readNewTemplate } from "#src/domain/templates/add.ts";
import { setWebhook } from "#src/domain/webhooks/address.ts";
import { createKey } from "#src/domain/workspaces/api-keys.ts";
import { createWorkspace } from "#src/domain/workspaces/update.ts";
import { accessTokenContext } from "#src/networks/credentials.ts";
import { linesOf } from "./database.ts";
import { sign, writeCallback } from "./graph.ts";
import { checkout } from "./source.ts";

export const PHONE_NUMBER_ID = "200000000000001";
const ACCOUNT_ID = "100000000000001";
const APP_SECRET = "app-secret-of-the-test";
const CALLBACKS = "/networks/whatsapp";
const START_LIMIT_MS = 90_000;

/** The template of everything sent here: its one value says which message of the test it is. */
export const LABELLED = "labelled";

/** A send request at the network. */
export interface SeenRequest {
  to: string;
  reference: string;
  /** The template's value. */
  label: string;
  /** When it had been read, in milliseconds. */
  at: number;
  /** The network's own id of the message. */
  id: string;
  /** The last status that was reported and answered with 200. */
  told: "sent" | "delivered" | null;
  /** Whether it is finally reported as delivered; otherwise as sent. */
  isDelivered: boolean;
  /** It came to the endpoint for marketing. */
  isMarketing: boolean;
}

/** How the network behaves from now on. */
export interface NetworkMood {
  /** The maximum time that an answer takes. */
  answerWithinMs: number;
  /** The share of accepted messages that it reports as delivered; of the others it reports only `sent`. */
  deliveredShare: number;
  /** How long it throttles every request. */
  throttledForMs: number;
  /** The number of messages of one label it answers. The answers to further messages wait until this is raised; null: all. */
  maxAnswers: number | null;
  /** The share of requests to the endpoint for marketing that it answers with "not my own". */
  redirectedShare: number;
}

/** An event that the customer's receiver got. */
export interface SeenEvent {
  body: string;
  /** Whether it answered 200; otherwise 500. */
  isTaken: boolean;
}

export interface InstallationOptions {
  people: number;
  /** The number of lists over which the people are spread evenly, in order; 1 by default. */
  lists?: number;
  /** Messages per second. */
  throughput: number;
  /** Starts the server: the executable, or the runtime with the source. */
  command: readonly string[];
  /** The server's environment, beside the variables of every process. */
  env?: Record<string, string>;
  /** The network's environment, beside the test's. */
  networkEnv?: Record<string, string>;
  /** The template is one for marketing, and the account is onboarded to the endpoint for it. */
  isMarketing?: boolean;
  /** How long an unknown outcome waits for a status with its send token. */
  inDoubtAfter: string;
  /** The network reports statuses, and events are delivered to the receiver; otherwise neither. */
  isTalkative?: boolean;
  /** Where the server listens, in every life; by default a free port of each. */
  listen?: string;
  /** Puts the data on a separate disk of this many megabytes. Requires root. */
  diskMegabytes?: number;
}

export interface Installation extends AsyncDisposable {
  /** Holds `data`; the server writes to no other place. */
  directory: string;
  data: string;
  /** Of the API. */
  key: string;
  /** All people, in the order of their contacts; each is in one of the `lists`, of which `groupId` is the first. */
  people: readonly string[];
  groupId: number;
  lists: readonly { id: number; people: readonly string[] }[];
  /** Starts the server; it may be killed before it listens. `env`: for this process only. */
  start(env?: Record<string, string>): RunningServer;
  /** Runs a command beside the server, with `--json`. */
  command(...words: string[]): RunningCommand;
  /** Where the network calls a server that was started elsewhere. */
  tellCallbacks(url: string): Promise<void>;
  /** The requests that the network has read, from the N-th on. */
  requests(from?: number): Promise<SeenRequest[]>;
  /** When each request was throttled, in milliseconds. */
  throttled(): Promise<number[]>;
  /** The send tokens of the requests that the endpoint for marketing called not its own. */
  redirected(): Promise<string[]>;
  /** The number of statuses that the network has still to report. */
  unreported(): Promise<number>;
  setMood(mood: Partial<NetworkMood>): Promise<void>;
  /** The events that the receiver got, including those that it refused. */
  events(): Promise<SeenEvent[]>;
}

export interface RunningCommand {
  /** The command's output; the code is null if it was killed. */
  ended: Promise<{ code: number | null; output: string }>;
  kill(): void;
}

export interface RunningServer {
  pid: number;
  /** Its address, once it listens; null if it ended before. */
  listening: Promise<string | null>;
  /** Throws, with its stderr, if it exited before it listened. */
  started(): Promise<void>;
  /** SIGKILL, and waits for the exit. */
  kill(): Promise<void>;
  /** SIGTERM; waits for the exit, however long it takes. */
  stop(): Promise<number>;
  /** Posts a change in a signed callback. Null: there was no answer. */
  hear(value: object): Promise<number | null>;
  /** Posts a body, correctly signed. Null: there was no answer. */
  hearBody(body: string): Promise<number | null>;
  /** Null: there was no answer. */
  call(method: string, path: string, body?: unknown, key?: string): Promise<Answer | null>;
  /** Everything that it wrote to stderr, once it has ended. */
  complaints(): Promise<string>;
}

export interface Answer {
  status: number;
  retryAfter: string | null;
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers member by member; a missing member fails the assertion.
  body: any;
}

export async function buildExecutable(path: string): Promise<readonly string[]> {
  const child = Bun.spawn([process.execPath, join(checkout, "scripts/build.ts"), "--outfile", path], {
    stdout: "ignore",
    stderr: "inherit",
  });
  if ((await child.exited) !== 0) throw new Error("the executable could not be built");
  return [path];
}

export async function makeInstallation(options: InstallationOptions): Promise<Installation> {
  const directory = mkdtempSync(join(tmpdir(), "waxwing-killed-"));
  const data = join(directory, "data");
  mkdirSync(data, { mode: 0o700 });
  const { diskMegabytes = null } = options;
  if (diskMegabytes !== null)
    runOrThrow("mount", "-t", "tmpfs", "-o", `size=${diskMegabytes}m,mode=0700`, "tmpfs", data);
  const network = Bun.spawn([process.execPath, join(import.meta.dir, "network-process.ts"), APP_SECRET], {
    env: { ...process.env, ...options.networkEnv },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "inherit",
  });
  const port = (await linesOf(network.stdout).next()).value;
  const networkUrl = `http://127.0.0.1:${port}`;
  writeFileSync(join(directory, "waxwing.toml"), configuration(networkUrl, options.inDoubtAfter));
  const hook = options.isTalkative === true ? `${networkUrl}/hook` : null;
  const { people, lists, key } = await furnish(data, options, hook);
  const running = new Set<Bun.Subprocess>();
  const environment = { PATH: process.env.PATH ?? "", TZ: "UTC" };
  const tellWhereTo = async (server: RunningServer): Promise<void> => {
    const url = await server.listening.catch(() => null);
    if (url !== null) await fetch(networkUrl, { method: "PUT", body: url + CALLBACKS }).catch(() => undefined);
  };

  return {
    directory,
    data,
    key,
    people,
    groupId: lists[0]?.id ?? 0,
    lists,
    start(env) {
      const child = Bun.spawn([...options.command, "serve", "--listen", options.listen ?? "127.0.0.1:0"], {
        cwd: directory,
        env: { ...environment, ...options.env, ...env },
        stdin: "ignore",
        stdout: "pipe",
        stderr: "pipe",
      });
      running.add(child);
      void child.exited.then(() => running.delete(child));
      const server = runningServer(child, key);
      if (hook !== null) void tellWhereTo(server);
      return server;
    },
    command(...words) {
      const child = Bun.spawn([...options.command, ...words, "--json"], {
        cwd: directory,
        env: environment,
        stdin: "ignore",
        stdout: "pipe",
        stderr: "pipe",
      });
      running.add(child);
      const output = Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
      const ended = child.exited.then(async () => {
        running.delete(child);
        return { code: child.exitCode, output: (await output).join("") };
      });
      return { ended, kill: () => child.kill("SIGKILL") };
    },
    async tellCallbacks(url) {
      await fetch(networkUrl, { method: "PUT", body: url + CALLBACKS });
    },
    async requests(from = 0) {
      return (await (await fetch(`${networkUrl}/requests?from=${from}`)).json()) as SeenRequest[];
    },
    async unreported() {
      return (await (await fetch(`${networkUrl}/unreported`)).json()) as number;
    },
    async throttled() {
      return (await (await fetch(`${networkUrl}/throttled`)).json()) as number[];
    },
    async redirected() {
      return (await (await fetch(`${networkUrl}/redirected`)).json()) as string[];
    },
    async setMood(mood) {
      await fetch(`${networkUrl}/mood`, { method: "PUT", body: JSON.stringify(mood) });
    },
    async events() {
      return (await (await fetch(`${networkUrl}/events`)).json()) as SeenEvent[];
    },
    async [Symbol.asyncDispose]() {
      for (const child of [...running, network]) child.kill("SIGKILL");
      await Promise.all([...running, network].map((child) => child.exited));
      if (diskMegabytes !== null) runOrThrow("umount", data);
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

function runOrThrow(...words: string[]): void {
  const { exitCode, stderr } = Bun.spawnSync(words);
  if (exitCode !== 0) throw new Error(`${words.join(" ")}: ${stderr}`);
}

function runningServer(child: Bun.Subprocess<"ignore", "pipe", "pipe">, key: string): RunningServer {
  const complaints = new Response(child.stderr).text();
  const lines = linesOf(child.stdout);
  const listening = Promise.race([
    lines.next().then(({ value, done }) => (done ? null : value.replace("listening on ", ""))),
    Bun.sleep(START_LIMIT_MS).then(() => {
      throw new Error("the server did not listen in time");
    }),
  ]);
  // A test that kills the server first does not await this.
  listening.catch(() => undefined);
  async function hearBody(body: string): Promise<number | null> {
    const url = await listening;
    if (url === null) return null;
    const headers = {
      "content-type": "application/json",
      "x-hub-signature-256": sign(Buffer.from(body), APP_SECRET),
    };
    return fetch(url + CALLBACKS, { method: "POST", body, headers }).then(
      ({ status }) => status,
      () => null,
    );
  }

  return {
    pid: child.pid,
    listening,
    async started() {
      if ((await listening) === null) throw new Error(`the server did not start: ${await complaints}`);
    },
    async kill() {
      child.kill("SIGKILL");
      await child.exited;
    },
    stop() {
      child.kill("SIGTERM");
      return child.exited;
    },
    complaints: () => complaints,
    hear(value) {
      const metadata = { display_phone_number: "911244001100", phone_number_id: PHONE_NUMBER_ID };
      const change = { field: "messages", value: { messaging_product: "whatsapp", metadata, ...value } };
      return hearBody(writeCallback(change));
    },
    hearBody,
    async call(method, path, body, idempotencyKey) {
      const url = await listening;
      if (url === null) return null;
      try {
        const response = await fetch(`${url}/api/v1${path}`, {
          method,
          headers: {
            authorization: `Bearer ${key}`,
            ...(body === undefined ? {} : { "content-type": "application/json" }),
            ...(idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey }),
          },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        });
        const retryAfter = response.headers.get("retry-after");
        return { status: response.status, retryAfter, body: await response.json() };
      } catch {
        return null;
      }
    },
  };
}

function configuration(networkUrl: string, inDoubtAfter: string): string {
  return `[whatsapp]
graph_url = "${networkUrl}"
app_secret = "${APP_SECRET}"
[webhooks]
allow_http = true
allow_private = true
jitter = 0
retry_after = ["100ms", "300ms", "600ms", "1s", "2s", "4s", "8s", "16s", "32s"]
[messages]
retry_budget = "1s"
[limits]
requests_per_second = 1000000
burst = 1000000
[broadcasts]
in_doubt_after = "${inDoubtAfter}"
settle_after = "0s"
`;
}

/** Fills a new database with what the tests need, as the command line and an import would. */
async function furnish(data: string, options: InstallationOptions, hook: string | null) {
  const { people: count, throughput, lists: listCount = 1, isMarketing = false } = options;
  const random = systemRandom;
  const secretKey = loadKeys({ keyFile: join(data, "waxwing.key"), env: {}, random }, true);
  const box = createSecretBox(secretKey, random);
  const store = openStore(join(data, "waxwing.db"), {
    busyTimeoutMs: 0,
    hashKey: () => deriveKey(secretKey.current().bytes, "hash"),
  });
  migrate(store.client);
  const people = Array.from({ length: count }, (_, index) => `+9198${String(index).padStart(8, "0")}`);
  const made = await store.write((tx) => {
    const settings = { name: "Shop", country: "IN", timezone: "UTC", dailyCap: null, stopWords: [], startWords: [] };
    const { id } = createWorkspace(tx, settings, true);
    const { key } = createKey(tx, id, "test");
    setPrice(tx, id, "USD", RATE);
    credit(tx, id, { amount: CREDITED, note: null, ref: null });
    const accessToken = box.seal("token-of-the-test", accessTokenContext(PHONE_NUMBER_ID));
    const route = {
      network: "whatsapp",
      phoneNumberId: PHONE_NUMBER_ID,
      accountId: ACCOUNT_ID,
      accessToken,
      appSecret: null,
    } as const;
    const number = addNumber(tx, id, { phone: "+911244001100", name: "Shop", throughput, route });
    markReady(tx, number.id);
    if (hook !== null) setWebhook(tx, box, id, hook);
    const components = [{ type: "BODY", text: "This is {{1}}." }];
    addTemplate(
      tx,
      id,
      readNewTemplate({ name: LABELLED, language: "en", category: isMarketing ? "MARKETING" : "UTILITY", components }),
      "APPROVED",
    );
    if (isMarketing) recordMarketingStatus(tx, id, ACCOUNT_ID, MARKETING_ONBOARDED);
    const lists = Array.from({ length: listCount }, (_, index) => ({
      id: findOrCreateStaticGroup(tx, id, `List ${index + 1}`).id,
      people: people.slice((index * count) / listCount, ((index + 1) * count) / listCount),
    }));
    for (const list of lists) {
      for (const phone of list.people) {
        const optIn = { source: "import" as const, evidence: {} };
        addMember(tx, list.id, createContact(tx, id, { phone: phone as E164, optIn }).id);
      }
    }
    return { key, lists };
  });
  // Only the simulator's templates are added by hand; those of WhatsApp are synced from the network.
  store.client.exec(`UPDATE templates SET account_id = '${ACCOUNT_ID}'`);
  store.checkpoint();
  store.close();
  return { people, ...made };
}

/** In millionths of a dollar. */
export const RATE = 8_500;
export const CREDITED = 1_000_000_000;
