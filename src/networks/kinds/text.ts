/** Free-form text, alone or with the network's own button that asks for a phone number. Pure. */
import type { ContactRequestContent, TextContent } from "#src/domain/messages/content.ts";
import { type NetworkKind, refuseText } from "./kind.ts";

const TEXT_MAX = 4_096;
/** The button comes with an interactive message, whose body is shorter than a text. */
const CONTACT_REQUEST_MAX = 1_024;

export const text: NetworkKind<TextContent> = {
  payload: ({ body }) => ({ type: "text", text: { preview_url: false, body } }),
  refuse: ({ body }) => refuseText(body, TEXT_MAX),
};

/** The button's words are Meta's own. */
export const contactRequest: NetworkKind<ContactRequestContent> = {
  payload: ({ body }) => {
    const type = "request_contact_info";
    return { type: "interactive", interactive: { type, body: { text: body }, action: { name: type } } };
  },
  refuse: ({ body }) => refuseText(body, CONTACT_REQUEST_MAX),
};
