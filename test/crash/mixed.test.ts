/**
 * Everything at once on a server that is killed repeatedly: sends with and without keys, broadcasts, inbound messages,
 * statuses, webhooks, contacts, imports and payments by the command line. A ledger records what was acknowledged
 * outside; in the end all of it is there, once. Short form: 6 kills from source. Full form (`bun run test:crash`): 200
 * kills of the executable, with the measurements on stdout.
 */
import { expect, test } from "bun:test";
import { audit, untilAtRest } from "#test/support/audit.ts";
import { isFull, program, roundsOf } from "#test/support/crash-form.ts";
import { type Installation, makeInstallation } from "#test/support/installation.ts";
import { MixedLoad } from "#test/support/mixed-load.ts";

const kills = roundsOf(200, 6);
/** In two runs of three the load reaches its full rate before the kill. */
const WARM = 8;
const WITHIN_MS = isFull ? 1_500 : 350;
const CHECKED_EVERY = isFull ? 10 : 6;
const LIMIT_MS = 60_000 + kills * 5_000;

test(
  "everything acknowledged under mixed load is there after any number of kills, and nothing happened twice",
  async () => {
    using waxwing = await program();
    const { command } = waxwing;
    const options = { people: 1, throughput: 300, command, inDoubtAfter: "700ms", isTalkative: true };
    await using installation = await makeInstallation(options);
    const load = new MixedLoad(installation, { hasCommands: true });
    const startedAt = performance.now();
    let checks = 0;
    let startMs = 0;
    for (let kill = 0; kill < kills; kill++) {
      const server = installation.start();
      const begunAt = performance.now();
      const isEarly = kill % 5 === 4;
      if (isEarly) await Bun.sleep(Math.random() * startMs);
      else {
        await server.started();
        startMs = performance.now() - begunAt;
        load.begin(server);
        if (kill % 3 !== 0) await load.answered(WARM);
        await Bun.sleep(Math.random() * WITHIN_MS);
      }
      await server.kill();
      await load.pause();
      if (kill % CHECKED_EVERY !== 0) continue;
      await check(installation);
      checks += 1;
    }
    const server = installation.start();
    await server.started();
    await load.close(server);
    await untilAtRest(installation);
    await check(installation);
    expect(await server.stop()).toBe(0);

    const { lost, doubled, counters: measurements } = await audit(installation, load.ledger);
    expect({ wrong: load.ledger.wrong, lost, doubled }).toEqual({ wrong: [], lost: [], doubled: [] });
    expect(measurements.requests).toBeGreaterThan(kills);
    console.log(
      `${kills} kills under mixed load, ${checks + 1} checks, ${((performance.now() - startedAt) / 1000).toFixed(0)} s: ` +
        `${measurements.acknowledged} acknowledgements, ${lost.length} lost; ${measurements.requests} sends, ${doubled.length} doubles; ` +
        `${measurements.delivered} delivered, ${measurements.doubtful} in doubt to the end; ${measurements.events} events, all received`,
    );
  },
  LIMIT_MS,
);

async function check(installation: Installation): Promise<void> {
  const { code, output } = await installation.command("check").ended;
  expect({ code, output: code === 0 ? "" : output }).toEqual({ code: 0, output: "" });
}
