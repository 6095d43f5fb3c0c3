/**
 * Queries Meta, or a provider with the same interface, about an account: its numbers, templates, token and
 * subscriptions. Lists are read to the last page with the cursor `after`, because the ready-made URL of the next page
 * contains the token.
 */

import type { ListedTemplate } from "#src/domain/templates/sync.ts";
import { targetOf } from "#src/net/target.ts";
import type { Transport } from "#src/net/transport.ts";
import type { AccountPort, ListedNumber, Result, Sender } from "../network.ts";
import { answerOf, failed, unreadable } from "./account-answer.ts";
import {
  accountIn,
  appIn,
  callbackUrlsIn,
  numberIn,
  phoneOf,
  storageIn,
  subscriptionIn,
  tokenIn,
} from "./account-views.ts";
import { describeCode } from "./errors.ts";
import { asObject, idOf, type JsonObject, listOf, memberOf, objectOf, stringOf, textOf } from "./json.ts";
import { readLibraryEntry } from "./library.ts";
import { type Endpoint, endpointOf } from "./profile.ts";
import { findHeaders, poolOf, urlOf, withProof } from "./request.ts";
import type { WhatsappSettings } from "./settings.ts";
import { readTemplate } from "./template.ts";
import { uploadFile } from "./upload.ts";

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
  "platform_type",
  "account_mode",
  "is_pin_enabled",
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
/** Meta's code for an invalid or expired cursor: the listing has to start again. */
const CURSOR_INVALID = "131059";

interface Asked {
  method?: "GET" | "POST";
  /** JSON. */
  body?: Readonly<Record<string, unknown>>;
}

export function createAccountPort(settings: WhatsappSettings, transport: Transport, timeoutMs: number): AccountPort {
  const endpoint = (sender: Pick<Sender, "provider" | "apiUrl">): Endpoint => endpointOf(settings, sender);
  const proofOf = (sender: Sender, url: string): string => withProof(url, endpoint(sender), sender);
  const hasNumbers = (sender: Pick<Sender, "provider" | "apiUrl">): boolean => endpoint(sender).pathStyle === "graph";

  async function ask(sender: Sender, url: string, request: Asked = {}): Promise<Result<JsonObject>> {
    return askAs(sender, proofOf(sender, url), request);
  }

  async function askAs(
    sender: Pick<Sender, "accessToken" | "phoneNumberId" | "provider" | "apiUrl">,
    url: string,
    request: Asked,
  ): Promise<Result<JsonObject>> {
    const headers = findHeaders(endpoint(sender), sender.accessToken);
    if (headers === null) return failed("190", describeCode("190"), "token");
    const { method = "GET", body } = request;
    if (body !== undefined) headers.set("content-type", "application/json");
    const result = await transport.exchange({
      target: targetOf(url, { headers, secret: sender.accessToken }),
      method,
      timeoutMs,
      pool: poolOf(sender),
      answerMax: LIST_BYTES_MAX,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return answerOf(result, endpoint(sender));
  }

  /** With the app's own token: only with it does Meta say, or change, what the app receives. */
  async function askAsApp(sender: Sender, appId: string, request: Asked): Promise<Result<JsonObject>> {
    const { appSecret } = endpoint(sender);
    if (appSecret === null) return failed("no_secret", "There is no app secret.", "proof");
    const app = { ...sender, accessToken: `${appId}|${appSecret}` };
    return askAs(app, urlOf(endpoint(sender), appId, "subscriptions"), request);
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

    // Asked for apart: a version that does not know a field refuses the whole request.
    async fetchExtras(sender) {
      const [settings, number] = await Promise.all([
        ask(sender, urlOf(endpoint(sender), sender.phoneNumberId, "settings")),
        ask(sender, `${urlOf(endpoint(sender), sender.phoneNumberId, "")}?fields=messaging_account_id`),
      ]);
      return {
        storageRegion: settings.ok ? storageIn(settings.value) : null,
        messagingAccountId: number.ok ? idOf(number.value, "messaging_account_id") : null,
      };
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
      const fields = new URLSearchParams({ fields: "name,owner_business_info,primary_funding_id" });
      const answer = await ask(sender, `${urlOf(endpoint(sender), sender.accountId, "")}?${fields}`);
      return answer.ok ? { ...answer, value: accountIn(answer.value) } : answer;
    },

    // Asked for alone: an unknown field would be the refusal of all.
    async fetchMarketingStatus(sender) {
      const fields = new URLSearchParams({ fields: "marketing_messages_onboarding_status" });
      const answer = await ask(sender, `${urlOf(endpoint(sender), sender.accountId, "")}?${fields}`);
      if (!answer.ok) return answer;
      const word = textOf(answer.value, "marketing_messages_onboarding_status");
      return { ...answer, value: word === null ? null : word.toUpperCase().slice(0, 40) };
    },

    async listTemplates(sender) {
      const answer = await listAll(sender, "message_templates", TEMPLATE_FIELDS);
      if (!answer.ok) return answer;
      return { ...answer, value: answer.value.map(readTemplate).filter((one): one is ListedTemplate => one !== null) };
    },

    async listLibrary(sender, query) {
      if (endpoint(sender).pathStyle !== "graph") {
        return failed("no_library", "The number's provider has no template library.", "other");
      }
      const asked = new URLSearchParams({ ...query, limit: String(query.limit) });
      const answer = await ask(sender, `${urlOf(endpoint(sender), "message_template_library", "")}?${asked}`);
      if (!answer.ok) return answer;
      const rows = rowsOf(answer.value);
      if (rows === null) return unreadable();
      const entries = rows.slice(0, query.limit).map(readLibraryEntry);
      return { ...answer, value: { entries: entries.filter((one) => one !== null), next: nextCursor(answer.value) } };
    },

    uploadFile: (sender, file) => uploadFile(settings, transport, sender, file),

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
      return { ok: true, value: listOf(answer.value, "data").map(appIn), at: answer.at };
    },

    async listCallbackUrls(sender) {
      const answer = await listAll(sender, "phone_numbers", "id,webhook_configuration");
      return answer.ok ? { ...answer, value: answer.value.flatMap(callbackUrlsIn) } : answer;
    },

    hasSecret: (sender) => endpoint(sender).appSecret !== null,

    async fetchAppSubscription(sender, appId) {
      const answer = await askAsApp(sender, appId, {});
      return answer.ok ? { ...answer, value: subscriptionIn(answer.value) } : answer;
    },

    async subscribeAppFields(sender, appId, { callbackUrl, verifyToken, fields }) {
      const body = {
        object: "whatsapp_business_account",
        callback_url: callbackUrl,
        verify_token: verifyToken,
        fields: fields.join(","),
      };
      const answer = await askAsApp(sender, appId, { method: "POST", body });
      return answer.ok ? { ...answer, value: null } : answer;
    },

    async registerNumber(sender, pin) {
      const url = urlOf(endpoint(sender), sender.phoneNumberId, "register");
      const answer = await ask(sender, url, {
        method: "POST",
        body: { messaging_product: "whatsapp", pin },
      });
      return answer.ok ? { ...answer, value: null } : answer;
    },

    async syncPhone(sender, kind) {
      const url = urlOf(endpoint(sender), sender.phoneNumberId, "smb_app_data");
      const syncType = kind === "contacts" ? "smb_app_state_sync" : "history";
      const body = { messaging_product: "whatsapp", sync_type: syncType };
      const answer = await ask(sender, url, { method: "POST", body });
      return answer.ok ? { ...answer, value: null } : answer;
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
