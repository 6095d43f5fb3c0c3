/**
 * Templates that are made of WhatsApp's library: what is asked, what leaves, what is stopped before, and that each is made
 * at most once. The network is the fake Cloud API; the simulator has a library of its own.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { graphAccount } from "#test/support/graph-account.ts";
import { address, BUTTONS, body, link, wrongOfLibrary } from "#test/support/library-templates.ts";
import { type Answered, startTestServer, type TestServer } from "#test/support/server.ts";
import { rows, startWhatsapp, type WhatsappWorld } from "#test/support/whatsapp.ts";

const MINUTE = 60_000;

let world: WhatsappWorld;
beforeAll(async () => {
  world = await startWhatsapp({
    account: graphAccount(),
    config: { limits: { requestsPerSecond: 10_000, burst: 10_000 } },
  });
});
afterAll(() => world[Symbol.asyncDispose]());

function ask(method: string, path: string, body?: object, headers: Record<string, string> = {}): Promise<Answered> {
  return world.app.send(method, `/api/v1${path}`, { key: world.workspace.key, headers, ...(body && { body }) });
}

const submitted = () => world.account.submitted;
const asked = () =>
  world.graph.questions.filter(({ path }) => path.includes("message_template_library")).map(({ path }) => path);

let made = 0;
function parcel(more: object = {}) {
  made += 1;
  const base = { name: `parcel_${made}`, language: "en_US", category: "UTILITY" };
  return { ...base, library: { name: "parcel_sent", buttons: BUTTONS }, ...more };
}

describe("the library", () => {
  test("is asked for as Meta's page says, and answered in its words", async () => {
    const before = asked().length;
    const query =
      "search=parcel&topic=ORDER_MANAGEMENT&usecase=SHIPMENT_CONFIRMATION&industry=E_COMMERCE&language=en_US";
    const { status, body } = await ask("GET", `/templates/library?${query}`);
    expect(status).toBe(200);
    const [path, ...more] = asked().slice(before);
    expect(more).toEqual([]);
    const url = new URL(path ?? "", "http://graph");
    url.searchParams.delete("appsecret_proof");
    expect(url.pathname).toMatch(/^\/v\d+\.\d\/message_template_library$/);
    expect(Object.fromEntries(url.searchParams)).toEqual({
      ...{ search: "parcel", topic: "ORDER_MANAGEMENT", usecase: "SHIPMENT_CONFIRMATION" },
      ...{ industry: "E_COMMERCE", language: "en_US", limit: "50" },
    });
    const row = world.account.library[0] as Record<string, unknown>;
    const { id: _, buttons, ...shown } = row;
    expect(body).toEqual({
      data: [
        {
          ...shown,
          buttons: (buttons as object[]).map((one) => ({ url: null, phone_number: null, ...one })),
        },
      ],
      meta: { has_more: false, next: null },
    });
  });

  test("is read page by page", async () => {
    world.account.pageSize = 3;
    const first = await ask("GET", "/templates/library");
    expect([first.body.data.length, first.body.meta.has_more]).toEqual([3, true]);
    const second = await ask("GET", `/templates/library?after=${first.body.meta.next}`);
    world.account.pageSize = 25;
    expect([second.body.data.length, second.body.meta]).toEqual([1, { has_more: false, next: null }]);
  });

  test("that the account may not use is a refusal in words; one that cannot be read now is 503", async () => {
    const refusals = [
      [{ code: 200, status: 403 }, 502, "whatsapp_error"],
      [{ code: 10, status: 403 }, 502, "whatsapp_error"],
      [{ code: 100, subcode: 33, status: 400 }, 502, "whatsapp_error"],
      [{ code: 80007, status: 400 }, 503, "unavailable"],
      [{ code: 2, status: 500 }, 503, "unavailable"],
    ] as const;
    const before = submitted().length;
    for (const [refusal, status, code] of refusals) {
      world.account.refuse = ({ path }) => (path.includes("message_template_library") ? { ...refusal } : null);
      for (const answer of [
        await ask("GET", "/templates/library"),
        await ask("POST", "/templates", parcel()),
        await ask("POST", "/templates/check", parcel()),
      ]) {
        expect([refusal.code, answer.status, answer.body.error.code]).toEqual([refusal.code, status, code]);
        expect(answer.body.error.message).toContain("template library");
      }
    }
    world.account.refuse = null;
    expect(submitted()).toHaveLength(before);
    expect(rows(world.app.store, "SELECT count(*) AS n FROM template_submissions")).toEqual([{ n: 0 }]);
  });

  test("whose answer has another form is a refusal, and broken rows are omitted", async () => {
    const answer = (body: string) => () => ({ status: 200, body, contentType: "application/json" });
    for (const body of ["[]", '{"data":1}', "x".repeat(100)]) {
      world.account.refuse = answer(body);
      expect([body, (await ask("GET", "/templates/library")).status]).toEqual([body, 502]);
    }
    const data = [null, 1, {}, { name: "a", language: "en" }, { name: "a", language: "en", body: "A", buttons: [1] }];
    world.account.refuse = answer(JSON.stringify({ data }));
    const { status, body } = await ask("GET", "/templates/library");
    world.account.refuse = null;
    expect([status, body.data.map((one: { name: string }) => one.name)]).toEqual([200, ["a"]]);
  });
});

describe("a template of the library", () => {
  test("leaves as Meta's page shows it, and is approved at once", async () => {
    const one = parcel({ library: { name: "parcel_sent", buttons: BUTTONS, body: { add_contact_number: true } } });
    const before = submitted().length;
    expect((await ask("POST", "/templates/check", one)).body.data).toEqual({ valid: true, problems: [], warnings: [] });
    const { status, body } = await ask("POST", "/templates", one);
    expect({ status, error: body.error }).toEqual({ status: 201, error: undefined });
    expect(body.data).toMatchObject({
      ...{ name: one.name, status: "APPROVED", category: "UTILITY", variables: { header: 0, body: 2 } },
      text: "Hello {{1}}, we have sent order {{2}}.",
    });
    expect(submitted().slice(before)).toEqual([
      {
        method: "POST",
        path: "/v25.0/100000000000001/message_templates",
        body: {
          ...{ name: one.name, language: "en_US", category: "UTILITY", library_template_name: "parcel_sent" },
          library_template_button_inputs: BUTTONS,
          library_template_body_inputs: { add_contact_number: true },
        },
      },
    ]);
    await world.clock.advance(2 * 60 * MINUTE);
    const listed = (await ask("GET", "/templates?per_page=500")).body.data;
    const after = listed.find(({ name }: { name: string }) => name === one.name);
    expect(after.status).toBe("APPROVED");
    expect(after.components).toEqual(body.data.components);
  });

  test("without buttons, and of a code, too", async () => {
    const before = submitted().length;
    const taken = { name: "taken", language: "en_US", category: "UTILITY", library: { name: "order_taken" } };
    const code = {
      ...{ name: "code", language: "en_US", category: "AUTHENTICATION" },
      library: {
        name: "sign_in_code",
        buttons: [{ type: "OTP", otp_type: "COPY_CODE" }],
        body: { add_security_recommendation: true, code_expiration_minutes: 90 },
      },
    };
    for (const one of [taken, code]) {
      const { status, body } = await ask("POST", "/templates", one);
      expect({ status, error: body.error }).toEqual({ status: 201, error: undefined });
    }
    expect(
      submitted()
        .slice(before)
        .map(({ body }) => body),
    ).toEqual([
      { name: "taken", language: "en_US", category: "UTILITY", library_template_name: "order_taken" },
      {
        ...{ name: "code", language: "en_US", category: "AUTHENTICATION", library_template_name: "sign_in_code" },
        library_template_button_inputs: [{ type: "OTP", otp_type: "COPY_CODE" }],
        library_template_body_inputs: { add_security_recommendation: true, code_expiration_minutes: 90 },
      },
    ]);
  });

  test.each(wrongOfLibrary)("that is wrong is stopped: %s at %s", async (rule, path, more) => {
    const before = submitted().length;
    const one = parcel(more);
    const check = await ask("POST", "/templates/check", one);
    expect(check.body.data.problems).toContainEqual({ path, rule, message: expect.stringMatching(/^[A-Z`a-z].*\.$/) });
    const { status, body: answer } = await ask("POST", "/templates", one);
    expect([status, Object.keys(answer.error.fields)]).toEqual([400, expect.arrayContaining([path])]);
    expect(submitted()).toHaveLength(before);
    expect(rows(world.app.store, "SELECT count(*) AS n FROM template_submissions WHERE state = 'open'")).toEqual([
      { n: 0 },
    ]);
  });

  test("at the limits is taken", async () => {
    for (const more of [link(address(2_000)), link("https://shop.example/{{1}}", "https://shop.example/1"), body({})]) {
      const { status, body: answer } = await ask("POST", "/templates", parcel(more));
      expect({ status, error: answer.error }).toEqual({ status: 201, error: undefined });
    }
  });

  test("is no correction of another, and no second one of its name", async () => {
    const one = parcel();
    expect((await ask("POST", "/templates", one)).status).toBe(201);
    const again = await ask("POST", "/templates", one);
    expect(Object.keys(again.body.error.fields)).toEqual(["name"]);
    const { name: _, language: __, ...correction } = one;
    const wrong = await ask("PUT", `/templates/${one.name}/en_US`, correction);
    expect([wrong.status, Object.keys(wrong.body.error.fields)]).toEqual([400, ["library"]]);
  });

  test("is refused by the network: 502, and a new try is possible", async () => {
    world.account.refuse = ({ method }) => (method === "POST" ? { code: 100, subcode: 2388040, details: "No" } : null);
    const one = parcel();
    const { status, body: answer } = await ask("POST", "/templates", one);
    world.account.refuse = null;
    expect([status, answer.error.code, answer.error.whatsapp_code]).toEqual([502, "whatsapp_error", "2388040"]);
    expect((await ask("POST", "/templates", one)).status).toBe(201);
  });
});

describe("a submission of a template of the library", () => {
  test("is made once under its key", async () => {
    const one = parcel();
    const key = { "Idempotency-Key": "library-once" };
    const before = submitted().length;
    const first = await ask("POST", "/templates", one, key);
    const again = await ask("POST", "/templates", one, key);
    expect([first.status, again.status, again.body]).toEqual([201, 201, first.body]);
    expect(submitted()).toHaveLength(before + 1);
  });

  test("whose answer is lost is found in the account's list", async () => {
    const before = submitted().length;
    world.account.loses.answers = 1;
    const { status, body } = await ask("POST", "/templates", parcel());
    expect([status, body.data?.status]).toEqual([201, "APPROVED"]);
    expect(submitted()).toHaveLength(before + 1);
  });

  test("of which nothing is known is looked for, and only then made again", async () => {
    const one = parcel();
    const before = submitted().length;
    world.account.loses.answers = 1;
    world.account.refuse = ({ method, path }) =>
      method === "GET" && path.includes("/message_templates") ? { code: 2, status: 503 } : null;
    const first = await ask("POST", "/templates", one);
    expect([first.status, first.body.error.outcome]).toEqual([503, "unknown"]);
    await world.clock.advance(MINUTE);
    expect((await ask("POST", "/templates", one)).status).toBe(503);
    world.account.refuse = null;
    // Another input is another request: the first is found, and its name is taken.
    const other = { ...one, library: { name: "order_taken" } };
    expect((await ask("POST", "/templates", other)).body.error.fields.name).toEqual([expect.any(String)]);
    expect(submitted()).toHaveLength(before + 1);

    const two = parcel();
    world.account.loses.requests = 1;
    expect((await ask("POST", "/templates", two)).status).toBe(503);
    await world.clock.advance(MINUTE);
    expect((await ask("POST", "/templates", two)).status).toBe(201);
    expect(submitted()).toHaveLength(before + 2);
  });
});

describe("the simulator", () => {
  let app: TestServer;
  beforeAll(async () => {
    app = await startTestServer();
  });
  afterAll(() => app[Symbol.asyncDispose]());

  test("has a library of the same form, and approves what is made of it", async () => {
    const { key } = await app.workspace();
    const send = (method: string, path: string, body?: object) =>
      app.send(method, `/api/v1${path}`, { key, ...(body && { body }) });
    const { body } = await send("GET", "/templates/library");
    expect(body.data.length).toBeGreaterThanOrEqual(6);
    const inputs = {
      URL: BUTTONS[0],
      PHONE_NUMBER: BUTTONS[1],
      QUICK_REPLY: BUTTONS[2],
      OTP: { type: "OTP", otp_type: "COPY_CODE" },
    };
    for (const { name, category, language, buttons } of body.data) {
      const library = {
        name,
        buttons: buttons.map(({ type }: { type: keyof typeof inputs }) => inputs[type]),
      };
      const answer = await send("POST", "/templates", { name: `my_${name}`, category, language, library });
      expect([name, answer.status, answer.body.data?.status]).toEqual([name, 201, "APPROVED"]);
    }
    const found = await send("GET", "/templates/library?search=appointment");
    expect(found.body.data.map((one: { name: string }) => one.name)).toEqual(["visit_tomorrow"]);
  });
});
