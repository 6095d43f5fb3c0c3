/**
 * `waxwing dev`: everything at once to try it out, in a temporary directory that is gone afterwards: a server on the
 * simulated network, a demo workspace, and a receiver that shows the webhooks.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Config, loadConfig } from "#src/config/config.ts";
import { createSetupLink } from "#src/domain/users/links.ts";
import { type Command, command } from "./command.ts";
import { linkAddress } from "./console-link.ts";
import type { Context } from "./context.ts";
import { withDatabase } from "./database.ts";
import { type Demo, writeDemo } from "./dev/demo.ts";
import { startViewer, type Viewer } from "./dev/viewer.ts";
import { devWords } from "./dev/words.ts";
import { UsageError } from "./failure.ts";
import { start, stopSignal } from "./running.ts";
import { listenOption } from "./serve.ts";

export const commands: readonly Command[] = [
  command({
    group: null,
    name: "dev",
    summary: "Try it out: a throwaway server with demo data, on a simulated network",
    needsNoData: true,
    details: "Prints an address, a key and commands to paste. The database is temporary and removed at the end.",
    options: { listen: listenOption },
    run: async (context, { listen }) => {
      const { io, options } = context;
      if (options.data !== undefined) {
        throw new UsageError("dev makes a database of its own and throws it away: leave --data out", "dev");
      }
      const stopped = stopSignal(io, ["SIGTERM", "SIGINT", "SIGHUP"]);
      const data = mkdtempSync(join(tmpdir(), "waxwing-dev-"));
      io.onExit(() => rmSync(data, { recursive: true, force: true }));
      const viewer = startViewer(io.clock);
      try {
        await serveDemo(context, configOf(context, data, listen), viewer, listen !== undefined, stopped);
      } finally {
        await viewer.stop();
      }
      return null;
    },
  }),
];

async function serveDemo(
  context: Context,
  requested: Config,
  viewer: Viewer,
  isListenSet: boolean,
  stopped: Promise<void>,
): Promise<void> {
  const { io, options } = context;
  const { config, note } = isListenSet ? { config: requested, note: null } : onFreePort(requested);
  const demo = await createDemo({ ...context, loadConfig: () => config }, viewer.url);
  viewer.trust(demo.webhookSecret);
  const server = await start(config, io);
  // What listens everywhere is reached here.
  const url = server.url.replace("://0.0.0.0:", "://127.0.0.1:").replace("://[::]:", "://[::1]:");
  const baseUrl = `${url}/api/v1`;
  const { data } = config.storage;
  const setup = await server.store.write(createSetupLink);
  const consoleUrl = setup === null ? `${url}/console` : linkAddress(config, setup, server.url);
  const words = { baseUrl, docsUrl: `${url}/docs`, consoleUrl, viewerUrl: viewer.url, data, demo, note };
  const ready = {
    base_url: baseUrl,
    api_key: demo.key,
    workspace_id: demo.workspaceId,
    number: demo.number,
    webhook_viewer_url: viewer.url,
    webhook_secret: demo.webhookSecret,
    docs_url: words.docsUrl,
    console_url: consoleUrl,
    data,
  };
  if (options.json && note !== null) io.err(`${note}\n`);
  // One line, whoever reads it: a program takes the first one and leaves the server running.
  io.out(options.json ? `${JSON.stringify(ready)}\n` : `${devWords(words)}\n`);
  await stopped;
  await server.stop();
}

/** Only a file that was named counts: the one of an installed service is not meant, nor readable for everybody. */
function configOf({ io, options }: Context, data: string, listen: string | undefined): Config {
  const config = loadConfig({ file: options.config, searchPaths: [], data, listen, env: io.env });
  return {
    ...config,
    secrets: { keyFile: join(data, "waxwing.key") },
    webhooks: { ...config.webhooks, allowHttp: true, allowPrivate: true },
    backup: { ...config.backup, schedule: null },
  };
}

/** The port that is configured, or any other one where it is taken. */
function onFreePort(config: Config): { config: Config; note: string | null } {
  const { listen } = config.server;
  try {
    Bun.listen({ hostname: listen.host, port: listen.port, socket: { data: () => {} } }).stop(true);
    return { config, note: null };
  } catch (error) {
    // Any other reason comes up again, with its explanation, when the server starts.
    if (!(error instanceof Error && "code" in error && error.code === "EADDRINUSE")) return { config, note: null };
    const note = `Port ${listen.port} is taken by another program, so this one listens on a free one.`;
    return { config: { ...config, server: { ...config.server, listen: { ...listen, port: 0 } } }, note };
  }
}

function createDemo(context: Context, viewerUrl: string): Promise<Demo> {
  return withDatabase(context, "create", async (database) => {
    const box = database.box();
    return database.store.write((tx) => writeDemo(tx, box, `${viewerUrl}/webhook`));
  });
}
