/**
 * Builds the body of Meta's `/messages` request from a message. Pure: the same message always yields the same body, and
 * nothing is looked up, shortened or repaired.
 */
import type { MediaHeader, PlaceholderValue, TemplateContent, TextHeader } from "#src/domain/messages/content.ts";
import type { OutboundMessage } from "../network.ts";

interface MessagePayload {
  messaging_product: "whatsapp";
  recipient_type: "individual";
  /**
   * With `+`. Without it, Meta reads the digits as a number of the sending number's country and may reach a stranger.
   */
  to?: string;
  /** Meta's own id of the person, if the phone number is not known. */
  recipient?: string;
  type: "text" | "template" | "interactive";
  /** Returned on every status, so that a message whose answer was lost can be matched. */
  biz_opaque_callback_data: string;
  text?: { preview_url: false; body: string };
  template?: TemplatePayload;
  interactive?: ContactRequestPayload;
}

/** The button's words are Meta's own. */
interface ContactRequestPayload {
  type: "request_contact_info";
  body: { text: string };
  action: { name: "request_contact_info" };
}

interface TemplatePayload {
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
  /** Meta's id of the header's file if it was uploaded; null: Meta fetches the file by its link. */
  mediaId: string | null = null,
): MessagePayload {
  const { content } = outbound;
  const addressed = {
    messaging_product: "whatsapp",
    recipient_type: "individual",
    ...recipientOf(outbound),
    type: content.type === "contact_request" ? "interactive" : content.type,
    biz_opaque_callback_data: outbound.sendToken,
  } as const;
  switch (content.type) {
    case "text":
      return { ...addressed, text: { preview_url: false, body: content.body } };
    case "contact_request": {
      const type = "request_contact_info";
      return { ...addressed, interactive: { type, body: { text: content.body }, action: { name: type } } };
    }
    case "template":
      return { ...addressed, template: templateOf(content, mediaId) };
  }
}

/** Uses the phone number whenever it is known, because one-time passwords cannot be sent to a user id. */
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

/** Omits a component without values: Meta counts parameters, and rejects an empty list as a wrong count. */
function componentsOf({ header, body, oneTimePassword }: TemplateContent, mediaId: string | null): Component[] {
  const components: Component[] = [];
  const headerParameters = header === null ? [] : headerParametersOf(header, mediaId);
  if (headerParameters.length > 0) components.push({ type: "header", parameters: headerParameters });
  if (body.length > 0) components.push({ type: "body", parameters: body.map(textParameter) });
  if (oneTimePassword !== null) {
    // Created as an OTP button, but filled like a URL button whose suffix is the code.
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
