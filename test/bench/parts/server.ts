/**
 * The server from its sources instead of the executable: for profiles (`--source --profile`), and to measure a change
 * without building. It takes the same variables as the executable.
 */
import { loadConfig } from "#src/config.ts";
import { createLog } from "#src/log.ts";
import { startServer } from "#src/server.ts";

const log = createLog({
  level: "warn",
  format: "text",
  now: () => Date.now(),
  write: (line) => process.stderr.write(line),
});
const server = await startServer({ config: loadConfig({ env: process.env, places: [] }), log });

process.on("SIGTERM", () => {
  server.stop().then(
    () => process.exit(0),
    () => process.exit(1),
  );
});
