/**
 * Every kind of critical condition, provoked for real on executables: `bun run test:alarms`. None is told on a quiet day;
 * then each is told once when it begins, again each day, and once when it is over. The wall clock is moved by a library
 * that is preloaded; five minutes of a stuck queue pass in real time. About ten minutes; Linux, root, a C compiler.
 */

import { readOptions } from "#test/support/options.ts";
import { evaluateDashboards } from "./prometheus.ts";
import { type CriticalKind, type InstanceName, provocations } from "./provocations.ts";
import { makeWorld, type World } from "./world.ts";

const { values: options } = readOptions(
  {
    call: "bun run test:alarms",
    about: "Provokes every critical condition on executables; takes a quarter of an hour and root.",
  },
  {
    only: { type: "string", value: "KINDS", about: "these conditions, with commas between them" },
    "without-quiet-day": { type: "boolean", default: false, about: "begins at once" },
  },
);

const SECOND_MS = 1_000;
const HOUR_MS = 60 * 60 * SECOND_MS;
const DAY_MS = 24 * HOUR_MS;
/** An evaluation each half minute, a flicker of half a minute, and time on a busy machine. */
const TOLD_WITHIN_MS = 150 * SECOND_MS;
const STUCK_WITHIN_MS = 480 * SECOND_MS;

let failures = 0;
function check(what: string, holds: boolean, seen: unknown = ""): void {
  if (!holds) failures += 1;
  console.log(`${holds ? "ok  " : "FAIL"} ${what}${holds ? "" : `\n     ${JSON.stringify(seen)}`}`);
}

const kindOf = (id: string): string => id.split(":")[0] ?? id;

function told(world: World, name: InstanceName, kind: string): string[] {
  return world.machine
    .alarms(name)
    .filter(({ id, severity }) => kindOf(id) === kind && severity === "critical")
    .map(({ state }) => state);
}

async function until(what: string, holds: () => boolean, limitMs: number): Promise<boolean> {
  const deadline = performance.now() + limitMs;
  while (!holds()) {
    if (performance.now() > deadline) {
      check(what, false);
      return false;
    }
    await Bun.sleep(500);
  }
  return true;
}

await using world = await makeWorld();
const { machine, shop, remote } = world;

/** To the backup of a night that is at least this far away: the schedule is read at a start. */
async function night(minMs = DAY_MS): Promise<void> {
  const from = machine.now() + minMs;
  const atBackup = Math.floor(from / DAY_MS) * DAY_MS + 2.5 * HOUR_MS - 10 * SECOND_MS;
  for (const one of [shop, remote]) await one.kill();
  machine.advance((atBackup >= from ? atBackup : atBackup + DAY_MS) - machine.now());
  for (const one of [shop, remote]) await one.start();
  await Bun.sleep(25 * SECOND_MS);
}

const startedAt = performance.now();
const say = (text: string) => console.log(`\n# ${text} (${Math.round((performance.now() - startedAt) / 1000)} s)`);

say("A quiet day");
const isShort = options["without-quiet-day"];
if (!isShort) await night(0);
for (let step = 0; step < (isShort ? 0 : 3); step += 1) {
  machine.advance(6 * HOUR_MS);
  await Bun.sleep(12 * SECOND_MS);
}
await Bun.sleep((isShort ? 5 : 60) * SECOND_MS);
// Where backups are turned off, that is said.
const quiet = (["shop", "disk", "tls", "remote"] as const).flatMap((name) =>
  machine.alarms(name).filter(({ id }) => id !== "backup_off"),
);
check("no alarm on a quiet day", quiet.length === 0, quiet);

/** What only the nights cause: a backup that fails, and one that grows old. */
const AT_NIGHT: readonly CriticalKind[] = ["backup_failed"];
const AFTER_TWO_NIGHTS: readonly CriticalKind[] = ["backup_old", "remote_backup_old"];

function without(kinds: readonly CriticalKind[], ...others: (readonly CriticalKind[])[]): CriticalKind[] {
  return kinds.filter((kind) => !others.flat().includes(kind));
}

async function untilBegun(kinds: readonly CriticalKind[]): Promise<void> {
  for (const kind of kinds) {
    const limit = kind === "queue_stuck" ? STUCK_WITHIN_MS : TOLD_WITHIN_MS;
    await until(`${kind} begins`, () => told(world, provocations[kind].instance, kind).length > 0, limit);
  }
}

async function provoke(kinds: readonly CriticalKind[]): Promise<void> {
  for (const kind of kinds) await provocations[kind].begin(world);
  await untilBegun(without(kinds, AT_NIGHT, AFTER_TWO_NIGHTS));
}

async function nextDay(kinds: readonly CriticalKind[]): Promise<void> {
  const before = new Map(kinds.map((kind) => [kind, told(world, provocations[kind].instance, kind).length]));
  await night();
  for (const kind of kinds) await provocations[kind].again?.(world);
  for (const kind of kinds) {
    const { instance } = provocations[kind];
    const count = before.get(kind) ?? 0;
    await until(`${kind} is told again after a day`, () => told(world, instance, kind).length > count, TOLD_WITHIN_MS);
  }
}

async function mend(kinds: readonly CriticalKind[]): Promise<void> {
  for (const kind of kinds) await provocations[kind].end(world);
  if (kinds.includes("backup_failed")) await night();
  for (const kind of kinds) {
    const { instance } = provocations[kind];
    await until(`${kind} is over`, () => told(world, instance, kind).at(-1) === "over", TOLD_WITHIN_MS);
  }
}

// In the order in which they are written: some need what others stop.
const only = options.only?.split(",");
const all = (Object.keys(provocations) as CriticalKind[]).filter((kind) => only?.includes(kind) ?? true);
const first = all.filter((kind) => provocations[kind].isLater !== true);
const later = all.filter((kind) => provocations[kind].isLater === true);
say(`Provoked together: ${first.join(", ")}`);
await provoke(first);
say("The next nights");
await nextDay(without(first, AT_NIGHT, AFTER_TWO_NIGHTS));
await untilBegun(first.filter((kind) => AT_NIGHT.includes(kind)));
await nextDay(without(first, AFTER_TWO_NIGHTS));
// Before the next night, or it would only begin then, and not be told again.
await untilBegun(first.filter((kind) => AFTER_TWO_NIGHTS.includes(kind)));
await nextDay(first);
if (process.env.WITHOUT_PROMETHEUS === undefined) {
  say("Rules and dashboard, in a Prometheus that scraped these servers");
  for (const [what, holds, seen] of await evaluateDashboards(world, Math.min(first.length, 10)))
    check(what, holds, seen);
}
say("Mended");
await mend(first);
say(`Provoked together: ${later.join(", ")}`);
await provoke(later);
await nextDay(later);
await mend(later);

say("What was told");
for (const kind of all) {
  const { instance } = provocations[kind];
  const ids = new Set(
    machine
      .alarms(instance)
      .filter(({ id, severity }) => kindOf(id) === kind && severity === "critical")
      .map(({ id }) => id),
  );
  for (const id of ids) {
    const states = machine
      .alarms(instance)
      .filter((one) => one.id === id)
      .map(({ state }) => state);
    check(`${id}: ${states.join(", ")}`, /^began( continues)+ over$/.test(states.join(" ")), states);
  }
  check(`${kind} was provoked`, ids.size > 0);
}
console.log(failures === 0 ? "\nall is as it should be" : `\n${failures} checks failed`);
process.exitCode = failures === 0 ? 0 : 1;
