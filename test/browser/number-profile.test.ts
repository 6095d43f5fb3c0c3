/**
 * In a real browser: an owner makes a number as customers are to see it, with a preview, a photo, a username and the QR code;
 * a person is blocked in the conversation, and unblocked on the number's page.
 */
import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { noBrowser, waitUntil } from "#test/support/browser.ts";
import { SCENARIO_LIMIT_MS, startScenario } from "#test/support/browser-scenario.ts";
import { takePictures } from "#test/support/pictures.ts";
import { checkout } from "#test/support/source.ts";

const ASHA = "+919876500001";

describe.skipIf(noBrowser)("in a browser", () => {
  test(
    "profile, photo, username and QR code of a number; a person is blocked, cannot write, and is unblocked",
    async () => {
      await using scenario = await startScenario();
      const { page, button, clean } = scenario;
      await scenario.command("number add --workspace 1 --phone +911244001100 --name Shop --network simulator");
      await scenario.command(`simulate inbound --workspace 1 --from ${ASHA} --text`, "Buy cheap watches");

      await scenario.go("numbers?open=1");
      await page.getByRole("link", { name: "Open profile" }).click();
      const preview = page.getByRole("region", { name: "Preview of the profile on a phone" });
      await preview.getByText("No text about the business").waitFor();
      await clean("empty profile");
      await page.getByLabel("About", { exact: true }).fill("Open until six");
      await preview.getByText("Open until six").waitFor();
      await page.getByLabel("Description").fill("Fresh bread and cakes.\nBaked in the house each morning.");
      await page.getByLabel("Address").fill("14 Lake Road, Pune");
      await page.getByLabel("E-mail").fill("nobody");
      await page.getByLabel("Second website").fill("https://shop.example");
      await page.getByLabel("What you do").selectOption("Food and groceries");
      await page.getByLabel("E-mail").press("Enter");
      await page.getByText("This is no e-mail address.").waitFor();
      await clean("profile refused");
      await page.getByLabel("E-mail").fill("hello@shop.example");
      await button("Save profile").click();
      await page.getByText("Profile saved").waitFor();
      expect(await page.getByLabel("Website", { exact: true }).inputValue()).toBe("https://shop.example");

      // What is typed is not lost by leaving.
      const about = page.getByLabel("About", { exact: true });
      const alert = page.getByRole("alertdialog");
      await about.fill("Open until seven");
      await page.getByRole("link", { name: "All numbers" }).click();
      await alert.getByText("What you typed is not saved.").waitFor();
      await clean("unsaved profile");
      await alert.getByRole("button", { name: "Keep editing" }).click();
      await alert.waitFor({ state: "detached" });
      expect(await about.inputValue()).toBe("Open until seven");
      const asked = page.waitForEvent("dialog");
      const leaving = page.evaluate("location.reload()");
      await (await asked).dismiss();
      await leaving;
      await page.getByRole("link", { name: "All numbers" }).click();
      await alert.getByRole("button", { name: "Leave page" }).click();
      await page.getByRole("link", { name: "Open profile" }).click();
      expect(await about.inputValue()).toBe("Open until six");

      const photo = page.getByLabel("Choose a picture");
      await photo.setInputFiles({ name: "a.png", mimeType: "image/png", buffer: Buffer.from("no picture") });
      await page.getByText("This browser cannot read the file").waitFor();
      await photo.setInputFiles(join(checkout, "docs/console-light.png"));
      await button("Use this photo").click();
      await page.getByText("Photo changed").waitFor();
      const shown = preview.getByRole("img", { name: "Photo of the business" });
      const width = () => page.evaluate("document.querySelector('img')?.naturalWidth");
      await waitUntil(async () => (await width()) === 640);
      expect(await shown.getAttribute("src")).toContain("/numbers/1/photo?of=");

      await page.getByLabel("New username").fill("shop.com");
      await button("Reserve username").click();
      await page.getByText("It must not end as a web address does").waitFor();
      await page.getByLabel("New username").fill("corner_shop");
      await button("Reserve username").click();
      await preview.getByText("@corner_shop").waitFor();

      await page.getByLabel("First words").fill("I would like to order");
      await page.getByText("https://wa.me/911244001100?text=I%20would%20like%20to%20order").waitFor();
      expect(await page.getByRole("link", { name: "Download SVG" }).getAttribute("href")).toStartWith("data:image/svg");
      await page.emulateMedia({ media: "print" });
      const visible = (selector: string) =>
        page.evaluate(`getComputedStyle(document.querySelector(${JSON.stringify(selector)})).visibility`);
      expect([await visible("[data-sheet] p"), await visible("[data-sheet] svg"), await visible("h1")]).toEqual([
        ...["visible", "visible", "hidden"],
      ]);
      await page.emulateMedia({ media: "screen" });
      await page.getByText("This number blocks no one").waitFor();
      await clean("profile");
      await page.evaluate("scrollTo(0, 0)");
      await takePictures(scenario, "profile");
      await page.getByRole("heading", { name: "Username", exact: true }).scrollIntoViewIfNeeded();
      await takePictures(scenario, "profile-lower");

      await scenario.go("inbox?person=1");
      await page.getByRole("button", { name: "More actions" }).waitFor();
      await page.getByRole("heading", { level: 2 }).first().click();
      await page.keyboard.press(".");
      await page.getByRole("menuitem", { name: "Block …" }).click();
      const question = page.getByRole("alertdialog");
      await question.getByText("They are not notified").waitFor();
      await clean("block question");
      await takePictures(scenario, "block-question");
      await question.getByRole("button", { name: "Block", exact: true }).click();
      await page.getByText("You blocked this person on +911244001100").waitFor();
      await clean("blocked");
      await takePictures(scenario, "blocked");
      const refused = await scenario.command(`simulate inbound --workspace 1 --from ${ASHA} --text Again`);
      expect(JSON.stringify(refused)).toContain("blocks this person");

      await scenario.go("numbers/profile?number=1");
      const row = page.getByRole("row", { name: ASHA });
      await row.scrollIntoViewIfNeeded();
      await takePictures(scenario, "blocked-people");
      await page.setViewportSize({ width: 320, height: 800 });
      expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBe(0);
      await clean("profile at 320");
      await row.getByRole("button", { name: "Unblock" }).click();
      await question.getByRole("button", { name: "Unblock" }).click();
      await page.getByText("This number blocks no one").waitFor();
      await button("Release username").click();
      await question.getByRole("button", { name: "Release username" }).click();
      await page.getByText("This number has no username.").waitFor();
      expect(scenario.troubles).toEqual([]);
    },
    SCENARIO_LIMIT_MS,
  );
});
