/**
 * The round trip without a real phone, in a real browser: a message sent through the API appears on the simulated
 * phone, and STOP pressed there reaches contact, event and webhook. The inbox answers what is typed on the phone.
 */
import { describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { openClient } from "#src/db/driver.ts";
import { noBrowser, waitUntil } from "#test/support/browser.ts";
import { SCENARIO_LIMIT_MS, startScenario } from "#test/support/browser-scenario.ts";
import { chooseTemplate } from "#test/support/choose-template.ts";
import { startReceiver } from "#test/support/receiver.ts";

const OFFER = {
  name: "offer",
  language: "en_US",
  category: "UTILITY",
  components: [
    { type: "BODY", text: "Hi {{1}}, your table is ready.", example: { body_text: [["Asha"]] } },
    { type: "BUTTONS", buttons: [{ type: "QUICK_REPLY", text: "Stop promotions" }] },
  ],
};
const CARD = {
  components: [
    { type: "HEADER", format: "IMAGE" },
    { type: "BODY", text: "{{1}} for you." },
  ],
};
const PLANTS = {
  name: "plants",
  language: "en_US",
  category: "MARKETING",
  components: [
    { type: "BODY", text: "New in our shop." },
    { type: "CAROUSEL", cards: [CARD, CARD] },
  ],
};
const media = { link: "https://files.example.com/a.jpg" };
const plants = {
  template: "plants",
  cards: [
    { media, body: ["Aloe"] },
    { media, body: ["Agave"] },
  ],
};

describe.skipIf(noBrowser)("in a browser", () => {
  test(
    "STOP on the simulated phone opts the contact out and reaches event and webhook, and an inbox reply is sent once",
    async () => {
      await using receiver = startReceiver();
      await using scenario = await startScenario();
      const { app, page, button, clean } = scenario;

      await scenario.go("simulator");
      await page.getByText("No simulator number").waitFor();
      await clean("no number");
      await scenario.command("number add --workspace 1 --phone +911244001100 --name Shop --network simulator");
      writeFileSync(join(app.directory, "offer.json"), JSON.stringify(OFFER));
      await scenario.command("template add --workspace 1 --file offer.json --status APPROVED");
      await scenario.command("webhook set --workspace 1 --url", receiver.url);
      const { key } = await scenario.command("key create --workspace 1");
      writeFileSync(join(app.directory, "plants.json"), JSON.stringify(PLANTS));
      await scenario.command("template add --workspace 1 --file plants.json --status APPROVED");
      const sendTo = async (to: string, body: object = { template: "offer", variables: ["Asha"] }) => {
        const answered = await fetch(`${app.url}/api/v1/messages`, {
          method: "POST",
          headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
          body: JSON.stringify({ to, ...body }),
        });
        return answered.status;
      };
      await page.getByText("No phones yet").waitFor();
      await clean("no phone");

      // A message sent through the API appears on the phone without a reload; the keyboard presses its button.
      expect(await sendTo("+919876540010")).toBe(201);
      const phone = page.getByRole("region", { name: "+919876540010's phone" });
      await phone.getByText("Hi Asha, your table is ready.").waitFor();
      const steps = page.getByRole("list", { name: "What your software sees" });
      await steps.getByText("message.read → 200").waitFor();
      await clean("simulator");
      await phone.getByRole("button", { name: "Press Stop promotions" }).press("Enter");
      await phone.getByText("Opted out").waitFor();
      await steps.getByText("contact.opted_out → 200").waitFor();
      expect(receiver.types()).toContain("contact.opted_out");
      expect(await sendTo("+919876540010")).toBe(422);
      // The network's times are whole seconds and STOP wins a tie, so START must come in a later second.
      await page.waitForTimeout(1_000);
      await phone.getByRole("button", { name: "START" }).click();
      await phone.getByText("Opted in").waitFor();

      // The simulator reports nothing about this message: it is set to delivered and read by hand. Then its timeline.
      expect(await sendTo("+919876540004")).toBe(201);
      await page.getByLabel("Phone number").fill("98765 40004");
      await button("Open phone").click();
      const quiet = page.getByRole("region", { name: "+919876540004's phone" });
      await quiet.getByText("Not on the phone yet").waitFor();
      await quiet.getByRole("button", { name: "Fail with …" }).click();
      await page.getByRole("menuitem", { name: /131049/ }).waitFor();
      await page.keyboard.press("Escape");
      await quiet.getByRole("button", { name: "Delivered" }).click();
      await quiet.getByText("Not on the phone yet").waitFor({ state: "detached" });
      await quiet.getByRole("button", { name: "Read" }).click();
      await quiet.getByRole("group", { name: "Set the status" }).waitFor({ state: "detached" });
      await quiet.getByRole("link", { name: "#2" }).click();
      await page.getByRole("heading", { name: "Message 2" }).waitFor();
      await page.getByText(/^Delivered in .*, and read\.$/).waitFor();
      await clean("message");
      await page.keyboard.press("Escape");
      await page.getByRole("heading", { name: "Message 2" }).waitFor({ state: "detached" });

      // A carousel has its cards on the phone.
      expect(await sendTo("+919876540012", plants)).toBe(201);
      await page.getByLabel("Phone number").fill("98765 40012");
      await button("Open phone").click();
      const shop = page.getByRole("region", { name: "+919876540012's phone" });
      await shop.getByRole("list", { name: "Carousel with 2 cards" }).waitFor();
      expect(await shop.getByText("for you.").count()).toBe(2);
      await clean("carousel");

      // An unknown person writes; the inbox shows the conversation as unread until it is opened.
      await page.getByLabel("Phone number").fill("+919876540008");
      await button("Open phone").click();
      await page.getByLabel("Write as this person").fill("Are you open?");
      await page.getByLabel("Write as this person").press("Enter");
      await page.getByRole("region", { name: "Conversation on the phone" }).getByText("Are you open?").waitFor();
      await page.keyboard.press("Escape");
      await page.getByRole("link", { name: /^Inbox/ }).click();
      const row = page.getByRole("navigation", { name: "Conversations" }).getByRole("link", { name: /Are you open/ });
      await row.getByText("1 unread").waitFor();
      await clean("inbox");
      await row.click();
      await row.getByText("1 unread").waitFor({ state: "detached" });
      const thread = page.getByRole("region", { name: "Conversation" });

      // The network does not answer this reply: the outcome is unknown, not failed, and there is nothing to press
      // again.
      await page.getByLabel("Your reply").fill("We are, until eight.");
      await page.getByLabel("Your reply").press("Control+Enter");
      await page.getByLabel("Your reply").press("Control+Enter");
      await thread.getByText("Outcome unknown").waitFor();
      await thread.getByText("We don't know whether this message arrived").waitFor();
      expect(await thread.getByText("We are, until eight.").count()).toBe(1);
      await clean("unknown");

      // A reply that succeeds is sent once despite a double press.
      const asha = page
        .getByRole("navigation", { name: "Conversations" })
        .getByRole("link", { name: /\+919876540010/ });
      await asha.click();
      // Until then the field is that of the other conversation.
      await page.getByRole("region", { name: "+919876540010", exact: true }).waitFor();
      await page.getByLabel("Your reply").fill("Sorry to see you go.");
      await button("Send reply").dblclick();
      await thread.getByText("Sorry to see you go.").waitFor();
      await waitUntil(() => page.evaluate("document.querySelector('textarea').value === ''"));
      expect(await thread.getByText("Sorry to see you go.").count()).toBe(1);

      // The 24-hour window closes: there is no text field, and a template can still be sent.
      const client = openClient(join(app.directory, "waxwing.db"), { timeout: 5_000 });
      client.prepare("UPDATE contacts SET last_message_at = last_message_at - 86400000").run();
      client.close();
      await page.reload();
      await page.getByText(/The 24-hour window closed on/).waitFor();
      expect(await page.getByRole("textbox").count()).toBe(0);
      await chooseTemplate(page, "offer (en_US)");
      await button("Send template").click();
      await page.locator("[aria-invalid=true]").waitFor();
      await page.getByLabel("Body placeholder {{1}}").fill("Vikram");
      await page.getByText("Hi Vikram, your table is ready.").waitFor();
      await clean("closed window");
      await button("Send template").click();
      await thread.getByText("Hi Vikram, your table is ready.").waitFor();

      // Messages by text and by status. At 320 px no page scrolls sideways.
      await scenario.go("messages");
      await page.getByRole("link", { name: "Outcome unknown" }).click();
      await page.getByText("We are, until eight.").waitFor();
      await page.getByPlaceholder("Phone, #ID or text").fill("never said");
      await page.getByText("No matching messages").waitFor();
      await clean("messages");
      await page.setViewportSize({ width: 320, height: 700 });
      for (const [path, shown] of [
        ["messages", "Hi Vikram, your table is ready."],
        ["messages?open=1", "Message 1"],
        ["simulator", "+919876540008"],
        ["simulator?phone=%2B919876540010", "STOP"],
        ["inbox", "Window open"],
        ["inbox?person=1", "The 24-hour window closed"],
      ] as const) {
        await scenario.go(path);
        await page.getByText(shown).filter({ visible: true }).first().waitFor();
        expect([path, await page.evaluate("document.documentElement.scrollWidth - innerWidth")]).toEqual([path, 0]);
        await clean(path);
      }
      // The only 502 is the one for the reply with the unknown outcome.
      expect(scenario.troubles.filter((trouble) => !/status of 502/.test(trouble))).toEqual([]);
      expect(scenario.troubles.length).toBeLessThan(2);
    },
    SCENARIO_LIMIT_MS,
  );
});
