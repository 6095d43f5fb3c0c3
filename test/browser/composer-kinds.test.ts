/**
 * Everything that the composer sends beside text and files, in a real browser, as the network gets it: with the mouse, with
 * the keyboard alone, and by touch.
 */
import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type BrowserOptions, noBrowser, waitUntil } from "#test/support/browser.ts";
import { SCENARIO_LIMIT_MS, type Scenario, startScenario } from "#test/support/browser-scenario.ts";
import { chooseFromOpenList } from "#test/support/choose-template.ts";
import { keysOf } from "#test/support/keyboard.ts";
import { takePictures } from "#test/support/pictures.ts";

/** A microphone that hears a tone: Chromium without windows has none. Refused until the test allows it. */
const MICROPHONE = `navigator.mediaDevices.getUserMedia = async () => {
  if (globalThis.isMicrophoneAllowed !== true) throw new DOMException("Permission denied", "NotAllowedError");
  const context = new AudioContext();
  const tone = context.createOscillator();
  const heard = context.createMediaStreamDestination();
  tone.connect(heard);
  tone.start();
  return heard.stream;
};`;

const PERSON = "+919876540010";
const PDF = "%PDF-1.4\n%%EOF\n";

/** Loses the answer to the next message, which arrives. */
async function loseAnswer({ page }: Scenario): Promise<void> {
  await page.route(
    "**/w/1/messages",
    async (route) => {
      await route.fetch();
      await route.abort();
    },
    { times: 1 },
  );
}

async function startConversation(options: BrowserOptions = {}) {
  const scenario = await startScenario(options, { WAXWING_SIMULATOR_CONTROL: "true" });
  const { app, page, button } = scenario;
  await scenario.command("number add --workspace 1 --phone +911244001100 --name Shop --network simulator");
  await scenario.prepare("POST", `/simulator/phones/${encodeURIComponent(PERSON)}/write`, {
    text: "When do you come?",
    number: 1,
  });
  const authorization = `Bearer ${readFileSync(join(app.directory, "control.token"), "utf8").trim()}`;
  return {
    scenario,
    conversation: page.getByRole("region", { name: "Conversation" }),
    send: button("Send reply"),
    /** Opens a form by the menu. */
    async add(name: string) {
      await button("Add to the message").click();
      await page.getByRole("menuitem", { name, exact: true }).click();
    },
    field: (name: string) => page.getByRole("textbox", { name, exact: true }),
    /** What the network got since the beginning, oldest first. */
    async sent(count: number): Promise<Record<string, unknown>[]> {
      const response = await fetch(`${app.url}/control/v1/sent?count=${count}&wait=20s`, {
        headers: { authorization },
      });
      return ((await response.json()) as { content: Record<string, unknown> }[]).map(({ content }) => content);
    },
  };
}

describe.skipIf(noBrowser)("in a browser", () => {
  test(
    "buttons, a list and a voice note are made with the mouse, shown before they go, and sent once",
    async () => {
      const { scenario, conversation, send, add, field, sent } = await startConversation();
      await using _ = scenario;
      const { page, context, button, clean } = scenario;
      await page.addInitScript(MICROPHONE);
      const alert = page.getByRole("alert");
      const preview = page.getByRole("region", { name: "Preview" });
      await scenario.go("inbox?person=1");
      await conversation.getByText("When do you come?").waitFor();

      // What is wrong is named at its field; the form survives a reload.
      await button("Add to the message").click();
      await page.getByRole("menuitem", { name: "Voice note" }).waitFor();
      await clean("the menu of the composer");
      await takePictures(scenario, "kinds-menu");
      await page.getByRole("menuitem", { name: "Buttons", exact: true }).click();
      await send.click();
      await alert.getByText("Type the text that stands above it.").waitFor();
      await alert.getByText("Type what the button says.").waitFor();
      await page.locator("[data-composer]:focus[aria-invalid=true]").waitFor();
      await field("Text").fill("We have *two* times");
      await field("Button 1").fill("Monday");
      await button("Add a button").click();
      await page.locator("[data-part-path='interactive.buttons.1.title']:focus").waitFor();
      await page.keyboard.type("Monday");
      await alert.getByText("Another button says the same.").waitFor();
      await field("Headline (optional)").fill("Your delivery");
      await page.reload();
      await field("Button 2").fill("Tuesday");
      expect(await field("Text").inputValue()).toBe("We have *two* times");
      await preview.getByText("Your delivery").waitFor();
      await preview.getByRole("listitem").getByText("Tuesday").waitFor();
      await clean("the form of buttons");
      await takePictures(scenario, "kinds-buttons");

      // The answer is lost: the message waits for the line, and is asked for again.
      await loseAnswer(scenario);
      await send.dblclick();
      await field("Your reply").waitFor();
      await conversation.getByRole("listitem").getByText("Tuesday").waitFor();

      await add("List");
      await field("Text").fill("Or choose a time");
      await field("Button that opens the list").fill("Choose");
      await field("Row 1").fill("Morning");
      await field("Row 1, second line (optional)").fill("8 to 12");
      await button("Add a section").click();
      await field("Title of section 2").fill("Tuesday");
      await field("Row 1 of section 2").fill("Evening");
      await send.click();
      await alert.getByText("With several sections, each needs a title.").waitFor();
      await field("Title of section 1").fill("Monday");
      await preview.getByText("8 to 12").waitFor();
      await clean("the form of a list");
      await takePictures(scenario, "kinds-list");
      await send.click();
      await field("Your reply").waitFor();

      // Without the right to the microphone, it says what to do.
      await button("Record a voice note").click();
      await alert.getByText("The microphone is not allowed here. Allow it").waitFor();
      await page.evaluate("globalThis.isMicrophoneAllowed = true");
      await button("Record a voice note").click();
      await button("Discard").click();
      await button("Record a voice note").click();
      await page.getByRole("timer").getByText("0:02").waitFor();
      await clean("a voice note that is recorded");
      await takePictures(scenario, "kinds-recording");
      await button("Stop").click();
      const heard = page.getByLabel("Listen to Voice note.ogg");
      await waitUntil(() => heard.evaluate((player) => (player as unknown as { duration: number }).duration > 1.5));
      await clean("a voice note to listen to");
      await takePictures(scenario, "kinds-voice");
      await send.click();
      await heard.waitFor({ state: "detached" });
      const received = conversation.getByLabel("Voice message", { exact: true });
      await received.waitFor();
      await conversation.getByRole("button", { name: "Playback speed: 1×" }).click();
      await conversation.getByRole("button", { name: "Playback speed: 1.5×" }).click();
      await conversation.getByRole("button", { name: "Playback speed: 2×" }).waitFor();
      expect(await page.evaluate("document.querySelector('audio').playbackRate")).toBe(2);
      await takePictures(scenario, "kinds-sent");

      const button1 = { type: "reply", reply: { id: "Monday", title: "Monday" } };
      const button2 = { type: "reply", reply: { id: "Tuesday", title: "Tuesday" } };
      const rows = [{ id: "Monday: Morning", title: "Morning", description: "8 to 12" }];
      const more = [{ id: "Tuesday: Evening", title: "Evening" }];
      expect(await sent(3)).toEqual([
        {
          type: "interactive",
          interactive: {
            type: "button",
            header: { type: "text", text: "Your delivery" },
            body: { text: "We have *two* times" },
            action: { buttons: [button1, button2] },
          },
        },
        {
          type: "interactive",
          interactive: {
            type: "list",
            body: { text: "Or choose a time" },
            action: {
              button: "Choose",
              sections: [
                { title: "Monday", rows },
                { title: "Tuesday", rows: more },
              ],
            },
          },
        },
        { type: "audio", audio: { id: expect.any(String), voice: true } },
      ]);
      const [voice] = (await scenario.read<{ data: { content: { media: { id: number } } }[] }>("/messages")).data;
      const stored = await context.request.get(`${scenario.app.url}/console/api/w/1/media/${voice?.content.media.id}`);
      expect(stored.headers()["content-type"]).toBe("audio/ogg");
      expect((await stored.body()).toString("latin1", 28, 36)).toBe("OpusHead");
      expect(scenario.troubles.filter((text) => !text.includes("net::ERR_FAILED"))).toEqual([]);
    },
    SCENARIO_LIMIT_MS,
  );

  test(
    "a link and a place are made and sent with the keyboard alone",
    async () => {
      const { scenario, conversation, field, sent } = await startConversation();
      await using _ = scenario;
      const { page, button, clean } = scenario;
      const { keyboard } = page;
      const { press, write } = keysOf(page);
      const focused = (path: string) => page.locator(`[data-part-path='${path}']:focus`).waitFor();
      await scenario.go("inbox?person=1");
      await conversation.getByText("When do you come?").waitFor();
      /** By its first letters. */
      const choose = async (name: string) => {
        await press(button("Add to the message"));
        // A letter before the menu has the focus is not its own.
        await page.getByRole("menu").and(page.locator(":focus-within")).waitFor();
        await keyboard.type(name.slice(0, 3));
        await page.locator(":focus", { hasText: name }).waitFor();
        await keyboard.press("Enter");
      };

      // Enter alone sends nothing. Closed by Esc and opened again, it has what was typed.
      await conversation.focus();
      await write(field("Your reply"), "Follow it here");
      await choose("Link button");
      await focused("interactive.link.title");
      await keyboard.type("Track it");
      await keyboard.press("Tab");
      await keyboard.type("shop.example.com/1");
      await keyboard.press("Enter");
      await keyboard.press("Escape");
      await page.locator("[data-composer]:focus").waitFor();
      expect(await field("Your reply").inputValue()).toBe("Follow it here");
      await choose("Link button");
      await focused("interactive.link.title");
      await keyboard.press("Control+Enter");
      await page.getByRole("alert").getByText("Type a complete address that begins with https://").waitFor();
      await focused("interactive.link.url");
      await keyboard.press("Home");
      await keyboard.type("https://");
      await page.getByRole("region", { name: "Preview" }).getByText("Track it").waitFor();
      await clean("the form of a link");
      await takePictures(scenario, "kinds-link");
      await keyboard.press("Control+Enter");
      await field("Your reply").and(page.locator(":focus")).waitFor();

      // The text stays for the next message.
      await keyboard.type("Until then");
      await choose("Place");
      await focused("location.latitude");
      await page.getByText("This goes without a text.").waitFor();
      await keyboard.type("91");
      await keyboard.press("Control+Enter");
      await page.getByRole("alert").getByText("Type the latitude in degrees, from -90 to 90").waitFor();
      await keyboard.press("Control+a");
      await keyboard.insertText("12.9716, 77.5946");
      await write(field("Name (optional)"), "Corner Shop");
      await clean("the form of a place");
      await takePictures(scenario, "kinds-place");
      await loseAnswer(scenario);
      await keyboard.press("Control+Enter");
      await field("Your reply").and(page.locator(":focus")).waitFor();
      expect(await field("Your reply").inputValue()).toBe("Until then");
      await conversation.getByText("12.9716, 77.5946").waitFor();

      expect(await sent(2)).toEqual([
        {
          type: "interactive",
          interactive: {
            type: "cta_url",
            body: { text: "Follow it here" },
            action: { name: "cta_url", parameters: { display_text: "Track it", url: "https://shop.example.com/1" } },
          },
        },
        { type: "location", location: { latitude: "12.9716", longitude: "77.5946", name: "Corner Shop" } },
      ]);
    },
    SCENARIO_LIMIT_MS,
  );

  test(
    "contact cards, a document and a template are sent from a phone by touch",
    async () => {
      const { scenario, conversation, send, field, sent } = await startConversation({
        width: 390,
        height: 844,
        isPhone: true,
      });
      await using _ = scenario;
      const { page, button, clean } = scenario;
      await scenario.prepare("PUT", "/contacts/%2B442079460210", { name: "Asha Rao" });
      await scenario.template({ name: "order_shipped", text: "Order {{1}} has left." });
      await scenario.go("inbox?person=1");
      await conversation.getByText("When do you come?").waitFor();
      const choose = async (name: string) => {
        await button("Add to the message").tap();
        await page.getByRole("menuitem", { name, exact: true }).tap();
      };
      const noSideways = async (where: string) => {
        for (const width of [320, 390]) {
          await page.setViewportSize({ width, height: 844 });
          expect([where, await page.evaluate("document.documentElement.scrollWidth")]).toEqual([where, width]);
        }
      };

      // One of the workspace's contacts, and one that is typed.
      await choose("Contact card");
      await page.getByRole("searchbox", { name: "Take it from your contacts" }).fill("Ash");
      await page.getByRole("list", { name: "Contacts found" }).getByRole("button", { name: "Asha Rao" }).tap();
      await waitUntil(async () => (await field("Name").inputValue()) === "Asha Rao");
      await button("Add a card").tap();
      const second = page.getByRole("group", { name: "Card 2" });
      await second.getByRole("textbox", { name: "Name" }).fill("Bob");
      await second.getByRole("textbox", { name: "Phone number (optional)" }).fill("98765");
      await send.tap();
      await page.getByRole("alert").getByText("Type the number with + and the country code").waitFor();
      await clean("the form of cards");
      await noSideways("the form of cards");
      await takePictures(scenario, "kinds-cards");
      await page.setViewportSize({ width: 390, height: 844 });
      await second.getByRole("checkbox").tap();
      await send.tap();
      await conversation.getByText("+442079460210").waitFor();

      const chooser = page.waitForEvent("filechooser");
      await choose("Photo or file");
      await (await chooser).setFiles({ name: "Menu.pdf", mimeType: "application/pdf", buffer: Buffer.from(PDF) });
      await page.getByRole("region", { name: "Attached file" }).getByText("Menu.pdf").waitFor();
      await send.tap();
      await conversation.getByText("Menu.pdf").waitFor();

      await choose("Template");
      await chooseFromOpenList(page, "order_shipped (en_US)");
      await field("Body placeholder {{1}}").fill("10042");
      await clean("a template in an open window");
      await noSideways("a template in an open window");
      await takePictures(scenario, "kinds-template");
      await page.setViewportSize({ width: 390, height: 844 });
      await button("Send template").tap();
      await conversation.getByText("Order 10042 has left.").waitFor();
      await field("Your reply").waitFor();

      const [cards, document, template] = await sent(3);
      expect(cards).toEqual({
        type: "contacts",
        contacts: [
          { name: { formatted_name: "Asha Rao" }, phones: [{ phone: "+442079460210", wa_id: "442079460210" }] },
          { name: { formatted_name: "Bob" }, phones: [{ phone: "98765" }] },
        ],
      });
      expect(document).toMatchObject({ type: "document", document: { filename: "Menu.pdf" } });
      expect(template).toMatchObject({ type: "template", template: { name: "order_shipped" } });
    },
    SCENARIO_LIMIT_MS,
  );
});
