/** `waxwing serve`: the server, until it is told to stop. */
import { type Command, command } from "./command.ts";
import { start, stopSignal } from "./running.ts";

export const listenOption = {
  kind: "text",
  value: "HOST:PORT",
  says: "Where to listen, before what the configuration says (default: 127.0.0.1:8080)",
} as const;

export const commands: readonly Command[] = [
  command({
    group: null,
    name: "serve",
    summary: "Run the server until it is stopped",
    details:
      "It makes the database where there is none, and brings an older one up to date. SIGTERM and Ctrl-C stop it\ncleanly; a second one stops it at once.",
    options: { listen: listenOption },
    run: async (context, { listen }) => {
      const { io } = context;
      // Before the start, so that a signal during it is not lost. No SIGHUP: under nohup a server outlives its terminal.
      const stopped = stopSignal(io, ["SIGTERM", "SIGINT"]);
      const server = await start(context.loadConfig({ listen }), io);
      // The same line with --json: whoever starts a server waits for it.
      io.out(`listening on ${server.url}\n`);
      await stopped;
      await server.stop();
      return null;
    },
  }),
];
