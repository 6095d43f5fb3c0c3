/**
 * The load that unauthenticated clients put on the server: `bun run bench:strangers [--seconds N] [--only TEXT]`. Runs
 * each attack on a fresh executable, and reports the growth of its memory and how long a signed callback and `GET /me`
 * took meanwhile.
 */

import { readOptions } from "#test/support/options.ts";
import { attacks, besiege } from "#test/support/strangers.ts";

const { values } = readOptions(
  { call: "bun run bench:strangers", about: "Measures the load of unauthenticated clients." },
  {
    seconds: { type: "string", default: "8", about: "how long each attack lasts" },
    only: { type: "string", default: "", value: "TEXT", about: "attacks whose name contains this" },
  },
);

for (const [name, strangers] of Object.entries(attacks)) {
  if (!name.includes(values.only)) continue;
  await using server = await besiege();
  for (let count = 0; count < 20; count++) await Promise.all([server.read(), server.signedCallback(2_000)]);
  console.log(name, JSON.stringify(await server.attack(strangers, Number(values.seconds) * 1_000)));
}
