/**
 * Templates from the API to the network: wrong ones are stopped before anything leaves, right ones leave as Meta's page
 * shows them, each at most once, whatever becomes of the answer. The network is the fake Cloud API.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { SimulatorControl } from "#src/networks/simulator/control.ts";
import { evaluateSubmission } from "#src/networks/simulator/evaluate-submission.ts";
import { graphAccount, graphTemplate } from "#test/support/graph-account.ts";
import { type Answered, startTestServer } from "#test/support/server.ts";
import { rows, startWhatsapp, type WhatsappWorld } from "#test/support/whatsapp.ts";
import { rightTemplates, type Written, writtenLimits, wrongTemplates } from "#test/support/written-templates.ts";

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const latin = (text: string): Uint8Array<ArrayBuffer> => new Uint8Array(Buffer.from(text, "latin1"));
const FILES = {
  image: latin(`\xff\xd8\xff\xe0${"x".repeat(2_000)}`),
  video: latin(`\x00\x00\x00\x18ftypmp42\x00\x00\x00\x00mp42isom${"x".repeat(2_000)}`),
  document: latin(`%PDF-1.7\n${"x".repeat(2_000)}`),
};

let world: WhatsappWorld;
const uploads: Partial<Record<keyof typeof FILES, number>> = {};
beforeAll(async () => {
  world = await startWhatsapp({
    account: graphAccount({ pageSize: 500 }),
    config: { limits: { requestsPerSecond: 10_000, burst: 10_000 } },
  });
  for (const kind of ["image", "video", "document"] as const) {
    const form = new FormData();
    form.append("file", new File([FILES[kind]], `a.${kind}`));
    const headers = { authorization: `Bearer ${world.workspace.key}` };
    const answer = await fetch(`${world.app.server.url}/api/v1/media`, { method: "POST", headers, body: form });
    uploads[kind] = ((await answer.json()) as { data: { id: number } }).data.id;
  }
});
afterAll(() => world[Symbol.asyncDispose]());

function ask(method: string, path: string, body?: object, headers: Record<string, string> = {}): Promise<Answered> {
  return world.app.send(method, `/api/v1${path}`, { key: world.workspace.key, headers, ...(body && { body }) });
}

function requestOf({ samples, language = "en_US", ...template }: Written) {
  const media = samples && {
    ...(samples.header && { header: uploads[samples.header] }),
    ...(samples.cards && { cards: samples.cards.map((kind) => uploads[kind]) }),
  };
  return { ...template, language, ...(media && { sample_media: media }) };
}

/** What leaves: the request, with the handle of each sample in its place. */
function leavingOf(
  { samples, language = "en_US", components, parameter_format: format, ...template }: Written,
  handles: string[],
) {
  const isNamed = JSON.stringify(components).includes("_named_params");
  const left = [...handles];
  const filled = (parts: Record<string, unknown>[]): Record<string, unknown>[] =>
    parts.map((part) => {
      const isShown = ["IMAGE", "VIDEO", "DOCUMENT"].includes(String(part.format)) && part.example === undefined;
      if (isShown) return { ...part, example: { header_handle: [left.shift()] } };
      if (part.type !== "CAROUSEL" || samples?.cards === undefined) return part;
      const cards = part.cards as { components: Record<string, unknown>[] }[];
      return { ...part, cards: cards.map((card) => ({ ...card, components: filled(card.components) })) };
    });
  return {
    ...template,
    language,
    components: filled(components),
    ...(isNamed || format ? { parameter_format: format ?? "NAMED" } : {}),
  };
}

let written = 0;
/** A template of its own words. */
function parcel(more: object = {}) {
  written += 1;
  const text = `Your parcel ${written} is at the door.`;
  return {
    name: `parcel_${written}`,
    language: "en_US",
    category: "UTILITY",
    components: [{ type: "BODY", text }],
    ...more,
  };
}

const submitted = () => world.account.submitted;

describe("a template that is right", () => {
  test.each(rightTemplates.map((one) => [one.name, one] as const))(
    "leaves as Meta's page shows it: %s",
    async (name, template) => {
      const before = { requests: submitted().length, handles: world.account.samples.handles.length };
      const { status, body } = await ask("POST", "/templates", requestOf(template));
      expect({ status, error: body.error }).toEqual({ status: 201, error: undefined });
      expect(body.data).toMatchObject({
        name,
        language: template.language ?? "en_US",
        status: "PENDING",
        sendable: false,
      });
      const [request, ...more] = submitted().slice(before.requests);
      const handles = world.account.samples.handles.slice(before.handles);
      expect(more).toEqual([]);
      expect(request).toMatchObject({
        method: "POST",
        path: expect.stringMatching(/^\/v\d+\.\d\/100000000000001\/message_templates$/),
      });
      expect(request?.body).toEqual(leavingOf(template, handles) as never);
      expect([name, evaluateSubmission(request?.body as Record<string, unknown>)]).toEqual([name, null]);
    },
  );

  test("is in the list of the account afterwards, and a sync changes nothing of it", async () => {
    const list = async () => (await ask("GET", "/templates?per_page=500")).body.data;
    const before = await list();
    expect(before.length).toBeGreaterThanOrEqual(60);
    await world.clock.advance(2 * 60 * MINUTE);
    const after = await list();
    expect(after.map((one: { name: string; status: string }) => [one.name, one.status])).toEqual(
      before.map((one: { name: string; status: string }) => [one.name, one.status]),
    );
    expect(rows(world.app.store, "SELECT count(*) AS n FROM templates WHERE network_id IS NULL")).toEqual([{ n: 0 }]);
  });
});

describe("a template that is wrong", () => {
  test.each(wrongTemplates.map((one, index) => [index, one.rule, one] as const))(
    "%d: nothing leaves (%s)",
    async (_, rule, { path, template }) => {
      const before = submitted().length;
      const check = await ask("POST", "/templates/check", template);
      expect(check.status).toBe(200);
      expect(check.body.data.valid).toBe(false);
      expect(check.body.data.problems).toContainEqual({ path, rule, message: expect.any(String) });
      const { status, body } = await ask("POST", "/templates", template);
      expect({ status, code: body.error.code }).toEqual({ status: 400, code: "invalid_request" });
      const of = (problems: { path: string; message: string }[]) =>
        Object.fromEntries(
          [...Map.groupBy(problems, (one) => one.path)].map(([at, all]) => [at, all.map(({ message }) => message)]),
        );
      expect(body.error.fields).toEqual(of(check.body.data.problems));
      expect(submitted()).toHaveLength(before);
      expect(rows(world.app.store, "SELECT count(*) AS n FROM template_submissions WHERE state = 'open'")).toEqual([
        { n: 0 },
      ]);
    },
  );

  test("of which a review may find something is warned of by the check, with the source, and submitted all the same", async () => {
    const body = {
      ...parcel(),
      components: [{ type: "BODY", text: "Your parcel is here. Enjoy 20% off the next one." }],
    };
    const { data } = (await ask("POST", "/templates/check", body)).body;
    expect(data).toMatchObject({ valid: true, problems: [] });
    expect(data.warnings).toEqual([
      {
        path: "components.0.text",
        rule: "reads_as_offer",
        message: expect.stringContaining("“20% off”"),
        source: expect.stringMatching(/^https:\/\/developers\.facebook\.com\/.+\/template-categorization$/),
      },
      expect.objectContaining({ rule: "same_for_everybody" }),
    ]);
    expect((await ask("POST", "/templates", body)).status).toBe(201);
  });

  test("is refused where the account has it, or its words", async () => {
    const one = parcel();
    expect((await ask("POST", "/templates/check", one)).body.data).toMatchObject({ valid: true, problems: [] });
    expect((await ask("POST", "/templates", one)).status).toBe(201);
    const again = await ask("POST", "/templates", one);
    expect(again.body.error.fields).toEqual({ name: [expect.stringContaining("correct that one")] });
    const same = await ask("POST", "/templates", { ...one, name: "other_parcel" });
    expect(Object.keys(same.body.error.fields)).toEqual(["components.0.text"]);
    expect((await ask("POST", "/templates", { ...one, language: "de" })).status).toBe(201);
    const missing = {
      ...parcel(),
      components: [
        { type: "HEADER", format: "IMAGE" },
        { type: "BODY", text: "A lamp is here." },
      ],
    };
    const unknown = await ask("POST", "/templates", { ...missing, sample_media: { header: 99_999 } });
    expect(unknown.body.error.faults).toEqual([{ field: "sample_media.header", rule: "not_found" }]);
    const pdf = await ask("POST", "/templates", { ...missing, sample_media: { header: uploads.document } });
    expect(pdf.body.error.fields["sample_media.header"]).toEqual([
      "A sample of this header is a JPEG or PNG; this is application/pdf.",
    ]);
  });

  test("is refused by the network: 502, and a new try is possible", async () => {
    world.account.refuse = ({ method, path }) =>
      method === "POST" && path.includes("message_templates")
        ? { code: 100, subcode: 2388040, details: "Too long" }
        : null;
    const one = parcel();
    const key = { "Idempotency-Key": "refused-once" };
    const { status, body } = await ask("POST", "/templates", one, key);
    expect({ status, code: body.error.code, network: body.error.whatsapp_code }).toEqual({
      status: 502,
      code: "whatsapp_error",
      network: "2388040",
    });
    world.account.refuse = null;
    expect((await ask("POST", "/templates", one, key)).status).toBe(502);
    expect((await ask("POST", "/templates", one)).status).toBe(201);
  });
});

describe("a submission", () => {
  test("is made once under its key", async () => {
    const one = parcel();
    const key = { "Idempotency-Key": "parcel-once" };
    const before = submitted().length;
    const first = await ask("POST", "/templates", one, key);
    const again = await ask("POST", "/templates", one, key);
    expect([first.status, again.status, again.body]).toEqual([201, 201, first.body]);
    expect(submitted()).toHaveLength(before + 1);
    expect((await ask("POST", "/templates", parcel(), key)).status).toBe(409);
  });

  test("whose answer is lost is found in the account's list", async () => {
    const before = submitted().length;
    world.account.loses.answers = 1;
    const { status, body } = await ask("POST", "/templates", parcel());
    expect([status, body.data?.status]).toEqual([201, "PENDING"]);
    expect(submitted()).toHaveLength(before + 1);
  });

  test("of which nothing is known is tried again only after the list was read", async () => {
    const one = parcel();
    const before = submitted().length;
    const lists = () =>
      world.graph.questions.filter(({ method, path }) => method === "GET" && path.includes("message_templates")).length;
    world.account.loses.requests = 1;
    const { status, body } = await ask("POST", "/templates", one);
    expect({ status, code: body.error.code, outcome: body.error.outcome }).toMatchObject({
      status: 503,
      code: "unavailable",
    });
    expect((await ask("POST", "/templates", one)).status).toBe(503);
    expect(submitted()).toHaveLength(before);
    await world.clock.advance(MINUTE);
    const read = lists();
    expect((await ask("POST", "/templates", one)).status).toBe(201);
    expect(lists()).toBe(read + 1);
    expect(submitted()).toHaveLength(before + 1);
  });

  test("that is answered with trouble, in whatever words, is not taken for refused", async () => {
    for (const code of [1, 2, 131016, 131000, 99999]) {
      const one = parcel();
      const before = submitted().length;
      world.account.refuse = ({ method, path }) =>
        method === "POST" && path.includes("message_templates") ? { code, status: 500 } : null;
      const { status, body } = await ask("POST", "/templates", one);
      expect([code, status, body.error.outcome]).toEqual([code, 503, "unknown"]);
      world.account.refuse = null;
      await world.clock.advance(MINUTE);
      expect((await ask("POST", "/templates", one)).status).toBe(201);
      expect(submitted()).toHaveLength(before + 1);
    }
    // What is wrong with a template is said with this status, too.
    world.account.refuse = ({ method, path }) =>
      method === "POST" && path.includes("message_templates") ? { code: 100, subcode: 2388040, status: 500 } : null;
    expect((await ask("POST", "/templates", parcel())).status).toBe(502);
    world.account.refuse = null;
  });

  test("that the network has is not repeated, though its answer and the list were lost", async () => {
    const one = parcel();
    const before = submitted().length;
    world.account.loses.answers = 1;
    world.account.refuse = ({ method, path }) =>
      method === "GET" && path.includes("message_templates") ? { code: 2, status: 503 } : null;
    expect((await ask("POST", "/templates", one)).status).toBe(503);
    await world.clock.advance(MINUTE);
    expect((await ask("POST", "/templates", one)).status).toBe(503);
    expect(submitted()).toHaveLength(before + 1);
    world.account.refuse = null;
    const found = await ask("POST", "/templates", one);
    expect([found.status, found.body.data?.name]).toEqual([201, one.name]);
    expect((await ask("POST", "/templates", { ...one, category: "MARKETING" })).status).toBe(400);
    expect(submitted()).toHaveLength(before + 1);
  });

  test("waits for the network when it cannot be reached: nothing is open", async () => {
    world.account.refuse = () => ({ code: 80007, status: 400 });
    const one = parcel();
    const { status, body } = await ask("POST", "/templates", one);
    expect([status, body.error.code, body.error.outcome]).toEqual([503, "unavailable", "not_sent"]);
    world.account.refuse = null;
    expect((await ask("POST", "/templates", one)).status).toBe(201);
  });
});

describe("a correction", () => {
  const approve = async (name: string, event = "APPROVED") => {
    const row = world.account.templates.find((one) => one.name === name);
    if (row !== undefined) row.status = event;
    const value = {
      event,
      message_template_id: Number(row?.id),
      message_template_name: name,
      message_template_language: "en-US",
      reason: "NONE",
    };
    await world.clock.advance(1_000);
    await world.hear(
      { field: "message_template_status_update", value },
      { time: Math.floor(world.clock.now() / 1_000) },
    );
  };
  const words = (text: string) => ({ category: "UTILITY", components: [{ type: "BODY", text }] });

  test("replaces the parts, once a day while the template is approved", async () => {
    const one = parcel();
    await ask("POST", "/templates", one);
    const path = `/templates/${one.name}/en_US`;
    expect((await ask("PUT", path, words("We bring it today, then."))).body.error.fields.components).toEqual([
      expect.stringContaining("PENDING"),
    ]);
    await approve(one.name);
    const before = submitted().length;
    const { status, body } = await ask("PUT", path, words("We bring your parcel today."));
    expect([status, body.data.status, body.data.text]).toEqual([200, "PENDING", "We bring your parcel today."]);
    const row = world.account.templates.find(({ name }) => name === one.name);
    expect(submitted().slice(before)).toEqual([
      { method: "POST", path: `/v25.0/${row?.id}`, body: words("We bring your parcel today.") },
    ]);
    await approve(one.name);
    const soon = await ask("PUT", path, words("We bring your parcel tonight."));
    expect(soon.body.error.fields.components).toEqual([expect.stringContaining("once in 24 hours")]);
    await world.clock.advance(DAY);
    expect((await ask("PUT", path, words("We bring your parcel tonight."))).status).toBe(200);
    await approve(one.name);
    await world.clock.advance(DAY);
    const other = await ask("PUT", path, { ...words("We bring your parcel at noon."), category: "MARKETING" });
    expect(Object.keys(other.body.error.fields)).toEqual(["category"]);
  });

  test("of a rejected one may have another category, which the network has not changed", async () => {
    const one = parcel();
    await ask("POST", "/templates", one);
    await approve(one.name, "REJECTED");
    const { status, body } = await ask("PUT", `/templates/${one.name}/en_US`, {
      ...words("We bring your parcel and a lamp."),
      category: "MARKETING",
    });
    expect([status, body.data.category]).toEqual([200, "MARKETING"]);
    const query = `SELECT category_change FROM templates WHERE name = '${one.name}'`;
    expect(rows(world.app.store, query)).toEqual([{ category_change: null }]);
  });

  test("of what is not there is 404; another name than the address is 400", async () => {
    expect((await ask("PUT", "/templates/nothing/en_US", words("We bring it today."))).status).toBe(404);
    const wrong = await ask("PUT", "/templates/nothing/en_US", { ...words("We bring it today."), name: "other" });
    expect(Object.keys(wrong.body.error.fields)).toEqual(["name"]);
  });

  test("whose answer is lost is found by the words in the list", async () => {
    const one = parcel();
    await ask("POST", "/templates", one);
    await approve(one.name);
    world.account.loses.answers = 1;
    const { status, body } = await ask("PUT", `/templates/${one.name}/en_US`, words("We come to you tomorrow."));
    expect([status, body.data?.text]).toEqual([200, "We come to you tomorrow."]);
  });
});

describe("a deletion", () => {
  test("is of one language, or of all", async () => {
    const one = parcel();
    for (const language of ["en_US", "de", "fr"])
      expect((await ask("POST", "/templates", { ...one, language })).status).toBe(201);
    const before = submitted().length;
    expect((await ask("DELETE", `/templates/${one.name}/de`)).body.data).toEqual({ name: one.name, languages: ["de"] });
    expect(submitted().at(-1)?.path).toMatch(/message_templates\?name=parcel_\d+&hsm_id=\d+$/);
    expect((await ask("DELETE", `/templates/${one.name}/de`)).status).toBe(404);
    expect((await ask("DELETE", `/templates/${one.name}`)).body.data).toEqual({
      name: one.name,
      languages: ["en_US", "fr"],
    });
    expect(submitted().at(-1)?.path).toMatch(/message_templates\?name=parcel_\d+$/);
    expect(submitted()).toHaveLength(before + 2);
    expect(world.account.templates.some(({ name }) => name === one.name)).toBe(false);
    const shown = (await ask("GET", "/templates?per_page=500")).body.data.filter(
      (row: { name: string }) => row.name === one.name,
    );
    expect(shown.map((row: { status: string }) => row.status)).toEqual(["DISABLED", "DISABLED", "DISABLED"]);
    expect((await ask("POST", "/templates", one)).status).toBe(201);
  });

  test("leaves no choice of language where one is left, and none where all are gone", async () => {
    const one = parcel();
    for (const language of ["de", "en_US"]) await ask("POST", "/templates", { ...one, language });
    const send = () => ask("POST", "/messages", { to: "+919876543210", template: one.name });
    expect((await send()).body.error.fields.language).toEqual([expect.stringContaining("de, en_US")]);
    const refusal = async () => {
      const { status, body } = await send();
      return [status, body.error.code, body.error.message];
    };
    await ask("DELETE", `/templates/${one.name}/de`);
    expect(await refusal()).toEqual([422, "template_not_sendable", expect.stringContaining("is pending")]);
    await ask("DELETE", `/templates/${one.name}`);
    expect(await refusal()).toEqual([422, "template_not_sendable", expect.stringContaining("was deleted")]);
  });

  test("whose answer is lost is seen in the list", async () => {
    const one = parcel();
    await ask("POST", "/templates", one);
    world.account.loses.answers = 1;
    expect((await ask("DELETE", `/templates/${one.name}`)).status).toBe(200);
  });

  test("of an approved template blocks its name for 30 days", async () => {
    world.account.templates.push(
      graphTemplate("season", { components: [{ type: "BODY", text: "The season begins." }] }),
    );
    await world.clock.advance(2 * 60 * MINUTE);
    expect((await ask("DELETE", "/templates/season/en_US")).status).toBe(200);
    const again = { ...parcel(), name: "season" };
    expect((await ask("POST", "/templates", again)).body.error.fields.name).toEqual([
      expect.stringContaining("30 days"),
    ]);
    world.app.store.client.exec(`UPDATE templates SET status_at = status_at - ${31 * DAY} WHERE name = 'season'`);
    expect((await ask("POST", "/templates", again)).status).toBe(201);
  });
});

test("a rejection says what to change, for each of Meta's reasons", async () => {
  const advice = new Set<string>();
  const one = parcel();
  await ask("POST", "/templates", one);
  const reasons = [
    "ABUSIVE_CONTENT",
    "CATEGORY_NOT_AVAILABLE",
    "INCORRECT_CATEGORY",
    "INVALID_FORMAT",
    "PROMOTIONAL",
    "SCAM",
    "TAG_CONTENT_MISMATCH",
    "SOMETHING_NEW",
  ];
  for (const reason of reasons) {
    for (const event of ["PENDING", "REJECTED"]) {
      await world.clock.advance(1_000);
      const value = {
        event,
        message_template_id: 1,
        message_template_name: one.name,
        message_template_language: "en-US",
        reason,
      };
      await world.hear(
        { field: "message_template_status_update", value },
        { time: Math.floor(world.clock.now() / 1_000) },
      );
    }
    const shown = (await ask("GET", "/templates?per_page=500")).body.data.find(
      ({ name }: { name: string }) => name === one.name,
    );
    expect(shown.rejection).toEqual({ reason, advice: expect.stringMatching(/^[A-Z].{30,}\.$/) });
    advice.add(shown.rejection.advice);
  }
  expect(advice.size).toBe(reasons.length);
});

describe("on a simulator number", () => {
  test("templates are reviewed by hand, or by the end of their name", async () => {
    await using app = await startTestServer();
    const shop = await app.workspace({});
    const post = (body: object) => app.send("POST", "/api/v1/templates", { key: shop.key, body });
    const statusOf = async (name: string) => {
      const { body } = await app.call("GET", "/api/v1/templates?per_page=500", { key: shop.key });
      const shown = body.data.find((one: { name: string }) => one.name === name);
      return [shown?.status, shown?.rejection?.reason ?? null];
    };
    const names = { hand: "by_hand", good: "greeting_approved", bad: "greeting_rejected" };
    for (const name of Object.values(names)) {
      const { status, body } = await post({ ...parcel(), name });
      expect([name, status, body.data?.status]).toEqual([name, 201, "PENDING"]);
    }
    await app.clock.advance(60_000);
    expect(await statusOf(names.hand)).toEqual(["PENDING", null]);
    expect(await statusOf(names.good)).toEqual(["APPROVED", null]);
    expect(await statusOf(names.bad)).toEqual(["REJECTED", "INVALID_FORMAT"]);
    const other = await app.workspace({ name: "Other", number: "+911244001900" });
    expect((await app.call("GET", "/api/v1/templates", { key: other.key })).body.data).toEqual([]);
    const put = await app.send("PUT", `/api/v1/templates/${names.bad}/en_US`, {
      key: shop.key,
      body: { category: "UTILITY", components: [{ type: "BODY", text: "Your parcel comes today." }] },
    });
    expect([put.status, put.body.data?.status]).toEqual([200, "PENDING"]);
    const gone = await app.send("DELETE", `/api/v1/templates/${names.hand}`, { key: shop.key });
    expect(gone.body.data).toEqual({ name: names.hand, languages: ["en_US"] });
    expect((await post({ ...parcel(), name: names.hand })).status).toBe(201);
  });

  test("a rule of test control decides about a name, and about no message", () => {
    const control = new SimulatorControl();
    const effect = { kind: "decide", event: "REJECTED", reason: "SCAM" } as const;
    control.addRule({ to: null, template: "deal", thread: null, times: 1, effect }, 0);
    expect(control.decisionFor("parcel", 0)).toBeNull();
    expect(control.decisionFor("deal", 0)).toEqual({ event: "REJECTED", reason: "SCAM" });
    expect(control.decisionFor("deal", 0)).toBeNull();
  });

  test("its table refuses what ours would let pass", () => {
    for (const { template, rule, max } of writtenLimits) {
      if (
        [
          "login_expiry",
          "name_too_long",
          "header_placeholders",
          "body_emoji",
          "ttl_range",
          "button_kind_too_many",
        ].includes(rule)
      )
        continue;
      const refusal = (count: number) => evaluateSubmission(template(count))?.code ?? null;
      expect([rule, refusal(max), refusal(max + 1)]).toEqual([rule, null, expect.any(String)]);
    }
  });
});
