/**
 * The console in a real browser on a full database: `bun run bench:console [--write]`. A million contacts, a completed
 * broadcast to 100,000 recipients, and a running one at 1,000 a second that is open in the browser. Measures how soon
 * pages appear, how often the page is told of a change, and whether an open page slows the API's callers. Takes three
 * to five minutes; needs Chromium.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStore } from "#src/db/store.ts";
import { inviteUser } from "#src/domain/users/invite.ts";
import { openBrowser, type TestBrowser } from "#test/support/browser.ts";
import { readOptions } from "#test/support/options.ts";
import { beginBroadcast, type Crowd, makeCrowd, showBroadcast } from "./crowd.ts";
import { median } from "./median.ts";
import { startPart } from "./part.ts";
import type { Arrivals } from "./parts/arrivals.ts";
import type { ProbeArgument, Probed } from "./parts/probe.ts";
import { aloneRow, CONSOLE_PLACE, machineText, type Row, renderTable, writeReport } from "./report.ts";
import { buildExecutable, findPort, startSubject } from "./subject.ts";
import { serverVariables } from "./world.ts";

const { values: options } = readOptions(
  { call: "bun run bench:console", about: "Measures the console in a browser on a full database; needs Chromium." },
  {
    write: { type: "boolean", default: false, about: "puts the table into docs/performance.md, too" },
  },
);

const PEOPLE = 1_000_000;
const RECIPIENTS = 100_000;
const PACE = 1_000;
const TIMES = 7;
const PAGE_MS = 500;
const LOOKED_AT_S = 15;

const directory = mkdtempSync(join(tmpdir(), "waxwing-bench-"));
const parts: { stop(): Promise<void> }[] = [];
try {
  const table = renderTable(await measure());
  console.log(`\n${table}\n\nOne run, ${machineText()}.`);
  if (options.write) {
    const text = `${table}\n\nOne run, ${machineText()}.`;
    await writeReport(join(import.meta.dir, "../../docs/performance.md"), CONSOLE_PLACE, text);
  }
  if (table.includes("MISSED")) process.exitCode = 1;
} finally {
  for (const part of parts.reverse()) await part.stop();
  rmSync(directory, { recursive: true, force: true });
}

async function measure(): Promise<Row[]> {
  const command = buildExecutable(directory);
  const network = await startPart<{ reset: boolean }, Arrivals>("arrivals");
  parts.push(network);
  const data = join(directory, "data");
  tell(`making ${PEOPLE} people`);
  const crowd = await makeCrowd(data, PEOPLE, [RECIPIENTS, RECIPIENTS], PACE);
  const token = await inviteOperator(join(data, "waxwing.db"));
  const port = findPort();
  const subject = await startSubject(
    command,
    data,
    port,
    serverVariables(data, port, `http://127.0.0.1:${network.port}`, 8),
  );
  parts.push(subject);
  const base = `http://127.0.0.1:${port}`;
  const api = `${base}/api/v1`;

  tell(`sending to ${RECIPIENTS}`);
  const over = await beginBroadcast(api, crowd, crowd.groups[0] ?? 0, crowd.fastNumber);
  while ((await showBroadcast(api, crowd, over)).counts.sent < RECIPIENTS) await Bun.sleep(500);

  tell("looking at pages");
  await using browser = await openBrowser();
  const signedIn = await browser.context.request.post(`${base}/console/api/links/use`, {
    headers: { "sec-fetch-site": "same-origin" },
    data: { token, password: "a good long password" },
  });
  if (!signedIn.ok()) throw new Error(await signedIn.text());
  const home = `${base}/console/w/1`;
  // A contact's number, and the broadcast's own count.
  const contacts = await open(browser, `${home}/contacts`, "1,000,2");
  const search = await open(browser, `${home}/contacts?q=9812`, "+91");
  const detail = await open(browser, `${home}/broadcasts/${over}`, "100,000");

  tell(`a broadcast at ${PACE} a second, alone and looked at`);
  const running = await beginBroadcast(api, crowd, crowd.groups[1] ?? 0, crowd.pacedNumber);
  while ((await showBroadcast(api, crowd, running)).counts.sent < 2 * PACE) await Bun.sleep(100);
  await browser.page.goto("about:blank");
  const alone = await probe(api, crowd);
  await browser.page.goto(`${home}/broadcasts/${running}`);
  const [looked, updates] = await Promise.all([
    probe(api, crowd),
    countUpdates(browser, `${base}/console/api/w/1/broadcasts/${running}/live`),
  ]);

  const page = (what: string, times: number[], isBound = true): Row => {
    const said = `${median(times).toFixed(0)} (${Math.max(...times).toFixed(0)})`;
    const whole = `${what}: median of ${TIMES} (slowest), ms`;
    return isBound ? aloneRow(whole, said, `under ${PAGE_MS}`, Math.max(...times) < PAGE_MS) : aloneRow(whole, said);
  };
  return [
    page("Contacts, a million, until their number and the first rows are there", contacts),
    // A search for part of a number reads every row.
    page("Contacts whose number has 9812 in it", search, false),
    page(`A broadcast to ${RECIPIENTS.toLocaleString("en")}, with its figures`, detail),
    aloneRow(
      `Updates a second of a broadcast at ${PACE} messages a second`,
      updates.toFixed(2),
      "at most 1",
      updates <= 1.05,
    ),
    aloneRow(
      "Meanwhile `GET /me`, 99th percentile, ms, no viewer → one viewer",
      `${alone.me.p99Ms.toFixed(1)} → ${looked.me.p99Ms.toFixed(1)}`,
    ),
    aloneRow(
      "Meanwhile `POST /messages`, 99th percentile, ms",
      `${alone.send.p99Ms.toFixed(1)} → ${looked.send.p99Ms.toFixed(1)}`,
    ),
  ];
}

/** The token with which the first operator signs in. */
async function inviteOperator(database: string): Promise<string> {
  const store = openStore(database, { busyTimeoutMs: 5_000 });
  const invitation = { email: "asha@example.com", role: "operator", workspaceId: null } as const;
  const { link } = await store.write((tx) => inviteUser(tx, invitation));
  store.close();
  return link?.token ?? "";
}

/** Milliseconds from the navigation until the words are visible, with the scripts in the browser's cache. */
async function open({ page }: TestBrowser, url: string, words: string): Promise<number[]> {
  const times: number[] = [];
  for (let time = 0; time <= TIMES; time++) {
    await page.goto("about:blank");
    const startedAt = performance.now();
    await page.goto(url, { waitUntil: "commit" });
    await page.getByText(words).first().waitFor();
    // The first load fills the cache.
    if (time > 0) times.push(performance.now() - startedAt);
  }
  return times;
}

async function probe(api: string, crowd: Crowd): Promise<Probed> {
  const asking = await startPart<{ run: boolean }, Probed | null>("probe", {
    base: api,
    key: crowd.key,
    bodies: crowd.writers.map((to) => JSON.stringify({ to, text: "Your table is ready.", from: crowd.fastNumber })),
    everyMs: 20,
  } satisfies ProbeArgument);
  await asking.ask({ run: true });
  await Bun.sleep(LOOKED_AT_S * 1_000);
  const probed = (await asking.ask({ run: false })) as Probed;
  await asking.stop();
  return probed;
}

/** Messages of the event stream per second; the page has a stream of its own meanwhile. */
async function countUpdates({ context }: TestBrowser, url: string): Promise<number> {
  const cookie = (await context.cookies()).map(({ name, value }) => `${name}=${value}`).join("; ");
  const limit = AbortSignal.timeout(LOOKED_AT_S * 1_000);
  let count = 0;
  try {
    const answer = await fetch(url, { headers: { cookie }, signal: limit });
    const decoder = new TextDecoder();
    for await (const chunk of answer.body ?? []) count += decoder.decode(chunk).split("data:").length - 1;
  } catch (error) {
    if (!limit.aborted) throw error;
  }
  return count / LOOKED_AT_S;
}

function tell(text: string): void {
  console.error(text);
}
