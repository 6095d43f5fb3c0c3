/**
 * Who of the staff looks at a conversation and who types in it, for the colleagues who see its number. It is kept in memory
 * alone: an entry belongs to the stream of a browser and to one of its tabs, and goes with the stream, or after some seconds of
 * silence. A browser sends it every few seconds, and not for each key.
 *
 * The first event of a stream, `start`, holds everything; each `presence` replaces what is known of one conversation. So a
 * browser that reconnects has missed nothing. A stream says nothing of its own user.
 *
 * `changed` says that something of the inbox may be other than it was, and not what: the browser asks, with its own rights. It
 * comes at once, and then at most every four seconds.
 */
import type { Clock, Timer } from "#src/core/clock.ts";
import type { Store } from "#src/db/store.ts";
import { inboxTopic } from "#src/domain/workspaces/inbox-topic.ts";
import { answerEvents, COMMENT, type EventSink, eventText, type StreamPlaces } from "./event-stream.ts";

/** A colleague in a conversation. */
interface Person {
  email: string;
  is_typing: boolean;
}

/** Those in a conversation, by address. */
interface Present {
  conversation: number;
  people: Person[];
}

interface InboxViewer {
  workspaceId: number;
  userId: number;
  email: string;
  address: string;
  /** The numbers whose conversations the user sees; null: all. */
  numberIds: readonly number[] | null;
}

/** The conversation in a tab. */
interface Place {
  conversation: number;
  numberId: number;
}

interface Tab extends Place {
  /** By the monotonic clock. */
  seenUntil: number;
  typesUntil: number;
  /** Of the next of the two. */
  timer: Timer;
}

interface Stream {
  id: number;
  viewer: InboxViewer;
  sink: EventSink;
  tabs: Map<string, Tab>;
  /** What its browser was last sent of a conversation. */
  sent: Map<number, string>;
  timer: Timer;
}

/** What a browser says of a tab. */
interface Said {
  stream: number;
  tab: string;
  /** Null: no conversation is in sight. */
  conversation: number | null;
  /** As of now: what is not said again ends after some seconds. Undefined: as it was. */
  isTyping: boolean | undefined;
}

const COMMENT_EVERY_MS = 15_000;
const CHANGED_EVERY_MS = 4_000;
/** A tab says every 10 seconds what it shows. */
const SEEN_MS = 25_000;
/** While the user types, it says so every 3 seconds. */
const TYPES_MS = 5_000;
const CHANGED = eventText("changed", null);
/** Of one browser. The oldest goes. */
const TABS_MAX = 20;

export class InboxStreams {
  readonly #clock: Clock;
  readonly #places: StreamPlaces;
  /** By workspace. */
  readonly #open = new Map<number, Set<Stream>>();
  /** Workspaces whose streams were told of a change less than four seconds ago: whether there has been another since. */
  readonly #told = new Map<number, boolean>();
  readonly #store: Pick<Store, "onNotify">;
  #lastId = 0;

  constructor(store: Pick<Store, "onNotify">, clock: Clock, places: StreamPlaces) {
    this.#store = store;
    this.#clock = clock;
    this.#places = places;
  }

  /**
   * Opens a stream that ends when the client disconnects or `signal` aborts. `reviewed` is called every 15 seconds: it returns
   * the numbers that the user sees by then, or undefined if they may not read the inbox any more, which ends the stream.
   */
  open(viewer: InboxViewer, signal: AbortSignal, reviewed: () => InboxViewer["numberIds"] | undefined): Response {
    const release = this.#places.take(viewer);
    this.#lastId += 1;
    const id = this.#lastId;
    return answerEvents(signal, (sink) => {
      const comment = (): void => {
        stream.timer = this.#clock.setTimer(COMMENT_EVERY_MS, comment);
        this.#review(stream, reviewed());
      };
      const timer = this.#clock.setTimer(COMMENT_EVERY_MS, comment);
      const stream: Stream = { id, viewer, sink, tabs: new Map(), sent: new Map(), timer };
      const known = this.#open.get(viewer.workspaceId) ?? new Set();
      this.#open.set(viewer.workspaceId, known.add(stream));
      this.#store.onNotify(inboxTopic(viewer.workspaceId), () => this.#noteChange(viewer.workspaceId));
      this.#start(stream);
      return () => {
        release();
        this.#close(stream);
      };
    });
  }

  /** Call after a commit of another process: what it changed is not known. */
  noteOtherCommit(): void {
    for (const workspaceId of this.#open.keys()) this.#noteChange(workspaceId);
  }

  #noteChange(workspaceId: number): void {
    const streams = this.#open.get(workspaceId);
    if (streams === undefined) return;
    if (this.#told.has(workspaceId)) {
      this.#told.set(workspaceId, true);
      return;
    }
    this.#told.set(workspaceId, false);
    this.#clock.setTimer(CHANGED_EVERY_MS, () => {
      const isDue = this.#told.get(workspaceId) === true;
      this.#told.delete(workspaceId);
      if (isDue) this.#noteChange(workspaceId);
    });
    for (const { sink } of [...streams]) sink.send(CHANGED);
  }

  /** Which conversation the tab of a stream shows; undefined: the stream is not open, or is another user's. */
  shownIn({ workspaceId, userId }: Pick<InboxViewer, "workspaceId" | "userId">, said: Said): number | null | undefined {
    const stream = this.#find(workspaceId, said.stream);
    if (stream?.viewer.userId !== userId) return undefined;
    return stream.tabs.get(said.tab)?.conversation ?? null;
  }

  /** Notes what a tab shows. `numberId`: of its conversation; null: as it was. */
  note(workspaceId: number, { stream: id, tab: name, conversation, isTyping }: Said, numberId: number | null): void {
    const stream = this.#find(workspaceId, id);
    if (stream === undefined) return;
    const before = stream.tabs.get(name);
    if (before !== undefined) forget(stream, name, before);
    const shown = numberId ?? before?.numberId;
    if (conversation !== null && shown !== undefined) {
      // A tab that says what it shows alone has not stopped typing in it.
      const typedUntil = before?.conversation === conversation && isTyping === undefined ? before.typesUntil : 0;
      const typesUntil = isTyping === true ? this.#clock.monotonic() + TYPES_MS : typedUntil;
      this.#enter(stream, name, { conversation, numberId: shown }, typesUntil);
    }
    const after = stream.tabs.get(name);
    if (before !== undefined && before.conversation !== after?.conversation) this.#tell(workspaceId, before);
    if (after !== undefined) this.#tell(workspaceId, after);
  }

  #enter(stream: Stream, name: string, place: Place, typesUntil: number): void {
    const [oldest] = stream.tabs;
    if (oldest !== undefined && stream.tabs.size >= TABS_MAX) {
      forget(stream, ...oldest);
      this.#tell(stream.viewer.workspaceId, oldest[1]);
    }
    const now = this.#clock.monotonic();
    const timer = this.#clock.setTimer(typesUntil > now ? typesUntil - now : SEEN_MS, () => this.#expire(stream, name));
    stream.tabs.set(name, { ...place, seenUntil: now + SEEN_MS, typesUntil, timer });
  }

  #find(workspaceId: number, id: number): Stream | undefined {
    return [...(this.#open.get(workspaceId) ?? [])].find((stream) => stream.id === id);
  }

  #expire(stream: Stream, name: string): void {
    const tab = stream.tabs.get(name);
    if (tab === undefined) return;
    const left = tab.seenUntil - this.#clock.monotonic();
    if (left <= 0) forget(stream, name, tab);
    else Object.assign(tab, { typesUntil: 0, timer: this.#clock.setTimer(left, () => this.#expire(stream, name)) });
    this.#tell(stream.viewer.workspaceId, tab);
  }

  #close(stream: Stream): void {
    const { workspaceId } = stream.viewer;
    stream.timer.cancel();
    const streams = this.#open.get(workspaceId);
    streams?.delete(stream);
    if (streams?.size === 0) this.#open.delete(workspaceId);
    const tabs = [...stream.tabs];
    for (const [name, tab] of tabs) forget(stream, name, tab);
    for (const [, tab] of tabs) this.#tell(workspaceId, tab);
  }

  #review(stream: Stream, numberIds: InboxViewer["numberIds"] | undefined): void {
    if (numberIds === undefined) stream.sink.end();
    else if (JSON.stringify(numberIds) === JSON.stringify(stream.viewer.numberIds)) stream.sink.send(COMMENT);
    else this.#restart(stream, numberIds);
  }

  #restart(stream: Stream, numberIds: InboxViewer["numberIds"]): void {
    stream.viewer = { ...stream.viewer, numberIds };
    for (const [name, tab] of [...stream.tabs]) {
      if (sees(stream, tab)) continue;
      forget(stream, name, tab);
      this.#tell(stream.viewer.workspaceId, tab);
    }
    this.#start(stream);
  }

  /** Sends all that the user may see. */
  #start(stream: Stream): void {
    const tabs = [...(this.#open.get(stream.viewer.workspaceId) ?? [])].flatMap((other) => [...other.tabs.values()]);
    const shown = new Set(tabs.filter((tab) => sees(stream, tab)).map(({ conversation }) => conversation));
    const here: Present[] = [...shown]
      .map((conversation) => ({ conversation, people: this.#peopleFor(stream, conversation) }))
      .filter(({ people }) => people.length > 0);
    stream.sent = new Map(here.map(({ conversation, people }) => [conversation, JSON.stringify(people)]));
    stream.sink.send(eventText("start", { stream: stream.id, here }));
  }

  /** Sends who is in a conversation to those for whom that has changed. */
  #tell(workspaceId: number, place: Place): void {
    const { conversation } = place;
    for (const stream of [...(this.#open.get(workspaceId) ?? [])]) {
      if (!sees(stream, place)) continue;
      const people = this.#peopleFor(stream, conversation);
      const text = JSON.stringify(people);
      if (text === (stream.sent.get(conversation) ?? "[]")) continue;
      if (people.length === 0) stream.sent.delete(conversation);
      else stream.sent.set(conversation, text);
      stream.sink.send(eventText("presence", { conversation, people } satisfies Present));
    }
  }

  #peopleFor({ viewer }: Stream, conversation: number): Person[] {
    const now = this.#clock.monotonic();
    const people = new Map<string, Person>();
    for (const other of this.#open.get(viewer.workspaceId) ?? []) {
      if (other.viewer.userId === viewer.userId) continue;
      const { email } = other.viewer;
      for (const tab of other.tabs.values()) {
        if (tab.conversation !== conversation) continue;
        const isTyping = tab.typesUntil > now || people.get(email)?.is_typing === true;
        people.set(email, { email, is_typing: isTyping });
      }
    }
    return [...people.values()].toSorted((one, other) => one.email.localeCompare(other.email));
  }
}

function sees({ viewer: { numberIds } }: Stream, { numberId }: Place): boolean {
  return numberIds === null || numberIds.includes(numberId);
}

function forget(stream: Stream, name: string, { timer }: Tab): void {
  timer.cancel();
  stream.tabs.delete(name);
}
