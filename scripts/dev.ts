/**
 * The inner loop: a demo server that follows its sources. A change of the server restarts it on the same database; a
 * change of the console is bundled and loaded by every open page. The executable contains none of this.
 */
import { randomBytes } from "node:crypto";
import { watch } from "node:fs";
import { join, relative, resolve } from "node:path";
import { parseArgs } from "node:util";
import { ConsoleFiles } from "./dev/console-files.ts";
import { type Front, startFront } from "./dev/front.ts";
import { recordApplied, setAsideIfStale } from "./dev/migrations.ts";
import { signIn } from "./dev/operator.ts";
import { type Ready, type ServerProcess, startServerProcess } from "./dev/server-process.ts";

const usage = `bun run dev [--data data/dev] [--listen 127.0.0.1:8080] [-- OPTIONS OF waxwing dev]

  --data DIR          where the database is kept between runs
  --listen HOST:PORT  the address to open; a free port where this one is taken

bun run dev:once runs a throwaway demo that follows nothing.`;

const checkout = resolve(import.meta.dir, "..");
/** An editor writes a file in several steps. */
const QUIET_MS = 40;

async function main(): Promise<void> {
  const { data, listen, rest } = readArguments();
  const token = randomBytes(18).toString("base64url");
  const files = new ConsoleFiles();
  const first = files.build().catch((error: unknown) => sayBundleFailed(error));
  let server: Supervised | null = null;
  const front = listenOnFree(listen, (port) =>
    startFront({
      listen: { hostname: listen.hostname, port },
      files,
      signInToken: token,
      server: async () => {
        await first;
        return server === null ? null : server.url();
      },
      signIn: (url) => signIn(url, data),
    }),
  );
  server = new Supervised(data, front, rest, `${front.url}/dev/sign-in?token=${token}`);
  // Followed from the start: a change meanwhile is not lost.
  const supervised = server;
  const started = supervised.restart("");
  const restart = afterQuiet(started, (change) => supervised.restart(change));
  const rebuild = afterQuiet(first, (change) => build(files, front, change));
  follow("src", (path) => (path.startsWith("src/web/") ? rebuild(path) : restart(path)));
  follow("migrations", (path) => {
    if (path !== "migrations/schema.sql") restart(path);
  });
  await started;
  const stop = async (): Promise<void> => {
    await supervised.stop();
    process.exit(0);
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => void stop());
}

/** The running server process, and what is printed about it. */
class Supervised {
  readonly #data: string;
  readonly #front: Front;
  readonly #args: readonly string[];
  readonly #signInLink: string;
  #process: ServerProcess | null = null;
  #url: Promise<string | null> = Promise.resolve(null);
  #shownKey = "";
  #isStopping = false;

  constructor(data: string, front: Front, args: readonly string[], signInLink: string) {
    this.#data = data;
    this.#front = front;
    this.#args = args;
    this.#signInLink = signInLink;
  }

  /** Where it listens. */
  url(): Promise<string | null> {
    return this.#url;
  }

  /** Requests that come while this runs wait for the new process. */
  async restart(change: string): Promise<void> {
    const startedAt = performance.now();
    const ready = this.#replace();
    this.#url = ready.then((server) => (server === null ? null : new URL(server.base_url).origin));
    const server = await ready;
    if (server === null) say(`the server could not start; waiting for a change`);
    else if (server.api_key !== this.#shownKey) this.#introduce(server);
    else say(`server restarted in ${seconds(startedAt)} (${change})`);
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#front.endStreams();
    await this.#process?.stop();
    this.#isStopping = false;
  }

  async #replace(): Promise<Ready | null> {
    await this.stop();
    const aside = setAsideIfStale(this.#data);
    if (aside !== null)
      say(`an applied migration has changed: new database; the previous one is ${relative(".", aside)}`);
    const started = startServerProcess(this.#data, this.#front.url, this.#args);
    this.#process = started;
    const ready = await started.ready;
    if (ready !== null) recordApplied(this.#data);
    void started.exited.then((code) => {
      if (this.#process !== started || this.#isStopping || ready === null) return;
      say(`the server ended with exit code ${code}; waiting for a change`);
      this.#url = Promise.resolve(null);
    });
    return ready;
  }

  #introduce({ api_key, number, webhook_viewer_url }: Ready): void {
    this.#shownKey = api_key;
    const { url } = this.#front;
    const lines = [
      `  sign in   ${this.#signInLink}`,
      `  API       ${url}/api/v1`,
      `  key       ${api_key}`,
      `  number    ${number}`,
      `  webhooks  ${webhook_viewer_url}`,
      `  docs      ${url}/docs`,
      `  commands  bun src/main.ts --data ${relative(".", this.#data) || "."} …`,
    ];
    console.log(`\nWaxwing runs from its sources and follows them. Ctrl-C stops it.\n\n${lines.join("\n")}\n`);
  }
}

async function build(files: ConsoleFiles, front: Front, change: string): Promise<void> {
  const startedAt = performance.now();
  try {
    await files.build();
    front.announceBuild();
    say(`console bundled in ${seconds(startedAt)} (${change})`);
  } catch (error) {
    sayBundleFailed(error);
  }
}

function sayBundleFailed(error: unknown): void {
  say(`the console could not be bundled:\n${Bun.inspect(error)}`);
}

/** Calls `act` once the changes are over, after `before` and never twice at a time; with the path of the last change. */
function afterQuiet(before: Promise<void>, act: (change: string) => Promise<void>): (change: string) => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let running = before;
  return (change) => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      running = running.then(() => act(change)).catch((error: unknown) => say(Bun.inspect(error)));
    }, QUIET_MS);
  };
}

function follow(directory: string, changed: (path: string) => void): void {
  watch(join(checkout, directory), { recursive: true }, (_, name) => {
    if (name !== null && /(?:^|\/)[^./][^/]*\.(?:tsx?|css|sql|json|html|txt|svg)$/.test(name))
      changed(`${directory}/${name}`);
  });
}

interface Address {
  readonly hostname: string;
  readonly port: number;
}

function listenOnFree(address: Address, listen: (port: number) => Front): Front {
  try {
    return listen(address.port);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EADDRINUSE")) throw error;
    say(`port ${address.port} is taken, so this listens on a free one`);
    return listen(0);
  }
}

function readArguments(): { data: string; listen: Address; rest: string[] } {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      data: { type: "string", default: join(checkout, "data/dev") },
      listen: { type: "string", default: "127.0.0.1:8080" },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  const colon = values.listen.lastIndexOf(":");
  const listen = {
    hostname: values.listen.slice(0, colon).replace(/^\[|\]$/g, ""),
    port: Number(values.listen.slice(colon + 1)),
  };
  if (values.help || colon < 1 || !Number.isInteger(listen.port)) {
    console.log(usage);
    process.exit(values.help ? 0 : 2);
  }
  return { data: resolve(values.data), listen, rest: positionals };
}

function seconds(startedAt: number): string {
  return `${((performance.now() - startedAt) / 1000).toFixed(2)} s`;
}

function say(text: string): void {
  console.log(`dev: ${text}`);
}

await main();
