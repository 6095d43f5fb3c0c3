/**
 * A shop's program, as its developer would write it from the API's reference alone: it sends one message for each
 * order, repeats what failed as the errors say, follows the event log, and asks by reference for the outcome of the rest.
 * It knows nothing of the server but its answers.
 */

interface Reply {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: the program reads what the reference documents.
  body: any;
  headers: Headers;
}

/** Rejects if the connection fails. */
export type CallApi = (
  method: string,
  path: string,
  options?: { body?: unknown; headers?: Record<string, string> },
) => Promise<Reply>;

export interface Order {
  reference: string;
  to: string;
}

/** What the shop knows about an order. */
export interface Known {
  /** `refused`: no message was accepted. `failed`: a message was, and did not arrive as far as is known. */
  state: "open" | "refused" | "sent" | "delivered" | "read" | "failed";
  /** Ids of the messages of this order, as the list shows them at the end. */
  messages: number[];
}

const TRIES_MAX = 5;
const PAUSE_MS = 50;
const RANK = ["open", "refused", "failed", "sent", "delivered", "read"] as const;

export class ShopProgram {
  readonly #call: CallApi;
  readonly #orders: readonly Order[];
  readonly known = new Map<string, Known>();
  #next = 0;
  #cursor: string | null = null;
  #isOver = false;
  eventCount = 0;

  constructor(call: CallApi, orders: readonly Order[]) {
    this.#call = call;
    this.#orders = orders;
    for (const { reference } of orders) this.known.set(reference, { state: "open", messages: [] });
  }

  get sentCount(): number {
    return this.#next;
  }

  /** Sends for every order, several at a time, and follows the events meanwhile. */
  async send(concurrency: number): Promise<void> {
    const follower = this.#follow();
    await Promise.all(Array.from({ length: concurrency }, () => this.#work()));
    this.#isOver = true;
    await follower;
  }

  async #work(): Promise<void> {
    for (let order = this.#orders[this.#next++]; order !== undefined; order = this.#orders[this.#next++]) {
      await this.#place(order);
    }
  }

  async #place({ reference, to }: Order): Promise<void> {
    let keys = 1;
    for (let tries = 0; ; ) {
      const request = {
        body: { to, template: "greeting", variables: ["Asha"], reference },
        headers: { "idempotency-key": `${reference}-${keys}` },
      };
      const reply = await this.#call("POST", "/messages", request).catch(() => null);
      if (reply === null) {
        // The connection failed: the same key never sends twice.
        await Bun.sleep(PAUSE_MS);
        continue;
      }
      if (reply.status === 201) return this.#learn(reference, reply.body.data.status);
      const { outcome, retryable, retry_key } = reply.body.error;
      // The message may have arrived: an event or the list will tell.
      if (outcome === "unknown" && reply.status === 502) return;
      tries += 1;
      if (outcome !== "unknown" && (!retryable || tries === TRIES_MAX)) return this.#learn(reference, "refused");
      if (retry_key === "new") keys += 1;
      const seconds = Number(reply.headers.get("retry-after") ?? 0);
      await Bun.sleep(Math.max(PAUSE_MS, Math.min(seconds * 1_000, 1_000)));
    }
  }

  async #follow(): Promise<void> {
    while (!this.#isOver) {
      const after = this.#cursor === null ? "" : `&after=${this.#cursor}`;
      const reply = await this.#call("GET", `/events?wait=1&per_page=500${after}`).catch(() => null);
      if (reply?.status === 200) this.#readEvents(reply);
      else if (reply?.body?.error?.oldest !== undefined) this.#cursor = reply.body.error.oldest;
      else await Bun.sleep(PAUSE_MS);
    }
  }

  #readEvents({ body }: Reply): void {
    this.#cursor = body.meta.next;
    for (const { type, data } of body.data) {
      this.eventCount += 1;
      if (type.startsWith("message.") && data.message.reference != null) {
        this.#learn(data.message.reference, data.message.status);
      }
    }
  }

  #learn(reference: string, state: Known["state"]): void {
    const order = this.known.get(reference);
    if (order !== undefined && RANK.indexOf(state) > RANK.indexOf(order.state)) order.state = state;
  }

  /** Asks for every order what was accepted under its reference; returns the references that are still open. */
  async reconcile(): Promise<string[]> {
    const open: string[] = [];
    for (const { reference } of this.#orders) {
      const { body } = await this.#call("GET", `/messages?reference=${encodeURIComponent(reference)}`);
      const order = this.known.get(reference);
      if (order === undefined) continue;
      order.messages = body.data.map(({ id }: { id: number }) => id);
      for (const { status } of body.data) this.#learn(reference, status);
      const isNothing = body.meta.total === 0 && body.meta.pending === 0;
      if (isNothing && order.state === "open") order.state = "refused";
      if (body.meta.pending > 0 || order.state === "open" || order.state === "sent") open.push(reference);
    }
    return open;
  }
}
