/**
 * The start of every browser test of the console: a whole server on an empty directory, its first operator signed in,
 * and one workspace, open in a real browser. The test of the first day covers how a person gets there through the
 * pages.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type BrowserOptions, openBrowser, type TestBrowser } from "./browser.ts";
import { type ConsoleProcess, startConsole } from "./console-process.ts";

export const SCENARIO_PASSWORD = "a good long password";
/** A test runs once, however busy the machine is with other tests: each of its steps has its own limit. */
export const SCENARIO_LIMIT_MS = 240_000;

interface NewTemplate {
  name: string;
  language?: string;
  category?: string;
  text: string;
  /** Further components. */
  more?: readonly object[];
  status?: "APPROVED" | "PENDING";
}

export interface Scenario extends TestBrowser {
  app: ConsoleProcess;
  /** Runs a command beside the server: its words as one text, words that contain spaces after it. */
  command(text: string, ...more: string[]): Promise<Record<string, unknown>>;
  /** Adds a template of one body and what else it has, in Meta's format, to the simulator. */
  template(template: NewTemplate): Promise<void>;
  /** Opens a page of the workspace, such as `contacts?q=a`. */
  go(path: string): Promise<void>;
  /** The answer of the console's own route below `/w/1`. */
  read<T>(path: string): Promise<T>;
  /** Does through that route what a page would do, where the page is not under test; returns the answer's data. */
  prepare<T>(method: string, path: string, body?: Record<string, unknown>): Promise<T>;
}

/** `environment`: further settings of the server, by the names of their variables. */
export async function startScenario(
  options: BrowserOptions = {},
  environment: Readonly<Record<string, string>> = {},
): Promise<Scenario> {
  const [app, opened] = await Promise.all([startConsole(environment), openBrowser(options)]);
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
    async template({ name, language = "en_US", category = "MARKETING", text, more = [], status = "APPROVED" }) {
      const json = { name, language, category, components: [{ type: "BODY", text }, ...more] };
      writeFileSync(join(app.directory, "template.json"), JSON.stringify(json));
      await app.command(...`template add --workspace 1 --file template.json --status ${status}`.split(" "));
    },
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
