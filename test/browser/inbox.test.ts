/**
 * The inbox in a real browser: a conversation opens and stays at its end while pictures load, keys move through the list,
 * scheduled messages are cancelled, and a doubt by a phrase of the workspace is cleared.
 */
import { describe, expect, test } from "bun:test";
import { noBrowser } from "#test/support/browser.ts";
import { SCENARIO_LIMIT_MS, startScenario } from "#test/support/browser-scenario.ts";

const PERSON = "+919876540010";
const SLOW_MS = 700;
/** Pixels between what is seen and the end of the messages. */
const BELOW = `(() => {
  const box = document.querySelector("[aria-label=Conversation]");
  return Math.round(box.scrollHeight - box.clientHeight - box.scrollTop);
})()`;

describe.skipIf(noBrowser)("in a browser", () => {
  test(
    "a conversation with slow pictures opens at its end and stays there, unless the user has scrolled up",
    async () => {
      await using scenario = await startScenario({ height: 700 });
      const { page } = scenario;
      await scenario.command("number add --workspace 1 --phone +911244001100 --name Shop --network simulator");
      const write = `simulate inbound --workspace 1 --from ${PERSON}`;
      const text = { text: "A line\n".repeat(12), number: 1 };
      for (let count = 1; count <= 3; count += 1)
        await scenario.prepare("POST", `/simulator/phones/${encodeURIComponent(PERSON)}/write`, text);
      for (let count = 1; count <= 2; count += 1) await scenario.command(`${write} --type image`);
      await page.route("**/media/**", async (route) => {
        await new Promise((resolve) => setTimeout(resolve, SLOW_MS));
        await route.continue();
      });
      const conversation = page.getByRole("region", { name: "Conversation" });
      const pictures = conversation.getByRole("img", { name: "Picture", exact: true });
      const until = async (condition: string) => {
        for (let tries = 0; tries < 200 && (await page.evaluate(condition)) !== true; tries += 1)
          await page.waitForTimeout(50);
        expect([condition, await page.evaluate(condition)]).toEqual([condition, true]);
      };
      const loaded = (count: number) =>
        until(
          `[...document.querySelectorAll("[aria-label=Conversation] img")].filter((img) => img.naturalWidth > 0).length >= ${count}`,
        );
      await scenario.go("inbox?person=1");
      await pictures.last().waitFor();
      await loaded(2);
      await until(`${BELOW} <= 1`);

      // A picture that arrives at the end is seen whole.
      await scenario.command(`${write} --type image`);
      await pictures.nth(2).waitFor();
      await loaded(3);
      await until(`${BELOW} <= 1`);

      // A user who reads older messages is not moved.
      await conversation.hover();
      await page.mouse.wheel(0, -400);
      await until(`${BELOW} > 200`);
      await scenario.command(`${write} --type image`);
      await pictures.nth(3).waitFor();
      await page.waitForTimeout(SLOW_MS);
      expect(await page.evaluate(BELOW)).toBeGreaterThan(200);
      expect(scenario.troubles).toEqual([]);
    },
    SCENARIO_LIMIT_MS,
  );

  test(
    "j and k move through the conversations and Enter opens one, except while the user types",
    async () => {
      await using scenario = await startScenario();
      const { page, clean } = scenario;
      await scenario.command("number add --workspace 1 --phone +911244001100 --name Shop --network simulator");
      for (const digit of [1, 2, 3])
        await scenario.prepare("POST", `/simulator/phones/%2B91987654001${digit}/write`, { text: "Hi", number: 1 });
      await scenario.go("inbox");
      const rows = page.getByRole("navigation", { name: "Conversations", exact: true }).getByRole("link");
      await rows.nth(2).waitFor();
      const focused = () => page.evaluate("document.activeElement.dataset.row");
      const order = await Promise.all([0, 1, 2].map(async (at) => await rows.nth(at).getAttribute("data-row")));
      const opened = (row: string | null | undefined) =>
        page.waitForURL((url) => url.searchParams.get("person")?.replaceAll('"', "") === row);
      await page.keyboard.press("j");
      expect(await focused()).toBe(order[0]);
      await page.keyboard.press("j");
      await page.keyboard.press("j");
      await page.keyboard.press("j");
      expect(await focused()).toBe(order[2]);
      await page.keyboard.press("k");
      expect(await focused()).toBe(order[1]);
      await page.keyboard.press("Enter");
      await opened(order[1]);
      await clean("an open conversation");

      // In the composer the letters are text.
      const field = page.getByRole("textbox");
      await field.click();
      await page.keyboard.type("jkj");
      expect(await field.inputValue()).toBe("jkj");
      await opened(order[1]);

      // From the open conversation, also when the focus is elsewhere.
      await page.getByRole("region", { name: "Conversation" }).focus();
      await page.keyboard.press("j");
      expect(await focused()).toBe(order[2]);
      await page.keyboard.press("Enter");
      await opened(order[2]);
      await page.keyboard.press("?");
      await page.getByRole("dialog").getByText("Move down or up in a list; Enter opens").waitFor();
      expect(scenario.troubles).toEqual([]);
    },
    SCENARIO_LIMIT_MS,
  );

  test(
    "a phrase typed in the settings raises a doubt, the contact and the conversation show the words, and one click clears it",
    async () => {
      await using scenario = await startScenario();
      const { page, clean } = scenario;
      await scenario.command("number add --workspace 1 --phone +911244001100 --name Shop --network simulator");
      await scenario.go("settings");
      await page.getByRole("textbox", { name: "Opt-out words" }).fill("genug von euch");
      await page.getByRole("button", { name: "Save settings" }).click();
      await page.getByText("Saved", { exact: true }).waitFor();
      const text = "ich habe genug von euch heute";
      await scenario.prepare("POST", `/simulator/phones/${encodeURIComponent(PERSON)}/write`, { text, number: 1 });
      const notice = page.getByText(new RegExp(`may mean that they want to stop: “${text}”`));
      await scenario.go(`contacts?open=${encodeURIComponent(PERSON)}`);
      await notice.waitFor();
      await scenario.go("inbox?person=1");
      await notice.waitFor();
      await clean("a doubt");
      await page.getByRole("button", { name: "Keep sending" }).click();
      await notice.waitFor({ state: "detached" });
      const { data } = await scenario.read<{ data: { may_want_to_stop: boolean }[] }>("/inbox");
      expect(data.map((row) => row.may_want_to_stop)).toEqual([false]);
      expect(scenario.troubles).toEqual([]);
    },
    SCENARIO_LIMIT_MS,
  );

  test(
    "a scheduled message shows its time, in the conversation and on its own, and is cancelled after a question",
    async () => {
      await using scenario = await startScenario();
      const { app, page, clean } = scenario;
      await scenario.command("number add --workspace 1 --phone +911244001100 --name Shop --network simulator");
      await scenario.prepare("POST", `/simulator/phones/${encodeURIComponent(PERSON)}/write`, {
        text: "Hi",
        number: 1,
      });
      const { key } = await scenario.prepare<{ key: string }>("POST", "/keys", { name: "Web shop" });
      const send_at = new Date(Date.now() + 86_400_000).toISOString();
      const ids: number[] = [];
      for (const text of ["See you tomorrow", "One hour left"]) {
        const answered = await fetch(`${app.url}/api/v1/messages`, {
          method: "POST",
          headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
          body: JSON.stringify({ to: PERSON, text, send_at }),
        });
        ids.push(((await answered.json()) as { data: { id: number } }).data.id);
      }
      const confirmed = async () => {
        const dialog = page.getByRole("alertdialog");
        await dialog.getByRole("button", { name: "Cancel message" }).click();
        await dialog.waitFor({ state: "detached" });
      };
      await scenario.go("inbox?person=1");
      const conversation = page.getByRole("region", { name: "Conversation" });
      const buttons = conversation.getByRole("button", { name: "Cancel message" });
      await buttons.nth(1).waitFor();
      await clean("scheduled messages in a conversation");
      await buttons.nth(1).click();
      await confirmed();
      await conversation.getByText("Cancelled").waitFor();
      expect(await buttons.count()).toBe(1);

      await scenario.go(`messages?open=${ids[0]}`);
      await page.getByRole("button", { name: "Cancel message" }).click();
      await confirmed();
      await page.getByRole("button", { name: "Cancel message" }).waitFor({ state: "detached" });
      await page.getByText("Cancelled", { exact: true }).first().waitFor();
      const shown = await Promise.all(ids.map((id) => scenario.read<{ data: { status: string } }>(`/messages/${id}`)));
      expect(shown.map(({ data }) => data.status)).toEqual(["cancelled", "cancelled"]);
      expect(scenario.troubles).toEqual([]);
    },
    SCENARIO_LIMIT_MS,
  );

  test(
    "a conversation of another sender says so before anything is typed; it is taken over, and released",
    async () => {
      await using scenario = await startScenario();
      const { page, clean } = scenario;
      await scenario.command("number add --workspace 1 --phone +911244001100 --name Shop --network simulator");
      const play = (more: string) => scenario.command(`simulate inbound --workspace 1 --from ${PERSON} ${more}`);
      await play("--type standby --text Hello");
      await scenario.go("inbox?person=1");
      await page.getByText("With another sender on this number").waitFor();
      expect(await page.getByRole("textbox", { name: "Your reply" }).count()).toBe(0);
      await clean("a conversation of another sender");
      await page.getByRole("button", { name: "Take over" }).click();
      await page.getByText("Yours", { exact: true }).waitFor();
      await page.getByRole("textbox", { name: "Your reply" }).waitFor();
      await clean("a conversation that was taken over");
      await page.getByRole("button", { name: "Give back" }).click();
      await page.getByText("Nobody's", { exact: true }).waitFor();
      expect(scenario.troubles).toEqual([]);
    },
    SCENARIO_LIMIT_MS,
  );
});
