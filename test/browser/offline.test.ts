/** A reply and a note without a line: they wait, survive a reload, go once and in order, for their user alone, and ask when they are old. */
import { describe, expect, test } from "bun:test";
import { noBrowser, waitUntil } from "#test/support/browser.ts";
import { SCENARIO_LIMIT_MS, SCENARIO_PASSWORD, startScenario } from "#test/support/browser-scenario.ts";
import { takePictures } from "#test/support/pictures.ts";

type Gate = PromiseWithResolvers<void>;

const [ASHA, BOB] = ["asha@example.com", "bob.rao@example.com"];

/** A script that makes what waits so many hours older. */
function age(hours: number): string {
  return `for (const name of Object.keys(localStorage)) {
    if (!name.startsWith("waxwing-outbox ")) continue;
    const one = JSON.parse(localStorage.getItem(name));
    const by = ${hours} * 3_600_000;
    localStorage.setItem(name, JSON.stringify({ ...one, at: one.at - by, confirmedAt: one.confirmedAt - by }));
  }
  dispatchEvent(new StorageEvent("storage"));`;
}

/** Scripts: how many files the browser keeps; whether it keeps one, or none. */
const COUNT = `new Promise((resolve) => {
  const asked = indexedDB.open("waxwing-files", 1);
  asked.onsuccess = () => {
    const counted = asked.result.transaction("files").objectStore("files").count();
    counted.onsuccess = () => { asked.result.close(); resolve(counted.result); };
  };
})`;
const KEPT = `${COUNT}.then((count) => count === 1)`;
const NONE_KEPT = `${COUNT}.then((count) => count === 0)`;
/** Presses the button of what waits; returns what stands in the field as soon as nothing waits, before any other task has run. */
const CANCELLED = `new Promise((resolve) => {
  const list = () => document.querySelector('ul[aria-label="Waiting for the line"]');
  new MutationObserver((_, observer) => {
    if (list() !== null) return;
    observer.disconnect();
    resolve(document.querySelector("[data-composer]").value);
  }).observe(document, { childList: true, subtree: true });
  [...list().querySelectorAll("button")].find(({ textContent }) => textContent === "Cancel").click();
})`;

describe.skipIf(noBrowser)("in a browser", () => {
  test(
    "a file whose upload is cut waits with its message, continues after a reload, and arrives once; it is its user's alone",
    async () => {
      await using scenario = await startScenario();
      const { app, page, context, clean } = scenario;
      await scenario.command("number add --workspace 1 --phone +911244001100 --name Shop --network simulator");
      const from = { text: "Have you a menu?", number: 1 };
      await scenario.prepare("POST", "/simulator/phones/%2B919876540010/write", from);
      const { token } = await scenario.prepare<{ token: string }>("POST", "/people", { email: BOB, role: "owner" });
      const headers = { "sec-fetch-site": "same-origin" };
      const post = async (path: string, data: object) =>
        expect((await context.request.post(`${app.url}/console/api${path}`, { data, headers })).ok()).toBe(true);
      // The page loads; what it sends meets no line.
      let isCut = false;
      const offsets: number[] = [];
      await context.route(/\/w\/1\/(uploads|messages)/, async (route) => {
        const asked = route.request();
        if (isCut && asked.method() !== "GET") return route.abort();
        if (asked.method() !== "PATCH") return route.continue();
        offsets.push(Number(new URL(asked.url()).searchParams.get("offset")));
        isCut = offsets.length === 4;
        return isCut ? route.abort() : route.continue();
      });
      const bytes = Buffer.alloc(5 * 1024 * 1024, "0123456789abcdefghijklmnopqrstuvwxyz-");
      bytes.write("%PDF-1.7\n");
      const reply = page.getByLabel("Your reply", { exact: true });
      const caption = page.getByLabel("Caption", { exact: true });
      const file = page.getByRole("region", { name: "Attached file" });
      const waiting = page.getByRole("list", { name: "Waiting for the line" });
      const messages = async () =>
        (await scenario.read<{ data: { text: string; content: { media?: { id: number } } }[] }>("/messages")).data;

      await scenario.go("inbox?person=1");
      await reply.waitFor();
      await page
        .locator("input[type=file]")
        .setInputFiles({ name: "menu.pdf", mimeType: "application/pdf", buffer: bytes });
      await file.getByText("menu.pdf").waitFor();
      await waitUntil(() => page.evaluate(KEPT));
      // A file that was not sent yet is in the draft after a reload.
      await page.reload();
      await file.getByText("menu.pdf").waitFor();
      await caption.fill("Here it is");
      await caption.press("Control+Enter");
      await waiting.getByText("Here it is").waitFor();
      await file.waitFor({ state: "detached" });
      await clean("a file that waits for the line");
      await takePictures(scenario, "waiting-file");
      expect(await messages()).toEqual([]);

      await page.reload();
      await waiting.getByText("menu.pdf").waitFor();
      expect(await file.count()).toBe(0);
      await page.evaluate(age(25));
      await post("/sign-out", {});
      await post("/links/use", { token, password: SCENARIO_PASSWORD });
      isCut = false;
      await scenario.go("inbox?person=1");
      await reply.waitFor();
      expect([await waiting.count(), await file.count()]).toEqual([0, 0]);
      await post("/sign-out", {});
      await post("/sign-in", { email: ASHA, password: SCENARIO_PASSWORD });
      await scenario.go("inbox?person=1");
      await waiting.getByText(/Is it still to go\?/).waitFor();
      expect(await messages()).toEqual([]);
      await waiting.getByRole("button", { name: "Send now" }).click();
      await waiting.waitFor({ state: "detached" });
      const sent = await messages();
      expect(sent.map(({ text }) => text)).toEqual(["Here it is"]);
      // Each piece that had arrived was sent once.
      expect(new Set(offsets).size).toBe(10);
      expect(offsets.filter((offset) => offset === 0)).toEqual([0]);
      const id = sent[0]?.content.media?.id;
      const stored = await context.request.get(`${app.url}/console/api/w/1/media/${id}`, { headers });
      expect(Buffer.compare(await stored.body(), bytes)).toBe(0);
      await waitUntil(() => page.evaluate(NONE_KEPT));
    },
    SCENARIO_LIMIT_MS,
  );

  test.each([
    { hasLocks: true, bytes: 1_000, pages: "of which one sends at a time" },
    { hasLocks: false, bytes: 1_000, pages: "without locks between them, as over plain HTTP" },
    { hasLocks: false, bytes: 3_000_000, pages: "without locks, which continue one upload" },
  ])(
    "a text and a file that wait are sent once by two pages of a browser, $pages",
    async ({ hasLocks, bytes }) => {
      await using scenario = await startScenario();
      const { page, context } = scenario;
      await scenario.command("number add --workspace 1 --phone +911244001100 --name Shop --network simulator");
      const from = { text: "Have you a menu?", number: 1 };
      await scenario.prepare("POST", "/simulator/phones/%2B919876540010/write", from);
      if (!hasLocks)
        await context.addInitScript(`Object.defineProperty(Navigator.prototype, "locks", { value: undefined })`);
      const isWhole = bytes < 1_000_000;
      let isCut = true;
      const asked = { media: 0, uploads: 0, messages: 0 };
      const [both, texts, files] = [0, 1, 2].map(() => Promise.withResolvers<void>()) as [Gate, Gate, Gate];
      let pieces = 0;
      await context.route(/\/w\/1\/(media|messages|uploads)/, async (route) => {
        const request = route.request();
        if (request.method() === "PATCH") {
          pieces += 1;
          isCut ||= pieces === 3;
        }
        if (request.method() === "GET") return route.continue();
        if (isCut && !(pieces < 3 && request.url().includes("uploads"))) return route.abort();
        if (request.method() === "PATCH") return route.continue();
        const what = (["media", "uploads", "messages"] as const).find((name) => request.url().endsWith(name));
        if (what !== undefined) asked[what] += 1;
        // Each of the two sends what the other does: neither hears that it is sent before both have begun.
        if (asked.media === 2) both.resolve();
        if (what === "media" && !hasLocks) await both.promise;
        if (what === "messages" && !hasLocks && isWhole) {
          const pair = asked.messages <= 2 ? texts : files;
          if (asked.messages % 2 === 0) pair.resolve();
          await pair.promise;
        }
        return route.continue();
      });
      const caption = page.getByLabel("Caption", { exact: true });
      const waitingIn = (of: typeof page) => of.getByRole("list", { name: "Waiting for the line" });
      await scenario.go("inbox?person=1");
      await page.getByLabel("Your reply", { exact: true }).waitFor();
      // Behind a text that waits, no upload begins.
      if (isWhole) {
        await page.getByLabel("Your reply", { exact: true }).fill("One moment");
        await page.keyboard.press("Control+Enter");
        await waitingIn(page).getByText("One moment").waitFor();
      }
      const buffer = Buffer.alloc(bytes, "0123456789abcdefghijklmnopqrstuvwxyz-");
      buffer.write("%PDF-1.7\n");
      await page.locator("input[type=file]").setInputFiles({ name: "menu.pdf", mimeType: "application/pdf", buffer });
      await caption.fill("Here it is");
      await caption.press("Control+Enter");
      await waitingIn(page).getByText("Here it is").waitFor();
      const second = await context.newPage();
      await second.goto(page.url());
      for (const one of [page, second]) await waitingIn(one).getByText("Here it is").waitFor();

      isCut = false;
      await Promise.all([page, second].map((one) => one.evaluate(`dispatchEvent(new Event("online"))`)));
      for (const one of [page, second]) {
        await waitingIn(one).waitFor({ state: "detached" });
        await one.getByRole("region", { name: "Conversation", exact: true }).getByText("Here it is").waitFor();
      }
      const { data } = await scenario.read<{ data: { text: string }[] }>("/messages");
      expect(data.map(({ text }) => text)).toEqual(isWhole ? ["Here it is", "One moment"] : ["Here it is"]);
      if (isWhole)
        expect(asked).toEqual({ uploads: 0, ...(hasLocks ? { media: 1, messages: 2 } : { media: 2, messages: 4 }) });
      else expect([asked.media, asked.uploads]).toEqual([0, 1]);
      const medium = (data[0] as { content?: { media?: { id: number } } }).content?.media?.id;
      const stored = await context.request.get(`${scenario.app.url}/console/api/w/1/media/${medium}`, {
        headers: { "sec-fetch-site": "same-origin" },
      });
      expect(Buffer.compare(await stored.body(), buffer)).toBe(0);
      await waitUntil(() => page.evaluate(NONE_KEPT));
      expect(scenario.troubles.filter((trouble) => !trouble.includes("ERR_FAILED"))).toEqual([]);
    },
    SCENARIO_LIMIT_MS,
  );

  test(
    "what waits does not stand in the field, too, and what is cancelled returns there before what was typed since",
    async () => {
      await using scenario = await startScenario();
      const { page, context } = scenario;
      await scenario.command("number add --workspace 1 --phone +911244001100 --name Shop --network simulator");
      const from = { text: "Is it red?", number: 1 };
      await scenario.prepare("POST", "/simulator/phones/%2B919876540010/write", from);
      const reply = page.getByLabel("Your reply", { exact: true });
      const waiting = page.getByRole("list", { name: "Waiting for the line" });
      const kept = async () =>
        (await scenario.read<{ data: { content: { text: string } | null } | null }>("/inbox/1/draft")).data?.content;
      await scenario.go("inbox?person=1");
      await reply.fill("Yes");
      await waitUntil(async () => (await kept())?.text === "Yes");
      await context.setOffline(true);
      await reply.press("Control+Enter");
      await waiting.getByText("Yes").waitFor();
      const KEY = `Object.keys(localStorage).find((name) => name.startsWith("waxwing-outbox ")).split(" ").at(-1)`;
      const key = await page.evaluate<string>(KEY);
      // A browser may keep the page that is left, and it would send as soon as the line is back.
      await page.evaluate("void (globalThis.fetch = () => new Promise(() => undefined))");
      await page.goto("about:blank");
      await context.setOffline(false);
      // As if the page had ended before the server heard that the field is empty.
      await scenario.prepare("PUT", "/inbox/1/draft", { content: { text: "Yes" }, key, replaces: null, age_ms: 0 });
      await context.route(/\/w\/1\/messages$/, (route) =>
        route.request().method() === "POST" ? route.abort() : route.continue(),
      );
      await scenario.go("inbox?person=1");
      await waiting.getByText("Yes").waitFor();
      await waitUntil(async () => (await kept()) === null);
      expect(await reply.inputValue()).toBe("");

      await reply.fill("In blue, too");
      expect(await page.evaluate(CANCELLED)).toBe("Yes\nIn blue, too");
    },
    SCENARIO_LIMIT_MS,
  );

  test(
    "a file with caption and quote whose answer was lost returns to the field when it is cancelled, and is the same message when it is sent again",
    async () => {
      await using scenario = await startScenario();
      const { page, context, button } = scenario;
      await scenario.command("number add --workspace 1 --phone +911244001100 --name Shop --network simulator");
      const from = { text: "Have you a menu?", number: 1 };
      await scenario.prepare("POST", "/simulator/phones/%2B919876540010/write", from);
      const caption = page.getByLabel("Caption", { exact: true });
      const waiting = page.getByRole("list", { name: "Waiting for the line" });
      const quote = page.getByRole("blockquote", { name: "Your reply answers" });
      const file = page.getByRole("region", { name: "Attached file" });
      let posts = 0;
      await context.route(/\/w\/1\/messages$/, async (route) => {
        if (route.request().method() !== "POST") return route.continue();
        posts += 1;
        if (posts === 1) await route.fetch();
        await route.abort();
      });
      await scenario.go("inbox?person=1");
      await page.getByRole("region", { name: "Conversation", exact: true }).getByText("Have you a menu?").waitFor();
      await page.keyboard.press("r");
      await quote.waitFor();
      const buffer = Buffer.from("%PDF-1.7 menu");
      const input = page.locator("input[type=file]");
      await input.setInputFiles({ name: "menu.pdf", mimeType: "application/pdf", buffer });
      await caption.fill("Here it is");
      await caption.press("Control+Enter");
      await waiting.getByText("Here it is").waitFor();
      await waiting.getByRole("button", { name: "Cancel" }).click();
      await waiting.waitFor({ state: "detached" });
      await file.getByText("menu.pdf").waitFor();
      await quote.waitFor();
      expect(await caption.inputValue()).toBe("Here it is");
      // Also after a reload, because the server has the file.
      await context.unroute(/\/w\/1\/messages$/);
      await page.reload();
      await file.getByText("menu.pdf").waitFor();
      await button("Send reply").click();
      await file.waitFor({ state: "detached" });
      const { data } = await scenario.read<{ data: object[] }>("/messages");
      expect(data).toMatchObject([{ text: "Here it is", reply_to: { inbound: 1 } }]);
    },
    SCENARIO_LIMIT_MS,
  );

  test(
    "replies and a note wait for the line, go once and in order; old ones ask; another account sees and sends nothing of them",
    async () => {
      await using scenario = await startScenario();
      const { app, page, context, button, clean } = scenario;
      await scenario.command("number add --workspace 1 --phone +911244001100 --name Shop --network simulator");
      const from = { text: "Is it red?", number: 1 };
      await scenario.prepare("POST", "/simulator/phones/%2B919876540010/write", from);
      const { token } = await scenario.prepare<{ token: string }>("POST", "/people", { email: BOB, role: "owner" });
      const headers = { "sec-fetch-site": "same-origin" };
      const post = async (path: string, data: object) =>
        expect((await context.request.post(`${app.url}/console/api${path}`, { data, headers })).ok()).toBe(true);
      const texts = async () =>
        (await scenario.read<{ data: { text: string }[] }>("/messages")).data.map(({ text }) => text).toReversed();
      const reply = page.getByLabel("Your reply", { exact: true });
      const note = page.getByRole("textbox", { name: "Note" });
      const waiting = page.getByRole("list", { name: "Waiting for the line" });
      const conversation = page.getByRole("region", { name: "Conversation" });
      const send = async (text: string) => {
        await reply.fill(text);
        await reply.press("Control+Enter");
        await waiting.getByText(text, { exact: true }).waitFor();
        expect(await reply.inputValue()).toBe("");
      };

      await scenario.go("inbox?person=1");
      await reply.waitFor();
      await context.setOffline(true);
      for (const text of ["One", "Two", "Three"]) await send(text);
      await button("Note").click();
      await note.fill("A regular");
      await note.press("Control+Enter");
      await waiting.getByText("A regular").waitFor();
      await clean("what waits for the line");
      await takePictures(scenario, "waiting");
      // Cancelled, it returns to the field.
      await button("Reply").click();
      await waiting.getByRole("listitem").filter({ hasText: "Three" }).getByRole("button", { name: "Cancel" }).click();
      await waiting.getByText("Three").waitFor({ state: "detached" });
      expect(await reply.inputValue()).toBe("Three");
      expect(await waiting.getByRole("listitem").count()).toBe(3);

      // A second page of the same browser: one of the two sends.
      const second = await context.newPage();
      await context.setOffline(false);
      await second.goto(page.url());
      await waiting.waitFor({ state: "detached" });
      await conversation.getByText("Two").waitFor();
      await conversation.getByText("A regular").waitFor();
      await second.close();
      expect(await texts()).toEqual(["One", "Two"]);
      const { data: notes } = await scenario.read<{ data: unknown[] }>("/conversations/1/notes");
      expect(notes).toHaveLength(1);

      // A day later, under another account: nothing is shown or sent, and nothing is lost.
      await context.setOffline(true);
      await send("Four");
      await page.evaluate(age(25));
      await context.setOffline(false);
      await page.goto(`${app.url}/console/account`);
      await page.getByText("1 message or note has not been sent").waitFor();
      await clean("signing out with what waits");
      await post("/sign-out", {});
      await post("/links/use", { token, password: SCENARIO_PASSWORD });
      await scenario.go("inbox?person=1");
      await reply.waitFor();
      expect(await waiting.count()).toBe(0);
      await post("/sign-out", {});
      await post("/sign-in", { email: ASHA, password: SCENARIO_PASSWORD });
      await scenario.go("inbox?person=1");
      await waiting.getByText(/Is it still to go\?/).waitFor();
      expect(await texts()).toEqual(["One", "Two"]);
      await clean("what asks before it goes");
      await takePictures(scenario, "asks");
      await waiting.getByRole("button", { name: "Send now" }).click();
      await waiting.waitFor({ state: "detached" });
      expect(await texts()).toEqual(["One", "Two", "Four"]);
    },
    SCENARIO_LIMIT_MS,
  );
});
