/**
 * Delivers the network's callbacks, in the Cloud API's own format and through the same durable queue as a real
 * callback.
 */
import { storeCallback } from "#src/domain/inbound/callbacks.ts";
import { getNumber } from "#src/domain/numbers/read.ts";
import type { TestServer, TestWorkspace } from "./server.ts";

export interface ReportedStatus {
  id: string;
  status: "sent" | "delivered" | "read" | "failed";
  /** The send token that the status echoes, if given. */
  sendToken?: string | undefined;
  at?: number;
  code?: number;
  /** What the network says of a failure. */
  details?: string;
}

export function statusItem({ id, status, sendToken, at, code, details }: ReportedStatus, now: number): object {
  return {
    id,
    status,
    timestamp: seconds(at ?? now),
    recipient_id: "919876543210",
    ...(sendToken === undefined ? {} : { biz_opaque_callback_data: sendToken }),
    ...(status === "failed"
      ? {
          errors: [
            { code: code ?? 131026, title: "failed", ...(details === undefined ? {} : { error_data: { details } }) },
          ],
        }
      : {}),
  };
}

/** Statuses of the workspace's number, in one body; applied when it returns. */
export async function reportStatus(
  app: TestServer,
  workspace: TestWorkspace,
  ...statuses: ReportedStatus[]
): Promise<void> {
  await report(app, workspace, { statuses: statuses.map((status) => statusItem(status, app.clock.now())) });
}

export interface Written {
  id?: string;
  /** Digits; null for a sender whom the network identifies by its user id alone. */
  from?: string | null;
  userId?: string;
  name?: string;
  text?: string;
  at?: number;
  /** Members of the item that replace the text. */
  content?: Record<string, unknown>;
}

let inboundCount = 0;

/** An inbound message as the Cloud API writes it, with the contact beside it. */
export function inboundItem(written: Written, now: number): Record<string, unknown> {
  inboundCount += 1;
  const from = written.from === undefined ? "919876543210" : written.from;
  return {
    ...(from === null ? {} : { from }),
    ...(written.userId === undefined ? {} : { from_user_id: written.userId }),
    id: written.id ?? `wamid.inbound-${inboundCount}`,
    timestamp: seconds(written.at ?? now),
    ...(written.content ?? { type: "text", text: { body: written.text ?? "Hello" } }),
  };
}

/** Inbound messages to the workspace's number, in one body; applied when it returns. */
export async function reportInbound(app: TestServer, workspace: TestWorkspace, ...written: Written[]): Promise<void> {
  const messages = written.map((one) => inboundItem(one, app.clock.now()));
  const contacts = written.map((one) => ({
    ...(one.from === null ? {} : { wa_id: one.from ?? "919876543210" }),
    ...(one.userId === undefined ? {} : { user_id: one.userId }),
    profile: one.name === undefined ? {} : { name: one.name },
  }));
  await report(app, workspace, { contacts, messages });
}

/** Any `value` of a change of a field. */
export async function report(
  app: TestServer,
  workspace: TestWorkspace,
  value: Record<string, unknown>,
  field = "messages",
): Promise<void> {
  await app.store.write((tx) => {
    const number = getNumber(tx, workspace.numberId);
    const metadata = { display_phone_number: number.phone.slice(1), phone_number_id: number.phoneNumberId };
    const change = { field, value: { messaging_product: "whatsapp", metadata, ...value } };
    storeCallback(
      tx,
      "simulator",
      JSON.stringify({
        object: "whatsapp_business_account",
        entry: [{ id: number.accountId, changes: [change] }],
      }),
    );
  });
  await app.clock.advance(0);
}

function seconds(ms: number): string {
  return String(Math.floor(ms / 1000));
}
