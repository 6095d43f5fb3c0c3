/**
 * Moving the clock of test control: `bun run bench:clock [--messages N] [--months N]`. A `waxwing dev` sends a broadcast to
 * N people, with all its statuses and events; then the clock moves by 18 months in one call, past retention, retries and
 * holds; then `check` looks at the database. `--executable FILE` measures that one instead of the sources.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openClient } from "#src/db/driver.ts";
import { readOptions } from "#test/support/options.ts";
import { checkout } from "#test/support/source.ts";
import { machineText } from "./report.ts";

const { values: options } = readOptions(
  {
    call: "bun run bench:clock",
    about: "Measures how long test control takes to move the clock past everything that is due.",
  },
  {
    messages: { type: "string", default: "100000", about: "recipients of the broadcast that is sent before" },
    months: { type: "string", default: "18", about: "how far the clock moves" },
    executable: { type: "string", value: "FILE", about: "measures this one instead of the sources" },
  },
);
const MESSAGES = Number(options.messages);
const program =
  options.executable === undefined ? [process.execPath, join(checkout, "src/main.ts")] : [options.executable];
/** People of one broadcast. */
const PART = 1_000;

const directory = mkdtempSync(join(tmpdir(), "waxwing-bench-clock-"));
const data = join(directory, "data");
const workspace = {
  name: "Bench",
  country: "IN",
  timezone: "Asia/Kolkata",
  rate: "0.01",
  balance: "10000",
  numbers: [{ phone: "+911244001100", name: "Bench", throughput: 1_000 }],
  templates: [
    { name: "offer", language: "en_US", category: "MARKETING", components: [{ type: "BODY", text: "Hi {{1}}." }] },
    { name: "later", language: "en_US", category: "MARKETING", components: [{ type: "BODY", text: "Hi {{1}}." }] },
  ],
};
await Bun.write(join(directory, "seed.json"), JSON.stringify({ workspaces: [workspace] }));
const child = Bun.spawn(
  [...program, "dev", "--json", "--listen", "127.0.0.1:0", "--data", data, "--seed", "seed.json"],
  {
    cwd: directory,
    stdout: "pipe",
    stderr: "inherit",
  },
);
try {
  const reader = child.stdout.getReader();
  let line = "";
  while (!line.includes("\n")) line += new TextDecoder().decode((await reader.read()).value);
  const ready = JSON.parse(line) as Record<string, string>;
  const call = async (url: string, key: string, method: string, body?: unknown) => {
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const answer = await fetch(url, { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
    if (!answer.ok) throw new Error(`${method} ${url}: ${answer.status} ${await answer.text()}`);
    // biome-ignore lint/suspicious/noExplicitAny: a wrong member fails what follows.
    return (await answer.json()) as any;
  };
  const control = (path: string, body: unknown) =>
    call(`${ready.control_url}${path}`, ready.control_token ?? "", "POST", body);
  const api = (path: string, body: unknown) => call(`${ready.base_url}${path}`, ready.api_key ?? "", "POST", body);

  await control("/clock", { freeze: true });
  // After quiet hours.
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
  await control("/clock", { now: `${tomorrow}T10:00:00+05:30` });
  const sending = performance.now();
  for (let first = 0; first < MESSAGES; first += PART) {
    const to = Array.from(
      { length: Math.min(PART, MESSAGES - first) },
      (_, index) => `+9198${10_001_000 + first + index}`,
    );
    await api("/broadcasts", { name: `Part ${first}`, template: "offer", to, variables: ["you"] });
    await control("/clock", { advance: "10s" });
  }
  await control("/clock", { advance: "10m" });
  tell(`${MESSAGES} messages sent with their statuses`, performance.now() - sending);
  // What a shop leaves open: a broadcast for next year, and one that a person has paused.
  const { now } = await call(`${ready.control_url}/clock`, ready.control_token ?? "", "GET");
  const nextYear = new Date(Date.parse(now) + 300 * 86_400_000).toISOString();
  await api("/broadcasts", {
    name: "Later",
    template: "later",
    to: ["+919876543210"],
    variables: ["you"],
    send_at: nextYear,
  });
  const moving = performance.now();
  await control("/clock", { advance: `${options.months} months` });
  tell(`the clock moved by ${options.months} months`, performance.now() - moving);
  const client = openClient(join(data, "waxwing.db"), { readonly: true });
  const count = (sql: string) => Object.values(client.prepare(sql).get() as object)[0];
  console.log({
    messages: count("SELECT count(*) FROM messages"),
    outcomes: client.prepare("SELECT status, count(*) AS count FROM messages GROUP BY status").all(),
    events: count("SELECT count(*) FROM events"),
    open_broadcasts: count("SELECT count(*) FROM broadcasts WHERE status <> 'completed'"),
    jobs: count("SELECT count(*) FROM outbox"),
    held: count("SELECT sum(held) FROM billing_accounts"),
  });
  client.close();
  const checking = performance.now();
  const check = Bun.spawn([...program, "check", "--data", data], {
    cwd: directory,
    stdout: "inherit",
    stderr: "inherit",
  });
  const code = await check.exited;
  tell(`check ended with ${code}`, performance.now() - checking);
  console.log(machineText());
  process.exitCode = code;
} finally {
  child.kill("SIGTERM");
  await child.exited;
  rmSync(directory, { recursive: true, force: true });
}

function tell(what: string, ms: number): void {
  console.log(`${what}: ${(ms / 1_000).toFixed(1)} s`);
}
