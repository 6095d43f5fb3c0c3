/**
 * The server's part of an upgrade, before it opens the database for good. The new executable migrates the database,
 * listens, answers 503 to everything, and waits until the upgrade command declares it ready. The old one, put back, puts
 * its database back first. Without an unfinished upgrade none of this runs.
 */

import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { reading } from "#src/backup/database-file.ts";
import { requireNotMoved } from "#src/backup/move/original.ts";
import { upgradeDatabase } from "#src/backup/upgrade.ts";
import type { Config } from "#src/config/config.ts";
import { hasTls, readTls } from "#src/config/tls.ts";
import { type Clock, sleep } from "#src/core/clock.ts";
import { newInstanceId } from "#src/core/id.ts";
import type { Log } from "#src/core/log.ts";
import type { Random } from "#src/core/random.ts";
import { serveHttp } from "#src/core/serve-http.ts";
import { version } from "#src/core/version.ts";
import { readFileIdentity } from "#src/db/file-identity.ts";
import { databaseFiles } from "#src/db/files.ts";
import { type Lock, LockHeld, lockExclusively } from "#src/db/lock.ts";
import { schemaVersion } from "#src/db/migrate.ts";
import { migrations } from "#src/db/migrations.ts";
import { inodeOf, Journal, type Phase, type UpgradeFacts } from "./journal.ts";
import { putBackDatabase } from "./put-back.ts";
import { readReport, type ServerReport, writeReport } from "./server-report.ts";

/** How long a server waits for the previous one to end, which finishes what is in flight. */
const LOCK_LIMIT_MS = 60_000;
/** A command that did not show itself for this long is gone; a new server that is ready then goes live without it. */
const COMMAND_LIMIT_MS = 15_000;
const POLL_MS = 50;
const RETRY_AFTER_SECONDS = 2;

interface TrialOptions {
  config: Config;
  log: Log;
  clock: Clock;
  random: Random;
  /** Aborted when the server is told to stop. */
  stopping: AbortSignal;
}

/** The server was told to stop during the trial, or its upgrade was undone. */
export class TrialEnded extends Error {
  override readonly name = "TrialEnded";
}

export interface Trial {
  /** Does everything that precedes the start of the server. Throws `TrialEnded`. */
  pass(options: TrialOptions): Promise<void>;
  /** The last moment before anything is accepted or sent. Throws `TrialEnded` if the upgrade is undone instead. */
  goLive(): void;
}

/** Null unless this executable belongs to an upgrade that is not over. */
export function findTrial(executable: string, ownInode: string): Trial | null {
  const journal = new Journal(executable);
  const phase = journal.phase();
  const facts = journal.facts();
  if (phase === null || facts === null || phase === "done" || phase === "undone") return null;
  if (phase === "back") return new Holding(journal, facts);
  // Live already: from here on it is a server like any other, although the command was killed before it noted that.
  if (readReport(facts.database, facts.nonce)?.state === "live") return null;
  if (ownInode === facts.newInode) return new NewServer(journal, facts);
  return phase === "undo" && ownInode === facts.oldInode ? new OldServer(journal, facts) : null;
}

/** Of the file that this process runs, which may no longer have a name. */
export function runningInode(): string {
  return inodeOf(process.platform === "linux" ? "/proc/self/exe" : process.execPath);
}

abstract class Participant {
  protected readonly journal: Journal;
  protected readonly facts: UpgradeFacts;
  #keptDatabase: string | null = null;

  constructor(journal: Journal, facts: UpgradeFacts) {
    this.journal = journal;
    this.facts = facts;
    this.#keptDatabase = readReport(facts.database, facts.nonce)?.keptDatabase ?? null;
  }

  protected get keptDatabase(): string | null {
    return this.#keptDatabase;
  }

  protected report(state: ServerReport["state"], more: { keptDatabase?: string; message?: string } = {}): void {
    this.#keptDatabase = more.keptDatabase ?? this.#keptDatabase;
    const { nonce, database } = this.facts;
    const keptDatabase = this.#keptDatabase;
    writeReport(database, { nonce, state, pid: process.pid, version, keptDatabase, message: more.message ?? null });
  }

  /** Until the journal leaves these phases, or the command is gone. Returns the phase then. */
  protected async waitWhile(waits: readonly Phase[], { clock, stopping }: TrialOptions): Promise<Phase | null> {
    let beat = this.journal.lastBeat();
    // A command that was killed before this start is not waited for as long again.
    let beatAt = clock.monotonic() - Math.max(0, clock.now() - beat);
    for (;;) {
      const phase = this.journal.phase();
      if (phase === null || !waits.includes(phase)) return phase;
      if (stopping.aborted) throw new TrialEnded("stopped during an upgrade");
      const found = this.journal.lastBeat();
      if (found !== beat) {
        beat = found;
        beatAt = clock.monotonic();
      }
      if (clock.monotonic() - beatAt > COMMAND_LIMIT_MS) return phase;
      await sleep(clock, POLL_MS);
    }
  }
}

class NewServer extends Participant implements Trial {
  #isAbandoned = false;

  async pass(options: TrialOptions): Promise<void> {
    const { config, log, clock, random, stopping } = options;
    const files = databaseFiles(config.storage.path);
    const lock = await waitForLock(files.serverLock, clock, stopping);
    try {
      requireNotMoved(files.database);
      this.report("starting");
      upgradeDatabase(files, {
        now: clock.now(),
        newInstanceId: () => newInstanceId(random),
        readFileIdentity,
        onStep: (step) => log.info("database.migrating", step),
        onKept: (kept) => this.report("starting", { keptDatabase: resolve(kept) }),
      });
      const stopAnswering = answerUnavailable(config);
      try {
        this.report("ready");
        log.info("upgrade.trial", "Ready; waiting for the upgrade to declare this executable ready");
        const phase = await this.waitWhile(["trial", "undo"], options);
        this.#isAbandoned = phase === "undo";
        // The start that follows this end puts the old executable back, and that one its database.
        if (this.#isAbandoned && this.keptDatabase !== null) throw new TrialEnded("the upgrade was undone");
      } finally {
        stopAnswering();
      }
    } catch (error) {
      if (!(error instanceof TrialEnded)) {
        this.report("failed", { message: error instanceof Error ? error.message : String(error) });
      }
      throw error;
    } finally {
      lock.release();
    }
  }

  goLive(): void {
    this.report("live");
    // The command writes "undo" first and reads this report then; here it is the other way round. One of them sees the
    // other, so an upgrade is never both live and undone.
    // A command that was killed while it undid the upgrade undoes nothing; on the same schema both executables are right.
    if (this.journal.phase() !== "undo" || this.#isAbandoned) return;
    this.report("failed", { message: "the upgrade was undone" });
    throw new TrialEnded("the upgrade was undone");
  }
}

class OldServer extends Participant implements Trial {
  async pass({ config, log, clock, stopping }: TrialOptions): Promise<void> {
    const files = databaseFiles(config.storage.path);
    const lock = await waitForLock(files.serverLock, clock, stopping);
    try {
      const known = migrations.at(-1)?.version ?? 0;
      if (!existsSync(files.database) || reading(files.database, schemaVersion) <= known || this.keptDatabase === null)
        return;
      putBackDatabase(files, this.keptDatabase, known);
      log.warn("upgrade.database_put_back", "The upgrade was undone; the database before it is in use again");
    } finally {
      lock.release();
    }
  }

  goLive(): void {
    this.report("restored");
  }
}

/** Another database is being restored: this server opens nothing until that is over. */
class Holding extends Participant implements Trial {
  async pass(options: TrialOptions): Promise<void> {
    const stopAnswering = answerUnavailable(options.config);
    try {
      this.report("holding");
      // The older executable is tried next; only the start after that one decides what happens to the database.
      await this.waitWhile(["back", "trial", "go"], options);
    } finally {
      stopAnswering();
    }
  }

  goLive(): void {}
}

async function waitForLock(path: string, clock: Clock, stopping: AbortSignal): Promise<Lock> {
  const until = clock.monotonic() + LOCK_LIMIT_MS;
  for (;;) {
    try {
      return lockExclusively(path);
    } catch (error) {
      if (!(error instanceof LockHeld) || clock.monotonic() > until) throw error;
      if (stopping.aborted) throw new TrialEnded("stopped while the server before it was still running");
      await sleep(clock, POLL_MS);
    }
  }
}

/** Of a request that gets 503 whatever it holds. */
const BODY_BYTES_MAX = 1024 * 1024;

/** Answers every request with 503, as the API does when its storage cannot be written. */
function answerUnavailable(config: Config): () => void {
  const { host, port } = config.server.listen;
  const tls = readTls(config.server);
  // A certificate that the server fetched itself is in the database, which is not open yet: no answer instead of 503.
  if (tls === null && hasTls(config.server)) return () => undefined;
  const error = {
    code: "unavailable",
    message: "The server is being upgraded.",
    outcome: "not_sent",
    retryable: true,
    retry_key: "same",
  };
  const server = serveHttp({
    hostname: host,
    port,
    bodyBytesMax: BODY_BYTES_MAX,
    fetch: ({ url }) =>
      new URL(url).pathname === "/healthz"
        ? new Response("ok\n")
        : Response.json({ error }, { status: 503, headers: { "retry-after": String(RETRY_AFTER_SECONDS) } }),
    ...(tls === null ? {} : { tls }),
  });
  return () => void server.stop(true);
}
