/**
 * Compares a ledger of what was acknowledged outside with the final state of the database, the network and the
 * receiver: everything acknowledged is there, no recipient was sent anything twice, and every event was delivered,
 * under one id. Opens the database as one more reader.
 */
import { openClient } from "#src/db/driver.ts";
import { CREDITED, type Installation, type SeenEvent, type SeenRequest } from "./installation.ts";
import type { Ledger } from "./mixed-load.ts";

export interface Audit {
  /** Acknowledged, and missing. */
  lost: string[];
  /** Sent, reported or counted twice. */
  doubled: string[];
  counters: Counters;
}

export interface Counters {
  acknowledged: number;
  requests: number;
  events: number;
  delivered: number;
  doubtful: number;
}

/** A message may already be in flight when a STOP arrives. */
const ON_ITS_WAY_MS = 2_000;

interface Row {
  [column: string]: unknown;
}

export async function audit(installation: Installation, ledger: Ledger): Promise<Audit> {
  const requests = await installation.requests();
  const seen = await installation.events();
  const database = readDatabase(installation.data);
  const lost: string[] = [];
  const doubled: string[] = [];
  auditRequests(requests, database, ledger, lost, doubled);
  auditSingles(requests, database, ledger, lost);
  auditBroadcasts(requests, database, ledger, lost);
  auditPeople(database, ledger, lost, doubled);
  auditEvents(seen, database, ledger, lost, doubled);
  const { singles, broadcasts, inbounds, optOuts, names, imported, credits } = ledger;
  const answered = [...singles, ...broadcasts].filter(({ answer }) => answer !== null).length;
  const told =
    requests.filter((request) => request.told !== null).length + seen.filter(({ isTaken }) => isTaken).length;
  return {
    lost,
    doubled,
    counters: {
      acknowledged: answered + told + inbounds.size + optOuts.size + names.size + imported.length + credits.length,
      requests: requests.length,
      events: database.events.length,
      delivered: database.messages.filter(({ status }) => status === "delivered").length,
      doubtful: database.messages.filter(({ outcome_unknown }) => outcome_unknown === 1).length,
    },
  };
}

/**
 * Waits until the network has reported every status and all work has finished. A callback that arrives while the server
 * stops is stored and answered, but only the next start applies it: the audit would take its statuses for lost.
 */
export async function untilAtRest(installation: Installation): Promise<void> {
  while ((await installation.unreported()) > 0 || !isAtRest(installation.data)) await Bun.sleep(50);
}

function isAtRest(data: string): boolean {
  const client = openClient(`${data}/waxwing.db`, { readonly: true, timeout: 5_000 });
  try {
    const open = client.prepare(`SELECT
      (SELECT count(*) FROM messages WHERE status IN ('pending', 'queued', 'sending')) +
      (SELECT count(*) FROM broadcasts b JOIN broadcast_counters f ON f.broadcast_id = b.id WHERE f.settled_at IS NULL) +
      (SELECT count(*) FROM callbacks WHERE done_at IS NULL) +
      (SELECT count(*) FROM deliveries WHERE status = 'pending')`);
    return open.pluck().get() === 0;
  } finally {
    client.close();
  }
}

function readDatabase(data: string) {
  const client = openClient(`${data}/waxwing.db`, { readonly: true, timeout: 5_000 });
  try {
    const all = (sql: string): Row[] => client.prepare(sql).all() as Row[];
    return {
      messages: all("SELECT id, broadcast_id, to_phone, status, send_token, outcome_unknown FROM messages"),
      broadcasts: all("SELECT id, name, status FROM broadcasts"),
      contacts: all("SELECT phone, name, consent FROM contacts"),
      inbounds: all("SELECT id, network_message_id FROM inbounds"),
      credits: all("SELECT ref FROM ledger_entries WHERE ref IS NOT NULL"),
      credited: all("SELECT credited FROM billing_accounts")[0]?.credited,
      events: all("SELECT id, type, body FROM events"),
      deliveries: all("SELECT event_seq, status FROM deliveries"),
    };
  } finally {
    client.close();
  }
}

type Database = ReturnType<typeof readDatabase>;

function auditRequests(
  requests: readonly SeenRequest[],
  { messages }: Database,
  { optOuts, wrong }: Ledger,
  lost: string[],
  doubled: string[],
): void {
  const bySendToken = new Map(messages.map((message) => [message.send_token, message]));
  const asked = new Set<string>();
  const sendTokens = new Set<string>();
  for (const { to, label, reference, at, told } of requests) {
    // Every recipient gets one message here, whatever happened in between.
    if (asked.has(to)) doubled.push(`${label} to ${to}`);
    asked.add(to);
    if (sendTokens.has(reference)) doubled.push(`send token ${reference}`);
    sendTokens.add(reference);
    const message = bySendToken.get(reference);
    if (message === undefined) lost.push(`${label} to ${to} was sent, and there is no such message`);
    else if (told === "delivered" && message.status !== "delivered") {
      lost.push(`${label} to ${to} was reported as delivered, and is ${message.status}`);
    }
    const since = optOuts.get(to);
    if (since !== undefined && at > since + ON_ITS_WAY_MS) wrong.push(`${label} to ${to}, who had opted out`);
  }
}

function auditSingles(
  requests: readonly SeenRequest[],
  { messages }: Database,
  { singles }: Ledger,
  lost: string[],
): void {
  const byId = new Map(messages.map((message) => [message.id, message]));
  const asked = new Set(requests.map(({ label }) => label));
  for (const { label, to, answer } of singles) {
    if (answer?.status !== 201) continue;
    const message = byId.get(answer.body.data.id);
    if (message?.to_phone !== to || !["sent", "delivered"].includes(String(message.status))) {
      lost.push(`${label} was answered 201, and is ${message?.status ?? "not there"}`);
    }
    if (!asked.has(label)) lost.push(`${label} was answered 201, and the network never saw it`);
  }
}

function auditBroadcasts(
  requests: readonly SeenRequest[],
  { broadcasts, messages }: Database,
  ledger: Ledger,
  lost: string[],
): void {
  const asked = new Set(requests.map(({ to, label }) => `${label} ${to}`));
  const byId = new Map(broadcasts.map((broadcast) => [broadcast.id, broadcast]));
  const recipients = Map.groupBy(
    messages.filter(({ broadcast_id }) => broadcast_id !== null),
    ({ broadcast_id }) => broadcast_id,
  );
  for (const { label, people, answer } of ledger.broadcasts) {
    if (answer === null) continue;
    const id = answer.body.data.id;
    const broadcast = byId.get(id);
    if (broadcast?.name !== label || broadcast.status !== "completed") {
      lost.push(`${label} was answered 202, and is ${broadcast?.status ?? "not there"}`);
      continue;
    }
    const states = new Map((recipients.get(id) ?? []).map((one) => [one.to_phone, one]));
    for (const phone of people) {
      const one = states.get(phone);
      const isSent = one?.status === "sent" || one?.status === "delivered";
      const isDoubtful = one?.status === "failed" && one.outcome_unknown === 1;
      if (!isSent && !isDoubtful) lost.push(`${label} to ${phone} is ${one?.status ?? "not there"}`);
      if (isSent && !asked.has(`${label} ${phone}`))
        lost.push(`${label} to ${phone} is sent, and the network never saw it`);
    }
  }
  const names = broadcasts.map(({ name }) => name);
  if (new Set(names).size !== names.length) lost.push("a broadcast was accepted twice under one key");
}

function auditPeople(database: Database, ledger: Ledger, lost: string[], doubled: string[]): void {
  const contacts = new Map(database.contacts.map((contact) => [contact.phone, contact]));
  for (const [phone, name] of ledger.names) {
    if (contacts.get(phone)?.name !== name) lost.push(`${phone} was named ${name}`);
  }
  for (const phone of ledger.optOuts.keys()) {
    if (contacts.get(phone)?.consent !== "opted_out") lost.push(`${phone} had opted out`);
  }
  for (const phone of ledger.imported) if (!contacts.has(phone)) lost.push(`${phone} had been imported`);
  const written = new Set(database.inbounds.map(({ network_message_id }) => network_message_id));
  for (const id of ledger.inbounds.keys()) if (!written.has(id)) lost.push(`inbound ${id} was taken`);
  if (written.size !== database.inbounds.length) doubled.push("an inbound is there twice");
  const refs = new Set(database.credits.map(({ ref }) => ref));
  for (const ref of ledger.credits) if (!refs.has(ref)) lost.push(`payment ${ref}`);
  if (database.credited !== CREDITED + database.credits.length * 1_000_000) doubled.push("payments do not add up");
}

function auditEvents(
  seen: readonly SeenEvent[],
  database: Database,
  ledger: Ledger,
  lost: string[],
  doubled: string[],
): void {
  const bodies = new Map(database.events.map(({ id, body }) => [id, body]));
  const taken = new Set<string>();
  for (const { body, isTaken } of seen) {
    const { id } = JSON.parse(body);
    if (bodies.get(id) !== body) lost.push(`the receiver got ${id}, which is not there or reads otherwise`);
    if (isTaken) taken.add(id);
  }
  const subjects = new Map<string, string>();
  for (const { id, type, body } of database.events) {
    if (!taken.has(String(id))) lost.push(`${type} ${id} never reached the receiver`);
    const { data } = JSON.parse(String(body));
    const subject = `${type} of ${data.message?.id ?? data.broadcast?.id ?? data.contact?.phone}`;
    if (subjects.has(subject)) doubled.push(subject);
    subjects.set(subject, String(id));
  }
  for (const { status, event_seq } of database.deliveries) {
    if (status !== "delivered") lost.push(`the delivery of event ${event_seq} is ${status}`);
  }
  for (const { label, answer } of ledger.singles) {
    // A message in doubt after a kill may be reported as delivered before it is reported as sent: then that is its
    // event.
    const isTold = ["sent", "delivered", "read"].some((state) =>
      subjects.has(`message.${state} of ${answer?.body.data?.id}`),
    );
    if (answer?.status === 201 && !isTold) lost.push(`no event that ${label} was sent`);
  }
  const inbounds = new Map(database.inbounds.map(({ id, network_message_id }) => [network_message_id, id]));
  for (const wamid of ledger.inbounds.keys()) {
    if (!subjects.has(`message.received of ${inbounds.get(wamid)}`)) lost.push(`no event of inbound ${wamid}`);
  }
  for (const phone of ledger.optOuts.keys()) {
    if (!subjects.has(`contact.opted_out of ${phone}`)) lost.push(`no event that ${phone} opted out`);
  }
  for (const { label, answer } of ledger.broadcasts) {
    if (answer !== null && !subjects.has(`broadcast.finished of ${answer.body.data.id}`)) {
      lost.push(`no event that ${label} is finished`);
    }
  }
}
