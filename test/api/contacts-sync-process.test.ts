/** The lists that callers sync from, while another process writes to the same database in real time. */
import { expect, test } from "bun:test";
import { join } from "node:path";
import { TestClock } from "#test/support/clock.ts";
import { optOutOf, putContactOf } from "#test/support/contacts.ts";
import { linesOf } from "#test/support/database.ts";
import { OTHERS_PEOPLE, personOf } from "#test/support/people-process.ts";
import { contactsOf } from "#test/support/rows.ts";
import { startTestServer, type TestServer, type TestWorkspace } from "#test/support/server.ts";

interface Row {
  phone: string;
  city: string;
}

const ROUNDS = 4;

/** Moves the server's clock to the machine's time, which the other process uses. */
async function keepTime(app: TestServer): Promise<void> {
  await app.clock.advance(Math.max(0, Date.now() - app.clock.now()));
}

/** One sync as a caller does it, page after page; moves the clock along before each page. */
async function sync<Found>(app: TestServer, { key }: TestWorkspace, path: string): Promise<Found[]> {
  const rows: Found[] = [];
  let next: string | null = null;
  do {
    await keepTime(app);
    const answer = await app.call("GET", next === null ? path : `${path}&after=${next}`, { key });
    if (answer.status !== 200) throw new Error(answer.text);
    rows.push(...(answer.body.data as Found[]));
    next = answer.body.meta.next;
  } while (next !== null);
  return rows;
}

function startOther(app: TestServer, { id }: TestWorkspace) {
  const script = join(import.meta.dir, "../support/people-process.ts");
  const database = join(app.directory, "waxwing.db");
  const child = Bun.spawn([process.execPath, script, database, String(id)], {
    stdin: "pipe",
    stdout: "pipe",
    stderr: "inherit",
  });
  const lines = linesOf(child.stdout);
  const line = async (): Promise<string> => String((await lines.next()).value);
  return {
    working: line,
    async stop(): Promise<number> {
      child.stdin.end();
      const turns = Number(await line());
      await child.exited;
      return turns;
    },
    async [Symbol.asyncDispose]() {
      child.kill();
      await child.exited;
    },
  };
}

test("syncs beside another writing process miss no change made before they began, and end with the last state of every contact", async () => {
  // Creating the contacts may advance the clock, so it starts behind the machine's clock. From then on the two are
  // level.
  await using app = await startTestServer({ clock: TestClock.atPresent(-60_000) });
  const shop = await app.workspace({ timezone: "UTC" });
  for (let index = 0; index < OTHERS_PEOPLE; index++) {
    await putContactOf(app, shop, personOf(index), { city: "City 000000" });
    if (index % 2 === 0) await optOutOf(app, shop, personOf(index));
  }
  await keepTime(app);
  const state = () => new Map(contactsOf(app).map((contact) => [contact.phone ?? "", contact]));
  await using other = startOther(app, shop);
  await other.working();

  const told = new Map<string, string>();
  let since = "2000-01-01T00:00:00Z";
  let turns = 0;
  for (let round = 0; round <= ROUNDS; round++) {
    // The last round runs after the other process has ended, so it sees every change.
    if (round === ROUNDS) turns = await other.stop();
    await keepTime(app);
    const before = state();
    const beganAt = new Date(app.clock.now()).toISOString();
    for (const { phone, city } of await sync<Row>(app, shop, `/api/v1/contacts?updated_since=${since}`)) {
      told.set(phone, city);
    }
    since = beganAt;
    const missed = [...before.values()].filter(({ phone, city }) => (told.get(phone ?? "") ?? "") < (city ?? ""));
    expect(missed.map(({ phone, city }) => [phone, city, told.get(phone ?? "")])).toEqual([]);

    const refused = state();
    const shown = await sync<Row>(app, shop, "/api/v1/opt-outs?since=2000-01-01");
    const after = state();
    const stayed = [...refused.values()].filter(
      ({ phone, consent, consentAt }) => consent === "opted_out" && after.get(phone ?? "")?.consentAt === consentAt,
    );
    const phones = new Set(shown.map(({ phone }) => phone));
    expect(stayed.filter(({ phone }) => !phones.has(phone ?? "")).map(({ phone }) => phone)).toEqual([]);
  }
  for (const [phone, { city }] of state()) expect([phone, told.get(phone)]).toEqual([phone, city ?? ""]);
  expect(turns).toBeGreaterThan(20);
}, 60_000);
