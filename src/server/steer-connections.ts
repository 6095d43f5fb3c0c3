/**
 * Of two sockets that listen on one port, Linux gives new connections to either. This attaches the smallest possible
 * program (SO_ATTACH_REUSEPORT_CBPF, socket(7)) that names the newer one, so that the older can be closed without a loss.
 */
import { dlopen, ptr } from "bun:ffi";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";

const SOL_SOCKET = 1;
const SO_ATTACH_REUSEPORT_CBPF = 51;
/** `BPF_RET | BPF_K`: returns a constant, the place of a socket in the order in which they began to listen. */
const RETURN_CONSTANT = 0x06;
const SECOND = 1;
const LISTENING = "0A";

/** The inodes of this machine's sockets that listen on the port; empty where they cannot be read. */
export function listeningSockets(port: number): ReadonlySet<string> {
  const found = new Set<string>();
  for (const file of ["/proc/self/net/tcp", "/proc/self/net/tcp6"]) {
    for (const line of linesOf(file).slice(1)) {
      const [, local = "", , state, , , , , , inode = ""] = line.trim().split(/\s+/);
      if (state === LISTENING && Number.parseInt(local.split(":")[1] ?? "", 16) === port) found.add(inode);
    }
  }
  return found;
}

/**
 * New connections to the port go to the socket that is not in `before`. False: that cannot be arranged here, and either
 * gets them.
 */
export function steerConnections(port: number, before: ReadonlySet<string>): boolean {
  if (process.platform !== "linux" || before.size !== 1) return false;
  try {
    const [inode] = [...listeningSockets(port)].filter((one) => !before.has(one));
    const descriptor = inode === undefined ? null : descriptorOf(inode);
    return descriptor !== null && attach(descriptor);
  } catch {
    return false;
  }
}

function attach(descriptor: number): boolean {
  const libc = dlopen("libc.so.6", {
    setsockopt: { args: ["int", "int", "int", "ptr", "u32"], returns: "int" },
  });
  // struct sock_filter: code, jt, jf, k; struct sock_fprog: len, padding, filter. Both in this machine's order of bytes.
  const filter = new Uint8Array(8);
  new Uint16Array(filter.buffer)[0] = RETURN_CONSTANT;
  new Uint32Array(filter.buffer)[1] = SECOND;
  const program = new Uint8Array(16);
  new Uint16Array(program.buffer)[0] = 1;
  new BigUint64Array(program.buffer)[1] = BigInt(ptr(filter));
  const { setsockopt } = libc.symbols;
  return setsockopt(descriptor, SOL_SOCKET, SO_ATTACH_REUSEPORT_CBPF, ptr(program), program.length) === 0;
}

function descriptorOf(inode: string): number | null {
  for (const name of readdirSync("/proc/self/fd")) {
    try {
      if (readlinkSync(`/proc/self/fd/${name}`) === `socket:[${inode}]`) return Number(name);
    } catch {
      // Closed in the meantime.
    }
  }
  return null;
}

function linesOf(file: string): string[] {
  try {
    return readFileSync(file, "utf8").trimEnd().split("\n");
  } catch {
    return [];
  }
}
