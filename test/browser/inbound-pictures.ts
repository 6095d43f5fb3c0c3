/**
 * `bun run pictures:inbound DIR [WORDS]` plays every kind of `test/support/inbound-kinds.ts` into a server with the
 * simulator and takes a picture of each in the console, with what the API and the webhook show beside it in
 * `index.html`. WORDS selects the kinds whose name contains one of them. Exits with 1 if the browser logs a problem.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openStore } from "#src/db/store.ts";
import { storeCallback } from "#src/domain/inbound/callbacks.ts";
import { findHistoryImport } from "#src/domain/inbound/history-import.ts";
import { listNumbers } from "#src/domain/numbers/read.ts";
import { watch } from "#test/support/browser.ts";
import { type Scenario, startScenario } from "#test/support/browser-scenario.ts";
import { exampleWorld, type InboundKind, inboundKinds } from "#test/support/inbound-kinds.ts";
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
  await scenario.prepare("POST", "/templates", {
    name: "greeting",
    language: "en",
    category: "UTILITY",
    header_kind: "none",
    header: "",
    body: "Hello",
    footer: "",
    buttons: [],
    status: "APPROVED",
  });
  await scenario.command("webhook set --workspace 1 --url", receiver.url);
  const { key } = await scenario.command("key create --workspace 1 --name pictures");
  const context = await scenario.browser.newContext({
    viewport: { width: 1440, height: 860 },
    reducedMotion: "reduce",
    locale: "en-GB",
    timezoneId: "Asia/Kolkata",
    storageState: await scenario.context.storageState(),
  });
  await watch(context, scenario.troubles);
  const page = await context.newPage();
  const chosen = inboundKinds.filter(({ name }) => words.length === 0 || words.some((word) => name.includes(word)));
  const pictured: Pictured[] = [];
  for (const [index, kind] of chosen.entries()) {
    const person = `9198765${String(index).padStart(5, "0")}`;
    const before = receiver.received.length;
    await play(scenario, kind, person);
    const path = await place(scenario, kind, person);
    await page.goto(`${app.url}/console/w/1/${path}`);
    await page.getByRole("main").waitFor();
    await page.waitForLoadState("networkidle");
    await page.screenshot({ path: join(directory, `${kind.name}.png`) });
    while (receiver.received.length < before + kind.events.length) await Bun.sleep(20);
    const answer = await fetch(`${app.url}/api/v1/contacts/%2B${person}`, {
      headers: { authorization: `Bearer ${String(key)}` },
    });
    const events = receiver.received.slice(before).map(({ event }) => event);
    pictured.push({ kind, events, contact: await answer.json() });
    console.log(`${kind.name}.png`);
  }
  writeFileSync(join(directory, "index.html"), renderPage(pictured));
  if (scenario.troubles.length > 0) {
    console.log(scenario.troubles.join("\n"));
    process.exitCode = 1;
  }
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
        const body = { object: "whatsapp_business_account", entry: [{ id: accountId, changes: [change] }] };
        storeCallback(tx, "simulator", JSON.stringify(body));
      }
    });
    const isDone = (): boolean =>
      store.read(({ db }) => db.get<{ open: number }>("SELECT count(*) AS open FROM callbacks WHERE done_at IS NULL"))
        ?.open === 0;
    while (!isDone()) await Bun.sleep(50);
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
  const { data } = await scenario.read<{ data: { contact_id: number }[] }>("/conversations");
  const newest = data.toSorted((one, other) => other.contact_id - one.contact_id)[0];
  return `inbox?person=${newest?.contact_id ?? 0}`;
}

function renderPage(pictured: readonly Pictured[]): string {
  const json = (value: unknown): string =>
    `<pre>${JSON.stringify(value, null, 2).replaceAll("&", "&amp;").replaceAll("<", "&lt;")}</pre>`;
  const sections = pictured.map(
    ({ kind, events, contact }) => `<section><h2>${kind.says}</h2><p>Form: ${kind.source}.</p>
<img src="${kind.name}.png" alt="The console" width="885">
<h3>Webhook</h3>${events.length === 0 ? "<p>None.</p>" : events.map(json).join("")}
<h3>API: the contact</h3>${json(contact)}</section>`,
  );
  return `<!doctype html><meta charset="utf-8"><title>What people write</title>
<style>body{font:15px system-ui;max-width:60rem;margin:2rem auto}pre{background:#f4f4f4;padding:1rem;overflow:auto}img{border:1px solid #ccc}</style>
<h1>What people write, and what other senders do</h1>${sections.join("\n")}\n`;
}

await main(process.argv.slice(2));
