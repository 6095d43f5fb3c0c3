/**
 * `bun run test:small [--memory 256]`: the executable with 256 MB and one core imports 150,000 contacts, sends a broadcast
 * to 30,000, makes a backup and checks six sign-ins, all at once. It must not be killed, lose or repeat anything, or stop
 * answering. Requires root for the limits; without control groups, only the memory that it takes is measured.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { placeExecutable } from "#test/support/executable.ts";
import { LABELLED, makeInstallation } from "#test/support/installation.ts";
import { readOptions } from "#test/support/options.ts";
import { limit } from "./limits.ts";

const { values } = readOptions(
  {
    call: "bun run test:small",
    about:
      "Runs the executable with little memory and one core while it imports, sends, makes a backup and checks sign-ins.",
  },
  {
    memory: { type: "string", default: "256", about: "megabytes" },
    engine: { type: "string", about: "megabytes that the runtime takes for the machine's memory" },
    only: { type: "string", value: "TASKS", about: "the tasks, with commas between them; without: all" },
  },
);
const MEGABYTES = Number(values.memory);
/** The JavaScript engine collects garbage according to the machine's memory, and does not see a limit. */
const engine: Record<string, string> =
  values.engine === undefined ? {} : { BUN_JSC_forceRAMSize: String(Number(values.engine) * 1024 * 1024) };
const RECIPIENTS = 30_000;
const IMPORTED = 150_000;
const SIGN_INS = 6;
const SIGN_IN_EVERY_MS = 10_000;
const BACKUP_EVERY_MS = 30_000;
const PASSWORD = "correct horse battery";
const LIMIT_MS = 20 * 60_000;

let failures = 0;
function check(what: string, holds: boolean, seen: unknown = ""): void {
  if (!holds) failures += 1;
  console.log(`${holds ? "ok  " : "FAIL"} ${what}${holds ? "" : `\n     ${JSON.stringify(seen)}`}`);
}

const workshop = mkdtempSync(join(tmpdir(), "waxwing-small-"));
const executable = join(workshop, "waxwing");
await placeExecutable(executable);
const limits = limit(`waxwing-small-${process.pid}`, MEGABYTES, 1);
console.log(limits === null ? "no limits here (no control groups): only measured, on one core" : limits.says);

await using installation = await makeInstallation({
  ...{ people: RECIPIENTS, throughput: 1_000, inDoubtAfter: "10m" },
  isTalkative: true,
  // Commands of the operator are not limited: they are processes of their own.
  command: [executable],
});
const { data, directory } = installation;
const wrapped = limits?.wrap([executable]) ?? ["taskset", "-c", "0", executable];
const child = Bun.spawn([...wrapped, "serve", "--listen", "127.0.0.1:0"], {
  ...{ cwd: directory, env: { PATH: process.env.PATH ?? "", TZ: "UTC", ...engine }, stdin: "ignore" },
  ...{ stdout: "pipe", stderr: Bun.file(join(workshop, "log")) },
});
const url = await new Promise<string>((resolve, reject) => {
  void (async () => {
    let out = "";
    for await (const chunk of child.stdout as ReadableStream<Uint8Array>) {
      out += new TextDecoder().decode(chunk);
      const found = /listening on (\S+)\n/.exec(out)?.[1];
      if (found !== undefined) resolve(found);
    }
    reject(new Error("the server ended"));
  })();
});
await installation.tellCallbacks(url);

type Told = { status: number; body: { data?: never }; cookie: string; ms: number };
async function ask(method: string, path: string, cookie: string, body?: unknown, raw?: string): Promise<Told> {
  const startedAt = performance.now();
  const response = await fetch(`${url}${path}`, {
    method,
    headers: {
      ...{ cookie, "sec-fetch-site": "same-origin" },
      "content-type": raw === undefined ? "application/json" : "application/octet-stream",
    },
    ...(raw !== undefined ? { body: raw } : body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const given = response.headers.getSetCookie()[0]?.split(";")[0] ?? "";
  const parsed = text.startsWith("{") ? JSON.parse(text) : text;
  return { status: response.status, body: parsed, cookie: given, ms: performance.now() - startedAt };
}
// biome-ignore lint/suspicious/noExplicitAny: the test reads answers member by member.
const dataOf = ({ body }: Told): any => body.data;
const console_ = "/console/api";

const cookies: string[] = [];
for (let index = 0; index < SIGN_INS; index += 1) {
  const words = ["user", "create", "--email", `op${index}@example.com`, "--role", "operator"];
  const { output } = await installation.command(...words).ended;
  const token = String((JSON.parse(output) as { link: string }).link).split("#")[1];
  const used = await ask("POST", `${console_}/links/use`, "", { token, password: PASSWORD });
  if (used.status !== 201) throw new Error(JSON.stringify(used.body));
  cookies.push(used.cookie);
}
const operator = cookies[0] ?? "";
const idle = residentMegabytes();
console.log(`     ready and idle: ${idle.toFixed(0)} MB of its own memory`);

const startedAt = performance.now();
const seconds = () => (performance.now() - startedAt) / 1000;
const ended: Record<string, number> = {};
const answered: number[] = [];
let isOver = false;
let isAlive = true;
void child.exited.then(() => {
  isAlive = false;
});

async function poll(what: string, holds: () => Promise<boolean>): Promise<void> {
  while (isAlive) {
    if (await holds().catch(() => false)) {
      ended[what] = seconds();
      return;
    }
    if (performance.now() - startedAt > LIMIT_MS) throw new Error(`${what} did not end`);
    await Bun.sleep(500);
  }
}

async function importPeople(): Promise<void> {
  const rows = Array.from(
    { length: IMPORTED },
    (_, index) => `+9197${String(index).padStart(8, "0")},Asha ${index},Pune,customer;since-${2010 + (index % 15)}`,
  );
  const root = `${console_}/w/1/imports`;
  const given = await ask(
    "POST",
    `${root}?name=people.csv`,
    operator,
    undefined,
    `phone,first_name,city,tags\n${rows.join("\n")}\n`,
  );
  check("the file is taken", given.status === 201, given.body);
  const path = `${root}/${dataOf(given).id}`;
  await ask("POST", `${path}/check`, operator, { map: {}, opt_in: true, proof: "Signed at the till" });
  await poll("import checked", async () => dataOf(await ask("GET", path, operator)).state === "checked");
  await ask("POST", `${path}/run`, operator, {});
  await poll("import done", async () => dataOf(await ask("GET", path, operator)).state === "done");
  const { outcome } = dataOf(await ask("GET", path, operator));
  check(`the import made ${outcome.created} contacts`, outcome.created === IMPORTED && outcome.failed === 0, outcome);
}

async function sendBroadcast(): Promise<void> {
  const call = async (method: string, path: string, body?: unknown) => {
    const response = await fetch(`${url}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${installation.key}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    // biome-ignore lint/suspicious/noExplicitAny: the test reads answers member by member.
    return { status: response.status, body: (await response.json()) as any };
  };
  const made = await call("POST", "/broadcasts", {
    ...{ name: "News", template: LABELLED, variables: ["news"], group: installation.groupId },
  });
  check("the broadcast is taken", made.status === 202, made.body);
  const id = made.body.data?.id;
  await poll("broadcast", async () => (await call("GET", `/broadcasts/${id}`)).body.data.status === "completed");
}

async function backUp(): Promise<void> {
  // In the middle of it all, and again until the import is over.
  let count = 0;
  while (isAlive && (count === 0 || (does("import") && ended["import done"] === undefined))) {
    const started = await ask("POST", `${console_}/system/backups`, operator, {});
    if (started.status === 202) {
      count += 1;
      await poll("backup", async () => {
        const { current, backups } = dataOf(await ask("GET", `${console_}/system/backups`, operator));
        return current === null && backups.filter(({ state }: { state: string }) => state === "sound").length >= count;
      });
    }
    await Bun.sleep(BACKUP_EVERY_MS);
  }
  check(`${count} backups beside it are sound`, count > 0);
}

const signInMs: number[] = [];
async function signIn(): Promise<void> {
  let rounds = 0;
  let refused = 0;
  while (isAlive && !isOver) {
    const all = await Promise.all(
      cookies.map((_, index) =>
        ask("POST", `${console_}/sign-in`, "", { email: `op${index}@example.com`, password: PASSWORD }),
      ),
    );
    rounds += 1;
    refused += all.filter(({ status }) => status >= 400).length;
    signInMs.push(...all.map(({ ms }) => ms));
    await Bun.sleep(SIGN_IN_EVERY_MS);
  }
  check(
    `${rounds} times ${SIGN_INS} sign-ins at once, ${refused} of them refused`,
    rounds > 0 && refused === 0,
    refused,
  );
}

async function probe(): Promise<void> {
  while (isAlive && !isOver) {
    const at = performance.now();
    const { status } = await fetch(`${url}/readyz`).catch(() => ({ status: 0 }));
    answered.push(status === 200 ? performance.now() - at : Number.POSITIVE_INFINITY);
    await Bun.sleep(200);
  }
}

let peak = 0;
let told = 0;
const watch = setInterval(() => {
  const now = residentMegabytes();
  peak = Math.max(peak, now);
  if (seconds() - told < 10) return;
  told = seconds();
  console.log(`     ${told.toFixed(0).padStart(4)} s: ${now.toFixed(0)} MB, most ${peak.toFixed(0)} MB`);
}, 100);
const does = (task: string): boolean => (values.only ?? task).split(",").includes(task);
const beside = Promise.all([does("sign-in") ? signIn() : null, probe()]);
const tasks = [does("import") ? importPeople() : null, does("broadcast") ? sendBroadcast() : null];
await Promise.all([...tasks, does("backup") ? backUp() : null]);
isOver = true;
await beside;
clearInterval(watch);

const sent = await installation.requests();
const people = new Set(sent.map(({ to }) => to));
check(
  `${sent.length} requests to ${people.size} people, each once`,
  sent.length === RECIPIENTS && people.size === RECIPIENTS,
);
check("the process that started is the one that ends", isAlive);
check(
  `/readyz answered ${answered.length} times, each with 200`,
  answered.every(Number.isFinite),
  answered.filter((ms) => !Number.isFinite(ms)).length,
);
if (limits !== null) check(`${limits.kills()} processes killed for want of memory`, limits.kills() === 0);
const sorted = answered.toSorted((a, b) => a - b);
const at = (all: readonly number[], share: number) => (all[Math.floor(all.length * share)] ?? 0).toFixed(0);
const signIns = signInMs.toSorted((a, b) => a - b);
for (const [what, when] of Object.entries(ended)) console.log(`     ${what}: after ${when.toFixed(0)} s`);
console.log(
  `     /readyz: median ${at(sorted, 0.5)} ms, 99 % ${at(sorted, 0.99)} ms, longest ${at(sorted, 0.9999)} ms`,
);
console.log(`     sign-in: median ${at(signIns, 0.5)} ms, longest ${at(signIns, 0.9999)} ms`);
console.log(`     own memory: idle ${idle.toFixed(0)} MB, most ${peak.toFixed(0)} MB`);
if (limits !== null)
  console.log(
    `     with the files that the system keeps in memory for it: ${limits.peakMegabytes().toFixed(0)} of ${MEGABYTES} MiB`,
  );
child.kill("SIGTERM");
check("it stops cleanly", (await child.exited) === 0);
const checked = await installation.command("check").ended;
check("waxwing check finds nothing", checked.code === 0, checked.output.slice(0, 500));
limits?.[Symbol.dispose]();
rmSync(workshop, { recursive: true, force: true });
console.log(failures === 0 ? "\nall is as it should be" : `\n${failures} checks failed; data in ${data}`);
process.exitCode = failures === 0 ? 0 : 1;

/** Without the pages of files, which the system drops when it needs the room. */
function residentMegabytes(): number {
  try {
    return Number(/^RssAnon:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}
