/** What is sent from the inbox beside text, in a real browser. */
import { describe, expect, test } from "bun:test";
import { noBrowser } from "#test/support/browser.ts";
import { SCENARIO_LIMIT_MS, type Scenario, startScenario } from "#test/support/browser-scenario.ts";
import { chooseFromOpenList } from "#test/support/choose-template.ts";
import { takePictures } from "#test/support/pictures.ts";

const PERSON = "+919876540010";
const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const picture = { name: "shirt.png", mimeType: "image/png", buffer: Buffer.from(PNG, "base64") };

/** A script that pastes or drops a picture with the event's name into the composer. */
function give(event: string): string {
  return `(() => {
    const bytes = Uint8Array.from(atob("${PNG}"), (letter) => letter.charCodeAt(0));
    const data = new DataTransfer();
    data.items.add(new File([bytes], "${event}.png", { type: "image/png" }));
    const more = { bubbles: true, cancelable: true };
    document.querySelector("textarea").dispatchEvent(
      "${event}" === "paste"
        ? new ClipboardEvent("paste", { ...more, clipboardData: data })
        : new DragEvent("drop", { ...more, dataTransfer: data }),
    );
  })()`;
}

async function openConversation(scenario: Scenario) {
  const { page } = scenario;
  await scenario.command("number add --workspace 1 --phone +911244001100 --name Shop --network simulator");
  await scenario.prepare("POST", `/simulator/phones/${encodeURIComponent(PERSON)}/write`, {
    text: "Is it red?",
    number: 1,
  });
  await scenario.go("inbox?person=1");
  const conversation = page.getByRole("region", { name: "Conversation" });
  await conversation.getByText("Is it red?").waitFor();
  return conversation;
}

/** Every sent message, newest first. */
async function sentMessages(scenario: Scenario) {
  return (await scenario.read<{ data: { type: string; text: string }[] }>("/messages")).data;
}

describe.skipIf(noBrowser)("in a browser", () => {
  test(
    "a picture is chosen, dropped or pasted, previewed and sent once with its caption; a failed upload loses nothing",
    async () => {
      await using scenario = await startScenario();
      const { page, clean } = scenario;
      const conversation = await openConversation(scenario);
      const choose = page.locator("input[type=file]");
      const alert = page.getByRole("alert");

      // What WhatsApp does not take is said before anything is uploaded.
      await choose.setInputFiles({ ...picture, name: "cat.gif", mimeType: "image/gif" });
      await alert.getByText("cat.gif is a file of type image/gif, which WhatsApp does not take").waitFor();
      await choose.setInputFiles({ ...picture, buffer: Buffer.alloc(5 * 1024 * 1024 + 1) });
      await alert.getByText("shirt.png has 5.2 MB. A PNG image may have at most 5 MB.").waitFor();

      await choose.setInputFiles(picture);
      const attached = page.getByRole("region", { name: "Attached file" });
      await attached.getByRole("img", { name: "Preview of shirt.png" }).waitFor();
      expect(await alert.count()).toBe(0);
      const field = page.getByRole("textbox", { name: "Caption" });
      await field.fill("This one is red");
      await clean("a file in the composer");
      await takePictures(scenario, "file");

      // The line breaks, and later the answer to the message is lost: file and message wait, and go once.
      let uploads = 0;
      await page.route("**/media", async (route) => {
        uploads += 1;
        await (uploads === 1 ? route.abort() : route.continue());
      });
      let answers = 0;
      await page.route("**/w/1/messages", async (route) => {
        answers += 1;
        if (answers > 1) return route.continue();
        await route.fetch();
        await route.abort();
      });
      await page.getByRole("button", { name: "Send reply" }).click();
      await attached.waitFor({ state: "detached" });
      await conversation.getByRole("img", { name: "Picture", exact: true }).waitFor();
      await page.getByRole("list", { name: "Waiting for the line" }).waitFor({ state: "detached" });
      await conversation.getByText("This one is red").waitFor();
      expect([uploads, answers]).toEqual([2, 2]);
      expect(await sentMessages(scenario)).toMatchObject([{ type: "image", text: "This one is red" }]);
      await takePictures(scenario, "file-sent");

      // Pasted, and dropped; a draft stays with its conversation until it is removed.
      for (const event of ["paste", "drop"]) {
        await page.evaluate(give(event));
        await attached.getByText(`${event}.png`, { exact: true }).waitFor();
        await attached.getByRole("button", { name: "Remove the file" }).click();
        await attached.waitFor({ state: "detached" });
      }

      // An upload is cancelled on its way; the file stays.
      await page.unroute("**/media");
      await page.route("**/media", () => new Promise(() => undefined));
      await choose.setInputFiles(picture);
      await page.getByRole("button", { name: "Send reply" }).click();
      await attached.getByRole("progressbar", { name: "Upload" }).waitFor();
      await attached.getByRole("button", { name: "Cancel" }).click();
      await attached.getByRole("button", { name: "Remove the file" }).waitFor();
      expect(await sentMessages(scenario)).toHaveLength(1);
    },
    SCENARIO_LIMIT_MS,
  );

  test(
    "a message is answered with its quote, by the menu and by r, and gets a reaction that is removed",
    async () => {
      await using scenario = await startScenario();
      const { page, clean } = scenario;
      const conversation = await openConversation(scenario);
      await scenario.template({ name: "order_ready", text: "Your order is ready.", category: "UTILITY" });
      const menu = conversation.getByRole("button", { name: "React or reply: Is it red?" });

      await menu.click();
      await page.getByRole("menuitem", { name: "React with 👍" }).waitFor();
      await clean("the menu of a message");
      await takePictures(scenario, "actions");
      await page.getByRole("menuitem", { name: "React with 👍" }).click();
      await conversation.getByRole("img", { name: "Reaction: 👍" }).waitFor();
      await menu.click();
      await page.getByRole("menuitem", { name: "Remove the reaction" }).click();
      await conversation.getByRole("img", { name: "Reaction: 👍" }).waitFor({ state: "detached" });
      await menu.click();
      expect(await page.getByRole("menuitem", { name: "Remove the reaction" }).count()).toBe(0);

      await page.getByRole("menuitem", { name: "Reply to this message" }).click();
      const quote = page.getByRole("blockquote", { name: "Your reply answers" });
      await quote.getByText("Is it red?").waitFor();
      await page.getByRole("button", { name: "Answer no message" }).click();
      await quote.waitFor({ state: "detached" });

      // A template answers no message: its form closes for the quote.
      await page.getByRole("button", { name: "Template" }).click();
      await chooseFromOpenList(page);
      await page.getByRole("button", { name: "Send template" }).waitFor();
      await menu.click();
      await page.getByRole("menuitem", { name: "Reply to this message" }).click();
      await quote.getByText("Is it red?").waitFor();
      await page.getByRole("button", { name: "Answer no message" }).click();
      await quote.waitFor({ state: "detached" });

      // What was sent does not return as a draft where the page is left before it has loaded the list again.
      await page.getByRole("button", { name: "Template" }).click();
      await page.route("**/w/1/inbox**", (route) => {
        if (route.request().method() !== "GET") return route.continue();
      });
      const answered = page.waitForResponse((response) => response.url().endsWith("/w/1/messages"));
      await page.getByRole("button", { name: "Send template" }).click();
      await (await answered).finished();
      await page.getByRole("button", { name: "Send template" }).waitFor({ state: "detached" });
      await page.unroute("**/w/1/inbox**");
      await page.reload();
      await page.getByRole("button", { name: "Template" }).click();
      await page.getByRole("dialog", { name: "Templates" }).waitFor();
      await page.keyboard.press("Escape");
      await page.locator("[data-composer]:focus").waitFor();

      // By keyboard alone: quoted, written, sent.
      await conversation.focus();
      await page.keyboard.press("r");
      await quote.waitFor();
      await page.keyboard.type("Yes, or blue");
      await clean("a quote in the composer");
      await takePictures(scenario, "quote");
      await page.getByRole("textbox").focus();
      await page.keyboard.press("Control+Enter");
      await quote.waitFor({ state: "detached" });
      await conversation.getByRole("blockquote", { name: "In reply to" }).getByText("Is it red?").waitFor();
      const [sent] = (await scenario.read<{ data: object[] }>("/messages")).data;
      expect(sent).toMatchObject({ text: "Yes, or blue", reply_to: { inbound: 1 } });

      // After g, the letter is that of a screen, also where the page was too busy to handle it at once.
      await conversation.focus();
      await page.keyboard.press("g");
      await page.evaluate(
        "setTimeout(() => { for (const begun = performance.now(); performance.now() - begun < 1800; ); })",
      );
      await page.keyboard.press("r");
      await page.waitForURL("**/w/1/requests");
      expect(scenario.troubles).toEqual([]);
    },
    SCENARIO_LIMIT_MS,
  );

  test(
    "a reply is sent at a later time of the workspace's timezone; a time that cannot be is refused and the text stays",
    async () => {
      await using scenario = await startScenario();
      const { page, clean } = scenario;
      const conversation = await openConversation(scenario);
      const field = page.getByRole("textbox", { name: "Your reply" });
      await field.fill("See you tomorrow");
      await page.getByRole("button", { name: "Send later" }).click();
      const time = page.getByLabel("Send at (Asia/Kolkata)");
      const send = page.getByRole("button", { name: "Send later" });
      expect(await send.isDisabled()).toBe(true);
      await time.fill("2020-01-10T18:00");
      await send.click();
      await page.getByRole("alert").waitFor();
      expect(await field.inputValue()).toBe("See you tomorrow");
      await clean("a reply for later");
      await takePictures(scenario, "later");

      const day = new Date(Date.now() + 2 * 86_400_000).toISOString().slice(0, 10);
      await time.fill(`${day}T18:00`);
      await send.click();
      await conversation.getByRole("button", { name: "Cancel message" }).waitFor();
      await time.waitFor({ state: "detached" });
      const [sent] = (await scenario.read<{ data: object[] }>("/messages")).data;
      expect(sent).toMatchObject({ status: "scheduled", send_at: `${day}T18:00:00+05:30` });
    },
    SCENARIO_LIMIT_MS,
  );
});
