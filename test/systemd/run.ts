/**
 * The released server under a live systemd: `bun run test:systemd`. Three parts: `service`, from a bare Debian to an
 * uninstalled server, `addresses`, what the unit lets it listen on and find out, and `journey`, from a bare Debian over HTTPS and backups off-site to another machine that takes its place;
 * `bun run test:systemd journey` runs one. They print what was run, what it took and what was seen; exit code 1 if something
 * was not as it should be. Requires root, the packages `systemd-container`, `debootstrap`, `iproute2` and `pebble`, Node, and
 * a release in dist/release (`./install.sh release`). `WAXWING_DEBIAN` says where the bare Debian is kept.
 */

import { writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readOptions } from "#test/support/options.ts";
import { prepare } from "./preparation.ts";

/**
 * A part has an internet of its own: a network with nothing but its loopback, in which ports 53, 80 and 443 are free,
 * and a name server that it asks for every name.
 */
function inNetwork(part: string): string[] {
  const names = join(tmpdir(), `waxwing-names-${process.pid}`);
  writeFileSync(names, "nameserver 127.0.0.1\n");
  const enter = `ip link set lo up && mount --bind ${names} /etc/resolv.conf && rm ${names} && exec "$0" "$1"`;
  const program = [process.execPath, join(import.meta.dir, `${part}.ts`)];
  return ["unshare", "--net", "--mount", "sh", "-c", enter, ...program];
}

const parts: Readonly<Record<string, () => string[]>> = {
  service: () => [process.execPath, join(import.meta.dir, "service.ts")],
  addresses: () => inNetwork("addresses"),
  journey: () => inNetwork("journey"),
};
const { positionals: asked } = readOptions(
  {
    call: "bun run test:systemd",
    about: "Runs the released server under a live systemd; takes root and a release.",
    names: { called: "PART", about: "service, addresses or journey; without: all" },
  },
  {},
);
const unknown = asked.filter((name) => parts[name] === undefined);
if (unknown.length > 0) throw new Error(`no part ${unknown.join(", ")}: there are ${Object.keys(parts).join(", ")}`);

await prepare();
for (const [name, command] of Object.entries(parts)) {
  if (asked.length > 0 && !asked.includes(name)) continue;
  console.log(`\n## ${name}`);
  const child = Bun.spawn(command(), { stdin: "ignore", stdout: "inherit", stderr: "inherit" });
  if ((await child.exited) !== 0) process.exitCode = 1;
}
