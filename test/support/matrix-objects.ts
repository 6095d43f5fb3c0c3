/**
 * A workspace with objects of every kind, for the tests that ask every route with everybody's rights. An object that a
 * request uses up is made anew each time.
 */
import { expect } from "bun:test";
import { randomBytes } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { inviteUser } from "#src/domain/users/invite.ts";
import { createLink } from "#src/domain/users/links.ts";
import { HandOutFiles } from "#src/transfer/person-data/hand-out-files.ts";
import type { Visitor } from "./console.ts";
import { GRAPH_ACCOUNT_ID, GRAPH_TOKEN } from "./graph.ts";
import { type GraphAccount, graphNumber } from "./graph-account.ts";
import { jpegOf } from "./graph-faces.ts";
import type { TestServer, TestWorkspace } from "./server.ts";
import { storeMedium } from "./stored-medium.ts";
import { DAY } from "./webhooks.ts";

export const TEMPLATE = "for_everybody";
/** The title of the quick reply of a template that is made anew. */
export const BUTTON = "No more";
/** A recipient whom the simulator refuses without a reason, each time: a person who was refused for a limit of their own would not be sent to again yet. */
const REFUSED = "+919876540002";

type Value = string | number | null | Uint8Array;

export class Objects {
  readonly app: TestServer;
  readonly workspace: TestWorkspace;
  /** Does what prepares a request. */
  readonly operator: Visitor;
  /** Made once: requests do not use them up. */
  readonly phone: string;
  contact = 0;
  conversation = 0;
  message = 0;
  inbound = 0;
  /** A received file, with its bytes on disk. */
  medium = 0;
  sentBroadcast = 0;
  /** What the network shows; null: it is not there. */
  readonly #meta: GraphAccount | null;
  #made = 0;

  constructor(app: TestServer, workspace: TestWorkspace, operator: Visitor, meta: GraphAccount | null = null) {
    this.#meta = meta;
    this.app = app;
    this.workspace = workspace;
    this.operator = operator;
    this.phone = `+9198111${workspace.id}5555`;
  }

  /** A person who wrote, a message to them, and a broadcast that failed for one recipient. */
  async furnish(): Promise<this> {
    const { app, workspace } = this;
    const body = { type: "BODY", text: "Your order is on its way." };
    await app.template(workspace, { name: TEMPLATE, language: "en_US", category: "UTILITY", components: [body] });
    await app.webhook(workspace, "http://127.0.0.1:9/hook");
    await app.inbound(workspace, this.phone, "Hello!");
    this.contact = this.newest("contacts");
    this.conversation = this.newest("conversations");
    this.inbound = this.newest("inbounds");
    this.medium = storeMedium(app, workspace.id, this.inbound, `matrix${workspace.id}`);
    const one = await app.send("POST", "/api/v1/messages", this.withKey(this.sending()));
    expect([one.status, one.text]).toEqual([201, expect.any(String)]);
    this.message = this.newest("messages");
    const sent = await app.send("POST", "/api/v1/broadcasts", this.withKey({ ...this.broadcasting(), to: [REFUSED] }));
    expect([sent.status, sent.text]).toEqual([202, expect.any(String)]);
    this.sentBroadcast = sent.body.data.id;
    await app.clock.advance(60_000);
    const state = `SELECT completed_at IS NOT NULL FROM broadcasts WHERE id = ${this.sentBroadcast}`;
    expect(app.store.client.prepare(state).pluck().get()).toBe(1);
    return this;
  }

  get path(): string {
    return `/w/${this.workspace.id}`;
  }

  withKey(body: unknown): { key: string; body: unknown } {
    return { key: this.workspace.key, body };
  }

  /** Different each time. */
  name(prefix: string): string {
    this.#made += 1;
    return `${prefix}_${this.workspace.id}_${this.#made}`;
  }

  sending(): Record<string, unknown> {
    return { to: this.phone, template: TEMPLATE, from: this.workspace.number };
  }

  broadcasting(): Record<string, unknown> {
    return { name: this.name("news"), template: TEMPLATE, to: [this.phone], from: this.workspace.number };
  }

  insert(table: string, values: Readonly<Record<string, Value>>): number {
    const columns = Object.keys(values);
    const text = `INSERT INTO ${table} (${columns}) VALUES (${columns.map(() => "?")})`;
    return Number(this.app.store.client.prepare(text).run(...Object.values(values)).lastInsertRowid);
  }

  newest(table: string): number {
    const text = `SELECT max(id) FROM ${table} WHERE workspace_id = ?`;
    return Number(this.app.store.client.prepare(text).pluck().get(this.workspace.id));
  }

  async scheduledMessage(): Promise<number> {
    const send_at = new Date(this.app.clock.now() + 30 * DAY).toISOString();
    const made = await this.app.call("POST", "/api/v1/messages", this.withKey({ ...this.sending(), send_at }));
    expect([made.status, made.text]).toEqual([202, expect.any(String)]);
    return made.body.data.id;
  }

  async scheduledBroadcast(changes: Readonly<Record<string, unknown>> = {}): Promise<number> {
    const sendAt = new Date(this.app.clock.now() + 30 * DAY).toISOString();
    const body = { ...this.broadcasting(), send_at: sendAt, ...changes };
    const made = await this.app.call("POST", "/api/v1/broadcasts", this.withKey(body));
    expect([made.status, made.text]).toEqual([202, expect.any(String)]);
    return made.body.data.id;
  }

  async pausedBroadcast(): Promise<number> {
    const id = await this.scheduledBroadcast();
    expect((await this.operator.post(`${this.path}/broadcasts/${id}/pause`)).status).toBe(200);
    return id;
  }

  draft(changes: Readonly<Record<string, unknown>> = {}): number {
    const at = this.app.clock.now();
    const content = JSON.stringify({ ...this.broadcasting(), ...changes });
    const row = { workspace_id: this.workspace.id, user_id: 1, content, created_at: at, updated_at: at };
    return this.insert("broadcast_drafts", row);
  }

  /** A template as a request has it. */
  written(): Record<string, unknown> {
    const name = this.name("written");
    return {
      ...{ name, language: "en_US", category: "UTILITY", from: this.workspace.number },
      components: [{ type: "BODY", text: `Your parcel ${name} is at the door.` }],
    };
  }

  templateDraft(): number {
    const at = this.app.clock.now();
    const row = { workspace_id: this.workspace.id, user_id: 1, content: "{}", created_at: at, updated_at: at };
    return this.insert("template_drafts", row);
  }

  group(): number {
    const name = this.name("group");
    const row = { workspace_id: this.workspace.id, name, folded: name, member_count: 0, created_at: 1 };
    return this.insert("groups", row);
  }

  freePhone(): string {
    this.#made += 1;
    return `+919812${String(this.workspace.id).padStart(2, "0")}${String(this.#made).padStart(4, "0")}`;
  }

  number(): { id: number; phone: string } {
    const phone = this.freePhone();
    const { client } = this.app.store;
    const columns = (client.prepare("SELECT name FROM pragma_table_info('numbers')").pluck().all() as string[]).filter(
      (name) => !["id", "phone", "phone_number_id"].includes(name),
    );
    const text = `INSERT INTO numbers (phone, phone_number_id, ${columns}) SELECT ?, ?, ${columns} FROM numbers WHERE id = ?`;
    const { lastInsertRowid } = client.prepare(text).run(phone, `sim-${phone}`, this.workspace.numberId);
    return { id: Number(lastInsertRowid), phone };
  }

  /** The simulated network has a photo of it. */
  numberWithPhoto(): number {
    const { id } = this.number();
    const row = { number_id: id, workspace_id: this.workspace.id, profile: "{}", photo: jpegOf(0) };
    this.insert("simulated_profiles", row);
    return id;
  }

  /** The person of the conversation wrote just now, and is not blocked. */
  unblocked(): void {
    const { client } = this.app.store;
    for (const table of ["blocks", "simulated_blocks"])
      client.prepare(`DELETE FROM ${table} WHERE workspace_id = ?`).run(this.workspace.id);
    client.prepare("UPDATE conversations SET wrote_at = ? WHERE id = ?").run(this.app.clock.now(), this.conversation);
  }

  /** A connection that is begun, and a number that the network shows for it. */
  async connection(): Promise<{ account_id: string; phone_number_id: string }> {
    if (this.#meta === null) throw new Error("this test has no network");
    const phone = this.freePhone();
    const id = `8000${phone.slice(1)}`;
    this.#meta.numbers = [graphNumber(id, phone)];
    const body = { token: GRAPH_TOKEN, app_secret: "secret-of-the-app" };
    const entered = await this.operator.ask("PUT", `${this.path}/connection`, body);
    expect([entered.status, entered.text]).toEqual([200, expect.any(String)]);
    return { account_id: GRAPH_ACCOUNT_ID, phone_number_id: id };
  }

  async numberAtMeta(): Promise<number> {
    const added = await this.operator.post(`${this.path}/connection/number`, await this.connection());
    expect([added.status, added.text]).toEqual([201, expect.any(String)]);
    return added.body.data.id;
  }

  /** In the app on a phone too, whose contacts and history were not asked for. */
  async numberOnPhone(): Promise<number> {
    const id = await this.numberAtMeta();
    if (this.#meta !== null) {
      this.#meta.phoneSyncs = [];
      for (const number of this.#meta.numbers) number.is_on_biz_app = true;
    }
    return id;
  }

  /** Accepts callbacks without a signature. */
  numberWithAddress(): number {
    const { id } = this.number();
    this.app.store.client.prepare("UPDATE numbers SET network = 'whatsapp' WHERE id = ?").run(id);
    const hashes = { token_hash: randomBytes(32), secret_hash: randomBytes(32) };
    this.insert("callback_addresses", { number_id: id, ...hashes, needs_secret: 0, created_at: 1 });
    return id;
  }

  /** A workspace has few numbers. */
  async withoutExtraNumbers(): Promise<void> {
    const text = "UPDATE numbers SET removed_at = 1 WHERE workspace_id = ? AND id <> ?";
    this.app.store.client.prepare(text).run(this.workspace.id, this.workspace.numberId);
  }

  key(): number {
    const row = { workspace_id: this.workspace.id, name: this.name("key"), prefix: "wx_", created_at: 1 };
    return this.insert("api_keys", { ...row, hash: randomBytes(32) });
  }

  /** There may be only so many addresses. */
  withoutFurtherWebhooks(): void {
    this.app.store.client.prepare("DELETE FROM further_webhooks WHERE workspace_id = ?").run(this.workspace.id);
  }

  furtherWebhook(): number {
    const text = "SELECT min(id) FROM further_webhooks WHERE workspace_id = ?";
    const known = this.app.store.client.prepare(text).pluck().get(this.workspace.id);
    if (known !== null) return Number(known);
    const row = { workspace_id: this.workspace.id, url: "http://127.0.0.1:9/further", secret: "sealed" };
    return this.insert("further_webhooks", { ...row, consecutive_timeouts: 0, created_at: 1, updated_at: 1 });
  }

  /** There may be only so many fields. */
  withoutField(key: string): void {
    this.app.store.client.prepare("DELETE FROM custom_fields WHERE key = ?").run(key);
  }

  field(): string {
    const key = this.name("field");
    this.insert("custom_fields", { workspace_id: this.workspace.id, key, label: key, kind: "text", created_at: 1 });
    return key;
  }

  withoutQuickReply(name: string): void {
    this.app.store.client.prepare("DELETE FROM quick_replies WHERE name = ?").run(name);
  }

  quickReply(): number {
    const name = this.name("reply");
    const row = { workspace_id: this.workspace.id, name, folded: name, text: "Hi {{first_name}}" };
    return this.insert("quick_replies", { ...row, created_at: 1, updated_at: 1 });
  }

  /** A saved view of the list of contacts, which this user alone sees. */
  contactView(userId: number): number {
    const name = this.name("view");
    return this.insert("contact_views", {
      ...{ workspace_id: this.workspace.id, user_id: userId, name, folded: name, is_shared: 0 },
      ...{ search: '{"sort":"name"}', columns: '["name","phone"]', created_at: 1, updated_at: 1 },
    });
  }

  withoutContactView(name: string): void {
    this.app.store.client.prepare("DELETE FROM contact_views WHERE name = ?").run(name);
  }

  delivery(): number {
    const text = "SELECT min(id) FROM deliveries WHERE workspace_id = ?";
    return Number(this.app.store.client.prepare(text).pluck().get(this.workspace.id));
  }

  bulk(state: string): number {
    const { id } = this.workspace;
    const target = { target: JSON.stringify({ contacts: [this.contact] }), change: '{"addTag":"VIP"}', total: 1 };
    const progress = { state, position: 0, last: Number.MAX_SAFE_INTEGER, processed: 0, changed: 0 };
    return this.insert("bulk_changes", {
      ...{ workspace_id: id, user_id: 1, ...target, ...progress },
      ...{ created_at: 1, updated_at: this.app.clock.now() },
    });
  }

  async template(): Promise<number> {
    const header = { type: "HEADER", format: "IMAGE" };
    const body = { type: "BODY", text: "Your order is on its way." };
    const buttons = { type: "BUTTONS", buttons: [{ type: "QUICK_REPLY", text: BUTTON }] };
    const rest = { language: "en_US", category: "UTILITY", components: [header, body, buttons] };
    await this.app.template(this.workspace, { name: this.name("template"), ...rest });
    return this.newest("templates");
  }

  member(): number {
    const email = `${this.name("member")}@example.com`;
    const at = { created_at: 1, updated_at: 1 };
    const id = this.insert("users", { email, email_key: email, password: "x", is_operator: 0, ...at });
    this.insert("memberships", { user_id: id, workspace_id: this.workspace.id, role: "member", created_at: 1 });
    return id;
  }

  async invitation(): Promise<{ email: string; token: string }> {
    const email = `${this.name("invited")}@example.com`;
    const { link } = await this.app.store.write((tx) =>
      inviteUser(tx, { email, role: "member", workspaceId: this.workspace.id }),
    );
    return { email, token: link?.token ?? "" };
  }

  /** The token of a link as the server sends it to a user's address. */
  async mailedLink(kind: "forgot" | "verify"): Promise<string> {
    const id = this.member();
    return (await this.app.store.write((tx) => createLink(tx, kind, id))).token;
  }

  /** A file that was uploaded, checked, or imported with a rejected row. */
  async import(state: "given" | "checked" | "done"): Promise<number> {
    const rows = `phone,name\n+9198222${this.workspace.id}5555,Asha\nnobody,Nobody\n`;
    const file = { headers: { "content-type": "application/octet-stream" } };
    const given = await this.operator.post(`${this.path}/imports?name=a.csv`, rows, file);
    expect([given.status, given.text]).toEqual([201, expect.any(String)]);
    const path = `${this.path}/imports/${given.body.data.id}`;
    if (state === "given") return given.body.data.id;
    expect((await this.operator.post(`${path}/check`, CHECK)).status).toBe(202);
    await this.importsIdle();
    if (state === "checked") return given.body.data.id;
    expect((await this.operator.post(`${path}/run`)).status).toBe(202);
    await this.importsIdle();
    return given.body.data.id;
  }

  async importsIdle(): Promise<void> {
    const isBusy = async (): Promise<boolean> => {
      const { data } = (await this.operator.get(`${this.path}/imports`)).body;
      return data.some(({ rows_done: done }: { rows_done: number | null }) => done !== null);
    };
    while (await isBusy()) await this.app.clock.advance(10);
  }

  /** A workspace keeps only so many files. */
  async withoutImports(): Promise<void> {
    await this.importsIdle();
    for (const { id } of (await this.operator.get(`${this.path}/imports`)).body.data) {
      expect((await this.operator.ask("DELETE", `${this.path}/imports/${id}`)).status).toBe(200);
    }
  }

  /** A contact of this number. */
  async knownPhone(): Promise<string> {
    const phone = this.freePhone();
    const put = await this.operator.ask("PUT", `${this.path}/contacts/${phone}`, {});
    expect([put.status, put.text]).toEqual([201, expect.any(String)]);
    return phone;
  }

  erasure(): number {
    const counts = { sent: 0, of_broadcasts: 0, scheduled: 0, received: 0, by_other_senders: 0, notes: 0, files: 0 };
    const others = { drafts: 0, events: 0, callbacks: 0, answers: 0, audit_entries: 0 };
    const times = { created_at: 1, ended_at: this.app.clock.now() };
    const holders = {
      backups: [],
      is_replicated: false,
      shared_uploads: [],
      still_blocked_on: [],
      waiting_imports: [],
      log_emptied: true,
    };
    return this.insert("erasures", {
      ...{ workspace_id: this.workspace.id, contact_id: this.contact, address: "", round: 2, ...times },
      ...{ counts: JSON.stringify({ ...counts, ...others }), holders: JSON.stringify(holders) },
    });
  }

  /** An archive that is ready. */
  handOut(): number {
    const now = this.app.clock.now();
    const report = { entries: 1, notes: 0, files: 0, missing: [], bytes: 4 };
    const id = this.insert("hand_outs", {
      ...{ workspace_id: this.workspace.id, contact_id: this.contact, user_id: 1, address: "", state: "ready" },
      ...{ report: JSON.stringify(report), created_at: now, expires_at: now + DAY },
    });
    const files = new HandOutFiles(`${this.app.directory}/waxwing.db`);
    mkdirSync(files.directory, { recursive: true });
    writeFileSync(files.pathOf(id), "PK..");
    return id;
  }

  /** No person is being erased, and no archive is made. */
  async personJobsDone(): Promise<void> {
    const { client } = this.app.store;
    const open = `SELECT (SELECT count(*) FROM erasures WHERE ended_at IS NULL) +
      (SELECT count(*) FROM hand_outs WHERE state = 'making')`;
    while (client.prepare(open).pluck().get() !== 0) await this.app.clock.advance(10);
  }

  async bulkIdle(): Promise<void> {
    const isBusy = async (): Promise<boolean> => {
      const { data } = (await this.operator.get(`${this.path}/bulk`)).body;
      return data.some(({ state }: { state: string }) => state === "running");
    };
    while (await isBusy()) await this.app.clock.advance(10);
  }
}

export const CHECK = { map: {}, opt_in: false, proof: "" };
