/** `upgrade back` restores while the server ends: a lock that it still holds for a moment is waited for. */
import { expect, test } from "bun:test";
import { CommandFailure } from "#src/cli/failure.ts";
import { whileLocked } from "#src/cli/upgrade-context.ts";
import { systemClock } from "#src/core/clock.ts";

const locked = () => new CommandFailure("locked", "a server runs on this database", null);

/** A clock that does not wait. */
function quickClock() {
  let now = 0;
  return {
    ...systemClock,
    monotonic: () => now,
    setTimer(ms: number, call: () => void) {
      now += ms;
      return systemClock.setTimer(0, call);
    },
  };
}

test("what is locked is tried again, for ten seconds; any other failure is told at once", async () => {
  const clock = quickClock();
  let tries = 0;
  const attempt = async (freeAfter: number, failure = locked()): Promise<number> => {
    tries += 1;
    if (tries <= freeAfter) throw failure;
    return tries;
  };
  expect(await whileLocked(clock, () => attempt(3))).toBe(4);

  tries = 0;
  const begun = clock.monotonic();
  await expect(whileLocked(clock, () => attempt(1_000_000))).rejects.toThrow("a server runs");
  expect(clock.monotonic() - begun).toBe(10_000);

  tries = 0;
  await expect(whileLocked(clock, () => attempt(2, new CommandFailure("gap", "newer rows", null)))).rejects.toThrow(
    "newer",
  );
  expect(tries).toBe(1);
});
