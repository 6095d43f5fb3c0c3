/**
 * "Send again" omits people whom the network asks not to send to yet: who was refused for a limit of the person waits a
 * day, longer after each further refusal, or until the person writes.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { codesThat } from "#src/domain/messages/error-codes.ts";
import { listErrorMeanings } from "#src/domain/messages/error-table.ts";
import { firstOperator, person, type Visitor } from "#test/support/console.ts";
import { template } from "#test/support/scenarios.ts";
import { startTestServer, type TestServer, type TestWorkspace } from "#test/support/server.ts";

const HOUR_MS = 3_600_000;
/** The simulator refuses these with 131026, and the last with 131000. */
const LIMITED = ["+919876510001", "+919876520001"];
const OTHER = "+919876530002";

let app: TestServer;
let shop: TestWorkspace;
let member: Visitor;

beforeAll(async () => {
  app = await startTestServer();
  shop = await app.workspace();
  await firstOperator(app);
  await signIn();
  await app.template(shop, template("offer", [{ type: "BODY", text: "Hi." }]));
});
afterAll(() => app[Symbol.asyncDispose]());

let people = 0;
/** Sessions end while the clock moves by days. */
async function signIn(): Promise<void> {
  people += 1;
  member = await person(app, `member${people}@example.com`, "member", shop.id);
}

/** Returns the path of "Send again". */
async function send(): Promise<string> {
  const body = { name: "Diwali", template: "offer", to: [...LIMITED, OTHER] };
  const { id } = (await member.post(`/w/${shop.id}/broadcasts`, body)).body.data;
  await app.clock.advance(5 * 60_000);
  return `/w/${shop.id}/broadcasts/${id}/again`;
}

async function again(path: string) {
  const { failed, waiting } = (await member.get(path)).body.data;
  return { failed, waiting };
}

test("who was refused for a limit of the person is included a day later, and later still after a second refusal", async () => {
  const first = await send();
  expect(await again(first)).toEqual({ failed: 1, waiting: 2 });
  const made = await member.post(first, { with_unknown: false, count: 1 });
  const draft = (await member.get(`/w/${shop.id}/drafts/${made.body.data.draft}`)).body.data;
  expect(draft.content.to).toEqual([OTHER]);
  await app.clock.pass(25 * HOUR_MS);
  await signIn();
  expect(await again(first)).toEqual({ failed: 3, waiting: 0 });
  const second = await send();
  for (const path of [first, second]) expect(await again(path)).toEqual({ failed: 1, waiting: 2 });
  await app.clock.pass(25 * HOUR_MS);
  await signIn();
  expect(await again(second)).toEqual({ failed: 1, waiting: 2 });
  await app.clock.pass(24 * HOUR_MS);
  await signIn();
  for (const path of [first, second]) expect(await again(path)).toEqual({ failed: 3, waiting: 0 });
}, 60_000);

test("a person who has written since is included at once", async () => {
  const path = await send();
  await app.clock.advance(1_000);
  await app.inbound(shop, LIMITED[0] ?? "", "Hello?");
  await app.clock.advance(1_000);
  expect(await again(path)).toEqual({ failed: 2, waiting: 1 });
}, 60_000);

test("every code of the person waits, but for those that another send does not make worse", async () => {
  const path = await send();
  const later = { failed: 1, waiting: 2 };
  const set = (code: string) =>
    app.store.client
      .prepare("UPDATE messages SET error_code = ? WHERE to_phone LIKE '%0001' AND status = 'failed'")
      .run(code);
  const ofThePerson = listErrorMeanings().filter(({ meaning }) => meaning.scope === "recipient");
  // A message that expired, a pair that was throttled, one that programs cannot read, calls, and requests about threads.
  const anytime = ["131043", "131056", "131060", "138001", "138006", "2494191"];
  const untilAnswered = codesThat(({ sendAgain }) => sendAgain === "once_they_write");
  const waiting = ["1013", "1026", "130403", "131026", "131047", "131049", "131062", "137000"];
  expect(untilAnswered.toSorted()).toEqual(["130472", "131021", "131050"]);
  expect(ofThePerson.map(({ codes }) => codes).toSorted()).toEqual(
    [...waiting, ...untilAnswered, ...anytime].toSorted(),
  );
  for (const { codes } of ofThePerson) {
    set(codes);
    const expected = anytime.includes(codes) ? { failed: 3, waiting: 0 } : later;
    expect([codes, await again(path)]).toEqual([codes, expected]);
  }
  // Four refusals of each person in these tests: four days.
  await app.clock.pass(4 * 24 * HOUR_MS);
  await signIn();
  for (const code of untilAnswered) {
    set(code);
    expect([code, await again(path)]).toEqual([code, later]);
  }
  set("131026");
  expect(await again(path)).toEqual({ failed: 3, waiting: 0 });
}, 60_000);
