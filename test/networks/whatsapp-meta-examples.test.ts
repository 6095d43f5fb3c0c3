/**
 * Meta's own examples: our requests have the structure of theirs, we understand their answers, and we accept each of
 * their callbacks whole.
 */
import { describe, expect, test } from "bun:test";
import { systemClock } from "#src/core/clock.ts";
import type { Content, PlaceholderValue } from "#src/domain/messages/content.ts";
import { parseCallback } from "#src/networks/whatsapp/callback.ts";
import { createPayload } from "#src/networks/whatsapp/payload.ts";
import { createWhatsapp } from "#src/networks/whatsapp/whatsapp.ts";
import { graphAccount, graphNumber } from "#test/support/graph-account.ts";
import examples from "#test/support/meta-examples.json";
import { rows, startWhatsapp } from "#test/support/whatsapp.ts";

type Loose = Record<string, unknown>;

/** Members and kinds of values, without the values; for lists, of each element. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shapeOf);
  if (typeof value !== "object" || value === null) return typeof value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, shapeOf(member)]));
}

interface Parameter extends Loose {
  type: string;
}

interface ExampleComponent extends Loose {
  type: string;
  parameters: Parameter[];
}

interface Example extends Loose {
  type: string;
  template?: { name: string; language: { code: string; policy?: string }; components?: ExampleComponent[] };
  text?: { body: string };
}

const requests = examples.requests as unknown as Record<string, Example>;

/**
 * Differences that we allow: typed values may be sent as text (they carry their own fallback), a quick reply's payload
 * may be omitted (it is then the button's label), and so may a language's policy, which has only one value. Our
 * requests do all three.
 */
function asWeSend(example: Example): Example {
  const base = { recipient_type: "individual", ...example };
  const { template } = example;
  if (template?.components === undefined) return base;
  const components = template.components
    .filter((component) => component.sub_type !== "quick_reply")
    .map((component) => ({
      ...component,
      parameters: component.parameters.map((parameter) =>
        parameter.type === "currency" || parameter.type === "date_time" ? { type: "text", text: "x" } : parameter,
      ),
    }));
  const { policy: _, ...language } = template.language;
  return { ...base, template: { ...template, language, components } };
}

function contentOf(example: Example): Content {
  if (example.type === "text") return { type: "text", body: example.text?.body ?? "" };
  const { template } = example;
  const parametersOf = (type: string) => template?.components?.find((one) => one.type === type)?.parameters ?? [];
  const body = parametersOf("body").map((): PlaceholderValue => ({ name: null, text: "x" }));
  return {
    type: "template",
    name: template?.name ?? "",
    language: template?.language.code ?? "",
    header:
      parametersOf("header").length > 0 ? { type: "image", link: "https://x.example/y.jpg", filename: null } : null,
    body,
    oneTimePassword: null,
  };
}

test.each(Object.entries(requests))("our request has the structure of Meta's example: %s", (_, example) => {
  const ours = createPayload({
    to: "+16505551234",
    recipientNetworkUserId: null,
    sendToken: "r",
    content: contentOf(example),
  });
  const { biz_opaque_callback_data: sendToken, ...sent } = JSON.parse(JSON.stringify(ours)) as Loose;
  expect(sendToken).toBe("r");
  expect(shapeOf(sent)).toEqual(shapeOf(asWeSend(example)));
});

describe("an answer of Meta's examples is understood", () => {
  const SENDER = { phone: "+1", phoneNumberId: "106853218861309", accountId: "1", accessToken: "t" };

  async function answering<T>(
    body: unknown,
    status: number,
    ask: (network: ReturnType<typeof createWhatsapp>) => Promise<T>,
  ) {
    await using server = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: () => Response.json(body, { status }),
    }) as Bun.Server<undefined> & AsyncDisposable;
    const settings = {
      graphUrl: `http://127.0.0.1:${server.port}`,
      apiVersion: "v23.0",
      authHeader: "Authorization",
      authPrefix: "Bearer ",
      pathStyle: "graph" as const,
    };
    return await ask(createWhatsapp(settings, systemClock));
  }

  const isOk = (name: string) => name.startsWith("200");
  const of = (answers: Record<string, unknown>) => Object.entries(answers);

  test.each(of(examples.answers.number))("about a number: %s", async (name, body) => {
    const looked = await answering(body, Number(name.slice(0, 3)), (network) =>
      network.account === undefined ? Promise.reject() : network.account.fetchNumber(SENDER),
    );
    expect(looked.ok).toBe(isOk(name));
    if (looked.ok) expect(looked.value).toMatchObject({ phone: "15555555555", quality: "GREEN" });
    else expect(kindFor(name)).toContain(looked.failure.kind);
  });

  /** The meaning of each of Meta's example errors for a number. */
  function kindFor(name: string): string[] {
    if (name.startsWith("401")) return ["token"];
    if (name.startsWith("403")) return ["permission"];
    if (name.startsWith("404")) return ["number"];
    if (name.startsWith("429") || name.startsWith("500")) return ["later"];
    return ["other"];
  }

  test.each(of(examples.answers.phone_numbers).filter(([name]) => isOk(name)))("with numbers: %s", async (_, body) => {
    const listed = await answering(body, 200, (network) =>
      network.account === undefined ? Promise.reject() : network.account.listNumbers(SENDER),
    );
    expect(listed.ok && listed.value.length).toBe((body as { data: object[] }).data.length);
    expect(listed.ok && listed.value[0]).toMatchObject({ phoneNumberId: "1906385232743451", phone: "16315555555" });
  });

  test.each(of(examples.answers.message_templates).filter(([name]) => isOk(name)))(
    "with templates: %s",
    async (_, body) => {
      const listed = await answering(body, 200, (network) =>
        network.account === undefined ? Promise.reject() : network.account.listTemplates(SENDER),
      );
      expect(listed).toMatchObject({
        ok: true,
        value: [
          { name: "hello_world", language: "en_US", status: "APPROVED", category: "MARKETING" },
          {
            name: "2023_april_promo",
            components: [{ type: "HEADER" }, { type: "BODY" }, { type: "FOOTER" }, { type: "BUTTONS" }],
          },
        ],
      });
    },
  );

  test.each(of(examples.answers.subscribed_apps).filter(([name]) => isOk(name)))(
    "with subscribed apps: %s",
    async (_, body) => {
      const listed = await answering(body, 200, (network) =>
        network.account === undefined ? Promise.reject() : network.account.listSubscribedApps(SENDER),
      );
      expect(listed.ok && listed.value.length).toBe((body as { data: object[] }).data.length);
    },
  );

  test.each(of(examples.answers.subscribe).filter(([name]) => isOk(name)))("to a subscription: %s", async (_, body) => {
    const done = await answering(body, 200, (network) =>
      network.account === undefined ? Promise.reject() : network.account.subscribeApp(SENDER),
    );
    expect(done.ok).toBe(true);
  });

  test.each(of(examples.answers.messages).filter(([name]) => isOk(name)))("to a message: %s", async (_, body) => {
    const content = { type: "text", body: "x" } as const;
    const outbound = { sender: SENDER, to: "+1", recipientNetworkUserId: null, sendToken: "r", content };
    expect((await answering(body, 200, (network) => network.send(outbound, 5_000))).kind).toMatch(/accepted|unknown/);
    expect(isAnswerWithId(body)).toBe(
      (await answering(body, 200, (network) => network.send(outbound, 5_000))).kind === "accepted",
    );
  });

  /** Only an answer with the message's id proves acceptance: read receipts are answered at the same address. */
  function isAnswerWithId(body: unknown): boolean {
    return typeof (body as { messages?: [{ id?: unknown }] }).messages?.[0]?.id === "string";
  }
});

describe("a callback of Meta's examples", () => {
  test.each(Object.entries(examples.callbacks))("is read without a broken item: %s", (_, body) => {
    const reports = parseCallback(JSON.stringify(body));
    expect(reports.length).toBeGreaterThan(0);
    expect(reports.filter(({ kind }) => kind === "broken")).toEqual([]);
  });

  test("is accepted by the whole server, every one of them", async () => {
    const id = "106540352242922";
    const account = graphAccount({ numbers: [graphNumber(id, "+49 30 000000")] });
    await using world = await startWhatsapp({ account, number: { phoneNumberId: id } });
    const bodies = Object.values(examples.callbacks).map((body) => JSON.stringify(body));
    for (const body of bodies) expect(await world.hear(body)).toBe(200);
    await world.clock.advance(100);
    expect(rows(world.app.store, "SELECT note FROM callbacks WHERE note IS NOT NULL OR done_at IS NULL")).toEqual([]);
    // Some examples share an id; a change of number is stored like a message, so that it is applied once.
    const told = bodies
      .flatMap((body) => parseCallback(body))
      .flatMap((report) =>
        report.kind === "inbound" || report.kind === "number_change" ? [report.networkMessageId] : [],
      );
    const written = new Set(told);
    expect(rows(world.app.store, "SELECT id FROM inbounds")).toHaveLength(written.size);
  });
});
