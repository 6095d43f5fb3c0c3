/**
 * Writes tar archives (ustar) that contain neither the time, the user nor the machine of the build: the same entries give
 * the same bytes everywhere.
 */
export interface Entry {
  /** Without a leading slash; a directory ends in one. At most 255 bytes. */
  path: string;
  mode: number;
  bytes?: Uint8Array;
  /** Of a symbolic link. */
  target?: string;
  /** User and group; root by default. */
  owner?: number;
}

const BLOCK_BYTES = 512;
const NAME_BYTES = 100;

/** `time`: seconds since the epoch, of every entry. */
export function tar(entries: readonly Entry[], time: number): Uint8Array {
  const parts = entries.flatMap((entry) => {
    const { bytes = new Uint8Array() } = entry;
    return [header(entry, bytes.length, time), bytes, new Uint8Array(padding(bytes.length))];
  });
  return Buffer.concat([...parts, new Uint8Array(2 * BLOCK_BYTES)]);
}

/** The directories above the paths, each once, parents first. */
export function directoriesOf(paths: readonly string[]): Entry[] {
  const directories = new Set<string>();
  for (const path of paths) {
    const parts = path.split("/").slice(0, -1);
    for (let count = 1; count <= parts.length; count++) directories.add(`${parts.slice(0, count).join("/")}/`);
  }
  return [...directories].sort().map((path) => ({ path, mode: 0o755 }));
}

function padding(length: number): number {
  return (BLOCK_BYTES - (length % BLOCK_BYTES)) % BLOCK_BYTES;
}

function header({ path, mode, target, owner = 0 }: Entry, size: number, time: number): Uint8Array {
  const block = Buffer.alloc(BLOCK_BYTES);
  const { name, prefix } = splitPath(path);
  block.write(name, 0);
  block.write(octal(mode, 7), 100);
  block.write(octal(owner, 7), 108);
  block.write(octal(owner, 7), 116);
  block.write(octal(size, 11), 124);
  block.write(octal(time, 11), 136);
  block.write(" ".repeat(8), 148);
  block.write(target === undefined ? (path.endsWith("/") ? "5" : "0") : "2", 156);
  block.write(target ?? "", 157);
  block.write("ustar\u000000", 257);
  block.write(prefix, 345);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${octal(sum, 6)}\u0000 `, 148);
  return block;
}

function splitPath(path: string): { name: string; prefix: string } {
  if (Buffer.byteLength(path) <= NAME_BYTES) return { name: path, prefix: "" };
  for (let at = path.indexOf("/"); at !== -1; at = path.indexOf("/", at + 1)) {
    const name = path.slice(at + 1);
    if (name !== "" && Buffer.byteLength(name) <= NAME_BYTES) return { name, prefix: path.slice(0, at) };
  }
  throw new Error(`${path} is too long for the archive`);
}

function octal(value: number, digits: number): string {
  return value.toString(8).padStart(digits, "0");
}
