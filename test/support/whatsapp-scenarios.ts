/**
 * Scenarios of single messages on an installation that charges and delivers events: one message to one person, whose
 * end is checked on every side (its state, its events, the money, the requests), and which request came next.
 */
import { expect } from "bun:test";
import type { AcceptedMessage, StatusName } from "./graph.ts";
import { type Answer, until, type WhatsappProcess } from "./whatsapp-process.ts";

/** The price of a message, in millionths. */
export const RATE = 10_000;

interface MessageRow {
  id: number;
  status: string;
  error_code: string | null;
  money: string;
  send_token: string;
}

interface End {
  /** Null: there is no message. */
  status: string | null;
  code: string | null;
  money: string | null;
  /** Since the scenario began. */
  held: number;
  charged: number;
  /** All events that the receiver got about this person, in the order in which they happened. */
  events: string[];
  /** New send requests for this person. */
  requests: number;
  /** Other recipients sent to meanwhile, once each. */
  others?: string[];
}

export const NEVER = { status: null, code: null, money: null, held: 0, charged: 0, events: [] };
export const SENT = { status: "sent", code: null, money: "held", held: RATE, charged: 0, events: ["message.sent"] };
export const DELIVERED = {
  ...{ status: "delivered", code: null, money: "charged", held: 0, charged: RATE },
  events: ["message.sent", "message.delivered"],
};

interface Scenario {
  to: string;
  ends(end: End): Promise<void>;
}

export class Scenarios {
  readonly #shop: WhatsappProcess;
  readonly #template: string;
  readonly #expected = new Map<string, Pick<End, "events" | "requests">>();
  #people = 0;

  /** `template`: takes one value. */
  constructor(shop: WhatsappProcess, template: string) {
    this.#shop = shop;
    this.#template = template;
  }

  nextPerson(): string {
    this.#people += 1;
    return `+49151${String(20_000_000 + this.#people)}`;
  }

  /** One message to one person, whose end is checked on every side. */
  begin(person = this.nextPerson()): Scenario {
    const before = this.counters();
    let seen = this.#shop.graph.requests.length;
    // Excludes the messages to others that mark the end of each check.
    let heldByOthers = 0;
    let requestCount = 0;
    return {
      to: person,
      ends: async ({ status, code, money, held, charged, events, requests, others = [] }) => {
        await until(`${person} is ${status}`, () => (this.messageOf(person)?.status ?? null) === status);
        await this.untilHeard(person, events.length);
        expect(this.eventsOf(person)).toEqual(events);
        const message = this.messageOf(person);
        expect([message?.error_code ?? null, message?.money ?? null]).toEqual([code, money]);
        const now = this.counters();
        const difference = { held: now.held - before.held - heldByOthers, charged: now.charged - before.charged };
        expect(difference).toEqual({ held, charged });
        requestCount += requests;
        this.expectAtTheEnd(person, events, requestCount);
        // A repeated send without cause would arrive before the next message, or show in `expectKept`.
        const next = this.nextPerson();
        expect((await this.send(next)).status).toBe(201);
        heldByOthers += RATE;
        const target = [...Array<string>(requests).fill(person), ...others, next];
        expect(this.requestsFrom(seen).map((request) => request.to)).toEqual(target);
        seen = this.#shop.graph.requests.length;
      },
    };
  }

  /** Remembers the expected totals, which `expectKept` compares at the end. */
  expectAtTheEnd(person: string, events: string[], requests: number): void {
    this.#expected.set(person, { events, requests });
  }

  /** Since the scenarios ended, no person was sent to again and no further event was delivered. */
  expectKept(): void {
    for (const [to, { events, requests }] of this.#expected) {
      expect({ to, events: this.eventsOf(to) }).toEqual({ to, events });
      const count = this.requestsFrom(0).filter((request) => request.to === to).length;
      expect({ to, requests: count }).toEqual({ to, requests });
    }
    expect(this.#expected.size).toBeGreaterThanOrEqual(20);
  }

  /** With an idempotency key per person: the second call is the caller's retry. */
  send(to: string): Promise<Answer> {
    const body = { to, template: this.#template, variables: ["Anna"] };
    const headers = { "Idempotency-Key": `to ${to}` };
    return this.#shop.call("POST", "/messages", { body, headers });
  }

  requestsFrom(index: number): { to: string; reference: string }[] {
    return this.#shop.graph.requests.slice(index).map(({ body }) => {
      const { to, biz_opaque_callback_data: reference } = body as { to: string; biz_opaque_callback_data: string };
      return { to, reference };
    });
  }

  /**
   * The events that the receiver got about this person, in the order in which they happened, which may differ from the
   * order of delivery.
   */
  eventsOf(person: string): string[] {
    const places = new Map(
      this.#shop.rows<{ id: string; seq: number }>("SELECT id, seq FROM events").map(({ id, seq }) => [id, seq]),
    );
    return this.#heardOf(person)
      .sort((one, other) => (places.get(one.id) ?? 0) - (places.get(other.id) ?? 0))
      .map(({ type }) => type);
  }

  untilHeard(person: string, count: number): Promise<void> {
    return until(`the receiver is told of ${person}`, () => this.#heardOf(person).length >= count);
  }

  #heardOf(person: string): { id: string; type: string }[] {
    return this.#shop.receiver.received
      .map(({ event }) => event)
      .filter(({ data }) => data.message?.to === person || data.contact?.phone === person);
  }

  /** Held and charged, in millionths. */
  counters(): { held: number; charged: number } {
    const [account] = this.#shop.rows<{ held: number; charged: number }>("SELECT held, charged FROM billing_accounts");
    return account ?? { held: Number.NaN, charged: Number.NaN };
  }

  /** The last message to this person. */
  messageOf(to: string): MessageRow | undefined {
    const query = `SELECT id, status, error_code, money, send_token FROM messages WHERE to_phone = '${to}' ORDER BY id`;
    return this.#shop.rows<MessageRow>(query).at(-1);
  }

  acceptedOf(to: string): AcceptedMessage {
    const message = this.#shop.accepted(to).at(-1);
    if (message === undefined) throw new Error(`nothing to ${to} was accepted`);
    return message;
  }

  /** The network reports a status of the last message to this person. Returns the HTTP status. */
  postStatus(to: string, name: StatusName, more: object = {}): Promise<number> {
    return this.#shop.hear(this.#shop.graph.status(this.acceptedOf(to), name, more));
  }

  untilApplied(): Promise<void> {
    const isOpen = () => this.#shop.rows("SELECT id FROM callbacks WHERE done_at IS NULL").length > 0;
    return until("every callback is applied", () => !isOpen());
  }
}
