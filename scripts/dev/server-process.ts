/**
 * The server under development: `waxwing dev` from source, as a child process that is replaced when its sources change.
 * Its database stays where it is. It listens on a port of its own; people use the front's (`front.ts`).
 */
import { join, resolve } from "node:path";

const checkout = resolve(import.meta.dir, "../..");
const STOP_LIMIT_MS = 2_000;

/** The first line of `waxwing dev --json`, with the fields used here. */
export interface Ready {
  readonly base_url: string;
  readonly api_key: string;
  readonly number: string;
  readonly webhook_viewer_url: string;
}

export interface ServerProcess {
  /** Null if it ended before it was ready; stderr says why. */
  readonly ready: Promise<Ready | null>;
  readonly exited: Promise<number>;
  /** Closes its standard input, which tells it that its parent has ended; kills it if it takes too long to stop. */
  stop(): Promise<void>;
}

export function startServerProcess(data: string, publicUrl: string, args: readonly string[]): ServerProcess {
  const command = [
    process.execPath,
    "--preload",
    join(import.meta.dir, "stub-bundle.ts"),
    join(checkout, "src/main.ts"),
  ];
  const own = ["dev", "--json", "--with-parent", "--data", data, "--listen", "127.0.0.1:0"];
  const child = Bun.spawn([...command, ...own, ...args], {
    env: { ...process.env, WAXWING_SERVER_PUBLIC_URL: publicUrl },
    stdin: "pipe",
    stdout: "pipe",
    stderr: "inherit",
  });
  return {
    ready: readFirstLine(child.stdout),
    exited: child.exited,
    stop: async () => {
      child.stdin.end();
      const limit = setTimeout(() => child.kill("SIGKILL"), STOP_LIMIT_MS);
      await child.exited;
      clearTimeout(limit);
    },
  };
}

async function readFirstLine(output: ReadableStream<Uint8Array>): Promise<Ready | null> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const bytes of output) {
    text += decoder.decode(bytes, { stream: true });
    if (text.includes("\n")) return parseReady(text.slice(0, text.indexOf("\n")));
  }
  return null;
}

/** A command that fails prints its error there instead, for `--json`. */
function parseReady(line: string): Ready | null {
  try {
    const json = JSON.parse(line) as Ready;
    if ("base_url" in json) return json;
  } catch {
    // Not its first line, but an error's.
  }
  console.error(line);
  return null;
}
