/**
 * The server is killed while it blocks and unblocks people and changes the profile and the photo of a number: before the
 * network has the request, before its answer, and between the answer and the record of it. What the network was asked, what
 * it holds, what the server shows and what the audit log says are compared. The short form is part of every test run: 4
 * kills. The full form kills the executable 120 times, 10 times at each moment of each:
 *
 *   bun run test:crash faces
 *
 * Processes and time are real, so no two runs are the same: a failure prints what it found, not how to repeat it.
 */
import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { openClient } from "#src/db/driver.ts";
import { isFull, program, roundsOf } from "#test/support/crash-form.ts";
import { jpegOf } from "#test/support/graph-faces.ts";
import { noInterposer } from "#test/support/interposer.ts";
import { until } from "#test/support/live-broadcast.ts";
import { type MediaLoad, startMediaLoad } from "#test/support/media-load.ts";
import { preloadClock } from "#test/support/shifted-clock.ts";

const kills = roundsOf(120, 4);
const PATIENCE_MS = 20_000;
/** Until then, another process could still wait for its answer. */
const IN_FLIGHT_MS = 60_000;
/** The server has read an answer of the network that was sent so long ago. */
const READ_WITHIN_MS = 60;

const actions = ["block", "unblock", "profile", "photo"] as const;
const moments = ["before the network takes it", "before the answer", "before the record"] as const;

interface Round {
  index: number;
  action: (typeof actions)[number];
  moment: (typeof moments)[number];
}

const roundOf = (index: number): Round => ({
  index,
  action: actions[index % actions.length] ?? "block",
  moment: moments[(index + Math.floor(index / actions.length)) % moments.length] ?? "before the answer",
});

const profileOf = ({ index }: Round) => ({
  ...{ about: `Open until ${index}`, description: "", address: "", email: "", websites: [], vertical: "RETAIL" },
});

const title =
  "a block and a change of a number's profile are asked once, though the server is killed, and are shown as they are";
const scenario = noInterposer === null ? test : test.skip;

scenario(
  noInterposer === null ? title : `${title} (${noInterposer})`,
  async () => {
    using waxwing = await program();
    using preloaded = preloadClock();
    const { clock, env } = preloaded;
    await using load = await startMediaLoad(waxwing.command, { env, now: () => clock.now() });
    await load.start();
    const shop = await owned(load);
    const { faces } = load.graph;
    let unsettled = 0;

    for (const round of Array.from({ length: kills }, (_, index) => roundOf(index))) {
      const { action, moment, index } = round;
      await load.writeText();
      const person = `+4915112${100_001 + index}`;
      const thread = await shop.threadOf(person);
      if (action === "unblock") expect([round, (await shop.block(thread)).status]).toEqual([round, 200]);
      const before = { changes: faces.changes.length, photos: faces.photos.length };
      const audited = shop.audited(action);
      await killAt(load, round, () => shop.ask(round, thread));

      const isTaken = moment !== "before the network takes it";
      const changed = () => faces.changes.length - before.changes;
      expect([round, changed()]).toEqual([round, isTaken ? 1 : 0]);
      // Half of the servers come back while another process could still wait for its answer.
      if (index % 2 === 0) clock.move(IN_FLIGHT_MS + 1_000);
      await load.start();
      if (action === "block" || action === "unblock") {
        if (index % 2 === 1) {
          expect([round, await shop.stateOf(thread)]).toEqual([round, "checking"]);
          // Nothing is asked while it is not known.
          expect([round, (await shop.ask(round, thread)).status]).toEqual([round, 429]);
          unsettled += 1;
          // Its timers run by another clock than the one that moves.
          await load.kill();
          clock.move(IN_FLIGHT_MS + 1_000);
          await load.start();
        }
        const isBlocked = (action === "block") === isTaken;
        await until(
          "the network's list tells it",
          () => shop.stateOf(thread),
          (state) => state === (isBlocked ? "blocked" : null),
          PATIENCE_MS,
        );
        expect([round, faces.blocked.includes(person)]).toEqual([round, isBlocked]);
      } else {
        const shown = await shop.profile();
        if (action === "profile") expect([round, shown.about === profileOf(round).about]).toEqual([round, isTaken]);
        expect([round, faces.photos.length - before.photos]).toEqual([round, action === "photo" && isTaken ? 1 : 0]);
        expect([round, shown.photo === null]).toEqual([round, faces.photos.length === 0]);
        expect(shown.about).toBe(String(faces.profile.about ?? ""));
      }
      // The network was not asked again in the meantime, and what was begun is in the audit log.
      expect([round, changed()]).toEqual([round, isTaken ? 1 : 0]);
      expect([round, shop.audited(action) - audited]).toEqual([round, 1]);

      // A user asks again: what was not done is done, and what was done is not repeated but for a photo.
      expect([round, (await shop.ask(round, thread)).status]).toEqual([round, 200]);
      expect([round, changed()]).toEqual([round, action === "photo" && isTaken ? 2 : 1]);
    }

    expect(load.rows("SELECT id FROM blocks WHERE asked IS NOT NULL")).toEqual([]);
    await load.stop();
    const checked = await load.command("check");
    expect([checked.code, checked.out]).toEqual([0, expect.anything()]);
    console.log(
      `${kills} kills with a block or a change of the profile under way: ${faces.changes.length} requests taken, 0 twice, ${unsettled} asked for while unknown`,
    );
  },
  isFull ? 60_000 + kills * 5_000 : 120_000,
);

/** Kills the server at the moment of the round, and resolves once it is dead. */
async function killAt(load: MediaLoad, { moment }: Round, ask: () => Promise<unknown>): Promise<void> {
  const { graph } = load;
  const killed = Promise.withResolvers<void>();
  const kill = () => void load.kill().then(killed.resolve, killed.reject);
  if (moment === "before the answer") graph.fault({ fault: { kind: "delay", until: killed.promise } });
  graph.faces.arriving = async () => {
    graph.faces.arriving = null;
    if (moment === "before the network takes it") {
      kill();
      await killed.promise;
      return "lost";
    }
    // The database is locked before the answer leaves.
    if (moment === "before the record") void killUnrecorded(load).then(killed.resolve, killed.reject);
    // Once this change is taken.
    else setTimeout(kill);
    return "taken";
  };
  await Promise.all([ask().catch(() => null), killed.promise]);
}

/** The answer arrives while the database is locked, so that it is not recorded. */
async function killUnrecorded(load: MediaLoad): Promise<void> {
  const client = openClient(join(load.directory, "data/waxwing.db"), {});
  client.exec("BEGIN IMMEDIATE");
  await Bun.sleep(READ_WITHIN_MS);
  await load.kill();
  client.exec("ROLLBACK");
  client.close();
}

interface Answered {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: the test reads answers member by member; a missing member fails it.
  body: any;
}

/** Signs the owner in, and asks as the console does. */
async function owned(load: MediaLoad) {
  const file = join(load.directory, "data/setup-link");
  await until("the link of the first start is there", async () => existsSync(file), Boolean, PATIENCE_MS);
  const link = readFileSync(file, "utf8").trim();
  const given = { token: link.split("#")[1] ?? "", email: "asha@example.com", password: "correct horse battery" };
  let cookie = "";
  async function send(method: string, path: string, body?: unknown, type = "application/json"): Promise<Answered> {
    const answer = await fetch(`${load.url}/console/api${path}`, {
      method,
      headers: { "content-type": type, "sec-fetch-site": "same-origin", cookie },
      ...(method === "GET" ? {} : { body: body instanceof Uint8Array ? new Uint8Array(body) : JSON.stringify(body) }),
    });
    const set = answer.headers.getSetCookie().find((one) => /^(__Host-)?waxwing=/.test(one));
    cookie = set?.split(";")[0] ?? cookie;
    return { status: answer.status, body: await answer.json() };
  }
  expect((await send("POST", "/links/use", given)).status).toBeLessThan(300);
  const { out } = await load.command("key", "create", "--workspace", "1", "--scopes", "inbox", "--json");
  const { key } = JSON.parse(out) as { key: string };
  const names = {
    block: "conversation.block",
    unblock: "conversation.unblock",
    profile: "number.profile",
    photo: "number.photo",
  } as const;
  return {
    async threadOf(phone: string): Promise<number> {
      const query = `SELECT v.id FROM conversations v JOIN contacts c ON c.id = v.contact_id WHERE c.phone = '${phone}'`;
      const [row] = await until(
        "the conversation is there",
        async () => load.rows<{ id: number }>(query),
        (rows) => rows.length === 1,
        PATIENCE_MS,
      );
      return row?.id ?? 0;
    },
    block: (thread: number) => send("POST", `/w/1/conversations/${thread}/block`, {}),
    async stateOf(thread: number): Promise<string | null> {
      const headers = { authorization: `Bearer ${key}` };
      return (
        (await (await fetch(`${load.url}/api/v1/conversations/${thread}`, { headers })).json()) as Answered["body"]
      ).data.block_state;
    },
    async profile(): Promise<{ about: string; photo: string | null }> {
      return (await send("GET", "/w/1/numbers/1/profile")).body.data;
    },
    audited: (action: Round["action"]): number =>
      load.rows(`SELECT 1 FROM audit_log WHERE action = '${names[action]}'`).length,
    ask(round: Round, thread: number): Promise<Answered> {
      switch (round.action) {
        case "block":
          return send("POST", `/w/1/conversations/${thread}/block`, {});
        case "unblock":
          return send("DELETE", `/w/1/conversations/${thread}/block`, {});
        case "profile":
          return send("PUT", "/w/1/numbers/1/profile", profileOf(round));
        case "photo":
          return send("PUT", "/w/1/numbers/1/photo", jpegOf(round.index % 200), "application/octet-stream");
      }
    },
  };
}
