/**
 * Importing files of contacts in a real browser, by mouse and by keyboard: what was found and changed, columns, a separate
 * question about consent, check, import, and a download of the failed rows that is mended and dropped again.
 */
import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { noBrowser, waitUntil } from "#test/support/browser.ts";
import { SCENARIO_LIMIT_MS, startScenario } from "#test/support/browser-scenario.ts";

const ROWS = 2_000;

describe.skipIf(noBrowser)("in a browser", () => {
  test(
    "an imported file is checked without writing, is imported once, and its refused rows can be downloaded",
    async () => {
      await using scenario = await startScenario();
      const { page, button, clean } = scenario;
      await scenario.go("contacts");
      await page.getByRole("link", { name: "Import contacts" }).first().click();
      await page.getByText("Drop a CSV file here").waitFor();
      await clean("no file yet");
      const file = { name: "people.csv", mimeType: "text/csv" };
      await page.getByLabel("Choose a file").setInputFiles({ ...file, buffer: Buffer.from("") });
      await page.getByText("The file is empty.").waitFor();
      const rows = Array.from({ length: ROWS }, (_, row) => {
        const phone = row % 1_000 === 7 ? "12" : `98765${String(row).padStart(5, "0")}`;
        return `${phone};Person ${row};Pune;${row % 2 === 0 ? "gold" : "silver"}`;
      });
      const text = ["Mobile;Name;City;Level", ...rows].join("\r\n");
      await page.getByLabel("Choose a file").setInputFiles({ ...file, buffer: Buffer.from(text) });

      // The columns are suggested and one is corrected. Consent has no preselected answer.
      await page.getByText("Map columns").waitFor();
      expect(await page.getByLabel("Field for Mobile").inputValue()).toBe("phone");
      expect(await page.getByLabel("Field for Level").inputValue()).toBe("-");
      await page.getByLabel("Field for Level").selectOption("tags");
      await button("Check file").click();
      await page.getByText("Choose whether they agreed.").waitFor();
      await page.getByLabel("Yes, all of them").check();
      await page.getByLabel("How did they agree?").fill("Signed at the till");
      await clean("columns");
      await button("Check file").click();
      await page.getByText("What the import would do").waitFor({ timeout: 60_000 });
      await page.getByText("The phone cell is not a phone number.").waitFor();
      expect(await page.getByRole("row").filter({ hasText: "+919876500000" }).textContent()).toContain("Pune");
      await clean("checked");
      const contacts = async () => (await scenario.read<{ meta: { total: number } }>("/contacts")).meta.total;
      expect(await contacts()).toBe(0);

      // The check survives a reload, and a double press imports once.
      await page.reload();
      await button("Import 1,998 contacts").dblclick();
      await page.getByText("1,998 contacts imported, 2 rows failed.").waitFor({ timeout: 60_000 });
      await clean("done");
      const download = page.waitForEvent("download");
      await page.getByRole("link", { name: "Download failed rows (CSV)" }).click();
      const lines = readFileSync(await (await download).path(), "utf8")
        .trim()
        .split("\r\n");
      expect([lines.length, lines[0], lines[1]]).toEqual([
        3,
        "line,error,Mobile,Name,City,Level",
        '9,"phone: ""12"" is not a phone number.",12,Person 7,Pune,silver',
      ]);
      expect(await contacts()).toBe(1_998);
      await page.getByRole("link", { name: "View contacts" }).click();
      await page.getByRole("link", { name: "Person 1999", exact: true }).click();
      // The source of the consent; the same word also stands in its history, which is closed.
      await page.getByText("Import", { exact: true }).first().waitFor();
      expect(scenario.troubles).toEqual([]);
    },
    SCENARIO_LIMIT_MS,
  );

  test(
    "a file is dropped, read as the user chooses, mapped with a new field, and its failed rows are mended and dropped again",
    async () => {
      await using scenario = await startScenario();
      const { page, button, clean } = scenario;
      await scenario.go("contacts/import");
      await drop(page, "Kunden März.csv", Buffer.from(MESSY, "latin1"));

      // What was found is shown, and what is not certain is asked.
      await page.getByText("Reads: Jörg Müller, Köln").waitFor();
      expect(await page.getByLabel("Column names").locator("option:checked").textContent()).toBe("Detected: In line 2");
      await clean("found");
      await button("Check file").click();
      await page.getByText("Choose whether the day or the month comes first.").waitFor();
      await page.getByLabel("The second: month, then day").check();
      await page.getByLabel("No, or not sure").check();

      // A column becomes a custom field on the spot.
      await page.getByLabel("Field for Stufe").selectOption("New custom field…");
      await button("Add field").click();
      await page
        .getByLabel("Field for Stufe")
        .locator("option:checked", { hasText: "Stufe" })
        .waitFor({ state: "attached" });

      // Choices survive a reload, and a second tab shows them too. They are shown a moment before the server has them.
      const stored = async () =>
        (await scenario.read<{ data: { choices: { map: Record<string, string> } } }>("/imports/1")).data.choices;
      await waitUntil(async () => (await stored()).map["#5"] === "fields.stufe");
      const second = await scenario.context.newPage();
      for (const tab of [page, second]) {
        await tab.goto(page.url());
        await tab.getByText("What was found").waitFor();
        expect(await tab.getByLabel("Dates").inputValue()).toBe("mdy");
        expect(await tab.getByLabel("Field for Stufe").inputValue()).toBe("fields.stufe");
        expect(await tab.getByLabel("No, or not sure").isChecked()).toBe(true);
      }
      await second.close();
      await button("Check file").click();
      await page.getByText("What the import would do").waitFor();
      const asha = page.getByRole("row").filter({ hasText: "+919876500001" });
      for (const text of ["Asha Rao", "1990-03-04", "gold", "No record"])
        expect(await asha.textContent()).toContain(text);
      await page.getByText("Excel shortened the number, and its last digits are lost.").waitFor();
      await page.getByText("Format the column as text and export again.").waitFor();
      await clean("checked");
      await button("Import 2 contacts").click();
      await page.getByText("2 contacts imported, 1 row failed.").waitFor();

      const download = page.waitForEvent("download");
      await page.getByRole("link", { name: "Download failed rows (CSV)" }).click();
      const failed = readFileSync(await (await download).path(), "utf8");
      await page.getByRole("link", { name: "Import another file" }).click();
      await drop(page, "mended.csv", Buffer.from(failed.replaceAll("9,19876E+11", "+919876500002")));
      await page.getByLabel("No, or not sure").check();
      await button("Check file").click();
      await button("Import 1 contact").click();
      await page.getByText("1 contact imported.").waitFor();
      expect((await scenario.read<{ meta: { total: number } }>("/contacts")).meta.total).toBe(3);
      expect(scenario.troubles).toEqual([]);
    },
    SCENARIO_LIMIT_MS,
  );

  test(
    "by keyboard alone a file is read, checked and imported, and a quotation mark that swallows rows is decided on the spot",
    async () => {
      await using scenario = await startScenario();
      const { page } = scenario;
      await scenario.go("contacts/import");
      const text = 'name,phone\n"Asha,9876500001\nRavi,9876500002\nMina",9876500003\nLena,9876500004';
      const given = { name: "quotes.csv", mimeType: "text/csv", buffer: Buffer.from(text) };
      await page.getByLabel("Choose a file").setInputFiles(given);
      await page.getByText("What was found").waitFor();
      await reach(page, "radio", "Yes, all of them");
      await page.keyboard.press("ArrowDown");
      expect(await page.getByLabel("No, or not sure").isChecked()).toBe(true);
      await reach(page, "button", "Check file");
      await page.keyboard.press("Enter");
      await page.getByText("A quoted cell holds line breaks that look like rows.").waitFor();
      await reach(page, "button", "Read quotation marks as characters");
      await page.keyboard.press("Enter");
      await page.getByRole("button", { name: "Import 4 contacts" }).waitFor();
      await reach(page, "button", "Import 4 contacts");
      await page.keyboard.press("Enter");
      await page.getByText("4 contacts imported.").waitFor();
      expect(scenario.troubles).toEqual([]);
    },
    SCENARIO_LIMIT_MS,
  );
});

const MESSY = `Kundenliste 2026;;;;
Name;Mobil;Geburtstag;Ort;Stufe
Asha Rao;098765 00001;03/04/1990;Pune;gold
Ravi Das;9,19876E+11;;Delhi;silber
Jörg Müller;+49 171 2345678;;Köln;gold`;

/** Drops a file on the page, as from a folder. */
async function drop(page: Page, name: string, content: Buffer): Promise<void> {
  const target = page.getByText("Drop a", { exact: false }).first();
  await target.waitFor();
  // Runs in the page.
  const transfer = await page.evaluateHandle(`(() => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([Uint8Array.from(${JSON.stringify([...content])})], ${JSON.stringify(name)}));
    return transfer;
  })()`);
  await target.dispatchEvent("drop", { dataTransfer: transfer });
  await page.getByText("What was found").waitFor();
}

/** Presses Tab until the control has the focus. */
async function reach(page: Page, role: "button" | "radio", name: string): Promise<void> {
  const control = page.getByRole(role, { name, exact: true });
  await control.waitFor();
  for (let presses = 0; presses < 80; presses += 1) {
    if (await control.evaluate((element) => element.matches(":focus"))) return;
    await page.keyboard.press("Tab");
  }
  throw new Error(`Tab never reached ${name}`);
}
