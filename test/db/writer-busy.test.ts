/** A write that another process's transaction holds up continues in real time, whatever clock the server runs on. */
import { expect, test } from "bun:test";
import { systemClock } from "#src/core/clock.ts";
import { openClient } from "#src/db/driver.ts";
import { openTestDatabase, standingClock } from "../support/database.ts";

test("a write waits for another process's transaction, also where a test has stopped the clock", async () => {
  const stopped = { ...standingClock, setTimer: () => ({ cancel: () => undefined }) };
  await using at = openTestDatabase({
    schema: "CREATE TABLE notes (text TEXT)",
    clock: stopped,
    lockClock: systemClock,
  });
  const other = openClient(at.path, { timeout: 5_000 });
  other.exec("BEGIN IMMEDIATE");
  const written = at.store.write((tx) => tx.db.$client.prepare("INSERT INTO notes VALUES ('a')").run().changes);
  await Bun.sleep(20);
  other.exec("COMMIT");
  other.close();
  expect(await written).toBe(1);
});
