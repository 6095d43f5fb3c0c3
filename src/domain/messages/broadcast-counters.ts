/**
 * How one recipient counts, and what a move of it changes. Pure. When a broadcast is finished, everybody it had not sent
 * to counts as skipped at once, although their rows are written later; when it is settled, what was still held counts
 * as released; and before the cost was blocked, nothing is held. So the rows alone do not say how they count: the
 * broadcast's own state comes in.
 */
import type { BroadcastFigures } from "./table.ts";

/** The states of a recipient; see `messages/message.ts`. */
export type RecipientStatus = "pending" | "queued" | "sending" | "sent" | "delivered" | "read" | "failed" | "skipped";
export type RecipientMoney = "none" | "held" | "charged" | "released";

export interface Recipient {
  status: RecipientStatus;
  money: RecipientMoney;
}

/** Differences, to be added to the figures. */
export interface FiguresChange {
  toGo: number;
  sending: number;
  sent: number;
  delivered: number;
  read: number;
  failed: number;
  skipped: number;
  held: number;
  charged: number;
}

export const noChange: Readonly<FiguresChange> = {
  toGo: 0,
  sending: 0,
  sent: 0,
  delivered: 0,
  read: 0,
  failed: 0,
  skipped: 0,
  held: 0,
  charged: 0,
};

type Counts = Omit<FiguresChange, "held" | "charged">;

const COUNTS: Readonly<Record<RecipientStatus, Partial<Counts>>> = {
  pending: { toGo: 1 },
  queued: { toGo: 1 },
  sending: { sending: 1 },
  sent: { sent: 1 },
  delivered: { sent: 1, delivered: 1 },
  read: { sent: 1, delivered: 1, read: 1 },
  failed: { failed: 1 },
  skipped: { skipped: 1 },
};

/** How a recipient's row counts, whatever it says itself. */
export function asCounted(
  { status, money }: Recipient,
  { isHeld, isFinished, settledAt }: Pick<BroadcastFigures, "isHeld" | "isFinished" | "settledAt">,
): Recipient {
  const isLeftOut = isFinished && (status === "pending" || status === "queued");
  const isGivenBack = money === "held" && (isLeftOut || settledAt !== null || !isHeld);
  return { status: isLeftOut ? "skipped" : status, money: isGivenBack ? "released" : money };
}

/** What changes when a recipient that counted as `before` counts as `after`; each charge costs `rate`. */
export function changeOf(before: Recipient | null, after: Recipient, rate: number): FiguresChange {
  const change = { ...noChange };
  for (const [name, count] of Object.entries(COUNTS[after.status])) change[name as keyof Counts] += count;
  if (before !== null) {
    for (const [name, count] of Object.entries(COUNTS[before.status])) change[name as keyof Counts] -= count;
  }
  change.held = rate * (Number(after.money === "held") - Number(before?.money === "held"));
  change.charged = rate * (Number(after.money === "charged") - Number(before?.money === "charged"));
  return change;
}

/** Adds the second to the first. */
export function addChange(sum: FiguresChange, change: FiguresChange): void {
  for (const name of Object.keys(sum) as (keyof FiguresChange)[]) sum[name] += change[name];
}

/** What everybody whose end is open may still cost. */
export function costOfOpen({
  toGo,
  sending,
  sent,
  delivered,
  rate,
}: Pick<BroadcastFigures, "toGo" | "sending" | "sent" | "delivered" | "rate">): number {
  return rate * (toGo + sending + sent - delivered);
}

/** Everybody: the figures close. */
export function totalOf({
  toGo,
  sending,
  sent,
  failed,
  skipped,
}: Pick<BroadcastFigures, "toGo" | "sending" | "sent" | "failed" | "skipped">): number {
  return toGo + sending + sent + failed + skipped;
}

/** Nobody's end is open any more: no hand-over under way, and everybody who was sent to has been reported on. */
export function isClosed({
  sending,
  sent,
  delivered,
}: Pick<BroadcastFigures, "sending" | "sent" | "delivered">): boolean {
  return sending === 0 && sent === delivered;
}
