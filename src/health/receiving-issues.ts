/** Why callbacks of a number do not arrive, or are refused. The first one is the cause. */
import { quoted } from "#src/core/foreign-text.ts";
import type { Issue, IssueInput } from "./issue.ts";

type Found = Pick<Issue, "id" | "says" | "next"> & Partial<Issue>;

/** The fields of the app's webhook, with what is lost without each. `messages` is indispensable. */
const WEBHOOK_FIELDS: Readonly<Record<string, string>> = {
  messages: "statuses and received messages",
  message_template_status_update: "decisions on templates",
  message_template_quality_update: "the quality of templates",
  message_template_components_update: "changes of templates",
  template_category_update: "changes of a template's category, and so of its price",
  account_update: "restrictions and bans",
  account_alerts: "Meta's alerts",
  account_review_update: "reviews of the account",
  phone_number_quality_update: "changes of limits",
  phone_number_name_update: "decisions on the display name",
  business_capability_update: "changes of the messaging limit",
  security: "changes of the two-step PIN",
  user_preferences: "people who switch marketing off in WhatsApp",
};

/** What an app is subscribed to: fields that are needed, and those that not every app or version of the interface knows. */
export const wantedFields = {
  fields: Object.keys(WEBHOOK_FIELDS),
  moreFields: [
    "template_correct_category_detection",
    "standby",
    "messaging_handovers",
    "smb_message_echoes",
    "history",
    "smb_app_state_sync",
    "calls",
    "user_id_update",
  ],
} as const;

export function receivingIssues(input: IssueInput): Issue[] {
  const isAsked = input.number.provider === "graph";
  const first = secretIssue(input) ?? (isAsked ? (subscriptionIssue(input) ?? addressIssue(input)) : null);
  return [first ?? (isAsked ? fieldsIssue(input) : null)]
    .filter((one) => one !== null)
    .map((one) => ({ level: "problem", check: "subscription", command: null, hits: "receiving", ...one }));
}

function secretIssue(input: IssueInput): Found | null {
  const { number, facts, refused, unsigned, settings } = input;
  const hasSecret = number.appSecret !== null || settings.hasAppSecret;
  if (!hasSecret && unsigned === null) return secretMissing(input);
  const isWrong = hasSecret && unsigned === null && (facts.proof === "refused" || facts.app === "wrong_secret");
  if (refused === null && !isWrong) return null;
  return {
    ...{ id: "app_secret_wrong", check: "callback signature", isCritical: true },
    says: refused === null ? wrongSecret(number.phone) : describeRefused(input, refused),
    ...secretStep(input),
  };
}

function secretMissing({ number }: IssueInput): Found {
  if (number.provider !== "graph") {
    const command = `waxwing number update ${number.id} --unsigned-callbacks`;
    return {
      ...{ id: "unsigned_callbacks_refused", check: "app secret", command },
      says: `${number.phone} accepts no callbacks: this provider does not sign them.`,
      next: `${command}, and enter the address that it prints at the provider`,
    };
  }
  return {
    ...{ id: "app_secret_missing", check: "app secret" },
    says: `There is no app secret for ${number.phone}, so its callbacks are refused.`,
    next: `set [whatsapp] app_secret, or waxwing number update ${number.id} --app-secret-file FILE (for a provider that does not sign: --unsigned-callbacks)`,
  };
}

function wrongSecret(phone: string): string {
  return `Meta does not accept the app secret of ${phone} for the app of its token: it is another app's, or an old one. Callbacks are refused.`;
}

function describeRefused({ number, now }: IssueInput, { count, lastAt }: { count: number; lastAt: number }): string {
  const minutes = Math.max(0, Math.round((now - lastAt) / 60_000));
  return `WhatsApp's callbacks arrive but their signature does not match the app secret of ${number.phone}: ${count} refused, the last ${minutes} minutes ago. Received messages and statuses are not recorded.`;
}

function secretStep({ number }: IssueInput): Pick<Issue, "next" | "command"> {
  const copy = "copy the app secret from Meta's dashboard (App settings, Basic) into";
  if (number.appSecret === null)
    return { next: `${copy} [whatsapp] app_secret, then restart the server`, command: null };
  const command = `waxwing number update ${number.id} --app-secret-file FILE`;
  return { next: `${copy} a file, then ${command}`, command };
}

function subscriptionIssue({ number, facts }: IssueInput): Found | null {
  if (facts.subscription?.isSubscribed !== false) return null;
  const command = "waxwing doctor --subscribe";
  return {
    ...{ id: "not_subscribed", command },
    says: `No app of this token is subscribed to the account ${number.accountId}, so WhatsApp sends no callbacks to this server.`,
    next: `run ${command}`,
  };
}

/** Of the three addresses, the number's counts before the account's, and that before the app's. */
function addressIssue({ number, facts, settings }: IssueInput): Found | null {
  const own = ownAddress(settings.publicUrl);
  const override = facts.callbackUrl ?? facts.subscription?.overrideUrl ?? null;
  if (own !== null && override !== null && !isOurs(override, own)) {
    const where = facts.callbackUrl === null ? `account ${number.accountId}` : `number ${number.phone}`;
    return {
      ...{
        id: "callbacks_overridden",
        says: `The callbacks of ${number.phone} go to ${quoted(override)}, because Meta has an alternate callback address for the ${where}.`,
      },
      next: `remove the alternate address at Meta (override_callback_uri of the ${facts.callbackUrl === null ? "account's subscribed_apps" : "number's webhook_configuration"}), or set it to ${own}`,
    };
  }
  if (override !== null || facts.app === null || facts.app === "wrong_secret") return null;
  const form = `in Meta's dashboard, WhatsApp → Configuration → Webhook, enter ${own ?? "the callback address"} and the verify token`;
  if (facts.app === "none") {
    return {
      ...{
        id: "app_without_webhook",
        check: "webhook",
        says: `The Meta app of ${number.phone} has no webhook, so WhatsApp sends no callbacks.`,
      },
      next: form,
    };
  }
  if (facts.app.isActive === false) {
    return {
      ...{
        id: "webhook_inactive",
        check: "webhook",
        says: `The webhook of the Meta app of ${number.phone} is switched off, so WhatsApp sends no callbacks.`,
      },
      next: form,
    };
  }
  const { callbackUrl } = facts.app;
  if (own === null || callbackUrl === null || isOurs(callbackUrl, own)) return null;
  return {
    ...{
      id: "app_calls_elsewhere",
      check: "webhook",
      says: `The Meta app of ${number.phone} sends its callbacks to ${quoted(callbackUrl)}, not to this server.`,
    },
    next: form,
  };
}

function fieldsIssue({ number, facts }: IssueInput): Found | null {
  if (facts.app === null || typeof facts.app === "string") return null;
  const { fields } = facts.app;
  const missing = Object.keys(WEBHOOK_FIELDS).filter((field) => !fields.includes(field));
  if (missing.length === 0) return null;
  const isProblem = missing.includes("messages");
  const lost = missing.map((field) => `${field} (${WEBHOOK_FIELDS[field]})`).join(", ");
  return {
    ...{ id: "fields_missing", check: "webhook fields", level: isProblem ? "problem" : "warning" },
    hits: isProblem ? "receiving" : null,
    says: `The webhook of the Meta app of ${number.phone} is not subscribed to ${lost}.`,
    next: "in Meta's dashboard, WhatsApp → Configuration → Webhook fields, subscribe to each of these",
  };
}

/** Null if the server has no address that Meta would call; another finding says so. */
function ownAddress(publicUrl: string | null): string | null {
  return publicUrl === null ? null : `${publicUrl}/networks/whatsapp`;
}

/** An address of its own ends in a secret, which Meta shows and this server does not know. */
function isOurs(url: string, own: string): boolean {
  return url === own || url.startsWith(`${own}/`);
}
