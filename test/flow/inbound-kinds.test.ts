/** Each kind of thing that people and other senders write leads to the events and the items that the table names. */
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { readConversation } from "#src/domain/inbound/read-conversation.ts";
import { getNumber } from "#src/domain/numbers/read.ts";
import { exampleWorld, inboundKinds, renderInboundTable } from "#test/support/inbound-kinds.ts";
import { report } from "#test/support/report.ts";
import { contactsOf, eventsOf } from "#test/support/rows.ts";
import { startTestServer } from "#test/support/server.ts";
import { checkout } from "#test/support/source.ts";

const HOUR_MS = 60 * 60 * 1000;

test("every kind has the events, the details and the items of the table", async () => {
  await using app = await startTestServer();
  const shop = await app.workspace({});
  const { phone, phoneNumberId } = app.store.read((tx) => getNumber(tx, shop.numberId));
  for (const [index, kind] of inboundKinds.entries()) {
    const person = `9198765${String(index).padStart(5, "0")}`;
    const before = eventsOf(app, shop).length;
    const known = new Set(contactsOf(app).map(({ id }) => id));
    const world = { ...exampleWorld(person, phone.slice(1), app.clock.now() - HOUR_MS), phoneNumberId };
    for (const { field, value } of kind.play(world)) await report(app, shop, value, field);
    const events = eventsOf(app, shop).slice(before);
    const contact = contactsOf(app).find(({ id }) => !known.has(id));
    const items =
      contact === undefined ? [] : app.store.read((tx) => readConversation(tx, contact, null, 50)).items.toReversed();
    const received = events.findLast(({ type }) => type === "message.received");
    expect({
      name: kind.name,
      events: events.map(({ type }) => type),
      details: kind.details === undefined ? undefined : Object.keys(received?.data.message.details),
      items: items.map((item) => `${item.kind} ${item.kind === "inbound" ? item.inbound.type : typeOf(item)}`),
    }).toEqual({
      name: kind.name,
      events: [...kind.events],
      details: kind.details as string[],
      items: [...kind.items],
    });
  }
});

function typeOf(item: { kind: string; echo?: { type: string } }): string {
  return item.echo?.type ?? "";
}

test("the page about inbound messages has the table", () => {
  const page = readFileSync(join(checkout, "docs/inbound.md"), "utf8");
  expect(page).toContain(renderInboundTable());
});
