/**
 * Accepts the checked body of `POST /broadcasts`. Counting happens first, on the reader's thread; then one transaction
 * stores the broadcast, its recipients, the idempotency key and the answer.
 */

import { Problem } from "#src/core/problem.ts";
import type { Tx } from "#src/db/transaction.ts";
import { type AcceptedBroadcast, acceptBroadcast } from "#src/domain/broadcasts/accept.ts";
import {
  type AudienceEstimate,
  audienceEstimateSql,
  celebrantIdsSql,
  countCelebrants,
  readAudienceEstimate,
} from "#src/domain/broadcasts/audience-estimate.ts";
import { type BroadcastInput, type BroadcastPlan, planBroadcast } from "#src/domain/broadcasts/plan.ts";
import { viewCreated } from "#src/domain/broadcasts/view.ts";
import { claimKey, findKey, isFinal, type KeyUse, storeAnswer, toKeptProblem } from "#src/domain/idempotency/keys.ts";
import { type Answer, answerData, type Call } from "../endpoint.ts";
import { answerProblem } from "../errors.ts";
import { replay } from "../idempotency.ts";

/**
 * Counts the audience if the cost requires it, then accepts the broadcast in one transaction with the key and its
 * answer.
 */
export async function acceptBroadcastRequest(call: Call, input: BroadcastInput, use: KeyUse | null): Promise<Answer> {
  const { store, workspace } = call;
  const audienceSize = await estimateAudienceSize(call, input);
  const answer = await store.write((tx) => accept(tx, call, input, use, audienceSize));
  if (answer instanceof Problem) throw answer;
  return answer ?? replay({ store, workspace }, use as KeyUse) ?? acceptBroadcastRequest(call, input, use);
}

/** Returns a problem that is not final; the key stays unused. Null: a concurrent request has claimed the key. */
function accept(
  tx: Tx,
  call: Call,
  input: BroadcastInput,
  use: KeyUse | null,
  audienceSize: number | null,
): Answer | Problem | null {
  const { workspace, caller, dispatch } = call;
  const request = {
    workspaceId: workspace.id,
    input,
    instanceId: dispatch.instanceId,
    audienceSize,
    evidence: { ...caller },
  };
  if (use !== null && findKey(tx, workspace.id, use) !== undefined) return null;
  const recordAnswer = (answer: Answer): Answer => {
    if (use !== null) storeAnswer(tx, claimKey(tx, workspace.id, use), answer);
    return answer;
  };
  try {
    return recordAnswer(
      render(
        tx,
        tx.savepoint(() => acceptBroadcast(tx, request)),
      ),
    );
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    if (!isFinal(error)) return error;
    return recordAnswer(answerProblem(use === null ? error : toKeptProblem(error), true));
  }
}

function render(tx: Tx, { broadcast, plan, skipped }: AcceptedBroadcast): Answer {
  return answerData(202, viewCreated(tx, broadcast, skipped, plan.workspace));
}

/**
 * How many members of a group have opted in. Needed only for a group that is charged and starts at once; otherwise 0,
 * and null for a list.
 */
async function estimateAudienceSize(call: Call, input: BroadcastInput): Promise<number | null> {
  if ("to" in input.audience) return null;
  let plan: BroadcastPlan;
  try {
    plan = call.store.read((tx) => planBroadcast(tx, call.workspace.id, input));
  } catch (error) {
    // The transaction that accepts the broadcast reports the problem, in order after the key.
    if (error instanceof Problem) return 0;
    throw error;
  }
  if (plan.account === null || plan.sendAt !== null) return 0;
  const { reached, missingVariable } = await estimateAudience(call, plan);
  return reached + missingVariable;
}

/** Ids that one query of a dynamic group returns, and how many of those contacts are read per transaction. */
const CONTACTS_PER_QUERY = 2_000;
const CONTACTS_PER_READ = 100;

/** Counts on the reader's thread, because it visits every member of the group. */
export async function estimateAudience({ store, searchReader }: Call, plan: BroadcastPlan): Promise<AudienceEstimate> {
  if (plan.group?.isAboutBirthdays !== true) {
    const { sql, parameters } = store.read((tx) => audienceEstimateSql(tx, plan));
    const [row] = await searchReader.query(sql, parameters);
    return readAudienceEstimate(row);
  }
  const at = plan.sendAt ?? store.read(({ now }) => now);
  const sum: AudienceEstimate = { reached: 0, optedOut: 0, noOptIn: 0, missingVariable: 0 };
  for (let after = 0; ; ) {
    const { sql, parameters } = celebrantIdsSql(plan, at, after, CONTACTS_PER_QUERY);
    const ids = (await searchReader.query(sql, parameters)).map(({ id }) => Number(id));
    for (let start = 0; start < ids.length; start += CONTACTS_PER_READ) {
      const batch = ids.slice(start, start + CONTACTS_PER_READ);
      const estimate = await Promise.resolve(store.read((tx) => countCelebrants(tx, plan, at, batch)));
      sum.reached += estimate.reached;
      sum.optedOut += estimate.optedOut;
      sum.noOptIn += estimate.noOptIn;
      sum.missingVariable += estimate.missingVariable;
    }
    const last = ids.at(-1);
    if (last === undefined || ids.length < CONTACTS_PER_QUERY) return sum;
    after = last;
  }
}
