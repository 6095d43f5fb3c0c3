/**
 * `/control/v1/account`: the network reports something about a number's account, its templates or the number itself. The
 * report enters by the same queue and parser as the real network's.
 */
import { type Static, Type } from "@sinclair/typebox";
import { Form, OneOf } from "#src/core/schema.ts";
import type { Tx } from "#src/db/transaction.ts";
import { storeCallback } from "#src/domain/inbound/callbacks.ts";
import { listSiblings } from "#src/domain/numbers/account-sync.ts";
import type { SendingNumber } from "#src/domain/numbers/table.ts";
import { findTemplate } from "#src/domain/templates/read.ts";
import type { Template } from "#src/domain/templates/table.ts";
import { accountCallback } from "#src/networks/simulator/callback.ts";
import { findUnread } from "#src/networks/simulator/reports.ts";
import { answerJson } from "../answer.ts";
import { declareCall, findSimulated, invalidField } from "./route.ts";

export const accountEvents = [
  "template_category",
  "template_quality",
  "template_status",
  "number_quality",
  "limit",
  "restriction",
  "alert",
  "capability",
  "offboarded",
] as const;

const AccountBody = Form({
  event: OneOf(accountEvents),
  to: Type.Optional(Type.String()),
  template: Type.Optional(Type.String({ minLength: 1 })),
  language: Type.Optional(Type.String({ minLength: 1 })),
  value: Type.Optional(
    Type.Union([Type.String({ minLength: 1 }), Type.Unsafe<Record<string, unknown>>({ type: "object" })]),
  ),
});
type AccountBody = Static<typeof AccountBody>;

interface Subject {
  number: SendingNumber;
  /** The named template; null: it is not known here. */
  template: Pick<Template, "category" | "quality"> | null;
}

interface Report {
  /** Meta's name of the change. */
  field: string;
  /** It is about a template. */
  isTemplate?: boolean;
  /** What Meta writes for `word`; without a word, for the most usual case. */
  value(word: string | undefined, subject: Subject): Record<string, unknown>;
}

const REPORTS: Readonly<Record<AccountBody["event"], Report>> = {
  template_category: {
    field: "template_category_update",
    isTemplate: true,
    value: (word = "MARKETING", { template }) => ({
      previous_category: template?.category ?? "UTILITY",
      new_category: word,
    }),
  },
  template_quality: {
    field: "message_template_quality_update",
    isTemplate: true,
    value: (word = "RED", { template }) => ({
      previous_quality_score: template?.quality ?? "UNKNOWN",
      new_quality_score: word,
    }),
  },
  template_status: {
    field: "message_template_status_update",
    isTemplate: true,
    value: (word = "PAUSED") => ({ event: word, reason: "NONE" }),
  },
  number_quality: {
    field: "phone_number_quality_update",
    value: (word = "FLAGGED", { number }) => ({ ...shown(number), ...rated(word) }),
  },
  limit: {
    field: "phone_number_quality_update",
    value: (word = "TIER_2K", { number }) => ({
      ...{ ...shown(number), event: "UPGRADE" },
      max_daily_conversations_per_business: word,
    }),
  },
  restriction: {
    field: "account_update",
    value: (word = "RESTRICTED_BIZ_INITIATED_MESSAGING") => ({
      event: "ACCOUNT_RESTRICTION",
      restriction_info: [{ restriction_type: word }],
    }),
  },
  alert: {
    field: "account_alerts",
    value: (word = "OBA_APPROVED") => ({
      entity_type: "BUSINESS",
      alert_info: { alert_type: word, alert_severity: "WARNING", alert_status: "ACTIVE" },
    }),
  },
  capability: {
    field: "business_capability_update",
    value: (word = "TIER_2K") => ({ max_daily_conversations_per_business: word }),
  },
  offboarded: { field: "account_update", value: () => ({ event: "ACCOUNT_OFFBOARDED" }) },
};

/** Meta's event, or the rating that the number has since: Meta tells it in answers alone, and the simulator has none. */
function rated(word: string): Record<string, string> {
  if (["GREEN", "YELLOW", "RED", "UNKNOWN"].includes(word)) {
    return { event: word === "RED" ? "FLAGGED" : "UNFLAGGED", quality_rating: word };
  }
  const rating = word === "FLAGGED" ? "RED" : word === "UNFLAGGED" ? "GREEN" : null;
  return { event: word, ...(rating === null ? {} : { quality_rating: rating }) };
}

const shown = ({ phone }: SendingNumber) => ({ display_phone_number: phone.slice(1) });

export const accountRoutes = [
  declareCall("POST /account", { body: AccountBody }, async ({ store, clock, body }) => {
    const played = await store.write((tx) => {
      const number = findSimulated(tx, body.to);
      const { field } = REPORTS[body.event];
      const value = metaValue(tx, number, body);
      const report = accountCallback(number, field, value, tx.now);
      requireReadable(report);
      // All workspaces of the simulator have one account: the report is of this workspace's numbers alone.
      const numbers = listSiblings(tx, number).map(({ id }) => id);
      storeCallback(tx, "simulator", report, tx.now, { configuration: false, numbers });
      return { event: body.event, field, value };
    });
    await clock.settle();
    return answerJson(201, played);
  }),
];

/** Meta's value as given, completed by what it omits; a word stands where Meta puts what the event is about. */
function metaValue(tx: Tx, number: SendingNumber, body: AccountBody): Record<string, unknown> {
  const { event, value } = body;
  const { isTemplate = false, value: compose } = REPORTS[event];
  const named = isTemplate ? nameTemplate(body) : requireNoTemplate(body);
  if (typeof value === "object") return { ...value, ...named };
  const { message_template_name: name = "", message_template_language: language = "" } = named;
  const template = findTemplate(tx, number.workspaceId, name, language) ?? null;
  return { ...compose(value, { number, template }), ...named };
}

interface Named {
  message_template_name?: string;
  message_template_language?: string;
}

/** Throws `invalid_request`. */
function nameTemplate({ value, template, language }: AccountBody): Named {
  const given = typeof value === "object" ? value : {};
  const name = template ?? given.message_template_name;
  const code = language ?? given.message_template_language;
  if (typeof name !== "string") throw invalidField("template", "Name the template.");
  if (typeof code !== "string") throw invalidField("language", "Name the template's language.");
  return { message_template_name: name, message_template_language: code };
}

/** Throws `invalid_request`. */
function requireNoTemplate({ event, template, language }: AccountBody): Named {
  if (template !== undefined) throw invalidField("template", `This does not go with ${event}.`);
  if (language !== undefined) throw invalidField("language", `This does not go with ${event}.`);
  return {};
}

/** Throws `invalid_request` for a value that this server could not read if the real network sent it. */
function requireReadable(report: string): void {
  const why = findUnread(report);
  if (why !== null) throw invalidField("value", `Nothing follows from this value: ${why}.`);
}
