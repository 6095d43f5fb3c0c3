/** Connecting a number of WhatsApp in the console, from the token to the first message that is read. */
import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type ConnectWorld, PIN, PUBLIC_URL, startConnecting } from "#test/support/connecting.ts";
import { auditEntries, person } from "#test/support/console.ts";
import {
  GRAPH_ACCOUNT_ID,
  GRAPH_APP_SECRET,
  GRAPH_PHONE_NUMBER_ID,
  GRAPH_TOKEN,
  startGraph,
} from "#test/support/graph.ts";
import { graphAccount, graphNumber } from "#test/support/graph-account.ts";
import { type WrongSetup, wrongSetups } from "#test/support/wrong-setups.ts";

const NUMBER = GRAPH_PHONE_NUMBER_ID;
const COLLEAGUE = "+4915112345678";

describe("the whole way", () => {
  test("an owner connects a number in the browser: every check is green, and the first message is sent, delivered and read", async () => {
    await using world = await startConnecting();
    const { owner, at, app, graph, account, clock } = world;
    const before = (await owner.get(at("/connection"))).body.data;
    expect(before).toMatchObject({
      callback_address: `${PUBLIC_URL}/networks/whatsapp`,
      verify_token: expect.stringMatching(/^ww-\d+-[0-9a-f]{24}$/),
      ...{ verified_at: null, server_issue: null, draft: null, has_configured_secret: false },
    });

    const entered = await world.enter();
    expect([entered.status, entered.body.data.draft]).toEqual([200, expect.objectContaining({ has_app_secret: true })]);
    const offered = (await owner.get(at("/connection/numbers"))).body.data;
    expect(offered).toEqual([
      {
        ...{ id: GRAPH_ACCOUNT_ID, name: "Corner Shop GmbH", problem: null },
        numbers: [
          {
            ...{ phone_number_id: GRAPH_PHONE_NUMBER_ID, phone: "+493023125012", name: "Shop" },
            ...{ status: "PENDING", is_on_business_app: false, connected: null },
          },
        ],
      },
    ]);

    const added = await world.choose();
    expect([added.status, added.body.data]).toEqual([
      201,
      expect.objectContaining({ phone: "+493023125012", network: "whatsapp", has_app_secret: true, name: "Shop" }),
    ]);
    const { id } = added.body.data;
    expect((await owner.get(at("/connection"))).body.data.draft).toBeNull();
    await clock.advance(1_000);
    const open = (await world.findings(id)).filter(({ level }) => level === "problem");
    expect(open.map(({ step, issue }) => [step, issue])).toEqual([
      ["registration", "number_pending"],
      ["callbacks", "not_subscribed"],
      ["callbacks", "callback_unverified"],
    ]);

    expect((await world.setUp(id)).status).toBe(200);
    await clock.advance(1_000);
    expect(account.webhook?.callbackUrl).toBe(`${PUBLIC_URL}/networks/whatsapp`);
    expect(account.webhook?.fields).toContain("messages");
    expect(account.subscribedApps).toHaveLength(1);
    expect((await owner.get(at("/connection"))).body.data.verified_at).toEqual(expect.any(String));
    expect((await world.register(id)).status).toBe(200);
    await clock.advance(5_000);
    expect((await world.findings(id)).filter(({ level }) => level === "problem")).toEqual([]);
    const number = (await owner.get(at("/numbers"))).body.data[0];
    expect(number).toMatchObject({ id, ready: true });

    const body = { to: COLLEAGUE, template: "greeting", language: "en_US", variables: { body: ["Anna"] } };
    const sent = await clock.until(owner.post(at("/messages"), body));
    expect([sent.status, sent.body.data.status]).toEqual([201, "sent"]);
    const [message] = graph.accepted;
    if (message === undefined) throw new Error("the network accepted a message");
    for (const status of ["delivered", "read"] as const) {
      expect(await graph.callback(graph.status(message, status))).toBe(200);
      await clock.advance(0);
      const shown = (await owner.get(at(`/messages/${sent.body.data.id}`))).body.data;
      expect(shown.status).toBe(status);
    }
    expect(auditEntries(app).map(({ action }) => action)).toEqual(
      expect.arrayContaining(["connection.enter", "number.add", "number.set-webhook", "number.register"]),
    );
  });

  test("what was entered is still there after leaving, until the owner discards it, and a form that was sent twice adds one number", async () => {
    await using world = await startConnecting();
    const { owner, at, app } = world;
    await world.enter();
    expect((await owner.get(at("/connection"))).body.data.draft).toEqual({
      has_app_secret: true,
      updated_at: expect.any(String),
    });
    expect((await owner.ask("DELETE", at("/connection"))).status).toBe(200);
    expect((await owner.get(at("/connection"))).body.data.draft).toBeNull();
    expect((await owner.get(at("/connection/numbers"))).body.error.code).toBe("no_connection");
    expect((await world.choose()).body.error.code).toBe("no_connection");

    await world.enter();
    const body = { account_id: GRAPH_ACCOUNT_ID, phone_number_id: GRAPH_PHONE_NUMBER_ID, name: "Shop desk" };
    const send = () => owner.post(at("/connection/number"), body, { key: "0123456789abcdef" });
    const [first, second] = [await send(), await send()];
    expect([first.status, second.status, second.body.data]).toEqual([201, 201, first.body.data]);
    expect(first.body.data.name).toBe("Shop desk");
    expect((await owner.get(at("/numbers"))).body.data).toHaveLength(1);
    expect(app.store.client.prepare("SELECT count(*) FROM connection_drafts").pluck().get()).toBe(0);
  });

  test("an unfinished draft is deleted after 30 days", async () => {
    await using world = await startConnecting();
    const { client } = world.app.store;
    const drafts = () => client.prepare("SELECT count(*) FROM connection_drafts").pluck().get();
    await world.enter();
    const age = (days: number) =>
      client.prepare("UPDATE connection_drafts SET updated_at = ?").run(world.clock.now() - days * 24 * 60 * 60_000);
    age(29);
    await world.clock.advance(11 * 60_000);
    expect(drafts()).toBe(1);
    age(31);
    await world.clock.advance(11 * 60_000);
    expect(drafts()).toBe(0);
  });

  test("a token that names no account shows the numbers of the account that the owner enters", async () => {
    await using world = await startConnecting();
    const { owner, at, account } = world;
    delete account.token.accountIds;
    await world.enter();
    expect((await owner.get(at("/connection/numbers"))).body.data).toEqual([]);
    const [shown] = (await owner.get(at(`/connection/numbers?account=${GRAPH_ACCOUNT_ID}`))).body.data;
    expect(shown.numbers).toHaveLength(1);
    expect((await owner.get(at("/connection/numbers?account=mine"))).body.error.fields.account).toBeDefined();
  });

  test("an app whose callbacks go elsewhere keeps them until the owner says that they are to come here", async () => {
    await using world = await startConnecting();
    const { account } = world;
    account.webhook = { callbackUrl: "https://crm.example.com/hook", fields: ["messages", "flows"] };
    await world.enter();
    const { id } = (await world.choose()).body.data;
    const refused = await world.setUp(id);
    expect([refused.status, refused.body.error.code]).toEqual([409, "webhook_elsewhere"]);
    expect(refused.text).toContain("crm.example.com");
    expect(account.webhook?.callbackUrl).toBe("https://crm.example.com/hook");
    expect((await world.setUp(id, { replace: true })).status).toBe(200);
    expect(account.webhook?.callbackUrl).toBe(`${PUBLIC_URL}/networks/whatsapp`);
    expect(account.webhook?.fields).toContain("flows");
  });

  test("an app that does not know the further fields gets those that are needed", async () => {
    await using world = await startConnecting();
    const { account } = world;
    await world.enter();
    const { id } = (await world.choose()).body.data;
    const asked: string[] = [];
    account.refuseFields = (fields) => {
      asked.push(fields.join());
      return fields.includes("standby");
    };
    expect((await world.setUp(id)).status).toBe(200);
    expect(asked).toHaveLength(2);
    expect(account.webhook?.fields).toContain("messages");
    expect(account.webhook?.fields).not.toContain("standby");
  });

  test("a number that is in another account at Meta moves there with a token of that account, after a question, with what it has", async () => {
    await using world = await startConnecting();
    const { app, owner, at, account, clock, box } = world;
    const id = await world.connect();
    await clock.advance(5_000);
    const [oldAccount, newAccount, newId] = [GRAPH_ACCOUNT_ID, "100000000000077", "200000000000077"];
    const access = (body: object) => owner.ask("PUT", at(`/numbers/${id}/access`), { token: GRAPH_TOKEN, ...body });
    const row = () =>
      app.store.client
        .prepare("SELECT account_id, phone_number_id, access_token, app_secret, ready FROM numbers")
        .get() as Record<string, string>;
    const before = row();
    Object.assign(account, { id: newAccount, numbers: [graphNumber(newId, "+49 30 23125012")] });
    account.token.accountIds = [newAccount];

    const asked = await access({});
    expect([asked.status, asked.body.error.code]).toEqual([409, "number_moved"]);
    expect(asked.body.error.message).toContain(newAccount);
    expect(row()).toEqual(before);
    // A broadcast has a template of the account.
    const later = new Date(clock.now() + 86_400_000).toISOString();
    const body = { name: "Sale", template: "greeting", variables: { body: ["Anna"] }, to: [COLLEAGUE], send_at: later };
    const made = await app.call("POST", "/api/v1/broadcasts", { key: world.workspace.key, body });
    const needed = await access({ move: true });
    expect([needed.status, needed.body.error.message]).toEqual([400, expect.stringContaining('"Sale"')]);
    expect(row()).toEqual(before);
    expect((await owner.post(at(`/broadcasts/${made.body.data.id}/cancel`))).status).toBe(200);
    const moved = await access({ move: true });
    expect([moved.status, moved.body.data]).toEqual([200, expect.objectContaining({ id, account_id: newAccount })]);
    expect(row()).toMatchObject({ account_id: newAccount, phone_number_id: newId });
    expect(box.open(row().access_token ?? "", `access_token:${newId}`)).toBe(GRAPH_TOKEN);
    expect(box.open(row().app_secret ?? "", `app_secret:${newId}`)).toBe(GRAPH_APP_SECRET);
    await clock.advance(5_000);
    expect((await owner.get(at("/numbers"))).body.data[0]).toMatchObject({ id, ready: true });
    const entry = app.store.client.prepare("SELECT details FROM audit_log WHERE action = 'number.move'").pluck().get();
    expect(JSON.parse(String(entry))).toEqual({ was: { account: oldAccount }, became: { account: newAccount } });

    // Nor is it moved where the token shows it nowhere.
    Object.assign(account, { id: "100000000000078", numbers: [] });
    account.token.accountIds = ["100000000000078"];
    expect((await access({ move: true })).body.error.fields.token).toHaveLength(1);
    expect(row()).toMatchObject({ account_id: newAccount });
  });

  test("another token and another app secret are stored only after the network has shown the number with them", async () => {
    await using world = await startConnecting();
    const { owner, at, app, account } = world;
    const id = await world.connect();
    const stored = () => app.store.client.prepare("SELECT access_token, app_secret FROM numbers").get();
    const renew = (body: object) => owner.ask("PUT", at(`/numbers/${id}/access`), body);
    const before = stored();
    expect((await renew({ token: "EAAother" })).body.error.fields.token).toBeDefined();
    expect((await renew({ app_secret: "another" })).body.error.fields.app_secret).toBeDefined();
    expect((await renew({ token: " " })).body.error.fields.token).toBeDefined();
    account.numbers = [graphNumber("200000000000009", "+49 30 23125099")];
    expect((await renew({ token: GRAPH_TOKEN })).body.error.fields.token[0]).toContain("does not show +493023125012");
    expect(stored()).toEqual(before);
    account.numbers = [graphNumber(GRAPH_PHONE_NUMBER_ID, "+49 30 23125012")];
    const renewed = await renew({ token: GRAPH_TOKEN, app_secret: GRAPH_APP_SECRET });
    expect([renewed.status, renewed.text]).toEqual([200, expect.not.stringContaining(GRAPH_TOKEN)]);
    expect(stored()).not.toEqual(before);
    expect(auditEntries(app)[0]).toMatchObject({ action: "number.renew-access", subject: "+493023125012" });
  });
});

describe("a wrong set-up is named at its step, with what to do in the browser", () => {
  test("there are at least 25", () => {
    expect(wrongSetups.length).toBeGreaterThanOrEqual(25);
  });

  for (const one of wrongSetups) {
    test(one.name, async () => {
      await using world = await startConnecting();
      const found = await firstRefusal(world, one);
      expect(found).toEqual({
        at: one.at,
        text: expect.stringContaining(one.says),
      });
      expect(found.text).toContain(one.next);
      expect(found.text).not.toContain("waxwing ");
      expect(found.text).not.toContain(GRAPH_TOKEN);
    });
  }
});

/** Goes the way until the step of the case, spoils it, and returns where the refusal stands and what it says. */
async function firstRefusal(
  world: ConnectWorld,
  { step, spoil, name }: WrongSetup,
): Promise<{ at: string | null; text: string }> {
  const { owner, at } = world;
  if (step === "enter") {
    await spoil(world);
    const refused = await world.enter(name === "no app secret at all" ? { token: GRAPH_TOKEN } : undefined);
    expect((await owner.get(at("/connection"))).body.data.draft).toBeNull();
    return ofForm(refused.body.error);
  }
  if (step === "offer") {
    await world.enter();
    await spoil(world);
    const offered = await owner.get(at("/connection/numbers"));
    if (offered.status !== 200) return ofForm(offered.body.error);
    const [account] = offered.body.data;
    expect(account.numbers).toEqual([]);
    return { at: account.id, text: account.problem };
  }
  if (step === "choose") {
    await spoil(world);
    await world.enter();
    const before = (await owner.get(at("/numbers"))).body.data.length;
    const refused = await world.choose();
    expect((await owner.get(at("/numbers"))).body.data).toHaveLength(before);
    return ofForm(refused.body.error);
  }
  if (step === "callbacks" || step === "register") {
    await world.enter();
    const { id } = (await world.choose()).body.data;
    await spoil(world);
    const refused = await (step === "callbacks" ? world.setUp(id) : world.register(id));
    expect(world.account.pin ?? "000000").toBe("000000");
    return ofForm(refused.body.error);
  }
  const id = await world.connect();
  await spoil(world);
  const [first] = (await world.findings(id)).filter(({ level }) => level === "problem");
  return { at: first?.step ?? null, text: `${first?.message} ${first?.next}` };
}

function ofForm({ message, fields = {} }: { message: string; fields?: Record<string, string[]> }) {
  const [field] = Object.keys(fields);
  return field === undefined ? { at: null, text: message } : { at: field, text: fields[field]?.join(" ") ?? "" };
}

describe("what an owner may not do", () => {
  test("a number that another workspace connected is not connected a second time, and is said to be taken", async () => {
    await using world = await startConnecting();
    await world.connect();
    const other = await world.app.workspace({ country: "DE", number: null, name: "Other" });
    const stranger = await person(world.app, "stranger@example.com", "owner", other.id);
    const path = `/w/${other.id}/connection`;
    expect((await stranger.ask("PUT", path, { token: GRAPH_TOKEN, app_secret: GRAPH_APP_SECRET })).status).toBe(200);
    const [account] = (await stranger.get(`${path}/numbers`)).body.data;
    expect(account.numbers[0].connected).toBe("elsewhere");
    const refused = await stranger.post(`${path}/number`, { account_id: GRAPH_ACCOUNT_ID, phone_number_id: NUMBER });
    expect([refused.status, refused.body.error.fields]).toEqual([
      400,
      { phone_number_id: ["This number is already connected on this server."] },
    ]);
    expect((await stranger.get(`/w/${other.id}/numbers`)).body.data).toEqual([]);
  });

  test("an id that the network does not show reserves nothing: its owner connects it later", async () => {
    await using world = await startConnecting();
    const { app, account, enter, choose } = world;
    const other = await app.workspace({ country: "DE", number: null, name: "Other" });
    const stranger = await person(app, "stranger@example.com", "owner", other.id);
    const shown = account.numbers;
    account.numbers = [graphNumber("200000000000009", "+49 30 23125099")];
    await stranger.ask("PUT", `/w/${other.id}/connection`, { token: GRAPH_TOKEN, app_secret: GRAPH_APP_SECRET });
    for (const [accountId, phoneNumberId] of [
      [GRAPH_ACCOUNT_ID, NUMBER],
      ["100000000000077", NUMBER],
      ["../../me", NUMBER],
      [GRAPH_ACCOUNT_ID, "me"],
      [GRAPH_ACCOUNT_ID, ""],
    ]) {
      const body = { account_id: accountId, phone_number_id: phoneNumberId };
      expect((await stranger.post(`/w/${other.id}/connection/number`, body)).status).toBe(400);
    }
    expect((await stranger.get(`/w/${other.id}/numbers`)).body.data).toEqual([]);
    account.numbers = shown;
    await enter();
    expect((await choose()).status).toBe(201);
  });

  test("the app secret of one workspace signs no callback of another's number", async () => {
    await using world = await startConnecting();
    const { app, account, graph, clock } = world;
    await world.connect();
    const other = await app.workspace({ country: "DE", number: null, name: "Other" });
    const stranger = await person(app, "stranger@example.com", "owner", other.id);
    const second = graphNumber("200000000000009", "+49 30 23125099");
    account.numbers = [second];
    account.appSecret = "secret-of-the-stranger";
    const path = `/w/${other.id}/connection`;
    const entered = await stranger.ask("PUT", path, { token: GRAPH_TOKEN, app_secret: "secret-of-the-stranger" });
    expect(entered.status).toBe(200);
    const body = { account_id: GRAPH_ACCOUNT_ID, phone_number_id: second.id };
    expect((await stranger.post(`${path}/number`, body)).status).toBe(201);
    const forged = (phoneNumberId: string) => ({
      field: "messages",
      value: {
        messaging_product: "whatsapp",
        metadata: { display_phone_number: "4930000000", phone_number_id: phoneNumberId },
        messages: [
          {
            from: "4915112345678",
            id: `wamid.${phoneNumberId}`,
            timestamp: "1795248000",
            type: "text",
            text: { body: "forged" },
          },
        ],
      },
    });
    for (const id of [NUMBER, second.id]) {
      await graph.callback(forged(id), { appSecret: "secret-of-the-stranger" });
      await clock.advance(0);
    }
    const heard = app.store.client.prepare("SELECT workspace_id FROM inbounds").pluck().all();
    expect(heard).toEqual([other.id]);
  });

  test("an owner who uses the app of the server's operator does not move its callbacks; the operator does", async () => {
    await using world = await startConnecting({ config: { whatsapp: { appSecret: GRAPH_APP_SECRET } } });
    const { app, account, owner, at } = world;
    const elsewhere = { callbackUrl: "https://other-server.example.com/networks/whatsapp", fields: ["messages"] };
    account.webhook = { ...elsewhere };
    expect((await owner.get(at("/connection"))).body.data.has_configured_secret).toBe(true);
    expect((await world.enter({ token: GRAPH_TOKEN })).status).toBe(200);
    const { id } = (await world.choose()).body.data;
    for (const body of [{}, { replace: true }]) {
      const refused = await world.setUp(id, body);
      expect([refused.status, refused.body.error.code]).toEqual([409, "app_of_operator"]);
    }
    expect([account.webhook, account.subscribedApps]).toEqual([elsewhere, []]);
    const operator = await person(app, "op@example.com", "operator");
    expect((await operator.post(at(`/numbers/${id}/webhook`), { replace: true })).status).toBe(200);
    expect(account.webhook?.callbackUrl).toBe(`${PUBLIC_URL}/networks/whatsapp`);
    // An address that is this server's stays as it is, and the owner's account is subscribed.
    const kept = { callbackUrl: `${PUBLIC_URL}/networks/whatsapp`, fields: ["messages"] };
    Object.assign(account, { webhook: { ...kept }, subscribedApps: [] });
    expect((await world.setUp(id, { replace: true })).status).toBe(200);
    expect([account.webhook, account.subscribedApps.length]).toEqual([kept, 1]);
  });

  test("no address to ask is taken from the browser, in no form, and the network is asked at the configured one alone", async () => {
    await using world = await startConnecting();
    await using elsewhere = await startGraph({ account: graphAccount() });
    const { owner, at } = world;
    const entered = { token: GRAPH_TOKEN, app_secret: GRAPH_APP_SECRET };
    const names = ["api_url", "apiUrl", "graph_url", "url", "host", "provider", "base_url", "endpoint", "callback_url"];
    for (const name of names) {
      const refused = await world.enter({ ...entered, [name]: elsewhere.url });
      expect([name, refused.status, Object.keys(refused.body.error.fields)]).toEqual([name, 400, [name]]);
    }
    const id = await world.connect();
    for (const name of names) {
      expect(
        (await owner.ask("PUT", at(`/numbers/${id}/access`), { token: GRAPH_TOKEN, [name]: elsewhere.url })).status,
      ).toBe(400);
      expect((await world.setUp(id, { [name]: elsewhere.url })).status).toBe(400);
      expect((await owner.post(at(`/numbers/${id}/register`), { pin: PIN, [name]: elsewhere.url })).status).toBe(400);
    }
    expect(elsewhere.questions).toEqual([]);
    expect(world.graph.questions.length).toBeGreaterThan(0);
  });

  test("a verify token is of one workspace, and a wrong one is refused and shown", async () => {
    await using world = await startConnecting();
    const { app, owner, at } = world;
    const token = (await owner.get(at("/connection"))).body.data.verify_token;
    const ask = (value: string, mode = "subscribe") =>
      app.call(
        "GET",
        `/networks/whatsapp?${new URLSearchParams({ "hub.mode": mode, "hub.verify_token": value, "hub.challenge": "42" })}`,
      );
    for (const wrong of [
      "",
      "ww-1-",
      `ww-2${token.slice(4)}`,
      `${token}0`,
      "ww-999999-aaaaaaaaaaaaaaaaaaaaaaaa",
      "x".repeat(5_000),
    ]) {
      expect([wrong.slice(0, 40), (await ask(wrong)).status]).toEqual([wrong.slice(0, 40), 403]);
    }
    expect((await ask(token, "unsubscribe")).status).toBe(403);
    const refused = (await owner.get(at("/connection"))).body.data;
    expect([refused.verified_at, refused.refused_at]).toEqual([null, expect.any(String)]);
    const right = await ask(token);
    expect([right.status, right.text]).toEqual([200, "42"]);
    expect((await owner.get(at("/connection"))).body.data.verified_at).toEqual(expect.any(String));
  });

  test("secrets are refused over plain http from another machine, and taken on the machine itself", async () => {
    await using world = await startConnecting({
      config: { server: { publicUrl: "http://shop.lan:8080", trustedProxies: [] } },
    });
    const { owner, at } = world;
    const body = { token: GRAPH_TOKEN, app_secret: GRAPH_APP_SECRET };
    for (const headers of [
      { origin: "http://shop.lan:8080" },
      { "x-forwarded-for": "203.0.113.9" },
      { forwarded: "for=203.0.113.9" },
    ] as Record<string, string>[]) {
      const refused = await owner.ask("PUT", at("/connection"), body, { headers });
      expect([headers, refused.status, refused.body.error.code]).toEqual([headers, 403, "not_encrypted"]);
    }
    expect((await owner.get(at("/connection"))).body.data.draft).toBeNull();
    const local = await owner.ask("PUT", at("/connection"), body, { headers: { origin: "http://127.0.0.1:8080" } });
    expect(local.status).toBe(200);
    const issue = (await owner.get(at("/connection"))).body.data.server_issue;
    expect(issue).toEqual({ message: expect.stringContaining("https"), next: expect.stringContaining("TLS") });
  });

  test("token, app secret and PIN are in no answer, log, audit entry, kept answer or file of the data directory", async () => {
    await using world = await startConnecting();
    const { owner, at, app } = world;
    const answers = [
      await world.enter(),
      await owner.get(at("/connection")),
      await owner.get(at("/connection/numbers")),
    ];
    const chosen = await world.choose();
    const { id } = chosen.body.data;
    answers.push(chosen, await world.setUp(id));
    answers.push(await owner.post(at(`/numbers/${id}/register`), { pin: PIN }, { key: "0123456789abcdef" }));
    answers.push(
      await owner.ask(
        "PUT",
        at(`/numbers/${id}/access`),
        { token: GRAPH_TOKEN, app_secret: GRAPH_APP_SECRET },
        { key: "fedcba9876543210" },
      ),
    );
    answers.push(
      await owner.get(at("/numbers")),
      await owner.get(at(`/numbers/${id}/findings`)),
      await owner.get(at("/audit")),
    );
    expect(answers.filter(({ status }) => status > 299).map(({ text }) => text)).toEqual([]);
    const kept = JSON.stringify(app.store.client.prepare("SELECT * FROM form_answers").all());
    const files = readdirSync(app.directory, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(join(entry.parentPath, entry.name)).toString("latin1"));
    for (const secret of [GRAPH_TOKEN, GRAPH_APP_SECRET, PIN]) {
      const places = { answers: answers.map(({ text }) => text), log: app.logged, kept: [kept], files };
      for (const [place, texts] of Object.entries(places)) {
        // Six digits may stand in any file by chance.
        if (secret === PIN && place === "files") continue;
        expect([secret, place, texts.filter((text) => text.includes(secret)).length]).toEqual([secret, place, 0]);
      }
    }
    // In no column of a table either, where six digits would stand alone.
    const { client } = app.store;
    const tables = client.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all() as string[];
    const stored = tables.flatMap((name) => {
      const found = client.prepare(`SELECT * FROM "${name}"`).all() as Record<string, unknown>[];
      return found.map((row) => `${name} ${Object.values(row).map(String).join("\n")}`);
    });
    expect(stored.some((text) => text.startsWith("numbers ") && text.includes(NUMBER))).toBe(true);
    expect(stored.filter((text) => new RegExp(`(?<!\\d)${PIN}(?!\\d)`).test(text))).toEqual([]);
    // The hash of a form with a PIN would give the PIN away.
    const forms = app.store.client
      .prepare("SELECT count(*) FROM form_answers WHERE key = '0123456789abcdef'")
      .pluck()
      .get();
    expect(forms).toBe(0);
  });
});
