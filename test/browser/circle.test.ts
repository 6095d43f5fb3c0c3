/**
 * The whole round trip with the keyboard alone: from the first start to a STOP that reaches the contact, the delivery
 * log and the developer's server. Other means only open the setup link, add the template and choose the file. The other
 * browser tests use a mouse.
 */
import { describe, expect, test } from "bun:test";
import { noBrowser, openBrowser } from "#test/support/browser.ts";
import { SCENARIO_LIMIT_MS, SCENARIO_PASSWORD } from "#test/support/browser-scenario.ts";
import { startConsole } from "#test/support/console-process.ts";
import { keysOf } from "#test/support/keyboard.ts";
import { startReceiver } from "#test/support/receiver.ts";

const ROWS = 10_000;
/** Every 50th contact is in the group that gets the broadcast. */
const PEOPLE = ROWS / 50;
const OFFER = [
  "template add --workspace 1 --status APPROVED --file",
  {
    name: "offer",
    language: "en_US",
    category: "MARKETING",
    components: [
      { type: "BODY", text: "Twenty percent." },
      { type: "BUTTONS", buttons: [{ type: "QUICK_REPLY", text: "Stop promotions" }] },
    ],
  },
] as const;

/** Follows in the page what it says of the progress: this process may be too late to see each count. */
const FOLLOW_COUNTS = `{
  globalThis.counts = new Set();
  new MutationObserver(() => {
    const [count] = /Sending: [\\d,]+ of \\d+ people/.exec(document.body.textContent) ?? [];
    if (count !== undefined) counts.add(count);
  }).observe(document.body, { subtree: true, childList: true, characterData: true });
}`;

/** Counts how often a heading is given the focus. */
const COUNT_HEADINGS = `{
  globalThis.headings = 0;
  const { focus } = HTMLElement.prototype;
  HTMLElement.prototype.focus = function (...given) {
    if (this.matches("h1")) headings += 1;
    return focus.apply(this, given);
  };
}`;

describe.skipIf(noBrowser)("in a browser", () => {
  test(
    "the console works by keyboard alone, from the first start to a STOP that reaches contact, delivery log and webhook",
    async () => {
      await using app = await startConsole();
      await using receiver = startReceiver();
      await using browser = await openBrowser();
      const { page, button } = browser;
      const { keyboard } = page;
      const field = (label: string | RegExp) => page.getByLabel(label, { exact: true });
      const { press, reach, write } = keysOf(page);
      /** Presses two single keys and waits until the new page has taken the focus. */
      const goTo = async (letter: string, heading: string) => {
        // A form that was sent keeps the focus until its page is left, and a single key would be typed into it.
        await page.locator("input:focus, textarea:focus").waitFor({ state: "detached" });
        await keyboard.press("g");
        await keyboard.press(letter);
        await page.locator("h1:focus").filter({ hasText: heading }).waitFor();
      };

      await page.goto(app.setupLink);
      await write(field("E-mail"), "asha@example.com");
      await write(field("Password"), SCENARIO_PASSWORD);
      await keyboard.press("Enter");
      await write(field("Name"), "Corner Shop");
      await keyboard.press("Enter");
      await page.getByText("0 of 5 done").waitFor();
      await press(page.getByRole("link", { name: "Add number" }));
      await press(page.getByRole("link", { name: "Add simulator number" }));
      await write(field("Phone"), "+911244001100");
      await write(field("Name"), "Shop");
      await keyboard.press("Enter");
      await page.getByText("Number added").waitFor();
      await goTo("h", "Home");
      const [template, json] = OFFER;
      await Bun.write(`${app.directory}/offer.json`, JSON.stringify(json));
      await app.command(...template.split(" "), "offer.json");
      await page.getByText("2 of 5 done").waitFor();

      // A key, shown once; a webhook address, and a test event that arrives there.
      await press(page.getByRole("link", { name: "Create key" }));
      await press(button("Create key"));
      await write(field("Name"), "Web shop");
      await keyboard.press("Enter");
      await press(button("I have saved it"));
      await write(field("Address"), receiver.url);
      await keyboard.press("Enter");
      await press(button("Send test event"));
      await page.getByText(/Your server responded 200 in \d+ ms/).waitFor();

      // 10,000 contacts; the import asks for their consent separately.
      await goTo("c", "Contacts");
      await press(page.getByRole("link", { name: "Import contacts" }).first());
      const rows = Array.from({ length: ROWS }, (_, row) => {
        return `98765${String(row).padStart(5, "0")};Person ${row};${row % 50 === 20 ? "Regulars" : ""}`;
      });
      await field("Choose a file").waitFor();
      await field("Choose a file").setInputFiles({
        name: "people.csv",
        mimeType: "text/csv",
        buffer: Buffer.from(["Mobile;Name;Belongs to", ...rows].join("\n")),
      });
      await write(field("Field for Belongs to"), "Gro");
      await press(field("Yes, all of them"), "Space");
      await write(field("How did they agree?"), "Signed at the till");
      await press(button("Check file"));
      await button("Import 10,000 contacts").waitFor({ timeout: 60_000 });
      await press(button("Import 10,000 contacts"));
      await page.getByText("10,000 contacts imported.").waitFor({ timeout: 60_000 });

      // The wizard: each step starts with the focus on its heading.
      await goTo("b", "Broadcasts");
      await press(page.getByRole("link", { name: "New broadcast" }).first());
      await press(button("Use this template: offer en_US"));
      await write(field("Group"), "Reg");
      await press(button("Next"));
      await page.getByText("Everyone receives the same text.").waitFor();
      await page.locator("h1:focus").waitFor();
      await page.evaluate(COUNT_HEADINGS);
      await press(button("Next"));
      // Progress is live: several counts appear without a reload.
      await page.evaluate(FOLLOW_COUNTS);
      await reach(button(`Send to ${PEOPLE} people`));
      // Once, when the step is there: later the focus is where the keys have led it.
      expect(await page.evaluate<number>("headings")).toBe(1);
      await keyboard.press("Enter");
      await page.getByRole("heading", { name: "offer", level: 1 }).waitFor();
      await page.getByText(`Sent to ${PEOPLE} of ${PEOPLE} people.`).waitFor({ timeout: 60_000 });
      expect(await page.evaluate<number>("counts.size")).toBeGreaterThan(1);

      // One recipient presses STOP on the phone, and the developer's server gets the event.
      await goTo("s", "Simulator");
      await write(field("Phone number"), "9876500020");
      await keyboard.press("Enter");
      const phone = page.getByRole("region", { name: "Person 20's phone" });
      await press(phone.getByRole("button", { name: "Press Stop promotions" }));
      await phone.getByText("Opted out").waitFor();
      await page.getByRole("list", { name: "What your software sees" }).getByText("contact.opted_out → 200").waitFor();
      expect(receiver.types()).toEqual(expect.arrayContaining(["webhook.test", "contact.opted_out"]));

      await goTo("c", "Contacts");
      await keyboard.press("/");
      await keyboard.type("98765 00020");
      await page.getByText("1 person found").waitFor();
      await press(page.getByRole("link", { name: "Person 20" }));
      await page.getByText(/They opted out on/).waitFor();
      await keyboard.press("Escape");

      await goTo("d", "Webhook deliveries");
      await press(page.getByRole("link", { name: "contact.opted_out" }));
      await page.getByText("Responded 200").waitFor();
      await page.getByText('"phone": "+919876500020"').waitFor();
      expect(browser.troubles).toEqual([]);
    },
    SCENARIO_LIMIT_MS,
  );
});
