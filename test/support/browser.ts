/**
 * A real browser for tests of the console: the system's Chromium, driven by playwright-core. On every page it records
 * console messages, errors and violations of the page's policy; a test expects none. Without Chromium the tests are
 * skipped, with the reason.
 */
import { expect } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { AxeBuilder } from "@axe-core/playwright";
import { type Browser, type BrowserContext, chromium, type Locator, type Page } from "playwright-core";

const PLACES = [
  process.env.TEST_CHROMIUM,
  // The same browser without windows, with a third less work.
  "/usr/bin/chromium-headless-shell",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
];

const IDLE_MS = 3_000;
const WAIT_MS = 60_000;
/** Widths and schemes. */
const LOOKS = [
  [1440, "light"],
  [1440, "dark"],
  [390, "light"],
  [390, "dark"],
] as const;

export const chromiumPath = PLACES.find((path) => path !== undefined && existsSync(path));

/** Why browser tests are skipped: `test.skipIf(noBrowser)`. */
export const noBrowser = chromiumPath === undefined;
if (noBrowser)
  console.log("no Chromium is found (apt-get install chromium): the scenarios of test/browser are skipped");

export interface TestBrowser extends AsyncDisposable {
  browser: Browser;
  context: BrowserContext;
  page: Page;
  /** Errors of the console, exceptions, refused resources. */
  troubles: string[];
  /** Serious findings of axe on the current page, one per line. */
  findings(): Promise<string[]>;
  /** The button with exactly this name. */
  button(name: string): Locator;
  /** Expects no findings of axe; a failure names `where`. */
  clean(where: string): Promise<void>;
  /** The same in light and dark, on a desk and on a phone, where nothing scrolls sideways. `TEST_PICTURES` names a folder for pictures. */
  cleanEverywhere(where: string): Promise<void>;
}

/**
 * Asks until the answer is true. Playwright's `waitForFunction` asks again by `eval`, which the console's policy refuses: it
 * works only where the first answer is true.
 */
export async function waitUntil(ask: () => Promise<unknown>): Promise<void> {
  for (const begun = performance.now(); (await ask()) !== true; await Bun.sleep(50)) {
    if (performance.now() - begun > WAIT_MS) throw new Error(`it was not true within ${WAIT_MS} ms: ${ask}`);
  }
}

export interface BrowserOptions {
  width?: number;
  height?: number;
  theme?: "light" | "dark";
  isPhone?: boolean;
  /** The server's certificate is one that no authority has signed. */
  isSelfSigned?: boolean;
}

export async function openBrowser(options: BrowserOptions = {}): Promise<TestBrowser> {
  const { width = 1440, height = 900, theme = "light", isPhone = false, isSelfSigned = false } = options;
  const browser = await shared.open();
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: theme,
    reducedMotion: "reduce",
    hasTouch: isPhone,
    ignoreHTTPSErrors: isSelfSigned,
    locale: "en-GB",
    timezoneId: "Asia/Kolkata",
  });
  const troubles: string[] = [];
  await watch(context, troubles);
  const page = await context.newPage();
  // The machine may be busy with other tests.
  page.setDefaultTimeout(WAIT_MS);
  const findings = (): Promise<string[]> => axeFindings(page);
  return {
    browser,
    context,
    page,
    troubles,
    findings,
    button: (name) => page.getByRole("button", { name, exact: true }),
    clean: async (where) => expect([where, await findings()]).toEqual([where, []]),
    async cleanEverywhere(where) {
      for (const [size, colorScheme] of LOOKS) {
        await page.setViewportSize({ width: size, height: size > 400 ? 900 : 844 });
        await page.emulateMedia({ colorScheme });
        const look = `${where}-${size}-${colorScheme}`;
        const folder = process.env.TEST_PICTURES;
        if (folder !== undefined) await page.screenshot({ path: join(folder, `${look}.png`), fullPage: true });
        expect([look, await findings()]).toEqual([look, []]);
        expect([look, await page.evaluate("document.documentElement.scrollWidth")]).toEqual([look, size]);
      }
      await page.setViewportSize({ width, height });
      await page.emulateMedia({ colorScheme: theme });
    },
    async [Symbol.asyncDispose]() {
      // Save the page as it looked at the end of the test, to explain a failure.
      const path = process.env.TEST_SCREENSHOT;
      if (path !== undefined) await page.screenshot({ path });
      await context.close();
      shared.release();
    },
  };
}

/** One browser for the tests of a process, which follow one another: starting it takes longer than many a test. */
const shared = {
  launched: null as Promise<Browser> | null,
  users: 0,
  idle: undefined as ReturnType<typeof setTimeout> | undefined,

  async open(): Promise<Browser> {
    clearTimeout(shared.idle);
    shared.users += 1;
    if ((await shared.launched)?.isConnected() !== true) shared.launched = launch();
    return (await shared.launched) as Browser;
  },

  release(): void {
    shared.users -= 1;
    if (shared.users > 0) return;
    const { launched } = shared;
    shared.idle = setTimeout(async () => {
      shared.launched = null;
      await (await launched)?.close();
    }, IDLE_MS);
  },
};

function launch(): Promise<Browser> {
  return chromium.launch({
    ...(chromiumPath === undefined ? {} : { executablePath: chromiumPath }),
    // As root, Chromium cannot use its sandbox. Its microphone is one that beeps.
    args: ["--no-sandbox", "--disable-dev-shm-usage"],
  });
}

/** Records everything that goes wrong in the context's pages from now on. */
export async function watch(context: BrowserContext, troubles: string[]): Promise<void> {
  // Runs in the browser; as text, because this project's types do not include the DOM.
  await context.addInitScript(`
    addEventListener("securitypolicyviolation", (event) => {
      console.error("policy: " + event.violatedDirective + " " + event.blockedURI + " " + event.sample);
    });
  `);
  context.on("console", (message) => {
    // A refused form is an expected answer, but the browser logs every 4xx as an error.
    const isAnswer = /Failed to load resource.*status of 4\d\d/.test(message.text());
    if (message.type() === "error" && !isAnswer) troubles.push(`${message.text()} (${message.page()?.url()})`);
  });
  context.on("weberror", (error) => troubles.push(String(error.error())));
}

/** Serious findings of axe on the current page, one per line. `rules`: of these rules alone. */
export async function axeFindings(page: Page, rules?: readonly string[]): Promise<string[]> {
  const options = {
    resultTypes: ["violations"],
    ...(rules === undefined ? {} : { runOnly: { type: "rule", values: [...rules] } }),
  };
  await settled(page);
  const isThere = (await page.evaluate("typeof axe")) === "object";
  const violations = isThere
    ? ((await page.evaluate(
        `axe.run(document, ${JSON.stringify(options)}).then(({ violations }) => violations)`,
      )) as AxeViolation[])
    : await firstFindings(page, options);
  expect(page.frames().map((frame) => frame.url())).toEqual([page.url()]);
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(" ")).join(" | ")}`);
}

const SETTLED_WITHIN_MS = 3_000;

/** A list that is dimmed until its answer is there, and a dialog that fades in, have not their colours yet. */
async function settled(page: Page): Promise<void> {
  const moves = `document.querySelector("[aria-busy=true]") !== null ||
    document.getAnimations().some(({ effect }) => effect.getComputedTiming().endTime < 2000)`;
  for (const begun = performance.now(); performance.now() - begun < SETTLED_WITHIN_MS; await Bun.sleep(20))
    if ((await page.evaluate(moves)) !== true) return;
}

type AxeOptions = Parameters<AxeBuilder["options"]>[0];
type AxeViolation = Awaited<ReturnType<AxeBuilder["analyze"]>>["violations"][number];

/** Brings axe into the page, where it stays until another is loaded: its text is half a megabyte. */
async function firstFindings(page: Page, options: object): Promise<AxeViolation[]> {
  // Otherwise a second page is opened each time, with axe in it, to gather what is in frames of other origins.
  const builder = new AxeBuilder({ page }).setLegacyMode(true).options(options as AxeOptions);
  return (await builder.analyze()).violations;
}
