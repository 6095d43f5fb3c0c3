/**
 * The console's rules that need a page, one test each, on one server whose workspace holds something of everything.
 * `test/console/rules.test.ts` checks the rules that need no page (1, 4, and the whole of 5).
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { openClient } from "#src/db/driver.ts";
import { noBrowser, waitUntil } from "#test/support/browser.ts";
import { SCENARIO_LIMIT_MS, SCENARIO_PASSWORD, type Scenario, startScenario } from "#test/support/browser-scenario.ts";

/** Every screen; lists with an item open beside them. */
const PLACES = [
  "",
  "inbox",
  "inbox?person=7",
  "broadcasts",
  "broadcasts/1",
  "broadcasts/new",
  "broadcasts/new?draft=1&step=people",
  "broadcasts/new?draft=1&step=check",
  "contacts?open=%2B919876511050",
  "contacts/import",
  "groups?open=1",
  "templates?open=1",
  "messages?open=1",
  "numbers?open=1",
  "numbers/connect",
  "numbers/connect?via=meta",
  "numbers/connect?via=simulator",
  "simulator",
  "simulator?phone=%2B919876511050",
  "api",
  "requests",
  "deliveries?open=1",
  "billing",
  "members",
  "settings",
  "audit",
  "../../system",
  "../../system/workspaces",
  "../../system/users",
  "../../system/backups",
  "../../system/metrics",
  "../../system/log",
  "../../system/configuration",
] as const;

const [ASHA, RAVI, MINA] = ["+919876511050", "+919876511051", "+919876511052"] as const;
/** The simulator decides each outcome by the last digits of the phone. */
const PEOPLE: readonly (readonly [phone: string, consent: string])[] = [
  [ASHA, "opted_in"],
  ["+919876520001", "opted_in"],
  ["+919876510002", "opted_in"],
  ["+919876510003", "opted_in"],
  ["+919876510004", "opted_in"],
  [RAVI, "opted_out"],
  [MINA, "opted_in"],
];

let scenario: Scenario;

/** Waits until the page has its heading and its data. */
async function settled(): Promise<void> {
  const main = scenario.page.getByRole("main");
  await main.getByRole("heading").first().waitFor();
  await until(async () => (await main.locator(".late").count()) === 0);
}

/** Polls for up to a minute: a recipient that the network refused without a reason is sent to again every ten seconds. */
async function until<T>(ask: () => Promise<T | undefined | false>): Promise<T> {
  for (let turn = 0; turn < 600; turn += 1) {
    const answer = await ask();
    if (answer !== undefined && answer !== false) return answer;
    await Bun.sleep(100);
  }
  throw new Error("it never came to be");
}

async function prepare(): Promise<void> {
  const put = (phone: string, body: Record<string, unknown>) => scenario.prepare("PUT", `/contacts/${phone}`, body);
  await scenario.command("number add --workspace 1 --phone +911244001100 --name Shop --network simulator");
  for (const [phone, consent] of PEOPLE)
    await put(phone, { consent, name: `Asha ${phone}`, add_to_groups: ["Regulars"] });
  await scenario.template({ name: "refused", text: "Buy now.", status: "PENDING" });
  await scenario.prepare("POST", "/templates/1/decide", { status: "REJECTED", reason: "promotional text" });
  await scenario.template({ name: "offer", text: "Twenty percent." });
  // No server listens on this port: deliveries fail, and removing the address marks them as exhausted.
  await scenario.prepare("PUT", "/webhook", { url: "http://127.0.0.1:9/hook" });
  // Only messages sent with an API key produce events.
  const { key } = await scenario.prepare<{ key: string }>("POST", "/keys", { name: "Web shop" });
  const send = (to: string) =>
    fetch(`${scenario.app.url}/api/v1/messages`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ to, template: "offer", language: "en_US" }),
    });
  await send("+919876520001");
  await send("+919876500008");
  await send(ASHA);
  await scenario.prepare("POST", "/broadcasts", { name: "Diwali", template: "offer", language: "en_US", group: 1 });
  await scenario.prepare("POST", "/drafts", { template: "offer", language: "en_US", group: 1 });
  await until(async () => {
    const { data: tried } = await scenario.read<{ data: { attempt_count: number }[] }>("/deliveries");
    const { data: broadcast } = await scenario.read<{ data: { status: string } }>("/broadcasts/1");
    return broadcast.status === "completed" && tried.some((one) => one.attempt_count > 0);
  });
  await scenario.prepare("DELETE", "/webhook");
}

describe.skipIf(noBrowser)("in a browser", () => {
  beforeAll(async () => {
    scenario = await startScenario();
    await prepare();
  }, SCENARIO_LIMIT_MS);
  afterAll(async () => {
    await scenario?.[Symbol.asyncDispose]();
  });

  test(
    "rule 1: a form whose answer was lost is sent again with its own key, and acts once",
    async () => {
      const { page, button } = scenario;
      const keys: (string | undefined)[] = [];
      await page.route("**/fields", async (route) => {
        if (route.request().method() !== "POST") return route.continue();
        keys.push(route.request().headers()["idempotency-key"]);
        if (keys.length > 1) return route.continue();
        await route.fetch();
        return route.abort();
      });
      await scenario.go("api");
      await button("Add field").first().click();
      const dialog = page.getByRole("dialog");
      await dialog.getByLabel("Label").fill("Loyalty");
      await dialog.getByLabel("Key").fill("loyalty");
      await dialog.getByRole("button", { name: "Add field" }).click();
      await dialog.getByText("The server could not be reached.").waitFor();
      await dialog.getByRole("button", { name: "Add field" }).click();
      await dialog.waitFor({ state: "detached" });
      expect(keys).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/), keys[0]]);
      await page.unroute("**/fields");
      expect((await scenario.read<{ data: unknown[] }>("/fields")).data.length).toBe(1);
    },
    SCENARIO_LIMIT_MS,
  );

  test(
    "rule 2: there is no text field where text cannot be sent",
    async () => {
      const { page } = scenario;
      const reply = page.getByRole("main").getByRole("textbox");
      const write = (phone: string, text: string) =>
        scenario.prepare("POST", `/simulator/phones/${phone}/write`, { text, number: 1 });
      const idOf = (phone: string) =>
        until(async () => {
          const { data } = await scenario.read<{ data: { contact_id: number; phone: string }[] }>("/inbox");
          return data.find((one) => one.phone === phone)?.contact_id;
        });
      // A person who has just written can be answered; a person who wrote STOP cannot be written to at all.
      await write(MINA, "Are you open?");
      await scenario.go(`inbox?person=${await idOf(MINA)}`);
      await page.getByLabel("Your reply").waitFor();
      await write(MINA, "STOP");
      const stoppedBy = Date.now();
      await page.getByText(/They opted out on WhatsApp on/).waitFor();
      expect(await reply.count()).toBe(0);
      expect(await page.getByRole("button", { name: /^Send/ }).count()).toBe(0);
      // The network's times are whole seconds, and of a STOP and a START in the same one the STOP counts.
      await until(async () => Math.floor(Date.now() / 1_000) > Math.floor(stoppedBy / 1_000));
      await write(MINA, "START");
      await page.reload();
      await page.getByLabel("Your reply").waitFor();
      // A day later only a template can be sent.
      const client = openClient(join(scenario.app.directory, "waxwing.db"), { timeout: 5_000 });
      client.prepare("UPDATE contacts SET last_message_at = last_message_at - 86400000").run();
      client.close();
      await page.reload();
      await page.getByText(/The 24-hour window closed on/).waitFor();
      expect(await reply.count()).toBe(0);
      // A number that is not ready removes the field as well.
      await scenario.prepare("POST", "/numbers/1/unready", { reason: "stocktaking" });
      await page.reload();
      await page.getByText("+911244001100 can't send now").waitFor();
      expect(await reply.count()).toBe(0);
      await scenario.prepare("POST", "/numbers/1/ready");
    },
    SCENARIO_LIMIT_MS,
  );

  test(
    "rule 3: a count that is a link leads to exactly the rows that it counts",
    async () => {
      const { page } = scenario;
      const rows = page.locator("tbody tr");
      const shown = async (count: number, where: string): Promise<void> => {
        const isSo = async () =>
          (await rows.count()) === count && (await page.locator("[aria-busy=true]").count()) === 0;
        await until(isSo).catch(async () => expect([where, await rows.count()]).toEqual([where, count]));
      };
      await scenario.go("broadcasts/1");
      const counters = page.getByRole("region", { name: "Results" }).getByRole("link");
      await counters.first().waitFor();
      const counts = await counters.locator("> .text-section").allTextContents();
      expect(counts.length).toBeGreaterThan(3);
      for (const [index, count] of counts.entries()) {
        await counters.nth(index).click();
        await shown(Number(count), `figure ${index}`);
      }
      await scenario.go("groups?open=1");
      await page.getByRole("link", { name: "7 people" }).click();
      await shown(7, "group");
      await scenario.go("");
      const given = await page.getByText(/events? could not be delivered/).textContent();
      await page.getByRole("link", { name: "View deliveries" }).click();
      await shown(Number(/\d+/.exec(given ?? "")?.[0] ?? 1), "deliveries");
    },
    SCENARIO_LIMIT_MS,
  );

  test(
    "rule 5: sent, read, skipped and unknown outcome are shown as different states",
    async () => {
      const { page } = scenario;
      await scenario.go("broadcasts/1");
      const people = page.getByRole("table", { name: "Recipients" });
      const stateOf = (phone: string) => people.getByRole("row").filter({ hasText: phone });
      await stateOf("+919876510004").getByText("Sent", { exact: true }).waitFor();
      await stateOf(ASHA).getByText("Read", { exact: true }).waitFor();
      await stateOf(RAVI).getByText("Skipped", { exact: true }).waitFor();
      await scenario.go("messages?status=unknown");
      await page.getByText("Outcome unknown").nth(1).waitFor();
      expect(await page.getByText("Failed", { exact: true }).count()).toBeLessThan(2);
    },
    SCENARIO_LIMIT_MS,
  );

  test(
    "rule 6: every failure shows its reason in words on the same screen, and its code where there is one",
    async () => {
      const { page } = scenario;
      const expectBoth = async (path: string, words: RegExp, code: RegExp | null): Promise<void> => {
        await scenario.go(path);
        await page.getByText(words).filter({ visible: true }).first().waitFor();
        if (code !== null) await page.locator("code").filter({ hasText: code, visible: true }).first().waitFor();
      };
      await expectBoth("messages?open=1", /not.*WhatsApp|WhatsApp.*not/i, /^13\d{4}$/);
      await expectBoth("messages?open=2", /We don't know whether this message arrived/, /timeout|interrupted/);
      await expectBoth("broadcasts/1", /not.*WhatsApp|WhatsApp.*not/i, /^13\d{4}$/);
      await expectBoth("templates?open=1", /“promotional text”/, null);
      await expectBoth("deliveries?open=1", /refused|connect/i, null);
      await scenario.prepare("POST", "/numbers/1/unready", { reason: "stocktaking" });
      await expectBoth("numbers?open=1", /It can't send: stocktaking/, null);
      await scenario.prepare("POST", "/numbers/1/ready");
    },
    SCENARIO_LIMIT_MS,
  );

  test(
    "rule 7: the API's id of an object can be copied wherever the object is shown",
    async () => {
      const { page, context } = scenario;
      await context.grantPermissions(["clipboard-read", "clipboard-write"]);
      const { data: deliveries } = await scenario.read<{ data: { id: number; event_id: string }[] }>("/deliveries");
      const [delivery] = deliveries;
      for (const [path, id] of [
        ["contacts?open=%2B919876511050", ASHA],
        ["broadcasts/1", "1"],
        ["messages?open=1", "1"],
        ["groups?open=1", "1"],
        ["templates?open=2", "offer"],
        ["numbers?open=1", "+911244001100"],
        [`deliveries?open=${delivery?.id}`, delivery?.event_id ?? ""],
        ["../../system/workspaces?open=1", "1"],
      ] as const) {
        await scenario.go(path);
        const line = page
          .locator("span:has(> code)")
          .filter({ has: page.locator("code", { hasText: new RegExp(`^${id.replace("+", "\\+")}$`) }) });
        await line.getByRole("button", { name: /^Copy/ }).click();
        // The browser writes it a moment later.
        const copied = () => page.evaluate("navigator.clipboard.readText()");
        await waitUntil(async () => (await copied()) === id).catch(() => undefined);
        expect([path, await copied()]).toEqual([path, id]);
      }
    },
    SCENARIO_LIMIT_MS,
  );

  test(
    "rules 8 and 9: at 320 px and at 200 % zoom no page scrolls sideways, and forced colours keep outlines and bars visible",
    async () => {
      const { page } = scenario;
      for (const path of PLACES) {
        await page.setViewportSize({ width: 320, height: 640 });
        await scenario.go(path);
        await settled();
        // 640 px equal 1280 px at 200 % zoom.
        for (const width of [320, 640]) {
          await page.setViewportSize({ width, height: 640 });
          const over = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
          expect([path, width, over]).toEqual([path, width, 0]);
        }
      }
      await page.setViewportSize({ width: 1440, height: 900 });
      await page.emulateMedia({ forcedColors: "active" });
      await scenario.go("broadcasts/1");
      await page.getByRole("button", { name: /./ }).first().waitFor();
      // Wait for the page to finish: elements in the tab order may still be replaced.
      await settled();
      // Without background colours, buttons and states need a border, and bars a colour other than their background's.
      expect(
        await page.evaluate(`(() => {
          const style = (element) => getComputedStyle(element);
          const bare = [...document.querySelectorAll("main button, main a[class*=border]")]
            .filter((one) => one.offsetParent !== null && style(one).borderTopStyle === "none" && one.textContent.trim() === "")
            .map((one) => one.outerHTML.slice(0, 80));
          const bars = [...document.querySelectorAll("main svg")]
            .filter((one) => one.querySelectorAll("rect").length === 2)
            .filter((one) => new Set([...one.querySelectorAll("rect")].map((rect) => style(rect).fill)).size === 1).length;
          return { bare, bars };
        })()`),
      ).toEqual({ bare: [], bars: 0 });
      await page.keyboard.press("Tab");
      expect(await page.evaluate("getComputedStyle(document.activeElement).outlineStyle")).toBe("solid");
      await page.emulateMedia({ forcedColors: "none" });
    },
    SCENARIO_LIMIT_MS,
  );

  test(
    "rule 10: no secret stays in a page, in storage, in memory or in the log",
    async () => {
      const { page, context, button } = scenario;
      await scenario.go("api");
      await button("Create key").first().click();
      await page.getByLabel("Name").fill("Web shop");
      await page.getByLabel("Name").press("Enter");
      const shown = page.getByRole("dialog").locator("code").filter({ hasText: /^wx_/ });
      const key = (await shown.textContent()) ?? "";
      expect(key.length).toBeGreaterThan(20);
      await button("I have saved it").click();
      await shown.waitFor({ state: "detached" });
      const [cookie] = await context.cookies();
      const token = scenario.app.setupLink.split("#")[1] ?? "";
      const secrets = { key, session: cookie?.value ?? "", password: SCENARIO_PASSWORD, token };
      expect(Object.values(secrets).every((one) => one.length > 15)).toBe(true);
      const found = (text: string) =>
        Object.entries(secrets).flatMap(([name, one]) => (text.includes(one) ? [name] : []));
      const stored =
        "JSON.stringify({ ...localStorage, ...sessionStorage, state: history.state, cookie: document.cookie })";
      for (const path of ["", "api", "deliveries"]) {
        await page
          .getByRole("link", { name: path === "" ? "Home" : path === "api" ? "API settings" : "Webhook deliveries" })
          .first()
          .click();
        await settled();
        expect([path, found(`${await page.content()} ${await page.evaluate(stored)} ${page.url()}`)]).toEqual([
          path,
          [],
        ]);
      }
      // A heap snapshot contains everything that the page still holds in memory.
      const tool = await context.newCDPSession(page);
      let memory = "";
      tool.on("HeapProfiler.addHeapSnapshotChunk", ({ chunk }) => {
        memory += chunk;
      });
      await tool.send("HeapProfiler.collectGarbage");
      await tool.send("HeapProfiler.takeHeapSnapshot");
      expect(memory.length).toBeGreaterThan(1_000_000);
      expect(found(memory)).toEqual([]);
      expect(scenario.app.log()).toContain("it is in ");
      expect(found(scenario.app.log())).toEqual([]);
    },
    SCENARIO_LIMIT_MS,
  );

  test(
    "rule 11: signing in over a half-filled form keeps what was typed",
    async () => {
      const { page, context, button } = scenario;
      await scenario.go("contacts");
      await button("Add contact").click();
      const form = page.getByRole("dialog", { name: "Add a contact" });
      await form.getByLabel("Phone", { exact: true }).fill("+919876500077");
      await form.getByLabel("Name", { exact: true }).fill("Half filled");
      await context.clearCookies();
      // The frame may notice first and cover the button.
      await form.getByRole("button", { name: "Add contact" }).dispatchEvent("click");
      const again = page.getByRole("dialog", { name: "You are signed out" });
      await again.getByLabel("Password").fill(SCENARIO_PASSWORD);
      await again.getByRole("button", { name: "Sign in" }).click();
      await again.waitFor({ state: "detached" });
      expect(await form.getByLabel("Name", { exact: true }).inputValue()).toBe("Half filled");
      await form.getByRole("button", { name: "Add contact" }).click();
      await page.getByRole("heading", { name: "Half filled" }).waitFor();
    },
    SCENARIO_LIMIT_MS,
  );

  test(
    "rule 12: a page of another workspace or of the operator says not found, without a redirect",
    async () => {
      const { page, context, app } = scenario;
      const invited = await scenario.prepare<{ token: string }>("POST", "/people", {
        email: "mina@example.com",
        role: "member",
      });
      await scenario.command("workspace create --name Other --country IN --timezone Asia/Kolkata");
      await context.clearCookies();
      await context.request.post(`${app.url}/console/api/links/use`, {
        data: { token: invited.token, password: SCENARIO_PASSWORD },
        headers: { "sec-fetch-site": "same-origin" },
      });
      await scenario.go("contacts");
      await page.getByRole("heading", { name: /Contacts/ }).waitFor();
      const paths = ["", "/contacts?open=%2B919876511050", "/broadcasts/1", "/api"];
      const foreign = [2, 999].flatMap((workspace) => paths.map((path) => `w/${workspace}${path}`));
      for (const path of [...foreign, "system", "system/backups"]) {
        const address = `${app.url}/console/${path}`;
        await page.goto(address);
        await page.getByText("Not found, or you don't have access").waitFor();
        expect(page.url().replace(/\/$/, "")).toBe(address);
      }
    },
    SCENARIO_LIMIT_MS,
  );

  test(
    "an address with a filter value that does not exist shows the list without that filter",
    async () => {
      const { page } = scenario;
      await scenario.go("contacts?consent=perhaps");
      await page.getByRole("table", { name: "Contacts" }).waitFor();
      const filters = page.getByRole("navigation", { name: "Consent" });
      expect(await filters.locator("[aria-current]").textContent()).toBe("All");
      expect(await page.getByRole("alert").count()).toBe(0);
    },
    SCENARIO_LIMIT_MS,
  );

  test("none of the rules' tests caused an error in the browser's console", () => {
    expect(scenario.troubles.filter((trouble) => !/ERR_FAILED/.test(trouble))).toEqual([]);
  });
});
