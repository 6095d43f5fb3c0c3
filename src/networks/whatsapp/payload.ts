/**
 * Builds the body of Meta's `/messages` request from a message: what each request has, and the part of its kind. Pure:
 * the same message always yields the same body, and nothing is looked up, shortened or repaired.
 */
import { kindOf } from "../kinds/kinds.ts";
import type { OutboundMessage } from "../network.ts";

interface MessagePayload extends Readonly<Record<string, unknown>> {
  messaging_product: "whatsapp";
  recipient_type: "individual";
  /**
   * With `+`. Without it, Meta reads the digits as a number of the sending number's country and may reach a stranger.
   */
  to?: string;
  /** Meta's own id of the person, if the phone number is not known. */
  recipient?: string;
  type: string;
  /** The message that this one quotes. */
  context?: { message_id: string };
  /** Returned on every status, so that a message whose answer was lost can be matched. */
  biz_opaque_callback_data: string;
}

const NO_UPLOADS: ReadonlyMap<number, string> = new Map();

export function createPayload(
  outbound: Pick<
    OutboundMessage,
    "to" | "recipientNetworkUserId" | "sendToken" | "content" | "about" | "uploads" | "category"
  >,
  /** Meta's id of the template's sample; null: Meta fetches the file by its link. */
  sampleId: string | null = null,
): MessagePayload {
  const { content, about = null, uploads = NO_UPLOADS, category } = outbound;
  const kind = kindOf(content);
  return {
    messaging_product: "whatsapp",
    recipient_type: "individual",
    ...recipientOf(outbound),
    ...(about === null || kind.namesAbout === true ? {} : { context: { message_id: about } }),
    biz_opaque_callback_data: outbound.sendToken,
    ...kind.payload(content, { uploads, sampleId, about, isDirect: category !== undefined }),
    ...(category === undefined ? {} : { category }),
  };
}

/** Uses the phone number whenever it is known, because one-time passwords cannot be sent to a user id. */
function recipientOf(outbound: Pick<OutboundMessage, "to" | "recipientNetworkUserId">): {
  to?: string;
  recipient?: string;
} {
  if (outbound.to !== null) return { to: outbound.to };
  return outbound.recipientNetworkUserId === null ? {} : { recipient: outbound.recipientNetworkUserId };
}
