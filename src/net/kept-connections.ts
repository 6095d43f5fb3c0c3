/**
 * The open connections of one pool: those that carry a request, and idle ones for the next. An idle connection is closed
 * after 4 seconds, before common hosts close it, because a request on a connection that the host is closing has an
 * unknown outcome. The last one that became idle is used first, so that the others can close.
 */
import type { LookupFunction, Socket } from "node:net";
import { type Clock, systemClock } from "#src/core/clock.ts";
import { type ConnectFailure, codeOf, connect, type Origin } from "./connect.ts";

/** Below the 5 s after which common hosts close idle connections. */
const IDLE_CONNECTION_MS = 4_000;

export interface KeepOptions {
  /** Idle connections beyond this many are closed at once. */
  idleMax: number;
  /** Resolves the host for each new connection, in place of the system. */
  lookup?: LookupFunction;
}

/** What a request hears from its connection. After `onClose` nothing follows. */
interface Listener {
  onData(bytes: Buffer): void;
  /** The host has ended the connection. */
  onEnd(): void;
  /** `code`: of the error that closed it, or null. */
  onClose(code: string | null): void;
}

export class Connection {
  readonly socket: Socket;
  listener: Listener | null = null;
  idleSince = 0;

  constructor(socket: Socket, onClosed: (connection: Connection) => void) {
    this.socket = socket;
    let code: string | null = null;
    socket.setNoDelay(true);
    socket.on("error", (error) => {
      code = codeOf(error);
    });
    // Nothing is expected on an idle connection: an answer that no request asked for ends it.
    socket.on("data", (bytes: Buffer) => (this.listener === null ? socket.destroy() : this.listener.onData(bytes)));
    socket.on("end", () => (this.listener === null ? socket.destroy() : this.listener.onEnd()));
    socket.on("close", () => {
      onClosed(this);
      this.listener?.onClose(code);
    });
  }

  /** Whether a request may be given to it: it has not ended, as far as this process knows. */
  get isUsable(): boolean {
    return !this.socket.destroyed && this.socket.writable && !this.socket.readableEnded;
  }
}

export class KeptConnections {
  readonly #origin: Origin;
  readonly #options: KeepOptions;
  /** Idle connections, the longest idle first. */
  #idle: Connection[] = [];
  #sweep: ReturnType<Clock["setTimer"]> | null = null;

  constructor(origin: Origin, options: KeepOptions) {
    this.#origin = origin;
    this.#options = options;
  }

  /** An idle connection to which a request may be given, no longer kept here; null if there is none. */
  take(): Connection | null {
    const now = systemClock.monotonic();
    for (let last = this.#idle.pop(); last !== undefined; last = this.#idle.pop()) {
      if (last.isUsable && now - last.idleSince < IDLE_CONNECTION_MS) return last;
      last.socket.destroy();
    }
    return null;
  }

  /** Opens another connection. Calls `done` once; the socket that is returned may be destroyed before, which fails it. */
  open(done: (failure: ConnectFailure | null, connection: Connection | null) => void): Socket {
    return connect(this.#origin, this.#options.lookup, (failure, socket) =>
      failure === null ? done(null, new Connection(socket, (closed) => this.#forget(closed))) : done(failure, null),
    );
  }

  /** The answer was read to its end, and the host keeps the connection open. */
  keep(connection: Connection): void {
    connection.listener = null;
    if (!connection.isUsable || this.#idle.length >= this.#options.idleMax) {
      connection.socket.destroy();
      return;
    }
    connection.idleSince = systemClock.monotonic();
    this.#idle.push(connection);
    this.#scheduleSweep();
  }

  closeIdle(): void {
    this.#sweep?.cancel();
    this.#sweep = null;
    for (const { socket } of this.#idle.splice(0)) socket.destroy();
  }

  #forget(connection: Connection): void {
    const index = this.#idle.lastIndexOf(connection);
    if (index !== -1) this.#idle.splice(index, 1);
  }

  /** By the system's clock, whatever clock the server runs on: the host lives in real time. */
  #scheduleSweep(): void {
    const [oldest] = this.#idle;
    if (this.#sweep !== null || oldest === undefined) return;
    const dueInMs = Math.max(0, oldest.idleSince + IDLE_CONNECTION_MS - systemClock.monotonic());
    this.#sweep = systemClock.setTimer(dueInMs, () => {
      this.#sweep = null;
      const now = systemClock.monotonic();
      const keepFrom = this.#idle.findIndex(({ idleSince }) => now - idleSince < IDLE_CONNECTION_MS);
      for (const { socket } of this.#idle.splice(0, keepFrom === -1 ? this.#idle.length : keepFrom)) socket.destroy();
      this.#scheduleSweep();
    });
  }
}
