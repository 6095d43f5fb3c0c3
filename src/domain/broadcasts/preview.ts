/** Previews what a broadcast would do: nothing is sent and nothing is stored. */

import type { Static } from "@sinclair/typebox";
import { formatInstant } from "#src/core/instant.ts";
import { formatMoney } from "#src/core/money.ts";
import type { ReadTx } from "#src/db/transaction.ts";
import { available } from "../billing/account.ts";
import { nameOfAddress } from "../contacts/find.ts";
import { remainingUnderCap } from "../messages/daily-cap.ts";
import { countOwn, findLimitedPortfolio, isCounted, isInWindow, roomIn } from "../messages/portfolio-limit.ts";
import type { SendingNumber } from "../numbers/table.ts";
import { findWarnings } from "../templates/way-out.ts";
import type { AudienceEstimate } from "./audience-estimate.ts";
import type { BroadcastPlan } from "./plan.ts";
import type { ResolvedRecipient } from "./resolve-list.ts";
import type { PreviewCounts, PreviewSkipView, PreviewView } from "./schema.ts";
import { previewReasons } from "./skip.ts";
import { viewSkip } from "./view.ts";

export type BroadcastPreview = Static<typeof PreviewView>;

/** For a list, whose recipients are resolved one by one. */
export function previewList(tx: ReadTx, plan: BroadcastPlan, people: readonly ResolvedRecipient[]): BroadcastPreview {
  const counts = noCounts();
  for (const { skip } of people) if (skip !== null) counts[skip.reason] += 1;
  const reached = people.filter(({ skip }) => skip === null).length;
  const skips = people.flatMap((resolved) => viewSkip(resolved, plan.workspace));
  const free = countFree(tx, plan, people);
  return preview(tx, plan, { requested: people.length, reached, free, counts, skips });
}

/** Recipients who take up no room under the network's limit. */
function countFree(tx: ReadTx, { sender }: BroadcastPlan, people: readonly ResolvedRecipient[]): number {
  const limited = findLimitedPortfolio(tx, sender);
  if (limited === null) return 0;
  return people.filter(({ skip, contactLookup }) => {
    if (skip !== null || contactLookup === null) return false;
    const { contact } = contactLookup;
    return isInWindow(tx, contact) || isCounted(tx, limited, nameOfAddress(contactLookup));
  }).length;
}

/** For a group, whose members are counted. Both limits are applied as if no member were a recent recipient. */
export function previewGroup(tx: ReadTx, plan: BroadcastPlan, estimate: AudienceEstimate): BroadcastPreview {
  const left = remainingUnderCap(tx, plan.workspace);
  const over = left === null ? 0 : Math.max(0, estimate.reached - left);
  const counts = {
    ...noCounts(),
    opted_out: estimate.optedOut,
    may_want_to_stop: estimate.mayWantToStop,
    no_opt_in: estimate.noOptIn,
    missing_variable: estimate.missingVariable,
    daily_cap: over,
  };
  return preview(tx, plan, { requested: 0, reached: estimate.reached - over, free: 0, counts, skips: [] });
}

function noCounts(): Static<typeof PreviewCounts> {
  return Object.fromEntries(previewReasons.map((reason) => [reason, 0])) as Static<typeof PreviewCounts>;
}

function preview(
  tx: ReadTx,
  { workspace, sender, template, account, sendAt }: BroadcastPlan,
  {
    requested,
    reached,
    free,
    counts,
    skips,
  }: {
    requested: number;
    reached: number;
    free: number;
    counts: Static<typeof PreviewCounts>;
    skips: Static<typeof PreviewSkipView>[];
  },
): BroadcastPreview {
  const startsAt = sendAt ?? tx.now;
  const amount = reached * (account?.rate ?? 0);
  return {
    requested,
    reached,
    skipped: counts,
    skips,
    cost:
      account === null
        ? null
        : {
            currency: account.currency,
            rate: formatMoney(account.rate),
            amount: formatMoney(amount),
            available: formatMoney(available(account)),
            available_after: formatMoney(available(account) - amount),
            covered: available(account) >= amount,
          },
    daily_cap_left: remainingUnderCap(tx, workspace),
    network_limit: networkLimit(tx, workspace.id, sender, { reached, free }),
    warnings: findWarnings(template, workspace),
    starts_at: formatInstant(startsAt, workspace.timezone),
    ends_at: formatInstant(startsAt + Math.ceil((reached / sender.throughput) * 1000), workspace.timezone),
  };
}

/** The limit is shared with other workspaces: of what they use, only the room for this broadcast is told. */
function networkLimit(
  tx: ReadTx,
  workspaceId: number,
  sender: SendingNumber,
  { reached, free }: { reached: number; free: number },
): BroadcastPreview["network_limit"] {
  const limited = findLimitedPortfolio(tx, sender);
  if (limited === null) return null;
  const today = Math.min(reached, free + roomIn(tx, limited));
  return { limit: limited.limit, used: countOwn(tx, limited, workspaceId), today };
}
