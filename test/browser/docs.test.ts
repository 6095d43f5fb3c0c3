/**
 * /docs in a real browser: a message is sent from /docs/try to the simulator; neither page breaks its policy, loads
 * anything from elsewhere, or keeps the key.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { noBrowser, openBrowser, type TestBrowser } from "#test/support/browser.ts";
import { Workshop } from "../cli/spawn.ts";

const LIMIT_MS = 300_000;

interface Ready {
  base_url: string;
  api_key: string;
  control_url: string;
  control_token: string;
}

let workshop: Workshop;
let child: Bun.Subprocess;
let ready: Ready;
let opened: TestBrowser;
/** Addresses of every request of the browser. */
const requested: string[] = [];

const origin = () => new URL(ready.base_url).origin;

beforeAll(async () => {
  if (noBrowser) return;
  workshop = new Workshop();
  const started = await workshop.start(["dev", "--listen", "127.0.0.1:0", "--json"]);
  child = started.child;
  ready = JSON.parse(started.firstLine) as Ready;
  opened = await openBrowser();
  opened.context.on("request", (request) => requested.push(request.url()));
}, LIMIT_MS);

afterAll(async () => {
  if (noBrowser) return;
  await opened[Symbol.asyncDispose]();
  child.kill("SIGTERM");
  await child.exited;
  workshop[Symbol.dispose]();
});

/** What the browser has stored for this origin. */
async function stored(): Promise<unknown> {
  const { page, context } = opened;
  const storage = await page.evaluate(
    "(async () => ({ local: { ...localStorage }, session: { ...sessionStorage }, databases: (await indexedDB.databases()).length }))()",
  );
  return { ...(storage as object), cookies: (await context.cookies()).length };
}

const NOTHING = { local: {}, session: {}, databases: 0, cookies: 0 };

test.skipIf(noBrowser)(
  "a message sent from /docs/try reaches the simulator, and the key stays in the page's memory",
  async () => {
    const { page, troubles, button } = opened;
    await page.goto(`${origin()}/docs/try`);
    // Under dev, the page has the demo's key from the beginning.
    await page.locator("#operations-Messages-sendMessage").getByRole("button").first().click();
    const operation = page.locator("#operations-Messages-sendMessage");
    const body = { to: "+442079460210", template: "order_shipped", variables: ["Asha", "10042"] };
    await operation.locator("textarea.body-param__text").fill(JSON.stringify(body));
    await operation.getByRole("button", { name: "Execute" }).click();
    await operation.locator(".live-responses-table .response-col_status", { hasText: "201" }).waitFor();
    const sent = await fetch(`${ready.control_url}/sent?count=1&wait=5s`, {
      headers: { authorization: `Bearer ${ready.control_token}` },
    });
    expect(await sent.json()).toMatchObject([{ to: body.to, template: "order_shipped" }]);

    expect(troubles).toEqual([]);
    expect(await stored()).toEqual(NOTHING);
    expect(requested.filter((url) => !url.startsWith(`${origin()}/`) && !url.startsWith("data:"))).toEqual([]);

    // The policy holds against scripts of the page itself, too.
    const outside = await page.evaluate(
      `Promise.all(["/docs/openapi.json", "/console/api/me", "http://127.0.0.1:9/"].map((url) => fetch(url).then(() => "answered", () => "refused")))`,
    );
    expect(outside).toEqual(["refused", "refused", "refused"]);
    const policy = (await fetch(`${origin()}/docs/try`)).headers.get("content-security-policy") ?? "";
    expect(policy).toContain("script-src 'self';");
    expect(policy).not.toContain("unsafe");
    expect(policy).toContain(`connect-src ${new URL(origin()).host}/api/v1/;`);

    // Another key may be entered; a reload forgets it.
    await button("Authorize").first().click();
    await page.getByRole("button", { name: "Remove authorization" }).click();
    await page.getByLabel("auth-bearer-value").fill("wx_wrong");
    await page.getByRole("button", { name: "Apply credentials" }).click();
    await page.getByRole("button", { name: "Close", exact: true }).click();
    await operation.getByRole("button", { name: "Execute" }).click();
    await operation.locator(".live-responses-table .response-col_status", { hasText: "401" }).waitFor();
    expect(await stored()).toEqual(NOTHING);
    // A name that a page of the Internet can have does not get the key.
    const asked = async (host: string) => (await fetch(`${origin()}/docs/try`, { headers: { host } })).text();
    expect((await asked(new URL(origin()).host)).includes(ready.api_key)).toBe(true);
    for (const host of ["evil.example", "127.0.0.1.evil.example:80", "10.0.0.1:8080"])
      expect([host, (await asked(host)).includes(ready.api_key)]).toEqual([host, false]);
    troubles.length = 0;
  },
  LIMIT_MS,
);

test.skipIf(noBrowser)(
  "the guides: language, copy, search and links work, with the keyboard alone; axe has no findings, light and dark",
  async () => {
    const { page, troubles, context, clean } = opened;
    await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: origin() });
    await page.goto(`${origin()}/docs/first-message`);
    await clean("/docs/first-message");
    const first = page.locator(".samples").first();
    expect(await first.locator("pre:visible").getAttribute("data-language")).toBe("sh");
    await first.getByRole("radio", { name: "curl" }).focus();
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowRight");
    for (const block of await page.locator(".samples pre:visible").all()) {
      expect(await block.getAttribute("data-language")).toBe("python");
    }
    // The button says so for two seconds alone: it is looked at from before the press.
    const isCopied = page.getByRole("button", { name: "Copied" }).waitFor();
    await first.getByRole("button", { name: "Copy" }).click();
    await isCopied;
    const copied = String(await page.evaluate("navigator.clipboard.readText()"));
    expect(copied).toStartWith("import json");
    expect(copied).toContain(`"${origin()}/api/v1/messages"`);
    // The choice holds on other pages; nothing else is stored.
    await page.goto(`${origin()}/docs`);
    // The reference is long: axe needs most of a minute.
    if (process.env.DOCS_FULL === "1") await clean("/docs");
    expect(await page.locator(".samples pre:visible").first().getAttribute("data-language")).toBe("python");
    expect(await stored()).toEqual({ ...NOTHING, local: { "waxwing-docs-language": "python" } });

    await page.keyboard.press("/");
    await page.keyboard.type("quiet hours");
    await page.locator(".results a").first().waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL(`${origin()}/docs/operations#quiet-hours`);
    // A code is found, and words that are typed wrongly: a letter more, less or other, and two swapped.
    const search = page.locator(".search input").first();
    const firstOf = async (typed: string) => {
      await search.fill("zzzzqqqq");
      await page.locator(".results a").first().waitFor({ state: "detached" });
      await search.fill(typed);
      return page.locator(".results a").first().getAttribute("href");
    };
    expect(await firstOf("131049")).toBe("/docs/whatsapp-codes#code-131049");
    expect(await firstOf("insufficient_balance")).toBe("/docs/errors#insufficient_balance");
    const right = "/docs/operations#quiet-hours";
    for (const wrong of ["queit hours", "quiet hoours", "quite hors", "quiet hoyrs"])
      expect([wrong, await firstOf(wrong)]).toEqual([wrong, right]);
    await page.goto(`${origin()}/docs/whatsapp-codes#code-131049`);
    expect(await page.locator("#code-131049").isVisible()).toBe(true);
    await page.emulateMedia({ colorScheme: "dark" });
    if (process.env.DOCS_FULL === "1") await clean("/docs/whatsapp-codes, dark");
    await page.goto(`${origin()}/docs/broadcasts`);
    await clean("/docs/broadcasts, dark");
    await page.setViewportSize({ width: 390, height: 800 });
    const wide = await page.evaluate("document.documentElement.scrollWidth > innerWidth");
    expect(wide).toBe(false);
    expect(troubles).toEqual([]);
    expect(requested.filter((url) => !url.startsWith(`${origin()}/`) && !url.startsWith("data:"))).toEqual([]);
  },
  LIMIT_MS,
);

test.skipIf(noBrowser)(
  "without JavaScript the pages are complete, and the language can be chosen",
  async () => {
    const context = await opened.browser.newContext({ javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto(`${origin()}/docs/first-message`);
    const first = page.locator(".samples").first();
    await first.getByText("PHP", { exact: true }).click();
    expect(await first.locator("pre:visible").getAttribute("data-language")).toBe("php");
    await context.close();
  },
  LIMIT_MS,
);
