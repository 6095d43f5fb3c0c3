/**
 * The small things that stop developers and testers in their first hours, on the executable alone in an empty directory.
 * Each has its own, closer test; this one uses them as a developer does.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { linesOf } from "#test/support/database.ts";
import { placeExecutable } from "#test/support/executable.ts";
import { measureWait } from "#test/support/processor-wait.ts";

const LIMIT_MS = 300_000;
const PERSON = "+442079460210";
const base = mkdtempSync(join(tmpdir(), "waxwing-small-"));
const executable = join(base, "waxwing");
beforeAll(() => placeExecutable(executable), LIMIT_MS);
afterAll(() => rmSync(base, { recursive: true, force: true }));

interface Ready {
  base_url: string;
  api_key: string;
  webhook_secret: string;
  control_url: string;
  control_token: string;
  docs_url: string;
  data: string;
}

const environmentIn = (directory: string) => ({ PATH: process.env.PATH ?? "", TMPDIR: directory });

/** `waxwing dev` in a directory of its own, killed at the end. */
class Dev {
  readonly child: Bun.Subprocess<"ignore", "pipe", "pipe">;
  readonly ready: Ready;
  readonly directory: string;

  private constructor(child: Dev["child"], ready: Ready, directory: string) {
    this.child = child;
    this.ready = ready;
    this.directory = directory;
  }

  static async start(name: string, ...options: string[]): Promise<Dev> {
    const directory = join(base, name);
    mkdirSync(directory, { recursive: true });
    const child = Bun.spawn([executable, "dev", "--json", "--listen", "127.0.0.1:0", ...options], {
      cwd: directory,
      env: environmentIn(directory),
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
    });
    const { value } = await linesOf(child.stdout).next();
    return new Dev(child, JSON.parse(value ?? "null"), directory);
  }

  async control(method: string, path: string, body?: unknown): Promise<{ status: number; text: string }> {
    return this.#call(`${this.ready.control_url}${path}`, this.ready.control_token, method, body);
  }

  async api(method: string, path: string, body?: unknown): Promise<{ status: number; text: string }> {
    return this.#call(`${this.ready.base_url}${path}`, this.ready.api_key, method, body);
  }

  run(...words: string[]): { code: number | null; out: string; err: string } {
    const child = Bun.spawnSync([executable, ...words, "--data", this.ready.data], {
      cwd: this.directory,
      env: environmentIn(this.directory),
    });
    return { code: child.exitCode, out: child.stdout.toString(), err: child.stderr.toString() };
  }

  async #call(url: string, token: string, method: string, body: unknown) {
    const answer = await fetch(url, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: body === undefined ? null : typeof body === "string" ? body : JSON.stringify(body),
    });
    return { status: answer.status, text: await answer.text() };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.child.kill("SIGKILL");
    await this.child.exited;
  }
}

const welcome = { to: PERSON, template: "order_shipped", language: "en_US", variables: ["Asha", "1042"] };

/** What a suite with fixed dates does; the whole text of what it saw. */
async function day(dev: Dev): Promise<string> {
  const seen: string[] = [];
  await dev.control("POST", "/reset", { now: "2026-12-24T09:00:00+05:30", freeze: true });
  seen.push((await dev.api("POST", "/messages", welcome)).text);
  await dev.control("POST", "/inbound", { from: PERSON, text: "Are you open?" });
  seen.push((await dev.api("POST", "/messages", { to: PERSON, text: "Until six" })).text);
  await dev.control("POST", "/clock", { advance: "2h" });
  seen.push((await dev.api("GET", "/events?per_page=100")).text);
  return seen.join("\n");
}

test(
  "dates: a start and a reset at a time, the same bytes from the same seed, and a year of nothing in a moment",
  async () => {
    const words = ["--random-seed", "7", "--now", "2026-12-24T09:00:00+05:30"];
    await using first = await Dev.start("first", ...words);
    await using second = await Dev.start("second", ...words);
    expect(JSON.parse((await first.control("GET", "/clock")).text).now).toStartWith("2026-12-24T");
    const seen = await day(first);
    expect(seen).toContain("message.delivered");
    expect(await day(second)).toBe(seen);

    await first.control("POST", "/reset", { now: "2027-03-01T09:00:00Z" });
    expect(JSON.parse((await first.control("GET", "/clock")).text).now).toStartWith("2027-03-01T");
    const times: number[] = [];
    for (let year = 0; year < 5; year++) {
      const [startedAt, waitedMs] = [performance.now(), measureWait(first.child.pid)];
      expect((await first.control("POST", "/clock", { advance: "365 days" })).status).toBe(200);
      times.push(performance.now() - startedAt - waitedMs());
    }
    expect(Math.min(...times)).toBeLessThan(100);
  },
  LIMIT_MS,
);

test(
  "faults and errors: an outage of one message, broken JSON by line and column, a day that does not exist",
  async () => {
    await using dev = await Dev.start("faults");
    await dev.control("POST", "/clock", { freeze: true });
    const rule = `{"match": {"to": "${PERSON}"}, "times": 1, "then": {"outage": "10m"}}`;
    expect((await dev.control("POST", "/rules", rule)).status).toBeLessThan(300);
    expect((await dev.api("POST", "/messages", welcome)).status).not.toBe(201);
    expect((await dev.api("POST", "/messages", { ...welcome, to: "+442079460211" })).status).toBe(201);

    const broken = await dev.api("POST", "/messages", '{\n  "to": "+442079460210",\n  "text" "Hello"\n}');
    expect(broken.status).toBe(400);
    expect(broken.text).toMatch(/line 3, column 10/);

    const file = join(dev.directory, "people.csv");
    writeFileSync(file, "name,phone,birthday\nAsha,+442079460290,31/02/1990\n");
    const words = ["contact", "import", file, "--workspace", "1"];
    const imported = dev.run(...words);
    expect(imported.out + imported.err).toContain("1 cell: the day does not exist; write a day of the calendar");
  },
  LIMIT_MS,
);

test(
  "a rotated secret signs beside the former one, and /docs/try has the key of dev",
  async () => {
    await using dev = await Dev.start("secrets");
    const rotated = dev.run("webhook", "rotate-secret", "--workspace", "1", "--overlap", "24h", "--json");
    expect(rotated).toMatchObject({ code: 0 });
    expect(rotated.out).not.toContain(dev.ready.webhook_secret);
    await dev.control("POST", "/inbound", { from: PERSON, text: "Hello" });
    const sent = await dev.control("GET", "/webhooks?type=message.received&count=1&wait=5s");
    const [{ signature }] = JSON.parse(sent.text);
    expect(signature.match(/v1=/g)).toHaveLength(2);

    const page = await (await fetch(`${dev.ready.docs_url}/try`)).text();
    expect(page).toContain(dev.ready.api_key);
  },
  LIMIT_MS,
);

test(
  "a killed dev leaves nothing that the next start does not remove",
  async () => {
    const killed = await Dev.start("killed");
    await killed[Symbol.asyncDispose]();
    expect(existsSync(killed.ready.data)).toBe(true);
    await using next = await Dev.start("killed");
    expect(existsSync(killed.ready.data)).toBe(false);
    expect(existsSync(next.ready.data)).toBe(true);
  },
  LIMIT_MS,
);
