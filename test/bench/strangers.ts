/**
 * What strangers on the port take from the server: `bun run bench:strangers [--seconds N] [--only TEXT]`. Every attack on a fresh
 * executable, with what its memory grew by and how long a signed callback and `GET /me` waited meanwhile.
 */
import { parseArgs } from "node:util";
import { attacks, besiege } from "#test/support/strangers.ts";

const { values } = parseArgs({
  options: { seconds: { type: "string", default: "8" }, only: { type: "string", default: "" } },
});

for (const [name, strangers] of Object.entries(attacks)) {
  if (!name.includes(values.only)) continue;
  await using server = await besiege();
  for (let count = 0; count < 20; count++) await Promise.all([server.read(), server.signedCallback(2_000)]);
  console.log(name, JSON.stringify(await server.attack(strangers, Number(values.seconds) * 1_000)));
}
