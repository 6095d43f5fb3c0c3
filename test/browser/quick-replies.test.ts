/** Quick replies in a real browser: written on their page, inserted in the inbox by keyboard and by mouse. */
import { describe, expect, test } from "bun:test";
import { noBrowser } from "#test/support/browser.ts";
import { SCENARIO_LIMIT_MS, startScenario } from "#test/support/browser-scenario.ts";
import { takePictures } from "#test/support/pictures.ts";

const PERSON = "+919876540010";
const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const NARROW = { width: 390, height: 844 };

describe.skipIf(noBrowser)("in a browser", () => {
  test(
    "a quick reply is written with a picture, and inserted with the contact's fields or those that are asked for",
    async () => {
      await using scenario = await startScenario();
      const { page, clean } = scenario;
      await scenario.command("number add --workspace 1 --phone +911244001100 --name Shop --network simulator");
      await scenario.prepare("POST", `/simulator/phones/${encodeURIComponent(PERSON)}/write`, {
        text: "How do I pay?",
        number: 1,
      });
      await scenario.prepare("PUT", `/contacts/${encodeURIComponent(PERSON)}`, { first_name: "Asha" });
      const { prepare } = scenario;
      await prepare("POST", "/quick-replies", {
        name: "Delivery",
        text: "Hi {{first_name}}, to {{city}} in two days.",
      });
      await prepare("POST", "/quick-replies", { name: "Thanks", text: "Thank you, {{first_name}}!" });

      // Written on the page, with what is wrong at its field.
      await scenario.go("quick-replies");
      await page.getByRole("button", { name: "New quick reply" }).click();
      const dialog = page.getByRole("dialog", { name: "New quick reply" });
      await dialog.getByRole("textbox", { name: "Name" }).fill("thanks");
      await dialog.getByRole("textbox", { name: "Text" }).fill("Pay here, {{frist_name}}.");
      await dialog.getByRole("button", { name: "Save quick reply" }).click();
      await dialog.getByText("There is already a quick reply Thanks; choose another name.").waitFor();
      await dialog.getByText("Did you mean first_name?").waitFor();
      await dialog.getByRole("textbox", { name: "Name" }).fill("Payment");
      await dialog.getByRole("textbox", { name: "Text" }).fill("Pay here, {{first_name}}.");
      const picture = { name: "code.png", mimeType: "image/png", buffer: Buffer.from(PNG, "base64") };
      await dialog.locator("input[type=file]").setInputFiles(picture);
      await dialog.getByText("code.png").waitFor();
      await clean("the form of a quick reply");
      await takePictures(scenario, "quick-reply-form");
      await dialog.getByRole("button", { name: "Save quick reply" }).click();
      await dialog.waitFor({ state: "detached" });
      await page.getByText("Pay here, {{first_name}}.").waitFor();
      await clean("the page of quick replies");
      await takePictures(scenario, "quick-replies");

      // By keyboard: the slash opens, words find, arrows move, Enter inserts.
      await scenario.go("inbox?person=1");
      const field = page.getByRole("textbox", { name: "Your reply" });
      await field.click();
      await page.keyboard.type("/");
      const picker = page.getByRole("dialog", { name: "Quick replies" });
      const options = picker.getByRole("option");
      await options.first().waitFor();
      expect(await options.count()).toBe(3);
      await page.keyboard.press("ArrowDown");
      await picker.getByRole("option", { name: /^Payment/, selected: true }).waitFor();
      await clean("the list of quick replies");
      await takePictures(scenario, "quick-reply-list");
      await page.keyboard.type("pay");
      await options.nth(1).waitFor({ state: "detached" });
      await picker.getByRole("option", { name: /^Payment/, selected: true }).waitFor();
      await page.keyboard.press("Enter");
      await picker.waitFor({ state: "detached" });
      const caption = page.getByRole("textbox", { name: "Caption" });
      expect(await caption.inputValue()).toBe("Pay here, Asha.");
      await page.getByRole("img", { name: "Preview of code.png" }).waitFor();
      await clean("a quick reply in the composer");
      await page.keyboard.press("Control+Enter");
      await caption.waitFor({ state: "detached" });
      const sent = await scenario.read<{ data: { type: string; text: string }[] }>("/messages");
      expect(sent.data).toMatchObject([{ type: "image", text: "Pay here, Asha." }]);

      // Esc closes and loses nothing that was typed.
      await field.click();
      await page.keyboard.type("/");
      await options.first().waitFor();
      await page.keyboard.type("home");
      await picker.getByText("No quick reply has these words.").waitFor();
      await page.keyboard.press("Escape");
      await picker.waitFor({ state: "detached" });
      expect(await field.inputValue()).toBe("/home");

      // By mouse on a phone: a field that the contact does not have is asked for, and never empty.
      await page.setViewportSize(NARROW);
      await field.fill("Hello!");
      await page.getByRole("button", { name: "Insert a quick reply" }).click();
      await picker.getByRole("option", { name: /^Delivery/ }).click();
      const asked = page.getByRole("dialog", { name: "Fill in Delivery" });
      await asked.getByRole("textbox", { name: "City" }).fill("  ");
      await asked.getByRole("button", { name: "Insert" }).click();
      await asked.getByText("Type a value.").waitFor();
      await clean("the fields that are asked for");
      await takePictures(scenario, "quick-reply-fields");
      await page.setViewportSize(NARROW);
      await asked.getByRole("textbox", { name: "City" }).fill("Pune");
      await asked.getByRole("button", { name: "Insert" }).click();
      await asked.waitFor({ state: "detached" });
      expect(await field.inputValue()).toBe("Hello!\nHi Asha, to Pune in two days.");
      await clean("a filled quick reply at 390 px");
      // Nothing was sent by what was pressed in the dialogs.
      expect((await scenario.read<{ data: unknown[] }>("/messages")).data).toHaveLength(1);
    },
    SCENARIO_LIMIT_MS,
  );
});
