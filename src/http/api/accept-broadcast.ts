/**
 * The way of `POST /broadcasts` from a checked body to the kept answer: whatever has to be counted is counted on the
 * reader's thread first, then the broadcast, its people, the key and the answer are one transaction.
 */

import { Problem } from "#src/core/problem.ts";
import type { Tx } from "#src/db/transaction.ts";
import { type AcceptedBroadcast, acceptBroadcast } from "#src/domain/broadcasts/accept.ts";
import {
  celebrantIdsSql,
  countCelebrants,
  type Reach,
  reachSql,
  readReach,
} from "#src/domain/broadcasts/audience-estimate.ts";
import { type BroadcastInput, type BroadcastPlan, planBroadcast } from "#src/domain/broadcasts/plan.ts";
import { viewCreated } from "#src/domain/broadcasts/view.ts";
import { claimKey, findKey, isSettling, type KeyUse, keepAnswer } from "#src/domain/idempotency/keys.ts";
import { type Answer, answerData, type Call } from "../endpoint.ts";
import { answerProblem } from "../errors.ts";
import { replay } from "../idempotency.ts";

/** Counts where it must, then takes the broadcast on together with the key and the kept answer. */
export async function takeOn(call: Call, input: BroadcastInput, use: KeyUse | null): Promise<Answer> {
  const { store, workspace } = call;
  const reachable = await countAhead(call, input);
  const answer = await store.write((tx) => accept(tx, call, input, use, reachable));
  if (answer instanceof Problem) throw answer;
  return answer ?? replay({ store, workspace }, use as KeyUse) ?? takeOn(call, input, use);
}

/** A problem that settles nothing is returned, and leaves the key unused. Null: somebody else's claim stands. */
function accept(
  tx: Tx,
  call: Call,
  input: BroadcastInput,
  use: KeyUse | null,
  reachable: number | null,
): Answer | Problem | null {
  const { workspace, by, handOver } = call;
  const request = {
    workspaceId: workspace.id,
    input,
    instanceId: handOver.instanceId,
    reachable,
    evidence: { ...by },
  };
  if (use !== null && findKey(tx, workspace.id, use) !== undefined) return null;
  const settle = (answer: Answer): Answer => {
    if (use !== null) keepAnswer(tx, claimKey(tx, workspace.id, use), answer);
    return answer;
  };
  try {
    return settle(
      render(
        tx,
        tx.savepoint(() => acceptBroadcast(tx, request)),
      ),
    );
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return isSettling(error) ? settle(answerProblem(error)) : error;
  }
}

function render(tx: Tx, { broadcast, plan, skipped }: AcceptedBroadcast): Answer {
  return answerData(202, viewCreated(tx, broadcast, skipped, plan.workspace));
}

/** How many of a group have opted in, where that has to be known: it is charged, and starts at once. */
async function countAhead(call: Call, input: BroadcastInput): Promise<number | null> {
  if ("to" in input.audience) return null;
  let plan: BroadcastPlan;
  try {
    plan = call.store.read((reading) => planBroadcast(reading, call.workspace.id, input));
  } catch (error) {
    // The transaction that accepts refuses it, in its place behind the key.
    if (error instanceof Problem) return 0;
    throw error;
  }
  if (plan.account === null || plan.sendAt !== null) return 0;
  const { reached, missingVariable } = await countReach(call, plan);
  return reached + missingVariable;
}

/** Ids that a saved search is asked for at once, and how many of them are looked at in one go. */
const SEARCH_ROWS = 2_000;
const LOOKED_AT_ONCE = 100;

/** A walk over all members, so it happens on the reader's thread. */
export async function countReach({ store, searchReader }: Call, plan: BroadcastPlan): Promise<Reach> {
  if (plan.group?.isAboutBirthdays !== true) {
    const { sql, parameters } = store.read((reading) => reachSql(reading, plan));
    const [row] = await searchReader.query(sql, parameters);
    return readReach(row);
  }
  const at = plan.sendAt ?? store.read(({ now }) => now);
  const sum: Reach = { reached: 0, optedOut: 0, noOptIn: 0, missingVariable: 0 };
  for (let after = 0; ; ) {
    const { sql, parameters } = celebrantIdsSql(plan, at, after, SEARCH_ROWS);
    const ids = (await searchReader.query(sql, parameters)).map(({ id }) => Number(id));
    for (let start = 0; start < ids.length; start += LOOKED_AT_ONCE) {
      const part = ids.slice(start, start + LOOKED_AT_ONCE);
      const reach = await Promise.resolve(store.read((reading) => countCelebrants(reading, plan, at, part)));
      sum.reached += reach.reached;
      sum.optedOut += reach.optedOut;
      sum.noOptIn += reach.noOptIn;
      sum.missingVariable += reach.missingVariable;
    }
    const last = ids.at(-1);
    if (last === undefined || ids.length < SEARCH_ROWS) return sum;
    after = last;
  }
}
