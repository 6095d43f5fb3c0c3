/**
 * Resets under test control: `bun run bench:reset [--rounds N] [--messages N] [--executable FILE]`. A `waxwing dev` with
 * two workspaces. In each round the first one is used as a test would use it, and is then brought back; so is the whole
 * server in turns of its own. Repeated with N messages in the other workspace, and with N/20 in its own. For each: wall time, the time
 * that the server ran on a processor, the time that it and this program waited for one, and the wall time without these
 * waits: the last is what a machine with a free processor shows.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { readOptions } from "#test/support/options.ts";
import { checkout } from "#test/support/source.ts";
import { machineText } from "./report.ts";

const { values: options } = readOptions(
  { call: "bun run bench:reset", about: "Measures how long test control takes to reset a workspace, and the server." },
  {
    rounds: { type: "string", default: "200", about: "how many resets of each kind" },
    messages: { type: "string", default: "40000", about: "messages in the other workspace" },
    executable: { type: "string", value: "FILE", about: "measures this one instead of the sources" },
  },
);
const ROUNDS = Number(options.rounds);
const MESSAGES = Number(options.messages);
/** Share of the messages that a test makes in its own workspace, where it makes many. */
const OWN_SHARE = 1 / 20;
const PART = 1_000;
const program =
  options.executable === undefined ? [process.execPath, join(checkout, "src/main.ts")] : [resolve(options.executable)];

const directory = mkdtempSync(join(tmpdir(), "waxwing-bench-reset-"));
const workspaces = ["Own", "Other"].map((name, index) => ({
  name,
  country: "IN",
  timezone: "Asia/Kolkata",
  rate: "0.01",
  balance: "10000",
  api_keys: [`wx_test_bench_reset_000${index}`],
  numbers: [{ phone: `+91124400110${index}`, name, throughput: 1_000 }],
  templates: [
    { name: "offer", language: "en_US", category: "MARKETING", components: [{ type: "BODY", text: "Hi {{1}}." }] },
  ],
  contacts: Array.from({ length: 20 }, (_, one) => ({ phone: `+9198765432${10 + one}`, consent: "opted_in" })),
}));
await Bun.write(join(directory, "seed.json"), JSON.stringify({ workspaces }));

interface Spent {
  wall: number;
  /** Of all threads. */
  processor: number;
  /** Of the server's main thread and of this one. */
  waited: number;
  /** Wall time without the waits. */
  net: number;
}

const child = Bun.spawn([...program, "dev", "--json", "--listen", "127.0.0.1:0", "--seed", "seed.json"], {
  cwd: directory,
  // The limit of requests follows the real time, and a round is short.
  env: { ...process.env, WAXWING_LIMITS_REQUESTS_PER_SECOND: "10000", WAXWING_LIMITS_BURST: "10000" },
  stdout: "pipe",
  stderr: "inherit",
});
try {
  const reader = child.stdout.getReader();
  let line = "";
  while (!line.includes("\n")) line += new TextDecoder().decode((await reader.read()).value);
  const ready = JSON.parse(line) as { base_url: string; control_url: string; control_token: string };
  const call = async (url: string, key: string, body: unknown) => {
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const answer = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`${url}: ${answer.status} ${await answer.text()}`);
    await answer.arrayBuffer();
  };
  const control = (path: string, body: unknown) => call(ready.control_url + path, ready.control_token, body);
  const api = (workspace: number, path: string, body: unknown) =>
    call(ready.base_url + path, `wx_test_bench_reset_000${workspace}`, body);

  const startDay = async () => {
    await control("/clock", { freeze: true });
    // After quiet hours.
    const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
    await control("/clock", { now: `${tomorrow}T10:00:00+05:30` });
  };
  const broadcast = async (workspace: number, count: number) => {
    for (let first = 0; first < count; first += PART) {
      const to = Array.from(
        { length: Math.min(PART, count - first) },
        (_, index) => `+9198${10_001_000 + first + index}`,
      );
      await api(workspace, "/broadcasts", { name: `Part ${first}`, template: "offer", to, variables: ["you"] });
      await control("/clock", { advance: "10s" });
    }
  };
  /** What a test does before the next one resets: people write and get answers, one message fails, time passes. */
  const use = async () => {
    for (let one = 10; one < 15; one++) {
      await control("/inbound", { from: `+9198765432${one}`, to: "+911244001100", text: "Are you open?" });
      await api(0, "/messages", { to: `+9198765432${one}`, text: "Yes." });
    }
    await api(0, "/broadcasts", { name: "Soon", template: "offer", to: ["+919876543210"], variables: ["you"] });
    await control("/clock", { advance: "5s" });
  };
  const measured = async (act: () => Promise<void>): Promise<Spent> => {
    const before = { at: performance.now(), ...scheduled() };
    await act();
    const after = { at: performance.now(), ...scheduled() };
    const wall = after.at - before.at;
    const waited = after.waited - before.waited;
    return { wall, processor: after.processor - before.processor, waited, net: wall - waited };
  };
  const measure = async (what: string, prepare: () => Promise<void>, body: object, rounds: number) => {
    const spent: Spent[] = [];
    for (let round = 0; round < rounds; round++) {
      await prepare();
      spent.push(await measured(() => control("/reset", body)));
    }
    tell(what, spent);
  };

  await startDay();
  await measure("a workspace", use, { workspace: 1 }, ROUNDS);
  await measure(
    `a workspace with ${MESSAGES * OWN_SHARE} messages`,
    () => broadcast(0, MESSAGES * OWN_SHARE),
    { workspace: 1 },
    Math.ceil(ROUNDS / 20),
  );
  await broadcast(1, MESSAGES);
  await control("/clock", { advance: "1m" });
  await measure(`a workspace, another has ${MESSAGES} messages`, use, { workspace: 1 }, ROUNDS);
  await measure(`the whole server, after ${MESSAGES} messages`, use, {}, 1);
  await measure("the whole server", () => startDay().then(use), {}, ROUNDS);
  console.log(machineText());
} finally {
  child.kill("SIGTERM");
  await child.exited;
  rmSync(directory, { recursive: true, force: true });
}

/** Milliseconds that the server's threads have run, and that its main thread and this one have waited for a processor. */
function scheduled(): { processor: number; waited: number } {
  const of = (pid: number, thread: string | number): number[] =>
    readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ").map(Number);
  const ran = readdirSync(`/proc/${child.pid}/task`).map((thread) => of(child.pid, thread)[0] ?? 0);
  const waits = [child.pid, process.pid].map((pid) => of(pid, pid)[1] ?? 0);
  const ms = (parts: readonly number[]): number => parts.reduce((sum, ns) => sum + ns, 0) / 1e6;
  return { processor: ms(ran), waited: ms(waits) };
}

function tell(what: string, spent: readonly Spent[]): void {
  const row = (name: keyof Spent) => {
    const sorted = spent.map((one) => one[name]).toSorted((a, b) => a - b);
    const at = (share: number) => (sorted[Math.ceil(share * sorted.length) - 1] ?? Number.NaN).toFixed(0);
    return `${at(0.5)} / ${at(0.99)} / ${at(1)}`;
  };
  console.log(
    `${what}, ${spent.length} resets (median / 99 % / longest, ms): wall ${row("wall")}, without waits ${row("net")}, processor ${row("processor")}, waited for one ${row("waited")}`,
  );
  const slowest = spent.toSorted((a, b) => b.wall - a.wall).slice(0, 3);
  console.log(
    `  slowest: ${slowest.map(({ wall, processor, waited }) => `${wall.toFixed(0)} (ran ${processor.toFixed(0)}, waited ${waited.toFixed(0)})`).join(", ")}`,
  );
}
