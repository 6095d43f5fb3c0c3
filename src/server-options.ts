/** A running server as its callers see it, and what it is started with; tests replace most of that. */
import type { Config } from "#src/config.ts";
import type { Log } from "#src/log.ts";
import type { Networks } from "#src/networks/registry.ts";
import type { Clock } from "#src/primitives/clock.ts";
import type { Random } from "#src/primitives/random.ts";
import type { Place } from "#src/storage/place.ts";
import type { Store } from "#src/storage/store.ts";
import type { ResolveName } from "#src/workers/checked-lookup.ts";

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
  placeOf?: (path: string) => Place;
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
