/**
 * Turns what a message carries into the body that Meta's `/messages` takes. Pure: the same hand-over always makes the
 * same body, and nothing is looked up, shortened or repaired on the way.
 */
import type {
  Content,
  MediaHeader,
  PlaceholderValue,
  TemplateContent,
  TextHeader,
} from "#src/domain/messages/content.ts";
import type { OutboundMessage } from "../network.ts";

export interface MessagePayload {
  messaging_product: "whatsapp";
  recipient_type: "individual";
  /** With `+`: without it Meta reads the digits in the country of the sending number, and may reach a stranger. */
  to?: string;
  /** Meta's own id of the person, for somebody whose phone number is not known. */
  recipient?: string;
  type: Content["type"];
  /** Comes back on every status, so that a message whose answer was lost can still be found. */
  biz_opaque_callback_data: string;
  text?: { preview_url: false; body: string };
  template?: TemplatePayload;
}

export interface TemplatePayload {
  name: string;
  language: { code: string };
  components?: Component[];
}

type Component =
  | { type: "header" | "body"; parameters: Parameter[] }
  | { type: "button"; sub_type: "url"; index: string; parameters: Parameter[] };

type Parameter =
  | { type: "text"; text: string; parameter_name?: string }
  | { type: "image"; image: MediaSource }
  | { type: "video"; video: MediaSource }
  | { type: "document"; document: MediaSource & { filename?: string } };

/** Exactly one of the two. */
type MediaSource = { link: string } | { id: string };

export function createPayload(
  outbound: Pick<OutboundMessage, "to" | "recipientNetworkUserId" | "sendToken" | "content">,
  /** Under which the header's file lies at Meta already; null: Meta fetches it by its link. */
  mediaId: string | null = null,
): MessagePayload {
  const { content } = outbound;
  const addressed = {
    messaging_product: "whatsapp",
    recipient_type: "individual",
    ...recipientOf(outbound),
    type: content.type,
    biz_opaque_callback_data: outbound.sendToken,
  } as const;
  return content.type === "text"
    ? { ...addressed, text: { preview_url: false, body: content.body } }
    : { ...addressed, template: templateOf(content, mediaId) };
}

/** The phone number wherever it is known: one-time passwords can be sent to nothing else. */
function recipientOf(outbound: Pick<OutboundMessage, "to" | "recipientNetworkUserId">): {
  to?: string;
  recipient?: string;
} {
  if (outbound.to !== null) return { to: outbound.to };
  return outbound.recipientNetworkUserId === null ? {} : { recipient: outbound.recipientNetworkUserId };
}

function templateOf(content: TemplateContent, mediaId: string | null): TemplatePayload {
  const components = componentsOf(content, mediaId);
  return {
    name: content.name,
    language: { code: content.language },
    ...(components.length > 0 ? { components } : {}),
  };
}

/** A component without values is left out: Meta counts parameters, and an empty list is a wrong count. */
function componentsOf({ header, body, oneTimePassword }: TemplateContent, mediaId: string | null): Component[] {
  const components: Component[] = [];
  const headerParameters = header === null ? [] : headerParametersOf(header, mediaId);
  if (headerParameters.length > 0) components.push({ type: "header", parameters: headerParameters });
  if (body.length > 0) components.push({ type: "body", parameters: body.map(textParameter) });
  if (oneTimePassword !== null) {
    // Made as a button of type OTP, yet filled like a URL button whose suffix is the code.
    components.push({
      type: "button",
      sub_type: "url",
      index: String(oneTimePassword.index),
      parameters: [{ type: "text", text: oneTimePassword.code }],
    });
  }
  return components;
}

function headerParametersOf(header: TextHeader | MediaHeader, mediaId: string | null): Parameter[] {
  if (header.type === "text") return header.values.map(textParameter);
  const source: MediaSource = mediaId === null ? { link: header.link } : { id: mediaId };
  switch (header.type) {
    case "image":
      return [{ type: "image", image: source }];
    case "video":
      return [{ type: "video", video: source }];
    case "document":
      return [
        {
          type: "document",
          document: { ...source, ...(header.filename === null ? {} : { filename: header.filename }) },
        },
      ];
  }
}

function textParameter(value: PlaceholderValue): Parameter {
  return { type: "text", text: value.text, ...(value.name === null ? {} : { parameter_name: value.name }) };
}
