/** The inbox with a person whose phone number the network does not give: named, searched, answered, asked for the number. */
import { expect, test } from "bun:test";
import { auditEntries, firstOperator, person } from "#test/support/console.ts";
import { accepted, fakeNetwork } from "#test/support/fake-network.ts";
import { report, reportInbound } from "#test/support/report.ts";
import { startTestServer } from "#test/support/server.ts";

const id = "IN.13491208655302741918";

test("her conversation says where to send, a reply goes to her user id, and the number is asked for by the network's button", async () => {
  const network = fakeNetwork();
  network.always((outbound) => accepted(outbound));
  await using app = await startTestServer({ networks: { simulator: network } });
  await firstOperator(app);
  const shop = await app.workspace({});
  const member = await person(app, "member@example.com", "member", shop.id);
  const base = `/w/${shop.id}`;
  await report(app, shop, {
    contacts: [{ user_id: id, profile: { username: "@asha.r" } }],
    messages: [
      {
        from_user_id: id,
        id: "wamid.1",
        timestamp: String(app.clock.now() / 1_000),
        type: "text",
        text: { body: "Hi" },
      },
    ],
  });
  const [row] = (await member.get(`${base}/inbox`)).body.data;
  expect(row).toMatchObject({ phone: null, username: "asha.r", user_id: id });
  const place = `${base}/inbox/${row.contact_id}`;
  const shown = (await member.get(place)).body.data;
  expect([shown.to, shown.has_phone]).toEqual([id, false]);
  for (const q of ["asha.r", "@ASHA.R", id]) {
    const found = (await member.get(`${base}/contacts?q=${encodeURIComponent(q)}`)).body.data;
    expect(found.map(({ user_id }: { user_id: string }) => user_id)).toEqual([id]);
  }
  const reply = app.clock.until(member.post(`${base}/messages`, { to: shown.to, text: "Hello" }, { key: "reply" }));
  expect((await reply).status).toBe(201);
  const ask = { text: "Please share your number." };
  const asked = await app.clock.until(member.post(`${place}/ask-for-number`, ask, { key: "ask" }));
  expect(asked.status).toBe(201);
  expect(network.sent.map(({ to, recipientNetworkUserId, content }) => [to, recipientNetworkUserId, content])).toEqual([
    [null, id, { type: "text", body: "Hello" }],
    [null, id, { type: "contact_request", body: ask.text }],
  ]);
  expect(auditEntries(app)[0]).toMatchObject({ action: "message.send", subject: id });
  expect((await member.post(`${place}/ask-for-number`, { text: " " }, { key: "blank" })).status).toBe(400);
  await reportInbound(app, shop, { from: "919876543210", userId: id, text: "Here I am" });
  const known = (await member.get(place)).body.data;
  expect([known.to, known.has_phone]).toEqual(["+919876543210", true]);
});
