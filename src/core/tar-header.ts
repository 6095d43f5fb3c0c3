/**
 * The headers of tar archives, in the POSIX form ustar: of plain files with the mode 0600, without an owner and a time.
 * Sizes over 8 GB are in base 256, as GNU tar writes them.
 */
export const TAR_BLOCK = 512;

const NAME_BYTES = 100;
const SIZE_AT = 124;
const SUM_AT = 148;
const SUM_BYTES = 8;
const TYPE_AT = 156;
const OCTAL_MAX = 0o77777777777;
const BASE_256 = 0x80;

/** Throws if the name takes more than 100 bytes. */
export function tarHeader(name: string, bytes: number): Buffer {
  const block = Buffer.alloc(TAR_BLOCK);
  if (Buffer.byteLength(name) > NAME_BYTES) throw new Error(`the name ${name} is too long for an archive`);
  block.write(name, 0);
  block.write("0000600\0" + "0000000\0" + "0000000\0", NAME_BYTES);
  if (bytes <= OCTAL_MAX) block.write(`${bytes.toString(8).padStart(11, "0")}\0`, SIZE_AT);
  else {
    block[SIZE_AT] = BASE_256;
    block.writeBigUInt64BE(BigInt(bytes), SIZE_AT + 4);
  }
  block.write("00000000000\0", 136);
  block.write("0", TYPE_AT);
  block.write("ustar\u000000", 257);
  block.write(`${checksum(block).toString(8).padStart(6, "0")}\0 `, SUM_AT);
  return block;
}

interface TarHeader {
  name: string;
  bytes: number;
  /** `0` or empty: a plain file. */
  type: string;
}

/** Null: the block is not the header of an entry. */
export function readTarHeader(block: Buffer): TarHeader | null {
  const text = (from: number, length: number): string => {
    const field = block.toString("utf8", from, from + length);
    const end = field.indexOf("\0");
    return end === -1 ? field : field.slice(0, end);
  };
  if (Number.parseInt(text(SUM_AT, SUM_BYTES).trim(), 8) !== checksum(block)) return null;
  const bytes = sizeIn(block, text(SIZE_AT, 12).trim());
  return bytes === null ? null : { name: text(0, NAME_BYTES), bytes, type: text(TYPE_AT, 1) };
}

/** How many bytes follow a content of this size. */
export function tarPadding(bytes: number): number {
  return (TAR_BLOCK - (bytes % TAR_BLOCK)) % TAR_BLOCK;
}

function sizeIn(block: Buffer, text: string): number | null {
  if (block[SIZE_AT] === BASE_256) {
    const bytes = Number(block.readBigUInt64BE(SIZE_AT + 4));
    return Number.isSafeInteger(bytes) ? bytes : null;
  }
  return /^[0-7]{1,11}$/.test(text) ? Number.parseInt(text, 8) : null;
}

/** The sum of the header's bytes, with its own field as spaces. */
function checksum(block: Buffer): number {
  return block.reduce((sum, byte, at) => sum + (at >= SUM_AT && at < SUM_AT + SUM_BYTES ? 0x20 : byte), 0);
}
