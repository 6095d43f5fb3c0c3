/**
 * Webhook addresses for programs: added, changed and removed with the scope `webhooks`; every change is in the audit log and
 * mailed to the owners, and revoking a key lists what it added.
 */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { SMTPServer } from "smtp-server";
import { CallingWorkshop } from "#test/cli/spawn.ts";
import { firstOperator, person, type Visitor } from "#test/support/console.ts";
import { startTestServer, type TestServer, type TestWorkspace, WITH_MAIL } from "#test/support/server.ts";
import { isGenuine, SECOND, startHook } from "#test/support/webhooks.ts";

let app: TestServer;
let shop: TestWorkspace;
let owner: Visitor;
let key: string;
let keyId: number;
let mail: Awaited<ReturnType<typeof startMail>>;

beforeEach(async () => {
  mail = await startMail();
  app = await startTestServer({ config: { ...WITH_MAIL, alerts: { ...WITH_MAIL.alerts, smtpUrlFile: mail.file } } });
  await firstOperator(app);
  shop = await app.workspace();
  owner = await person(app, "owner@example.com", "owner", shop.id);
  await person(app, "member@example.com", "member", shop.id);
  const made = await owner.post(`/w/${shop.id}/keys`, { name: "CRM", scopes: ["webhooks"] });
  ({ key, id: keyId } = made.body.data);
});
afterEach(async () => {
  await app[Symbol.asyncDispose]();
  await mail.close();
});

/** A mail server, and the file that names it. */
async function startMail() {
  const mails: { to: string[]; text: string }[] = [];
  const server = new SMTPServer({
    disabledCommands: ["STARTTLS", "AUTH"],
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk) => chunks.push(chunk));
      stream.on("end", () => {
        const to = session.envelope.rcptTo.map(({ address }) => address);
        const text = Buffer.concat(chunks).toString();
        // New members get a mail that verifies their address.
        if (text.includes("webhook")) mails.push({ to, text });
        done();
      });
    },
  });
  const listening = Promise.withResolvers<void>();
  const listener = server.listen(0, "127.0.0.1", () => listening.resolve());
  await listening.promise;
  const { port } = listener.address() as { port: number };
  const workshop = new CallingWorkshop();
  const file = workshop.write("smtp", `smtp://127.0.0.1:${port}\n`);
  return {
    mails,
    file,
    async close() {
      await new Promise<void>((resolve) => server.close(() => resolve()));
      workshop[Symbol.dispose]();
    },
  };
}

/** Mails travel in real time. */
async function untilMails(count: number): Promise<void> {
  for (let round = 0; round < 200 && mail.mails.length < count; round++) {
    await app.clock.advance(10);
    await Bun.sleep(10);
  }
  expect(mail.mails.length).toBe(count);
}

const call = (method: string, path: string, body?: object, by = key) =>
  app.call(method, `/api/v1/webhooks${path}`, { key: by, ...(body === undefined ? {} : { body }) });

test("an address is added, receives events signed with its secret, and is changed and removed", async () => {
  await using hook = startHook(app.clock);
  await using first = startHook(app.clock);
  const firstSecret = await app.webhook(shop, first.url);
  const added = await call("POST", "", { url: hook.url, types: ["message.received"] });
  expect(added.status).toBe(201);
  const { secret, ...shown } = added.body.data;
  expect(shown).toEqual({
    id: expect.any(Number),
    url: hook.url,
    types: ["message.received"],
    group_bursts: null,
    state: "active",
    old_secret_until: null,
    updated_at: expect.any(String),
  });
  expect([secret === firstSecret, secret]).toEqual([false, expect.stringMatching(/^whsec_/)]);
  const listed = await call("GET", "");
  expect(listed.body.data).toEqual([expect.objectContaining({ id: 1, url: first.url }), shown]);
  expect(listed.body.meta).toEqual({ page: 1, per_page: 50, total: 2, has_more: false, next: null });
  expect(listed.text).not.toContain("whsec_");
  const { data, meta } = (await call("GET", "?per_page=1")).body;
  expect([data[0].id, data.length, meta.has_more]).toEqual([1, 1, true]);
  for (const query of ["page=2", `after=${meta.next}`])
    expect((await call("GET", `?per_page=1&${query}`)).body).toMatchObject({ data: [shown], meta: { next: null } });

  await app.inbound(shop, "+442079460200", "hello");
  await app.clock.advance(SECOND);
  const [hit] = hook.hits;
  if (hit === undefined) throw new Error("no event came");
  expect([hit.event.type, await isGenuine(hit, secret, hit.at)]).toEqual(["message.received", true]);

  // The console says which address a delivery is for.
  const listedDeliveries = (await owner.get(`/w/${shop.id}/deliveries`)).body.data;
  expect(listedDeliveries.map(({ url }: { url: string }) => url).toSorted()).toEqual([first.url, hook.url].toSorted());

  const disabled = await call("PATCH", `/${shown.id}`, { state: "disabled" });
  expect(disabled.body.data).toMatchObject({ ...shown, state: "disabled", updated_at: expect.any(String) });
  const other = await call("PATCH", `/${shown.id}`, { url: `${hook.url}/2`, types: ["webhook.test"] });
  expect(other.body.data).toMatchObject({ url: `${hook.url}/2`, state: "disabled", types: ["webhook.test"] });
  expect((await call("DELETE", `/${shown.id}`)).body.data).toEqual({ id: shown.id, exhausted: 0 });
  expect((await call("DELETE", `/${shown.id}`)).status).toBe(404);
  expect((await call("GET", "")).body.data.length).toBe(1);
});

test("what is wrong is named, and nothing changes", async () => {
  const url = "https://crm.example.com/hook";
  const wrong: [string, string, object, string[]][] = [
    ["POST", "", {}, ["url"]],
    ["POST", "", { url: "ftp://example.com" }, ["url"]],
    ["POST", "", { url, types: ["message.sennt"] }, ["types.0"]],
    ["POST", "", { url, types: [] }, ["types"]],
    ["POST", "", { url, secret: "mine" }, ["secret"]],
    ["PATCH", "/1", {}, ["url", "types", "state", "group_bursts"]],
    ["PATCH", "/1", { state: "paused" }, ["state"]],
    ["PATCH", "/1", { url: "nowhere" }, ["url"]],
  ];
  await call("POST", "", { url });
  const before = (await call("GET", "")).text;
  for (const [method, path, body, fields] of wrong) {
    const refused = await call(method, path, body);
    expect([body, refused.status, Object.keys(refused.body.error.fields).toSorted()]).toEqual([
      ...[body, 400, fields.toSorted()],
    ]);
  }
  for (const path of ["/2", "/0", "/x", "/99999999999999999999"])
    expect([path, (await call("PATCH", path, { state: "disabled" })).status]).toEqual([path, 404]);
  expect((await call("GET", "")).text).toBe(before);
  for (let count = 2; count <= 10; count++) expect((await call("POST", "", { url })).status).toBe(201);
  const eleventh = await call("POST", "", { url });
  expect([eleventh.status, eleventh.body.error.fields]).toEqual([
    400,
    { url: ["A workspace has at most 10 webhook addresses: remove one first."] },
  ]);
  // A key without the scope, such as one that was made without a list, opens none of it.
  const plain = (await owner.post(`/w/${shop.id}/keys`, { name: "Shop" })).body.data.key;
  for (const [method, path] of [
    ["GET", ""],
    ["POST", ""],
    ["PATCH", "/1"],
    ["DELETE", "/1"],
  ] as const)
    expect((await call(method, path, method === "GET" ? undefined : {}, plain)).status).toBe(403);
});

test("the owners are told of each change by e-mail, and the audit log says which key it was", async () => {
  const { id } = (await call("POST", "", { url: "https://crm.example.com/hook" })).body.data;
  await untilMails(1);
  await call("PATCH", `/${id}`, { types: ["message.received"] });
  await call("DELETE", `/${id}`);
  await owner.ask("PUT", `/w/${shop.id}/webhook`, { url: "https://shop.example.com/hook" });
  await untilMails(4);
  expect(mail.mails.map(({ to }) => to)).toEqual(Array.from({ length: 4 }, () => ["owner@example.com"]));
  const [added = ""] = mail.mails.map(({ text }) => text);
  expect(added).toContain("Address: https://crm.example.com/hook");
  expect(added).toContain("the API key CRM (wx_");
  expect(mail.mails.at(-1)?.text).toContain("By: owner@example.com");
  expect(mail.mails.map(({ text }) => text).join()).not.toContain("whsec_");
  const { data } = (await owner.get(`/w/${shop.id}/audit`)).body;
  const ours = data.filter(({ action }: { action: string }) => action.startsWith("webhook."));
  expect(ours.map(({ action }: { action: string }) => action)).toEqual([
    ...["webhook.set", "webhook.remove", "webhook.update", "webhook.add"],
  ]);
  expect(ours.at(-1)).toMatchObject({ email: null, details: { key: expect.stringMatching(/^CRM \(wx_/) } });
  expect(JSON.stringify(data)).not.toContain("whsec_");
});

test("a program that changes an address all day is mailed about twenty times", async () => {
  const { id } = (await call("POST", "", { url: "https://crm.example.com/hook" })).body.data;
  for (let count = 0; count < 30; count++)
    await call("PATCH", `/${id}`, { state: count % 2 === 0 ? "disabled" : "active" });
  await untilMails(20);
  await app.clock.advance(SECOND);
  await Bun.sleep(50);
  expect(mail.mails.length).toBe(20);
  expect(mail.mails.filter(({ text }) => text.includes("Of further changes")).length).toBe(1);
});

test("revoking a key lists the addresses that it added, which still receive events", async () => {
  const first = (await call("POST", "", { url: "https://crm.example.com/1" })).body.data;
  const second = (await call("POST", "", { url: "https://crm.example.com/2" })).body.data;
  await owner.post(`/w/${shop.id}/webhooks`, { url: "https://shop.example.com/hook" });
  const revoked = await owner.post(`/w/${shop.id}/keys/${keyId}/revoke`);
  const added = [first, second].map(({ id, url }) => ({ id, url }));
  expect(revoked.body.data.webhooks).toEqual(added);
  using workshop = new CallingWorkshop();
  workshop.data = app.directory;
  expect(await workshop.json(["key", "revoke", String(keyId)])).toMatchObject({ webhooks: added });
  const { stdout } = await workshop.run(["key", "revoke", String(keyId)]);
  expect(stdout).toContain("https://crm.example.com/2");
  expect((await owner.get(`/w/${shop.id}/webhooks`)).body.data.length).toBe(3);
});

test("a form that the console sends twice adds one address, and shows its secret once", async () => {
  const send = () => owner.post(`/w/${shop.id}/webhooks`, { url: "https://crm.example.com/hook" }, { key: "add" });
  const [added, again] = [await send(), await send()];
  expect([added.body.data.secret, again.body.data]).toEqual([
    expect.stringMatching(/^whsec_/),
    { ...added.body.data, secret: null },
  ]);
  const kept = app.store.client.prepare("SELECT body FROM form_answers").pluck().all().join("\n");
  expect(kept).not.toContain("whsec_");
});
