/**
 * How every story of the console begins: a whole server on an empty directory, its first operator signed in, and one
 * workspace, open in a real browser. How a person gets there by the pages is told once, by the story of the first day.
 */
import { type BrowserOptions, openBrowser, type TestBrowser } from "./browser.ts";
import { type ConsoleProcess, startConsole } from "./console-process.ts";

export const SCENARIO_PASSWORD = "a good long password";
/** A story is told once, however busy the machine is with other tests: each of its steps has a limit of its own. */
export const SCENARIO_LIMIT_MS = 240_000;

export interface Scenario extends TestBrowser {
  app: ConsoleProcess;
  /** Runs a command beside the server: its words as one text, those with a space within after it. */
  command(text: string, ...more: string[]): Promise<Record<string, unknown>>;
  /** Opens a page of the workspace, such as `contacts?q=a`. */
  go(path: string): Promise<void>;
  /** What the page's own route below `/w/1` answers. */
  read<T>(path: string): Promise<T>;
  /** Does by that route what a page would do, where it is no part of the story; returns the answer's data. */
  prepare<T>(method: string, path: string, body?: Record<string, unknown>): Promise<T>;
}

export async function startScenario(options: BrowserOptions = {}): Promise<Scenario> {
  const [app, opened] = await Promise.all([startConsole(), openBrowser(options)]);
  const { page, context } = opened;
  const own = `${app.url}/console/api`;
  const ask = async (method: string, path: string, body: Record<string, unknown>): Promise<unknown> => {
    const headers = { "sec-fetch-site": "same-origin" };
    const answered = await context.request.fetch(own + path, { method, data: body, headers });
    if (!answered.ok()) throw new Error(`${method} ${path}: ${answered.status()} ${await answered.text()}`);
    return ((await answered.json()) as { data: unknown }).data;
  };
  await ask("POST", "/links/use", {
    token: app.setupLink.split("#")[1] ?? "",
    email: "asha@example.com",
    password: SCENARIO_PASSWORD,
  });
  await ask("POST", "/workspaces", { name: "Corner Shop", country: "IN", timezone: "Asia/Kolkata" });
  return {
    ...opened,
    app,
    command: (text, ...more) => app.command(...text.split(" "), ...more),
    async go(path) {
      await page.goto(`${app.url}/console/w/1/${path}`);
    },
    async read<T>(path: string) {
      return (await (await context.request.get(`${own}/w/1${path}`)).json()) as T;
    },
    async prepare<T>(method: string, path: string, body = {}) {
      return (await ask(method, `/w/1${path}`, body)) as T;
    },
    async [Symbol.asyncDispose]() {
      await opened[Symbol.asyncDispose]();
      await app[Symbol.asyncDispose]();
    },
  };
}
