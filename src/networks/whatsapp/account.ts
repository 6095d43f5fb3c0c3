/**
 * Queries Meta, or a provider with the same interface, about an account: its numbers, templates, token and
 * subscriptions. Lists are read to the last page with the cursor `after`, because the ready-made URL of the next page
 * contains the token.
 */

import type { NumberDetails } from "#src/domain/numbers/network-state.ts";
import type { ListedTemplate } from "#src/domain/templates/sync.ts";
import type { Exchange, Transport } from "#src/net/transport.ts";
import type {
  AccountDetails,
  AccountPort,
  ListedNumber,
  RequestFailure,
  Result,
  Sender,
  TokenDetails,
} from "../network.ts";
import { readLimit } from "./account-updates.ts";
import { describeCode, type GraphError, readGraphError } from "./errors.ts";
import {
  asObject,
  idOf,
  integerOf,
  type JsonObject,
  listOf,
  memberOf,
  numberOf,
  objectOf,
  parseJson,
  stringOf,
  textOf,
} from "./json.ts";
import { encodeUpload, type Multipart } from "./multipart.ts";
import { type Endpoint, endpointOf } from "./profile.ts";
import { findHeaders, poolOf, urlOf } from "./request.ts";
import type { WhatsappSettings } from "./settings.ts";
import { readTemplate } from "./template.ts";

const NUMBER_FIELDS = [
  "id",
  "display_phone_number",
  "verified_name",
  "quality_rating",
  "status",
  "name_status",
  "throughput",
  "whatsapp_business_manager_messaging_limit",
  "health_status",
  "is_on_biz_app",
].join(",");

const TEMPLATE_FIELDS = "id,name,language,status,category,components,parameter_format,quality_score,rejected_reason";

/**
 * Meta's largest page size. The page limit exceeds any account's number of templates and ends a listing whose cursor
 * loops.
 */
const PAGE_SIZE = 100;
const PAGES_MAX = 100;
/** A page of templates with long bodies and examples. */
const LIST_BYTES_MAX = 8 * 1024 * 1024;
/** A file may be large and the connection slow. */
const UPLOAD_TIMEOUT_FACTOR = 6;

/** Meta's code for an invalid or expired cursor: the listing has to start again. */
const CURSOR_INVALID = "131059";

export function createAccountPort(settings: WhatsappSettings, transport: Transport, timeoutMs: number): AccountPort {
  const endpoint = (sender: Pick<Sender, "provider" | "apiUrl">): Endpoint => endpointOf(settings, sender);
  const hasNumbers = (sender: Pick<Sender, "provider" | "apiUrl">): boolean => endpoint(sender).pathStyle === "graph";

  async function ask(
    sender: Sender,
    url: string,
    request: { method?: "GET" | "POST"; body?: Multipart; limitMs?: number } = {},
  ): Promise<Result<JsonObject>> {
    const headers = findHeaders(endpoint(sender), sender.accessToken);
    if (headers === null) return failed("190", describeCode("190"), "token");
    const { method = "GET", body, limitMs = timeoutMs } = request;
    if (body !== undefined) headers.set("content-type", body.contentType);
    const result = await transport.exchange({
      url,
      method,
      headers,
      timeoutMs: limitMs,
      pool: poolOf(sender),
      secret: sender.accessToken,
      answerMax: LIST_BYTES_MAX,
      ...(body === undefined ? {} : { body: body.bytes }),
    });
    return answerOf(result, endpoint(sender));
  }

  /** All pages of a list. Starts again once if Meta rejects its own cursor. */
  async function listAll(sender: Sender, edge: string, fields: string): Promise<Result<JsonObject[]>> {
    const first = await readPages(sender, edge, fields);
    return !first.ok && first.failure.code === CURSOR_INVALID ? readPages(sender, edge, fields) : first;
  }

  async function readPages(sender: Sender, edge: string, fields: string): Promise<Result<JsonObject[]>> {
    const query = new URLSearchParams({ ...(hasNumbers(sender) ? { fields } : {}), limit: String(PAGE_SIZE) });
    const rows: JsonObject[] = [];
    let at: number | null = null;
    for (let page = 0; page < PAGES_MAX; page++) {
      const url = `${urlOf(endpoint(sender), sender.accountId, edge)}?${query}`;
      const answer: Result<JsonObject> = await ask(sender, url);
      if (!answer.ok) return answer;
      // Use the first page's time: a change made while later pages are read is newer than the listing.
      at ??= answer.at;
      const listed = rowsOf(answer.value);
      if (listed === null) return unreadable();
      rows.push(...listed);
      const after = nextCursor(answer.value);
      if (after === null) return { ok: true, value: rows, at };
      query.set("after", after);
    }
    return failed("other", `The list has more than ${PAGES_MAX * PAGE_SIZE} entries.`, "other");
  }

  return {
    knowsNumbers: hasNumbers,

    async fetchNumber(sender) {
      const url = `${urlOf(endpoint(sender), sender.phoneNumberId, "")}?${new URLSearchParams({ fields: NUMBER_FIELDS })}`;
      const answer = await ask(sender, url);
      if (!answer.ok) return answer;
      const { phoneNumberId } = sender;
      return { ...answer, value: { phoneNumberId, phone: phoneOf(answer.value), ...numberIn(answer.value) } };
    },

    async listNumbers(sender) {
      const answer = await listAll(sender, "phone_numbers", NUMBER_FIELDS);
      if (!answer.ok) return answer;
      const numbers = answer.value.flatMap((row): ListedNumber[] => {
        const phoneNumberId = idOf(row, "id");
        return phoneNumberId === null ? [] : [{ phoneNumberId, phone: phoneOf(row), ...numberIn(row) }];
      });
      return { ...answer, value: numbers };
    },

    async fetchAccount(sender) {
      const fields = new URLSearchParams({ fields: "owner_business_info,primary_funding_id" });
      const answer = await ask(sender, `${urlOf(endpoint(sender), sender.accountId, "")}?${fields}`);
      return answer.ok ? { ...answer, value: accountIn(answer.value) } : answer;
    },

    async listTemplates(sender) {
      const answer = await listAll(sender, "message_templates", TEMPLATE_FIELDS);
      if (!answer.ok) return answer;
      return { ...answer, value: answer.value.map(readTemplate).filter((one): one is ListedTemplate => one !== null) };
    },

    async uploadFile(sender, file) {
      const body = encodeUpload({ messaging_product: "whatsapp", type: file.contentType }, file);
      const url = urlOf(endpoint(sender), sender.phoneNumberId, "media");
      const answer = await ask(sender, url, { method: "POST", body, limitMs: timeoutMs * UPLOAD_TIMEOUT_FACTOR });
      if (!answer.ok) return answer;
      const mediaId = idOf(answer.value, "id");
      return mediaId === null ? unreadable() : { ok: true, value: { mediaId }, at: answer.at };
    },

    async inspectToken(sender) {
      const url = `${urlOf(endpoint(sender), "debug_token", "")}?${new URLSearchParams({ input_token: sender.accessToken ?? "" })}`;
      const answer = await ask(sender, url);
      if (!answer.ok) return answer;
      const data = objectOf(answer.value, "data");
      if (data === null) return unreadable();
      return { ok: true, value: tokenIn(data), at: answer.at };
    },

    async listSubscribedApps(sender) {
      const answer = await ask(sender, urlOf(endpoint(sender), sender.accountId, "subscribed_apps"));
      if (!answer.ok) return answer;
      const apps = listOf(answer.value, "data").map((row) => {
        const app = objectOf(asObject(row), "whatsapp_business_api_data");
        return { id: idOf(app, "id"), name: textOf(app, "name") };
      });
      return { ok: true, value: apps, at: answer.at };
    },

    async subscribeApp(sender) {
      const url = urlOf(endpoint(sender), sender.accountId, "subscribed_apps");
      const answer = await ask(sender, url, { method: "POST" });
      return answer.ok ? { ...answer, value: null } : answer;
    },
  };
}

/** The rows of a page, under Meta's name or a provider's; null if it has none. */
function rowsOf(page: JsonObject): JsonObject[] | null {
  const name = memberOf(page, "data") === undefined ? "waba_templates" : "data";
  if (!Array.isArray(memberOf(page, name))) return null;
  return listOf(page, name)
    .map(asObject)
    .filter((row) => row !== null);
}

/** The last page has cursors too; only `next` means that there is another page. */
function nextCursor(page: JsonObject): string | null {
  const paging = objectOf(page, "paging");
  return textOf(paging, "next") === null ? null : stringOf(objectOf(paging, "cursors"), "after");
}

function answerOf(result: Exchange, endpoint: Endpoint): Result<JsonObject> {
  if (result.kind === "unreachable")
    return failed("unreachable", `WhatsApp cannot be reached: ${result.reason}.`, "later");
  if (result.kind === "lost") return failed("no_answer", `WhatsApp did not answer: ${result.reason}.`, "later");
  const error = readGraphError(result.body);
  if (error !== null) return failed(String(error.code), describeGraphError(error), kindOf(error));
  const refusal = endpoint.readRefusal(result.status, result.body, null);
  if (refusal?.kind === "refused")
    return failed(refusal.code, refusal.message, refusal.scope === "account" ? "token" : "other");
  if (refusal?.kind === "throttled") return failed(refusal.code, refusal.message, "later");
  const value = asObject(parseJson(result.body));
  if (!result.ok || value === null) {
    const kind = result.status >= 500 ? "later" : result.status === 401 || result.status === 403 ? "token" : "other";
    return failed(`HTTP ${result.status}`, `The answer was HTTP ${result.status} and could not be read.`, kind);
  }
  return { ok: true, value, at: result.at };
}

/** Meta is busy, down, or rate-limiting us. */
const LATER_CODES: ReadonlySet<number> = new Set([1, 2, 4, 17, 32, 341, 613, 80007, 80008, 80014, 131016]);

/** Decided by code alone, as for sending. */
function kindOf({ code, subcode }: GraphError): RequestFailure["kind"] {
  if (code === 190 || code === 0 || code === 104) return "token";
  if (code === 33 || code === 803 || (code === 100 && subcode === 33)) return "number";
  if (code === 3 || code === 10 || (code >= 200 && code <= 299)) return "permission";
  if (LATER_CODES.has(code)) return "later";
  return "other";
}

function describeGraphError(error: GraphError): string {
  return describeCode(String(error.code === 100 && error.subcode === 33 ? 33 : error.code));
}

function failed(code: string, message: string, kind: RequestFailure["kind"]): { ok: false; failure: RequestFailure } {
  return { ok: false, failure: { code, message, kind } };
}

function unreadable(): { ok: false; failure: RequestFailure } {
  return failed("other", "The answer has an unexpected form.", "other");
}

/** The listing writes the number with spaces, unlike callbacks. */
function phoneOf(row: JsonObject): string | null {
  return textOf(row, "display_phone_number")?.replace(/\D/g, "") || null;
}

function numberIn(row: JsonObject): NumberDetails {
  return {
    status: textOf(row, "status")?.toUpperCase() ?? null,
    verifiedName: textOf(row, "verified_name"),
    nameStatus: textOf(row, "name_status")?.toUpperCase() ?? null,
    quality: textOf(row, "quality_rating")?.toUpperCase() ?? null,
    throughputLevel: textOf(objectOf(row, "throughput"), "level")?.toUpperCase() ?? null,
    isOnBusinessApp: memberOf(row, "is_on_biz_app") === true,
    messagingLimit: readLimit(memberOf(row, "whatsapp_business_manager_messaging_limit")),
    health: healthIn(objectOf(row, "health_status")),
  };
}

function accountIn(row: JsonObject): AccountDetails {
  const portfolio = idOf(objectOf(row, "owner_business_info"), "id");
  const funding = idOf(row, "primary_funding_id");
  return {
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
  return { canSend, reasons: [...new Set(reasons)].slice(0, 5) };
}

function tokenIn(data: JsonObject): TokenDetails {
  const expires = numberOf(data, "expires_at") ?? 0;
  const appId = textOf(data, "app_id") ?? integerOf(data, "app_id")?.toString() ?? null;
  return {
    isValid: memberOf(data, "is_valid") === true,
    scopes: listOf(data, "scopes").filter((scope): scope is string => typeof scope === "string"),
    appId,
    // Meta: 0 means that the token never expires.
    expiresAt: expires > 0 ? expires * 1000 : null,
  };
}
