/** What WhatsApp says about messages that an account sends without a template (Direct Send), where that needs a person. */
import { quoted } from "#src/core/foreign-text.ts";
import type { Issue, IssueInput } from "./issue.ts";

type Found = Pick<Issue, "id" | "says" | "next"> & Partial<Issue>;

/** Software that still sends so is refused again within this time. */
const REFUSAL_SHOWN_MS = 7 * 24 * 60 * 60_000;
const MISUSE_SHOWN_MS = 30 * 24 * 60 * 60_000;

export function directSendIssues(input: IssueInput): Found[] {
  return [accessIssue(input), misuseIssue(input)].filter((one) => one !== null);
}

function accessIssue({ number: { phone }, directSend, now }: IssueInput): Found | null {
  if (directSend === null || directSend.state === "allowed" || directSend.at < now - REFUSAL_SHOWN_MS) return null;
  if (directSend.state === "blocked") {
    return {
      ...{ id: "direct_send_blocked", check: "direct send" },
      says: `WhatsApp has revoked the access of ${phone} to messages without a template (Direct Send, 139200): messages with a category are refused.`,
      next: "read in WhatsApp Manager which messages were not utility, send templates until then, and ask Meta's support when the access comes back",
    };
  }
  return {
    ...{ id: "direct_send_refused", check: "direct send" },
    says: `WhatsApp does not let the account of ${phone} send messages without a template (Direct Send, 100): messages with a category are refused.`,
    next: "have Meta enable Direct Send for the account, or send templates",
  };
}

function misuseIssue({ number: { phone }, directSend, now }: IssueInput): Found | null {
  const misuse = directSend?.misuse;
  if (misuse === undefined || misuse.at < now - MISUSE_SHOWN_MS) return null;
  return {
    ...{ id: "direct_send_misused", check: "direct send" },
    says: `WhatsApp found on ${new Date(misuse.at).toISOString().slice(0, 10)} that a message of ${phone} without a template is none of the category utility but ${quoted(misuse.category)}. If this happens again, it revokes the access.`,
    next: "see the generated templates in WhatsApp Manager, and send such messages by a template of the right category",
  };
}
