/**
 * Kills the server while a scheduled broadcast is changed and comes due. Afterwards there is one broadcast, and one version of it
 * was sent, to each of its people once; or it waits for a person, and says so. The short form is part of every test run: 3
 * kills, from source. The full form kills the executable 20 times:
 *
 *   bun run test:crash broadcast-change
 *
 * Processes and time are real, so no two runs are the same: a failure prints what it found, not how to repeat it.
 */
import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isFull, program, roundsOf } from "#test/support/crash-form.ts";
import { linesOf } from "#test/support/database.ts";

const kills = roundsOf(20, 3);
const PASSWORD = "a good long password";
/** From the scheduling to the hour, and from there to the kill at the latest. */
const AHEAD_MS = 1_500;
const KILLED_WITHIN_MS = 2_000;

// biome-ignore lint/suspicious/noExplicitAny: the tests compare what they find in it.
type Answer = { status: number; body: any; cookie: string | null };

interface Running {
  url: string;
  link: Promise<string>;
  kill(): Promise<void>;
}

async function start(command: readonly string[], directory: string): Promise<Running> {
  const options = { cwd: directory, env: environment, stdout: "pipe", stderr: "pipe" } as const;
  const server = Bun.spawn([...command, "serve", "--listen", "127.0.0.1:0", "--data", directory], options);
  const link = Promise.withResolvers<string>();
  void (async () => {
    for await (const line of linesOf(server.stderr)) {
      const file = /it is in (\S+setup-link)$/.exec(line)?.[1];
      if (file !== undefined) link.resolve(readFileSync(file, "utf8").trim());
    }
  })();
  const url = String((await linesOf(server.stdout).next()).value).replace("listening on ", "");
  return {
    url,
    link: link.promise,
    async kill() {
      server.kill("SIGKILL");
      await server.exited;
    },
  };
}

/** The program refuses settings that it does not know, such as those of the crash tests. */
const environment = {
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("WAXWING_"))),
  WAXWING_ALERTS_NONE: "true",
  WAXWING_SIMULATOR_DELIVER_AFTER: "10ms",
  // The kill may leave a message in doubt, which keeps its broadcast running until it expires.
  WAXWING_BROADCASTS_IN_DOUBT_AFTER: "1s",
};

/** Null: the server died before its answer. */
async function ask(
  running: Running,
  cookie: string,
  method: string,
  path: string,
  body?: unknown,
): Promise<Answer | null> {
  try {
    const response = await fetch(`${running.url}/console/api${path}`, {
      method,
      headers: { "content-type": "application/json", "sec-fetch-site": "same-origin", cookie },
      ...(method === "GET" ? {} : { body: JSON.stringify(body ?? {}) }),
    });
    const set = response.headers.getSetCookie().find((one) => /^(__Host-)?waxwing=/.test(one));
    return { status: response.status, body: await response.json(), cookie: set?.split(";")[0] ?? null };
  } catch {
    return null;
  }
}

const peopleOf = (round: number, version: number) =>
  Array.from({ length: 3 }, (_, index) => `+91987${version}${String(round).padStart(2, "0")}${index}555`);

test(
  "a broadcast whose server is killed while it is changed is sent in one version, once, or waits and says so",
  async () => {
    using waxwing = await program();
    const { command } = waxwing;
    const directory = mkdtempSync(join(tmpdir(), "waxwing-change-"));
    let running = await start(command, directory);
    try {
      const token = (await running.link).split("#")[1] ?? "";
      const owner = { token, email: "asha@example.com", password: PASSWORD };
      const cookie = (await ask(running, "", "POST", "/links/use", owner))?.cookie ?? "";
      const send = async (method: string, path: string, body?: unknown) => ask(running, cookie, method, path, body);
      const shop = { name: "Shop", country: "IN", timezone: "Asia/Kolkata" };
      expect((await send("POST", "/workspaces", shop))?.status).toBe(201);
      const run = (...words: string[]) =>
        Bun.spawnSync([...command, ...words, "--json", "--data", directory], {
          cwd: directory,
          env: environment,
          stderr: "inherit",
        });
      run("number", "add", "--workspace", "1", "--phone", "+911244001100", "--name", "Shop", "--network", "simulator");
      const file = join(directory, "plain.json");
      const components = [{ type: "BODY", text: "Hi." }];
      await Bun.write(file, JSON.stringify({ name: "plain", language: "en_US", category: "UTILITY", components }));
      run("template", "add", "--workspace", "1", "--file", file);

      const ends = { old: 0, changed: 0, waiting: 0 };
      for (let round = 0; round < kills; round += 1) {
        const at = new Date(Date.now() + AHEAD_MS).toISOString();
        const body = { name: `Round ${round}`, template: "plain", to: peopleOf(round, 1), send_at: at };
        const { id } = (await send("POST", "/w/1/broadcasts", body))?.body.data ?? {};
        expect(id).toBe(round + 1);
        const changing = (async () => {
          await Bun.sleep(Math.random() * AHEAD_MS * 1.2);
          const begun = await send("POST", `/w/1/broadcasts/${id}/change`);
          if (begun?.status !== 201) return;
          const path = `/w/1/drafts/${begun.body.data.draft}`;
          const { send_at: _, ...now } = body;
          await send("PUT", path, { ...now, to: peopleOf(round, 2) });
          await send("POST", `${path}/send`, { reached: 3, amount: null });
        })();
        await Bun.sleep(Math.random() * KILLED_WITHIN_MS);
        await running.kill();
        await changing;
        running = await start(command, directory);
        const shown = async () => (await send("GET", `/w/1/broadcasts/${id}`))?.body.data;
        const deadline = Date.now() + 20_000;
        while (!["completed", "paused"].includes((await shown()).status) && Date.now() < deadline) await Bun.sleep(50);
        const { status, status_reason: reason, counts } = await shown();
        using database = new Database(join(directory, "waxwing.db"), { readonly: true });
        const rows = database
          .query(
            "SELECT to_phone AS phone, status, dispatched_at AS at FROM messages WHERE broadcast_id = ? ORDER BY id",
          )
          .all(id) as { phone: string; status: string; at: number | null }[];
        const phones = rows.map(({ phone }) => phone);
        const version = phones[0] === peopleOf(round, 1)[0] ? 1 : 2;
        expect([round, phones]).toEqual([round, peopleOf(round, version)]);
        if (status === "paused") {
          expect([round, reason, rows.filter(({ at }) => at !== null)]).toEqual([round, expect.any(String), []]);
          ends.waiting += 1;
        } else {
          expect([round, status, counts.total, counts.skipped]).toEqual([round, "completed", 3, 0]);
          ends[version === 1 ? "old" : "changed"] += 1;
        }
        const { requests } = database.query("SELECT count(*) AS requests FROM provider_requests").get() as {
          requests: number;
        };
        const { dispatched } = database
          .query("SELECT count(*) AS dispatched FROM messages WHERE dispatched_at IS NOT NULL")
          .get() as { dispatched: number };
        // No request is of a message that a change has removed.
        expect([round, requests <= dispatched]).toEqual([round, true]);
      }
      expect(ends.old + ends.changed + ends.waiting).toBe(kills);
      if (isFull)
        console.log(`${kills} kills: ${ends.old} sent as they were, ${ends.changed} changed, ${ends.waiting} waiting`);
    } finally {
      await running.kill();
      rmSync(directory, { recursive: true, force: true });
    }
  },
  isFull ? 300_000 : 90_000,
);
