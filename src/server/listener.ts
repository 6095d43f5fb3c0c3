/**
 * The socket that HTTP listens on, with a certificate that can be replaced while requests run. The runtime takes a
 * certificate only when it begins to listen, so a second socket listens on the same port. The kernel is told to give it
 * all new connections; the first one ends when its handshakes are over. Nobody's connection is refused in between.
 */
import type { Tls } from "#src/config/tls.ts";
import type { Clock } from "#src/core/clock.ts";
import { sleep } from "#src/core/clock.ts";
import { bracketed } from "#src/core/plain-address.ts";
import { listeningSockets, steerConnections } from "./steer-connections.ts";

type BunServer = Bun.Server<undefined>;

interface ListenerOptions {
  port: number;
  /** Null: plain HTTP, for good. */
  tls: Tls | null;
  clock: Clock;
  /** Throws when the address is taken. */
  serve: (options: { port: number; tls: Tls | null; reusePort: boolean }) => BunServer;
  /** Called with each socket's server, the first included. */
  onServing: (server: BunServer) => void;
}

/** A handshake that takes longer is cut off. */
const HANDSHAKES_MS = 10_000;

export class Listener {
  readonly port: number;
  /** As a URL has it. */
  readonly host: string;
  readonly #options: ListenerOptions;
  #server: BunServer;
  /** The one that answers with the previous certificate. */
  #earlier: BunServer | null = null;
  /** Those whose connections have not ended. */
  readonly #ending = new Map<BunServer, Promise<void>>();
  #replaced: Promise<void> = Promise.resolve();
  readonly #stopping = new AbortController();

  constructor(options: ListenerOptions) {
    const { port, tls, serve, onServing } = options;
    this.#options = options;
    // A port that others may share would not be refused to a second server; so it is tried alone first.
    this.#server = serve({ port, tls, reusePort: false });
    this.port = this.#server.port ?? port;
    if (tls !== null) {
      void this.#server.stop(true);
      this.#server = serve({ port: this.port, tls, reusePort: true });
    }
    const { hostname = "" } = this.#server;
    this.host = bracketed(hostname);
    onServing(this.#server);
  }

  /** New connections get this certificate; replacements follow each other. */
  replace(tls: Tls): Promise<void> {
    this.#replaced = this.#replaced.then(() => this.#replace(tls));
    return this.#replaced;
  }

  pendingRequests(): number {
    return this.#all().reduce((count, { pendingRequests }) => count + pendingRequests, 0);
  }

  /** Accepts no more connections; resolves when every request is answered. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all(this.#all().map((server) => this.#ending.get(server) ?? server.stop()));
  }

  cut(): void {
    for (const server of this.#all()) void server.stop(true);
  }

  #all(): BunServer[] {
    return [...new Set([this.#server, ...(this.#earlier === null ? [] : [this.#earlier]), ...this.#ending.keys()])];
  }

  async #replace(tls: Tls): Promise<void> {
    const { serve, onServing, clock } = this.#options;
    const { signal } = this.#stopping;
    if (signal.aborted) return;
    const before = listeningSockets(this.port);
    const earlier = this.#server;
    this.#server = serve({ port: this.port, tls, reusePort: true });
    this.#earlier = earlier;
    onServing(this.#server);
    if (steerConnections(this.port, before)) await sleep(clock, HANDSHAKES_MS, signal);
    const ended = earlier.stop();
    this.#earlier = null;
    this.#ending.set(earlier, ended);
    void ended.then(() => this.#ending.delete(earlier));
  }
}
