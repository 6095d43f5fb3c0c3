/**
 * Every code block of every page of /docs: requests and programs are run in each language against a `waxwing dev`, exactly
 * as the page shows them (Go, which takes seconds to build, with `DOCS_FULL=1`); commands are those that documented-commands.test.ts runs; JSON can be read. A block that
 * nothing covers fails.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createHmac } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Language, languages } from "#src/http/api/docs/samples.ts";
import { Workshop } from "#test/cli/spawn.ts";
import { type Block, codeBlocks, runtimes } from "#test/support/docs-samples.ts";
import { checkout } from "#test/support/source.ts";

const LIMIT_MS = 300_000;
/** In the reference, ids of rows that the reader does not have. */
/** Whom the samples join with the person of the other samples. */
const SHOWN_OTHER = "442079460277";
const SHOWN_IDS = { messages: 1042, broadcasts: 1042, webhooks: 1042, media: 58, inbounds: 311, conversations: 17 };
const RECEIVER_PORT = ":3000";
/** Samples that show a refusal. */
const REFUSED = /7946 0001/;

/** Without values, so that any request may use it. */
const OWN_TEMPLATE = {
  ...{ name: "own", language: "en_US", category: "MARKETING" },
  components: [{ type: "BODY", text: "Hello." }],
};

/** The template that a language's requests correct and delete; the answers to its keys are its own. */
const ownTemplate = (language: string): string => `own_${language}`;

interface Ready {
  base_url: string;
  api_key: string;
  control_url: string;
  control_token: string;
  webhook_secret: string;
}

class Dev {
  readonly ready: Ready;

  constructor(ready: Ready) {
    this.ready = ready;
  }

  get origin(): string {
    return new URL(this.ready.base_url).origin;
  }

  async control<T>(method: string, path: string, body?: object): Promise<T> {
    const { control_url, control_token } = this.ready;
    return this.#call<T>(method, control_url + path, control_token, body);
  }

  async api<T>(method: string, path: string, body?: object): Promise<T> {
    const { base_url, api_key } = this.ready;
    return (await this.#call<{ data: T }>(method, base_url + path, api_key, body)).data;
  }

  async #call<T>(method: string, url: string, token: string, body?: object): Promise<T> {
    const answer = await fetch(url, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${url}: ${answer.status} ${text}`);
    return JSON.parse(text) as T;
  }
}

const workshop = new Workshop();
/** The demo, as the guides have it; and a shop with all that the examples of the reference name. */
let demo: Dev;
let shop: Dev;
let blocks: Block[] = [];
const devs: Bun.Subprocess[] = [];

async function startDev(...options: string[]): Promise<Dev> {
  // The samples of a language run at once, and are more than a program may ask for within a second.
  const env = { WAXWING_LIMITS_BURST: "1000" };
  const { child, firstLine } = await workshop.start(["dev", "--listen", "127.0.0.1:0", "--json", ...options], { env });
  devs.push(child);
  return new Dev(JSON.parse(firstLine) as Ready);
}

interface Sample {
  template?: string;
  language?: string;
  variables?: unknown[] | { header?: unknown[]; body?: unknown[] | Record<string, unknown> };
  media?: { link: string; filename?: string };
}

/** The values of all examples within a part of the document. */
function samplesWithin(part: unknown): Sample[] {
  if (typeof part !== "object" || part === null) return [];
  const { value } = part as { value?: Sample };
  const own = typeof value === "object" && value !== null ? [value] : [];
  return [...own, ...Object.values(part).flatMap(samplesWithin)];
}

/** A workspace with every template that the examples of the document send, and the people they name. */
function seedOf(document: { paths: object }): object {
  const made = new Map<string, object>();
  for (const value of samplesWithin(document.paths)) {
    const { template, language = "en_US", variables = [], media } = value;
    if (template === undefined || made.has(template)) continue;
    const { header = [], body = [] } = Array.isArray(variables) ? { body: variables } : variables;
    const isNamed = !Array.isArray(body);
    const names = isNamed ? Object.keys(body) : body.map((_, index) => `${index + 1}`);
    const places = names.map((name) => `{{${name}}}`).join(" and ");
    const head =
      media !== undefined
        ? [{ type: "HEADER", format: media.filename === undefined ? "IMAGE" : "DOCUMENT" }]
        : header.length > 0
          ? [{ type: "HEADER", format: "TEXT", text: "For {{1}}" }]
          : [];
    const components = [...head, { type: "BODY", text: `Hi ${places}, hello.` }];
    const format = isNamed ? { parameter_format: "NAMED" } : {};
    made.set(template, { name: template, language, category: "MARKETING", ...format, components });
  }
  return {
    workspaces: [
      {
        ...{ name: "Corner Shop", country: "IN", timezone: "Asia/Kolkata" },
        numbers: [{ phone: "+442079460100", name: "Corner Shop" }],
        templates: [
          OWN_TEMPLATE,
          ...languages.flatMap((one) =>
            ["en_US", "de"].map((language) => ({
              ...OWN_TEMPLATE,
              name: ownTemplate(one),
              language,
              category: "UTILITY",
            })),
          ),
          ...made.values(),
        ],
        contacts: [{ phone: "+442079460210", name: "Asha Rao", consent: "opted_in" }],
        groups: ["First", "Second", "Third"].map((name) => ({ name, filter: { field: "city", is: "Pune" } })),
      },
    ],
  };
}

/** Pages whose commands `documented-commands.test.ts` and `test/executable/whatsapp.test.ts` run. */
const FOR_OPERATORS = ["/docs/whatsapp", "/docs/operations", "/docs/security"];

beforeAll(async () => {
  demo = await startDev("--forward", `http://${RECEIVER}/hook`);
  const document = (await (await fetch(`${demo.origin}/docs/openapi.json`)).json()) as { paths: object };
  shop = await startDev("--seed", workshop.write("seed.json", JSON.stringify(seedOf(document))));
  const list = await (await fetch(`${demo.origin}/llms.txt`)).text();
  const guides = [...list.matchAll(/(\/docs\/[\w-]+)\.md\)/g)].map(([, path = ""]) => path);
  const pages = guides
    .filter((path) => !FOR_OPERATORS.includes(path))
    .map((path) => (path === "/docs/reference" ? "/docs" : path));
  expect(pages.length).toBeGreaterThan(7);
  const found = pages.map(async (page) => {
    const server = page === "/docs" ? shop : demo;
    return codeBlocks(page, await (await fetch(server.origin + page)).text());
  });
  blocks = (await Promise.all(found)).flat();
}, LIMIT_MS);

afterAll(async () => {
  for (const child of devs) child.kill("SIGTERM");
  await Promise.all(devs.map((child) => child.exited));
  workshop[Symbol.dispose]();
});

const isLanguage = (name: string): name is Language => languages.some((one) => one === name);
const isReceiver = ({ text, language }: { text: string; language: string }) =>
  text.includes(RECEIVER_PORT) ||
  /listen\(3000|1", 3000/.test(text) ||
  (language === "php" && text.includes("php://input"));
/** Single commands that are not requests stand in pages of docs/, whose commands another test runs. */
const isCommand = ({ language, group, text }: Block) =>
  language === "sh" && group === undefined && !text.startsWith("curl");

function samplesIn(language: Language): Block[] {
  return blocks.filter((block) => block.language === language && !isCommand(block) && !isReceiver(block));
}

/** What a sample asks for, as its curl says; null for a program of several requests. */
function requestOf({ group = [], text, language }: Block): { method: string; path: string } | null {
  const curl = language === "sh" ? text : group.find((one) => one.language === "sh")?.text;
  if (curl === undefined) return null;
  const [, path = ""] = /^curl "?https?:\/\/[^/]+([^\s"?]*)/.exec(curl) ?? [];
  const method = / -X (\w+)/.exec(curl)?.[1] ?? (/ (-d '|-F )/.test(curl) ? "POST" : "GET");
  return { method, path };
}

/** The same in each language, for the request of a key is the same. */
const later = new Date(Date.now() + 86_400_000).toISOString();
let stored: { media: number; inbounds: number } | null = null;

/** Rows that the reference's requests name; `own` puts their ids into a text. */
async function fillShop(language: Language): Promise<(text: string) => string> {
  const from = "+442079460210";
  // An earlier language may have opted the person out.
  await shop.control("POST", "/inbound", { from, text: "START" });
  // A sample joins the two, which leaves one of them; each language has another one.
  const other = `4420794602${70 + languages.indexOf(language)}`;
  await shop.api("PUT", `/contacts/${from}`, { name: "Asha Rao" });
  await shop.api("PUT", `/contacts/${other}`, { name: "Asha R." });
  if (stored === null) {
    await shop.control("POST", "/inbound", { from, type: "image", media: {} });
    type Told = { data: { media: { id: number }; inbound_id: number } };
    const [told] = await shop.api<Told[]>("GET", "/events?types=media.stored&wait=20");
    stored = { media: told?.data.media.id ?? 0, inbounds: told?.data.inbound_id ?? 0 };
  }
  const message = await shop.api<{ id: number }>("POST", "/messages", { to: from, text: "Yes" });
  const soon = await shop.api<{ id: number }>("POST", "/messages", { to: from, text: "Soon", send_at: later });
  const scheduled = { name: "Own", template: OWN_TEMPLATE.name, to: [from], send_at: later };
  const broadcast = await shop.api<{ id: number }>("POST", "/broadcasts", scheduled);
  // A workspace has ten addresses at most, and each language adds some.
  for (const { id } of await shop.api<{ id: number }[]>("GET", "/webhooks")) {
    await shop.api("DELETE", `/webhooks/${id}`);
  }
  const webhook = await shop.api<{ id: number }>("POST", "/webhooks", { url: "https://crm.example.com/hooks/own" });
  const kept = await shop.api<{ id: number }>("POST", "/webhooks", { url: "https://crm.example.com/hooks/kept" });
  const [conversation] = await shop.api<{ id: number }[]>("GET", "/conversations");
  const own = { messages: message.id, broadcasts: broadcast.id, webhooks: webhook.id };
  const ids = { ...own, ...stored, conversations: conversation?.id ?? 0 };
  const names = ["messages", "broadcasts", "webhooks", "media", "inbounds", "conversations"] as const;
  // A program that reads on waits for the next event; this one has nothing to wait for.
  return (text) =>
    names.reduce(
      (own, name) => own.replace(new RegExp(`/${name}/${SHOWN_IDS[name]}\\b`), `/${name}/${ids[name]}`),
      text
        .replace("after=$CURSOR&wait=30", "after=latest&wait=0")
        .replaceAll(SHOWN_OTHER, other)
        // The sample before it removes its address.
        .replace(`/webhooks/${SHOWN_IDS.webhooks}/rotate-secret`, `/webhooks/${kept.id}/rotate-secret`)
        .replace(`/messages/${SHOWN_IDS.messages}/cancel`, `/messages/${soon.id}/cancel`)
        // Times of samples pass, and a message may be scheduled 90 days ahead at most.
        .replaceAll(/2026-11-27T10:00:00\+05:30|2030-01-10T18:00:00\+00:00/g, later)
        .replaceAll(/\/templates\/order_shipped\b/g, `/templates/${ownTemplate(language)}`)
        .replaceAll("correct-order-shipped", `correct-${ownTemplate(language)}`)
        // In a body, in each language.
        .replace(/(\binbound\W{1,6})311\b/gi, `$1${ids.inbounds}`),
    );
}

interface Seen {
  method: string;
  path: string;
  status: number;
}

async function run(dev: Dev, folder: string, command: readonly string[]): Promise<{ out: string; seen: Seen[] }> {
  const before = await dev.control<{ next: number }>("GET", "/requests?after=0");
  const child = Bun.spawn([...command], {
    cwd: folder,
    env: { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "", no_proxy: "*", WAXWING_KEY: dev.ready.api_key },
    stdout: "pipe",
    stderr: "pipe",
    // A program that never ends has to fail, and to end.
    timeout: 90_000,
  });
  const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  const code = await child.exited;
  if (code !== 0) throw new Error(`${command.slice(0, 2).join(" ")}: exit ${code}: ${err}${out}`);
  const { data } = await dev.control<{ data: Seen[] }>("GET", `/requests?after=${before.next}`);
  return { out, seen: data.map(({ method, path, status }) => ({ method, path: path.replace(/\?.*/, ""), status })) };
}

describe.each([...languages])("the samples in %s", (language) => {
  const runtime = runtimes[language];
  const folder = workshop.path(language);
  /** Runs those with these numbers. */
  let command: (numbers: readonly number[]) => string[];
  let samples: Block[] = [];

  test.skipIf(runtime.program === null)(
    "are complete and run as shown",
    async () => {
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, "menu.pdf"), "%PDF-1.7\n");
      samples = samplesIn(language);
      expect(samples.length).toBeGreaterThan(25);
      const ownOf = await fillShop(language);
      const receivers = blocks.filter((block) => block.language === language && isReceiver(block));
      const texts = [...samples, ...receivers].map(({ text }) => ownOf(text));
      command = runtime.prepare(
        folder,
        texts.map((text) => text.replaceAll("3000", RECEIVER.split(":")[1] ?? "")),
      );
      const numbered = samples.map((sample, number) => ({ sample, number }));
      const isReference = ({ sample }: { sample: Block }) => sample.page === "/docs";
      // One request opts the person out, so it runs last.
      const optsOut = ({ sample }: { sample: Block }) => Number(/\/opt-out"?[\s,]/.test(sample.text));
      for (const dev of [shop, demo]) {
        const own = numbered
          .filter((each) => isReference(each) === (dev === shop))
          .toSorted((a, b) => (dev === shop ? optsOut(a) - optsOut(b) : 0));
        const { seen, out } = await run(dev, folder, command(own.map(({ number }) => number)));
        const expected = own.flatMap(({ sample }) => {
          const request = requestOf(sample);
          return request === null
            ? []
            : [{ ...request, path: ownOf(request.path), isRefused: REFUSED.test(sample.text) }];
        });
        // Programs of several requests come between.
        let from = 0;
        for (const { method, path, isRefused } of expected) {
          const at = seen.findIndex((one, index) => index >= from && one.method === method && one.path === path);
          expect({ method, path, found: at >= from }).toEqual({ method, path, found: true });
          const status = seen[at]?.status ?? 0;
          if (status < 300 === isRefused) throw new Error(`${method} ${path}: ${status}\n${out}`);
          from = at + 1;
        }
        const refused = seen.filter(({ status }) => status >= 300);
        expect(refused.length).toBe(expected.filter(({ isRefused }) => isRefused).length);
      }
      await demo.control("POST", "/reset", {});
    },
    LIMIT_MS,
  );

  if (language !== "sh") {
    test.skipIf(runtime.program === null)(
      "receive a verified webhook, and refuse a forged one",
      async () => {
        const url = `http://${RECEIVER}/hook`;
        const secret = demo.ready.webhook_secret;
        const own = blocks.filter((block) => block.language === language && isReceiver(block));
        expect(own.length).toBe(1);
        const receiver =
          language === "php"
            ? ["php", "-S", RECEIVER, join(folder, `sample${samples.length}.php`)]
            : command([samples.length]);
        const child = Bun.spawn(receiver, {
          cwd: folder,
          env: { PATH: process.env.PATH ?? "", WAXWING_WEBHOOK_SECRET: secret },
          stdout: "pipe",
          stderr: "pipe",
        });
        const outputs = [printedBy(child.stdout), printedBy(child.stderr)];
        try {
          await listening(url);
          const post = (signature: string) =>
            fetch(url, { method: "POST", body: "{}", headers: { "service-signature": signature } });
          expect((await post(`t=1,v1=${"0".repeat(64)}`)).status).toBe(400);
          const now = Math.floor(Date.now() / 1000);
          expect((await post(signed("{}", secret, now - 600))).status).toBe(400);
          expect((await post(signed("{}", "whsec_other", now))).status).toBe(400);
          const sent = await demo.api<{ id: number }>("POST", "/messages", {
            to: "+442079460210",
            template: "order_shipped",
            variables: ["A", "1"],
          });
          // Each event also goes to the viewer, and those of earlier messages are tried again.
          const answers = async () =>
            (await demo.control<{ url: string; status: number; body: string }[]>("GET", "/webhooks?type=message.sent"))
              .filter((webhook) => webhook.url === url && JSON.parse(webhook.body).data.message.id === sent.id)
              .map(({ status }) => status);
          let statuses = await answers();
          for (let tries = 0; statuses.length === 0 && tries < 200; tries++) {
            await Bun.sleep(50);
            statuses = await answers();
          }
          expect(statuses).toEqual([204]);
          // Its answer may be here before its output.
          await Promise.race([...outputs, Bun.sleep(5_000)]);
        } finally {
          child.kill();
          await child.exited;
        }
        expect((await Promise.all(outputs)).join("")).toMatch(/verified message\.sent evt_\w+/);
        await demo.control("POST", "/reset", {});
      },
      LIMIT_MS,
    );
  }
});

/** What a receiver prints until it has verified an event, or ends. */
async function printedBy(output: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<string> {
  let text = "";
  for await (const part of output.pipeThrough(new TextDecoderStream())) {
    text += part;
    if (text.includes("verified message.sent")) break;
  }
  return text;
}

/** A free port in place of the one that the page shows. */
const RECEIVER = `127.0.0.1:${freePort()}`;

function freePort(): number {
  const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() });
  const { port } = server;
  void server.stop(true);
  return port ?? 0;
}

async function listening(url: string): Promise<void> {
  for (let tries = 0; tries < 400; tries++) {
    const answer = await fetch(url, { method: "POST", body: "" }).catch(() => null);
    if (answer !== null) return;
    await Bun.sleep(25);
  }
  throw new Error(`nothing listens at ${url}`);
}

function signed(body: string, secret: string, time: number): string {
  return `t=${time},v1=${createHmac("sha256", secret).update(`${time}.${body}`).digest("hex")}`;
}

describe("every code block", () => {
  test("is a sample that runs, a command that another test runs, readable JSON, or the check of signatures", () => {
    const pages = ["docs", "docs/guides"].flatMap((folder) =>
      readdirSync(join(checkout, folder))
        .filter((name) => name.endsWith(".md"))
        .map((name) => readFileSync(join(checkout, folder, name), "utf8")),
    );
    const uncovered = blocks.filter((block) => {
      if (isCommand(block)) return !pages.some((page) => page.includes(block.text));
      if (isLanguage(block.language)) return block.group === undefined && !block.text.startsWith("curl");
      if (block.language === "js") return !block.text.includes("export function isGenuine");
      JSON.parse(block.text);
      return false;
    });
    expect(uncovered).toEqual([]);
  });

  test("in TypeScript compiles with strict settings", async () => {
    const folder = workshop.path("types");
    mkdirSync(folder);
    for (const [index, { text }] of blocks.filter(({ language }) => language === "ts").entries()) {
      writeFileSync(join(folder, `sample${index}.ts`), `${text}\nexport {};\n`);
    }
    const modules = join(checkout, "node_modules");
    const compilerOptions = {
      ...{ strict: true, noEmit: true, target: "ESNext", module: "ESNext", moduleResolution: "bundler" },
      ...{ skipLibCheck: true, types: ["bun"], typeRoots: [join(modules, "@types")], lib: ["ESNext"] },
    };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["*.ts"] }));
    const compiler = Bun.spawn([join(modules, ".bin/tsc"), "-p", folder], { stdout: "pipe", stderr: "pipe" });
    expect(await new Response(compiler.stdout).text()).toBe("");
    expect(await compiler.exited).toBe(0);
  });

  test("of a request is there in all five languages", () => {
    const groups = blocks.filter(({ group, language }) => group !== undefined && language === "ts");
    const lacking = groups.filter(({ group = [] }) => {
      const wanted = languages.filter((language) => language !== "sh" || group.some((one) => one.language === "sh"));
      return wanted.some((language) => !group.some((one) => one.language === language));
    });
    expect(lacking).toEqual([]);
  });

  test("the check of signatures accepts a genuine request and no other", async () => {
    const { text } = blocks.find(({ language }) => language === "js") ?? { text: "" };
    const { isGenuine } = (await import(workshop.write("check.mjs", text))) as {
      isGenuine: (body: Buffer, header: string, secret: string) => boolean;
    };
    const now = Math.floor(Date.now() / 1000);
    const verdict = (body: string, header: string) => isGenuine(Buffer.from(body), header, "whsec_a");
    expect(verdict("{}", signed("{}", "whsec_a", now))).toBe(true);
    expect(verdict("{}", signed("{}", "whsec_b", now))).toBe(false);
    expect(verdict("{ }", signed("{}", "whsec_a", now))).toBe(false);
    expect(verdict("{}", signed("{}", "whsec_a", now - 301))).toBe(false);
    expect(verdict("{}", "")).toBe(false);
  });
});
