/**
 * An installation that is upgraded while customers send: an executable in a directory of its own, a supervisor that
 * starts it again whenever it ends (as systemd does, with the guard before each start) or a server that nothing
 * supervises, and callers who repeat a request with its key until they have an answer.
 */
import { createHash, type KeyObject, sign } from "node:crypto";
import { copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { type Installation, LABELLED, makeInstallation } from "./installation.ts";
import { BUILD_INPUTS, checkout } from "./source.ts";

export interface Site extends AsyncDisposable {
  installation: Installation;
  executable: string;
  url: string;
  /** Runs a command of the executable in place (or of another one), with `--json`. */
  run(...words: string[]): RunningUpgrade;
  /** Which version answers; null if none does. */
  version(): Promise<string | null>;
  /** Starts sending; the result has the outcome of every message. */
  startTraffic(): Traffic;
  /** How often the supervisor has started a server. */
  starts(): number;
  /** What the servers wrote to stderr. */
  log(): string;
}

interface RunningUpgrade {
  ended: Promise<{ code: number | null; answer: Record<string, unknown>; text: string }>;
  kill(): void;
}

export interface Traffic {
  /** Answers so far. */
  count(): number;
  /** Ends the sending; waits until every message has an answer. */
  stop(): Promise<{
    sent: string[];
    other: { label: string; status: number; body: string }[];
    longestSilenceMs: number;
  }>;
}

interface SiteOptions {
  /** Copied into place. */
  executable: string;
  isSupervised: boolean;
}

export async function makeSite({ executable: source, isSupervised }: SiteOptions): Promise<Site> {
  const installation = await makeInstallation({
    ...{ people: 200, throughput: 1_000, inDoubtAfter: "1h" },
    command: [source],
  });
  const executable = join(installation.directory, "bin/waxwing");
  mkdirSync(join(installation.directory, "bin"));
  copyFileSync(source, executable);
  const port = await findFreePort();
  const url = `http://127.0.0.1:${port}`;
  const log = join(installation.directory, "server.log");
  writeFileSync(log, "");
  const environment = { PATH: process.env.PATH ?? "", TZ: "UTC" };
  const serve = ["serve", "--listen", `127.0.0.1:${port}`];
  const pidFile = join(installation.directory, "pid");
  let isOver = false;
  let startCount = 0;
  let child: Bun.Subprocess | null = null;

  const startServer = (): Bun.Subprocess => {
    startCount++;
    const handle = Bun.file(log);
    const started = Bun.spawn(["/bin/sh", "-c", `exec ${quoted(executable, ...serve)} >>${quoted(log)} 2>&1`], {
      ...{ cwd: installation.directory, env: environment, stdin: "ignore", stdout: "ignore", stderr: handle },
      detached: true,
    });
    writeFileSync(pidFile, String(started.pid));
    return started;
  };
  const supervise = async (): Promise<void> => {
    while (!isOver) {
      const guard = `${executable}.upgrade/guard`;
      if (existsSync(guard)) Bun.spawnSync(["/bin/sh", guard]);
      child = startServer();
      await child.exited;
      await Bun.sleep(100);
    }
  };
  const supervisor = isSupervised ? supervise() : null;
  if (!isSupervised) child = startServer();
  const site: Site = {
    ...{ installation, executable, url },
    run(...words) {
      const restart = isSupervised && words[0] === "upgrade" && words[1] !== "try";
      const all = [...words, ...(restart ? ["--restart-with", `kill -TERM $(cat ${quoted(pidFile)})`] : []), "--json"];
      const running = Bun.spawn([executable, ...all], {
        ...{ cwd: installation.directory, env: environment, stdin: "ignore", stdout: "pipe", stderr: "pipe" },
      });
      const output = Promise.all([new Response(running.stdout).text(), new Response(running.stderr).text()]);
      const ended = running.exited.then(async () => {
        const [text, complaint] = await output;
        const isJson = text.startsWith("{");
        return { code: running.exitCode, answer: isJson ? JSON.parse(text) : {}, text: text + complaint };
      });
      return { ended, kill: () => running.kill("SIGKILL") };
    },
    async version() {
      const ready = await fetch(`${url}/readyz`).catch(() => null);
      if (ready?.status !== 200) return null;
      const started = readFileSync(log, "utf8").matchAll(/event=server\.started .*version=(\S+)/g);
      return [...started].at(-1)?.[1] ?? null;
    },
    startTraffic: () => startTraffic(site),
    starts: () => startCount,
    log: () => readFileSync(log, "utf8"),
    async [Symbol.asyncDispose]() {
      isOver = true;
      for (const pid of processesOf(executable)) process.kill(pid, "SIGKILL");
      await supervisor;
      await installation[Symbol.asyncDispose]();
    },
  };
  await until("the first server is ready", async () => (await site.version()) !== null);
  return site;
}

export async function until(
  what: string,
  holds: () => Promise<boolean> | boolean,
  { limitMs = 60_000, everyMs = 50 } = {},
): Promise<void> {
  const end = performance.now() + limitMs;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`in vain: ${what}`);
    await Bun.sleep(everyMs);
  }
}

/** Processes that run this executable, or one that was in its place. */
export function processesOf(executable: string): number[] {
  const found = Bun.spawnSync(["sh", "-c", "ls -l /proc/[0-9]*/exe 2>/dev/null"]).stdout.toString();
  return found.split("\n").flatMap((line) => {
    const [, pid, path = ""] = /\/proc\/(\d+)\/exe -> (.*)$/.exec(line) ?? [];
    return pid !== undefined && path.startsWith(executable) ? [Number(pid)] : [];
  });
}

function startTraffic({ url, installation }: Site): Traffic {
  const { key, people } = installation;
  const sent: string[] = [];
  const other: { label: string; status: number; body: string }[] = [];
  let isOver = false;
  let lastAnswerAt = performance.now();
  let longestSilenceMs = 0;
  const send = async (label: string, to: string): Promise<void> => {
    for (;;) {
      const answer = await fetch(`${url}/api/v1/messages`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json", "idempotency-key": label },
        body: JSON.stringify({ to, template: LABELLED, variables: { body: [label] } }),
      })
        .then(async (response) => ({ status: response.status, body: await response.text() }))
        .catch(() => null);
      if (answer !== null && answer.status !== 503 && answer.status !== 429) {
        longestSilenceMs = Math.max(longestSilenceMs, performance.now() - lastAnswerAt);
        lastAnswerAt = performance.now();
        if (answer.status === 201) sent.push(label);
        else other.push({ label, ...answer });
        return;
      }
      await Bun.sleep(50);
    }
  };
  const callers = Array.from({ length: 4 }, async (_, caller) => {
    for (let count = 0; !isOver; count++) {
      await send(
        `${caller}-${count}-${Math.random().toString(36).slice(2, 8)}`,
        people[(caller + 4 * count) % people.length] ?? "",
      );
      await Bun.sleep(20);
    }
  });
  return {
    count: () => sent.length,
    async stop() {
      isOver = true;
      await Promise.all(callers);
      return { sent, other, longestSilenceMs: Math.round(longestSilenceMs) };
    },
  };
}

async function findFreePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === "string") throw new Error("no free port");
  return address.port;
}

function quoted(...words: string[]): string {
  return words.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ");
}

interface WrittenRelease {
  version: string;
  schema: number;
  executable: string;
  key: KeyObject;
  changelog?: string;
}

/** Writes a release of one executable into a folder, signed. */
export function writeRelease(folder: string, { version, schema, executable, key, changelog }: WrittenRelease): void {
  mkdirSync(folder, { recursive: true });
  const platform = `${process.platform}-${process.arch}`;
  const file = `waxwing-${platform}`;
  copyFileSync(executable, join(folder, file));
  const facts = { version, commit: null, schema, platforms: [{ platform, file, run: true }] };
  writeFileSync(join(folder, "release.json"), JSON.stringify(facts));
  if (changelog !== undefined) writeFileSync(join(folder, "CHANGELOG.md"), changelog);
  const sums = Buffer.from(
    [file, "release.json", ...(changelog === undefined ? [] : ["CHANGELOG.md"])]
      .map(
        (name) =>
          `${createHash("sha256")
            .update(readFileSync(join(folder, name)))
            .digest("hex")}  ${name}\n`,
      )
      .join(""),
  );
  writeFileSync(join(folder, "SHA256SUMS"), sums);
  writeFileSync(join(folder, "SHA256SUMS.sig"), sign(null, sums, key));
}

/** Changes to the source of a build. */
export interface Variant {
  version: string;
  /** Path, what to find, what to put there. */
  changes?: readonly (readonly [path: string, find: string, put: string])[];
  /** New files. */
  files?: Readonly<Record<string, string>>;
}

/** Builds an executable from changed sources, in a checkout of its own. */
export async function buildVariant(workshop: string, { version, changes = [], files = {} }: Variant): Promise<string> {
  const copy = join(workshop, `checkout-${version}`);
  mkdirSync(copy);
  for (const name of BUILD_INPUTS) {
    cpSync(join(checkout, name), join(copy, name), { recursive: true });
  }
  symlinkSync(join(checkout, "node_modules"), join(copy, "node_modules"));
  const all = [["package.json", '"version": "0.1.0"', `"version": "${version}"`] as const, ...changes];
  for (const [path, find, put] of all) {
    const text = readFileSync(join(copy, path), "utf8");
    if (!text.includes(find)) throw new Error(`${path} does not contain ${find}`);
    writeFileSync(join(copy, path), text.replace(find, put));
  }
  for (const [path, text] of Object.entries(files)) writeFileSync(join(copy, path), text);
  const outfile = join(workshop, `waxwing-${version}`);
  const child = Bun.spawn([process.execPath, "scripts/build.ts", "--outfile", outfile], {
    ...{ cwd: copy, stdout: "ignore", stderr: "inherit" },
  });
  if ((await child.exited) !== 0) throw new Error(`${version} could not be built`);
  rmSync(copy, { recursive: true });
  return outfile;
}
