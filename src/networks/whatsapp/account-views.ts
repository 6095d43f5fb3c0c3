/** Reads rows of an account: numbers, apps, the token. A missing member is null, because Meta omits what it does not know. */
import type { NumberDetails } from "#src/domain/numbers/network-state.ts";
import type {
  AccountDetails,
  AppSubscription,
  NumberCallbackUrls,
  SubscribedApp,
  TokenDetails,
} from "../account-facts.ts";
import { readLimit } from "./account-updates.ts";
import { asObject, idOf, integerOf, type JsonObject, listOf, memberOf, numberOf, objectOf, textOf } from "./json.ts";

/** The listing writes the number with spaces, unlike callbacks. */
export function phoneOf(row: JsonObject): string | null {
  return textOf(row, "display_phone_number")?.replace(/\D/g, "") || null;
}

export function numberIn(row: JsonObject): NumberDetails {
  return {
    status: textOf(row, "status")?.toUpperCase() ?? null,
    verifiedName: textOf(row, "verified_name"),
    nameStatus: textOf(row, "name_status")?.toUpperCase() ?? null,
    quality: textOf(row, "quality_rating")?.toUpperCase() ?? null,
    throughputLevel: textOf(objectOf(row, "throughput"), "level")?.toUpperCase() ?? null,
    isOnBusinessApp: memberOf(row, "is_on_biz_app") === true,
    messagingLimit: readLimit(memberOf(row, "whatsapp_business_manager_messaging_limit")),
    health: healthIn(objectOf(row, "health_status")),
    setup: {
      platform: textOf(row, "platform_type")?.toUpperCase() ?? null,
      mode: textOf(row, "account_mode")?.toUpperCase() ?? null,
      hasPin: booleanOf(row, "is_pin_enabled"),
    },
  };
}

export function accountIn(row: JsonObject): AccountDetails {
  const portfolio = idOf(objectOf(row, "owner_business_info"), "id");
  const funding = idOf(row, "primary_funding_id");
  return {
    name: textOf(row, "name"),
    portfolio: portfolio !== null && /^\d{5,30}$/.test(portfolio) ? portfolio : null,
    // Accounts that someone else pays for do not have the field; "0" says that no method is set.
    hasPaymentMethod: funding === null ? null : funding !== "0",
  };
}

/** Blocked templates are not a reason: they say nothing about the number. */
function healthIn(health: JsonObject | null): NumberDetails["health"] {
  const word = textOf(health, "can_send_message")?.toUpperCase();
  const canSend = (["AVAILABLE", "LIMITED", "BLOCKED"] as const).find((known) => known === word);
  if (canSend === undefined) return null;
  const reasons = listOf(health, "entities")
    .map(asObject)
    .filter((entity) => textOf(entity, "entity_type") !== "MESSAGE_TEMPLATE")
    .flatMap((entity) => [
      ...listOf(entity, "errors").map((error) => {
        const about = asObject(error);
        return [textOf(about, "error_description"), textOf(about, "possible_solution")].filter(Boolean).join(" ");
      }),
      ...listOf(entity, "additional_info").map((info) => (typeof info === "string" ? info : "")),
    ])
    .filter((words) => words !== "")
    .map((words) => words.slice(0, 300));
  return { canSend, reasons: [...new Set(reasons)].slice(0, 5), ...causesIn(health) };
}

/** The codes behind the verdict, and whether it is about the app. */
function causesIn(health: JsonObject | null): { codes: number[]; isAppLimited: boolean } {
  const entities = listOf(health, "entities")
    .map(asObject)
    .filter((entity) => textOf(entity, "entity_type") !== "MESSAGE_TEMPLATE");
  const codes = entities
    .flatMap((entity) => listOf(entity, "errors"))
    .map((error) => integerOf(asObject(error), "error_code"))
    .filter((code) => code !== null);
  const app = entities.find((entity) => textOf(entity, "entity_type") === "APP");
  const verdict = textOf(app ?? null, "can_send_message")?.toUpperCase() ?? "AVAILABLE";
  return { codes: [...new Set(codes)].slice(0, 10), isAppLimited: verdict !== "AVAILABLE" };
}

export function tokenIn(data: JsonObject): TokenDetails {
  const expires = numberOf(data, "expires_at") ?? 0;
  const dataAccess = numberOf(data, "data_access_expires_at") ?? 0;
  const appId = textOf(data, "app_id") ?? integerOf(data, "app_id")?.toString() ?? null;
  return {
    isValid: memberOf(data, "is_valid") === true,
    scopes: listOf(data, "scopes").filter((scope): scope is string => typeof scope === "string"),
    appId,
    // Meta: 0 means that the token never expires.
    expiresAt: expires > 0 ? expires * 1000 : null,
    subcode: integerOf(objectOf(data, "error"), "subcode"),
    dataAccessEndsAt: dataAccess > 0 ? dataAccess * 1000 : null,
    accountIds: accountsIn(data),
  };
}

const ACCOUNTS_MAX = 20;

/** The accounts that the permissions of the token are limited to. */
function accountsIn(data: JsonObject): string[] {
  const ids = listOf(data, "granular_scopes")
    .map(asObject)
    .filter((scope) => textOf(scope, "scope")?.startsWith("whatsapp_business_") === true)
    .flatMap((scope) => listOf(scope, "target_ids"))
    .filter((id): id is string => typeof id === "string" && /^\d{5,30}$/.test(id));
  return [...new Set(ids)].slice(0, ACCOUNTS_MAX);
}

export function appIn(row: unknown): SubscribedApp {
  const app = objectOf(asObject(row), "whatsapp_business_api_data");
  return {
    id: idOf(app, "id"),
    name: textOf(app, "name"),
    overrideUrl: textOf(asObject(row), "override_callback_uri"),
  };
}

/** Some versions name the three addresses, others the number's own alone. */
export function callbackUrlsIn(row: JsonObject): NumberCallbackUrls[] {
  const phoneNumberId = idOf(row, "id");
  const urls = objectOf(row, "webhook_configuration");
  if (phoneNumberId === null || urls === null) return [];
  const number = textOf(urls, "phone_number") ?? textOf(urls, "override_callback_uri");
  const account = textOf(urls, "whatsapp_business_account");
  return [{ phoneNumberId, number, account, app: textOf(urls, "application") }];
}

/** The app's subscription to WhatsApp; it may have others, such as to pages. */
export function subscriptionIn(answer: JsonObject): AppSubscription | null {
  const row = listOf(answer, "data")
    .map(asObject)
    .find((one) => textOf(one, "object") === "whatsapp_business_account");
  if (row === undefined || row === null) return null;
  const fields = listOf(row, "fields").map((field) =>
    typeof field === "string" ? field : textOf(asObject(field), "name"),
  );
  const callbackUrl = textOf(row, "callback_url");
  const isActive = booleanOf(row, "active") !== false;
  return { callbackUrl, fields: fields.filter((field) => field !== null), isActive };
}

function booleanOf(row: JsonObject, name: string): boolean | null {
  const value = memberOf(row, name);
  return typeof value === "boolean" ? value : null;
}

/** Where the network keeps what a number sends and receives, as an ISO 3166 code; null: not in one country. */
export function storageIn(settings: JsonObject): string | null {
  const storage = objectOf(settings, "storage_configuration");
  const isLocal = textOf(storage, "status")?.toUpperCase() === "IN_COUNTRY_STORAGE_ENABLED";
  return isLocal ? (textOf(storage, "data_localization_region")?.toUpperCase().slice(0, 10) ?? null) : null;
}
