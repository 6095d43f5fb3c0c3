/**
 * `bun run test:arm64 [EXECUTABLE]`: the executable for arm64 sends messages under emulation, is killed, starts again and
 * makes a sound backup. EXECUTABLE: `dist/release/waxwing-linux-arm64` by default, which
 * `./install.sh release --only linux-arm64` makes. Requires `qemu-user-static` and an arm64 C library
 * (`libc6-arm64-cross libstdc++6-arm64-cross libgcc-s1-arm64-cross`).
 */

import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { type Installation, LABELLED, makeInstallation, type RunningServer } from "#test/support/installation.ts";
import { readOptions } from "#test/support/options.ts";
import { checkout } from "#test/support/source.ts";

const LIBRARIES = "/usr/aarch64-linux-gnu";
const EMULATOR = "qemu-aarch64-static";
const EACH_TIME = 20;
const LIMIT_MS = 60_000;

const { positionals } = readOptions(
  {
    call: "bun run test:arm64",
    about: "Runs the executable for arm64 under emulation.",
    names: { called: "EXECUTABLE", about: "without: dist/release/waxwing-linux-arm64" },
  },
  {},
);
const executable = resolve(positionals[0] ?? join(checkout, "dist/release/waxwing-linux-arm64"));
if (Bun.which(EMULATOR) === null || !existsSync(LIBRARIES)) {
  console.error(`test:arm64: ${EMULATOR} or ${LIBRARIES} is missing
  next: apt-get install qemu-user-static libc6-arm64-cross libstdc++6-arm64-cross libgcc-s1-arm64-cross`);
  process.exit(2);
}
if (!existsSync(executable)) {
  console.error(`test:arm64: there is no ${executable}
  next: ./install.sh release --only linux-arm64`);
  process.exit(2);
}

let failures = 0;
function check(what: string, holds: boolean, seen: unknown = ""): void {
  if (!holds) failures += 1;
  console.log(`${holds ? "ok  " : "FAIL"} ${what}${holds ? "" : `\n     ${JSON.stringify(seen)}`}`);
}

await using installation = await makeInstallation({
  ...{ people: 2 * EACH_TIME, throughput: 80, inDoubtAfter: "10m", isTalkative: true },
  // Without an interpreter registered in the kernel, each process is started by the emulator's name.
  command: [EMULATOR, "-L", LIBRARIES, executable],
});
await installation.setMood({ deliveredShare: 1 });

const version = await installation.command("--version").ended;
check(`waxwing --version: ${version.output.trim().split("\n").join(", ")}`, version.code === 0, version);
const header = Buffer.from(await Bun.file(executable).slice(0, 20).arrayBuffer());
check("the executable is for AArch64 (ELF machine 183)", header.readUInt16LE(18) === 183, header.toString("hex"));

const first = installation.start();
await first.started();
const ids = await sendAll(first, installation, 0);
await first.kill();
const second = installation.start();
await second.started();
ids.push(...(await sendAll(second, installation, EACH_TIME)));
const statuses = await untilDelivered(second, ids);
check(
  `${ids.length} messages are delivered`,
  statuses.every((status) => status === "delivered"),
  statuses,
);
const labels = (await installation.requests()).map(({ label }) => label).toSorted();
check("the network was asked once for each, over a kill -9", new Set(labels).size === ids.length, labels);
check("and never twice", labels.length === ids.length, labels);
const told = (await installation.events()).filter(({ body }) => JSON.parse(body).type === "message.delivered");
check("their events reached the webhook", told.length >= ids.length, told.length);
const backup = await installation.command("backup", join(installation.directory, "copy.db")).ended;
check("a backup beside the server", backup.code === 0, backup);
check("SIGTERM ends it with 0", (await second.stop()) === 0, await second.complaints());
const sound = await installation.command("check", join(installation.directory, "copy.db")).ended;
check("the backup is sound", sound.code === 0, sound);
console.log(failures === 0 ? "all held" : `${failures} did not hold`);
process.exitCode = failures === 0 ? 0 : 1;

async function sendAll(server: RunningServer, { people }: Installation, from: number): Promise<string[]> {
  const made: string[] = [];
  for (const to of people.slice(from, from + EACH_TIME)) {
    const answer = await server.call(
      "POST",
      "/messages",
      { to, template: LABELLED, variables: [`order of ${to}`] },
      to,
    );
    if (answer?.status !== 201) throw new Error(`POST /messages: ${JSON.stringify(answer)}`);
    made.push(answer.body.data.id);
  }
  return made;
}

async function untilDelivered(server: RunningServer, ids: readonly string[]): Promise<string[]> {
  const deadline = performance.now() + LIMIT_MS;
  for (;;) {
    const answers = await Promise.all(ids.map((id) => server.call("GET", `/messages/${id}`)));
    const statuses = answers.map((answer) => String(answer?.body.data?.status));
    if (performance.now() > deadline || statuses.every((status) => status === "delivered")) return statuses;
    await Bun.sleep(200);
  }
}
