/** What the simulated network refuses about a message's content, with the network's codes. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { systemRandom } from "#src/core/random.ts";
import type { Content, MediaHeader } from "#src/domain/messages/content.ts";
import type { ApprovedTemplate } from "#src/networks/simulator/approved-template.ts";
import { type Effect, SimulatorControl } from "#src/networks/simulator/control.ts";
import { evaluate, hasUnusableFile as hasUnusableFileIn } from "#src/networks/simulator/evaluate.ts";
import { createSimulator } from "#src/networks/simulator/simulator.ts";
import { createPayload } from "#src/networks/whatsapp/payload.ts";
import { TestClock } from "#test/support/clock.ts";
import { eventsOf } from "#test/support/rows.ts";
import { startTestServer, type TestServer, type TestWorkspace } from "#test/support/server.ts";

const requestOf = (content: Content) =>
  createPayload({ to: "+919876541234", recipientNetworkUserId: null, sendToken: "t", content });
const refuseContent = (content: Content, approved: ApprovedTemplate | null) => evaluate(requestOf(content), approved);
/** A template whose header or body is this text. */
const approvedWith = (header: string | null, body: string): ApprovedTemplate => ({
  category: "UTILITY",
  components: [
    ...(header === null ? [] : [{ type: "HEADER", format: "TEXT", text: header }]),
    { type: "BODY", text: body },
  ],
});
const hasUnusableFile = (content: Content) => hasUnusableFileIn(requestOf(content));

const person = "+919876541234";
const BODY = "Hi {{1}}, all the best.";
const HEADER = "For {{1}}";
/** How many characters a value may have before header and body are too long. */
const IN_BODY = 1_024 - BODY.length + "{{1}}".length;
const IN_HEADER = 60 - HEADER.length + "{{1}}".length;

const media = (kind: string) => ({
  name: kind.toLowerCase(),
  language: "en_US",
  category: "UTILITY",
  components: [
    { type: "HEADER", format: kind },
    { type: "BODY", text: "Look." },
  ],
});

async function openShop(app: TestServer): Promise<TestWorkspace> {
  const shop = await app.workspace();
  const text = { language: "en_US", category: "UTILITY" };
  const header = { type: "HEADER", format: "TEXT", text: HEADER };
  const body = { type: "BODY", text: BODY };
  await app.template(shop, { ...text, name: "letter", components: [header, body] });
  const namedBody = { type: "BODY", text: BODY.replace("{{1}}", "{{who}}") };
  await app.template(shop, { ...text, name: "named", parameter_format: "NAMED", components: [namedBody] });
  for (const kind of ["IMAGE", "VIDEO", "DOCUMENT"]) await app.template(shop, media(kind));
  await app.inbound(shop, person, "Hello");
  return shop;
}

const letter = (header: string, body: string) => ({
  template: "letter",
  variables: { header: [header], body: [body] },
});

const FAMILY = "👨‍👩‍👧‍👦";

const sends: [what: string, body: Record<string, unknown>, code: string | null][] = [
  ["a body of 1,024 characters", letter("Asha", "x".repeat(IN_BODY)), null],
  ["a body of 1,025 characters", letter("Asha", "x".repeat(IN_BODY + 1)), "132005"],
  ["a body of 1,126 characters", letter("Asha", "x".repeat(IN_BODY + 102)), "132005"],
  ["a body of 1,024 characters, most of them emoji", letter("Asha", "🎂".repeat(IN_BODY)), null],
  ["a body of 1,025 characters, most of them emoji", letter("Asha", "🎂".repeat(IN_BODY + 1)), "132005"],
  ["a named value that fits", { template: "named", variables: ["x".repeat(IN_BODY)] }, null],
  ["a named value that is one too long", { template: "named", variables: ["x".repeat(IN_BODY + 1)] }, "132005"],
  ["a header of 60 characters", letter("x".repeat(IN_HEADER), "Asha"), null],
  ["a header of 61 characters", letter("x".repeat(IN_HEADER + 1), "Asha"), "132005"],
  ["a text of 4,096 characters", { text: "🎂".repeat(4_096) }, null],
];

const nothing = ["\u200b", "\u0007", "\u2060", "\u3164", "\u00ad", "\u0000", "\u202e", "\u2800", " \u200d\ufe0f "];
for (const text of ["a\u200b", "\u0007a", FAMILY, "❤️", "\u0301", "؀"]) {
  sends.push([`a value that shows ${text}`, letter(text, text), null], [`a text that shows ${text}`, { text }, null]);
}

test("lengths after filling in are refused with Meta's codes", async () => {
  await using app = await startTestServer();
  const shop = await openShop(app);
  for (const [what, body, code] of sends) {
    const answer = await app.send("POST", "/api/v1/messages", { key: shop.key, body: { to: person, ...body } });
    const { status } = answer;
    expect([what, status, answer.body.error?.whatsapp_code ?? null]).toEqual([what, code === null ? 201 : 502, code]);
    if (code === null) continue;
    expect(answer.body.error).toMatchObject({ code: "whatsapp_error", outcome: "not_sent" });
    expect(answer.body.error.message).toContain("WhatsApp says: ");
  }
});

test("the server itself refuses a text that is too long and what shows nothing, before the network is asked", async () => {
  await using app = await startTestServer();
  const shop = await openShop(app);
  const blanks = nothing.flatMap((text) => [{ text }, letter("Asha", text), letter(text, "Asha")]);
  for (const body of [
    { text: "x".repeat(4_097) },
    { text: " \n" },
    letter("Asha", "a\tb"),
    letter("Asha", " "),
    ...blanks,
  ]) {
    const { status } = await app.send("POST", "/api/v1/messages", { key: shop.key, body: { to: person, ...body } });
    expect(status).toBe(400);
  }
  expect(eventsOf(app, shop).filter(({ type }) => type === "message.failed")).toEqual([]);
});

const files: [template: string, name: string, isUsable: boolean][] = [
  ...["a.jpg", "a.JPEG", "a.png?x=.gif", "a", "a.php", "a.b/c", "a.cms"].map((name) => ["image", name, true] as const),
  ...["a.mp4", "a.pdf", "a.gif", "a.webp?v=1.png", "a.SVG", "x/a.mp3"].map((name) => ["image", name, false] as const),
  ...["a.mp4", "a.3gp", "a"].map((name) => ["video", name, true] as const),
  ...["a.mov", "a.jpg", "a.pdf"].map((name) => ["video", name, false] as const),
  ...["a.pdf", "a.docx", "a.txt", "a"].map((name) => ["document", name, true] as const),
  ...["a.png", "a.mp4", "a.ogg"].map((name) => ["document", name, false] as const),
].map(([template, name, isUsable]) => [template, name, isUsable]);

test("a file whose type does not fit the header is accepted, and fails later with 131053", async () => {
  await using app = await startTestServer();
  const shop = await openShop(app);
  const cases = files.map(([template, name, isUsable], index) => {
    return { to: `+919876${10 + index}1234`, template, isUsable, media: { link: `https://files.example/${name}` } };
  });
  for (const { isUsable: _, ...body } of cases) {
    expect((await app.send("POST", "/api/v1/messages", { key: shop.key, body })).status).toBe(201);
  }
  await app.clock.advance(60_000);
  const told = Map.groupBy(eventsOf(app, shop), ({ data }) => data.message.to);
  for (const { to, template, media, isUsable } of cases) {
    const events = told.get(to) ?? [];
    const next = isUsable ? ["message.delivered", "message.read"] : ["message.failed"];
    expect([template, media.link, ...events.map(({ type }) => type)]).toEqual([
      ...[template, media.link, "message.sent"],
      ...next,
    ]);
    if (!isUsable) expect(JSON.stringify(events.at(-1)?.data)).toContain("131053");
  }
});

test("a broadcast's recipient whose filled text is too long fails with the code, and the others get theirs", async () => {
  await using app = await startTestServer();
  const shop = await openShop(app);
  const people = { "+919876541111": "x".repeat(191), "+919876542222": "Ravi" };
  for (const [phone, name] of Object.entries(people)) {
    await app.call("PUT", `/api/v1/contacts/${encodeURIComponent(phone)}`, { key: shop.key, body: { name } });
  }
  const variables = { header: [{ field: "name" }], body: ["Asha"] };
  const body = { name: "Letters", template: "letter", variables, to: Object.keys(people) };
  expect((await app.send("POST", "/api/v1/broadcasts", { key: shop.key, body })).status).toBe(202);
  await app.clock.advance(60_000);
  const shown = await app.call("GET", "/api/v1/broadcasts/1/recipients", { key: shop.key });
  expect(shown.body.data).toMatchObject([{ status: "failed" }, { status: "read" }]);
  expect(shown.body.data[0].reason).toEndWith("WhatsApp says: The header has more than 60 characters.");
  expect(app.store.client.prepare("SELECT error_code AS code FROM messages WHERE id = 1").get()).toEqual({
    code: "132005",
  });
});

const template = (header: { text: string } | null, body: string[]): Content => ({
  type: "template",
  name: "letter",
  language: "en_US",
  header: header === null ? null : { type: "text", values: [{ name: null, text: header.text }] },
  body: body.map((text) => ({ name: null, text })),
  oneTimePassword: null,
});

/** Characters of one to four bytes, some of which combine with the previous one. */
const character = fc.constantFrom("a", "é", "\u0301", "ह", "\u200d", "🎂", "\u{1f3fd}", "漢", "\ufe0f", "\u{20bb7}");
const seen = (length: number) =>
  fc.array(character, { minLength: length, maxLength: length }).map((all) => all.join(""));

test("what is as long as the limit passes, and one character more does not", () => {
  const limits: [max: number, code: string, refuse: (text: string) => string | undefined][] = [
    [4_096, "100", (text) => refuseContent({ type: "text", body: text }, null)?.code],
    [1_024, "131009", (text) => refuseContent({ type: "contact_request", body: text }, null)?.code],
    [60, "132005", (text) => refuseContent(template(null, []), approvedWith(text, "x"))?.code],
    [1_024, "132005", (text) => refuseContent(template(null, []), approvedWith(null, text))?.code],
  ];
  for (const [max, code, refuse] of limits) {
    fc.assert(
      fc.property(seen(max - 1), character, (text, more) => {
        expect(refuse(`x${text}`)).toBeUndefined();
        expect(refuse(`x${text}${more}`)).toBe(code);
      }),
      { numRuns: 20 },
    );
  }
});

test("a value shows something if one of its characters does", () => {
  const invisible = fc.array(fc.constantFrom(...nothing), { minLength: 1, maxLength: 20 }).map((all) => all.join(""));
  const visible = fc.constantFrom("a", "ß", "ह", "🎂", "漢", "\u0301", ".", "０");
  fc.assert(
    fc.property(invisible, visible, invisible, (before, shown, after) => {
      expect(refuseContent(template({ text: before }, ["x"]), null)?.code).toBe("132018");
      expect(refuseContent(template({ text: "x" }, ["x", before]), null)?.code).toBe("132018");
      expect(refuseContent({ type: "text", body: before }, null)?.code).toBe("100");
      expect(refuseContent({ type: "text", body: before + shown + after }, null)).toBeNull();
    }),
  );
});

test("a value with a line break, a tab or five spaces in a row is refused even if the server let it through", () => {
  for (const text of ["a\nb", "a\rb", "a\tb", "a     b"]) {
    expect(refuseContent(template(null, [text]), null)?.code).toBe("132018");
  }
  expect(refuseContent(template(null, ["a    b"]), null)).toBeNull();
});

test("any link has a file that is usable or not, whatever it ends in", () => {
  const kinds = fc.constantFrom<MediaHeader["type"]>("image", "video", "document");
  fc.assert(
    fc.property(kinds, fc.webUrl({ withQueryParameters: true, withFragments: true }), (type, link) => {
      const header = { type, link, filename: null };
      expect(hasUnusableFile({ ...template(null, []), header } as Content)).toBeBoolean();
      const path = new URL("/a.mp3", link).href;
      expect(hasUnusableFile({ ...template(null, []), header: { ...header, link: path } } as Content)).toBe(true);
    }),
  );
});

const SENDER = { phone: "+911244001100", phoneNumberId: "sim-1", accountId: "simulator", accessToken: null };
const NO_WAIT = { deliverAfterMs: 0, readAfterMs: 0, noAnswerAfterMs: 0 };

/** A simulator under test control, with the statuses that it reports and the attempts that it has recorded. */
function controlled() {
  const clock = new TestClock();
  const control = new SimulatorControl();
  const statuses: unknown[] = [];
  const simulator = createSimulator({
    ...{ clock, random: systemRandom, times: NO_WAIT, control, findApproved: () => null },
    callBack: (callbacks) => {
      for (const { body } of callbacks) {
        const { status, errors } = JSON.parse(body).entry[0].changes[0].value.statuses[0];
        statuses.push([status, errors?.[0].code ?? null]);
      }
    },
  });
  const send = async (content: Content, to = person) => {
    const message = { sender: SENDER, to, recipientNetworkUserId: null, sendToken: "token", content };
    // The clock moves because some answers never come.
    const [outcome] = await Promise.all([simulator.send(message, 1_000), clock.advance(1)]);
    return "code" in outcome ? [outcome.kind, outcome.code] : [outcome.kind];
  };
  const rule = (effect: Effect, times: number | null = null) =>
    control.addRule({ to: null, template: null, thread: null, times, effect }, clock.now());
  return { statuses, send, rule, attempts: () => control.sent.list(() => true).map(({ outcome }) => outcome) };
}

const hidden: Content = { type: "text", body: "\u200b" };
const shown: Content = { type: "text", body: "Hello" };
const picture: Content = {
  ...{ type: "template", name: "image", language: "en_US", body: [], oneTimePassword: null },
  header: { type: "image", link: "https://files.example/a.pdf", filename: null },
};

test("malformed content is refused before last digits and rules decide, and uses up no rule", async () => {
  const { send, rule, attempts } = controlled();
  for (const ending of ["0001", "0006", "0007", "0008"]) {
    expect(await send(hidden, `+91987654${ending}`)).toEqual(["refused", "100"]);
  }
  rule({ kind: "refuse", code: "131049" }, 1);
  expect(await send(hidden)).toEqual(["refused", "100"]);
  expect(await send(shown)).toEqual(["refused", "131049"]);
  expect(await send(shown)).toEqual(["accepted"]);
  expect(attempts()).toEqual([...Array(6).fill("refused"), "accepted"]);
});

test("what does not reach the network in an outage is not refused by it", async () => {
  const { send, rule, attempts } = controlled();
  rule({ kind: "outage", ms: 1_000 });
  expect(await send(hidden)).toEqual(["unreachable"]);
  expect(attempts()).toEqual([]);
});

test("an unusable file fails whatever would have followed, and changes no other answer", async () => {
  const cases: [to: string, effect: Effect | null, answers: string[], statuses: unknown[]][] = [
    ["+919876540001", null, ["refused", "131026"], []],
    ["+919876540003", null, ["accepted"], [["failed", 131053]]],
    ["+919876540004", null, ["accepted"], [["failed", 131053]]],
    ["+919876540006", null, ["throttled", "130429"], []],
    ["+919876540007", null, ["unknown"], [["failed", 131053]]],
    ["+919876540008", null, ["unknown"], []],
    [person, { kind: "refuse", code: "131049" }, ["refused", "131049"], []],
    [person, { kind: "fail", code: "131042" }, ["accepted"], [["failed", 131053]]],
    [person, { kind: "statuses", statuses: ["delivered"] }, ["accepted"], [["failed", 131053]]],
    [person, { kind: "statuses", statuses: [] }, ["accepted"], []],
  ];
  for (const [to, effect, answers, followed] of cases) {
    const { send, rule, statuses } = controlled();
    if (effect !== null) rule(effect);
    expect([to, effect, await send(picture, to), statuses]).toEqual([to, effect, answers, followed]);
  }
});
