/**
 * What is gathered before it is written or sent, on a server that is killed again and again: messages of one person for an
 * address that groups them are each in one event, and the log of requests lacks at most its last second, and says so. The
 * short form runs from source; the full form, on the executable: `bun run test:crash batches`.
 */
import { expect, test } from "bun:test";
import { join } from "node:path";
import { openClient } from "#src/db/driver.ts";
import { isFull, program, roundsOf } from "#test/support/crash-form.ts";
import { makeInstallation, type RunningServer } from "#test/support/installation.ts";

const KILLS = roundsOf(60, 3);
const WINDOW_MS = 1_000;
/** The log is written once a second; the rest is for the writing itself, on a busy machine. */
const LOST_MS = 1_500;
const PEOPLE = ["447700900101", "447700900102", "447700900103"];

interface Written {
  from: string;
  text: string;
  id: string;
}

function messageOf({ from, text, id }: Written) {
  const timestamp = String(Math.floor(Date.now() / 1_000));
  return {
    contacts: [{ profile: { name: "Somebody" }, wa_id: from }],
    messages: [{ from, id, timestamp, type: "text", text: { body: text } }],
  };
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  const startedAt = performance.now();
  while (!(await condition())) {
    if (performance.now() - startedAt > 60_000) throw new Error("the condition did not come true in a minute");
    await Bun.sleep(50);
  }
}

test(
  `${KILLS} kills: each message is in one event, and the log of requests lacks at most the last second of each life`,
  async () => {
    using waxwing = await program();
    await using installation = await makeInstallation({
      ...{ people: 1, throughput: 100, command: waxwing.command, inDoubtAfter: "1m" },
      isTalkative: true,
    });
    const grouping = installation.command(
      ...["webhook", "update", "--workspace", "1", "--id", "1", "--group-bursts", `${WINDOW_MS / 1_000}s`],
    );
    expect((await grouping.ended).code).toBe(0);
    const written: Written[] = [];
    /** Not acknowledged: the network sends it again. */
    let open: Written[] = [];
    let surelyLogged = 0;
    /** `isLong`: at least until the log surely has an answer of this life. */
    const live = async (server: RunningServer, lifeMs: number, isLong: boolean): Promise<void> => {
      await server.started();
      const endsAt = performance.now() + lifeMs;
      const answeredAt: number[] = [];
      const write = async (message: Written): Promise<void> => {
        if ((await server.hear(messageOf(message))) !== 200) open.push(message);
      };
      const again = open;
      open = [];
      await Promise.all(again.map(write));
      const isSurelyLogged = (now: number): boolean => answeredAt.some((at) => at < now - LOST_MS);
      for (let now = performance.now(); now < endsAt || (isLong && !isSurelyLogged(now)); now = performance.now()) {
        const from = PEOPLE[written.length % PEOPLE.length] ?? "";
        const message = { from, text: `message ${written.length}`, id: `wamid.${written.length}` };
        written.push(message);
        await write(message);
        if ((await server.call("GET", "/me"))?.status === 200) answeredAt.push(performance.now());
        await Bun.sleep(Math.random() * 60);
      }
      const killedAt = performance.now();
      await server.kill();
      surelyLogged += answeredAt.filter((at) => at < killedAt - LOST_MS).length;
    };
    for (let kill = 0; kill < KILLS; kill += 1) {
      await live(installation.start(), 100 + Math.random() * 1_400, kill === KILLS - 1);
    }
    const server = installation.start();
    await server.started();
    for (const message of open) expect(await server.hear(messageOf(message))).toBe(200);
    const bodies = async (): Promise<Map<string, string>> => {
      const accepted = new Map<string, string>();
      for (const { body, isTaken } of await installation.events()) {
        const { id, type } = JSON.parse(body) as { id: string; type: string };
        if (type !== "message.received") continue;
        // Each attempt sends the same bytes.
        expect(accepted.get(id) ?? body).toBe(body);
        if (isTaken) accepted.set(id, body);
      }
      return accepted;
    };
    const textsIn = (found: Map<string, string>): string[] =>
      [...found.values()].flatMap((body) => (JSON.parse(body) as { data: { texts: string[] } }).data.texts);
    await until(async () => textsIn(await bodies()).length >= written.length);
    // Time for an event too many.
    await Bun.sleep(WINDOW_MS + 300);
    const found = await bodies();
    expect(textsIn(found).toSorted()).toEqual(written.map(({ text }) => text).toSorted());
    expect(found.size).toBeLessThan(written.length);
    expect(await server.stop()).toBe(0);

    const client = openClient(join(installation.data, "waxwing.db"), { readonly: true });
    const count = (sql: string): number => Number(client.prepare(sql).pluck().get());
    const logged = count("SELECT count(*) FROM key_requests WHERE path = '/me' AND status = 200");
    expect(logged).toBeGreaterThanOrEqual(surelyLogged);
    expect(surelyLogged).toBeGreaterThan(0);
    expect(count("SELECT count(*) FROM key_request_runs WHERE ended_at IS NULL")).toBe(KILLS);
    expect(count("SELECT count(*) FROM key_request_runs")).toBe(KILLS + 1);
    client.close();
    if (isFull)
      console.log(
        `batches: ${KILLS} kills, ${written.length} messages in ${found.size} events, ${logged} requests logged`,
      );
  },
  isFull ? 600_000 : 180_000,
);
