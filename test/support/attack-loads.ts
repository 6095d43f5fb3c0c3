/**
 * The attacks of one workspace on the others: within its limits, it asks for the largest answers, does not read them, or
 * keeps as many connections as it can.
 */
import { connect, type Socket } from "node:net";
import type { Attack } from "./neighbour-kinds.ts";
import type { Load } from "./neighbour-process.ts";

interface Attacking {
  repeat(work: (turn: number) => Promise<void>): Promise<never>;
  noteAccepted(): void;
  completed: { refused: number; unexpected: string[] };
}

const AT_ONCE = {
  lists: 40,
  unread: 40,
  slow: 25,
  puts: 4,
  previews: 4,
  events: 10,
  streams: 400,
  hosts: 8,
  unknown: 40,
  broken: 40,
};
const FAT_PAGE = "/api/v1/contacts?per_page=500";
const SLOW_BYTES = 4_096;
const SLOW_EVERY_MS = 250;
/** After a refusal, and after a connection that was closed. */
const PAUSE_MS = 50;

export function attackWith(
  attack: Attack,
  load: Load,
  { repeat, noteAccepted, completed }: Attacking,
): Promise<never>[] {
  const { hostname, port } = new URL(load.url);
  const authorization = `Bearer ${load.key}`;
  const many = (count: number, work: (turn: number) => Promise<void>) =>
    Array.from({ length: count }, () => repeat(work));

  const ask = async (path: string, init: RequestInit = {}, expected = [200]): Promise<void> => {
    const headers = { authorization, "content-type": "application/json", ...init.headers };
    try {
      const answer = await fetch(load.url + path, { ...init, headers });
      await answer.arrayBuffer();
      if (answer.status === 429) {
        completed.refused += 1;
        await Bun.sleep(PAUSE_MS);
      } else if (!expected.includes(answer.status)) completed.unexpected.push(`${path} ${answer.status}`);
    } catch {
      // The server may close the connection of a reader that is too slow.
      await Bun.sleep(PAUSE_MS);
    }
  };

  /** Resolves when the connection is closed. `read`: what to do with it instead of reading. */
  const hold = (head: string, read: (socket: Socket) => void): Promise<void> =>
    new Promise((resolve) => {
      const socket = connect(Number(port), hostname);
      socket.on("error", () => undefined);
      socket.on("close", () => setTimeout(resolve, PAUSE_MS));
      socket.write(`${head}\r\nHost: ${hostname}:${port}\r\n\r\n`);
      noteAccepted();
      read(socket);
    });
  const listing = `GET ${FAT_PAGE} HTTP/1.1\r\nAuthorization: ${authorization}`;
  const slowly = (socket: Socket): void => {
    socket.pause();
    const timer = setInterval(() => void socket.read(SLOW_BYTES), SLOW_EVERY_MS);
    socket.on("close", () => clearInterval(timer));
  };

  switch (attack) {
    case "fat lists":
      return many(AT_ONCE.lists, () => ask(FAT_PAGE));
    case "unread answers":
      return many(AT_ONCE.unread, () => hold(listing, (socket) => void socket.pause()));
    case "slow readers":
      return many(AT_ONCE.slow, () => hold(listing, slowly));
    case "fat puts":
      return many(AT_ONCE.puts, (turn) => ask("/api/v1/contacts", { method: "PUT", body: fatPut(turn) }));
    case "previews":
      return many(AT_ONCE.previews, () => ask("/api/v1/broadcasts/preview", { method: "POST", body: LIST }, [200]));
    case "fat events":
      return many(AT_ONCE.events, () => ask("/api/v1/events?per_page=500"));
    case "streams":
      return many(AT_ONCE.streams, () =>
        hold(`GET /api/v1/events?after=latest&wait=30 HTTP/1.1\r\nAuthorization: ${authorization}`, (socket) => {
          socket.on("data", () => socket.destroy());
        }),
      );
    case "new hosts":
      return many(AT_ONCE.hosts, (turn) =>
        ask("/docs", { method: "HEAD", headers: { host: `h${turn}.${Math.random().toString(36).slice(2)}.example` } }),
      );
    case "unknown members":
      return many(AT_ONCE.unknown, () => ask("/api/v1/messages", { method: "POST", body: UNKNOWN_MEMBERS }, [400]));
    case "broken bodies":
      return many(AT_ONCE.broken, () => ask("/api/v1/messages", { method: "POST", body: BROKEN }, [400]));
  }
}

/** Each member is one that the endpoint does not know, and could be named in its refusal. */
const UNKNOWN_MEMBERS = JSON.stringify(Object.fromEntries(Array.from({ length: 60_000 }, (_, n) => [`m${n}`, n])));

const BROKEN = `{"text": ${"x".repeat(1_000_000)}`;

/** As much as a body may hold. */
function fatPut(turn: number): string {
  const contacts = Array.from({ length: 500 }, (_, index) => ({
    phone: `+9197${String(index).padStart(8, "0")}`,
    fields: Object.fromEntries(
      Array.from({ length: 9 }, (_, field) => [`field_${field}`, `${turn} `.padEnd(190, "y")]),
    ),
  }));
  return JSON.stringify({ contacts });
}

/** As many numbers as a list may have. */
const LIST = JSON.stringify({
  name: "Load",
  template: "offer",
  variables: ["there"],
  to: Array.from({ length: 1_000 }, (_, index) => `+9198${String(index).padStart(8, "0")}`),
});
