/**
 * The results of the review: recipients reached, recipients skipped with reasons, money exactly as the server formats
 * it, and times.
 */

import { Link } from "@tanstack/react-router";
import { useState } from "react";
import type { Output } from "../../data/api.ts";
import { useWorkspace } from "../../data/session.ts";
import { Button, textLink } from "../../ui/button.tsx";
import { Card, DescriptionList } from "../../ui/page.tsx";
import { formatCount, plural } from "../../ui/plural.ts";
import { Notice } from "../../ui/states.tsx";
import { ExactTime } from "../../ui/time.tsx";
import { WaitNotice } from "../broadcasts/waits.tsx";
import { strings as messageStrings } from "../messages/strings.ts";
import { strings } from "./strings.ts";

export type ReviewData = Output<"POST /w/{workspace}/drafts/{id}/check">;

interface ReviewProps {
  review: ReviewData;
  isLater: boolean;
  /** The group, for links to its skipped members in the contact list. */
  group: number | undefined;
}

/** Reasons that correspond to a consent, which the contact list can filter by. */
const CONSENTS: Readonly<Record<string, "opted_out" | "unknown">> = { opted_out: "opted_out", no_opt_in: "unknown" };

export function Review({ review, isLater, group }: ReviewProps) {
  const workspace = useWorkspace();
  const { timezone } = workspace;
  const { reached, skipped, skips, cost, daily_cap_left: left, network_limit: limit, warnings, waits, bill } = review;
  const reasons = Object.entries(skipped).filter(([, count]) => count > 0);
  const total = reasons.reduce((sum, [, count]) => sum + count, 0);
  return (
    <section aria-label={strings.review}>
      <h2 className="mb-3 text-section font-semibold">{strings.review}</h2>
      {warnings.map((warning) => (
        <div key={warning} className="mb-3">
          <Notice>{warning}</Notice>
        </div>
      ))}
      {waits.map((wait) => (
        <div key={wait.kind} className="mb-3">
          <WaitNotice wait={wait} />
        </div>
      ))}
      <Card>
        <p className="flex flex-wrap items-baseline gap-x-3">
          <span className="text-title font-semibold figures">{formatCount(reached)}</span>
          <span className="text-form">{strings.reached(reached)}</span>
        </p>
        {total === 0 ? (
          <p className="mt-1 text-quiet">{strings.skippedNone}</p>
        ) : (
          <div className="mt-3 border-t border-line pt-3">
            <p className="font-semibold">{`${plural(total, strings.one, strings.other)} ${strings.skipped}`}</p>
            <ul className="mt-2 flex flex-col gap-2">
              {reasons.map(([reason, count]) => (
                <Reason
                  key={reason}
                  reason={reason}
                  count={count}
                  group={group}
                  numbers={skips.filter((skip) => skip.reason === reason).map(({ to }) => to)}
                />
              ))}
            </ul>
          </div>
        )}
        <div className="mt-4 border-t border-line pt-4">
          <DescriptionList
            items={[
              ...(cost === null
                ? []
                : [
                    [
                      strings.cost,
                      <span key="cost">
                        <strong className="font-semibold figures">{`${cost.amount} ${cost.currency}`}</strong>
                        <span className="block text-quiet">{strings.costText(cost.rate, cost.currency)}</span>
                      </span>,
                    ] as const,
                  ]),
              ...(cost === null
                ? []
                : [
                    [
                      strings.balanceAfter,
                      <span key="after" className="figures">{`${cost.available_after} ${cost.currency}`}</span>,
                    ] as const,
                  ]),
              [strings.metaBill, <Bill key="bill" bill={bill} />],
              ...(left === null ? [] : [[strings.capLeft, plural(left, strings.one, strings.other)] as const]),
              ...(limit === null
                ? []
                : [[strings.networkLimit, strings.networkLimitText(limit.today, reached, limit.limit)] as const]),
              [
                strings.starts,
                isLater ? <ExactTime key="starts" at={review.starts_at} zone={timezone} /> : strings.startsNow,
              ],
              [strings.ends, <ExactTime key="ends" at={review.ends_at} zone={timezone} />],
            ]}
          />
        </div>
        {cost !== null && !cost.covered && (
          <div className="mt-4">
            <Notice>
              {isLater ? strings.notCoveredLater : strings.notCovered(cost.amount, cost.available, cost.currency)}
            </Notice>
          </div>
        )}
      </Card>
    </section>
  );
}

const SHOWN = 200;

interface ReasonProps {
  reason: string;
  count: number;
  group: number | undefined;
  numbers: readonly string[];
}

/** What Meta bills by, apart from what this server charges. No prices are known here. */
function Bill({ bill: { category, is_simulated: isSimulated, countries } }: { bill: ReviewData["bill"] }) {
  if (isSimulated) return messageStrings.bill.simulated;
  const counts = (countries ?? []).map(({ code, people }) =>
    strings.billCountry(code === null ? strings.noCode : `+${code}`, plural(people, strings.one, strings.other)),
  );
  return (
    <>
      <strong className="font-semibold">{messageStrings.bill.meta}</strong>
      <span className="block">{[strings.billCategory[category], ...counts].join(" · ")}</span>
      <span className="block text-quiet">{`${messageStrings.metaBills} ${strings.noPrices}`}</span>
    </>
  );
}

/** For a list of numbers, the skipped numbers can be expanded. */
function Reason({ reason, count, group, numbers }: ReasonProps) {
  const { id } = useWorkspace();
  const [isOpen, setIsOpen] = useState(false);
  const [label, explanation] = strings.reasons[reason] ?? [reason, ""];
  return (
    <li>
      <div className="flex flex-wrap items-center gap-x-3">
        <span>
          <span className="font-semibold figures">{formatCount(count)}</span> {label}
        </span>
        <span className="text-quiet">{explanation}</span>
        {group !== undefined && CONSENTS[reason] !== undefined && (
          <Link
            to="/w/$workspace/contacts"
            params={{ workspace: String(id) }}
            search={{ group: String(group), consent: CONSENTS[reason] }}
            className={textLink}
          >
            {strings.show}
          </Link>
        )}
        {numbers.length > 0 && (
          <Button small tone="quiet" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
            {strings.show}
          </Button>
        )}
      </div>
      {isOpen && (
        <ul className="mt-1 flex max-h-60 flex-wrap gap-x-4 gap-y-1 overflow-y-auto border-s-2 border-line ps-3 text-quiet figures">
          {numbers.slice(0, SHOWN).map((to, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a number may be listed twice.
            <li key={index}>{to}</li>
          ))}
        </ul>
      )}
    </li>
  );
}
