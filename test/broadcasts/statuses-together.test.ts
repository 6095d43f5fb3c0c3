/**
 * Statuses come by the thousand in one body and are applied together. Whatever they say and however they are packed,
 * the result is the same as one by one, and a status that cannot be applied does not affect the others.
 */
import { describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import {
  charged,
  countersOf,
  HOUR,
  notice,
  phones,
  RATE,
  rowsOf,
  run,
  type Scenario,
  show,
  startScenario,
} from "#test/support/broadcast-scenarios.ts";
import { networkIdOf } from "#test/support/fake-network.ts";
import { type ReportedStatus, reportStatus } from "#test/support/report.ts";
import { rows } from "#test/support/whatsapp.ts";

const PEOPLE = 12;
const NAMES = ["sent", "delivered", "read", "failed"] as const;
const CODES = [131026, 131000, 132000];

/** Depends only on the seed and the index. */
function chosen(seed: string, index: number, count: number): number {
  return createHash("sha256").update(`${seed} ${index}`).digest().readUInt32BE(0) % count;
}

function randomStatuses(scenario: Scenario, seed: string, count: number): ReportedStatus[] {
  return Array.from({ length: count }, (_, index) => {
    const outbound = scenario.network.sent[chosen(`${seed} who`, index, scenario.network.sent.length)];
    if (outbound === undefined) throw new Error("no recipient was sent to");
    return {
      id: networkIdOf(outbound),
      sendToken: outbound.sendToken,
      status: NAMES[chosen(`${seed} what`, index, NAMES.length)] ?? "sent",
      code: CODES[chosen(`${seed} code`, index, CODES.length)] ?? 131026,
    };
  });
}

/** Everything that statuses change, without ids and send tokens. */
function state(scenario: Scenario, id: number): unknown {
  const { lastSentAt: _time, ...counters } = countersOf(scenario, id);
  return {
    counters: counters,
    rows: rowsOf(scenario, id).map(({ toPhone, status, money, errorCode }) => ({ toPhone, status, money, errorCode })),
    account: rows(scenario.app.store, "SELECT credited, held, charged FROM billing_accounts"),
    // One by one, the broadcast may settle in between, which books the same money in more entries.
    booked: rows(scenario.app.store, "SELECT sum(amount) FROM ledger_entries WHERE kind = 'charge'"),
  };
}

async function play(seed: string, bodySize: number, settled: boolean): Promise<unknown> {
  await using scenario = await startScenario(charged);
  const id = await run(scenario, notice(phones(PEOPLE)));
  expect(scenario.network.sent).toHaveLength(PEOPLE);
  // After the settlement every late delivery is booked separately.
  if (settled) await scenario.app.clock.advance(2 * HOUR);
  const statuses = randomStatuses(scenario, seed, 60);
  for (let from = 0; from < statuses.length; from += bodySize) {
    await reportStatus(scenario.app, scenario.shop, ...statuses.slice(from, from + bodySize));
  }
  expectCounted(scenario, id);
  return state(scenario, id);
}

/** The counters match the rows, so that both ways cannot be wrong alike. */
function expectCounted(scenario: Scenario, id: number): void {
  const { sent, delivered, read, failed } = countersOf(scenario, id);
  const statuses = rowsOf(scenario, id).map(({ status }) => status);
  const count = (...of: string[]): number => statuses.filter((status) => of.includes(status)).length;
  expect({ sent, delivered, read, failed }).toEqual({
    sent: count("sent", "delivered", "read"),
    delivered: count("delivered", "read"),
    read: count("read"),
    failed: count("failed"),
  });
}

describe("sixty statuses in any order have the same result in one body as in sixty", () => {
  for (const seed of ["a", "b"]) {
    test(`seed ${seed}, while the broadcast is running`, async () => {
      expect(await play(seed, 60, false)).toEqual(await play(seed, 1, false));
    });
  }
  test("after the broadcast was settled", async () => {
    const together = (await play("d", 60, true)) as { counters: { charged: number; settledAt: number | null } };
    expect(together.counters.settledAt).not.toBeNull();
    expect(together.counters.charged).toBeGreaterThanOrEqual(RATE);
    expect(together).toEqual((await play("d", 1, true)) as typeof together);
  });
});

test("a status that cannot be applied is recorded, and every other status of its body counts once", async () => {
  await using scenario = await startScenario(charged, { expectedErrors: /event=callback\.item_failed / });
  const { app, network, shop } = scenario;
  const id = await run(scenario, notice(phones(PEOPLE)));
  const [first] = rowsOf(scenario, id);
  app.store.client.exec(
    `CREATE TRIGGER broken BEFORE UPDATE ON messages WHEN NEW.id = ${first?.id} BEGIN SELECT RAISE(ABORT, 'broken on purpose'); END`,
  );
  const all = network.sent.map((outbound) => ({ id: networkIdOf(outbound), sendToken: outbound.sendToken }));
  await reportStatus(app, shop, ...all.map((one) => ({ ...one, status: "delivered" as const })));
  expect((await show(scenario, id)).counts).toMatchObject({ sent: PEOPLE, delivered: PEOPLE - 1 });
  expect(countersOf(scenario, id).charged).toBe((PEOPLE - 1) * RATE);
  const [{ note } = { note: "" }] = rows<{ note: string }>(
    app.store,
    "SELECT note FROM callbacks WHERE note IS NOT NULL",
  );
  expect(note).toBe("unhandled: failed: broken on purpose");
  app.store.client.exec("DROP TRIGGER broken");
  await reportStatus(app, shop, ...all.map((one) => ({ ...one, status: "delivered" as const })));
  expect((await show(scenario, id)).counts).toMatchObject({ sent: PEOPLE, delivered: PEOPLE });
  expect(countersOf(scenario, id).charged).toBe(PEOPLE * RATE);
});
