/** The database file under a running server: taken away, replaced, its log deleted. Nothing is accepted or dispatched. */
import { expect, setDefaultTimeout, test } from "bun:test";
import { copyFileSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { SHOP, Workshop } from "./spawn.ts";

setDefaultTimeout(60_000);

interface Running {
  workshop: Workshop;
  child: Awaited<ReturnType<Workshop["start"]>>["child"];
  send: () => Promise<Response>;
  conditions: () => Promise<string[]>;
}

async function startShop(workshop: Workshop): Promise<Running> {
  await workshop.json(["workspace", "create", ...SHOP]);
  const number = ["--workspace", "1", "--phone", "9876543210", "--name", "S", "--network", "simulator"];
  await workshop.json(["number", "add", ...number]);
  const { key } = await workshop.json<{ key: string }>(["key", "create", "--workspace", "1"]);
  const template = {
    ...{ name: "hello", language: "en", category: "UTILITY" },
    components: [{ type: "BODY", text: "Hello there." }],
  };
  const file = workshop.write("hello.json", JSON.stringify(template));
  await workshop.json(["template", "add", "--workspace", "1", "--file", file, "--status", "APPROVED"]);
  const { child, firstLine } = await workshop.start(["serve", "--listen", "127.0.0.1:0"]);
  const url = firstLine.replace("listening on ", "");
  return {
    ...{ workshop, child },
    send: () =>
      fetch(`${url}/api/v1/messages`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body: JSON.stringify({ to: "+919876500010", template: "hello" }),
      }),
    async conditions() {
      const { stdout } = await workshop.run(["status", "--json"]);
      return (JSON.parse(stdout) as { conditions: { id: string }[] }).conditions.map(({ id }) => id);
    },
  };
}

/** Returns for how many milliseconds it was not so: until the last command began that did not show it, however long one takes. */
async function untilCondition({ conditions }: Running, isThere: boolean): Promise<number> {
  const from = performance.now();
  for (let notAfter = 0; ; await Bun.sleep(50)) {
    const askedAfter = performance.now() - from;
    if ((await conditions()).includes("database_file") === isThere) return notAfter;
    notAfter = askedAfter;
    if (notAfter > 20_000) throw new Error(`database_file is ${isThere ? "missing" : "still there"}`);
  }
}

async function requireRefused({ send }: Running): Promise<void> {
  // Commits in quick succession share a look at the file.
  await Bun.sleep(10);
  const refused = await send();
  const body = (await refused.json()) as { error: { code: string; outcome: string } };
  expect([refused.status, body.error.code, body.error.outcome]).toEqual([503, "unavailable", "not_sent"]);
  expect(refused.headers.get("retry-after")).not.toBeNull();
}

test("gone: 503, a critical condition within seconds, nothing dispatched; back: it continues without a restart", async () => {
  using workshop = new Workshop("[backup]\nschedule = ''\n");
  const running = await startShop(workshop);
  const database = workshop.path("data/waxwing.db");
  expect((await running.send()).status).toBe(201);

  renameSync(database, `${database}.away`);
  await requireRefused(running);
  // Five seconds, on a busy machine.
  expect(await untilCondition(running, true)).toBeLessThan(8_000);
  await requireRefused(running);

  renameSync(`${database}.away`, database);
  await Bun.sleep(10);
  expect((await running.send()).status).toBe(201);
  await untilCondition(running, false);
  await workshop.json(["check"]);
  // The first and the last: what was refused is not there.
  await workshop.json(["message", "show", "2"]);
  await workshop.refusal(["message", "show", "3"]);
  running.child.kill("SIGTERM");
  expect(await running.child.exited).toBe(0);
});

test("a deleted log: 503 at once; a stop saves what it held, and the next start has every message", async () => {
  using workshop = new Workshop("[backup]\nschedule = ''\n");
  const running = await startShop(workshop);
  for (let n = 0; n < 3; n++) expect((await running.send()).status).toBe(201);
  rmSync(workshop.path("data/waxwing.db-wal"));
  await requireRefused(running);
  running.child.kill("SIGTERM");
  expect(await running.child.exited).toBe(0);
  const again = await workshop.start(["serve", "--listen", "127.0.0.1:0"]);
  await workshop.json(["message", "show", "3"]);
  again.child.kill("SIGTERM");
  await again.child.exited;
});

test("replaced: 503 until a restart, and the stop leaves the files of the other database alone", async () => {
  using workshop = new Workshop("[backup]\nschedule = ''\n");
  const running = await startShop(workshop);
  const database = workshop.path("data/waxwing.db");
  copyFileSync(database, `${database}.copy`);
  renameSync(`${database}.copy`, database);
  writeFileSync(`${database}-wal.copy`, "the log of another database");
  renameSync(`${database}-wal.copy`, `${database}-wal`);
  await requireRefused(running);
  running.child.kill("SIGTERM");
  await running.child.exited;
  expect(existsSync(`${database}-wal`)).toBe(true);
  expect(readFileSync(`${database}-wal`, "utf8")).toBe("the log of another database");
});
