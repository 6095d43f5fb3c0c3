/**
 * The executable, alone in an empty directory with an empty environment, from an empty database to a sent message. Bun,
 * Node and node_modules are out of its reach.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Client, openClient } from "#src/db/driver.ts";
import { linesOf } from "./support/database.ts";
import { placeExecutable } from "./support/executable.ts";
import { checkout } from "./support/source.ts";

const LIMIT_MS = 60_000;

const workshop = mkdtempSync(join(tmpdir(), "waxwing-build-"));
/** Holds the executable and the files it creates, nothing else. */
const place = mkdtempSync(join(tmpdir(), "waxwing-alone-"));
const executable = join(place, "waxwing");
const probe = join(workshop, "probe");

beforeAll(async () => {
  await Promise.all([placeExecutable(executable), buildProbe()]);
}, LIMIT_MS);

afterAll(() => {
  for (const directory of [workshop, place]) rmSync(directory, { recursive: true, force: true });
});

test(
  "the executable alone gets from nothing to a sent message, serves the console and shuts down cleanly",
  async () => {
    const { version } = (await Bun.file(join(checkout, "package.json")).json()) as { version: string };
    expect(await answer("version")).toMatchObject({ version });
    const workspace = String((await answer(...words("workspace create --name Shop --country IN --timezone UTC"))).id);
    const { key } = await answer("key", "create", "--workspace", workspace);
    const number = words("number add --phone +911244001100 --name Shop --network simulator --workspace");
    expect(await answer(...number, workspace)).toMatchObject({ phone: "+911244001100", ready: true });
    const template = {
      name: "order_shipped",
      language: "en",
      category: "UTILITY",
      components: [{ type: "BODY", text: "Hello {{1}}", example: { body_text: [["Asha"]] } }],
    };
    await Bun.write(join(place, "template.json"), JSON.stringify(template));
    await answer("template", "add", "--workspace", workspace, "--file", "template.json");

    const startedAt = performance.now();
    await using server = Bun.spawn([executable, "serve", "--listen", "127.0.0.1:0"], { ...alone, stderr: "pipe" });
    const lines = linesOf(server.stdout);
    const url = /^listening on (http:\/\/127\.0\.0\.1:\d+)$/.exec(String((await lines.next()).value))?.[1];
    expect(url).toBeDefined();
    const authorization = `Bearer ${key}`;
    const me = await fetch(`${url}/api/v1/me`, { headers: { authorization } });
    console.log(`start to first answer: ${Math.round(performance.now() - startedAt)} ms`);
    expect(me.status).toBe(200);

    // The rate limiter of an unused number starts empty: its first second fills it.
    const sent = await fetch(`${url}/api/v1/messages`, {
      method: "POST",
      headers: { authorization, "content-type": "application/json" },
      body: JSON.stringify(MESSAGE),
    });
    const body = await sent.text();
    expect([sent.status, body]).toEqual([201, expect.stringContaining('"sent"')]);

    // The executable contains the console: the page with its policy, and every file that the page names.
    const page = await fetch(`${url}/console`);
    const html = await page.text();
    expect([page.status, page.headers.get("content-security-policy")]).toEqual([
      200,
      expect.stringContaining("script-src 'self'; style-src 'self'"),
    ]);
    const files = [...html.matchAll(/\/console\/assets\/[\w.-]+/g)].map(([path]) => path);
    expect(files.length).toBeGreaterThan(1);
    for (const path of files) {
      const file = await fetch(`${url}${path}`, { headers: { "accept-encoding": "br" } });
      expect([file.status, file.headers.get("content-encoding"), file.headers.get("cache-control")]).toEqual([
        200,
        "br",
        "public, max-age=31536000, immutable",
      ]);
    }

    // A command works beside the server, on the same database.
    expect(await answer("workspace", "show", workspace)).toMatchObject({ name: "Shop" });

    const data = join(place, "data");
    expect(mode(data)).toBe("700");
    const stored = readdirSync(data, { withFileTypes: true });
    const names = stored.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(["waxwing.db", "waxwing.db-wal", "waxwing.key"]));
    const modes = stored.map((entry) => [
      entry.name,
      mode(join(data, entry.name)),
      entry.isDirectory() ? "700" : "600",
    ]);
    expect(modes.filter(([, found, right]) => found !== right)).toEqual([]);

    server.kill("SIGTERM");
    expect([await server.exited, await new Response(server.stderr).text()]).toEqual([
      0,
      expect.not.stringMatching(/error/i),
    ]);
    expect((await lines.next()).done).toBe(true);
    // A clean shutdown removes the write-ahead log: the file alone is the whole database.
    expect(readdirSync(data).filter((name) => /-(wal|shm)$/.test(name))).toEqual([]);
    expect(readdirSync(place).sort()).toEqual(["data", "template.json", "waxwing"]);
  },
  LIMIT_MS,
);

test(
  "the installer refuses an executable that is older than the database, and replaces nothing",
  async () => {
    const stage = join(workshop, "stage");
    const path = join(stage, "var/lib/waxwing/waxwing.db");
    const install = () =>
      Bun.spawnSync([join(checkout, "install.sh")], {
        env: { PATH: process.env.PATH ?? "", DESTDIR: stage, WAXWING_EXECUTABLE: executable },
        stdin: "ignore",
      });
    expect(install().exitCode).toBe(0);
    const created = words("workspace create --name Shop --country IN --timezone UTC --data");
    expect(await run(executable, created, join(stage, "var/lib/waxwing"))).toMatchObject({ code: 0 });
    expect(install().exitCode).toBe(0);

    const installed = join(stage, "usr/local/bin/waxwing");
    writeFileSync(installed, "what works");
    withDatabase(path, (client) => client.pragma("user_version = 999"));
    const before = readFileSync(path);
    const { exitCode, stderr } = install();
    expect([exitCode, stderr.toString()]).toEqual([1, expect.stringContaining("the database has schema 999")]);
    expect(readFileSync(installed, "utf8")).toBe("what works");
    expect(readFileSync(path).equals(before)).toBe(true);
  },
  LIMIT_MS,
);

test(
  "the reader thread works in an executable, which contains the worker's file",
  async () => {
    const data = join(workshop, "data");
    mkdirSync(data);
    const created = await run(
      executable,
      words("workspace create --name Shop --country IN --timezone UTC --data"),
      data,
    );
    expect(created.code).toBe(0);
    expect(await run(probe, [], join(data, "waxwing.db"))).toEqual({
      code: 0,
      out: '[{"id":1,"name":"Shop"}]\n',
      err: "",
    });
    // The probe shows that a Worker is found by this path; the executable has its file under the same path.
    expect(await holds(executable, "/$bunfs/root/src/db/reader-worker.js")).toBe(true);
    expect(await holds(executable, "/$bunfs/root/src/db/log-copier-worker.js")).toBe(true);
  },
  LIMIT_MS,
);

test(
  "an account created through one workspace's invitation gets no access to another workspace that invites its address",
  async () => {
    const data = ["--data", join(workshop, "invitations")];
    for (const name of ["Theirs", "Ours"]) {
      await answer(...words(`workspace create --name ${name} --country IN --timezone UTC`), ...data);
    }
    const invite = async (workspace: number) => {
      const command = words(`user create --email victim@example.com --role owner --workspace ${workspace}`);
      const { link, account } = await answer(...command, ...data);
      return { token: String(link).split("#")[1] ?? "", account };
    };
    await using server = Bun.spawn([executable, "serve", "--listen", "127.0.0.1:0", ...data], alone);
    const lines = linesOf(server.stdout);
    let url: string | undefined;
    while (url === undefined) {
      const { value, done } = await lines.next();
      if (done === true) throw new Error("the server has ended");
      url = /^listening on (http:\/\/127\.0\.0\.1:\d+)$/.exec(String(value))?.[1];
    }
    const ask = async (method: string, path: string, cookie: string, body?: unknown) => {
      const answered = await fetch(`${url}/console/api${path}`, {
        method,
        headers: { cookie, "sec-fetch-site": "same-origin", "content-type": "application/json" },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const { data, error } = (await answered.json()) as { data?: Record<string, unknown>; error?: { code: string } };
      const given = answered.headers.getSetCookie()[0]?.split(";")[0] ?? "";
      return { status: answered.status, data, code: error?.code, cookie: given };
    };
    const use = async (token: string, password: string, more = {}) =>
      ask("POST", "/links/use", "", { token, password, ...more });
    const workspaces = async (cookie: string) => (await ask("GET", "/me", cookie)).data?.workspaces;

    const hijacker = await use((await invite(1)).token, "the hijacker's own one");
    expect(hijacker.status).toBe(201);
    const { token, account } = await invite(2);
    expect(account).toMatchObject({ is_in_use: true });
    expect(await workspaces(hijacker.cookie)).toMatchObject([{ name: "Theirs" }]);
    expect((await ask("POST", "/w/2/keys", hijacker.cookie, { name: "mine" })).status).toBe(404);
    expect((await use(token, "the victim's own one")).code).toBe("account_exists");
    // An owner's link ends no account that another workspace uses.
    expect((await use(token, "the victim's own one", { starts_again: true })).code).toBe("account_exists");
    expect((await ask("GET", "/me", hijacker.cookie)).status).toBe(200);
    expect(await run(executable, ["check", ...data], "--json")).toMatchObject({ code: 0, err: "" });
    server.kill("SIGTERM");
    expect(await server.exited).toBe(0);
  },
  LIMIT_MS,
);

const MESSAGE = { to: "98765 43210", template: "order_shipped", variables: ["Asha"] };

const alone = { cwd: place, env: {}, stdin: "ignore", stdout: "pipe" } as const;

function words(text: string): string[] {
  return text.split(" ");
}

function withDatabase(path: string, work: (client: Client) => void): void {
  const client = openClient(path, {});
  work(client);
  client.close();
}

function mode(path: string): string {
  return (statSync(path).mode & 0o777).toString(8);
}

/** Runs the command with `--json`, requires exit 0 and returns the document. */
async function answer(...command: string[]): Promise<Record<string, unknown>> {
  const { code, out, err } = await run(executable, command, "--json");
  expect({ code, err }).toEqual({ code: 0, err: "" });
  return JSON.parse(out) as Record<string, unknown>;
}

async function run(file: string, command: string[], last: string): Promise<{ code: number; out: string; err: string }> {
  const child = Bun.spawn([file, ...command, last], { ...alone, stderr: "pipe" });
  const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  return { code: await child.exited, out, err };
}

/** Builds as `scripts/build.ts` does, with a different entry point. */
async function buildProbe(): Promise<void> {
  await Bun.build({
    entrypoints: [join(checkout, "test/support/reader-probe.ts"), join(checkout, "src/db/reader-worker.ts")],
    root: checkout,
    format: "esm",
    compile: { outfile: probe, autoloadDotenv: false, autoloadBunfig: false },
    bytecode: true,
    minify: { whitespace: true, syntax: true, identifiers: false },
    sourcemap: "linked",
  });
}

async function holds(path: string, text: string): Promise<boolean> {
  return Buffer.from(await Bun.file(path).arrayBuffer()).includes(text);
}
