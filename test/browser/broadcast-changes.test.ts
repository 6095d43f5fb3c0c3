/**
 * A scheduled broadcast is changed, discarded and duplicated, found again in the list, and sent again to those who failed, by
 * mouse and by keyboard. A figure opens exactly its recipients.
 */
import { describe, expect, test } from "bun:test";
import { noBrowser, waitUntil } from "#test/support/browser.ts";
import { SCENARIO_LIMIT_MS, startScenario } from "#test/support/browser-scenario.ts";
import { keysOf } from "#test/support/keyboard.ts";
import { takePictures } from "#test/support/pictures.ts";

interface Shown {
  id: number;
  name: string;
  status: string;
  send_at: string | null;
  counts: { total: number; sent: number; failed: number };
}

describe.skipIf(noBrowser)("in a browser", () => {
  test(
    "a broadcast is changed before it starts, duplicated, searched, and sent again to who failed",
    async () => {
      await using scenario = await startScenario();
      const { page, button, clean } = scenario;
      const keys = keysOf(page);
      const shown = async (id: number) => (await scenario.read<{ data: Shown }>(`/broadcasts/${id}`)).data;
      await scenario.command("number add --workspace 1 --phone +911244001100 --name Shop --network simulator");
      await scenario.template({ name: "offer", text: "Hi, 20% off.", category: "MARKETING" });
      // The simulator refuses the second number.
      const to = ["+919876540010", "+919876500001"];
      const send_at = "2030-03-01T22:30:00+05:30";
      const body = { name: "Spring", template: "offer", to, send_at };
      const { id } = await scenario.prepare<{ id: number }>("POST", "/broadcasts", body);

      // Changed by keyboard: it is out of its schedule at once, and the wizard has everything.
      await scenario.go(`broadcasts/${id}`);
      await page.getByText("It starts within quiet hours (21:00 to 08:00, Asia/Kolkata)").waitFor();
      await clean("a scheduled broadcast");
      await takePictures(scenario, "scheduled");
      await keys.press(button("Change"));
      const question = page.getByRole("alertdialog");
      await question.getByText("It is taken out of its schedule").waitFor();
      await clean("the question before a change");
      await keys.press(question.getByRole("button", { name: "Change" }));
      await page.getByText("You are changing “Spring”.").waitFor();
      await page.getByText("people will receive it").waitFor();
      expect((await shown(id)).status).toBe("paused");
      await clean("the wizard of a change");
      await takePictures(scenario, "change");
      await page.getByLabel("Broadcast name").fill("Spring again");
      await page.locator("input[type=datetime-local]").fill("2030-03-02T11:00");
      await page.getByText("Draft saved").waitFor();
      await keys.press(page.getByRole("button", { name: /^Schedule for Sat,? 2 Mar, 11:00/ }));
      await page.getByRole("heading", { name: "Spring again" }).waitFor();
      expect(await shown(id)).toMatchObject({ id, status: "scheduled", send_at: "2030-03-02T11:00:00+05:30" });

      // Discarded by mouse: it is back as it was.
      await button("Change").click();
      await question.getByRole("button", { name: "Change" }).click();
      await page.getByText("You are changing “Spring again”.").waitFor();
      await button("Discard changes").click();
      await question.getByRole("button", { name: "Discard changes" }).click();
      await page.getByRole("heading", { name: "Spring again" }).waitFor();
      await page.getByText("Scheduled.", { exact: true }).waitFor();
      expect(await shown(id)).toMatchObject({ status: "scheduled", send_at: "2030-03-02T11:00:00+05:30" });

      // Duplicated, and the duplicate sent now. It has ended before the stream brings another state, which must not stay.
      await page.route("**/broadcasts/*/live", (route) =>
        route.fulfill({ contentType: "text/event-stream", body: 'event: broadcast\ndata: {"status":"paused"}\n\n' }),
      );
      await button("Duplicate").click();
      await question.getByRole("button", { name: "Duplicate" }).click();
      await page.getByText("people will receive it").waitFor();
      await button("Send to 2 people").click();
      await page.getByText("Sent to 1 of 2 people.").waitFor();
      await page.getByText("Failed").first().waitFor();
      await clean("a broadcast with a failure");
      await takePictures(scenario, "finished");

      // Each figure has its rows.
      const rows = page.getByRole("table", { name: "Recipients" }).getByRole("row");
      for (const [figure, phone] of [
        ["Sent", "+919876540010"],
        ["Failed", "+919876500001"],
      ] as const) {
        await page.getByRole("link", { name: new RegExp(`^${figure} ?1`) }).click();
        // With its head.
        await waitUntil(async () => (await rows.count()) === 2 && (await rows.nth(1).textContent())?.includes(phone));
      }
      await page.getByRole("link", { name: /: 1 person$/ }).click();
      await page.getByText(/^Only with code \d+\.$/).waitFor();
      await waitUntil(() => page.evaluate(`document.querySelectorAll("#people tbody tr").length === 1`));
      await clean("the recipients with a code");

      // Sent again: the limit of the person is said.
      await button("Send again to failed recipients").click();
      await page.getByText("can't be sent to again yet").waitFor();
      await clean("send again");
      await page.keyboard.press("Escape");

      // The list, by its filters in the address.
      await scenario.go("broadcasts?status=scheduled");
      await page.getByText("Spring again").first().waitFor();
      expect(await page.locator("a[data-row]").count()).toBe(1);
      await clean("the list with a filter");
      await takePictures(scenario, "list");
      await page.getByLabel("Name or #ID").fill("winter");
      await page.getByText("No matching broadcasts").waitFor();
      await page.getByRole("link", { name: "Clear filters" }).click();
      await page.locator("a[data-row]").nth(1).waitFor();
      expect(await page.locator("a[data-row]").count()).toBe(2);
    },
    SCENARIO_LIMIT_MS,
  );
});
