/**
 * A broadcast is changed before its first message: it is taken out of its schedule, a draft has what it was to send, and
 * either the changed broadcast is sent or the old one, once, under one id. Random orders of all that people and time can do
 * to it, with restarts between, are compared with a model.
 */
import { expect, test } from "bun:test";
import {
  broadcastOf,
  cancel,
  charged,
  countersOf,
  create,
  expectClosed,
  greeting,
  keptDirectory,
  list,
  MINUTE,
  notice,
  phones,
  put,
  RATE,
  rowsOf,
  type Scenario,
  SECOND,
  show,
  startAgain,
  startScenario,
  valuesOf,
} from "#test/support/broadcast-scenarios.ts";
import { conditionsOf } from "#test/support/conditions.ts";
import { auditEntries, firstOperator, person, type Visitor } from "#test/support/console.ts";
import { accountOf } from "#test/support/rows.ts";

/** The shop's clock shows 13:30 when it begins. */
const SEND_AT = "2026-11-21T14:00:00+05:30";
const LATER = "2026-11-21T14:30";

async function withMember(settings = {}, options = {}): Promise<Scenario & { member: Visitor; root: string }> {
  const scenario = await startScenario(settings, options);
  await firstOperator(scenario.app);
  const member = await person(scenario.app, "ravi@example.com", "member", scenario.shop.id);
  return Object.assign(scenario, { member, root: `/w/${scenario.shop.id}` });
}

const sentTo = ({ network }: Scenario) => network.sent.map(({ to }) => to as string).toSorted();

/** Saves the changed content, reviews it, and sends it. */
async function send(member: Visitor, path: string, changes: Record<string, unknown>) {
  const { content } = (await member.get(path)).body.data;
  await member.ask("PUT", path, { ...content, ...changes });
  const { data } = (await member.post(`${path}/check`)).body;
  return member.post(`${path}/send`, { reached: data.reached, amount: data.cost?.amount ?? null });
}

test("name, time, people, values and template of a scheduled broadcast change under its id, and it is sent once", async () => {
  await using scenario = await withMember(charged);
  const { app, member, root } = scenario;
  await put(scenario, phones(1, 7)[0] ?? "", { first_name: "Asha" });
  const id = await create(scenario, notice(phones(3), { send_at: SEND_AT }));
  const begun = await member.post(`${root}/broadcasts/${id}/change`);
  expect(begun.status).toBe(201);
  const path = `${root}/drafts/${begun.body.data.draft}`;
  const draft = (await member.get(path)).body.data;
  expect(draft).toMatchObject({
    content: {
      name: "Notice",
      template: "order_shipped",
      language: "en_US",
      to: phones(3),
      send_at: "2026-11-21T14:00",
    },
    changes: { id, name: "Notice", send_at: SEND_AT, refusal: null },
  });
  // Everybody sees that it waits, and for whom. Nothing of it is sent, whatever the time.
  expect(await show(scenario, id)).toMatchObject({
    status: "paused",
    status_reason: expect.stringMatching(/^being changed by ravi@example.com since \d\d:\d\d$/),
  });
  expect((await member.get(`${root}/broadcasts/${id}`)).body.data).toMatchObject({
    change_draft: begun.body.data.draft,
    change_refusal: null,
  });
  // A second press, and a colleague, find the same draft.
  expect((await member.post(`${root}/broadcasts/${id}/change`)).body.data).toEqual(begun.body.data);

  const changes = {
    name: "Greeting",
    template: greeting.name,
    to: [...phones(1, 7), ...phones(1, 8)],
    variables: { header: [], body: [{ field: "first_name", fallback: "there" }] },
    send_at: LATER,
  };
  const changed = await send(member, path, changes);
  expect([changed.status, changed.body.data]).toMatchObject([
    202,
    { id, name: "Greeting", status: "scheduled", send_at: "2026-11-21T14:30:00+05:30", requested: 2 },
  ]);
  expect(auditEntries(app)[0]).toMatchObject({ action: "broadcast.change", subject: "Greeting" });
  // A second press finds the same broadcast, and the draft is one no longer.
  const again = await member.post(`${path}/send`, { reached: 9, amount: null });
  expect([again.status, again.body.data.id]).toEqual([202, id]);
  expect((await member.get(`${root}/drafts`)).body.data).toEqual([]);
  expect((await member.get(`${root}/broadcasts`)).body.meta.total).toBe(1);
  expect(accountOf(app, scenario.shop)).toMatchObject({ held: 0, charged: 0 });

  await app.clock.advance(Date.parse(SEND_AT) - app.clock.now() + 10 * MINUTE);
  expect(sentTo(scenario)).toEqual([]);
  await app.clock.advance(21 * MINUTE);
  expect(sentTo(scenario)).toEqual([...phones(1, 7), ...phones(1, 8)].toSorted());
  expect(scenario.network.sent.flatMap(valuesOf)).toEqual(["Asha", "there"]);
  expect(await show(scenario, id)).toMatchObject({ status: "completed", counts: { total: 2, sent: 2 } });
  await expectClosed(scenario, id);
  expect(accountOf(app, scenario.shop).held).toBe(2 * RATE);
});

test("a discarded change puts the broadcast back as it was; after its time it waits for a person", async () => {
  await using scenario = await withMember();
  const { app, member, root } = scenario;
  const first = await create(scenario, notice(phones(2), { send_at: SEND_AT }));
  const second = await create(scenario, notice(phones(1, 5), { send_at: SEND_AT }));
  const drafts: string[] = [];
  for (const id of [first, second])
    drafts.push(`${root}/drafts/${(await member.post(`${root}/broadcasts/${id}/change`)).body.data.draft}`);
  expect((await member.ask("DELETE", drafts[0] ?? "")).status).toBe(200);
  expect(await show(scenario, first)).toMatchObject({ status: "scheduled", status_reason: null, send_at: SEND_AT });
  await app.clock.advance(Date.parse(SEND_AT) - app.clock.now() + 5 * SECOND);
  expect(sentTo(scenario)).toEqual(phones(2).toSorted());
  expect((await show(scenario, second)).status).toBe("paused");
  // A change that is abandoned is reported.
  const reported = (await conditionsOf(scenario, "broadcast_paused")).map(({ id }) => id);
  expect(reported).toEqual([`broadcast_paused:${second}`]);
  expect((await member.ask("DELETE", drafts[1] ?? "")).status).toBe(200);
  expect(await show(scenario, second)).toMatchObject({
    status: "paused",
    status_reason: expect.stringContaining("passed while it was being changed"),
  });
  expect((await member.post(`${root}/broadcasts/${second}/resume`)).status).toBe(200);
  await app.clock.advance(5 * SECOND);
  expect(sentTo(scenario)).toEqual([...phones(2), ...phones(1, 5)].toSorted());
});

test("a broadcast that has sent, is being prepared or has ended is refused, and its draft says why and can become a new one", async () => {
  await using scenario = await withMember({ throughput: 1 });
  const { app, member, root } = scenario;
  const id = await create(scenario, notice(phones(3), { send_at: SEND_AT }));
  const { draft } = (await member.post(`${root}/broadcasts/${id}/change`)).body.data;
  const path = `${root}/drafts/${draft}`;
  const early = await member.post(`${path}/detach`);
  expect([early.status, early.body.error.fields.draft]).toEqual([
    400,
    [expect.stringContaining("can still be changed")],
  ]);
  // A colleague resumes it as it was, and it starts.
  expect((await member.post(`${root}/broadcasts/${id}/resume`)).status).toBe(200);
  await app.clock.advance(Date.parse(SEND_AT) - app.clock.now() + SECOND);
  expect(scenario.network.sent.length).toBeGreaterThan(0);
  for (const refused of [
    await send(member, path, { to: phones(3, 20) }),
    await member.post(`${root}/broadcasts/${id}/change`),
  ]) {
    expect([refused.status, refused.body.error.code]).toEqual([409, "not_changeable"]);
    expect(refused.body.error.message).toContain("has started to send");
  }
  expect((await member.get(path)).body.data.changes.refusal).toContain("has started to send");
  await app.clock.advance(10 * SECOND);
  expect(sentTo(scenario)).toEqual(phones(3).toSorted());
  expect((await member.post(`${path}/detach`)).body.data.changes).toBeNull();
  const sent = await send(member, path, { to: phones(1, 20), send_at: LATER });
  expect([sent.status, sent.body.data.id]).toEqual([202, id + 1]);
  await cancel(scenario, id + 1);
  const ended = await member.post(`${root}/broadcasts/${id + 1}/change`);
  expect(ended.body.error.message).toContain("Duplicate it");
});

test("a broadcast that a removed group blocks is mended by a change, and does not fail meanwhile", async () => {
  await using scenario = await withMember();
  const { app, member, root } = scenario;
  const group = await list(scenario, phones(2));
  const { to: _, ...body } = notice([], { group, send_at: SEND_AT });
  const id = await create(scenario, body);
  const { draft } = (await member.post(`${root}/broadcasts/${id}/change`)).body.data;
  app.store.client.prepare("DELETE FROM group_members WHERE group_id = ?").run(group);
  app.store.client.prepare("DELETE FROM groups WHERE id = ?").run(group);
  await app.clock.advance(10 * MINUTE);
  expect((await show(scenario, id)).status).toBe("paused");
  const sent = await send(member, `${root}/drafts/${draft}`, { group: undefined, to: phones(1, 3) });
  expect([sent.status, sent.body.data]).toMatchObject([202, { id, status: "scheduled", requested: 1 }]);
});

test("one that has started and waits without having sent is changed too, and what was held for it is released", async () => {
  await using scenario = await withMember({ billing: { rate: RATE, balance: 10 * RATE } });
  const { app, member, root } = scenario;
  scenario.network.always(() => ({ kind: "unreachable", reason: "down" }) as never);
  const id = await create(scenario, notice(phones(4), { send_at: SEND_AT }));
  await app.clock.advance(Date.parse(SEND_AT) - app.clock.now() - MINUTE);
  // It starts and cannot be covered: something else holds the balance.
  app.store.client.prepare("UPDATE billing_accounts SET held = held + ?").run(8 * RATE);
  await app.clock.advance(2 * MINUTE);
  expect(await show(scenario, id)).toMatchObject({ status: "paused", started_at: expect.any(String) });
  const { draft } = (await member.post(`${root}/broadcasts/${id}/change`)).body.data;
  app.store.client.prepare("UPDATE billing_accounts SET held = held - ?").run(8 * RATE);
  scenario.network.always((one) => ({ kind: "accepted", networkMessageId: `wamid.${one.sendToken}` }) as never);
  // It does not continue automatically, although what stopped it is gone.
  await app.clock.advance(5 * MINUTE);
  expect(await show(scenario, id)).toMatchObject({ status: "paused", counts: { sent: 0 } });
  const sent = await send(member, `${root}/drafts/${draft}`, { to: phones(2, 30) });
  expect([sent.status, sent.body.data.id]).toEqual([202, id]);
  await app.clock.advance(10 * SECOND);
  expect(sentTo(scenario)).toEqual(phones(2, 30).toSorted());
  expect(rowsOf(scenario, id)).toHaveLength(2);
  expect(countersOf(scenario, id)).toMatchObject({ sent: 2, pending: 0, skipped: 0 });
  expect(accountOf(app, scenario.shop).held).toBe(2 * RATE);
});

/** A generator of numbers below a bound, from a seed. */
function randomOf(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const SEEDS = Number(process.env.CHANGE_SEEDS ?? 8);
const STEPS = 16;

test("in any order of changes, starts, pauses, resumes and restarts, one version is sent, to each of its people once", async () => {
  const outcomes = { finished: 0, changed: 0, refused: 0, restarted: 0 };
  for (let seed = 1; seed <= SEEDS; seed += 1) {
    const random = randomOf(seed);
    using kept = keptDirectory();
    let scenario = await withMember({}, { directory: kept.directory });
    const { root } = scenario;
    const member = scenario.member;
    let visitor = member;
    const id = await create(scenario, notice(phones(3), { send_at: SEND_AT }));
    // The people of the version that was accepted last.
    let people = phones(3);
    let drafts: number[] = [];
    await scenario.app.clock.advance(Date.parse(SEND_AT) - scenario.app.clock.now() - 3 * MINUTE);
    for (let step = 0; step < STEPS; step += 1) {
      const draft = drafts[random(Math.max(1, drafts.length))];
      const path = `${root}/drafts/${draft}`;
      switch (random(9)) {
        case 0:
        case 1: {
          const begun = await visitor.post(`${root}/broadcasts/${id}/change`);
          if (begun.status === 201) drafts = [...new Set([...drafts, begun.body.data.draft])];
          break;
        }
        case 2:
        case 3: {
          if (draft === undefined) break;
          const to = phones(1 + random(3), 10 * (1 + random(5)));
          const at = new Date(scenario.app.clock.now() + (random(4) - 1) * MINUTE).toISOString();
          const saved = await visitor.ask("PUT", path, { ...notice(to), language: "en_US", send_at: at });
          if (saved.status !== 200) break;
          // Two presses at one moment.
          const presses = await Promise.all(
            [1, 2].map(() => visitor.post(`${path}/send`, { reached: to.length, amount: null })),
          );
          const statuses = presses.map(({ status }) => status);
          if (statuses.includes(202)) {
            people = to;
            outcomes.changed += 1;
            for (const { status, body } of presses) if (status === 202) expect(body.data.id).toBe(id);
          } else if (statuses.includes(409)) outcomes.refused += 1;
          break;
        }
        case 4: {
          if (draft !== undefined) await visitor.ask("DELETE", path);
          drafts = drafts.filter((one) => one !== draft);
          break;
        }
        case 5: {
          await visitor.post(`${root}/broadcasts/${id}/${random(2) === 0 ? "resume" : "pause"}`);
          break;
        }
        case 6: {
          if (random(3) > 0) break;
          outcomes.restarted += 1;
          // The end of a server may wait for its own timers.
          let isStopped = false;
          const stopping = scenario.app.stop().then(() => {
            isStopped = true;
          });
          while (!isStopped) {
            await scenario.app.clock.advance(SECOND);
            await Bun.sleep(5);
          }
          await stopping;
          const again = await startAgain(scenario, kept.directory, random(2) * MINUTE);
          scenario = Object.assign(again, { member, root });
          const back = await person(again.app, `back${step}@example.com`, "member", again.shop.id);
          visitor = back;
          break;
        }
        default:
          await scenario.app.clock.advance((1 + random(2)) * MINUTE);
      }
      // At every step, what was sent is of one version, and no person has it twice.
      const sent = sentTo(scenario);
      expect([seed, step, new Set(sent).size]).toEqual([seed, step, sent.length]);
      if (sent.length > 0) expect([seed, step, sent.filter((to) => !people.includes(to))]).toEqual([seed, step, []]);
    }
    // Whatever state it is in says so, and a person can always have it sent.
    const state = broadcastOf(scenario, id);
    if (state.status === "paused") {
      expect([seed, state.statusReason]).toEqual([seed, expect.any(String)]);
      expect([seed, (await visitor.post(`${root}/broadcasts/${id}/resume`)).status]).toEqual([seed, 200]);
    }
    await scenario.app.clock.advance(30 * MINUTE);
    if (broadcastOf(scenario, id).status === "paused") await visitor.post(`${root}/broadcasts/${id}/resume`);
    await scenario.app.clock.advance(MINUTE);
    expect([seed, sentTo(scenario)]).toEqual([seed, people.toSorted()]);
    expect((await visitor.get(`${root}/broadcasts`)).body.meta.total).toBe(1);
    await expectClosed(scenario, id);
    outcomes.finished += 1;
    await scenario[Symbol.asyncDispose]();
  }
  expect(outcomes.finished).toBe(SEEDS);
  for (const count of [outcomes.changed, outcomes.restarted]) expect(count).toBeGreaterThan(0);
}, 120_000);
