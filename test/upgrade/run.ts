/**
 * Twenty upgrades forward and back while customers send, on real executables:
 *
 *   bun run test:upgrade
 *
 * Five lead to a build that does not start, one has a failing migration. Then the command is killed at each step of more,
 * and the server with it. Whatever happens, a server runs afterwards, every message that was answered with 201 is stored, and the network
 * has read it exactly once.
 */

import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openClient } from "#src/db/driver.ts";
import { migrations } from "#src/db/migrations.ts";
import { inodeOf } from "#src/upgrade/journal.ts";
import { readOptions } from "#test/support/options.ts";
import {
  buildVariant,
  makeSite,
  processesOf,
  type Site,
  type Traffic,
  until,
  type Variant,
  writeRelease,
} from "#test/support/upgrades.ts";

readOptions(
  { call: "bun run test:upgrade", about: "Upgrades real executables forward and back while customers send." },
  {},
);

const MORE =
  "ALTER TABLE contacts ADD COLUMN shoe_size INTEGER;\nCREATE TABLE shoes (id INTEGER PRIMARY KEY) STRICT;\n";
const EVEN_MORE = "CREATE TABLE socks (id INTEGER PRIMARY KEY) STRICT;\n";
const FAILING = "INSERT INTO socks (id) VALUES (1);\n";

const latest = migrations.length;
const LIST_END = "\n];\n";

/** Migrations after those of this checkout. */
function withMigrations(...texts: string[]): Pick<Variant, "changes" | "files"> {
  const numbers = texts.map((_, index) => latest + index + 1);
  const imports = numbers
    .map((n) => `import more${n} from "../../migrations/${n}.sql" with { type: "text" };`)
    .join("\n");
  const entries = numbers.map((n) => `{ version: ${n}, name: "more", sql: more${n} }`).join(", ");
  return {
    changes: [
      ["src/db/migrations.ts", "import initial", `${imports}\nimport initial`],
      ["src/db/migrations.ts", LIST_END, `\n  ${entries},${LIST_END}`],
    ],
    files: Object.fromEntries(texts.map((text, index) => [`migrations/${latest + index + 1}.sql`, text])),
  };
}

const crash = [
  "src/server/server.ts",
  "options.beforeListening?.();",
  'throw new Error("this build does not start");',
] as const;
const earlyCrash = [
  "src/cli/serve.ts",
  "const trial = isCompiled()",
  "if (isCompiled()) process.exit(3);\nconst trial = isCompiled()",
] as const;

const variants: (Variant & { schema: number })[] = [
  { version: "0.2.0", schema: latest },
  { version: "0.3.0", schema: latest + 1, ...withMigrations(MORE) },
  { version: "0.5.0", schema: latest + 1, ...withMigrations(MORE) },
  // Migrates, is declared ready, and ends.
  { version: "0.9.0", schema: latest + 2, ...join2(withMigrations(MORE, EVEN_MORE), crash) },
  // Ends at once.
  { version: "0.9.1", schema: latest + 1, ...join2(withMigrations(MORE), earlyCrash) },
  { version: "0.9.2", schema: latest + 2, ...withMigrations(MORE, FAILING) },
];

function join2(
  one: Pick<Variant, "changes" | "files">,
  change: readonly [string, string, string],
): Pick<Variant, "changes" | "files"> {
  return { ...one, changes: [...(one.changes ?? []), change] };
}

const workshop = mkdtempSync(join(tmpdir(), "waxwing-upgrades-"));
let problems = 0;

function expectThat(what: string, holds: boolean, detail: unknown = ""): void {
  if (!holds) problems++;
  console.log(`${holds ? "ok  " : "FAIL"} ${what}${holds ? "" : ` ${JSON.stringify(detail)}`}`);
}

try {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  const keyFile = join(workshop, "key.pem");
  writeFileSync(keyFile, publicKey.export({ type: "spki", format: "pem" }));
  const first = await buildVariant(workshop, { version: "0.1.0" });
  for (const variant of variants) {
    const executable = await buildVariant(workshop, variant);
    writeRelease(join(workshop, variant.version), { ...variant, executable, key: privateKey });
    rmSync(executable);
    console.log(`built ${variant.version}`);
  }
  for (const isSupervised of [true, false]) {
    console.log(isSupervised ? "-- supervised" : "-- supervised by nothing");
    await using site = await makeSite({ executable: first, isSupervised });
    await runAll(site, keyFile, isSupervised);
  }
} finally {
  rmSync(workshop, { recursive: true, force: true });
}
console.log(problems === 0 ? "all held" : `${problems} did not hold`);
process.exit(problems === 0 ? 0 : 1);

async function runAll(site: Site, keyFile: string, isSupervised: boolean): Promise<void> {
  const traffic = site.startTraffic();
  let number = 0;
  const from = (version: string): string[] => [
    "--from",
    join(workshop, version),
    "--public-key",
    keyFile,
    "--ready-within",
    "8",
  ];
  const upgrade = async (words: string[], wanted: string, code: string | null): Promise<void> => {
    number++;
    const before = traffic.count();
    const startedAt = performance.now();
    const { answer, text } = await site.run("upgrade", ...words).ended;
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
    const found = (answer.error as { code?: string } | undefined)?.code ?? null;
    await until("a server is ready", async () => (await site.version()) !== null);
    const version = await site.version();
    const what = `${number}. ${words[0] === "back" ? "back" : words[1]?.split("/").at(-1)} → ${version}, ${code ?? "done"}, ${seconds} s`;
    expectThat(what, found === code && version === wanted, { text, version });
    await until("messages continue", () => traffic.count() > before + 20);
  };
  await upgrade(from("0.2.0"), "0.2.0", null);
  await upgrade(["back"], "0.1.0", null);
  await upgrade(from("0.2.0"), "0.2.0", null);
  await upgrade(from("0.9.1"), "0.2.0", "undone");
  await upgrade(["back"], "0.1.0", null);
  await upgrade(from("0.3.0"), "0.3.0", null);
  // Another schema: the kept database is restored, and newer rows are merged into it.
  await upgrade(["back"], "0.1.0", null);
  await upgrade(from("0.3.0"), "0.3.0", null);
  await upgrade(from("0.9.0"), "0.3.0", "undone");
  await upgrade(from("0.9.2"), "0.3.0", "try_failed");
  await upgrade(from("0.5.0"), "0.5.0", null);
  await upgrade(["back"], "0.3.0", null);
  await upgrade(from("0.9.1"), "0.3.0", "undone");
  await upgrade(from("0.5.0"), "0.5.0", null);
  await upgrade(from("0.9.0"), "0.5.0", "undone");
  await upgrade(from("0.2.0"), "0.5.0", "downgrade");
  await upgrade(["back"], "0.3.0", null);
  await upgrade(from("0.9.0"), "0.3.0", "undone");
  await upgrade(from("0.5.0"), "0.5.0", null);
  await upgrade(["back"], "0.3.0", null);
  await killEverywhere(site, traffic, from, isSupervised);
  await site.run("upgrade", ...from("0.5.0")).ended;
  expectThat(`${await site.version()} runs in the end`, (await site.version()) === "0.5.0");
  const { sent, other, longestSilenceMs } = await traffic.stop();
  const seen = Map.groupBy(await site.installation.requests(), ({ label }) => label);
  const twice = [...seen.entries()].filter(([, requests]) => requests.length > 1).map(([label]) => label);
  const lost = sent.filter((label) => !seen.has(label));
  expectThat(`${sent.length} messages answered with 201, each sent once`, lost.length + twice.length === 0, {
    lost,
    twice,
  });
  const client = openClient(join(site.installation.data, "waxwing.db"), { readonly: true, fileMustExist: true });
  const stored = new Set(client.prepare("SELECT idempotency_key FROM messages WHERE status <> 'failed'").pluck().all());
  client.close();
  const missing = sent.filter((label) => !stored.has(label));
  expectThat("each of them is stored", missing.length === 0, missing.slice(0, 5));
  // Where the server itself is killed in the middle of a request, its outcome is unknown, and the answer says so.
  const unexplained = other.filter(({ body }) => !isSupervised || !body.includes('"whatsapp_code":"interrupted"'));
  const others = `other answers: ${other.length}, of which unexplained: ${unexplained.length}`;
  expectThat(others, unexplained.length === 0, unexplained.slice(0, 3));
  const checked = await site.run("check").ended;
  expectThat("waxwing check finds nothing", checked.code === 0, checked.text);
  console.log(`     longest time without an answer: ${longestSilenceMs} ms`);
  if (problems > 0) console.log(site.log().slice(-4000));
}

/**
 * Kills the command at each of its steps, and then the server, as a machine that loses its power would: of an upgrade that
 * would succeed, of two whose build does not start, and of the way back with a restore.
 */
async function killEverywhere(
  site: Site,
  traffic: Traffic,
  from: (version: string) => string[],
  isSupervised: boolean,
): Promise<void> {
  const facts = (): { nonce?: string; newInode?: string } => readJson(`${site.executable}.upgrade/journal.json`);
  const phase = (): string => readText(`${site.executable}.upgrade/phase`).trim();
  const report = (): { nonce?: string; state?: string } => readJson(join(site.installation.data, "waxwing.db.upgrade"));
  const isReported = (state: string): boolean => report().nonce === facts().nonce && report().state === state;
  const points: Record<string, () => boolean> = {
    "the journal is written": () => phase() === "trial",
    "the executable is swapped": () => phase() === "trial" && inodeOf(site.executable) === facts().newInode,
    "the new one starts": () => phase() === "trial" && isReported("starting"),
    "the new one is ready": () => phase() === "trial" && isReported("ready"),
    "it is declared ready": () => phase() === "go",
    "it is live": () => isReported("live"),
    "the old one is put back": () => phase() === "undo",
    "servers leave the database alone": () => phase() === "back" && isReported("holding"),
  };
  // Without a supervisor, nothing starts a server again that is killed.
  const builds = isSupervised ? ["0.5.0", "0.9.0", "0.9.1"] : ["0.5.0"];
  for (const version of [...builds, "back"]) {
    for (const [point, isReached] of Object.entries(points)) {
      for (const killsServer of isSupervised ? [false, true] : [false]) {
        const words = version === "back" ? ["back"] : from(version);
        // Something to go back to.
        await site.run("upgrade", ...from(version === "back" ? "0.3.0" : "0.2.0")).ended;
        if (version === "0.5.0" && (await site.version()) === "0.5.0") await site.run("upgrade", "back").ended;
        const former = facts().nonce;
        const running = site.run("upgrade", ...words);
        let isOver = false;
        void running.ended.then(() => {
          isOver = true;
        });
        while (!isOver && (facts().nonce === former || !isReached())) await Bun.sleep(1);
        if (isOver) {
          const { text } = await running.ended;
          // Not every upgrade passes every point.
          console.log(`     ${version} has no moment when ${point}: ${text.slice(0, 100).trim()}`);
          continue;
        }
        running.kill();
        if (killsServer) for (const pid of processesOf(site.executable)) process.kill(pid, "SIGKILL");
        const before = traffic.count();
        const startedAt = performance.now();
        await until("messages continue", () => traffic.count() > before + 20, { limitMs: 120_000 }).catch((error) =>
          console.log(error),
        );
        const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
        const answering = await site.version();
        const what = `${version} killed when ${point}${killsServer ? ", and the server" : ""}: ${answering} runs, after ${seconds} s`;
        expectThat(what, answering !== null && !["0.9.0", "0.9.1"].includes(answering));
      }
    }
  }
  // What the last one left is brought to its end by the next.
  const { answer } = await site.run("upgrade", ...from("0.5.0")).ended;
  const isThere = (await site.version()) === "0.5.0";
  expectThat("the next upgrade goes through", isThere, answer);
  if (isThere) await site.run("upgrade", "back").ended;
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

function readJson(path: string): Record<string, string> {
  try {
    return JSON.parse(readText(path)) as Record<string, string>;
  } catch {
    return {};
  }
}
