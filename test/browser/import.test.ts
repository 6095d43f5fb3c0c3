/**
 * Importing a file of 2,000 contacts in a real browser: upload, one corrected column, a separate question about
 * consent, check, import, and a download of the refused rows.
 */
import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { noBrowser } from "#test/support/browser.ts";
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
      await page.getByText("Preview").waitFor({ timeout: 60_000 });
      await page.getByText('phone: "12" is not a phone number.').first().waitFor();
      await clean("checked");
      const contacts = async () => (await scenario.read<{ meta: { total: number } }>("/contacts")).meta.total;
      expect(await contacts()).toBe(0);

      // The check survives a reload, and a double press imports once.
      await page.reload();
      await button("Import 1,998 contacts").dblclick();
      await page.getByText("1,998 contacts imported, 2 rows rejected.").waitFor({ timeout: 60_000 });
      await clean("done");
      const download = page.waitForEvent("download");
      await page.getByRole("link", { name: "Download rejected rows (CSV)" }).click();
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
});
