/** One of the two: a browser of their own on a line of their own, and what they do in it as the seed decides. */
import type { Page } from "playwright-core";
import type { SeededRandom } from "#test/sim/random.ts";
import type { TestBrowser } from "#test/support/browser.ts";
import type { Line } from "./line.ts";
import { type Answered, type Look, PAGE, wordsIn } from "./page.ts";

/** Above what is uploaded in one request. */
const FILE_BYTES = 1_100_000;
const LOADED_WITHIN_MS = 20_000;
const MENU_WITHIN_MS = 1_000;

/** The requests whose answers a line loses: what changes something. */
const CHANGES =
  /^(?:POST \S+\/(?:messages|notes|media|uploads)\b|PATCH \S+\/(?:conversations|uploads)\/|PUT \S+\/(?:draft|contacts\/))/;
const READS = /^GET \S+\/(?:inbox|notes)\b(?!\/live)/;

export interface Desk {
  /** One letter, in each word that they write. */
  letter: "a" | "b";
  email: string;
  browser: TestBrowser;
  line: Line;
  cookie: string;
  workspace: number;
}

/** The conversation of a round. */
export interface Place {
  seed: number;
  contact: number;
  conversation: number;
  phone: string;
  /** Of messages and notes that the server has, now. */
  storedWords: () => Promise<string[]>;
  /** Before a page is loaded. */
  isUp: () => Promise<void>;
}

/** What was sent with which words in sight. */
interface Pressed {
  seen: ReadonlySet<string>;
}

export class Colleague {
  readonly desk: Desk;
  readonly #page: Page;
  readonly #random: SeededRandom;
  readonly #place: Place;
  readonly #other: Desk;
  readonly trace: string[];
  /** By word: what was in sight when the message that has it was sent, or was asked about. */
  readonly pressed = new Map<string, Pressed>();
  readonly written: string[] = [];
  /** Words in sight whenever they ended or snoozed it, or were told in the question before. */
  readonly ends: ReadonlySet<string>[] = [];
  readonly tagged: string[] = [];
  questions = 0;
  /** A page was reloaded: what was on its way may be in the field, too. */
  reloads = 0;
  /** Recalled when the server had it, and its answer was lost: it is sent again as the same, and nothing is written behind it. */
  readonly doubtful = new Set<string>();
  #seen = new Set<string>();
  #isTyped = false;
  #count = 0;
  #isGone = false;
  #cutFor = 0;

  constructor(desk: Desk, other: Desk, place: Place, random: SeededRandom, trace: string[]) {
    this.desk = desk;
    this.#page = desk.browser.page;
    this.#other = other;
    this.#place = place;
    this.#random = random;
    this.trace = trace;
  }

  /** Once for each page. */
  static async prepare({ browser, line, workspace }: Desk): Promise<void> {
    await browser.context.addInitScript(PAGE);
    await browser.page.goto(`${line.url}/console/w/${workspace}/inbox?view=all`);
    await browser.page.getByRole("link", { name: /^All/ }).first().waitFor();
  }

  look(): Promise<Look> {
    return this.#in<Look>(`look(${this.#place.conversation})`);
  }

  async open(): Promise<void> {
    await this.#in(`go(${JSON.stringify(this.#path())})`);
    await this.#loaded();
  }

  /** One thing. */
  async act(): Promise<void> {
    if (this.#cutFor > 0) {
      this.#cutFor -= 1;
      if (this.#cutFor === 0) return this.restore();
    }
    if (this.#isGone) return;
    const look = await this.#lookHere();
    if (look.isCovered) return this.#uncover(look, this.#random.below(2) === 0);
    const act = this.#random.weighted<readonly [string, (look: Look) => Promise<unknown>]>([
      [7, ["type", () => this.#type()]],
      [8, ["send", () => this.#send()]],
      [3, ["note", () => this.#note()]],
      [2, ["leave", () => this.#leave()]],
      [2, ["wait", () => Bun.sleep(this.#random.below(400))]],
      [1, ["assign", () => this.#assign()]],
      [1, ["take", () => this.#in(`press("Take")`)]],
      [2, ["end", () => this.#end()]],
      [1, ["snooze", () => this.#snooze()]],
      [1, ["reopen", () => this.#in(`press("Open again")`)]],
      [0.6, ["attach", (seen) => this.#attach(seen)]],
      [0.7, ["tag", () => this.#tag()]],
      [2, ["queue", (seen) => this.#queue(seen)]],
      [1.2, ["cut", () => this.#cut()]],
      [3, ["fault", () => this.#fault()]],
      [0.7, ["reload", () => this.#reload()]],
    ]);
    const [name, run] = act;
    this.#record(name, await run(look));
  }

  /** The line is as it should be, and the page is there. */
  async restore(): Promise<void> {
    this.#cutFor = 0;
    this.desk.line.restore();
    await this.desk.browser.context.setOffline(false);
    if (this.#isGone) await this.#load();
    this.#record("restore", true);
  }

  /**
   * Brings it to an end, step by step: true once nothing is asked, waits or is on its way. `sendsAll`: what stands in a field is
   * sent, and each question is answered with yes.
   */
  async finish(sendsAll: boolean): Promise<boolean> {
    const look = await this.#lookHere();
    if (look.isCovered) {
      await this.#uncover(look, sendsAll);
      return false;
    }
    const asking = look.waiting.findIndex(({ asks }) => asks);
    if (asking !== -1 && sendsAll) {
      this.#record("queue", await this.#sendWaiting(look, asking));
      return false;
    }
    // What is behind one that asks waits with it.
    if (asking !== 0 && look.waiting.length > 0) return false;
    // One field is in the page at a time.
    await this.#in(`press("Note")`);
    const noting = await this.look();
    const isNoteLeft = sendsAll && wordsIn(noting.note ?? "").length > 0;
    if (isNoteLeft) await this.#in("addNote()");
    await this.#in(`press("Reply")`);
    const replying = await this.look();
    const isReplyLeft = sendsAll && wordsIn(`${replying.reply} ${replying.file}`).length > 0;
    if (isReplyLeft) this.#record("send", await this.#send());
    return !(noting.isBusy || replying.isBusy || isNoteLeft || isReplyLeft);
  }

  /** What is in the fields and waits. Null: a question came meanwhile, and covers them. */
  async unsent(): Promise<string[] | null> {
    await this.#in(`press("Note")`);
    const { note, waiting } = await this.look();
    await this.#in(`press("Reply")`);
    const { reply, file, isCovered } = await this.look();
    if (isCovered || reply === null || note === null) return null;
    const waits = waiting.flatMap(({ words }) => words);
    // What waits because its answer was lost is stored, and goes again under its key.
    const stored = await this.#place.storedWords();
    for (const word of waits) if (stored.includes(word)) this.doubtful.add(word);
    return [...wordsIn(`${reply} ${note}`), ...file, ...waits];
  }

  /** An Esc that comes after a menu has closed leads back to the list. */
  async #lookHere(): Promise<Look> {
    const look = await this.look();
    if (look.instead === "" || look.instead.includes("&person=")) return look;
    await this.open();
    return this.look();
  }

  #path(): string {
    return `/console/w/${this.desk.workspace}/inbox?view=all&person=${this.#place.contact}`;
  }

  #word(kind: "m" | "f" | "n" | "t"): string {
    this.#count += 1;
    return `${kind}${this.desk.letter}${this.#place.seed}x${this.#count}q`;
  }

  #in<Result>(call: string): Promise<Result> {
    return this.#page.evaluate<Result>(`two.${call}`);
  }

  #record(name: string, outcome: unknown): void {
    const shown = outcome === undefined ? "" : ` ${JSON.stringify(outcome)}`;
    this.trace.push(`${Math.round(performance.now())} ${this.desk.letter} ${name}${shown}`);
  }

  async #loaded(): Promise<void> {
    await this.#page.locator("[data-composer], [data-note]").first().waitFor({ timeout: LOADED_WITHIN_MS });
  }

  async #load(): Promise<void> {
    await this.#place.isUp();
    this.#isGone = false;
    this.reloads += 1;
    await this.#page.goto(`${this.desk.line.url}${this.#path()}`, { waitUntil: "commit" });
    await this.#loaded();
  }

  #learn(words: readonly string[]): void {
    this.#seen = new Set([...this.#seen, ...words]);
  }

  #isDoubtful(kind: "m" | "n"): boolean {
    return [...this.doubtful].some((word) => word.startsWith(kind));
  }

  async #type(): Promise<unknown> {
    const word = this.#word("m");
    await this.#in(`press("Reply")`);
    if (this.#isDoubtful("m")) return null;
    const seen = await this.#in<string[] | null>(`type("[data-composer]", "${word}")`);
    if (seen === null) return null;
    this.written.push(word);
    this.#learn(seen);
    this.#isTyped = true;
    return word;
  }

  async #send(): Promise<unknown> {
    await this.#in(`press("Reply")`);
    // What was not typed here is sent with what is on the screen in sight.
    const sent = await this.#in<{ words: string[]; seen: string[] } | null>("send()");
    if (sent === null) return null;
    if (!this.#isTyped) this.#learn(sent.seen);
    this.#agree(sent.words);
    return sent.words;
  }

  #agree(words: readonly string[]): void {
    for (const word of words) this.pressed.set(word, { seen: this.#seen });
    this.#isTyped = false;
  }

  async #note(): Promise<unknown> {
    const word = this.#word("n");
    await this.#in(`press("Note")`);
    const mention = this.#random.below(2) === 0 ? `@${this.#other.email.split("@")[0]} ` : "";
    const typed = `type("[data-note]", "${mention}${word}")`;
    const seen = this.#isDoubtful("n") ? null : await this.#in<string[] | null>(typed);
    if (seen !== null) this.written.push(word);
    const isAdded = this.#random.below(4) > 0 && (await this.#in("addNote()"));
    return [seen === null ? null : word, isAdded];
  }

  async #leave(): Promise<void> {
    await this.#in(`go(${JSON.stringify(this.#path().replace(/&person=.*/, ""))})`);
    await Bun.sleep(this.#random.below(100));
    await this.#in(`go(${JSON.stringify(this.#path())})`);
    // Without a line, what was in the page is shown.
    await this.#loaded();
  }

  async #menu(key: string, choice: string): Promise<boolean> {
    if (!(await this.#in("blur()"))) return false;
    await this.#page.keyboard.press(key);
    for (const begun = performance.now(); performance.now() - begun < MENU_WITHIN_MS; await Bun.sleep(20))
      if (await this.#in(`choose(${JSON.stringify(choice)})`)) return true;
    await this.#page.keyboard.press("Escape");
    return false;
  }

  async #assign(): Promise<unknown> {
    const who = this.#random.pick(["Me (", this.#other.email, "Nobody"]);
    return [who, await this.#menu("a", who)];
  }

  async #end(): Promise<unknown> {
    const { thread } = await this.look();
    const isDone = await this.#in(`press("Done")`);
    // What comes between the two is seen, at most.
    if (isDone) this.ends.push(new Set([...thread, ...(await this.look()).thread]));
    return isDone;
  }

  async #snooze(): Promise<unknown> {
    const isSnoozed = await this.#menu("s", this.#random.pick(["Until they write", "In an hour"]));
    if (isSnoozed) this.ends.push(new Set((await this.look()).thread));
    return isSnoozed;
  }

  async #attach(look: Look): Promise<unknown> {
    const input = this.#page.locator("input[type=file]");
    if (look.reply === null || look.isBusy || look.file.length > 0 || (await input.count()) !== 1) return null;
    const word = this.#word("f");
    const buffer = Buffer.alloc(FILE_BYTES, `${word} `);
    buffer.write("%PDF-1.7\n");
    await input.setInputFiles({ name: `${word}.pdf`, mimeType: "application/pdf", buffer });
    if (!(await this.look()).file.includes(word)) return null;
    this.written.push(word);
    return word;
  }

  async #tag(): Promise<unknown> {
    if (!(await this.#in("blur()"))) return null;
    await this.#page.keyboard.press("t");
    const word = this.#word("t");
    if (!(await this.#in(`addTag("${word}")`))) return null;
    await this.#in(`inDialog("Save tags")`);
    for (const begun = performance.now(); performance.now() - begun < MENU_WITHIN_MS; await Bun.sleep(20)) {
      if (await this.#in("isDialogOpen()")) continue;
      this.tagged.push(word);
      return word;
    }
    return null;
  }

  /** What waits for the line is recalled into an empty field, or sent where it asks. */
  async #queue(look: Look): Promise<unknown> {
    const at = this.#random.below(Math.max(1, look.waiting.length));
    const one = look.waiting[at];
    if (one === undefined) return null;
    if (one.asks && this.#random.below(2) === 0) return this.#sendWaiting(look, at);
    if (look.isBusy || (one.words.some((word) => word.startsWith("f")) && look.file.length > 0)) return null;
    const stored = await this.#place.storedWords();
    const doubtful = one.words.filter((word) => stored.includes(word));
    // A file is uploaded again, so its message is another.
    if (doubtful.some((word) => word.startsWith("f"))) return null;
    const isRecalled = await this.#in(`pressWaiting(${at}, "Cancel")`);
    if (isRecalled) for (const word of doubtful) this.doubtful.add(word);
    if (isRecalled && !one.words.some((word) => word.startsWith("n"))) this.#isTyped = false;
    return ["recall", one.words, doubtful, isRecalled];
  }

  async #sendWaiting(look: Look, at: number): Promise<unknown> {
    // The refusal says that others wrote, and the thread what.
    this.#learn([...look.thread, ...(await this.#place.storedWords())]);
    const isSent = await this.#in(`pressWaiting(${at}, "Send now")`);
    if (isSent) for (const word of look.waiting[at]?.words ?? []) this.pressed.set(word, { seen: this.#seen });
    return ["send now", look.waiting[at]?.words, isSent];
  }

  /** Answers what covers the page. */
  async #uncover({ isAsked }: Look, isYes: boolean): Promise<void> {
    if (!isAsked) {
      const isSaved = isYes && (await this.#in(`inDialog("Save tags")`));
      if (!isSaved) await this.#page.keyboard.press("Escape");
      return this.#record("uncover", isSaved);
    }
    const answered = await this.#in<Answered | null>(`answer(${isYes})`);
    this.#record("answer", [isYes, answered]);
    if (answered === null) return;
    this.questions += 1;
    const { title, words, changes, sent } = answered;
    // It shows five changes at most, and of a file without a text its kind.
    const told = changes < 5 && changes <= words.length ? words : [...words, ...(await this.#place.storedWords())];
    if (title === "Send anyway?") {
      this.#learn(told);
      if (isYes) for (const word of sent) this.pressed.set(word, { seen: this.#seen });
    } else if (isYes && /^(?:Done|Snooze) anyway/.test(title)) {
      this.ends.push(new Set([...told, ...(await this.look()).thread]));
    }
  }

  async #cut(): Promise<string> {
    const how = this.#random.pick(["offline", "cut", "gateway"] as const);
    this.#cutFor = this.#random.between(1, 5);
    if (how === "offline") await this.desk.browser.context.setOffline(true);
    if (how === "offline") this.desk.line.cutStreams();
    else this.desk.line.cut(how);
    return how;
  }

  async #fault(): Promise<string> {
    const { line } = this.desk;
    const kind = this.#random.pick(["lost", "lost twice", "broken", "late", "late read", "stream"] as const);
    if (kind === "stream") line.cutStreams();
    else if (kind === "late") line.arm(CHANGES, { kind, ms: this.#random.between(100, 900) });
    else if (kind === "late read") line.arm(READS, { kind: "late", ms: this.#random.between(100, 1_500) }, 2);
    else if (kind === "broken") line.arm(CHANGES, { kind });
    else line.arm(CHANGES, { kind: "lost" }, kind === "lost" ? 1 : 2);
    return kind;
  }

  async #reload(): Promise<unknown> {
    if (this.#cutFor === 0) {
      await this.#load();
      return "at once";
    }
    // The page is left, and comes back with the line.
    this.#isGone = true;
    await this.#page.goto("about:blank");
    return "later";
  }
}
