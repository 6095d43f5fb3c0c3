/**
 * Reads a body whose sender is not known yet: a callback before its signature is verified, or a sign-in form. All such
 * bodies share one memory budget, and each must arrive at a minimum rate.
 */
import type { Clock, Timer } from "#src/core/clock.ts";
import { type BodyBudget, type Release, SMALL_BODY_BYTES } from "./body-budget.ts";

/** `no_room`: the server holds as many such bodies as it may; the sender may try again later. */
export type BodyFault = "too_large" | "cut_short" | "too_slow" | "no_room";

export class BodyRefusal extends Error {
  override readonly name = "BodyRefusal";
  readonly fault: BodyFault;

  constructor(fault: BodyFault) {
    super(`the body was refused: ${fault}`);
    this.fault = fault;
  }
}

/** When a sender that got `no_room` should try again. */
export const NO_ROOM_RETRY_MS = 5_000;

/** How long the connection of a refused body stays open, in seconds, so that the sender can read the answer. */
export const LINGER_S = 5;

/** Minimum average rate of a body after its grace period. */
const BYTES_PER_SECOND_MIN = 64 * 1024;
/** A small body takes little memory, and one lost packet must not refuse it: its grace period is longer. */
const SMALL_GRACE_MS = 10_000;
const LARGE_GRACE_MS = 3_000;
const CHECK_EVERY_MS = 1_000;
const TIME_LIMIT_MS = 30_000;

export interface UnverifiedBodies {
  budget: BodyBudget;
  clock: Clock;
  /** Whether large bodies of this sender are read at this moment. */
  mayReadLarge?: () => boolean;
}

/**
 * Passes the whole body to `use` and returns its result. The bytes are freed afterwards: `use` must not keep them.
 * Throws `BodyRefusal`.
 */
export async function withUnverifiedBody<T>(
  request: Request,
  maxBytes: number,
  bodies: UnverifiedBodies,
  use: (body: Uint8Array) => T,
): Promise<T> {
  const announced = announcedBytes(request);
  if (announced !== null && announced > maxBytes) throw new BodyRefusal("too_large");
  const reading = new Reading(request, bodies);
  try {
    return use(await reading.read(announced, maxBytes));
  } finally {
    reading.close();
  }
}

/** Not announced as small. */
export function mayBeLarge(request: Request): boolean {
  const announced = announcedBytes(request);
  return announced === null ? request.body !== null : announced > SMALL_BODY_BYTES;
}

function announcedBytes({ headers }: Request): number | null {
  const text = headers.get("content-length");
  return text === null ? null : Number(text);
}

interface BodyReader {
  read(): Promise<{ done: boolean; value?: Uint8Array | undefined }>;
  cancel(): Promise<void>;
}

class Reading {
  readonly #request: Request;
  readonly #budget: BodyBudget;
  readonly #clock: Clock;
  readonly #mayReadLarge: () => boolean;
  readonly #failed = Promise.withResolvers<never>();
  #release: Release = () => undefined;
  #timer: Timer | null = null;
  #reader: BodyReader | null = null;
  #bytes = new Uint8Array();
  #size = 0;

  constructor(request: Request, { budget, clock, mayReadLarge = () => true }: UnverifiedBodies) {
    this.#request = request;
    this.#mayReadLarge = mayReadLarge;
    this.#budget = budget;
    this.#clock = clock;
    // It may reject while nothing awaits it.
    this.#failed.promise.catch(() => undefined);
  }

  async read(announced: number | null, maxBytes: number): Promise<Uint8Array> {
    const beginning = announced ?? Math.min(maxBytes, SMALL_BODY_BYTES);
    await this.#reserve(beginning);
    if (announced !== null && announced <= SMALL_BODY_BYTES) return this.#readWhole(announced);
    if (this.#request.body === null) return new Uint8Array();
    this.#reader = this.#request.body.getReader();
    this.#bytes = new Uint8Array(beginning);
    for (let chunk = await this.#next(); chunk !== null; chunk = await this.#next()) {
      try {
        if (this.#size + chunk.byteLength > this.#bytes.byteLength) await this.#grow(chunk, announced, maxBytes);
        this.#bytes.set(chunk, this.#size);
        this.#size += chunk.byteLength;
      } finally {
        freeNow(chunk);
      }
    }
    if (announced !== null && this.#size !== announced) throw new BodyRefusal("cut_short");
    return this.#bytes.subarray(0, this.#size);
  }

  /**
   * Cheaper than reading chunks. If the request is answered early, the runtime drops what it has of the unfinished
   * body.
   */
  async #readWhole(announced: number): Promise<Uint8Array> {
    const bytes = new Uint8Array(await this.#unlessFailed(this.#request.arrayBuffer()));
    if (bytes.byteLength !== announced) throw new BodyRefusal("cut_short");
    return bytes;
  }

  /** Releases the memory and makes the runtime discard the rest of the body. */
  close(): void {
    this.#timer?.cancel();
    freeNow(this.#bytes);
    this.#release();
    this.#reader?.cancel().catch(() => undefined);
  }

  async #grow(chunk: Uint8Array, announced: number | null, maxBytes: number): Promise<void> {
    if (this.#size + chunk.byteLength > maxBytes || announced !== null) throw new BodyRefusal("too_large");
    // Reserves the maximum at once: bodies that grew step by step could wait for each other forever.
    await this.#reserve(maxBytes);
    const longer = new Uint8Array(maxBytes);
    longer.set(this.#bytes.subarray(0, this.#size));
    this.#bytes = longer;
  }

  /** Replaces the previous reservation, which is held until the new one is granted. */
  async #reserve(bytes: number): Promise<void> {
    this.#timer?.cancel();
    const releaseBefore = this.#release;
    if (bytes <= SMALL_BODY_BYTES) {
      this.#release = this.#budget.reserveSmall(bytes, () => this.#fail("no_room"));
    } else {
      const granted = this.#mayReadLarge() ? await this.#budget.reserveLarge(bytes) : null;
      if (granted === null) throw new BodyRefusal("no_room");
      this.#release = granted;
      releaseBefore();
      // Another body of the sender may have failed meanwhile.
      if (!this.#mayReadLarge()) throw new BodyRefusal("no_room");
    }
    this.#watch(bytes <= SMALL_BODY_BYTES ? SMALL_GRACE_MS : LARGE_GRACE_MS);
  }

  #watch(graceMs: number): void {
    const startedAt = this.#clock.monotonic();
    const sizeBefore = this.#size;
    const check = (): void => {
      const elapsedMs = this.#clock.monotonic() - startedAt;
      const rate = ((this.#size - sizeBefore) / elapsedMs) * 1_000;
      if (rate < BYTES_PER_SECOND_MIN || elapsedMs >= TIME_LIMIT_MS) this.#fail("too_slow");
      else this.#timer = this.#clock.setTimer(CHECK_EVERY_MS, check);
    };
    this.#timer = this.#clock.setTimer(graceMs, check);
  }

  /** Null at the end of the body. */
  async #next(): Promise<Uint8Array | null> {
    const part = await this.#unlessFailed(this.#reader?.read());
    return part?.value ?? null;
  }

  async #unlessFailed<T>(reading: T | Promise<T>): Promise<T> {
    try {
      return await Promise.race([reading, this.#failed.promise]);
    } catch (error) {
      throw error instanceof BodyRefusal ? error : new BodyRefusal("cut_short");
    }
  }

  #fail(fault: BodyFault): void {
    this.#failed.reject(new BodyRefusal(fault));
  }
}

/**
 * Frees a large buffer now. Left to the garbage collector, dead buffers would exceed the budget by dozens of megabytes.
 */
function freeNow({ buffer }: Uint8Array): void {
  if (buffer.byteLength > SMALL_BODY_BYTES && buffer instanceof ArrayBuffer) buffer.transfer(0);
}
