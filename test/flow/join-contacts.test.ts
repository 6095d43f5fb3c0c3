/**
 * Contacts that are one person: found, compared and joined through the API. What follows the join, what it never does (raise
 * consent, lose a row), and what happens to what arrives before, between and after.
 */
import { expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import { changeConsent } from "#src/domain/contacts/change-consent.ts";
import { getContact } from "#src/domain/contacts/find.ts";
import { linkContacts } from "#src/domain/contacts/identity.ts";
import { beginErasure } from "#src/domain/erasure/erasures.ts";
import { joinContacts } from "#src/domain/erasure/join-contacts.ts";
import { pairQueries } from "#src/domain/erasure/join-pairs.ts";
import { findJoin, MESSAGES_AT_ONCE, moveRows, ROWS_AT_ONCE } from "#src/domain/erasure/join-rows.ts";
import { COMMAND_LINE } from "#src/domain/users/audit-log.ts";
import { getWorkspace } from "#src/domain/workspaces/read.ts";
import { contactPath, getContactOf, optOutOf, putContactOf } from "#test/support/contacts.ts";
import { fakeNetwork } from "#test/support/fake-network.ts";
import { contactOf, contactsOf, eventsOf, inboundsOf, messagesOf } from "#test/support/rows.ts";
import { startTestServer, type TestServer, type TestWorkspace } from "#test/support/server.ts";

const [first, second, third] = ["+442079460210", "+442079460211", "+442079460212"] as const;

async function start() {
  const app = await startTestServer({ networks: { simulator: fakeNetwork() } });
  return { app, shop: await app.workspace() };
}

const duplicates = async (app: TestServer, { key }: TestWorkspace) => {
  const { body } = await app.call("GET", "/api/v1/duplicates", { key });
  return (body.data as { reasons: string[]; one: { phone: string }; other: { phone: string } }[]).map(
    ({ reasons, one, other }) => [one.phone, other.phone, ...reasons],
  );
};

const compare = (app: TestServer, { key }: TestWorkspace, stays: string, goes: string) =>
  app.call("GET", `${contactPath(stays)}/join/${encodeURIComponent(goes)}`, { key });

const join = async (app: TestServer, { key }: TestWorkspace, stays: string, goes: string, more: object = {}) => {
  const answer = await app.call("POST", `${contactPath(stays)}/join`, { key, body: { with: goes, ...more } });
  await app.clock.advance(1_000);
  return answer;
};

const write = (app: TestServer, { key }: TestWorkspace, to: string, more: object = { text: "Hello" }) =>
  app.send("POST", "/api/v1/messages", { key, body: { to, ...more } });

const rows = (app: TestServer, query: string): Record<string, unknown>[] =>
  app.store.client.prepare(query).all() as Record<string, unknown>[];

test("pairs are found by e-mail and by name with birthday, once each, and a user's word hides one", async () => {
  const { app, shop } = await start();
  await using _ = app;
  const born = { name: "Asha Rao", birthday: "1990-02-28" };
  await putContactOf(app, shop, first, { ...born, email: "asha@example.com" });
  await putContactOf(app, shop, second, { name: "asha rao", birthday: "1990-02-28", email: "ASHA@example.com" });
  await putContactOf(app, shop, third, { name: "Asha Rao", birthday: "1991-02-28" });
  expect(await duplicates(app, shop)).toEqual([[first, second, "same_email", "same_name_and_birthday"]]);
  expect(await duplicates(app, await app.workspace())).toEqual([]);
  const said = await app.call("POST", `${contactPath(second)}/different`, { key: shop.key, body: { with: first } });
  expect(said).toMatchObject({ status: 200, body: { data: { different: true } } });
  expect(await duplicates(app, shop)).toEqual([]);
});

test("an address that more than five share says nothing about a person", async () => {
  const { app, shop } = await start();
  await using _ = app;
  for (let index = 0; index < 6; index++)
    await putContactOf(app, shop, `+4420794602${20 + index}`, { email: "info@example.com" });
  expect(await duplicates(app, shop)).toEqual([]);
});

test("two variants of a number, and what the network linked, are pairs", async () => {
  const { app, shop } = await start();
  await using _ = app;
  const variants = [
    ["+5511961234567", "+551161234567"],
    ["+5215512345678", "+525512345678"],
    ["+5491123456789", "+541123456789"],
  ] as const;
  for (const [long, short] of variants) {
    await putContactOf(app, shop, long, { name: long });
    const stored = contactsOf(app).find(({ name }) => name === long);
    await app.store.write((tx) => {
      tx.db.run(sql`UPDATE contacts SET phone = ${long} WHERE id = ${stored?.id}`);
      tx.db.run(sql`INSERT INTO contacts (workspace_id, phone, consent, created_at, updated_at)
        VALUES (${shop.id}, ${short}, 'unknown', ${tx.now}, ${tx.now})`);
    });
  }
  await putContactOf(app, shop, first, {});
  await putContactOf(app, shop, second, {});
  const linked = [contactOf(app, first), contactOf(app, second)] as const;
  await app.store.write((tx) => linkContacts(tx, getWorkspace(tx, shop.id), ...linked));
  expect((await duplicates(app, shop)).toSorted()).toEqual(
    [[first, second, "network"], ...variants.map((pair) => [...pair, "same_number"])].toSorted(),
  );
  const [long, short] = variants[0];
  expect(await join(app, shop, long, short)).toMatchObject({ status: 200, body: { data: { phone: long } } });
  await app.inbound(shop, short, "Oi");
  expect(contactOf(app, long).phone).toBe(long);
  expect(await duplicates(app, shop)).toHaveLength(3);
});

test("each reason is one walk in the order of an index; those with one birthday are sorted day by day", async () => {
  const { app, shop } = await start();
  await using _ = app;
  const expected = {
    ...{ network: "INDEX contacts_identity", same_number: "INDEX contacts_phone", same_email: "INDEX contacts_email" },
    same_name_and_birthday: "COVERING INDEX contacts_birthday (workspace_id=? AND <expr>=?)",
  };
  for (const [reason, query] of Object.entries(pairQueries(shop.id))) {
    const plan = rows(app, `EXPLAIN QUERY PLAN ${query}`).map(({ detail }) => String(detail));
    expect(plan.some((line) => line.includes(expected[reason as keyof typeof expected]))).toBe(true);
    // Only the contacts of one day are sorted at once.
    const sorts = reason === "same_name_and_birthday" ? ["USE TEMP B-TREE FOR GROUP BY"] : [];
    expect(plan.filter((line) => /TEMP B-TREE|^SCAN (one|other|contacts)$/.test(line))).toEqual(sorts);
  }
});

test("the comparison says what differs, what would hold and what moves; the join does exactly that", async () => {
  const { app, shop } = await start();
  await using _ = app;
  await putContactOf(app, shop, first, { name: "Asha Rao", add_tags: ["vip"], consent: "opted_in" });
  await putContactOf(app, shop, second, {
    ...{ name: "Asha R.", email: "asha@example.com", add_tags: ["pune"], add_to_groups: ["Regulars"] },
    people: [{ name: "Dev Rao" }],
  });
  await app.inbound(shop, second, "Hi from the other phone");
  await write(app, shop, second);
  const { body } = await compare(app, shop, first, second);
  expect(body.data).toMatchObject({
    fields: [
      { field: "phone", stays: first, goes: second, differs: true },
      { field: "name", stays: "Asha Rao", goes: "Asha R.", differs: true },
      { field: "email", stays: null, goes: "asha@example.com", differs: false },
    ],
    consent: { stays: "opted_in", becomes: "opted_in" },
    further_phone: second,
    moves: { sent: 1, received: 1, tags: 1, groups: 1 },
  });
  const joined = await join(app, shop, first, second, { take: ["name"], seen: body.data.seen });
  expect(joined).toMatchObject({
    status: 200,
    body: {
      data: {
        ...{ phone: first, name: "Asha R.", email: "asha@example.com", tags: ["pune", "vip"] },
        ...{ groups: [{ name: "Regulars" }], people: [{ name: "Dev Rao" }], consent: { status: "opted_in" } },
      },
    },
  });
  const { id } = contactOf(app, first);
  expect(inboundsOf(app).map(({ contactId }) => contactId)).toEqual([id]);
  expect(messagesOf(app).map(({ contactId }) => contactId)).toEqual([id]);
  expect(rows(app, "SELECT contact_id FROM conversations")).toEqual([{ contact_id: id }]);
  expect(rows(app, "SELECT ended_at IS NOT NULL AS ended FROM contact_joins")).toEqual([{ ended: 1 }]);
  expect(rows(app, "SELECT id FROM outbox WHERE kind = 'join_contacts'")).toEqual([]);
  const { body: list } = await app.call("GET", "/api/v1/contacts", { key: shop.key });
  expect(list.data.map(({ phone }: { phone: string }) => phone)).toEqual([first]);
  const { body: other } = await getContactOf(app, shop, second);
  expect(other.data.phone).toBe(first);
  const audit = rows(app, "SELECT action, details FROM audit_log WHERE action = 'contact.join'");
  expect(JSON.parse(String(audit[0]?.details))).toMatchObject({ taken: ["name"], consent: "opted_in" });
});

test.each([
  ["the one that goes opted out", [first, second]],
  ["the one that stays opted out", [second, first]],
])("an opt-out of either holds, whatever the other said later: %s", async (_name, [open, closed]) => {
  const { app, shop } = await start();
  await using _ = app;
  await optOutOf(app, shop, closed ?? "");
  await putContactOf(app, shop, open ?? "", { consent: "opted_in" });
  const changed = contactOf(app, open ?? "");
  // Their own START, after the other's opt-out: it was said under another number.
  await app.store.write((tx) => {
    const workspace = getWorkspace(tx, shop.id);
    const said = { kind: "start" as const, saidAt: tx.now + 60_000 };
    changeConsent(tx, workspace, changed, said, { source: "inbound_message", evidence: {} });
  });
  const { at } = (await getContactOf(app, shop, closed ?? "")).body.data.consent;
  expect(await join(app, shop, first, second)).toMatchObject({
    body: { data: { consent: { status: "opted_out", at } } },
  });
  expect((await write(app, shop, first)).body.error.code).toBe("opted_out");
  expect((await write(app, shop, second)).body.error.code).toBe("opted_out");
  const log = rows(app, "SELECT contact_id, became, evidence FROM consent_log ORDER BY id");
  expect(log.map(({ became }) => became).slice(-1)).toEqual(["opted_out"]);
  expect(new Set(log.map(({ contact_id: id }) => id)).size).toBe(2);
});

test("an unknown consent does not become an opt-in by a join, and a doubt stays", async () => {
  const { app, shop } = await start();
  await using _ = app;
  await putContactOf(app, shop, first, {});
  await putContactOf(app, shop, second, { consent: "opted_in" });
  await app.store.write((tx) =>
    tx.db.run(
      sql`UPDATE contacts SET may_want_to_stop_since = 5, may_want_to_stop_said_at = 5 WHERE phone = ${second}`,
    ),
  );
  await join(app, shop, first, second);
  expect(contactOf(app, first)).toMatchObject({ consent: "unknown", mayWantToStopSince: 5 });
});

test("what changed since the comparison is not decided on; a message in either direction follows instead", async () => {
  const { app, shop } = await start();
  await using _ = app;
  await putContactOf(app, shop, first, { name: "Asha" });
  await putContactOf(app, shop, second, { name: "Asha R." });
  const seen = async () => (await compare(app, shop, first, second)).body.data.seen;
  const before = await seen();
  await optOutOf(app, shop, second);
  const refused = await join(app, shop, first, second, { seen: before });
  expect(refused).toMatchObject({ status: 400, body: { error: { fields: { seen: [expect.any(String)] } } } });
  expect(contactOf(app, second).name).toBe("Asha R.");
  const again = await seen();
  await app.inbound(shop, second, "One more thing");
  expect(await join(app, shop, first, second, { seen: again })).toMatchObject({ status: 200 });
  expect(inboundsOf(app)[0]?.contactId).toBe(contactOf(app, first).id);
});

test("a second join of the same two, and wrong ones, change nothing and say why", async () => {
  const { app, shop } = await start();
  await using _ = app;
  await putContactOf(app, shop, first, {});
  await putContactOf(app, shop, second, {});
  const both = await Promise.all([join(app, shop, first, second), join(app, shop, second, first)]);
  expect(both.map(({ status }) => status).toSorted()).toEqual([200, 400]);
  expect(rows(app, "SELECT id FROM contact_joins")).toHaveLength(1);
  expect(await join(app, shop, first, second)).toMatchObject({ status: 400 });
  expect(await join(app, shop, first, third)).toMatchObject({ status: 404 });
  await putContactOf(app, shop, third, {});
  const wrong = await join(app, shop, first, third, { take: ["colour"] });
  expect(wrong).toMatchObject({
    status: 400,
    body: { error: { fields: { take: [expect.stringContaining("colour")] } } },
  });
});

test("who writes from the joined number is the same person: consent holds, and the answer goes where they wrote", async () => {
  const { app, shop } = await start();
  await using _ = app;
  await putContactOf(app, shop, first, { name: "Asha", consent: "opted_in" });
  await putContactOf(app, shop, second, {});
  await app.inbound(shop, first, "Hi");
  await join(app, shop, first, second);
  await app.inbound(shop, second, "It's me again");
  expect(contactsOf(app).filter(({ phone }) => phone !== null)).toMatchObject([{ phone: second, name: "Asha" }]);
  expect((await write(app, shop, first)).body.data.to).toBe(second);
  await app.inbound(shop, first, "And from the first one");
  expect((await write(app, shop, second)).body.data.to).toBe(first);
  await app.inbound(shop, second, "STOP");
  expect((await write(app, shop, first)).body.error.code).toBe("opted_out");
  const person = contactsOf(app).filter(({ phone }) => phone !== null);
  expect(person).toMatchObject([{ consent: "opted_out" }]);
});

test("a window belongs to a number: what was written from one opens none on the other", async () => {
  const { app, shop } = await start();
  await using _ = app;
  await putContactOf(app, shop, first, {});
  await app.inbound(shop, second, "Hi");
  await join(app, shop, first, second);
  expect((await write(app, shop, first)).body.error.code).toBe("window_closed");
  await app.inbound(shop, second, "Hello?");
  expect((await write(app, shop, first)).body.data.to).toBe(second);
});

test("scheduled messages and waiting recipients go to the person once", async () => {
  const { app, shop } = await start();
  await using _ = app;
  for (const phone of [first, second]) await putContactOf(app, shop, phone, { consent: "opted_in" });
  await app.inbound(shop, first, "Hi");
  const sendAt = new Date(app.clock.now() + 3_600_000).toISOString();
  await write(app, shop, second, { text: "Later", send_at: sendAt });
  expect(rows(app, "SELECT to_phone FROM messages")).toEqual([{ to_phone: second }]);
  await join(app, shop, first, second);
  const stays = contactOf(app, first).id;
  expect(rows(app, "SELECT to_phone, contact_id FROM messages")).toEqual([{ to_phone: first, contact_id: stays }]);
  expect(rows(app, "SELECT contact_id FROM scheduled_messages")).toEqual([{ contact_id: stays }]);
  await app.clock.advance(3_601_000);
  expect(messagesOf(app)[0]).toMatchObject({ status: "sent", toPhone: first });
});

test("an erasure after a join takes the keyed opt-out of every number", async () => {
  const { app, shop } = await start();
  await using _ = app;
  await optOutOf(app, shop, second);
  await putContactOf(app, shop, first, {});
  await join(app, shop, first, second);
  const person = contactOf(app, first);
  await app.store.write((tx) => beginErasure(tx, person, COMMAND_LINE, tx.now));
  await app.clock.advance(60_000);
  for (const phone of [first, second]) expect((await write(app, shop, phone)).body.error.code).toBe("opted_out");
  expect(rows(app, "SELECT id FROM contacts WHERE phone IS NOT NULL")).toEqual([]);
  expect(rows(app, "SELECT network_id FROM contact_network_ids")).toEqual([]);
});

test("rows of the past follow in bounded transactions, and a name that arrives late goes to the one that stays", async () => {
  const { app, shop } = await start();
  await using _ = app;
  await putContactOf(app, shop, first, {});
  await putContactOf(app, shop, second, {});
  const goes = contactOf(app, second).id;
  await app.store.write((tx) => {
    tx.db.run(sql`INSERT INTO inbounds (workspace_id, number_id, contact_id, network_message_id, type, text, received_at, created_at)
      SELECT ${shop.id}, ${shop.numberId}, ${goes}, 'wamid.' || value, 'text', 'Hi ' || value, ${tx.now}, ${tx.now}
      FROM json_each(${JSON.stringify(Array.from({ length: 450 }, (_one, index) => index))})`);
  });
  const stays = contactOf(app, first);
  const id = await app.store.write((tx) => {
    const workspace = getWorkspace(tx, shop.id);
    const gone = getContact(tx, shop.id, goes);
    return joinContacts(tx, workspace, { stays, goes: gone, take: [], seen: null, dueAt: tx.now + 3_600_000 }).id;
  });
  const moved: number[] = [];
  for (;;) {
    const count = await app.store.write((tx) => {
      const open = findJoin(tx, id);
      return open === undefined ? 0 : moveRows(tx, open);
    });
    if (count === 0) break;
    moved.push(count);
  }
  expect(moved.reduce((sum, count) => sum + count, 0)).toBeGreaterThanOrEqual(450);
  expect(Math.max(...moved)).toBeLessThanOrEqual(Math.max(ROWS_AT_ONCE, MESSAGES_AT_ONCE));
  expect(moved.length).toBeGreaterThanOrEqual(5);
  expect(rows(app, `SELECT count(*) AS left FROM inbounds WHERE contact_id = ${goes}`)).toEqual([{ left: 0 }]);
  expect(eventsOf(app, shop).filter(({ type }) => type === "contact.opted_out")).toEqual([]);
});
