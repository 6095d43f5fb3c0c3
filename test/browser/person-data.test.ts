/**
 * What a person may ask an owner for, in a real browser: an archive of their data, made and downloaded with the mouse, and then to be
 * forgotten, with the keyboard alone. A password is asked for again on the way.
 */
import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { openClient } from "#src/db/driver.ts";
import { noBrowser } from "#test/support/browser.ts";
import { SCENARIO_LIMIT_MS, SCENARIO_PASSWORD, startScenario } from "#test/support/browser-scenario.ts";
import { keysOf } from "#test/support/keyboard.ts";
import { takePictures } from "#test/support/pictures.ts";
import { unzip } from "#test/support/zip.ts";

const PHONE = "+919876543210";

describe.skipIf(noBrowser)("in a browser", () => {
  test(
    "an owner hands out a person's data and then forgets them: what goes and stays is shown before, the receipt after",
    async () => {
      await using scenario = await startScenario();
      const { app, page, button, clean } = scenario;
      const keys = keysOf(page);
      const askAgain = () => {
        const client = openClient(join(app.directory, "waxwing.db"), { timeout: 5_000 });
        client.exec("UPDATE sessions SET confirmed_at = 0");
        client.close();
      };
      const asked = page.getByRole("dialog", { name: "Is it still you?" });
      await scenario.command("number add --workspace 1 --phone +911244001100 --name Shop --network simulator");
      await scenario.prepare("PUT", `/contacts/${PHONE.slice(1)}`, { name: "Asha Rao", city: "Pune" });
      await scenario.prepare("POST", `/simulator/phones/${PHONE.slice(1)}/write`, {
        text: "Where is my parcel?",
        number: 1,
      });
      await scenario.prepare("POST", `/contacts/${PHONE.slice(1)}/opt-out`);

      await scenario.go(`contacts?open=${encodeURIComponent(PHONE)}`);
      await button("Make archive").click();
      await page.getByText("The archive is ready").waitFor();
      await page.getByText("1 message, 0 notes, 0 files").waitFor();
      await clean("an archive is ready");
      await page.getByText("The archive is ready").scrollIntoViewIfNeeded();
      await takePictures(scenario, "person-data");
      askAgain();
      await page.getByRole("link", { name: "Download archive" }).click();
      await asked.getByLabel("Password").fill(SCENARIO_PASSWORD);
      const download = page.waitForEvent("download");
      await asked.getByRole("button", { name: "Continue" }).click();
      const path = join(app.directory, "downloaded.zip");
      await (await download).saveAs(path);
      expect(String((await unzip(path))["data.json"])).toContain("Where is my parcel?");

      askAgain();
      await page.getByRole("heading", { name: "Asha Rao" }).focus();
      await keys.press(button("Forget this person…"));
      const dialog = page.getByRole("dialog", { name: "Forget Asha Rao?" });
      await dialog.getByText("What stays").waitFor();
      await dialog.getByText("a code that only this server can compute").waitFor();
      await clean("what goes and what stays");
      await page.setViewportSize({ width: 320, height: 700 });
      await clean("what goes and what stays at 320 pixels");
      await page.setViewportSize({ width: 1440, height: 900 });
      await takePictures(scenario, "forget");
      const typed = dialog.getByLabel(`Type ${PHONE} to continue`);
      await keys.write(typed, "+919876543211");
      await page.keyboard.press("Enter");
      await dialog.getByText("This is not the person's number.").waitFor();
      await page.keyboard.press("ControlOrMeta+a");
      await page.keyboard.type(PHONE);
      await page.keyboard.press("Enter");
      await keys.write(asked.getByLabel("Password"), SCENARIO_PASSWORD);
      await page.keyboard.press("Enter");
      const done = page.getByRole("dialog", { name: "The person is forgotten" });
      await done.getByText("Messages from them").waitFor();
      await clean("the receipt");
      await takePictures(scenario, "forgotten");
      await keys.press(done.getByRole("button", { name: "Close" }).last());
      await done.waitFor({ state: "detached" });
      await page.getByText("Asha Rao").first().waitFor({ state: "detached" });

      await scenario.go("audit");
      await page.getByText("Erased a person").first().waitFor();
      await page.getByText("Downloaded the archive of a person's data").waitFor();
      expect(scenario.troubles.filter((trouble) => !/40[034]/.test(trouble))).toEqual([]);
    },
    SCENARIO_LIMIT_MS,
  );
});
