/** What a command is given of the world outside: the process's streams and variables, time, and its configuration. */
import type { Config } from "#src/config/config.ts";
import type { Clock } from "#src/core/clock.ts";
import type { Random } from "#src/core/random.ts";
import type { NamedFiles } from "./named-files.ts";
import type { Root } from "./root.ts";

/** The process as the command line sees it; tests that need another one pass it. */
export interface Io {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly random: Random;
  /** Whether a person reads the output. */
  readonly isTerminal: boolean;
  /** What the process can do as root; null where it is another user's. */
  readonly root: Root | null;
  /** Returns when the text is written. */
  out(text: string): void;
  err(text: string): void;
  /** Everything on stdin, to its end. */
  readInput(): Promise<string>;
  /** Calls `handle` for each of these signals, in place of what the system would do. */
  onSignal(signals: readonly Signal[], handle: (signal: Signal) => void): void;
  /** Runs whichever way the process ends, short of being killed. */
  onExit(handler: () => void): void;
  exit(code: number): never;
}

export type Signal = "SIGINT" | "SIGTERM" | "SIGHUP";

/** Options that every command takes, before or after its words. */
export interface GlobalOptions {
  readonly config: string | undefined;
  readonly data: string | undefined;
  readonly json: boolean;
}

export interface Context {
  readonly io: Io;
  readonly options: GlobalOptions;
  /** The files that the command line named, as far as root has opened them. */
  readonly files: NamedFiles;
  /** Reads the configuration; throws `ConfigError`. */
  loadConfig(more?: { readonly listen?: string | undefined }): Config;
}
