/** Reads one file out of a tar archive, without unpacking anything: names and links inside it have no effect. */

const BLOCK_BYTES = 512;
const FILE_TYPES = ["0", "\0", ""];

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
      const header = await reader.take(BLOCK_BYTES);
      if (header === null || header.every((byte) => byte === 0)) return null;
      const { base, size, isFile } = readHeader(header);
      if (size === null) return null;
      if (isFile && base === name) return reader.pieces(size);
      await reader.skip(Math.ceil(size / BLOCK_BYTES) * BLOCK_BYTES);
    }
  } catch {
    // A broken gzip stream, for example.
    return null;
  }
}

function readHeader(header: Buffer): { base: string; size: number | null; isFile: boolean } {
  const text = (from: number, length: number): string => {
    const field = header.toString("utf8", from, from + length);
    const end = field.indexOf("\0");
    return end === -1 ? field : field.slice(0, end);
  };
  const base = text(0, 100).split("/").at(-1) ?? "";
  const size = text(124, 12).trim();
  const sum = header.reduce((total, byte, at) => total + (at >= 148 && at < 156 ? 0x20 : byte), 0);
  const isHeader = Number.parseInt(text(148, 8).trim(), 8) === sum;
  return {
    base,
    size: isHeader && /^[0-7]{1,11}$/.test(size) ? Number.parseInt(size, 8) : null,
    isFile: FILE_TYPES.includes(text(156, 1)),
  };
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
