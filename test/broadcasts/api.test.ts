/** Creating, showing and cancelling a broadcast: validation, skipped recipients, consent, values, idempotency. */
import { expect, test } from "bun:test";
import { markUnready } from "#src/domain/numbers/readiness.ts";
import { createKey } from "#src/domain/workspaces/api-keys.ts";
import { resume as resumeWorkspace, suspend, switchApi, updateWorkspace } from "#src/domain/workspaces/update.ts";
import {
  broadcastOf,
  cancel,
  charged,
  create,
  decide,
  expectClosed,
  fates,
  field,
  greeting,
  list,
  MINUTE,
  notice,
  offer,
  phones,
  pictured,
  post,
  put,
  RATE,
  recipients,
  run,
  show,
  startScenario,
  untilSent,
  valuesOf,
} from "#test/support/broadcast-scenarios.ts";
import { optOutOf } from "#test/support/contacts.ts";
import { accountOf, consentLogOf, contactOf, contactsOf, keysOf } from "#test/support/rows.ts";
import { templates, unsupportedTemplates } from "#test/support/scenarios.ts";

const [first = "", second = "", third = ""] = phones(3);

test("the answer to a new broadcast comes before anything is sent, shows the whole broadcast and names the skipped recipients", async () => {
  await using scenario = await startScenario({ throughput: 1 });
  // An earlier broadcast has used this second's token, so nothing of the new one is sent while the answer is read.
  await create(scenario, notice([third]));
  await untilSent(scenario, 1);
  const answer = await post(scenario, notice([first, second]));
  expect(answer.status).toBe(202);
  expect(scenario.network.sent.map(({ to }) => to)).toEqual([third]);
  expect(answer.body).toEqual({
    data: {
      id: expect.any(Number),
      name: "Notice",
      status: "queueing",
      status_reason: null,
      template: { name: "order_shipped", language: "en_US" },
      from: "+911244001100",
      counts: { total: 2, sent: 0, delivered: 0, read: 0, failed: 0, skipped: 0 },
      charged: null,
      settled: false,
      held: 0,
      send_at: null,
      started_at: "2026-11-21T13:30:01+05:30",
      completed_at: null,
      created_at: "2026-11-21T13:30:01+05:30",
      requested: 2,
      skipped: [],
    },
  });
  await scenario.app.clock.advance(2_000);
  expect(scenario.network.sent.map(({ to }) => to)).toEqual([third, first, second]);
  expect(await show(scenario, answer.body.data.id)).toMatchObject({
    status: "completed",
    counts: { total: 2, sent: 2, delivered: 0, read: 0, failed: 0, skipped: 0 },
    completed_at: expect.stringMatching(/^2026-11-21T13:30:03\+05:30$/),
  });
});

test("skipped recipients appear in the order of `to`, each with its reason, and only opted_out ones with `since`", async () => {
  await using scenario = await startScenario({ dailyCap: 1 });
  await put(scenario, second, { first_name: "Asha" });
  await put(scenario, third, { first_name: "Ravi" });
  await put(scenario, first, { first_name: "Meera" });
  await optOutOf(scenario.app, scenario.shop, first);
  await scenario.app.clock.advance(MINUTE);
  const [nameless = ""] = phones(1, 50);
  const answer = await post(scenario, {
    name: "All kinds",
    template: greeting.name,
    variables: [{ field: "first_name" }],
    to: ["nobody", first, second, `0${second.slice(3)}`, nameless, third],
  });
  expect(answer.status).toBe(202);
  expect(answer.body.data).toMatchObject({ requested: 6, counts: { total: 6, skipped: 5 } });
  expect(answer.body.data.skipped).toEqual([
    { to: "nobody", reason: "invalid_number" },
    { to: first, reason: "opted_out", since: "2026-11-21T13:30:01+05:30" },
    { to: second, reason: "duplicate" },
    { to: nameless, reason: "missing_variable" },
    { to: third, reason: "daily_cap" },
  ]);
  await scenario.app.clock.advance(1_000);
  const { id } = answer.body.data;
  expect((await recipients(scenario, id)).map(({ to, status, reason }) => [to, status, reason])).toEqual([
    ["nobody", "skipped", "not a phone number"],
    [first, "skipped", "opted out"],
    [second, "sent", null],
    [second, "skipped", "the same person is already in the broadcast"],
    [nameless, "skipped", "no value for first_name"],
    [third, "skipped", "daily cap"],
  ]);
  await expectClosed(scenario, id);
});

test("a recipient skipped in the answer stays skipped, even if the reason is gone before the sending", async () => {
  await using scenario = await startScenario();
  const answer = await post(scenario, {
    name: "Later",
    template: greeting.name,
    variables: [{ field: "first_name" }],
    to: [first],
    send_at: "2026-11-21T14:30:00+05:30",
  });
  expect(answer.body.data.skipped).toEqual([{ to: first, reason: "missing_variable" }]);
  await put(scenario, first, { first_name: "Asha" });
  await scenario.app.clock.advance(2 * 60 * MINUTE);
  expect(await fates(scenario, answer.body.data.id)).toEqual([["skipped", "no value for first_name"]]);
  expect(scenario.network.sent).toEqual([]);
});

test("one person listed under two variants of a number is sent to once", async () => {
  await using scenario = await startScenario();
  const answer = await post(scenario, notice(["+5511987654321", "+551187654321"]));
  expect(answer.body.data.skipped).toEqual([{ to: expect.any(String), reason: "duplicate" }]);
  await scenario.app.clock.advance(1_000);
  expect(scenario.network.sent).toHaveLength(1);
});

test("a broadcast whose recipients are all skipped is accepted and completed without sending", async () => {
  await using scenario = await startScenario(charged);
  const answer = await post(scenario, notice(["nobody", "nothing"]));
  expect(answer.status).toBe(202);
  await scenario.app.clock.advance(0);
  expect(await show(scenario, answer.body.data.id)).toMatchObject({
    status: "completed",
    counts: { total: 2, sent: 0, skipped: 2 },
    charged: "0.00",
  });
  expect(scenario.network.sent).toEqual([]);
});

test("an empty list, both or neither way of addressing, over 1000 numbers, and unknown members are 400 naming the field", async () => {
  await using scenario = await startScenario();
  const faults = async (body: unknown): Promise<string[]> => {
    const answer = await post(scenario, body);
    expect([answer.status, answer.body.error.code]).toEqual([400, "invalid_request"]);
    return Object.keys(answer.body.error.fields).toSorted();
  };
  const { to: _, ...toNobody } = notice([first]);
  expect(await faults(notice([]))).toEqual(["to"]);
  expect(await faults(notice(phones(1_001)))).toEqual(["to"]);
  expect(await faults({ ...notice([first]), group: 1 })).toEqual(["group", "to"]);
  expect(await faults(toNobody)).toEqual(["group", "to"]);
  expect(await faults(notice([first], { sendat: "2026-11-22", groups: 1 }))).toEqual(["groups", "sendat"]);
  expect(await faults(notice([first], { name: "  " }))).toEqual(["name"]);
  expect(await faults(notice([first], { name: "x".repeat(192) }))).toEqual(["name"]);
  expect(await faults(notice([first], { from: "+911244009999" }))).toEqual(["from"]);
  expect(await faults(notice([first], { media: { link: "https://a.example/b.jpg" } }))).toEqual(["media"]);
  expect(await faults(notice([first], { send_at: "soon" }))).toEqual(["send_at"]);
  expect(await faults({ to: 7 })).toEqual(["name", "template", "to"]);
  expect(await faults(notice([first], { name: "x".repeat(191), template: 7 }))).toEqual(["template"]);
  expect(contactsOf(scenario.app)).toEqual([]);
});

test("a broadcast to a thousand numbers is accepted", async () => {
  await using scenario = await startScenario();
  const answer = await post(scenario, notice(phones(1_000), { name: "x".repeat(191) }));
  expect([answer.status, answer.body.data.requested, answer.body.data.counts.total]).toEqual([202, 1_000, 1_000]);
});

test("faulty values of a broadcast are named by their paths", async () => {
  await using scenario = await startScenario();
  await field(scenario, "plan");
  const faults = async (variables: unknown): Promise<string[]> => {
    const answer = await post(scenario, { name: "x", template: greeting.name, to: [first], variables });
    expect([answer.status, answer.body.error?.code]).toEqual([400, "invalid_request"]);
    return Object.keys(answer.body.error.fields).toSorted();
  };
  expect(await faults([{ field: "shoe_size" }])).toEqual(["variables.0.field"]);
  expect(await faults({ body: [{ field: "shoe_size", fallback: "9" }] })).toEqual(["variables.body.0.field"]);
  expect(await faults([{ field: "postal_code" }])).toEqual(["variables.0.field"]);
  expect(await faults([{ fallback: "there" }])).toEqual(["variables.0.field"]);
  expect(await faults([{ field: "plan", otherwise: "x" }])).toEqual(["variables.0.otherwise"]);
  expect(await faults([{ field: "plan", fallback: 7 }])).toEqual(["variables.0.fallback"]);
  for (const fallback of ["", "  ", "a\nb", "a\tb", "a     b"]) {
    expect(await faults({ body: [{ field: "plan", fallback }] })).toEqual(["variables.body.0.fallback"]);
  }
  for (const literal of ["", "a\nb", "a     b", true, null, [], 1e21, 1e-7]) {
    expect(await faults([literal])).toEqual(["variables.0"]);
  }
  expect(await faults(["a", "b"])).toEqual(["variables"]);
  expect(await faults({ body: ["a", "b"] })).toEqual(["variables.body"]);
  expect(await faults({ header: ["a"], body: ["b"] })).toEqual(["variables.header"]);
  expect(await faults({ header: "a", body: 7, footer: [] })).toEqual([
    "variables.body",
    "variables.footer",
    "variables.header",
  ]);
  expect(await faults("a")).toEqual(["variables"]);
});

test("a template's header and body are filled separately, with texts, numbers and fields", async () => {
  await using scenario = await startScenario();
  await scenario.app.template(scenario.shop, templates.headed);
  await put(scenario, first, { first_name: "Asha" });
  await run(scenario, {
    name: "Headed",
    template: "headed",
    to: [first],
    variables: { header: [10042.5], body: [{ field: "first_name", fallback: "there" }] },
  });
  expect(scenario.network.sent.map(({ content }) => content)).toMatchObject([
    { header: { type: "text", values: [{ text: "10042.5" }] }, body: [{ text: "Asha" }] },
  ]);
});

test("send_at up to 5 minutes in the past means now, an older one is refused, a later one schedules the broadcast", async () => {
  await using scenario = await startScenario();
  const at = async (sendAt: string) => post(scenario, notice([first], { send_at: sendAt }));
  const old = await at("2026-11-21T07:55:00Z");
  expect([old.status, Object.keys(old.body.error.fields)]).toEqual([400, ["send_at"]]);
  const now = await at("2026-11-21T07:55:02Z");
  expect([now.status, now.body.data.status, now.body.data.started_at]).toEqual([
    202,
    "queueing",
    "2026-11-21T13:30:01+05:30",
  ]);
  const ahead = await at("2026-11-21T15:00:00");
  expect([ahead.status, ahead.body.data.status, ahead.body.data.send_at, ahead.body.data.started_at]).toEqual([
    202,
    "scheduled",
    "2026-11-21T15:00:00+05:30",
    null,
  ]);
  await scenario.app.clock.advance(90 * MINUTE - 2_000);
  expect((await show(scenario, ahead.body.data.id)).status).toBe("scheduled");
  expect(scenario.network.sent).toHaveLength(1);
  await scenario.app.clock.advance(5_000);
  expect(await show(scenario, ahead.body.data.id)).toMatchObject({
    status: "completed",
    started_at: "2026-11-21T15:00:00+05:30",
  });
  expect(scenario.network.sent).toHaveLength(2);
});

test("a 402 for a broadcast gives the needed and the available amount, and stores nothing", async () => {
  await using scenario = await startScenario({ billing: { rate: RATE, balance: 2 * RATE } });
  const answer = await post(scenario, notice(["nobody", ...phones(3)]));
  expect([answer.status, answer.body.error]).toEqual([
    402,
    {
      code: "insufficient_balance",
      message: expect.any(String),
      needed: "0.0255",
      available: "0.017",
      retryable: true,
      retry_key: "new",
    },
  ]);
  expect(contactsOf(scenario.app)).toEqual([]);
  expect(accountOf(scenario.app, scenario.shop)).toMatchObject({ held: 0 });
  expect((await scenario.app.call("GET", "/api/v1/broadcasts", { key: scenario.shop.key })).body.meta.total).toBe(0);
});

test("a 402 for a group counts what its opted-in members cost", async () => {
  await using scenario = await startScenario({ billing: { rate: RATE, balance: RATE } });
  const group = await list(scenario, [first, second]);
  await put(scenario, third, { add_to_groups: [group] });
  const answer = await post(scenario, { name: "x", template: "order_shipped", group });
  expect([answer.status, answer.body.error.needed, answer.body.error.available]).toEqual([402, "0.017", "0.0085"]);
});

test("a broadcast to an unknown group or another workspace's group is 404", async () => {
  await using scenario = await startScenario();
  const other = await scenario.app.workspace({ number: "+911244001101" });
  const group = await list({ ...scenario, shop: other }, [first]);
  for (const id of [group, 4711]) {
    const answer = await post(scenario, { name: "x", template: "order_shipped", group: id });
    expect([answer.status, answer.body.error.code]).toEqual([404, "not_found"]);
  }
});

test("another workspace's broadcast is not found when shown, listed or cancelled", async () => {
  await using scenario = await startScenario();
  const id = await create(scenario, notice([first], { send_at: "2026-11-22" }));
  const other = await scenario.app.workspace({ number: "+911244001101" });
  for (const [method, path] of [
    ["GET", `/api/v1/broadcasts/${id}`],
    ["GET", `/api/v1/broadcasts/${id}/recipients`],
    ["POST", `/api/v1/broadcasts/${id}/cancel`],
    ["GET", "/api/v1/broadcasts/4711"],
    ["GET", "/api/v1/broadcasts/4711/recipients"],
    ["POST", "/api/v1/broadcasts/4711/cancel"],
    ["GET", "/api/v1/broadcasts/x"],
  ] as const) {
    const answer = await scenario.app.call(method, path, { key: other.key });
    expect([method, path, answer.status, answer.body.error.code]).toEqual([method, path, 404, "not_found"]);
  }
  expect((await show(scenario, id)).status).toBe("scheduled");
});

test("a finished broadcast cannot be cancelled, and stays as it is", async () => {
  await using scenario = await startScenario();
  const sent = await run(scenario, notice([first]));
  const dropped = await create(scenario, notice([second], { send_at: "2026-11-22" }));
  expect((await cancel(scenario, dropped)).body.data).toMatchObject({ status: "cancelled" });
  for (const id of [sent, dropped]) {
    const before = await show(scenario, id);
    const answer = await cancel(scenario, id);
    expect([answer.status, answer.body.error.code]).toEqual([422, "not_cancellable"]);
    expect(await show(scenario, id)).toEqual(before);
  }
});

test("a repeated idempotency key returns the first answer, byte for byte, and makes no second broadcast", async () => {
  await using scenario = await startScenario();
  const body = notice([first, "nobody"]);
  const answer = await post(scenario, body, "november");
  await scenario.app.clock.advance(5_000);
  const again = await post(scenario, { to: body.to, template: body.template, name: body.name }, "november");
  expect([again.status, again.text, again.headers.get("idempotent-replayed")]).toEqual([202, answer.text, "true"]);
  expect(answer.headers.get("idempotent-replayed")).toBeNull();
  const changed = await post(scenario, notice([second]), "november");
  expect([changed.status, changed.body.error.code]).toEqual([409, "idempotency_conflict"]);
  expect(scenario.network.sent).toHaveLength(1);
  const otherPath = await post(scenario, body, "november", "/api/v1/messages");
  expect(otherPath.status).not.toBe(202);
});

test("two requests with one idempotency key at the same moment make one broadcast", async () => {
  await using scenario = await startScenario();
  const answers = await Promise.all(Array.from({ length: 5 }, () => post(scenario, notice([first]), "twice")));
  expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  expect(answers.map(({ status }) => status)).toEqual([202, 202, 202, 202, 202]);
  expect((await scenario.app.call("GET", "/api/v1/broadcasts", { key: scenario.shop.key })).body.meta.total).toBe(1);
});

test("final refusals of a broadcast (402, 404, 422) are kept under the key, whatever has changed since", async () => {
  await using scenario = await startScenario({ billing: { rate: RATE, balance: 0 } });
  await scenario.app.template(scenario.shop, templates.plain, "PENDING");
  const bodies = {
    poor: notice([first]),
    lost: { name: "x", template: "order_shipped", group: 1 },
    pending: { name: "x", template: "plain", to: [first] },
  };
  const before = await Promise.all(Object.entries(bodies).map(([key, body]) => post(scenario, body, key)));
  expect(before.map(({ status }) => status)).toEqual([402, 404, 422]);
  await scenario.app.store.write((tx) => void switchApi(tx, scenario.shop.id, true));
  await decide(scenario, "plain", "APPROVED");
  await list(scenario, [third]);
  const after = await Promise.all(Object.entries(bodies).map(([key, body]) => post(scenario, body, key)));
  expect(after.map(({ status, text }) => [status, text])).toEqual(before.map(({ status, text }) => [status, text]));
  expect(after.map(({ headers }) => headers.get("idempotent-replayed"))).toEqual(["true", "true", "true"]);
});

test("refusals of a broadcast that are not final (400, 403, 429) leave the key unused", async () => {
  await using scenario = await startScenario({}, { config: { limits: { requestsPerSecond: 1, burst: 1 } } });
  const { app, shop } = scenario;
  const wait = () => app.clock.advance(1_000);
  await wait();
  expect((await post(scenario, notice([]), "one")).status).toBe(400);
  await wait();
  expect((await post(scenario, notice([first], { from: "+911244009999" }), "one")).status).toBe(400);
  await wait();
  await app.store.write((tx) => void suspend(tx, shop.id, "Unpaid"));
  const stopped = await post(scenario, notice([first]), "one");
  expect([stopped.status, stopped.body.error.code]).toEqual([403, "workspace_suspended"]);
  expect(stopped.body.error.message).toContain("Unpaid");
  await app.store.write((tx) => {
    resumeWorkspace(tx, shop.id);
    switchApi(tx, shop.id, false);
  });
  await wait();
  expect((await post(scenario, notice([first]), "one")).body.error.code).toBe("api_not_enabled");
  await app.store.write((tx) => void switchApi(tx, shop.id, true));
  const answers = await Promise.all([post(scenario, notice([second]), "one"), post(scenario, notice([third]), "two")]);
  const limited = answers.map(({ status }) => status);
  expect(limited).toContain(429);
  expect(keysOf(scenario.app).length).toBeLessThanOrEqual(1);
  await app.clock.advance(1_000);
  expect((await post(scenario, notice([first]), limited[0] === 429 ? "one" : "two")).status).toBe(202);
});

test("a broadcast is refused with 422 when stored data prevents it", async () => {
  await using scenario = await startScenario();
  const { app, shop } = scenario;
  await app.template(shop, unsupportedTemplates.location);
  const pausedTemplate = { ...templates.plain, name: "resting" };
  await app.template(shop, pausedTemplate, "PAUSED");
  const code = async (body: Record<string, unknown>): Promise<[number, string]> => {
    const answer = await post(scenario, { name: "x", to: [first], ...body });
    return [answer.status, answer.body.error.code];
  };
  expect(await code({ template: "unheard_of" })).toEqual([422, "template_not_found"]);
  expect(await code({ template: "order_shipped", language: "de" })).toEqual([422, "template_not_found"]);
  expect(await code({ template: "resting" })).toEqual([422, "template_not_sendable"]);
  expect(await code({ template: "resting", send_at: "2026-11-22" })).toEqual([422, "template_not_sendable"]);
  expect(await code({ template: "location" })).toEqual([422, "unsupported_template"]);
  expect(await code({ template: pictured.name })).toEqual([422, "missing_media"]);
  expect(await code({ template: greeting.name })).toEqual([422, "missing_variable"]);
  await app.store.write((tx) => void markUnready(tx, shop.numberId, "It was banned."));
  expect(await code({ template: "order_shipped" })).toEqual([422, "number_not_ready"]);
  expect(contactsOf(app)).toEqual([]);
});

test("a broadcast with send_at needs no ready number and no sufficient balance yet, and holds nothing", async () => {
  await using scenario = await startScenario({ billing: { rate: RATE, balance: 0 } });
  await scenario.app.store.write((tx) => void markUnready(tx, scenario.shop.numberId, "Not yet."));
  const answer = await post(scenario, notice([first], { send_at: "2026-11-22" }));
  expect([answer.status, answer.body.data.status]).toEqual([202, "scheduled"]);
  expect(accountOf(scenario.app, scenario.shop)).toMatchObject({ held: 0 });
});

test("all numbers in `to` that have not opted out are recorded as opted in by the API, also those that the broadcast skips", async () => {
  await using scenario = await startScenario();
  const { app, shop } = scenario;
  await put(scenario, second, { consent: "opted_in", name: "Early" });
  await put(scenario, third, { name: "Refuser" });
  await optOutOf(app, shop, third);
  const early = contactOf(app, second).consentAt;
  await app.clock.advance(MINUTE);
  const [nameless = ""] = phones(1, 50);
  await create(scenario, {
    name: "Utility too",
    template: greeting.name,
    variables: [{ field: "name" }],
    to: [second, third, nameless, "nobody"],
    send_at: "2026-11-22",
  });
  const consent = (phone: string) => {
    const { consent: status, consentSource, consentAt } = contactOf(app, phone);
    return [status, consentSource, consentAt];
  };
  expect(consent(second)).toEqual(["opted_in", "api", early]);
  expect(consent(third)[0]).toBe("opted_out");
  expect(consent(nameless)).toEqual(["opted_in", "api", app.clock.now()]);
  expect(consentLogOf(app).at(-1)).toMatchObject({ contactId: contactOf(app, nameless).id });
  expect(contactsOf(app)).toHaveLength(3);
});

test("a UTILITY broadcast records consent as well", async () => {
  await using scenario = await startScenario();
  await create(scenario, notice([first]));
  expect(contactOf(scenario.app, first)).toMatchObject({ consent: "opted_in", consentSource: "api" });
});

test("a broadcast to a group sends only to opted-in members, and changes no consent", async () => {
  await using scenario = await startScenario();
  const group = await list(scenario, [first, second, third], "");
  await put(scenario, second, { consent: "opted_in" });
  await optOutOf(scenario.app, scenario.shop, third);
  const answer = await post(scenario, { name: "Group", template: "summer_sale", group });
  expect(answer.body.data).toMatchObject({ requested: 0, skipped: [], counts: { total: 0 } });
  await scenario.app.clock.advance(1_000);
  expect(scenario.network.sent.map(({ to }) => to)).toEqual([second]);
  expect(await fates(scenario, answer.body.data.id)).toEqual([
    ["skipped", "no recorded opt-in"],
    ["sent", null],
    ["skipped", "opted out"],
  ]);
  expect(contactOf(scenario.app, first).consent).toBe("unknown");
  await expectClosed(scenario, answer.body.data.id);
});

test("a recipient who opts out between building and dispatch is skipped, and their hold is released", async () => {
  await using scenario = await startScenario({ ...charged, throughput: 1 });
  const id = await create(scenario, offer([first, second]));
  await scenario.app.clock.advance(0);
  expect((await show(scenario, id)).status).toBe("running");
  expect(accountOf(scenario.app, scenario.shop)).toMatchObject({ held: 2 * RATE });
  await scenario.app.inbound(scenario.shop, second, "STOP");
  await scenario.app.clock.advance(5_000);
  expect(scenario.network.sent.map(({ to }) => to)).toEqual([first]);
  expect(await fates(scenario, id)).toEqual([
    ["sent", null],
    ["skipped", "opted out"],
  ]);
  expect(accountOf(scenario.app, scenario.shop)).toMatchObject({ held: RATE });
});

test("values from contacts: white space becomes one space, an empty value counts as none, custom fields and numbers print plainly", async () => {
  await using scenario = await startScenario();
  const { app, shop } = scenario;
  await field(scenario, "plan");
  await field(scenario, "points", "number");
  await field(scenario, "member", "boolean");
  await field(scenario, "renews", "date");
  await app.template(shop, {
    ...greeting,
    name: "long",
    components: [{ type: "BODY", text: "{{1}} {{2}} {{3}} {{4}} {{5}} {{6}} {{7}}." }],
  });
  await put(scenario, first, {
    name: "  Asha \n\t  Rao ",
    city: "",
    fields: { plan: "Gold   card", points: 12.5, member: true, renews: "2027-01-31" },
  });
  await run(scenario, {
    name: "Values",
    template: "long",
    to: [first, second],
    variables: [
      { field: "name", fallback: "you" },
      { field: "city", fallback: "town" },
      { field: "plan", fallback: "basic" },
      { field: "points", fallback: "no" },
      { field: "member", fallback: "maybe" },
      { field: "renews", fallback: "never" },
      20,
    ],
  });
  expect(scenario.network.sent.map(valuesOf)).toEqual([
    ["Asha Rao", "town", "Gold card", "12.5", "true", "2027-01-31", "20"],
    ["you", "town", "basic", "no", "maybe", "never", "20"],
  ]);
});

// A Hangul filler, a zero-width space, a braille cell without dots, direction marks, a variation selector, a soft hyphen.
test.each(["\u3164", "\u200b", "\u2800", "\u200e\u200e", "\ufe0f", "\u00ad", " \u200b \u2800 "])(
  "a name without a visible character (%j) counts as missing, so that the fallback is sent",
  async (name) => {
    await using scenario = await startScenario();
    await field(scenario, "plan");
    await put(scenario, first, { name, fields: { plan: name } });
    const variables = [
      { field: "name", fallback: "friend" },
      { field: "plan", fallback: "basic" },
    ];
    const components = [{ type: "BODY", text: "{{1}} has {{2}}." }];
    await scenario.app.template(scenario.shop, { ...greeting, name: "plain", components });
    await run(scenario, { name: "Blank", template: "plain", to: [first], variables });
    expect(scenario.network.sent.map(valuesOf)).toEqual([["friend", "basic"]]);
  },
);

test.each(["\u3164", "\u200b", "\u2800", "\u200e\u200e", "\ufe0f", "\u00ad"])(
  "a literal value or a fallback without a visible character (%j) is refused like an empty one, and nothing is stored",
  async (blank) => {
    await using scenario = await startScenario();
    await put(scenario, first, { first_name: "Asha" });
    for (const [value, path] of [
      [blank, "variables.0"],
      [{ field: "first_name", fallback: blank }, "variables.0.fallback"],
    ] as const) {
      const body = { name: "Blank", template: greeting.name, to: [first], variables: [value] };
      expect(await post(scenario, body)).toMatchObject({
        status: 400,
        body: { error: { code: "invalid_request", fields: { [path]: ["A value must not be empty."] } } },
      });
    }
    expect(scenario.network.sent).toEqual([]);
  },
);

test("values are frozen when the broadcast is built: a name that changes later is not sent", async () => {
  await using scenario = await startScenario({ throughput: 1 });
  await put(scenario, first, { first_name: "Asha" });
  await put(scenario, second, { first_name: "Ravi" });
  const id = await create(scenario, {
    name: "Frozen",
    template: greeting.name,
    variables: [{ field: "first_name" }],
    to: [first, second],
  });
  await scenario.app.clock.advance(0);
  expect((await show(scenario, id)).status).toBe("running");
  await put(scenario, second, { first_name: "Changed" });
  await scenario.app.clock.advance(5_000);
  expect(scenario.network.sent.map(valuesOf)).toEqual([["Asha"], ["Ravi"]]);
});

test("a recipient who lacks a value when the broadcast is built is skipped then", async () => {
  await using scenario = await startScenario();
  await put(scenario, first, { first_name: "Asha" });
  const id = await create(scenario, {
    name: "Later",
    template: greeting.name,
    variables: [{ field: "first_name" }],
    to: [first],
    send_at: "2026-11-21T15:00:00+05:30",
  });
  await put(scenario, first, { first_name: null });
  await scenario.app.clock.advance(100 * MINUTE);
  expect(await fates(scenario, id)).toEqual([["skipped", "no value for first_name"]]);
  expect((await show(scenario, id)).status).toBe("completed");
});

test("a kept answer of a broadcast never contains the media link", async () => {
  await using scenario = await startScenario();
  const link = "https://files.example.com/secret-picture.jpg";
  await post(scenario, { name: "x", template: pictured.name, to: [first], media: { link } }, "picture");
  expect(JSON.stringify(keysOf(scenario.app))).not.toContain("secret-picture");
});

test("a media link is sent with each message and erased when the broadcast is finished", async () => {
  await using scenario = await startScenario();
  const link = "https://files.example.com/picture.jpg";
  const pictures = { name: "x", template: pictured.name, media: { link } };
  // Without a time it may be finished before it is read.
  const id = await create(scenario, { ...pictures, to: [first, second], send_at: "2026-11-21T13:35:00+05:30" });
  expect(broadcastOf(scenario, id).mediaLink).toBe(link);
  await scenario.app.clock.advance(600_000);
  expect(scenario.network.sent.map(({ content }) => content)).toMatchObject([
    { header: { link } },
    { header: { link } },
  ]);
  expect(broadcastOf(scenario, id)).toMatchObject({ status: "completed", mediaLink: null, mediaFilename: null });
  const dropped = await create(scenario, { ...pictures, to: [first], send_at: "2026-11-22" });
  await cancel(scenario, dropped);
  expect(broadcastOf(scenario, dropped).mediaLink).toBeNull();
});

test("a workspace with several numbers must name `from`, and the broadcast is sent from it", async () => {
  await using scenario = await startScenario();
  const { app, shop } = scenario;
  const { addNumber } = await import("#src/domain/numbers/add.ts");
  await app.store.write((tx) => {
    const route = { network: "simulator" } as const;
    addNumber(tx, shop.id, { phone: "+911244001199", name: "Second", throughput: 80, route });
    updateWorkspace(tx, shop.id, { name: "Two numbers" });
    createKey(tx, shop.id, "other");
  });
  const unsaid = await post(scenario, notice([first]));
  expect([unsaid.status, Object.keys(unsaid.body.error.fields)]).toEqual([400, ["from"]]);
  await app.clock.advance(1_000);
  const said = await post(scenario, notice([first], { from: "01244001199" }));
  expect([said.status, said.body.data.from]).toEqual([202, "+911244001199"]);
  await app.clock.advance(2_000);
  expect(scenario.network.sent.map(({ sender }) => sender.phone)).toEqual(["+911244001199"]);
});
