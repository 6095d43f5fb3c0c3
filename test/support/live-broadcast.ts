/**
 * Broadcasts on a whole installation, observed from outside: through the API, through the requests that the network has
 * read and through the events that the receiver has got. A broadcast's label is its name and its template's value, so
 * that the network knows it too.
 */
import { openClient } from "#src/db/driver.ts";
import {
  CREDITED,
  type Installation,
  type InstallationOptions,
  LABELLED,
  makeInstallation,
  RATE,
  type RunningServer,
  type SeenRequest,
} from "./installation.ts";

export interface Recipient {
  to: string;
  status: string;
  reason: string | null;
}

export interface LiveBroadcast {
  id: number;
  label: string;
  people: readonly string[];
}

interface Counts {
  total: number;
  sent: number;
  delivered: number;
  read: number;
  failed: number;
  skipped: number;
}

export interface ShownBroadcast {
  id: number;
  status: string;
  status_reason: string | null;
  counts: Counts;
  charged: string | null;
  started_at: string | null;
}

/** An installation whose network reports statuses and whose broadcasts are settled soon after their end. */
export function makeLiveInstallation(
  options: Pick<InstallationOptions, "people" | "lists" | "throughput" | "command"> & { inDoubtAfter?: string },
): Promise<Installation> {
  const env = { WAXWING_BROADCASTS_SETTLE_AFTER: "1s" };
  return makeInstallation({ inDoubtAfter: "2s", ...options, env, isTalkative: true });
}

/** The server's maximum of concurrent requests per number. */
export const MAX_IN_FLIGHT = 200;

/**
 * The `maxAnswers` with which at least `left` recipients have not been sent to, however late the test's own next
 * step comes on a busy machine.
 */
export const answersThatLeave = (left: number, { people }: { people: number }): number => people - MAX_IN_FLIGHT - left;
/** Longer than anything here takes, even on a busy machine. */
const PATIENCE_MS = 90_000;
const LOOK_EVERY_MS = 20;

/** Starts a broadcast to all members of the list with this index. */
export async function begin(
  { lists }: Installation,
  server: RunningServer,
  label: string,
  list: number,
  more: Record<string, unknown> = {},
): Promise<LiveBroadcast> {
  const { id: group = 0, people = [] } = lists[list] ?? {};
  const order = { name: label, template: LABELLED, variables: [label], group, ...more };
  const answer = await server.call("POST", "/broadcasts", order);
  if (answer?.status !== 202) throw new Error(`not accepted: ${JSON.stringify(answer)}`);
  return { id: answer.body.data.id, label, people };
}

export async function show(server: RunningServer, { id }: LiveBroadcast): Promise<ShownBroadcast> {
  const answer = await server.call("GET", `/broadcasts/${id}`);
  if (answer?.status !== 200) throw new Error(`not shown: ${JSON.stringify(answer)}`);
  return answer.body.data;
}

/** Polls until the value satisfies `isSo`; throws after `patienceMs`. */
export async function until<T>(
  what: string,
  ask: () => Promise<T>,
  isSo: (value: T) => boolean,
  patienceMs = PATIENCE_MS,
): Promise<T> {
  const begunAt = performance.now();
  for (;;) {
    const value = await ask();
    if (isSo(value)) return value;
    if (performance.now() > begunAt + patienceMs) throw new Error(`${what}: still ${JSON.stringify(value)}`);
    await Bun.sleep(LOOK_EVERY_MS);
  }
}

export function untilStatus(server: RunningServer, broadcast: LiveBroadcast, status: string): Promise<ShownBroadcast> {
  return until(
    `${broadcast.label} is to be ${status}`,
    () => show(server, broadcast),
    (shown) => shown.status === status,
  );
}

/** Waits until the network has read `count` of its messages. */
export async function untilSeen(installation: Installation, { label }: LiveBroadcast, count: number): Promise<void> {
  let from = 0;
  let seen = 0;
  await until(
    `${label} is to reach ${count}`,
    async () => {
      const requests = await installation.requests(from);
      from += requests.length;
      seen += requests.filter((request) => request.label === label).length;
      return seen;
    },
    (value) => value >= count,
  );
}

/**
 * Waits until the broadcast is settled and every status is applied, and returns the inconsistencies: each recipient
 * must be at the network at most once, and the counts and the money must agree. `isAllowed` decides about recipients
 * whom the network never saw.
 */
export async function checkEnd(
  installation: Installation,
  server: RunningServer,
  broadcast: LiveBroadcast,
  isAllowed: (recipient: Recipient) => boolean,
) {
  await until(
    `the reports on ${broadcast.label} are to be told`,
    () => requestsOf(installation, broadcast),
    (requests) => requests.every(({ told, isDelivered }) => told === (isDelivered ? "delivered" : "sent")),
  );
  const requests = await requestsOf(installation, broadcast);
  const delivered = requests.filter(({ isDelivered }) => isDelivered).length;
  const shown = await until(
    `${broadcast.label} is to be settled`,
    () => show(server, broadcast),
    ({ charged, counts }) => charged !== null && counts.delivered === delivered,
  );
  const recipients = await recipientsOf(server, broadcast.id);
  const wrong: string[] = [];
  const asked = new Map<string, SeenRequest>();
  for (const request of requests) {
    if (asked.has(request.to)) wrong.push(`${request.to} got two`);
    asked.set(request.to, request);
  }
  for (const recipient of recipients) {
    const request = asked.get(recipient.to);
    const isWell =
      request === undefined
        ? isAllowed(recipient)
        : recipient.status === (request.isDelivered ? "delivered" : "sent") && recipient.reason === null;
    if (!isWell)
      wrong.push(`${recipient.to} is ${recipient.status} (${recipient.reason}), at the network: ${!!request}`);
  }
  const named = recipients.map(({ to }) => to).toSorted();
  if (named.join() !== broadcast.people.toSorted().join()) wrong.push("a recipient is missing, or there twice");
  const { counts } = shown;
  const left = recipients.filter(({ to }) => !asked.has(to));
  const expected = {
    total: broadcast.people.length,
    sent: requests.length,
    delivered,
    read: 0,
    failed: left.filter(({ status }) => status === "failed").length,
    skipped: left.filter(({ status }) => status === "skipped").length,
  };
  if (JSON.stringify(counts) !== JSON.stringify(expected)) {
    wrong.push(`the counts are ${JSON.stringify(counts)}, not ${JSON.stringify(expected)}`);
  }
  if (shown.charged !== moneyOf(delivered * RATE))
    wrong.push(`${shown.charged} was charged for ${delivered} delivered`);
  return { shown, requests, delivered, wrong };
}

/** The broadcast's requests, in the order in which the network read them. */
export async function requestsOf(installation: Installation, { label }: LiveBroadcast): Promise<SeenRequest[]> {
  return (await installation.requests()).filter((request) => request.label === label);
}

export async function recipientsOf(server: RunningServer, id: number): Promise<Recipient[]> {
  const recipients: Recipient[] = [];
  for (let after: string | null = ""; after !== null; ) {
    const page = await server.call("GET", `/broadcasts/${id}/recipients${after === "" ? "" : `?after=${after}`}`);
    if (page === null) throw new Error("the recipients were not answered");
    recipients.push(...(page.body.data as Recipient[]));
    after = page.body.meta.next ?? null;
  }
  return recipients;
}

/** The distinct ids of the `broadcast.finished` events, however often each was delivered. */
export async function endings(installation: Installation, { id }: LiveBroadcast): Promise<Set<string>> {
  const told = await until(
    `the receiver is to be told of the end of ${id}`,
    async () => {
      const events = (await installation.events()).map(({ body, isTaken }) => ({ ...JSON.parse(body), isTaken }));
      return events.filter(({ type, data }) => type === "broadcast.finished" && data.broadcast.id === id);
    },
    (events) => events.some(({ isTaken }) => isTaken),
  );
  return new Set(told.map((event) => event.id));
}

/** At the end nothing is held, and available, held and charged add up to the credits. */
export async function expectedMoney(installation: Installation, deliveredInAll: number) {
  const { output } = await installation.command("workspace", "show", "1").ended;
  const { available, held, charged, credited } = JSON.parse(output).data?.billing ?? JSON.parse(output).billing;
  const spent = deliveredInAll * RATE;
  return {
    found: { available, held, charged, credited },
    expected: {
      available: moneyOf(CREDITED - spent),
      held: moneyOf(0),
      charged: moneyOf(spent),
      credited: moneyOf(CREDITED),
    },
  };
}

/** How many recipients were dispatched between two moments, by the server's own database. */
export function dispatchedBetween({ data }: Installation, { id }: LiveBroadcast, from: number, to: number): number {
  const client = openClient(`${data}/waxwing.db`, { readonly: true, timeout: 5_000 });
  try {
    const sql = "SELECT count(*) FROM messages WHERE broadcast_id = ? AND dispatched_at BETWEEN ? AND ?";
    return Number(client.prepare(sql).pluck().get(id, from, to));
  } finally {
    client.close();
  }
}

/** Messages in flight or of unknown outcome, in the file of a stopped server. */
export function countOpen({ data }: Installation): number {
  const client = openClient(`${data}/waxwing.db`, { readonly: true, timeout: 5_000 });
  try {
    return Number(
      client.prepare("SELECT count(*) FROM messages WHERE status = 'sending' OR outcome_unknown = 1").pluck().get(),
    );
  } finally {
    client.close();
  }
}

export async function expectSound(installation: Installation): Promise<void> {
  const { code, output } = await installation.command("check").ended;
  if (code !== 0) throw new Error(`waxwing check: ${output}`);
}

/** Micros as the API writes them. */
export function moneyOf(micros: number): string {
  const [whole = "", decimals = ""] = (micros / 1_000_000).toFixed(6).split(".");
  return `${whole}.${decimals.replace(/0+$/, "").padEnd(2, "0")}`;
}
