/**
 * Home in a real browser: the first steps of owner and developer, who waits, what failed; and how the console loads: the
 * outline before the first screen, and a script that a newer server does not have any more.
 */
import { describe, expect, test } from "bun:test";
import { noBrowser, waitUntil } from "#test/support/browser.ts";
import { SCENARIO_LIMIT_MS, startScenario } from "#test/support/browser-scenario.ts";
import { takePictures } from "#test/support/pictures.ts";

const NUMBER = "number add --workspace 1 --phone +911244001100 --name Shop --network simulator";
const OWNER = "First steps for the shop";
const DEVELOPER = "First steps for developers";

describe.skipIf(noBrowser)("in a browser", () => {
  test(
    "each first step of owner and developer is marked as done, and a list is hidden and shown again by keyboard",
    async () => {
      await using scenario = await startScenario();
      const { page, clean, button, go, command, prepare, template } = scenario;
      const list = (name: string) => page.getByRole("region", { name });
      const done = (name: string, of: string) => list(name).getByText(`${of} done.`).waitFor();
      await go("");
      await done(OWNER, "0 of 5");
      await done(DEVELOPER, "0 of 3");
      await clean("first steps");
      await takePictures(scenario, "home-first");
      await command(NUMBER);
      await done(OWNER, "1 of 5");
      await template({ name: "hello", text: "Hello from the shop." });
      await prepare("PUT", "/contacts/%2B919876540010", { name: "Asha Rao", consent: "opted_in" });
      await prepare("POST", "/people", { email: "bob.rao@example.com", role: "member" });
      await done(OWNER, "4 of 5");
      await done(DEVELOPER, "0 of 3");

      // Hidden by keyboard, in this browser for good, until it is asked for.
      await button(`Hide: ${DEVELOPER}`).press("Enter");
      await list(DEVELOPER).waitFor({ state: "detached" });
      await page.reload();
      await done(OWNER, "4 of 5");
      expect(await list(DEVELOPER).count()).toBe(0);
      await button(`Show: ${DEVELOPER}`).press("Enter");
      await done(DEVELOPER, "0 of 3");

      // The last step ends the list of the shop, not the developer's.
      await prepare("POST", "/broadcasts", { name: "Offer", template: "hello", to: ["+919876540010"] });
      await prepare("POST", "/keys", { name: "Till", scopes: ["send", "read"] });
      await go("");
      await done(DEVELOPER, "1 of 3");
      expect(await list(OWNER).count()).toBe(0);
    },
    SCENARIO_LIMIT_MS,
  );

  test(
    "Home says who waits, opens the first, and leads from a failure to exactly its messages",
    async () => {
      await using scenario = await startScenario();
      const { page, clean, go, read, command, prepare, template } = scenario;
      await command(NUMBER);
      await template({ name: "hello", text: "Hello from the shop." });
      for (const [digit, text] of ["Is it red?", "Do you deliver to Pune?"].entries())
        await prepare("POST", `/simulator/phones/%2B91987654001${digit}/write`, { text, number: 1 });
      await go("");
      const waits = page.getByRole("region", { name: "People who wait" });
      await waits.getByText(/^2 people wait, the longest for \d+ min$/).waitFor();
      expect(await page.getByText("All quiet").count()).toBe(0);
      await prepare("POST", "/messages", { to: "+919876500001", template: "hello" }).catch(() => undefined);
      await prepare("POST", "/broadcasts", {
        name: "Diwali offer",
        template: "hello",
        to: ["+919876540120", "+919876510001"],
      });
      const failed = page.getByRole("region", { name: "Failed today" });
      // Counters are kept for a moment, and the simulator takes its time: read again until they are there.
      const hasFailed = async () => {
        const { data } = await read<{ data: { broadcast: { failed: number } } }>("/today");
        return data.broadcast.failed === 1;
      };
      await waitUntil(hasFailed);
      await go("");
      await failed.getByRole("link", { name: /^Diwali offer.*Failed: 1 person$/s }).waitFor();
      await clean("home of a busy shop");
      await takePictures(scenario, "home-busy");
      expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
      await page.setViewportSize({ width: 320, height: 720 });
      expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
      await page.setViewportSize({ width: 1440, height: 900 });

      await failed.getByRole("link", { name: /Failed: 1 message$/ }).click();
      await page.getByText(/Only messages that failed with the code/).waitFor();
      await page.getByRole("cell", { name: "+919876500001" }).waitFor();
      expect(await page.getByRole("row").count()).toBe(2);
      await clean("messages of one reason");
      await page.getByRole("button", { name: "Any reason" }).click();
      await page.getByText(/Only messages that failed with the code/).waitFor({ state: "detached" });

      // The button opens who has waited longest; who is answered waits no more.
      await go("");
      await waits.getByRole("link", { name: "Open the first" }).press("Enter");
      await page.waitForURL((url) => url.searchParams.get("person") === '"1"');
      await page.getByText("Is it red?").last().waitFor();
      await prepare("POST", "/messages", { to: "+919876540010", text: "It is." });
      await go("");
      await waits.getByText(/^1 person waits for \d+ min$/).waitFor();
      // Without a reload: after the last answer no person waits.
      await prepare("POST", "/messages", { to: "+919876540011", text: "We do." });
      await waits.waitFor({ state: "detached" });
    },
    SCENARIO_LIMIT_MS,
  );

  test(
    "a tone is played by one tab when another conversation becomes unread, not twice within five seconds, and not with the switch off",
    async () => {
      await using scenario = await startScenario();
      const { page, context, app, button, clean, command, prepare, troubles } = scenario;
      await command(NUMBER);
      await context.addInitScript(`{
        const { start } = OscillatorNode.prototype;
        OscillatorNode.prototype.start = function (...given) {
          localStorage.setItem("tones", String(Number(localStorage.getItem("tones")) + 1));
          return start.apply(this, given);
        };
      }`);
      const storedIn = (one: typeof page, name: string) =>
        one.evaluate<string | null>(`localStorage.getItem(${JSON.stringify(name)})`);
      const stored = (name: string) => storedIn(page, name);
      let unread = 0;
      /** Another person writes; each of the pages asks, as it does when it is looked at again. */
      const write = async (...pages: (typeof page)[]) => {
        const phone = encodeURIComponent(`+91987654002${unread}`);
        await prepare("POST", `/simulator/phones/${phone}/write`, { text: "Is it red?", number: 1 });
        unread += 1;
        for (const one of pages)
          await waitUntil(async () => {
            await one.evaluate('dispatchEvent(new Event("visibilitychange"))');
            return (await one.title()).startsWith(`(${unread}) `);
          });
      };
      const known = () => waitUntil(async () => (await stored("waxwing-sound-known 1 1")) === String(unread));
      await page.goto(`${app.url}/console/account`);
      const onOff = page.getByLabel("Play a sound when a customer writes");
      expect(await onOff.isChecked()).toBe(true);
      await known();
      await clean("the switch of the sound");
      await takePictures(scenario, "sound");
      await button("Play it now").click();
      expect(await stored("tones")).toBe("1");

      // Nothing was pressed in the second tab: it leaves the tone to the first, which is the only one to play it.
      const second = await context.newPage();
      await second.goto(`${app.url}/console/account`);
      await second.getByLabel("Play a sound when a customer writes").waitFor();
      await waitUntil(async () => (await second.title()) === "Account · Waxwing");
      await write(second, page);
      await known();
      expect(await stored("tones")).toBe("2");
      // It is pressed there, and too early for another tone. What one tab stores reaches the other a moment later.
      await waitUntil(async () => (await storedIn(second, "tones")) === "2");
      await second.getByRole("button", { name: "Play it now" }).click();
      await waitUntil(async () => (await stored("tones")) === "3");
      await context.route("**/inbox/unread", async (route) => {
        const response = await route.fetch();
        for (const one of [page, second])
          await one.evaluate('localStorage.setItem("waxwing-sound-played", String(Date.now()))');
        await route.fulfill({ response });
      });
      await write(page, second);
      await known();
      expect(await stored("tones")).toBe("3");
      await context.unroute("**/inbox/unread");
      await second.close();
      await page.evaluate('localStorage.removeItem("waxwing-sound-played")');
      await onOff.uncheck();
      await write(page);
      await known();
      await page.reload();
      expect(await onOff.isChecked()).toBe(false);
      expect(await stored("tones")).toBe("3");

      // The inbox in sight needs none.
      await onOff.check();
      await page
        .getByRole("link", { name: /^Inbox/ })
        .first()
        .click();
      await page.getByText("Is it red?").first().waitFor();
      await write(page);
      await known();
      expect(await stored("tones")).toBe("3");
      expect(troubles).toEqual([]);
    },
    SCENARIO_LIMIT_MS,
  );

  test(
    "the outline stands where the screen will, in both themes, and a missing script reloads once and loses no typed text",
    async () => {
      await using scenario = await startScenario();
      const { page, context, app, command, prepare, go, troubles } = scenario;
      await command(NUMBER);
      await prepare("POST", "/simulator/phones/%2B919876540010/write", { text: "Is it red?", number: 1 });

      let release = (): void => undefined;
      const held = new Promise<void>((resolve) => {
        release = resolve;
      });
      await context.route(/assets\/main-\w+\.js$/, async (route) => {
        await held;
        await route.continue();
      });
      await page.goto(`${app.url}/console/w/1`, { waitUntil: "commit" });
      await page.locator(".outline-bar").waitFor();
      const colour = () => page.evaluate('getComputedStyle(document.querySelector(".outline-bar")).backgroundColor');
      await page.emulateMedia({ colorScheme: "light" });
      const light = await colour();
      await page.emulateMedia({ colorScheme: "dark" });
      expect(await colour()).not.toBe(light);
      await takePictures(scenario, "outline");
      const place = async (selector: string) => {
        const box = await page.locator(selector).first().boundingBox();
        return [Math.round(box?.x ?? -1), Math.round(box?.y ?? -1)];
      };
      const outlined = {
        content: await place(".outline-content > :first-child"),
        edge: await place(".outline-content"),
      };
      release();
      await page.getByRole("heading", { name: "Home" }).waitFor();
      expect(await page.locator("[class^=outline-]").count()).toBe(0);
      expect(await place("h1")).toEqual(outlined.content);
      expect((await place("#main > *"))[1]).toBe(outlined.edge[1]);
      await context.unroute(/assets\/main-\w+\.js$/);

      // A newer version was deployed while the tab was open: the scripts of screens not yet opened are gone.
      await go("inbox?person=1");
      await page.getByLabel("Your reply").fill("It is red, and");
      let missing = 0;
      const gone = /assets\/part-\w+\.js$/;
      await context.route(gone, async (route) => {
        missing += 1;
        await route.fulfill({ status: 404, body: "File not found." });
      });
      const reloaded = page.waitForEvent("load");
      await page.getByRole("link", { name: "Contacts", exact: true }).first().click();
      await reloaded;
      expect(missing).toBeGreaterThan(0);
      // Reloaded once: a script that stays away is said, and not asked for again and again.
      await page.getByRole("button", { name: "Try again" }).waitFor();
      await context.unroute(gone);
      await page.reload();
      await page.getByRole("heading", { name: "Contacts" }).waitFor();
      await go("inbox?person=1");
      expect(await page.getByLabel("Your reply").inputValue()).toBe("It is red, and");
      // The browser says itself that a script is missing.
      troubles.splice(0);
    },
    SCENARIO_LIMIT_MS,
  );
});
