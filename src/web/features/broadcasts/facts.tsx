/** Facts about a broadcast that take more than a word: what Meta bills by, its group, and the broadcasts that repeat it. */
import { Link } from "@tanstack/react-router";
import { useWorkspace } from "../../data/session.ts";
import { textLink } from "../../ui/button.tsx";
import { plural } from "../../ui/plural.ts";
import { strings as messageStrings } from "../messages/strings.ts";
import type { BroadcastDetail } from "./broadcast-view.ts";
import { strings } from "./strings.ts";

const { bill, metaBills } = messageStrings;

/** What Meta bills by, apart from what this server charges. */
export function MetaBill({ broadcast: { category, counts } }: { broadcast: BroadcastDetail }) {
  return (
    <>
      <strong className="font-semibold">{bill.meta}</strong>
      <span className="block">
        {strings.metaBillText(strings.categories[category], plural(counts.delivered, strings.one, strings.other))}
      </span>
      <span className="block text-quiet">{`${metaBills} ${strings.noPrices}`}</span>
    </>
  );
}

export function GroupLink({ group }: { group: NonNullable<BroadcastDetail["group"]> }) {
  const { id } = useWorkspace();
  if (group.name === null) return strings.groupGone;
  return (
    <Link
      to="/w/$workspace/groups"
      params={{ workspace: String(id) }}
      search={{ open: String(group.id) }}
      className={textLink}
    >
      {group.name}
    </Link>
  );
}

/** The other broadcasts that sent the same message, to those who failed. */
export function Family({ family }: { family: BroadcastDetail["family"] }) {
  const { id } = useWorkspace();
  return (
    <span className="flex flex-col">
      {family.map(({ id: broadcast, name, is_first: isFirst }) => (
        <Link
          key={broadcast}
          to="/w/$workspace/broadcasts/$broadcast"
          params={{ workspace: String(id), broadcast: String(broadcast) }}
          className={textLink}
        >
          {isFirst ? strings.familyFirst(name) : name}
        </Link>
      ))}
    </span>
  );
}
