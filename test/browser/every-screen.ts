/**
 * Every screen of the console: the addresses of its router, so that a new screen is among them at once, each with what
 * else can be seen at it. `waitForScreen` says when one is there; `lookAround` what is wrong with it in
 * each look.
 */
import { join } from "node:path";
import type { Page, Request } from "playwright-core";
import { axeFindings } from "#test/support/browser.ts";
import { checkout } from "#test/support/source.ts";

export interface ScreenAddress {
  /** The name of the screen in `routes.ts`, and of what is seen at it: "contacts-none". */
  name: string;
  /** Below `/console/`. */
  path: string;
  /** For people who are not signed in. */
  isPublic: boolean;
}

/**
 * What can be seen at a screen besides its plain address, in the console that `fillConsole` fills: name and search
 * parameters, or the end of another path.
 */
const further: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  inbox: {
    open: "person=2",
    kinds: "person=5",
    snoozed: "view=snoozed",
    mine: "view=mine",
    "closed-window": "person=3",
    stopped: "person=4",
    done: "view=done",
    search: "q=blue&find=on",
    filters: "q=blue&find=filters",
  },
  broadcast: {
    failed: "status=failed",
    code: "status=failed&code=131026",
    scheduled: "/2",
    paused: "/3",
    cancelled: "/4",
  },
  broadcasts: { none: "q=nothing" },
  newBroadcast: {
    people: "draft=1&step=people",
    values: "draft=1&step=values",
    check: "draft=1&step=check",
  },
  contacts: { none: "q=nobody", open: "open=%2B919876511010", stopped: "open=%2B919876511040" },
  contactImport: { columns: "file=3", checked: "file=2" },
  groups: { open: "open=1", filter: "open=3" },
  messages: { open: "open=1", unknown: "open=2", failed: "status=failed", none: "q=nothing" },
  numbers: { open: "open=1" },
  numberProfile: { second: "number=2" },
  connectNumber: { meta: "via=meta", simulator: "via=simulator" },
  templates: { open: "open=1", rejected: "open=3", none: "q=nothing" },
  newTemplate: { draft: "draft=1" },
  simulator: { phone: "phone=%2B919876511010" },
  deliveries: { open: "open=2", exhausted: "status=exhausted" },
  audit: { open: "open=3" },
  systemWorkspaces: { open: "open=1" },
  systemUsers: { open: "open=1" },
  systemBackups: { open: "open=1" },
  systemMetrics: { day: "hours=24" },
  systemLog: { none: "q=nothing" },
  systemConfiguration: { given: "show=given" },
  systemAudit: { open: "open=1" },
};

/** What is used of the router's package. The compiler follows no import of it: React's types would hide those of a page. */
interface RouterPackage {
  createRouter(options: { routeTree: unknown; history: unknown }): unknown;
  createMemoryHistory(): unknown;
}
const ROUTER: string = "@tanstack/react-router";

interface Routes {
  tree: unknown;
  screens: Readonly<Record<string, { fullPath: string; parentRoute: { id: string } }>>;
}

/** `isFilled`: the workspace has rows, so that what is in `further` is there to see. */
export async function everyScreen(isFilled: boolean): Promise<ScreenAddress[]> {
  // Nor this one: it needs the types of a browser.
  const { tree, screens }: Routes = await import(join(checkout, "src/web/app/routes.ts"));
  const { createRouter, createMemoryHistory }: RouterPackage = await import(ROUTER);
  // It gives each route its whole path.
  createRouter({ routeTree: tree, history: createMemoryHistory() });
  const known = Object.entries(screens).filter(([, { fullPath }]) => isFilled || !fullPath.includes("$broadcast"));
  const unknown = Object.keys(further).filter((name) => screens[name] === undefined);
  if (unknown.length > 0) throw new Error(`there is no screen of the name ${unknown.join(", ")}`);
  return known.flatMap(([name, { fullPath, parentRoute }]) => {
    const path = fullPath.replace(/^\/|\/$/g, "").replace(/\$\w+/g, "1");
    const isPublic = parentRoute.id === "__root__";
    const others = isFilled ? Object.entries(further[name] ?? {}) : [];
    return [
      { name, path, isPublic },
      ...others.map(([part, more]) => ({
        name: `${name}-${part}`,
        path: more.startsWith("/") ? path.replace(/\/1$/, more) : `${path}?${more}`,
        isPublic,
      })),
    ];
  });
}

/** A width in CSS pixels, with what the system wants of colours. */
export interface Look {
  name: string;
  width: number;
  height: number;
  colorScheme: "light" | "dark";
  forcedColors: "active" | "none";
}

function look(name: string, width: number, height: number, more: Partial<Look> = {}): Look {
  return { name, width, height, colorScheme: "light", forcedColors: "none", ...more };
}

const DARK = { colorScheme: "dark" } as const;
const FORCED = { forcedColors: "active" } as const;

/** At 200 % a window of 1440 pixels has 720. */
export const everyLook: readonly Look[] = [
  look("1440 light", 1440, 900),
  look("1440 dark", 1440, 900, DARK),
  look("390 light", 390, 844),
  look("390 dark", 390, 844, DARK),
  look("320 light", 320, 640),
  look("320 dark", 320, 640, DARK),
  look("200 % light", 720, 450),
  look("200 % dark", 720, 450, DARK),
  look("1440 forced colours", 1440, 900, FORCED),
  look("1440 forced colours, dark", 1440, 900, { ...FORCED, ...DARK }),
  look("320 forced colours", 320, 640, FORCED),
];

/** A desk and the narrowest phone. */
export const twoLooks: readonly Look[] = everyLook.filter(({ name }) => name === "1440 light" || name === "320 light");

const WAIT_MS = 60_000;

/** Whether requests of the page for data are under way. Streams never end and do not count. */
export function followRequests(page: Page): { isQuiet(): boolean } {
  const open = new Set<Request>();
  page.on("request", (request) => {
    if (["fetch", "xhr", "script"].includes(request.resourceType())) open.add(request);
  });
  page.on("requestfinished", (request) => open.delete(request));
  page.on("requestfailed", (request) => open.delete(request));
  return { isQuiet: () => open.size === 0 };
}

/** Waits until the page has its heading and its data. */
export async function waitForScreen(page: Page, requests: { isQuiet(): boolean }): Promise<void> {
  await page.getByRole("heading").first().waitFor({ timeout: WAIT_MS });
  let quiet = 0;
  for (const begun = performance.now(); quiet < 3; await Bun.sleep(30)) {
    const isThere = requests.isQuiet() && (await page.locator("[role=status].late").count()) === 0;
    quiet = isThere ? quiet + 1 : 0;
    if (performance.now() - begun > WAIT_MS) throw new Error(`${page.url()} has not come to rest`);
  }
}

/** What the colours of a look decide. All other rules read the page's elements, which are the same in each look of a width. */
const COLOUR_RULES = ["color-contrast", "link-in-text-block"];

/**
 * What axe finds and what scrolls sideways in these looks, one per line, which is also written to the console at once. The
 * page stays loaded; all rules are asked once at each width. Afterwards it has the look that it was loaded in.
 */
export async function lookAround(page: Page, name: string, looks: readonly Look[]): Promise<string[]> {
  const wrong: string[] = [];
  const widths = new Set<number>();
  for (const one of looks) {
    const found = await lookAt(page, one, !widths.has(one.width));
    widths.add(one.width);
    for (const line of found) wrong.push(`${name}, ${line}`);
  }
  for (const line of wrong) console.log(`FOUND ${line}`);
  await onDesk(page);
  return wrong;
}

/** The look in which each screen is loaded. */
export async function onDesk(page: Page): Promise<void> {
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.emulateMedia({ colorScheme: "light", forcedColors: "none", reducedMotion: "reduce" });
}

async function lookAt(page: Page, look: Look, isWhole: boolean): Promise<string[]> {
  const { name, width, height, colorScheme, forcedColors } = look;
  await page.setViewportSize({ width, height });
  await page.emulateMedia({ colorScheme, forcedColors, reducedMotion: "reduce" });
  const all = await axeFindings(page, isWhole ? undefined : COLOUR_RULES);
  // Where the system chooses the colours, axe still reads the page's own as those of the text.
  const found = forcedColors === "active" ? all.filter((line) => !line.startsWith("color-contrast:")) : all;
  const wide = Number(await page.evaluate("document.documentElement.scrollWidth"));
  if (wide > width) found.push(`the page is ${wide} pixels wide: ${await page.evaluate(WIDEST)}`);
  return found.map((line) => `${name}: ${line}`);
}

/** The innermost elements that reach out of the window. */
const WIDEST = `[...document.querySelectorAll("body *")]
  .filter((one) => one.getBoundingClientRect().right > innerWidth + 1 && one.children.length === 0)
  .slice(0, 3)
  .map((one) => one.tagName + " " + one.textContent.slice(0, 40))
  .join(" | ")`;
