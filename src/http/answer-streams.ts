/**
 * Answers that are made while they are sent. A connection gets its next piece when it has taken the last one, and when it
 * is its workspace's turn. So a reader that does not read holds one piece; where the pieces of a workspace or of all
 * together are too many, the connection that has not read for longest is closed.
 */
import type { Clock } from "#src/core/clock.ts";
import type { Turns } from "#src/core/turns.ts";
import { ROWS_PER_TOKEN } from "./rate-limit.ts";
import { PIECE_SIZE, type Pieces } from "./rows.ts";

/** Bytes that connections have not taken. */
const UNSENT_MAX = { workspace: 8 * 1024 * 1024, all: 64 * 1024 * 1024 };

interface StreamedAnswer {
  /** 0: of no workspace. */
  workspaceId: number;
  first: string;
  pieces: Pieces;
  /** Resolves when the caller's limit allows so many tokens more. */
  pay: (tokens: number) => Promise<void>;
  /** Closes the connection, whatever waits in it. */
  close: () => void;
}

interface Stream {
  workspaceId: number;
  unsent: number;
  /** When it got the piece that it has not taken. */
  since: number;
  close: () => void;
}

export class AnswerStreams {
  readonly #turns: Turns;
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #streams = new Set<Stream>();

  constructor(turns: Turns, clock: Pick<Clock, "monotonic">) {
    this.#turns = turns;
    this.#clock = clock;
  }

  open({ workspaceId, first, pieces, pay, close }: StreamedAnswer): ReadableStream<Uint8Array> {
    const encoder = new TextEncoder();
    const stream: Stream = { workspaceId, unsent: 0, since: 0, close };
    this.#streams.add(stream);
    let bytes = 0;
    let paid = Math.floor(pieces.rowCount / ROWS_PER_TOKEN);
    let held: string | null = first;
    const payForBytes = async (): Promise<void> => {
      const owed = Math.floor(bytes / PIECE_SIZE) - paid;
      if (owed <= 0) return;
      paid += owed;
      await pay(owed);
    };
    return new ReadableStream<Uint8Array>(
      {
        pull: async (controller) => {
          stream.unsent = 0;
          try {
            if (!this.#streams.has(stream)) throw new Error("the connection was read too slowly");
            await payForBytes();
            if (held === null && pieces.isDone) {
              this.#streams.delete(stream);
              controller.close();
              return;
            }
            const piece = encoder.encode(held ?? (await this.#turns.take(workspaceId, () => pieces.next())));
            held = null;
            bytes += piece.length;
            controller.enqueue(piece);
            Object.assign(stream, { unsent: piece.length, since: this.#clock.monotonic() });
            this.#closeSlowest(workspaceId);
          } catch (error) {
            this.#streams.delete(stream);
            controller.error(error);
          }
        },
        cancel: () => void this.#streams.delete(stream),
      },
      { highWaterMark: 0 },
    );
  }

  #closeSlowest(workspaceId: number): void {
    const all = [...this.#streams].filter(({ unsent }) => unsent > 0).sort((a, b) => a.since - b.since);
    const own = all.filter((stream) => stream.workspaceId === workspaceId);
    for (const [streams, max] of [
      [own, UNSENT_MAX.workspace],
      [all, UNSENT_MAX.all],
    ] as const) {
      let sum = streams.reduce((bytes, { unsent }) => bytes + unsent, 0);
      for (const stream of streams) {
        if (sum <= max) break;
        sum -= stream.unsent;
        this.#streams.delete(stream);
        stream.close();
      }
    }
  }
}
