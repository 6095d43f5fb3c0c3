/**
 * The template studio in a browser, on the executable: at each press the server is killed, or the line is cut, before the
 * effect and after it. Then the person presses again, or reloads the page first. Nothing is given to WhatsApp twice, and no
 * draft is lost. The short form has each press, with the moments divided among them; the long form has all of both.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Dialog, Locator, Route } from "playwright-core";
import { openClient } from "#src/db/driver.ts";
import { noBrowser, openBrowser, type TestBrowser } from "#test/support/browser.ts";
import { graphTemplate } from "#test/support/graph-account.ts";
import { isLong } from "#test/support/long-form.ts";
import { startShop, until, type WhatsappProcess } from "#test/support/whatsapp-process.ts";

const PASSWORD = "a good long password";
const LIMIT_MS = 180_000;
/** Until then, another process could still wait for WhatsApp's answer. */
const IN_FLIGHT_MS = 61_000;

/** What happens to the request of a press between page and server. */
const lineMoments = ["request lost", "answer lost", "killed before", "killed after"] as const;
/** What happens while WhatsApp is asked. */
const networkMoments = [
  "WhatsApp's request lost",
  "WhatsApp's answer lost",
  "killed before WhatsApp",
  "killed after WhatsApp",
] as const;
type Moment = (typeof lineMoments)[number] | (typeof networkMoments)[number];
const recoveries = ["press again", "reload"] as const;
type Recovery = (typeof recoveries)[number];

let shop: WhatsappProcess;
let opened: TestBrowser;

beforeAll(async () => {
  if (noBrowser) return;
  const templates = cells.flatMap(({ name, press: { before } }) =>
    before === undefined ? [] : [graphTemplate(name, before(name))],
  );
  shop = await startShop({ pageSize: 500, templates });
  await shop.json("template", "sync");
  const made = await shop.json(..."user create --email asha@example.com --role owner --workspace 1".split(" "));
  opened = await openBrowser({ isSelfSigned: true });
  const [, token = ""] = /#([\w-]+)/.exec(JSON.stringify(made)) ?? [];
  await ask("POST", "/links/use", { token, password: PASSWORD });
}, LIMIT_MS);
afterAll(async () => {
  if (noBrowser) return;
  await opened[Symbol.asyncDispose]();
  await shop[Symbol.asyncDispose]();
});

/** As a page would, where the page is not under test. */
async function ask<Data = { id: number }>(method: string, path: string, body: object): Promise<Data> {
  const answered = await opened.context.request.fetch(`${shop.publicUrl}/console/api${path}`, {
    method,
    data: body,
    headers: { "sec-fetch-site": "same-origin" },
  });
  if (!answered.ok()) throw new Error(`${method} ${path}: ${answered.status()} ${await answered.text()}`);
  return ((await answered.json()) as { data: Data }).data;
}

interface Press {
  /** The request of the press: its method, and how its path ends. */
  method: string;
  path: RegExp;
  asksWhatsapp: boolean;
  /** The template that WhatsApp has before. */
  before?: (name: string) => object;
  /** Leads to the page on which it is pressed. */
  prepare(name: string): Promise<void>;
  press(name: string): Promise<void>;
  /** Where it can be pressed again; null: the page does it unasked. */
  again: (() => Locator) | null;
  /** The page that shows that it was done. */
  done(name: string): Locator;
  /** What is there in the end: drafts with the words of this name, and what WhatsApp was given. */
  ends(name: string, recovery: Recovery): void;
}

const wordsOf = (name: string): string => `Your parcel ${name} is here.`;
const contentOf = (name: string) => ({
  name,
  language: "en_US",
  category: "UTILITY",
  components: [{ type: "BODY", text: wordsOf(name) }],
});

interface DraftRow {
  id: number;
  content: string;
  template_id: number | null;
}
const draftsOf = (name: string): DraftRow[] =>
  shop
    .rows<DraftRow>("SELECT id, content, template_id FROM template_drafts")
    .filter(({ content, template_id: template }) => content.includes(`"${name}`) || isTemplate(template, name));
const isTemplate = (id: number | null, name: string): boolean =>
  id !== null && shop.rows(`SELECT 1 FROM templates WHERE id = ${id} AND name = '${name}'`).length > 0;

const given = (name: string) =>
  shop.account.submitted.filter(
    ({ path, body }) =>
      JSON.stringify(body).includes(`parcel ${name} `) ||
      path.includes(`name=${name}&`) ||
      path.endsWith(`name=${name}`),
  );

async function openTemplate(name: string): Promise<void> {
  const [row] = shop.rows<{ id: number }>(`SELECT id FROM templates WHERE name = '${name}'`);
  await opened.page.goto(`${shop.publicUrl}/console/w/1/templates?open=${row?.id}`);
  await opened.button("Duplicate").waitFor();
}

async function openDraft(content: object): Promise<void> {
  const { id } = await ask("POST", "/w/1/template-drafts", { content });
  await opened.page.goto(`${shop.publicUrl}/console/w/1/templates/new?draft=${id}`);
  await field().waitFor();
}

const field = () => opened.page.getByLabel("Text", { exact: true });
const heading = (name: string) => opened.page.getByRole("heading", { name, exact: true });
/** The button, while no request of it is under way. */
const free = (name: string) => opened.button(name).and(opened.page.locator(":enabled:not([aria-busy=true])"));

/** A press that begins a draft with the template. By keyboard. */
const beginning = (label: string, done: () => Locator): Press => ({
  method: "POST",
  path: /\/template-drafts$/,
  asksWhatsapp: false,
  before: contentOf,
  prepare: openTemplate,
  press: () => opened.button(label).press("Enter"),
  again: () => free(label),
  done,
  ends(name, recovery) {
    // A page that was reloaded does not know of the draft that its press made: that one is kept too.
    const drafts = draftsOf(name);
    expect(drafts.length).toBeLessThanOrEqual(recovery === "reload" ? 2 : 1);
    expect(drafts.length).toBeGreaterThan(0);
    for (const { content } of drafts) expect(content).toContain(wordsOf(name));
    expect(given(name)).toHaveLength(0);
  },
});

const sending = (label: string): Omit<Press, "prepare"> => ({
  method: "POST",
  path: /\/template-drafts\/\d+\/send$/,
  asksWhatsapp: true,
  press: () => opened.button(label).click(),
  again: () => free(label),
  done: heading,
  ends(name) {
    expect(given(name)).toHaveLength(1);
    expect(draftsOf(name)).toMatchObject([{ template_id: expect.any(Number) }]);
    expect(shop.rows(`SELECT status FROM templates WHERE name = '${name}'`)).toEqual([{ status: "PENDING" }]);
  },
});

const dialog = () => opened.page.getByRole("alertdialog");
const inDialog = () => dialog().getByRole("button", { name: "Delete" });

const presses: Readonly<Record<string, Press>> = {
  "begin a draft": {
    method: "POST",
    path: /\/template-drafts$/,
    asksWhatsapp: false,
    async prepare() {
      await opened.page.goto(`${shop.publicUrl}/console/w/1/templates/new`);
      await heading("What is the message for?").waitFor();
    },
    press: () => opened.page.getByRole("button", { name: /^Utility/ }).click(),
    again: () => opened.page.getByRole("button", { name: /^Utility/ }).and(opened.page.locator(":enabled")),
    done: field,
    ends(_, recovery) {
      const made = countDrafts() - draftsBefore;
      expect(made).toBeLessThanOrEqual(recovery === "reload" ? 2 : 1);
      expect(made).toBeGreaterThan(0);
    },
  },
  type: {
    method: "PUT",
    path: /\/template-drafts\/\d+$/,
    asksWhatsapp: false,
    prepare: (name) => openDraft({ ...contentOf(name), components: [{ type: "BODY", text: "" }] }),
    press: (name) => field().fill(wordsOf(name)),
    again: null,
    done: () => opened.page.getByText("Draft saved"),
    ends(name) {
      expect(draftsOf(name)).toMatchObject([{ content: expect.stringContaining(wordsOf(name)), template_id: null }]);
    },
  },
  "send to WhatsApp": { ...sending("Send to WhatsApp"), prepare: (name) => openDraft(contentOf(name)) },
  "begin a correction": beginning("Correct and send again", () => heading("Correct template")),
  "correct and send again": {
    ...sending("Correct and send again"),
    before: (name) => ({ status: "REJECTED", components: [{ type: "BODY", text: `Parcel ${name}.` }] }),
    async prepare(name) {
      await openTemplate(name);
      await opened.button("Correct and send again").click();
      await heading("Correct template").waitFor();
      await field().fill(wordsOf(name));
      await until("the words are kept", () => draftsOf(name)[0]?.content.includes(wordsOf(name)) === true);
    },
  },
  duplicate: beginning("Duplicate", field),
  "add a language": beginning("Add a language", field),
  delete: {
    method: "DELETE",
    path: /\/templates\/\d+$/,
    asksWhatsapp: true,
    before: contentOf,
    prepare: openTemplate,
    async press() {
      if (!(await dialog().isVisible())) await opened.button("Delete").press("Enter");
      await inDialog().press("Enter");
    },
    again: () => free("Delete"),
    done: () =>
      opened.page.getByText("Template deleted").or(opened.page.getByText("It was deleted at WhatsApp.")).first(),
    ends(name) {
      expect(given(name)).toHaveLength(1);
      expect(shop.rows(`SELECT status FROM templates WHERE name = '${name}'`)).toEqual([{ status: "DISABLED" }]);
    },
  },
};

const countDrafts = (): number => shop.rows("SELECT id FROM template_drafts").length;
let draftsBefore = 0;

/** Lets the moment happen to the press, and resolves once it has. */
async function strike({ press, method, path }: Press, name: string, moment: Moment): Promise<void> {
  const struck = Promise.withResolvers<void>();
  const { account } = shop;
  let isStruck = false;
  const during = async (route: Route): Promise<void> => {
    const isPress = route.request().method() === method && path.test(new URL(route.request().url()).pathname);
    if (!isPress || isStruck) return route.continue();
    isStruck = true;
    if (moment === "killed before") await shop.kill();
    if (moment === "answer lost" || moment === "killed after") await route.fetch();
    if (moment === "killed after") await shop.kill();
    if (moment === "request lost" || moment === "answer lost" || moment === "killed after") await route.abort();
    else await route.continue();
    if (!isOfNetwork(moment)) struck.resolve();
  };
  await opened.page.route("**/console/api/**", (route) => during(route).catch(struck.reject));
  if (isOfNetwork(moment)) {
    account.refuse = (request) => {
      const isAbout =
        /message_templates/.test(request.path) || account.templates.some(({ id }) => request.path.includes(`/${id}`));
      if (request.method === "GET" || !isAbout) return null;
      account.refuse = null;
      if (moment === "WhatsApp's answer lost") account.loses.answers = 1;
      if (moment === "WhatsApp's request lost" || moment === "killed before WhatsApp") account.loses.requests = 1;
      if (moment === "killed before WhatsApp" || moment === "killed after WhatsApp") {
        void shop.kill().then(struck.resolve, struck.reject);
      } else struck.resolve();
      return null;
    };
  }
  await press(name);
  await struck.promise;
  await opened.page.unroute("**/console/api/**");
}

const isOfNetwork = (moment: Moment): boolean => (networkMoments as readonly Moment[]).includes(moment);

/** As if the time had passed in which another process could wait for WhatsApp's answer. */
function wait(): void {
  const client = openClient(`${shop.directory}/data/waxwing.db`, {});
  client.exec(`UPDATE template_submissions SET created_at = created_at - ${IN_FLIGHT_MS} WHERE state = 'open'`);
  client.close();
}

async function walk({ press, name, moment, recovery }: Cell): Promise<void> {
  const { again, done } = press;
  await press.prepare(name);
  draftsBefore = countDrafts();
  await strike(press, name, moment);
  if (moment.startsWith("killed")) await shop.start();
  wait();
  if (recovery === "reload") {
    // Where words are not saved yet, the browser asks first.
    const leave = (asked: Dialog) => void asked.accept();
    opened.page.on("dialog", leave);
    await opened.page.reload();
    opened.page.off("dialog", leave);
  }
  if (again !== null) {
    await done(name).or(again()).first().waitFor();
    if (!(await done(name).isVisible())) await press.press(name);
  }
  await done(name).waitFor();
  press.ends(name, recovery);
}

interface Cell {
  title: string;
  press: Press;
  name: string;
  moment: Moment;
  recovery: Recovery;
}

const all: readonly Cell[] = Object.entries(presses)
  .flatMap(([title, press]) =>
    [...lineMoments, ...(press.asksWhatsapp ? networkMoments : [])].flatMap((moment) =>
      recoveries.map((recovery) => ({ title: `${title}: ${moment}, ${recovery}`, press, moment, recovery })),
    ),
  )
  .map((cell, index) => ({ ...cell, name: `p${index}x` }));
/** Each press once or twice, and each moment with both recoveries. */
const cells = isLong ? all : all.filter((_, index) => index % 9 === 0);

describe.skipIf(noBrowser)("a press of the studio", () => {
  test.each(cells.map((cell) => [cell.title, cell] as const))(
    "%s: nothing is given twice, and no draft is lost",
    (_, cell) => walk(cell),
    LIMIT_MS,
  );

  test(
    "words that are not saved are not left without a question",
    async () => {
      const { page, button } = opened;
      const name = "unsaved";
      await openDraft({ ...contentOf(name), components: [{ type: "BODY", text: "" }] });
      await shop.kill();
      await field().fill(wordsOf(name));
      await page.getByText("Not saved yet.").waitFor();
      const asked = page.waitForEvent("dialog");
      const leaving = page.evaluate("location.reload()");
      const dialog = await asked;
      expect(dialog.type()).toBe("beforeunload");
      await dialog.dismiss();
      await leaving;
      await shop.start();
      await button("Discard draft").waitFor();
      await page.getByText("Draft saved").waitFor();
      expect(draftsOf(name)).toMatchObject([{ content: expect.stringContaining(wordsOf(name)) }]);
      const again = page.waitForEvent("dialog", { timeout: 500 }).catch(() => null);
      await page.reload();
      expect(await again).toBeNull();
      expect(await field().inputValue()).toBe(wordsOf(name));
      // Before they are saved as they are typed.
      await field().fill(`${wordsOf(name)} Come soon.`);
      await page.reload();
      await field().waitFor();
      expect(await field().inputValue()).toBe(`${wordsOf(name)} Come soon.`);
    },
    LIMIT_MS,
  );
});
