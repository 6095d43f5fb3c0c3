/**
 * Shared by the tests of broadcasts: a shop whose network answers as the test says, and functions that read the
 * results.
 */
import { expect } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { asc, eq } from "drizzle-orm";
import { credit } from "#src/domain/billing/account.ts";
import { pauseBroadcast, resumeManually } from "#src/domain/broadcasts/pause.ts";
import { getBroadcast } from "#src/domain/broadcasts/read.ts";
import type { Broadcast } from "#src/domain/broadcasts/table.ts";
import type { FieldKind } from "#src/domain/contacts/custom-field.ts";
import { addField } from "#src/domain/contacts/custom-fields.ts";
import { createGroup } from "#src/domain/groups/create.ts";
import { getCounters } from "#src/domain/messages/adjust-counters.ts";
import type { FailureScope } from "#src/domain/messages/failure.ts";
import { type BroadcastCounters, type Message, messages } from "#src/domain/messages/table.ts";
import { decideByName } from "#src/domain/templates/decide.ts";
import type { TemplateStatus } from "#src/domain/templates/template.ts";
import type { OutboundMessage } from "#src/networks/network.ts";
import { failureOf } from "#src/networks/whatsapp/errors.ts";
import { TestClock } from "./clock.ts";
import { putContactOf } from "./contacts.ts";
import { type FakeNetwork, fakeNetwork, networkIdOf } from "./fake-network.ts";
import { type ReportedStatus, reportStatus } from "./report.ts";
import {
  type Answered,
  startTestServer,
  type TestServer,
  type TestServerOptions,
  type TestWorkspace,
} from "./server.ts";
import { orderShipped, summerSale } from "./templates.ts";

export const RATE = 8_500;
export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;

/** Workspace settings for tests of money: a price per message and an ample balance. */
export const charged = { billing: { rate: RATE, balance: 1_000_000 } };

export const greeting = {
  name: "greeting",
  language: "en_US",
  category: "MARKETING",
  components: [{ type: "BODY", text: "Hi {{1}}." }],
};

export const pictured = {
  name: "pictured",
  language: "en_US",
  category: "UTILITY",
  components: [
    { type: "HEADER", format: "IMAGE" },
    { type: "BODY", text: "Look." },
  ],
};

export interface Scenario extends AsyncDisposable {
  app: TestServer;
  network: FakeNetwork;
  shop: TestWorkspace;
}

/** A server with a fake network, a shop, and four templates: a notice, an offer, a greeting with a name, a picture. */
export async function startScenario(
  settings: Parameters<TestServer["workspace"]>[0] = {},
  options: TestServerOptions = {},
): Promise<Scenario> {
  const network = fakeNetwork();
  const app = await startTestServer({ ...options, networks: { simulator: network } });
  const shop = await app.workspace(settings);
  for (const template of [orderShipped, summerSale, greeting, pictured]) await app.template(shop, template);
  return { app, network, shop, [Symbol.asyncDispose]: () => app[Symbol.asyncDispose]() };
}

/** Stops the server of a scenario that was given a directory, and starts another on it `laterMs` later. */
export async function restart(scenario: Scenario, laterMs: number, options: TestServerOptions = {}): Promise<Scenario> {
  await scenario.app.stop();
  return startAgain(scenario, scenario.app.directory, laterMs, options);
}

/** Starts another server on a directory: that of a stopped scenario, or what a crash left of one. */
export async function startAgain(
  { app: before, network, shop }: Scenario,
  directory: string,
  laterMs: number,
  options: TestServerOptions = {},
): Promise<Scenario> {
  const clock = new TestClock(before.clock.now() + laterMs);
  const app = await startTestServer({ ...options, directory, clock, networks: { simulator: network } });
  await app.clock.advance(0);
  return { app, network, shop, [Symbol.asyncDispose]: () => app[Symbol.asyncDispose]() };
}

/** A directory that outlives the servers on it. */
export function keptDirectory(): { directory: string } & Disposable {
  const directory = mkdtempSync(join(tmpdir(), "waxwing-broadcasts-"));
  return { directory, [Symbol.dispose]: () => rmSync(directory, { recursive: true, force: true }) };
}

/** Distinct recipients: Indian numbers. */
export function phones(count: number, from = 0): string[] {
  return Array.from({ length: count }, (_, index) => `+91987650${String(from + index).padStart(4, "0")}`);
}

/** The body of a broadcast without template variables. */
export function notice(to: readonly string[], more: Record<string, unknown> = {}): Record<string, unknown> {
  return { name: "Notice", template: orderShipped.name, to, ...more };
}

export function offer(to: readonly string[], more: Record<string, unknown> = {}): Record<string, unknown> {
  return { name: "Offer", template: summerSale.name, to, ...more };
}

export function post(
  { app, shop }: Scenario,
  body: unknown,
  key?: string,
  path = "/api/v1/broadcasts",
): Promise<Answered> {
  return app.call("POST", path, {
    key: shop.key,
    body,
    ...(key === undefined ? {} : { headers: { "idempotency-key": key } }),
  });
}

/** Creates a broadcast and returns its id; no time has passed since. */
export async function create(scenario: Scenario, body: unknown): Promise<number> {
  const answer = await post(scenario, body);
  if (answer.status !== 202) throw new Error(`not taken on: ${answer.text}`);
  return answer.body.data.id;
}

/** Creates a broadcast and lets one second pass. */
export async function run(scenario: Scenario, body: unknown): Promise<number> {
  const id = await create(scenario, body);
  await scenario.app.clock.advance(SECOND);
  return id;
}

/** Moves time forward until the network has been sent `count` messages, and no further. */
export async function untilSent({ app, network }: Scenario, count: number): Promise<void> {
  for (let step = 0; network.sent.length < count; step++) {
    if (step === 1_000) throw new Error(`only ${network.sent.length} of ${count} were sent`);
    await app.clock.advance(step === 0 ? 0 : 100);
  }
}

// biome-ignore lint/suspicious/noExplicitAny: tests read answers member by member; a missing member fails the assertion.
export async function show({ app, shop }: Scenario, id: number): Promise<any> {
  const answer = await app.call("GET", `/api/v1/broadcasts/${id}`, { key: shop.key });
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.body.data;
}

/** One page. */
export async function recipients(
  { app, shop }: Scenario,
  id: number,
  query = "",
): Promise<{ to: string; status: string; reason: string | null; sent_at: string | null }[]> {
  const answer = await app.call("GET", `/api/v1/broadcasts/${id}/recipients${query}`, { key: shop.key });
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.body.data;
}

/** `[status, reason]` of each recipient, in the order addressed. */
export async function fates(scenario: Scenario, id: number): Promise<[string, string | null][]> {
  return (await recipients(scenario, id)).map(({ status, reason }) => [status, reason]);
}

export function cancel({ app, shop }: Scenario, id: number): Promise<Answered> {
  return app.call("POST", `/api/v1/broadcasts/${id}/cancel`, { key: shop.key });
}

/** Expects that the counts of all states add up: `total` = sent + failed + skipped + pending. */
export async function expectClosed(scenario: Scenario, id: number): Promise<void> {
  const { counts } = await show(scenario, id);
  const pending = (
    await scenario.app.call("GET", `/api/v1/broadcasts/${id}/recipients?status=pending`, { key: scenario.shop.key })
  ).body.meta.total;
  if (counts.total !== counts.sent + counts.failed + counts.skipped + pending)
    throw new Error(`the counts do not close: ${JSON.stringify(counts)}, ${pending} to go`);
  if (counts.read > counts.delivered || counts.delivered > counts.sent)
    throw new Error(`the counts are no funnel: ${JSON.stringify(counts)}`);
}

export function broadcastOf({ app }: Scenario, id: number): Broadcast {
  return app.store.read((tx) => getBroadcast(tx, id));
}

export function countersOf({ app }: Scenario, id: number): BroadcastCounters {
  return app.store.read((tx) => getCounters(tx, id));
}

export function rowsOf({ app }: Scenario, id: number): Message[] {
  return app.store.read(({ db }) =>
    db.select().from(messages).where(eq(messages.broadcastId, id)).orderBy(asc(messages.id)).all(),
  );
}

export async function pause({ app }: Scenario, id: number): Promise<void> {
  await app.store.write((tx) => void pauseBroadcast(tx, getBroadcast(tx, id), "manual", "paused by hand"));
}

/** Resumes it as `waxwing broadcast resume` does. `sendUnknown`: the decision about recipients that may have been sent to since a backup. */
export async function resume({ app }: Scenario, id: number, sendUnknown: boolean | null = null): Promise<void> {
  await app.store.write((tx) => void resumeManually(tx, getBroadcast(tx, id), sendUnknown));
  await app.clock.advance(0);
}

export async function decide({ app, shop }: Scenario, name: string, status: TemplateStatus): Promise<void> {
  await app.store.write((tx) => void decideByName(tx, shop.id, name, "en_US", status, null));
  await app.clock.advance(0);
}

export async function pay({ app, shop }: Scenario, amount: number): Promise<void> {
  await app.store.write((tx) => void credit(tx, shop.id, { amount, note: null, ref: null }));
  await app.clock.advance(0);
}

/** A contact through the API. */
export async function put({ app, shop }: Scenario, phone: string, body: Record<string, unknown>): Promise<void> {
  const answer = await putContactOf(app, shop, phone, body);
  if (answer.status >= 300) throw new Error(answer.text);
}

/** Creates a static group of contacts with the given consent through the API. Returns its id. */
export async function list(scenario: Scenario, people: readonly string[], consent = "opted_in"): Promise<number> {
  const { app, shop } = scenario;
  for (const phone of people) {
    await put(scenario, phone, { ...(consent === "" ? {} : { consent }), add_to_groups: ["Regulars"] });
  }
  const { body } = await app.call("GET", "/api/v1/groups", { key: shop.key });
  return body.data[0].id;
}

/** Creates a dynamic group. Returns its id. */
export async function search({ app, shop }: Scenario, filter: unknown, name = "Search"): Promise<number> {
  return app.store.write((tx) => createGroup(tx, shop.id, { name, checkedFilter: filter }).id);
}

export async function field({ app, shop }: Scenario, key: string, kind: FieldKind = "text"): Promise<void> {
  await app.store.write((tx) => void addField(tx, shop.id, { key, label: key, kind, choices: [] }));
}

/** A refusal with this scope, and with what else the WhatsApp connector makes of the code. */
export function refusal(code: string, scope: FailureScope) {
  const failure = failureOf({ code: Number(code), subcode: null, details: null });
  return { ...failure, kind: "refused", message: `The network said ${code}.`, scope } as const;
}

/** The network reports a status for each of these messages, in one body. */
export async function report(
  { app, shop }: Scenario,
  outbounds: readonly OutboundMessage[],
  status: ReportedStatus["status"],
  code?: number,
): Promise<void> {
  await reportStatus(
    app,
    shop,
    ...outbounds.map((outbound) => ({
      id: networkIdOf(outbound),
      status,
      sendToken: outbound.sendToken,
      ...(code === undefined ? {} : { code }),
    })),
  );
}

/** The values of a sent template's body. */
export function valuesOf({ content }: OutboundMessage): string[] {
  if (content.type !== "template") throw new Error("this is no template");
  return content.body.map(({ text }) => text);
}

/** The broadcast's status and the reason for it. */
export const state = async (scenario: Scenario, id: number): Promise<[string, string | null]> => {
  const { status, status_reason } = await show(scenario, id);
  return [status, status_reason];
};

/** A broadcast with one message sent, and four pending at one a second. */
export async function underWay(settings: Parameters<typeof startScenario>[0] = {}): Promise<Scenario & { id: number }> {
  const scenario = await startScenario({ throughput: 1, ...settings });
  const id = await create(scenario, notice(phones(5)));
  await untilSent(scenario, 1);
  return { ...scenario, id };
}

/** Expects that it is completed and that no recipient was sent to twice. */
export async function expectAllSentOnce(scenario: Scenario, id: number, count: number): Promise<void> {
  expect(await show(scenario, id)).toMatchObject({ status: "completed", status_reason: null, counts: { sent: count } });
  const taken = scenario.network.sent.map(({ to }) => to);
  expect(new Set(taken).size).toBe(count);
  await expectClosed(scenario, id);
}
