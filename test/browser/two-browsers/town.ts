/**
 * One server and pairs of colleagues, each pair in a workspace of its own, with a browser and a line for each person. What the
 * server and the simulated network know is asked without these lines.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { openBrowser } from "#test/support/browser.ts";
import { SCENARIO_PASSWORD } from "#test/support/browser-scenario.ts";
import { type ConsoleProcess, startConsole } from "#test/support/console-process.ts";
import { Colleague, type Desk } from "./colleague.ts";
import { Line } from "./line.ts";
import { wordsIn } from "./page.ts";

export interface Shard {
  workspace: number;
  number: number;
  /** The cookie of one who sees everything, so that what is asked counts for neither of the two. */
  operator: string;
  desks: readonly [Desk, Desk];
}

export class Town implements AsyncDisposable {
  readonly #app: ConsoleProcess;
  readonly #lines: Line[] = [];
  readonly #browsers: AsyncDisposable[] = [];
  /** By phone: the words of the messages that arrived there. */
  readonly #arrived = new Map<string, Map<string, string[]>>();
  #up: Promise<void> = Promise.resolve();
  #asking = 0;
  restarts = 0;

  private constructor(app: ConsoleProcess) {
    this.#app = app;
  }

  static async open(pairs: number): Promise<{ town: Town; shards: Shard[] }> {
    const town = new Town(await startConsole({ WAXWING_SIMULATOR_CONTROL: "true" }));
    const operator = await town.#post("/links/use", {
      token: town.#app.setupLink.split("#")[1] ?? "",
      email: "olga@example.com",
      password: SCENARIO_PASSWORD,
    });
    const shards: Shard[] = [];
    for (let index = 0; index < pairs; index += 1) shards.push(await town.#open(operator.cookie, index + 1));
    return { town, shards };
  }

  /** The console's answer to a person, with its status. Waits for a server that starts. */
  async ask<Answer>(cookie: string, path: string, body?: object): Promise<Answer> {
    await this.isUp();
    this.#asking += 1;
    try {
      const response = await fetch(`${this.#app.url}/console/api${path}`, {
        method: body === undefined ? "GET" : "POST",
        headers: { cookie, "content-type": "application/json", "sec-fetch-site": "same-origin" },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const answer = (await response.json()) as Answer;
      if (response.status === 429) {
        await Bun.sleep(1_000);
        return this.ask(cookie, path, body);
      }
      if (!response.ok) throw new Error(`${path} was answered with ${response.status}: ${JSON.stringify(answer)}`);
      return answer;
    } finally {
      this.#asking -= 1;
    }
  }

  async isUp(): Promise<void> {
    await this.#up;
  }

  /** The server ends with what is on its way, and starts again. */
  restart(): Promise<void> {
    this.#up = this.#up.then(async () => {
      while (this.#asking > 0) await Bun.sleep(5);
      await this.#collect();
      await this.#app.restart();
      this.restarts += 1;
    });
    return this.#up;
  }

  /** The words of each message that the network accepted for the phone. */
  async arrivedAt(phone: string): Promise<string[][]> {
    await this.isUp();
    await this.#collect(phone);
    return [...(this.#arrived.get(phone)?.values() ?? [])];
  }

  log(): string {
    return this.#app.log();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const browser of this.#browsers) await browser[Symbol.asyncDispose]();
    for (const line of this.#lines) line.close();
    await this.#up;
    await this.#app[Symbol.asyncDispose]();
  }

  /** What the network's journal has is gone with the process. */
  async #collect(phone?: string): Promise<void> {
    const token = readFileSync(join(this.#app.directory, "control.token"), "utf8").trim();
    const query = phone === undefined ? "" : `?to=${encodeURIComponent(phone)}`;
    const headers = { authorization: `Bearer ${token}` };
    const response = await fetch(`${this.#app.url}/control/v1/sent${query}`, { headers });
    if (!response.ok) throw new Error(`the journal was answered with ${response.status}: ${await response.text()}`);
    const answer = (await response.json()) as { data?: Sent[] } | Sent[];
    for (const sent of Array.isArray(answer) ? answer : (answer.data ?? [])) {
      const known = this.#arrived.get(sent.to) ?? new Map<string, string[]>();
      known.set(sent.message_id, [...new Set(wordsIn(JSON.stringify(sent.content)))]);
      this.#arrived.set(sent.to, known);
    }
  }

  async #post<Data>(path: string, body: object, cookie = ""): Promise<{ data: Data; cookie: string }> {
    const response = await fetch(`${this.#app.url}/console/api${path}`, {
      method: "POST",
      headers: { cookie, "content-type": "application/json", "sec-fetch-site": "same-origin" },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${path} was answered with ${response.status}: ${await response.text()}`);
    const set = response.headers.getSetCookie().map((text) => text.split(";")[0]);
    return { data: ((await response.json()) as { data: Data }).data, cookie: set.join("; ") };
  }

  async #open(operator: string, index: number): Promise<Shard> {
    const place = { name: `Shop ${index}`, country: "IN", timezone: "Asia/Kolkata" };
    const { data } = await this.#post<{ id: number }>("/workspaces", place, operator);
    const phone = `+9112440011${String(index).padStart(2, "0")}`;
    const { data: number } = await this.#post<{ id: number }>(
      `/w/${data.id}/numbers`,
      { phone, name: "Shop" },
      operator,
    );
    const open = async (name: string, letter: "a" | "b"): Promise<Desk> => {
      const email = `${name}${index}@example.com`;
      const invited = await this.#post<{ token: string }>(`/w/${data.id}/people`, { email, role: "member" }, operator);
      const { token } = invited.data;
      const line = await Line.open(Number(new URL(this.#app.url).port));
      this.#lines.push(line);
      const browser = await openBrowser();
      this.#browsers.push(browser);
      await browser.context.request.post(`${line.url}/console/api/links/use`, {
        data: { token, password: SCENARIO_PASSWORD },
        headers: { "sec-fetch-site": "same-origin" },
      });
      const cookies = await browser.context.cookies(line.url);
      const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join("; ");
      const made = { letter, email, browser, line, cookie, workspace: data.id };
      await Colleague.prepare(made);
      return made;
    };
    const [one, other] = await Promise.all([open("ana", "a"), open("bob", "b")]);
    return { workspace: data.id, number: number.id, operator, desks: [one, other] };
  }
}

interface Sent {
  message_id: string;
  to: string;
  content: unknown;
}
