/**
 * Finds what is wrong with the connection of a number, from what the network said about it. Pure. Each problem is found
 * once: after one that explains the others (an expired token, a host that cannot be reached), no further one is named.
 * The first one is the cause, and its next step is the first to take.
 */

import { accessIssue } from "./access-issues.ts";
import { adviceIssues } from "./advice-issues.ts";
import { configurationIssue, versionWarning } from "./configuration-issues.ts";
import type { Issue, IssueInput } from "./issue.ts";
import { receivingIssues } from "./receiving-issues.ts";
import { sendingIssues } from "./sending-issues.ts";
import { sharingIssues } from "./sharing-issues.ts";

/** In the order in which they are to be solved. */
export function findIssues(input: IssueInput): Issue[] {
  const blocking = configurationIssue(input) ?? accessIssue(input);
  const refused = receivingIssues(input);
  if (blocking !== null) return [blocking, ...refused.filter(isSeparate(blocking)), ...announced(input)];
  return [
    ...sendingIssues(input),
    ...refused,
    ...adviceIssues(input),
    ...sharingIssues(input),
    ...announced(input),
    ...versionWarning(input),
  ].toSorted(byLevel);
}

/** Refused callbacks are known without asking the network; the app secret itself may be the cause already. */
function isSeparate(blocking: Issue) {
  return ({ isCritical }: Issue): boolean => isCritical === true && blocking.isCritical !== true;
}

function byLevel(one: Issue, other: Issue): number {
  return LEVELS.indexOf(one.level) - LEVELS.indexOf(other.level);
}

const LEVELS: readonly Issue["level"][] = ["problem", "warning"];

/** What the network said on its own. */
function announced({ number, state, notices }: IssueInput): Issue[] {
  const command = `waxwing number ready ${number.id}`;
  const next = `read what WhatsApp says in its dashboard; ${command} removes this entry`;
  const said = [...(state?.notice == null ? [] : [{ kind: "notice", says: state.notice }]), ...notices];
  return said.map(({ kind, says }) => ({
    id: `announced_${kind.replaceAll(/[^\w]+/g, "_").toLowerCase()}`,
    level: "warning",
    check: "announcement",
    says: `${number.phone}: ${says}`,
    ...{ next, command, hits: null },
  }));
}
