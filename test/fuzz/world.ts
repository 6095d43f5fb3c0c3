/**
 * The server that is fuzzed, with customers and data of every kind, so that requests find existing rows. Its network is
 * the simulator, which counts the sends that it meant to refuse.
 */

import { systemRandom } from "#src/core/random.ts";
import { addField } from "#src/domain/contacts/custom-fields.ts";
import { saveGroup } from "#src/domain/filters/save-group.ts";
import { storeCallback } from "#src/domain/inbound/callbacks.ts";
import { findContentTemplate } from "#src/domain/messages/fill-template.ts";
import { addNumber } from "#src/domain/numbers/add.ts";
import { suspend } from "#src/domain/workspaces/update.ts";
import type { Network } from "#src/networks/network.ts";
import { createSimulator } from "#src/networks/simulator/simulator.ts";
import { TestClock } from "#test/support/clock.ts";
import { fakeNetwork } from "#test/support/fake-network.ts";
import { fillBucket, template, templates, unsupportedTemplates } from "#test/support/scenarios.ts";
import { startTestServer, type TestServer, type TestWorkspace } from "#test/support/server.ts";
import { storeMedium } from "#test/support/stored-medium.ts";

export interface FuzzWorld extends AsyncDisposable {
  app: TestServer;
  /** Keys to draw from: mostly the first. */
  keys: readonly string[];
  /** Cursors from list answers. */
  cursors: readonly string[];
  /** How many sends the network has refused or left unanswered so far. */
  meant(): number;
}

/** More than one page of each list. */
const PEOPLE = 120;

export async function startFuzzWorld(): Promise<FuzzWorld> {
  const clock = new TestClock();
  let meantCount = 0;
  let app: TestServer | null = null;
  const simulator = createSimulator({
    clock,
    random: systemRandom,
    times: { deliverAfterMs: 1_000, readAfterMs: 3_000, noAnswerAfterMs: 1_000 },
    callBack: (callbacks) =>
      void app?.store.write((tx) => {
        for (const { body, dueAt } of callbacks) storeCallback(tx, "simulator", body, dueAt);
      }),
    findApproved: ({ sender, content }) =>
      app?.store.read((tx) => findContentTemplate(tx, sender.phoneNumberId, content)) ?? null,
  });
  const network: Network = {
    ...simulator,
    // The simulator keeps whom it blocks in a server's own database.
    blocks: fakeNetwork().blocks,
    async send(outbound, timeoutMs) {
      const outcome = await simulator.send(outbound, timeoutMs);
      if (outcome.kind !== "accepted" && outcome.kind !== "throttled") meantCount += 1;
      return outcome;
    },
  };
  app = await startTestServer({ clock, networks: { simulator: network } });
  const shop = await app.workspace({ billing: { rate: 8_500, balance: 1_000_000_000_000 }, throughput: 100_000 });
  const capped = await app.workspace({ number: "+911244001101", country: "DE", dailyCap: 20 });
  const poor = await app.workspace({ number: "+911244001102", billing: { rate: 8_500, balance: 100_000 } });
  const suspended = await app.workspace({ number: "+911244001103" });
  const closed = await app.workspace({ number: "+911244001104", apiEnabled: false });
  const numberless = await app.workspace({ number: null, country: "US", timezone: "America/New_York" });
  for (const workspace of [shop, capped, poor, suspended]) await furnish(app, workspace);
  await app.store.write((tx) => {
    suspend(tx, suspended.id, "unpaid");
    const route = { network: "simulator" } as const;
    addNumber(tx, capped.id, { phone: "+911244001199", name: "Second", throughput: 1_000, route });
  });
  const cursors = await fill(app, shop);
  const all = [shop, capped, poor, suspended, closed, numberless];
  return {
    app,
    keys: all.map(({ key }) => key),
    cursors,
    meant: () => meantCount,
    [Symbol.asyncDispose]: app[Symbol.asyncDispose].bind(app),
  };
}

/** Scheduled messages, which have the first ids. */
const SCHEDULED = 20;

async function furnish(app: TestServer, workspace: TestWorkspace): Promise<void> {
  const otp = template(
    "code",
    [
      { type: "BODY", text: "{{1}} is your code." },
      { type: "BUTTONS", buttons: [{ type: "OTP", otp_type: "COPY_CODE", text: "Copy" }] },
    ],
    { category: "AUTHENTICATION" },
  );
  for (const one of [...Object.values(templates), ...Object.values(unsupportedTemplates), otp]) {
    await app.template(workspace, one);
  }
  await app.template(workspace, { ...templates.shipped, language: "hi" });
  await app.template(workspace, template("resting", [{ type: "BODY", text: "x" }]), "PAUSED");
  await app.template(workspace, template("refused", [{ type: "BODY", text: "x" }]), "REJECTED");
  await app.store.write((tx) => {
    addField(tx, workspace.id, { key: "tier", label: "Tier", kind: "choice", choices: ["gold", "silver"] });
    addField(tx, workspace.id, { key: "points", label: "Points", kind: "number", choices: [] });
    addField(tx, workspace.id, { key: "joined", label: "Joined", kind: "date", choices: [] });
    addField(tx, workspace.id, { key: "vip", label: "VIP", kind: "boolean", choices: [] });
    addField(tx, workspace.id, { key: "note", label: "Note", kind: "text", choices: [] });
    saveGroup(tx, workspace.id, { name: "In Pune", filter: { field: "city", is: "Pune" } });
    saveGroup(tx, workspace.id, { name: "Birthdays", filter: { field: "birthday", within_days: 0 } });
  });
}

/**
 * Creates more than a page of contacts, groups, opt-outs and broadcasts, and returns the cursors to their next pages.
 */
async function fill(app: TestServer, shop: TestWorkspace): Promise<string[]> {
  const { key } = shop;
  const digits = (index: number): string => String(index).padStart(3, "0");
  for (let index = 0; index < PEOPLE; index++) {
    const phone = encodeURIComponent(`+91987654${digits(index)}0`);
    const body = { name: `Person ${index}`, city: "Pune", birthday: "--11-21", add_to_groups: [`Group ${index % 60}`] };
    await app.call("PUT", `/api/v1/contacts/${phone}`, { key, body });
    if (index % 2 === 0) await app.call("POST", `/api/v1/contacts/${phone}/opt-out`, { key });
  }
  // The first ids belong to single messages: the API does not show a recipient of a broadcast as one.
  for (let index = 0; index < SCHEDULED; index++) {
    const body = { to: "+919876540130", template: "plain", send_at: "2027-01-15T10:00:00Z" };
    await app.send("POST", "/api/v1/messages", { key, body });
  }
  await fillBucket(app, shop);
  for (let index = 0; index < 45; index++) {
    await app.call("POST", "/api/v1/messages", { key, body: { to: `+91987652${digits(index)}0`, template: "plain" } });
  }
  const to = ["+919876540010", "+919876540030"];
  for (let index = 0; index < 55; index++) {
    await app.call("POST", "/api/v1/broadcasts", { key, body: { name: `B ${index}`, template: "plain", to } });
  }
  const many = Array.from({ length: 110 }, (_, index) => `+91987653${digits(index)}0`);
  await app.call("POST", "/api/v1/broadcasts", { key, body: { name: "Many", template: "plain", to: many } });
  // A contact who has written, so that free text may be sent.
  await app.inbound(shop, "+919876540130", "Hello");
  for (let index = 0; index < 45; index++) {
    await app.inbound(shop, "+919876540130", `Picture ${index}`);
    const { id } = app.store.client.prepare("SELECT max(id) AS id FROM inbounds").get() as { id: number };
    storeMedium(app, shop.id, id, `file${index}`);
  }
  const cursors: string[] = [];
  for (const list of ["/contacts", "/opt-outs", "/broadcasts", "/groups", "/broadcasts/56/recipients"]) {
    const answer = await app.call("GET", `/api/v1${list}`, { key });
    if (typeof answer.body.meta?.next === "string") cursors.push(answer.body.meta.next);
  }
  if (cursors.length < 5) throw new Error("a list has no second page to fuzz");
  await app.clock.advance(10_000);
  return cursors;
}
