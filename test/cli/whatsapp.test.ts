/** The commands that call WhatsApp (number, template and doctor), against the fake Cloud API. */
import { describe, expect, test } from "bun:test";
import { GRAPH_TOKEN, type Graph, type GraphOptions, startGraph } from "#test/support/graph.ts";
import {
  type GraphAccount,
  type GraphRow,
  graphAccount,
  graphNumber,
  graphTemplate,
} from "#test/support/graph-account.ts";
import { CallingWorkshop, SHOP } from "./spawn.ts";

interface Shop extends AsyncDisposable {
  workshop: CallingWorkshop;
  graph: Graph;
  account: GraphAccount;
  workspace: string;
  /** Adds the number and returns what the command printed. */
  add(): Promise<Record<string, unknown>>;
}

interface Recipe {
  account?: GraphAccount;
  graph?: GraphOptions;
  whatsapp?: string;
  server?: string;
}

async function openShop({
  account = graphAccount(),
  graph: options,
  whatsapp = "",
  server = "",
}: Recipe = {}): Promise<Shop> {
  const graph = await startGraph({ now: () => Date.now(), ...options, account });
  const workshop = new CallingWorkshop(
    `[whatsapp]\ngraph_url = "${graph.url}"\napp_secret = "s3cret"\nverify_token = "word"\n${whatsapp}\n[server]\n${server}\n`,
  );
  const { id } = await workshop.json<{ id: number }>(["workspace", "create", ...SHOP]);
  const workspace = String(id);
  workshop.write("token", `${GRAPH_TOKEN}\n`);
  return {
    workshop,
    graph,
    account,
    workspace,
    add: () =>
      workshop.json([
        ...["number", "add", "--workspace", workspace, "--phone", "+49 30 000000", "--name", "Shop"],
        ...["--network", "whatsapp", "--phone-number-id", "200000000000001", "--account-id", "100000000000001"],
        ...["--token-file", workshop.path("token")],
      ]),
    async [Symbol.asyncDispose]() {
      workshop[Symbol.dispose]();
      await graph[Symbol.asyncDispose]();
    },
  };
}

interface Finding {
  level: string;
  check: string;
  message: string;
  next: string | null;
}

async function findings({ workshop }: Shop, ...more: string[]): Promise<Finding[]> {
  const ran = await workshop.run(["doctor", ...more, "--json"]);
  const { ok, findings: found } = JSON.parse(ran.stdout) as { ok: boolean; findings: Finding[] };
  // Monitoring scripts rely on this: exit 1 and `ok: false` exactly when a finding is a problem.
  const hasProblem = found.some(({ level }) => level === "problem");
  expect({ code: ran.code, ok }).toEqual({ code: hasProblem ? 1 : 0, ok: !hasProblem });
  for (const { level, next } of found) expect(next === null).toBe(level === "ok");
  return found;
}

async function ofCheck(shop: Shop, check: string, ...more: string[]): Promise<Finding | undefined> {
  const found = (await findings(shop, ...more)).filter((one) => one.check === check);
  return found.find(({ level }) => level !== "ok") ?? found[0];
}

describe("number add", () => {
  test("number add queries number and templates at once: a correct setup is ready when the command exits", async () => {
    await using shop = await openShop({
      account: graphAccount({ templates: [graphTemplate("a"), graphTemplate("b")] }),
    });
    expect(await shop.add()).toMatchObject({
      ready: true,
      problems: [],
      network_state: { status: "CONNECTED", messaging_limit: "2000", quality: "GREEN" },
    });
    const templates = await shop.workshop.json<GraphRow[]>(["template", "list"]);
    expect(templates.map(({ name }) => name)).toEqual(["a", "b"]);
    const shown = await shop.workshop.run(["number", "show", "1"]);
    expect(shown.stdout).toContain("2000 different people in 24 hours");
    expect(shown.stdout).toContain("/networks/whatsapp");
  });

  test("number add keeps a number that cannot send yet, and says what is missing", async () => {
    const account = graphAccount({ numbers: [graphNumber("200000000000001", "+49 30 000000", { status: "PENDING" })] });
    await using shop = await openShop({ account });
    expect(await shop.add()).toMatchObject({ ready: false, unready_reason: expect.stringContaining("register it") });
    (account.numbers[0] as GraphRow).status = "CONNECTED";
    expect(await shop.workshop.json(["number", "sync", "1"])).toMatchObject({ ready: true, unready_reason: null });
  });

  test("number add with a wrong account id says so: the number could send, but its templates would never come", async () => {
    await using shop = await openShop({ account: graphAccount({ id: "100000000000099" }) });
    expect(await shop.add()).toMatchObject({
      ready: false,
      unready_reason: expect.stringContaining("no account with the id 100000000000001"),
      problems: expect.arrayContaining([expect.stringContaining("+4930000000")]),
    });
  });

  test("number add with a token that the network refuses exits 1, stores nothing, and does not print it", async () => {
    const account = graphAccount();
    await using shop = await openShop({ account });
    const args = [
      ...["number", "add", "--workspace", shop.workspace, "--phone", "+4930000000", "--name", "Shop"],
      ...["--network", "whatsapp", "--phone-number-id", "200000000000001", "--account-id", "100000000000001"],
      ...["--token-file", shop.workshop.path("token")],
    ];
    account.refuse = () => ({ code: 190, status: 401, subcode: 463 });
    const ran = await shop.workshop.run([...args, "--json"]);
    expect(ran.code).toBe(1);
    expect(ran.stdout + ran.stderr).not.toContain(GRAPH_TOKEN);
    expect(JSON.parse(ran.stdout).error).toMatchObject({
      code: "token_refused",
      message: expect.stringContaining("refuses the access token"),
    });
    expect(await shop.workshop.json<unknown[]>(["number", "list"])).toEqual([]);
    account.refuse = null;
    expect(await shop.workshop.json(args)).toMatchObject({ ready: true });
  });
});

test("one of Meta's test numbers, which are in no numbering plan, can be added with its country code", async () => {
  const account = graphAccount({ numbers: [graphNumber("200000000000001", "+1 555-025-3483")] });
  await using shop = await openShop({ account });
  const added = await shop.workshop.json([
    ...["number", "add", "--workspace", shop.workspace, "--phone", "+1 555-025-3483", "--name", "Test"],
    ...["--network", "whatsapp", "--phone-number-id", "200000000000001", "--account-id", "100000000000001"],
    ...["--token-file", shop.workshop.path("token")],
  ]);
  expect(added).toMatchObject({ phone: "+15550253483", ready: true });
});

describe("number connect", () => {
  /** Answers the challenge to who knows the verify token, as the running server does. */
  function startCallbacks() {
    return Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch(request) {
        const query = new URL(request.url).searchParams;
        const isRight = query.get("hub.verify_token") === "word";
        return new Response(isRight ? query.get("hub.challenge") : "", { status: isRight ? 200 : 403 });
      },
    });
  }

  test("number connect sets up callbacks and fields, subscribes the app, and registers the number with its PIN", async () => {
    using callbacks = startCallbacks();
    const account = graphAccount({
      numbers: [graphNumber("200000000000001", "+49 30 000000", { status: "PENDING" })],
      ...{ subscribedApps: [], webhook: null, reach: () => callbacks.url.href },
    });
    await using shop = await openShop({ account, server: 'public_url = "https://wa.example.com"' });
    await shop.add();
    shop.workshop.write("pin", "135791\n");
    const connected = await shop.workshop.json(["number", "connect", "1", "--pin-file", shop.workshop.path("pin")]);
    expect(connected).toMatchObject({ ready: true, problems: [] });
    expect(account.webhook).toMatchObject({ callbackUrl: "https://wa.example.com/networks/whatsapp" });
    expect([account.subscribedApps.length, account.pin]).toEqual([1, "135791"]);
    expect(JSON.stringify(connected)).not.toContain("135791");
  });

  test("number connect changes nothing that it was not asked to: another address stays, and says how it is replaced", async () => {
    using callbacks = startCallbacks();
    const webhook = { callbackUrl: "https://crm.example.com/hook", fields: ["messages"] };
    const account = graphAccount({ webhook, reach: () => callbacks.url.href });
    await using shop = await openShop({ account, server: 'public_url = "https://wa.example.com"' });
    await shop.add();
    expect(await shop.workshop.refusal(["number", "connect", "1"])).toMatchObject({
      code: "webhook_elsewhere",
      message: expect.stringContaining("crm.example.com"),
      next: "waxwing number connect 1 --replace-webhook replaces that address",
    });
    expect(account.webhook).toEqual(webhook);
    await shop.workshop.json(["number", "connect", "1", "--replace-webhook"]);
    expect(account.webhook?.callbackUrl).toBe("https://wa.example.com/networks/whatsapp");
  });

  test("number connect names what is wrong: no public address, a PIN that is none, a wrong PIN, a number in the app", async () => {
    using callbacks = startCallbacks();
    const account = graphAccount({ pin: "000000", reach: () => callbacks.url.href, webhook: null });
    await using local = await openShop({ account: graphAccount() });
    await local.add();
    expect(await local.workshop.refusal(["number", "connect", "1"])).toMatchObject({ code: "no_public_url" });
    await using shop = await openShop({ account, server: 'public_url = "https://wa.example.com"' });
    await shop.add();
    const connect = (pin: string) => {
      shop.workshop.write("pin", pin);
      return shop.workshop.refusal(["number", "connect", "1", "--pin-file", shop.workshop.path("pin")]);
    };
    expect(await connect("12345")).toMatchObject({ message: expect.stringContaining("six digits") });
    expect(await connect("135791")).toMatchObject({ message: expect.stringContaining("PIN of the number is wrong") });
    (account.numbers[0] as GraphRow).is_on_biz_app = true;
    expect(await connect("000000")).toMatchObject({ message: expect.stringContaining("sign the phone out") });
  });
});

describe("number update", () => {
  test("number update changes name, throughput and secrets, and only the given ones", async () => {
    await using shop = await openShop();
    await shop.add();
    shop.workshop.write("secret", "own\n");
    const changed = await shop.workshop.json([
      ...["number", "update", "1", "--name", "New name", "--throughput", "7"],
      ...["--app-secret-file", shop.workshop.path("secret")],
    ]);
    expect(changed).toMatchObject({ name: "New name", throughput: 7, has_app_secret: true, ready: true });
    expect(await shop.workshop.json(["number", "update", "1", "--no-app-secret"])).toMatchObject({
      name: "New name",
      has_app_secret: false,
    });
  });

  test.each([
    ["nothing to change", ["number", "update", "1"], 2],
    ["both ways with the secret", ["number", "update", "1", "--no-app-secret", "--app-secret-file", "x"], 2],
    ["a number that is not there", ["number", "update", "9", "--name", "x"], 1],
    ["an impossible pace", ["number", "update", "1", "--throughput", "1000000"], 1],
  ])("number update: %s is refused", async (_, args, code) => {
    await using shop = await openShop();
    await shop.add();
    expect((await shop.workshop.run(args)).code).toBe(code);
  });
});

test("a number accepts unsigned callbacks only while its operator allows them, and each address is shown once", async () => {
  await using shop = await openShop();
  await shop.add();
  const { workshop } = shop;
  expect(await workshop.refusal(["number", "rotate-callback", "1"])).toMatchObject({ code: "no_callback_address" });
  const paths: unknown[] = [];
  for (const change of [
    ["update", "1", "--unsigned-callbacks"],
    ["rotate-callback", "1"],
  ]) {
    const changed = await workshop.json(["number", ...change]);
    expect(changed).toMatchObject({ unsigned_callbacks: true, callback_header: "x-callback-secret" });
    expect(changed.callback_path).toMatch(/^\/networks\/whatsapp\/\w{26}$/);
    paths.push(changed.callback_path);
  }
  expect(paths[0]).not.toBe(paths[1]);
  expect(await workshop.refusal(["number", "update", "1", "--unsigned-callbacks"])).toMatchObject({
    code: "has_callback_address",
    next: expect.stringContaining("waxwing number rotate-callback 1"),
  });
  const shown = await workshop.json(["number", "show", "1"]);
  expect(shown).toMatchObject({ unsigned_callbacks: true, unsigned_callbacks_used_at: null });
  for (const path of paths) expect(JSON.stringify(shown)).not.toContain(String(path));
  expect(await workshop.json(["number", "update", "1", "--no-unsigned-callbacks"])).toMatchObject({
    unsigned_callbacks: false,
  });
});

test("template sync counts added, changed and retired templates", async () => {
  const account = graphAccount({ templates: [graphTemplate("a"), graphTemplate("b")] });
  await using shop = await openShop({ account });
  await shop.add();
  account.templates = [{ ...(account.templates[0] as GraphRow), category: "MARKETING" }, graphTemplate("c")];
  expect(await shop.workshop.json<object[]>(["template", "sync", "--workspace", shop.workspace])).toEqual([
    {
      workspace_id: 1,
      account_id: "100000000000001",
      templates: { total: 2, added: 1, changed: 1, retired: 1 },
      flagged: [],
    },
  ]);
});

describe("doctor", () => {
  test("doctor finds no problem in a correct setup except the callback address, which is not configured", async () => {
    await using shop = await openShop();
    await shop.add();
    const found = await findings(shop);
    const problems = found.filter(({ level }) => level === "problem");
    expect(problems.map(({ check }) => check)).toEqual(["callback"]);
    expect(
      found
        .filter(({ level }) => level === "ok")
        .map(({ check }) => check)
        .toSorted(),
    ).toEqual(["clock", "number", "subscription", "templates", "token"]);
  });

  test("doctor tells whether the callback address answers Meta's verification with the challenge", async () => {
    let answer = (query: URLSearchParams) => new Response(query.get("hub.challenge"));
    await using site = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: (request) => answer(new URL(request.url).searchParams),
    }) as Bun.Server<undefined> & AsyncDisposable;
    await using shop = await openShop({ server: `public_url = "http://127.0.0.1:${site.port}"` });
    await shop.add();
    const messages = async () =>
      (await findings(shop)).filter(({ check }) => check === "callback").map(({ message }) => message);
    expect((await messages()).join("\n")).toContain("answers as Meta expects");
    expect((await messages()).join("\n")).toContain("https addresses only");
    answer = () => new Response("<html>Welcome</html>", { status: 200 });
    expect((await messages()).join("\n")).toContain("HTTP 200 and not the challenge");
    await site.stop(true);
    expect((await messages()).join("\n")).toContain("cannot be reached");
  });

  const cases: [string, string, (account: GraphAccount) => void, string, string][] = [
    [
      "a token that is no good",
      "token",
      (account) => {
        account.refuse = () => ({ code: 190, status: 401, subcode: 463 });
      },
      "problem",
      "number update 1 --token-file",
    ],
    [
      "a token without a permission",
      "token",
      (account) => {
        account.token.scopes = ["whatsapp_business_messaging"];
      },
      "problem",
      "both WhatsApp permissions",
    ],
    [
      "a token that ends soon",
      "token",
      (account) => {
        account.token.expiresAt = Math.floor(Date.now() / 1000) + 86_400;
      },
      "warning",
      "system user",
    ],
    [
      "a token with unknown permissions",
      "token",
      (account) => {
        account.refuse = ({ path }) => (path.includes("debug_token") ? { code: 100 } : null);
      },
      "warning",
      "ready",
    ],
    [
      "an app that is not subscribed",
      "subscription",
      (account) => {
        account.subscribedApps = [{ id: "999", name: "Another app" }];
      },
      "problem",
      "doctor --subscribe",
    ],
    [
      "an account that has no payment method",
      "payment",
      (account) => {
        account.details = { primary_funding_id: "0" };
      },
      "problem",
      "payment method",
    ],
    [
      "a number that the token does not see",
      "number",
      (account) => {
        account.numbers = [];
      },
      "problem",
      "phone number id",
    ],
  ];

  test.each(cases)("doctor reports %s, with the next step", async (_, check, spoil, level, next) => {
    await using shop = await openShop();
    await shop.add();
    spoil(shop.account);
    // What the account says of itself is known from a sync.
    if (check === "payment") await shop.workshop.run(["number", "sync", "1"]);
    const found = await ofCheck(shop, check);
    expect(found).toMatchObject({ level, next: expect.stringContaining(next) });
    expect(JSON.stringify(found)).not.toContain(GRAPH_TOKEN);
  });

  test("doctor --subscribe subscribes the app", async () => {
    await using shop = await openShop({ account: graphAccount({ subscribedApps: [] }) });
    await shop.add();
    expect(await ofCheck(shop, "subscription", "--subscribe")).toMatchObject({ level: "ok" });
    expect(shop.account.subscribedApps).toHaveLength(1);
    expect(await ofCheck(shop, "subscription")).toMatchObject({ level: "ok" });
  });

  test("doctor reports a number that is not ready, a missing app secret and a clock that is an hour off", async () => {
    await using shop = await openShop({ graph: { now: () => Date.now() - 3_600_000 } });
    await shop.add();
    await shop.workshop.run(["number", "unready", "1", "--reason", "moving"]);
    shop.workshop.write("waxwing.toml", `[whatsapp]\ngraph_url = "${shop.graph.url}"\n`);
    expect(await ofCheck(shop, "clock")).toMatchObject({
      level: "problem",
      message: expect.stringMatching(/ 360\d seconds /),
    });
    expect(await ofCheck(shop, "app secret")).toMatchObject({ level: "problem" });
    expect(await ofCheck(shop, "number")).toMatchObject({
      level: "warning",
      next: expect.stringContaining("waxwing number ready 1"),
    });
  });

  test("doctor reports a token that cannot be decrypted with the configured key", async () => {
    await using shop = await openShop();
    await shop.add();
    const env = { WAXWING_SECRETS_KEY: Buffer.alloc(32, 7).toString("base64") };
    const ran = await shop.workshop.run(["doctor", "--json"], { env });
    expect(ran.code).toBe(1);
    const { findings: found } = JSON.parse(ran.stdout) as { findings: Finding[] };
    expect(found.find(({ check }) => check === "token")).toMatchObject({
      level: "problem",
      message: expect.stringContaining("+4930000000 cannot be read with the key"),
    });
  });

  test("doctor reports no problem for simulated numbers, and sends no request to WhatsApp", async () => {
    await using shop = await openShop();
    await shop.workshop.run([
      ...["number", "add", "--workspace", shop.workspace, "--phone", "+911244001100"],
      ...["--name", "S", "--network", "simulator"],
    ]);
    const ran = await shop.workshop.run(["doctor"]);
    expect(ran.code).toBe(0);
    expect(ran.stdout).toContain("number 1, number: +911244001100 is simulated and ready.");
    expect(ran.stdout).toEndWith("No problems found.\n");
    expect(shop.graph.questions).toEqual([]);
  });
});
