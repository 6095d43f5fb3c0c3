/** A shop with rows of every kind, for tests of checks, backups and restores. */
import { changeConsent } from "#src/domain/contacts/change-consent.ts";
import { linkContacts } from "#src/domain/contacts/identity.ts";
import { contacts } from "#src/domain/contacts/table.ts";
import { createGroup } from "#src/domain/groups/create.ts";
import { getWorkspace } from "#src/domain/workspaces/read.ts";
import { contactPath } from "./contacts.ts";
import type { TestServer, TestWorkspace } from "./server.ts";
import { orderShipped, sale, shipped, summerSale } from "./templates.ts";

export const RATE = 8_500;

/**
 * Messages delivered, refused, refused later and without an answer; money in every state; an opted-out contact, two
 * linked contacts, a static group with members, and a webhook address on which nothing listens.
 */
export async function busyShop(app: TestServer): Promise<TestWorkspace> {
  const shop = await app.workspace({ billing: { rate: RATE, balance: 1_000_000 } });
  await app.template(shop, orderShipped);
  await app.template(shop, summerSale);
  await app.webhook(shop, "http://127.0.0.1:9/hook");
  for (const to of ["+919876540009", "+919876540003", "+919876540004", "+919876540008"]) {
    await app.send("POST", "/api/v1/messages", { key: shop.key, body: shipped(to) });
  }
  await app.send("POST", "/api/v1/messages", { key: shop.key, body: sale("+919876540012") });
  await app.call("PUT", contactPath("+919876540009"), {
    key: shop.key,
    body: { name: "Asha", add_to_groups: ["Regulars"] },
  });
  await app.inbound(shop, "+919876540012", "STOP");
  await app.inbound(shop, "+919876540009", "Thanks!");
  await app.store.write((tx) => {
    const [one, other] = tx.db.select().from(contacts).limit(2).all();
    if (one === undefined || other === undefined) throw new Error("there are no two contacts");
    const workspace = getWorkspace(tx, shop.id);
    linkContacts(tx, workspace, one, other);
    changeConsent(tx, workspace, one, { kind: "opt_in" }, { source: "manual", evidence: {} });
    createGroup(tx, shop.id, { name: "Empty list", checkedFilter: null });
  });
  await app.clock.advance(5_000);
  return shop;
}
