/**
 * A real browser for stories: the system's Chromium, driven by playwright-core. On every page it writes down what the
 * console says, what breaks and what the page's policy forbids; a story ends with none of it. Where there is no Chromium
 * the stories are skipped, and say so.
 */
import { expect } from "bun:test";
import { existsSync } from "node:fs";
import { AxeBuilder } from "@axe-core/playwright";
import { type Browser, type BrowserContext, chromium, type Locator, type Page } from "playwright-core";

const PLACES = [
  process.env.TEST_CHROMIUM,
  // The same without windows, and with a third less to do.
  "/usr/bin/chromium-headless-shell",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
];

export const chromiumPath = PLACES.find((path) => path !== undefined && existsSync(path));

/** What a skipped story says: `test.skipIf(noBrowser)`. */
export const noBrowser = chromiumPath === undefined;
if (noBrowser) console.log("no Chromium is found (apt-get install chromium): the stories of test/browser are skipped");

export interface TestBrowser extends AsyncDisposable {
  browser: Browser;
  context: BrowserContext;
  page: Page;
  /** Errors of the console, exceptions, refused resources. */
  troubles: string[];
  /** Serious findings of axe on the page as it is, one a line. */
  findings(): Promise<string[]>;
  /** The button with exactly this name. */
  button(name: string): Locator;
  /** Expects none; `where`: what a failure calls it. */
  clean(where: string): Promise<void>;
}

export interface BrowserOptions {
  width?: number;
  height?: number;
  theme?: "light" | "dark";
  isPhone?: boolean;
}

export async function openBrowser(options: BrowserOptions = {}): Promise<TestBrowser> {
  const { width = 1440, height = 900, theme = "light", isPhone = false } = options;
  const browser = await chromium.launch({
    ...(chromiumPath === undefined ? {} : { executablePath: chromiumPath }),
    // As root, Chromium has no sandbox of its own.
    args: ["--no-sandbox", "--disable-dev-shm-usage"],
  });
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: theme,
    reducedMotion: "reduce",
    hasTouch: isPhone,
    locale: "en-GB",
    timezoneId: "Asia/Kolkata",
  });
  const troubles: string[] = [];
  await watch(context, troubles);
  const page = await context.newPage();
  // The machine may be busy with other tests.
  page.setDefaultTimeout(20_000);
  const findings = (): Promise<string[]> => axeFindings(page);
  return {
    browser,
    context,
    page,
    troubles,
    findings,
    button: (name) => page.getByRole("button", { name, exact: true }),
    clean: async (where) => expect([where, await findings()]).toEqual([where, []]),
    async [Symbol.asyncDispose]() {
      // What the page looked like when the story ended, for whoever wants to know why it did.
      const path = process.env.TEST_SCREENSHOT;
      if (path !== undefined) await page.screenshot({ path });
      await browser.close();
    },
  };
}

/** From now on whatever goes wrong in the context's pages is written down. */
export async function watch(context: BrowserContext, troubles: string[]): Promise<void> {
  // In the browser; as text, for this project's types know no DOM.
  await context.addInitScript(`
    addEventListener("securitypolicyviolation", (event) => {
      console.error("policy: " + event.violatedDirective + " " + event.blockedURI + " " + event.sample);
    });
  `);
  context.on("console", (message) => {
    // A refused form is an answer, and the browser writes every 4xx of them down.
    const isAnswer = /Failed to load resource.*status of 4\d\d/.test(message.text());
    if (message.type() === "error" && !isAnswer) troubles.push(`${message.text()} (${message.page()?.url()})`);
  });
  context.on("weberror", (error) => troubles.push(String(error.error())));
}

/** Serious findings of axe on a page as it is, one a line. */
export async function axeFindings(page: Page): Promise<string[]> {
  const { violations } = await new AxeBuilder({ page }).analyze();
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(" ")).join(" | ")}`);
}
