/**
 * `waxwing dev`: everything at once to try it out: a server on the simulated network, a demo workspace, and a receiver
 * that shows the webhooks. The database is temporary, or with `--data` kept for the next run.
 */
import { lstatSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { type Config, loadConfig } from "#src/config/config.ts";
import { randomText } from "#src/core/id.ts";
import { readInstant } from "#src/core/instant.ts";
import { seededRandom } from "#src/core/seeded-random.ts";
import { serveHttp } from "#src/core/serve-http.ts";
import { createSetupLink } from "#src/domain/users/links.ts";
import { setWebhook } from "#src/domain/webhooks/address.ts";
import { setForward } from "#src/domain/webhooks/forward.ts";
import { listWorkspaces } from "#src/domain/workspaces/read.ts";
import { findWebhookUrlProblem } from "#src/net/address.ts";
import type { PostResult } from "#src/net/post.ts";
import { type Command, command } from "./command.ts";
import { linkAddress } from "./console-link.ts";
import type { Context, Io } from "./context.ts";
import { fileExists, isServed, withDatabase } from "./database.ts";
import type { Addresses, Demo } from "./dev/demo.ts";
import { type Kept, readKept, writeKept } from "./dev/kept.ts";
import { announceDev, isRunning } from "./dev/running-devs.ts";
import { readSource, type Source, sourceOptions } from "./dev/source.ts";
import { startViewer, type Viewer } from "./dev/viewer.ts";
import { devWords, type Ready } from "./dev/words.ts";
import { CommandFailure } from "./failure.ts";
import { flag, text } from "./option.ts";
import { start, stopSignal } from "./running.ts";
import { listenOption } from "./serve.ts";
import { UsageError } from "./usage-error.ts";

export const commands: readonly Command[] = [
  command(
    "dev",
    {
      summary: "Run a throwaway server with demo data and a simulated network",
      details:
        "Prints an address, a key and commands to paste. The database is temporary and is removed at the end; --data DIR keeps\nit and its key for the next run.",
      needsNoData: "unless named",
    },
    {
      listen: listenOption,
      forward: text("URL", "Deliver every webhook to this address too, such as http://localhost:3000/hook"),
      ...sourceOptions,
      now: text(
        "TIME",
        "Time at the start and after each reset, such as 2026-12-24T09:00:00+05:30 (default: the real time)",
      ),
      withParent: flag("Stop when standard input closes, which happens when the parent ends"),
    },
    async (given, values) => {
      const { listen, withParent, forward, randomSeed, now } = values;
      const startsAt = now === undefined ? null : readStart(now);
      const random = randomSeed === undefined ? given.io.random : seededRandom(randomSeed);
      const context = { ...given, io: { ...given.io, random } };
      const { io, options } = context;
      if (forward !== undefined) requireForward(forward);
      const source = await readSource(context, values);
      const stopped = stopSignal(io, ["SIGTERM", "SIGINT", "SIGHUP"]);
      const parentEnded = withParent ? [io.readInput()] : [];
      const data = options.data === undefined ? createTemporary(io) : resolve(options.data);
      const requested = configOf(context, data, listen);
      const kept = readDemo(requested);
      if (kept !== null && startsAt !== null) {
        throw new UsageError(
          "--now is for a new database, and this one has its own times: name another one with --data",
        );
      }
      const viewer = startViewer({ clock: io.clock, port: kept?.viewerPort ?? 0 });
      try {
        const stopping = Promise.race([stopped, ...parentEnded]);
        const chosen = { isListenSet: listen !== undefined, forward: forward ?? null, startsAt };
        await serveDemo(context, { ...{ requested, kept, viewer, source }, ...chosen, stopped: stopping });
      } finally {
        await viewer.stop();
      }
      return null;
    },
  ),
];

/** Milliseconds since the epoch. */
function readStart(text: string): number {
  const at = readInstant(text, "UTC");
  if (at === null) throw new UsageError("--now takes a time such as 2026-12-24T09:00:00+05:30");
  return at;
}

/** The demo is made at this time. */
function withTime(context: Context, at: number): Context {
  return { ...context, io: { ...context.io, clock: { ...context.io.clock, now: () => at } } };
}

const TEMPORARY = /^waxwing-dev-(\d+)-/;

function createTemporary(io: Io): string {
  removeLeftBehind();
  const data = mkdtempSync(join(tmpdir(), `waxwing-dev-${process.pid}-`));
  io.onExit(() => rmSync(data, { recursive: true, force: true }));
  return data;
}

/** Removes the temporary directories of devs that were killed: their process is gone, and nothing holds their database. */
function removeLeftBehind(): void {
  for (const name of readdirSync(tmpdir())) {
    const pid = TEMPORARY.exec(name)?.[1];
    if (pid === undefined || isRunning(Number(pid))) continue;
    const data = join(tmpdir(), name);
    try {
      // Another user's is not ours to remove; of another machine's in containers that share it, the process is not seen.
      if (lstatSync(data).uid !== process.getuid?.() || isServed(join(data, "waxwing.db"))) continue;
      rmSync(data, { recursive: true, force: true });
    } catch {
      // What cannot be removed stays, as it did before.
    }
  }
}

/**
 * Null where there is no database yet. dev runs on no other database than its own: it lets webhooks go to this machine, and
 * its key is in a file next to the database, which is not for data that matters.
 */
function readDemo({ storage }: Config): Kept | null {
  if (!fileExists(storage.path)) return null;
  const kept = readKept(storage.data);
  if (kept !== null) return kept;
  throw new CommandFailure(
    "not_a_demo",
    `the database ${resolve(storage.path)} was not created by waxwing dev`,
    "name another directory with --data, or run waxwing serve on this one",
  );
}

interface Run {
  readonly requested: Config;
  readonly isListenSet: boolean;
  /** Of the run before; null for a new demo. */
  readonly kept: Kept | null;
  readonly viewer: Viewer;
  /** What a new database begins with. */
  readonly source: Source;
  /** The second address of every workspace; null: none. */
  readonly forward: string | null;
  /** Milliseconds since the epoch; null: the real time. */
  readonly startsAt: number | null;
  readonly stopped: Promise<unknown>;
}

async function serveDemo(context: Context, run: Run): Promise<void> {
  const { requested, isListenSet, kept, viewer, source, forward, startsAt, stopped } = run;
  const { io, options } = context;
  let config = isListenSet || isFree(requested) ? requested : onAnyPort(requested);
  const configured = { ...context, loadConfig: () => config };
  const dated = startsAt === null ? configured : withTime(configured, startsAt);
  const demo = kept?.demo ?? (await createDemo(dated, source, { webhook: viewer.webhookUrl, forward }));
  if (demo.webhookSecret !== null) viewer.trust(demo.webhookSecret);
  const startOn = (place: Config) =>
    start(place, io, { acceptsTestKeys: true, startsAt, explorerKey: explorerKeyOf(place, demo) });
  const server = await startOn(config).catch((error: unknown) => {
    // Another program, which may be another dev, has taken the port since it was found free.
    if (isListenSet || !(error instanceof CommandFailure && error.code === "address_in_use")) throw error;
    config = onAnyPort(requested);
    return startOn(config);
  });
  // After the start, which brings a kept database up to date.
  if (kept !== null) await moveAddresses(configured, kept, viewer, forward);
  const { control } = server;
  if (control === null) throw new Error("dev runs with test control");
  // Not for a test suite, which breaks its receiver on purpose.
  const noteForward = forward === null || options.json ? null : forwardNotes(io, forward);
  control.onWebhook(({ url, headers, body, result }) => {
    if (url === viewer.webhookUrl) return;
    if (url === forward) noteForward?.(result);
    const answer = result.kind === "answered" ? `answered ${result.status}` : result.message;
    viewer.note({ url, signature: headers["service-signature"] ?? "", body, answer });
  });
  const isKept = options.data !== undefined;
  if (isKept) writeKept(config.storage.data, { demo, viewerPort: viewer.port });
  // What listens everywhere is reached here.
  const url = server.url.replace("://0.0.0.0:", "://127.0.0.1:").replace("://[::]:", "://127.0.0.1:");
  const setup = await server.store.write(createSetupLink);
  // A reset brings back everything that is printed here.
  await control.saveSeed();
  const ready: Ready = {
    base_url: `${url}/api/v1`,
    api_key: demo.key,
    metrics_token: config.server.metricsToken,
    workspace_id: demo.workspaceId,
    number: demo.number,
    webhook_viewer_url: viewer.url,
    webhook_secret: demo.webhookSecret,
    control_url: `${url}/control/v1`,
    control_token: control.token,
    docs_url: `${url}/docs`,
    console_url: setup === null ? `${url}/console` : linkAddress(config, setup, server.url),
    data: config.storage.data,
  };
  const note =
    config === requested
      ? null
      : `Port ${requested.server.listen.port} is in use by another program; using a free port instead.`;
  if (options.json && note !== null) io.err(`${note}\n`);
  announceDev(io, ready);
  // One line: a program reads the first line and leaves the server running.
  io.out(options.json ? `${JSON.stringify(ready)}\n` : `${devWords(ready, { demo, forward, note, isKept })}\n`);
  await stopped;
  await server.stop();
}

/** Only a file that was named counts: the one of an installed service is not meant, nor readable for everybody. */
function configOf({ io, options }: Context, data: string, listen: string | undefined): Config {
  const config = loadConfig({ file: options.config, searchPaths: [], data, listen, env: io.env });
  return {
    ...config,
    server: { ...config.server, metricsToken: config.server.metricsToken ?? randomText(io.random, 32) },
    secrets: { keyFile: join(data, "waxwing.key") },
    webhooks: { ...config.webhooks, allowHttp: true, allowPrivate: true },
    simulator: { ...config.simulator, control: true },
    backup: { ...config.backup, schedule: null },
    alerts: { ...config.alerts, none: true },
    // What dev prints itself says when the server is ready, and a demo needs no advice about backups and alarms.
    log: { ...config.log, level: config.log.level === "info" ? "error" : config.log.level },
  };
}

function isFree({ server: { listen } }: Config): boolean {
  try {
    serveHttp({ hostname: listen.host, port: listen.port, bodyBytesMax: 0, fetch: () => new Response() }).stop(true);
    return true;
  } catch (error) {
    // Any other reason comes up again, with its explanation, when the server starts.
    return !(error instanceof Error && "code" in error && error.code === "EADDRINUSE");
  }
}

function onAnyPort({ server, ...config }: Config): Config {
  return { ...config, server: { ...server, listen: { ...server.listen, port: 0 } } };
}

/** Other machines may read the page, too, where they can reach the server: it then has no key. */
function explorerKeyOf({ server }: Config, { key }: Demo): string | null {
  return /^(?:127\.|localhost$|\[?::1\]?$)/.test(server.listen.host) ? key : null;
}

function requireForward(url: string): void {
  const problem = findWebhookUrlProblem(url, { allowHttp: true, allowPrivate: true });
  if (problem !== null) throw new UsageError(`--forward ${url}: ${problem}`);
}

function createDemo(context: Context, source: Source, addresses: Addresses): Promise<Demo> {
  // The command's advice to keep a copy of the new key is not for a demo.
  const io = { ...context.io, err: () => undefined };
  return withDatabase({ ...context, io }, "create", async (database) => {
    const box = database.box();
    return database.store.write((tx) => source(tx, box, addresses));
  });
}

/** The addresses of this run: the viewer may listen on another port, and `forward` holds for every workspace. */
function moveAddresses(context: Context, { demo, viewerPort }: Kept, viewer: Viewer, forward: string | null) {
  return withDatabase(context, "write", async (database) => {
    const box = database.box();
    return database.store.write((tx) => {
      if (viewerPort !== viewer.port) setWebhook(tx, box, demo.workspaceId, viewer.webhookUrl);
      for (const { id } of listWorkspaces(tx)) setForward(tx, box, id, forward);
    });
  });
}

/**
 * Says on the terminal when the address of --forward begins to refuse, and when it accepts again. Otherwise a receiver
 * that was started too late looks like a server that sends nothing: the next attempt follows after a minute.
 */
function forwardNotes(io: Io, forward: string): (result: PostResult) => void {
  let isRefusing = false;
  return (result) => {
    const isAccepted = result.kind === "answered" && result.status >= 200 && result.status < 300;
    if (isAccepted !== isRefusing) return;
    isRefusing = !isAccepted;
    const why = result.kind === "answered" ? `It answered ${result.status}.` : result.message;
    io.err(
      isAccepted
        ? `${forward} accepts webhooks again.\n`
        : `${forward} did not accept a webhook. ${why} It is tried again after a minute, then less and less often.\n`,
    );
  };
}
