/**
 * Composes the callbacks that a simulated phone causes, in exactly the Cloud API's format. They enter through the same
 * queue and are read by the same parser as those of the real network.
 */
import type { Sender } from "../network.ts";

type FromNumber = Pick<Sender, "phone" | "phoneNumberId" | "accountId">;

interface SimulatedStatus {
  networkMessageId: string;
  sendToken: string;
  status: "sent" | "delivered" | "read" | "failed";
  /** Milliseconds. */
  at: number;
  /** E.164. */
  to: string;
  error: { code: string; title: string } | null;
}

export function statusCallback(sender: FromNumber, status: SimulatedStatus): string {
  return callback(sender, {
    statuses: [
      {
        id: status.networkMessageId,
        status: status.status,
        timestamp: seconds(status.at),
        recipient_id: status.to.slice(1),
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
  /** E.164. */
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
  /** `type`, the member of that name, and what else a message may carry, as Meta writes them. */
  content: Readonly<Record<string, unknown>>;
}

export function contentCallback(
  number: FromNumber,
  { networkMessageId, from, at, name, content }: InboundContent,
): string {
  const waId = from.slice(1);
  return callback(number, {
    contacts: [{ profile: name === null ? {} : { name }, wa_id: waId }],
    messages: [{ from: waId, id: networkMessageId, timestamp: seconds(at), ...content }],
  });
}

function callback(number: FromNumber, value: Record<string, unknown>): string {
  const metadata = { display_phone_number: number.phone.slice(1), phone_number_id: number.phoneNumberId };
  return JSON.stringify({
    object: "whatsapp_business_account",
    entry: [
      {
        id: number.accountId,
        changes: [{ field: "messages", value: { messaging_product: "whatsapp", metadata, ...value } }],
      },
    ],
  });
}

/** Unix seconds as text, like the network's own timestamps. */
function seconds(ms: number): string {
  return String(Math.floor(ms / 1000));
}
