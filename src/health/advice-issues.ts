/** What does not stop a number, but will, or limits it: name, quality, verification, the token's end. */
import { quoted } from "#src/core/foreign-text.ts";
import { updateToken } from "./access-issues.ts";
import { directSendIssues } from "./direct-send-issues.ts";
import type { Issue, IssueInput } from "./issue.ts";
import { marketingIssues } from "./marketing-issues.ts";

type Found = Pick<Issue, "id" | "says" | "next"> & Partial<Issue>;

const EXPIRES_SOON_MS = 7 * 24 * 60 * 60_000;
const UNVERIFIED_BUSINESS_CODE = 141010;
const LOWEST_LIMIT = "250";

export function adviceIssues(input: IssueInput): Issue[] {
  return [...numberAdvice(input), ...marketingIssues(input), ...directSendIssues(input)]
    .filter((one) => one !== null)
    .map((one) => ({ level: "warning", check: "number", command: null, hits: null, ...one }));
}

function numberAdvice(input: IssueInput): (Found | null)[] {
  return [
    ...[tokenIssue(input), sandboxIssue(input), pinIssue(input), nameIssue(input), qualityIssue(input)],
    ...[limitedIssue(input), unsignedIssue(input)],
  ];
}

function tokenIssue({ number, facts, now }: IssueInput): Found | null {
  const expiresAt = facts.token?.expiresAt ?? null;
  if (expiresAt === null || expiresAt > now + EXPIRES_SOON_MS) return null;
  const command = updateToken(number.id);
  return {
    ...{ id: "token_expires", check: "token", command },
    says: `The access token of ${number.phone} expires on ${new Date(expiresAt).toISOString().slice(0, 10)}.`,
    next: `create one for a system user, which does not expire, then ${command}`,
  };
}

function sandboxIssue({ number, facts }: IssueInput): Found | null {
  if (facts.number?.setup?.mode !== "SANDBOX") return null;
  return {
    ...{ id: "number_sandbox" },
    says: `${number.phone} is one of Meta's test numbers (SANDBOX): it reaches only the people who are listed in Meta's dashboard, five at most.`,
    next: "list the people under API Setup in Meta's dashboard, or add a real number in WhatsApp Manager, Phone numbers",
  };
}

/** A person who registers the number elsewhere takes it from this server. */
function pinIssue({ number, facts }: IssueInput): Found | null {
  if (facts.number?.setup?.hasPin !== false) return null;
  return {
    ...{ id: "pin_missing" },
    says: `${number.phone} has no two-step PIN, so it cannot be registered again if it is disconnected, and others could register it.`,
    next: "set a PIN in WhatsApp Manager, Phone numbers, Two-step verification, and keep it in a safe place",
  };
}

function nameIssue({ number, facts }: IssueInput): Found | null {
  const manager = "in WhatsApp Manager, Phone numbers, Profile";
  switch (facts.number?.nameStatus) {
    case "DECLINED":
      return {
        ...{
          id: "name_declined",
          says: `Meta declined the display name of ${number.phone}. People see the number only, and its limit does not rise.`,
        },
        next: `enter another name that matches the business ${manager}`,
      };
    case "EXPIRED":
      return {
        ...{ id: "name_expired", says: `The approval of the display name of ${number.phone} has expired.` },
        next: `register the number again with its two-step PIN, or ask for the name again ${manager}`,
      };
    default:
      return null;
  }
}

function qualityIssue({ number, facts }: IssueInput): Found | null {
  if (facts.number?.quality !== "RED") return null;
  const says = `The quality of ${number.phone} is low (RED): people block or report its messages.`;
  if (facts.number.messagingLimit !== LOWEST_LIMIT) {
    const next =
      "send less for a week, and only to people who opted in; see in WhatsApp Manager which templates people block";
    return { id: "quality_red", says, next };
  }
  return {
    ...{ id: "quality_red_at_lowest_limit" },
    says: `${says} Its limit is the lowest, 250 people in 24 hours, and cannot rise meanwhile.`,
    next: "stop marketing from this number for a week, and write only to people who asked for it; the limit rises once the quality does",
  };
}

function limitedIssue({ number, facts }: IssueInput): Found | null {
  const health = facts.number?.health ?? null;
  if (health?.canSend !== "LIMITED" || health.isAppLimited) return null;
  const reasons = health.reasons.join(" ");
  const words = reasons === "" ? "It gave no reason." : quoted(reasons);
  if (health.codes.includes(UNVERIFIED_BUSINESS_CODE)) {
    return {
      ...{ id: "business_unverified", says: `WhatsApp limits ${number.phone}: the business is not verified. ${words}` },
      next: "start the verification under Security Centre in Meta's business settings",
    };
  }
  return {
    ...{ id: "health_limited", says: `WhatsApp limits sending from ${number.phone}. ${words}` },
    next: "do what WhatsApp says in Meta's dashboard",
  };
}

/** A sender who learns the address of such a number can write its conversations and statuses. */
function unsignedIssue({ number, unsigned }: IssueInput): Found | null {
  if (unsigned === null) return null;
  const how = unsigned.hasSecretHeader ? "with a secret header" : "without a secret header";
  const command = `waxwing number update ${number.id} --no-unsigned-callbacks`;
  return {
    ...{ id: "unsigned_callbacks", check: "unsigned callbacks", command },
    says: `${number.phone} accepts callbacks that are not signed, ${how}.`,
    next: `if the provider signs its callbacks: ${command}`,
  };
}
