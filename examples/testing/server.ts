/**
 * A throwaway Waxwing for a test suite: starts `waxwing dev`, calls its API and its test control with nothing but
 * `fetch`, and ends with the suite. Copy it; it needs no package. Runs in Node 22 and up, and in Bun.
 */
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

export interface Waxwing {
  /** The API, as the shop's own code calls it. */
  api(method: string, path: string, body?: unknown): Promise<Answer>;
  /** The test control. */
  control(method: string, path: string, body?: unknown): Promise<Answer>;
  number: string;
  webhookSecret: string;
  stop(): Promise<void>;
}

export interface Answer {
  status: number;
  // A test looks into answers member by member.
  body: any;
}

/** `executable`: the path of the program. */
export async function startWaxwing(executable: string, options: string[] = []): Promise<Waxwing> {
  // Port 0 finds a free one, so that suites run side by side. The server ends when its standard input does.
  const child = spawn(executable, ["dev", "--json", "--listen", "127.0.0.1:0", "--with-parent", ...options], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const firstLine = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).once("line", resolve);
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`waxwing dev ended with ${code}`)));
  });
  const ready = JSON.parse(firstLine);
  return {
    api: (method, path, body) => call(ready.base_url + path, ready.api_key, method, body),
    control: (method, path, body) => call(ready.control_url + path, ready.control_token, method, body),
    number: ready.number,
    webhookSecret: ready.webhook_secret,
    async stop() {
      child.stdin.end();
      await ended;
    },
  };
}

async function call(url: string, token: string, method: string, body: unknown): Promise<Answer> {
  const answer = await fetch(url, {
    method,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: body === undefined ? null : JSON.stringify(body),
  });
  return { status: answer.status, body: await answer.json() };
}
