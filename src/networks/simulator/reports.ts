/**
 * What reaches a number beside messages of people to it: what other senders on the number do, calls, the marketing
 * preference, a person's move. Composed in Meta's format, as the callbacks of messages are (`callback.ts`).
 */
import { isUserId } from "#src/core/user-id.ts";
import { parseCallback } from "../whatsapp/callback.ts";
import { changeCallback, contentCallback, type FromNumber, seconds } from "./callback.ts";

export const reportTypes = [
  "standby",
  "handover",
  "echo",
  "history",
  "call",
  "preference",
  "number_change",
  "user_id_change",
] as const;
export type ReportType = (typeof reportTypes)[number];

/** The members of a report, already checked. */
export interface PlayedReport {
  type: ReportType;
  text?: string | undefined;
  /** `control_passed`: the conversation is this server's from now; `control_taken`: it is another sender's. */
  handover?: "control_passed" | "control_taken" | undefined;
  /** The other sender's role in a handover. */
  role?: string | undefined;
  /** When the person wrote the words that come with a handover. Milliseconds; at the handover if absent. */
  saidAt?: number | undefined;
  /** Of a message in the history: who wrote it. */
  direction?: "in" | "out" | undefined;
  answered?: boolean | undefined;
  preference?: "stop" | "resume" | undefined;
  /** Digits. */
  newPhone?: string | undefined;
  newUserId?: string | undefined;
  formerUserId?: string | undefined;
}

interface Person {
  /** E.164, or a user id. */
  from: string;
  /** Beside the phone number. */
  userId?: string | undefined;
  networkMessageId: string;
  /** Milliseconds. */
  at: number;
  /** Of the person's profile. */
  name: string | null;
}

/** The role of Meta's Business Agent. */
const AGENT = "ai_agent";
/** The role of an app to which the agent passes what it cannot answer. */
const OURS = "escalation";
const CALL_SECONDS = 60;

export function reportCallback(number: FromNumber, person: Person, report: PlayedReport): string {
  const { networkMessageId: id, at } = person;
  const own = number.phone.slice(1);
  const named = idsOf(person);
  const message = { id, timestamp: seconds(at), type: "text", text: { body: report.text } };
  switch (report.type) {
    case "standby":
      return changeCallback(number, "standby", {
        standby: { contacts: contactsOf(person), messages: [{ ...named.from, ...message }] },
      });
    case "handover":
      return changeCallback(number, "messaging_handovers", handoverValue(number, person, report));
    case "echo":
      return changeCallback(number, "smb_message_echoes", { message_echoes: [{ from: own, ...named.to, ...message }] });
    case "history": {
      const isOut = report.direction === "out";
      const sides = isOut ? { from: own, ...named.to } : { ...named.from, to: own };
      const told = { ...sides, ...message, history_context: { status: isOut ? "DELIVERED" : "READ" } };
      const metadata = { phase: 0, chunk_order: 1, progress: 100 };
      return changeCallback(number, "history", {
        history: [{ metadata, threads: [{ id: named.to.to, context: { user_id: named.userId }, messages: [told] }] }],
      });
    }
    case "call":
      return changeCallback(number, "calls", { contacts: contactsOf(person), calls: callEvents(person, own, report) });
    case "preference": {
      const { preference } = report;
      const told = { category: "marketing_messages", value: preference, timestamp: Math.floor(at / 1000) };
      const detail = `User requested to ${preference} marketing messages`;
      const [contact] = contactsOf(person);
      return changeCallback(number, "user_preferences", {
        contacts: [contact],
        user_preferences: [{ wa_id: contact?.wa_id, user_id: contact?.user_id, detail, ...told }],
      });
    }
    case "number_change":
    case "user_id_change":
      return contentCallback(number, { ...person, content: { type: "system", system: systemOf(report) } });
  }
}

/** Why this server could not use a part of the callback; null: it can use all of it. */
export function findUnread(callback: string): string | null {
  for (const item of parseCallback(callback)) {
    if (item.kind === "broken") return item.why;
    if (item.kind === "unhandled") return item.about;
  }
  return null;
}

/** The notice of a person's move to another number, or to another user id. */
export function systemOf({
  newPhone,
  newUserId,
  formerUserId,
}: Pick<PlayedReport, "newPhone" | "newUserId" | "formerUserId">): Record<string, unknown> {
  const ids = { user_id: newUserId, previous_user_id: formerUserId };
  if (newPhone !== undefined)
    return { type: "user_changed_number", body: "User changed number", wa_id: newPhone, ...ids };
  return { type: "user_changed_user_id", body: `User changed from ${formerUserId} to ${newUserId}`, ...ids };
}

/** What is said comes along as the part of the conversation that the other sender had. */
function handoverValue(number: FromNumber, person: Person, { handover, role = AGENT, text, saidAt }: PlayedReport) {
  const writtenAt = saidAt ?? person.at;
  const isPassed = handover === "control_passed";
  const type = handover ?? "control_passed";
  const sender = idsOf(person);
  const said = { ...sender.from, role: "user", type: "text", timestamp: seconds(writtenAt), text: { body: text } };
  const context = text === undefined ? {} : { conversation_context: { type: "history", history: { items: [said] } } };
  return {
    recipient: { display_phone_number: number.phone.slice(1), phone_number_id: number.phoneNumberId },
    sender: { phone_number: sender.phone, user_id: sender.userId },
    timestamp: seconds(person.at),
    type,
    [type]: {
      previous_owner_role: isPassed ? role : OURS,
      new_owner_role: isPassed ? OURS : role,
      ...context,
    },
  };
}

/** A call has one event when it rings and one when it ends. */
function callEvents({ networkMessageId: id, at, ...person }: Person, own: string, { answered = false }: PlayedReport) {
  const call = { id, ...idsOf(person).from, to: own, direction: "USER_INITIATED" };
  const ring = { ...call, event: "connect", timestamp: seconds(at) };
  if (!answered) return [ring, { ...call, event: "terminate", status: "FAILED", timestamp: seconds(at) }];
  const times = { start_time: seconds(at), end_time: seconds(at + CALL_SECONDS * 1000), duration: CALL_SECONDS };
  return [ring, { ...call, event: "terminate", status: "COMPLETED", timestamp: times.end_time, ...times }];
}

function contactsOf({ name, ...person }: Pick<Person, "from" | "userId" | "name">) {
  const { phone, userId } = idsOf(person);
  return [{ profile: name === null ? {} : { name }, wa_id: phone, user_id: userId }];
}

/** Members without a value are omitted from the JSON. */
function idsOf({ from, userId }: Pick<Person, "from" | "userId">) {
  const phone = isUserId(from) ? undefined : from.slice(1);
  const id = isUserId(from) ? from : userId;
  return {
    phone,
    userId: id,
    from: { from: phone, from_user_id: id },
    to: { to: phone, to_user_id: id },
  };
}
