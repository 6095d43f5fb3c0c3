/** What a running server has, what it is started with (tests replace most of it), and what its callers see of it. */
import type { Config } from "#src/config/config.ts";
import type { MessageWatch } from "#src/core/change-watch.ts";
import { type Clock, systemClock, withTimersOf } from "#src/core/clock.ts";
import { Listeners } from "#src/core/listeners.ts";
import type { Log } from "#src/core/log.ts";
import { LogTail } from "#src/core/log-tail.ts";
import { type Random, systemRandom } from "#src/core/random.ts";
import type { SecretBox } from "#src/core/secret.ts";
import type { Service } from "#src/core/service-loop.ts";
import { releaseAddress, releaseKey } from "#src/core/version.ts";
import type { Readers } from "#src/db/fair-reader.ts";
import { type FileIdentity, readFileIdentity } from "#src/db/file-identity.ts";
import type { FileWatch } from "#src/db/file-watch.ts";
import type { DatabaseFiles } from "#src/db/files.ts";
import type { Store } from "#src/db/store.ts";
import { ServerMetrics } from "#src/health/metrics.ts";
import { PASSWORD_COST, type PasswordCost } from "#src/http/console/passwords.ts";
import type { SentWebhook } from "#src/http/control/route.ts";
import type { MediaFiles } from "#src/media/files.ts";
import type { MediaLinks } from "#src/media/links.ts";
import type { UploadPieces } from "#src/media/pieces.ts";
import type { MediaRoom } from "#src/media/room.ts";
import type { Uploads } from "#src/media/uploads.ts";
import type { ResolveName } from "#src/net/checked-lookup.ts";
import type { WebhookPoster } from "#src/net/post.ts";
import type { Networks } from "#src/networks/network.ts";
import type { SimulatedFiles } from "#src/networks/simulator/media.ts";
import type { OutcomeRecorder } from "#src/sending/outcome-recorder.ts";
import type { Pace } from "#src/sending/pace.ts";
import type { PrepareOptions } from "#src/sending/prepare-send.ts";
import { Control, configOfControl } from "./control.ts";

export interface ServerOptions {
  config: Config;
  log: Log;
  /** What `log` wrote recently. Default: nothing is kept. */
  logTail?: LogTail;
  clock?: Clock;
  /** What the clock of test control shows at the start and after a reset. Default: the real time. */
  startsAt?: number | null;
  random?: Random;
  /** Resolves the host names of webhook addresses; replaced in tests. */
  lookup?: ResolveName;
  /** Keys that a test chose are accepted: `waxwing dev` alone does so. */
  acceptsTestKeys?: boolean;
  /** The key that `/docs/try` is authorised with: `waxwing dev` alone gives one. */
  explorerKey?: string | null;
  /** Networks that replace the configured ones; used by tests. */
  networks?: Partial<Networks>;
  /** Reads the identity of the database file, which tells whether it is a copy; replaced in tests. */
  readFileIdentity?: (path: string) => FileIdentity;
  /** When conditions are evaluated and alarms are sent; real time by default, whatever the clock is. */
  healthTimers?: Pick<Clock, "setTimer" | "monotonic">;
  /** Compares every answer of the console with its schema; used by tests. */
  checksAnswers?: boolean;
  /** What hashing a password costs; less in tests. */
  passwordCost?: PasswordCost;
  /** Where releases are, and the key that verifies them; by default, those of the executable. Replaced by tests. */
  releases?: { address: string; key: string };
  /** The last moment before anything is accepted or sent. If it throws, the start ends. */
  beforeListening?: () => void;
}

export interface Server {
  /** `http://host:port`, without a slash at the end. */
  url: string;
  store: Store;
  /** In the order of their start. */
  services: readonly Service[];
  /** True while a request, an attempt or a write is under way; it may be waiting for a timer. */
  isActive(): boolean;
  /** True while another thread works on an answer: it comes without a timer. */
  isReading(): boolean;
  /** Number of requests that are being answered. */
  pendingRequests(): number;
  /** Null where test control is off. */
  control: {
    token: string;
    saveSeed(): Promise<void>;
    /** Called after each attempt at a receiver. */
    onWebhook(listener: (sent: SentWebhook) => void): void;
  } | null;
  /** Looks at the certificate at once; see `setLevel` of the log for the rest of what SIGHUP reads again. */
  reload(): void;
  /** Finishes what is in flight (for a bounded time), closes everything. */
  stop(): Promise<void>;
}

type Given = Omit<ServerOptions, "clock" | "startsAt" | "networks" | "lookup" | "beforeListening">;

/** What exists before the database is open: what the server was started with, or the defaults, and more. */
export interface Environment extends Required<Given> {
  /** Of the work: what is due, and when. Under test control a test moves it. */
  clock: Clock;
  /** The wall time of `clock` with timers that no test moves: for whatever waits for a socket, a disk or a caller. */
  socketClock: Clock;
  /** The clock that `clock` is derived from; the same one without test control. */
  realClock: Clock;
  /** Null: test control is off. */
  control: Control | null;
  lookup: ResolveName | undefined;
  replacedNetworks: Partial<Networks>;
  metrics: ServerMetrics;
  /** Called after every commit. */
  onCommit: Listeners;
  /** Called with the date of each answer of a network, milliseconds. */
  onNetworkTime: Listeners<[networkTime: number]>;
}

export interface Storage {
  files: DatabaseFiles;
  fileWatch: FileWatch;
  store: Store;
  readers: Readers;
  /** Encrypts secrets that are stored in the database. */
  box: SecretBox;
  media: MediaFiles;
  links: MediaLinks;
  /** Of the database; a copy of it gets another one. */
  instanceId: string;
  /** `isClean`: nothing is in flight, so the next start continues with this very state. */
  close(options: { isClean: boolean }): void;
}

/** What it takes to send messages and webhooks. */
export interface Outgoing {
  networks: Networks;
  poster: WebhookPoster;
  pace: Pace;
  watch: MessageWatch;
  recorder: OutcomeRecorder;
}

export interface ServerContext extends Environment, Storage, Outgoing {
  simulatedFiles: SimulatedFiles;
  /** Of received files and uploads together. */
  room: MediaRoom;
  uploads: Uploads;
  pieces: UploadPieces;
  provideFile: PrepareOptions["provideFile"];
}

export function createEnvironment(options: ServerOptions): Environment {
  const realClock = options.clock ?? systemClock;
  const random = options.random ?? systemRandom;
  const control = options.config.simulator.control ? new Control(realClock, random, options.startsAt ?? null) : null;
  const clock = control?.clock ?? realClock;
  return {
    config: control === null ? options.config : configOfControl(options.config),
    log: options.log,
    logTail: options.logTail ?? new LogTail(),
    clock,
    socketClock: withTimersOf(clock, realClock),
    realClock,
    random,
    control,
    acceptsTestKeys: options.acceptsTestKeys ?? false,
    explorerKey: options.explorerKey ?? null,
    lookup: options.lookup,
    replacedNetworks: options.networks ?? {},
    readFileIdentity: options.readFileIdentity ?? readFileIdentity,
    healthTimers: options.healthTimers ?? systemClock,
    checksAnswers: options.checksAnswers ?? false,
    passwordCost: options.passwordCost ?? PASSWORD_COST,
    releases: options.releases ?? { address: releaseAddress, key: releaseKey },
    metrics: new ServerMetrics(),
    onCommit: new Listeners(),
    onNetworkTime: new Listeners(),
  };
}
