/**
 * Puts the Opus packets of a recording into Ogg (RFC 3533 and 7845), as voice notes have them: most browsers record them in
 * WebM alone. Nothing is decoded or encoded. Pure.
 */

/** The elements of WebM whose content is read, and those that hold others. */
const CODEC_PRIVATE = 0x63a2;
const SIMPLE_BLOCK = 0xa3;
const BLOCK = 0xa1;
const HOLDERS: ReadonlySet<number> = new Set([0x18538067, 0x1f43b675, 0x1654ae6b, 0xae, 0xa0]);
/** Number of the track (one byte below 128 tracks), time, flags. */
const BLOCK_HEAD_BYTES = 4;
const LACING = 0x06;
const HEAD_NAME = "OpusHead";

/** Samples in a millisecond, whatever was recorded. */
const RATE = 48;
const PAGE_SEGMENTS_MAX = 255;
const SEGMENT_BYTES_MAX = 255;
/** Of one page, so that a player can seek. */
const PAGE_SAMPLES_MAX = 1_000 * RATE;
const FIRST = 2;
const LAST = 4;
const CRC_POLYNOMIAL = 0x04c11db7;
/** Of the only stream in the file. */
const SERIAL = 0x5758_564e;

interface Recording {
  /** The header of the codec, which both formats share. */
  head: Uint8Array;
  packets: Uint8Array[];
}

/** The file as Ogg; null: it holds no sound. Throws an `Error` if it is not WebM with Opus, or is cut off in its header. */
export function oggOfWebm(webm: Uint8Array): Uint8Array<ArrayBuffer> | null {
  const { head, packets } = readWebm(webm);
  return packets.length === 0 ? null : writeOgg(head, packets);
}

function readWebm(webm: Uint8Array): Recording {
  const packets: Uint8Array[] = [];
  let head: Uint8Array | null = null;
  let at = 0;
  while (at < webm.length) {
    const id = readNumber(webm, at, true);
    const size = readNumber(webm, at + id.length, false);
    at += id.length + size.length;
    if (HOLDERS.has(id.value)) continue;
    const content = webm.subarray(at, at + size.value);
    // The recorder ended in the middle of it.
    if (content.length < size.value) break;
    if (id.value === CODEC_PRIVATE) head ??= content;
    if (id.value === SIMPLE_BLOCK || id.value === BLOCK) packets.push(packetOf(content));
    at += size.value;
  }
  if (head === null || latin1(head.subarray(0, HEAD_NAME.length)) !== HEAD_NAME) throw new Error("this is not Opus");
  return { head, packets };
}

function packetOf(block: Uint8Array): Uint8Array {
  const flags = block[BLOCK_HEAD_BYTES - 1] ?? 0;
  if ((flags & LACING) !== 0) throw new Error("several packets share a block");
  return block.subarray(BLOCK_HEAD_BYTES);
}

/** A number whose first byte says how many follow. An unknown size is larger than any file. */
function readNumber(bytes: Uint8Array, at: number, keepsMark: boolean): { value: number; length: number } {
  const first = bytes[at] ?? 0;
  const length = Math.clz32(first) - 23;
  if (length > 8) throw new Error("this is not WebM");
  let value = keepsMark ? first : first & (0xff >> length);
  for (let next = 1; next < length; next += 1) value = value * 256 + (bytes[at + next] ?? 0);
  return { value, length };
}

function writeOgg(head: Uint8Array, packets: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const pages = [page(FIRST, 0, 0, [head]), page(0, 0, 1, [tags()])];
  let played = 0;
  let waiting: Uint8Array[] = [];
  let [segmentCount, samples] = [0, 0];
  const flush = (type: number) => {
    played += samples;
    pages.push(page(type, played, pages.length, waiting));
    waiting = [];
    [segmentCount, samples] = [0, 0];
  };
  for (const packet of packets) {
    const more = samplesOf(packet);
    if (segmentCount + segmentsOf(packet) > PAGE_SEGMENTS_MAX || samples + more > PAGE_SAMPLES_MAX) flush(0);
    waiting.push(packet);
    segmentCount += segmentsOf(packet);
    samples += more;
  }
  flush(LAST);
  return joined(pages);
}

/** The comments that the format requires: none, by this program. */
function tags(): Uint8Array {
  const name = "Waxwing";
  const text = new Uint8Array(8 + 4 + name.length + 4);
  text.set(bytesOf("OpusTags"));
  new DataView(text.buffer).setUint32(8, name.length, true);
  text.set(bytesOf(name), 12);
  return text;
}

/** `played`: samples up to its end. */
function page(type: number, played: number, number: number, packets: readonly Uint8Array[]): Uint8Array {
  const sizes = packets.flatMap(({ length }) => [
    ...Array.from({ length: Math.floor(length / SEGMENT_BYTES_MAX) }, () => SEGMENT_BYTES_MAX),
    length % SEGMENT_BYTES_MAX,
  ]);
  const head = new Uint8Array(27 + sizes.length);
  head.set(bytesOf("OggS"));
  head[5] = type;
  const view = new DataView(head.buffer);
  view.setBigUint64(6, BigInt(played), true);
  view.setUint32(14, SERIAL, true);
  view.setUint32(18, number, true);
  head[26] = sizes.length;
  head.set(sizes, 27);
  const whole = joined([head, ...packets]);
  new DataView(whole.buffer).setUint32(22, checksum(whole), true);
  return whole;
}

function segmentsOf({ length }: Uint8Array): number {
  return Math.floor(length / SEGMENT_BYTES_MAX) + 1;
}

/** By the first byte of a packet: how long a frame is; by the lowest two bits, how many there are. */
function samplesOf(packet: Uint8Array): number {
  const first = packet[0] ?? 0;
  const kind = first >> 3;
  const milliseconds =
    kind < 12
      ? ([10, 20, 40, 60][kind % 4] ?? 0)
      : kind < 16
        ? ([10, 20][kind % 2] ?? 0)
        : ([2.5, 5, 10, 20][kind % 4] ?? 0);
  const count = [1, 2, 2, (packet[1] ?? 0) & 0x3f][first & 3] ?? 0;
  return milliseconds * RATE * count;
}

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, index) => {
  let value = index << 24;
  for (let bit = 0; bit < 8; bit += 1) value = (value << 1) ^ (value < 0 ? CRC_POLYNOMIAL : 0);
  return value;
});

function checksum(bytes: Uint8Array): number {
  let sum = 0;
  for (const byte of bytes) sum = (sum << 8) ^ (CRC_TABLE[((sum >>> 24) ^ byte) & 0xff] ?? 0);
  return sum >>> 0;
}

function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((total, { length }) => total + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

function bytesOf(text: string): Uint8Array {
  return Uint8Array.from(text, (letter) => letter.charCodeAt(0));
}

function latin1(bytes: Uint8Array): string {
  return String.fromCharCode(...bytes);
}
