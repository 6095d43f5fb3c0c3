/**
 * Every screen of the console, as its router lists them: axe finds nothing, nothing scrolls sideways, no error is logged.
 * The short form sees each screen of an empty workspace on a desk and on the narrowest phone. The long form sees also a
 * filled workspace with every dialog that a button opens, and every step of adding a number, in every look: light, dark,
 * four widths, forced colours. It writes what it finds at once. `SCREENS=contacts,inbox,addNumber` chooses screens.
 */
import { describe, expect, test } from "bun:test";
import type { Locator, Page, Route } from "playwright-core";
import { noBrowser, openBrowser } from "#test/support/browser.ts";
import { SCENARIO_LIMIT_MS, type Scenario, startScenario } from "#test/support/browser-scenario.ts";
import { chooseTemplate } from "#test/support/choose-template.ts";
import { freshAccount, PIN, PUBLIC_URL } from "#test/support/connecting.ts";
import { GRAPH_APP_SECRET, GRAPH_TOKEN, type Graph, startGraph } from "#test/support/graph.ts";
import { GRAPH_APP_ID, type GraphAccount } from "#test/support/graph-account.ts";
import { GraphSignUp, SIGN_UP_CONFIG_ID } from "#test/support/graph-sign-up.ts";
import { inForm, isLong } from "#test/support/long-form.ts";
import { startReceiver } from "#test/support/receiver.ts";
import { everyLook, everyScreen, followRequests, lookAround, onDesk, twoLooks, waitForScreen } from "./every-screen.ts";
import { fillConsole } from "./filled-console.ts";

const LONG_MS = 3_600_000;
const LIMIT_MS = inForm({ short: SCENARIO_LIMIT_MS, long: LONG_MS });
const looks = inForm({ short: twoLooks, long: everyLook });
/** Screens at which there is nothing in an empty workspace. */
const missingWhenEmpty = ["numberProfile"];
/** In one test, all of them take longer on a busy machine than a test may. */
const PARTS = 2;
const DIALOG = "[role=dialog], [role=alertdialog]";

/** Writes how far it is, with times in milliseconds: of a run that is broken off, what it has seen is known. */
function tell(text: string): void {
  if (isLong) console.log(text);
}

/** `SCREENS=contacts,inbox`: these alone, each with all that can be seen at it. */
function isWanted(name: string): boolean {
  const { SCREENS } = process.env;
  return SCREENS === undefined || SCREENS.split(",").includes(routeOf(name));
}

/** "contacts" of "contacts-none". */
function routeOf(name: string): string {
  return name.split("-", 1)[0] ?? name;
}

/** `part`: of the screens of an empty workspace; without it, the workspace is filled, and the dialogs are opened too. */
async function walk({ page, app, context }: Scenario, part: number | null): Promise<string[]> {
  const isFilled = part === null;
  const wrong: string[] = [];
  const requests = followRequests(page);
  const seen: Seen = { dialogs: new Set(), presses: new Map() };
  const signedIn = await context.cookies();
  for (const [place, { name, path, isPublic }] of (await everyScreen(isFilled)).entries()) {
    if (!isWanted(name) || (part !== null && place % PARTS !== part)) continue;
    await (isPublic ? context.clearCookies() : context.addCookies(signedIn));
    const begun = performance.now();
    const since = () => Math.round(performance.now() - begun);
    await onDesk(page);
    await page.goto(`${app.url}/console/${path}`, { waitUntil: "domcontentloaded" });
    await waitForScreen(page, requests);
    const loaded = since();
    const isMissing = (await page.getByText("Not found, or you don't have access").count()) > 0;
    if (isMissing !== (!isFilled && missingWhenEmpty.includes(name))) wrong.push(`${name}: what is there is wrong`);
    wrong.push(...(await lookAround(page, name, looks)));
    const looked = since();
    if (isFilled) wrong.push(...(await openDialogs(page, name, seen, requests)));
    tell(`${name}: loaded ${loaded}, looks ${looked - loaded}, dialogs ${since() - looked}`);
  }
  return wrong;
}

interface Seen {
  /** The titles of the dialogs that were looked at. */
  dialogs: Set<string>;
  /** How often a button was pressed, by what it is. */
  presses: Map<string, number>;
}

/** What is used of an element of the page: this project's types do not include the DOM. */
interface PageButton {
  textContent: string;
  className: string;
  getAttribute(name: string): string | null;
  closest(selector: string): { parentElement: { className: string } | null } | null;
}

/**
 * Says of each button what it is: its text, without numbers; in a list its row's kind and its verb, as in "Remove Asha".
 * Runs in the browser.
 */
function kindsOf(buttons: unknown): string[] {
  return (buttons as PageButton[]).map((button) => {
    const text = (button.getAttribute("aria-label") ?? button.textContent).trim().replace(/\d+/g, "#");
    const row = button.closest("li, tr, [role=row], [role=listitem], article");
    return row === null ? text : [row.parentElement?.className, button.className, text.split(" ")[0]].join("/");
  });
}
/** In one list, buttons of one kind do the same. */
const PRESSES = 2;

/** Presses each button of the page while nothing is changed by it, and looks at each dialog that opens. */
async function openDialogs(
  page: Page,
  screen: string,
  seen: Seen,
  requests: { isQuiet(): boolean },
): Promise<string[]> {
  const wrong: string[] = [];
  const refuse = (route: Route) => (route.request().method() === "GET" ? route.fallback() : route.abort());
  const address = page.url();
  await page.route("**/console/api/**", refuse);
  const buttons = page.locator("main button:enabled:visible, [role=complementary] button:enabled:visible");
  const dialog = page.locator(DIALOG).last();
  const kinds = await buttons.evaluateAll(kindsOf);
  for (const [index, kind] of kinds.entries()) {
    const what = `${routeOf(screen)} ${kind}`;
    const times = seen.presses.get(what) ?? 0;
    if (times >= PRESSES) continue;
    const press = buttons.nth(index);
    if (!(await press.isVisible().catch(() => false))) continue;
    seen.presses.set(what, times + 1);
    await press.click({ timeout: 1_000 }).catch(() => undefined);
    const title = await titleOf(dialog, requests);
    if (title === null && page.url() === address) continue;
    if (title !== null && !seen.dialogs.has(title)) {
      seen.dialogs.add(title);
      await waitForScreen(page, requests);
      tell(`${screen} has the dialog "${title}"`);
      wrong.push(...(await lookAround(page, `${screen}, ${title}`, looks)));
    }
    if (title !== null && page.url() === address) {
      await page.keyboard.press("Escape");
      if ((await dialog.count()) === 0) continue;
    }
    await page.goto(address, { waitUntil: "domcontentloaded" });
    await waitForScreen(page, requests);
  }
  await page.unroute("**/console/api/**", refuse);
  return wrong;
}

/** Of the dialog that is open once the page is at rest, or `null`. */
async function titleOf(dialog: Locator, requests: { isQuiet(): boolean }): Promise<string | null> {
  const heading = dialog.getByRole("heading").first();
  for (let turn = 0, quiet = 0; quiet < 3 && turn < 60; turn += 1) {
    if ((await heading.count()) > 0) return heading.textContent();
    quiet = requests.isQuiet() ? quiet + 1 : 0;
    await Bun.sleep(30);
  }
  return null;
}

/** From the list of numbers to the first message that was read: halts where there is something new to see. */
async function* addNumber({ page, button, go, app }: Scenario, graph: Graph, account: GraphAccount) {
  const callbacks = `${app.url}/networks/whatsapp`;
  graph.callTo(callbacks);
  await go("numbers/connect");
  await page.getByRole("radio", { name: "Yes, and it stays there" }).check();
  yield "ways";
  await button("Continue at Meta").click();
  await page.getByRole("link", { name: "Cancel" }).click();
  await page.getByText("You left Meta's page without agreeing.").waitFor();
  yield "cancelled";
  await go("numbers/connect?via=meta");
  await page.getByLabel("Access token").fill("EAAwrong");
  await page.getByLabel("App secret", { exact: true }).fill(GRAPH_APP_SECRET);
  await button("Check and store").click();
  await page.getByText("The access token of this connection has expired.").waitFor();
  yield "refused-token";
  await page.getByLabel("Access token").fill(GRAPH_TOKEN);
  await button("Check and store").click();
  await button("Connect number").waitFor();
  yield "numbers";
  await button("Connect number").click();
  await page.getByText("Meta has not asked yet.").waitFor();
  yield "steps";
  account.reach = () => null;
  await button("Set up at Meta").click();
  await page.getByText("Meta could not verify the callback address.").waitFor();
  yield "unverified";
  account.reach = () => callbacks;
  account.webhook = { callbackUrl: "https://crm.example.com/hook", fields: [] };
  await button("Set up at Meta").click();
  const alert = page.getByRole("alertdialog");
  await alert.getByText("crm.example.com").waitFor();
  yield "another-address";
  await alert.getByRole("button", { name: "Replace address" }).click();
  await button("Set up again").waitFor();
  account.pin = "000000";
  await page.getByLabel("Two-step PIN").fill(PIN);
  await button("Register number").click();
  await page.getByText("The two-step PIN of the number is wrong.").waitFor();
  yield "wrong-pin";
  account.pin = PIN;
  await button("Register number").click();
  await page.getByText("The number can send.").waitFor();
  yield "registered";
  await chooseTemplate(page, "greeting (en_US)");
  await page.getByLabel("Your phone").fill("+49 151 12345678");
  await page.getByLabel("Body placeholder {{1}}").fill("Anna");
  await button("Send template").click();
  await page.getByText("Delivered: Waiting").waitFor();
  yield "sent";
  const message = graph.accepted.at(-1);
  if (message === undefined) throw new Error("the network accepted a message");
  for (const status of ["delivered", "read"] as const) await graph.callback(graph.status(message, status));
  await page.getByText("Everything works.").waitFor();
  yield "done";
  await button("Enter new ones").click();
  await page.getByLabel("Access token").waitFor();
  yield "new-token";
}

/** Grey on grey in the dark alone, and wider than a phone. */
const FAULTY = `<!doctype html><html lang="en"><title>Faulty</title><style>
  p { color: #000; background: #fff } @media (prefers-color-scheme: dark) { p { color: #777; background: #888 } }
</style><main><h1>Faulty</h1><p>Grey</p><div style="width: 400px">Wide</div></main></html>`;

describe.skipIf(noBrowser)("in a browser", () => {
  test(
    "what is wrong in one look alone is found in that look",
    async () => {
      await using opened = await openBrowser();
      await opened.page.setContent(FAULTY);
      const wanted = ["1440 light", "1440 dark", "320 light"];
      const found = await lookAround(
        opened.page,
        "faulty",
        everyLook.filter(({ name }) => wanted.includes(name)),
      );
      expect(found).toEqual([
        "faulty, 1440 dark: color-contrast: p",
        expect.stringContaining("faulty, 320 light: the page is 408 pixels wide"),
      ]);
    },
    LIMIT_MS,
  );

  for (let part = 0; part < PARTS; part += 1)
    test(
      `every screen of an empty workspace is accessible and fits, on a desk and on the narrowest phone, part ${part + 1} of ${PARTS}`,
      async () => {
        await using scenario = await startScenario();
        expect(await walk(scenario, part)).toEqual([]);
        expect(scenario.troubles).toEqual([]);
      },
      LIMIT_MS,
    );

  test.skipIf(inForm({ short: true, long: false }))(
    "every screen of a filled workspace, with its dialogs, is accessible and fits in every look",
    async () => {
      await using receiver = startReceiver();
      await using scenario = await startScenario();
      await fillConsole(scenario, receiver.url);
      expect(await walk(scenario, null)).toEqual([]);
      // A request that a press was not allowed to make is no fault of the page.
      expect(scenario.troubles.filter((trouble) => !trouble.includes("net::ERR_FAILED"))).toEqual([]);
    },
    LIMIT_MS,
  );

  test.skipIf(inForm({ short: true, long: false }) || !isWanted("addNumber"))(
    "every step of adding a number is accessible and fits in every look",
    async () => {
      const signUp = new GraphSignUp({ id: GRAPH_APP_ID, secret: GRAPH_APP_SECRET, token: () => GRAPH_TOKEN });
      const account = freshAccount();
      await using graph = await startGraph({ account, signUp });
      await using scenario = await startScenario(
        {},
        {
          WAXWING_SERVER_PUBLIC_URL: PUBLIC_URL,
          WAXWING_WHATSAPP_GRAPH_URL: graph.url,
          WAXWING_WHATSAPP_DIALOG_URL: graph.url,
          WAXWING_WHATSAPP_APP_ID: GRAPH_APP_ID,
          WAXWING_WHATSAPP_SIGNUP_CONFIG_ID: SIGN_UP_CONFIG_ID,
          WAXWING_WHATSAPP_APP_SECRET: GRAPH_APP_SECRET,
        },
      );
      signUp.reach = (address) => address.replace(PUBLIC_URL, scenario.app.url);
      const wrong: string[] = [];
      for await (const step of addNumber(scenario, graph, account)) {
        tell(`addNumber-${step}`);
        wrong.push(...(await lookAround(scenario.page, `addNumber-${step}`, looks)));
      }
      expect(wrong).toEqual([]);
      // The browser logs the answer that Meta's refusal of the address got.
      expect(scenario.troubles.filter((trouble) => !trouble.includes("502"))).toEqual([]);
    },
    LIMIT_MS,
  );
});
