/** Why callbacks of a number do not arrive, or are refused. The first one is the cause. */
import { quoted } from "#src/core/foreign-text.ts";
import { COPY_SECRET, ENTER, updateSecret } from "./access-rules.ts";
import type { ConnectionInput, ConnectionRules, Found } from "./connection-rule.ts";

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

export const SET_UP = "Press Set up at Meta under Callbacks.";
const SUBSCRIPTION = { level: "problem", check: "subscription", hits: "receiving" } as const;
const WEBHOOK = { ...SUBSCRIPTION, check: "webhook", console: SET_UP } as const;
const SECRET = { ...SUBSCRIPTION, check: "app secret" } as const;

export const receivingRules: ConnectionRules = {
  unsigned_callbacks_refused: {
    ...SECRET,
    command: ({ number }) => `waxwing number update ${number.id} --unsigned-callbacks`,
    evaluate: (input) =>
      lacksSecret(input) &&
      input.number.provider !== "graph" &&
      `${input.number.phone} accepts no callbacks: this provider does not sign them.`,
    next: "COMMAND, and enter the address that it prints at the provider",
  },
  app_secret_missing: {
    ...SECRET,
    evaluate: (input) =>
      lacksSecret(input) && {
        says: `There is no app secret for ${input.number.phone}, so its callbacks are refused.`,
        next: `set [whatsapp] app_secret, or ${updateSecret(input)} (for a provider that does not sign: --unsigned-callbacks)`,
      },
    console: `${COPY_SECRET}. ${ENTER}`,
  },
  app_secret_wrong: {
    ...{ ...SECRET, check: "callback signature", isCritical: true },
    evaluate(input) {
      const { number, facts, refused, unsigned } = input;
      const isWrong = unsigned === null && (facts.proof === "refused" || facts.app === "wrong_secret");
      if (refused !== null) return { says: describeRefused(input, refused), ...secretStep(number) };
      if (!isWrong) return null;
      return {
        says: `Meta does not accept the app secret of ${number.phone} for the app of its token: it is another app's, or an old one. Callbacks are refused.`,
        ...secretStep(number),
      };
    },
    console: `${COPY_SECRET} of the app that the token belongs to. ${ENTER}`,
  },
  not_subscribed: {
    ...{ ...SUBSCRIPTION, console: SET_UP },
    command: () => "waxwing doctor --subscribe",
    evaluate: ({ number, facts }) =>
      number.provider === "graph" &&
      facts.subscription?.isSubscribed === false &&
      `No app of this token is subscribed to the account ${number.accountId}, so WhatsApp sends no callbacks to this server.`,
    next: "run COMMAND",
  },
  /** Of the three addresses, the number's counts before the account's, and that before the app's. */
  callbacks_overridden: {
    ...SUBSCRIPTION,
    evaluate({ number, facts, settings }) {
      const own = ownAddress(settings);
      const override = overrideOf(facts);
      if (number.provider !== "graph" || own === null || override === null || isOurs(override, own)) return null;
      const [where, field] =
        facts.callbackUrl === null
          ? [`account ${number.accountId}`, "account's subscribed_apps"]
          : [`number ${number.phone}`, "number's webhook_configuration"];
      return {
        says: `The callbacks of ${number.phone} go to ${quoted(override)}, because Meta has an alternate callback address for the ${where}.`,
        next: `remove the alternate address at Meta (override_callback_uri of the ${field}), or set it to ${own}`,
      };
    },
  },
  app_without_webhook: {
    ...WEBHOOK,
    evaluate: (input) =>
      appOf(input) === "none" && {
        says: `The Meta app of ${input.number.phone} has no webhook, so WhatsApp sends no callbacks.`,
        next: fillForm(input),
      },
  },
  webhook_inactive: {
    ...WEBHOOK,
    evaluate(input) {
      const app = appOf(input);
      if (app === null || typeof app === "string" || app.isActive !== false) return null;
      return {
        says: `The webhook of the Meta app of ${input.number.phone} is switched off, so WhatsApp sends no callbacks.`,
        next: fillForm(input),
      };
    },
  },
  app_calls_elsewhere: {
    ...WEBHOOK,
    evaluate(input) {
      const own = ownAddress(input.settings);
      const app = appOf(input);
      const url = app === null || typeof app === "string" ? null : app.callbackUrl;
      if (own === null || url === null || isOurs(url, own)) return null;
      return {
        says: `The Meta app of ${input.number.phone} sends its callbacks to ${quoted(url)}, not to this server.`,
        next: fillForm(input),
      };
    },
    console:
      "Press Set up at Meta under Callbacks to replace that address. What the app sends there now no longer arrives there.",
  },
  fields_missing: {
    ...{ ...WEBHOOK, check: "webhook fields" },
    evaluate({ number, facts: { app } }) {
      if (number.provider !== "graph" || app === null || typeof app === "string") return null;
      const missing = Object.keys(WEBHOOK_FIELDS).filter((field) => !app.fields.includes(field));
      if (missing.length === 0) return null;
      const lost = missing.map((field) => `${field} (${WEBHOOK_FIELDS[field]})`).join(", ");
      return {
        ...(missing.includes("messages") ? {} : { level: "warning", hits: null }),
        says: `The webhook of the Meta app of ${number.phone} is not subscribed to ${lost}.`,
      };
    },
    next: "in Meta's dashboard, WhatsApp → Configuration → Webhook fields, subscribe to each of these",
  },
};

function lacksSecret({ number, settings, unsigned }: ConnectionInput): boolean {
  return number.appSecret === null && !settings.hasAppSecret && unsigned === null;
}

function describeRefused({ number, now }: ConnectionInput, { count, lastAt }: { count: number; lastAt: number }) {
  const minutes = Math.max(0, Math.round((now - lastAt) / 60_000));
  return `WhatsApp's callbacks arrive but their signature does not match the app secret of ${number.phone}: ${count} refused, the last ${minutes} minutes ago. Received messages and statuses are not recorded.`;
}

function secretStep(number: ConnectionInput["number"]): Partial<Found> {
  const copy = "copy the app secret from Meta's dashboard (App settings, Basic) into";
  if (number.appSecret === null) return { next: `${copy} [whatsapp] app_secret, then restart the server` };
  const command = updateSecret({ number });
  return { next: `${copy} a file, then ${command}`, command };
}

/** Null if the server has no address that Meta would call; another finding says so. */
function ownAddress({ publicUrl }: ConnectionInput["settings"]): string | null {
  return publicUrl === null ? null : `${publicUrl}/networks/whatsapp`;
}

/** An address of its own ends in a secret, which Meta shows and this server does not know. */
function isOurs(url: string, own: string): boolean {
  return url === own || url.startsWith(`${own}/`);
}

function overrideOf({ callbackUrl, subscription }: ConnectionInput["facts"]): string | null {
  return callbackUrl ?? subscription?.overrideUrl ?? null;
}

/** The app, if its address is the one that counts. */
function appOf({ number, facts }: ConnectionInput): ConnectionInput["facts"]["app"] {
  return number.provider === "graph" && overrideOf(facts) === null ? facts.app : null;
}

function fillForm({ settings }: ConnectionInput): string {
  return `in Meta's dashboard, WhatsApp → Configuration → Webhook, enter ${ownAddress(settings) ?? "the callback address"} and the verify token`;
}
