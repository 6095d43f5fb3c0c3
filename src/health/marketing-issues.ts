/** How the marketing templates of a number's account are sent, where that needs a person. */
import { MARKETING_ONBOARDED } from "#src/domain/numbers/account-sync.ts";
import type { Issue, IssueInput } from "./issue.ts";

type Found = Pick<Issue, "id" | "says" | "next"> & Partial<Issue>;

/** Meta ends marketing on the general endpoint on this day. */
const GENERAL_ENDS_AT = Date.UTC(2027, 9, 13);
const GENERAL_ENDS = "13 October 2027";
const REFUSAL_SHOWN_MS = 24 * 60 * 60_000;

export function marketingIssues(input: IssueInput): Found[] {
  if (input.marketing?.hasTemplates !== true) return [];
  return [onboardingIssue(input), refusalIssue(input)].filter((one) => one !== null);
}

function onboardingIssue({ number, marketing, now }: IssueInput): Found | null {
  const status = marketing?.status ?? null;
  if (status === MARKETING_ONBOARDED) return null;
  const { id, phone } = number;
  const until =
    now < GENERAL_ENDS_AT
      ? `Meta accepts them there until ${GENERAL_ENDS}`
      : `Meta has ended marketing there on ${GENERAL_ENDS}`;
  const command = `waxwing number sync ${id}`;
  return {
    ...{ id: "marketing_not_onboarded", check: "marketing", command },
    says: `Marketing templates of ${phone} go to WhatsApp's general endpoint (/messages), not to the one for marketing: ${why(status)}. ${until}.`,
    next:
      status === "INELIGIBLE"
        ? "ask Meta's support why the account is not eligible for the Marketing Messages API; until then, nothing has to be done here"
        : `accept the terms of the Marketing Messages API in WhatsApp Manager, as an admin of the business, then ${command}`,
  };
}

function why(status: string | null): string {
  if (status === null) return "WhatsApp does not say whether the account is onboarded to it";
  if (status === "INELIGIBLE") return "Meta says that the account is not eligible for it";
  return "the account is not onboarded to it";
}

/** The messages were sent all the same; a template of another category, or a number for calls, keeps causing it. */
function refusalIssue({ number, marketing, now }: IssueInput): Found | null {
  const refusal = marketing?.refusal ?? null;
  if (refusal === null || refusal.at < now - REFUSAL_SHOWN_MS) return null;
  const command = `waxwing number sync ${number.id}`;
  return {
    ...{ id: "marketing_refused", check: "marketing", command },
    says: `WhatsApp's endpoint for marketing answered that messages of the account of ${number.phone} are not its own (${refusal.code}); they were sent through the general endpoint.`,
    next: `compare the category of the template in WhatsApp Manager, and whether the number is set up for calls by SIP, then ${command}`,
  };
}
