/**
 * Two colleagues in one conversation, as a seed decides: they read, type, send, write notes, assign, end and open it, at the same
 * moment or one after the other, while the person writes, answers are lost and lines break. Everything goes over real sockets.
 * Each colleague behaves as the console does; what must hold is verified by what was on their screens, not by versions.
 */

import { SeededRandom } from "#test/sim/random.ts";
import type { Visitor } from "#test/support/console.ts";
import { type OpenStream, openEvents } from "#test/support/event-stream.ts";
import type { TestServer, TestWorkspace } from "#test/support/server.ts";

const ACTS = 24;
const SNOOZED = { state: "snoozed" };

export interface Town {
  app: TestServer;
  shop: TestWorkspace;
  operator: Visitor;
  people: readonly [Visitor, Visitor];
}

interface Item {
  key: string;
  kind: string;
  text: string | null;
}

interface Note {
  id: number;
  text: string;
}

interface Screen {
  version: string;
  /** The newest first. */
  items: Item[];
  notes: Note[];
  state: string;
  assignee: string | null;
}

interface Draft {
  text: string;
  key: string;
  /** As on the screen when it was last typed. */
  version: string;
  /** Items and notes that the colleague has seen, or was told of in a question that was answered with yes. */
  inSight: Set<string>;
}

/** What a colleague sent, and what was in sight. */
interface Sent {
  by: string;
  text: string;
  key: string;
  inSight: Set<string>;
}

/** Plays one seed. Returns what is wrong at the end; and how often a colleague was asked. */
export async function play(town: Town, seed: number): Promise<{ problems: string[]; asked: number; sent: number }> {
  const random = new SeededRandom(seed);
  const scene = await Scene.open(town, seed);
  const both = town.people.map(
    (visitor, index) => new Colleague(scene, visitor, index, random.fork(`person ${index}`)),
  );
  for (const one of both) await one.start();
  for (let act = 0; act < ACTS; act += 1) {
    if (random.below(6) === 0) await scene.write(`customer ${act}`);
    // Half of the acts happen at the same moment.
    if (random.below(2) === 0) await town.app.clock.until(Promise.all(both.map((one) => one.act())));
    else await town.app.clock.until(both[random.below(2)]?.act() ?? Promise.resolve());
  }
  for (const one of both) await town.app.clock.until(one.finish());
  const problems = [...(await scene.judge(both)), ...(await scene.judgePresence(both))];
  for (const one of both) await one.leave();
  return { problems, asked: scene.asked, sent: scene.sent.length };
}

class Scene {
  readonly town: Town;
  readonly base: string;
  readonly phone: string;
  readonly sent: Sent[] = [];
  /** Texts of drafts that a colleague gave up. */
  readonly discarded: string[] = [];
  readonly notes: string[] = [];
  readonly broken: string[] = [];
  id = 0;
  contact = 0;
  asked = 0;

  private constructor(town: Town, seed: number) {
    this.town = town;
    this.base = `/w/${town.shop.id}`;
    // Numbers that end like this have no fault on the simulator.
    this.phone = `+919876${String(seed).padStart(4, "0")}10`;
  }

  static async open(town: Town, seed: number): Promise<Scene> {
    const scene = new Scene(town, seed);
    await scene.write("Hello");
    const { body } = await town.operator.get(`${scene.base}/inbox`);
    const row = body.data.find(({ phone }: { phone: string }) => phone === scene.phone);
    [scene.id, scene.contact] = [row.id, row.contact_id];
    return scene;
  }

  async write(text: string): Promise<void> {
    const { operator, shop, app } = this.town;
    const path = `${this.base}/simulator/phones/${encodeURIComponent(this.phone)}/write`;
    const { status } = await operator.post(path, { text, number: shop.numberId });
    if (status !== 202) throw new Error(`the simulated phone answered ${status}`);
    await app.clock.advance(1_000);
  }

  /** No double answer without a question, each message and note once, the same on both screens. */
  async judge(both: readonly Colleague[]): Promise<string[]> {
    const [one, other] = await Promise.all(both.map((colleague) => colleague.read()));
    if (one === undefined || other === undefined) throw new Error("a colleague has no screen");
    const problems = [...this.broken];
    const { version: _one, ...shown } = one;
    const { version: _other, ...alsoShown } = other;
    if (!Bun.deepEquals(shown, alsoShown)) problems.push(`two screens: ${JSON.stringify([shown, alsoShown])}`);
    const numbers = (text: string | null) => one.items.filter((item) => item.text === text && item.kind === "message");
    for (const { text } of this.sent) {
      const count = numbers(text).length;
      if (count !== 1) problems.push(`"${text}" was sent ${count} times`);
    }
    for (const text of this.discarded) if (numbers(text).length > 0) problems.push(`"${text}" was refused and sent`);
    for (const text of this.notes) {
      const count = one.notes.filter((note) => note.text === text).length;
      if (count !== 1) problems.push(`the note "${text}" is there ${count} times`);
    }
    for (const mine of this.sent) problems.push(...this.#unasked(mine, one.items));
    return problems;
  }

  /** What the colleague had sent before, and this one did not know of. */
  #unasked({ by, text, inSight }: Sent, items: readonly Item[]): string[] {
    const idOf = ({ key }: Item): number => Number(key.slice(1));
    const mine = items.find((item) => item.kind === "message" && item.text === text);
    if (mine === undefined) return [];
    const earlier = items.filter((item) => item.kind === "message" && idOf(item) < idOf(mine));
    const others = new Set(this.sent.filter((sent) => sent.by !== by).map((sent) => sent.text));
    return earlier
      .filter((item) => others.has(item.text ?? "") && !inSight.has(item.key))
      .map((item) => `${by} sent "${text}" after "${item.text}" without being asked`);
  }

  /** Each sees the other alone, and no one once the other has gone. */
  async judgePresence(both: readonly Colleague[]): Promise<string[]> {
    const [one, other] = both;
    if (one === undefined || other === undefined) throw new Error("two are needed");
    await Promise.all(both.map((colleague) => colleague.show()));
    const problems: string[] = [];
    const isSeen = async (by: Colleague, ...expected: string[]): Promise<void> => {
      for (let tries = 0; tries < 100 && !Bun.deepEquals(by.present(), expected); tries += 1) await Bun.sleep(10);
      if (!Bun.deepEquals(by.present(), expected)) problems.push(`${by.name} sees ${JSON.stringify(by.present())}`);
    };
    await isSeen(one, other.name);
    await isSeen(other, one.name);
    await other.leave();
    await isSeen(one);
    return problems;
  }
}

class Colleague {
  readonly name: string;
  readonly #scene: Scene;
  readonly #visitor: Visitor;
  readonly #random: SeededRandom;
  readonly #own: number[] = [];
  #stream: { open: OpenStream; id: number } | null = null;
  #screen: Screen | null = null;
  #draft: Draft | null = null;
  #note: { text: string; key: string } | null = null;
  #count = 0;

  constructor(scene: Scene, visitor: Visitor, index: number, random: SeededRandom) {
    this.name = index === 0 ? "ana@example.com" : "bob@example.com";
    this.#scene = scene;
    this.#visitor = visitor;
    this.#random = random;
  }

  async start(): Promise<void> {
    await this.#connect();
    this.#screen = await this.read();
  }

  /** One thing, as the seed decides. */
  async act(): Promise<void> {
    const acts = [
      () => this.#look(),
      () => this.#look(),
      () => this.#type(),
      () => this.#type(),
      () => this.#send(),
      () => this.#send(),
      () => this.#addNote(),
      () => this.#change({ state: "done" }),
      () => this.#change(SNOOZED),
      () => this.#change({ state: "open" }),
      () => this.#change({ assignee: this.name }),
      () => this.#change({ assignee: null }),
      () => this.#breakLine(),
    ];
    await acts[this.#random.below(acts.length)]?.();
  }

  /** Sends what waits, and comes back to the conversation. */
  async finish(): Promise<void> {
    if (this.#note !== null) await this.#storeNote(this.#note, false);
    while (this.#draft !== null) await this.#send(true);
    await this.#connect();
  }

  async read(): Promise<Screen> {
    const { base, contact, id } = this.#scene;
    const [shown, notes] = await Promise.all([
      this.#visitor.get(`${base}/inbox/${contact}`),
      this.#visitor.get(`${base}/conversations/${id}/notes`),
    ]);
    const { version, items, conversation } = shown.body.data;
    const { state, assignee } = conversation;
    return {
      ...{ version, state, assignee },
      items: items.map(({ key, kind, text }: Item) => ({ key, kind, text })),
      notes: notes.body.data.map((note: Note) => ({ id: note.id, text: note.text })),
    };
  }

  /** Who else is here, as the frames of the stream say. */
  present(): string[] {
    const { id } = this.#scene;
    let people: { email: string }[] = [];
    for (const { name, data } of this.#stream?.open.frames ?? []) {
      if (name === "presence" && data.conversation === id) people = data.people;
      if (name === "start")
        people = data.here.find((one: { conversation: number }) => one.conversation === id)?.people ?? [];
    }
    return people.map(({ email }) => email);
  }

  async show(isTyping = false): Promise<void> {
    if (this.#stream === null) return;
    const body = { stream: this.#stream.id, tab: "one", conversation: this.#scene.id, is_typing: isTyping };
    await this.#visitor.post(`${this.#scene.base}/inbox/presence`, body);
  }

  async leave(): Promise<void> {
    await this.#stream?.open.close();
    this.#stream = null;
  }

  async #connect(): Promise<void> {
    if (this.#stream !== null) return;
    const { town, base } = this.#scene;
    const open = await openEvents(`${town.app.server.url}/console/api${base}/inbox/live`, this.#visitor.cookie ?? "");
    const { data } = await open.frame(({ name }) => name === "start");
    this.#stream = { open, id: data.stream };
    await this.show();
  }

  async #breakLine(): Promise<void> {
    if (this.#stream === null) await this.#connect();
    else await this.leave();
  }

  async #look(): Promise<void> {
    this.#screen = await this.read();
    await this.show();
  }

  async #type(): Promise<void> {
    await this.show(true);
    if (this.#screen === null) return;
    const { version, items, notes } = this.#screen;
    const keys = [...items.map(({ key }) => key), ...notes.map(({ id }) => `n${id}`)];
    this.#count += 1;
    const inSight = new Set([...(this.#draft?.inSight ?? []), ...keys]);
    // More of the same message is another content, with another key.
    if (this.#draft !== null) this.#scene.discarded.push(this.#draft.text);
    const text = `${this.name} ${this.#count}`;
    this.#draft = { text, key: `${this.#scene.phone} ${text}`, version, inSight };
  }

  async #send(isLast = false): Promise<void> {
    const draft = this.#draft;
    if (draft === null) return;
    const { base, phone, sent, discarded, broken } = this.#scene;
    const headers = { "if-match": [draft.version, ...this.#own.slice(-20).map((id) => `m${id}`)].join(" ") };
    const { status, body } = await this.#visitor.post(
      `${base}/messages`,
      { to: phone, text: draft.text },
      { key: draft.key, headers },
    );
    // The answer does not arrive: the same request is made again, at once, as the console does.
    const isLost = this.#random.below(4) === 0;
    if (isLost && status === 201) {
      const { status: repeated } = await this.#visitor.post(
        `${base}/messages`,
        { to: phone, text: draft.text },
        { key: draft.key, headers },
      );
      if (repeated !== 201) broken.push(`the repetition of "${draft.text}" was answered with ${repeated}`);
    }
    if (status === 201) {
      this.#own.push(body.data.id);
      sent.push({ by: this.name, text: draft.text, key: draft.key, inSight: draft.inSight });
      this.#draft = null;
    } else if (status === 409 && body.error.code === "conversation_changed") {
      this.#scene.asked += 1;
      if (!isLast && this.#random.below(2) === 0) {
        discarded.push(draft.text);
        this.#draft = null;
        return;
      }
      // Send anyway: all that the question shows, and what the screen has below it, is in sight.
      this.#screen = await this.read();
      for (const { key } of this.#screen.items) draft.inSight.add(key);
      draft.version = body.error.version;
    } else {
      broken.push(`"${draft.text}" was answered with ${status}: ${JSON.stringify(body)}`);
      this.#draft = null;
    }
  }

  async #addNote(): Promise<void> {
    await this.show(true);
    this.#count += 1;
    const text = `note of ${this.name} ${this.#count}`;
    this.#note ??= { text, key: `${this.#scene.phone} ${text}` };
    await this.#storeNote(this.#note, this.#random.below(3) === 0);
  }

  /** `isLost`: the answer does not arrive, so the note stays in the field and is stored again later. */
  async #storeNote(note: { text: string; key: string }, isLost: boolean): Promise<void> {
    const { base, id, notes, broken } = this.#scene;
    const { status } = await this.#visitor.post(
      `${base}/conversations/${id}/notes`,
      { text: note.text },
      { key: note.key },
    );
    if (status !== 201) broken.push(`the note "${note.text}" was answered with ${status}`);
    if (isLost) return;
    notes.push(note.text);
    this.#note = null;
  }

  /** Ends, opens or assigns it; asked, the colleague agrees half of the time. */
  async #change(body: object): Promise<void> {
    const { base, id, broken } = this.#scene;
    const version = this.#screen?.version ?? "";
    const headers = { "if-match": [version, ...this.#own.slice(-20).map((own) => `m${own}`)].join(" ") };
    const path = `${base}/conversations/${id}`;
    const first = await this.#visitor.ask("PATCH", path, body, { headers });
    if (first.status === 409) {
      this.#scene.asked += 1;
      if (this.#random.below(2) === 0) return;
      const isTaking = first.body.error.code === "conversation_assigned";
      const next = isTaking ? { ...body, take: true } : body;
      const seen = isTaking ? (await this.read()).version : first.body.error.version;
      const second = await this.#visitor.ask("PATCH", path, next, { headers: { "if-match": seen } });
      if (second.status !== 200 && second.status !== 409) broken.push(`a change was answered with ${second.status}`);
    } else if (first.status !== 200) broken.push(`a change was answered with ${first.status}: ${first.text}`);
    this.#screen = await this.read();
  }
}
