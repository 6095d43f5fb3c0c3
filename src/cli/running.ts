/** Runs a server until it is asked to stop: starts it, with helpful messages if that fails, and handles signals. */

import { UpgradeFailed } from "#src/backup/upgrade.ts";
import type { Config } from "#src/config/config.ts";
import { placeOf, SettingUnusable } from "#src/config/unusable.ts";
import { createLog, type Log, type LogLevel } from "#src/core/log.ts";
import { LogTail } from "#src/core/log-tail.ts";
import { bracketed } from "#src/core/plain-address.ts";
import { isStorageFailure } from "#src/db/failure.ts";
import { LockHeld } from "#src/db/lock.ts";
import type { Server, ServerOptions } from "#src/server/context.ts";
import type { Trial } from "#src/upgrade/trial.ts";
import type { Io, Signal } from "./context.ts";
import { CommandFailure, describeError } from "./failure.ts";
import { describeForeign, findForeign } from "./owner.ts";

/** The exit codes of a program ended by a signal, by the shell's convention. */
const EXIT_CODES: Readonly<Record<Signal, number>> = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 };

/**
 * Resolves at the first of the signals, even if it arrived before the promise was awaited. A second signal ends the
 * process immediately.
 */
export function stopSignal(io: Io, signals: readonly Signal[]): Promise<void> {
  return new Promise((resolve) => {
    let isFirst = true;
    io.onSignal(signals, (signal) => {
      if (!isFirst) io.exit(EXIT_CODES[signal]);
      isFirst = false;
      resolve();
    });
  });
}

/** Aborted at the first signal, of the usual ones. */
export function abortAtSignal(io: Io): AbortSignal {
  const stopping = new AbortController();
  void stopSignal(io, ["SIGTERM", "SIGINT", "SIGHUP"]).then(() => stopping.abort());
  return stopping.signal;
}

interface StartOptions extends Pick<ServerOptions, "acceptsTestKeys" | "startsAt" | "explorerKey"> {
  /** Asked for each entry; the configured one by default. */
  logLevel?: () => LogLevel;
  /** The executable is part of an upgrade that is not over. */
  trial?: Trial | null;
  /** Resolves when a signal stops the server; needed for a trial, in which the server waits. */
  stopped?: Promise<void>;
}

/** Starts the server, or throws a `CommandFailure` that explains why it cannot start. */
export async function start(
  config: Config,
  io: Io,
  { logLevel = () => config.log.level, trial = null, stopped, ...options }: StartOptions,
): Promise<Server> {
  const { startServer } = await import("#src/server/server.ts");
  const { RealNumberPresent } = await import("#src/server/control.ts");
  // The log writes to stderr its own way: unlike a command's output, a slow reader of the log must never block the
  // server.
  const logTail = new LogTail();
  const log = createLog({ ...config.log, level: logLevel, now: () => io.clock.now(), keep: logTail.keep });
  try {
    if (trial !== null) await passTrial(trial, { config, log, io, stopped });
    const beforeListening = (): void => trial?.goLive();
    return await startServer({ ...options, config, log, logTail, random: io.random, beforeListening });
  } catch (error) {
    if (error instanceof LockHeld) {
      throw new CommandFailure(
        "already_running",
        `another server already runs on the database ${config.storage.path}`,
        "stop that server, or use another database with --data DIR",
      );
    }
    if (error instanceof RealNumberPresent) {
      throw new CommandFailure(
        "control_refused",
        `test control is on ([simulator] control), and ${error.message}`,
        "switch it off, or use a database without a number on WhatsApp",
      );
    }
    const foreign = describeForeignFiles(error, config);
    if (foreign !== null) throw foreign;
    if (error instanceof SettingUnusable) throw describeSetting(error, config);
    if (error instanceof UpgradeFailed) throw new CommandFailure("upgrade_failed", error.message);
    throw describeListenError(error, config) ?? error;
  }
}

function passTrial(
  trial: Trial,
  { config, log, io, stopped }: { config: Config; log: Log; io: Io; stopped: Promise<void> | undefined },
): Promise<void> {
  const stopping = new AbortController();
  void stopped?.then(() => stopping.abort());
  return trial.pass({ config, log, clock: io.clock, random: io.random, stopping: stopping.signal });
}

/** Files of the database that another user has made; null if the error does not concern the database, or there are none. */
function describeForeignFiles(error: unknown, config: Config): CommandFailure | null {
  const [uid, gid] = [process.getuid?.() ?? 0, process.getgid?.() ?? 0];
  const isMeant = isStorageFailure(error instanceof SettingUnusable ? error.cause : error);
  const foreign = isMeant && uid !== 0 ? findForeign(config.storage.path, uid) : [];
  if (foreign.length === 0) return null;
  const [says, command] = describeForeign(foreign, { uid, gid });
  return new CommandFailure("unavailable", `${placeOf(config, "storage.path")}: ${says}`, command);
}

/** What is wrong is said as for any command, behind the place of the value that is to be corrected. */
function describeSetting({ key, message, next, cause }: SettingUnusable, config: Config): CommandFailure {
  const described = cause === undefined ? { code: "setting_unusable", message, next } : describeError(cause);
  return new CommandFailure(described.code, `${placeOf(config, key)}: ${described.message}`, described.next);
}

/** Null if the error does not concern the listen address. */
function describeListenError(error: unknown, config: Config): CommandFailure | null {
  if (!(error instanceof Error && "code" in error && "syscall" in error && error.syscall === "listen")) return null;
  const { host, port } = config.server.listen;
  const address = `${bracketed(host)}:${port}`;
  const place = placeOf(config, "server.listen");
  switch (error.code) {
    case "EADDRINUSE":
      return new CommandFailure(
        "address_in_use",
        `${place}: another program already listens on ${address}`,
        "stop that program, or choose another address with --listen HOST:PORT",
      );
    case "EACCES":
      return new CommandFailure(
        "address_refused",
        `${place}: this user may not listen on ${address}`,
        "choose a port above 1023 with --listen HOST:PORT, or let the service use lower ones (docs/operations.md, TLS)",
      );
    case "EADDRNOTAVAIL":
    // The runtime's errors if a name cannot be resolved.
    case "EINVAL":
    case "ENOENT":
      return new CommandFailure(
        "address_refused",
        `${place}: ${address} is not an address of this machine`,
        "choose one with --listen HOST:PORT, such as 127.0.0.1:8080",
      );
    default:
      return new CommandFailure(
        "address_refused",
        `${place}: ${address} cannot be listened on (${error.code})`,
        "choose another address with --listen HOST:PORT",
      );
  }
}
