/**
 * Runs the command line as an operator does: in a process and a directory of its own. `CallingWorkshop` calls the same
 * entry point within this process, which takes a tenth of the time; it suits tests that only need what a command
 * prints.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { run } from "#src/cli/cli.ts";
import { type Clock, systemClock } from "#src/core/clock.ts";
import { systemRandom } from "#src/core/random.ts";
import { program } from "#test/support/program.ts";

export interface Ran {
  code: number;
  stdout: string;
  stderr: string;
}

export interface RunOptions {
  stdin?: string;
  env?: Record<string, string>;
  /** Of a command that is called within this process. */
  clock?: Clock;
}

/** A temporary directory with a configuration. Relative paths in commands start there. */
export class Workshop implements Disposable {
  readonly directory = mkdtempSync(join(tmpdir(), "waxwing-cli-"));
  readonly #running = new Set<Bun.Subprocess>();

  /** By default the WhatsApp address refuses connections; a test that needs a network configures a fake one. */
  constructor(
    config = '[webhooks]\nallow_http = true\nallow_private = true\n[whatsapp]\ngraph_url = "http://127.0.0.1:9"\n[alerts]\nnone = true\n',
  ) {
    // The file also keeps commands from reading the configuration of a service installed on this machine.
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
    const child = Bun.spawn([...program, ...args], {
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

  /** Runs with `--json`, requires exit 0 and exactly one document, and returns it. */
  async json<T = Record<string, unknown>>(args: string[], options: RunOptions = {}): Promise<T> {
    const ran = await this.run([...args, "--json"], options);
    if (ran.code !== 0) throw new Error(`${args.join(" ")}: exit ${ran.code}: ${ran.stdout}${ran.stderr}`);
    return JSON.parse(ran.stdout) as T;
  }

  /** Runs with `--json`, requires exit 1 and returns the error. */
  async refusal(args: string[], options: RunOptions = {}): Promise<Record<string, unknown>> {
    const ran = await this.run([...args, "--json"], options);
    if (ran.code !== 1) throw new Error(`${args.join(" ")}: exit ${ran.code}: ${ran.stdout}${ran.stderr}`);
    return (JSON.parse(ran.stdout) as { error: Record<string, unknown> }).error;
  }

  /** Starts a long-running command and returns once it has printed its first line. */
  async start(args: string[], options: RunOptions = {}) {
    const child = Bun.spawn([...program, ...args], {
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

  /** Starts a long-running command and drops its output. */
  background(args: string[], options: RunOptions = {}): Bun.Subprocess {
    const child = Bun.spawn([...program, ...args], {
      cwd: this.directory,
      env: this.#env(options.env),
      stdio: ["ignore", "ignore", "ignore"],
    });
    this.#running.add(child);
    return child;
  }

  /** Starts a long-running command whose output the test reads. */
  piped(args: string[], options: RunOptions = {}) {
    const child = Bun.spawn([...program, ...args], {
      cwd: this.directory,
      env: this.#env(options.env),
      stdin: "ignore",
      stdout: "pipe",
      stderr: "ignore",
    });
    this.#running.add(child);
    return child;
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

/** Runs commands within this process, on the same files as spawned ones. */
export class CallingWorkshop extends Workshop {
  /** The data directory of the commands. Set it to a running server's directory to run commands beside that server. */
  data = this.path("data");

  override async run(args: string[], { stdin = "", env = {}, clock = systemClock }: RunOptions = {}): Promise<Ran> {
    let stdout = "";
    let stderr = "";
    const places = ["--config", this.path("waxwing.toml"), "--data", this.data];
    const code = await run([...places, ...args], {
      env,
      clock,
      random: systemRandom,
      root: null,
      isTerminal: false,
      isErrorTerminal: false,
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
