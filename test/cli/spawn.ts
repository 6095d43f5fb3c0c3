/**
 * Runs the command line as an operator does: a process of its own, in a directory of its own. Where only answers count,
 * `CallingWorkshop` calls the same entry within this process, which takes a tenth of the time.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { run } from "#src/cli/cli.ts";
import { systemClock } from "#src/core/clock.ts";
import { systemRandom } from "#src/core/random.ts";

const MAIN = join(import.meta.dir, "../../src/main.ts");

export interface Ran {
  code: number;
  stdout: string;
  stderr: string;
}

export interface RunOptions {
  stdin?: string;
  env?: Record<string, string>;
}

/** A temporary directory with a configuration for tests; relative paths of commands count from it. */
export class Workshop implements Disposable {
  readonly directory = mkdtempSync(join(tmpdir(), "waxwing-cli-"));
  readonly #running = new Set<Bun.Subprocess>();

  /** Without a network: a test that needs one configures a fake one. */
  constructor(
    config = '[webhooks]\nallow_http = true\nallow_private = true\n[whatsapp]\ngraph_url = "http://127.0.0.1:9"\n',
  ) {
    // Also keeps the configuration of a service that may be installed on this machine out.
    this.write("waxwing.toml", config);
  }

  path(name: string): string {
    return join(this.directory, name);
  }

  write(name: string, content: string): string {
    writeFileSync(this.path(name), content);
    return this.path(name);
  }

  run(args: string[], options: RunOptions = {}): Promise<Ran> {
    return this.spawn(args, options);
  }

  async spawn(args: string[], options: RunOptions = {}): Promise<Ran> {
    const child = Bun.spawn([process.execPath, MAIN, ...args], {
      cwd: this.directory,
      env: this.#env(options.env),
      stdin: new TextEncoder().encode(options.stdin ?? ""),
      stdout: "pipe",
      stderr: "pipe",
    });
    const [code, stdout, stderr] = await Promise.all([
      child.exited,
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
    ]);
    return { code, stdout, stderr };
  }

  /** Runs with `--json`, requires success and exactly one document, and gives it back. */
  async json<T = Record<string, unknown>>(args: string[], options: RunOptions = {}): Promise<T> {
    const ran = await this.run([...args, "--json"], options);
    if (ran.code !== 0) throw new Error(`${args.join(" ")}: exit ${ran.code}: ${ran.stdout}${ran.stderr}`);
    return JSON.parse(ran.stdout) as T;
  }

  /** Runs with `--json`, requires exit 1 and gives the error back. */
  async refusal(args: string[], options: RunOptions = {}): Promise<Record<string, unknown>> {
    const ran = await this.run([...args, "--json"], options);
    if (ran.code !== 1) throw new Error(`${args.join(" ")}: exit ${ran.code}: ${ran.stdout}${ran.stderr}`);
    return (JSON.parse(ran.stdout) as { error: Record<string, unknown> }).error;
  }

  /** Starts a long-running command and waits for the first line that it prints. */
  async start(args: string[], options: RunOptions = {}) {
    const child = Bun.spawn([process.execPath, MAIN, ...args], {
      cwd: this.directory,
      env: this.#env(options.env),
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
    });
    this.#running.add(child);
    const reader = child.stdout.getReader();
    let output = "";
    while (!output.includes("\n")) {
      const { done, value } = await reader.read();
      if (done) throw new Error(`${args.join(" ")} ended: ${output}${await new Response(child.stderr).text()}`);
      output += new TextDecoder().decode(value);
    }
    return { child, firstLine: output.slice(0, output.indexOf("\n")) };
  }

  [Symbol.dispose](): void {
    for (const child of this.#running) child.kill("SIGKILL");
    rmSync(this.directory, { recursive: true, force: true });
  }

  #env(more: Record<string, string> = {}): Record<string, string> {
    const own = Object.entries(process.env).filter(([name]) => !name.startsWith("WAXWING_"));
    return { ...Object.fromEntries(own.map(([name, value]) => [name, value ?? ""])), ...more };
  }
}

/** Commands run within this process, on the same files as those that are spawned. */
export class CallingWorkshop extends Workshop {
  /** The data directory of its commands; another one's for commands beside a running server. */
  data = this.path("data");

  override async run(args: string[], { stdin = "", env = {} }: RunOptions = {}): Promise<Ran> {
    let stdout = "";
    let stderr = "";
    const places = ["--config", this.path("waxwing.toml"), "--data", this.data];
    const code = await run([...places, ...args], {
      env,
      clock: systemClock,
      random: systemRandom,
      root: null,
      isTerminal: false,
      out: (text) => {
        stdout += text;
      },
      err: (text) => {
        stderr += text;
      },
      readInput: () => Promise.resolve(stdin),
      onSignal: () => {},
      onExit: () => {},
      exit: (exitCode) => {
        throw new Error(`exit ${exitCode}`);
      },
    });
    return { code, stdout, stderr };
  }
}

export const SHOP = ["--name", "Shop", "--country", "IN", "--timezone", "Asia/Kolkata"];
