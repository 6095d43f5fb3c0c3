/**
 * A Cloud API over real sockets, for tests: as strict about requests as Meta's, and with every kind of fault on demand.
 * It records every request in the order of arrival. `fault` makes the next sends go wrong, `callback` posts signed
 * updates. Nothing happens by time: delays end when the test says so, and `settled` waits until every callback was
 * answered.
 */
import { createHmac } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { systemClock } from "#src/core/clock.ts";
import { evaluate } from "#src/networks/simulator/evaluate.ts";
import { answerQuestion, type GraphAccount, type GraphRow, proofRefusal } from "./graph-account.ts";
import { areComponents, isObject, isText, type Loose } from "./graph-components.ts";
import { GraphFaces, isOfFace } from "./graph-faces.ts";
import type { GraphMedia } from "./graph-media.ts";
import type { GraphSignUp } from "./graph-sign-up.ts";
import { GraphThreads } from "./graph-threads.ts";
import { followTraffic } from "./traffic.ts";

export interface GraphOptions {
  /** To listen on; by default, any free one. */
  port?: number;
  accessToken?: string;
  phoneNumberIds?: readonly string[];
  authHeader?: string;
  authPrefix?: string;
  pathStyle?: "graph" | "bare";
  /** Known templates; if omitted, any name and language is accepted. */
  templates?: readonly KnownTemplate[];
  /** Where callbacks are posted, and the secret that signs them. */
  callbackUrl?: string;
  appSecret?: string;
  /** Statuses posted automatically after each accepted message. */
  ladder?: readonly StatusName[];
  /** Wall time of the statuses, and of every answer's `Date`. */
  now?: () => number;
  /** The account that can be queried; if omitted, there is none. */
  account?: GraphAccount;
  /** The files that people send; if omitted, there are none. */
  media?: GraphMedia;
  /** Meta's dialog and the exchange of codes; if omitted, there is neither. */
  signUp?: GraphSignUp;
}

export interface KnownTemplate {
  name: string;
  language: string;
  bodyCount?: number;
  header?: "text" | "image" | "video" | "document" | "location" | "product" | null;
  /** The template's status; only an approved one is sent. */
  status?: string;
}

export interface Graph extends AsyncDisposable {
  readonly url: string;
  /** Every send request that was read to its end, including those that were answered badly or not at all. */
  readonly requests: readonly GraphRequest[];
  /** What was asked about threads, and who may take them. */
  readonly threads: GraphThreads;
  /** The numbers as their customers see them, and whom they block. */
  readonly faces: GraphFaces;
  /** Every other request: account queries, uploads. */
  readonly questions: readonly GraphRequest[];
  /** Changes where callbacks are posted. `ca`: the authority of that server's certificate, if it is no public one. */
  callTo(url: string, ca?: string): void;
  /** The messages that the network accepted, whatever answer the sender received. */
  readonly accepted: readonly AcceptedMessage[];
  /** Resolves once this many requests have been read. */
  arrival(count: number): Promise<void>;
  /** Faults are tried in the order in which they were added; the first that matches decides. */
  fault(rule: FaultRule): void;
  /** A status change of an accepted message, to pass to `callback`. */
  status(message: AcceptedMessage, name: StatusName, more?: object): Change;
  /** An inbound message as a change, to pass to `callback`. */
  inbound(message: object, more?: object): Change;
  /** Posts one body with these changes, or a body as it is. Returns the HTTP status. */
  callback(body: Change | readonly Change[] | string, options?: CallbackPost): Promise<number>;
  /** Resolves once every automatic callback has been answered. */
  settled(): Promise<void>;
}

export interface CallbackPost {
  /** Replaces the correct signature; null: none at all. */
  signature?: string | null;
  /** The secret that signs the body. */
  appSecret?: string;
  /** The entry's account, and its time in seconds. */
  accountId?: string;
  time?: number;
  headers?: Record<string, string>;
  url?: string;
}

export interface GraphRequest {
  method: string;
  path: string;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  /** As parsed; the text itself if it is not JSON. */
  body: unknown;
}

export interface AcceptedMessage {
  id: string;
  phoneNumberId: string;
  to: string | null;
  userId: string | null;
  waId: string | null;
  reference: string | null;
}

export type StatusName =
  | "sent"
  | "delivered"
  | "read"
  | "failed"
  | "held_for_quality_assessment"
  | "played"
  | "deleted"
  | "warning";

export interface Change {
  field: string;
  value: object;
}

export interface FaultRule {
  fault: Fault;
  /** Only for this recipient, as sent. */
  to?: string;
  /** How often; 1 by default, `Infinity` for always. */
  times?: number;
}

export type Fault =
  /** A Graph error: a refusal or a throttle, under any HTTP status. Nothing is accepted. */
  | {
      kind: "error";
      code: number;
      status?: number;
      subcode?: number;
      details?: string;
      headers?: Record<string, string>;
      /** The answer waits for this. */
      until?: Promise<void>;
    }
  /** Accepted, and the connection ends without an answer. */
  | { kind: "lost" }
  /** Read to its end, not accepted, and the connection is reset. */
  | { kind: "reset" }
  /** Any answer at all: HTML on a 5xx, a broken body. Not accepted. */
  | { kind: "answer"; status: number; body: string; contentType?: string }
  /** Accepted, with a 200 that lacks the message's id. */
  | { kind: "no_id" }
  /** Accepted at once, answered as usual when `until` resolves. */
  | { kind: "delay"; until: Promise<void> }
  /** Accepted, under another number variant of the recipient. */
  | { kind: "other_wa_id"; waId: string }
  /** Accepted with a `message_status` such as `held_for_quality_assessment`. */
  | { kind: "message_status"; messageStatus: string };

export const GRAPH_TOKEN = "token-of-the-test";
export const GRAPH_PHONE_NUMBER_ID = "200000000000001";
export const GRAPH_ACCOUNT_ID = "100000000000001";
export const GRAPH_APP_SECRET = "app-secret-of-the-test";

export async function startGraph(options: GraphOptions = {}): Promise<Graph> {
  const requests: GraphRequest[] = [];
  const accepted: AcceptedMessage[] = [];
  const rules: { rule: FaultRule; left: number }[] = [];
  const posting = new Set<Promise<unknown>>();
  const threads = new GraphThreads();
  const faces = new GraphFaces();
  const arrivals: { count: number; resolve: () => void }[] = [];
  const now = options.now ?? systemClock.now;
  const questions: GraphRequest[] = [];
  let callbackUrl = options.callbackUrl;
  let callbackCa: string | undefined;
  let held = 0;

  const server = createServer((request, response) => {
    held += 1;
    response.on("close", () => {
      held -= 1;
    });
    // A sender that hangs up in the middle of its request has sent none.
    serve(request, response).catch(() => request.socket.destroy());
  });

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const unproven = proofRefusal(options.account ?? null, request.url ?? "/", options.accessToken ?? GRAPH_TOKEN);
    if (options.media?.serve(request, response, unproven) === true) return;
    const bytes = await readAll(request);
    const path = request.url ?? "/";
    if (options.signUp?.serve(request, response, bytes) === true) return;
    if (options.now !== undefined) response.setHeader("date", new Date(now()).toUTCString());
    if (withoutQuery(path).endsWith("/thread_control"))
      return answerThreadCall(request, response, parsed(bytes.toString("utf8")));
    if (isOfFace(path)) return answerFace(request, response, bytes);
    if (options.account !== undefined && !/\/(marketing_)?messages$/.test(withoutQuery(path))) {
      const question = { method: request.method ?? "", path, headers: request.headers, body: null };
      questions.push(question);
      const isOther = path.includes("/subscriptions") || path.includes("/upload:");
      const refusal = isOther ? null : tokenRefusal(request, options);
      if (refusal !== null) return answerError(response, refusal);
      const answered = await answerQuestion(options.account, question, bytes, options);
      if (answered === "lost") return void request.socket.destroy();
      return "code" in answered
        ? answerError(response, answered)
        : answer(response, answered.status ?? 200, answered.body, answered.contentType);
    }
    const body = parsed(bytes.toString("utf8"));
    requests.push({ method: request.method ?? "", path, headers: request.headers, body });
    for (const { count, resolve } of arrivals) if (requests.length >= count) resolve();
    const refusal =
      proofRefusal(options.account ?? null, path, options.accessToken ?? GRAPH_TOKEN) ??
      requestRefusal(request, withoutQuery(path), options) ??
      bodyRefusal(body, options.templates ?? options.account?.templates.map(knownTemplate), path) ??
      pathRefusal(body, withoutQuery(path), options.account) ??
      mediaRefusal(body, phoneNumberIdIn(withoutQuery(path), options), options);
    if (refusal !== null) return answerError(response, refusal);
    if (isRead(body)) {
      const fault = takeFault({});
      if (fault?.kind === "error") return answerError(response, fault);
      if (fault?.kind === "reset") return void request.socket.resetAndDestroy();
      return answer(response, 200, JSON.stringify({ success: true }));
    }
    await answerSend(request, response, body as SendBody, phoneNumberIdIn(withoutQuery(path), options));
  }

  /** Applied also where the answer is lost. */
  async function answerThreadCall(request: IncomingMessage, response: ServerResponse, body: unknown): Promise<void> {
    const fault = takeFault((isObject(body) ? body : {}) as SendBody);
    if (fault?.kind === "error") return answerError(response, fault);
    if (fault?.kind === "reset") return void request.socket.resetAndDestroy();
    if (fault?.kind === "answer") return answer(response, fault.status, fault.body, fault.contentType ?? "text/html");
    const refusal = tokenRefusal(request, options) ?? threads.take(withoutQuery(request.url ?? ""), body);
    if (refusal !== null) return answerError(response, refusal);
    if (fault?.kind === "delay") await fault.until;
    if (fault?.kind === "lost") request.socket.destroy();
    else answer(response, 200, JSON.stringify({ messaging_product: "whatsapp" }));
  }

  /** Applied also where the answer is lost or late. A fault is of a change, not of what is read. */
  async function answerFace(request: IncomingMessage, response: ServerResponse, bytes: Buffer): Promise<void> {
    const method = request.method ?? "";
    const path = request.url ?? "";
    const change = { method, path, body: parsed(bytes.toString("utf8")) };
    const photo = faces.photoAt(path);
    if (photo !== null) return void response.writeHead(200, { "content-type": "image/jpeg" }).end(photo);
    if (method === "GET" && faces.isUnreadable) return answerError(response, { code: 2, status: 500 });
    const fault = method === "GET" ? undefined : takeFault({});
    if (fault?.kind === "error") return answerError(response, fault);
    if (fault?.kind === "reset") return void request.socket.resetAndDestroy();
    if (fault?.kind === "answer") return answer(response, fault.status, fault.body, fault.contentType ?? "text/html");
    if (method !== "GET" && (await faces.arriving?.(change)) === "lost") return void request.socket.destroy();
    const answered = tokenRefusal(request, options) ?? faces.answer(change, now(), `http://${request.headers.host}`);
    if ("code" in answered) return answerError(response, answered);
    if (fault?.kind === "delay") await fault.until;
    if (fault?.kind === "lost") request.socket.destroy();
    else answer(response, 200, JSON.stringify(answered.body));
  }

  async function answerSend(
    request: IncomingMessage,
    response: ServerResponse,
    body: SendBody,
    phoneNumberId: string,
  ): Promise<void> {
    const fault = takeFault(body);
    if (fault?.kind === "error") {
      await fault.until;
      return answerError(response, fault);
    }
    if (fault?.kind === "reset") return void request.socket.resetAndDestroy();
    if (fault?.kind === "answer") return answer(response, fault.status, fault.body, fault.contentType ?? "text/html");

    const message = accept(body, phoneNumberId, fault);
    if (fault?.kind === "delay") await fault.until;
    if (fault?.kind === "lost") request.socket.destroy();
    else answer(response, 200, JSON.stringify(acceptance(body, message, fault)));
    for (const name of options.ladder ?? []) track(callback(status(message, name)));
  }

  function takeFault(body: SendBody): Fault | undefined {
    const match = rules.find(({ rule, left }) => left > 0 && (rule.to === undefined || rule.to === body.to));
    if (match !== undefined) match.left -= 1;
    return match?.rule.fault;
  }

  function accept(body: SendBody, phoneNumberId: string, fault: Fault | undefined): AcceptedMessage {
    const spelled = fault?.kind === "other_wa_id" ? fault.waId : (body.to?.slice(1) ?? null);
    const message = {
      id: `wamid.${Buffer.from(`message ${accepted.length + 1}`).toString("base64")}`,
      phoneNumberId,
      to: body.to ?? null,
      userId: body.recipient ?? null,
      waId: spelled,
      reference: body.biz_opaque_callback_data ?? null,
    };
    accepted.push(message);
    return message;
  }

  function status(message: AcceptedMessage, name: StatusName, more: object = {}): Change {
    const item = {
      id: message.id,
      status: name,
      timestamp: String(Math.floor(now() / 1000)),
      ...(message.waId === null ? { recipient_user_id: message.userId } : { recipient_id: message.waId }),
      ...(message.reference === null ? {} : { biz_opaque_callback_data: message.reference }),
      ...(name === "failed" ? { errors: [{ code: 131026, title: "Message undeliverable" }] } : {}),
      ...more,
    };
    return messagesChange(message.phoneNumberId, { statuses: [item] });
  }

  async function callback(body: Change | readonly Change[] | string, post: CallbackPost = {}): Promise<number> {
    const url = post.url ?? callbackUrl;
    if (url === undefined) throw new Error("callTo says where callbacks go");
    const bytes = Buffer.from(typeof body === "string" ? body : writeCallback(body, post));
    const header =
      post.signature === undefined
        ? sign(bytes, post.appSecret ?? options.appSecret ?? GRAPH_APP_SECRET)
        : post.signature;
    const response = await fetch(url, {
      ...(callbackCa === undefined ? {} : { tls: { ca: callbackCa } }),
      method: "POST",
      body: bytes,
      headers: {
        "content-type": "application/json",
        ...(header === null ? {} : { "x-hub-signature-256": header }),
        ...post.headers,
      },
    });
    await response.text();
    return response.status;
  }

  function track(post: Promise<unknown>): void {
    const tracked = post.finally(() => posting.delete(tracked));
    posting.add(tracked);
  }

  const port = await new Promise<number>((resolve) => {
    server.listen(options.port ?? 0, "127.0.0.1", () => {
      const address = server.address();
      resolve(typeof address === "object" && address !== null ? address.port : 0);
    });
  });
  const url = `http://127.0.0.1:${port}`;
  const stopFollowing = followTraffic(url, () => held);

  return {
    url,
    threads,
    faces,
    requests,
    questions,
    callTo(to, ca) {
      callbackUrl = to;
      callbackCa = ca;
    },
    accepted,
    arrival(count) {
      if (requests.length >= count) return Promise.resolve();
      return new Promise((resolve) => arrivals.push({ count, resolve }));
    },
    fault: (rule) => void rules.push({ rule, left: rule.times ?? 1 }),
    status,
    inbound: (message, more = {}) =>
      messagesChange(options.phoneNumberIds?.[0] ?? GRAPH_PHONE_NUMBER_ID, { ...more, messages: [message] }),
    callback,
    async settled() {
      while (posting.size > 0) await Promise.all(posting);
    },
    async [Symbol.asyncDispose]() {
      stopFollowing();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The bytes of a callback as Meta writes them: letters beyond ASCII and slashes are escaped. */
export function writeCallback(
  changes: Change | readonly Change[],
  { accountId = GRAPH_ACCOUNT_ID, time }: Pick<CallbackPost, "accountId" | "time"> = {},
): string {
  const list = Array.isArray(changes) ? changes : [changes];
  const entry = { id: accountId, ...(time === undefined ? {} : { time }), changes: list };
  const envelope = { object: "whatsapp_business_account", entry: [entry] };
  return JSON.stringify(envelope)
    .replaceAll("/", "\\/")
    .replace(/[\u0080-\uffff]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

export function sign(bytes: Uint8Array, appSecret: string): string {
  return `sha256=${createHmac("sha256", appSecret).update(bytes).digest("hex")}`;
}

function messagesChange(phoneNumberId: string, items: object): Change {
  const metadata = { display_phone_number: "4930000000", phone_number_id: phoneNumberId };
  return { field: "messages", value: { messaging_product: "whatsapp", metadata, ...items } };
}

interface SendBody {
  to?: string;
  recipient?: string;
  biz_opaque_callback_data?: string;
}

export interface Refusal {
  code: number;
  /** Replaces the words of the error. */
  message?: string;
  status?: number;
  subcode?: number;
  details?: string;
  headers?: Record<string, string>;
}

function tokenRefusal(request: IncomingMessage, options: GraphOptions): Refusal | null {
  const expected = (options.authPrefix ?? "Bearer ") + (options.accessToken ?? GRAPH_TOKEN);
  const given = request.headers[(options.authHeader ?? "authorization").toLowerCase()];
  return given === expected ? null : { code: 190, status: 401, subcode: 463 };
}

function withoutQuery(path: string): string {
  return path.split("?")[0] ?? path;
}

function requestRefusal(request: IncomingMessage, path: string, options: GraphOptions): Refusal | null {
  const refusal = tokenRefusal(request, options);
  if (refusal !== null) return refusal;
  if (request.method !== "POST") return { code: 100, details: `Method ${request.method} is not served here` };
  if (phoneNumberIdIn(path, options) === "") return { code: 100, subcode: 33, details: `Nothing at ${path}` };
  if (!request.headers["content-type"]?.startsWith("application/json")) return { code: 100, details: "Content type" };
  return null;
}

/** Empty if the number cannot have this path. */
function phoneNumberIdIn(path: string, options: GraphOptions): string {
  const known = options.phoneNumberIds ?? options.account?.numbers.map(({ id }) => id) ?? [GRAPH_PHONE_NUMBER_ID];
  if (options.pathStyle === "bare") return /^\/(marketing_)?messages$/.test(path) ? (known[0] ?? "") : "";
  const named = /^\/v\d+\.\d\/(\d+)\/(?:marketing_)?messages$/.exec(path)?.[1] ?? "";
  return known.includes(named) ? named : "";
}

/** The requirements of a template in the account's list on a message. */
function knownTemplate(row: GraphRow): KnownTemplate {
  const components = (row.components ?? []) as { type: string; format?: string; text?: string }[];
  const component = (type: string) => components.find((one) => one.type === type);
  const placeholders = (text = "") => new Set([...text.matchAll(/\{\{(\w+)\}\}/g)].map(([, name]) => name)).size;
  const header = component("HEADER");
  const kind = header?.format?.toLowerCase() ?? null;
  const isFixedText = kind === "text" && placeholders(header?.text) === 0;
  return {
    name: row.name as string,
    language: row.language as string,
    bodyCount: row.category === "AUTHENTICATION" ? 1 : placeholders(component("BODY")?.text),
    header: isFixedText ? null : (kind as NonNullable<KnownTemplate["header"]> | null),
    status: String(row.status).toUpperCase(),
  };
}

/** A file's id is valid for the number that it was uploaded for. */
function mediaRefusal(body: unknown, phoneNumberId: string, { account, pathStyle }: GraphOptions): Refusal | null {
  if (account === undefined) return null;
  const ids = [...JSON.stringify(body).matchAll(/"(?:image|video|document)":\{"id":"(\d+)"/g)].map(([, id]) => id);
  const own = account.uploads.filter((upload) => pathStyle === "bare" || upload.phoneNumberId === phoneNumberId);
  const foreign = ids.find((id) => own.every((upload) => upload.id !== id));
  return foreign === undefined ? null : { code: 131009, details: `media id ${foreign}` };
}

const BODY_MEMBERS =
  "messaging_product recipient_type to recipient type biz_opaque_callback_data context category".split(" ");

/** Members that only the endpoint for marketing takes. */
const MARKETING_MEMBERS = ["product_policy", "message_activity_sharing"];

function isMarketingPath(path: string): boolean {
  return withoutQuery(path).endsWith("/marketing_messages");
}

/** Which of the two endpoints takes a message: the category that the account's template has now decides. */
function pathRefusal(body: unknown, path: string, account: GraphAccount | undefined): Refusal | null {
  const { type, template, product_policy: policy, category } = body as Loose;
  if (category !== undefined) return directRefusal(account);
  const { name, language } = (template ?? {}) as { name?: string; language?: { code?: string } };
  const row = account?.templates.find((one) => one.name === name && one.language === language?.code);
  const isMarketing = type === "template" && (row === undefined || row.category === "MARKETING");
  const isOnboarded = account?.details.marketing_messages_onboarding_status === "ONBOARDED";
  if (isMarketingPath(path)) {
    if (type !== "template") return { code: 131055, details: "Only marketing templates are sent here" };
    if (!isMarketing) return { code: 134100, details: "The template is not a marketing template" };
    return isOnboarded || policy !== "STRICT" ? null : { code: 134102, status: 500 };
  }
  const isOff = account?.details.disable_marketing_messages_on_cloud_api === true;
  return row !== undefined && isMarketing && isOff ? { code: 131063 } : null;
}

/** Whether the account may send without a template: it is enabled, it never was, or it was revoked. */
function directRefusal(account: GraphAccount | undefined): Refusal | null {
  const access = account?.details.direct_send ?? "refused";
  if (access === "enabled") return null;
  if (access === "revoked") return { code: 139200, details: "Direct Send access is blocked" };
  return { code: 100, details: "Direct Send isn't enabled for this account" };
}

/** Marks a message as read instead of sending one. */
function isRead(body: unknown): boolean {
  return isObject(body) && body.status === "read";
}

function readRefusal(body: Loose): Refusal | null {
  const { messaging_product, status: _, message_id, typing_indicator, ...others } = body;
  if (Object.keys(others).length > 0)
    return { code: 100, details: `Unknown members: ${Object.keys(others).join(", ")}` };
  if (messaging_product !== "whatsapp") return { code: 100, details: "messaging_product" };
  if (!isText(message_id, /^wamid\./)) return { code: 131009, details: "message_id" };
  const isRight = typing_indicator === undefined || (isObject(typing_indicator) && typing_indicator.type === "text");
  return isRight ? null : { code: 131009, details: "typing_indicator" };
}

function bodyRefusal(
  body: unknown,
  templates: readonly KnownTemplate[] | undefined,
  path = "/messages",
): Refusal | null {
  if (!isObject(body)) return { code: 100, details: "The body is not a JSON object" };
  if (isRead(body)) return readRefusal(body);
  const members = isMarketingPath(path) ? [...BODY_MEMBERS, ...MARKETING_MEMBERS] : BODY_MEMBERS;
  const unknown = Object.keys(body).filter((name) => !members.includes(name) && name !== body.type);
  if (unknown.length > 0) return { code: 100, details: `Unknown members: ${unknown.join(", ")}` };
  if (body.messaging_product !== "whatsapp") return { code: 100, details: "messaging_product" };
  if (body.to === undefined && body.recipient === undefined) return { code: 131008, details: "to or recipient" };
  if (body.to !== undefined && !isText(body.to, /^\+[1-9]\d{6,14}$/)) return { code: 131009, details: "to" };
  if (!isPolicy(body.product_policy)) return { code: 100, details: "product_policy" };
  const sharing = body.message_activity_sharing;
  if (sharing !== undefined && typeof sharing !== "boolean") return { code: 100, details: "message_activity_sharing" };
  const reference = body.biz_opaque_callback_data;
  if (reference !== undefined && !isText(reference, /^.{1,512}$/))
    return { code: 131009, details: "biz_opaque_callback_data" };
  if (body.type === "text" && body.category === undefined) return textRefusal(body.text);
  if (body.type === "template") return templateRefusal(body.template, templates);
  const refusal = evaluate(body as Parameters<typeof evaluate>[0], null);
  return refusal === null ? null : { code: Number(refusal.code), details: refusal.message };
}

function isPolicy(policy: unknown): boolean {
  return policy === undefined || policy === "CLOUD_API_FALLBACK" || policy === "STRICT";
}

function textRefusal(text: unknown): Refusal | null {
  const isRight = isObject(text) && isText(text.body, /^[\s\S]{1,4096}$/u) && typeof text.preview_url === "boolean";
  return isRight ? null : { code: 100, details: "text" };
}

function templateRefusal(template: unknown, known: readonly KnownTemplate[] | undefined): Refusal | null {
  if (!isObject(template) || !isText(template.name, /^[a-z0-9_]{1,512}$/))
    return { code: 131008, details: "template.name" };
  const language = isObject(template.language) ? template.language.code : undefined;
  if (!isText(language, /^[a-z]{2,3}(_[A-Z]{2})?$/)) return { code: 131008, details: "template.language.code" };
  const components = template.components ?? [];
  if (!areComponents(components)) return { code: 132012, details: "components" };
  // Listed in every account, and valid only for Meta's own test numbers.
  if (template.name === "hello_world") return { code: 131058 };
  if (known === undefined) return null;
  const match = known.find((one) => one.name === template.name && one.language === language);
  if (match === undefined) return { code: 132001, status: 404, details: `${template.name} (${language})` };
  if (match.status === "PAUSED") return { code: 132015 };
  if (match.status === "DISABLED") return { code: 132016 };
  if ((match.status ?? "APPROVED") !== "APPROVED") return { code: 132001, status: 404, details: String(match.status) };
  return valuesRefusal(components, match);
}

function valuesRefusal(components: readonly Loose[], template: KnownTemplate): Refusal | null {
  const parametersOf = (type: string) =>
    (components.find((component) => component.type === type)?.parameters ?? []) as readonly Loose[];
  const bodyCount = parametersOf("body").length;
  const expectedCount = template.bodyCount ?? 0;
  if (bodyCount !== expectedCount) return { code: 132000, details: `body: ${bodyCount} for ${expectedCount}` };
  const header = parametersOf("header")[0]?.type ?? null;
  if (header !== (template.header ?? null)) {
    return { code: 132012, details: `header: Format mismatch, expected ${template.header}, received ${header}` };
  }
  return null;
}

function acceptance(body: SendBody, message: AcceptedMessage, fault: Fault | undefined): object {
  if (fault?.kind === "no_id") return { messaging_product: "whatsapp", messages: [{}] };
  const contact =
    message.waId === null
      ? { input: body.recipient, user_id: message.userId }
      : { input: body.to, wa_id: message.waId };
  const messageStatus = fault?.kind === "message_status" ? fault.messageStatus : "accepted";
  return {
    messaging_product: "whatsapp",
    contacts: [contact],
    messages: [{ id: message.id, message_status: messageStatus }],
  };
}

function answerError(response: ServerResponse, { code, status, subcode, details, headers, message }: Refusal): void {
  for (const [name, value] of Object.entries(headers ?? {})) response.setHeader(name, value);
  const error = {
    message: message ?? `(#${code}) An error of the test`,
    type: "OAuthException",
    code,
    ...(subcode === undefined ? {} : { error_subcode: subcode }),
    ...(details === undefined ? {} : { error_data: { messaging_product: "whatsapp", details } }),
    fbtrace_id: "A1b2C3d4E5f",
  };
  answer(response, status ?? 400, JSON.stringify({ error }));
}

function answer(response: ServerResponse, status: number, body: string, contentType = "application/json"): void {
  response.writeHead(status, { "content-type": contentType });
  response.end(body);
}

async function readAll(request: IncomingMessage): Promise<Buffer<ArrayBuffer>> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
