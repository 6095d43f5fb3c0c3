/**
 * The twelve jobs of who answers customers, each counted in clicks and keys: by mouse and by keyboard at 1440 px, by touch at
 * 390 px. Text that is typed at once is one step, and so is a file that is chosen, pasted or dropped. A job that needs more
 * steps than recorded here fails; `docs/inbound.md` has the same numbers beside another program's. The short form goes them
 * by mouse. `JOBS=1` prints every step, `PICTURES` names a folder for pictures in light and dark.
 */
import { describe, expect, test } from "bun:test";
import type { Locator, Page } from "playwright-core";
import { noBrowser, waitUntil } from "#test/support/browser.ts";
import { SCENARIO_PASSWORD, type Scenario, startScenario } from "#test/support/browser-scenario.ts";
import { inForm } from "#test/support/long-form.ts";
import { takePictures } from "#test/support/pictures.ts";

type HandName = "mouse" | "keyboard" | "touch";

/** Steps by mouse, by keyboard, by touch; null: a job of the other hands. */
const RECORDED: Readonly<Record<string, readonly [number | null, number | null, number | null]>> = {
  "1 who waits, and how long; the first is opened": [1, 1, 1],
  "2 text, emoji and link": [3, 3, 3],
  "3a a picture": [2, 2, 4],
  "3b a PDF": [2, 3, 4],
  "3c a voice note": [3, 6, 3],
  "4a buttons": [6, 8, 6],
  "4b a list": [8, 13, 8],
  "4c a place": [4, 8, 4],
  "4d a contact card": [5, 9, 5],
  "4e a template": [3, 4, 4],
  "4f a reaction": [2, 9, 2],
  "4g a quote": [4, 3, 4],
  "5a taken": [1, 3, 2],
  "5b given to a colleague": [2, 4, 2],
  "5c given away": [2, 5, 2],
  "6 a note that mentions a colleague": [4, 4, 4],
  "7a a tag": [2, 3, 3],
  "7b snoozed": [2, 3, 2],
  "7c done": [1, 1, 1],
  "8 a quick reply with picture and name": [3, 5, 3],
  "9a found by a word": [3, 4, 3],
  "9b found by a name": [3, 4, 3],
  "9c found by a number": [3, 4, 3],
  "9d found by a file": [3, 4, 3],
  "10 the first message to a new number": [6, 10, 6],
  "11 a reply while a colleague answers": [5, 6, 5],
  "12 a conversation with one thumb": [null, null, 6],
};

const LIMIT_MS = 600_000;
const ME = "asha@example.com";
const BOB = "bob.rao@example.com";
const PERSON = "+919876540010";
const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const PDF = "%PDF-1.4\n%%EOF\n";
const picture = { name: "shirt.png", type: "image/png", base64: PNG };
const menuCard = { name: "Menu.pdf", type: "application/pdf", base64: Buffer.from(PDF).toString("base64") };
/** The smallest side of what a thumb hits. */
const THUMB_PX = 44;
const TABS_MAX = 40;

/** A microphone that hears a tone. */
const MICROPHONE = `navigator.mediaDevices.getUserMedia = async () => {
  const context = new AudioContext();
  const tone = context.createOscillator();
  const heard = context.createMediaStreamDestination();
  tone.connect(heard);
  tone.start();
  return heard.stream;
};`;

/** Gives a file to the composer, as the clipboard or a drag does. */
function give(how: "paste" | "drop", { name, type, base64 }: typeof picture): string {
  return `(() => {
    const bytes = Uint8Array.from(atob("${base64}"), (letter) => letter.charCodeAt(0));
    const data = new DataTransfer();
    data.items.add(new File([bytes], "${name}", { type: "${type}" }));
    const more = { bubbles: true, cancelable: true };
    const at = "${how}" === "paste" ? document.activeElement : document.querySelector("[data-composer]");
    at.dispatchEvent(
      "${how}" === "paste"
        ? new ClipboardEvent("paste", { ...more, clipboardData: data })
        : new DragEvent("drop", { ...more, dataTransfer: data }),
    );
  })()`;
}

/** Does what a person does, and counts it. */
class Hand {
  steps: string[] = [];

  readonly name: HandName;
  readonly page: Page;

  constructor(name: HandName, page: Page) {
    this.name = name;
    this.page = page;
  }

  async point(target: Locator): Promise<void> {
    await (this.name === "touch" ? target.tap() : target.click());
    this.steps.push(this.name === "touch" ? "tap" : "click");
  }

  async keys(...keys: string[]): Promise<void> {
    for (const key of keys) {
      await this.page.keyboard.press(key);
      this.steps.push(key);
    }
  }

  /** Into what has the focus. */
  async type(text: string): Promise<void> {
    await this.page.keyboard.type(text);
    this.steps.push("text");
  }

  /** Points at the field first, if it has not the focus. */
  async write(field: Locator, text: string): Promise<void> {
    await field.waitFor();
    const focused = await field.page().locator(":focus").and(field).count();
    if (focused === 0) await this.point(field);
    await this.type(text);
  }

  async reach(target: Locator, key = "Tab"): Promise<void> {
    await target.first().waitFor();
    for (let tabs = 0; tabs < TABS_MAX; tabs += 1) {
      if ((await target.and(this.page.locator(":focus")).count()) > 0) return;
      await this.keys(key);
      // The focus guards of dialogs move the focus in a timer.
      await this.page.waitForTimeout(20);
    }
    throw new Error(`no way by ${key} to ${target}`);
  }

  async script(step: string, script: string): Promise<void> {
    await this.page.evaluate(script);
    this.steps.push(step);
  }
}

/** In lines, which a report of the tests may cut. */
async function saidIn(page: Page): Promise<string> {
  return ((await page.locator("main").textContent()) ?? "").replace(/.{120}/gsu, "$&\n");
}

async function startShop(hand: HandName): Promise<Scenario> {
  const isPhone = hand === "touch";
  const scenario = await startScenario(isPhone ? { width: 390, height: 844, isPhone } : {});
  const { prepare, app, page } = scenario;
  await page.addInitScript(MICROPHONE);
  await scenario.command("number add --workspace 1 --phone +911244001100 --name Shop --network simulator");
  await scenario.template({ name: "order_ready", text: "Your order is ready.", category: "UTILITY" });
  const { token } = await prepare<{ token: string }>("POST", "/people", { email: BOB, role: "member" });
  const joined = await fetch(`${app.url}/console/api/links/use`, {
    method: "POST",
    headers: { "content-type": "application/json", "sec-fetch-site": "same-origin" },
    body: JSON.stringify({ token, password: SCENARIO_PASSWORD }),
  });
  expect(joined.status).toBe(201);
  await prepare("POST", `/simulator/phones/${encodeURIComponent(PERSON)}/write`, { text: "Is it red?", number: 1 });
  await prepare("PUT", `/contacts/${encodeURIComponent(PERSON)}`, { first_name: "Meera", name: "Meera Nair" });
  await prepare("PUT", "/contacts/%2B442079460210", { name: "Asha Rao", add_tags: ["vip", "visits in person"] });
  await scenario.go("quick-replies");
  await page.getByRole("button", { name: "New quick reply" }).click();
  const dialog = page.getByRole("dialog", { name: "New quick reply" });
  await dialog.getByRole("textbox", { name: "Name" }).fill("Payment");
  await dialog.getByRole("textbox", { name: "Text" }).fill("Pay here, {{first_name}}.");
  const file = { name: "code.png", mimeType: "image/png", buffer: Buffer.from(PNG, "base64") };
  await dialog.locator("input[type=file]").setInputFiles(file);
  await dialog.getByText("code.png").waitFor();
  await dialog.getByRole("button", { name: "Save quick reply" }).click();
  await dialog.waitFor({ state: "detached" });
  return scenario;
}

/** Goes every job with one hand; returns the steps of each. */
async function goAll(name: HandName, scenario: Scenario): Promise<Map<string, readonly string[]>> {
  const { page, button, prepare } = scenario;
  const hand = new Hand(name, page);
  const isKeyboard = name === "keyboard";
  const done = new Map<string, readonly string[]>();
  const thread = page.getByRole("region", { name: "Conversation", exact: true });
  const reply = page.getByRole("textbox", { name: "Your reply" });
  const rows = page.getByRole("navigation", { name: "Conversations", exact: true }).getByRole("link");
  const field = (label: string) => page.getByRole("textbox", { name: label, exact: true });
  const item = (label: string) => page.getByRole("menuitem", { name: label, exact: true });
  const focused = (target: Locator) => target.and(page.locator(":focus")).first().waitFor();

  const job = async (title: string, path: string, act: () => Promise<void>): Promise<void> => {
    await scenario.go(path);
    await (path === "inbox" ? rows.first() : thread.getByText("Is it red?").first()).waitFor();
    hand.steps = [];
    await act().catch(async (error) => {
      console.error(`${title}: the page says\n${await saidIn(page)}`);
      throw error;
    });
    done.set(title, hand.steps);
    await takePictures(scenario, `job-${title.split(" ")[0]}-${name}`);
    if (name === "touch") await page.setViewportSize({ width: 390, height: 844 });
  };
  const inConversation = (title: string, act: () => Promise<void>) => job(title, "inbox?person=1", act);
  const send = () => (isKeyboard ? hand.keys("Control+Enter") : hand.point(button("Send reply")));
  /** Into the field of the reply. */
  const enter = async () => {
    if (!isKeyboard) return await hand.point(reply);
    await hand.keys("r");
    await focused(reply);
  };
  const add = async (label: string, letters: string) => {
    if (isKeyboard) {
      await hand.reach(button("Add to the message"));
      await hand.keys("Enter");
      await focused(item("Photo or file"));
      await hand.keys(...letters);
      await focused(item(label));
      await hand.keys("Enter");
    } else {
      await hand.point(button("Add to the message"));
      await hand.point(item(label));
    }
  };
  // From the first one on: a key opens the dialog before the browser would have been asked to report it.
  page.on("filechooser", () => {});
  const chooseFile = async ({ name: file, type, base64 }: typeof picture) => {
    const chooser = page.waitForEvent("filechooser");
    await add("Photo or file", "");
    await (await chooser).setFiles({ name: file, mimeType: type, buffer: Buffer.from(base64, "base64") });
    hand.steps.push("file");
  };
  const sent = (type: string) =>
    waitUntil(async () => {
      const { data } = await scenario.read<{ data: { type: string }[] }>("/messages");
      return data[0]?.type === type;
    });
  /** Of a menu that a key opens. */
  const pick = async (option: Locator) => {
    await option.waitFor();
    await page.locator("[role=menu]:focus, [role=menu] :focus").first().waitFor();
    for (let presses = 0; presses < 12; presses += 1) {
      if ((await option.and(page.locator(":focus")).count()) > 0) break;
      await hand.keys("ArrowDown");
    }
    await focused(option);
    await hand.keys("Enter");
  };

  /** Of the list that is open. */
  const sendTemplate = async () => {
    const option = page.getByRole("dialog", { name: "Templates" }).getByRole("option", { name: /^order_ready/ });
    await option.waitFor();
    if (isKeyboard) {
      await hand.type("order");
      await hand.keys("Enter");
      await page.locator("[data-template]:focus").waitFor();
      await hand.keys("Control+Enter");
    } else {
      await hand.point(option);
      await hand.point(button("Send template"));
    }
  };

  await job("1 who waits, and how long; the first is opened", "inbox", async () => {
    await rows
      .first()
      .getByText(/^Waits /)
      .waitFor();
    if (isKeyboard) await hand.keys("Enter");
    else await hand.point(rows.first());
    await thread.getByText("Is it red?").first().waitFor();
  });
  await inConversation("2 text, emoji and link", async () => {
    await enter();
    await hand.type("Yes 🙂 https://shop.example.com/red");
    await send();
    await thread.getByText("Yes 🙂").waitFor();
  });
  await inConversation("3a a picture", async () => {
    if (name === "touch") await chooseFile(picture);
    else await hand.script("Control+V", give("paste", picture));
    await page.getByRole("img", { name: "Preview of shirt.png" }).waitFor();
    await send();
    await sent("image");
  });
  await inConversation("3b a PDF", async () => {
    if (name === "mouse") await hand.script("drop", give("drop", menuCard));
    else if (isKeyboard) {
      const chooser = page.waitForEvent("filechooser");
      await hand.keys("f");
      const { name: file, type, base64 } = menuCard;
      await (await chooser).setFiles({ name: file, mimeType: type, buffer: Buffer.from(base64, "base64") });
      hand.steps.push("file");
    } else await chooseFile(menuCard);
    await page.getByRole("region", { name: "Attached file" }).getByText("Menu.pdf").waitFor();
    await send();
    await sent("document");
  });
  await inConversation("3c a voice note", async () => {
    if (isKeyboard) {
      await enter();
      await hand.reach(button("Record a voice note"));
      await hand.keys("Enter");
    } else await hand.point(button("Record a voice note"));
    await page.getByRole("timer").getByText("0:01").waitFor();
    if (isKeyboard) await hand.keys("Enter");
    else await hand.point(button("Stop"));
    await page.getByLabel("Listen to Voice note.ogg").waitFor();
    if (isKeyboard) await focused(button("Send reply"));
    await (isKeyboard ? hand.keys("Enter") : send());
    await sent("audio");
  });
  await inConversation("4a buttons", async () => {
    await enter();
    await hand.type("Which day?");
    await add("Buttons", "b");
    await focused(field("Button 1"));
    await hand.type("Monday");
    await send();
    await thread.getByRole("listitem").getByText("Monday").waitFor();
  });
  await inConversation("4b a list", async () => {
    await enter();
    await hand.type("Which time?");
    await add("List", "lis");
    await focused(field("Button that opens the list"));
    await hand.type("Choose");
    if (isKeyboard) {
      await hand.reach(field("Row 1"));
      await hand.type("Morning");
    } else await hand.write(field("Row 1"), "Morning");
    await send();
    await thread.getByText("Morning").first().waitFor();
  });
  await inConversation("4c a place", async () => {
    if (isKeyboard) await enter();
    await add("Place", "pl");
    await focused(field("Latitude"));
    // Pasted: both are in it.
    await page.keyboard.insertText("12.9716, 77.5946");
    hand.steps.push("text");
    await send();
    await sent("location");
  });
  await inConversation("4d a contact card", async () => {
    if (isKeyboard) await enter();
    await add("Contact card", "c");
    const finder = page.getByRole("searchbox", { name: "Take it from your contacts" });
    const found = page.getByRole("list", { name: "Contacts found" }).getByRole("button", { name: "Asha Rao" });
    if (isKeyboard) {
      await hand.reach(finder);
      await hand.type("Asha");
      await hand.reach(found);
      await hand.keys("Enter");
    } else {
      await hand.write(finder, "Asha");
      await hand.point(found);
    }
    await waitUntil(async () => (await field("Name").inputValue()) === "Asha Rao");
    await send();
    await sent("contacts");
  });
  await inConversation("4e a template", async () => {
    if (isKeyboard) await hand.keys("m");
    else if (name === "mouse") await hand.point(button("Template"));
    else await add("Template", "");
    await sendTemplate();
    await sent("template");
    // A page that is left before the answer has the form open again.
    await button("Send template").waitFor({ state: "detached" });
  });
  await inConversation("4f a reaction", async () => {
    const actions = thread.getByRole("button", { name: "React or reply: Is it red?" });
    const thumb = item("React with 👍");
    if (isKeyboard) {
      // The newest messages are the nearest.
      await enter();
      const newest = thread.getByRole("button", { name: /^React or reply: / }).last();
      await hand.reach(newest, "Shift+Tab");
      await hand.keys("Enter");
      await pick(thumb);
    } else {
      await hand.point(actions.first());
      await hand.point(thumb);
    }
    await thread.getByRole("img", { name: "Reaction: 👍" }).waitFor();
  });
  await inConversation("4g a quote", async () => {
    if (isKeyboard) await hand.keys("r");
    else {
      await hand.point(thread.getByRole("button", { name: "React or reply: Is it red?" }).first());
      await hand.point(item("Reply to this message"));
    }
    await page.getByRole("blockquote", { name: "Your reply answers" }).waitFor();
    await focused(reply);
    await hand.type("Red as a rose");
    await send();
    await thread.getByText("Red as a rose").waitFor();
  });

  const assign = async (to: string, shown: string) => {
    const option = page.getByRole("menuitemradio", { name: to });
    if (isKeyboard) {
      await hand.keys("a");
      await pick(option);
    } else {
      await hand.point(page.getByRole("button", { name: /\. Assign$|^Without an assignee/ }));
      await hand.point(option);
    }
    await page.getByRole("button", { name: shown }).waitFor();
  };
  await inConversation("5a taken", async () => {
    if (name !== "mouse") return await assign(`Me (${ME})`, "Assigned to You. Assign");
    await hand.point(button("Take"));
    await page.getByRole("button", { name: "Assigned to You. Assign" }).waitFor();
  });
  await inConversation("5b given to a colleague", () => assign(BOB, `Assigned to ${BOB}. Assign`));
  await prepare("PATCH", "/conversations/1", { assignee: ME, take: true });
  await inConversation("5c given away", () => assign("Nobody", "Without an assignee. Assign"));
  await inConversation("6 a note that mentions a colleague", async () => {
    if (isKeyboard) await hand.keys("n");
    else await hand.point(button("Note"));
    await focused(field("Note"));
    await hand.type("Is it in stock, @bo");
    const colleague = page.getByRole("option", { name: /^bob\.rao/ });
    await colleague.waitFor();
    await (isKeyboard ? hand.keys("Enter") : hand.point(colleague));
    await waitUntil(async () => (await field("Note").inputValue()).includes("@bob.rao "));
    await (isKeyboard ? hand.keys("Control+Enter") : hand.point(button("Add note")));
    await thread.getByRole("note").getByText("@bob.rao").waitFor();
  });
  await inConversation("7a a tag", async () => {
    const tag = page.getByRole("option", { name: "vip" });
    if (isKeyboard) {
      await hand.keys("t");
      await focused(page.getByRole("combobox", { name: "Add tag" }));
      await hand.type("vip");
      await hand.keys("Enter");
    } else if (name === "mouse") {
      await hand.point(button("Add tag"));
      await hand.point(tag);
    } else {
      await hand.point(page.getByRole("button", { name: "More actions" }));
      await hand.point(item("Tags …"));
      await hand.point(tag);
    }
    await button("Remove the tag vip").waitFor();
    const { data } = await scenario.read<{ data: { tags: string[] } }>(`/contacts/${encodeURIComponent(PERSON)}`);
    expect(data.tags).toEqual(["vip"]);
  });
  await inConversation("7b snoozed", async () => {
    if (isKeyboard) {
      await hand.keys("s");
      await pick(page.getByRole("menuitem", { name: "In an hour" }));
    } else {
      await hand.point(button("Snooze"));
      await hand.point(page.getByRole("menuitem", { name: "In an hour" }));
    }
    await page
      .getByText(/^Snoozed until/)
      .first()
      .waitFor();
  });
  await prepare("PATCH", "/conversations/1", { state: "open" });
  await inConversation("7c done", async () => {
    await button("Done").waitFor();
    await (isKeyboard ? hand.keys("e") : hand.point(button("Done")));
    await button("Open again").waitFor();
  });
  await prepare("PATCH", "/conversations/1", { state: "open" });
  await inConversation("8 a quick reply with picture and name", async () => {
    const option = page.getByRole("dialog", { name: "Quick replies" }).getByRole("option", { name: /^Payment/ });
    if (isKeyboard) {
      await enter();
      await hand.keys("/");
      await option.waitFor();
      await hand.type("pay");
      await page.getByRole("option", { name: /^Payment/, selected: true }).waitFor();
      await hand.keys("Enter");
    } else {
      await hand.point(button("Insert a quick reply"));
      await hand.point(option);
    }
    await waitUntil(
      async () => (await page.getByRole("textbox", { name: "Caption" }).inputValue()) === "Pay here, Meera.",
    );
    await send();
    await thread.getByText("Pay here, Meera.").first().waitFor();
  });
  await waitUntil(async () => {
    const found = await scenario.read<{ data: unknown[]; meta: { behind: boolean } }>("/search?q=menu");
    return !found.meta.behind && found.data.length > 0;
  });
  const find = async (words: string, what: RegExp) => {
    const results = page.getByRole("navigation", { name: "Search results" }).getByRole("link");
    if (isKeyboard) await hand.keys("/");
    else await hand.point(page.getByRole("button", { name: "Search messages, people and notes" }));
    const box = page.getByRole("searchbox");
    await focused(box);
    await hand.type(words);
    const result = results.filter({ hasText: what }).first();
    await result.waitFor();
    if (isKeyboard) {
      await hand.keys("ArrowDown");
      await focused(result);
      await hand.keys("Enter");
    } else await hand.point(result);
    await thread.waitFor();
    await page.waitForURL(/person=/);
  };
  await job("9a found by a word", "inbox", () => find("rose", /Red as a rose/));
  await job("9b found by a name", "inbox", () => find("Meera", /Meera/));
  await job("9c found by a number", "inbox", () => find("98765 40010", /Meera/));
  await job("9d found by a file", "inbox", () => find("Menu.pdf", /Menu\.pdf/));
  await job("10 the first message to a new number", "inbox", async () => {
    const phone = `98765 4012${["mouse", "keyboard", "touch"].indexOf(name)}`;
    if (isKeyboard) await hand.keys("/");
    else await hand.point(page.getByRole("button", { name: "Search messages, people and notes" }));
    await focused(page.getByRole("searchbox"));
    await hand.type(phone);
    const begin = page.getByRole("button", { name: `Write to ${phone}` });
    const choice = button("Template Choose a template");
    if (isKeyboard) {
      await hand.reach(begin);
      await hand.keys("Enter");
      await choice.waitFor();
      await hand.keys("m");
    } else {
      await hand.point(begin);
      await hand.point(choice);
    }
    await sendTemplate();
    await thread.getByText("Your order is ready.").waitFor();
  });
  const meera = rows.filter({ hasText: "Meera" });
  await job("11 a reply while a colleague answers", "inbox", async () => {
    if (isKeyboard) {
      await hand.keys("j");
      for (let moves = 0; moves < 5 && (await meera.and(page.locator(":focus")).count()) === 0; moves += 1)
        await hand.keys("j");
      await hand.keys("Enter");
    } else await hand.point(meera);
    await thread.getByText("Pay here, Meera.").first().waitFor();
    await enter();
    await hand.type("It is red.");
    // A colleague answers meanwhile.
    await prepare("POST", "/messages", { to: PERSON, text: "It is blue, says Bob." });
    await send();
    const question = page.getByRole("alertdialog");
    const keep = question.getByRole("button", { name: "Keep writing" });
    await question.getByText("It is blue, says Bob.").waitFor();
    await (isKeyboard ? hand.keys("Escape") : hand.point(keep));
    await question.waitFor({ state: "detached" });
    expect(await reply.inputValue()).toBe("It is red.");
  });
  if (name === "touch") {
    await reply.fill("");
    await job("12 a conversation with one thumb", "inbox", async () => {
      const thumb = async (target: Locator) => {
        await target.waitFor();
        const box = await target.boundingBox();
        expect([String(target), Math.round(box?.height ?? 0) >= THUMB_PX]).toEqual([String(target), true]);
        await hand.point(target);
      };
      await thumb(meera);
      await thumb(reply);
      await hand.type("Come by");
      await thumb(button("Send reply"));
      await thread.getByText("Come by").waitFor();
      await thumb(button("Done"));
      await button("Open again").waitFor();
      await thumb(page.getByRole("link", { name: "All conversations" }));
      await page.getByRole("navigation", { name: "View" }).waitFor();
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(390);
    });
  }
  return done;
}

const HANDS: readonly HandName[] = ["mouse", "keyboard", "touch"];

describe.skipIf(noBrowser)("in a browser", () => {
  test.each(inForm<HandName[]>({ short: ["mouse"], long: [...HANDS] }))(
    "each job of the inbox needs at most as many steps as recorded, by %s",
    async (name) => {
      await using scenario = await startShop(name);
      const done = await goAll(name, scenario);
      const place = HANDS.indexOf(name);
      const recorded = Object.entries(RECORDED).filter(([, steps]) => steps[place] !== null);
      if (process.env.JOBS === "1")
        for (const [title, steps] of done) console.log(`${name}\t${steps.length}\t${title}\t${steps.join(", ")}`);
      expect([...done.keys()]).toEqual(recorded.map(([title]) => title));
      const over = recorded.filter(([title, steps]) => (done.get(title)?.length ?? 0) > (steps[place] ?? 0));
      expect(over.map(([title]) => `${title}: ${done.get(title)?.join(", ")}`)).toEqual([]);
      expect(scenario.troubles).toEqual([]);
    },
    LIMIT_MS,
  );
});
