/** What a command receives from outside: the process's streams and environment, time, and the configuration. */
import type { Config } from "#src/config/config.ts";
import type { Clock } from "#src/core/clock.ts";
import type { Random } from "#src/core/random.ts";
import type { NamedFiles } from "./named-files.ts";
import type { Root } from "./root.ts";

/** The process as the command line sees it; tests pass a replacement. */
export interface Io {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly random: Random;
  /** Whether a person reads the output. */
  readonly isTerminal: boolean;
  /** Whether a person reads the standard error; otherwise it may be stored and forwarded. */
  readonly isErrorTerminal: boolean;
  /** What the process can do as root; null for any other user. */
  readonly root: Root | null;
  /** From now on, this directory is preferred for temporary files; absent where the process is not the command's own. */
  readonly useTmp?: (directory: string) => void;
  /** Returns when the text is written. */
  out(text: string): void;
  err(text: string): void;
  /** Asks a person, and waits for the line that is the answer; absent without a terminal. */
  readonly ask?: ((question: string) => string) | undefined;
  /** Reads stdin to its end. */
  readInput(): Promise<string>;
  /** Calls `handle` for each of these signals instead of the system's default action. */
  onSignal(signals: readonly Signal[], handle: (signal: Signal) => void): void;
  /** Runs however the process ends, unless it is killed. */
  onExit(handler: () => void): void;
  exit(code: number): never;
}

export type Signal = "SIGINT" | "SIGTERM" | "SIGHUP";

/** Options that every command accepts, before or after its words. */
export interface GlobalOptions {
  readonly config: string | undefined;
  readonly data: string | undefined;
  readonly json: boolean;
}

export interface Context {
  readonly io: Io;
  readonly options: GlobalOptions;
  /** The files named on the command line that root has opened. */
  readonly files: NamedFiles;
  /** Reads the configuration. Throws `ConfigError`. */
  loadConfig(more?: {
    readonly listen?: string | undefined;
    /** Reads the file again, with the rights that the process has now. */
    readonly again?: boolean;
  }): Config;
}
