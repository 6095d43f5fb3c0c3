/**
 * Sends one message for a request of the API or the console, once under its idempotency key. The key, the message and
 * what the caller records about it are one transaction; repetitions get the answer that was kept.
 */
import { Problem } from "#src/core/problem.ts";
import type { Store } from "#src/db/store.ts";
import { claimKey, findKey, type KeyUse, storeAnswer } from "#src/domain/idempotency/keys.ts";
import type { IdempotencyKey } from "#src/domain/idempotency/table.ts";
import { planSend } from "#src/domain/messages/plan.ts";
import { scheduleMessage } from "#src/domain/messages/scheduled.ts";
import { viewMessage } from "#src/domain/messages/view.ts";
import type { Workspace } from "#src/domain/workspaces/table.ts";
import { resolveInDoubt } from "#src/sending/resolve-in-doubt.ts";
import {
  type KeyClaim,
  type SendOptions,
  type SendRequest,
  type SendResult,
  sendMessage,
} from "#src/sending/send-message.ts";
import { type Answer, answerData } from "./answer.ts";
import { answerProblem } from "./errors.ts";
import { actOnce, changeOnce } from "./idempotency.ts";
import type { KeyQueue } from "./key-queue.ts";

interface SendingCall {
  store: Store;
  dispatch: SendOptions;
  keyQueue: KeyQueue;
  workspace: Workspace;
}

/** Throws the `Problem` of a refusal that is not final; every other refusal is an answer. */
export function sendOnce(call: SendingCall, request: SendRequest, use: KeyUse | null): Promise<Answer> {
  const { dispatch, workspace } = call;
  return actOnce(call, use, async (open) => {
    if (use === null) return answerSent(await sendMessage(dispatch, request, null));
    if (open !== undefined) return answerOpenKey(dispatch, open);
    return answerSent(await sendMessage(dispatch, request, claimFor(workspace.id, use)));
  });
}

/** The same for a message that is sent later: it is stored, and the answer kept, in one transaction. */
export function scheduleOnce(
  call: SendingCall,
  { workspaceId, origin, sentBy, input, keyId, onStart, onStored }: SendRequest & { keyId: number | null },
  use: KeyUse | null,
): Promise<Answer> {
  const { workspace, dispatch } = call;
  const { instanceId } = dispatch;
  const { later, content, reference, take = null } = input;
  if (later == null) throw new Error("the message has no time");
  return actOnce(call, use, () =>
    changeOnce(call, use, (tx) => {
      onStart?.(tx);
      const plan = planSend(tx, workspaceId, input);
      const options = { origin, sentBy, reference, instanceId, idempotencyKey: use?.key ?? null, keyId };
      const message = scheduleMessage(tx, plan, { content, later, take }, options);
      onStored?.(tx, message);
      return { ...answerData(202, viewMessage(message, workspace)), logFields: { message: message.id } };
    }),
  );
}

/**
 * A key without an answer belongs to a dispatch whose outcome was not recorded. Resolves the message and stores the
 * result as the answer.
 */
async function answerOpenKey(dispatch: SendOptions, open: IdempotencyKey): Promise<Answer> {
  const result = await resolveInDoubt(dispatch, open.messageId, (tx, finalResult) => {
    storeAnswer(tx, open.id, render(finalResult));
  });
  return render(result);
}

function claimFor(workspaceId: number, use: KeyUse): KeyClaim {
  return {
    key: use.key,
    isFree: (tx) => findKey(tx, workspaceId, use) === undefined,
    claim: (tx) => claimKey(tx, workspaceId, use),
    render,
  };
}

function answerSent(sent: Awaited<ReturnType<typeof sendMessage>>): Answer {
  if (sent === "claimed_meanwhile") throw new Error("a key was claimed by another request while this one held it");
  return render(sent.result);
}

function render(result: SendResult): Answer {
  if (result instanceof Problem) return answerProblem(result, true);
  return {
    ...answerData(201, viewMessage(result.message, result.workspace)),
    logFields: { message: result.message.id },
  };
}
