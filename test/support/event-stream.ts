/** A stream of server-sent events on a real socket, with every frame that came. */
import { expect } from "bun:test";

export interface Frame {
  name: string;
  // biome-ignore lint/suspicious/noExplicitAny: each event has its own shape, which the test asserts
  data: any;
  /** When it arrived, in real milliseconds. */
  at: number;
}

export interface OpenStream {
  frames: Frame[];
  /** All bytes so far. */
  bytes: () => number;
  /** Resolves to the first frame from position `from` on that holds; fails after 10 real seconds. */
  frame: (holds: (frame: Frame) => boolean, from?: number) => Promise<Frame>;
  /** Resolves when the server has ended the stream. */
  ended: Promise<void>;
  close: () => Promise<void>;
}

const WAIT_MAX_MS = 10_000;

/** Throws for an answer that is not a stream. */
export async function openEvents(url: string, cookie: string): Promise<OpenStream> {
  const leaving = new AbortController();
  const response = await fetch(url, { headers: { cookie }, signal: leaving.signal });
  expect([response.status, response.headers.get("content-type")]).toEqual([200, "text/event-stream; charset=utf-8"]);
  const frames: Frame[] = [];
  let bytes = 0;
  let notify = (): void => undefined;
  const read = async (): Promise<void> => {
    const decoder = new TextDecoder();
    let text = "";
    for await (const chunk of response.body ?? []) {
      bytes += chunk.length;
      const parts = (text + decoder.decode(chunk, { stream: true })).split("\n\n");
      text = parts.pop() ?? "";
      for (const part of parts) {
        const found = /^event: (\w+)\ndata: (.*)$/.exec(part);
        if (found === null) continue;
        frames.push({ name: found[1] ?? "", data: JSON.parse(found[2] ?? ""), at: performance.now() });
      }
      notify();
    }
  };
  const ended = read().catch(() => undefined);
  return {
    frames,
    bytes: () => bytes,
    ended,
    frame: async (holds, from = 0) => {
      const until = performance.now() + WAIT_MAX_MS;
      for (;;) {
        const found = frames.slice(from).find(holds);
        if (found !== undefined) return found;
        const left = until - performance.now();
        if (left <= 0) throw new Error(`no such frame among ${JSON.stringify(frames.slice(from))}`);
        await Promise.race([
          new Promise<void>((resolve) => {
            notify = resolve;
          }),
          Bun.sleep(left),
        ]);
      }
    },
    close: async () => {
      leaving.abort();
      await ended;
    },
  };
}
