/**
 * What other senders on a number mean for it: free messages go into threads of ours alone, opt-outs may not arrive, and
 * what people write may go to another sender without a word.
 */
import type { Issue, IssueInput } from "./issue.ts";

const DAY_MS = 24 * 60 * 60_000;
/** The news of a number that is found to be shared is shown for this long. */
const NEWS_MS = 7 * DAY_MS;
/** After two whole days without a message. */
const SILENT_MS = 3 * DAY_MS;
/** Then it is no news any more. */
const SILENT_UNTIL_MS = 14 * DAY_MS;

const ROUTING = "in Meta Business Suite, under conversation routing";

export function sharingIssues(input: IssueInput): Issue[] {
  return [sharedIssue(input), standbyIssue(input), silentIssue(input)]
    .filter((one) => one !== null)
    .map((one) => ({ level: "warning", check: "number", command: null, hits: null, ...one }));
}

type Found = Pick<Issue, "id" | "says" | "next"> & Partial<Issue>;

function sharedIssue({ number, sharing, now }: IssueInput): Found | null {
  if (sharing === null || sharing.isSaid || now >= sharing.since + NEWS_MS) return null;
  const since = new Date(sharing.since).toISOString().slice(0, 10);
  const command = `waxwing number update ${number.id} --shared no`;
  return {
    ...{ id: "number_shared", command },
    says: `${number.phone} is shared: another sender has answered on it since ${since}. Free messages can be sent only in conversations that are yours.`,
    next: `if no other sender is meant to be on it, look ${ROUTING}; once it is yours alone: ${command}`,
  };
}

/** An answer on the business's own phone takes no thread away: everything that people write still arrives. */
function standbyIssue({ number, sharing }: IssueInput): Found | null {
  if (sharing === null || !sharing.isRouted || sharing.hasStandby) return null;
  return {
    id: "standby_missing",
    says: `Of conversations that another sender has on ${number.phone}, nothing arrives here: a STOP in one of them is not heard. Meta sends copies only where the business has accepted the Meta Business Agents terms.`,
    next: `accept the terms and give this app standby ${ROUTING}, and subscribe the app to the field standby`,
  };
}

function silentIssue({ number, silentSince, now }: IssueInput): Found | null {
  if (silentSince === null || now < silentSince + SILENT_MS || now >= silentSince + SILENT_UNTIL_MS) return null;
  return {
    ...{ id: "number_silent", hits: "receiving" },
    says: `${number.phone} got messages every day until ${new Date(silentSince).toISOString().slice(0, 10)}, and none since.`,
    next: `look ${ROUTING} whether another sender got the number's messages, then write to it from a phone`,
  };
}

/** SQL: numbers on which something arrived on each of the seven days up to the last one, with that day. */
export const DAILY_SQL = `SELECT last.number_id, last.day FROM
    (SELECT number_id, max(day) AS day FROM number_days GROUP BY number_id) AS last
    JOIN number_days ON number_days.number_id = last.number_id AND number_days.day > last.day - ${7 * DAY_MS}
  GROUP BY last.number_id HAVING count(*) = 7`;
