/** Statements for the rows of a broadcast's recipients: created here, changed here and in `messages`. */
import { and, eq, gt, lte, sql } from "drizzle-orm";
import { newSendToken } from "#src/core/id.ts";
import { type ReadTx, statement, type Tx } from "#src/db/transaction.ts";
import { type FrozenValues, messages } from "../messages/table.ts";
import type { SkipCode } from "./skip.ts";
import type { Broadcast } from "./table.ts";

const insert = statement((db) =>
  db
    .insert(messages)
    .values({
      workspaceId: sql.placeholder("workspaceId"),
      numberId: sql.placeholder("numberId"),
      contactId: sql.placeholder("contactId"),
      origin: "broadcast",
      broadcastId: sql.placeholder("broadcastId"),
      type: "template",
      toPhone: sql.placeholder("toPhone"),
      fromPhone: sql.placeholder("fromPhone"),
      variables: sql`${sql.placeholder("variables")}`,
      status: sql.placeholder("status"),
      outcomeUnknown: false,
      sendToken: sql.placeholder("sendToken"),
      errorCode: sql.placeholder("errorCode"),
      errorMessage: sql.placeholder("errorMessage"),
      // The broadcast has the price. A held recipient counts only from when the broadcast's cost is held.
      charged: false,
      rate: 0,
      money: sql.placeholder("money"),
      createdAt: sql.placeholder("now"),
    })
    .prepare(),
);

interface NewRecipient {
  /** Null: the phone number is invalid. */
  contactId: number | null;
  to: string;
  status: "pending" | "queued" | "skipped";
  values: FrozenValues | null;
  skip: { code: SkipCode; reason: string } | null;
}

type RecipientOwner = Pick<Broadcast, "id" | "workspaceId" | "numberId" | "fromPhone">;

export function addRecipient(tx: Tx, broadcast: RecipientOwner, recipient: NewRecipient, instanceId: string): void {
  insert(tx).run({
    workspaceId: broadcast.workspaceId,
    numberId: broadcast.numberId,
    broadcastId: broadcast.id,
    fromPhone: broadcast.fromPhone,
    contactId: recipient.contactId,
    toPhone: recipient.to,
    variables: recipient.values === null ? null : JSON.stringify(recipient.values),
    status: recipient.status,
    sendToken: newSendToken(instanceId, tx.now, tx.random),
    errorCode: recipient.skip?.code ?? null,
    errorMessage: recipient.skip?.reason ?? null,
    money: recipient.status === "skipped" ? "none" : "held",
    now: tx.now,
  });
}

const waitingColumns = {
  id: messages.id,
  contactId: messages.contactId,
  toPhone: messages.toPhone,
  sendToken: messages.sendToken,
  variables: messages.variables,
};

const waiting = statement((db) =>
  db
    .select(waitingColumns)
    .from(messages)
    .where(
      and(
        eq(messages.broadcastId, sql.placeholder("broadcastId")),
        eq(messages.status, sql.placeholder("status")),
        gt(messages.id, sql.placeholder("after")),
      ),
    )
    .orderBy(messages.id)
    .limit(sql.placeholder("limit"))
    .prepare(),
);

export type WaitingRecipient = ReturnType<ReturnType<typeof waiting>["all"]>[number];

/** Recipients after an id, in the order in which they were addressed, including delayed ones. */
export function listWaiting(
  tx: ReadTx,
  broadcastId: number,
  status: "pending" | "queued",
  after: number,
  limit: number,
): WaitingRecipient[] {
  return waiting(tx).all({ broadcastId, status, after, limit });
}

const ready = statement((db) =>
  db
    .select(waitingColumns)
    .from(messages)
    .where(
      and(
        eq(messages.broadcastId, sql.placeholder("broadcastId")),
        sql`${messages.status} = 'queued' and ${messages.notBefore} is null`,
        gt(messages.id, sql.placeholder("after")),
      ),
    )
    .orderBy(messages.id)
    .limit(sql.placeholder("limit"))
    .prepare(),
);

/** Recipients after an id, in the order in which they were addressed, without delayed ones. */
export function listReady(tx: ReadTx, broadcastId: number, after: number, limit: number): WaitingRecipient[] {
  return ready(tx).all({ broadcastId, after, limit });
}

/** Give up on a recipient that the network has throttled for this long. */
export const THROTTLE_WAIT_MAX_MS = 30 * 60 * 1000;

const isDelayed = sql`${messages.broadcastId} is not null and ${messages.status} = 'queued' and ${messages.notBefore} is not null`;

const due = statement((db) =>
  db
    .select(waitingColumns)
    .from(messages)
    .where(
      and(
        eq(messages.broadcastId, sql.placeholder("broadcastId")),
        isDelayed,
        lte(messages.notBefore, sql.placeholder("now")),
      ),
    )
    .orderBy(messages.notBefore)
    .limit(sql.placeholder("limit"))
    .prepare(),
);

const delayedBeyondMax = statement((db) =>
  db
    .select(waitingColumns)
    .from(messages)
    .where(
      and(
        eq(messages.broadcastId, sql.placeholder("broadcastId")),
        isDelayed,
        gt(messages.notBefore, sql.placeholder("latest")),
      ),
    )
    .limit(sql.placeholder("limit"))
    .prepare(),
);

/**
 * Delayed recipients that are due, the earliest first; then those delayed beyond the longest wait, because the clock
 * was set back.
 */
export function listDue(tx: ReadTx, broadcastId: number, limit: number): WaitingRecipient[] {
  const rows = due(tx).all({ broadcastId, now: tx.now, limit });
  if (rows.length === limit) return rows;
  const latest = tx.now + THROTTLE_WAIT_MAX_MS;
  return [...rows, ...delayedBeyondMax(tx).all({ broadcastId, latest, limit: limit - rows.length })];
}

const freeze = statement((db) =>
  db
    .update(messages)
    .set({ status: "queued", variables: sql`${sql.placeholder("variables")}` })
    .where(and(eq(messages.id, sql.placeholder("id")), sql`${messages.status} = 'pending'`))
    .prepare(),
);

/** Freezes the recipient's values and queues it. */
export function freezeRecipient(tx: Tx, id: number, values: FrozenValues | null): void {
  freeze(tx).run({ id, variables: values === null ? null : JSON.stringify(values) });
}

const skip = statement((db) =>
  db
    .update(messages)
    .set({
      status: "skipped",
      money: "released",
      errorCode: sql`${sql.placeholder("code")}`,
      errorMessage: sql`${sql.placeholder("reason")}`,
    })
    .where(and(eq(messages.id, sql.placeholder("id")), sql`${messages.status} in ('pending', 'queued')`))
    .prepare(),
);

/** False: the recipient had already moved on. The caller updates the counters. */
export function skipRecipient(tx: Tx, id: number, code: SkipCode, reason: string): boolean {
  return skip(tx).run({ id, code, reason }).changes === 1;
}

const delay = statement((db) =>
  db
    .update(messages)
    .set({ notBefore: sql`${sql.placeholder("until")}` })
    .where(eq(messages.id, sql.placeholder("id")))
    .prepare(),
);

export function delayRecipient(tx: Tx, id: number, until: number): void {
  delay(tx).run({ id, until });
}

const earliest = statement((db) =>
  db
    .select({ until: messages.notBefore })
    .from(messages)
    .where(and(eq(messages.broadcastId, sql.placeholder("broadcastId")), isDelayed))
    .orderBy(messages.notBefore)
    .limit(1)
    .prepare(),
);

/** When the first delayed recipient is due; null if none is delayed. */
export function nextDueAt(tx: ReadTx, broadcastId: number): number | null {
  return earliest(tx).get({ broadcastId })?.until ?? null;
}
