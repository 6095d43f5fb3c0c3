/** A whole server for the console's tests: a separate process, on an empty directory, with the link that it writes. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { linesOf } from "./database.ts";
import { program } from "./program.ts";

export interface ConsoleProcess extends AsyncDisposable {
  url: string;
  /** Creates the first operator. */
  setupLink: string;
  directory: string;
  /** Everything that it has written to stderr so far. */
  log(): string;
  /** Ends the server, and starts it again on the same port and directory. Resolves when it answers. */
  restart(): Promise<void>;
  /** Runs a command beside the server and returns what it prints with `--json`. */
  command(...words: string[]): Promise<Record<string, unknown>>;
}

/** `environment`: further settings, by the names of their variables. */
export async function startConsole(environment: Readonly<Record<string, string>> = {}): Promise<ConsoleProcess> {
  const directory = mkdtempSync(join(tmpdir(), "waxwing-console-"));
  const env = {
    ...process.env,
    WAXWING_ALERTS_NONE: "true",
    WAXWING_WEBHOOKS_ALLOW_HTTP: "true",
    WAXWING_WEBHOOKS_ALLOW_PRIVATE: "true",
    WAXWING_SIMULATOR_DELIVER_AFTER: "50ms",
    WAXWING_SIMULATOR_READ_AFTER: "100ms",
    ...environment,
  };
  const start = (listen: string) =>
    Bun.spawn([...program, "serve", "--listen", listen, "--data", directory], {
      cwd: directory,
      env,
      stdout: "pipe",
      stderr: "pipe",
    });
  let server = start("127.0.0.1:0");
  const addressOf = async (): Promise<string> =>
    String((await linesOf(server.stdout).next()).value).replace("listening on ", "");
  const url = await addressOf();
  const said: string[] = [];
  const link = Promise.withResolvers<string>();
  const listen = async (): Promise<void> => {
    for await (const line of linesOf(server.stderr)) {
      said.push(line);
      const file = /it is in (\S+setup-link)$/.exec(line)?.[1];
      if (file !== undefined) link.resolve(readFileSync(file, "utf8").trim());
    }
    link.resolve("");
  };
  let listening = listen();
  const setupLink = await link.promise;
  return {
    url,
    setupLink,
    directory,
    log: () => said.join("\n"),
    async restart() {
      server.kill("SIGTERM");
      await server.exited;
      await listening;
      server = start(new URL(url).host);
      listening = listen();
      await addressOf();
    },
    async command(...words) {
      const child = Bun.spawn([...program, ...words, "--json", "--data", directory], {
        cwd: directory,
        env,
        stdout: "pipe",
        stderr: "inherit",
      });
      return JSON.parse(await new Response(child.stdout).text()) as Record<string, unknown>;
    },
    async [Symbol.asyncDispose]() {
      server.kill("SIGTERM");
      await server.exited;
      await listening;
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
