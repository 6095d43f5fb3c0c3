/** What the commands print. Scripts rely on the fields of the JSON output, and every refusal states its reason. */

import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { CallingWorkshop, SHOP } from "./spawn.ts";

let workshop: CallingWorkshop;
beforeAll(async () => {
  workshop = new CallingWorkshop();
  await workshop.json(["workspace", "create", ...SHOP]);
});
afterAll(() => workshop[Symbol.dispose]());

const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+05:30$/);

/** A workspace per test: the tests can run in any order. */
async function newWorkspace(...more: string[]): Promise<string> {
  return String((await workshop.json<{ id: number }>(["workspace", "create", ...SHOP, ...more])).id);
}

describe("workspace", () => {
  test("workspace create stores every option, price and opening balance in one transaction", async () => {
    const charged = ["--currency", "USD", "--rate", "0.0085", "--balance", "100", "--daily-cap", "250"];
    const words = ["--stop-words", "Halt, basta!", "--start-words", "again"];
    expect(await workshop.json(["workspace", "create", ...SHOP, ...charged, ...words])).toMatchObject({
      id: expect.any(Number),
      name: "Shop",
      country: "IN",
      timezone: "Asia/Kolkata",
      api_enabled: true,
      suspended: false,
      suspended_reason: null,
      suspended_at: null,
      daily_cap: 250,
      stop_words: ["Halt", "basta!"],
      start_words: ["again"],
      billing: {
        currency: "USD",
        rate: "0.0085",
        available: "100.00",
        held: "0.00",
        charged: "0.00",
        credited: "100.00",
      },
      created_at: TIME,
      updated_at: TIME,
    });
  });

  test("workspace create --no-api turns the API off, and without a price nothing is charged", async () => {
    const made = await workshop.json(["workspace", "create", ...SHOP, "--no-api"]);
    expect(made).toMatchObject({ api_enabled: false, billing: null, daily_cap: null });
  });

  test.each<[string, string[], string]>([
    ["a rate without a currency", ["--rate", "1"], "--currency and --rate"],
    ["a balance without a price", ["--balance", "1"], "--currency and --rate"],
    ["a rate that is no amount", ["--currency", "USD", "--rate", "1e-3"], "--rate is"],
    ["a cap that is no number", ["--daily-cap", "many"], "--daily-cap is"],
  ])("workspace create: %s is a usage error", async (_, more, words) => {
    const ran = await workshop.run(["workspace", "create", ...SHOP, ...more]);
    expect(ran.code).toBe(2);
    expect(ran.stderr).toContain(words);
  });

  test("workspace create reports every invalid option, as JSON and as text", async () => {
    const args = ["workspace", "create", "--name", "X", "--country", "ZZ", "--timezone", "Mars"];
    const [error, words] = await Promise.all([workshop.refusal(args), workshop.run(args)]);
    expect(error).toEqual({
      code: "invalid_request",
      message: expect.any(String),
      fields: { country: [expect.any(String)], timezone: [expect.any(String)] },
    });
    expect(words).toMatchObject({ code: 1, stdout: "" });
    expect(words.stderr).toContain("\n  --timezone: ");
  });

  test("workspace update, enable-api, disable-api, suspend, resume and list show the workspace after the change", async () => {
    const id = await newWorkspace("--daily-cap", "5");
    const run = (...args: string[]) => workshop.json(["workspace", ...args]);
    expect(await run("update", id, "--name", "New", "--daily-cap", "none")).toMatchObject({
      name: "New",
      daily_cap: null,
    });
    expect(await run("disable-api", id)).toMatchObject({ api_enabled: false });
    expect(await run("enable-api", id)).toMatchObject({ api_enabled: true });
    const suspended = { suspended: true, suspended_reason: "unpaid", suspended_at: TIME };
    expect(await run("suspend", id, "--reason", "unpaid")).toMatchObject(suspended);
    expect(await run("show", id)).toMatchObject({ name: "New", ...suspended });
    expect(await run("resume", id)).toMatchObject({ suspended: false, suspended_reason: null });
    expect(await workshop.json<{ id: number }[]>(["workspace", "list"])).toContainEqual(
      expect.objectContaining({ id: Number(id), name: "New" }),
    );
  });

  test("workspace update needs currency and rate together the first time; later either one alone changes the price", async () => {
    const id = await newWorkspace();
    expect((await workshop.run(["workspace", "update", id, "--rate", "0.5"])).code).toBe(2);
    const priced = await workshop.json(["workspace", "update", id, "--rate", "0.5", "--currency", "EUR"]);
    expect(priced).toMatchObject({ billing: { currency: "EUR", rate: "0.50", available: "0.00" } });
    const repriced = await workshop.json(["workspace", "update", id, "--rate", "0.25"]);
    expect(repriced).toMatchObject({ billing: { currency: "EUR", rate: "0.25" } });
    expect((await workshop.run(["workspace", "update", id])).code).toBe(2);
  });

  test("workspace credit books a reference once, a negative amount debits, and an invalid amount is a usage error", async () => {
    const id = await newWorkspace("--currency", "USD", "--rate", "1");
    const pay = (...args: string[]) => workshop.json(["workspace", "credit", id, ...args]);
    expect(await pay("20.50", "--ref", "inv-1", "--note", "first")).toMatchObject({ billing: { available: "20.50" } });
    expect(await pay("20.50", "--ref", "inv-1")).toMatchObject({ billing: { available: "20.50" } });
    expect(await pay("-0.50")).toMatchObject({ billing: { available: "20.00" } });
    const refused = await Promise.all(
      ["1,5", "0", "1e3"].map((text) => workshop.run(["workspace", "credit", id, text])),
    );
    expect(refused.map(({ code }) => code)).toEqual([2, 2, 2]);
    expect(await workshop.refusal(["workspace", "credit", await newWorkspace(), "1"])).toMatchObject({
      code: "invalid_request",
    });
  });

  test("an unknown workspace id is not_found, with the command that lists the workspaces", async () => {
    expect(await workshop.refusal(["workspace", "show", "999"])).toEqual({
      code: "not_found",
      message: "There is no such workspace.",
      next: "waxwing workspace list shows the existing ones",
    });
    expect((await workshop.run(["workspace", "show", "999"])).stderr).toContain("next: waxwing workspace list");
  });
});

test("key create prints the whole key once, key list shows only its prefix, and a revoked key stays revoked", async () => {
  const workspace = await newWorkspace();
  const made = await workshop.json(["key", "create", "--workspace", workspace, "--name", "till"]);
  expect(made).toEqual({
    id: expect.any(Number),
    key: expect.stringMatching(/^wx_[0-9A-Za-z]{43}$/),
    prefix: String(made.key).slice(0, 9),
    name: "till",
    workspace_id: Number(workspace),
    scopes: ["read", "send", "broadcast", "contacts", "templates", "draft"],
    is_of_first_version: false,
    expires_at: null,
    daily_people: null,
    daily_money: null,
    group_id: null,
    is_automation: false,
    is_ai: false,
    created_at: TIME,
    last_used_at: null,
    revoked_at: null,
  });
  const { key, ...listed } = made;
  expect(await workshop.json(["key", "list", "--workspace", workspace])).toEqual([listed] as never);
  const revoked = await workshop.json(["key", "revoke", String(made.id)]);
  expect(revoked).toEqual({ ...listed, revoked_at: TIME, webhooks: [] });
  expect(await workshop.json(["key", "revoke", String(made.id)])).toEqual(revoked);
  const words = await workshop.run(["key", "list"]);
  expect(words.stdout).not.toContain(String(key));
  expect(words.stdout).toMatch(/^ID +WORKSPACE +NAME/);
});

test("key create limits a key by scopes, an expiry and people a day; what is wrong is named together, and nothing is stored", async () => {
  const workspace = await newWorkspace();
  const create = ["key", "create", "--workspace", workspace];
  const limits = ["--scopes", "send, read,send", "--expires", "90d", "--daily-people", "250"];
  const made = await workshop.json([...create, ...limits]);
  expect([made.scopes, made.daily_people]).toEqual([["read", "send"], 250]);
  const lastsMs = Date.parse(String(made.expires_at)) - Date.parse(String(made.created_at));
  expect(lastsMs).toBe(90 * 24 * 3_600_000);
  const text = (await workshop.run([...create, "--scopes", "read", "--expires", "2099-01-31"])).stdout;
  expect(text).toMatch(/scopes +read\nexpires +2099-01-31T00:00:00\+05:30/);
  expect((await workshop.run([...create, "--group", "999"])).stderr).toContain("has no group 999");
  expect((await workshop.run([...create, "--money", "5"])).stderr).toContain("has no rate");
  const words = await workshop.run(["key", "list", "--workspace", workspace]);
  expect(words.stdout).toMatch(/ read,send +250 +- +- +- +never /);
  const marked = await workshop.json([...create, "--automation", "--ai"]);
  expect([marked.is_automation, marked.is_ai, made.is_automation, made.is_ai]).toEqual([true, true, false, false]);
  expect((await workshop.run(["key", "list", "--workspace", workspace])).stdout).toMatch(
    / an automation, an AI +never /,
  );

  const wrong = await workshop.refusal([
    ...create,
    ...["--scopes", "read,sned", "--expires", "soon", "--daily-people", "99999999"],
  ]);
  expect(wrong.code).toBe("invalid_request");
  for (const word of ['"sned" is not a scope', "Did you mean send?", "Give a duration such as 90d", "10000000"]) {
    expect(JSON.stringify(wrong).replaceAll("\\", "")).toContain(word);
  }
  for (const [option, value, sentence] of [
    ["--expires", "2020-01-31", "This time has passed."],
    ["--expires", "101 years", "Give a duration"],
    ["--scopes", ",", "Name at least one of read, send"],
  ] as const) {
    expect(JSON.stringify(await workshop.refusal([...create, option, value]))).toContain(sentence);
  }
  expect(await workshop.json<unknown[]>(["key", "list", "--workspace", workspace])).toHaveLength(3);
});

test("user create invites an agent for some numbers, by phone or id; a member cannot be limited to numbers", async () => {
  const workspace = await newWorkspace();
  const add = [
    "number",
    "add",
    "--workspace",
    workspace,
    "--network",
    "simulator",
    "--phone",
    "09876500001",
    "--name",
    "A",
  ];
  const { id } = await workshop.json(add);
  const create = [
    "user",
    "create",
    "--workspace",
    workspace,
    "--email",
    "agent@example.com",
    "--numbers",
    "+91 98765 00001",
  ];
  await workshop.json([...create, "--role", "agent"]);
  const [user] = await workshop.json<{ invitations: unknown }[]>(["user", "list"]);
  expect(user?.invitations).toEqual([{ id: Number(workspace), role: "agent", numbers: [id] }]);
  expect((await workshop.run(["user", "list"])).stdout).toContain(`invited as agent of ${workspace} (numbers ${id})`);
  expect(JSON.stringify(await workshop.refusal([...create, "--role", "member"]))).toContain(
    "Only agents can be limited",
  );
});

describe("number", () => {
  test("a simulated number is ready when added and can be made unready, ready or removed; only number show prints its token", async () => {
    const workspace = await newWorkspace();
    const made = await workshop.json([
      ...["number", "add", "--workspace", workspace, "--network", "simulator"],
      ...["--phone", "098765 43210", "--name", "Shop", "--throughput", "7"],
    ]);
    expect(made).toMatchObject({
      phone: "+919876543210",
      name: "Shop",
      network: "simulator",
      ready: true,
      throughput: 7,
    });
    const id = String(made.id);
    const shown = await workshop.json(["number", "show", id]);
    expect(shown).toEqual(made);
    expect(await workshop.json(["number", "list", "--workspace", workspace])).toEqual([made] as never);
    expect(await workshop.json(["number", "unready", id, "--reason", "moving"])).toMatchObject({
      ready: false,
      unready_reason: "moving",
    });
    expect(await workshop.json(["number", "ready", id])).toMatchObject({ ready: true, unready_reason: null });
    await workshop.json(["number", "remove", id]);
    expect(await workshop.refusal(["number", "show", id])).toMatchObject({ code: "not_found" });
    expect(await workshop.json(["number", "list", "--workspace", workspace])).toEqual([] as never);
  });

  test("number add reads token and secret from stdin or a file, stores them encrypted and never prints them", async () => {
    const workspace = await newWorkspace();
    const secret = workshop.write("app-secret", "s3cr3t-of-the-app\n");
    const route = ["--network", "whatsapp", "--phone-number-id", "106540352242922", "--account-id", "102290129340398"];
    const files = ["--token-file", "-", "--app-secret-file", secret];
    const args = [
      "number",
      "add",
      "--workspace",
      workspace,
      "--phone",
      "+911244001100",
      "--name",
      "Shop",
      ...route,
      ...files,
    ];
    const made = await workshop.spawn([...args, "--json"], { stdin: "EAAtoken\n" });
    const number = JSON.parse(made.stdout) as Record<string, unknown>;
    expect(number).toMatchObject({ ready: false, has_app_secret: true, phone_number_id: "106540352242922" });
    const shown = await workshop.run(["number", "show", String(number.id)]);
    for (const text of [made.stdout, made.stderr, shown.stdout]) expect(text).not.toMatch(/EAAtoken|s3cr3t/);
    expect(shown.stdout).toContain("/networks/whatsapp");
    using database = new Database(workshop.path("data/waxwing.db"), { readonly: true });
    const row = database.query("SELECT access_token, app_secret FROM numbers WHERE id = ?").get(Number(number.id));
    expect(row).toEqual({ access_token: expect.stringMatching(/^v1\./), app_secret: expect.stringMatching(/^v1\./) });
  });

  test.each<[string, string[], string]>([
    ["a WhatsApp number without its ids", ["--network", "whatsapp"], "--phone-number-id, --account-id, --token-file"],
    ["a simulator number with a token", ["--network", "simulator", "--token-file", "-"], "only for --network whatsapp"],
    ["an unknown network", ["--network", "telegram"], "one of simulator, whatsapp"],
  ])("number add: %s is a usage error", async (_, more, words) => {
    const ran = await workshop.run([
      "number",
      "add",
      "--workspace",
      "1",
      "--phone",
      "+911244001100",
      "--name",
      "S",
      ...more,
    ]);
    expect(ran.code).toBe(2);
    expect(ran.stderr).toContain(words);
  });

  test("a token file that is missing, empty or holds more than a token is refused before anything is stored", async () => {
    const workspace = await newWorkspace();
    const route = ["--network", "whatsapp", "--phone-number-id", "1065403522", "--account-id", "1022901293"];
    const args = ["number", "add", "--workspace", workspace, "--phone", "+911244001100", "--name", "S", ...route];
    const files = [workshop.path("none"), workshop.write("empty", "\n"), workshop.write("two", "a token\n")];
    const errors = await Promise.all(files.map((file) => workshop.refusal([...args, "--token-file", file])));
    expect(errors.map(({ code }) => code)).toEqual(Array(3).fill("unreadable_file"));
    expect(await workshop.json(["number", "list", "--workspace", workspace])).toEqual([] as never);
  });
});

describe("template", () => {
  const photo = {
    name: "menu",
    language: "en",
    category: "MARKETING",
    components: [
      { type: "HEADER", format: "IMAGE" },
      { type: "BODY", text: "Our menu, {{1}}" },
    ],
  };
  const plain = { name: "order", language: "en", category: "UTILITY", components: [{ type: "BODY", text: "Done." }] };

  test("template add reads a file or stdin; template decide, sample and list --status work on the result", async () => {
    const workspace = ["--workspace", await newWorkspace()];
    const file = workshop.write("menu.json", JSON.stringify(photo));
    const added = await workshop.json(["template", "add", ...workspace, "--file", file]);
    expect(added).toMatchObject({
      ...{
        name: "menu",
        language: "en",
        category: "MARKETING",
        status: "APPROVED",
        sendable: true,
        text: "Our menu, {{1}}",
      },
      ...{ variables: { header: 0, body: 1 }, media: { type: "image", default: false }, sample_link: null },
    });
    const pending = ["template", "add", ...workspace, "--file", "-", "--status", "PENDING"];
    expect(await workshop.json(pending, { stdin: JSON.stringify(plain) })).toMatchObject({ status: "PENDING" });
    const named = [...workspace, "--language", "en"];
    const link = "https://example.com/menu.jpg";
    expect(await workshop.json(["template", "sample", "menu", ...named, "--link", link])).toMatchObject({
      media: { type: "image", default: true },
      sample_link: link,
    });
    const decided = await workshop.json([
      "template",
      "decide",
      "order",
      ...named,
      "--status",
      "rejected",
      "--reason",
      "no",
    ]);
    expect(decided).toMatchObject({ status: "REJECTED", sendable: false });
    const names = async (...more: string[]) =>
      (await workshop.json<{ name: string }[]>(["template", "list", ...workspace, ...more])).map(({ name }) => name);
    expect(await names()).toEqual(["menu", "order"]);
    expect(await names("--status", "REJECTED")).toEqual(["order"]);
  });

  test("template add and sample name the place of each mistake, and an unknown template is not_found", async () => {
    const workspace = ["--workspace", await newWorkspace()];
    const add = (stdin: string) => workshop.refusal(["template", "add", ...workspace, "--file", "-"], { stdin });
    expect(await add("{")).toMatchObject({ code: "unreadable_file" });
    expect(await add('{"components":[{}]}')).toMatchObject({
      code: "invalid_request",
      fields: { name: [expect.any(String)], "components.0.type": [expect.any(String)] },
    });
    await workshop.json(["template", "add", ...workspace, "--file", "-"], { stdin: JSON.stringify(plain) });
    const sample = (...more: string[]) =>
      workshop.refusal(["template", "sample", ...workspace, "--language", "en", ...more]);
    const refused = { code: "invalid_request", fields: { link: [expect.any(String)] } };
    expect(await sample("order", "--link", "https://example.com/a.jpg")).toMatchObject(refused);
    expect(await sample("order", "--link", "http://example.com/a.jpg")).toMatchObject(refused);
    expect(await sample("other", "--link", "https://example.com/a.jpg")).toMatchObject({ code: "not_found" });
  });
});

test("version prints the versions of Waxwing, Bun and SQLite", async () => {
  const shown = await workshop.json(["version"]);
  expect(shown).toEqual({
    version: expect.stringMatching(/^\d+\.\d+\.\d+/),
    commit: null,
    bun: Bun.version,
    sqlite: expect.stringMatching(/^3\./),
  });
  expect((await workshop.run(["--version"])).stdout).toStartWith(`waxwing ${String(shown.version)}\n`);
});

test("openapi prints one JSON document, with and without --json", async () => {
  const [plain, json] = await Promise.all([workshop.run(["openapi"]), workshop.run(["openapi", "--json"])]);
  expect(json.stdout).toBe(plain.stdout);
  expect(typeof JSON.parse(plain.stdout)).toBe("object");
  expect(plain.stdout).toEndWith("}\n");
});

test("callback list, show and replay: what had no effect is listed with its reason, and a stored one is applied again", async () => {
  using shop = new CallingWorkshop();
  const workspace = String(
    (await shop.json(["workspace", "create", "--name", "Shop", "--country", "IN", "--timezone", "Asia/Kolkata"])).id,
  );
  expect(await shop.json(["callback", "list"])).toEqual([] as never);
  expect(workspace).toBe("1");
  using database = new Database(shop.path("data/waxwing.db"));
  database.run(
    "INSERT INTO callbacks (network, body, received_at, due_at, done_at, note, state) VALUES " +
      "('whatsapp', '{\"a\":1}', 1000, 1000, 1000, 'unreadable: x', 'unreadable'), ('whatsapp', '{}', 2000, 2000, 2000, NULL, NULL)",
  );
  database.run("INSERT INTO refusals (at, reason, number_id) VALUES (3000, 'wrong_signature', 0)");
  const unreadable = {
    id: 1,
    at: "1970-01-01T00:00:01.000Z",
    state: "unreadable",
    reason: "unreadable: x",
    number_id: null,
  };
  const refused = {
    id: "refused-1",
    at: "1970-01-01T00:00:03.000Z",
    state: "refused",
    reason: "wrong_signature",
    number_id: null,
  };
  expect(await shop.json(["callback", "list"])).toEqual([refused, unreadable] as never);
  expect(await shop.json(["callback", "list", "--state", "unreadable"])).toEqual([unreadable] as never);
  expect(await shop.json(["callback", "list", "--state", "quarantined"])).toEqual([] as never);
  expect(await shop.json(["callback", "show", "1"])).toEqual({ ...unreadable, body: '{"a":1}' });
  expect(await shop.json(["callback", "show", "refused-1"])).toEqual({ ...refused, body: null });
  expect(await shop.refusal(["callback", "show", "77"])).toMatchObject({ code: "not_found" });
  expect(await shop.refusal(["callback", "replay", "refused-1"])).toMatchObject({ code: "invalid_request" });
  expect(await shop.run(["callback", "replay"])).toMatchObject({ code: 2 });
  expect(await shop.json(["callback", "replay", "--state", "unreadable"])).toEqual({ replayed: 1 });
  expect(database.query("SELECT done_at, note, state FROM callbacks WHERE id = 1").get()).toEqual({
    done_at: null,
    // Until it was applied again.
    note: "unreadable: x",
    state: "unreadable",
  });
});
