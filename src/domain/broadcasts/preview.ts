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
    invalid_number: Type.Integer(),
    duplicate: Type.Integer(),
    no_opt_in: Type.Integer(),
    missing_variable: Type.Integer(),
    daily_cap: Type.Integer(),
  },
  { $id: "SkipCounts", description: "How many would be left out, by reason." },
);

const PreviewCost = Type.Object(
  {
    currency: Type.String({ examples: ["USD"] }),
    rate: Type.String({ description: "Price of one delivered message.", examples: ["0.0085"] }),
    amount: Type.String({ description: "What it costs if everybody gets it.", examples: ["1.06"] }),
    available: Type.String({ description: "The balance now, less what is blocked." }),
    available_after: Type.String({ description: "What would be left; negative where it is not covered." }),
    covered: Type.Boolean({ description: "Whether the balance covers it." }),
  },
  { $id: "PreviewCost", description: "What a broadcast would cost." },
);

export const PreviewView = Type.Object(
  {
    requested: Type.Integer({ description: "How many numbers `to` held; 0 for a group." }),
    reached: Type.Integer({ description: "How many would be sent to." }),
    skipped: PreviewCounts,
    skips: Type.Array(SkipView, { description: "Who of `to` would be left out, in its order." }),
    cost: Nullable(PreviewCost, "Null where the workspace is not charged."),
    daily_cap_left: Nullable(
      Type.Integer({ description: "How many people the daily cap lets through now." }),
      "Null where there is no daily cap.",
    ),
    starts_at: Instant("When it would start."),
    ends_at: Instant("When the last one would be sent, at the number's pace and with nothing else on it."),
  },
  { $id: "BroadcastPreview", description: "What a broadcast would do." },
);

/** For a list, whose recipients are resolved one by one. */
export function previewList(
  tx: ReadTx,
  plan: BroadcastPlan,
  people: readonly ResolvedRecipient[],
): Static<typeof PreviewView> {
  const counts = noCounts();
  for (const { skip } of people) if (skip !== null) counts[skip.reason] += 1;
  const reached = people.filter(({ skip }) => skip === null).length;
  const skips = people.flatMap((resolved) => viewSkip(resolved, plan.workspace));
  return preview(tx, plan, { requested: people.length, reached, counts, skips });
}

/** For a group, whose members are counted. The cap is applied as if no member were a recent recipient. */
export function previewGroup(tx: ReadTx, plan: BroadcastPlan, estimate: AudienceEstimate): Static<typeof PreviewView> {
  const left = remainingUnderCap(tx, plan.workspace);
  const over = left === null ? 0 : Math.max(0, estimate.reached - left);
  const counts = {
    ...noCounts(),
    opted_out: estimate.optedOut,
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
): Static<typeof PreviewView> {
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
