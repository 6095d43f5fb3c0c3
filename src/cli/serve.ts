/** `waxwing serve`: runs the server until a signal stops it. */
import { rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Config } from "#src/config/config.ts";
import { StorageUnavailable } from "#src/db/failure.ts";
import { createPrivateFile } from "#src/db/files.ts";
import { createSetupLink } from "#src/domain/users/links.ts";
import type { Server } from "#src/server/context.ts";
import { createSupervisor } from "#src/server/systemd.ts";
import { findTrial, runningInode, TrialEnded } from "#src/upgrade/trial.ts";
import { type Command, command } from "./command.ts";
import { linkAddress } from "./console-link.ts";
import type { Context } from "./context.ts";
import { text } from "./option.ts";
import { isCompiled } from "./process.ts";
import { start, stopSignal } from "./running.ts";

/** In the data directory. */
const SETUP_LINK_FILE = "setup-link";

export const listenOption = text(
  "HOST:PORT",
  "Address to listen on; overrides the configuration (default: 127.0.0.1:8080)",
);

/**
 * While there is no active operator, every start creates a link that makes the first operator, and invalidates the
 * previous one. At a terminal the link is printed. Elsewhere standard error ends in a journal or a log that is kept and
 * forwarded, so the link is written to a file that only the service's user and root can read. Returns the file's path.
 */
async function showSetupLink({ io }: Context, config: Config, { store, url }: Server): Promise<string> {
  const file = join(resolve(config.storage.data), SETUP_LINK_FILE);
  rmSync(file, { force: true });
  let address: string;
  try {
    const link = await store.write(createSetupLink);
    if (link === null) return file;
    address = linkAddress(config, link, url);
    if (!io.isErrorTerminal) {
      createPrivateFile(file);
      writeFileSync(file, `${address}\n`);
    }
  } catch (error) {
    if (!(error instanceof StorageUnavailable || isDiskFull(error))) throw error;
    // A server that cannot write still answers, says why, and continues when it can.
    io.err("The console has no users yet, and the link for the first one could not be written: check the disk.\n");
    return file;
  }
  io.err(
    [
      "The console has no users yet. A link creates the first operator; it is valid for 30 minutes:",
      io.isErrorTerminal ? `  ${address}` : `  it is in ${file}`,
      "or, at any time: waxwing user create --email YOU@EXAMPLE.COM --role operator\n",
    ].join("\n"),
  );
  return file;
}

function isDiskFull(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? error.code : null;
  return code === "ENOSPC" || code === "EDQUOT" || code === "EROFS";
}

export const commands: readonly Command[] = [
  command(
    "serve",
    {
      summary: "Run the server until it is stopped",
      details:
        "Creates the database if there is none, and migrates an older one. SIGTERM and Ctrl-C stop the server cleanly; a\nsecond signal stops it at once. SIGHUP reads certificates and log level again.",
    },
    { listen: listenOption },
    async (context, { listen }) => {
      const { io } = context;
      // Installed before the start, so that an early signal is not lost.
      const stopped = stopSignal(io, ["SIGTERM", "SIGINT"]);
      let reload = (): void => undefined;
      io.onSignal(["SIGHUP"], () => reload());
      const config = context.loadConfig({ listen });
      let { level } = config.log;
      const trial = isCompiled() ? findTrial(process.execPath, runningInode()) : null;
      const server = await start(config, io, { logLevel: () => level, trial, stopped }).catch((error) => {
        if (error instanceof TrialEnded) return null;
        throw error;
      });
      if (server === null) return null;
      reload = () => {
        try {
          level = context.loadConfig({ listen, again: true }).log.level;
        } catch (error) {
          io.err(`The configuration is not read again: ${error instanceof Error ? error.message : String(error)}\n`);
        }
        server.reload();
      };
      // One line, for which programs that start a server wait.
      io.out(context.options.json ? `${JSON.stringify({ listening: server.url })}\n` : `listening on ${server.url}\n`);
      const setupLinkFile = await showSetupLink(context, config, server);
      const supervisor = createSupervisor(io.env, io.clock);
      supervisor.ready();
      await stopped;
      supervisor.stopping();
      rmSync(setupLinkFile, { force: true });
      await server.stop();
      return null;
    },
  ),
];
