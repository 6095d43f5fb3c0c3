/**
 * One round: a scenario of some dozen steps from one seed, checked after each step and repeated exactly by the same
 * seed.
 */
import { credit, setPrice } from "#src/domain/billing/account.ts";
import { resumeManually } from "#src/domain/broadcasts/pause.ts";
import { getBroadcast } from "#src/domain/broadcasts/read.ts";
import { reportLimit } from "#src/domain/numbers/portfolio.ts";
import { getNumber } from "#src/domain/numbers/read.ts";
import { markReady } from "#src/domain/numbers/readiness.ts";
import { decideByName } from "#src/domain/templates/decide.ts";
import { resume, updateWorkspace } from "#src/domain/workspaces/update.ts";
import { RATE, type Step, steps } from "./steps.ts";
import { type Town, templates } from "./town.ts";
import { World } from "./world.ts";

export interface RoundOptions {
  seed: number;
  /** Only steps that concern broadcasts; otherwise all. */
  isOfBroadcasts?: boolean;
}

export interface Told {
  seed: number;
  /** Equal for the same scenario. */
  hash: string;
  turns: number;
  dispatches: number;
  lives: number;
  /** Null: no violation. */
  fault: string | null;
  scenario: readonly string[];
}

const HOUR = 3_600_000;

export function playRound(town: Town, { seed, isOfBroadcasts = false }: RoundOptions): Told {
  const world = new World(town, seed);
  const { scheduler } = world;
  let fault: string | null = null;
  scheduler.hold(() => {
    try {
      play(world, isOfBroadcasts);
    } catch (error) {
      fault =
        error instanceof Error
          ? error.name === "Broken"
            ? error.message
            : (error.stack ?? error.message)
          : String(error);
    } finally {
      world.end();
    }
  });
  const { hash, scenario, lives } = world;
  return { seed, hash, scenario, lives, fault, turns: scheduler.turns, dispatches: world.network.count };
}

function play(world: World, isOfBroadcasts: boolean): void {
  const { random, scheduler } = world;
  world.ensureUp();
  begin(world);
  const all = isOfBroadcasts ? steps.filter((step) => step.isOfBroadcasts) : steps;
  const weighted = all.map((step) => [step.weight, step] as const);
  const count = random.between(30, 60);
  for (let i = 1; i <= count; i++) {
    // While the server is down, little can happen: mostly the scenario continues after its restart.
    if (!world.isUp && random.chance(0.7)) wait(world);
    tell(world, i, random.weighted<Step>(weighted));
    const isThorough = isOfBroadcasts || i % 5 === 0;
    world.check(isThorough);
    pass(world);
    world.check(false);
  }
  world.note("the scenario is over");
  world.ensureUp();
  if (!scheduler.run(30_000)) world.complain("it does not come to rest");
  world.check(true);
  // Rare, and the place where an outage that never ends is seen.
  const isDown = world.look("SELECT 1 FROM network_health WHERE state = 'down'").length > 0;
  // A clock that was set back makes everything last longer by as much.
  if (random.chance(isDown ? 0.5 : 0.06) && !scheduler.wasSetBack) comeToRest(world);
}

/** Sets what differs between shops. */
function begin(world: World): void {
  const { random, town } = world;
  const balance = random.pick([null, null, 4, 200, 200]);
  world.isCharged = balance !== null;
  if (balance !== null) {
    world.command((tx) => {
      setPrice(tx, town.workspaceId, "USD", RATE);
      credit(tx, town.workspaceId, { amount: balance * RATE, note: null, ref: null });
    });
  }
  world.network.weather = random.pick(["fair", "mixed", "fair", "mixed", "strange"]);
  world.scheduler.run(1_000);
}

function tell(world: World, number: number, step: Step): void {
  const words = step.run(world);
  world.note(`step ${number}: ${words}`);
}

function wait(world: World): void {
  const limit = world.scheduler.elapsed() + 14 * HOUR;
  while (!world.isUp && world.scheduler.turn(limit));
}

/** Between two steps: nothing, a moment, or until nothing is due. */
function pass(world: World): void {
  const { random, scheduler } = world;
  const turns = random.weighted([
    [2, 0],
    [4, random.between(1, 12)],
    [3, random.between(12, 60)],
  ]);
  const until = scheduler.elapsed() + random.pick([5, 60, 2_000]);
  for (let i = 0; i < turns && scheduler.turn(until); i++);
}

/**
 * `[broadcasts] settle_after`. A broadcast whose quiet hours end late in the last pass has sent less than this long ago,
 * and rightly waits for reports.
 */
const SETTLE_AFTER_MS = HOUR;

/** Removes every blocker and resumes everything: then all work must finish. */
function comeToRest(world: World): void {
  const { town, scheduler } = world;
  world.network.weather = "fair";
  world.receiver.mood = "takes";
  world.note("everything is repaired");
  for (let i = 0; i < 3; i++) {
    world.command((tx) => {
      resume(tx, town.workspaceId);
      markReady(tx, town.number.id);
      updateWorkspace(tx, town.workspaceId, { dailyCap: null });
      reportLimit(tx, getNumber(tx, town.number.id), "unlimited");
      for (const name of templates) decideByName(tx, town.workspaceId, name, "en_US", "APPROVED", null);
      if (world.isCharged) credit(tx, town.workspaceId, { amount: 10_000 * RATE, note: null, ref: null });
    });
    // Those that the network has paused continue by themselves once it is well.
    for (const { id } of world.look("SELECT id FROM broadcasts WHERE status = 'paused' AND pause_cause <> 'network'")) {
      world.command((tx) => resumeManually(tx, getBroadcast(tx, Number(id))));
    }
    if (!scheduler.run(1.3 * HOUR)) world.complain("it does not come to rest");
    world.check(true);
  }
  const open = world.look(`SELECT b.id, b.status, b.pause_cause, b.waits_until, f.* FROM broadcasts b
    JOIN broadcast_counters f ON f.broadcast_id = b.id
    WHERE (b.status NOT IN ('paused', 'scheduled') OR b.pause_cause = 'network') AND f.settled_at IS NULL AND b.waits_for IS NOT 'quiet_hours'
      AND coalesce(f.last_sent_at, 0) <= ${scheduler.now() - SETTLE_AFTER_MS}`);
  if (open.length > 0) world.complain(`broadcasts that do not end: ${JSON.stringify(open)}`);
  const stuck = world.look(
    "SELECT id, status FROM messages WHERE broadcast_id IS NULL AND status IN ('queued', 'sending')",
  );
  if (stuck.length > 0) world.complain(`messages that do not end: ${JSON.stringify(stuck)}`);
  const late = world.look(
    `SELECT subject, due_at FROM outbox WHERE kind = 'send_message' AND due_at < ${scheduler.now() - HOUR}`,
  );
  if (late.length > 0) world.complain(`scheduled messages that are not sent: ${JSON.stringify(late)}`);
}
