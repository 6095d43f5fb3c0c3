/**
 * Whom a number blocks. A request is stored before it leaves, and leaves once. Where its outcome is not known, the
 * network's list of blocked people says what it is; until it was read, `asked` stays.
 */
import { and, eq, inArray } from "drizzle-orm";
import { Problem } from "#src/core/problem.ts";
import { deleteRows, insertRow, updateRows } from "#src/db/rows.ts";
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import { queueOfNumber, reschedule } from "#src/jobs/enqueue.ts";
import { deleteJobs } from "#src/jobs/outbox.ts";
import type { Conversation } from "../contacts/table.ts";
import { numbers } from "../numbers/table.ts";
import type { BlockState } from "./block-states.ts";
import { blockOn } from "./statements.ts";
import { type Block, type BlockAction, blocks } from "./table.ts";

type Thread = Pick<Conversation, "workspaceId" | "contactId" | "numberId">;

export function findBlock(tx: ReadTx, { contactId, numberId }: Thread): Block | undefined {
  return blockOn(tx).get({ contactId, numberId });
}

export function findBlockById({ db }: ReadTx, id: number): Block | undefined {
  return db.select().from(blocks).where(eq(blocks.id, id)).get();
}

/** The numbers on which WhatsApp keeps these people blocked, whatever becomes of them here. */
export function listNumbersBlocking({ db }: ReadTx, contactIds: readonly number[]): string[] {
  const rows = db
    .selectDistinct({ phone: numbers.phone })
    .from(blocks)
    .innerJoin(numbers, eq(numbers.id, blocks.numberId))
    .where(and(inArray(blocks.contactId, [...contactIds]), eq(numbers.network, "whatsapp")))
    .orderBy(numbers.phone)
    .all();
  return rows.map(({ phone }) => phone);
}

/** What is known of the person on a number: `checking`, while the outcome of the last request is not known. */
export function blockStateOf(block: Block | undefined): BlockState | null {
  if (block === undefined) return null;
  if (block.asked !== null) return "checking";
  return block.blockedAt === null ? null : "blocked";
}

/**
 * Stores the request; null: it is so already. Throws `rate_limited` while another one is under way or waits for the
 * network's list. `checkAfterMs`: when the list is read if no answer was recorded.
 */
export function beginBlock(tx: Tx, thread: Thread, action: BlockAction, checkAfterMs: number): Block | null {
  const before = findBlock(tx, thread);
  if (before?.asked != null) {
    throw new Problem(
      "rate_limited",
      "Whether WhatsApp blocks this person is being checked after a request without an answer. Try again in a minute.",
      { retryAfterMs: 30_000, outcome: "not_sent" },
    );
  }
  if (action === "unblock" ? before === undefined : before !== undefined) return null;
  const { workspaceId, contactId, numberId } = thread;
  const asked = { asked: action, askedAt: tx.now };
  const block =
    before === undefined
      ? insertRow(tx, blocks, { workspaceId, contactId, numberId, ...asked })
      : tx.db.update(blocks).set(asked).where(eq(blocks.id, before.id)).returning().get();
  const dueAt = tx.now + checkAfterMs;
  reschedule(tx, { kind: "resolve_block", subject: block.id, queueKey: queueOfNumber(numberId), dueAt });
  return block;
}

/** What the network said of it, or its list. Nothing happens if it has ended, or the person was erased meanwhile. */
export function endBlock(tx: Tx, { id, askedAt, blockedAt }: Block, isBlocked: boolean): void {
  const now = findBlockById(tx, id);
  if (now === undefined || now.askedAt !== askedAt) return;
  deleteJobs(tx, "resolve_block", [id]);
  if (isBlocked) {
    updateRows(tx, blocks, { id }, { asked: null, askedAt: null, blockedAt: blockedAt ?? tx.now });
  } else deleteRows(tx, blocks, { id });
}

/** What the network's list shows of a person about whom nothing is being asked. */
export function noteListed(tx: Tx, thread: Thread, isBlocked: boolean): void {
  const block = findBlock(tx, thread);
  if (block !== undefined && block.asked !== null) return;
  if (isBlocked && block === undefined) {
    const { workspaceId, contactId, numberId } = thread;
    tx.db.insert(blocks).values({ workspaceId, contactId, numberId, blockedAt: tx.now }).run();
  } else if (!isBlocked && block !== undefined) deleteRows(tx, blocks, { id: block.id });
}
