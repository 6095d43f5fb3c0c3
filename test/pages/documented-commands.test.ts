/**
 * Every command of README, CONTRIBUTING and docs/, by its first words: run here exactly as shown, or run by a test that
 * the table names. A command that no entry covers fails, so that a page cannot show what nothing runs.
 */
import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Ran, Workshop } from "#test/cli/spawn.ts";
import { FakeObjectStore } from "#test/support/object-store.ts";
import { commandsIn } from "#test/support/shell-blocks.ts";
import { checkout } from "#test/support/source.ts";
import packageJson from "../../package.json" with { type: "json" };

const LIMIT_MS = 300_000;

const pages = ["README.md", "CONTRIBUTING.md", ...markdownIn("docs")].map((path) => ({
  path,
  commands: commandsIn(readFileSync(join(checkout, path), "utf8")),
}));

function markdownIn(folder: string): string[] {
  return readdirSync(join(checkout, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => `${folder}/${name}`)
    .toSorted();
}

/** Commands that need more than this test has, and the test file that runs each. */
const elsewhere: { begins: string; by: string; says: RegExp }[] = [
  { begins: "./install.sh", by: "test/install.test.ts", says: /install\.sh/ },
  { begins: "curl", by: "test/pages/printed-commands.test.ts", says: /every request shown/ },
  { begins: "bun run dev", by: "test/pages/dev-loop.test.ts", says: /bun run dev/ },
  { begins: "bun run build", by: "test/support/executable.ts", says: /build/ },
  { begins: "bun run graph", by: "test/graph.test.ts", says: /scripts\/graph\.ts/ },
  { begins: "bun run test:sim", by: "test/sim/simulation.test.ts", says: /round/ },
  { begins: "bun run test:alarms", by: "test/monitoring.test.ts", says: /alarms/ },
  { begins: "bun run test:small", by: "test/executable/small.test.ts", says: /limit/ },
  { begins: "bun run test:systemd", by: "test/install.test.ts", says: /systemd/ },
  { begins: "bun run test:long", by: "test/flow/consent-property.test.ts", says: /inForm/ },
  { begins: "bun run test:crash", by: "test/crash/mixed.test.ts", says: /crash/ },
  { begins: "bun run test:fuzz", by: "test/fuzz/fuzz.test.ts", says: /fuzz/i },
  { begins: "bun run bench", by: "test/bench/flatness.test.ts", says: /flat/i },
  { begins: "bun run openapi", by: "test/api/openapi.test.ts", says: /docs\/openapi\.json/ },
  { begins: "bun run clients", by: "test/clients/clients.test.ts", says: /clientFiles/ },
  ...["make.sh", "clients.sh", "publish.sh"].map((name) => ({
    ...{ begins: `sh scripts/release/${name}`, by: "test/release-workflow.test.ts" },
    says: new RegExp(`"${name}"`),
  })),
  { begins: "bun scripts/release/check.ts", by: "test/release-workflow.test.ts", says: /scripts\/release\/check\.ts/ },
  { begins: "sh install.sh", by: "test/install-release.test.ts", says: /--release/ },
  { begins: "npx waxwing dev", by: "test/executable/npm.test.ts", says: /"npx", "--offline", "waxwing"/ },
  { begins: "npm install -D waxwing", by: "test/executable/npm.test.ts", says: /"npm", "install"/ },
  { begins: "waxwing upgrade", by: "test/executable/upgrade.test.ts", says: /"upgrade", "back"/ },
  { begins: "waxwing move", by: "test/backup/move.test.ts", says: /"move", "out"/ },
  { begins: "waxwing dev", by: "test/pages/docs-samples.test.ts", says: /"--forward"/ },
  { begins: "waxwing listen", by: "test/cli/listen.test.ts", says: /listen/ },
  { begins: "waxwing tail", by: "test/cli/tail.test.ts", says: /tail/ },
  { begins: "waxwing restore s3://BUCKET/NAME", by: "test/backup/remote.test.ts", says: /"restore", sent\.archive/ },
  {
    begins: "waxwing backup recovery-sheet --recovery-key-file",
    by: "test/backup/remote.test.ts",
    says: /"recovery-sheet"/,
  },
  { begins: "waxwing trigger", by: "test/cli/trigger.test.ts", says: /trigger/ },
];

/** What the suite cannot run, with the reason. The test below checks the syntax alone. */
const notRun: { begins: string; why: string }[] = [
  { begins: "systemctl", why: "the machine's own services" },
  { begins: "journalctl", why: "the machine's own log" },
  { begins: "git", why: "the reader's checkout" },
  { begins: "export", why: "the reader's shell" },
  { begins: "umask", why: "the reader types the token" },
  { begins: "rm token", why: "the reader's file" },
  { begins: "scp", why: "the reader's machines" },
  { begins: "rm /root/server.move", why: "the reader's file" },
  { begins: "bun run test:fast", why: "a part of the suite" },
  { begins: "bun run test:full", why: "hours: the suite and everything beyond it" },
  { begins: "bun run test", why: "the suite itself, which is running" },
  { begins: "bun test", why: "the suite itself, which is running" },
  { begins: "bun run check", why: "the suite itself, which is running" },
  { begins: "bun run soak", why: "ten minutes; a measurement, not a test" },
  { begins: "bun run screenshots", why: "minutes; pictures for a person to look at" },
];

/** Without `sudo`, another user and variables before the command. */
function plain(words: readonly string[]): string[] {
  const rest = [...words];
  while (rest[0] === "sudo" || rest[0] === "-u" || /^[A-Z_]+=/.test(rest[0] ?? "")) {
    rest.splice(0, rest[0] === "-u" ? 2 : 1);
  }
  return rest;
}

const begins = (words: readonly string[], prefix: string): boolean =>
  `${words.join(" ").replace(/;/g, " ")} `.startsWith(`${prefix} `);

/** A shop of the page's own: a server, and the rows that the page's examples name. */
class Place implements AsyncDisposable {
  readonly workshop = new Workshop();
  readonly objects = new FakeObjectStore();
  readonly receiver = Bun.serve({ port: 0, fetch: () => new Response("ok") });
  #server: { child: Bun.Subprocess; url: string } | null = null;

  run(words: string[]): Promise<Ran> {
    return this.workshop.run(["--data", this.workshop.path("data"), ...words]);
  }

  async prepare(): Promise<void> {
    const { workshop } = this;
    for (const name of ["order_shipped", "weekend_offer"]) {
      const components = [{ type: "BODY", text: "Hello {{1}}, {{2}}." }];
      const template = { name, language: "en_US", category: "MARKETING", components };
      workshop.write(`${name}.json`, JSON.stringify(template));
    }
    workshop.write("cake.png", "a picture");
    workshop.write("store-secret", this.objects.secret);
    workshop.write("people.csv", "phone,name\n+919811100001,Asha Rao\n");
    await this.#need("workspace create --name Shop --country IN --timezone Asia/Kolkata");
    await this.#need("number add --workspace 1 --phone +911244001199 --name Shop --network simulator");
    await this.#need("template add --workspace 1 --file weekend_offer.json");
    await this.#need(`webhook set --workspace 1 --url ${this.receiver.url}hook`);
    const { key } = JSON.parse(await this.#need("key create --workspace 1 --json"));
    await this.start();
    const post = async (path: string, body: object): Promise<void> => {
      const { status } = await fetch(`${this.#server?.url}/api/v1${path}`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body: JSON.stringify(body),
      });
      expect([path, status]).toEqual([path, path === "/messages" ? 201 : 202]);
    };
    await post("/messages", { to: "+442079460210", template: "weekend_offer", variables: ["Asha", "20"] });
    const later = new Date(Date.now() + 3_600_000).toISOString();
    const offer = { name: "Offer", template: "weekend_offer", variables: ["you", "20"], send_at: later };
    await post("/broadcasts", { ...offer, to: ["+442079460211"] });
  }

  async start(): Promise<void> {
    const words = ["serve", "--listen", "127.0.0.1:0", "--data", this.workshop.path("data")];
    const { child, firstLine } = await this.workshop.start(words);
    this.#server = { child, url: firstLine.replace("listening on ", "") };
  }

  async stop(): Promise<void> {
    this.#server?.child.kill("SIGTERM");
    await this.#server?.child.exited;
    this.#server = null;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    await this.receiver.stop(true);
    await this.objects.stop();
    this.workshop[Symbol.dispose]();
  }

  async #need(line: string): Promise<string> {
    const { code, stdout, stderr } = await this.run(line.split(" "));
    if (code !== 0) throw new Error(`${line}: exit ${code}: ${stderr}`);
    return stdout;
  }
}

/** The reader's own names and ids in place of the page's. */
function ownWords(words: readonly string[], { workshop, receiver, objects }: Place): string[] {
  const own: [RegExp, string][] = [
    [/^https:\/\/shop\.example\/.*$/, `${receiver.url}hook`],
    [/^https:\/\/s3\..*$/, objects.endpoint],
    [/^BUCKET$/, objects.bucket],
    [/^ID$/, objects.accessKey],
    [/^\/etc\/waxwing\/store-secret$/, workshop.path("store-secret")],
    [/^\/srv\/backups\/.*$/, workshop.path("backup.db")],
    [/^FILE$/, workshop.path("backup.db")],
    [/^(7|1042)$/, "1"],
  ];
  return words.map((word) => own.reduce((text, [pattern, to]) => text.replace(pattern, to), word));
}

for (const { path, commands } of pages) {
  const shown = commands.map(plain);
  // docs/whatsapp.md needs a network; the test on the executable has a fake one.
  const isWhatsapp = path === "docs/whatsapp.md";
  const here = isWhatsapp
    ? []
    : shown.filter((words) => words[0] === "waxwing" && !elsewhere.some((entry) => begins(words, entry.begins)));
  if (here.length > 0) {
    test(
      `the waxwing commands of ${path} succeed in the page's order`,
      async () => {
        await using place = new Place();
        await place.prepare();
        const failed: unknown[] = [];
        for (const words of shown) {
          if (begins(words, "systemctl stop")) await place.stop();
          if (begins(words, "systemctl start")) await place.start();
          // A scheduled broadcast would be watched for an hour.
          if (!here.includes(words) || words.includes("--watch")) continue;
          const { code, stderr } = await place.run(ownWords(words.slice(1), place));
          if (code !== 0) failed.push({ command: words.join(" "), code, stderr });
        }
        expect(failed).toEqual([]);
      },
      LIMIT_MS,
    );
  }

  test(`every other command of ${path} is run by the test that the table names`, () => {
    const rest = shown.filter((words) => !here.includes(words));
    const uncovered = rest.filter((words) => {
      if (isWhatsapp && words[0] === "waxwing") return !runsOnExecutable(words);
      return ![...elsewhere, ...notRun].some((entry) => begins(words, entry.begins));
    });
    expect(uncovered.map((words) => words.join(" "))).toEqual([]);
  });
}

/** Whether the test of docs/whatsapp.md takes the command with these words from the page. */
function runsOnExecutable([, group = "", name = ""]: readonly string[]): boolean {
  const text = readFileSync(join(checkout, "test/executable/whatsapp.test.ts"), "utf8");
  return text.includes(`"${group}", "${name}"`) || text.includes(`("${group}"`);
}

describe("the table of commands", () => {
  test("names tests that exist and still run the command", () => {
    const stale = elsewhere.filter(({ by, says }) => !says.test(readFileSync(join(checkout, by), "utf8")));
    expect(stale.map(({ begins: prefix, by }) => `${prefix}: ${by}`)).toEqual([]);
  });

  test("has no entry that no page needs", () => {
    const all = pages.flatMap(({ commands }) => commands.map(plain));
    const unused = [...elsewhere, ...notRun].filter(
      ({ begins: prefix }) => !all.some((words) => begins(words, prefix)),
    );
    expect(unused.map(({ begins: prefix }) => prefix)).toEqual([]);
  });

  test("names scripts that package.json has", () => {
    const scripts = [...elsewhere, ...notRun].flatMap(({ begins: prefix }) => /^bun run (\S+)/.exec(prefix)?.[1] ?? []);
    expect(scripts.filter((name) => !(name in packageJson.scripts))).toEqual([]);
  });
});
