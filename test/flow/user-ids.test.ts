/** A person whom the network names by its own user id alone: seen, listed, answered, opted out, joined with a number. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eq } from "drizzle-orm";
import { findByUserId } from "#src/domain/contacts/find.ts";
import { saveGroup } from "#src/domain/filters/save-group.ts";
import { addNumber } from "#src/domain/numbers/add.ts";
import { getNumber } from "#src/domain/numbers/read.ts";
import { numbers } from "#src/domain/numbers/table.ts";
import { markButton } from "#src/domain/templates/mark-button.ts";
import { templates } from "#src/domain/templates/table.ts";
import { exportContacts } from "#src/transfer/export-contacts.ts";
import { importContacts } from "#src/transfer/import-contacts.ts";
import { jumpingClock } from "#test/support/database.ts";
import { erase } from "#test/support/erase.ts";
import { report, reportInbound } from "#test/support/report.ts";
import { contactsOf, eventsOf, messagesOf } from "#test/support/rows.ts";
import { startTestServer, type TestServer, type TestWorkspace } from "#test/support/server.ts";
import { orderShipped, shipped, summerSale } from "#test/support/templates.ts";

let app: TestServer;
beforeAll(async () => {
  app = await startTestServer();
});
afterAll(() => app[Symbol.asyncDispose]());

const asha = "IN.13491208655302741918";
const oneTimePassword = {
  name: "code",
  language: "en_US",
  category: "AUTHENTICATION",
  components: [
    { type: "BODY", text: "{{1}} is your code." },
    { type: "BUTTONS", buttons: [{ type: "OTP", otp_type: "COPY_CODE", text: "Copy" }] },
  ],
};

async function openShop(): Promise<TestWorkspace> {
  const shop = await app.workspace({});
  for (const template of [orderShipped, summerSale, oneTimePassword]) await app.template(shop, template);
  return shop;
}

let count = 0;

/** She writes under her user id, and with `more` under other names too. */
async function writes(shop: TestWorkspace, text: string, more: Record<string, unknown> = {}, message: object = {}) {
  count += 1;
  const { wa_id: from, ...others } = more;
  const contact = { profile: { name: "Asha", username: "@asha.r" }, user_id: asha, ...more };
  const said = { type: "text", text: { body: text }, ...message };
  const sender = { from_user_id: asha, ...(from === undefined ? {} : { from }), ...others };
  const timestamp = String(Math.floor(app.clock.now() / 1_000));
  await report(app, shop, {
    contacts: [contact],
    messages: [{ ...sender, id: `wamid.u${count}`, timestamp, ...said }],
  });
}

const api = (shop: TestWorkspace, method: string, path: string, body?: object) =>
  app.send(method, `/api/v1${path}`, { key: shop.key, ...(body === undefined ? {} : { body }) });

test("she is shown, listed with identity=any, found by her id, and answered; her statuses arrive", async () => {
  const shop = await openShop();
  await writes(shop, "Hello");
  const [event] = eventsOf(app, shop);
  expect(event?.data.message.from).toBeNull();
  expect(event?.data.contact).toMatchObject({ phone: null, user_id: asha, username: "asha.r", name: "Asha" });
  expect((await api(shop, "GET", "/contacts")).body.meta.total).toBe(0);
  const any = await api(shop, "GET", "/contacts?identity=any");
  expect(any.body.data).toMatchObject([{ phone: null, user_id: asha, username: "asha.r" }]);
  expect(any.body.meta.total).toBe(1);
  expect((await api(shop, "GET", "/contacts?identity=all")).status).toBe(400);
  expect((await api(shop, "GET", `/contacts/${asha}`)).body.data.user_id).toBe(asha);
  expect((await api(shop, "GET", "/contacts/IN.999")).status).toBe(404);

  const reply = await api(shop, "POST", "/messages", { to: asha, text: "Hi Asha" });
  expect([reply.status, reply.body.data.to]).toEqual([201, asha]);
  expect((await api(shop, "POST", "/messages", shipped(asha))).status).toBe(201);
  await app.clock.advance(10_000);
  expect((await api(shop, "GET", `/messages/${reply.body.data.id}`)).body.data.status).toBe("read");
  expect((await api(shop, "GET", `/messages?to=${asha}`)).body.meta.total).toBe(2);
  expect(contactsOf(app).filter(({ workspaceId }) => workspaceId === shop.id)).toHaveLength(1);
});

test("an authentication template, and a number of another portfolio, are refused with the reason", async () => {
  const shop = await openShop();
  const second = await app.store.write((tx) => {
    const route = { network: "simulator" as const };
    const added = addNumber(tx, shop.id, { phone: "+911244001177", name: "Second", throughput: 80, route });
    tx.db.update(numbers).set({ accountId: "998877" }).where(eq(numbers.id, added.id)).run();
    for (const { id: _, ...template } of tx.db
      .select()
      .from(templates)
      .where(eq(templates.workspaceId, shop.id))
      .all()) {
      tx.db
        .insert(templates)
        .values({ ...template, accountId: "998877" })
        .run();
    }
    return added;
  });
  await writes(shop, "Hello");
  const from = app.store.read((tx) => getNumber(tx, shop.numberId)).phone;
  const code = { to: asha, from, template: "code", variables: ["123456"] };
  const refused = await api(shop, "POST", "/messages", code);
  expect([refused.status, refused.body.error.code]).toEqual([422, "invalid_number"]);
  expect(refused.body.error.message).toContain("131062");
  const elsewhere = await api(shop, "POST", "/messages", { to: asha, from: second.phone, text: "Hi" });
  expect([elsewhere.status, elsewhere.body.error.code]).toEqual([422, "invalid_number"]);
  expect(elsewhere.body.error.message).toContain("portfolio");
  const list = { name: "n", template: "order_shipped", to: [asha], from: second.phone };
  expect((await api(shop, "POST", "/broadcasts", list)).body.data.skipped).toEqual([
    { to: asha, reason: "invalid_number" },
  ]);
  expect((await api(shop, "POST", "/messages", { to: asha, from, text: "Hi" })).status).toBe(201);
});

test("a broadcast reaches her by list and by group, also a dynamic one, and once", async () => {
  const shop = await openShop();
  await writes(shop, "Hello");
  await api(shop, "PUT", `/contacts/${asha}`, { city: "Pune", consent: "opted_in", add_to_groups: ["Regulars"] });
  const regulars = (await api(shop, "GET", "/groups")).body.data[0];
  expect(regulars.count).toBe(1);
  const filter = { field: "city", is: "Pune" };
  const inPune = await app.store.write((tx) => saveGroup(tx, shop.id, { name: "Pune", filter }));
  for (const audience of [{ to: [asha, asha] }, { group: regulars.id }, { group: inPune.id }]) {
    const body = { name: "n", template: "order_shipped", ...audience };
    const { id, skipped } = (await api(shop, "POST", "/broadcasts", body)).body.data;
    expect(skipped).toEqual("to" in audience ? [{ to: asha, reason: "duplicate" }] : []);
    await app.clock.advance(60_000);
    const recipients = (await api(shop, "GET", `/broadcasts/${id}/recipients?status=read`)).body.data;
    expect(recipients.map(({ to }: { to: string }) => to)).toEqual([asha]);
  }
});

test("her STOP is in the opt-outs with identity=any, and an opt-out by her id works for strangers too", async () => {
  const shop = await openShop();
  await writes(shop, "STOP");
  expect((await api(shop, "GET", "/opt-outs")).body.data).toEqual([]);
  expect((await api(shop, "POST", "/contacts/IN.77/opt-out")).body.data.consent.status).toBe("opted_out");
  const { data, meta } = (await api(shop, "GET", "/opt-outs?identity=any")).body;
  expect(data.map(({ phone, user_id }: Record<string, unknown>) => [phone, user_id])).toEqual([
    [null, asha],
    [null, "IN.77"],
  ]);
  expect(meta.total).toBe(2);
  expect((await api(shop, "POST", "/messages", shipped("IN.77"))).body.error.code).toBe("opted_out");
});

test("the number that she shares on request joins her known contact; a card of another person does not", async () => {
  const shop = await openShop();
  await api(shop, "PUT", "/contacts/919876543210", { name: "Asha Rao" });
  await api(shop, "PUT", "/contacts/919876500000", { name: "Bela" });
  await writes(shop, "Hello");
  const card = (phone: string, origin: string) => ({
    type: "contacts",
    contacts: [{ name: { formatted_name: "A" }, origin, phones: [{ phone: `+${phone}`, wa_id: phone }] }],
  });
  await writes(shop, "", {}, card("919876500000", "other"));
  const identities = () =>
    contactsOf(app)
      .filter(({ workspaceId }) => workspaceId === shop.id)
      .map(({ phone, identityId }) => [phone, identityId !== null]);
  expect(identities().some(([, isLinked]) => isLinked)).toBe(false);
  await writes(shop, "", {}, card("919876543210", "contact_request"));
  expect(identities()).toEqual([
    ["+919876543210", true],
    ["+919876500000", false],
    [null, true],
  ]);
  expect(eventsOf(app, shop).at(-1)?.data.message.details.contacts[0].phones).toEqual(["+919876543210"]);
  // Where both are known, the phone number is used, also for what needs one.
  const code = await api(shop, "POST", "/messages", { to: asha, template: "code", variables: ["123456"] });
  expect([code.status, code.body.data.to]).toEqual([201, "+919876543210"]);
  await writes(shop, "STOP");
  expect((await api(shop, "GET", "/opt-outs?identity=any")).body.meta.total).toBe(2);
  expect((await api(shop, "POST", "/messages", shipped("+919876543210"))).body.error.code).toBe("opted_out");
});

test("an export is imported again with her user id and username, and an import without a number creates her", async () => {
  const shop = await openShop();
  await writes(shop, "Hello", { wa_id: "919876543210" });
  await api(shop, "PUT", "/contacts/IN.55", { name: "Bela" });
  const directory = mkdtempSync(join(tmpdir(), "waxwing-user-ids-"));
  try {
    const path = join(directory, "people.csv");
    let csv = "";
    await exportContacts(app.store, shop.id, (text) => {
      csv += text;
    });
    writeFileSync(path, csv);
    const other = await openShop();
    const load = (workspaceId: number) =>
      importContacts({
        ...{
          store: app.store,
          clock: jumpingClock(),
          workspaceId,
          path,
          map: new Map(),
          optIn: false,
          isDryRun: false,
        },
        ...{ isServerRunning: () => false, onProgress: () => undefined, onFound: () => undefined },
        onFailure: (_, __, reason) => {
          throw new Error(reason);
        },
      });
    expect(await load(other.id)).toMatchObject({ created: 2, failed: 0 });
    expect(await load(other.id)).toMatchObject({ created: 0, updated: 0, unchanged: 2 });
    const shown = (await api(other, "GET", "/contacts?identity=any")).body.data as Record<string, unknown>[];
    expect(new Set(shown.map(({ phone, user_id, username, name }) => [phone, user_id, username, name].join()))).toEqual(
      new Set([`+919876543210,${asha},asha.r,Asha`, ",IN.55,,Bela"]),
    );
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});

test("an erased opt-out of a user id outlives the erasure, and contact.erased names the id", async () => {
  const shop = await openShop();
  await app.webhook(shop, "http://127.0.0.1:9/");
  await writes(shop, "STOP");
  await app.store.write((tx) => {
    const contact = findByUserId(tx, shop.id, asha);
    if (contact !== undefined) erase(tx, contact);
  });
  expect(eventsOf(app, shop).at(-1)).toMatchObject({ type: "contact.erased", data: { phone: null, user_id: asha } });
  expect((await api(shop, "GET", `/contacts/${asha}`)).status).toBe(404);
  expect((await api(shop, "POST", "/messages", shipped(asha))).body.error.code).toBe("opted_out");
});

test("a marked button lifts an opt-out like START; one that is not marked, or marked otherwise, does not", async () => {
  const shop = await openShop();
  const buttons = ["Count me in", "Non-stop deals", "No more", "STOP"].map((text) => ({ type: "QUICK_REPLY", text }));
  const components = [
    { type: "BODY", text: "News." },
    { type: "BUTTONS", buttons },
  ];
  await app.template(shop, { name: "news", language: "en_US", category: "MARKETING", components });
  const warnings = async () =>
    (await api(shop, "GET", "/templates")).body.data.find(({ name }: { name: string }) => name === "news").warnings;
  expect(await warnings()).toEqual([expect.stringContaining("Non-stop deals")]);
  const to = "+919876543210";
  await api(shop, "POST", "/messages", { to, template: "news" });
  await app.clock.advance(10_000);
  const sent = messagesOf(app).findLast(({ toPhone, workspaceId }) => toPhone === to && workspaceId === shop.id);
  const consent = async () => (await api(shop, "GET", "/contacts/919876543210")).body.data.consent.status;
  const press = async (text: string) => {
    await app.clock.advance(2_000);
    const button = { type: "button", button: { text, payload: "x" }, context: { id: sent?.networkMessageId } };
    await reportInbound(app, shop, { from: "919876543210", content: button });
    return consent();
  };
  const mark = (title: string, meaning: "opt_in" | "opt_out" | "neither") =>
    app.store.write((tx) => markButton(tx, shop.id, { template: "news", language: "en_US", title, meaning }));
  expect(await press("STOP")).toBe("opted_out");
  expect(await press("Count me in")).toBe("opted_out");
  await mark("Count me in", "opt_in");
  await mark("Non-stop deals", "neither");
  await mark("No more", "opt_out");
  expect(await warnings()).toEqual([]);
  expect(await press("Count me in")).toBe("opted_in");
  expect(await press("Non-stop deals")).toBe("opted_in");
  expect(await press("No more")).toBe("opted_out");
  // A word that opts out cannot be marked as anything else, and a title that the template lacks cannot be marked.
  expect(mark("STOP", "opt_in")).rejects.toThrow("is an opt-out word");
  expect(mark("Nothing", "opt_in")).rejects.toThrow("has no quick-reply button");
});
