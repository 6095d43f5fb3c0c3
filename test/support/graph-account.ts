/**
 * The fake Cloud API's account: numbers, templates, the token, subscriptions, files. A test changes it at any time, and
 * reads the uploads. Lists are paged with cursors, as Meta's are: the last page has cursors too, and only `next` says
 * that more follow.
 */
import { createHmac } from "node:crypto";
import { evaluateSubmission } from "#src/networks/simulator/evaluate-submission.ts";
import type { GraphOptions, GraphRequest, Refusal } from "./graph.ts";

export interface GraphAccount {
  /** The account's own id; if omitted, the default one of the tests. */
  id?: string;
  /** What the account says of itself; without members, a request for it is refused as one for an unknown object. */
  details: Record<string, unknown>;
  /** Rows of `phone_numbers`. */
  numbers: GraphRow[];
  /** Numbers of other accounts that the token may see too. */
  visibleNumbers: GraphRow[];
  /** Rows of `message_templates`. */
  templates: GraphRow[];
  /** Rows of `message_template_library`. */
  library: GraphRow[];
  subscribedApps: { id: string; name: string; overrideUrl?: string }[];
  token: {
    isValid: boolean;
    scopes: string[];
    appId: string;
    expiresAt: number;
    subcode?: number;
    /** Seconds; omitted: it does not end. */
    dataAccessExpiresAt?: number;
    /** The accounts that the token was made for; omitted: they are not named. */
    accountIds?: string[];
  };
  /** What of the app on the phone was asked for. */
  phoneSyncs: string[];
  /** The two-step PIN of every number; null: none is set, and the first one that registers is taken. */
  pin: string | null;
  /** Whether the app knows not all of these fields. */
  refuseFields: (fields: readonly string[]) => boolean;
  /** Where a callback address is really reached; null: nothing answers there. */
  reach: (address: string) => string | null;
  /** The app's own webhook; null: it has none. */
  webhook: { callbackUrl?: string; fields: string[]; isActive?: boolean } | null;
  /** The app's secret: another one is refused where it is used. Null: any is accepted. */
  appSecret: string | null;
  /** The app demands proof of its secret with every request. */
  requiresProof: boolean;
  /** What was given to the account about templates, in order: requests that were taken, and those that were not. */
  submitted: { method: string; path: string; body: unknown }[];
  /** Of how many requests about templates, from now on, the answer is lost; and how many are lost before they are taken. */
  loses: { answers: number; requests: number };
  /** Samples: sessions by their id, until the bytes arrive; the handles of all files. */
  samples: { sessions: Map<string, { type: string; length: number }>; handles: string[] };
  uploads: { phoneNumberId: string; contentType: string; size: number; name: string; id: string }[];
  /** Called before every answer, which waits for it; a refusal replaces the answer. */
  refuse: ((request: GraphRequest) => Refused | Promise<Refused>) | null;
  /** Rows per page, whatever the request asks for. */
  pageSize: number;
}

type Refused = Refusal | { status: number; body: string; contentType: string } | null;

export type GraphRow = { id: string; [member: string]: unknown };

export const GRAPH_APP_ID = "300000000000001";

/** The fields that docs/whatsapp.md tells an operator to subscribe to. */
const ALL_FIELDS = [
  ...["messages", "message_template_status_update", "message_template_quality_update", "user_preferences"],
  ...["message_template_components_update", "template_category_update", "account_update", "account_alerts"],
  ...["account_review_update", "phone_number_quality_update", "phone_number_name_update", "security"],
  ...["business_capability_update"],
];

export function graphAccount(more: Partial<GraphAccount> = {}): GraphAccount {
  return {
    details: {},
    numbers: [graphNumber("200000000000001", "+49 30 000000")],
    visibleNumbers: [],
    templates: [],
    library: graphLibrary(),
    subscribedApps: [{ id: GRAPH_APP_ID, name: "Our app" }],
    token: {
      isValid: true,
      scopes: ["whatsapp_business_messaging", "whatsapp_business_management"],
      appId: GRAPH_APP_ID,
      expiresAt: 0,
    },
    webhook: { fields: [...ALL_FIELDS] },
    pin: null,
    phoneSyncs: [],
    reach: (address) => address,
    refuseFields: () => false,
    appSecret: null,
    requiresProof: false,
    submitted: [],
    loses: { answers: 0, requests: 0 },
    samples: { sessions: new Map(), handles: [] },
    uploads: [],
    refuse: null,
    pageSize: 25,
    ...more,
  };
}

export function graphNumber(id: string, phone: string, more: object = {}): GraphRow {
  return {
    id,
    display_phone_number: phone,
    verified_name: "Shop",
    quality_rating: "GREEN",
    status: "CONNECTED",
    name_status: "APPROVED",
    throughput: { level: "STANDARD" },
    platform_type: "CLOUD_API",
    account_mode: "LIVE",
    is_pin_enabled: true,
    whatsapp_business_manager_messaging_limit: "TIER_2K",
    health_status: { can_send_message: "AVAILABLE", entities: [] },
    ...more,
  };
}

/** As the rows on Meta's page, in our own words. */
function graphLibrary(): GraphRow[] {
  return [
    {
      ...{ name: "parcel_sent", language: "en_US", category: "UTILITY", topic: "ORDER_MANAGEMENT" },
      ...{ usecase: "SHIPMENT_CONFIRMATION", industry: ["E_COMMERCE"], header: "Your parcel" },
      body: "Hello {{1}}, we have sent order {{2}}.",
      ...{ body_params: ["Asha", "10042"], body_param_types: ["TEXT", "TEXT"] },
      buttons: [
        { type: "URL", text: "Follow it", url: "https://www.example.com/" },
        { type: "PHONE_NUMBER", text: "Call us", phone_number: "+15550100" },
        { type: "QUICK_REPLY", text: "Thank you" },
      ],
      id: "7147013345418927",
    },
    {
      ...{ name: "order_taken", language: "en_US", category: "UTILITY", topic: "ORDER_MANAGEMENT" },
      ...{ usecase: "ORDER_CONFIRMATION", industry: ["E_COMMERCE"] },
      ...{ body: "Thank you, {{1}}. We have your order.", body_params: ["Asha"], body_param_types: ["TEXT"] },
      id: "7147013345418928",
    },
    {
      ...{ name: "parcel_missed_form", language: "en_US", category: "UTILITY", topic: "ORDER_MANAGEMENT" },
      ...{ usecase: "DELIVERY_FAILED", industry: ["E_COMMERCE"] },
      ...{ body: "We could not deliver order {{1}}.", body_params: ["10042"], body_param_types: ["TEXT"] },
      buttons: [{ type: "FLOW", text: "Choose a time" }],
      id: "7138055039625658",
    },
    {
      ...{ name: "sign_in_code", language: "en_US", category: "AUTHENTICATION", topic: "IDENTITY_VERIFICATION" },
      ...{ usecase: "VERIFICATION_CODE", industry: [], body: "{{1}} is your code." },
      ...{ body_params: ["123456"], body_param_types: ["TEXT"], buttons: [{ type: "OTP", text: "Copy code" }] },
      id: "7147013345418930",
    },
  ];
}

let templateCount = 0;

export function graphTemplate(name: string, more: object = {}): GraphRow {
  templateCount += 1;
  return {
    id: String(900000000000000 + templateCount),
    name,
    language: "en_US",
    status: "APPROVED",
    category: "UTILITY",
    parameter_format: "POSITIONAL",
    rejected_reason: "NONE",
    components: [{ type: "BODY", text: "Hello {{1}}", example: { body_text: [["Anna"]] } }],
    ...more,
  };
}

type Answered = Refusal | "lost" | { status?: number; body: string; contentType?: string };

export async function answerQuestion(
  account: GraphAccount,
  request: GraphRequest,
  bytes: Buffer<ArrayBuffer>,
  options: GraphOptions,
): Promise<Answered> {
  const refusal = (await account.refuse?.(request)) ?? null;
  if (refusal !== null) return refusal;
  const token = options.accessToken ?? "token-of-the-test";
  const noProof = request.path.includes("/subscriptions") ? null : proofRefusal(account, request.path, token);
  if (noProof !== null) return noProof;
  const url = new URL(request.path, "http://graph");
  const taken = await takeSubmission(account, request, bytes, url);
  if (taken !== null) return taken;
  const match = (options.pathStyle === "bare" ? /^\/()(\w+)$/ : /^\/v\d+\.\d\/(\w+)(?:\/(\w+))?$/).exec(url.pathname);
  const [owner, edge] = [match?.[1] ?? "", match?.[2] ?? ""];
  const isAccount = options.pathStyle === "bare" || owner === (account.id ?? "100000000000001");
  const seen = [...account.numbers, ...account.visibleNumbers].find(({ id }) => id === owner);
  const isNumber = seen !== undefined;
  if (owner === "message_template_library" && options.pathStyle !== "bare") return libraryPage(account, url);
  switch (edge) {
    case "phone_numbers":
      return isAccount && options.pathStyle !== "bare" ? page(account, account.numbers, url) : unknown(request.path);
    case "message_templates":
      return isAccount ? page(account, account.templates, url, options.pathStyle === "bare") : unknown(request.path);
    case "subscribed_apps":
      if (!isAccount) return unknown(request.path);
      if (request.method === "POST") {
        account.subscribedApps = [{ id: account.token.appId, name: "Our app" }];
        return json({ success: true });
      }
      return json({
        data: account.subscribedApps.map(({ overrideUrl, ...app }) => ({
          whatsapp_business_api_data: { ...app, link: "https://app.example" },
          ...(overrideUrl === undefined ? {} : { override_callback_uri: overrideUrl }),
        })),
      });
    case "subscriptions":
      return owner === account.token.appId ? appWebhook(account, request, bytes) : unknown(request.path);
    case "settings":
      return seen === undefined
        ? unknown(request.path)
        : json({ storage_configuration: seen.storage ?? { status: "default" } });
    case "register":
      return seen === undefined ? unknown(request.path) : registerNumber(account, seen, bytes);
    case "smb_app_data":
      return seen === undefined ? unknown(request.path) : syncPhone(account, seen, bytes);
    case "media":
      return options.pathStyle === "bare" || isNumber ? upload(account, request, bytes, owner) : unknown(request.path);
    case "":
      if (owner === "debug_token") return debugToken(account, url, options);
      if (isAccount && Object.keys(account.details).length > 0) return json({ id: owner, ...account.details });
      return seen === undefined ? unknown(request.path) : json(withFields(seen, url));
    default:
      return unknown(request.path);
  }
}

/** Templates that are created, corrected and deleted, and the uploads of their samples; null: it is none of these. */
async function takeSubmission(
  account: GraphAccount,
  { method, path, headers }: GraphRequest,
  bytes: Buffer<ArrayBuffer>,
  url: URL,
): Promise<Answered | null> {
  const { sessions, handles } = account.samples;
  const [, , owner = "", edge = ""] = url.pathname.split("/");
  if (owner === "app" && edge === "uploads") {
    const id = `upload:MTph${sessions.size}?sig=ARZ${sessions.size}`;
    sessions.set(id, {
      type: url.searchParams.get("file_type") ?? "",
      length: Number(url.searchParams.get("file_length")),
    });
    return json({ id });
  }
  if (owner.startsWith("upload:")) {
    url.searchParams.delete("appsecret_proof");
    const session = sessions.get(`${owner}${url.search}`);
    const isWhole = session?.length === bytes.length && headers.file_offset === "0";
    if (!isWhole || !String(headers.authorization).startsWith("OAuth ")) return { code: 100, details: "upload" };
    const handle = `4::${Buffer.from(session.type).toString("base64")}:ARY${handles.length}`;
    handles.push(handle);
    return json({ h: handle });
  }
  const row = account.templates.find(({ id }) => id === owner);
  const isAboutTemplates = edge === "message_templates" || (edge === "" && row !== undefined);
  if (!isAboutTemplates || method === "GET") return null;
  if (account.loses.requests > 0) {
    account.loses.requests -= 1;
    return "lost";
  }
  const body = bytes.length === 0 ? null : (JSON.parse(bytes.toString()) as Record<string, unknown>);
  account.submitted.push({ method, path: path.replace(/[?&]appsecret_proof=\w+/, ""), body });
  const answer = method === "DELETE" ? deleteTemplates(account, url) : changeTemplates(account, row, body ?? {});
  if (account.loses.answers === 0) return answer;
  account.loses.answers -= 1;
  return "lost";
}

function deleteTemplates(account: GraphAccount, url: URL): Answered {
  const [name, id] = [url.searchParams.get("name"), url.searchParams.get("hsm_id")];
  const kept = account.templates.filter((row) => row.name !== name || (id !== null && row.id !== id));
  if (kept.length === account.templates.length) return { code: 100, subcode: 2593002, details: "No such template" };
  account.templates = kept;
  return json({ success: true });
}

function libraryPage(account: GraphAccount, url: URL): Answered {
  const asked = (name: string): string => url.searchParams.get(name) ?? "";
  const rows = account.library.filter(
    (row) =>
      `${row.name} ${row.body}`.toLowerCase().includes(asked("search").toLowerCase()) &&
      String(row.name).includes(asked("name")) &&
      ["language", "topic", "usecase"].every((name) => asked(name) === "" || row[name] === asked(name)) &&
      (asked("industry") === "" || (row.industry as string[]).includes(asked("industry"))),
  );
  return page(account, rows, url);
}

/** The components that the list shows of a template that was made of one of the library. */
function madeOf({ library }: GraphAccount, body: Record<string, unknown>): Record<string, unknown>[] {
  const row = library.find(({ name }) => name === body.library_template_name);
  const inputs = (body.library_template_button_inputs ?? []) as { url?: { base_url: string }; phone_number?: string }[];
  const buttons = ((row?.buttons ?? []) as Record<string, unknown>[]).map((button, index) => ({
    ...button,
    ...(button.type === "URL" ? { url: inputs[index]?.url?.base_url } : {}),
    ...(button.type === "PHONE_NUMBER" ? { phone_number: inputs[index]?.phone_number } : {}),
  }));
  return [
    ...(row?.header === undefined ? [] : [{ type: "HEADER", format: "TEXT", text: row.header }]),
    { type: "BODY", text: row?.body },
    ...(buttons.length === 0 ? [] : [{ type: "BUTTONS", buttons }]),
  ];
}

type LibraryRows = NonNullable<Parameters<typeof evaluateSubmission>[1]>;

function changeTemplates(account: GraphAccount, row: GraphRow | undefined, body: Record<string, unknown>): Answered {
  const library = account.library.map((one) => ({ ...one, buttons: one.buttons ?? [] })) as unknown as LibraryRows;
  const refusal = evaluateSubmission(body, library);
  if (refusal !== null) {
    const code = Number(refusal.code);
    return code > 2_388_000
      ? { code: 100, subcode: code, details: refusal.message }
      : { code, details: refusal.message };
  }
  if (row !== undefined) {
    Object.assign(row, body, { status: "PENDING" });
    return json({ success: true });
  }
  if (account.templates.some(({ name, language }) => name === body.name && language === body.language))
    return { code: 100, subcode: 2388024, details: "Content in this language already exists" };
  const { name, language, category, components, parameter_format = "POSITIONAL", library_template_name: of } = body;
  // The library's words are reviewed: what is made of them is approved at once.
  const status = of === undefined ? "PENDING" : "APPROVED";
  const made = of === undefined ? { components } : { components: madeOf(account, body), library_template_name: of };
  const added = graphTemplate(String(name), { language, category, ...made, parameter_format, status });
  account.templates.push(added);
  return json({ id: added.id, status, category: String(category).toUpperCase() });
}

/** Only the app itself may ask: its token is its id and its secret. */
async function appWebhook(
  account: GraphAccount,
  { headers, method }: GraphRequest,
  bytes: Buffer<ArrayBuffer>,
): Promise<Answered> {
  const { webhook, token, appSecret } = account;
  const given = String(headers.authorization ?? "");
  const isRight =
    appSecret === null ? given.startsWith(`Bearer ${token.appId}|`) : given === `Bearer ${token.appId}|${appSecret}`;
  if (!isRight) return { code: 190, status: 401 };
  if (method === "POST") return setWebhook(account, bytes);
  if (webhook === null) return json({ data: [] });
  const fields = webhook.fields.map((name) => ({ name, version: "v25.0" }));
  const row = {
    object: "whatsapp_business_account",
    callback_url: webhook.callbackUrl,
    active: webhook.isActive ?? true,
    fields,
  };
  return json({ data: [{ object: "page", callback_url: "https://pages.example", active: true, fields: [] }, row] });
}

/** As Meta does: the address is verified before it is used, and a field that is not known refuses all. */
async function setWebhook(account: GraphAccount, bytes: Buffer<ArrayBuffer>): Promise<Answered> {
  const {
    object,
    callback_url: url,
    verify_token: token,
    fields,
  } = JSON.parse(bytes.toString()) as Record<string, string>;
  if (object !== "whatsapp_business_account" || url === undefined || token === undefined) return { code: 100 };
  const names = (fields ?? "").split(",");
  if (account.refuseFields(names) || names.some((name) => !/^[a-z_]+$/.test(name)))
    return { code: 100, details: "fields" };
  const query = new URLSearchParams({
    "hub.mode": "subscribe",
    "hub.verify_token": token,
    "hub.challenge": "1158201444",
  });
  const reached = account.reach(url);
  const answer = reached === null ? null : await fetch(`${reached}?${query}`).catch(() => null);
  if (answer?.status !== 200 || (await answer.text()) !== "1158201444") {
    return { code: 2200, details: "Callback verification failed" };
  }
  account.webhook = { callbackUrl: url, fields: names };
  return json({ success: true });
}

function registerNumber(account: GraphAccount, number: GraphRow, bytes: Buffer<ArrayBuffer>): Answered {
  const { messaging_product: product, pin } = JSON.parse(bytes.toString()) as Record<string, string>;
  if (product !== "whatsapp" || pin === undefined || !/^\d{6}$/.test(pin)) return { code: 100, details: "pin" };
  if (account.pin !== null && account.pin !== pin) return { code: 133005 };
  account.pin = pin;
  number.status = "CONNECTED";
  return json({ success: true });
}

/** As Meta does: each kind once, and only for a number that is in the app. */
function syncPhone(account: GraphAccount, number: GraphRow, bytes: Buffer<ArrayBuffer>): Answered {
  const { messaging_product: product, sync_type: type = "" } = JSON.parse(bytes.toString()) as Record<string, string>;
  const isKnown = product === "whatsapp" && ["smb_app_state_sync", "history"].includes(type);
  if (!isKnown || number.is_on_biz_app !== true) return { code: 100, details: "sync_type" };
  if (account.phoneSyncs.includes(type)) return { code: 2593107 };
  account.phoneSyncs.push(type);
  return json({ messaging_product: "whatsapp", request_id: "1" });
}

/** As Meta does: a proof that is given must be right, even where none is demanded. */
export function proofRefusal(account: GraphAccount | null, path: string, token: string): Refusal | null {
  if (account === null) return null;
  const given = new URL(path, "http://graph").searchParams.get("appsecret_proof");
  if (given === null) {
    if (!account.requiresProof) return null;
    return { code: 100, message: "API calls from the server require an appsecret_proof argument" };
  }
  if (account.appSecret === null) return null;
  const right = createHmac("sha256", account.appSecret).update(token).digest("hex");
  return given === right ? null : { code: 100, message: "Invalid appsecret_proof provided in the API argument" };
}

function page(account: GraphAccount, rows: readonly GraphRow[], url: URL, isBare = false): Answered {
  const cursor = url.searchParams.get("after");
  const start = cursor === null ? 0 : Number(Buffer.from(cursor, "base64url").toString());
  if (!Number.isSafeInteger(start)) return { code: 131059 };
  // Without a page size Graph returns 25 rows per page, which makes a long account exceed the limit of pages.
  const asked = Number(url.searchParams.get("limit"));
  if (!Number.isSafeInteger(asked) || asked < 1) return { code: 100 };
  const limit = Math.min(asked, account.pageSize);
  const end = start + limit;
  const data = rows.slice(start, end).map((row) => withFields(row, url));
  const after = Buffer.from(String(end)).toString("base64url");
  const hasMore = end < rows.length;
  return json({
    [isBare ? "waba_templates" : "data"]: data,
    paging: {
      cursors: { before: "QVFI", after },
      // Contains the token, as Meta's does: clients should neither follow nor store it.
      ...(hasMore ? { next: `https://graph.facebook.com${url.pathname}?access_token=leaked&after=${after}` } : {}),
    },
  });
}

/** Only the requested fields, and the id. */
function withFields(row: GraphRow, url: URL): object {
  const fields = url.searchParams.get("fields")?.split(",");
  if (fields === undefined) return row;
  return Object.fromEntries(Object.entries(row).filter(([name]) => name === "id" || fields.includes(name)));
}

async function upload(
  account: GraphAccount,
  request: GraphRequest,
  bytes: Buffer<ArrayBuffer>,
  owner: string,
): Promise<Answered> {
  if (request.method !== "POST") return unknown(request.path);
  const type = String(request.headers["content-type"] ?? "");
  if (!type.startsWith("multipart/form-data")) return { code: 100, details: "not a form" };
  const form = await new Response(bytes, { headers: { "content-type": type } }).formData();
  const file = form.get("file");
  if (form.get("messaging_product") !== "whatsapp") return { code: 131008, details: "messaging_product" };
  if (!(file instanceof Blob) || file.size === 0) return { code: 131008, details: "file" };
  // The runtime adds a charset to the type of a text.
  const [contentType = ""] = file.type.split(";");
  if (form.get("type") !== contentType) return { code: 131053, details: "type" };
  const id = String(700000000000001 + account.uploads.length);
  const name = "name" in file ? String(file.name) : "";
  account.uploads.push({ phoneNumberId: owner, contentType, size: file.size, name, id });
  return json({ id });
}

function debugToken(account: GraphAccount, url: URL, options: GraphOptions): Answered {
  if (url.searchParams.get("input_token") !== (options.accessToken ?? "token-of-the-test")) return { code: 100 };
  const { isValid, scopes, appId, expiresAt, subcode, dataAccessExpiresAt = 0, accountIds } = account.token;
  const error = subcode === undefined ? {} : { error: { code: 190, subcode, message: "Session has expired" } };
  return json({
    data: {
      ...{ app_id: appId, is_valid: isValid, scopes, expires_at: expiresAt, type: "SYSTEM_USER", ...error },
      data_access_expires_at: dataAccessExpiresAt,
      ...(accountIds === undefined
        ? {}
        : { granular_scopes: scopes.map((scope) => ({ scope, target_ids: accountIds })) }),
    },
  });
}

function unknown(path: string): Refusal {
  return { code: 100, subcode: 33, details: `Nothing at ${path}` };
}

function json(value: object): Answered {
  return { body: JSON.stringify(value) };
}
