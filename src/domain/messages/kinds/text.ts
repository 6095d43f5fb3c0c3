/** Free-form text, alone or with the network's own button that asks for a phone number. Pure. */
import { type Static, Type } from "@sinclair/typebox";
import { inDocument, NOT_BLANK } from "#src/core/schema.ts";
import { SHOWS_NOTHING } from "#src/core/shown-text.ts";
import type { RequestedKind, ServiceKind, Words } from "./kind.ts";
import { limits } from "./limits.ts";

export interface TextContent {
  type: "text";
  body: string;
  /** Shows a preview of the first link. Absent: none. */
  hasPreview?: true;
}

/** A text with the network's own button, by which a person shares their phone number. */
export interface ContactRequestContent {
  type: "contact_request";
  body: string;
}

export const KeptText = Type.Object(
  { text: Type.String(), preview_url: Type.Optional(Type.Boolean()) },
  { $id: "TextContent", description: "The text that was sent." },
);

export const text = {
  typeOf: () => "text",
  textOf: ({ body }) => body,
  keptOf: ({ body, hasPreview }) => (hasPreview === true ? { text: body, preview_url: true } : null),
  wordsOf,
  form: {
    $id: "SendText",
    description: "Sends free-form text. Free-form text can be sent within 24 hours of the recipient's last message.",
    members: {
      text: inDocument(
        Type.String({
          minLength: 1,
          maxLength: limits.text,
          description: "The text, which must not be blank.",
          examples: ["Your table is ready."],
        }),
        NOT_BLANK,
      ),
      preview_url: Type.Optional(
        Type.Boolean({ description: "Whether a preview of the first link in the text is shown. Default: false." }),
      ),
    },
  },
  read(body, fields) {
    const { text, preview_url: preview } = body as { text: string; preview_url?: boolean };
    if (SHOWS_NOTHING.test(text)) fields.text = [{ rule: "too_short", sentence: "The text must not be blank." }];
    return { type: "text", body: text, ...(preview === true ? { hasPreview: true as const } : {}) };
  },
} as const satisfies RequestedKind<TextContent, Static<typeof KeptText>>;

export const contactRequest: ServiceKind<ContactRequestContent, never> = {
  typeOf: () => "text",
  textOf: ({ body }) => body,
  keptOf: () => null,
  wordsOf,
};

function wordsOf<Content extends TextContent | ContactRequestContent>(content: Content): Words<Content> {
  return { field: "text", text: content.body, max: limits.text, replaced: (body) => ({ ...content, body }) };
}
