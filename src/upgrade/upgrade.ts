/**
 * Replaces the executable of an installation: tries the new one on a copy of the database, keeps the old one, swaps,
 * restarts, and waits until the new one is ready. If it is not, executable and database are put back. Each step is on disk
 * before it has an effect, so that a killed command leaves a running server and nothing is lost.
 */
import { existsSync, rmSync } from "node:fs";
import { type Clock, sleep } from "#src/core/clock.ts";
import { databaseFiles } from "#src/db/files.ts";
import { claimCommand, writeGuard } from "./guard.ts";
import { inodeOf, type Journal, type UpgradeFacts } from "./journal.ts";
import { findLockHolder, runsFile, type Service } from "./restart.ts";
import { readReport, type ServerReport } from "./server-report.ts";

/** The new executable was not ready; the old one runs again. */
export class UpgradeUndone extends Error {
  override readonly name = "UpgradeUndone";
}

/** Neither executable is known to run. */
export class UndoFailed extends Error {
  override readonly name = "UndoFailed";
}

/** Another upgrade command is running. */
export class UpgradeRunning extends Error {
  override readonly name = "UpgradeRunning";
}

export interface UpgradeContext {
  journal: Journal;
  database: string;
  /** Null: no server runs, so the executable is only replaced. */
  service: Service | null;
  clock: Clock;
  newNonce: () => string;
  /** For people: called before each step. */
  onStep: (step: string) => void;
  /** How long a new executable may take to become ready, beside what its migration took on the copy. */
  readyLimitMs: number;
}

/** The executable that is to be in place. */
export interface Target {
  /** Writes it to this path, which does not exist. */
  place(path: string): Promise<void>;
  /** Runs it there: on a copy of the database, and for its version. Throws if it must not be installed. */
  tryOut(path: string): Promise<{ version: string; durationMs: number }>;
}

export interface UpgradeResult {
  from: string;
  to: string;
  /** The database before it was migrated; null if it was not. */
  keptDatabase: string | null;
  /** Whether a server was running, and so the new executable is known to run. */
  wasRunning: boolean;
}

const BEAT_MS = 500;
const POLL_MS = 50;
/** The old server finishes what is in flight, and the old executable was running a moment ago. */
const RESTORE_LIMIT_MS = 90_000;

export async function upgradeExecutable(context: UpgradeContext, from: string, target: Target): Promise<UpgradeResult> {
  return exclusively(context, async () => {
    const { journal, service, onStep } = context;
    onStep("taking the new executable");
    rmSync(journal.fresh, { force: true });
    await target.place(journal.fresh);
    onStep("trying it on a copy of the database");
    const tried = await target.tryOut(journal.fresh);
    const facts = makeFacts(context, from, tried.version);
    if (service !== null) return await runTrial(context, service, facts, context.readyLimitMs + 3 * tried.durationMs);
    onStep("replacing the executable");
    return replaceStopped(journal, facts);
  });
}

/**
 * Goes back to an executable with an older schema: while the servers leave the database alone, `restore` replaces it by
 * the one that was kept; then the executable is replaced as in every upgrade.
 */
export async function restoreAndUpgrade(
  context: UpgradeContext,
  from: string,
  target: Target,
  restore: () => Promise<void>,
): Promise<UpgradeResult> {
  return exclusively(context, async () => {
    const { journal, service, onStep, database, clock } = context;
    rmSync(journal.fresh, { force: true });
    await target.place(journal.fresh);
    if (service !== null) {
      const holding = makeFacts(context, from, from);
      journal.setFacts(holding);
      journal.setPhase("back");
      onStep(`restarting the server: it answers 503 from now on (${service.description})`);
      await service.restart();
      const reason = await waitFor(context, service, holding, ["holding"], context.readyLimitMs);
      await waitForLock(database, clock);
      if (reason !== null) return giveUp(context, reason);
    }
    onStep("restoring the database that was kept");
    try {
      await restore();
    } catch (error) {
      if (service !== null) journal.setPhase("undone");
      throw error;
    }
    const tried = await target.tryOut(journal.fresh);
    const facts = makeFacts(context, from, tried.version);
    if (service !== null) return await runTrial(context, service, facts, context.readyLimitMs);
    return replaceStopped(journal, facts);
  });
}

/** No server runs, so nothing can be said of whether the new executable does. */
function replaceStopped(journal: Journal, { from, to }: UpgradeFacts): UpgradeResult {
  journal.keepOld();
  journal.swapIn(journal.fresh);
  journal.setLast({ from, to, keptDatabase: null });
  journal.sweep(true);
  return { from, to, keptDatabase: null, wasRunning: false };
}

/** Brings an upgrade to its end whose command was killed. */
export async function endInterrupted(context: UpgradeContext): Promise<void> {
  await exclusively(context, async () => undefined);
}

/** The server that held continues as it is. */
function giveUp({ journal }: UpgradeContext, reason: string): never {
  journal.setPhase("undone");
  throw new UpgradeUndone(`the server did not stop using the database: ${reason}`);
}

async function waitForLock(database: string, clock: Clock): Promise<void> {
  const { serverLock } = databaseFiles(database);
  const until = clock.monotonic() + RESTORE_LIMIT_MS;
  while (findLockHolder(serverLock) !== null && clock.monotonic() < until) await sleep(clock, POLL_MS);
}

/** One command at a time; what a killed one left is brought to its end first. */
async function exclusively<T>(context: UpgradeContext, work: () => Promise<T>): Promise<T> {
  const { journal, clock } = context;
  journal.create();
  if (!claimCommand(journal)) throw new UpgradeRunning("another upgrade is running");
  journal.beat();
  let isOver = false;
  const beat = (): void => {
    if (isOver) return;
    journal.beat();
    clock.setTimer(BEAT_MS, beat);
  };
  beat();
  try {
    await finishInterrupted(context);
    return await work();
  } finally {
    isOver = true;
    const phase = journal.phase();
    if (phase === null || phase === "done" || phase === "undone") {
      journal.sweep(false);
      journal.endCommand();
    }
  }
}

function makeFacts({ journal, database, newNonce }: UpgradeContext, from: string, to: string): UpgradeFacts {
  const [oldInode, newInode] = [inodeOf(journal.executable), inodeOf(journal.fresh)];
  return { nonce: newNonce(), from, to, oldInode, newInode, database };
}

async function runTrial(
  context: UpgradeContext,
  service: Service,
  facts: UpgradeFacts,
  limitMs: number,
): Promise<UpgradeResult> {
  const { journal, onStep } = context;
  journal.keepOld();
  journal.setFacts(facts);
  writeGuard(journal, facts);
  journal.setPhase("trial");
  onStep("replacing the executable; the old one is kept");
  journal.swapIn(journal.fresh);
  const reason = await startNew(context, service, facts, limitMs);
  if (reason !== null && !(await undo(context, service, facts, reason))) {
    throw new UpgradeUndone(`the new executable was not ready: ${reason}`);
  }
  return finish(context, facts);
}

/** Null once it is live; otherwise why it is not. */
async function startNew(
  context: UpgradeContext,
  service: Service,
  facts: UpgradeFacts,
  limitMs: number,
): Promise<string | null> {
  const { journal, onStep } = context;
  onStep(`restarting the server (${service.description})`);
  try {
    await service.restart();
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  onStep("waiting until the new one is ready; it answers 503 until then");
  const reason = await waitFor(context, service, facts, ["ready", "live"], limitMs);
  if (reason !== null) return reason;
  journal.setPhase("go");
  return waitFor(context, service, facts, ["live"], limitMs);
}

/** Puts both back. True: it had gone live in the last moment, so it stays. Throws `UndoFailed`. */
async function undo(context: UpgradeContext, service: Service, facts: UpgradeFacts, reason: string): Promise<boolean> {
  const { journal, onStep, database } = context;
  onStep(`the new executable is not ready (${reason}); putting the old one back`);
  journal.setPhase("undo");
  if (readReport(database, facts.nonce)?.state === "live") return true;
  if (inodeOf(journal.executable) !== facts.oldInode) journal.swapIn(journal.old);
  const failure = await restartOld(context, service, facts);
  if (failure !== null) {
    throw new UndoFailed(
      `the new executable was not ready (${reason}), and the old one, put back, did not start: ${failure}`,
    );
  }
  journal.setPhase("undone");
  return false;
}

async function restartOld(context: UpgradeContext, service: Service, facts: UpgradeFacts): Promise<string | null> {
  // A supervisor starts the old one automatically if the new one has just ended, and there is nothing to restart.
  const refusal = await service.restart().then(
    () => null,
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
  const running = findLockHolder(databaseFiles(context.database).serverLock);
  // Nothing could be restarted: not the new one before either, so the old one has been running all the time.
  if (refusal !== null && running !== null && runsFile(running, facts.oldInode)) return null;
  const reason = await waitFor(context, service, facts, ["restored"], RESTORE_LIMIT_MS);
  return reason !== null && refusal !== null ? `${reason}; ${refusal}` : reason;
}

function finish({ journal, database }: UpgradeContext, { nonce, from, to }: UpgradeFacts): UpgradeResult {
  const keptDatabase = readReport(database, nonce)?.keptDatabase ?? null;
  journal.setLast({ from, to, keptDatabase });
  journal.setPhase("done");
  journal.sweep(true);
  return { from, to, keptDatabase, wasRunning: true };
}

/** Null once the server reports one of these states; otherwise why it will not. */
async function waitFor(
  { database, clock }: UpgradeContext,
  service: Service,
  { nonce }: UpgradeFacts,
  states: readonly ServerReport["state"][],
  limitMs: number,
): Promise<string | null> {
  const until = clock.monotonic() + limitMs;
  const starting = new Set<number>();
  while (clock.monotonic() < until) {
    const report = readReport(database, nonce);
    if (report !== null && states.includes(report.state)) return null;
    if (report?.state === "failed" && !states.includes("restored")) return report.message ?? "it failed";
    if (report?.state === "starting") starting.add(report.pid);
    const failure = service.failure();
    // The report may be newer than the look at it.
    if (failure !== null && !states.some((state) => readReport(database, nonce)?.state === state)) return failure;
    if (starting.size > 1) return "it ended and was started again";
    await sleep(clock, POLL_MS);
  }
  return `it was not ready within ${Math.round(limitMs / 1000)} s`;
}

/** Brings an upgrade to its end whose command was killed: one that is live stays, any other is undone. */
async function finishInterrupted(context: UpgradeContext): Promise<void> {
  const { journal, database, service, onStep } = context;
  const [phase, facts] = [journal.phase(), journal.facts()];
  if (phase === "done") journal.sweep(true);
  if (phase === null || phase === "done" || phase === "undone" || facts === null) return;
  if (readReport(database, facts.nonce)?.state === "live") {
    onStep(`an upgrade to ${facts.to} was interrupted after it had succeeded`);
    if (inodeOf(journal.executable) !== facts.newInode && existsSync(journal.fresh)) journal.swapIn(journal.fresh);
    finish(context, facts);
    return;
  }
  onStep(`an upgrade to ${facts.to} was interrupted; undoing it`);
  const isInPlace = inodeOf(journal.executable) === facts.oldInode;
  if (phase === "back" || isInPlace) return journal.setPhase("undone");
  if (service === null) {
    if (existsSync(journal.old)) journal.swapIn(journal.old);
    // Its next start puts the database back.
    return journal.setPhase("undo");
  }
  if (await undo(context, service, facts, "its command was killed")) finish(context, facts);
}
