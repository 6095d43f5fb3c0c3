/**
 * One round: a new conversation, and in it what the two do as the seed decides, at the same moment or one after the other, while
 * the customer writes, lines break and now and then the server ends. Then every line is there again, and what must hold is verified
 * by what stands on both screens, at the server and at the network.
 */
import { SeededRandom } from "#test/sim/random.ts";
import { Colleague, type Place } from "./colleague.ts";
import { type Look, wordsIn } from "./page.ts";
import type { Shard, Town } from "./town.ts";

const ACTS = 14;
/** Of `RESTART_IN` rounds, one restarts the server. */
const RESTART_IN = 40;
const ENDED_WITHIN_MS = 40_000;
/** More than the pace of changes, and what a stream needs to begin again. */
const EQUAL_WITHIN_MS = 30_000;

export interface Outcome {
  seed: number;
  problems: string[];
  trace: string[];
  sent: number;
  notes: number;
  questions: number;
  faults: number;
  ms: number;
}

interface Item {
  key: string;
  kind: string;
  text: string | null;
  content?: unknown;
  sender?: { email?: string } | null;
}

interface Shown {
  items: Item[];
  contact: { tags: string[] };
  conversation: { state: string; snoozed_until: string | null; assignee: string | null };
}

interface Row {
  id: number;
  contact_id: number;
  phone: string;
  unread: number;
  is_mentioned: boolean;
  state: string;
  snoozed_until: string | null;
  assignee: string | null;
  last: { text: string | null } | null;
}

export async function play(town: Town, shard: Shard, seed: number): Promise<Outcome> {
  const begun = performance.now();
  const round = new Round(town, shard, seed);
  try {
    await round.run();
  } catch (error) {
    round.problems.push(
      `it ended: ${error instanceof Error ? error.message.split("\n").slice(0, 3).join(" ") : error}`,
    );
  }
  return round.outcome(performance.now() - begun);
}

class Round {
  readonly problems: string[] = [];
  readonly #trace: string[] = [];
  readonly #town: Town;
  readonly #shard: Shard;
  readonly #seed: number;
  readonly #random: SeededRandom;
  readonly #customer: string[] = [];
  #place: Place | null = null;
  #both: readonly Colleague[] = [];
  #sent = 0;
  #notes = 0;

  constructor(town: Town, shard: Shard, seed: number) {
    this.#town = town;
    this.#shard = shard;
    this.#seed = seed;
    this.#random = new SeededRandom(seed);
  }

  outcome(ms: number): Outcome {
    const faults = this.#trace.filter((line) => / (?:cut|fault|reload) /.test(line)).length;
    const questions = this.#both.reduce((sum, one) => sum + one.questions, 0);
    return {
      ...{ seed: this.#seed, problems: this.problems, trace: this.#trace },
      ...{ sent: this.#sent, notes: this.#notes, questions, faults, ms },
    };
  }

  async run(): Promise<void> {
    const place = await this.#begin();
    this.#place = place;
    const [ana, bob] = this.#shard.desks;
    const colleague = (desk: typeof ana, other: typeof bob) =>
      new Colleague(desk, other, place, this.#random.fork(desk.letter), this.#trace);
    const both = [colleague(ana, bob), colleague(bob, ana)] as const;
    this.#both = both;
    await Promise.all(both.map((one) => one.open()));
    const restartAt = this.#seed % RESTART_IN === 0 ? this.#random.between(3, ACTS - 3) : -1;
    for (let act = 0; act < ACTS; act += 1) {
      if (this.#random.below(7) === 0) await this.#write();
      if (act === restartAt) {
        this.#trace.push("the server restarts");
        void this.#town.restart();
      }
      // Most acts happen at the same moment.
      if (this.#random.below(3) > 0) await Promise.all(both.map((one) => one.act()));
      else await this.#random.pick(both).act();
    }
    this.#trace.push("end");
    await this.#town.isUp();
    await Promise.all(both.map((one) => one.restore()));
    const sendsAll = this.#random.below(2) === 0;
    const unsent = await Promise.all(both.map((one) => this.#finish(one, sendsAll)));
    await this.#becomeEqual();
    await this.#judge(unsent, sendsAll);
    if (this.problems.length > 0) this.#trace.push(JSON.stringify({ unsent, looks: await this.#looks() }));
  }

  /** A customer writes, and both have the row. */
  async #begin(): Promise<Place> {
    // Numbers that end like this have no fault on the simulator.
    const phone = `+919876${String(this.#seed).padStart(4, "0")}10`;
    await this.#writeFrom(phone);
    const { workspace, operator } = this.#shard;
    for (let tries = 0; tries < 400; tries += 1) {
      const { data } = await this.#town.ask<{ data: Row[] }>(operator, `/w/${workspace}/inbox`);
      const row = data.find((one) => one.phone === phone);
      if (row !== undefined) {
        const storedWords = async (): Promise<string[]> => [
          ...(await this.#messages()).flatMap(({ words }) => words),
          ...(await this.#noteWords()),
        ];
        const isUp = (): Promise<void> => this.#town.isUp();
        return { seed: this.#seed, contact: row.contact_id, conversation: row.id, phone, storedWords, isUp };
      }
      await Bun.sleep(10);
    }
    throw new Error("the customer's message did not arrive");
  }

  #write(): Promise<void> {
    this.#trace.push("the customer writes");
    return this.#writeFrom(this.#placed.phone);
  }

  async #writeFrom(phone: string): Promise<void> {
    const text = `mc${this.#seed}x${this.#customer.length}q`;
    this.#customer.push(text);
    const { workspace, number, operator } = this.#shard;
    const path = `/w/${workspace}/simulator/phones/${encodeURIComponent(phone)}/write`;
    await this.#town.ask(operator, path, { text, number });
  }

  get #placed(): Place {
    if (this.#place === null) throw new Error("it has not begun");
    return this.#place;
  }

  /** Returns what is unsent. */
  async #finish(one: Colleague, sendsAll: boolean): Promise<string[]> {
    const begun = performance.now();
    // Three times, because what is asked comes a moment later.
    for (let ended = 0; performance.now() - begun < ENDED_WITHIN_MS; await Bun.sleep(50)) {
      ended = (await one.finish(sendsAll)) ? ended + 1 : 0;
      if (ended < 3) continue;
      const unsent = await one.unsent();
      if (unsent !== null) return unsent;
    }
    this.problems.push(`nothing ends it: ${JSON.stringify(await this.#looks())}`);
    return [];
  }

  #looks(): Promise<Look[]> {
    return Promise.all(this.#both.map((one) => one.look()));
  }

  #shown(): Promise<Shown> {
    const { operator, workspace } = this.#shard;
    return this.#town
      .ask<{ data: Shown }>(operator, `/w/${workspace}/inbox/${this.#placed.contact}?per_page=500`)
      .then(({ data }) => data);
  }

  /** In the order in which they were accepted. */
  async #messages(): Promise<{ id: number; words: string[] }[]> {
    const { items } = await this.#shown();
    return items
      .filter(({ kind }) => kind === "message")
      .map(({ key, text, content }) => ({ id: Number(key.slice(1)), words: wordsOf(text, content) }))
      .toSorted((one, other) => one.id - other.id);
  }

  async #noteWords(): Promise<string[]> {
    const { operator, workspace } = this.#shard;
    const path = `/w/${workspace}/conversations/${this.#placed.conversation}/notes?per_page=500`;
    const { data } = await this.#town.ask<{ data: { text: string }[] }>(operator, path);
    return data.flatMap(({ text }) => wordsIn(text));
  }

  /** Waits until both screens show what the server says, or tells what they show instead. */
  async #becomeEqual(): Promise<void> {
    let wrong: string[] = [];
    for (const begun = performance.now(); performance.now() - begun < EQUAL_WITHIN_MS; await Bun.sleep(250)) {
      wrong = await this.#differences();
      if (wrong.length === 0) return;
    }
    this.problems.push(...wrong);
  }

  async #differences(): Promise<string[]> {
    const { workspace, desks } = this.#shard;
    const [shown, noteWords, looks] = await Promise.all([this.#shown(), this.#noteWords(), this.#looks()]);
    const wrong: string[] = [];
    const same = (what: string, screen: unknown, server: unknown): void => {
      if (Bun.deepEquals(screen, server)) return;
      wrong.push(`${what}: ${JSON.stringify(screen)} on the screen, ${JSON.stringify(server)} at the server`);
    };
    const [one, other] = looks;
    for (const { instead } of looks) if (instead !== "") wrong.push(`no conversation is shown: ${instead}`);
    if (!Bun.deepEquals(one?.thread, other?.thread))
      wrong.push(`two threads: ${JSON.stringify([one?.thread, other?.thread])}`);
    const items = shown.items.toReversed().flatMap(({ text, content }) => wordsOf(text, content));
    for (const [index, look] of looks.entries()) {
      const desk = desks[index];
      if (desk === undefined) continue;
      const name = (what: string): string => `${what} of ${desk.letter}`;
      same(
        name("the messages"),
        look.thread.filter((word) => !word.startsWith("n")),
        items,
      );
      same(name("the notes"), look.thread.filter((word) => word.startsWith("n")).toSorted(), noteWords.toSorted());
      same(name("the tags"), look.tags, shown.contact.tags.filter((tag) => wordsIn(tag).length > 0).toSorted());
      same(name("the state"), stateOn(look.state), stateOf(shown.conversation));
      same(name("the assignee"), assigneeOn(look.assignee, desk.email), shown.conversation.assignee);
      const { data } = await this.#town.ask<{ data: Row[] }>(desk.cookie, `/w/${workspace}/inbox`);
      const row = data.find(({ id }) => id === this.#placed.conversation);
      if (row === undefined || look.row === null) wrong.push(name("no row"));
      else same(name("the row"), rowOn(look.row, desk.email), rowOf(row, look.row));
      const colleague = desks[1 - index]?.email.split("@")[0] ?? "";
      if (!look.present.startsWith(colleague))
        wrong.push(`${desk.letter} does not see ${colleague}: "${look.present}"`);
    }
    return wrong;
  }

  async #judge(unsent: readonly string[][], sendsAll: boolean): Promise<void> {
    const [messages, noteWords, arrived, shown] = await Promise.all([
      this.#messages(),
      this.#noteWords(),
      this.#town.arrivedAt(this.#placed.phone),
      this.#shown(),
    ]);
    this.#sent = messages.length;
    this.#notes = noteWords.length;
    const problem = (text: string): void => void this.problems.push(text);
    const count = (words: readonly string[], word: string): number => words.filter((one) => one === word).length;
    const sentWords = messages.flatMap(({ words }) => words);
    const arrivedWords = arrived.flat();
    for (const [index, one] of this.#both.entries()) {
      const own = unsent[index] ?? [];
      const { letter } = one.desk;
      for (const word of own) if (word[1] !== letter) problem(`${letter} has ${word} of the other in a field`);
      if (sendsAll && own.length > 0) problem(`${letter} still has ${own} in a field`);
      for (const word of one.written) {
        const stored = word.startsWith("n") ? count(noteWords, word) : count(sentWords, word);
        const kept = count(own, word);
        const network = count(arrivedWords, word);
        if (stored > 1) problem(`${word} is there ${stored} times`);
        if (stored + kept === 0) problem(`${word} is lost`);
        // What was on its way when a page was reloaded may stand in its field until the page hears of it.
        const mayBeBoth = one.reloads > 0 || one.doubtful.has(word);
        if (kept > 1 || (stored + kept > 1 && !mayBeBoth)) problem(`${word} is there, and ${kept} times in a field`);
        if (!word.startsWith("n") && network !== stored)
          problem(`${word} arrived ${network} times, and is there ${stored} times`);
      }
      for (const tag of one.tagged) if (!shown.contact.tags.includes(tag)) problem(`the tag ${tag} is lost`);
    }
    this.problems.push(...unasked(this.#both, messages));
    if (shown.conversation.state !== "open") {
      const ends = this.#both.flatMap((one) => one.ends);
      for (const word of this.#customer)
        if (!ends.some((seen) => seen.has(word)))
          problem(`it is ${shown.conversation.state}, and no one has seen ${word}`);
    }
  }
}

/** What a colleague had sent before, and this one neither saw nor was asked about. */
function unasked(both: readonly Colleague[], messages: readonly { id: number; words: string[] }[]): string[] {
  return messages.flatMap(({ words }, index) => {
    const by = both.find((one) => one.desk.letter === words[0]?.[1]);
    if (by === undefined) return [];
    const pressed = words.map((word) => by.pressed.get(word)).filter((one) => one !== undefined);
    const last = pressed.at(-1);
    if (last === undefined) return [`${words} was sent, and no one pressed it`];
    // A question shows of a file what stands below it.
    const unseen = messages
      .slice(0, index)
      .filter((one) => one.words[0]?.[1] !== by.desk.letter && !one.words.some((word) => last.seen.has(word)))
      .flatMap((one) => one.words);
    return unseen.length === 0 ? [] : [`${words} was sent after ${unseen} without a question`];
  });
}

function wordsOf(text: string | null, content: unknown): string[] {
  return [...new Set(wordsIn(`${JSON.stringify(content ?? "")} ${text ?? ""}`))].toSorted();
}

function stateOf({ state, snoozed_until: until }: Shown["conversation"]): string {
  return state === "snoozed" ? (until === null ? "until written" : "snoozed") : state;
}

/** Of a chip or a mark. */
function stateOn(text: string): string {
  if (text === "Snoozed until they write") return "until written";
  if (text.startsWith("Snoozed until ")) return "snoozed";
  return text.toLowerCase();
}

function assigneeOn(label: string, me: string): string | null {
  const name = /^Assigned to (.*)\. Assign$/.exec(label)?.[1];
  if (name === undefined) return null;
  return name === "You" ? me : name;
}

function rowOn({ marks, words, unread }: NonNullable<Look["row"]>, me: string) {
  const assigned = marks.find((mark) => mark.startsWith("Assigned to "))?.slice("Assigned to ".length);
  return {
    state: stateOn(marks.find((mark) => mark === "Done" || mark.startsWith("Snoozed")) ?? "Open"),
    assignee: assigned === undefined ? null : assigned === "You" ? me.split("@")[0] : assigned,
    isMentioned: marks.includes("A note mentions you"),
    unread: Number(/^\d*/.exec(unread)?.[0] ?? 0),
    words,
  };
}

/** While a colleague types, the row says so in place of the last words. */
function rowOf(row: Row, { words }: NonNullable<Look["row"]>) {
  return {
    state: stateOf(row),
    assignee: row.assignee?.split("@")[0] ?? null,
    isMentioned: row.is_mentioned,
    unread: row.unread,
    words: words.length === 0 ? words : wordsIn(row.last?.text ?? ""),
  };
}
