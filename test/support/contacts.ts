/** Changes contacts through the API and through the network's callbacks, for tests of contacts and consent. */
import { storeCallback } from "#src/domain/inbound/callbacks.ts";
import { getNumber } from "#src/domain/numbers/read.ts";
import { inboundItem, report } from "./report.ts";
import type { Answered, TestServer, TestWorkspace } from "./server.ts";

const CONTACTS = "/api/v1/contacts";

export function contactPath(phone: string): string {
  return `${CONTACTS}/${encodeURIComponent(phone)}`;
}

export function getContactOf(app: TestServer, { key }: TestWorkspace, phone: string): Promise<Answered> {
  return app.call("GET", contactPath(phone), { key });
}

export function putContactOf(app: TestServer, { key }: TestWorkspace, phone: string, body: unknown): Promise<Answered> {
  return app.call("PUT", contactPath(phone), { key, body });
}

export function putContactsOf(app: TestServer, { key }: TestWorkspace, contacts: unknown): Promise<Answered> {
  return app.call("PUT", CONTACTS, { key, body: { contacts } });
}

export function optOutOf(app: TestServer, { key }: TestWorkspace, phone: string): Promise<Answered> {
  return app.call("POST", `${contactPath(phone)}/opt-out`, { key });
}

/** The recipient changed the network's own marketing preference; applied when it returns. */
export async function reportControl(
  app: TestServer,
  workspace: TestWorkspace,
  pressed: { value: "stop" | "resume"; waId?: string; userId?: string; at?: number },
): Promise<void> {
  await app.store.write((tx) => {
    const number = getNumber(tx, workspace.numberId);
    const item = {
      ...(pressed.waId === undefined ? {} : { wa_id: pressed.waId }),
      ...(pressed.userId === undefined ? {} : { user_id: pressed.userId }),
      category: "marketing_messages",
      value: pressed.value,
      timestamp: String(Math.floor((pressed.at ?? app.clock.now()) / 1_000)),
    };
    const metadata = { display_phone_number: number.phone.slice(1), phone_number_id: number.phoneNumberId };
    const value = { messaging_product: "whatsapp", metadata, user_preferences: [item] };
    const entry = { id: number.accountId, changes: [{ field: "user_preferences", value }] };
    storeCallback(tx, "simulator", JSON.stringify({ object: "whatsapp_business_account", entry: [entry] }));
  });
  await app.clock.advance(0);
}

/** The network's notice that a contact has a new phone number (digits); applied when it returns. */
export async function reportMove(
  app: TestServer,
  workspace: TestWorkspace,
  { from, to, id }: { from: string; to: string; id?: string },
): Promise<void> {
  const content = { type: "system", system: { type: "user_changed_number", body: "moved", wa_id: to } };
  const item = inboundItem({ from, content, ...(id === undefined ? {} : { id }) }, app.clock.now());
  await report(app, workspace, { messages: [item] });
}

export interface Walked<Row> {
  rows: Row[];
  pages: number;
}

/** Time per page. A pass ends 50 ms before now, so a row that changed later would never be reached on a standing clock. */
const BETWEEN_PAGES_MS = 60;

/** Follows `meta.next` to the end. `between`: called after each page except the last. */
export async function walk<Row>(
  app: TestServer,
  { key }: TestWorkspace,
  path: string,
  between: (page: number) => Promise<void> = async () => {},
): Promise<Walked<Row>> {
  const rows: Row[] = [];
  const sign = path.includes("?") ? "&" : "?";
  let next: string | null = null;
  for (let pages = 1; ; pages++) {
    const answer: Answered = await app.call("GET", next === null ? path : `${path}${sign}after=${next}`, { key });
    if (answer.status !== 200) throw new Error(answer.text);
    rows.push(...(answer.body.data as Row[]));
    next = answer.body.meta.next as string | null;
    if (answer.body.meta.has_more !== (next !== null)) throw new Error("has_more and next differ");
    if (next === null) return { rows, pages };
    await between(pages);
    await app.clock.advance(BETWEEN_PAGES_MS);
  }
}
