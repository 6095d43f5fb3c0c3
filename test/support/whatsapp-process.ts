/**
 * The executable as an operator runs it: alone in a directory, as a separate process, with a PATH that contains nothing
 * of this machine. Around it, in the test's process and over real sockets: the fake Cloud API, a customer's receiver,
 * and the proxy that gives it an https address. Real time: `until` waits for expected events. Everything that it ever
 * wrote or answered is kept, for tests that search for what must not be in it.
 */
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openClient } from "#src/db/driver.ts";
import { TLS_CERTIFICATE, TLS_KEY } from "./certificate.ts";
import { linesOf } from "./database.ts";
import { placeExecutable } from "./executable.ts";
import {
  type AcceptedMessage,
  type CallbackPost,
  type Change,
  type Graph,
  type GraphOptions,
  startGraph,
} from "./graph.ts";
import { type GraphAccount, graphAccount, graphNumber } from "./graph-account.ts";
import { type Receiver, startReceiver } from "./receiver.ts";

export const ACCOUNT_ID = "102290129340398";
export const PHONE_NUMBER_ID = "106540352242922";
/** Unlike any issued secret, and with letters that every encoding writes differently. */
export const ACCESS_TOKEN = "EAAGx/7Qb+Zc%of~the=executable?19";
export const APP_SECRET = "app/secret+of%the=executable?27";

/** A public file, at `/files/` of the public address. */
export const PICTURE = "spring.jpg";

function picture(): Response {
  return new Response(new Uint8Array(2_000), { headers: { "content-type": "image/jpeg" } });
}

export interface Printed {
  words: readonly string[];
  code: number;
  out: string;
  err: string;
}

export interface Answer {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers member by member; a missing member fails the assertion.
  body: any;
  text: string;
  headers: Headers;
}

export interface CallOptions {
  /** Replaces the default. */
  key?: string;
  body?: unknown;
  headers?: Record<string, string>;
}

export interface WhatsappProcess extends AsyncDisposable {
  /** The API key of calls, once there is one. */
  key: string;
  /** Holds the executable and everything that the operator and the server have written. */
  directory: string;
  graph: Graph;
  account: GraphAccount;
  receiver: Receiver;
  /** The server's public address, while it runs. */
  publicUrl: string;
  /** Everything that the commands have printed so far. */
  printed: readonly Printed[];
  /** Every answer of the server so far: head and body. */
  answers: readonly string[];
  write(name: string, text: string): void;
  /** Runs a command in the directory. */
  command(...words: string[]): Promise<Printed>;
  /** The same with `--json`; throws unless it succeeds. */
  json(...words: string[]): Promise<Record<string, unknown>>;
  /** Starts the server and waits until it listens. */
  start(): Promise<void>;
  /** SIGKILL, and waits for the exit. */
  kill(): Promise<void>;
  /** SIGTERM, and waits for the exit. */
  stop(): Promise<number>;
  /** Requests a path at the public address. */
  visit(path: string): Promise<Answer>;
  call(method: string, path: string, options?: CallOptions): Promise<Answer>;
  /** Posts a callback to the running server. */
  hear(body: Change | readonly Change[] | string, post?: CallbackPost): Promise<number>;
  /** Where callbacks are posted. */
  callbackUrl(): string;
  /** Announces a body longer than this beginning, and hangs up. */
  hangUp(path: string, headers: Record<string, string>, beginning: string): Promise<void>;
  /**
   * Every row of every table, without the time of the last commit, which changes without requests, and the log of requests,
   * which is written up to a second later.
   */
  snapshot(): Record<string, string[]>;
  /** Waits until no work is left: every callback is applied, every event is delivered. */
  quiet(): Promise<void>;
  /** The messages that the network accepted for this person, in order. */
  accepted(to: string): AcceptedMessage[];
  rows<Row = Record<string, unknown>>(query: string): Row[];
  /** Everything that the servers wrote to stderr. */
  log(): string;
}

/** `style`: the provider's header and path, if not Meta's own. */
export async function makeWhatsappProcess(
  account: Partial<GraphAccount>,
  style: Pick<GraphOptions, "authHeader" | "authPrefix" | "pathStyle"> = {},
): Promise<WhatsappProcess> {
  const directory = mkdtempSync(join(tmpdir(), "waxwing-whatsapp-"));
  const outside = mkdtempSync(join(tmpdir(), "waxwing-outside-"));
  const executable = join(directory, "waxwing");
  const logFile = join(outside, "log");
  const certificate = join(outside, "certificate.pem");
  writeFileSync(certificate, TLS_CERTIFICATE);
  await placeExecutable(executable);
  const known = graphAccount({ ...account, id: ACCOUNT_ID });
  const graph = await startGraph({
    ...style,
    accessToken: ACCESS_TOKEN,
    appSecret: APP_SECRET,
    phoneNumberIds: [PHONE_NUMBER_ID],
    account: known,
    now: () => Date.now(),
  });
  const receiver = startReceiver();
  const printed: Printed[] = [];
  const answers: string[] = [];
  let running: { child: Bun.Subprocess; url: string } | null = null;

  const proxy = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    // An answer may wait for several late ones of the network.
    idleTimeout: 120,
    tls: { key: TLS_KEY, cert: TLS_CERTIFICATE },
    async fetch(request) {
      const name = request.url.split("/files/")[1];
      if (name !== undefined) return name === PICTURE ? picture() : new Response("not here\n", { status: 404 });
      if (running === null) return new Response("no server is running\n", { status: 502 });
      const { pathname, search } = new URL(request.url);
      const { method, headers } = request;
      const body = method === "GET" ? null : await request.arrayBuffer();
      // A body that the browser asked for compressed passes as it is.
      return fetch(running.url + pathname + search, {
        method,
        headers,
        body,
        redirect: "manual",
        decompress: false,
      }).catch(
        // Killed while it answers.
        () => new Response("the server hung up\n", { status: 502 }),
      );
    },
  });
  const publicUrl = `https://127.0.0.1:${proxy.port}`;
  // Instead of a certificate from a public authority.
  const env = { PATH: "/nonexistent", NODE_EXTRA_CA_CERTS: certificate, WAXWING_ALERTS_NONE: "true" };

  function urlOfServer(): string {
    if (running === null) throw new Error("the server does not run");
    return running.url;
  }

  function rows<Row = Record<string, unknown>>(query: string): Row[] {
    const client = openClient(join(directory, "data/waxwing.db"), { readonly: true });
    try {
      return client.prepare(query).all() as Row[];
    } finally {
      client.close();
    }
  }

  async function keep(response: Response): Promise<Answer> {
    const { status, headers } = response;
    const text = await response.text();
    answers.push(`${status} ${JSON.stringify([...headers])} ${text}`);
    return { status, text, headers, body: parsed(text) };
  }

  async function end(signal: "SIGKILL" | "SIGTERM"): Promise<number> {
    const { child } = running ?? {};
    if (child === undefined) throw new Error("the server does not run");
    running = null;
    child.kill(signal);
    return child.exited;
  }

  async function command(...words: string[]): Promise<Printed> {
    const child = Bun.spawn([executable, ...words], {
      cwd: directory,
      env,
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
    });
    const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
    const one = { words, code: await child.exited, out, err };
    printed.push(one);
    return one;
  }

  const made: WhatsappProcess = {
    key: "",
    directory,
    graph,
    account: known,
    receiver,
    publicUrl,
    printed,
    answers,
    write: (name, text) => writeFileSync(join(directory, name), text, { mode: 0o600 }),
    command,
    async json(...words) {
      const { code, out, err } = await command(...words, "--json");
      if (code !== 0 || err !== "") throw new Error(`${words.join(" ")}: exit ${code}: ${out}${err}`);
      return JSON.parse(out) as Record<string, unknown>;
    },
    async start() {
      const log = openSync(logFile, "a");
      const child = Bun.spawn([executable, "serve", "--listen", "127.0.0.1:0"], {
        cwd: directory,
        env,
        stdin: "ignore",
        stdout: "pipe",
        stderr: log,
      });
      closeSync(log);
      const { value } = await linesOf(child.stdout).next();
      const url = /^listening on (\S+)$/.exec(value ?? "")?.[1];
      if (url === undefined) throw new Error(`the server did not start: ${readFileSync(logFile, "utf8")}`);
      running = { child, url };
      graph.callTo(`${url}/networks/whatsapp`);
    },
    async kill() {
      await end("SIGKILL");
    },
    stop: () => end("SIGTERM"),
    visit: async (path) => keep(await fetch(publicUrl + path, { tls: { ca: TLS_CERTIFICATE } })),
    async call(method, path, { key = made.key, body, headers } = {}) {
      const response = await fetch(`${urlOfServer()}/api/v1${path}`, {
        method,
        headers: {
          authorization: `Bearer ${key}`,
          ...(body === undefined ? {} : { "content-type": "application/json" }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return keep(response);
    },
    hear: (body, post = {}) => graph.callback(body, { accountId: ACCOUNT_ID, ...post }),
    callbackUrl: () => `${urlOfServer()}/networks/whatsapp`,
    async hangUp(path, headers, beginning) {
      const { port } = new URL(urlOfServer());
      const length = String(Buffer.byteLength(beginning) + 100);
      const given = { host: "127.0.0.1", "content-type": "application/json", "content-length": length, ...headers };
      const lines = Object.entries(given).map(([name, value]) => `${name}: ${value}`);
      const text = [`POST ${path} HTTP/1.1`, ...lines, "", beginning].join("\r\n");
      const socket = connect(Number(port), "127.0.0.1");
      await new Promise((resolve) => socket.write(text, resolve));
      const closed = new Promise((resolve) => socket.once("close", resolve));
      socket.destroy();
      await closed;
    },
    snapshot() {
      const tables = rows<{ name: string }>(
        `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'
          AND name NOT LIKE 'key_request%' AND name NOT LIKE 'search_%' ORDER BY name`,
      );
      // The server changes these two without a request.
      const write = (row: object): string =>
        JSON.stringify({ ...row, last_commit_at: undefined, write_probe: undefined }, writeBytes);
      return Object.fromEntries(tables.map(({ name }) => [name, rows<object>(`SELECT * FROM ${name}`).map(write)]));
    },
    quiet: () =>
      until(
        "nothing is left to do",
        () =>
          rows("SELECT id FROM callbacks WHERE done_at IS NULL").length === 0 &&
          rows("SELECT id FROM deliveries WHERE status = 'pending'").length === 0,
      ),
    accepted: (to) => graph.accepted.filter((message) => message.to === to),
    rows,
    log: () => readFileSync(logFile, "utf8"),
    async [Symbol.asyncDispose]() {
      if (running !== null) await end("SIGKILL");
      await Promise.all([proxy.stop(true), receiver[Symbol.asyncDispose](), graph[Symbol.asyncDispose]()]);
      for (const path of [directory, outside]) rmSync(path, { recursive: true, force: true });
    },
  };
  return made;
}

const UNTIL_LIMIT_MS = 90_000;
const LOOK_EVERY_MS = 5;

/** Polls until the condition holds; throws with the description if it never does. */
export async function until(what: string, holds: () => boolean): Promise<void> {
  const deadline = performance.now() + UNTIL_LIMIT_MS;
  while (!holds()) {
    if (performance.now() > deadline) throw new Error(`waited in vain until ${what}`);
    await Bun.sleep(LOOK_EVERY_MS);
  }
}

function writeBytes(_: string, value: unknown): unknown {
  return value instanceof Uint8Array ? Buffer.from(value).toString("hex") : value;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

export const SHOP_PHONE = "+49 30 1234567";

/** The configuration of a server with the fake Cloud API. */
export function configurationOf({ publicUrl, graph }: WhatsappProcess, appSecret = APP_SECRET): string {
  return `[server]
public_url = "${publicUrl}"
metrics_token = "a-word"
[storage]
data = "data"
[whatsapp]
verify_token = "a-word"
app_secret = "${appSecret}"
graph_url = "${graph.url}"
[secrets]
key_file = "waxwing.key"
`;
}

/** A running server with one workspace, whose number is the account's. The key has these scopes, or the usual ones. */
export async function startShop(account: Partial<GraphAccount>, scopes?: string): Promise<WhatsappProcess> {
  const shop = await makeWhatsappProcess({ numbers: [graphNumber(PHONE_NUMBER_ID, SHOP_PHONE)], ...account });
  shop.write("waxwing.toml", configurationOf(shop));
  shop.write("token", `${ACCESS_TOKEN}\n`);
  await shop.json("workspace", "create", "--name", "Shop", "--country", "DE", "--timezone", "Europe/Berlin");
  await shop.json(
    ...["number", "add", "--workspace", "1", "--phone", SHOP_PHONE, "--name", "Shop", "--network", "whatsapp"],
    ...["--phone-number-id", PHONE_NUMBER_ID, "--account-id", ACCOUNT_ID, "--token-file", "token"],
  );
  const limits = scopes === undefined ? [] : ["--scopes", scopes];
  const { key } = await shop.json("key", "create", "--workspace", "1", "--name", "Test", ...limits);
  shop.key = String(key);
  await shop.start();
  return shop;
}
