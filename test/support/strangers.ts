/**
 * The executable alone against unauthenticated clients: a server in one process, the clients in another, and meanwhile
 * a signed callback and `GET /me` alternately. The growth of the server's memory is the system's figure for its
 * process.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { linesOf } from "./database.ts";
import { placeExecutable } from "./executable.ts";
import { sign } from "./graph.ts";
import { measureWait } from "./processor-wait.ts";
import type { Group, Strangers } from "./strangers-process.ts";

const APP_SECRET = "app-secret-of-the-test";
const PROBE_EVERY_MS = 20;
const PROBE_LIMIT_MS = 5_000;

export interface Attacked {
  /** The maximum growth of the server's resident memory since before its first attack, in megabytes (MiB). */
  grownBy: number;
  /** The slowest answers, in milliseconds; a probe that was not answered counts with its limit. */
  slowestCallbackMs: number;
  slowestReadMs: number;
  /**
   * The slowest answer without the time in which the server's thread, or this one, was ready and had no processor:
   * strangers elsewhere do not take it.
   */
  slowestOwnMs: number;
  /** The 90th percentile, in milliseconds. */
  lateCallbackMs: number;
  lateReadMs: number;
  /** The median, in milliseconds. */
  usualCallbackMs: number;
  usualReadMs: number;
  /** Distinct statuses of the probes. */
  callbackStatuses: number[];
  readStatuses: number[];
  /** The number of answers to the clients, by status. */
  strangersGot: Record<string, number>;
}

interface Probed {
  status: number;
  ms: number;
  /** `ms` without the time in which the server or this process waited for a processor. */
  ownMs: number;
}

export interface Besieged extends AsyncDisposable {
  url: string;
  port: number;
  memory(): number;
  /** A status, or 0 if there was no answer in time. */
  signedCallback(bytes: number, headers?: Record<string, string>): Promise<number>;
  read(): Promise<number>;
  attack(strangers: readonly Group[], forMs: number): Promise<Attacked>;
}

export async function besiege(): Promise<Besieged> {
  const directory = mkdtempSync(join(tmpdir(), "waxwing-strangers-"));
  const executable = join(directory, "waxwing");
  await placeExecutable(executable);
  const alone = {
    cwd: directory,
    env: { WAXWING_WHATSAPP_APP_SECRET: APP_SECRET },
    stdin: "ignore",
    stdout: "pipe",
  } as const;

  async function json(...words: string[]): Promise<Record<string, unknown>> {
    const child = Bun.spawn([executable, ...words, "--json"], { ...alone, stderr: "inherit" });
    const text = await new Response(child.stdout).text();
    return JSON.parse(text) as Record<string, unknown>;
  }

  const shop = ["--name", "Shop", "--country", "IN", "--timezone", "UTC"];
  const workspace = String((await json("workspace", "create", ...shop)).id);
  const { key } = await json("key", "create", "--workspace", workspace);
  const server = Bun.spawn([executable, "serve", "--listen", "127.0.0.1:0"], { ...alone, stderr: "ignore" });
  const { value: line } = await linesOf(server.stdout).next();
  const url = /^listening on (http:\S+)$/.exec(line ?? "")?.[1];
  if (url === undefined) throw new Error(`the server did not start: ${line}`);
  const port = Number(new URL(url).port);

  const memory = (): number => {
    const kibibytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${server.pid}/status`, "utf8"))?.[1];
    return Number(kibibytes) / 1024;
  };

  async function statusOf(path: string, init: RequestInit): Promise<number> {
    try {
      const response = await fetch(url + path, { ...init, signal: AbortSignal.timeout(PROBE_LIMIT_MS) });
      await response.arrayBuffer();
      return response.status;
    } catch {
      return 0;
    }
  }

  const read = (): Promise<number> => statusOf("/api/v1/me", { headers: { authorization: `Bearer ${key}` } });

  const signedCallback = (bytes: number, headers: Record<string, string> = {}): Promise<number> => {
    const frame = '{"object":"whatsapp_business_account","entry":[],"padding":""}';
    const body = Buffer.from(frame.replace('""}', `"${"x".repeat(Math.max(0, bytes - frame.length))}"}`));
    const signature = sign(body, APP_SECRET);
    return statusOf("/networks/whatsapp", {
      method: "POST",
      body,
      headers: { "content-type": "application/json", "x-hub-signature-256": signature, ...headers },
    });
  };

  const timed = async (probe: () => Promise<number>): Promise<Probed> => {
    const [startedAt, waitedMs] = [performance.now(), measureWait(server.pid)];
    const status = await probe();
    const ms = performance.now() - startedAt;
    return { status, ms, ownMs: ms - waitedMs() };
  };

  /** Before the first attack: memory that one attack leaves counts for the next. */
  let before: number | null = null;

  async function attack(groups: readonly Group[], forMs: number): Promise<Attacked> {
    before ??= memory();
    const strangers: Strangers = { port, groups };
    // Their machines are not the server's: what they compute must not take its processor.
    const child = Bun.spawn(
      ["nice", "-n", "19", process.execPath, join(import.meta.dir, "strangers-process.ts"), JSON.stringify(strangers)],
      {
        stdin: "ignore",
        stdout: "pipe",
        stderr: "inherit",
      },
    );
    try {
      const lines = linesOf(child.stdout);
      await lines.next();
      let max = 0;
      const callbacks: Probed[] = [];
      const reads: Probed[] = [];
      for (const until = performance.now() + forMs; performance.now() < until; ) {
        callbacks.push(await timed(() => signedCallback(2_000)));
        reads.push(await timed(read));
        max = Math.max(max, memory());
        await Bun.sleep(PROBE_EVERY_MS);
      }
      child.kill("SIGTERM");
      const { value: counts } = await lines.next();
      const quantile = (probes: { ms: number }[], share: number): number => {
        const times = probes.map(({ ms }) => ms).sort((one, other) => one - other);
        return Math.round(times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? PROBE_LIMIT_MS);
      };
      const statuses = (probes: { status: number }[]): number[] => [...new Set(probes.map(({ status }) => status))];
      return {
        grownBy: Math.round(max - (before ?? 0)),
        slowestCallbackMs: quantile(callbacks, 1),
        slowestReadMs: quantile(reads, 1),
        slowestOwnMs: Math.round(Math.max(...[...callbacks, ...reads].map(({ ownMs }) => ownMs))),
        lateCallbackMs: quantile(callbacks, 0.9),
        lateReadMs: quantile(reads, 0.9),
        usualCallbackMs: quantile(callbacks, 0.5),
        usualReadMs: quantile(reads, 0.5),
        callbackStatuses: statuses(callbacks),
        readStatuses: statuses(reads),
        strangersGot: JSON.parse(String(counts)) as Record<string, number>,
      };
    } finally {
      child.kill("SIGKILL");
      await child.exited;
    }
  }

  return {
    url,
    port,
    memory,
    signedCallback,
    read,
    attack,
    async [Symbol.asyncDispose]() {
      server.kill("SIGKILL");
      await server.exited;
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

const MEBIBYTE = 1024 * 1024;
const START = "host: 127.0.0.1\r\ncontent-type: application/json\r\n";
const CALLBACK = `POST /networks/whatsapp HTTP/1.1\r\n${START}`;

/** First lines of requests by unauthenticated clients. */
export const heads = {
  wrongSignature: `${CALLBACK}x-hub-signature-256: sha256=${"0".repeat(64)}\r\n`,
  unsigned: CALLBACK,
  signIn: `POST /console/api/sign-in HTTP/1.1\r\n${START}sec-fetch-site: same-origin\r\n`,
  wrongKey: `POST /api/v1/messages HTTP/1.1\r\n${START}authorization: Bearer nobody\r\n`,
} as const;

export const attacks = {
  "150 × 4 MiB, wrong signature": strangersWith(150, heads.wrongSignature, 4 * MEBIBYTE),
  "300 × 4 MiB, wrong signature": strangersWith(300, heads.wrongSignature, 4 * MEBIBYTE),
  "150 × 4 MiB again and again, wrong signature": strangersWith(150, heads.wrongSignature, 4 * MEBIBYTE, "to the end"),
  "300 × 4 MiB again and again, 300 slow, 300 idle, wrong signature": [
    ...strangersWith(300, heads.wrongSignature, 4 * MEBIBYTE, "to the end"),
    ...strangersWith(300, heads.wrongSignature, 4 * MEBIBYTE, "trickling"),
    ...strangersWith(300, heads.wrongSignature, 0, "idle"),
  ],
  "300 × 4 MiB in chunks, wrong signature": strangersWith(300, heads.wrongSignature, 4 * MEBIBYTE).map((group) => ({
    ...group,
    isChunked: true,
  })),
  "300 × 64 KiB, wrong signature": strangersWith(300, heads.wrongSignature, 64 * 1024),
  "300 slow × 4 MiB, wrong signature": strangersWith(300, heads.wrongSignature, 4 * MEBIBYTE, "trickling"),
  "300 slow × 64 KiB, wrong signature": strangersWith(300, heads.wrongSignature, 64 * 1024, "trickling"),
  "150 × 64 KiB again and again, wrong signature": strangersWith(150, heads.wrongSignature, 64 * 1024, "to the end"),
  "300 × 4 MiB, unsigned": strangersWith(300, heads.unsigned, 4 * MEBIBYTE),
  "300 × 1 MiB, sign-in": strangersWith(300, heads.signIn, MEBIBYTE),
  "300 × 64 KiB, sign-in": strangersWith(300, heads.signIn, 64 * 1024),
  "300 slow × 64 KiB, sign-in": strangersWith(300, heads.signIn, 64 * 1024, "trickling"),
  "150 × 64 KiB again and again, sign-in": strangersWith(150, heads.signIn, 64 * 1024, "to the end"),
  "300 × 1 MiB, wrong key": strangersWith(300, heads.wrongKey, MEBIBYTE),
} satisfies Record<string, readonly Group[]>;

function strangersWith(connections: number, head: string, bytes: number, pace: Group["pace"] = "at once"): Group[] {
  return [{ connections, head, bytes, pace, isChunked: false }];
}
