/**
 * Tells systemd that the server is ready, stops, and is alive (sd_notify(3)): datagrams to the socket that the unit's
 * `Type=notify` names. The runtime has no such sockets, so libc sends them. Without systemd, nothing happens.
 */
import { dlopen, ptr } from "bun:ffi";
import type { Clock } from "#src/core/clock.ts";

interface Supervisor {
  /** The server answers. From now on, the watchdog is fed for as long as the event loop turns. */
  ready(): void;
  stopping(): void;
}

const AF_UNIX = 1;
const SOCK_DGRAM = 2;
const SOCK_CLOEXEC = 0o2000000;
const MSG_DONTWAIT = 0x40;
/** A path is at most this long, with its zero byte (unix(7)). */
const PATH_BYTES_MAX = 108;
/** Fed this often within the time that systemd waits. */
const FEEDS = 4;

const nothing: Supervisor = { ready() {}, stopping() {} };

export function createSupervisor(
  env: Readonly<Record<string, string | undefined>>,
  clock: Pick<Clock, "setTimer">,
): Supervisor {
  const path = env.NOTIFY_SOCKET;
  if (process.platform !== "linux" || path === undefined || !/^[/@]/.test(path)) return nothing;
  const address = socketAddress(path);
  if (address === null) return nothing;
  const send = openSocket(address);
  if (send === null) return nothing;
  const watchdogMs = Number(env.WATCHDOG_USEC ?? 0) / 1000;
  let isFed = false;
  const feed = (): void => {
    if (!isFed) return;
    send("WATCHDOG=1");
    clock.setTimer(watchdogMs / FEEDS, feed);
  };
  return {
    ready() {
      send("READY=1");
      isFed = watchdogMs > 0;
      feed();
    },
    stopping() {
      send("STOPPING=1");
    },
  };
}

/** `struct sockaddr_un`; a name that begins with @ is an abstract one. Null if it is too long. */
function socketAddress(path: string): Uint8Array | null {
  const name = Buffer.from(path.startsWith("@") ? `\0${path.slice(1)}` : `${path}\0`);
  if (name.length > PATH_BYTES_MAX) return null;
  const address = new Uint8Array(2 + name.length);
  new Uint16Array(address.buffer, 0, 1)[0] = AF_UNIX;
  address.set(name, 2);
  return address;
}

function openSocket(address: Uint8Array): ((state: string) => void) | null {
  const { symbols } = dlopen("libc.so.6", {
    socket: { args: ["int", "int", "int"], returns: "int" },
    sendto: { args: ["int", "ptr", "u64", "int", "ptr", "u32"], returns: "i64" },
  });
  const socket = symbols.socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (socket < 0) return null;
  return (state) => {
    const bytes = Buffer.from(state);
    symbols.sendto(socket, ptr(bytes), bytes.length, MSG_DONTWAIT, ptr(address), address.length);
  };
}
