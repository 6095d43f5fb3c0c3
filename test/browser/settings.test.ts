/** The settings in a real browser: each is changed there, and holds at once in the API, the command line and the behaviour. */
import { describe, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openClient } from "#src/db/driver.ts";
import { settingKey, settingNames } from "#src/domain/workspaces/workspace.ts";
import { axeFindings, noBrowser, waitUntil } from "#test/support/browser.ts";
import { SCENARIO_LIMIT_MS, type Scenario, startScenario } from "#test/support/browser-scenario.ts";

const PERSON = "+919876540010";

/** Each label with what is typed or chosen, and the value that the API, the command line and the audit log then have. */
const CHANGES = [
  ["Name", "name", "Corner Shop & Sons", "Corner Shop & Sons"],
  ["Country", "country", "DE", "DE"],
  ["Timezone", "timezone", "Europe/Berlin", "Europe/Berlin"],
  ["Daily cap", "daily_cap", "250", 250],
  ["Opt-out words", "stop_words", "basta, lass das", ["basta", "lass das"]],
  ["Opt-in words", "start_words", "dabei", ["dabei"]],
  ["Opening hours", "opening_hours", "Mon-Sun closed", "mon-sun closed"],
  ["Closed days", "closed_days", "12-25", ["12-25"]],
  ["Away message", "away_message", "We are closed today.", "We are closed today."],
  ["Quiet hours", "quiet", "22:00-7:00", "22:00-07:00"],
  ["AI notice", "ai_notice", "An AI wrote this.", "An AI wrote this."],
  ["Read receipts", "read_receipts", "opened", "opened"],
  ["Purpose of consent", "purpose", "Offers and news", "Offers and news"],
  ["Notice of consent", "notice", "We write to you about offers.", "We write to you about offers."],
  ["Messages to one person", "message_retention", "1 year", "1 year"],
  ["What people write", "inbound_retention", "90 days", "90 days"],
  ["Files that people send", "media_retention", "30 days", "30 days"],
] as const;

const WRONG = [
  ["Name", " ", "A name has 1 to 191 characters."],
  ["Daily cap", "0", "at least 1"],
  ["Opt-out words", "…", "has no letter or digit"],
  ["Opening hours", "always", "mon-fri 09:00-13:00, 15:00-19:00"],
  ["Closed days", "25.12.", "is not a date such as 2026-12-26 or 12-25"],
  ["Quiet hours", "22:00", "neither two different times of day"],
  ["Purpose of consent", "x".repeat(192), "A purpose has at most 191 characters."],
] as const;

const isOfSettings = (url: string): boolean => url.endsWith("/w/1/settings");

async function set({ page }: Scenario, label: string, value: string): Promise<void> {
  const field = page.getByLabel(label, { exact: true });
  if ((await field.evaluate((element) => element.tagName)) === "SELECT") await field.selectOption(value);
  else await field.fill(value);
}

async function save({ page }: Scenario): Promise<void> {
  await page.getByRole("button", { name: "Save settings" }).click();
}

async function pictures({ page }: Scenario, name: string): Promise<void> {
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    for (const [width, height] of [
      [1440, 900],
      [390, 844],
    ] as const) {
      await page.setViewportSize({ width, height });
      expect([colorScheme, width, await axeFindings(page)]).toEqual([colorScheme, width, []]);
      const folder = process.env.PICTURES;
      if (folder === undefined) continue;
      mkdirSync(folder, { recursive: true });
      await page.screenshot({ path: join(folder, `${name}-${colorScheme}-${width}.png`), fullPage: true });
    }
  }
  await page.emulateMedia({ colorScheme: "light" });
  await page.setViewportSize({ width: 1440, height: 900 });
}

describe.skipIf(noBrowser)("in a browser", () => {
  test(
    "each setting is changed, and holds at once in the API, the command line, the behaviour and the audit log",
    async () => {
      await using scenario = await startScenario();
      const { page, app } = scenario;
      await scenario.command("number add --workspace 1 --phone +911244001100 --name Shop --network simulator");
      const { key } = await scenario.command("key create --workspace 1 --scopes read,send");
      const api = async (path: string) => {
        const answer = await fetch(`${app.url}/api/v1${path}`, { headers: { authorization: `Bearer ${key}` } });
        return ((await answer.json()) as { data: Record<string, unknown> }).data;
      };
      expect(CHANGES.map(([, name]) => name).toSorted() as string[]).toEqual(settingNames.map(settingKey).toSorted());
      await scenario.go("settings");

      await page.getByText("Default: 21:00-08:00.").waitFor();
      const kept = page.getByRole("region", { name: "How long this server keeps things" });
      await kept.getByText("18 months").waitFor();

      // Wrong values are named at their fields, and nothing changes.
      for (const [label, value] of WRONG) await set(scenario, label, value);
      await save(scenario);
      for (const [label, , sentence] of WRONG) {
        const field = page.getByLabel(label, { exact: true });
        await page.getByRole("alert").filter({ hasText: sentence }).first().waitFor();
        expect([label, await field.getAttribute("aria-invalid")]).toEqual([label, "true"]);
        const described = ((await field.getAttribute("aria-describedby")) ?? "").split(" ").at(-1) ?? "";
        expect(await page.locator(`[id="${described}"]`).textContent()).toContain(sentence);
      }
      await pictures(scenario, "wrong");
      expect(await api("/settings")).toMatchObject({ name: "Corner Shop", daily_cap: null, quiet: "" });

      await page.reload();
      for (const [label, name, typed, value] of CHANGES) {
        await set(scenario, label, typed);
        const saved = page.waitForResponse((one) => isOfSettings(one.url()) && one.request().method() === "PATCH");
        // The form then shows what is stored.
        const shownAgain = saved.then(() => page.waitForResponse((one) => isOfSettings(one.url())));
        await save(scenario);
        expect([name, (await saved).status()]).toEqual([name, 200]);
        await shownAgain;
        const seen = await api("/settings");
        expect([name, seen[name]]).toEqual([name, value as never]);
        const shown = await scenario.command("workspace show 1");
        expect([name, shown[name]]).toEqual([name, value as never]);
        const { data } = await scenario.read<{ data: { details: { was: object; became: object } }[] }>("/audit");
        expect(data[0]?.details.became).toEqual({ [name]: value });
        expect(Object.keys(data[0]?.details.was ?? {})).toEqual([name]);
      }
      await page.getByText("Saved", { exact: true }).first().waitFor();
      await page.getByText("by asha@example.com").first().waitFor();
      await pictures(scenario, "settings");

      // What is typed before the page has heard of the last change stays; what was saved is shown as it is stored.
      const line = Promise.withResolvers<void>();
      await page.route(/\/w\/1\/settings$/, async (route) => {
        if (route.request().method() === "GET") await line.promise;
        await route.continue();
      });
      const done = page.waitForResponse((one) => isOfSettings(one.url()) && one.request().method() === "PATCH");
      await set(scenario, "Quiet hours", "22:00-6:00");
      await save(scenario);
      expect((await done).status()).toBe(200);
      await set(scenario, "Daily cap", "300");
      line.resolve();
      const shownIn = (label: string) => page.getByLabel(label, { exact: true }).inputValue();
      await waitUntil(async () => (await shownIn("Quiet hours")) === "22:00-06:00");
      expect(await shownIn("Daily cap")).toBe("300");
      await page.unroute(/\/w\/1\/settings$/);

      // A person writes: the away message goes out, and the receipt when the conversation is opened.
      const write = `/simulator/phones/${encodeURIComponent(PERSON)}/write`;
      await scenario.prepare("POST", write, { text: "Are you open?", number: 1 });
      const receipt = page.waitForResponse((answer) => /\/inbounds\/1\/read$/.test(answer.url()));
      await scenario.go("inbox?person=1");
      expect((await receipt).status()).toBe(200);
      const conversation = page.getByRole("region", { name: "Conversation" });
      await conversation.getByText("We are closed today.").waitFor();
      await conversation.getByText("Away message").waitFor();
      const typing = page.waitForRequest((asked) => asked.postData()?.includes('"typing":true') === true);
      await page.getByRole("textbox", { name: "Reply" }).pressSequentially("On");
      expect((await typing).url()).toEndWith("/inbounds/1/read");
      await pictures(scenario, "away");

      // An own opt-out word is heard.
      await scenario.prepare("POST", write, { text: "Basta!", number: 1 });
      await page.getByText("opted out", { exact: false }).first().waitFor();
      expect(await api(`/contacts/${encodeURIComponent(PERSON)}`)).toMatchObject({ consent: { status: "opted_out" } });
    },
    SCENARIO_LIMIT_MS,
  );

  test(
    "a timezone and words say first what they do, and quiet hours are named where a broadcast is planned",
    async () => {
      await using scenario = await startScenario();
      const { page, app } = scenario;
      await scenario.command("number add --workspace 1 --phone +911244001100 --name Shop --network simulator");
      const offer = { name: "offer", language: "en_US", category: "MARKETING" };
      const file = join(app.directory, "offer.json");
      writeFileSync(
        file,
        JSON.stringify({ ...offer, components: [{ type: "BODY", text: "Everything is half price." }] }),
      );
      await scenario.command("template add --workspace 1 --status APPROVED --file", file);
      const day = new Date(Date.now() + 48 * 3_600_000).toISOString().slice(0, 10);
      const broadcast = { template: "offer", to: ["+919876540011"], from: "+911244001100" };
      const planned = { ...broadcast, name: "Diwali", send_at: `${day}T22:30:00+05:30` };
      await scenario.prepare("POST", "/broadcasts", planned);
      const write = `/simulator/phones/${encodeURIComponent(PERSON)}/write`;
      await scenario.prepare("POST", write, { text: "No more offers", number: 1 });

      const draft = await scenario.prepare<{ id: number }>("POST", "/drafts", {
        ...{ ...broadcast, language: "en_US", name: "Late", send_at: `${day}T22:30` },
      });
      await scenario.go(`broadcasts/new?draft=${draft.id}&step=check`);
      await page.getByText("It starts within quiet hours (21:00 to 08:00, Asia/Kolkata)").waitFor();
      await pictures(scenario, "wizard");
      await scenario.command("workspace update 1 --quiet 23:00-07:00");
      await page.reload();
      await page.getByRole("button", { name: /^Schedule for/ }).waitFor();
      expect(await page.getByText("within quiet hours").count()).toBe(0);

      // As if the person had written long ago.
      const client = openClient(join(app.directory, "waxwing.db"), { timeout: 5_000 });
      client.exec("UPDATE inbounds SET created_at = created_at - 864000000");
      client.close();
      await scenario.go("settings");
      await set(scenario, "Timezone", "Europe/Berlin");
      await set(scenario, "Opt-out words", "no more offers");
      await set(scenario, "What people write", "7 days");
      await save(scenario);
      const dialog = page.getByRole("alertdialog", { name: "Change these settings?" });
      await dialog.getByText("22:30 becomes", { exact: false }).waitFor();
      expect(await dialog.textContent()).toContain("“No more offers”, opted out");
      await dialog.getByText("1 text that a person wrote").waitFor();
      await pictures(scenario, "first");
      const workspace = await scenario.command("workspace show 1");
      expect(workspace).toMatchObject({ timezone: "Asia/Kolkata", stop_words: [], inbound_retention: "server" });
      await dialog.getByRole("button", { name: "Change settings" }).click();
      await dialog.waitFor({ state: "detached" });
      const changed = await scenario.command("workspace show 1");
      expect(changed).toMatchObject({
        timezone: "Europe/Berlin",
        stop_words: ["no more offers"],
        inbound_retention: "7 days",
      });
    },
    SCENARIO_LIMIT_MS,
  );
});
