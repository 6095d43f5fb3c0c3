/**
 * The database file of a whole run, kept open across restarts and rounds: opening a file costs a thousand times as much
 * as a statement. A process that dies leaves what it had committed, because its queued operations are rolled back when
 * they run; a round begins with the town's rows, restored row by row.
 */
import { copyFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Client } from "#src/db/driver.ts";
import type { FileIdentity } from "#src/db/file-identity.ts";
import { openStore, type Store } from "#src/db/store.ts";
import type { NotPromise, Tx } from "#src/db/transaction.ts";
import { contactMessageIndex } from "#src/domain/messages/contact-messages.ts";
import { networkIdIndex } from "#src/domain/messages/network-ids.ts";
import { watchMoves } from "./checks.ts";
import type { SeededRandom } from "./random.ts";
import type { Owner, Scheduler } from "./scheduler.ts";

/** The round that plays now. */
export interface Player {
  scheduler: Scheduler;
  random: SeededRandom;
  /** Called right after each commit, before anything else. */
  onCommit(): void;
  onError(what: string): void;
}

const PLACE: FileIdentity = { inode: "1", createdAt: 1 };

type Resetting = ReturnType<typeof prepareReset>;

function prepareReset(client: Client, text: string) {
  return client.prepare<[]>(text);
}

/** Thrown inside the group commit, so that an operation of a dead process writes nothing. */
class Gone extends Error {
  override readonly name = "Gone";
}

export class Disk {
  readonly file: string;
  /** The file identity that the server sees: another one marks a copy made by hand. */
  place = PLACE;
  readonly #origin: string;
  readonly #secretKey: Uint8Array;
  #player: Player | null = null;
  #store: Store | null = null;
  #reset: Resetting[] | null = null;
  /** Group commits that are to run: none of them is ever dropped. */
  #groups: (() => void)[] = [];

  /** `origin`: the file that every round begins with; it stays unchanged. */
  constructor(file: string, origin: string, secretKey: Uint8Array) {
    this.file = file;
    this.#origin = origin;
    this.#secretKey = secretKey;
  }

  get client(): Client {
    return this.#opened().client;
  }

  /** Begins a round, on the rows of the origin. */
  begin(player: Player): void {
    this.#player = player;
    this.#processCount = 0;
    this.place = PLACE;
    if (this.#store === null) copyFileSync(this.#origin, this.file);
    const { client } = this.#opened();
    this.#reset ??= this.#resetOf(client);
    for (const statement of this.#reset) statement.run();
    this.#layMark(client);
  }

  /** Writes the run marker beside the database that the origin's row names. */
  #layMark(client: Client): void {
    const directory = dirname(this.file);
    const prefix = `${basename(this.file)}.run-`;
    for (const name of readdirSync(directory)) if (name.startsWith(prefix)) rmSync(join(directory, name));
    const mark = client.prepare("SELECT run_marker FROM instance").pluck().get();
    if (typeof mark === "string") writeFileSync(`${this.file}.run-${mark}`, "");
  }

  /** Runs all queued group commits; the operations of a dead process are rolled back. */
  settle(): void {
    for (const group of this.#groups.splice(0)) group();
    // Ends the read transaction that may be open.
    this.#opened().dataVersion();
  }

  /** Closes the file while `work` uses it, as a command does without a server. */
  closedFor(work: () => void): void {
    this.close();
    work();
    this.#opened();
  }

  close(): void {
    if (this.#store === null) return;
    this.settle();
    this.#store.close();
    this.#store = null;
    this.#reset = null;
  }

  /** Of this round. */
  #processCount = 0;

  /** The store as one process sees it: with its death everything that it asked for ends. */
  storeOf(owner: Owner): Store {
    const store = this.#opened();
    // The connection stays open, but what a process has in memory ends with it.
    store.read((tx) => {
      networkIdIndex.forget(tx);
      contactMessageIndex.watch(tx, 1, () => undefined);
      contactMessageIndex.forget(tx);
    });
    const writeBy = <T>(
      write: (operation: (tx: Tx) => NotPromise<T>) => Promise<T>,
      operation: (tx: Tx) => NotPromise<T>,
    ): Promise<T> =>
      new Promise<T>((resolve, reject) => {
        if (owner.isDead) return;
        write((tx) => {
          if (owner.isDead) throw new Gone();
          return operation(tx);
        }).then(resolve, (error: unknown) => {
          if (!(error instanceof Gone)) reject(error);
        });
      });
    this.#processCount += 1;
    const isRehearsed = this.#processCount % 2 === 0;
    const own = {
      client: store.client,
      write: <T>(operation: (tx: Tx) => NotPromise<T>): Promise<T> => writeBy(store.write.bind(store), operation),
      // In every other process, repeatable operations run twice, and what the first run did in the database is undone: what
      // it did in memory would be found by the checks. In the others they run without savepoints, as in a server.
      writeRepeatable: <T>(operation: (tx: Tx) => NotPromise<T>): Promise<T> => {
        if (!isRehearsed) return writeBy(store.writeRepeatable.bind(store), operation);
        return writeBy(store.write.bind(store), (tx) => {
          rehearse(tx, operation);
          return operation(tx);
        });
      },
      read: store.read.bind(store),
      counters: store.counters,
      get load() {
        return store.load;
      },
      onNotify: (topic: string, listener: () => void) =>
        store.onNotify(topic, () => {
          if (!owner.isDead) listener();
        }),
      freePages: store.freePages.bind(store),
      waitForOtherWriters: store.waitForOtherWriters.bind(store),
    };
    return own as unknown as Store;
  }

  #opened(): Store {
    if (this.#store !== null) return this.#store;
    const player = (): Player => {
      if (this.#player === null) throw new Error("no round is played");
      return this.#player;
    };
    const store = openStore(this.file, {
      clock: {
        now: () => player().scheduler.now(),
        monotonic: () => player().scheduler.elapsed(),
        setTimer: () => {
          throw new Error("the store never waits");
        },
      },
      random: { bytes: (count) => player().random.bytes(count), fraction: () => player().random.fraction() },
      busyTimeoutMs: 0,
      hashKey: () => this.#secretKey,
      defer: (run) => {
        const group = (): void => {
          this.#groups = this.#groups.filter((other) => other !== group);
          run();
        };
        this.#groups.push(group);
        player().scheduler.putOff(group);
      },
      onCommit: () => player().onCommit(),
      onEffectError: (error) => player().onError(`an effect failed: ${String(error)}`),
    });
    watchMoves(store.client);
    this.#store = store;
    return store;
  }

  /**
   * Prepared statements in an order that violates no reference: switching foreign keys off would discard every
   * statement's plan.
   */
  #resetOf(client: Client): Resetting[] {
    client.prepare("ATTACH DATABASE ? AS origin").run(this.#origin);
    const tables = inOrder(client);
    // Triggers of other tables write into these, so they come last.
    const counted = ["contact_counters", "recent_recipient_counts"];
    const again = counted.flatMap((table) => [
      `DELETE FROM main.${table}`,
      `INSERT INTO main.${table} SELECT * FROM origin.${table}`,
    ]);
    const texts = [
      "BEGIN",
      ...tables.toReversed().map((table) => `DELETE FROM main.${table}`),
      ...tables
        .filter((table) => !counted.includes(table))
        .map((table) => `INSERT INTO main.${table} SELECT * FROM origin.${table}`),
      ...again,
      "UPDATE main.groups AS g SET member_count = o.member_count FROM origin.groups AS o WHERE o.id = g.id",
      "DELETE FROM main.sqlite_sequence",
      "INSERT INTO main.sqlite_sequence SELECT * FROM origin.sqlite_sequence",
      "COMMIT",
    ];
    return texts.map((text) => prepareReset(client, text));
  }
}

class Rehearsed extends Error {}

function rehearse<T>(tx: Tx, operation: (tx: Tx) => NotPromise<T>): void {
  try {
    tx.savepoint(() => {
      operation(tx);
      throw new Rehearsed();
    });
  } catch (error) {
    if (!(error instanceof Rehearsed)) throw error;
  }
}

/** Our tables, each after those that it refers to. */
function inOrder(client: Client): string[] {
  const names = client
    .prepare(
      "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY name",
    )
    .pluck()
    .all() as string[];
  const ordered: string[] = [];
  const visit = (name: string): void => {
    if (ordered.includes(name)) return;
    const parents = client.prepare(`SELECT "table" FROM pragma_foreign_key_list('${name}')`).pluck().all() as string[];
    for (const parent of parents) if (parent !== name) visit(parent);
    ordered.push(name);
  };
  for (const name of names) visit(name);
  return ordered;
}
