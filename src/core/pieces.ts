/** Bytes in pieces, so that memory stays bounded whatever their number: read from an open file, and handed to a library. */
import { readSync } from "node:fs";

const PIECE_BYTES = 256 * 1024;

/** The bytes of an open file between two places. */
export function* piecesFrom(handle: number, from = 0, until = Number.POSITIVE_INFINITY): Generator<Uint8Array> {
  for (let at = from; at < until; ) {
    const piece = new Uint8Array(Math.min(PIECE_BYTES, until - at));
    const length = readSync(handle, piece, 0, piece.length, at);
    if (length === 0) return;
    at += length;
    yield piece.subarray(0, length);
  }
}

/**
 * A stream of pieces for a library that decodes it: remembers the error with which the pieces ended, which is then not a
 * fault of what is decoded.
 */
export class SourceStream {
  readonly stream: ReadableStream<Uint8Array>;
  /** Null: the pieces have not failed. */
  fault: unknown = null;

  constructor(pieces: AsyncIterable<Uint8Array>) {
    const iterator = pieces[Symbol.asyncIterator]();
    this.stream = new ReadableStream<Uint8Array>(
      {
        pull: async (controller) => {
          const next = await iterator.next().catch((error: unknown) => {
            this.fault = error;
            throw error;
          });
          if (next.done === true) controller.close();
          else controller.enqueue(next.value);
        },
        cancel: async () => void (await iterator.return?.()),
      },
      { highWaterMark: 1 },
    );
  }
}
