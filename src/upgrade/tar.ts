/** Reads one file out of a tar archive, without unpacking anything: names and links inside it have no effect. */
import { readTarHeader, TAR_BLOCK, tarPadding } from "#src/core/tar-header.ts";

const FILE_TYPES = ["0", ""];

/**
 * The file with this base name; the first one if there are several. Null: there is none, or the stream is not an archive.
 */
export async function readTarFile(
  stream: AsyncIterable<Uint8Array>,
  name: string,
): Promise<AsyncIterable<Uint8Array> | null> {
  const reader = new Blocks(stream);
  try {
    for (;;) {
      const block = await reader.take(TAR_BLOCK);
      // The archive ends with empty blocks, which are no header either.
      const header = block === null ? null : readTarHeader(block);
      if (header === null) return null;
      const isFile = FILE_TYPES.includes(header.type);
      if (isFile && header.name.split("/").at(-1) === name) return reader.pieces(header.bytes);
      await reader.skip(header.bytes + tarPadding(header.bytes));
    }
  } catch {
    // A broken gzip stream, for example.
    return null;
  }
}

/** Cuts a stream into pieces of a wanted length. */
class Blocks {
  readonly #parts: AsyncIterator<Uint8Array>;
  #rest: Uint8Array = new Uint8Array();

  constructor(stream: AsyncIterable<Uint8Array>) {
    this.#parts = stream[Symbol.asyncIterator]();
  }

  /** Null: the stream ends before. */
  async take(length: number): Promise<Buffer | null> {
    const parts: Uint8Array[] = [];
    for await (const part of this.pieces(length)) parts.push(part);
    const taken = Buffer.concat(parts);
    return taken.length === length ? taken : null;
  }

  async skip(length: number): Promise<void> {
    for await (const _ of this.pieces(length));
  }

  async *pieces(length: number): AsyncGenerator<Uint8Array> {
    let left = length;
    while (left > 0) {
      if (this.#rest.length === 0) {
        const { value, done } = await this.#parts.next();
        if (done) return;
        this.#rest = value;
      }
      const part = this.#rest.subarray(0, left);
      this.#rest = this.#rest.subarray(part.length);
      left -= part.length;
      yield part;
    }
  }
}
