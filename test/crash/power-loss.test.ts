/**
 * Repeated power cuts under mixed load: the process is killed, its files are cut back to what had been fsynced by then,
 * and the server starts from those, while the network, the receiver and the callers remember everything. Short form: 3
 * cuts from source. Full form (`bun run test:crash`): 50 cuts of the executable.
 */
import { expect, test } from "bun:test";
import { type Audit, audit, untilAtRest } from "#test/support/audit.ts";
import { isFull, program, roundsOf } from "#test/support/crash-form.ts";
import { makeInstallation } from "#test/support/installation.ts";
import { noInterposer } from "#test/support/interposer.ts";
import { MixedLoad } from "#test/support/mixed-load.ts";
import { Disk, makeRecorder } from "#test/support/power-loss.ts";

const cuts = roundsOf(50, 3);
/** In two runs of three the load reaches its full rate before the cut. */
const WARM = 8;
const WITHIN_MS = isFull ? 1_500 : 350;
const because = noInterposer === null ? "" : ` (skipped: ${noInterposer})`;

interface Scenario {
  cuts: number;
  isForgetful: boolean;
}

interface Told extends Audit {
  wrong: string[];
  syncs: number;
  unsynced: number;
}

/**
 * Alternates load and power cuts; then the callers retry everything that is unanswered, and the audit compares all
 * sides.
 */
async function live(scenario: Scenario): Promise<Told> {
  using waxwing = await program();
  using recorder = makeRecorder();
  const { command } = waxwing;
  const env: Record<string, string> = {};
  const options = { people: 1, throughput: 300, command, inDoubtAfter: "700ms", isTalkative: true, env };
  await using installation = await makeInstallation(options);
  Object.assign(env, recorder.env(installation.data));
  const disk = new Disk(installation.data, recorder);
  // Commands would write as a second process, whose records could not be ordered among the server's.
  const load = new MixedLoad(installation, { hasCommands: false });
  let syncs = 0;
  let unsynced = 0;
  let startMs = 0;
  for (let cut = 0; cut < scenario.cuts; cut++) {
    disk.remember();
    const server = installation.start();
    const begunAt = performance.now();
    if (cut % 5 === 4) await Bun.sleep(Math.random() * startMs);
    else {
      await server.started();
      startMs = performance.now() - begunAt;
      load.begin(server);
      if (cut % 3 !== 0) await load.answered(WARM);
      await Bun.sleep(Math.random() * WITHIN_MS);
      // A forgetful disk is detected only if something was acknowledged.
      while (scenario.isForgetful && load.ledger.inbounds.size === 0) await Bun.sleep(5);
    }
    await server.kill();
    await load.pause();
    const mayKeep = () => cut % 2 === 1 && Math.random() < 0.5;
    const found = disk.cutPower({ mayKeep, isForgetful: scenario.isForgetful });
    syncs += found.syncs;
    unsynced += found.unsynced;
  }
  const server = installation.start();
  await load.close(server);
  await untilAtRest(installation);
  expect(await server.stop()).toBe(0);
  const checked = await installation.command("check").ended;
  expect(checked).toMatchObject({ code: 0 });
  return { ...(await audit(installation, load.ledger)), wrong: load.ledger.wrong, syncs, unsynced };
}

test.skipIf(noInterposer !== null)(
  `after any number of power cuts every acknowledged write is there, and no recipient gets two messages${because}`,
  async () => {
    const { wrong, lost, doubled, counters: measurements, syncs, unsynced } = await live({ cuts, isForgetful: false });
    expect({ wrong, lost, doubled }).toEqual({ wrong: [], lost: [], doubled: [] });
    // Otherwise the recorder saw no writes, and the test shows nothing.
    expect(syncs).toBeGreaterThan(cuts);
    console.log(
      `${cuts} power cuts: ${syncs} syncs, ${unsynced} changes not yet synced; ${measurements.acknowledged} acknowledgements, ` +
        `${lost.length} lost; ${measurements.requests} sends, ${doubled.length} doubles; ${measurements.doubtful} in doubt to the end`,
    );
  },
  60_000 + cuts * 5_000,
);

test.skipIf(noInterposer !== null)(
  `a disk that reports a sync and forgets it is detected${because}`,
  async () => {
    const { lost } = await live({ cuts: 1, isForgetful: true });
    expect(lost.length).toBeGreaterThan(0);
  },
  60_000,
);
