/** Kept connections by the name of their pool. Idle pools beyond a thousand are forgotten, with their connections. */
import { originOf } from "./connect.ts";
import { type KeepOptions, KeptConnections } from "./kept-connections.ts";

interface Pool {
  name: string;
  connections: KeptConnections;
  /** Requests that use it; the caller counts them. */
  inUse: number;
}

const POOLS_MAX = 1_000;

export class ConnectionPools {
  readonly #options: KeepOptions;
  readonly #pools = new Map<string, Pool>();

  constructor(options: KeepOptions) {
    this.#options = options;
  }

  /** The same name must come with the same origin. */
  get(name: string, url: URL): Pool {
    const known = this.#pools.get(name);
    if (known !== undefined) return known;
    if (this.#pools.size >= POOLS_MAX) this.#forgetIdle();
    const pool = { name, connections: new KeptConnections(originOf(url), this.#options), inUse: 0 };
    this.#pools.set(name, pool);
    return pool;
  }

  closeIdle(): void {
    for (const { connections } of this.#pools.values()) connections.closeIdle();
  }

  #forgetIdle(): void {
    for (const [name, pool] of this.#pools) {
      if (pool.inUse > 0) continue;
      this.#pools.delete(name);
      pool.connections.closeIdle();
    }
  }
}
