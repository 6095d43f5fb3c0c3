/**
 * Takes a thread, gives it back or passes it on: the intent is committed, the network is asked once, the result is
 * committed. An outcome that is unknown is never repeated: see `domain/inbound/thread-calls.ts`.
 */
import { Problem } from "#src/core/problem.ts";
import type { SecretBox } from "#src/core/secret.ts";
import type { Store } from "#src/db/store.ts";
import type { Tx } from "#src/db/transaction.ts";
import { addressOf, getContact } from "#src/domain/contacts/find.ts";
import type { Conversation } from "#src/domain/contacts/table.ts";
import { findConversationOn } from "#src/domain/contacts/threads.ts";
import type { ThreadCall } from "#src/domain/inbound/table.ts";
import {
  beginThreadCall,
  recordDone,
  recordRefused,
  settle,
  type ThreadRequest,
} from "#src/domain/inbound/thread-calls.ts";
import { requireAddress, requireReady, type SendPlan } from "#src/domain/messages/plan.ts";
import { findNumber } from "#src/domain/numbers/read.ts";
import type { DoneOutcome, Network, Networks, Sender, ThreadControl } from "#src/networks/network.ts";
import { openSender } from "./open-sender.ts";
import { busyProblem } from "./refusal.ts";

interface ControlOptions {
  store: Store;
  networks: Networks;
  box: SecretBox;
  /** Time limit of the request. */
  timeoutMs: number;
}

/** The intent, on disk, and what it asks of the network. */
interface Intent {
  call: ThreadCall;
  network: Network;
  sender: Sender;
  control: ThreadControl;
}

/** An answer is over the time limit by less than this. */
const LATE_MS = 5_000;

/**
 * Throws the `Problem` that kept the network from doing it. `find` names the conversation, and `onStored` records what the
 * caller has to say of it, both in the transaction that stores the intent.
 */
export async function controlThread(
  options: ControlOptions,
  find: (tx: Tx) => Conversation,
  request: ThreadRequest,
  onStored: (tx: Tx) => void = () => {},
): Promise<void> {
  const intent = await options.store.write((tx) => {
    const stored = begin(tx, options, find(tx), request);
    if (stored !== null) onStored(tx);
    return stored;
  });
  if (intent !== null) requireDone(await ask(options, intent));
}

/**
 * Takes the thread before a message that was planned with `take: true` is stored. Where the network does not let this
 * server take it, or gives no answer, the message is sent all the same: its sender asked for that.
 */
export async function takeThreadFirst(options: ControlOptions, { takes, sender, contact }: SendPlan): Promise<void> {
  if (takes !== "by_call" || options.networks[sender.network].controlThread === undefined) return;
  const intent = await options.store.write((tx) => {
    const conversation = findConversationOn(tx, sender, contact);
    try {
      if (conversation === undefined) return null;
      return tx.savepoint(() => begin(tx, options, conversation, { action: "take", targetRole: null }));
    } catch (error) {
      // Another request takes it, or the message itself is going to be refused.
      if (error instanceof Problem) return null;
      throw error;
    }
  });
  if (intent !== null) await ask(options, intent);
}

/** Null: the thread has the owner that is asked for. */
function begin(
  tx: Tx,
  { networks, box, timeoutMs }: ControlOptions,
  conversation: Conversation,
  request: ThreadRequest,
): Intent | null {
  const number = requireReady(findNumber(tx, conversation.numberId) ?? null);
  const contact = getContact(tx, conversation.workspaceId, conversation.contactId);
  const { phone: to, networkUserId } = requireAddress(tx, addressOf(tx, contact), number, null);
  const sender = openSender(box, number);
  const call = beginThreadCall(tx, conversation, number, request, timeoutMs + LATE_MS);
  if (call === null) return null;
  const control = { ...request, to, recipientNetworkUserId: networkUserId };
  return { call, network: networks[number.network], sender, control };
}

async function ask(
  { store, timeoutMs }: ControlOptions,
  { call, network, sender, control }: Intent,
): Promise<DoneOutcome> {
  const outcome = (await network.controlThread?.(sender, control, timeoutMs)) ?? withoutThreads;
  return store.write((tx): DoneOutcome => {
    switch (outcome.kind) {
      case "done":
        recordDone(tx, call);
        return outcome;
      case "unknown":
        return settle(tx, call) ? { kind: "done" } : outcome;
      case "unreachable":
        recordRefused(tx, call, outcome.kind);
        return outcome;
      default:
        recordRefused(tx, call, outcome.code);
        return outcome;
    }
  });
}

const withoutThreads: DoneOutcome = {
  kind: "refused",
  code: "unsupported",
  message: "This network has no threads that could be taken or released.",
  scope: "recipient",
};

function requireDone(outcome: DoneOutcome): void {
  switch (outcome.kind) {
    case "done":
      return;
    case "throttled":
      throw busyProblem(outcome.retryAfterMs ?? 1_000);
    case "refused":
      throw new Problem("whatsapp_error", outcome.message, { whatsappCode: outcome.code, outcome: "not_sent" });
    case "unreachable":
      throw new Problem("whatsapp_error", "WhatsApp could not be reached, and nothing has changed. Try again later.", {
        ...{ whatsappCode: outcome.kind, outcome: "not_sent", isRetryable: true },
      });
    case "unknown":
      throw new Problem(
        "whatsapp_error",
        "WhatsApp did not answer, so it is not known who has this conversation now. The next message shows it; ask again only if you want it done once more.",
        { whatsappCode: "timeout", outcome: "unknown" },
      );
  }
}
