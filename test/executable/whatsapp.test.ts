/**
 * The executable on WhatsApp: a real process, alone in its directory, against the fake Cloud API over real sockets.
 * First the commands of docs/whatsapp.md as they are written there; then every fault that the network can cause; a kill
 * in the middle; callbacks that are not genuine; and a search for leaked secrets. The tests depend on each other and
 * run in order on one installation.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { type Change, type Fault, sign, writeCallback } from "#test/support/graph.ts";
import { graphNumber, graphTemplate } from "#test/support/graph-account.ts";
import { foundIn } from "#test/support/secret-forms.ts";
import { commandsIn } from "#test/support/shell-blocks.ts";
import { checkout } from "#test/support/source.ts";
import { isGenuine } from "#test/support/webhooks.ts";
import { textFrom } from "#test/support/whatsapp.ts";
import {
  ACCESS_TOKEN,
  ACCOUNT_ID,
  type Answer,
  APP_SECRET,
  makeWhatsappProcess,
  PHONE_NUMBER_ID,
  PICTURE,
  until,
  type WhatsappProcess,
} from "#test/support/whatsapp-process.ts";
import { DELIVERED, NEVER, RATE, Scenarios, SENT } from "#test/support/whatsapp-scenarios.ts";

/** Uses the current time, as the executable does: a fixed time would one day be outside the 24-hour window. */
function textNow(...[graph, from, body]: [...Parameters<typeof textFrom>]): ReturnType<typeof textFrom> {
  return textFrom(graph, from, body, { timestamp: String(Math.floor(Date.now() / 1_000)) });
}

const LIMIT_MS = 180_000;
const OWN_PHONE = "+4915112345678";
const OWN_SECRET = "own/secret+of%the=number?31";

const page = readFileSync(join(checkout, "docs/whatsapp.md"), "utf8");
/** The commands without `sudo`: these tests are not about permissions. */
const commands = commandsIn(page).map((words) => (words[0] === "sudo" ? words.slice(1) : words));

/** The page's first command that has all these words. */
function commandOf(...needed: string[]): string[] {
  const found = commands.find((words) => needed.every((word) => words.includes(word)));
  if (found === undefined) throw new Error(`docs/whatsapp.md has no command with ${needed.join(" ")}`);
  return found;
}

let shop: WhatsappProcess;
let scenarios: Scenarios;
let webhookSecret = "";

beforeAll(async () => {
  shop = await makeWhatsappProcess({
    numbers: [graphNumber(PHONE_NUMBER_ID, "+49 30 23125012")],
    templates: [HELLO_WORLD, OWN_TEMPLATE, SPRING_OFFER],
    subscribedApps: [],
  });
  scenarios = new Scenarios(shop, "greeting");
}, LIMIT_MS);

afterAll(() => shop[Symbol.asyncDispose]());

const HELLO_WORLD = graphTemplate("hello_world", {
  components: [
    { type: "HEADER", format: "TEXT", text: "Hello World" },
    { type: "BODY", text: "Welcome and congratulations!!" },
  ],
});
/** The name used in docs/whatsapp.md. */
const OWN_TEMPLATE = graphTemplate("order_confirmation", { components: [{ type: "BODY", text: "Thank you." }] });
const SPRING_OFFER = graphTemplate("spring_offer", {
  category: "MARKETING",
  components: [
    { type: "HEADER", format: "IMAGE", example: { header_handle: ["https://scontent.whatsapp.net/v/x.jpg"] } },
    { type: "BODY", text: "Look" },
  ],
});
const GREETING = graphTemplate("greeting", { components: [{ type: "BODY", text: "Hello {{1}}" }] });

describe("docs/whatsapp.md, command by command", () => {
  const used = new Set<string[]>();

  /** Returns the page's next command with these first words. Fails if the page has none. */
  function written(...beginning: string[]): string[] {
    const found = commands.find((words) => !used.has(words) && beginning.every((word, index) => words[index] === word));
    if (found === undefined) throw new Error(`docs/whatsapp.md has no command ${beginning.join(" ")}`);
    used.add(found);
    return found;
  }

  /** Runs the page's next `waxwing` command with these first words, as it is written there. */
  function run(...beginning: string[]) {
    const [, ...words] = written("waxwing", ...beginning);
    return shop.command(...words);
  }

  /** Sends the template with an image header without naming a file, and returns the header that WhatsApp got. */
  async function headerSent(): Promise<unknown> {
    const body = { to: OWN_PHONE, template: "spring_offer" };
    expect((await shop.call("POST", "/messages", { body })).status).toBe(201);
    const sent = shop.graph.requests.at(-1)?.body as { template: { components: [{ parameters: [unknown] }] } };
    return sent.template.components[0].parameters[0];
  }

  /** Returns doctor's findings that are not ok, and requires a next step for each. */
  async function findings(...more: string[]): Promise<{ level: string; check: string; next: string | null }[]> {
    const { code, out, err } = await shop.command("doctor", ...more, "--json");
    const report = JSON.parse(out) as {
      ok: boolean;
      findings: { level: string; check: string; message: string; next: string | null }[];
    };
    for (const { level, next } of report.findings) expect((next ?? "") === "").toBe(level === "ok");
    expect({ code, err }).toEqual({ code: report.ok ? 0 : 1, err: "" });
    return report.findings
      .filter(({ level }) => level !== "ok")
      .map(({ level, check, next }) => ({ level, check, next }));
  }

  test("after the documented setup the number is ready at once, and the token file can be deleted", async () => {
    // The account's admin has accepted the terms of the endpoint for marketing.
    shop.account.details.marketing_messages_onboarding_status = "ONBOARDED";
    shop.write("waxwing.toml", configuration(PATIENT));
    expect(written("umask").join(" ")).toBe("umask 077; cat > token");
    shop.write("token", `${ACCESS_TOKEN}\n`);
    expect(await run("workspace", "create")).toMatchObject({ code: 0, out: expect.stringMatching(/^id +1$/m) });
    const added = await run("number", "add");
    expect(added).toMatchObject({ code: 0, err: "", out: expect.stringMatching(/^ready +yes$/m) });
    expect(written("rm")).toEqual(["rm", "token"]);
    rmSync(join(shop.directory, "token"));
    expect(statSync(join(shop.directory, "waxwing.key")).mode & 0o777).toBe(0o600);
    expect(existsSync(join(shop.directory, "data/waxwing.key"))).toBe(false);
  });

  test("doctor lists what is still missing, each with its next step", async () => {
    expect(await findings()).toEqual([
      { level: "problem", check: "subscription", next: "run waxwing doctor --subscribe" },
      { level: "problem", check: "callback", next: expect.stringContaining("that the server runs") },
    ]);
  });

  test("the server is ready, and Meta's verification of the callback address succeeds only with the verify token", async () => {
    await shop.start();
    expect(page.replace(/\s+/g, " ")).toContain("`curl https://waxwing.example.com/readyz` says `ready`");
    expect(await shop.visit("/readyz")).toMatchObject({ status: 200, text: "ready\n" });
    const verify = (word: string) =>
      shop.visit(
        `/networks/whatsapp?${new URLSearchParams({ "hub.mode": "subscribe", "hub.verify_token": word, "hub.challenge": "1158201444" })}`,
      );
    expect(await verify("a-word-that-you-make-up")).toMatchObject({ status: 200, text: "1158201444" });
    expect(await verify("another-word")).toMatchObject({
      status: 403,
      text: expect.not.stringContaining("1158201444"),
    });
  });

  test("doctor --subscribe subscribes the app, and template sync finds the templates", async () => {
    expect(await run("doctor", "--subscribe")).toMatchObject({ code: 0 });
    expect(shop.account.subscribedApps).toHaveLength(1);
    shop.account.templates.push(GREETING);
    expect(await shop.json("template", "sync")).toMatchObject([{ templates: { total: 4, added: 1 } }]);
    expect(await run("template", "sync")).toMatchObject({ code: 0, err: "" });
    const { out } = await run("template", "list");
    for (const name of ["hello_world", "order_confirmation", "spring_offer", "greeting"]) expect(out).toContain(name);
  });

  test("the first message is delivered, and the recipient's answer opens the window for free text", async () => {
    const created = await run("key", "create");
    shop.key = /^key +(\S+)$/m.exec(created.out)?.[1] ?? "";
    const sent = await curl(written("curl", "https://waxwing.example.com/api/v1/messages"));
    expect([sent.status, sent.body.data?.status]).toEqual([201, "sent"]);
    expect(shop.graph.requests).toMatchObject([
      {
        path: expect.stringContaining(`/v25.0/${PHONE_NUMBER_ID}/messages?appsecret_proof=`),
        headers: { authorization: `Bearer ${ACCESS_TOKEN}` },
        body: {
          to: OWN_PHONE,
          type: "template",
          template: { name: "order_confirmation", language: { code: "en_US" } },
        },
      },
    ]);
    expect(await scenarios.postStatus(OWN_PHONE, "delivered")).toBe(200);
    await until("it is delivered", () => scenarios.messageOf(OWN_PHONE)?.status === "delivered");
    const shown = await shop.call("GET", `/messages/${sent.body.data.id}`);
    expect(shown.body.data).toMatchObject({ status: "delivered", to: OWN_PHONE });
    // The recipient's answer permits free text for a day.
    await shop.hear(textNow(shop.graph, OWN_PHONE, "Thanks!"));
    await until("the answer is there", () => shop.rows("SELECT id FROM inbounds").length === 1);
    const text = await shop.call("POST", "/messages", { body: { to: OWN_PHONE, text: "You are welcome." } });
    expect(text).toMatchObject({ status: 201, body: { data: { status: "sent", type: "text" } } });
  });

  test("doctor finds no problem after the documented setup", async () => {
    expect(await run("doctor")).toMatchObject({
      code: 0,
      out: expect.stringMatching(/No problems found\.\n$/),
    });
    expect(await findings()).toEqual([]);
  });

  test("a template's image is uploaded and sent by its id; if the upload fails, doctor says why and the link is sent", async () => {
    const sample = written("waxwing", "template", "sample").slice(1);
    expect(sample.pop()).toEndWith(`/${PICTURE}`);
    expect(await shop.command(...sample, `${shop.publicUrl}/files/nothing.jpg`)).toMatchObject({ code: 0, err: "" });
    await until("the upload has failed", () => shop.rows("SELECT link FROM sample_uploads").length === 1);
    await until(
      "the look has ended",
      () => shop.rows("SELECT error FROM account_syncs WHERE error <> ''").length === 1,
    );
    expect((await shop.command("doctor")).out).toContain(
      "nothing.jpg was not uploaded: its address answered HTTP 404.",
    );
    expect(await headerSent()).toEqual({ type: "image", image: { link: `${shop.publicUrl}/files/nothing.jpg` } });
    expect(await shop.command(...sample, `${shop.publicUrl}/files/${PICTURE}`)).toMatchObject({ code: 0, err: "" });
    await until("it is uploaded", () => shop.rows("SELECT link FROM sample_uploads WHERE media_id <> ''").length === 1);
    expect(shop.account.uploads).toMatchObject([{ phoneNumberId: PHONE_NUMBER_ID, size: 2_000, name: PICTURE }]);
    expect(await headerSent()).toEqual({ type: "image", image: { id: shop.account.uploads[0]?.id } });
    await until(
      "the look has ended",
      () => shop.rows("SELECT error FROM account_syncs WHERE error <> ''").length === 0,
    );
  });

  test("the page's remaining commands work: replacing token and secret, and making a number unready and ready", async () => {
    shop.write("FILE", `${ACCESS_TOKEN}\n`);
    expect(await run("number", "update", "1", "--token-file")).toMatchObject({ code: 0, err: "" });
    shop.write("FILE", `${OWN_SECRET}\n`);
    expect(await run("number", "update", "1", "--app-secret-file")).toMatchObject({ code: 0, err: "" });
    expect(await run("number", "update", "1", "--portfolio")).toMatchObject({ code: 0, err: "" });
    expect(await run("template", "order")).toMatchObject({ code: 0, err: "" });
    rmSync(join(shop.directory, "FILE"));
    const words = textNow(shop.graph, OWN_PHONE, "Still there?");
    // The number now has a secret of its own, so the configured secret no longer signs for it.
    await shop.hear(words);
    await shop.hear(words, { appSecret: OWN_SECRET });
    await until("the answer is there", () => shop.rows("SELECT id FROM inbounds").length === 2);
    expect(await shop.json("number", "update", "1", "--no-app-secret")).toMatchObject({ has_app_secret: false });
    expect(shop.rows("SELECT note FROM callbacks WHERE note IS NOT NULL")).toEqual([
      { note: "foreign: a received message for a number whose secret did not sign it" },
    ]);

    expect(await shop.json("number", "unready", "1", "--reason", "moving")).toMatchObject({ ready: false });
    expect((await scenarios.send(OWN_PHONE)).body.error.code).toBe("number_not_ready");
    expect(await shop.json("number", "sync", "1")).toMatchObject({ ready: false });
    expect(await shop.json("number", "ready", "1")).toMatchObject({ ready: true });
    expect((await shop.command("number", "show", "1")).out).not.toContain("unsigned");
    // The next test runs it on an installation of its own.
    expect(commands.filter((one) => !used.has(one))).toEqual([commandOf("--provider")]);
  });
});

test(
  "the command that docs/whatsapp.md gives for 360dialog works: header, paths, and an unsigned callback address shown once",
  async () => {
    await using other = await makeWhatsappProcess(
      { templates: [GREETING] },
      { authHeader: "D360-API-KEY", authPrefix: "", pathStyle: "bare" },
    );
    // Neither verify token nor app secret: 360dialog uses none.
    other.write("waxwing.toml", `[server]\npublic_url = "${other.publicUrl}"\n`);
    other.write("key", ACCESS_TOKEN);
    expect(await other.command(...commandOf("workspace", "create").slice(1))).toMatchObject({ code: 0 });
    const added = await other.command(...commandOf("--provider").slice(1), "--api-url", other.graph.url);
    expect([added.code, added.err]).toEqual([0, ""]);
    expect(added.out).toMatch(/^ready +yes$/m);
    const address = /^ +address +https:\/\/[^/]+\/networks\/whatsapp(\/\S+)$/m.exec(added.out)?.[1] ?? "";
    const secret = /^ +header +x-callback-secret: (\S+)$/m.exec(added.out)?.[1] ?? "";
    expect([address.length, secret.length]).toEqual([27, 26]);
    const created = await other.command(...commandOf("key", "create").slice(1));
    other.key = /^key +(\S+)$/m.exec(created.out)?.[1] ?? "";

    await other.start();
    const body = { to: OWN_PHONE, template: "greeting", variables: ["Anna"] };
    expect((await other.call("POST", "/messages", { body })).status).toBe(201);
    expect(other.graph.requests).toMatchObject([{ path: "/messages", headers: { "d360-api-key": ACCESS_TOKEN } }]);
    const [message] = other.accepted(OWN_PHONE);
    if (message === undefined) throw new Error("the message was not accepted");
    const url = other.callbackUrl() + address;
    const status = other.graph.status(message, "delivered");
    const headers = { "x-callback-secret": secret };
    expect(await other.hear(status, { signature: null, headers })).toBe(403);
    expect(await other.hear(status, { signature: null, url, headers: { "x-callback-secret": `${secret}x` } })).toBe(
      403,
    );
    expect(await other.hear(status, { signature: null, url, headers })).toBe(200);
    // Once the header has arrived, the address alone is not enough.
    expect(await other.hear(status, { signature: null, url })).toBe(403);
    await other.quiet();
    expect(other.rows("SELECT status FROM messages")).toEqual([{ status: "delivered" }]);

    const warned = "accepts callbacks that are not signed, with a secret header.";
    expect(await other.command("doctor")).toMatchObject({ code: 0, out: expect.stringContaining(warned) });
    const { out } = await other.command("number", "show", "1");
    expect(out).toMatch(/^unsigned callbacks +accepted; last 2/m);
    const text = [out, other.log(), readFileSync(join(other.directory, "data/waxwing.db"), "latin1")].join();
    for (const shownOnce of [address.slice(1), secret]) expect(text).not.toContain(shownOnce);
  },
  LIMIT_MS,
);

function templateReport(event: string, reason: string): Change {
  const template = { message_template_id: 1, message_template_name: "greeting", message_template_language: "en_US" };
  return { field: "message_template_status_update", value: { event, reason, ...template } };
}

describe("faults of the network", () => {
  test("the workspace gets a price and a webhook for the tests that follow", async () => {
    await shop.json("workspace", "update", "1", "--currency", "EUR", "--rate", "0.01");
    await shop.json("workspace", "credit", "1", "100.00");
    const set = await shop.json("webhook", "set", "--workspace", "1", "--url", shop.receiver.url);
    webhookSecret = String(set.secret);
    expect(scenarios.counters()).toEqual({ held: 0, charged: 0 });
  });

  test("one unreadable status among a thousand in a callback does not affect the others", async () => {
    const told = Array.from({ length: 10 }, () => scenarios.begin());
    for (const { to } of told) expect((await scenarios.send(to)).status).toBe(201);
    const ours = told.map(({ to }) => shop.graph.status(scenarios.acceptedOf(to), "delivered"));
    const items = ours.flatMap(({ value }) => (value as { statuses: object[] }).statuses);
    const foreign = Array.from({ length: 989 }, (_, index) => ({
      ...items[0],
      id: `wamid.foreign-${index}`,
      biz_opaque_callback_data: undefined,
    }));
    const statuses = [...foreign.slice(0, 500), { id: 7, status: null }, ...items, ...foreign.slice(500)];
    expect(statuses).toHaveLength(1_000);
    expect(await shop.hear({ field: "messages", value: { ...ours[0]?.value, statuses } })).toBe(200);
    await scenarios.untilApplied();
    expect(shop.rows<{ note: string }>("SELECT note FROM callbacks ORDER BY id DESC LIMIT 1")[0]?.note).toStartWith(
      "unreadable: ",
    );
    const [first] = told;
    await first?.ends({ ...DELIVERED, charged: 10 * RATE, requests: 1, others: told.slice(1).map(({ to }) => to) });
    for (const { to } of told) expect(scenarios.messageOf(to)).toMatchObject({ status: "delivered", money: "charged" });
  });

  const losses: [string, Fault, boolean][] = [
    ["accepted, and the answer is lost", { kind: "lost" }, true],
    ["read to its end, and the connection is reset", { kind: "reset" }, false],
    ["HTML on a 502", { kind: "answer", status: 502, body: "<html>Bad gateway</html>" }, false],
    ["HTML on a 500", { kind: "answer", status: 500, body: "<html>Sorry</html>" }, false],
  ];

  test.each(losses)(
    "%s: the outcome is unknown, the message is not sent again, and a later status corrects it",
    (_, fault, isAccepted) => loseAnswer(fault, isAccepted),
  );

  test("a status that arrives before the answer counts, and the request returns it", async () => {
    const scenario = scenarios.begin();
    const held = Promise.withResolvers<void>();
    shop.graph.fault({ to: scenario.to, fault: { kind: "delay", until: held.promise } });
    const sending = scenarios.send(scenario.to);
    await until("the network has it", () => shop.accepted(scenario.to).length === 1);
    await scenarios.postStatus(scenario.to, "delivered");
    await until("it is delivered", () => scenarios.messageOf(scenario.to)?.status === "delivered");
    held.resolve();
    const answered = await sending;
    expect([answered.status, answered.body.data?.status]).toEqual([201, "delivered"]);
    // The status overtook `sent`, which has its event all the same.
    await scenario.ends({ ...DELIVERED, requests: 1 });
  });

  test("statuses in reverse order never move a message backwards", async () => {
    const scenario = scenarios.begin();
    await scenarios.send(scenario.to);
    for (const name of ["read", "delivered", "sent"] as const) await scenarios.postStatus(scenario.to, name);
    await scenarios.untilApplied();
    await scenario.ends({ ...DELIVERED, status: "read", events: [...DELIVERED.events, "message.read"], requests: 1 });
  });

  test("a repeated status counts once, even if it arrives twenty times at once", async () => {
    const scenario = scenarios.begin();
    await scenarios.send(scenario.to);
    for (const name of ["sent", "sent", "delivered", "delivered"] as const)
      await scenarios.postStatus(scenario.to, name);
    const answers = await Promise.all(Array.from({ length: 20 }, () => scenarios.postStatus(scenario.to, "read")));
    expect(answers).toEqual(Array(20).fill(200));
    await scenarios.untilApplied();
    await scenario.ends({ ...DELIVERED, status: "read", events: [...DELIVERED.events, "message.read"], requests: 1 });
  });

  test("a message held for a quality check and then dropped fails, and its hold is released", async () => {
    const scenario = scenarios.begin();
    const fault = { kind: "message_status", messageStatus: "held_for_quality_assessment" } as const;
    shop.graph.fault({ to: scenario.to, fault });
    expect((await scenarios.send(scenario.to)).status).toBe(201);
    await scenario.ends({ ...SENT, requests: 1 });
    await scenarios.postStatus(scenario.to, "failed", { errors: [{ code: 132015, title: "Template is paused" }] });
    await scenarios.untilApplied();
    const refused = await scenarios.send(scenarios.nextPerson());
    expect(refused.body.error.code).toBe("template_not_sendable");
    // WhatsApp reports it as approved again; its time is in whole seconds, and an older report does not count.
    await Bun.sleep(1_100);
    expect(await shop.hear([templateReport("APPROVED", "NONE")])).toBe(200);
    await scenarios.untilApplied();
    await scenario.ends({
      ...{ status: "failed", code: "132015", money: "released" },
      ...{ held: 0, charged: 0, events: ["message.sent", "message.failed"], requests: 0 },
    });
  });

  test.each([
    ["the other one of its country", "+541123456789", "5491123456789"],
    ["one that cannot be guessed", "+4915120999999", "4915500000001"],
  ])(
    "a recipient accepted under another wa_id, %s: statuses and answers belong to the original recipient",
    async (_, to, waId) => {
      const scenario = scenarios.begin(to);
      shop.graph.fault({ to, fault: { kind: "other_wa_id", waId } });
      expect((await scenarios.send(to)).status).toBe(201);
      await scenarios.postStatus(to, "delivered");
      const contacts = () => shop.rows("SELECT id FROM contacts").length;
      const count = contacts();
      await shop.hear(textNow(shop.graph, `+${waId}`, "Hola"));
      await scenario.ends({ ...DELIVERED, events: [...DELIVERED.events, "message.received"], requests: 1 });
      // The one new contact is the recipient of the next message.
      expect(contacts()).toBe(count + 1);
    },
  );

  test.each([
    [400, 130429],
    [403, 130429],
    [429, 4],
  ])("a throttle with HTTP %d and code %d is retried within the request", async (status, code) => {
    const scenario = scenarios.begin();
    shop.graph.fault({ to: scenario.to, fault: { kind: "error", status, code } });
    const sent = await scenarios.send(scenario.to);
    expect([sent.status, sent.body.data?.status]).toEqual([201, "sent"]);
    // Both attempts are for the same message: they carry the same send token.
    const attempts = scenarios.requestsFrom(0).filter(({ to }) => to === scenario.to);
    const reference = scenarios.messageOf(scenario.to)?.send_token ?? "";
    expect(attempts).toEqual(Array(2).fill({ to: scenario.to, reference }));
    await scenario.ends({ ...SENT, requests: 2 });
  });

  test("a throttle beyond the retry budget is answered 429, stores nothing and frees the idempotency key", async () => {
    const scenario = scenarios.begin();
    const fault = { kind: "error", status: 429, code: 130429, headers: { "retry-after": "120" } } as const;
    shop.graph.fault({ to: scenario.to, fault });
    expectTooBusy(await scenarios.send(scenario.to), "120");
    await scenario.ends({ ...NEVER, requests: 1 });
    const later = await scenarios.send(scenario.to);
    expect([later.status, later.headers.get("idempotent-replayed")]).toEqual([201, null]);
    await scenario.ends({ ...SENT, requests: 1 });
  });
});

describe("a server killed between sending and the answer", () => {
  const IN_DOUBT = { status: "sending", error_code: null, money: "held" };
  let silent = "";

  test("messages in flight at a kill are in doubt and never sent again; a status or a repeated request ends the doubt", async () => {
    const told = scenarios.begin();
    const [asked, nobody] = [scenarios.nextPerson(), scenarios.nextPerson()];
    const all = [told.to, asked, nobody];
    const never = new Promise<void>(() => {});
    for (const to of all) shop.graph.fault({ to, fault: { kind: "delay", until: never } });
    const cutOff = all.map((to) => scenarios.send(to).catch((error: unknown) => error));
    await until("the network has all", () => all.every((to) => shop.accepted(to).length === 1));
    await shop.kill();
    for (const error of await Promise.all(cutOff)) expect(error).toBeInstanceOf(Error);
    for (const to of all) expect(scenarios.messageOf(to)).toMatchObject(IN_DOUBT);

    shop.write("waxwing.toml", configuration(IMPATIENT));
    await shop.start();
    for (const to of all) expect(scenarios.messageOf(to)).toMatchObject(IN_DOUBT);
    const id = scenarios.messageOf(told.to)?.id;
    expect((await shop.call("GET", `/messages/${id}`)).status).toBe(404);
    expect(await scenarios.postStatus(told.to, "delivered")).toBe(200);
    // The other two are still in doubt, and their holds remain.
    const others = [asked, nobody];
    await told.ends({ ...DELIVERED, held: 2 * RATE, requests: 1, others });
    const again = await scenarios.send(told.to);
    expect([again.status, again.body.data?.id, again.body.data?.status]).toEqual([201, id, "delivered"]);

    // The caller repeats the request: no second message is sent, and the request ends.
    const before = scenarios.counters();
    const interrupted = await scenarios.send(asked);
    expect([interrupted.status, interrupted.body.error?.whatsapp_code]).toEqual([502, "interrupted"]);
    expect(scenarios.messageOf(asked)).toMatchObject({
      status: "failed",
      error_code: "interrupted",
      money: "released",
    });
    expect(scenarios.messageOf(nobody)).toMatchObject(IN_DOUBT);
    expect(scenarios.counters()).toEqual({ held: before.held - RATE, charged: before.charged });
    await scenarios.untilHeard(asked, 1);
    // A late status proves that the message arrived after all.
    expect(await scenarios.postStatus(asked, "delivered")).toBe(200);
    await scenarios.untilHeard(asked, 3);
    expect(scenarios.counters().charged).toBe(before.charged + RATE);
    scenarios.expectAtTheEnd(asked, ["message.failed", "message.sent", "message.delivered"], 1);
    silent = nobody;
  });

  test("an answer that comes after the timeout counts as lost", async () => {
    const gate = Promise.withResolvers<void>();
    await loseAnswer({ kind: "delay", until: gate.promise }, true);
    gate.resolve();
  });

  test("a throttle until the end of the retry budget is answered 429 and stores nothing", async () => {
    const scenario = scenarios.begin();
    shop.graph.fault({ to: scenario.to, fault: { kind: "error", status: 403, code: 130429 }, times: 1_000 });
    const seen = shop.graph.requests.length;
    expectTooBusy(await scenarios.send(scenario.to), "1");
    await scenario.ends({ ...NEVER, requests: shop.graph.requests.length - seen });
  });

  test("a message in doubt fails after in_doubt_after if no status and no repeated request comes", async () => {
    expect(scenarios.messageOf(silent)).toMatchObject(IN_DOUBT);
    await shop.kill();
    shop.write("waxwing.toml", configuration(FORGETFUL));
    await shop.start();
    await until("it has failed", () => scenarios.messageOf(silent)?.status === "failed");
    expect(scenarios.messageOf(silent)).toMatchObject({ error_code: "interrupted", money: "released" });
    await scenarios.untilHeard(silent, 1);
    scenarios.expectAtTheEnd(silent, ["message.failed"], 1);
    const { held } = scenarios.counters();
    expect(held).toBe(RATE * shop.rows("SELECT id FROM messages WHERE money = 'held'").length);
  });
});

describe("callbacks that are not genuine", () => {
  test("forged, unsigned, truncated and changed callbacks are refused and change no row", async () => {
    const scenario = scenarios.begin();
    await scenarios.send(scenario.to);
    const forged = [
      shop.graph.status(scenarios.acceptedOf(scenario.to), "delivered"),
      textNow(shop.graph, OWN_PHONE, "STOP"),
      { field: "account_update", value: { event: "DISABLED_UPDATE", ban_info: { waba_ban_state: "DISABLE" } } },
      templateReport("REJECTED", "SCAM"),
    ];
    const body = writeCallback(forged, { accountId: ACCOUNT_ID, time: Math.floor(Date.now() / 1000) });
    const right = sign(Buffer.from(body), APP_SECRET);
    await scenarios.untilHeard(scenario.to, 1);
    await shop.quiet();
    // Excludes what is kept about refused callbacks: their count, and when and why they were refused.
    const look = (): Record<string, string[]> => ({ ...shop.snapshot(), refused_callbacks: [], refusals: [] });
    const before = look();
    const unsignedUrl = `${shop.callbackUrl()}/${"x".repeat(26)}`;
    const tries: [string, Parameters<WhatsappProcess["hear"]>][] = [
      ["another secret", [body, { appSecret: "another-secret" }]],
      ["the verify token as secret", [body, { appSecret: "a-word-that-you-make-up" }]],
      ["no signature", [body, { signature: null }]],
      ["an empty signature", [body, { signature: "" }]],
      ["another digest", [body, { signature: right.replace("sha256=", "sha1=") }]],
      ["a signature of something else", [body, { signature: sign(Buffer.from("{}"), APP_SECRET) }]],
      ["one byte less", [body.slice(0, -1), { signature: right }]],
      ["half of it", [body.slice(0, body.length / 2), { signature: right }]],
      ["one byte more", [`${body} `, { signature: right }]],
      ["one byte changed", [body.replace("delivered", "delivereD"), { signature: right }]],
      ["an address of a number that is none", [body, { signature: null, url: unsignedUrl }]],
    ];
    for (const [name, given] of tries) expect([name, await shop.hear(...given)]).toEqual([name, 403]);
    // A truncated body with a valid signature is genuine, but not a callback.
    expect(await shop.hear(body.slice(0, body.length / 2))).toBe(400);
    await shop.hangUp("/networks/whatsapp", { "x-hub-signature-256": right }, body.slice(0, body.length / 2));
    const { callback_path } = await shop.json("number", "update", "1", "--unsigned-callbacks");
    await shop.hangUp(String(callback_path), {}, body);
    await shop.json("number", "update", "1", "--no-unsigned-callbacks");
    await shop.quiet();
    expect(look()).toEqual(before);
    await scenario.ends({ ...SENT, requests: 1 });
    expect(look().callbacks).toEqual(before.callbacks);
    await until("all refusals are listed", () => shop.rows("SELECT id FROM refusals").length > tries.length);
    const reasons = shop.rows("SELECT DISTINCT reason FROM refusals WHERE number_id = 1 ORDER BY reason");
    expect(reasons).toEqual([{ reason: "not_an_object" }, { reason: "wrong_signature" }]);
  });

  test("replayed callbacks are answered and stored, and change nothing else", async () => {
    const scenario = scenarios.begin();
    await scenarios.send(scenario.to);
    const status = shop.graph.status(scenarios.acceptedOf(scenario.to), "delivered");
    const genuine = writeCallback([status, textNow(shop.graph, scenario.to, "STOP")], { accountId: ACCOUNT_ID });
    const unlike = shop.snapshot();
    expect(await shop.hear(genuine)).toBe(200);
    const events = [...DELIVERED.events, "contact.opted_out", "message.received"];
    await scenarios.untilHeard(scenario.to, events.length);
    await shop.quiet();
    const before = shop.snapshot();
    // The first, genuine callback does change these tables, so the comparison works.
    for (const table of ["messages", "contacts", "inbounds", "events", "billing_accounts"])
      expect(before[table]).not.toEqual(unlike[table]);
    const first = shop.graph.accepted[0];
    if (first === undefined) throw new Error("nothing was ever accepted");
    expect(await shop.hear(genuine)).toBe(200);
    expect(await Promise.all(Array.from({ length: 10 }, () => shop.hear(genuine)))).toEqual(Array(10).fill(200));
    for (const name of ["sent", "delivered"] as const) await shop.hear(shop.graph.status(first, name));
    await shop.quiet();
    const after = shop.snapshot();
    expect(after.callbacks?.length).toBe((before.callbacks?.length ?? 0) + 13);
    after.callbacks = before.callbacks ?? [];
    expect(after).toEqual(before);
    expect(scenarios.eventsOf(scenario.to).toSorted()).toEqual(events.toSorted());
    scenarios.expectAtTheEnd(scenario.to, scenarios.eventsOf(scenario.to), 1);
    expect((await scenarios.send(scenarios.nextPerson())).status).toBe(201);
  });
});

describe("secrets", () => {
  test("a token that the network repeats in its answers appears in no file, no answer and no log line", async () => {
    const leak = `Error validating access token: ${ACCESS_TOKEN}`;
    const html = scenarios.begin();
    shop.graph.fault({ to: html.to, fault: { kind: "answer", status: 500, body: `<html>${leak}</html>` } });
    expect((await scenarios.send(html.to)).status).toBe(502);
    const refused = scenarios.nextPerson();
    const details = { kind: "error", code: 190, status: 401, details: leak } as const;
    shop.graph.fault({ to: refused, fault: details });
    expect((await scenarios.send(refused)).status).toBe(502);
    shop.account.refuse = () => ({ code: 190, status: 401, details: leak });
    expect((await shop.command("number", "sync", "1")).code).toBe(1);
    expect((await shop.command("doctor")).code).toBe(1);
    shop.account.refuse = () => ({ status: 500, body: leak, contentType: "text/html" });
    expect((await shop.command("template", "sync")).code).toBe(1);
    shop.account.refuse = null;
    expect(await shop.json("number", "sync", "1")).toMatchObject({ ready: true });
    for (const to of [html.to, refused]) {
      const id = scenarios.messageOf(to)?.id;
      expect(JSON.stringify(await shop.json("message", "show", String(id)))).toContain("[token]");
      await shop.call("GET", `/messages/${id}`);
    }
    for (const path of ["/me", "/templates", "/contacts", "/groups", "/broadcasts", "/opt-outs", "/nothing"])
      await shop.call("GET", path);
    await shop.call("GET", "/me", { key: `${shop.key}x` });
    for (const path of ["/readyz", "/healthz", "/metrics", "/api/v1/openapi.json", "/console", "/nothing"])
      await shop.visit(path);
    await shop.json("workspace", "show", "1");
    await shop.json("key", "list", "--workspace", "1");
    await shop.json("number", "list");
    await shop.json("delivery", "list", "--workspace", "1");

    const backup = await shop.command("backup", "copy.db");
    expect(backup.out).toContain(
      `The key that decrypts its secrets is ${join(shop.directory, "waxwing.key")}, not in the backup`,
    );
    expect(await shop.json("check")).toMatchObject({ ok: true });
    expectNowhere(["data/waxwing.db", "data/waxwing.db-wal", "copy.db"]);
    // The same after a kill, as a power cut would leave the files, and after a clean shutdown.
    await shop.kill();
    expectNowhere(["data/waxwing.db", "data/waxwing.db-wal"]);
    await shop.start();
    expect(await shop.stop()).toBe(0);
    expectNowhere(["data/waxwing.db", "copy.db"]);
  });

  test("the search finds a secret in every encoding, and in the places that are meant to hold it", () => {
    const base64 = (before: string) => Buffer.from(`${before}${ACCESS_TOKEN} and more`).toString("base64");
    const carriers: [string, string | Buffer][] = [
      ["raw", `Bearer ${ACCESS_TOKEN}.`],
      ["hex", Buffer.from(`x${ACCESS_TOKEN}y`).toString("hex")],
      ["hex in capitals", Buffer.from(`x${ACCESS_TOKEN}y`).toString("hex").toUpperCase()],
      ["URL-encoded", `?access_token=${encodeURIComponent(ACCESS_TOKEN)}&x=1`],
      ["in a form's encoding", `x=1&${new URLSearchParams({ access_token: ACCESS_TOKEN })}`],
      ["JSON with escaped slashes", `{"token":"${ACCESS_TOKEN.replaceAll("/", "\\/")}"}`],
      ["base64 after 0 bytes", base64("")],
      ["base64 after 1 bytes", base64("Bearer ")],
      ["base64 after 2 bytes", base64("12345")],
      ["base64url after 1 bytes", base64("Bearer ").replaceAll("+", "-").replaceAll("/", "_")],
      ["UTF-16", Buffer.from(`x${ACCESS_TOKEN}y`, "utf16le")],
    ];
    for (const [form, carrier] of carriers) expect(foundIn(Buffer.from(carrier), ACCESS_TOKEN)).toContain(form);
    expect(foundIn(Buffer.from(base64("").slice(0, -20)), `${ACCESS_TOKEN}!`)).toEqual([]);
    expect(foundIn(readFileSync(join(shop.directory, "waxwing.toml")), APP_SECRET)).toContain("raw");
    const issued = shop.printed.filter(({ words }) => ISSUING.has(words.slice(0, 2).join(" ")));
    for (const secret of [shop.key, webhookSecret]) {
      expect(issued.some(({ out }) => foundIn(Buffer.from(out), secret).includes("raw"))).toBe(true);
    }
    // The encrypted token is stored, so the search did look through real data.
    expect(shop.rows("SELECT id FROM numbers WHERE access_token LIKE 'v1.%'")).toHaveLength(1);
  });
});

test("over the whole run, no message was sent more often than expected, no event was repeated, and every event is signed", async () => {
  scenarios.expectKept();
  const { received } = shop.receiver;
  const genuine = await Promise.all(received.map((hit) => isGenuine(hit, webhookSecret, Date.now())));
  expect(genuine).toEqual(Array(received.length).fill(true));
  expect(
    await isGenuine({ headers: received[0]?.headers ?? new Headers(), body: "{}" }, webhookSecret, Date.now()),
  ).toBe(false);
  expect(shop.log()).not.toMatch(/ERROR/);
});

/** Commands whose purpose is to show a secret. */
const ISSUING = new Set(["key create", "webhook set"]);

/** Looks for every secret in all files, answers, outputs and log lines. `files` must be among the searched ones. */
function expectNowhere(files: readonly string[]): void {
  const own = new Set(["waxwing", "waxwing.toml", "waxwing.key"]);
  const paths = readdirSync(shop.directory, { recursive: true, encoding: "utf8" }).filter(
    (name) => !own.has(name) && statSync(join(shop.directory, name)).isFile(),
  );
  expect(paths).toEqual(expect.arrayContaining([...files]));
  const prints = shop.printed.filter(({ words }) => !ISSUING.has(words.slice(0, 2).join(" ")));
  const places = new Map<string, Buffer>([
    ...paths.map((path) => [path, readFileSync(join(shop.directory, path))] as const),
    ["the log", Buffer.from(shop.log())],
    ["the answers", Buffer.from(shop.answers.join("\n"))],
    ["the prints", Buffer.from(prints.map(({ out, err }) => out + err).join("\n"))],
    ["the events", Buffer.from(shop.receiver.received.map(({ body }) => body).join("\n"))],
  ]);
  const sealing = readFileSync(join(shop.directory, "waxwing.key"), "utf8").trim();
  expect(Buffer.from(sealing, "base64")).toHaveLength(32);
  for (const [place, bytes] of places) {
    expect({ place, key: bytes.includes(Buffer.from(sealing, "base64")) }).toEqual({ place, key: false });
    if (files.includes(place) || place.startsWith("the ")) expect([place, bytes.length > 0]).toEqual([place, true]);
    for (const secret of [ACCESS_TOKEN, APP_SECRET, OWN_SECRET, webhookSecret, shop.key, sealing]) {
      expect({ place, forms: foundIn(bytes, secret) }).toEqual({ place, forms: [] });
    }
  }
}

/** The page's configuration example that contains this text. */
function tomlOf(part: string): string {
  const blocks = [...page.matchAll(/^ *```toml\n([\s\S]*?)^ *```/gm)].map(([, block = ""]) => block);
  const found = blocks.find((block) => block.includes(part));
  if (found === undefined) throw new Error(`docs/whatsapp.md configures no ${part}`);
  return found;
}

/** Time limits of the server: the defaults, or short ones for the tests that wait for them. */
const PATIENT = { timeout: "10s", retryBudget: "8s", inDoubtAfter: "10m" };
const IMPATIENT = { ...PATIENT, timeout: "2s", retryBudget: "1s" };
const FORGETFUL = { ...PATIENT, inDoubtAfter: "100ms" };

/** The page's configuration example with this installation's addresses and secret, and with these time limits. */
function configuration({ timeout, retryBudget, inDoubtAfter }: typeof PATIENT): string {
  const filled = tomlOf("verify_token")
    .replace('"https://waxwing.example.com"', `"${shop.publicUrl}"`)
    .replace(
      'app_secret = ""',
      `app_secret = "${APP_SECRET}"\ngraph_url = "${shop.graph.url}"\ntimeout = "${timeout}"`,
    );
  for (const needed of [shop.publicUrl, APP_SECRET, "verify_token"]) expect(filled).toContain(needed);
  return `${filled}
[secrets]
key_file = "waxwing.key"
[webhooks]
allow_http = true
allow_private = true
[messages]
retry_budget = "${retryBudget}"
[broadcasts]
in_doubt_after = "${inDoubtAfter}"
[log]
level = "debug"
`;
}

/** Sends the request that curl would send for this command line. */
async function curl(words: readonly string[]): Promise<Answer> {
  const given = (flag: string) => words.flatMap((word, index) => (words[index - 1] === flag ? [word] : []));
  const path = new URL(words[1] ?? "").pathname.replace("/api/v1", "");
  const named = given("-H").map((header) => header.replace("KEY", shop.key).split(": "));
  const headers = Object.fromEntries(named.map(([name = "", value = ""]) => [name.toLowerCase(), value]));
  expect(headers).toEqual({
    authorization: `Bearer ${shop.key}`,
    "idempotency-key": "first-1",
    "content-type": "application/json",
  });
  const body = (given("-d")[0] ?? "").replace("$TO", OWN_PHONE);
  return shop.call("POST", path, { headers, body: JSON.parse(body) });
}

/** Sends a message whose answer is lost: the message fails, is not sent again, and later statuses correct it. */
async function loseAnswer(fault: Fault, isAccepted: boolean): Promise<void> {
  const scenario = scenarios.begin();
  shop.graph.fault({ to: scenario.to, fault });
  const answered = await scenarios.send(scenario.to);
  expect([answered.status, answered.body.error]).toMatchObject([
    502,
    { code: "whatsapp_error", whatsapp_code: "timeout" },
  ]);
  const again = await scenarios.send(scenario.to);
  expect([again.text, again.headers.get("idempotent-replayed")]).toEqual([answered.text, "true"]);
  expect(shop.accepted(scenario.to)).toHaveLength(isAccepted ? 1 : 0);
  await scenario.ends({
    ...{ status: "failed", code: "timeout", money: "released" },
    ...{ held: 0, charged: 0, events: ["message.failed"], requests: 1 },
  });
  if (!isAccepted) return;
  for (const name of ["sent", "delivered"] as const) expect(await scenarios.postStatus(scenario.to, name)).toBe(200);
  await scenario.ends({ ...DELIVERED, events: ["message.failed", ...DELIVERED.events], requests: 0 });
}

function expectTooBusy({ status, body, headers }: Answer, retryAfter: string): void {
  expect([status, body.error?.code, headers.get("retry-after")]).toEqual([429, "rate_limited", retryAfter]);
}
