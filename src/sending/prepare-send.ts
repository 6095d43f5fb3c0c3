/** What a message needs before it is accepted: its file with the network, its thread, and a token of its number's pace. */
import { Problem } from "#src/core/problem.ts";
import type { SecretBox } from "#src/core/secret.ts";
import { clauseOf } from "#src/core/sentence.ts";
import type { Store } from "#src/db/store.ts";
import type { ReadTx } from "#src/db/transaction.ts";
import { uploadsOf } from "#src/domain/messages/content.ts";
import { namesUploads } from "#src/domain/messages/named-files.ts";
import { planSend, type SendInput, type SendPlan } from "#src/domain/messages/plan.ts";
import { chooseSender } from "#src/domain/numbers/choose.ts";
import { downReason, findNetworkHealth, PROBE_EVERY_MS } from "#src/domain/numbers/network-health.ts";
import type { SendingNumber } from "#src/domain/numbers/table.ts";
import { getWorkspace } from "#src/domain/workspaces/read.ts";
import type { Networks } from "#src/networks/network.ts";
import { takeThreadFirst } from "./control-thread.ts";
import type { OutcomeRecorder } from "./outcome-recorder.ts";
import type { Pace } from "./pace.ts";
import { busyProblem } from "./refusal.ts";

export interface PrepareOptions {
  store: Store;
  pace: Pace;
  recorder: OutcomeRecorder;
  networks: Networks;
  box: SecretBox;
  /** Time limit of one attempt. */
  timeoutMs: number;
  /** Gives an upload to the network for a number, unless it has it. Throws a `Problem`: nothing was sent. */
  provideFile: (number: SendingNumber, uploadId: number) => Promise<void>;
}

interface Prepared {
  workspaceId: number;
  input: SendInput;
}

/** Before the message takes its turn. One that would be refused anyway is refused without it. */
export async function provideFiles(
  { store, provideFile }: PrepareOptions,
  { workspaceId, input }: Prepared,
): Promise<void> {
  const { content } = input;
  const isNamed = content.type === "template" ? namesUploads(content) : uploadsOf(content).length > 0;
  if (!isNamed) return;
  const plan = store.read((tx) => findPlan(tx, workspaceId, input));
  if (plan === null) return;
  for (const uploadId of uploadsOf(plan.content)) await provideFile(plan.sender, uploadId);
}

/** The thread that the request takes from another sender. */
export async function takeFirst(options: PrepareOptions, { workspaceId, input }: Prepared): Promise<void> {
  if (input.take !== true || input.content.type === "template") return;
  const plan = options.store.read((tx) => findPlan(tx, workspaceId, input));
  if (plan !== null) await takeThreadFirst(options, plan);
}

/**
 * Takes a token of the sending number. If none is available, it first checks, without writing, whether the message would be
 * refused anyway: then it does not wait. Returns the number whose token was taken, or null.
 */
export async function acquireToken(
  options: PrepareOptions,
  request: Prepared,
  deadline: number,
): Promise<number | null> {
  const { store, pace, recorder } = options;
  const chosen = store.read((tx) => {
    const workspace = getWorkspace(tx, request.workspaceId);
    const resolved = chooseSender(tx, workspace, request.input.from);
    const sender = "sender" in resolved ? resolved.sender : null;
    return sender === null ? null : { sender, health: findNetworkHealth(tx, sender.id) };
  });
  if (chosen === null) return null;
  const { sender, health } = chosen;
  recorder.requireUnblocked(sender.id);
  const down = downReason(health);
  if (down !== null) return refuseWhileDown(options, request, down);
  if (pace.tryAcquire(sender.id, sender.throughput)) return sender.id;
  if (!isAcceptable(options, request)) return null;
  const grant = await pace.acquire(sender.id, sender.throughput, deadline);
  if (!grant.isGranted) throw busyProblem(grant.waitMs);
  if (recorder.isBlocked(sender.id)) {
    pace.release(sender.id);
    recorder.requireUnblocked(sender.id);
  }
  return sender.id;
}

/** Whether the message would be stored as things stand; reads only. */
function isAcceptable({ store }: PrepareOptions, request: Prepared): boolean {
  return store.read((tx) => findPlan(tx, request.workspaceId, request.input)) !== null;
}

/** Null: the message would be refused. */
function findPlan(tx: ReadTx, workspaceId: number, input: SendInput): SendPlan | null {
  try {
    return planSend(tx, workspaceId, input);
  } catch (error) {
    if (error instanceof Problem) return null;
    throw error;
  }
}

/** The network is down for this number: says so at once, unless the message would be refused anyway. */
function refuseWhileDown(options: PrepareOptions, request: Prepared, reason: string): null {
  if (!isAcceptable(options, request)) return null;
  throw new Problem(
    "unavailable",
    `The network is in trouble, so nothing was sent: ${clauseOf(reason)}. Try again later with the same key.`,
    { retryAfterMs: PROBE_EVERY_MS, outcome: "not_sent" },
  );
}
