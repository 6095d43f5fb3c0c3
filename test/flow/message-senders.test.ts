/** Who sent a message: in the answer, the list, events and the conversation, at once and later, and after the key is gone. */
import { expect, test } from "bun:test";
import { createKey, DEFAULT_LIMITS, revokeKey } from "#src/domain/workspaces/api-keys.ts";
import { firstOperator, person } from "#test/support/console.ts";
import { eventsOf } from "#test/support/rows.ts";
import { startTestServer } from "#test/support/server.ts";

const PERSON = "+919876541234";

test("each kind of sender is named wherever the message is shown", async () => {
  await using app = await startTestServer();
  const shop = await app.workspace();
  await firstOperator(app);
  const member = await person(app, "asha@example.com", "member", shop.id);
  await app.inbound(shop, PERSON, "Hello");
  const keyNamed = (name: string, marks: object) =>
    app.store.write((tx) => createKey(tx, shop.id, name, { limits: { ...DEFAULT_LIMITS, ...marks } }));
  const keys = {
    api: await keyNamed("Orders", {}),
    automation: await keyNamed("Replies", { isAutomation: true }),
    agent: await keyNamed("Helper", { isAi: true, isAutomation: true }),
  };
  const expected = {
    api: { kind: "api", name: "Orders", ai: false },
    automation: { kind: "automation", name: "Replies", ai: false },
    agent: { kind: "agent", name: "Helper", ai: true },
  };
  for (const kind of ["api", "automation", "agent"] as const) {
    const { key, id: keyId } = keys[kind];
    const body = { to: PERSON, text: `Sent by ${kind}` };
    const sent = await app.send("POST", "/api/v1/messages", { key, body });
    expect([sent.status, sent.body.data.sent_by]).toEqual([201, expected[kind]]);
    const sendAt = new Date(app.clock.now() + 60_000).toISOString();
    const later = await app.send("POST", "/api/v1/messages", { key, body: { ...body, send_at: sendAt } });
    expect([later.status, later.body.data.sent_by]).toEqual([202, expected[kind]]);
    // The name is kept with the message.
    await app.store.write((tx) => revokeKey(tx, keyId));
    await app.clock.advance(61_000);
    for (const { id } of [sent.body.data, later.body.data]) {
      const { body: shown } = await app.call("GET", `/api/v1/messages/${id}`, { key: shop.key });
      expect([shown.data.status, shown.data.sent_by]).toEqual(["read", expected[kind]]);
      const { data } = eventsOf(app, shop).findLast(({ type }) => type === "message.sent") ?? {};
      expect(data.message.sent_by).toEqual(expected[kind]);
    }
  }
  const staff = await app.clock.until(member.post(`/w/${shop.id}/messages`, { to: PERSON, text: "By hand" }));
  const byHand = { kind: "console", name: "asha@example.com", ai: false };
  expect([staff.status, staff.body.data.sent_by]).toEqual([201, byHand]);

  const { body } = await app.call("GET", `/api/v1/contacts/${PERSON}/conversation`, { key: shop.key });
  const entries = (body.data as { text: string; sent_by: object | null }[]).map(({ text, sent_by }) => [text, sent_by]);
  expect(entries).toHaveLength(8);
  expect(entries).toContainEqual(["Hello", null]);
  expect(entries).toContainEqual(["By hand", byHand]);
  for (const kind of ["api", "automation", "agent"] as const) {
    expect(entries.filter(([text]) => text === `Sent by ${kind}`)).toEqual([
      [`Sent by ${kind}`, expected[kind]],
      [`Sent by ${kind}`, expected[kind]],
    ]);
  }
});
