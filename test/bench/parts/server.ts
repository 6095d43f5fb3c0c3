/**
 * The server from its sources instead of the executable: for profiles (`--source --profile`), and to measure a change
 * without a build. It reads the same variables as the executable.
 */
import { loadConfig } from "#src/config/config.ts";
import { type Clock, systemClock } from "#src/core/clock.ts";
import { createLog } from "#src/core/log.ts";
import { startServer } from "#src/server/server.ts";

const log = createLog({
  level: "warn",
  format: "text",
  now: () => Date.now(),
  write: (line) => process.stderr.write(line),
});
/**
 * Timers of ten minutes or more fire after at most this many milliseconds, so that a benchmark does not wait for
 * housekeeping.
 */
const hurryMs = Number(process.env.BENCH_HURRY_MS ?? Number.POSITIVE_INFINITY);
const TEN_MINUTES_MS = 600_000;
const clock: Clock = {
  ...systemClock,
  setTimer: (delayMs, fire) =>
    systemClock.setTimer(delayMs >= TEN_MINUTES_MS ? Math.min(delayMs, hurryMs) : delayMs, fire),
};
const server = await startServer({ config: loadConfig({ env: process.env, searchPaths: [] }), log, clock });

process.on("SIGTERM", () => {
  server.stop().then(
    () => process.exit(0),
    () => process.exit(1),
  );
});
