/**
 * `bun run dev` on a copy of the sources: what a change of a route, of a screen and of the migration does to the running
 * server, its database and an open page.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { linesOf } from "#test/support/database.ts";
import { checkout } from "#test/support/source.ts";

const LIMIT_MS = 180_000;
const ROUTE = "src/http/endpoints/workspaces.ts";
const SCREEN = "src/web/app/not-found.tsx";
const MIGRATION = "migrations/0001_initial.sql";

let copy: string;
let child: Bun.Subprocess<"ignore", "pipe", "pipe">;
let url: string;
let signInLink: string;
let key: string;
const said: string[] = [];

beforeAll(async () => {
  copy = mkdtempSync(join(tmpdir(), "waxwing-loop-"));
  for (const name of ["src", "scripts", "migrations", "docs", "examples", "package.json", "tsconfig.json"]) {
    cpSync(join(checkout, name), join(copy, name), { recursive: true });
  }
  symlinkSync(join(checkout, "node_modules"), join(copy, "node_modules"));
  child = Bun.spawn([process.execPath, "scripts/dev.ts", "--listen", "127.0.0.1:0", "--data", "kept"], {
    cwd: copy,
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  void (async () => {
    for await (const line of linesOf(child.stdout)) said.push(line);
  })();
  signInLink = (await toSay(/sign in +(\S+)/))[1] ?? "";
  key = (await toSay(/key +(\S+)/))[1] ?? "";
  url = new URL(signInLink).origin;
}, LIMIT_MS);

afterAll(async () => {
  child.kill("SIGINT");
  expect(await child.exited).toBe(0);
  rmSync(copy, { recursive: true, force: true });
});

/** Waits for a line that was not said before `from`. */
async function toSay(pattern: RegExp, from = 0): Promise<RegExpExecArray> {
  const start = performance.now();
  for (;;) {
    for (const line of said.slice(from)) {
      const found = pattern.exec(line);
      if (found !== null) return found;
    }
    if (performance.now() - start > LIMIT_MS) throw new Error(`not said: ${pattern}\n${said.join("\n")}`);
    await Bun.sleep(10);
  }
}

function edit(path: string, from: string, to: string): void {
  const text = readFileSync(join(copy, path), "utf8");
  expect(text).toContain(from);
  writeFileSync(join(copy, path), text.replace(from, to));
}

function me(): Promise<Response> {
  return fetch(`${url}/api/v1/me`, { headers: { authorization: `Bearer ${key}` } });
}

function withSession(cookie: string): Promise<Response> {
  return fetch(`${url}/console/api/me`, { headers: { cookie } });
}

async function signIn(): Promise<string> {
  const response = await fetch(signInLink, { redirect: "manual" });
  expect(response.status).toBe(303);
  expect(response.headers.get("location")).toBe("/console");
  return (response.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
}

test(
  "one link signs the demo operator in, as often as it is opened; another token does not",
  async () => {
    const first = await signIn();
    const second = await signIn();
    for (const cookie of [first, second]) {
      const response = await withSession(cookie);
      expect(await response.json()).toMatchObject({
        data: { user: { email: "operator@example.com", is_operator: true } },
      });
    }
    expect((await fetch(`${url}/dev/sign-in?token=x`, { redirect: "manual" })).status).toBe(403);
  },
  LIMIT_MS,
);

test(
  "a change of a route restarts the server on its database; requests meanwhile wait, sessions and keys stay",
  async () => {
    const cookie = await signIn();
    const from = said.length;
    const nameOf = async (): Promise<unknown> => ((await (await me()).json()) as { data: { name: string } }).data.name;
    const name = await nameOf();
    const view = "viewWorkspace(workspace, owned, findAccount(tx, workspace.id))";
    const [shown, changed] = [`return ${view};`, `return { ...${view}, name: "Changed" };`];
    edit(ROUTE, shown, changed);
    await toSay(/server restarted in .* \(src\/http\/endpoints\/workspaces\.ts\)/, from);
    expect(await nameOf()).toBe("Changed");
    expect((await withSession(cookie)).status).toBe(200);

    edit(ROUTE, changed, shown);
    // Asked all the time, it never refuses: the old server answers, or the new one does.
    for (let answered: unknown = "Changed"; answered !== name; ) {
      answered = await nameOf();
      expect(["Changed", name]).toContain(answered);
      // Slower than the key's rate limit.
      await Bun.sleep(30);
    }
  },
  LIMIT_MS,
);

test(
  "a server that cannot start says so, and the next change starts it",
  async () => {
    const from = said.length;
    edit(ROUTE, "export const workspaceEndpoints", "export konst workspaceEndpoints");
    await toSay(/the server could not start/, from);
    expect((await me()).status).toBe(503);
    edit(ROUTE, "export konst workspaceEndpoints", "export const workspaceEndpoints");
    await toSay(/server restarted/, from);
    expect((await me()).status).toBe(200);
  },
  LIMIT_MS,
);

test(
  "a change of a screen is bundled and announced to open pages, without a restart of the server",
  async () => {
    const page = async () => await (await fetch(`${url}/console`)).text();
    const script = async () => /src="(\/console\/assets\/main-[^"]+\.js)"/.exec(await page())?.[1] ?? "";
    expect(await page()).toContain('<script src="/dev/reload.js"></script>');
    const before = await script();
    const changes = linesOf((await fetch(`${url}/dev/changes`)).body ?? new ReadableStream());
    const build = async () => {
      for (;;) {
        const line = String((await changes.next()).value);
        if (line.startsWith("data: ")) return line.slice("data: ".length);
      }
    };
    expect(await build()).toContain(before.split("/").at(-1) ?? "-");

    const from = said.length;
    edit(SCREEN, "{strings.notFoundText}", "A sentence of this test.");
    const announced = await build();
    const after = await script();
    expect(after).not.toBe(before);
    expect(announced).toContain(after.split("/").at(-1) ?? "-");
    // Pages that are still open may ask for parts of the build before.
    expect((await fetch(`${url}${before}`)).status).toBe(200);
    const parts = await (await fetch(`${url}${after}`)).text();
    expect(parts).toContain("A sentence of this test.");
    expect(said.slice(from).filter((line) => line.includes("restarted"))).toEqual([]);

    edit(SCREEN, "A sentence of this test.", "{strings.");
    await toSay(/the console could not be bundled/, from);
    expect(await script()).toBe(after);
  },
  LIMIT_MS,
);

test(
  "an applied migration that changes: its database is set aside for a new one, and schema.sql counts for nothing",
  async () => {
    let from = said.length;
    edit(
      MIGRATION,
      "CREATE TABLE instance (",
      "CREATE TABLE added (id INTEGER PRIMARY KEY) STRICT;\nCREATE TABLE instance (",
    );
    await toSay(/an applied migration has changed: new database/, from);
    key = (await toSay(/key +(\S+)/, from))[1] ?? "";
    expect((await me()).status).toBe(200);
    const [aside] = readdirSync(copy).filter((name) => name.startsWith("kept.before-"));
    expect(existsSync(join(copy, aside ?? "", "waxwing.db"))).toBe(true);
    // The link still works: the operator is a new one.
    expect((await withSession(await signIn())).status).toBe(200);

    from = said.length;
    writeFileSync(join(copy, "migrations/schema.sql"), "-- made anew\n");
    edit(ROUTE, "The workspace.", "The workspace of the key.");
    await toSay(/server restarted/, from);
    expect(readdirSync(copy).filter((name) => name.startsWith("kept.before-"))).toHaveLength(1);
    expect((await me()).status).toBe(200);
  },
  LIMIT_MS,
);
