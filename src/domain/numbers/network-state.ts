/**
 * What the network says of a number, kept, and what follows for sending. A stop that the network told of by itself holds
 * until it ends, is lifted, or a later look finds the number able to send; a person's own stop is never ended here.
 */
import { eq } from "drizzle-orm";
import type { Reading, Tx } from "#src/db/transaction.ts";
import type { NumberNews } from "./account-update.ts";
import { followNetwork } from "./readiness.ts";
import { type NumberState, numberStates, type SendingNumber } from "./table.ts";

/** What a look at the network found. Words as it gave them; null: it said nothing of it. */
export interface NumberFacts {
  status: string | null;
  verifiedName: string | null;
  nameStatus: string | null;
  quality: string | null;
  throughputLevel: string | null;
  messagingLimit: string | null;
  /** The network's own judgement of whether it can send, with its reasons. */
  health: { canSend: "AVAILABLE" | "LIMITED" | "BLOCKED"; reasons: string[] } | null;
}

/** The network's own view may lag behind what it has just told us. */
const LOOK_LIFTS_AFTER_MS = 10 * 60_000;

export function findState(reading: Reading, numberId: number): NumberState | undefined {
  return reading.db.select().from(numberStates).where(eq(numberStates.numberId, numberId)).get();
}

/** A look at the network, made at the network's time `at`. */
export function applyFacts(tx: Tx, number: SendingNumber, facts: NumberFacts, at: number): SendingNumber {
  const before = stateOf(tx, number);
  const isLifted =
    facts.health !== null &&
    facts.health.canSend !== "BLOCKED" &&
    facts.status === "CONNECTED" &&
    at >= before.newsAt + LOOK_LIFTS_AFTER_MS;
  const { health, ...said } = facts;
  const state = save(tx, {
    ...before,
    ...said,
    messagingLimit: said.messagingLimit ?? before.messagingLimit,
    problem: problemIn(facts),
    warning: warningIn(facts),
    ...(isLifted ? { restriction: null, restrictedUntil: null } : {}),
    checkedAt: tx.now,
  });
  return follow(tx, number, state);
}

/** The network does not let us see the number: why, in words. */
export function applyObstacle(tx: Tx, number: SendingNumber, problem: string): SendingNumber {
  return follow(tx, number, save(tx, { ...stateOf(tx, number), problem, checkedAt: tx.now }));
}

/** What the network told by itself at its own time `at`. Older news than the last change nothing. */
export function applyNews(tx: Tx, number: SendingNumber, news: NumberNews["news"], at: number): SendingNumber {
  const before = stateOf(tx, number);
  switch (news.type) {
    case "changed":
      return number;
    case "limit":
      save(tx, { ...before, messagingLimit: news.messagingLimit });
      return number;
    case "warned":
      save(tx, { ...before, notice: news.words });
      return number;
    case "restricted":
    case "lifted": {
      if (at < before.newsAt) return number;
      const restriction = news.type === "restricted" ? news.reason : null;
      const restrictedUntil = news.type === "restricted" ? news.until : null;
      const notice = news.type === "lifted" ? null : before.notice;
      return follow(tx, number, save(tx, { ...before, restriction, restrictedUntil, notice, newsAt: at }));
    }
  }
}

/** A person says that it can send: then what the network once told is forgotten, until it says it again. */
export function forgetRestriction(tx: Tx, numberId: number): void {
  tx.db
    .update(numberStates)
    .set({ problem: null, restriction: null, restrictedUntil: null })
    .where(eq(numberStates.numberId, numberId))
    .run();
}

function follow(tx: Tx, number: SendingNumber, state: NumberState): SendingNumber {
  const isOver = state.restrictedUntil !== null && state.restrictedUntil <= tx.now;
  const restriction = isOver ? null : state.restriction;
  // Never looked at: a stop that ended says nothing about the rest.
  if (restriction === null && state.problem === null && state.checkedAt === null) return number;
  return followNetwork(tx, number, restriction ?? state.problem);
}

function stateOf(tx: Tx, { id }: SendingNumber): NumberState {
  return (
    findState(tx, id) ?? {
      numberId: id,
      status: null,
      verifiedName: null,
      nameStatus: null,
      quality: null,
      throughputLevel: null,
      messagingLimit: null,
      problem: null,
      warning: null,
      notice: null,
      restriction: null,
      restrictedUntil: null,
      newsAt: 0,
      checkedAt: null,
    }
  );
}

function save(tx: Tx, state: NumberState): NumberState {
  tx.db.insert(numberStates).values(state).onConflictDoUpdate({ target: numberStates.numberId, set: state }).run();
  return state;
}

/** Only a connected number sends (Meta: phone number status); the words say how it becomes one. */
const STATUS_WORDS: Readonly<Record<string, string>> = {
  PENDING: "it is not registered with the Cloud API yet: register it in Meta's dashboard",
  UNVERIFIED: "it is not verified yet: verify it in Meta's dashboard",
  DISCONNECTED: "it is disconnected from the Cloud API: register it again in Meta's dashboard",
  FLAGGED: "its quality is so low that Meta has flagged it: send less, and only to people who want it",
  RESTRICTED: "Meta has restricted it because its limit was reached at low quality: wait until Meta lifts that",
  RATE_LIMITED: "Meta has limited it for sending too much: wait until Meta lifts that",
  BANNED: "Meta has banned it",
  DELETED: "it was deleted at Meta",
  MIGRATED: "it has moved to another WhatsApp account",
};

function problemIn({ status, health }: NumberFacts): string | null {
  if (status !== null && status !== "CONNECTED") {
    return `WhatsApp says ${status}: ${STATUS_WORDS[status] ?? "the number cannot send; see Meta's dashboard"}.`;
  }
  if (health?.canSend !== "BLOCKED") return null;
  return `WhatsApp blocks sending: ${health.reasons.join(" ") || "it gave no reason; see Meta's dashboard."}`;
}

function warningIn({ quality, nameStatus, health }: NumberFacts): string | null {
  const warnings = [
    quality === "RED" ? "The quality is low: people block or report its messages." : null,
    nameStatus === "DECLINED" ? "The display name was declined." : null,
    nameStatus === "EXPIRED" ? "The approval of the display name has expired." : null,
    health?.canSend === "LIMITED" ? `WhatsApp limits sending: ${health.reasons.join(" ") || "no reason given."}` : null,
  ].filter((words) => words !== null);
  return warnings.length === 0 ? null : warnings.join(" ");
}
