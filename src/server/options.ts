/** A running server as its callers see it, and what it is started with; tests replace most of that. */
import type { Config } from "#src/config/config.ts";
import type { Clock } from "#src/core/clock.ts";
import type { Log } from "#src/core/log.ts";
import type { Random } from "#src/core/random.ts";
import type { FileIdentity } from "#src/db/file-identity.ts";
import type { Store } from "#src/db/store.ts";
import type { ResolveName } from "#src/net/checked-lookup.ts";
import type { Networks } from "#src/networks/network.ts";

export interface ServerOptions {
  config: Config;
  log: Log;
  clock?: Clock;
  random?: Random;
  /** How webhook addresses' names are looked up; replaced in tests. */
  lookup?: ResolveName;
  /** Other networks than the configured ones; replaced in tests. */
  networks?: Partial<Networks>;
  /** How it is told where the database file lies, and so whether it is a copy; replaced in tests. */
  readFileIdentity?: (path: string) => FileIdentity;
}

export interface Server {
  /** `http://host:port`, without a slash at the end. */
  url: string;
  store: Store;
  /** True while a request, an attempt or a write is under way; it may be waiting for a timer. */
  isActive(): boolean;
  /** True while another thread works on an answer: it comes without a timer. */
  isReading(): boolean;
  /** Requests that are being answered. */
  pendingRequests(): number;
  /** Finishes what is in flight (for a bounded time), closes everything. */
  stop(): Promise<void>;
}
