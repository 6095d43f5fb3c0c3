/**
 * `bun run pictures:inbound DIR [WORDS]` plays every kind of `test/support/inbound-kinds.ts` into a server with the
 * simulator and takes pictures of each in the console: light and dark, 1440 and 390 px wide, with its files fetched.
 * `index.html` has what the API and the webhook show beside them. WORDS selects the kinds whose name contains one of
 * them. Exits with 1 if axe finds something serious, a page scrolls sideways, or the browser logs a problem.
 */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { openStore } from "#src/db/store.ts";
import { storeCallback } from "#src/domain/inbound/callbacks.ts";
import { findHistoryImport } from "#src/domain/inbound/history-import.ts";
import { listNumbers } from "#src/domain/numbers/read.ts";
import { sampleId } from "#src/networks/simulator/media.ts";
import { samples } from "#src/networks/simulator/samples.ts";
import { axeFindings, watch } from "#test/support/browser.ts";
import { type Scenario, startScenario } from "#test/support/browser-scenario.ts";
import { exampleWorld, type InboundKind, inboundKinds } from "#test/support/inbound-kinds.ts";
import { readOptions } from "#test/support/options.ts";
import { startReceiver } from "#test/support/receiver.ts";

const OWN = "+911244001100";
/** The messages of a kind lie this far back, so that none is in the future. */
const AGO_MS = 10 * 60_000;

interface Pictured {
  kind: InboundKind;
  /** The events as webhooks carried them. */
  events: unknown[];
  contact: unknown;
}

async function main([directory, ...words]: string[]): Promise<void> {
  if (directory === undefined) throw new Error("say where: bun run pictures:inbound DIR");
  mkdirSync(directory, { recursive: true });
  await using receiver = startReceiver();
  await using scenario = await startScenario();
  const { app } = scenario;
  await scenario.command("number add --workspace 1 --network simulator --phone", OWN, "--name", "Corner Shop");
  await scenario.template({ name: "greeting", language: "en", category: "UTILITY", text: "Hello" });
  await scenario.command("webhook set --workspace 1 --url", receiver.url);
  const { key } = await scenario.command("key create --workspace 1 --name pictures");
  const views = await openViews(scenario);
  const chosen = inboundKinds.filter(({ name }) => words.length === 0 || words.some((word) => name.includes(word)));
  const pictured: Pictured[] = [];
  for (const [index, kind] of chosen.entries()) {
    const person = `9198765${String(index).padStart(5, "0")}`;
    const before = receiver.received.length;
    await play(scenario, kind, person);
    const path = await place(scenario, kind, person);
    for (const { page, name } of views) {
      await page.goto(`${app.url}/console/w/1/${path}`);
      await page.getByRole("main").waitFor();
      await page.waitForLoadState("networkidle");
      await page.screenshot({ path: join(directory, `${kind.name}-${name}.png`) });
      const where = `${kind.name}-${name}`;
      for (const found of await axeFindings(page)) scenario.troubles.push(`${where}: ${found}`);
      if (await page.evaluate("document.documentElement.scrollWidth > innerWidth"))
        scenario.troubles.push(`${where}: the page scrolls sideways`);
    }
    while (receiver.received.length < before + kind.events.length) await Bun.sleep(20);
    const answer = await fetch(`${app.url}/api/v1/contacts/%2B${person}`, {
      headers: { authorization: `Bearer ${String(key)}` },
    });
    // Told of beside the kind's own: `media.stored`.
    const events = receiver.received.slice(before).map(({ event }) => event);
    pictured.push({ kind, events, contact: await answer.json() });
    console.log(kind.name);
  }
  writeFileSync(join(directory, "index.html"), renderPage(pictured));
  if (scenario.troubles.length > 0) {
    console.log(scenario.troubles.join("\n"));
    process.exitCode = 1;
  }
}

interface View {
  name: string;
  page: Page;
}

async function openViews(scenario: Scenario): Promise<View[]> {
  const storageState = await scenario.context.storageState();
  const views: View[] = [];
  for (const colorScheme of ["light", "dark"] as const) {
    for (const [width, height] of [
      [1440, 860],
      [390, 844],
    ] as const) {
      const context = await scenario.browser.newContext({
        ...{ viewport: { width, height }, colorScheme, storageState },
        ...{ reducedMotion: "reduce", locale: "en-GB", timezoneId: "Asia/Kolkata" },
      });
      await watch(context, scenario.troubles);
      views.push({ name: `${colorScheme}-${width}`, page: await context.newPage() });
    }
  }
  return views;
}

/** Names files that the simulated network has; Meta's examples name files of Meta's. */
function withSamples(value: unknown, unique: string): unknown {
  if (Array.isArray(value)) return value.map((one, index) => withSamples(one, `${unique}.${index}`));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => {
      const isFile = name in samples && typeof inner === "object" && inner !== null && "sha256" in inner;
      return [name, isFile ? { ...inner, id: sampleId(name, unique) } : withSamples(inner, `${unique}.${name}`)];
    }),
  );
}

/** Puts the callbacks into the queue of the running server, and waits until they are applied. */
async function play({ app }: Scenario, kind: InboundKind, person: string): Promise<void> {
  const store = openStore(join(app.directory, "waxwing.db"), { busyTimeoutMs: 5_000 });
  try {
    await store.write((tx) => {
      const [number] = listNumbers(tx, 1);
      if (number === undefined) throw new Error("the number is missing");
      const { phoneNumberId, accountId } = number;
      const world = { ...exampleWorld(person, OWN.slice(1), Date.now() - AGO_MS), phoneNumberId };
      const metadata = { display_phone_number: OWN.slice(1), phone_number_id: phoneNumberId };
      for (const { field, value } of kind.play(world)) {
        const change = { field, value: { messaging_product: "whatsapp", metadata, ...value } };
        const body = {
          object: "whatsapp_business_account",
          entry: [{ id: accountId, changes: [withSamples(change, person)] }],
        };
        storeCallback(tx, "simulator", JSON.stringify(body));
      }
    });
    const isDone = (): boolean =>
      store.read(({ db }) => db.get<{ open: number }>("SELECT count(*) AS open FROM callbacks WHERE done_at IS NULL"))
        ?.open === 0;
    while (!isDone()) await Bun.sleep(50);
    const isFetched = (): boolean =>
      store.read(({ db }) => db.get<{ open: number }>("SELECT count(*) AS open FROM media WHERE state = 'pending'"))
        ?.open === 0;
    while (!isFetched()) await Bun.sleep(50);
    if (kind.name === "history-declined" && store.read((tx) => findHistoryImport(tx, 1)) === undefined)
      throw new Error("the refusal was not stored");
  } finally {
    store.close();
  }
}

/** Where the console shows it: the conversation, the contact or the number. */
async function place(scenario: Scenario, kind: InboundKind, person: string): Promise<string> {
  if (kind.name === "history-declined") return "numbers?open=1";
  if (kind.items.length === 0) return `contacts?open=%2B${person}`;
  const { data } = await scenario.read<{ data: { contact_id: number }[] }>("/inbox");
  const newest = data.toSorted((one, other) => other.contact_id - one.contact_id)[0];
  return `inbox?person=${newest?.contact_id ?? 0}`;
}

function renderPage(pictured: readonly Pictured[]): string {
  const json = (value: unknown): string =>
    `<pre>${JSON.stringify(value, null, 2).replaceAll("&", "&amp;").replaceAll("<", "&lt;")}</pre>`;
  const sections = pictured.map(
    ({ kind, events, contact }) => `<section><h2>${kind.says}</h2><p>Form: ${kind.source}.</p>
<img src="${kind.name}-light-1440.png" alt="The console" width="885">
<img src="${kind.name}-light-390.png" alt="On a phone" width="390"><img src="${kind.name}-dark-390.png" alt="On a phone, dark" width="390">
<h3>Webhook</h3>${events.length === 0 ? "<p>None.</p>" : events.map(json).join("")}
<h3>API: the contact</h3>${json(contact)}</section>`,
  );
  return `<!doctype html><meta charset="utf-8"><title>What people write</title>
<style>body{font:15px system-ui;max-width:60rem;margin:2rem auto}pre{background:#f4f4f4;padding:1rem;overflow:auto}img{border:1px solid #ccc}</style>
<h1>What people write, and what other senders do</h1>${sections.join("\n")}\n`;
}

const { positionals } = readOptions(
  {
    call: "bun run pictures:inbound",
    about: "Takes pictures of everything that a person can send, as the console shows it.",
    names: { called: "DIR", about: "where the pictures go; then words that the names of the wanted kinds contain" },
  },
  {},
);
await main([...positionals]);
