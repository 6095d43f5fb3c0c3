/** What a team does with a conversation, in a real browser: its state, who answers it, tags; by mouse and by keyboard. */
import { describe, expect, test } from "bun:test";
import { type BrowserOptions, noBrowser, waitUntil } from "#test/support/browser.ts";
import { SCENARIO_LIMIT_MS, type Scenario, startScenario } from "#test/support/browser-scenario.ts";
import { takePictures } from "#test/support/pictures.ts";

const BOB = "bob.rao@example.com";

interface State {
  state: string;
  snoozed_until: string | null;
  assignee: string | null;
}

/** Two people have written, and Bob has joined the workspace. */
async function startTeam(options: BrowserOptions = {}): Promise<Scenario & { state: () => Promise<State> }> {
  const scenario = await startScenario(options);
  await scenario.command("number add --workspace 1 --phone +911244001100 --name Shop --network simulator");
  const { token } = await scenario.prepare<{ token: string }>("POST", "/people", { email: BOB, role: "member" });
  const joined = await fetch(`${scenario.app.url}/console/api/links/use`, {
    method: "POST",
    headers: { "content-type": "application/json", "sec-fetch-site": "same-origin" },
    body: JSON.stringify({ token, password: "a good long password" }),
  });
  expect(joined.status).toBe(201);
  for (const [digit, text] of ["Is it red?", "Do you deliver to Pune?"].entries())
    await scenario.prepare("POST", `/simulator/phones/%2B91987654001${digit}/write`, { text, number: 1 });
  return {
    ...scenario,
    state: async () => (await scenario.read<{ data: { conversation: State } }>("/inbox/1")).data.conversation,
  };
}

describe.skipIf(noBrowser)("in a browser", () => {
  test(
    "a conversation is assigned, taken from a colleague after a question, snoozed, done and opened again by mouse",
    async () => {
      await using scenario = await startTeam();
      const { page, clean, state } = scenario;
      await scenario.go("inbox?person=1");
      await page.getByRole("button", { name: "Without an assignee. Assign" }).click();
      const choices = page.getByRole("menuitemradio");
      await choices.nth(2).waitFor();
      expect(await choices.allTextContents()).toEqual(["Me (asha@example.com)", BOB, "Nobody"]);
      await clean("the menu of colleagues");
      await takePictures(scenario, "assign");
      await choices.nth(1).click();
      await page.getByRole("button", { name: `Assigned to ${BOB}. Assign` }).click();
      await choices.nth(0).click();
      const question = page.getByRole("alertdialog");
      await question.getByText(`${BOB} answers this conversation now.`).waitFor();
      await clean("the question before taking");
      await takePictures(scenario, "take");
      await question.getByRole("button", { name: "Leave it" }).click();
      await question.waitFor({ state: "detached" });
      expect((await state()).assignee).toBe(BOB);
      await page.getByRole("button", { name: `Assigned to ${BOB}. Assign` }).click();
      await choices.nth(0).click();
      await question.getByRole("button", { name: "Take it" }).click();
      await page.getByRole("button", { name: "Assigned to You. Assign" }).waitFor();
      expect((await state()).assignee).toBe("asha@example.com");

      await page.getByRole("button", { name: "Snooze" }).click();
      await clean("the times of a snooze");
      await takePictures(scenario, "snooze");
      await page.getByRole("menuitem", { name: "Until they write" }).click();
      await page.getByText("Snoozed until they write").waitFor();
      await takePictures(scenario, "snoozed");
      expect(await state()).toMatchObject({ state: "snoozed", snoozed_until: null });
      await page.getByRole("button", { name: "Open again" }).click();
      await page.getByRole("button", { name: "Snooze" }).click();
      await page.getByRole("menuitem", { name: "Choose a time" }).click();
      await page.getByRole("dialog").getByLabel("Until (Asia/Kolkata)").fill("2020-01-01T10:00");
      await page.getByRole("dialog").getByRole("button", { name: "Snooze" }).click();
      await page.getByText("This time has passed.").waitFor();
      await clean("a time that has passed");
      const ahead = new Date(Date.now() + 40 * 86_400_000).toISOString().slice(0, 10);
      await page.getByRole("dialog").getByLabel("Until (Asia/Kolkata)").fill(`${ahead}T10:00`);
      await page.getByRole("dialog").getByRole("button", { name: "Snooze" }).click();
      await page.getByText(/^Snoozed until .* 10:00$/).waitFor();
      expect((await state()).snoozed_until).toBe(`${ahead}T10:00:00+05:30`);
      await page.getByRole("button", { name: "Open again" }).click();
      await page.getByRole("button", { name: "Done" }).click();
      await page.getByRole("button", { name: "Open again" }).waitFor();
      expect((await state()).state).toBe("done");
      await clean("a conversation that is done");
      await takePictures(scenario, "done");
      expect(scenario.troubles).toEqual([]);
    },
    SCENARIO_LIMIT_MS,
  );

  test(
    "the views have their conversations, each together with who needs a reply, and the address keeps the view",
    async () => {
      await using scenario = await startTeam();
      const { page, clean } = scenario;
      await scenario.prepare("PATCH", "/conversations/2", { assignee: "asha@example.com" });
      const write = { text: "Hello", number: 1 };
      for (const digit of [2, 3, 4, 5])
        await scenario.prepare("POST", `/simulator/phones/%2B91987654001${digit}/write`, write);
      await scenario.prepare("PATCH", "/conversations/3", { state: "snoozed" });
      await scenario.prepare("PATCH", "/conversations/4", { state: "done" });
      await scenario.prepare("PATCH", "/conversations/5", { assignee: BOB });
      await scenario.prepare("POST", "/messages", { to: "+919876540015", text: "Welcome" });
      await scenario.prepare("PUT", "/contacts/%2B919876540010", { name: "Meera Nair" });
      const rows = page.getByRole("navigation", { name: "Conversations", exact: true }).getByRole("link");
      const shown = async (...ids: number[]) => {
        const read = async () =>
          (await rows.evaluateAll((all) => all.map((row) => Number(row.getAttribute("data-row"))))).toSorted();
        await waitUntil(async () => Bun.deepEquals(await read(), ids)).catch(() => undefined);
        expect(await read()).toEqual(ids);
      };
      const view = (name: RegExp) => page.getByRole("navigation", { name: "View" }).getByRole("link", { name });
      await scenario.go("inbox");
      await shown(1, 2, 5, 6);
      await rows
        .filter({ hasText: "Meera Nair" })
        .getByText(/^Waits \d+ min$/)
        .waitFor();
      await rows.filter({ hasText: "+919876540014" }).getByText("Assigned to bob.rao").waitFor();
      expect(await rows.filter({ hasText: "Welcome" }).getByText(/Waits/).count()).toBe(0);
      await clean("the views");
      await takePictures(scenario, "views");
      await view(/^Mine 1$/).click();
      await shown(2);
      await view(/^Unassigned$/).click();
      await shown(1, 6);
      await page.getByRole("link", { name: "Needs reply" }).click();
      await shown(1);
      await page.reload();
      await shown(1);
      await view(/^Open 4$/).click();
      await shown(1, 2, 5);
      await page.getByRole("link", { name: "Any", exact: true }).click();
      await view(/^Snoozed 1$/).click();
      await shown(3);
      await view(/^Done$/).click();
      await shown(4);
      await view(/^All$/).click();
      await shown(1, 2, 3, 4, 5, 6);
      await takePictures(scenario, "views-all");
      await scenario.prepare("PATCH", "/conversations/2", { state: "done" });
      await scenario.go("inbox?view=mine");
      await page.getByText("No open conversations are assigned to you").waitFor();
      await clean("an empty view");
      await page.getByRole("link", { name: "See all conversations" }).click();
      await shown(1, 2, 3, 4, 5, 6);
      expect(scenario.troubles).toEqual([]);
    },
    SCENARIO_LIMIT_MS,
  );

  test(
    "on a phone: who waits longest is opened, assigned, noted, snoozed, done, and left, each by a tap",
    async () => {
      await using scenario = await startTeam({ width: 390, height: 844, isPhone: true });
      const { page, clean, state } = scenario;
      const press = (name: string | RegExp) => page.getByRole("button", { name }).tap();
      await scenario.go("inbox?show=waiting");
      const rows = page.getByRole("navigation", { name: "Conversations", exact: true }).getByRole("link");
      await rows.nth(1).waitFor();
      await clean("the list on a phone");
      await takePictures(scenario, "phone-list");
      await page.setViewportSize({ width: 390, height: 844 });
      await rows.last().tap();
      await press("Without an assignee. Assign");
      await page.getByRole("menuitemradio", { name: "Me (asha@example.com)" }).tap();
      await page.getByRole("button", { name: "Assigned to You. Assign" }).waitFor();
      await press(/^Note$/);
      await page.getByRole("textbox", { name: "Note" }).fill("Call back on Monday.");
      await press("Add note");
      await page.getByRole("note", { name: "Note by asha" }).getByText("Call back on Monday.").waitFor();
      await press("Snooze");
      await page.getByRole("menuitem", { name: "Tomorrow morning" }).tap();
      await page.getByText(/^Snoozed until .* 09:00$/).waitFor();
      await clean("a snoozed conversation on a phone");
      await takePictures(scenario, "phone-snoozed");
      await page.setViewportSize({ width: 390, height: 844 });
      await press("Open again");
      await press("Done");
      await page.getByRole("button", { name: "Open again" }).waitFor();
      expect(await state()).toMatchObject({ state: "done", assignee: "asha@example.com" });
      expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBe(0);
      await page.getByRole("link", { name: "All conversations" }).tap();
      await rows.nth(1).waitFor({ state: "detached" });
      await rows.filter({ hasText: "Pune" }).waitFor();
      expect(scenario.troubles).toEqual([]);
    },
    SCENARIO_LIMIT_MS,
  );

  test(
    "a reply into a conversation that changed while it was written asks once, and shows what is new",
    async () => {
      await using scenario = await startTeam();
      const { page, clean } = scenario;
      await scenario.go("inbox?person=1");
      const field = page.getByRole("textbox", { name: "Your reply" });
      await field.fill("It is red.");
      // A colleague answers meanwhile.
      await scenario.prepare("POST", "/messages", { to: "+919876540010", text: "It is blue, says Bob." });
      await field.press("Control+Enter");
      const question = page.getByRole("alertdialog");
      await question.getByText("asha answered").waitFor();
      await clean("the question about a change");
      await takePictures(scenario, "changed");
      await question.getByRole("button", { name: "Keep writing" }).click();
      await question.waitFor({ state: "detached" });
      expect(await field.inputValue()).toBe("It is red.");
      await page.getByRole("region", { name: "Conversation" }).getByText("It is blue, says Bob.").waitFor();
      await field.press("Control+Enter");
      await field.and(page.locator(":placeholder-shown")).waitFor();
      await field.fill("Or green?");
      await scenario.prepare("POST", "/messages", { to: "+919876540010", text: "Sorry, red." });
      await field.press("Control+Enter");
      await question.getByText("Sorry, red.").waitFor();
      await question.getByRole("button", { name: "Send anyway" }).click();
      await question.waitFor({ state: "detached" });
      // Two messages of one's own, one after the other, ask nothing, and the second does not wait for the screen.
      await page.route(/\/inbox\/\d+$/, async (route) => {
        await Bun.sleep(1_000);
        await route.continue();
      });
      for (const text of ["One", "Two"]) {
        await field.fill(text);
        await field.press("Control+Enter");
        await field.and(page.locator(":placeholder-shown")).waitFor();
      }
      const { data } = await scenario.read<{ data: { text: string }[] }>("/messages");
      expect(data.map(({ text }) => text)).toEqual([
        "Two",
        "One",
        "Or green?",
        "Sorry, red.",
        "It is red.",
        "It is blue, says Bob.",
      ]);
      expect(scenario.troubles).toEqual([]);
    },
    SCENARIO_LIMIT_MS,
  );

  test(
    "what changes while a question stands is asked about, too",
    async () => {
      await using scenario = await startTeam();
      const { page, state } = scenario;
      const write = (text: string) =>
        scenario.prepare("POST", "/simulator/phones/%2B919876540010/write", { text, number: 1 });
      const stored = (text: string) =>
        waitUntil(async () => JSON.stringify(await scenario.read("/inbox/1")).includes(text));
      await scenario.go("inbox?person=1");
      const field = page.getByRole("textbox", { name: "Your reply" });
      await field.fill("It is red.");
      const question = page.getByRole("alertdialog");
      // The screen stays behind.
      const json = await scenario.read<object>("/inbox/1");
      await page.route(/\/inbox\/1$/, (route) => route.fulfill({ json }));
      const answer = (text: string) => scenario.prepare("POST", "/messages", { to: "+919876540010", text });
      await answer("It is blue.");
      await field.press("Control+Enter");
      await question.getByText("It is blue.").waitFor();
      await answer("Or green.");
      await question.getByRole("button", { name: "Send anyway" }).click();
      await question.getByText("Or green.").waitFor();
      await question.getByRole("button", { name: "Keep writing" }).click();
      await question.waitFor({ state: "detached" });

      await write("And the price?");
      await stored("And the price?");
      await page.getByRole("button", { name: "Done", exact: true }).click();
      await question.getByText("And the price?").waitFor();
      await write("Hello?");
      await stored("Hello?");
      await question.getByRole("button", { name: "Done anyway" }).click();
      await question.getByText("Hello?").waitFor();
      expect((await state()).state).toBe("open");
      await question.getByRole("button", { name: "Done anyway" }).click();
      await question.waitFor({ state: "detached" });
      expect((await state()).state).toBe("done");
      expect(scenario.troubles).toEqual([]);
    },
    SCENARIO_LIMIT_MS,
  );

  test(
    "notes stand apart from the messages, are never sent, and are stored once when the line breaks",
    async () => {
      await using scenario = await startTeam();
      const { page, clean } = scenario;
      await scenario.go("inbox?person=1");
      const thread = page.getByRole("region", { name: "Conversation" });
      await thread.getByText("Is it red?").waitFor();
      await page.keyboard.press("n");
      const field = page.getByRole("textbox", { name: "Note" });
      await page.keyboard.type("Wants the blue one.\nCall back on Monday.");
      await clean("the field of a note");
      await takePictures(scenario, "note-field");
      let tries = 0;
      await page.route("**/notes", async (route) => {
        if (route.request().method() !== "POST") return route.continue();
        tries += 1;
        // The first is stored, and its answer is lost.
        if (tries > 1) return route.continue();
        await route.fetch().finally(() => route.abort());
      });
      await field.press("Control+Enter");
      await field.and(page.locator(":placeholder-shown")).waitFor();
      const note = thread.getByRole("note", { name: "Note by asha" });
      await note.getByText("Call back on Monday.").waitFor();
      // It may be seen before the page knows that its answer was lost.
      await waitUntil(async () => tries === 2);
      await page.getByRole("list", { name: "Waiting for the line" }).waitFor({ state: "detached" });
      expect([await note.count(), tries]).toEqual([1, 2]);
      await clean("a note in the conversation");
      await takePictures(scenario, "note");

      // A reply of a later second comes after it, and what is written of a note is kept beside it.
      await page.waitForTimeout(1_000);
      await page.keyboard.type("Not yet");
      await page.keyboard.press("Escape");
      await page.keyboard.press("r");
      await page.getByRole("textbox", { name: "Your reply" }).and(page.locator(":focus")).waitFor();
      await page.keyboard.type("It is blue.");
      await page.keyboard.press("Control+Enter");
      await thread.getByText("It is blue.").waitFor();
      await page.getByRole("button", { name: "Note", exact: true }).click();
      expect(await field.inputValue()).toBe("Not yet");
      const order = await thread.getByText(/Is it red|Call back|It is blue/).allTextContents();
      expect(order.map((text) => text.slice(0, 5))).toEqual(["Is it", "Wants", "It is"]);
      const { data } = await scenario.read<{ data: { text: string }[] }>("/messages");
      expect(data.map(({ text }) => text)).toEqual(["It is blue."]);
      expect(scenario.troubles.filter((trouble) => !trouble.includes("ERR_FAILED"))).toEqual([]);
    },
    SCENARIO_LIMIT_MS,
  );

  test(
    "the keys do the same, each is in the help, and none acts while the user types",
    async () => {
      await using scenario = await startTeam();
      const { page, state } = scenario;
      const keys = async (...pressed: string[]) => {
        for (const key of pressed) await page.keyboard.press(key);
      };
      /** A menu takes the keys a moment after it is there. */
      const hasFocus = () => page.locator("[role=menu]:focus, [role=menu] :focus").first().waitFor();
      await scenario.go("inbox");
      const rows = page.getByRole("navigation", { name: "Conversations", exact: true }).getByRole("link");
      await rows.nth(1).waitFor();
      // The second is the one who waits longest.
      await keys("j", "j", "Enter");
      await page.getByRole("button", { name: "Without an assignee. Assign" }).waitFor();
      await keys("a");
      await page.getByRole("menuitemradio", { name: "Me (asha@example.com)" }).waitFor();
      await hasFocus();
      await keys("ArrowDown", "Enter");
      await page.getByRole("button", { name: "Assigned to You. Assign" }).waitFor();
      await keys("s");
      await page.getByRole("menuitem", { name: "In an hour" }).waitFor();
      await hasFocus();
      await keys("ArrowDown", "Enter");
      await page.getByText(/^Snoozed until/).waitFor();
      await keys("e");
      await page.getByRole("button", { name: "Done" }).waitFor();
      await keys("e");
      await page.getByRole("button", { name: "Open again" }).waitFor();
      expect(await state()).toMatchObject({ state: "done", assignee: "asha@example.com" });
      await keys("t");
      const tag = page.getByRole("combobox", { name: "Add tag" });
      for (const name of ["red", "vip"]) {
        await tag.fill(name);
        await keys("Enter");
        await page.getByRole("complementary", { name: "Contact" }).getByText(name, { exact: true }).waitFor();
      }
      await keys("Escape");
      await tag.waitFor({ state: "detached" });
      await keys(".");
      await page.getByRole("menuitem", { name: "Open contact" }).waitFor();
      await keys("Escape");
      await page.getByRole("menuitem", { name: "Open contact" }).waitFor({ state: "detached" });
      await page.getByRole("textbox", { name: "Your reply" }).click();
      await keys("e", "s", "a", "t", ".");
      expect(await page.getByRole("textbox", { name: "Your reply" }).inputValue()).toBe("esat.");
      expect((await state()).state).toBe("done");
      // Escape leaves the field, and then the conversation.
      await keys("Escape");
      await page.getByRole("button", { name: "Open again" }).waitFor();
      await keys("?");
      for (const text of [
        "write a note for the team",
        "done, or open again",
        "snooze it",
        "assign it",
        "change the person's tags",
        "choose a template to send",
        "insert a quick reply; in the reply, / does",
        "more actions",
      ])
        await page.getByRole("dialog").getByText(`In a conversation: ${text}`).waitFor();
      await keys("Escape");
      await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor({ state: "detached" });
      await page.getByRole("button", { name: "Open again" }).waitFor();
      await keys("Escape");
      await page.getByText("Choose a conversation.").waitFor();
      expect(scenario.troubles).toEqual([]);
    },
    SCENARIO_LIMIT_MS,
  );
});
