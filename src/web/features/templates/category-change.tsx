/** A change of a template's category by WhatsApp: what it was, what it is now, since when, and what that means. */
import { useQuery } from "@tanstack/react-query";
import { reading } from "../../data/api.ts";
import { may, useWorkspace } from "../../data/session.ts";
import { Notice } from "../../ui/states.tsx";
import { ExactTime, Time } from "../../ui/time.tsx";
import { strings } from "./strings.ts";
import type { Template } from "./template-view.ts";

/** In the list, a change that was made is shown for as long as WhatsApp can be asked to review it. */
const SHOWN_MS = 60 * 24 * 60 * 60_000;

/** Beside the name of the template in the list. */
export function CategoryChangeLine({ template: { category_change: change } }: { template: Template }) {
  const { timezone } = useWorkspace();
  if (change === null || (change.is_made && Date.parse(change.at) < Date.now() - SHOWN_MS)) return null;
  const { categories } = strings;
  return (
    <span className="block font-normal text-amber">
      {strings.categoryChanged(categories[change.from], categories[change.to])} ·{" "}
      <Time at={change.at} zone={timezone} />
    </span>
  );
}

/** On the template's page. */
export function CategoryChangeNotice({ template: { category_change: change } }: { template: Template }) {
  const workspace = useWorkspace();
  const { id, timezone } = workspace;
  // Only people who manage the workspace see what it is charged.
  const billing = useQuery({
    ...reading("GET /w/{workspace}/billing", { workspace: id }, ["billing", id]),
    enabled: change !== null && may(workspace, "manage"),
  });
  if (change === null) return null;
  const { categories } = strings;
  const [from, to] = [categories[change.from], categories[change.to]];
  return (
    <div className="mb-6">
      <Notice>
        <div className="flex flex-col gap-2">
          <p className="font-semibold">
            {change.is_made ? strings.categoryMade(from, to) : strings.categoryAnnounced(from, to)}
          </p>
          <p>
            {change.is_made ? strings.categoryMadeAt : strings.categoryEffectiveAt}:{" "}
            <ExactTime at={change.at} zone={timezone} />
          </p>
          <p>
            {strings.categoryBills[change.to]}
            {!change.is_made && ` ${strings.categoryUntil}`}
            {billing.data != null && ` ${strings.categoryCharged(billing.data.rate, billing.data.currency)}`}
          </p>
          <p>
            {strings.categoryBroadcasts} {strings.categoryReview}
          </p>
        </div>
      </Notice>
    </div>
  );
}
