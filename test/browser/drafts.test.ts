/** What is being written in the inbox survives a reload, belongs to one user, and is sent once. */
import { describe, expect, test } from "bun:test";
import type { Route } from "playwright-core";
import { noBrowser, waitUntil } from "#test/support/browser.ts";
import { SCENARIO_LIMIT_MS, SCENARIO_PASSWORD, type Scenario, startScenario } from "#test/support/browser-scenario.ts";
import { chooseFromOpenList } from "#test/support/choose-template.ts";

interface Kept {
  text: string;
  template: { body: string[] } | null;
}

const SLOW_ANSWER_MS = 500;
const [ASHA, BOB] = ["asha@example.com", "bob.rao@example.com"];

/** A person has asked this. */
async function startAsked(text: string): Promise<Scenario> {
  const scenario = await startScenario();
  await scenario.command("number add --workspace 1 --phone +911244001100 --name Shop --network simulator");
  await scenario.prepare("POST", "/simulator/phones/%2B919876540010/write", { text, number: 1 });
  return scenario;
}

describe.skipIf(noBrowser)("in a browser", () => {
  test(
    "what was read before a draft was saved does not replace it",
    async () => {
      await using scenario = await startAsked("Is it red?");
      const { page, context } = scenario;
      const reply = page.getByLabel("Your reply", { exact: true });
      const row = page.locator('nav a[data-row="1"]');
      await scenario.go("inbox?person=1");
      await reply.fill("Yes, it is red");
      const [read, saved] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      let reads = 0;
      await context.route(/\/inbox\/1\/draft/, async (route) => {
        if (route.request().method() === "PUT") {
          await read.promise;
          await route.continue();
          await (await route.request().response())?.finished();
          return saved.resolve();
        }
        reads += 1;
        if (reads > 1) return route.continue();
        // It is read while the draft is on its way, and the answer comes later than that of the draft.
        const response = await route.fetch();
        read.resolve();
        await saved.promise;
        await route.fulfill({ response });
      });
      await reply.blur();
      await page.keyboard.press("Escape");
      await reply.waitFor({ state: "detached" });
      await row.click();
      await reply.waitFor();
      await waitUntil(async () => reads > 1);
      await waitUntil(async () => (await reply.inputValue()) === "Yes, it is red");
      expect(scenario.troubles).toEqual([]);
    },
    SCENARIO_LIMIT_MS,
  );

  test(
    "what the server has of another device does not replace what is typed while it is read",
    async () => {
      await using scenario = await startAsked("Is it red?");
      const { page, context } = scenario;
      const other = { content: { text: "I look" }, key: "of another device", replaces: null, age_ms: 0 };
      const reply = page.getByLabel("Your reply", { exact: true });
      const [typed, read] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      await context.route(/\/inbox\/1\/draft/, async (route) => {
        if (route.request().method() === "PUT") {
          await read.promise;
          return route.continue();
        }
        await scenario.prepare("PUT", "/inbox/1/draft", other);
        const response = await route.fetch();
        const { age_ms: age } = ((await response.json()) as { data: { age_ms: number } }).data;
        await typed.promise;
        // On a slow line. By the moment of the answer, the other draft would be the newer one.
        await Bun.sleep(age + SLOW_ANSWER_MS);
        await route.fulfill({ response });
        read.resolve();
      });
      await scenario.go("inbox?person=1");
      await reply.pressSequentially("Red as");
      typed.resolve();
      await read.promise;
      await reply.pressSequentially(" a rose");
      await page.getByRole("button", { name: "Send reply" }).click();
      await page.getByRole("region", { name: "Conversation", exact: true }).getByText("Red as a rose").waitFor();
      expect(scenario.troubles).toEqual([]);
    },
    SCENARIO_LIMIT_MS,
  );

  test(
    "what is typed stays when the server hears late of a draft that was emptied before; what was sent does not",
    async () => {
      await using scenario = await startAsked("Is it red?");
      const { page, context } = scenario;
      const old = { content: { text: "Yes" }, key: "old", replaces: null, age_ms: 0 };
      const emptied = { content: null, key: "emptied", replaces: "old", age_ms: 0 };
      const statuses: number[] = [];
      await context.route(/\/inbox\/1\/draft/, async (route) => {
        if (route.request().method() !== "PUT") return route.continue();
        // Both of a page that was left.
        if (statuses.length === 0) {
          for (const late of [old, emptied]) await scenario.prepare("PUT", "/inbox/1/draft", late);
        }
        const response = await route.fetch();
        statuses.push(response.status());
        await route.fulfill({ response });
      });
      const reply = page.getByLabel("Your reply", { exact: true });
      await scenario.go("inbox?person=1");
      await reply.fill("Red as a rose");
      await waitUntil(async () => statuses.length > 1);
      expect([statuses.slice(0, 2), await reply.inputValue()]).toEqual([[409, 200], "Red as a rose"]);
      expect((await scenario.read<{ data: { content: Kept } }>("/inbox/1/draft")).data.content.text).toBe(
        "Red as a rose",
      );
      // What was sent does not stay, although its answer was lost.
      await context.route(/\/w\/1\/messages$/, async (route) => {
        await route.fetch();
        await route.fulfill({ status: 500, json: { error: { code: "internal", message: "It broke." } } });
      });
      await reply.press("End");
      await reply.pressSequentially("!");
      await reply.press("Control+Enter");
      await waitUntil(async () => (await reply.inputValue()) === "");
      const { data } = await scenario.read<{ data: { text: string }[] }>("/messages");
      expect(data.map(({ text }) => text)).toEqual(["Red as a rose!"]);
    },
    SCENARIO_LIMIT_MS,
  );

  test(
    "a file whose message was stored when the page was reloaded is not sent twice",
    async () => {
      await using scenario = await startAsked("Have you a menu?");
      const { page, context } = scenario;
      const reply = page.getByLabel("Your reply", { exact: true });
      const caption = page.getByLabel("Caption", { exact: true });
      const file = page.getByRole("region", { name: "Attached file" });
      const texts = async () =>
        (await scenario.read<{ data: { text: string }[] }>("/messages")).data.map(({ text }) => text);
      const stored = Promise.withResolvers<void>();
      // A page that ends is not always told that its requests have failed.
      await context.addInitScript(`{
        const ask = fetch;
        globalThis.fetch = (...given) => ask(...given).catch(() => new Promise(() => undefined));
      }`);
      // The server stores the message, and its answer does not come.
      const act = async (route: Route) => {
        await route.fetch();
        stored.resolve();
      };
      await context.route(/\/w\/1\/messages$/, act, { times: 1 });
      await scenario.go("inbox?person=1");
      await reply.waitFor();
      const buffer = Buffer.from("%PDF-1.7 menu");
      const input = page.locator("input[type=file]");
      await input.setInputFiles({ name: "menu.pdf", mimeType: "application/pdf", buffer });
      await caption.fill("Here it is");
      await caption.press("Control+Enter");
      await stored.promise;
      await page.reload();
      await reply.waitFor();
      await page.getByRole("list", { name: "Waiting for the line" }).waitFor({ state: "detached" });
      // Nothing of it comes back.
      await page.reload();
      await reply.waitFor();
      expect([await reply.inputValue(), await file.count(), await texts()]).toEqual(["", 0, ["Here it is"]]);
    },
    SCENARIO_LIMIT_MS,
  );

  test(
    "a file that was sent does not come back when the page ends before the browser has dropped it",
    async () => {
      await using scenario = await startAsked("Have you a menu?");
      const { page } = scenario;
      const reply = page.getByLabel("Your reply", { exact: true });
      const file = page.getByRole("region", { name: "Attached file" });
      const input = page.locator("input[type=file]");
      const menu = { name: "menu.pdf", mimeType: "application/pdf", buffer: Buffer.from("%PDF-1.7 menu") };
      /** What the conversation does with a file that is kept, it has done. */
      const open = async (act: () => Promise<unknown>) => {
        await act();
        await reply.or(page.getByLabel("Caption", { exact: true })).waitFor();
        await page.evaluate(`new Promise((done) => {
          const opening = indexedDB.open("waxwing-files");
          opening.onsuccess = () => {
            const asked = opening.result.transaction("files").objectStore("files").getAll();
            asked.onsuccess = () => requestAnimationFrame(() => requestAnimationFrame(done));
          };
        })`);
      };
      await open(() => scenario.go("inbox?person=1"));
      await input.setInputFiles(menu);
      await file.waitFor();
      await open(() => page.reload());
      await file.waitFor();
      await page.evaluate(`IDBObjectStore.prototype.delete = function () {
        const asked = this.count();
        this.transaction.abort();
        return asked;
      }`);
      await page.getByRole("button", { name: "Send reply" }).click();
      await file.waitFor({ state: "detached" });
      await open(() => page.reload());
      expect(await file.count()).toBe(0);
      await reply.fill("Here it was");
      await reply.press("Control+Enter");
      await waitUntil(async () => (await reply.inputValue()) === "");
      const { data } = await scenario.read<{ data: { type: string }[] }>("/messages");
      expect(data.map(({ type }) => type)).toEqual(["text", "document"]);
      // The next file is kept as any other.
      await input.setInputFiles(menu);
      await file.waitFor();
      await open(() => page.reload());
      await file.waitFor();
    },
    SCENARIO_LIMIT_MS,
  );

  test(
    "a reply and a note are there after a reload, for their user alone, the reply on another device, too, and a send whose answer was lost is not sent twice",
    async () => {
      await using scenario = await startScenario();
      const { app, page, context, button } = scenario;
      await scenario.command("number add --workspace 1 --phone +911244001100 --name Shop --network simulator");
      for (const digit of [0, 1])
        await scenario.prepare("POST", `/simulator/phones/%2B91987654001${digit}/write`, {
          text: "Is it red?",
          number: 1,
        });
      await scenario.template({ name: "offer", text: "For you: {{1}}." });
      const { token } = await scenario.prepare<{ token: string }>("POST", "/people", { email: BOB, role: "owner" });
      const headers = { "sec-fetch-site": "same-origin" };
      const post = async (path: string, data: object) =>
        expect((await context.request.post(`${app.url}/console/api${path}`, { data, headers })).ok()).toBe(true);
      const reply = page.getByLabel("Your reply", { exact: true });
      const note = page.getByRole("textbox", { name: "Note" });
      const noteTab = page.getByRole("button", { name: "Note", exact: true });
      await scenario.go("inbox?person=1");
      await noteTab.click();
      await note.fill("She asked before");
      await page.getByRole("button", { name: "Reply", exact: true }).click();
      await page.keyboard.press("r");
      await reply.fill("Yes, it is red");
      // As a build kept it that named what was in sight otherwise: the server would refuse it.
      await page.evaluate(`for (const [name, text] of Object.entries(localStorage)) {
        if (!name.startsWith("waxwing-draft ")) continue;
        const { until, draft } = JSON.parse(text);
        localStorage.setItem(name, JSON.stringify({ until, draft: { ...draft, seen: "i1" } }));
      }`);
      await page.reload();
      expect(await reply.inputValue()).toBe("Yes, it is red");
      await page.getByLabel("Your reply answers").getByText("Is it red?").waitFor();
      // What is typed on goes behind what was there.
      for (const [key, field, text] of [
        ["r", reply, "Yes, it is red"],
        ["n", note, "She asked before"],
        ["r", reply, "Yes, it is red!"],
      ] as const) {
        await page.keyboard.press(key);
        await field.and(page.locator(":focus")).waitFor();
        expect(await field.inputValue()).toBe(text);
        await page.keyboard.type("!");
        expect(await field.inputValue()).toBe(`${text}!`);
        await page.keyboard.press("Escape");
      }
      await reply.fill("Yes, it is red");
      await noteTab.click();
      await note.fill("She asked before");
      await scenario.go("inbox?person=2");
      expect(await reply.inputValue()).toBe("");

      // On another device, with the template that is being written; what is changed there is here when it is opened again.
      const kept = async (person: number) =>
        (await scenario.read<{ data: { content: Kept } | null }>(`/inbox/${person}/draft`)).data?.content ?? null;
      await button("Template").click();
      await chooseFromOpenList(page);
      await page.getByLabel("Body placeholder {{1}}").fill("a red one");
      await page.reload();
      expect(await page.getByLabel("Body placeholder {{1}}").inputValue()).toBe("a red one");
      await waitUntil(async () => (await kept(2))?.template?.body[0] === "a red one");
      await waitUntil(async () => (await kept(1))?.text === "Yes, it is red");
      const elsewhere = await scenario.browser.newContext();
      const signIn = { data: { email: ASHA, password: SCENARIO_PASSWORD }, headers };
      expect((await elsewhere.request.post(`${app.url}/console/api/sign-in`, signIn)).ok()).toBe(true);
      const device = await elsewhere.newPage();
      const replyThere = device.getByLabel("Your reply", { exact: true });
      await device.goto(`${app.url}/console/w/1/inbox?person=2`);
      await waitUntil(async () => (await device.getByLabel("Body placeholder {{1}}").inputValue()) === "a red one");
      await device.goto(`${app.url}/console/w/1/inbox?person=1`);
      await waitUntil(async () => (await replyThere.inputValue()) === "Yes, it is red");
      await device.getByLabel("Your reply answers").getByText("Is it red?").waitFor();
      await replyThere.fill("Yes, it is");
      // Leaving saves it, too; what is opened before it has arrived is read as it was.
      await device.goto("about:blank");
      await waitUntil(async () => (await kept(1))?.text === "Yes, it is");
      await scenario.go("inbox?person=1");
      await waitUntil(async () => (await reply.inputValue()) === "Yes, it is");
      await reply.fill("Yes, it is red");
      await waitUntil(async () => (await kept(1))?.text === "Yes, it is red");

      await post("/sign-out", {});
      await post("/links/use", { token, password: SCENARIO_PASSWORD });
      await scenario.go("inbox?person=1");
      expect(await reply.inputValue()).toBe("");
      await noteTab.click();
      expect(await note.inputValue()).toBe("");
      await page.getByRole("button", { name: "Reply", exact: true }).click();
      await reply.fill("Of Bob");
      await post("/sign-out", {});
      await post("/sign-in", { email: ASHA, password: SCENARIO_PASSWORD });
      await scenario.go("inbox?person=1");
      expect(await reply.inputValue()).toBe("Yes, it is red");

      // The message arrives, and its answer does not.
      await page.route("**/messages", async (route) => {
        if (route.request().method() !== "POST") return route.fallback();
        await route.fetch();
        await route.abort();
      });
      await button("Send reply").click();
      const waiting = page.getByRole("list", { name: "Waiting for the line" });
      await waiting.getByText("Yes, it is red").waitFor();
      expect(await reply.inputValue()).toBe("");
      await page.reload();
      await waiting.getByText("Yes, it is red").waitFor();
      await page.unroute("**/messages");
      await waiting.waitFor({ state: "detached" });
      const texts = async () =>
        (await scenario.read<{ data: { text: string }[] }>("/messages")).data.map(({ text }) => text);
      expect(await texts()).toEqual(["Yes, it is red"]);
      await page.reload();
      expect(await reply.inputValue()).toBe("");
      await waitUntil(async () => (await kept(1)) === null);
      await device.goto(`${app.url}/console/w/1/inbox?person=1`);
      // It was saved from there, and is there no more.
      await waitUntil(async () => (await replyThere.inputValue()) === "");

      // Nothing of it stays where the person was erased.
      await reply.fill("Her own words: a red one");
      await button("Add to the message").click();
      await page.getByRole("menuitem", { name: "Place" }).click();
      await page.getByLabel("Name (optional)").fill("Where she lives");
      await page.reload();
      expect(await page.getByLabel("Name (optional)").inputValue()).toBe("Where she lives");
      await scenario.command("contact erase +919876540010 --workspace 1");
      await page.getByText("This person was erased, so nothing can be sent to them.").waitFor();
      // The drafts go shortly after the sentence is shown.
      const inBrowser = () => page.evaluate<string>("JSON.stringify(localStorage)");
      for (const text of ["Her own words", "Where she lives", "asked before", "Of Bob"])
        await waitUntil(async () => !(await inBrowser()).includes(text));
    },
    SCENARIO_LIMIT_MS,
  );
});
