/** What people send beside text, as the inbox shows it: pictures, players, documents, and what was answered. */
import { describe, expect, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { noBrowser, waitUntil } from "#test/support/browser.ts";
import { SCENARIO_LIMIT_MS, startScenario } from "#test/support/browser-scenario.ts";

/** What the test uses of a player in the page. */
interface Player {
  muted: boolean;
  duration: number;
  play(): Promise<void>;
}

const PERSON = "+919876540010";

describe.skipIf(noBrowser)("in a browser", () => {
  test(
    "pictures, stickers, voice messages, videos and documents are shown in the conversation, and play there",
    async () => {
      await using scenario = await startScenario();
      const { app, page, clean } = scenario;
      await scenario.command("number add --workspace 1 --phone +911244001100 --name Shop --network simulator");
      const write = `simulate inbound --workspace 1 --from ${PERSON}`;
      await scenario.command(`${write} --type image --text`, "This arrived broken");
      for (const type of ["sticker", "audio", "video", "document"]) await scenario.command(`${write} --type ${type}`);
      await scenario.go("inbox?person=1");
      const conversation = page.getByRole("region", { name: "Conversation" });
      await conversation.getByText("This arrived broken").waitFor();
      for (const name of ["Picture", "Sticker"]) {
        const picture = conversation.getByRole("img", { name, exact: true });
        await picture.scrollIntoViewIfNeeded();
        await waitUntil(() =>
          picture.evaluate((shown) => (shown as unknown as { naturalWidth: number }).naturalWidth > 0),
        );
      }
      for (const label of ["Voice message", "Video"]) {
        const player = await conversation.getByLabel(label, { exact: true }).elementHandle();
        await player?.evaluate(async (element) => {
          const media = element as unknown as Player;
          media.muted = true;
          await media.play();
        });
        const seconds = await player?.evaluate((element) => (element as unknown as Player).duration);
        expect(seconds).toBeGreaterThan(0.5);
      }
      const document = conversation.getByRole("link", { name: /Document/ });
      const address = await document.getAttribute("href");
      const answered = await scenario.context.request.get(`${app.url}${address}`);
      expect([answered.status(), answered.headers()["content-disposition"]]).toEqual([
        200,
        expect.stringMatching(/^attachment; filename="\d+\.pdf"/),
      ]);
      await clean("conversation with files");
      if (process.env.PICTURES !== undefined) {
        mkdirSync(process.env.PICTURES, { recursive: true });
        await page.screenshot({ path: join(process.env.PICTURES, "media.png") });
        await page.setViewportSize({ width: 390, height: 844 });
        await page.screenshot({ path: join(process.env.PICTURES, "media-narrow.png") });
      }
    },
    SCENARIO_LIMIT_MS,
  );
});
