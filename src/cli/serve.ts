/** `waxwing serve`: runs the server until it is told to stop. */
import type { Config } from "#src/config/config.ts";
import { createSetupLink } from "#src/domain/users/links.ts";
import type { Server } from "#src/server/context.ts";
import { type Command, command } from "./command.ts";
import { linkAddress } from "./console-link.ts";
import type { Context } from "./context.ts";
import { start, stopSignal } from "./running.ts";

export const listenOption = {
  kind: "text",
  value: "HOST:PORT",
  description: "Address to listen on; overrides the configuration (default: 127.0.0.1:8080)",
} as const;

/**
 * While there is no active operator, every start prints a link that creates the first operator and invalidates the
 * previous link. The link is printed directly and not logged, because logs are stored and forwarded.
 */
async function showSetupLink({ io }: Context, config: Config, { store, url }: Server): Promise<void> {
  const link = await store.write(createSetupLink);
  if (link === null) return;
  io.err(
    [
      "The console has no users yet. This link creates the first operator; it is valid for 30 minutes:",
      `  ${linkAddress(config, link, url)}`,
      "or, at any time: waxwing user create --email YOU@EXAMPLE.COM --role operator\n",
    ].join("\n"),
  );
}

export const commands: readonly Command[] = [
  command({
    group: null,
    name: "serve",
    summary: "Run the server until it is stopped",
    details:
      "Creates the database if there is none, and migrates an older one. SIGTERM and Ctrl-C stop the server cleanly; a\nsecond signal stops it at once.",
    options: { listen: listenOption },
    run: async (context, { listen }) => {
      const { io } = context;
      // Installed before the start, so that an early signal is not lost. SIGHUP is not handled: under nohup, a server
      // outlives its terminal.
      const stopped = stopSignal(io, ["SIGTERM", "SIGINT"]);
      const config = context.loadConfig({ listen });
      const server = await start(config, io);
      // The same line with --json: programs that start a server wait for it.
      io.out(`listening on ${server.url}\n`);
      await showSetupLink(context, config, server);
      await stopped;
      await server.stop();
      return null;
    },
  }),
];
