/**
 * The programs of the examples that copy events into a database, and what they are put through: the server and the programs
 * are killed at random moments while people write. Afterwards each message is in each database, once.
 */
import { copyFileSync, cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openClient } from "#src/db/driver.ts";
import { makeInstallation, type RunningServer } from "#test/support/installation.ts";
import { buildTypescriptClient, checkout } from "./conformance.ts";

export interface Mirror {
  name: string;
  command: string[];
  env: Record<string, string>;
  /** The texts in its database. */
  texts(): string[];
}

const examples = join(checkout, "examples");

function textsInSqlite(path: string): string[] {
  if (!existsSync(path)) return [];
  const client = openClient(path, { readonly: true });
  try {
    return client.prepare("SELECT text FROM received ORDER BY rowid").pluck().all().map(String);
  } catch (error) {
    // The program was killed before it made its tables.
    if (/no such table|locked/.test(String(error))) return [];
    throw error;
  } finally {
    client.close();
  }
}

/**
 * A folder with the programs for Node and its client. Bun reads the client as it is; Node needs it built, and `packages`:
 * a `node_modules` with what the programs need beside it.
 */
export function nodeFolder(folder: string, isBuilt: boolean, packages: string | null = null): string {
  mkdirSync(folder, { recursive: true });
  if (packages !== null) cpSync(packages, join(folder, "node_modules"), { recursive: true });
  const client = join(folder, "node_modules/waxwing-client");
  mkdirSync(client, { recursive: true });
  if (isBuilt) {
    buildTypescriptClient(join(client, "dist"));
    copyFileSync(join(checkout, "clients/typescript/package.json"), join(client, "package.json"));
  } else {
    cpSync(join(checkout, "clients/typescript/src"), join(client, "src"), { recursive: true });
    writeFileSync(join(client, "package.json"), '{"name":"waxwing-client","type":"module","main":"src/index.ts"}');
  }
  for (const name of ["mirror.mjs", "mirror-postgres.mjs"])
    copyFileSync(join(examples, "node", name), join(folder, name));
  return folder;
}

export function nodeMirror(runtime: string, folder: string): Mirror {
  const database = join(folder, "node.db");
  const command = [runtime, join(folder, "mirror.mjs"), database];
  return { name: "node, SQLite", command, env: {}, texts: () => textsInSqlite(database) };
}

export const pythonEnv = { PYTHONPATH: join(checkout, "clients/python"), PYTHONDONTWRITEBYTECODE: "1" };

export function pythonMirror(python: string, folder: string): Mirror {
  const database = join(folder, "python.db");
  const command = [python, join(examples, "python/mirror.py"), database];
  return { name: "python, SQLite", command, env: pythonEnv, texts: () => textsInSqlite(database) };
}

export interface Endured {
  messages: number;
  /** Callbacks that the server put aside and a command replayed: their messages come late. */
  putAside: number;
  serverKills: number;
  /** Of each program. */
  programKills: number;
  /** By program: what is wrong in its database. */
  found: { name: string; lost: string[]; twice: string[]; isInOrder: boolean }[];
  /** Of each message that a database lacks: how far it came inside the server. */
  traces: string[];
}

interface EndureOptions {
  /** Starts the server: the executable, or the runtime with the source. */
  server: readonly string[];
  mirrors: (folder: string) => readonly Mirror[];
  kills: number;
  /** At most so long between two kills. */
  pauseMs: number;
  onKill?: (kills: number) => void;
}

/** At least so many messages are written for each kill. */
const MESSAGES_A_KILL = 3;

/** Below the ports that the kernel gives to a program that asks for any. */
const [PORT_MIN, PORT_MAX] = [20_000, 32_000];

/**
 * A free port that no other program of this machine is given while the server is down: its answer would count as the
 * server's, and what it took as acknowledged.
 */
export function lastingPort(): number {
  for (;;) {
    const port = PORT_MIN + Math.floor(Math.random() * (PORT_MAX - PORT_MIN));
    try {
      void Bun.serve({ hostname: "127.0.0.1", port, fetch: () => new Response(null, { status: 503 }) }).stop(true);
      return port;
    } catch {
      // Another program listens there.
    }
  }
}

/** How far each message came inside the server: the last place where it is found. */
export function traceIn(database: string, texts: readonly string[]): string[] {
  const client = openClient(database, { readonly: true });
  const find = (sql: string, value: string) => client.prepare(sql).get(value) as Record<string, unknown> | undefined;
  try {
    return texts.map((text) => {
      const event = find("SELECT seq FROM events WHERE json_extract(body, '$.data.message.text') = ?", text);
      if (event !== undefined) return `${text}: in the event log, number ${event.seq}`;
      const inbound = find("SELECT id FROM inbounds WHERE text = ?", text);
      if (inbound !== undefined) return `${text}: received as ${inbound.id}, without an event`;
      const callback = find(
        "SELECT id, done_at, state, note FROM callbacks WHERE json_extract(body, '$.entry[0].changes[0].value.messages[0].text.body') = ?",
        text,
      );
      return `${text}: ${callback === undefined ? "never stored" : `in a callback, ${JSON.stringify(callback)}`}`;
    });
  } finally {
    client.close();
  }
}

export async function endure({
  server: command,
  mirrors: make,
  kills,
  pauseMs,
  onKill,
}: EndureOptions): Promise<Endured> {
  const folder = mkdtempSync(join(tmpdir(), "waxwing-mirrors-"));
  const port = lastingPort();
  await using installation = await makeInstallation({
    ...{ people: 1, throughput: 100, command, inDoubtAfter: "1m" },
    listen: `127.0.0.1:${port}`,
  });
  const mirrors = make(folder);
  const env = { WAXWING_URL: `http://127.0.0.1:${port}/api/v1`, WAXWING_KEY: installation.key };
  let running: Bun.Subprocess[] = [];
  const startPrograms = (): void => {
    running = mirrors.map((mirror) =>
      Bun.spawn(mirror.command, {
        env: { PATH: process.env.PATH ?? "", ...process.env, ...env, ...mirror.env },
        stdio: ["ignore", "ignore", "ignore"],
      }),
    );
  };
  const killPrograms = async (): Promise<void> => {
    await Promise.all(
      running.map(async (child) => {
        await Bun.sleep(Math.random() * 30);
        child.kill("SIGKILL");
        await child.exited;
      }),
    );
  };

  let server: RunningServer = installation.start();
  await server.started();
  startPrograms();
  const written: string[] = [];
  let isOver = false;
  /** The network repeats what was not acknowledged. */
  const writing = (async () => {
    while (!isOver) {
      const text = `message ${written.length}`;
      const message = { from: "447700900101", id: `wamid.${written.length}`, type: "text", text: { body: text } };
      written.push(text);
      const timestamp = String(Math.floor(Date.now() / 1_000));
      const contacts = [{ profile: { name: "Somebody" }, wa_id: message.from }];
      while ((await server.hear({ contacts, messages: [{ ...message, timestamp }] })) !== 200) await Bun.sleep(10);
      await Bun.sleep(Math.random() * 20);
    }
  })();
  const killed = { server: 0, programs: 0 };
  try {
    for (let kill = 1; kill <= kills; kill += 1) {
      await Bun.sleep(Math.random() * pauseMs);
      // On a busy machine a kill may come before there is anything to lose.
      while (written.length < kill * MESSAGES_A_KILL) await Bun.sleep(10);
      if (kill % 2 === 0) {
        await killPrograms();
        killed.programs += 1;
        startPrograms();
      } else {
        await server.kill();
        killed.server += 1;
        server = installation.start();
        await server.started();
      }
      onKill?.(kill);
    }
    isOver = true;
    await writing;
    // A callback during which two starts were killed is put aside, for a person to replay.
    const listed = await installation.command("callback", "list", "--state", "quarantined").ended;
    const putAside = (listed.output.match(/"quarantined"/g) ?? []).length;
    if (putAside > 0) await installation.command("callback", "replay", "--state", "quarantined").ended;
    const startedAt = performance.now();
    const isBehind = ({ texts }: Mirror): boolean => texts().length < written.length;
    while (mirrors.some(isBehind) && performance.now() - startedAt < 30_000) await Bun.sleep(25);
    // Time for a message too many.
    await Bun.sleep(100);
    const found = mirrors.map(({ name, texts }) => {
      const stored = texts();
      const once = new Set(stored);
      return {
        name,
        lost: written.filter((text) => !once.has(text)),
        twice: stored.filter((text, place) => stored.indexOf(text) !== place),
        isInOrder: putAside > 0 || stored.every((text, place) => text === written[place]),
      };
    });
    const lost = new Set(found.flatMap((one) => one.lost));
    const traces = lost.size === 0 ? [] : traceIn(join(installation.data, "waxwing.db"), [...lost]);
    return {
      putAside,
      messages: written.length,
      serverKills: killed.server,
      programKills: killed.programs,
      found,
      traces,
    };
  } finally {
    isOver = true;
    for (const child of running) child.kill("SIGKILL");
    await server.kill();
    await Promise.all(running.map((child) => child.exited));
    rmSync(folder, { recursive: true, force: true });
  }
}
