/**
 * One script of calls for the clients of all languages: each client runs it against the executable, behind a proxy that
 * loses answers. What every call gives, how often it was tried and under which keys, is compared here.
 */
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { formatInstant } from "#src/core/instant.ts";
import { linesOf } from "#test/support/database.ts";
import { program } from "#test/support/program.ts";
import { type ProxiedStep, type RunningProxy, startProxy, type Try } from "./proxy.ts";

export const checkout = resolve(import.meta.dir, "../..");

interface Step extends ProxiedStep {
  call: string;
  expect: unknown;
  /** How often the server or the proxy was asked. Not said: as often as the call needs. */
  tries?: number;
  /** The keys of the tries; "same": one that the client made. */
  keys?: string[] | "same";
}

type Result = Record<string, unknown> & { id: string };

export const script = JSON.parse(readFileSync(join(import.meta.dir, "script.json"), "utf8")) as { steps: Step[] };

/** The workspace that the script begins with. */
export const seed = join(import.meta.dir, "seed.json");

export interface DevServer {
  baseUrl: string;
  key: string;
  controlUrl: string;
  controlToken: string;
  webhookSecret: string;
  stop(): Promise<void>;
}

/** `waxwing dev` of the executable, or of the program of the other tests. */
export async function startDev(executable: string | undefined, options: string[] = []): Promise<DevServer> {
  const command = executable === undefined ? program : [executable];
  const child = Bun.spawn([...command, "dev", "--json", "--listen", "127.0.0.1:0", "--with-parent", ...options], {
    stdin: "pipe",
    stdout: "pipe",
    stderr: "inherit",
  });
  for await (const line of linesOf(child.stdout)) {
    const ready = JSON.parse(line);
    return {
      baseUrl: ready.base_url,
      key: ready.api_key,
      controlUrl: ready.control_url,
      controlToken: ready.control_token,
      webhookSecret: ready.webhook_secret,
      async stop() {
        child.stdin.end();
        await child.exited;
      },
    };
  }
  throw new Error("waxwing dev printed nothing");
}

export async function control(server: DevServer, method: string, path: string, body: unknown): Promise<unknown> {
  const answer = await fetch(server.controlUrl + path, {
    method,
    headers: { authorization: `Bearer ${server.controlToken}`, "content-type": "application/json" },
    body: body === undefined ? null : JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
  return answer.json();
}

export interface Client {
  name: string;
  /** What runs the script; null with the reason where a language is missing. */
  command: (script: string, url: string, key: string) => string[];
  missing: string | null;
}

export interface ConformanceRun {
  failures: string[];
  steps: number;
  ms: number;
}

/** `{{in 10 days}}` becomes a time, as the workspace shows it. The script moves the clock by less before it is used. */
function dated(steps: readonly Step[]): Step[] {
  const at = formatInstant(Date.now() + 10 * 86_400_000, "Asia/Kolkata");
  return JSON.parse(JSON.stringify(steps).replaceAll("{{in 10 days}}", at)) as Step[];
}

export async function runScript(server: DevServer, client: Client, given = script.steps): Promise<ConformanceRun> {
  const steps = dated(given);
  await control(server, "POST", "/reset", {});
  const behind = {
    origin: new URL(server.baseUrl).origin,
    control: (method: string, path: string, body: unknown) => control(server, method, path, body),
  };
  const proxy = await startProxy(steps, behind);
  const folder = mkdtempSync(join(tmpdir(), "waxwing-script-"));
  try {
    const file = join(folder, "script.json");
    await Bun.write(file, JSON.stringify({ steps }));
    const startedAt = performance.now();
    const { results, errors } = await runClient(client, file, proxy, server);
    const failures = [...errors, ...compare(steps, results, proxy.tries)];
    return { failures, steps: results.size, ms: performance.now() - startedAt };
  } finally {
    await proxy.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function runClient(client: Client, file: string, proxy: RunningProxy, { baseUrl, key }: DevServer) {
  const command = client.command(file, proxy.url + new URL(baseUrl).pathname, key);
  const child = Bun.spawn(command, {
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
    env: { ...Bun.env, NO_COLOR: "1" },
  });
  const [text, said, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  const lines = text.split("\n").filter((line) => line.startsWith("{"));
  const results = new Map(lines.map((line) => JSON.parse(line) as Result).map((result) => [result.id, result]));
  return { results, errors: code === 0 ? [] : [`exit code ${code}: ${said}`] };
}

function compare(steps: readonly Step[], results: ReadonlyMap<string, Result>, tries: readonly Try[]): string[] {
  return steps.flatMap(({ id, call, expect, tries: expectedTries, keys }) => {
    const result = results.get(id);
    if (result === undefined) return [`${id} ${call}: no result`];
    const of = tries.filter(({ step }) => step === id);
    const problems = differences(expect, result, results, "");
    if (expectedTries !== undefined && of.length !== expectedTries)
      problems.push(`${of.length} tries, not ${expectedTries}`);
    const used = of.map(({ key }) => key);
    if (keys === "same" && (used[0] === null || new Set(used).size !== 1)) problems.push(`keys ${used}`);
    if (Array.isArray(keys) && JSON.stringify(used) !== JSON.stringify(keys)) problems.push(`keys ${used}`);
    const shown = JSON.stringify(result).slice(0, 600);
    return problems.length === 0 ? [] : [`${id} ${call}: ${problems.join("; ")}\n      ${shown}`];
  });
}

/** `expected` is a part of `actual`; lists have the same length. */
function differences(expected: unknown, actual: unknown, results: ReadonlyMap<string, Result>, at: string): string[] {
  if (typeof expected === "object" && expected !== null && !Array.isArray(expected)) {
    const special = matches(expected, actual);
    if (special !== null) return special ? [] : [`${at} is ${JSON.stringify(actual)}, not ${JSON.stringify(expected)}`];
    if (typeof actual !== "object" || actual === null) return [`${at} is ${JSON.stringify(actual)}`];
    return Object.entries(expected).flatMap(([name, one]) =>
      differences(one, member(actual, name), results, `${at}.${name}`),
    );
  }
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual) || actual.length !== expected.length) {
      return [`${at} is ${JSON.stringify(actual)}, not ${expected.length} items`];
    }
    return expected.flatMap((one, index) => differences(one, actual[index], results, `${at}.${index}`));
  }
  const path = typeof expected === "string" ? /^\{\{(.+)\}\}$/.exec(expected)?.[1] : undefined;
  const wanted = path === undefined ? expected : lookUp(results, path);
  return Object.is(wanted, actual) ? [] : [`${at} is ${JSON.stringify(actual)}, not ${JSON.stringify(wanted)}`];
}

function member(value: unknown, name: string): unknown {
  return (value as Record<string, unknown> | null | undefined)?.[name];
}

function matches(expected: object, actual: unknown): boolean | null {
  if ("$absent" in expected) return actual === undefined || actual === null;
  if ("$match" in expected) return new RegExp(String(expected.$match)).test(String(actual));
  const size = Array.isArray(actual) ? actual.length : Object.keys(actual ?? {}).length;
  if ("$count" in expected) return size === expected.$count;
  if ("$min" in expected) return size >= Number(expected.$min);
  return null;
}

function lookUp(results: ReadonlyMap<string, Result>, path: string): unknown {
  const [id = "", ...names] = path.split(".");
  return names.reduce((from: unknown, name) => member(from, name), results.get(id));
}

let built: string | undefined;

/** Compiles the TypeScript client into `folder`, as its package has it, and returns the path of its module. */
export function buildTypescriptClient(folder: string): string {
  if (built !== undefined && existsSync(built)) cpSync(built, folder, { recursive: true, verbatimSymlinks: true });
  else compileTypescriptClient(folder);
  built = folder;
  return join(folder, "index.js");
}

function compileTypescriptClient(folder: string): void {
  const source = join(checkout, "clients/typescript");
  const types = ["--typeRoots", join(checkout, "node_modules/@types")];
  const compiler = join(checkout, "node_modules/typescript/bin/tsc");
  const { exitCode, stdout } = Bun.spawnSync([process.execPath, compiler, "-p", source, "--outDir", folder, ...types]);
  if (exitCode !== 0) throw new Error(stdout.toString());
  symlinkSync(join(source, "package.json"), join(folder, "package.json"));
}

function buildGoRunner(source: string, binary: string): string {
  const built = Bun.spawnSync(["go", "build", "-o", binary, "."], { cwd: source });
  if (built.exitCode !== 0) throw new Error(built.stderr.toString());
  return binary;
}

export function clients(folder: string): Client[] {
  const runner = (name: string) => join(import.meta.dir, "runners", name);
  const missing = (command: string) => (Bun.which(command) === null ? `${command} is not installed` : null);
  const python = Bun.env.PYTHON ?? "python3";
  return [
    {
      name: "typescript",
      missing: missing("node"),
      command: (...args) => [
        "node",
        runner("typescript.mjs"),
        buildTypescriptClient(join(folder, "typescript")),
        ...args,
      ],
    },
    {
      name: "python",
      missing: missing(python),
      command: (...args) => [python, "-B", runner("python.py"), join(checkout, "clients/python"), ...args],
    },
    {
      name: "php",
      missing: missing("php"),
      command: (...args) => ["php", runner("php.php"), join(checkout, "clients/php/autoload.php"), ...args],
    },
    {
      name: "go",
      missing: missing("go"),
      command: (...args) => [buildGoRunner(runner("go"), join(folder, "go")), ...args],
    },
  ];
}
