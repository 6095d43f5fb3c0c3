/** Bulk changes of contacts, the recipients of a broadcast by state, and CSV downloads. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { saveGroup } from "#src/domain/filters/save-group.ts";
import { addListed, beginListed, createBulkChange, createListing } from "#src/transfer/bulk-changes.ts";
import { bulkChanges } from "#src/transfer/table.ts";
import { auditEntries, firstOperator, person, type Visitor } from "#test/support/console.ts";
import { putContactOf } from "#test/support/contacts.ts";
import { template } from "#test/support/scenarios.ts";
import { startTestServer, type TestServer, type TestWorkspace } from "#test/support/server.ts";

let app: TestServer;
let shop: TestWorkspace;
let other: TestWorkspace;
let member: Visitor;
let owner: Visitor;
let newcomer: Visitor;
let base: string;

beforeAll(async () => {
  app = await startTestServer();
  shop = await app.workspace();
  other = await app.workspace({ name: "Other", number: "+911244001200" });
  await firstOperator(app);
  member = await person(app, "member@example.com", "member", shop.id);
  owner = await person(app, "owner@example.com", "owner", shop.id);
  newcomer = await person(app, "stranger@example.com", "owner", other.id);
  base = `/w/${shop.id}`;
  await app.template(shop, template("offer", [{ type: "BODY", text: "Hi {{1}}." }]));
});
afterAll(() => app[Symbol.asyncDispose]());

const phoneOf = (count: number) => `+91999900${String(count).padStart(4, "0")}`;

async function counted(people: unknown): Promise<number> {
  const { status, body } = await member.post(`${base}/bulk/count`, { people });
  expect([status, typeof body.data?.count]).toEqual([200, "number"]);
  return body.data.count;
}

async function ended(id: number) {
  for (let turn = 0; turn < 500; turn += 1) {
    const { data } = (await member.get(`${base}/bulk/${id}`)).body;
    if (data.state !== "running") return data;
    await app.clock.advance(10);
  }
  throw new Error("it never ended");
}

async function changed(people: unknown, change: unknown) {
  const begun = await member.post(`${base}/bulk`, { people, change, count: await counted(people) });
  expect([begun.status, begun.body]).toMatchObject([202, { data: { state: "running" } }]);
  return ended(begun.body.data.id);
}

const contact = async (phone: string) => (await member.get(`${base}/contacts/${phone}`)).body.data;

async function file(path: string): Promise<string> {
  const download = async (): Promise<ArrayBuffer> => {
    const response = await fetch(`${app.server.url}/console/api${path}`, { headers: { cookie: owner.cookie ?? "" } });
    expect([path, response.status, response.headers.get("content-type")]).toEqual([
      path,
      200,
      "text/csv; charset=utf-8",
    ]);
    return response.arrayBuffer();
  };
  // The server writes files in pieces with a pause after each, so the clock has to advance.
  let isWhole = false;
  const bytes = download().finally(() => {
    isWhole = true;
  });
  while (!isWhole) await app.clock.advance(1);
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(await bytes);
}

describe("bulk changes of contacts", () => {
  beforeAll(async () => {
    for (let count = 0; count < 450; count += 1) {
      await putContactOf(app, shop, phoneOf(count), { city: count % 2 === 0 ? "Pune" : "Delhi", name: `Row ${count}` });
    }
    await putContactOf(app, other, phoneOf(0), { name: "Row elsewhere" });
  });

  test("a bulk change tags, adds and removes exactly the contacts that match its search", async () => {
    const people = { search: { q: "Row 1" } };
    const total = await counted(people);
    expect(total).toBe(111);
    expect(await changed(people, { add_tag: " VIP " })).toMatchObject({
      state: "done",
      total,
      processed: total,
      changed: total,
    });
    expect((await contact(phoneOf(100))).tags).toEqual(["VIP"]);
    expect((await contact(phoneOf(200))).tags).toEqual([]);
    // The second run visits every contact and changes none.
    expect(await changed(people, { add_tag: "vip" })).toMatchObject({ processed: total, changed: 0 });
    expect(auditEntries(app)[0]).toMatchObject({ action: "contact.bulk-tag", subject: "vip", workspace_id: shop.id });

    const made = await changed(people, { new_group: "Ones" });
    const group = String(made.change.group);
    expect(await counted({ search: { group } })).toBe(total);
    // Removing a contact from the group also removes it from the search that is being walked.
    expect(await changed({ search: { group } }, { remove_from_group: Number(group) })).toMatchObject({
      changed: total,
    });
    expect(await counted({ search: { group } })).toBe(0);
    expect(await changed({ phones: [phoneOf(1), "099990 00010", phoneOf(1)] }, { remove_tag: "VIP" })).toMatchObject({
      total: 2,
      changed: 2,
    });
    expect((await contact(phoneOf(10))).tags).toEqual([]);
  });

  test("a bulk opt-out keeps earlier opt-outs, records reason and user, and no bulk change can opt anybody in", async () => {
    await member.post(`${base}/contacts/${phoneOf(7)}/opt-out`);
    const before = await contact(phoneOf(7));
    const people = { phones: [phoneOf(7), phoneOf(8), phoneOf(9)] };
    expect(
      (await member.post(`${base}/bulk`, { people, change: { opt_out: " " }, count: 3 })).body.error.fields,
    ).toEqual({ opt_out: ["Enter a reason. It is recorded with each opt-out."] });
    expect(await changed(people, { opt_out: "Asked at the till" })).toMatchObject({ processed: 3, changed: 2 });
    expect((await contact(phoneOf(7))).consent).toEqual(before.consent);
    expect((await contact(phoneOf(8))).consent).toMatchObject({ status: "opted_out", source: "bulk" });
    const [last] = (await member.get(`${base}/contacts/${phoneOf(8)}/consent`)).body.data;
    expect(last).toMatchObject({ source: "bulk", evidence: { reason: "Asked at the till", user: expect.any(Number) } });
    for (const change of [{ opt_in: true }, { consent: "opted_in" }, {}]) {
      expect((await member.post(`${base}/bulk`, { people, change, count: 3 })).status).toBe(400);
    }
  });

  test("a bulk change is refused if the count differs from the one that was confirmed, and one form key starts one change", async () => {
    const people = { search: { q: "Row 2" } };
    const count = await counted(people);
    await putContactOf(app, shop, "+919812300000", { name: "Row 2000" });
    const refused = await member.post(`${base}/bulk`, { people, change: { add_tag: "x" }, count });
    expect([refused.status, refused.body.error.code]).toEqual([409, "changed"]);
    expect((await contact("+919812300000")).tags).toEqual([]);
    const key = { key: "bulk-1" };
    const body = { people, change: { add_tag: "x" }, count: count + 1 };
    const [first, second] = [
      await member.post(`${base}/bulk`, body, key),
      await member.post(`${base}/bulk`, body, key),
    ];
    expect([first.status, second.body.data.id]).toEqual([202, first.body.data.id]);
    await ended(first.body.data.id);
  });

  test("a bulk change is refused if as many other people match as were counted", async () => {
    const people = { search: { filter: { all: [{ field: "name", starts_with: "Swap" }] } } };
    for (const digit of [1, 2, 3]) await putContactOf(app, shop, `+91981230010${digit}`, { name: `Swap ${digit}` });
    const { count, set } = (await member.post(`${base}/bulk/count`, { people })).body.data;
    expect(count).toBe(3);
    await putContactOf(app, shop, "+919812300101", { name: "Other" });
    await putContactOf(app, shop, "+919812300104", { name: "Swap 4" });
    const body = { people, change: { add_tag: "swapped" }, count };
    const refused = await member.post(`${base}/bulk`, { ...body, set });
    expect([refused.status, refused.body.error.code]).toEqual([409, "changed"]);
    const again = (await member.post(`${base}/bulk/count`, { people })).body.data;
    expect([again.count, again.set === set]).toEqual([3, false]);
    const begun = await member.post(`${base}/bulk`, { ...body, set: again.set });
    expect([begun.status, await ended(begun.body.data.id)]).toMatchObject([202, { state: "done", changed: 3 }]);
    expect((await contact("+919812300101")).tags).toEqual([]);
  });

  test("a bulk change holds to the people who were counted, and not to those who match while it runs; their list goes with its end", async () => {
    const people = { search: { q: "Row" } };
    const { count, set } = (await member.post(`${base}/bulk/count`, { people })).body.data;
    const begun = await member.post(`${base}/bulk`, { people, change: { add_tag: "counted" }, count, set });
    expect(begun.status).toBe(202);
    // Between the start and the first batch, one leaves the search and another, of an earlier id, joins it.
    await putContactOf(app, shop, phoneOf(449), { name: "Left" });
    await putContactOf(app, shop, "+919812300104", { name: "Row joined" });
    expect(await ended(begun.body.data.id)).toMatchObject({ state: "done", total: count, processed: count });
    expect((await contact(phoneOf(449))).tags).toContain("counted");
    expect((await contact("+919812300104")).tags).not.toContain("counted");
    expect(app.store.client.prepare("SELECT count(*) FROM bulk_people").pluck().get()).toBe(0);
    await putContactOf(app, shop, phoneOf(449), { name: "Row 449" });
    await putContactOf(app, shop, "+919812300104", { name: "Swap 4" });
  });

  test("a listed change that a restart interrupted continues after the last person that it changed", async () => {
    const ids = app.store.client
      .prepare("SELECT id FROM contacts WHERE workspace_id = ? AND name LIKE 'Row %' ORDER BY id")
      .pluck()
      .all(shop.id) as number[];
    const job = await app.store.write((tx) => {
      const listed = createListing(tx, shop.id, 1, ids.length);
      addListed(tx, listed, 0, ids);
      const made = beginListed(tx, listed, { addTag: "later" });
      tx.db.update(bulkChanges).set({ position: 400, processed: 400 }).where(eq(bulkChanges.id, made.id)).run();
      return made;
    });
    expect((await member.post(`${base}/bulk/${job.id}/go-on`)).status).toBe(202);
    expect(await ended(job.id)).toMatchObject({ state: "done", processed: ids.length, changed: ids.length - 400 });
  });

  test("a stopped bulk change stays stopped, and one that a restart interrupted can be continued to its end", async () => {
    const people = { search: { q: "Row" } };
    const begun = await member.post(`${base}/bulk`, {
      people,
      change: { add_tag: "half" },
      count: await counted(people),
    });
    const path = `${base}/bulk/${begun.body.data.id}`;
    const stopped = (await member.post(`${path}/stop`)).body.data;
    expect(stopped.state).toBe("stopped");
    expect((await ended(begun.body.data.id)).processed).toBe(stopped.processed);
    expect((await member.post(`${path}/go-on`)).status).toBe(409);

    // The state after a restart: the row says running, and no process works on it.
    const job = await app.store.write((tx) =>
      createBulkChange(tx, shop.id, 1, {
        target: { filter: { field: "city", is: "Pune" } },
        change: { addTag: "on" },
        total: 225,
        last: 1e9,
      }),
    );
    const own = `${base}/bulk/${job.id}`;
    expect((await member.get(own)).body.data.state).toBe("interrupted");
    expect((await member.get(`${base}/bulk`)).body.data[0]).toMatchObject({ id: job.id, state: "interrupted" });
    expect((await member.post(`${own}/go-on`)).status).toBe(202);
    expect(await ended(job.id)).toMatchObject({ state: "done", changed: 225 });
    // A finished change does not keep its search.
    expect(
      app.store.client.prepare("SELECT target FROM bulk_changes WHERE state <> 'running'").pluck().all(),
    ).not.toContain(expect.stringContaining("Row"));
  });

  test("a bulk change fails with the reason when its group no longer exists; groups of other workspaces are not found", async () => {
    const search = await app.store.write((tx) =>
      saveGroup(tx, shop.id, { name: "Pune", filter: { field: "city", is: "Pune" } }),
    );
    const people = { phones: [phoneOf(1)] };
    for (const change of [{ add_to_group: search.id }, { add_to_group: 999 }, { new_group: "Pune" }]) {
      expect((await member.post(`${base}/bulk`, { people, change, count: 1 })).status).toBe(400);
    }
    expect(await counted({ search: { group: String(search.id) } })).toBe(225);
    const theirs = (
      await newcomer.post(`/w/${other.id}/bulk/count`, { people: { search: { group: String(search.id) } } })
    ).status;
    expect(theirs).toBe(400);
    const job = await app.store.write((tx) =>
      createBulkChange(tx, shop.id, 1, { target: { contacts: [1] }, change: { addToGroup: 999 }, total: 1, last: 1e9 }),
    );
    await member.post(`${base}/bulk/${job.id}/go-on`);
    expect(await ended(job.id)).toMatchObject({ state: "failed", error: "There is no group 999." });
    expect((await newcomer.get(`/w/${other.id}/bulk/${job.id}`)).status).toBe(404);
  });

  test("the contact download holds exactly the contacts of the search, in the export's format, with formulas escaped", async () => {
    await putContactOf(app, shop, "+919812300001", {
      name: '=HYPERLINK("http://evil")',
      city: "-1+1",
      birthday: "--02-28",
    });
    const text = await file(`${base}/contacts/export?q=hyperlink`);
    const [header, ...rows] = text.slice(1).trim().split("\r\n");
    expect([text[0], header?.startsWith("name,phone,first_name")]).toEqual(["\uFEFF", true]);
    expect(rows).toEqual([
      expect.stringMatching(/^"'=HYPERLINK\(""http:\/\/evil""\)",\+919812300001,.*,'-1\+1,.*,'--02-28,/),
    ]);
    const all = (await file(`${base}/contacts/export`)).trim().split("\r\n");
    expect(all.length).toBe(1 + (await counted({ search: {} })));
    expect((await file(`${base}/contacts/export?q=Row%201`)).trim().split("\r\n").length).toBe(1 + 111);
    expect(auditEntries(app)[0]).toMatchObject({ action: "contact.export" });
    expect((await owner.get(`${base}/contacts/export?consent=maybe`)).status).toBe(400);
  });

  test("the download hands out exactly the people who were counted, or none if they are others by now", async () => {
    for (const digit of [1, 2, 3]) await putContactOf(app, shop, `+91981230020${digit}`, { name: `Till ${digit}` });
    const filter = encodeURIComponent(JSON.stringify({ field: "name", starts_with: "Till" }));
    const count = async () => (await owner.get(`${base}/contacts/export/count?filter=${filter}`)).body.data;
    const first = await count();
    expect(first).toEqual({ count: 3, set: expect.any(String) });
    const path = (shown: { count: number; set: string }) =>
      `${base}/contacts/export?filter=${filter}&count=${shown.count}&set=${encodeURIComponent(shown.set)}`;
    const rowsOf = async (shown: { count: number; set: string }) =>
      (await file(path(shown))).trim().split("\r\n").slice(1);
    expect(await rowsOf(first)).toHaveLength(3);
    // As many, and others.
    await putContactOf(app, shop, "+919812300201", { name: "Gone" });
    await putContactOf(app, shop, "+919812300204", { name: "Till 4" });
    const before = auditEntries(app).length;
    const refused = await owner.get(path(first));
    expect([refused.status, refused.body.error.code]).toEqual([409, "changed"]);
    expect(auditEntries(app)).toHaveLength(before);
    const second = await count();
    expect([second.count, second.set === first.set]).toEqual([3, false]);
    const rows = await rowsOf(second);
    expect(rows.map((row) => row.split(",")[0])).toEqual(["Till 2", "Till 3", "Till 4"]);
    expect(app.store.client.prepare("SELECT action, details FROM audit_log ORDER BY id DESC LIMIT 1").get()).toEqual({
      action: "contact.export",
      details: '{"count":3}',
    });
    // Another number of them.
    await putContactOf(app, shop, "+919812300205", { name: "Till 5" });
    expect((await owner.get(path(second))).status).toBe(409);
    // All of a workspace, by the same way.
    const all = (await owner.get(`${base}/contacts/export/count`)).body.data;
    expect((await file(`${base}/contacts/export?count=${all.count}&set=${all.set}`)).trim().split("\r\n")).toHaveLength(
      1 + all.count,
    );
    // Only who may export may count for it.
    expect((await member.get(`${base}/contacts/export/count`)).status).toBe(404);
    expect((await owner.get(`${base}/contacts/export/count?consent=maybe`)).status).toBe(400);
  });
});

describe("the recipients of a broadcast", () => {
  let own: string;
  let id: number;

  beforeAll(async () => {
    const to = ["+919876510002", "+919876520002", "+919876500008", "+919876500100", "12"];
    await putContactOf(app, shop, "+919876510002", { first_name: "Asha", name: "=Asha" });
    const made = await member.post(`${base}/broadcasts`, {
      name: "Diwali",
      template: "offer",
      to,
      variables: [{ field: "first_name", fallback: "friend" }],
    });
    id = made.body.data.id;
    own = `${base}/broadcasts/${id}`;
    await app.clock.advance(15_000);
    expect(
      (await member.get(`${own}/recipients`)).body.data.map(
        ({ to: phone, is_unknown }: { to: string; is_unknown: boolean }) => [phone, is_unknown],
      ),
    ).toContainEqual(["+919876500008", true]);
    await app.clock.advance(11 * 60_000);
  });

  const list = async (status: string) => {
    const { body } = await member.get(`${own}/recipients?status=${status}`);
    return [body.meta.total, body.data.map((row: { to: string }) => row.to)];
  };

  test("recipients with an unknown outcome are counted apart from failed ones, and each count equals its rows", async () => {
    const detail = (await member.get(own)).body.data;
    expect(detail).toMatchObject({
      status: "completed",
      unknown: 1,
      in_doubt: 0,
      counts: { total: 5, failed: 3, skipped: 1 },
    });
    expect(await list("failed")).toEqual([2, ["+919876510002", "+919876520002"]]);
    expect(await list("unknown")).toEqual([1, ["+919876500008"]]);
    expect(await list("skipped")).toEqual([1, ["12"]]);
    const [asha] = (await member.get(`${own}/recipients?status=failed`)).body.data;
    expect(asha).toMatchObject({ name: "=Asha", code: "131000", is_unknown: false, status: "failed" });
    expect((await member.get(`${own}/recipients?status=lost`)).status).toBe(400);
    // The API keeps its own statuses: unknown counts as failed.
    const api = (await app.call("GET", `/api/v1/broadcasts/${id}/recipients?status=failed`, { key: shop.key })).body;
    expect([api.meta.total, Object.keys(api.data[0])]).toEqual([
      3,
      ["to", "message_id", "status", "reason", "sent_at", "delivered_at", "read_at"],
    ]);
  });

  test("recipients can be downloaded by state, with formulas escaped, and only within their workspace", async () => {
    const [header, ...rows] = (await file(`${own}/recipients/export`)).slice(1).trim().split("\r\n");
    expect(header).toBe("status,to,name,reason,code,sent_at,delivered_at,read_at,failed_at");
    expect(rows.length).toBe(5);
    expect(rows).toContainEqual(expect.stringMatching(/^failed,\+919876510002,'=Asha,/));
    expect((await file(`${own}/recipients/export?status=unknown`)).trim().split("\r\n")[1]).toStartWith(
      "unknown,+919876500008,,",
    );
    expect((await newcomer.get(`/w/${other.id}/broadcasts/${id}/recipients/export`)).status).toBe(404);
  });

  test("recipients become a group; those without a contact are skipped", async () => {
    const made = await changed({ broadcast: id, status: "failed" }, { new_group: "Failed at Diwali" });
    expect(made).toMatchObject({ state: "done", total: 2, changed: 2 });
    expect(await counted({ broadcast: id })).toBe(4);
    expect(await counted({ search: { group: String(made.change.group) } })).toBe(2);
  });

  test("sending again makes one draft for the failed recipients; those with an unknown outcome are included only on request", async () => {
    expect((await member.get(`${own}/again`)).body.data).toEqual({
      ...{ failed: 2, unknown: 1, waiting: 0, lasting: 0, open: 0, reached: 0, refusal: null },
    });
    const stale = await member.post(`${own}/again`, { with_unknown: false, count: 3 });
    expect([stale.status, stale.body.error.code]).toEqual([409, "changed"]);
    const key = { key: "again-1" };
    const made = await member.post(`${own}/again`, { with_unknown: false, count: 2 }, key);
    const twice = await member.post(`${own}/again`, { with_unknown: false, count: 2 }, key);
    expect([made.status, twice.body]).toEqual([201, made.body]);
    const { content } = (await member.get(`${base}/drafts/${made.body.data.draft}`)).body.data;
    expect(content).toEqual({
      name: "Diwali – again",
      template: "offer",
      language: "en_US",
      variables: { header: [], body: [{ field: "first_name", fallback: "friend" }] },
      to: ["+919876510002", "+919876520002"],
    });
    const sheet = (await member.post(`${base}/drafts/${made.body.data.draft}/check`)).body.data;
    expect(sheet).toMatchObject({ reached: 2 });
    const both = await member.post(`${own}/again`, { with_unknown: true, count: 3 });
    const all = (await member.get(`${base}/drafts/${both.body.data.draft}`)).body.data.content;
    expect(all.to).toEqual(["+919876510002", "+919876520002", "+919876500008"]);
    expect(auditEntries(app)[0]).toMatchObject({ action: "broadcast.again", subject: "Diwali" });
  });

  test("sending again to more recipients than a draft holds fills a group in the background", async () => {
    const copy = (table: string, changes: Record<string, string>, where: string) => {
      const names = app.store.client.pragma(`table_info(${table})`) as { name: string }[];
      const columns = names.map(({ name }) => name).filter((name) => name !== "id");
      app.store.client.exec(
        `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1200)
         INSERT INTO ${table} (${columns.join()}) SELECT ${columns.map((name) => changes[name] ?? name).join()}
         FROM n, (SELECT * FROM ${table} WHERE ${where} LIMIT 1)`,
      );
    };
    const phone = "'+9197000' || (10000 + i)";
    copy("contacts", { phone }, "phone = '+919876510002'");
    const contactId = `(SELECT id FROM contacts AS c WHERE c.workspace_id = ${shop.id} AND c.phone = ${phone})`;
    copy(
      "messages",
      { contact_id: contactId, to_phone: phone, send_token: "send_token || i", network_message_id: "NULL" },
      "to_phone = '+919876510002'",
    );
    const made = await member.post(`${own}/again`, { with_unknown: true, count: 1_203 });
    expect([made.status, await ended(made.body.data.bulk)]).toMatchObject([201, { state: "done", changed: 1_203 }]);
    const { content } = (await member.get(`${base}/drafts/${made.body.data.draft}`)).body.data;
    expect(content.to).toBeUndefined();
    const group = (await member.get(`${base}/groups/${content.group}`)).body.data;
    expect([group.name, group.count]).toEqual(["Diwali – failed", 1_203]);
    // Remove the rows that were inserted by hand: they do not match the counters.
    const copies = "SELECT id FROM contacts WHERE phone LIKE '+9197000%'";
    app.store.client.exec(
      `DELETE FROM messages WHERE contact_id IN (${copies}); DELETE FROM group_members WHERE contact_id IN (${copies});
       DELETE FROM contacts WHERE phone LIKE '+9197000%'`,
    );
  });

  test("of a broadcast that has not begun no one has failed, so it cannot be sent again", async () => {
    const sendAt = new Date(app.clock.now() + 3_600_000).toISOString();
    const made = await member.post(`${base}/broadcasts`, {
      name: "Later",
      template: "offer",
      variables: ["x"],
      to: ["+919876510002"],
      send_at: sendAt,
    });
    const path = `${base}/broadcasts/${made.body.data.id}/again`;
    expect((await member.get(path)).body.data).toMatchObject({ failed: 0, unknown: 0, open: 1, refusal: null });
    expect((await member.post(path, { with_unknown: false, count: 1 })).status).toBe(409);
    expect((await member.post(path, { with_unknown: false, count: 0 })).status).toBe(400);
  });
});
