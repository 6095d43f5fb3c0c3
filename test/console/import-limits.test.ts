/** What one workspace may keep on the server's disk for imports, and that its imports do not hold up another's. */
import { expect, test } from "bun:test";
import { existsSync, readdirSync, statSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { FairQueue } from "#src/transfer/fair-queue.ts";
import { firstOperator, type Visitor } from "#test/support/console.ts";
import { startTestServer, type TestServer } from "#test/support/server.ts";

const FILE = "phone,name\n+919876500001,Asha\n";
const GIBIBYTE = 1024 ** 3;

interface Scenario extends AsyncDisposable {
  app: TestServer;
  operator: Visitor;
  give: (workspace: number, text?: string) => Promise<{ status: number; id: number; fields: Record<string, string[]> }>;
  files: () => string[];
}

async function start(): Promise<Scenario> {
  const app = await startTestServer();
  await app.workspace();
  await app.workspace({ number: "+911244001200" });
  const operator = await firstOperator(app);
  const directory = join(app.directory, "imports");
  return {
    app,
    operator,
    async give(workspace, text = FILE) {
      const response = await fetch(`${app.server.url}/console/api/w/${workspace}/imports?name=a.csv`, {
        method: "POST",
        headers: {
          "sec-fetch-site": "same-origin",
          "content-type": "application/octet-stream",
          cookie: operator.cookie ?? "",
        },
        body: text,
      });
      const { data, error } = (await response.json()) as {
        data?: { id: number };
        error?: { fields: Record<string, string[]> };
      };
      return { status: response.status, id: data?.id ?? 0, fields: error?.fields ?? {} };
    },
    files: () => (existsSync(directory) ? readdirSync(directory) : []),
    [Symbol.asyncDispose]: () => app[Symbol.asyncDispose](),
  };
}

test("a workspace keeps twenty files: the next one is refused with the field, and takes no space", async () => {
  await using scenario = await start();
  for (let count = 0; count < 20; count++) expect((await scenario.give(1)).status).toBe(201);
  const refused = await scenario.give(1);
  expect(refused).toMatchObject({ status: 400, fields: { file: [expect.stringContaining("20 files")] } });
  expect(scenario.files()).toHaveLength(20);
  // Another workspace is not concerned, and discarding one makes room.
  expect((await scenario.give(2)).status).toBe(201);
  await scenario.operator.ask("DELETE", "/w/1/imports/1");
  expect((await scenario.give(1)).status).toBe(201);
});

test("an import that has ended makes room for the next file", async () => {
  await using scenario = await start();
  for (let count = 0; count < 20; count++) await scenario.give(1);
  scenario.app.store.client.exec("UPDATE imports SET state = 'done' WHERE id IN (3, 5)");
  expect((await scenario.give(1)).status).toBe(201);
  expect(scenario.files()).not.toContain("3.csv");
  expect(scenario.files()).toContain("5.csv");
});

test("the files of a workspace have a gibibyte together, those of rejected rows included", async () => {
  await using scenario = await start();
  const { id } = await scenario.give(1);
  const path = join(scenario.app.directory, "imports", `${id}.csv`);
  expect(statSync(path).size).toBe(FILE.length);
  // Sparse: it takes no space here.
  truncateSync(path, GIBIBYTE - 10);
  const refused = await scenario.give(1, FILE.repeat(50_000));
  expect(refused).toMatchObject({ status: 400, fields: { file: [expect.stringContaining("1024 MB")] } });
  expect(scenario.files()).toEqual([`${id}.csv`]);
  expect((await scenario.give(2)).status).toBe(201);
});

test("jobs of one workspace run one after another and leave room for another's; workspaces take turns", async () => {
  const queue = new FairQueue(2);
  const running: string[] = [];
  const ends = new Map<string, () => void>();
  const add = (workspace: number, name: string): void =>
    queue.add(workspace, () => {
      running.push(name);
      return new Promise((resolve) => ends.set(name, resolve));
    });
  const end = async (name: string): Promise<void> => {
    ends.get(name)?.();
    await Bun.sleep(0);
  };
  for (const name of ["1a", "1b", "1c"]) add(1, name);
  add(2, "2a");
  add(3, "3a");
  expect(running).toEqual(["1a", "2a"]);
  await end("1a");
  expect(running).toEqual(["1a", "2a", "1b"]);
  await end("2a");
  expect(running).toEqual(["1a", "2a", "1b", "3a"]);
  await end("3a");
  await end("1b");
  expect(running.at(-1)).toBe("1c");
});
