/**
 * A customer, the network, an operator and people who write in, all at once on a server that is killed, and a ledger of
 * everything that was acknowledged to each of them. Callers without an answer repeat their requests after the server's
 * restart, as a careful caller does. While it runs, only unexpected answers are reported; `audit.ts` checks the rest at
 * the end.
 */
import { join } from "node:path";
import { type Answer, type Installation, LABELLED, type RunningCommand, type RunningServer } from "./installation.ts";

/** A request, and what is known of its outcome. */
export interface Asked {
  label: string;
  to: string;
  key: string | null;
  /** Null: unknown. */
  answer: Answer | null;
}

export interface AskedBroadcast {
  label: string;
  people: string[];
  answer: Answer | null;
}

export interface Ledger {
  singles: Asked[];
  broadcasts: AskedBroadcast[];
  /** Inbound messages that were answered with 200: the network's ids, and the senders. */
  inbounds: Map<string, string>;
  /** People who must not be sent to, and since when (milliseconds). */
  optOuts: Map<string, number>;
  /** Names of contacts whose change was answered. */
  names: Map<string, string>;
  /** People of files whose import succeeded. */
  imported: string[];
  /** Payments whose command succeeded. */
  credits: string[];
  /** Answers that a careful caller should never get. */
  wrong: string[];
}

export interface LoadOptions {
  /** Also runs commands beside the server. */
  hasCommands: boolean;
}

const SINGLES_AT_ONCE = 6;
const BROADCAST_EVERY_MS = 120;
const BROADCAST_SIZE = 15;
const INBOUND_EVERY_MS = 12;
const CONTACT_EVERY_MS = 15;
const IMPORT_ROWS = 50;
const ANSWERED_WITHIN_MS = 5_000;
const REPEATED = 0.1;
const COMMAND_EVERY_MS = 200;
const COMMAND_KILLED = 0.2;
const COMMAND_KILLED_WITHIN_MS = 400;

export class MixedLoad {
  readonly ledger: Ledger = {
    singles: [],
    broadcasts: [],
    inbounds: new Map(),
    optOuts: new Map(),
    names: new Map(),
    imported: [],
    credits: [],
    wrong: [],
  };
  readonly #installation: Installation;
  readonly #options: LoadOptions;
  #people = 0;
  #count = 0;
  #answers = 0;
  #isOver = true;
  #loops: Promise<void>[] = [];
  #commands: Promise<void> | null = null;
  #isClosing = false;
  /** Requests to repeat. */
  readonly #unansweredSingles: Asked[] = [];
  readonly #unansweredBroadcasts: AskedBroadcast[] = [];
  readonly #unheard: { id: string; from: string; text: string }[] = [];

  constructor(installation: Installation, options: LoadOptions) {
    this.#installation = installation;
    this.#options = options;
  }

  /** Runs until `pause`; returns at once. */
  begin(server: RunningServer): void {
    this.#isOver = false;
    this.#answers = 0;
    this.#loops = [
      ...Array.from({ length: SINGLES_AT_ONCE }, () => this.#repeat(() => this.#single(server))),
      this.#repeat(() => this.#broadcast(server), BROADCAST_EVERY_MS),
      this.#repeat(() => this.#inbound(server), INBOUND_EVERY_MS),
      this.#repeat(() => this.#contact(server), CONTACT_EVERY_MS),
    ];
    if (this.#options.hasCommands) this.#commands ??= this.#runCommands();
  }

  /** Waits for this many answers since the start, 5 s at most: a server that has just started is slow. */
  async answered(count: number): Promise<void> {
    const until = performance.now() + ANSWERED_WITHIN_MS;
    while (this.#answers < count && performance.now() < until) await Bun.sleep(5);
  }

  /** The server is dead or about to be: requests in flight still get their answer, or none. */
  async pause(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#loops);
  }

  /** Repeats everything unanswered, as often as needed; sends nothing new. */
  async close(server: RunningServer): Promise<void> {
    await this.pause();
    this.#isClosing = true;
    await this.#commands;
    for (let tries = 0; this.#isWaiting() && tries < 50; tries++) {
      const singles = this.#unansweredSingles.splice(0);
      const broadcasts = this.#unansweredBroadcasts.splice(0);
      const unheard = this.#unheard.splice(0);
      await Promise.all([
        ...singles.map((asked) => this.#ask(server, asked)),
        ...broadcasts.map((asked) => this.#askBroadcast(server, asked)),
        ...unheard.map((written) => this.#write(server, written)),
      ]);
    }
    if (this.#isWaiting()) this.ledger.wrong.push("something was never answered");
  }

  #isWaiting(): boolean {
    return this.#unansweredSingles.length + this.#unansweredBroadcasts.length + this.#unheard.length > 0;
  }

  async #repeat(step: () => Promise<void>, everyMs = 0): Promise<void> {
    while (!this.#isOver) {
      await step();
      // Yield even without a pause: a dead server answers at once, and the other loops would starve.
      await Bun.sleep(Math.random() * 2 * everyMs);
    }
  }

  #person(): string {
    return `+9197${String(this.#people++).padStart(8, "0")}`;
  }

  async #single(server: RunningServer): Promise<void> {
    const again = this.#unansweredSingles.shift();
    if (again !== undefined) return this.#ask(server, again);
    const asked: Asked = { label: `single-${this.#count++}`, to: this.#person(), key: null, answer: null };
    if (Math.random() < 0.6) asked.key = `key-${asked.label}`;
    this.ledger.singles.push(asked);
    await this.#ask(server, asked);
  }

  async #ask(server: RunningServer, asked: Asked): Promise<void> {
    const body = { to: asked.to, template: LABELLED, variables: [asked.label] };
    const send = () => server.call("POST", "/messages", body, asked.key ?? undefined);
    const answer = await send();
    if (answer === null || answer.status === 503 || answer.status === 429) {
      // Without a key a request must not be repeated.
      if (asked.key !== null) this.#unansweredSingles.push(asked);
      return;
    }
    asked.answer = answer;
    this.#answers += 1;
    const isInterrupted = answer.status === 502 && answer.body.error.whatsapp_code === "interrupted";
    if (answer.status !== 201 && !isInterrupted) this.#complain("a message", answer);
    if (asked.key === null || Math.random() > REPEATED) return;
    const repeated = await send();
    if (repeated !== null && JSON.stringify(repeated) !== JSON.stringify(answer)) {
      this.#complain(`not the same answer again: ${JSON.stringify(answer)}`, repeated);
    }
  }

  async #broadcast(server: RunningServer): Promise<void> {
    const again = this.#unansweredBroadcasts.shift();
    if (again !== undefined) return this.#askBroadcast(server, again);
    const people = Array.from({ length: BROADCAST_SIZE }, () => this.#person());
    const asked = { label: `broadcast-${this.#count++}`, people, answer: null };
    this.ledger.broadcasts.push(asked);
    await this.#askBroadcast(server, asked);
  }

  async #askBroadcast(server: RunningServer, asked: AskedBroadcast): Promise<void> {
    const { label, people } = asked;
    const body = { name: label, template: LABELLED, variables: [label], to: people };
    const answer = await server.call("POST", "/broadcasts", body, label);
    if (answer === null || answer.status === 503) this.#unansweredBroadcasts.push(asked);
    else if (answer.status === 202) asked.answer = answer;
    else this.#complain("a broadcast", answer);
  }

  async #inbound(server: RunningServer): Promise<void> {
    const isStop = Math.random() < 0.1;
    const text = isStop ? "STOP" : "Where is my order?";
    const written = { id: `wamid.in-${this.#count++}`, from: this.#person(), text };
    await this.#write(server, this.#unheard.shift() ?? written);
  }

  async #write(server: RunningServer, written: { id: string; from: string; text: string }): Promise<void> {
    const { id, from, text } = written;
    const digits = from.slice(1);
    const timestamp = String(Math.floor(Date.now() / 1000));
    const status = await server.hear({
      contacts: [{ wa_id: digits, profile: { name: "Ann" } }],
      messages: [{ from: digits, id, timestamp, type: "text", text: { body: text } }],
    });
    if (status === 200) this.ledger.inbounds.set(id, from);
    else this.#unheard.push(written);
    if (status === 200 && text === "STOP") this.ledger.optOuts.set(from, Date.now());
  }

  async #contact(server: RunningServer): Promise<void> {
    const phone = this.#person();
    const path = `/contacts/${encodeURIComponent(phone)}`;
    if (Math.random() < 0.3) {
      const answer = await server.call("POST", `${path}/opt-out`);
      if (answer?.status === 200) {
        this.ledger.optOuts.set(phone, Date.now());
        await this.#refused(server, phone);
      } else if (answer !== null && answer.status !== 503) this.#complain("an opt-out", answer);
      return;
    }
    const name = `Person ${this.#count++}`;
    const answer = await server.call("PUT", path, { name });
    if (answer?.status === 201) this.ledger.names.set(phone, name);
    else if (answer !== null && answer.status !== 503) this.#complain("a contact", answer);
  }

  /** A contact who has just opted out is not sent to. */
  async #refused(server: RunningServer, to: string): Promise<void> {
    const body = { to, template: LABELLED, variables: ["refused"] };
    const answer = await server.call("POST", "/messages", body);
    if (answer !== null && answer.status !== 422 && answer.status !== 503) this.#complain("after an opt-out", answer);
  }

  async #runCommands(): Promise<void> {
    for (let round = 0; !this.#isClosing; round++) {
      if (round % 2 === 0) await this.#credit();
      else await this.#import();
      await Bun.sleep(Math.random() * 2 * COMMAND_EVERY_MS);
    }
  }

  async #credit(): Promise<void> {
    const ref = `invoice-${this.#count++}`;
    await this.#insist("workspace", "credit", "1", "1", "--ref", ref);
    this.ledger.credits.push(ref);
  }

  async #import(): Promise<void> {
    const people = Array.from({ length: IMPORT_ROWS }, () => this.#person());
    const file = join(this.#installation.directory, `people-${this.#count++}.csv`);
    await Bun.write(file, ["phone,name", ...people.map((phone) => `${phone},Imported`)].join("\n"));
    await this.#insist("contact", "import", file, "--workspace", "1");
    this.ledger.imported.push(...people);
  }

  /** Like an operator: repeats a command until it reports success. Sometimes the command is killed as well. */
  async #insist(...words: string[]): Promise<void> {
    for (let tries = 0; tries < 30; tries++) {
      const command = this.#installation.command(...words);
      const isKilled = tries < 3 && Math.random() < COMMAND_KILLED;
      const { code, output } = await (isKilled ? killed(command) : command.ended);
      if (code === 0) return;
      if (code !== null) {
        // Another process is at work, or the disk is full: retry later.
        if (!/locked|busy|unavailable/.test(output)) this.ledger.wrong.push(`${words.join(" ")}: ${output}`);
        await Bun.sleep(100);
      }
    }
    this.ledger.wrong.push(`${words.join(" ")}: never done`);
  }

  #complain(what: string, { status, body }: Answer): void {
    this.ledger.wrong.push(`${what}: ${status} ${JSON.stringify(body)}`);
  }
}

async function killed(command: RunningCommand) {
  await Promise.race([command.ended, Bun.sleep(Math.random() * COMMAND_KILLED_WITHIN_MS)]);
  command.kill();
  return command.ended;
}
