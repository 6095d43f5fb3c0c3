/** Signing up at Meta in the console: the way to Meta's dialog, the way back, and all that goes wrong between them. */
import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { SIGN_UP_LASTS_MS } from "#src/domain/numbers/sign-up.ts";
import { type ConnectWorld, PUBLIC_URL, startConnecting } from "#test/support/connecting.ts";
import { auditEntries, PASSWORD, person, Visitor } from "#test/support/console.ts";
import { GRAPH_ACCOUNT_ID, GRAPH_APP_SECRET, GRAPH_PHONE_NUMBER_ID, GRAPH_TOKEN } from "#test/support/graph.ts";
import { GRAPH_APP_ID, graphNumber } from "#test/support/graph-account.ts";
import { SIGN_UP_CONFIG_ID } from "#test/support/graph-sign-up.ts";
import type { Answered } from "#test/support/server.ts";

const RETURN = `${PUBLIC_URL}/console/connect`;
const APP = { appId: GRAPH_APP_ID, signupConfigId: SIGN_UP_CONFIG_ID, appSecret: GRAPH_APP_SECRET };

async function startSigningUp(server: { publicUrl?: string | null } = {}): Promise<ConnectWorld> {
  const world = await startConnecting({ config: { server, whatsapp: { ...APP } } });
  // The operator has set up the callbacks of the app.
  world.account.webhook = { callbackUrl: `${PUBLIC_URL}/networks/whatsapp`, fields: ["messages"] };
  return world;
}

/** The query of the dialog that the owner is sent to. */
async function begin({ owner, at }: ConnectWorld, body: object = { keeps_app: false }): Promise<URLSearchParams> {
  const begun = await owner.post(at("/connection/sign-up"), body);
  expect(begun.status).toBe(200);
  return new URL(begun.body.data.address).searchParams;
}

/** What the page does that Meta leads back to. */
async function finish({ owner, at }: ConnectWorld, back: URL, by: Visitor = owner): Promise<Answered> {
  const { code, state } = Object.fromEntries(back.searchParams);
  return by.post(at("/connection/sign-up/finish"), { code, state });
}

const drafts = ({ app }: ConnectWorld) =>
  app.store.client.prepare("SELECT count(*) FROM connection_drafts").pluck().get();

describe("the whole way", () => {
  test("an owner signs up at Meta, and the token goes the way of one that was entered, up to a number that can send", async () => {
    await using world = await startSigningUp();
    const { owner, at, account, signUp, clock, graph, app } = world;
    expect((await owner.get(at("/connection"))).body.data).toMatchObject({
      ...{ sign_up: { is_possible: true }, has_configured_secret: true, server_issue: null, draft: null },
    });
    const begun = await owner.post(at("/connection/sign-up"), { keeps_app: false });
    const address = new URL(begun.body.data.address);
    expect(address.origin + address.pathname).toBe(`${graph.url}/v25.0/dialog/oauth`);
    const { state, extras, ...query } = Object.fromEntries(address.searchParams);
    expect(query).toEqual({
      ...{ client_id: GRAPH_APP_ID, config_id: SIGN_UP_CONFIG_ID, redirect_uri: RETURN },
      ...{ response_type: "code", override_default_response_type: "true" },
    });
    expect(state).toMatch(new RegExp(`^${world.workspace.id}\\.\\w{43}$`));
    expect(JSON.parse(extras ?? "")).toEqual({ setup: {}, sessionInfoVersion: "3" });
    const stored = app.store.client.prepare("SELECT hex(hash) AS hash FROM sign_ups").get() as { hash: string };
    expect(stored.hash).not.toContain(Buffer.from(state ?? "").toString("hex"));

    const finished = await finish(world, signUp.agree(address.searchParams));
    expect([finished.status, finished.body.data]).toEqual([200, { number_id: null }]);
    expect(signUp.exchanges.map((body) => Object.fromEntries(body))).toEqual([
      {
        ...{ client_id: GRAPH_APP_ID, client_secret: GRAPH_APP_SECRET, redirect_uri: RETURN },
        code: "AQD-code-of-the-test-1",
      },
    ]);
    expect((await owner.get(at("/connection"))).body.data.draft).toMatchObject({ has_app_secret: false });
    const [shown] = (await owner.get(at("/connection/numbers"))).body.data;
    expect([shown.id, shown.numbers.length]).toEqual([GRAPH_ACCOUNT_ID, 1]);
    const { id } = (await world.choose()).body.data;
    expect((await world.setUp(id)).status).toBe(200);
    await clock.advance(1_000);
    expect((await world.register(id)).status).toBe(200);
    await clock.advance(5_000);
    expect(account.subscribedApps).toHaveLength(1);
    expect((await owner.get(at("/numbers"))).body.data[0]).toMatchObject({ id, ready: true, has_app_secret: false });
    expect(auditEntries(app).map(({ action }) => action)).toEqual(
      expect.arrayContaining(["connection.sign-up", "number.add", "number.set-webhook", "number.register"]),
    );
  });

  test("with the WhatsApp Business app: Meta is asked for it, the number is marked, and registering it is refused", async () => {
    await using world = await startSigningUp();
    const { owner, at, account, signUp } = world;
    const phone = "+49 30 23125012";
    account.numbers = [graphNumber(GRAPH_PHONE_NUMBER_ID, phone, { is_on_biz_app: true, status: "CONNECTED" })];
    const query = await begin(world, { keeps_app: true });
    expect(JSON.parse(query.get("extras") ?? "").featureType).toBe("whatsapp_business_app_onboarding");
    expect((await finish(world, signUp.agree(query))).status).toBe(200);
    const [shown] = (await owner.get(at("/connection/numbers"))).body.data;
    expect(shown.numbers[0].is_on_business_app).toBe(true);
    const { id } = (await world.choose()).body.data;
    expect((await world.setUp(id)).status).toBe(200);
    expect((await world.register(id)).body.error.code).toBe("on_business_app");
    expect(account.pin).toBeNull();

    // Contacts and history of the phone, each once.
    const fetchData = () => owner.post(at(`/numbers/${id}/phone-data`));
    account.phoneSyncs = ["smb_app_state_sync"];
    expect((await fetchData()).status).toBe(200);
    expect(account.phoneSyncs).toEqual(["smb_app_state_sync", "history"]);
    const again = await fetchData();
    expect([again.status, again.body.error.message]).toEqual([502, expect.stringContaining("synchronized already")]);
    // One that fails for another reason is said, although the other was taken.
    account.phoneSyncs = [];
    account.refuse = ({ path, method }) =>
      method === "POST" && path.includes("smb_app_data") && account.phoneSyncs.length === 1 ? { code: 2593108 } : null;
    expect((await fetchData()).body.error.message).toContain("The time to synchronize");
    account.refuse = null;
    account.numbers = [graphNumber(GRAPH_PHONE_NUMBER_ID, phone)];
    expect((await fetchData()).body.error.code).toBe("not_on_business_app");
  });

  test("a token whose sign-up named two accounts lets the owner choose", async () => {
    await using world = await startSigningUp();
    const { owner, at, account, signUp } = world;
    account.token.accountIds = [GRAPH_ACCOUNT_ID, "100000000000009"];
    await finish(world, signUp.agree(await begin(world)));
    const shown = (await owner.get(at("/connection/numbers"))).body.data as { id: string; problem: string | null }[];
    expect(shown.map(({ id, problem }) => [id, problem === null])).toEqual([
      [GRAPH_ACCOUNT_ID, true],
      ["100000000000009", false],
    ]);
  });

  test("the access of a number is renewed by signing up again; the app secret of another app goes", async () => {
    await using world = await startSigningUp();
    const { owner, at, account, signUp, app, box } = world;
    await world.enter();
    const { id } = (await world.choose()).body.data;
    const query = await begin(world, { keeps_app: false, number_id: id });
    const kept = () =>
      app.store.client.prepare("SELECT access_token AS token, app_secret AS secret FROM numbers").get() as {
        token: string;
        secret: string | null;
      };
    const before = kept();
    expect(before.secret).not.toBeNull();
    const finished = await finish(world, signUp.agree(query));
    expect([finished.status, finished.body.data]).toEqual([200, { number_id: id }]);
    expect(kept().secret).toBeNull();
    expect(kept().token).not.toBe(before.token);
    expect(box.open(kept().token, `access_token:${GRAPH_PHONE_NUMBER_ID}`)).toBe(GRAPH_TOKEN);

    // Another account was chosen at Meta: what is stored stays.
    const again = await begin(world, { keeps_app: false, number_id: id });
    const stored = kept();
    account.numbers = [graphNumber("200000000000008", "+49 30 23125088")];
    const refused = await finish(world, signUp.agree(again));
    expect([refused.status, refused.body.error.code]).toEqual([409, "sign_up_other_number"]);
    expect(kept()).toEqual(stored);
    expect((await owner.post(at("/connection/sign-up"), { keeps_app: true, number_id: 99 })).status).toBe(404);

    // The same number in the account that was chosen: it moves there.
    Object.assign(account, { id: "100000000000077", numbers: [graphNumber("200000000000077", "+49 30 23125012")] });
    account.token.accountIds = ["100000000000077"];
    const moved = await finish(world, signUp.agree(await begin(world, { keeps_app: false, number_id: id })));
    expect([moved.status, moved.body.data]).toEqual([200, { number_id: id }]);
    expect((await owner.get(at("/numbers"))).body.data[0]).toMatchObject({
      ...{ id, account_id: "100000000000077", phone_number_id: "200000000000077" },
    });
    expect(auditEntries(app)[0]?.action).toBe("number.move");
  });
});

describe("the state", () => {
  test("works once: the second answer with it is refused before Meta is asked", async () => {
    await using world = await startSigningUp();
    const { signUp } = world;
    const query = await begin(world);
    const back = signUp.agree(query);
    expect((await finish(world, back)).status).toBe(200);
    const repeated = [await finish(world, back), await finish(world, signUp.agree(query))];
    expect(repeated.map(({ status, body }) => [status, body.error.code])).toEqual([
      [409, "sign_up_used"],
      [409, "sign_up_used"],
    ]);
    expect(signUp.exchanges).toHaveLength(1);
  });

  test("two answers with it at the same moment: one is taken", async () => {
    await using world = await startSigningUp();
    const back = world.signUp.agree(await begin(world));
    const both = await Promise.all([finish(world, back), finish(world, back)]);
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    expect(world.signUp.exchanges).toHaveLength(1);
  });

  test("a state that is forged, of another workspace, of another session or too old is refused, and Meta is not asked", async () => {
    await using world = await startSigningUp();
    const { app, owner, at, clock, signUp, workspace } = world;
    const query = await begin(world);
    const back = signUp.agree(query);
    const withState = (state: string): URL => {
      const url = new URL(back);
      url.searchParams.set("state", state);
      return url;
    };
    const state = query.get("state") ?? "";
    for (const forged of ["", "1", `${workspace.id}.`, `${state}x`, state.replace(/^\d+/, "7"), state.toUpperCase()]) {
      expect([forged, (await finish(world, withState(forged))).body.error.code]).toEqual([forged, "sign_up_unknown"]);
    }
    const colleague = await person(app, "second@example.com", "owner", workspace.id);
    expect((await finish(world, back, colleague)).body.error.code).toBe("sign_up_other_session");
    const sameOwner = new Visitor(app);
    await sameOwner.post("/sign-in", { email: "owner@example.com", password: PASSWORD });
    expect((await finish(world, back, sameOwner)).body.error.code).toBe("sign_up_other_session");
    const other = await app.workspace({ country: "DE", number: null, name: "Other" });
    const stranger = await person(app, "stranger@example.com", "owner", other.id);
    const there = { code: "AQD-code-of-the-test-1", state };
    const elsewhere = await stranger.post(`/w/${other.id}/connection/sign-up/finish`, there);
    expect(elsewhere.body.error.code).toBe("sign_up_unknown");
    expect((await stranger.post(at("/connection/sign-up/finish"), there)).status).toBe(404);

    app.store.client.prepare("UPDATE sign_ups SET created_at = ?").run(clock.now() - SIGN_UP_LASTS_MS);
    expect((await finish(world, back)).body.error.code).toBe("sign_up_expired");
    app.store.client.prepare("UPDATE sign_ups SET created_at = ?").run(clock.now() - SIGN_UP_LASTS_MS + 60_000);
    expect([signUp.exchanges.length, drafts(world)]).toEqual([0, 0]);
    // None of it used the state up.
    expect((await finish(world, back, owner)).status).toBe(200);
  });

  test("it is deleted after a day", async () => {
    await using world = await startSigningUp();
    const { client } = world.app.store;
    await begin(world);
    client.prepare("UPDATE sign_ups SET created_at = ?").run(world.clock.now() - 25 * 60 * 60_000);
    await world.clock.advance(11 * 60_000);
    expect(client.prepare("SELECT count(*) FROM sign_ups").pluck().get()).toBe(0);
  });
});

describe("what Meta answers", () => {
  const refusals = [
    ["a code that it no longer takes", { kind: "error", status: 400, code: 100 }, 409, "sign_up_code_refused"],
    ["an app ID that it does not know", { kind: "error", status: 400, code: 101 }, 409, "sign_up_app_refused"],
    ["a wrong app secret", { kind: "error", status: 400, code: 1 }, 409, "sign_up_app_refused"],
    ["that it is asked too often", { kind: "error", status: 400, code: 4 }, 502, "whatsapp_refused"],
    ["an error that is not known", { kind: "error", status: 400, code: 424242 }, 502, "whatsapp_refused"],
    ["trouble of its own", { kind: "error", status: 500, code: 1 }, 502, "sign_up_unknown_outcome"],
    ["nothing", { kind: "lost" }, 502, "sign_up_unknown_outcome"],
    ["something without a token", { kind: "answer", body: '{"ok":true}' }, 502, "sign_up_unknown_outcome"],
    ["a page", { kind: "answer", body: "<html>" }, 502, "sign_up_unknown_outcome"],
    ["a token with a line break", { kind: "answer", body: '{"access_token":"a\\nb"}' }, 502, "sign_up_unknown_outcome"],
  ] as const;
  test("each refusal is said with what to do, stores nothing, asks once, and the next sign-up works", async () => {
    await using world = await startSigningUp();
    const { signUp } = world;
    for (const [name, fault, status, code] of refusals) {
      signUp.faults.push(fault);
      const asked = signUp.exchanges.length;
      const refused = await finish(world, signUp.agree(await begin(world)));
      expect([name, refused.status, refused.body.error.code]).toEqual([name, status, code]);
      expect([name, refused.body.error.message]).toEqual([name, expect.stringMatching(/start again/i)]);
      expect([name, signUp.exchanges.length - asked, drafts(world)]).toEqual([name, 1, 0]);
    }
    expect((await finish(world, signUp.agree(await begin(world)))).status).toBe(200);
    expect(drafts(world)).toBe(1);
  });

  test("a token without the permissions is not stored, and an earlier one stays", async () => {
    await using world = await startSigningUp();
    const { account, signUp } = world;
    account.token.scopes = ["whatsapp_business_messaging"];
    const refused = await finish(world, signUp.agree(await begin(world)));
    expect([refused.status, refused.body.error.code]).toEqual([409, "sign_up_not_granted"]);
    expect(refused.body.error.message).toContain("whatsapp_business_management");
    expect(drafts(world)).toBe(0);
  });

  test("a server that ends while Meta answers has stored nothing, and the state does not come back", async () => {
    await using world = await startSigningUp();
    const { signUp, app } = world;
    const back = signUp.agree(await begin(world));
    signUp.faults.push({ kind: "lost" });
    await finish(world, back);
    // As the next process finds it: the state was used up in a commit of its own, before the code left.
    const rows = app.store.client.prepare("SELECT used_at IS NOT NULL AS used FROM sign_ups").pluck().all();
    expect([rows, drafts(world)]).toEqual([[1], 0]);
    expect((await finish(world, back)).body.error.code).toBe("sign_up_used");
  });
});

describe("the server", () => {
  test("without an app in its configuration offers nothing of it", async () => {
    await using world = await startConnecting();
    const { owner, at } = world;
    expect((await owner.get(at("/connection"))).body.data.sign_up).toBeNull();
    expect((await owner.post(at("/connection/sign-up"), { keeps_app: true })).body.error.code).toBe("no_sign_up");
    const finished = await owner.post(at("/connection/sign-up/finish"), { code: "a", state: "1.a" });
    expect(finished.body.error.code).toBe("no_sign_up");
  });

  test.each([[null], ["http://wa.example.com"]])(
    "with the public address %p says so first, and does not lead to Meta",
    async (publicUrl) => {
      await using world = await startSigningUp({ publicUrl });
      const { owner, at } = world;
      const { sign_up: offered, server_issue: issue } = (await owner.get(at("/connection"))).body.data;
      expect([offered, issue]).toEqual([
        { is_possible: false },
        expect.objectContaining({ message: expect.any(String) }),
      ]);
      const refused = await owner.post(at("/connection/sign-up"), { keeps_app: false });
      expect([refused.status, refused.body.error.code]).toEqual([409, "no_public_url"]);
      expect(refused.body.error.message).toContain("public_url");
      expect(world.app.store.client.prepare("SELECT count(*) FROM sign_ups").pluck().get()).toBe(0);
    },
  );

  test("keeps token, app secret, code and state out of answers, the log, the audit log and its files", async () => {
    await using world = await startSigningUp();
    const { app, owner, at, signUp } = world;
    const query = await begin(world);
    const back = signUp.agree(query);
    const answers = [await finish(world, back), await finish(world, back), await owner.get(at("/connection"))];
    const secrets = [GRAPH_TOKEN, GRAPH_APP_SECRET, back.searchParams.get("code") ?? "", query.get("state") ?? ""];
    const audit = app.store.client.prepare("SELECT json_group_array(subject || details) FROM audit_log").pluck().get();
    const files = readdirSync(app.directory, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(join(entry.parentPath, entry.name)).toString("latin1"));
    const places = { answers: answers.map(({ text }) => text), log: app.logged, audit: [String(audit)], files };
    for (const secret of secrets) {
      expect(secret.length).toBeGreaterThan(10);
      for (const [place, texts] of Object.entries(places)) {
        expect([place, texts.filter((text) => text.includes(secret)).length]).toEqual([place, 0]);
      }
    }
  });
});
