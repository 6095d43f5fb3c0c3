/**
 * The history of a phone: `bun run bench:history [--messages N] [--people N] [--source --profile DIR]`. A number with
 * six months of conversations on its phone is connected: a hundred thousand messages arrive as callbacks, while a probe
 * uses the API. Nothing in them may be new.
 */
import { Database } from "bun:sqlite";
import { createHmac } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type MadeHistory, makeHistory } from "#test/support/history.ts";
import { readOptions } from "#test/support/options.ts";
import { type Crowd, makeCrowd } from "./crowd.ts";
import { startPart } from "./part.ts";
import type { Arrivals } from "./parts/arrivals.ts";
import type { ProbeArgument, Probed } from "./parts/probe.ts";
import { aloneRow, machineText, type Row, renderTable } from "./report.ts";
import { buildExecutable, findPort, memoryMegabytes, processorMs, sourceCommand, startSubject } from "./subject.ts";
import { serverVariables } from "./world.ts";

const { values: options } = readOptions(
  { call: "bun run bench:history", about: "Measures how the history of a connected phone is stored." },
  {
    messages: { type: "string", default: "100000", about: "how many messages" },
    people: { type: "string", default: "2000", about: "how many people they are from and to" },
    source: { type: "boolean", default: false, about: "measures the sources instead of the executable" },
    profile: { type: "string", value: "DIR", about: "with --source: writes processor profiles into this directory" },
  },
);
const MESSAGES = Number(options.messages);
const PEOPLE = Number(options.people);
const SECONDS_MAX = 60;
const PROBE_EVERY_MS = 20;
const SECRET = "bench-secret";

const directory = mkdtempSync(join(tmpdir(), "waxwing-bench-"));
const parts: { stop(): Promise<void> }[] = [];
try {
  const table = renderTable(await measure());
  console.log(`\n${table}\n\nOne run, ${machineText()}.`);
  if (table.includes("MISSED")) process.exitCode = 1;
} finally {
  for (const part of parts.reverse()) await part.stop();
  rmSync(directory, { recursive: true, force: true });
}

async function measure(): Promise<Row[]> {
  const command = options.source ? sourceCommand(options.profile ?? null) : buildExecutable(directory);
  const network = await startPart<{ reset: boolean }, Arrivals>("arrivals");
  parts.push(network);
  const data = join(directory, "data");
  const crowd = await makeCrowd(data, 0, [], 80);
  const own = crowd.fastNumber.slice(1);
  const recipe = { own, phoneNumberId: crowd.fastNumberId, messages: MESSAGES, people: PEOPLE, now: Date.now() };
  const history = makeHistory(recipe);
  const port = findPort();
  const subject = await startSubject(command, data, port, {
    ...serverVariables(data, port, `http://127.0.0.1:${network.port}`, 8),
    WAXWING_WHATSAPP_APP_SECRET: SECRET,
  });
  parts.push(subject);
  const base = `http://127.0.0.1:${port}`;
  const probe = await startPart<{ run: boolean }, Probed | null>("probe", {
    base: `${base}/api/v1`,
    key: crowd.key,
    bodies: crowd.writers.map((to) => JSON.stringify({ to, text: "Your table is ready.", from: crowd.fastNumber })),
    everyMs: PROBE_EVERY_MS,
  } satisfies ProbeArgument);
  parts.push(probe);

  await probe.ask({ run: true });
  await Bun.sleep(5_000);
  const quiet = (await probe.ask({ run: false })) as Probed;
  await probe.ask({ run: true });
  process.stderr.write(`${MESSAGES} messages of ${PEOPLE} people …\n`);
  const usedBefore = processorMs(subject.pid);
  const startedAt = performance.now();
  await postAll(`${base}/networks/whatsapp`, crowd, history);
  const answeredAt = performance.now();
  await until(() => readWhole(data).progress === 100, 300_000);
  const seconds = (performance.now() - startedAt) / 1000;
  const used = processorMs(subject.pid) - usedBefore;
  const memory = memoryMegabytes(subject.pid);
  const probed = (await probe.ask({ run: false })) as Probed;
  const whole = readWhole(data);
  const events = Object.keys(whole.events).filter((type) => !type.startsWith("message."));
  const isQuiet = whole.unread === 0 && whole.open === 0 && !("message.received" in whole.events);
  const isComplete = whole.inbounds === history.inbounds && whole.echoes === history.echoes;
  return [
    aloneRow("Messages of the history applied, s", seconds.toFixed(1), `under ${SECONDS_MAX}`, seconds < SECONDS_MAX),
    aloneRow("— the last callback answered after, s", ((answeredAt - startedAt) / 1000).toFixed(1)),
    aloneRow(
      "— stored: from people, from the phone",
      `${whole.inbounds}, ${whole.echoes}`,
      `${history.inbounds}, ${history.echoes}`,
      isComplete,
    ),
    aloneRow(
      "— events: `contact.opted_out`, other than of the probe's own messages",
      `${whole.events["contact.opted_out"] ?? 0}, ${events.length - 1}`,
      `${history.stopped.length}, 0`,
      whole.events["contact.opted_out"] === history.stopped.length && events.length === 1,
    ),
    aloneRow("— unread marks, open windows", `${whole.unread}, ${whole.open}`, "0, 0", isQuiet),
    aloneRow("— processor time a message, µs", ((used * 1000) / MESSAGES).toFixed(0)),
    aloneRow("— memory at the end, MB", memory.toFixed(0)),
    aloneRow(
      "— meanwhile `POST /messages`, median and 99th percentile, ms (before)",
      `${probed.send.p50Ms.toFixed(1)}, ${probed.send.p99Ms.toFixed(1)} (${quiet.send.p50Ms.toFixed(1)}, ${quiet.send.p99Ms.toFixed(1)})`,
    ),
  ];
}

/** One body after another, each when the previous one was answered, like Meta's own sender. */
async function postAll(url: string, crowd: Crowd, { values }: MadeHistory): Promise<void> {
  for (const value of values) {
    const entry = [{ id: crowd.accountId, changes: [{ field: "history", value }] }];
    const body = JSON.stringify({ object: "whatsapp_business_account", entry });
    const signature = `sha256=${createHmac("sha256", SECRET).update(body).digest("hex")}`;
    const headers = { "content-type": "application/json", "x-hub-signature-256": signature };
    const answer = await fetch(url, { method: "POST", body, headers });
    if (answer.status !== 200) throw new Error(`a callback was answered ${answer.status}: ${await answer.text()}`);
  }
}

interface Whole {
  progress: number;
  inbounds: number;
  echoes: number;
  unread: number;
  open: number;
  events: Record<string, number>;
}

function readWhole(data: string): Whole {
  const client = new Database(join(data, "waxwing.db"), { readonly: true });
  try {
    const count = (text: string): number => Number(client.query(text).values()[0]?.[0] ?? 0);
    return {
      progress: count("SELECT progress FROM history_imports"),
      inbounds: count("SELECT count(*) FROM inbounds"),
      echoes: count("SELECT count(*) FROM echoes"),
      unread: count("SELECT sum(unread) FROM conversations"),
      open: count("SELECT count(*) FROM contacts WHERE phone LIKE '+9177%' AND last_message_at IS NOT NULL"),
      events: Object.fromEntries(client.query("SELECT type, count(*) FROM events GROUP BY type").values()),
    };
  } finally {
    client.close();
  }
}

async function until(isSo: () => boolean, limitMs: number): Promise<void> {
  const end = performance.now() + limitMs;
  while (performance.now() < end && !isSo()) await Bun.sleep(250);
}
