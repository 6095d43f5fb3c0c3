/**
 * Counts whom a broadcast would reach, and previews it, for the API and the console. Every member of a group is
 * visited, so the counting runs on the reader's thread and before the transaction that sends the broadcast.
 */

import { Problem } from "#src/core/problem.ts";
import type { QuietHours } from "#src/core/quiet-hours.ts";
import type { Reader } from "#src/db/reader.ts";
import type { Store } from "#src/db/store.ts";
import type { Repeats } from "#src/domain/broadcasts/again.ts";
import {
  type AudienceEstimate,
  audienceEstimateSql,
  celebrantIdsSql,
  countCelebrants,
  readAudienceEstimate,
} from "#src/domain/broadcasts/audience-estimate.ts";
import { type BilledPeople, billedOfGroupSql, billedOfList, readBilled } from "#src/domain/broadcasts/bill.ts";
import { forecastWaits, type Wait } from "#src/domain/broadcasts/forecast.ts";
import { type BroadcastInput, type BroadcastPlan, planBroadcast } from "#src/domain/broadcasts/plan.ts";
import { type BroadcastPreview, previewGroup, previewList } from "#src/domain/broadcasts/preview.ts";
import { resolveList } from "#src/domain/broadcasts/resolve-list.ts";

interface CountingCall {
  store: Store;
  searchReader: Reader;
}

/** Throws the `Problem` that would block the broadcast. `again`: what it repeats; absent: nothing. */
export async function previewBroadcast(
  call: CountingCall,
  workspaceId: number,
  input: BroadcastInput,
  again?: Repeats,
): Promise<BroadcastPreview> {
  return (await evaluate(call, workspaceId, input, again)).preview;
}

/** The preview with what a person is told beside it: who has to wait, and by what Meta bills. */
interface BroadcastReview {
  plan: BroadcastPlan;
  preview: BroadcastPreview;
  waits: Wait[];
  /** Null: the people of a birthday are not counted by their numbers. */
  billed: BilledPeople[] | null;
}

/** Throws the `Problem` that would block the broadcast. */
export async function reviewBroadcast(
  call: CountingCall & { quiet: QuietHours | null },
  workspaceId: number,
  input: BroadcastInput,
  again?: Repeats,
): Promise<BroadcastReview> {
  const { plan, preview, people } = await evaluate(call, workspaceId, input, again);
  const { reached, network_limit: limit } = preview;
  const waiting = limit === null ? 0 : reached - limit.today;
  const waits = call.store.read((tx) => forecastWaits(tx, plan, { reached, waiting }, call.quiet));
  if (people !== null) return { plan, preview, waits, billed: billedOfList(people) };
  if (plan.group?.isAboutBirthdays === true) return { plan, preview, waits, billed: null };
  const { sql, parameters } = call.store.read((tx) => billedOfGroupSql(tx, plan));
  return { plan, preview, waits, billed: readBilled(await call.searchReader.query(sql, parameters)) };
}

async function evaluate(call: CountingCall, workspaceId: number, input: BroadcastInput, again?: Repeats) {
  const { store } = call;
  const plan = store.read((tx) => planBroadcast(tx, workspaceId, input));
  if ("to" in input.audience) {
    const { to } = input.audience;
    const options = {
      workspace: plan.workspace,
      variables: plan.variables,
      address: plan,
      isCapChecked: plan.sendAt === null,
      again,
    };
    return store.read((tx) => {
      const people = resolveList(tx, to, options);
      return { plan, preview: previewList(tx, plan, people), people };
    });
  }
  const estimate = await estimateAudience(call, plan);
  return { plan, preview: store.read((tx) => previewGroup(tx, plan, estimate)), people: null };
}

/**
 * How many members of a group have opted in: `sendBroadcast` holds their cost. Needed only for a group that is charged
 * and starts at once, or with an API key that has a budget; otherwise 0, and null for a list.
 */
export async function countAudience(
  call: CountingCall,
  workspaceId: number,
  input: BroadcastInput,
  hasBudget = false,
): Promise<number | null> {
  if ("to" in input.audience) return null;
  let plan: BroadcastPlan;
  try {
    plan = call.store.read((tx) => planBroadcast(tx, workspaceId, input));
  } catch (error) {
    // The transaction that sends the broadcast reports the problem, in order after the key.
    if (error instanceof Problem) return 0;
    throw error;
  }
  if (!hasBudget && (plan.account === null || plan.sendAt !== null)) return 0;
  const { reached, missingVariable } = await estimateAudience(call, plan);
  return reached + missingVariable;
}

/** Ids that one query of a dynamic group returns, and how many of those contacts are read per transaction. */
const CONTACTS_PER_QUERY = 2_000;
const CONTACTS_PER_READ = 100;

export async function estimateAudience(
  { store, searchReader }: CountingCall,
  plan: BroadcastPlan,
): Promise<AudienceEstimate> {
  if (plan.group?.isAboutBirthdays !== true) {
    const { sql, parameters } = store.read((tx) => audienceEstimateSql(tx, plan));
    const [row] = await searchReader.query(sql, parameters);
    return readAudienceEstimate(row);
  }
  const at = plan.sendAt ?? store.read(({ now }) => now);
  const sum: AudienceEstimate = { reached: 0, optedOut: 0, mayWantToStop: 0, noOptIn: 0, missingVariable: 0 };
  for (let after = 0; ; ) {
    const { sql, parameters } = celebrantIdsSql(plan, at, after, CONTACTS_PER_QUERY);
    const ids = (await searchReader.query(sql, parameters)).map(({ id }) => Number(id));
    for (let start = 0; start < ids.length; start += CONTACTS_PER_READ) {
      const batch = ids.slice(start, start + CONTACTS_PER_READ);
      const estimate = await Promise.resolve(store.read((tx) => countCelebrants(tx, plan, at, batch)));
      sum.reached += estimate.reached;
      sum.optedOut += estimate.optedOut;
      sum.mayWantToStop += estimate.mayWantToStop;
      sum.noOptIn += estimate.noOptIn;
      sum.missingVariable += estimate.missingVariable;
    }
    const last = ids.at(-1);
    if (last === undefined || ids.length < CONTACTS_PER_QUERY) return sum;
    after = last;
  }
}
