/**
 * Composes the callbacks that a simulated phone causes, in exactly the Cloud API's format. They enter through the same
 * queue and are read by the same parser as those of the real network.
 */
import { isUserId } from "#src/core/user-id.ts";
import type { Sender } from "../network.ts";

export type FromNumber = Pick<Sender, "phone" | "phoneNumberId" | "accountId">;

interface SimulatedStatus {
  networkMessageId: string;
  sendToken: string;
  status: "sent" | "delivered" | "read" | "failed";
  /** Milliseconds. */
  at: number;
  /** E.164, or a user id. */
  to: string;
  error: { code: string; title: string } | null;
}

export function statusCallback(sender: FromNumber, status: SimulatedStatus): string {
  return changeCallback(sender, "messages", {
    statuses: [
      {
        id: status.networkMessageId,
        status: status.status,
        timestamp: seconds(status.at),
        ...(isUserId(status.to) ? { recipient_user_id: status.to } : { recipient_id: status.to.slice(1) }),
        biz_opaque_callback_data: status.sendToken,
        ...(status.error === null
          ? {}
          : { errors: [{ code: Number(status.error.code), title: status.error.title, message: status.error.title }] }),
      },
    ],
  });
}

interface SimulatedInbound {
  networkMessageId: string;
  /** E.164; or a user id, for a person whose number the network does not give. */
  from: string;
  text: string;
  /** A quick reply below a template; `text` is the button's title. */
  isButton?: boolean;
  at: number;
}

export function inboundCallback(number: FromNumber, inbound: SimulatedInbound): string {
  const { text, isButton = false, ...envelope } = inbound;
  return contentCallback(number, {
    ...envelope,
    name: null,
    content: isButton ? { type: "button", button: { text, payload: text } } : { type: "text", text: { body: text } },
  });
}

interface InboundContent extends Pick<SimulatedInbound, "networkMessageId" | "from" | "at"> {
  /** Of the person's profile. */
  name: string | null;
  username?: string | null | undefined;
  /** Beside the phone number. */
  userId?: string | null | undefined;
  parentUserId?: string | null | undefined;
  /** `type`, the member of that name, and what else a message may carry, as Meta writes them. */
  content: Readonly<Record<string, unknown>>;
}

export function contentCallback(number: FromNumber, inbound: InboundContent): string {
  const { networkMessageId, from, at, name, username = null, parentUserId = null, content } = inbound;
  const hasPhone = !isUserId(from);
  const userId = hasPhone ? (inbound.userId ?? null) : from;
  const profile = { ...(name === null ? {} : { name }), ...(username === null ? {} : { username: `@${username}` }) };
  const waId = hasPhone ? { wa_id: from.slice(1) } : {};
  const ids = {
    ...(userId === null ? {} : { user_id: userId }),
    ...(parentUserId === null ? {} : { parent_user_id: parentUserId }),
  };
  const sender = {
    ...(hasPhone ? { from: from.slice(1) } : {}),
    ...(userId === null ? {} : { from_user_id: userId }),
    ...(parentUserId === null ? {} : { from_parent_user_id: parentUserId }),
  };
  return changeCallback(number, "messages", {
    contacts: [{ profile, ...waId, ...ids }],
    messages: [{ ...sender, id: networkMessageId, timestamp: seconds(at), ...content }],
  });
}

/** `value`: beside what every change of a number carries. */
export function changeCallback(number: FromNumber, field: string, value: Record<string, unknown>): string {
  const metadata = { display_phone_number: number.phone.slice(1), phone_number_id: number.phoneNumberId };
  return envelope(number.accountId, { field, value: { messaging_product: "whatsapp", metadata, ...value } });
}

/** An update about the number's account, which names no number unless `value` does. `at`: milliseconds. */
export function accountCallback(
  { accountId }: Pick<FromNumber, "accountId">,
  field: string,
  value: Record<string, unknown>,
  at: number,
): string {
  return envelope(accountId, { field, value }, at);
}

function envelope(accountId: string, change: Record<string, unknown>, at: number | null = null): string {
  const time = at === null ? {} : { time: Math.floor(at / 1000) };
  return JSON.stringify({
    object: "whatsapp_business_account",
    entry: [{ id: accountId, ...time, changes: [change] }],
  });
}

/** Unix seconds as text, like the network's own timestamps. */
export function seconds(ms: number): string {
  return String(Math.floor(ms / 1000));
}
