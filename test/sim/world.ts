/**
 * The world of one round: the shop's server across its restarts, the network, the receiver and the callers around it,
 * and what each of them was told. Steps of a scenario act on it; after each, `check` reports violations.
 */
import { copyFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { copyDatabase, makeBackup } from "#src/backup/backup.ts";
import { removeDatabase } from "#src/backup/files.ts";
import { GapNotAccepted, restoreBackup } from "#src/backup/restore.ts";
import { newInstanceId } from "#src/core/id.ts";
import { Problem } from "#src/core/problem.ts";
import type { Client } from "#src/db/driver.ts";
import type { Tx } from "#src/db/transaction.ts";
import { BROADCASTS } from "#src/domain/broadcasts/broadcast.ts";
import { storeCallback } from "#src/domain/inbound/callbacks.ts";
import { Acknowledged, Checks, recountMoves } from "./checks.ts";
import { OutsideNetwork, type Row } from "./network.ts";
import { type Answer, type Call, Life, type Surroundings } from "./process.ts";
import { SeededRandom } from "./random.ts";
import { OutsideReceiver } from "./receiver.ts";
import { Scheduler } from "./scheduler.ts";
import { PHONES, type Town } from "./town.ts";

/** A violation; the message says which. */
export class Broken extends Error {
  override readonly name = "Broken";
}

/** How a backup is restored: with the replaced file, without it, or by copying the backup over the database. */
export type RestoreWay = "with_replaced" | "with_gap" | "copied_by_hand";

/** When the server dies next. */
type Doom = { at: "turn"; left: number } | { at: "commit"; left: number } | { at: "before" | "after"; left: number };

/** One request that a caller wants answered, over all its tries: the first final answer must be repeated each time. */
export interface Wish {
  token: string;
  path: string;
  body: Record<string, unknown>;
  idempotencyKey: string | null;
  wishedAt: number;
  firstFinal: Answer | null;
}

const FINAL = [201, 202, 402, 404, 422, 502];
/** A number slows down after five consecutive failures of the network's own. */
const TROUBLES_MIN = 5;
/** 400 is possible because a time that lay in the future at the first try may have passed. */
const NOT_FINAL = [400, 403, 429, 503];
const FORGET_AFTER_MS = 20 * 3_600_000;

export class World {
  readonly random: SeededRandom;
  readonly scheduler: Scheduler;
  readonly network: OutsideNetwork;
  readonly receiver: OutsideReceiver;
  told = new Acknowledged();
  readonly wishes: Wish[] = [];
  readonly town: Town;
  life: Life | null = null;
  lives = 0;
  isCharged = false;
  backup: { stamped: string; plain: string; told: Acknowledged; isRestored: boolean } | null = null;
  readonly #copies: string[] = [];
  readonly #gone = { messages: new Set<number>(), broadcasts: new Set<number>() };
  readonly #around: Surroundings;
  readonly #faults: string[] = [];
  readonly #notes: string[] = [];
  /** Callbacks that the network tries to deliver while the server is down. */
  readonly #waiting: (() => void)[] = [];
  #hash = 0n;
  #doom: Doom | null = null;
  #awayMs = 0;
  #client: Client | null = null;
  #checks: Checks | null = null;
  #rowOf: ((reference: string) => Row | null) | null = null;
  #threadCallOf: ((phone: string) => number | null) | null = null;
  #isStored: ((id: string) => boolean) | null = null;
  #count = 0;

  constructor(town: Town, seed: number) {
    this.town = town;
    this.random = new SeededRandom(seed);
    const startsAt = town.startsAt + this.random.pick([1, 2, 8.6]) * 3_600_000;
    this.scheduler = new Scheduler(this.random.fork("order"), startsAt);
    this.scheduler.afterTurn = () => this.#afterTurn();
    const { scheduler } = this;
    const complain = (what: string): void => void this.#faults.push(what);
    const note = (what: string, more?: string): void => this.note(what, more);
    this.network = new OutsideNetwork({
      scheduler,
      random: this.random.fork("network"),
      rowOf: (reference) => this.#rowOf?.(reference) ?? null,
      threadCallOf: (phone) => this.#threadCallOf?.(phone) ?? null,
      complain,
      note,
      atDispatch: (moment) => this.#meet(moment),
      callBack: (body, onStored) => this.callBack(body, onStored),
      anotherThan: (phone) => PHONES[(PHONES.indexOf(phone) + 1) % PHONES.length] ?? phone,
    });
    this.receiver = new OutsideReceiver({
      scheduler,
      random: this.random.fork("receiver"),
      timeoutMs: town.config.webhooks.timeoutMs,
      isStored: (id) => this.#isStored?.(id) ?? false,
      complain,
      note,
    });
    this.#around = {
      disk: town.disk,
      config: town.config,
      scheduler,
      random: this.random.fork("server"),
      secretKey: town.secretKey,
      networkOf: (life) => this.network.connect(life),
      posterOf: (life) => this.receiver.connect(life),
      onError: (what) => complain(`the server said: ${what}`),
    };
    town.disk.begin({
      ...this.#around,
      onCommit: () => {
        this.#meet("commit");
        this.life?.lookAtClock();
      },
    });
  }

  /** A token that no other wish has. */
  newToken(prefix: string): string {
    this.#count += 1;
    return `${prefix}${this.#count}`;
  }

  /** Adds a line to the scenario and to its hash; `more` enters the hash only. */
  note(what: string, more = ""): void {
    const line = `${this.scheduler.elapsed().toFixed(1)} ${what}`;
    this.#notes.push(line);
    this.#hash = BigInt(Bun.hash(`${line} ${more} ${this.scheduler.turns}`, this.#hash));
  }

  get scenario(): readonly string[] {
    return this.#notes;
  }

  get hash(): string {
    return this.#hash.toString(16);
  }

  start(): void {
    if (this.life !== null) return;
    this.lives += 1;
    for (const again of this.#waiting.splice(0)) this.scheduler.later(this.random.between(200, 20_000), again);
    const { client } = this.town.disk;
    recountMoves(client);
    this.#prepare(client);
    this.life = new Life(this.#around);
  }

  /** Once each time that the file is opened. */
  #prepare(client: Client): void {
    this.#checks = Checks.of(client);
    if (this.#client === client) return;
    this.#client = client;
    const row =
      client.prepare(`SELECT m.id, m.status, m.broadcast_id AS broadcastId, b.day_starts_at IS NOT NULL AS isBirthday,
        (SELECT what FROM temp.faults WHERE message_id = m.id LIMIT 1) AS fault
      FROM messages m LEFT JOIN broadcasts b ON b.id = m.broadcast_id WHERE send_token = ?`);
    this.#rowOf = (reference) => {
      const found = row.get(reference) as (Omit<Row, "isBirthday"> & { isBirthday: number }) | undefined;
      return found === undefined ? null : { ...found, isBirthday: found.isBirthday === 1 };
    };
    const threadCall = client
      .prepare(`SELECT t.id FROM thread_calls t JOIN contacts c ON c.id = t.contact_id
      WHERE c.phone = ? AND outcome IS NULL`)
      .pluck();
    this.#threadCallOf = (phone) => (threadCall.get(phone) as number | undefined) ?? null;
    const event = client.prepare("SELECT 1 FROM events WHERE id = ?");
    this.#isStored = (id) => event.get(id) !== undefined;
  }

  get isUp(): boolean {
    return this.life?.isReady === true && !this.life.isDead;
  }

  /** Makes the server die a little later, at the given moment, and restart after a while. */
  doom(doom: Doom, awayMs: number): void {
    this.#doom = doom;
    this.#awayMs = awayMs;
  }

  #meet(moment: "commit" | "before" | "after"): void {
    const doom = this.#doom;
    if (doom === null || doom.at !== moment) return;
    doom.left -= 1;
    if (doom.left > 0) return;
    this.#die(moment);
  }

  #die(moment: string): void {
    this.#doom = null;
    if (this.life === null) return;
    this.note(`the server dies: ${moment}`);
    this.life.kill();
  }

  #afterTurn(): void {
    const doom = this.#doom;
    if (doom?.at === "turn" && this.life !== null) {
      doom.left -= 1;
      if (doom.left <= 0) this.#die("between two turns");
    }
    if (this.life?.isDead === true) this.#bury();
    if (this.#faults.length > 0) this.#break();
  }

  #bury(): void {
    this.#take();
    this.scheduler.later(this.#awayMs, () => this.start());
  }

  #take(): void {
    this.#doom = null;
    const life = this.life;
    this.life = null;
    life?.remove();
    for (const { what, message_id: id } of this.look("SELECT * FROM temp.faults")) {
      this.#faults.push(`message ${id} may not have left: ${what}`);
    }
  }

  #break(): never {
    throw new Broken(this.#faults.join("\n"));
  }

  complain(what: string): never {
    this.#faults.push(what);
    this.#break();
  }

  /** Restarts the server if it is down, and runs until it is ready. */
  ensureUp(): void {
    this.#doom = null;
    this.#awayMs = 0;
    if (this.life === null) this.start();
    for (let i = 0; i < 100 && !this.isUp; i++) this.scheduler.run(100);
    if (!this.isUp) this.complain("the server does not come up");
  }

  /** Replaces the database with an earlier backup. */
  restore(way: RestoreWay): void {
    const { backup, scheduler } = this;
    if (backup === null) return;
    this.#take();
    const random = this.random.fork(`restore ${this.lives}`);
    const { disk } = this.town;
    disk.closedFor(() => {
      if (way !== "with_replaced") removeDatabase(disk.file);
      if (way === "copied_by_hand") {
        copyFileSync(backup.plain, disk.file);
        disk.place = { ...disk.place, inode: String(Number(disk.place.inode) + 1) };
        return;
      }
      try {
        const { kept } = restoreBackup(backup.stamped, disk.file, {
          now: scheduler.now(),
          acceptGap: way === "with_gap",
          newInstanceId: () => newInstanceId(random),
          onStep: () => undefined,
        });
        if (kept !== null) this.#copies.push(kept);
      } catch (error) {
        // After the clock was set back a later state may look like an earlier one: the restore is refused, and nothing
        // has changed.
        if (!(error instanceof GapNotAccepted) || !scheduler.wasSetBack) throw error;
      }
    });
    backup.isRestored = true;
    if (way !== "with_replaced") {
      this.#forget(backup.told);
      this.backup = null;
    }
    this.start();
  }

  /**
   * What was acknowledged since the backup is lost, and no check may expect it; its ids must not be given out again.
   */
  #forget(told: Acknowledged): void {
    for (const kind of ["messages", "broadcasts"] as const) {
      for (const id of this.told[kind]) if (!told[kind].has(id)) this.#gone[kind].add(id);
    }
    this.told = told.copy();
    this.wishes.length = 0;
  }

  takeBackup(): void {
    if (!this.isUp) return;
    const name = join(this.town.directory, `backup-${this.newToken("")}`);
    this.backup = { stamped: `${name}.db`, plain: `${name}-plain.db`, told: this.told.copy(), isRestored: false };
    const { stamped, plain } = this.backup;
    this.#copies.push(stamped, plain);
    makeBackup(this.town.disk.file, stamped, this.scheduler.now());
    copyDatabase(this.town.disk.file, plain, null);
  }

  /** A change by an operator on the command line; `onDone` runs once it is committed. */
  command(work: (tx: Tx) => unknown, onDone: () => void = () => undefined): void {
    const { life } = this;
    if (life === null || !this.isUp) return;
    life.store
      .write((tx) => {
        work(tx);
        tx.notify(BROADCASTS);
      })
      .then(
        () => {
          if (!life.isDead) onDone();
        },
        (error: unknown) => {
          if (!(error instanceof Problem) && !life.isDead) this.#faults.push(`a command failed: ${String(error)}`);
        },
      );
  }

  /** The network repeats a callback until it is told that the callback is stored, and sometimes once more. */
  callBack(body: string, onStored: () => void, tries = 0): void {
    const { life, scheduler, random } = this;
    if (life === null || !this.isUp) {
      this.#waiting.push(() => this.callBack(body, onStored, tries + 1));
      return;
    }
    let isStored = false;
    life.store
      .write((tx) => storeCallback(tx, "simulator", body))
      .then(
        () => {
          if (life.isDead) return;
          isStored = true;
          onStored();
        },
        (error: unknown) => void this.#faults.push(`a callback was not stored: ${String(error)}`),
      );
    scheduler.later(5_000, () => {
      if (!isStored || (tries === 0 && random.chance(0.05))) this.callBack(body, onStored, tries + 1);
    });
  }

  /** A request of a caller who keeps nothing; null: no answer arrived. */
  call(method: string, path: string, call: Omit<Call, "key">, onAnswer: (answer: Answer | null) => void): void {
    const { life, town } = this;
    if (life === null) {
      onAnswer(null);
      return;
    }
    life.request(method, path, { key: town.apiKey, ...call }, (answer) => {
      // A network in trouble is the only thing here that a caller may be told with 503.
      const isFault = answer?.status === 503 && !answer.text.includes("The network is in trouble");
      if (answer !== null && (answer.status === 500 || isFault)) {
        this.#faults.push(`${method} ${path} was answered ${answer.status}`);
      }
      if (answer?.status === 503 && this.network.troubles < TROUBLES_MIN)
        this.#faults.push(`${method} ${path} was told of trouble that the network does not have`);
      onAnswer(answer);
    });
  }

  /** Sends the wish's request, possibly again. */
  ask(wish: Wish, onAnswer: (answer: Answer) => void = () => undefined): void {
    const { idempotencyKey, path, body, token } = wish;
    const call = idempotencyKey === null ? { body } : { body, idempotencyKey };
    this.call("POST", path, call, (answer) => {
      this.note(`${token} is told ${answer === null ? "nothing" : answer.status}`, answer?.text);
      if (answer === null) return;
      this.#receiveCallback(wish, answer);
      onAnswer(answer);
    });
  }

  #receiveCallback(wish: Wish, answer: Answer): void {
    const { token, firstFinal } = wish;
    // The conversation may be ours in a moment.
    const isElsewhere = answer.status === 422 && answer.text.includes('"thread_owned_elsewhere"');
    if (!FINAL.includes(answer.status) || isElsewhere) {
      if (!NOT_FINAL.includes(answer.status) && !isElsewhere)
        this.#faults.push(`${token} was told ${answer.status}: ${answer.text}`);
      else if (firstFinal !== null && this.isFresh(wish) && wish.idempotencyKey !== null) {
        // Two refusals precede the lookup of the key: the request rate and a disabled API. Neither happens here.
        this.#faults.push(`${token} was told ${answer.status} after ${firstFinal.status}`);
      } else if ((answer.status === 429 || answer.status === 503 || isElsewhere) && this.network.mayHave(token)) {
        this.#faults.push(`${token} was told that nothing was sent, and it may have been`);
      }
      return;
    }
    const { data } = JSON.parse(answer.text) as { data?: { id?: number } };
    const kind = wish.path.endsWith("/messages") ? "messages" : "broadcasts";
    if (answer.status < 300 && data?.id !== undefined) {
      if (this.#gone[kind].has(data.id)) this.#faults.push(`${token}: the id ${data.id} was given out before`);
      this.told[kind].add(data.id);
    }
    if (wish.idempotencyKey === null || !this.isFresh(wish)) return;
    if (firstFinal === null) wish.firstFinal = answer;
    else if (firstFinal.status !== answer.status || firstFinal.text !== answer.text) {
      this.#faults.push(
        `${token} was told ${answer.status} ${answer.text} after ${firstFinal.status} ${firstFinal.text}`,
      );
    }
  }

  /** Young enough that its key is kept, however the clock was set. */
  isFresh({ wishedAt }: Wish): boolean {
    return Math.abs(this.scheduler.now() - wishedAt) < FORGET_AFTER_MS;
  }

  /** Runs after every step; `isThorough`: with all checks. */
  check(isThorough: boolean): void {
    if (this.#faults.length > 0) this.#break();
    const { scheduler } = this;
    const checks = this.#checks;
    if (checks === null || this.life === null || this.life.isDead) return;
    this.#faults.push(...checks.findLost(this.told));
    if (isThorough) {
      this.#faults.push(...checks.findBroken({ now: scheduler.steady(), latest: scheduler.latest() }));
    }
    if (this.#faults.length > 0) this.#break();
  }

  /** Rows of a query on the committed state. */
  look(sql: string, ...parameters: unknown[]): Record<string, unknown>[] {
    return this.town.disk.client.prepare(sql).all(...parameters) as Record<string, unknown>[];
  }

  end(): void {
    this.#take();
    for (const file of this.#copies) {
      for (const suffix of ["", "-wal", "-shm"]) rmSync(file + suffix, { force: true });
    }
  }
}
