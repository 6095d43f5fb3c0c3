/**
 * The inbox of a team on a full database: `bun run bench:inbox [--conversations N] [--write]`. A hundred thousand
 * conversations with a million messages in six scripts; 200 messages a second go out through the API while every view of
 * the inbox, its counts and its search are asked for, one after the other. Then nothing goes out, and 20 colleagues look at
 * it. On the executable; filling the database takes a few minutes.
 */
import { Database } from "bun:sqlite";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readOptions } from "#test/support/options.ts";
import { fillConversations, type Talk } from "./conversations.ts";
import { median } from "./median.ts";
import { startAmong } from "./part.ts";
import type { ColleaguesArgument, ColleaguesJob, ColleaguesSeen } from "./parts/colleagues.ts";
import type { SoakSenderArgument, SoakSenderJob, SoakSenderMeasurements } from "./parts/soak-sender.ts";
import { aloneRow, INBOX_PLACE, machineText, type Row, renderTable, writeReport } from "./report.ts";
import { buildExecutable, findPort, type Subject, startSubject } from "./subject.ts";
import { makeWorld, SENDER, serverVariables, type World } from "./world.ts";

const { values: options } = readOptions(
  { call: "bun run bench:inbox", about: "Measures the inbox of a team on a full database, while messages go out." },
  {
    conversations: { type: "string", default: "100000", about: "how many, with ten messages each" },
    write: { type: "boolean", default: false, about: "puts the table into docs/performance.md, too" },
  },
);
const PEOPLE = Number(options.conversations);
const COLLEAGUES = 20;
const PACE = 200;
const PASSWORD = "a good long password";
/** Asked this often each, after the first time. */
const TIMES = 25;
const WARM_UP_MS = 3_000;
/** As long as the net of a page, so that each of its requests is in it once. */
const LOOKED_AT_MS = 60_000;
const LAG_EVERY_MS = 200;
const MAX = { answerMs: 300, behindMs: 5_000, bytesPerSecond: 5_000, share: 0.02 };

const directory = mkdtempSync(join(tmpdir(), "waxwing-bench-"));
const parts: { stop(): Promise<void> }[] = [];
try {
  const text = `${renderTable(await measure())}\n\nOne run, ${machineText()}.`;
  console.log(`\n${text}`);
  if (options.write) await writeReport(join(import.meta.dir, "../../docs/performance.md"), INBOX_PLACE, text);
  if (text.includes("MISSED")) process.exitCode = 1;
} finally {
  for (const part of parts.reverse()) await part.stop();
  rmSync(directory, { recursive: true, force: true });
}

async function measure(): Promise<Row[]> {
  const command = buildExecutable(directory);
  const network = await startAmong<null, number>(parts, "network");
  const world = await makeWorld(join(directory, "data"), `http://127.0.0.1:${findPort()}/hook`);
  tell(`making ${PEOPLE} conversations`);
  const talk = await fillConversations(world, PEOPLE, COLLEAGUES);
  const port = findPort();
  const variables = serverVariables(world.directory, port, `http://127.0.0.1:${network.port}`, 8);
  const subject = await startSubject(command, world.directory, port, variables);
  parts.push(subject);
  const base = `http://127.0.0.1:${port}`;
  const cookies = [];
  for (const token of talk.tokens) cookies.push(await signIn(base, token));
  const sender = await startAmong<SoakSenderJob, SoakSenderMeasurements>(parts, "soak-sender", {
    ...{ base: `${base}/api/v1`, key: world.key, people: world.people, from: SENDER },
  } satisfies SoakSenderArgument);

  tell(`${PACE} messages a second, and the inbox`);
  await sender.ask({ pace: PACE });
  await Bun.sleep(WARM_UP_MS);
  await sender.ask("look");
  const lag = watchIndex(world);
  const asked = await askAll(base, cookies[0] ?? "", talk);
  const behindMs = lag.end();
  const sent = await sender.ask("look");
  await sender.ask({ pace: 0 });
  return [
    ...asked.map(({ what, times }) => answerRow(what, times)),
    aloneRow(
      "The search index is behind by at most, s",
      (behindMs / 1_000).toFixed(1),
      `at most ${MAX.behindMs / 1_000}`,
      behindMs <= MAX.behindMs,
    ),
    aloneRow(
      `Meanwhile \`POST /messages\` at ${PACE}/s, refused; median and 99th percentile, ms`,
      `${sent.refused}; ${sent.p50Ms.toFixed(1)}, ${sent.p99Ms.toFixed(1)}`,
      "none refused",
      sent.refused === 0,
    ),
    ...(await measureColleagues(base, subject, cookies)),
  ];
}

interface AskedFor {
  what: string;
  times: number[];
}

/** Every kind of question, in turn, so that all of them meet the same moments. */
async function askAll(base: string, cookie: string, talk: Talk): Promise<AskedFor[]> {
  const inbox = (query: Record<string, string>) => `/inbox?${new URLSearchParams(query)}`;
  const search = (query: Record<string, string>) => `/search?${new URLSearchParams(query)}`;
  const paths: [what: string, paths: string[]][] = [
    ...["open", "mine", "unassigned", "snoozed", "done"].map((view): [string, string[]] => [
      `Inbox, \`${view}\`, first page`,
      [inbox({ view })],
    ]),
    ["Inbox, all, first page", [inbox({})]],
    ["Inbox, unread", [inbox({ show: "unread" }), inbox({ show: "unread", view: "open" })]],
    ["Inbox, window open", [inbox({ show: "open" }), inbox({ show: "open", view: "open" })]],
    ["Needs reply, all and open", [inbox({ show: "waiting" }), inbox({ show: "waiting", view: "open" })]],
    [
      "Needs reply, mine and unassigned",
      [inbox({ show: "waiting", view: "mine" }), inbox({ show: "waiting", view: "unassigned" })],
    ],
    ["Counts of unread and of the views", ["/inbox/unread", "/inbox/views"]],
    ["Home, with who waits longest", ["/home"]],
    ["Search, a common word in six scripts", Object.values(talk.common).map((q) => search({ q }))],
    ["Search, a rare word in six scripts", Object.values(talk.rare).map((q) => search({ q }))],
    [
      "Search, the beginning of a common word",
      Object.values(talk.common).map((q) => search({ q: [...q].slice(0, 2).join("") })),
    ],
    ["Search, two common words", Object.values(talk.common).map((q) => search({ q: `${q} 1` }))],
    [
      "Search, a name; a phone number",
      [search({ q: talk.name }), search({ q: talk.phone }), search({ q: `+91 ${talk.phone}` })],
    ],
    [
      "Search, a file's name; a note",
      [search({ q: talk.file, has_file: "true" }), search({ q: talk.note, kinds: "notes" })],
    ],
    [
      "Search, by tag and by number, with a common word",
      Object.values(talk.common).flatMap((q) => [
        search({ q, tag: talk.tag }),
        search({ q, number: talk.numbers[0] ?? "" }),
      ]),
    ],
    [
      "Search, by tag, by number, files alone",
      [search({ tag: talk.tag }), search({ number: talk.numbers[0] ?? "" }), search({ has_file: "true" })],
    ],
  ];
  const open = await ask(base, cookie, "/inbox?view=open");
  const { contact_id } = (open.body as { data: { contact_id: number }[] }).data[0] ?? { contact_id: 0 };
  paths.push(["A conversation is opened", [`/inbox/${contact_id}`]]);
  const asked = paths.map(([what]): AskedFor => ({ what, times: [] }));
  const pages: AskedFor = { what: "Inbox and Needs reply, further pages", times: [] };
  const further = ["/inbox?view=open", "/inbox?view=done", "/inbox?view=unassigned", "/inbox?show=waiting&view=open"];
  const places: (string | null)[] = further.map(() => null);
  for (let time = 0; time <= TIMES; time++) {
    for (const [index, [, each]] of paths.entries()) {
      for (const path of each) {
        const { ms } = await ask(base, cookie, path);
        // The first time fills the caches.
        if (time > 0) asked[index]?.times.push(ms);
      }
    }
    for (const [index, path] of further.entries()) {
      const after = places[index];
      const { ms, body } = await ask(base, cookie, after == null ? path : `${path}&after=${after}`);
      places[index] = (body as { meta: { next: string | null } }).meta.next;
      if (after != null) pages.times.push(ms);
    }
  }
  return [...asked, pages];
}

async function ask(base: string, cookie: string, path: string): Promise<{ ms: number; body: unknown }> {
  const startedAt = performance.now();
  const answer = await fetch(`${base}/console/api/w/1${path}`, { headers: { cookie } });
  const body = await answer.json();
  if (!answer.ok) throw new Error(`${path} was answered ${answer.status}: ${JSON.stringify(body)}`);
  return { ms: performance.now() - startedAt, body };
}

function answerRow(what: string, times: readonly number[]): Row {
  const sorted = times.toSorted((one, other) => one - other);
  const p95 = sorted[Math.ceil(sorted.length * 0.95) - 1] ?? Number.NaN;
  const said = `${median(sorted).toFixed(0)}, ${p95.toFixed(0)}`;
  return aloneRow(`${what}: median and 95th percentile, ms`, said, `under ${MAX.answerMs}`, p95 < MAX.answerMs);
}

async function signIn(base: string, token: string): Promise<string> {
  const answer = await fetch(`${base}/console/api/links/use`, {
    method: "POST",
    headers: { "content-type": "application/json", "sec-fetch-site": "same-origin" },
    body: JSON.stringify({ token, password: PASSWORD }),
  });
  if (answer.status !== 201) throw new Error(`a colleague was answered ${answer.status}: ${await answer.text()}`);
  return answer.headers
    .getSetCookie()
    .map((one) => one.split(";")[0])
    .join("; ");
}

/** How long the oldest message waits that is not in the index. */
function watchIndex({ database }: World): { end: () => number } {
  const client = new Database(database, { readonly: true });
  const oldest = client.query(`SELECT created_at AS at FROM messages
    WHERE id > (SELECT position FROM search_cursors WHERE source = 'message' AND part = 0) ORDER BY id LIMIT 1`);
  let maxMs = 0;
  const timer = setInterval(() => {
    const found = oldest.get() as { at: number } | null;
    if (found !== null) maxMs = Math.max(maxMs, Date.now() - found.at);
  }, LAG_EVERY_MS);
  return {
    end: () => {
      clearInterval(timer);
      client.close();
      return maxMs;
    },
  };
}

/** What twenty colleagues cost who look at the inbox and at a conversation, while it is quiet. */
async function measureColleagues(base: string, { pid }: Subject, cookies: string[]): Promise<Row[]> {
  tell("a quiet server, alone and then with 20 colleagues");
  await Bun.sleep(WARM_UP_MS);
  const alone = await shareOfMainThread(pid);
  const colleagues = await startAmong<ColleaguesJob, ColleaguesSeen>(parts, "colleagues", {
    ...{ base: `${base}/console/api/w/1`, cookies },
  } satisfies ColleaguesArgument);
  await colleagues.ask("begin");
  await Bun.sleep(WARM_UP_MS);
  await colleagues.ask("look");
  const looked = await shareOfMainThread(pid);
  const { streamed, bytes, asked } = await colleagues.ask("look");
  const perSecond = (all: number): number => all / COLLEAGUES / (LOOKED_AT_MS / 1_000);
  const each = perSecond(streamed);
  const percent = (share: number): string => `${(share * 100).toFixed(2)} %`;
  return [
    aloneRow(
      `${COLLEAGUES} colleagues of a quiet inbox: bytes a second of each one's stream`,
      each.toFixed(0),
      `under ${MAX.bytesPerSecond}`,
      each < MAX.bytesPerSecond,
    ),
    aloneRow(
      "— requests of their pages beside it, each one's a second; bytes a second",
      `${perSecond(asked).toFixed(2)}; ${perSecond(bytes).toFixed(0)}`,
    ),
    aloneRow(
      `— the main thread's time: alone → with them`,
      `${percent(alone)} → ${percent(looked)}`,
      `under ${percent(MAX.share)} more`,
      looked - alone < MAX.share,
    ),
  ];
}

async function shareOfMainThread(pid: number): Promise<number> {
  const ranMs = () => Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, "utf8").split(" ")[0]) / 1e6;
  const [before, at] = [ranMs(), performance.now()];
  await Bun.sleep(LOOKED_AT_MS);
  return (ranMs() - before) / (performance.now() - at);
}

function tell(text: string): void {
  console.error(text);
}
