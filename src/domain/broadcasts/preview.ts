/** Previews what a broadcast would do: nothing is sent and nothing is stored. */
import { type Static, Type } from "@sinclair/typebox";
import { formatInstant } from "#src/core/instant.ts";
import { formatMoney } from "#src/core/money.ts";
import { Instant, Nullable } from "#src/core/schema.ts";
import type { ReadTx } from "#src/db/transaction.ts";
import { available } from "../billing/account.ts";
import { remainingUnderCap } from "../messages/daily-cap.ts";
import type { AudienceEstimate } from "./audience-estimate.ts";
import type { BroadcastPlan } from "./plan.ts";
import type { ResolvedRecipient } from "./resolve-list.ts";
import { skipReasons } from "./skip.ts";
import { SkipView, viewSkip } from "./view.ts";

const PreviewCounts = Type.Object(
  {
    opted_out: Type.Integer(),
    may_want_to_stop: Type.Integer(),
    invalid_number: Type.Integer(),
    duplicate: Type.Integer(),
    no_opt_in: Type.Integer(),
    missing_variable: Type.Integer(),
    daily_cap: Type.Integer(),
  },
  { $id: "SkipCounts", description: "Number of recipients that would be skipped, by reason." },
);

const PreviewCost = Type.Object(
  {
    currency: Type.String({ examples: ["USD"] }),
    rate: Type.String({ description: "Price of one delivered message.", examples: ["0.0085"] }),
    amount: Type.String({ description: "Cost if every message is delivered.", examples: ["1.06"] }),
    available: Type.String({ description: "The current balance, less the amount held for messages in progress." }),
    available_after: Type.String({
      description: "The balance that would be left; negative if the balance does not cover the cost.",
    }),
    covered: Type.Boolean({ description: "Whether the balance covers the cost." }),
  },
  { $id: "PreviewCost", description: "The cost of a broadcast." },
);

export const PreviewView = Type.Object(
  {
    requested: Type.Integer({ description: "Number of phone numbers in `to`; 0 for a group." }),
    reached: Type.Integer({ description: "Number of people who would receive the message." }),
    skipped: PreviewCounts,
    skips: Type.Array(SkipView, { description: "The numbers in `to` that would be skipped, in the order of `to`." }),
    cost: Nullable(PreviewCost, "The cost of the broadcast; null if the workspace is not charged."),
    daily_cap_left: Nullable(
      Type.Integer(),
      "How many more people can be sent templates under the daily cap; null if there is no daily cap.",
    ),
    starts_at: Instant("When the broadcast would start."),
    ends_at: Instant(
      "When the last message would be sent, if the number sends at its full rate and has nothing else to send.",
    ),
  },
  { $id: "BroadcastPreview", description: "A preview of a broadcast." },
);
export type BroadcastPreview = Static<typeof PreviewView>;

/** For a list, whose recipients are resolved one by one. */
export function previewList(tx: ReadTx, plan: BroadcastPlan, people: readonly ResolvedRecipient[]): BroadcastPreview {
  const counts = noCounts();
  for (const { skip } of people) if (skip !== null) counts[skip.reason] += 1;
  const reached = people.filter(({ skip }) => skip === null).length;
  const skips = people.flatMap((resolved) => viewSkip(resolved, plan.workspace));
  return preview(tx, plan, { requested: people.length, reached, counts, skips });
}

/** For a group, whose members are counted. The cap is applied as if no member were a recent recipient. */
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
  return preview(tx, plan, { requested: 0, reached: estimate.reached - over, counts, skips: [] });
}

function noCounts(): Static<typeof PreviewCounts> {
  return Object.fromEntries(skipReasons.map((reason) => [reason, 0])) as Static<typeof PreviewCounts>;
}

function preview(
  tx: ReadTx,
  { workspace, sender, account, sendAt }: BroadcastPlan,
  {
    requested,
    reached,
    counts,
    skips,
  }: { requested: number; reached: number; counts: Static<typeof PreviewCounts>; skips: Static<typeof SkipView>[] },
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
    starts_at: formatInstant(startsAt, workspace.timezone),
    ends_at: formatInstant(startsAt + Math.ceil((reached / sender.throughput) * 1000), workspace.timezone),
  };
}
