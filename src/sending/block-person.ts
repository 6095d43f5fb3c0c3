/**
 * Blocks a person on a number, or ends that: the intent is committed, the network is asked once, the result is committed.
 * Where an answer is lost, the network's list of blocked people is read; a job reads it after a crash, and until it was
 * read. A request is never repeated automatically.
 */
import type { Clock } from "#src/core/clock.ts";
import type { Log } from "#src/core/log.ts";
import { notFound, Problem } from "#src/core/problem.ts";
import type { SecretBox } from "#src/core/secret.ts";
import type { Store } from "#src/db/store.ts";
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import { addressOf, getContact } from "#src/domain/contacts/find.ts";
import type { Conversation } from "#src/domain/contacts/table.ts";
import { beginBlock, endBlock, findBlockById } from "#src/domain/inbound/blocks.ts";
import type { Block, BlockAction } from "#src/domain/inbound/table.ts";
import { requireAddress } from "#src/domain/messages/plan.ts";
import { findNumber } from "#src/domain/numbers/read.ts";
import type { SendingNumber } from "#src/domain/numbers/table.ts";
import { finish, postpone } from "#src/jobs/outbox.ts";
import { Worker } from "#src/jobs/worker.ts";
import type { BlockPort, Networks, Sender } from "#src/networks/network.ts";
import type { BlockedPage, BlockedPerson } from "#src/networks/profile-request.ts";
import { openSender } from "./open-sender.ts";

interface BlockOptions {
  store: Store;
  networks: Networks;
  box: SecretBox;
}

type Thread = Pick<Conversation, "workspaceId" | "contactId" | "numberId">;

/** The connector waits half a minute for an answer; a request may arrive a little after that. */
const CHECK_AFTER_MS = 60_000;
/** The list could not be read: again after this long. */
const CHECK_AGAIN_MS = 10 * 60_000;
const PAGE_SIZE = 100;
/** More than the network's list can have; ends a list whose cursor loops. */
const PAGES_MAX = 700;

/** Whom to name to the network, and where. */
interface Target {
  port: BlockPort;
  sender: Sender;
  person: BlockedPerson;
}

/**
 * Throws the `Problem` that kept the network from doing it. `find` names the thread, and `onStored` records what the
 * caller has to say of it, both in the transaction that stores the intent.
 */
export async function setBlocked(
  options: BlockOptions,
  find: (tx: Tx) => Thread,
  action: BlockAction,
  onStored: (tx: Tx) => void = () => {},
): Promise<void> {
  const { store } = options;
  const intent = await store.write((tx) => {
    const thread = find(tx);
    const target = targetOf(tx, options, thread);
    const block = beginBlock(tx, thread, action, CHECK_AFTER_MS);
    if (block !== null) onStored(tx);
    return block === null ? null : { block, target };
  });
  if (intent === null) return;
  const { block, target } = intent;
  const isAsked = action === "block";
  const answer = await target.port.setBlocked(target.sender, target.person, isAsked);
  switch (answer.kind) {
    case "accepted":
      return store.write((tx) => endBlock(tx, block, isAsked));
    case "refused":
      await store.write((tx) => endBlock(tx, block, !isAsked));
      throw new Problem("whatsapp_error", answer.message, { whatsappCode: answer.code, outcome: "not_sent" });
    case "later":
      await store.write((tx) => endBlock(tx, block, !isAsked));
      throw new Problem("unavailable", `${answer.message} Nothing has changed; try again.`, {
        outcome: "not_sent",
        ...(answer.retryAfterMs === null ? {} : { retryAfterMs: answer.retryAfterMs }),
      });
    case "unknown": {
      const isBlocked = await isListed(target);
      // What is not on the list yet may still arrive: the job has the last word.
      if (isBlocked === isAsked) return store.write((tx) => endBlock(tx, block, isAsked));
      throw new Problem(
        "whatsapp_error",
        "WhatsApp did not answer. Its list of blocked people is read in a minute, and this conversation then shows what it says.",
        { whatsappCode: "timeout", outcome: "unknown" },
      );
    }
  }
}

/** Throws `not_found` for a number that was removed, and the problem of a person who has no address on it. */
function targetOf(tx: ReadTx, { networks, box }: BlockOptions, { workspaceId, contactId, numberId }: Thread): Target {
  const number = findNumber(tx, numberId);
  if (number === undefined) throw notFound("number");
  const contact = getContact(tx, workspaceId, contactId);
  const { phone, networkUserId: userId } = requireAddress(tx, addressOf(tx, contact), number, null);
  return { ...openBlocks({ networks, box }, number), person: { phone, userId } };
}

/** Throws `number_not_ready` where the token cannot be read. */
function openBlocks({ networks, box }: Pick<BlockOptions, "networks" | "box">, number: SendingNumber) {
  const port = networks[number.network].blocks;
  if (port === undefined) throw new Error(`${number.network} blocks no one`);
  return { port, sender: openSender(box, number) };
}

/** One page of the network's list. Throws `whatsapp_error` if it cannot be read. */
export async function listBlocked(
  options: Omit<BlockOptions, "store">,
  number: SendingNumber,
  after: string | null,
  limit: number,
): Promise<BlockedPage> {
  const { port, sender } = openBlocks(options, number);
  const answer = await port.listBlocked(sender, after, limit);
  if (answer.ok) return answer.value;
  const { message, code, kind } = answer.failure;
  const details = { whatsappCode: code, outcome: "not_sent", isRetryable: kind === "later" } as const;
  throw new Problem("whatsapp_error", message, details);
}

/**
 * Unblocks a person of whom nothing is known here, so that nothing is kept: what came of it, the network's list shows.
 * Throws `whatsapp_error`.
 */
export async function unblockStranger(
  options: Omit<BlockOptions, "store">,
  number: SendingNumber,
  person: BlockedPerson,
): Promise<void> {
  const target = { ...openBlocks(options, number), person };
  const answer = await target.port.setBlocked(target.sender, person, false);
  if (answer.kind === "accepted") return;
  if (answer.kind === "unknown" && (await isListed(target)) === false) return;
  const isKnown = answer.kind !== "unknown";
  throw new Problem("whatsapp_error", answer.message, {
    ...{ whatsappCode: answer.kind === "refused" ? answer.code : "timeout", outcome: isKnown ? "not_sent" : "unknown" },
    isRetryable: answer.kind === "later",
  });
}

/** Whether the network's list has the person; null: it cannot be read. */
async function isListed({ port, sender, person }: Target): Promise<boolean | null> {
  let after: string | null = null;
  for (let page = 0; page < PAGES_MAX; page++) {
    const answer: Awaited<ReturnType<BlockPort["listBlocked"]>> = await port.listBlocked(sender, after, PAGE_SIZE);
    if (!answer.ok) return null;
    if (answer.value.people.some((one) => isSame(one, person))) return true;
    after = answer.value.next;
    if (after === null) return false;
  }
  return null;
}

function isSame(one: BlockedPerson, other: BlockedPerson): boolean {
  return (one.phone !== null && one.phone === other.phone) || (one.userId !== null && one.userId === other.userId);
}

/** Reads the list for requests whose answer was lost, and for those that a crash interrupted. */
export function createBlockWorker({ log, clock, ...options }: BlockOptions & { log: Log; clock: Clock }): Worker {
  const { store } = options;
  return new Worker({
    store,
    clock,
    kind: "resolve_block",
    concurrency: () => 1,
    async perform(row) {
      const found = store.read((tx) => readOpen(tx, options, row.subject));
      const isBlocked = found === null ? null : await isListed(found.target);
      await store.write((tx) => {
        if (found === null) finish(tx, row.id);
        else if (isBlocked === null) postpone(tx, row.id, tx.now + CHECK_AGAIN_MS);
        else endBlock(tx, found.block, isBlocked);
      });
    },
    onError: (error, row) =>
      log.error("block.check_failed", "Outcome of a block could not be checked", { block: row?.subject, error }),
  });
}

/** Null: there is nothing to find out, or no one to ask any more. */
function readOpen(tx: ReadTx, options: BlockOptions, id: number): { block: Block; target: Target } | null {
  const block = findBlockById(tx, id);
  if (block === undefined || block.asked === null) return null;
  try {
    return { block, target: targetOf(tx, options, block) };
  } catch (error) {
    if (error instanceof Problem) return null;
    throw error;
  }
}
