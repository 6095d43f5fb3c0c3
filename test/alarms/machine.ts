/**
 * Executables as operators run them, for tests of alarms: each alone in a directory, with its data and its backups on
 * small disks of their own, and all on one wall clock that the test moves (`clock-shift.c`). Their alarms arrive at one
 * receiver. Requires Linux, root and a C compiler.
 */
import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { linesOf } from "#test/support/database.ts";
import { placeExecutable } from "#test/support/executable.ts";
import { compileInterposer } from "#test/support/interposer.ts";
import { type Receiver, startReceiver } from "#test/support/receiver.ts";
import { ShiftedClock } from "#test/support/shifted-clock.ts";

export const METRICS_TOKEN = "metrics-of-the-test";

export interface Instance {
  name: string;
  directory: string;
  data: string;
  backups: string;
  /** While this file exists, reads of the data fail. */
  readTrouble: string;
  url(): string;
  write(name: string, text: string): string;
  /** Runs a command with `--json`; throws unless it succeeds. */
  command(...words: string[]): Promise<Record<string, unknown>>;
  call(method: string, path: string, key: string, body?: unknown): Promise<{ status: number; body: Answer }>;
  start(): Promise<void>;
  kill(): Promise<void>;
  log(): string;
}

// biome-ignore lint/suspicious/noExplicitAny: tests read answers member by member; a missing member fails the assertion.
type Answer = any;

export interface Alarm {
  id: string;
  state: "began" | "continues" | "over";
  severity: string;
  says: string;
}

export interface Machine extends AsyncDisposable {
  directory: string;
  executable: string;
  /** Where the alarms arrive. */
  receiverUrl: string;
  /** Every alarm so far: those of an instance, by its name. */
  alarms(name: string): Alarm[];
  now(): number;
  /** Moves the wall clock of all instances forward. */
  advance(ms: number): void;
  add(name: string, config: string, disk: { megabytes: number }): Instance;
}

export async function makeMachine(): Promise<Machine> {
  const directory = mkdtempSync(join(tmpdir(), "waxwing-alarms-"));
  const executable = join(directory, "waxwing");
  await placeExecutable(executable);
  const libraries = ["clock-shift.c", "disk-trouble.c"].map((source) => compileInterposer(source, directory));
  const clock = new ShiftedClock(join(directory, "clock"));
  const receiver: Receiver = startReceiver();
  const instances: (Instance & { end: () => Promise<void> })[] = [];
  const mounts: string[] = [];

  function add(name: string, config: string, { megabytes }: { megabytes: number }): Instance {
    const place = join(directory, name);
    const data = join(place, "data");
    const backups = join(place, "backups");
    const logFile = join(place, "log");
    const readTrouble = join(place, "trouble-reads");
    for (const [path, size] of [
      [data, megabytes],
      [backups, 64],
    ] as const) {
      mkdirSync(path, { recursive: true });
      mount("-t", "tmpfs", "-o", `size=${size}m`, "tmpfs", path);
      mounts.push(path);
    }
    const alerts = `\n[alerts]\nwebhook = "${receiver.url}/${name}"\n`;
    writeFileSync(join(place, "waxwing.toml"), config + alerts);
    const env = {
      ...{ PATH: "/nonexistent", TZ: "UTC", LD_PRELOAD: libraries.join(":"), ...clock.env },
      ...{ TROUBLE_DIRECTORY: data, TROUBLE_SWITCH: readTrouble },
    };
    let running: { child: Bun.Subprocess; url: string } | null = null;
    const end = async () => {
      running?.child.kill("SIGKILL");
      await running?.child.exited;
      running = null;
    };
    const url = (): string => {
      if (running === null) throw new Error(`${name} does not run`);
      return running.url;
    };
    const instance = {
      ...{ name, directory: place, data, backups, readTrouble, url, end },
      write(file: string, text: string) {
        writeFileSync(join(place, file), text, { mode: 0o600 });
        return join(place, file);
      },
      async command(...words: string[]) {
        const child = Bun.spawn([executable, ...words, "--json"], {
          ...{ cwd: place, env, stdin: "ignore", stdout: "pipe", stderr: "pipe" },
        });
        const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
        if ((await child.exited) !== 0) throw new Error(`${words.join(" ")}: ${out}${err}`);
        return JSON.parse(out) as Record<string, unknown>;
      },
      async call(method: string, path: string, key: string, body?: unknown) {
        const response = await fetch(`${url()}/api/v1${path}`, {
          method,
          tls: { rejectUnauthorized: false },
          headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        });
        return { status: response.status, body: await response.json().catch(() => null) };
      },
      async start() {
        const log = openSync(logFile, "a");
        const child = Bun.spawn([executable, "serve", "--listen", "127.0.0.1:0"], {
          ...{ cwd: place, env, stdin: "ignore", stdout: "pipe", stderr: log },
        });
        closeSync(log);
        const { value } = await linesOf(child.stdout).next();
        const address = /^listening on (\S+)$/.exec(value ?? "")?.[1];
        if (address === undefined) throw new Error(`${name} did not start: ${readFileSync(logFile, "utf8")}`);
        running = { child, url: address };
      },
      kill: end,
      log: () => readFileSync(logFile, "utf8"),
    } satisfies Instance & { end: unknown };
    instances.push(instance);
    return instance;
  }

  return {
    directory,
    executable,
    receiverUrl: receiver.url,
    alarms: (name) =>
      receiver.received.filter((one) => one.path === `/hook/${name}`).map(({ event }) => event as Alarm),
    now: () => clock.now(),
    advance: (ms) => clock.move(ms),
    add,
    async [Symbol.asyncDispose]() {
      await Promise.all(instances.map((one) => one.end()));
      await receiver[Symbol.asyncDispose]();
      for (const path of mounts) Bun.spawnSync(["umount", "-l", path]);
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

function mount(...words: string[]): void {
  const { exitCode, stderr } = Bun.spawnSync(["mount", ...words]);
  if (exitCode !== 0) throw new Error(`mount ${words.join(" ")}: ${stderr}`);
}

/** Changes the size of a disk. */
export function resize(path: string, size: string): void {
  mount("-o", `remount,size=${size}`, path);
}

export function fill(path: string, megabytes: number | "all"): void {
  const count = megabytes === "all" ? [] : [`count=${megabytes}`];
  Bun.spawnSync(["dd", "if=/dev/zero", `of=${path}`, "bs=1M", ...count], { stderr: "ignore" });
  // What is left below a whole megabyte.
  if (megabytes === "all") Bun.spawnSync(["dd", "if=/dev/zero", `of=${path}.rest`, "bs=4096"], { stderr: "ignore" });
}
