/**
 * Posts signed callbacks to the executable: the network's examples, as they are or mutated, up to the largest body, and
 * meanwhile measures another request. Then reads their outcome from the database.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openClient } from "#src/db/driver.ts";
import { placeExecutable } from "#test/support/executable.ts";
import { makeInstallation, PHONE_NUMBER_ID, type RunningServer } from "#test/support/installation.ts";
import examples from "#test/support/meta-examples.json";
import { measureWait } from "#test/support/processor-wait.ts";
import { Chance } from "./chance.ts";

export interface CallbackFuzz {
  /** Answers to the callbacks, by status. */
  statuses: Record<string, number>;
  /** Stored callbacks by the state in which they ended. */
  states: Record<string, number>;
  /** Texts that were posted as recorded, and of these those that no contact has. */
  genuine: number;
  lost: number;
  largestBytes: number;
  /** Of `GET /me` meanwhile. */
  slowestAnswerMs: number;
  answers: number;
}

const BODY_BYTES_MAX = 4 * 1024 * 1024;
const POSTERS = 3;
const BATCH = 50;
/** Of all bodies. */
const SHARE = { genuine: 0.2, large: 0.01, elsewhere: 0.1 };
const PIECES = ["a", "! ", "\u0000", "STOP ", "🛑", "\u202e", "é", '"', "\\", "{", " ", "0", "=", "\ud800", "　。"];
const WHOLE: readonly unknown[] = [null, true, 0, -1, 1e308, "", [], {}, [[]], "NaN", "9".repeat(40), { body: {} }];

type Json = Record<string, unknown>;

export async function fuzzCallbacks(options: { seed: number; bodies: number }): Promise<CallbackFuzz> {
  return withServer(async (server, data) => {
    const chance = new Chance(options.seed);
    const report = { statuses: {} as Record<string, number>, largestBytes: 0, slowestAnswerMs: 0, answers: 0 };
    const ids: string[] = [];
    for (let made = 0; made < options.bodies; made += BATCH) {
      // Made before they are posted: making a body must not delay the answers that are measured.
      const bodies = Array.from({ length: Math.min(BATCH, options.bodies - made) }, (_, index) =>
        nextBody(chance, made + index, ids),
      );
      report.largestBytes = Math.max(report.largestBytes, ...bodies.map((body) => Buffer.byteLength(body)));
      const post = async (): Promise<void> => {
        for (let body = bodies.pop(); body !== undefined; body = bodies.pop()) {
          const status = String(await server.hearBody(body));
          report.statuses[status] = (report.statuses[status] ?? 0) + 1;
        }
      };
      let isOver = false;
      const probe = async (): Promise<void> => {
        while (!isOver) {
          const [startedAt, waitedMs] = [performance.now(), measureWait(server.pid)];
          const answer = await server.call("GET", "/me");
          if (answer?.status !== 200) throw new Error(`GET /me was answered ${answer?.status}`);
          const tookMs = performance.now() - startedAt - waitedMs();
          report.slowestAnswerMs = Math.max(report.slowestAnswerMs, tookMs);
          report.answers += 1;
          await Bun.sleep(2);
        }
      };
      const probing = probe();
      await Promise.all(Array.from({ length: POSTERS }, post));
      await untilApplied(data);
      isOver = true;
      await probing;
    }
    const states = rowsOf<{ state: string | null; count: number }>(
      data,
      "SELECT state, count(*) AS count FROM callbacks GROUP BY state",
    );
    const heard = new Set(
      rowsOf<{ id: string }>(data, "SELECT network_message_id AS id FROM inbounds").map(({ id }) => id),
    );
    return {
      ...report,
      slowestAnswerMs: Math.round(report.slowestAnswerMs),
      states: Object.fromEntries(states.map(({ state, count }) => [state ?? "done", count])),
      genuine: ids.length,
      lost: ids.filter((id) => !heard.has(id)).length,
    };
  });
}

/** A text at two lengths, one four times the other, in one place: the shortest times of several tries. */
export interface FieldTimes {
  place: string;
  /** What the text repeats. */
  piece: string;
  lengths: readonly [short: number, long: number];
  ms: [short: number, long: number];
  isLinear: boolean;
}

/** Of a callback with a short text, on a busy machine. */
const BASE_MS = 40;
/** Four times the text may take six times as long; at a pattern that backtracks it would be sixteen times or more. */
const GROWTH_MAX = 6;
/** The runtime gives up some matches that take too long, after which longer texts take no longer. */
const LONG_MS_MAX = 1_000;
const TRIES_MAX = 3;

/**
 * How long the server takes to apply a long text in each place of a callback where a stranger's text may stand. A time
 * that looks longer than linear is measured again: other work on the machine slows some tries down, the text slows all
 * of them down.
 */
export async function timeFields(shortLength: number, pieces: readonly string[]): Promise<FieldTimes[]> {
  const lengths = [shortLength, 4 * shortLength] as const;
  return withServer(async (server, data) => {
    let posted = 0;
    const measure = async (place: string, piece: string, length: number): Promise<number> => {
      const example = Object.values(examples.callbacks).find((one) => has(ours(one), place.split(".")));
      const body = ours(example);
      // A message that is known already is not looked at again.
      for (const path of textPlaces(body).filter((one) => one.at(-1) === "id"))
        put(body, path, `wamid.${posted}-${path}`);
      posted += 1;
      put(body, place.split("."), `${piece.repeat(length / piece.length - 1)}a`);
      const text = JSON.stringify(body);
      const startedAt = performance.now();
      const status = await server.hearBody(text);
      if (status !== 200) throw new Error(`${place} was answered ${status}`);
      await untilApplied(data);
      return Math.round(performance.now() - startedAt);
    };
    const times: FieldTimes[] = [];
    const places = Object.values(examples.callbacks).flatMap((example) => textPlaces(ours(example)));
    for (const place of new Set(places.map((path) => path.join(".")))) {
      for (const piece of pieces) {
        let [short, long] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
        for (let tries = 0; tries < TRIES_MAX && !isLinear(short, long); tries++) {
          short = Math.min(short, await measure(place, piece, lengths[0]));
          long = Math.min(long, await measure(place, piece, lengths[1]));
        }
        const shown = place.replace("entry.0.changes.0.", "");
        times.push({ place: shown, piece, lengths, ms: [short, long], isLinear: isLinear(short, long) });
      }
    }
    return times;
  });
}

function isLinear(shortMs: number, longMs: number): boolean {
  return longMs <= GROWTH_MAX * Math.max(shortMs, BASE_MS) && longMs <= LONG_MS_MAX;
}

async function withServer<T>(use: (server: RunningServer, data: string) => Promise<T>): Promise<T> {
  const place = mkdtempSync(join(tmpdir(), "waxwing-callbacks-"));
  try {
    const executable = join(place, "waxwing");
    await placeExecutable(executable);
    await using shop = await makeInstallation({
      people: 1,
      throughput: 10,
      command: [executable],
      inDoubtAfter: "1m",
      env: { WAXWING_LIMITS_REQUESTS_PER_SECOND: "1000000", WAXWING_LIMITS_BURST: "1000000" },
    });
    const server = shop.start();
    await server.started();
    const result = await use(server, shop.data);
    if ((await server.stop()) !== 0) throw new Error("the server did not stop well");
    return result;
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

function rowsOf<Row>(data: string, query: string): Row[] {
  const client = openClient(join(data, "waxwing.db"), { readonly: true });
  try {
    return client.prepare(query).all() as Row[];
  } finally {
    client.close();
  }
}

async function untilApplied(data: string): Promise<void> {
  while (rowsOf(data, "SELECT 1 FROM callbacks WHERE done_at IS NULL LIMIT 1").length > 0) await Bun.sleep(2);
}

/** An example about the number of the installation. */
function ours(example: unknown): Json {
  return JSON.parse(
    JSON.stringify(example).replaceAll(/"phone_number_id":"\d+"/g, `"phone_number_id":"${PHONE_NUMBER_ID}"`),
  );
}

/** `ids`: gets the ids of texts that are posted as recorded. */
function nextBody(chance: Chance, number: number, ids: string[]): string {
  if (chance.happens(SHARE.genuine)) {
    const body = ours(examples.callbacks["Text Message"]);
    const id = `wamid.genuine-${number}`;
    put(body, ["entry", "0", "changes", "0", "value", "messages", "0", "id"], id);
    ids.push(id);
    return JSON.stringify(body);
  }
  const example = chance.pick(Object.values(examples.callbacks));
  const body = chance.happens(SHARE.elsewhere) ? structuredClone<Json>(example as Json) : ours(example);
  const times = 1 + chance.below(4);
  for (let time = 0; time < times; time++) mutate(chance, body);
  const text = JSON.stringify(body);
  return Buffer.byteLength(text) <= BODY_BYTES_MAX ? text : "{}";
}

function mutate(chance: Chance, body: Json): void {
  const path = chance.pick(allPlaces(body));
  if (path === undefined) return;
  const choice = chance.below(4);
  if (choice === 0) put(body, path, structuredClone(chance.pick(WHOLE)));
  else if (choice === 1) put(body, path, repeated(chance, at(body, path)));
  else put(body, path, longText(chance));
}

/** Lists with thousands of the same element; anything else becomes a list of itself. */
function repeated(chance: Chance, value: unknown): unknown {
  const one = Array.isArray(value) ? value[0] : value;
  return Array.from({ length: chance.below(chance.happens(0.05) ? 2_000 : 20) }, () => structuredClone(one));
}

/** Most are short; few are nearly as long as a body may be. */
function longText(chance: Chance): string {
  const bytes = chance.happens(SHARE.large)
    ? BODY_BYTES_MAX * (0.25 + 0.7 * chance.next())
    : 2 ** (1 + chance.below(16));
  const piece = chance.some(PIECES, 3).join("") || "x";
  // A letter may take six bytes as JSON.
  return piece.repeat(Math.ceil(bytes / (Buffer.byteLength(JSON.stringify(piece)) - 2))) + chance.pick(PIECES);
}

function allPlaces(value: unknown, before: string[] = []): string[][] {
  if (typeof value !== "object" || value === null) return [before];
  const inside = Object.entries(value)
    .slice(0, 50)
    .flatMap(([name, part]) => allPlaces(part, [...before, name]));
  return before.length === 0 ? inside : [before, ...inside];
}

function textPlaces(body: Json): string[][] {
  return allPlaces(body).filter((path) => typeof at(body, path) === "string");
}

function at(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((inside, name) => (inside as Json | undefined)?.[name], value);
}

function has(value: unknown, path: readonly string[]): boolean {
  return typeof at(value, path) === "string";
}

function put(body: Json, path: readonly string[], value: unknown): void {
  const holder = at(body, path.slice(0, -1)) as Json | undefined;
  const name = path.at(-1);
  if (holder !== undefined && name !== undefined) holder[name] = value;
}
