/**
 * Reads updates that are not about messages: a person's marketing preference, and Meta's updates about templates.
 * Template updates have no phone number id and no time of their own; account and time are those of the entry.
 */
import type { CallbackItem } from "../network.ts";
import {
  type Entry,
  fail,
  type ItemContext,
  itemTime,
  readProfile,
  requirePhoneNumberId,
  requireText,
  timeIn,
} from "./item.ts";
import { idOf, type JsonObject, memberOf, objectOf, sentenceOf, textOf } from "./json.ts";

export function readPreference(item: JsonObject, context: ItemContext): CallbackItem {
  const category = textOf(item, "category");
  const value = textOf(item, "value")?.toLowerCase();
  if (category !== null && category !== "marketing_messages") {
    return { kind: "unhandled", about: `preference for ${category.slice(0, 60)}` };
  }
  // Meta sends `signup` when a person joins through an advertisement. We could not prove that as consent.
  if (value !== "stop" && value !== "resume")
    return {
      kind: value === "signup" ? "ignored" : "unhandled",
      about: `preference ${(value ?? "without a value").slice(0, 60)}`,
    };
  const profile = readProfile(idOf(item, "wa_id"), idOf(item, "user_id"), context, idOf(item, "parent_user_id"));
  if (profile.phone === null && profile.networkUserId === null) return fail("the preference names no person");
  return {
    kind: "preference",
    phoneNumberId: requirePhoneNumberId(context),
    waId: profile.phone,
    networkUserId: profile.networkUserId,
    ...(profile.parentUserId === null ? {} : { parentUserId: profile.parentUserId }),
    value,
    at: itemTime(item),
  };
}

export function readTemplateUpdate(value: JsonObject, entry: Entry): CallbackItem {
  // Meta's own example of a quality update has this field name.
  if (memberOf(value, "new_quality_score") !== undefined) return readTemplateQuality(value, entry);
  const event = requireText(value, "event").toUpperCase();
  return {
    kind: "template",
    ...templateKeyOf(value, entry),
    event,
    reason: event === "APPROVED" ? null : reasonOf(value),
  };
}

export function readTemplateQuality(value: JsonObject, entry: Entry): CallbackItem {
  const score = requireText(value, "new_quality_score").toUpperCase().slice(0, 30);
  const was = textOf(value, "previous_quality_score")?.toUpperCase().slice(0, 30) ?? null;
  return { kind: "template_update", ...templateKeyOf(value, entry), change: { type: "quality", score, was } };
}

/**
 * Meta sends this twice: a day ahead, when `new_category` still holds the current category, and when the change is
 * done.
 */
export function readTemplateCategory(value: JsonObject, entry: Entry): CallbackItem {
  return { kind: "template_update", ...templateKeyOf(value, entry), change: categoryChangeIn(value, entry) };
}

type CategoryChange = Extract<CallbackItem, { kind: "template_update" }>["change"];

const ANNOUNCED_AHEAD_MS = 24 * 60 * 60 * 1000;

function categoryChangeIn(value: JsonObject, entry: Entry): CategoryChange {
  const was = textOf(value, "previous_category");
  if (was !== null)
    return { type: "category", category: requireText(value, "new_category").toUpperCase(), was: was.toUpperCase() };
  const announced = textOf(value, "correct_category");
  // Without a time, an account sync finds out.
  if (announced === null || entry.at === null) return { type: "changed" };
  const effectiveAt = timeIn(value, "category_update_timestamp") ?? entry.at + ANNOUNCED_AHEAD_MS;
  return { type: "category_announced", category: announced.toUpperCase(), effectiveAt };
}

export function readTemplateComponents(value: JsonObject, entry: Entry): CallbackItem {
  return { kind: "template_update", ...templateKeyOf(value, entry), change: { type: "changed" } };
}

function templateKeyOf(value: JsonObject, entry: Entry) {
  return {
    accountId: entry.accountId ?? fail("the entry names no account"),
    name: requireText(value, "message_template_name"),
    language: apiLanguage(requireText(value, "message_template_language")),
    at: entry.at,
  };
}

/** Callbacks write `en-US`; everything else writes `en_US`. */
function apiLanguage(language: string): string {
  const [code = "", ...regions] = language.replaceAll("-", "_").split("_");
  return [code.toLowerCase(), ...regions.map((region) => region.toUpperCase())].join("_");
}

/** Meta writes `NONE` for "no reason"; a pause then has its reason in the title or description. */
function reasonOf(value: JsonObject): string | null {
  const reason = sentenceOf(value, "reason");
  if (reason !== null && reason.toUpperCase() !== "NONE") return reason;
  const other = objectOf(value, "other_info");
  return (
    sentenceOf(objectOf(value, "rejection_info"), "reason") ??
    sentenceOf(other, "description") ??
    sentenceOf(other, "title")
  );
}
