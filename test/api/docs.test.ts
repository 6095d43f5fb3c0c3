/** The pages of /docs: complete, linked, for people and for programs, with this server's own address. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { problemCodes } from "#src/core/problem.ts";
import { listErrorMeanings } from "#src/domain/messages/error-table.ts";
import { guides } from "#src/http/api/docs/pages.ts";
import { bodyOf } from "#src/http/errors.ts";
import { problemOf } from "#src/sending/refusal.ts";
import { startTestServer, type TestServer } from "#test/support/server.ts";

let app: TestServer;
beforeAll(async () => {
  app = await startTestServer();
});
afterAll(() => app[Symbol.asyncDispose]());

const origin = () => app.server.url;
const text = async (path: string, host?: string): Promise<string> =>
  (await app.call("GET", path, host === undefined ? {} : { headers: { host } })).text;

/** Every page, from the list for programs. */
async function listed(): Promise<string[]> {
  const list = await text("/llms.txt");
  return [...list.matchAll(/\]\((\S+)\)/g)].map(([, url = ""]) => url);
}

test("llms.txt lists every page by its address on this server; each exists as Markdown and as HTML", async () => {
  const urls = await listed();
  const expected = [...guides.map(({ name }) => `${name}.md`), "reference.md", "openapi.json"];
  expect(urls).toEqual(expected.map((name) => `${origin()}/docs/${name}`));
  expect(guides.length).toBeGreaterThan(7);
  for (const url of urls.filter((each) => each.endsWith(".md"))) {
    const path = new URL(url).pathname;
    const markdown = await app.call("GET", path);
    expect([path, markdown.status, markdown.headers.get("content-type")]).toEqual([
      path,
      200,
      "text/markdown; charset=utf-8",
    ]);
    expect(markdown.text).toStartWith("# ");
    expect(markdown.text).not.toContain("```http");
    const page = await app.call("GET", path.replace(/(\/reference)?\.md$/, ""));
    expect([path, page.status, page.headers.get("content-type")]).toEqual([path, 200, "text/html; charset=utf-8"]);
    expect(page.text).toContain(`<link rel="alternate" type="text/markdown" href="${path}">`);
  }
});

test("every link of every page leads to a page and a heading that exist", async () => {
  const broken: string[] = [];
  const pages = new Map<string, string>();
  const read = async (path: string): Promise<string> => {
    const known = pages.get(path);
    if (known !== undefined) return known;
    const { status, text: found } = await app.call("GET", path);
    pages.set(path, status === 200 ? found : "");
    return pages.get(path) ?? "";
  };
  for (const from of ["/docs", ...guides.map(({ name }) => `/docs/${name}`)]) {
    const page = await read(from);
    const ids = [...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
    expect([from, ids.length]).toEqual([from, new Set(ids).size]);
    for (const [, target = ""] of page.matchAll(/<a [^>]*href="([^"]+)"/g)) {
      const url = new URL(target, origin() + from);
      if (url.origin !== origin()) continue;
      const found = await read(url.pathname);
      const isThere =
        found !== "" && (url.hash === "" || found.includes(` id="${decodeURIComponent(url.hash.slice(1))}"`));
      if (!isThere) broken.push(`${from}: ${target}`);
    }
  }
  for (const name of guides.map((guide) => guide.name)) {
    for (const [, target = ""] of (await read(`/docs/${name}.md`)).matchAll(/\]\((\/[^)]+)\)/g)) {
      if ((await read(target.replace(/#.*/, ""))) === "") broken.push(`${name}.md: ${target}`);
    }
  }
  expect(broken).toEqual([]);
});

test("what is to be entered at Meta stands there with the server's own address, in both forms of the page", async () => {
  for (const page of ["/docs/whatsapp", "/docs/whatsapp.md"]) {
    const shown = await text(page, "shop.example:8443");
    for (const path of ["/networks/whatsapp", "/console/connect", "/readyz"]) {
      expect([page, path, shown.includes(`http://shop.example:8443${path}`)]).toEqual([page, path, true]);
    }
    expect([page, /\b(?:wa|waxwing|messages)\.example\.com\b/.exec(shown)?.[0]]).toEqual([page, undefined]);
  }
});

test("samples show the address under which the reader came; an address that is none is not shown", async () => {
  const under = async (host: string) => {
    const page = await text("/docs/first-message", host);
    return new Set([...page.matchAll(/(https?:\/\/[^/"\s]+)\/api\/v1\/messages/g)].map(([, shown]) => shown));
  };
  expect(await under("shop.example:8443")).toEqual(new Set(["http://shop.example:8443"]));
  // A caller who sends new addresses makes the server prepare no more than a few texts.
  for (let number = 0; number < 4; number++) await under(`s${number}.example`);
  for (let number = 4; number < 8; number++) {
    expect(await under(`s${number}.example`)).toEqual(new Set(["https://waxwing.example.com"]));
  }
  expect(await under("shop.example:8443")).toEqual(new Set(["http://shop.example:8443"]));
  expect(await under("my_app")).toEqual(new Set(["https://waxwing.example.com"]));
  await using other = await startTestServer();
  const forwarded = await other.call("GET", "/docs/first-message", { headers: { "x-forwarded-proto": "https" } });
  expect(forwarded.text).toContain(`${other.server.url.replace("http:", "https:")}/api/v1/messages`);
  const document = await app.call("GET", "/docs/openapi.json", { headers: { host: "shop.example" } });
  expect(document.text).not.toContain("shop.example:");
});

test("public_url decides the address", async () => {
  await using other = await startTestServer({ config: { server: { publicUrl: "https://wa.shop.example/" } } });
  expect((await other.call("GET", "/docs/first-message")).text).toContain(
    "curl https://wa.shop.example/api/v1/messages",
  );
});

test("the explorer exists with a simulated network alone", async () => {
  for (const path of ["/docs/try", "/docs/try/start.js", "/docs/try/explorer.js", "/docs/try/explorer.css"]) {
    expect([path, (await app.call("GET", path)).status]).toEqual([path, 404]);
  }
  expect(await text("/docs")).not.toContain("/docs/try");
  await using simulated = await startTestServer({ config: { simulator: { control: true } } });
  const page = await simulated.call("GET", "/docs/try");
  expect(page.status).toBe(200);
  expect(page.text).not.toMatch(/<script(?![^>]* src="\/docs\/try\/)|<style| style=| on\w+=|https?:/);
  const policy = page.headers.get("content-security-policy") ?? "";
  expect(policy).toContain(`connect-src ${new URL(simulated.server.url).host}/api/v1/;`);
  expect(policy).toContain("script-src 'self';");
  expect(policy).not.toContain("unsafe");
  const start = await simulated.call("GET", "/docs/try/start.js");
  expect(start.text).toContain("SwaggerUIBundle(");
  expect(start.text).not.toContain("</script");
  expect((await simulated.call("GET", "/docs")).text).toContain('href="/docs/try"');
});

test("the explorer may call the API where its page came from, and at the public address", async () => {
  const server = { publicUrl: "https://Shop.example:8443/path" };
  await using simulated = await startTestServer({ config: { simulator: { control: true }, server } });
  const policyFor = async (host: string): Promise<string | undefined> => {
    const { headers } = await simulated.call("GET", "/docs/try", { headers: { host } });
    return headers.get("content-security-policy")?.match(/connect-src [^;]*/)?.[0];
  };
  const shop = "connect-src shop.example:8443/api/v1/";
  expect(await policyFor("localhost:8080")).toBe(`${shop} localhost:8080/api/v1/`);
  expect(await policyFor("shop.example:8443")).toBe(shop);
  expect(await policyFor("evil_name.example")).toBe(shop);
});

test("every error code of WhatsApp is listed, with the same verdict as the API's answer", async () => {
  const page = await text("/docs/whatsapp-codes.md");
  const rows = new Map(
    [...page.matchAll(/^\| <span id="code-([\d–]+)">`[\d–]+`<\/span> \| (\w+) \| (.*) \|$/gm)].map(
      ([, codes = "", verdict = "", meaning = ""]) => [codes, { verdict, meaning }],
    ),
  );
  const all = listErrorMeanings();
  expect(rows.size).toBe(all.length);
  for (const { codes, meaning } of all) {
    const shown = rows.get(codes);
    expect([codes, shown?.meaning]).toEqual([codes, meaning.description]);
    // A code that asks to wait is answered as `rate_limited`, which is retryable.
    const message = { id: 1, errorCode: codes, errorMessage: "", outcomeUnknown: meaning.mayHaveBeenSent === true };
    const problem = problemOf(message as Parameters<typeof problemOf>[0], meaning.scope);
    const isRetryable = meaning.throttles !== undefined || bodyOf(problem, true).error.retryable;
    expect([codes, shown?.verdict === "yes"]).toEqual([codes, isRetryable]);
    expect([codes, shown?.verdict === "never"]).toEqual([codes, message.outcomeUnknown]);
  }
});

test("the search index names sections that exist, with their words", async () => {
  const entries = JSON.parse(await text("/docs/search.json")) as { title: string; url: string; text: string }[];
  expect(entries.length).toBeGreaterThan(100);
  for (const { url, title } of entries) {
    const [path = "", hash] = url.split("#");
    const page = await text(path);
    expect([url, hash === undefined || page.includes(` id="${hash}"`), title !== ""]).toEqual([url, true, true]);
  }
  const found = entries.filter(({ text: words }) => words.includes("quiet hours")).map(({ url }) => url);
  expect(found).toContain("/docs/broadcasts#what-happens-automatically");
  // Every error code has an entry of its own, wherever it stands in its table.
  const codes = [...listErrorMeanings().map(({ codes }) => codes), ...problemCodes];
  expect(codes.filter((code) => !entries.some(({ title }) => title === code))).toEqual([]);
  const held = entries.find(({ title }) => title === "131049");
  expect(held).toMatchObject({ url: "/docs/whatsapp-codes#code-131049", text: expect.stringContaining("marketing") });
  expect(entries.filter(({ text }) => / 250 /.test(text)).map(({ title }) => title)).toContain("200–299");
});
