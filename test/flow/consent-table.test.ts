/** Every row of the specification's table of consent, from every state, through the public interface. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { lookUpContact } from "#src/domain/contacts/find.ts";
import { optOut } from "#src/domain/contacts/opt-out.ts";
import { getWorkspace } from "#src/domain/workspaces/read.ts";
import { getContactOf, optOutOf, putContactOf, reportControl } from "#test/support/contacts.ts";
import { fakeNetwork } from "#test/support/fake-network.ts";
import { consentLogOf, contactOf, eventsOf } from "#test/support/rows.ts";
import { type Answered, startTestServer, type TestServer, type TestWorkspace } from "#test/support/server.ts";
import { orderShipped, summerSale } from "#test/support/templates.ts";

type State = "unknown" | "opted_in" | "opted_out";
const states: State[] = ["unknown", "opted_in", "opted_out"];

let app: TestServer;
let shop: TestWorkspace;
let personCount = 0;

beforeAll(async () => {
  app = await startTestServer({ networks: { simulator: fakeNetwork() } });
  shop = await app.workspace();
  for (const one of [orderShipped, summerSale]) await app.template(shop, one);
});
afterAll(() => app[Symbol.asyncDispose]());

/** A new contact in this state, recorded by the API a minute ago. */
async function somebody(state: State): Promise<string> {
  personCount += 1;
  const phone = `+9198765${String(personCount).padStart(5, "0")}`;
  await putContactOf(app, shop, phone, state === "unknown" ? {} : { consent: state });
  await app.clock.advance(60_000);
  return phone;
}

const send = (to: string, template: string): Promise<Answered> =>
  app.send("POST", "/api/v1/messages", { key: shop.key, body: { to, template } });

interface Trigger {
  does: (phone: string) => Promise<Answered | undefined>;
  to: Record<State, State>;
  source: string;
  /** The answer to a contact who is opted out, if it is a refusal. */
  isRefused?: true;
}

const optsOut = { unknown: "opted_out", opted_in: "opted_out", opted_out: "opted_out" } as const;
const optsIn = { unknown: "opted_in", opted_in: "opted_in", opted_out: "opted_out" } as const;
const lifts = { unknown: "unknown", opted_in: "opted_in", opted_out: "opted_in" } as const;
const nothing = { unknown: "unknown", opted_in: "opted_in", opted_out: "opted_out" } as const;

const triggers: Record<string, Trigger> = {
  "PUT with consent opted_in": {
    does: (phone) => putContactOf(app, shop, phone, { consent: "opted_in" }),
    to: optsIn,
    source: "api",
    isRefused: true,
  },
  "PUT with consent opted_out": {
    does: (phone) => putContactOf(app, shop, phone, { consent: "opted_out" }),
    to: optsOut,
    source: "api",
  },
  "PUT without consent": { does: (phone) => putContactOf(app, shop, phone, { city: "Pune" }), to: nothing, source: "" },
  "POST opt-out": { does: (phone) => optOutOf(app, shop, phone), to: optsOut, source: "api" },
  STOP: { does: (phone) => writes(phone, "STOP"), to: optsOut, source: "inbound_message" },
  "the network's control": {
    does: async (phone) => void (await reportControl(app, shop, { value: "stop", waId: phone.slice(1) })),
    to: optsOut,
    source: "inbound_message",
  },
  "the network's control, let go of": {
    does: async (phone) => void (await reportControl(app, shop, { value: "resume", waId: phone.slice(1) })),
    to: nothing,
    source: "",
  },
  "an opt-out by hand": { does: (phone) => byOperator(phone, "manual"), to: optsOut, source: "manual" },
  "an opt-out among many": { does: (phone) => byOperator(phone, "bulk"), to: optsOut, source: "bulk" },
  START: { does: (phone) => writes(phone, "START"), to: lifts, source: "inbound_message" },
  "any other word": { does: (phone) => writes(phone, "Please restart tomorrow"), to: nothing, source: "" },
  "a marketing template": { does: (phone) => send(phone, "summer_sale"), to: optsIn, source: "api", isRefused: true },
  "another template": { does: (phone) => send(phone, "order_shipped"), to: nothing, source: "", isRefused: true },
};

async function writes(phone: string, text: string): Promise<undefined> {
  await app.inbound(shop, phone, text);
  return undefined;
}

/** Opted out inside the server, as the console and bulk changes do it. */
async function byOperator(phone: string, source: "manual" | "bulk"): Promise<undefined> {
  await app.store.write((tx) => {
    const workspace = getWorkspace(tx, shop.id);
    const person = lookUpContact(tx, shop.id, phone, workspace.country);
    if (person !== null) optOut(tx, workspace, person, { source, evidence: {} });
  });
  return undefined;
}

for (const [name, { does, to, source, isRefused }] of Object.entries(triggers)) {
  describe(name, () => {
    for (const from of states) {
      const became = to[from];
      test(`${from} → ${became === from ? "unchanged" : became}`, async () => {
        const phone = await somebody(from);
        const before = (await getContactOf(app, shop, phone)).body.data.consent;
        const [logged, told] = [consentLogOf(app).length, eventsOf(app, shop).length];
        const answer = await does(phone);
        if (answer !== undefined) {
          const isRefusal = isRefused === true && from === "opted_out";
          expect([answer.status, answer.body.error?.code]).toEqual(
            isRefusal ? [422, "opted_out"] : [answer.body.data?.id === undefined ? 200 : 201, undefined],
          );
          if (isRefusal) expect(answer.body.error.since).toBe(before.at);
        }
        const after = (await getContactOf(app, shop, phone)).body.data.consent;
        expect(after.status).toBe(became);
        const events = eventsOf(app, shop)
          .slice(told)
          .filter(({ type }) => type.startsWith("contact."));
        if (became === from) {
          expect(after).toEqual(before);
          expect(consentLogOf(app)).toHaveLength(logged);
          expect(events).toEqual([]);
          return;
        }
        expect(after.source).toBe(source);
        expect(consentLogOf(app).slice(logged)).toMatchObject([{ was: from, became, source: source as "api" }]);
        const isEvent = became === "opted_out" || from === "opted_out";
        expect(events.map(({ type, data }) => [type, data.contact.phone, data.contact.consent])).toEqual(
          isEvent ? [[`contact.${became}`, phone, after]] : [],
        );
      });
    }
  });
}

describe("the network's marketing preference", () => {
  const press = (phone: string, value: "stop" | "resume", at?: number) =>
    reportControl(app, shop, { value, waId: phone.slice(1), ...(at === undefined ? {} : { at }) });

  test("lifts the opt-out that it made, and emits the event", async () => {
    const phone = await somebody("opted_in");
    await press(phone, "stop");
    expect(contactOf(app, phone).consent).toBe("opted_out");
    await app.clock.advance(60_000);
    await press(phone, "resume");
    expect(contactOf(app, phone)).toMatchObject({ consent: "opted_in", consentSource: "inbound_message" });
    expect(
      eventsOf(app, shop)
        .slice(-2)
        .map(({ type }) => type),
    ).toEqual(["contact.opted_out", "contact.opted_in"]);
  });

  test("does not lift an opt-out that STOP had made before", async () => {
    const phone = await somebody("unknown");
    await app.inbound(shop, phone, "STOP");
    await press(phone, "stop");
    await app.clock.advance(60_000);
    await press(phone, "resume");
    expect(contactOf(app, phone).consent).toBe("opted_out");
  });

  const otherwise: Record<string, (phone: string) => Promise<unknown>> = {
    STOP: (phone) => app.inbound(shop, phone, "STOP"),
    "a call of the API": (phone) => optOutOf(app, shop, phone),
    "a PUT": (phone) => putContactOf(app, shop, phone, { consent: "opted_out" }),
  };
  for (const [what, refuse] of Object.entries(otherwise)) {
    test(`lifts nothing once ${what} has refused as well: date and source stay, and no event is emitted`, async () => {
      const phone = await somebody("unknown");
      await press(phone, "stop");
      const first = contactOf(app, phone);
      const told = eventsOf(app, shop).filter(({ type }) => type !== "message.received").length;
      await app.clock.advance(60_000);
      for (let time = 0; time < 2; time++) await refuse(phone);
      await press(phone, "stop");
      await app.clock.advance(60_000);
      await press(phone, "resume");
      const { consent, consentAt, consentSource } = contactOf(app, phone);
      expect({ consent, consentAt, consentSource }).toEqual({
        consent: "opted_out",
        consentAt: first.consentAt,
        consentSource: "inbound_message",
      });
      expect(eventsOf(app, shop).filter(({ type }) => type !== "message.received")).toHaveLength(told);
      const log = consentLogOf(app).filter(({ contactId }) => contactId === first.id);
      expect(log.map(({ was, became }) => [was, became])).toEqual([
        ["unknown", "opted_out"],
        ["opted_out", "opted_out"],
      ]);
      await app.inbound(shop, phone, "START");
      expect(contactOf(app, phone).consent).toBe("opted_in");
      await press(phone, "stop");
      await app.clock.advance(60_000);
      await press(phone, "resume");
      expect(contactOf(app, phone).consent).toBe("opted_in");
    });
  }

  test("still lifts its opt-out when the person had taken an earlier STOP back", async () => {
    const phone = await somebody("unknown");
    const now = app.clock.now();
    await app.inbound(shop, phone, "START", now - 30_000);
    await press(phone, "stop", now);
    await app.inbound(shop, phone, "STOP", now - 60_000);
    await app.clock.advance(60_000);
    await press(phone, "resume");
    expect(contactOf(app, phone).consent).toBe("opted_in");
  });

  test("lifts nothing when the resume is older than its stop", async () => {
    const phone = await somebody("unknown");
    const now = app.clock.now();
    await press(phone, "stop", now);
    await press(phone, "resume", now - 5_000);
    await press(phone, "resume", now);
    expect(contactOf(app, phone).consent).toBe("opted_out");
  });
});
