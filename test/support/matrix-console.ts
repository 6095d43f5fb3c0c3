/**
 * A request of every route of the console that succeeds for every caller who may make it. `test/console/matrix.test.ts` fails
 * for a route that has none.
 */
import { randomUUID } from "node:crypto";
import { totpCode } from "#src/core/totp.ts";
import type { Visitor } from "./console.ts";
import { PASSWORD } from "./console.ts";
import { GRAPH_TOKEN } from "./graph.ts";
import { jpegOf } from "./graph-faces.ts";
import { BUTTON, CHECK, type Objects } from "./matrix-objects.ts";
import { DAY } from "./webhooks.ts";

export interface Asked {
  /** Of the object that the path names; of a path with several names, one for each. */
  id?: string | number | readonly string[];
  query?: string;
  body?: unknown;
  /** The body is a file. */
  isFile?: true;
  /** The body is a form with this text as its file. */
  formFile?: string;
  /** Waits for what the request began, or makes up for what it removed. */
  after?: () => unknown;
}

/** `visitor`: the caller, for routes about their own account. */
export type Recipe = (side: Objects, visitor: Visitor) => Asked | Promise<Asked>;

const nothing: Recipe = () => ({});
const byPhone: Recipe = ({ phone }) => ({ id: phone });
const sent: Recipe = ({ sentBroadcast }) => ({ id: sentBroadcast });
const CONTENT = { name: "Spring" };
const BACKUP = /^waxwing-.*\.db$/;

async function untilJobEnds({ operator, app }: Objects): Promise<void> {
  while ((await operator.get("/system/check")).body.data.current !== null) await app.clock.advance(0);
}

async function aBackup(side: Objects): Promise<string> {
  const list = async (): Promise<{ name: string }[]> => (await side.operator.get("/system/backups")).body.data.backups;
  if ((await list()).length === 0) await side.operator.post("/system/backups");
  await untilJobEnds(side);
  const name = (await list())[0]?.name ?? "";
  if (!BACKUP.test(name)) throw new Error(`this is no backup's name: ${name}`);
  return name;
}

const ofBackup: Recipe = async (side) => ({ id: await aBackup(side), after: () => untilJobEnds(side) });
const aJob: Recipe = async (side) => {
  await untilJobEnds(side);
  return { after: () => untilJobEnds(side) };
};
const withWebhook: Recipe = async ({ app, workspace }) => {
  await app.webhook(workspace, "http://127.0.0.1:9/hook");
  return {};
};
const anImport =
  (state: "given" | "checked" | "done", body?: unknown): Recipe =>
  async (side) => {
    await side.withoutImports();
    return { id: await side.import(state), body, after: () => side.importsIdle() };
  };
const aNumber =
  (body?: unknown): Recipe =>
  (side) => ({ id: side.number().id, body, after: () => side.withoutExtraNumbers() });

const aNumberAtMeta =
  (body?: unknown): Recipe =>
  async (side) => ({ id: await side.numberAtMeta(), body, after: () => side.withoutExtraNumbers() });

const aNumberWithAddress: Recipe = (side) => ({
  id: side.numberWithAddress(),
  after: () => side.withoutExtraNumbers(),
});

const PIECED = { bytes: 4, filename: "a.txt", content_type: "text/plain" };

/** Of the caller, who alone sees it; given up when it has been looked at, because a workspace has few at once. */
const anUpload =
  (asked: Asked = {}): Recipe =>
  async ({ workspace }, visitor) => {
    const base = `/w/${workspace.id}/uploads`;
    const { id = "none" } = (await visitor.post(base, PIECED)).body.data ?? {};
    return { ...asked, id, after: () => visitor.ask("DELETE", `${base}/${id}`) };
  };

/** Of the caller, who alone sees it. */
async function viewOf(side: Objects, visitor: Visitor): Promise<number> {
  return side.contactView((await visitor.get("/me")).body.data?.user.id ?? 1);
}

/** Of a sign-up that the caller began; an invented one where the caller may begin none. */
async function stateOf(side: Objects, visitor: Visitor): Promise<string> {
  const begun = await visitor.post(`${side.path}/connection/sign-up`, { keeps_app: false });
  return new URL(begun.body.data?.address ?? "http://meta?state=1.state").searchParams.get("state") ?? "";
}

const VIEW = { is_shared: false, search: { q: "Asha", sort: "-name" }, columns: ["name", "phone"] };

export const recipes: Readonly<Record<string, Recipe>> = {
  // Without a session.
  "POST /sign-in": () => ({ body: { email: "op@example.com", password: PASSWORD } }),
  "POST /links/look": async (side) => ({ body: { token: (await side.invitation()).token } }),
  "POST /links/use": async (side) => ({ body: { token: (await side.invitation()).token, password: PASSWORD } }),

  "GET /sign-in": nothing,
  "POST /lost-password": (side) => ({ body: { email: `${side.name("lost")}@example.com` } }),
  "POST /lost-password/use": async (side) => ({ body: { token: await side.mailedLink("forgot"), password: PASSWORD } }),
  "POST /links/verify": async (side) => ({ body: { token: await side.mailedLink("verify") } }),

  // The user's own account.
  "POST /me/address": ({ app }) => {
    app.store.client.exec("DELETE FROM sign_in_attempts");
    return {};
  },
  "GET /me": nothing,
  "GET /me/confirmation": nothing,
  "POST /me/confirmation": () => ({ body: { password: PASSWORD } }),
  "PUT /me/theme": () => ({ body: { theme: "dark" } }),
  "GET /me/sessions": nothing,
  "DELETE /me/sessions/{id}": async (_, visitor) => ({ id: (await visitor.get("/me/sessions")).body.data[0].id }),
  "POST /me/sessions/end-others": nothing,
  "POST /me/second-factor/begin": () => ({ body: { password: PASSWORD } }),
  "POST /me/second-factor/confirm": async ({ app }, visitor) => {
    const forget = (): void => void app.store.client.exec("UPDATE users SET totp_secret = NULL, totp_step = 0");
    forget();
    const begun = await visitor.post("/me/second-factor/begin", { password: PASSWORD });
    // Who may not begin has no code either.
    const secret = begun.body.data?.secret ?? "AAAAAAAAAAAAAAAA";
    return { body: { code: totpCode(secret, app.clock.now()) }, after: forget };
  },
  "POST /me/second-factor/remove": () => ({ body: { password: PASSWORD } }),
  "PUT /me/password": () => ({ body: { current: PASSWORD, password: PASSWORD } }),
  "POST /sign-out": nothing,

  // The server.
  "GET /audit": nothing,
  "GET /users": nothing,
  "POST /users": (side) => ({ body: { email: `${side.name("new")}@example.com` } }),
  "POST /users/{id}/disable": (side) => ({ id: side.member() }),
  "POST /users/{id}/reset-password": (side) => ({ id: side.member() }),
  "GET /workspaces": nothing,
  "POST /workspaces": (side) => ({ body: { name: side.name("Shop"), country: "IN", timezone: "Asia/Kolkata" } }),
  "POST /workspaces/{id}/api": ({ workspace }) => ({ id: workspace.id, body: { enabled: true } }),
  "POST /workspaces/{id}/suspend": ({ workspace, operator }) => ({
    id: workspace.id,
    body: { reason: "unpaid" },
    after: () => operator.post(`/workspaces/${workspace.id}/resume`),
  }),
  "POST /workspaces/{id}/resume": ({ workspace }) => ({ id: workspace.id }),
  "GET /system/health": nothing,
  "GET /system/findings": nothing,
  "GET /system/configuration": nothing,
  "GET /system/upgrade": nothing,
  "POST /system/upgrade/check": nothing,
  "GET /system/log": nothing,
  "GET /system/metrics": () => ({ query: "hours=1" }),
  "POST /system/alarms/test": nothing,
  "GET /system/check": nothing,
  "POST /system/check": aJob,
  "GET /system/backups": nothing,
  "POST /system/backups": aJob,
  "POST /system/backups/{name}/verify": ofBackup,
  "POST /system/backups/{name}/drill": ofBackup,
  "GET /system/backups/{name}/file": ofBackup,

  // A workspace, its members and its settings.
  "GET /w/{workspace}/me": nothing,
  "GET /w/{workspace}/home": nothing,
  "GET /w/{workspace}/today": nothing,
  "GET /w/{workspace}/audit": nothing,
  "POST /w/{workspace}/news/read": nothing,
  "GET /w/{workspace}/people": nothing,
  "GET /w/{workspace}/settings": nothing,
  "GET /w/{workspace}/settings/retention": nothing,
  "POST /w/{workspace}/settings/preview": () => ({ body: { timezone: "Europe/Berlin" } }),
  "PATCH /w/{workspace}/settings": () => ({ body: { stop_words: ["basta"] } }),
  "POST /w/{workspace}/people": (side) => ({ body: { email: `${side.name("new")}@example.com`, role: "member" } }),
  "POST /w/{workspace}/people/{id}/end-sessions": (side) => ({ id: side.member() }),
  "DELETE /w/{workspace}/people/{id}": (side) => ({ id: side.member() }),
  "GET /w/{workspace}/keys": nothing,
  "POST /w/{workspace}/keys": (side) => ({ body: { name: side.name("key") } }),
  "POST /w/{workspace}/keys/{id}/revoke": (side) => ({ id: side.key() }),
  "GET /w/{workspace}/webhook": nothing,
  "PUT /w/{workspace}/webhook": () => ({ body: { url: "http://127.0.0.1:9/hook" } }),
  "DELETE /w/{workspace}/webhook": withWebhook,
  "POST /w/{workspace}/webhook/reveal": withWebhook,
  "POST /w/{workspace}/webhook/test": withWebhook,
  "GET /w/{workspace}/webhooks": nothing,
  "POST /w/{workspace}/webhooks": (side) => ({
    body: { url: "http://127.0.0.1:9/further" },
    after: () => side.withoutFurtherWebhooks(),
  }),
  "PATCH /w/{workspace}/webhooks/{id}": (side) => ({ id: side.furtherWebhook(), body: { state: "active" } }),
  "DELETE /w/{workspace}/webhooks/{id}": (side) => ({ id: side.furtherWebhook() }),
  "POST /w/{workspace}/webhooks/{id}/rotate-secret": (side) => ({ id: side.furtherWebhook(), body: {} }),
  "POST /w/{workspace}/webhooks/{id}/test": (side) => ({ id: side.furtherWebhook() }),
  "GET /w/{workspace}/fields": nothing,
  "POST /w/{workspace}/fields": (side) => {
    const key = side.name("field");
    return { body: { key, label: key, kind: "text", choices: [] }, after: () => side.withoutField(key) };
  },
  "DELETE /w/{workspace}/fields/{key}": (side) => ({ id: side.field() }),
  "GET /w/{workspace}/contacts/{phone}/history": byPhone,
  "GET /w/{workspace}/contact-views": nothing,
  "POST /w/{workspace}/contact-views": (side) => {
    const name = side.name("view");
    return { body: { name, ...VIEW }, after: () => side.withoutContactView(name) };
  },
  "PUT /w/{workspace}/contact-views/{id}": async (side, visitor) => ({
    id: await viewOf(side, visitor),
    body: { name: side.name("view"), ...VIEW },
  }),
  "DELETE /w/{workspace}/contact-views/{id}": async (side, visitor) => ({ id: await viewOf(side, visitor) }),
  "GET /w/{workspace}/quick-replies": nothing,
  "GET /w/{workspace}/tags": nothing,
  "POST /w/{workspace}/quick-replies": (side) => {
    const name = side.name("reply");
    return { body: { name, text: "Hi {{first_name}}" }, after: () => side.withoutQuickReply(name) };
  },
  "PUT /w/{workspace}/quick-replies/{id}": (side) => ({
    id: side.quickReply(),
    body: { name: side.name("reply"), text: "Hello" },
  }),
  "DELETE /w/{workspace}/quick-replies/{id}": (side) => ({ id: side.quickReply() }),
  "GET /w/{workspace}/numbers": nothing,
  "POST /w/{workspace}/numbers": (side) => ({
    body: { phone: side.freePhone(), name: "Second" },
    after: () => side.withoutExtraNumbers(),
  }),
  "PUT /w/{workspace}/numbers/{id}": aNumber({ name: "Renamed", throughput: 5 }),
  "DELETE /w/{workspace}/numbers/{id}": aNumber(),
  "POST /w/{workspace}/numbers/{id}/ready": aNumber(),
  "POST /w/{workspace}/numbers/{id}/unready": aNumber({ reason: "stocktaking" }),
  "POST /w/{workspace}/numbers/{id}/sync": aNumber(),
  "GET /w/{workspace}/numbers/{id}/findings": aNumber(),
  "POST /w/{workspace}/numbers/{id}/callback-address": aNumberWithAddress,
  "DELETE /w/{workspace}/numbers/{id}/callback-address": aNumberWithAddress,
  "GET /w/{workspace}/connection": nothing,
  "PUT /w/{workspace}/connection": async (side) => {
    await side.connection();
    return { body: { token: GRAPH_TOKEN, app_secret: "secret-of-the-app" } };
  },
  "DELETE /w/{workspace}/connection": nothing,
  "GET /w/{workspace}/connection/numbers": async (side) => {
    const { account_id } = await side.connection();
    return { query: `account=${account_id}` };
  },
  "POST /w/{workspace}/connection/number": async (side) => ({
    body: await side.connection(),
    after: () => side.withoutExtraNumbers(),
  }),
  "POST /w/{workspace}/connection/sign-up": () => ({ body: { keeps_app: true } }),
  "POST /w/{workspace}/connection/sign-up/finish": async (side, visitor) => ({
    body: { code: "AQ-code", state: await stateOf(side, visitor) },
  }),
  "PUT /w/{workspace}/numbers/{id}/access": aNumberAtMeta({ token: GRAPH_TOKEN }),
  "POST /w/{workspace}/numbers/{id}/webhook": aNumberAtMeta({ replace: true }),
  "POST /w/{workspace}/numbers/{id}/register": aNumberAtMeta({ pin: "135791" }),
  "POST /w/{workspace}/numbers/{id}/phone-data": async (side) => ({
    id: await side.numberOnPhone(),
    after: () => side.withoutExtraNumbers(),
  }),
  "GET /w/{workspace}/numbers/{id}/profile": aNumber(),
  "PUT /w/{workspace}/numbers/{id}/profile": aNumber({
    ...{ about: "Open", description: "", address: "", email: "", websites: [], vertical: "RETAIL" },
  }),
  "GET /w/{workspace}/numbers/{id}/photo": (side) => ({
    id: side.numberWithPhoto(),
    after: () => side.withoutExtraNumbers(),
  }),
  "PUT /w/{workspace}/numbers/{id}/photo": ({ workspace }) => ({
    id: workspace.numberId,
    isFile: true,
    body: jpegOf(1),
  }),
  "PUT /w/{workspace}/numbers/{id}/username": (side) => ({
    id: side.workspace.numberId,
    body: { username: side.name("shop") },
  }),
  "DELETE /w/{workspace}/numbers/{id}/username": aNumber(),
  "GET /w/{workspace}/numbers/{id}/link": aNumber(),
  "GET /w/{workspace}/numbers/{id}/blocked": aNumber(),
  "POST /w/{workspace}/numbers/{id}/unblock": (side) => ({
    id: side.workspace.numberId,
    body: { person: side.phone },
  }),
  "GET /w/{workspace}/billing": nothing,
  "GET /w/{workspace}/usage": nothing,
  "GET /w/{workspace}/billing/ledger": nothing,
  "POST /w/{workspace}/billing/credit": () => ({ body: { amount: "1.00", note: "", ref: randomUUID() } }),

  // Messages and conversations.
  "GET /w/{workspace}/messages": nothing,
  "GET /w/{workspace}/messages/{id}": ({ message }) => ({ id: message }),
  "POST /w/{workspace}/messages": (side) => ({ body: side.sending() }),
  "POST /w/{workspace}/messages/{id}/cancel": async (side) => ({ id: await side.scheduledMessage() }),
  "GET /w/{workspace}/inbox": nothing,
  "GET /w/{workspace}/inbox/unread": nothing,
  "GET /w/{workspace}/inbox/views": nothing,
  "GET /w/{workspace}/inbox/live": nothing,
  "POST /w/{workspace}/inbox/presence": () => ({
    body: { stream: 1, tab: "one", conversation: null, is_typing: false },
  }),
  "GET /w/{workspace}/inbox/{contact}": ({ contact }) => ({ id: contact }),
  "POST /w/{workspace}/inbox/{contact}/ask-for-number": ({ contact }) => ({
    id: contact,
    body: { text: "May we call you?" },
  }),
  "POST /w/{workspace}/inbounds/{id}/read": ({ inbound }) => ({ id: inbound, body: { typing: true } }),
  "POST /w/{workspace}/inbox/{contact}/keep": ({ contact }) => ({ id: contact }),
  "POST /w/{workspace}/inbox/{contact}/seen": ({ contact, inbound }) => ({
    id: contact,
    body: { last_inbound_id: inbound },
  }),
  "GET /w/{workspace}/inbox/{contact}/draft": ({ contact }) => ({ id: contact }),
  "PUT /w/{workspace}/inbox/{contact}/draft": ({ contact }) => ({
    id: contact,
    body: { content: { text: "Half of it" }, key: randomUUID(), replaces: null, age_ms: 0 },
  }),
  "PATCH /w/{workspace}/conversations/{conversation}": ({ conversation }) => ({
    id: conversation,
    body: { state: "done" },
  }),
  "GET /w/{workspace}/conversations/{conversation}/assignees": ({ conversation }) => ({ id: conversation }),
  "GET /w/{workspace}/conversations/{conversation}/notes": ({ conversation }) => ({ id: conversation }),
  "POST /w/{workspace}/conversations/{conversation}/notes": ({ conversation }) => ({
    id: conversation,
    body: { text: "Wants the blue one." },
  }),
  "POST /w/{workspace}/conversations/{conversation}/thread": ({ conversation }) => ({
    id: conversation,
    body: { action: "take" },
  }),
  "POST /w/{workspace}/conversations/{conversation}/block": (side) => {
    side.unblocked();
    return { id: side.conversation, after: () => side.unblocked() };
  },
  "DELETE /w/{workspace}/conversations/{conversation}/block": ({ conversation }) => ({ id: conversation }),
  "GET /w/{workspace}/network-changes": ({ workspace }) => ({
    query: `number=${encodeURIComponent(workspace.number ?? "")}`,
  }),
  "GET /w/{workspace}/search": () => ({ query: "q=hello" }),
  "POST /w/{workspace}/uploads": () => ({ body: PIECED }),
  "GET /w/{workspace}/uploads/{upload}": anUpload(),
  "PATCH /w/{workspace}/uploads/{upload}": anUpload({ query: "offset=0", body: "text", isFile: true }),
  "DELETE /w/{workspace}/uploads/{upload}": anUpload(),
  "POST /w/{workspace}/media": () => ({ formFile: "text" }),
  "GET /w/{workspace}/media/{id}": ({ medium }) => ({ id: medium }),
  "GET /w/{workspace}/simulator": nothing,
  "GET /w/{workspace}/simulator/phones/{phone}": byPhone,
  "POST /w/{workspace}/simulator/phones/{phone}/write": ({ phone, workspace }) => ({
    id: phone,
    body: { text: "Hello again", number: workspace.numberId },
  }),
  "POST /w/{workspace}/simulator/messages/{id}/status": ({ message }) => ({ id: message, body: { status: "read" } }),

  // Deliveries.
  "GET /w/{workspace}/requests": nothing,
  "GET /w/{workspace}/requests/about": nothing,
  "GET /w/{workspace}/deliveries": nothing,
  "GET /w/{workspace}/deliveries/failed": ({ app }) => ({ query: `since=${new Date(app.clock.now()).toISOString()}` }),
  "GET /w/{workspace}/deliveries/{id}": (side) => ({ id: side.delivery() }),
  "POST /w/{workspace}/deliveries/{id}/replay": async (side, visitor) => {
    await withWebhook(side, visitor);
    return { id: side.delivery() };
  },
  "POST /w/{workspace}/deliveries/replay": async (side, visitor) => {
    await withWebhook(side, visitor);
    const since = new Date(side.app.clock.now() - DAY).toISOString();
    const failed = await side.operator.get(`${side.path}/deliveries/failed?since=${since}`);
    return { body: { since, count: failed.body.data.count } };
  },

  // People.
  "GET /w/{workspace}/contacts/{phone}": byPhone,
  "PUT /w/{workspace}/contacts/{phone}": ({ phone }) => ({ id: phone, body: { name: "Asha" } }),
  "POST /w/{workspace}/contacts/{phone}/opt-out": (side) => ({ id: side.freePhone() }),
  "POST /w/{workspace}/contacts/{phone}/keep": byPhone,
  "GET /w/{workspace}/contacts": () => ({ query: "q=ash" }),
  "GET /w/{workspace}/contacts/export": nothing,
  "GET /w/{workspace}/contacts/export/count": nothing,
  "GET /w/{workspace}/duplicates": nothing,
  "POST /w/{workspace}/contacts/{phone}/different": async (side) => ({
    id: side.phone,
    body: { with: await side.knownPhone() },
  }),
  "GET /w/{workspace}/contacts/{phone}/join/{other}": async (side) => ({ id: [side.phone, await side.knownPhone()] }),
  "POST /w/{workspace}/contacts/{phone}/join": async (side) => ({
    id: await side.knownPhone(),
    body: { with: await side.knownPhone() },
    after: () => side.personJobsDone(),
  }),
  "GET /w/{workspace}/contacts/{phone}/consent": byPhone,
  "GET /w/{workspace}/contacts/{phone}/inbox": byPhone,
  "GET /w/{workspace}/contacts/{phone}/forget": byPhone,
  "POST /w/{workspace}/contacts/{phone}/forget": async (side) => {
    const phone = await side.knownPhone();
    return { id: phone, body: { typed: phone }, after: () => side.personJobsDone() };
  },
  "GET /w/{workspace}/erasures/{id}": (side) => ({ id: side.erasure() }),
  "GET /w/{workspace}/contacts/{phone}/hand-out": byPhone,
  "POST /w/{workspace}/contacts/{phone}/hand-out": (side) => ({ id: side.phone, after: () => side.personJobsDone() }),
  "GET /w/{workspace}/hand-outs/{id}/file": (side) => ({ id: side.handOut() }),
  "GET /w/{workspace}/bulk": nothing,
  "POST /w/{workspace}/bulk/count": ({ phone }) => ({ body: { people: { phones: [phone] } } }),
  "POST /w/{workspace}/bulk": (side) => ({
    body: { people: { phones: [side.phone] }, change: { add_tag: "VIP" }, count: 1 },
    after: () => side.bulkIdle(),
  }),
  "GET /w/{workspace}/bulk/{id}": (side) => ({ id: side.bulk("done") }),
  "POST /w/{workspace}/bulk/{id}/stop": (side) => ({ id: side.bulk("running") }),
  "POST /w/{workspace}/bulk/{id}/go-on": (side) => ({ id: side.bulk("running"), after: () => side.bulkIdle() }),
  "GET /w/{workspace}/groups": nothing,
  "POST /w/{workspace}/groups": (side) => ({ body: { name: side.name("group"), filter: null } }),
  "POST /w/{workspace}/groups/count": () => ({ body: { filter: { field: "name", contains: "a" } } }),
  "GET /w/{workspace}/groups/{id}": (side) => ({ id: side.group() }),
  "PUT /w/{workspace}/groups/{id}": (side) => ({ id: side.group(), body: { name: side.name("group"), filter: null } }),
  "DELETE /w/{workspace}/groups/{id}": (side) => ({ id: side.group() }),
  "GET /w/{workspace}/imports": nothing,
  "POST /w/{workspace}/imports": async (side) => {
    await side.withoutImports();
    return { query: "name=b.csv", body: "phone\n+919811100000\n", isFile: true };
  },
  "GET /w/{workspace}/imports/{id}": anImport("given"),
  "PUT /w/{workspace}/imports/{id}/choices": anImport("given", CHECK),
  "POST /w/{workspace}/imports/{id}/check": anImport("given", CHECK),
  "POST /w/{workspace}/imports/{id}/run": anImport("checked"),
  "GET /w/{workspace}/imports/{id}/errors": anImport("done"),
  "DELETE /w/{workspace}/imports/{id}": anImport("given"),

  // Templates.
  "GET /w/{workspace}/templates": nothing,
  "GET /w/{workspace}/templates/library": nothing,
  "GET /w/{workspace}/templates/named": () => ({ query: "name=for_everybody&language=en_US" }),
  "GET /w/{workspace}/templates/sync": nothing,
  "POST /w/{workspace}/templates/sync": nothing,
  "GET /w/{workspace}/templates/{id}": async (side) => ({ id: await side.template() }),
  "POST /w/{workspace}/templates/{id}/decide": async (side) => ({
    id: await side.template(),
    body: { status: "REJECTED", reason: "" },
  }),
  "PUT /w/{workspace}/templates/{id}/mark": async (side) => ({
    id: await side.template(),
    body: { button: BUTTON, meaning: "opt_out" },
  }),
  "PUT /w/{workspace}/templates/{id}/order": async (side) => ({
    id: await side.template(),
    body: { header: [], body: [] },
  }),
  "PUT /w/{workspace}/templates/{id}/sample": async (side) => ({
    id: await side.template(),
    body: { link: "https://example.com/a.png" },
  }),
  "GET /w/{workspace}/template-drafts": nothing,
  "POST /w/{workspace}/template-drafts": () => ({ body: { content: { name: "offer" } } }),
  "GET /w/{workspace}/template-drafts/{id}": (side) => ({ id: side.templateDraft() }),
  "PUT /w/{workspace}/template-drafts/{id}": (side) => ({ id: side.templateDraft(), body: { name: "offer" } }),
  "DELETE /w/{workspace}/template-drafts/{id}": (side) => ({ id: side.templateDraft() }),
  "POST /w/{workspace}/template-drafts/{id}/check": (side) => ({ id: side.templateDraft(), body: side.written() }),
  "POST /w/{workspace}/template-drafts/{id}/send": (side) => ({ id: side.templateDraft(), body: side.written() }),
  "DELETE /w/{workspace}/templates/{id}": async (side) => ({ id: await side.template() }),

  // Broadcasts.
  "GET /w/{workspace}/broadcasts": nothing,
  "POST /w/{workspace}/broadcasts": (side) => ({ body: side.broadcasting() }),
  "POST /w/{workspace}/broadcasts/{id}/cancel": async (side) => ({ id: await side.scheduledBroadcast() }),
  "GET /w/{workspace}/broadcasts/{id}": sent,
  "GET /w/{workspace}/broadcasts/{id}/live": sent,
  "POST /w/{workspace}/broadcasts/{id}/pause": async (side) => ({ id: await side.scheduledBroadcast() }),
  "POST /w/{workspace}/broadcasts/{id}/change": async (side) => ({ id: await side.scheduledBroadcast() }),
  "POST /w/{workspace}/broadcasts/{id}/duplicate": sent,
  "POST /w/{workspace}/broadcasts/{id}/resume": async (side) => ({ id: await side.pausedBroadcast(), body: {} }),
  "GET /w/{workspace}/broadcasts/{id}/recipients": sent,
  "GET /w/{workspace}/broadcasts/{id}/recipients/export": sent,
  "GET /w/{workspace}/broadcasts/{id}/again": sent,
  "POST /w/{workspace}/broadcasts/{id}/again": ({ sentBroadcast }) => ({
    id: sentBroadcast,
    body: { with_unknown: false, count: 1 },
  }),
  "GET /w/{workspace}/drafts": nothing,
  "POST /w/{workspace}/drafts": () => ({ body: CONTENT }),
  "GET /w/{workspace}/drafts/{id}": (side) => ({ id: side.draft() }),
  "PUT /w/{workspace}/drafts/{id}": (side) => ({ id: side.draft(), body: CONTENT }),
  "DELETE /w/{workspace}/drafts/{id}": (side) => ({ id: side.draft() }),
  "POST /w/{workspace}/drafts/{id}/detach": (side) => ({ id: side.draft() }),
  "GET /w/{workspace}/drafts/{id}/values": (side) => ({ id: side.draft({ language: "en_US" }) }),
  "POST /w/{workspace}/drafts/{id}/check": (side) => ({ id: side.draft() }),
  "POST /w/{workspace}/drafts/{id}/send": async (side) => {
    const id = side.draft();
    const { reached, cost } = (await side.operator.post(`${side.path}/drafts/${id}/check`)).body.data;
    return { id, body: { reached, amount: cost?.amount ?? null } };
  },
};

/** Requests whose form or query names objects by id; refused where these are another workspace's. */
export const naming: Readonly<Record<string, (own: Objects, other: Objects) => Asked[]>> = {
  "POST /w/{workspace}/messages": (own, other) => [{ body: { ...own.sending(), from: other.number().phone } }],
  "POST /w/{workspace}/broadcasts": (own, other) => [
    { body: { ...own.broadcasting(), to: undefined, group: other.group() } },
    { body: { ...own.broadcasting(), from: other.number().phone } },
  ],
  "POST /w/{workspace}/drafts/{id}/check": (own, other) => namingDrafts(own, other),
  "POST /w/{workspace}/drafts/{id}/send": (own, other) =>
    namingDrafts(own, other).map((asked) => ({ ...asked, body: { reached: 1, amount: null } })),
  "POST /w/{workspace}/bulk/count": (_, other) => namingPeople(other).map((people) => ({ body: { people } })),
  "POST /w/{workspace}/bulk": (own, other) => [
    ...namingPeople(other).map((people) => ({ body: { people, change: { add_tag: "VIP" }, count: 1 } })),
    ...["add_to_group", "remove_from_group"].map((change) => ({
      body: { people: { phones: [own.phone] }, change: { [change]: other.group() }, count: 1 },
    })),
  ],
  "POST /w/{workspace}/groups": (own, other) => [{ body: { name: own.name("group"), filter: ofGroup(other) } }],
  "POST /w/{workspace}/groups/count": (_, other) => [{ body: { filter: ofGroup(other) } }],
  "PUT /w/{workspace}/groups/{id}": (own, other) => [
    { id: own.group(), body: { name: own.name("group"), filter: ofGroup(other) } },
  ],
  "PUT /w/{workspace}/contacts/{phone}": (own, other) => [
    { id: own.phone, body: { add_to_groups: [other.group()] } },
    { id: own.phone, body: { remove_from_groups: [other.group()] } },
  ],
  "GET /w/{workspace}/contacts": (_, other) => [
    { query: `group=${other.group()}` },
    { query: `filter=${encodeURIComponent(JSON.stringify(ofGroup(other)))}` },
  ],
  "POST /w/{workspace}/contact-views": (own, other) =>
    [{ group: String(other.group()) }, { filter: ofGroup(other) }].map((search) => ({
      body: { ...VIEW, name: own.name("view"), search },
    })),
  "GET /w/{workspace}/contacts/export": (_, other) => [{ query: `group=${other.group()}` }],
  "GET /w/{workspace}/contacts/export/count": (_, other) => [{ query: `group=${other.group()}` }],
  "POST /w/{workspace}/simulator/phones/{phone}/write": (own, other) => [
    { id: own.phone, body: { text: "Hi", number: other.workspace.numberId } },
  ],
};

function namingPeople(other: Objects): unknown[] {
  return [{ broadcast: other.sentBroadcast }, { search: { group: String(other.group()) } }];
}

function namingDrafts(own: Objects, other: Objects): Asked[] {
  return [{ to: undefined, group: other.group() }, { from: other.number().phone }].map((changes) => ({
    id: own.draft(changes),
  }));
}

function ofGroup(other: Objects): unknown {
  return { field: "group", is: other.group() };
}

/** The path of a request, in a workspace. */
export function pathOf(path: string, workspace: number, { id, query }: Asked): string {
  const ids = typeof id === "object" ? [...id] : [];
  const named = path
    .replace("{workspace}", String(workspace))
    .replace(/\{\w+\}/g, () => encodeURIComponent(String(ids.shift() ?? id ?? "")));
  return query === undefined ? named : `${named}?${query}`;
}
