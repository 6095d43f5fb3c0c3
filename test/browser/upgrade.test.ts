/** In a real browser: an operator asks for a newer release, reads what changed and copies the command. */
import { describe, expect, test } from "bun:test";
import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { noBrowser, openBrowser } from "#test/support/browser.ts";
import { SCENARIO_LIMIT_MS } from "#test/support/browser-scenario.ts";
import { firstOperator } from "#test/support/console.ts";
import { startTestServer } from "#test/support/server.ts";
import { writeRelease } from "#test/support/upgrades.ts";

const CHANGELOG = `## 9.9.9 – 2027-01-01

### Added

- \`GET /me\` says which numbers a key may use, and ${"a_long_word_without_a_place_to_break".repeat(4)}.
- Broadcasts wait for a template that is in review.

### Fixed

- A reply to a message that was deleted no longer fails.

## 9.9.8 – 2026-12-20

- A fault of the inbox.
`;

describe.skipIf(noBrowser)("in a browser", () => {
  test(
    "the page says that a release is newer, what changed, and what to run",
    async () => {
      const workshop = mkdtempSync(join(tmpdir(), "waxwing-upgrade-page-"));
      const { privateKey, publicKey } = generateKeyPairSync("ed25519");
      const address = join(workshop, "release");
      writeFileSync(join(workshop, "program"), "x");
      writeRelease(address, {
        ...{ version: "9.9.9", schema: 9_999, executable: join(workshop, "program"), key: privateKey },
        changelog: CHANGELOG,
      });
      const key = String(publicKey.export({ type: "spki", format: "pem" }));
      await using app = await startTestServer({ releases: { address, key } });
      const operator = await firstOperator(app);
      await using opened = await openBrowser({ width: 1440, height: 900 });
      const { page, button, context } = opened;
      const [name = "", value = ""] = (operator.cookie ?? "").split(";")[0]?.split("=") ?? [];
      await context.addCookies([{ name, value, url: app.server.url }]);
      await page.goto(`${app.server.url}/console/system/upgrade`);
      await page.getByText("Not checked since the server started").waitFor();
      await button("Check for a newer release").press("Enter");
      await page.getByText("Waxwing 9.9.9 is available").waitFor();
      await page.getByText("sudo waxwing upgrade", { exact: true }).waitFor();
      await page.getByText("A fault of the inbox.").waitFor();
      await opened.cleanEverywhere("upgrade");

      rmSync(workshop, { recursive: true });
      await button("Check for a newer release").click();
      await page.getByText("The newest release can't be read").waitFor();
      await opened.clean("offline");
      expect(opened.troubles).toEqual([]);
    },
    SCENARIO_LIMIT_MS,
  );
});
