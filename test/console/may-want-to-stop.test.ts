/** A person who may want to stop, in the inbox and the contact panel: shown, and kept with one click. */
import { expect, test } from "bun:test";
import { auditEntries, firstOperator, person } from "#test/support/console.ts";
import { reportInbound } from "#test/support/report.ts";
import { contactOf } from "#test/support/rows.ts";
import { startTestServer } from "#test/support/server.ts";

const ANNA = "+919876543210";

test("the inbox and the contact show the doubt, and one request in either place keeps the person", async () => {
  await using app = await startTestServer();
  await firstOperator(app);
  const shop = await app.workspace({});
  const member = await person(app, "member@example.com", "member", shop.id);
  const base = `/w/${shop.id}`;
  for (const place of [`${base}/inbox/`, `${base}/contacts/`]) {
    await reportInbound(app, shop, { text: "Please stop sending me this" });
    const [row] = (await member.get(`${base}/inbox`)).body.data;
    expect([row.may_want_to_stop, row.consent]).toEqual([true, "unknown"]);
    const shown = (await member.get(`${base}/inbox/${row.contact_id}`)).body.data.contact;
    expect(Date.parse(shown.consent.may_want_to_stop_since)).toBe(contactOf(app, ANNA).mayWantToStopSince ?? 0);
    const id = place.includes("inbox") ? row.contact_id : ANNA;
    const kept = await member.post(`${place}${id}/keep`, {});
    expect([kept.status, kept.body.data.consent]).toEqual([
      200,
      { status: "unknown", source: null, at: null, purpose: null, notice: null, may_want_to_stop_since: null },
    ]);
    const [entry] = auditEntries(app);
    expect([entry?.action, entry?.subject]).toEqual(["contact.keep", ANNA]);
    expect((await member.get(`${base}/inbox`)).body.data[0].may_want_to_stop).toBe(false);
  }
  expect((await member.post(`${base}/inbox/999/keep`, {})).status).toBe(404);
  expect((await member.post(`${base}/contacts/+919876500000/keep`, {})).status).toBe(404);
});
