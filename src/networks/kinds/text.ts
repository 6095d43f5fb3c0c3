/** Free-form text, alone or with the network's own button that asks for a phone number. Pure. */
import type { ContactRequestContent, TextContent } from "#src/domain/messages/kinds/text.ts";
import type { NetworkKind } from "./kind.ts";

export const text: NetworkKind<TextContent> = {
  // Meta describes no preview for a message with a category.
  payload: ({ body, hasPreview = false }, { isDirect }) => ({
    type: "text",
    text: isDirect === true ? { body } : { preview_url: hasPreview, body },
  }),
};

/** The button's words are Meta's own. */
export const contactRequest: NetworkKind<ContactRequestContent> = {
  payload: ({ body }) => {
    const type = "request_contact_info";
    return { type: "interactive", interactive: { type, body: { text: body }, action: { name: type } } };
  },
};
