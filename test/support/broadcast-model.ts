/**
 * What has to hold of broadcasts at every moment, whatever happened in whatever order: a network that keeps each hand-over
 * open until the test answers it and judges it as it comes, and the sums that rows, figures, money and events must agree
 * on. Written from the description of a broadcast's life, not from its code.
 */
import { expect } from "bun:test";
import { asc, eq } from "drizzle-orm";
import { billingAccounts, ledgerEntries } from "#src/domain/billing/table.ts";
import { type Broadcast, broadcasts } from "#src/domain/broadcasts/table.ts";
import { contacts } from "#src/domain/contacts/table.ts";
import { events } from "#src/domain/events/table.ts";
import { type BroadcastFigures, broadcastFigures } from "#src/domain/figures/table.ts";
import type { Outcome } from "#src/domain/messages/outcome.ts";
import { type Message, messages } from "#src/domain/messages/table.ts";
import type { Handover, Network } from "#src/networks/network.ts";
import { parseCallback } from "#src/networks/whatsapp/callback.ts";
import type { TestClock } from "./clock.ts";
import { accepted, unknown } from "./fake-network.ts";
import type { TestServer } from "./server.ts";

export type AnswerKind =
  | "accepted"
  | "accepted_as_another"
  | "refused_person"
  | "refused_message"
  | "refused_template"
  | "disabled_template"
  | "refused_number"
  | "refused_account"
  | "throttled_number"
  | "throttled_pair"
  | "unreachable"
  | "unknown";

export const answerKinds: readonly AnswerKind[] = [
  "accepted",
  "accepted_as_another",
  "refused_person",
  "refused_message",
  "refused_template",
  "disabled_template",
  "refused_number",
  "refused_account",
  "throttled_number",
  "throttled_pair",
  "unreachable",
  "unknown",
];

/** By these the network proves that it took nothing: the same person may be handed over again. */
function isProofOfNothing(outcome: Outcome): boolean {
  if (outcome.kind === "throttled" || outcome.kind === "unreachable") return true;
  return outcome.kind === "refused" && outcome.scope !== "recipient" && outcome.scope !== "message";
}

function outcomeOf(kind: AnswerKind, handover: Handover, another: string): Outcome {
  const refused = (code: string, scope: Extract<Outcome, { kind: "refused" }>["scope"]): Outcome => ({
    kind: "refused",
    code,
    message: `The network said ${code}.`,
    scope,
  });
  const throttled = (code: string, scope: "number" | "pair"): Outcome => ({
    kind: "throttled",
    code,
    message: "Too many messages.",
    retryAfterMs: null,
    scope,
  });
  switch (kind) {
    case "accepted":
      return accepted(handover);
    case "accepted_as_another":
      return accepted(handover, { recipientId: another.slice(1) });
    case "refused_person":
      return refused("131026", "recipient");
    case "refused_message":
      return refused("132012", "message");
    case "refused_template":
      return refused("132015", "template");
    case "disabled_template":
      return refused("132016", "template");
    case "refused_number":
      return refused("131037", "number");
    case "refused_account":
      return refused("131031", "account");
    case "throttled_number":
      return throttled("130429", "number");
    case "throttled_pair":
      return throttled("131056", "pair");
    case "unreachable":
      return { kind: "unreachable", reason: "connection refused" };
    case "unknown":
      return unknown;
  }
}

/** One request as the network got it. */
export interface Request {
  reference: string;
  to: string;
  broadcastId: number | null;
  /** Null: not answered yet. */
  outcome: Outcome | null;
  give: (outcome: Outcome) => void;
}

/** What one row of a broadcast was told by the network, over all restarts. */
export interface Heard {
  statuses: Set<string>;
}

/** As the last look found it: what a step begins with. */
interface Known {
  optedOut: Set<string>;
  finished: Set<number>;
  /** Broadcasts that only a person lets go on. */
  resting: Set<number>;
  /** Rows that had left or were left out: never handed over again. */
  closed: Set<string>;
  /** Linked contacts: the same word for all phones of one person. */
  personOf: Map<string, number>;
}

export class BroadcastWorld {
  readonly requests: Request[] = [];
  readonly heard = new Map<string, Heard>();
  readonly violations: string[] = [];
  /** What new requests are answered at once; null: they stay open. */
  standing: AnswerKind | null = null;
  isReachable = true;
  /** What the present step is allowed to undo. */
  mayLift = false;
  mayResume = new Set<number>();
  readonly #phones: readonly string[];
  #known: Known = {
    optedOut: new Set(),
    finished: new Set(),
    resting: new Set(),
    closed: new Set(),
    personOf: new Map(),
  };

  constructor(phones: readonly string[]) {
    this.#phones = phones;
  }

  /** One server's network. After `cut()` nothing reaches the network any more: the process is dead. */
  connect(app: () => TestServer, clock: TestClock): { network: Network; cut: () => void } {
    let isCut = false;
    const network: Network = {
      name: "simulator",
      parse: parseCallback,
      isReachable: async () => this.isReachable,
      send: async (handover, timeoutMs) => {
        if (isCut) return unknown;
        return this.#take(app(), clock, handover, timeoutMs);
      },
    };
    return {
      network,
      cut: () => {
        isCut = true;
      },
    };
  }

  get open(): Request[] {
    return this.requests.filter(({ outcome }) => outcome === null);
  }

  answer(request: Request, kind: AnswerKind): void {
    const another = this.#phones[(this.#phones.indexOf(request.to) + 1) % this.#phones.length] ?? request.to;
    const handover = { reference: request.reference, to: request.to } as Handover;
    request.give(outcomeOf(kind, handover, another));
  }

  hear(reference: string, status: string): void {
    const heard = this.heard.get(reference) ?? { statuses: new Set() };
    heard.statuses.add(status);
    this.heard.set(reference, heard);
  }

  #take(app: TestServer, clock: TestClock, handover: Handover, timeoutMs: number): Promise<Outcome> {
    const { promise, resolve } = Promise.withResolvers<Outcome>();
    const to = handover.to ?? "";
    const row = rowOf(app, handover.reference);
    const request: Request = {
      reference: handover.reference,
      to,
      broadcastId: row?.broadcastId ?? null,
      outcome: null,
      give: (outcome) => {
        if (request.outcome !== null) return;
        request.outcome = outcome;
        limit.cancel();
        resolve(outcome);
      },
    };
    // A network that never answers is one that did not answer in time.
    const limit = clock.setTimer(timeoutMs, () => request.give(unknown));
    this.#judge(request, row);
    this.requests.push(request);
    if (this.standing !== null) this.answer(request, this.standing);
    return promise;
  }

  #judge(request: Request, row: Message | undefined): void {
    const { reference, to, broadcastId } = request;
    const complain = (what: string): void => void this.violations.push(`${what}: ${to} of broadcast ${broadcastId}`);
    if (row === undefined) complain("handed over without standing on the disk");
    else if (row.status !== "sending") complain(`handed over although its row says ${row.status}`);
    const before = this.requests.filter((other) => other.reference === reference);
    const taken = before.filter(({ outcome }) => outcome === null || !isProofOfNothing(outcome));
    if (taken.length > 0) complain("handed over twice");
    if (this.#known.optedOut.has(to) && !this.mayLift) complain("handed over although opted out");
    if (this.#known.closed.has(reference)) complain("handed over although its end was known");
    if (broadcastId === null) return;
    if (this.#known.finished.has(broadcastId)) complain("handed over by a finished broadcast");
    if (this.#known.resting.has(broadcastId) && !this.mayResume.has(broadcastId)) {
      complain("handed over by a broadcast that rests until a person resumes it");
    }
    const person = this.#known.personOf.get(to);
    const isSame = (phone: string): boolean =>
      phone === to || (person !== undefined && this.#known.personOf.get(phone) === person);
    const others = this.requests.filter(
      (other) =>
        other.broadcastId === broadcastId &&
        other.reference !== reference &&
        isSame(other.to) &&
        (other.outcome === null || !isProofOfNothing(other.outcome)),
    );
    if (others.length > 0 && !this.isBirthday(broadcastId)) complain("a second message to the same person");
  }

  readonly birthdays = new Set<number>();
  isBirthday(id: number): boolean {
    return this.birthdays.has(id);
  }

  /** Looks at everything there is, and remembers what the next step begins with. */
  check(app: TestServer, when: string): void {
    try {
      expect(this.violations).toEqual([]);
      const sight = look(app);
      this.#known = knownOf(sight);
      checkFigures(sight);
      checkMoney(sight);
      checkEvents(sight);
      this.#checkRows(sight);
    } catch (error) {
      throw new Error(`${when}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
    }
  }

  /** What the network said of each person stands in its row. */
  #checkRows({ rows }: Sight): void {
    const wrong: string[] = [];
    for (const row of rows) {
      const heard = this.heard.get(row.reference)?.statuses ?? new Set();
      const hasArrived = heard.has("delivered") || heard.has("read");
      const isShownSo = row.status === "delivered" || row.status === "read";
      if (hasArrived !== isShownSo) wrong.push(`message ${row.id} is ${row.status}, reported: ${[...heard]}`);
      if (heard.has("sent") && ["pending", "queued", "sending", "skipped"].includes(row.status)) {
        wrong.push(`message ${row.id} is ${row.status} although the network has it`);
      }
    }
    expect(wrong).toEqual([]);
  }
}

function rowOf(app: TestServer, reference: string): Message | undefined {
  return app.store.read(({ db }) => db.select().from(messages).where(eq(messages.reference, reference)).get());
}

export interface Sight {
  broadcasts: Broadcast[];
  figures: BroadcastFigures[];
  rows: Message[];
  finishedEvents: number[];
  account: { credited: number; held: number; charged: number } | undefined;
  ledger: { kind: string; amount: number; broadcastId: number | null; messageId: number | null }[];
  people: { phone: string | null; id: number; consent: string; personId: number | null }[];
}

/** Everything in one view. */
export function look({ store }: TestServer): Sight {
  return store.read(({ db }) => ({
    broadcasts: db.select().from(broadcasts).orderBy(asc(broadcasts.id)).all(),
    figures: db.select().from(broadcastFigures).orderBy(asc(broadcastFigures.broadcastId)).all(),
    rows: db.select().from(messages).orderBy(asc(messages.id)).all(),
    finishedEvents: db
      .select({ body: events.body })
      .from(events)
      .where(eq(events.type, "broadcast.finished"))
      .all()
      .map(({ body }) => JSON.parse(body).data.broadcast.id),
    account: db.select().from(billingAccounts).get(),
    ledger: db.select().from(ledgerEntries).all(),
    people: db
      .select({ phone: contacts.phone, id: contacts.id, consent: contacts.consent, personId: contacts.personId })
      .from(contacts)
      .all(),
  }));
}

const FINISHED = ["completed", "cancelled", "failed"];
const BY_ITSELF = ["number", "workspace", "balance", "template", "unreachable"];

function knownOf({ broadcasts: all, rows, people }: Sight): Known {
  return {
    optedOut: new Set(
      people.flatMap(({ phone, consent }) => (phone !== null && consent === "opted_out" ? [phone] : [])),
    ),
    finished: new Set(all.filter(({ status }) => FINISHED.includes(status)).map(({ id }) => id)),
    resting: new Set(
      all
        .filter(({ status, pauseCause }) => status === "paused" && !BY_ITSELF.includes(pauseCause ?? ""))
        .map(({ id }) => id),
    ),
    closed: new Set(rows.filter(isClosed).map(({ reference }) => reference)),
    personOf: new Map(people.flatMap(({ phone, id, personId }) => (phone === null ? [] : [[phone, personId ?? id]]))),
  };
}

/** Only who waits, or whose request is still open, may be handed over (again). */
function isClosed({ status, outcomeUnknown }: Message): boolean {
  if (status === "sending") return outcomeUnknown;
  return status !== "pending" && status !== "queued";
}

function checkFigures({ broadcasts: all, figures, rows }: Sight): void {
  const shown = all.map(({ id, status }) => {
    const own = rows.filter(({ broadcastId }) => broadcastId === id);
    const isOver = FINISHED.includes(status);
    const count = (...states: string[]): number => own.filter((row) => states.includes(row.status)).length;
    const unsent = count("pending", "queued");
    return {
      id,
      toGo: isOver ? 0 : unsent,
      sending: count("sending"),
      sent: count("sent", "delivered", "read"),
      delivered: count("delivered", "read"),
      read: count("read"),
      failed: count("failed"),
      skipped: count("skipped") + (isOver ? unsent : 0),
      isFinished: isOver,
    };
  });
  const counted = figures.map(({ broadcastId, toGo, sending, sent, delivered, read, failed, skipped, isFinished }) => ({
    ...{ id: broadcastId, toGo, sending, sent, delivered, read, failed, skipped, isFinished },
  }));
  expect(counted).toEqual(shown);
}

/** For each broadcast and for the account: what is blocked, charged and booked. */
function checkMoney({ broadcasts: all, figures, rows, account, ledger }: Sight): void {
  const sum = (amounts: number[]): number => amounts.reduce((total, amount) => total + amount, 0);
  for (const one of figures) {
    const { broadcastId: id, rate, isHeld, held, charged, booked, settledAt } = one;
    const own = rows.filter(({ broadcastId }) => broadcastId === id);
    // Somebody revived by a report after their money was given back is open again, and nothing is held for them.
    const revived = own.filter(({ status, money }) => status === "sent" && money === "released").length;
    const open = one.toGo + one.sending + one.sent - one.delivered - revived;
    if (settledAt !== null) expect({ id, held }).toEqual({ id, held: 0 });
    else if (isHeld) expect({ id, held }).toEqual({ id, held: rate * open });
    expect({ id, charged }).toEqual({ id, charged: rate * one.delivered });
    expect({ id, charged: own.filter(({ money }) => money === "charged").length }).toEqual({
      id,
      charged: one.delivered,
    });
    const entries = (kind: string): number =>
      sum(ledger.filter((entry) => entry.kind === kind && entry.broadcastId === id).map(({ amount }) => amount));
    expect({ id, booked: entries("hold") }).toEqual({ id, booked });
    expect({ id, booked: entries("charge") }).toEqual({ id, booked: settledAt === null ? 0 : charged });
    // Whatever was booked and not charged by the end is given back; what is charged later still is not held.
    if (settledAt === null) expect(entries("release")).toBe(0);
    else expect(entries("release")).toBeGreaterThanOrEqual(Math.max(0, booked - charged));
    expect(held).toBeGreaterThanOrEqual(0);
    if (all.find((broadcast) => broadcast.id === id)?.status === undefined) throw new Error(`no broadcast ${id}`);
  }
  if (account === undefined) return;
  const singles = rows.filter(({ broadcastId }) => broadcastId === null);
  const ofSingles = (money: string): number =>
    sum(singles.filter((row) => row.money === money).map(({ rate }) => rate));
  expect({
    held: account.held,
    charged: account.charged,
    credited: account.credited,
  }).toEqual({
    held: ofSingles("held") + sum(figures.map(({ held }) => held)),
    charged: ofSingles("charged") + sum(figures.map(({ charged }) => charged)),
    credited: sum(ledger.filter(({ kind }) => kind === "credit").map(({ amount }) => amount)),
  });
}

function checkEvents({ figures, finishedEvents }: Sight): void {
  const settled = figures.filter(({ settledAt }) => settledAt !== null).map(({ broadcastId }) => broadcastId);
  expect(finishedEvents.toSorted((a, b) => a - b)).toEqual(settled);
}
