/** A server that is killed during an import says so after its next start, and the import continues without loss or doubles. */
import { expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { linesOf } from "#test/support/database.ts";
import { program } from "#test/support/program.ts";

const ROWS = 60_000;
const ASKS_EVERY_MS = 40;

interface Server {
  url: string;
  /** Where the first operator's link is. */
  linkFile: () => Promise<string>;
  kill: (signal: "SIGKILL" | "SIGTERM") => Promise<unknown>;
}

async function serve(directory: string): Promise<Server> {
  const words = [...program, "serve", "--listen", "127.0.0.1:0", "--data", directory];
  const child = Bun.spawn(words, { cwd: directory, stdout: "pipe", stderr: "pipe" });
  const url = String((await linesOf(child.stdout).next()).value).replace("listening on ", "");
  return {
    url,
    linkFile: async () => {
      for await (const line of linesOf(child.stderr)) {
        const file = /it is in (\S+setup-link)$/.exec(line)?.[1];
        if (file !== undefined) return file;
      }
      throw new Error("no link was written");
    },
    kill: (signal) => {
      child.kill(signal);
      return child.exited;
    },
  };
}

interface Job {
  id: number;
  state: string;
  rows_done: number | null;
  outcome: Record<string, number> | null;
}

test("an import that kill -9 cut off is shown as interrupted, and resumed it counts every row once", async () => {
  const directory = mkdtempSync(join(tmpdir(), "waxwing-import-kill-"));
  let server = await serve(directory);
  let cookie = "";
  const ask = async <T>(method: string, path: string, body?: unknown, type = "application/json"): Promise<T> => {
    const response = await fetch(`${server.url}/console/api${path}`, {
      method,
      headers: { "sec-fetch-site": "same-origin", "content-type": type, cookie },
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    cookie ||= response.headers.get("set-cookie")?.split(";")[0] ?? "";
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return (JSON.parse(text) as { data: T }).data;
  };
  const until = async (path: string, holds: (job: Job) => boolean): Promise<Job> => {
    for (;;) {
      const job = await ask<Job>("GET", path);
      if (holds(job)) return job;
      if (job.state === "failed") throw new Error(JSON.stringify(job));
      // Another process with its own clock, which answers 50 times a second.
      await Bun.sleep(ASKS_EVERY_MS);
    }
  };
  try {
    const token = readFileSync(await server.linkFile(), "utf8")
      .trim()
      .split("#")[1];
    await ask("POST", "/links/use", { token, email: "asha@example.com", password: "a good long password" });
    await ask("POST", "/workspaces", { name: "Shop", country: "IN", timezone: "Asia/Kolkata" });
    const rows = Array.from({ length: ROWS }, (_, row) => `98765${String(row).padStart(5, "0")},Person ${row}`);
    const file = ["phone,name", ...rows, "12,Nobody"].join("\n");
    const { id } = await ask<Job>("POST", "/w/1/imports?name=people.csv", file, "application/octet-stream");
    const path = `/w/1/imports/${id}`;
    await ask("POST", `${path}/check`, { map: {}, opt_in: true, proof: "" });
    await until(path, ({ state }) => state === "checked");
    await ask("POST", `${path}/run`, {});
    await until(path, ({ rows_done: done }) => done !== null && done > 2_000 && done < ROWS);
    await server.kill("SIGKILL");
    server = await serve(directory);

    const cut = await ask<Job>("GET", path);
    expect([cut.state, cut.rows_done]).toEqual(["interrupted", null]);
    await ask("POST", `${path}/run`, {});
    const { outcome } = await until(path, ({ state }) => state === "done");
    const { created, unchanged, updated, failed, rows: counted } = outcome ?? {};
    expect({ created, unchanged, updated, failed, counted }).toEqual({
      ...{ created: ROWS, unchanged: 0, updated: 0, failed: 1 },
      counted: ROWS + 1,
    });
    const { url } = server;
    const list = await fetch(`${url}/console/api/w/1/contacts`, { headers: { cookie } });
    expect(((await list.json()) as { meta: { total: number } }).meta.total).toBe(ROWS);
  } finally {
    await server.kill("SIGTERM");
    rmSync(directory, { recursive: true, force: true });
  }
}, 600_000);
