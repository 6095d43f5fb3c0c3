/** Streams of server-sent events: how many may be open at once, and the answer that carries one. */
import { Problem } from "#src/core/problem.ts";

/** Streams that may be open at once. */
const STREAMS_MAX = { workspace: 200, user: 20, address: 100 };

/** What a client may leave unread. Then its stream ends, and it reconnects. */
const UNREAD_MAX_BYTES = 256 * 1024;

interface Holders {
  workspaceId: number;
  userId: number;
  address: string;
}

/** How many streams each workspace, user and address has open. */
export class StreamPlaces {
  readonly #held = new Map<string, number>();

  /** Returns what gives the place back. Throws `rate_limited` where one of the holders has too many streams already. */
  take({ workspaceId, userId, address }: Holders): () => void {
    const holders = [
      [`workspace ${workspaceId}`, STREAMS_MAX.workspace],
      [`user ${userId}`, STREAMS_MAX.user],
      [`address ${address}`, STREAMS_MAX.address],
    ] as const;
    if (holders.some(([name, max]) => (this.#held.get(name) ?? 0) >= max)) {
      throw new Problem("rate_limited", "Too many live views are open: close some of them.");
    }
    const add = (count: number): void => {
      for (const [name] of holders) {
        const held = (this.#held.get(name) ?? 0) + count;
        if (held === 0) this.#held.delete(name);
        else this.#held.set(name, held);
      }
    };
    add(1);
    return () => add(-1);
  }
}

/** One event as it is sent. */
export function eventText(name: string, data: unknown): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** A proxy cuts a silent stream, so this is sent now and then. */
export const COMMENT = ": still here\n\n";

/** What an open stream is given. */
export interface EventSink {
  send: (text: string) => void;
  /** Ends the stream. */
  end: () => void;
}

/**
 * A stream that ends when the client disconnects, when it reads too slowly, or when `signal` aborts. `open` is called once, and
 * returns what is done when the stream has ended.
 */
export function answerEvents(signal: AbortSignal, open: (sink: EventSink) => () => void): Response {
  const encoder = new TextEncoder();
  let end = (): void => undefined;
  const body = new ReadableStream<Uint8Array>(
    {
      start: (controller) => {
        let onEnd: (() => void) | null = null;
        let isEnded = false;
        end = () => {
          if (isEnded) return;
          isEnded = true;
          onEnd?.();
          try {
            controller.close();
          } catch {
            // The client has closed it already.
          }
        };
        const send = (text: string): void => {
          if (isEnded) return;
          try {
            controller.enqueue(encoder.encode(text));
            if ((controller.desiredSize ?? 0) <= 0) end();
          } catch {
            end();
          }
        };
        signal.addEventListener("abort", () => end());
        onEnd = open({ send, end: () => end() });
        if (isEnded) onEnd();
        else if (signal.aborted) end();
      },
      cancel: () => end(),
    },
    new ByteLengthQueuingStrategy({ highWaterMark: UNREAD_MAX_BYTES }),
  );
  return new Response(body, {
    headers: {
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-store",
      "x-accel-buffering": "no",
    },
  });
}
