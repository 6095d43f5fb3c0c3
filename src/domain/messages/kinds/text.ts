/** Free-form text, alone or with the network's own button that asks for a phone number. Pure. */
import { Type } from "@sinclair/typebox";
import { inDocument, NOT_BLANK } from "#src/core/schema.ts";
import { SHOWS_NOTHING } from "#src/core/shown-text.ts";
import type { RequestedKind, ServiceKind } from "./kind.ts";

const TEXT_LENGTH_MAX = 4096;

export interface TextContent {
  type: "text";
  body: string;
}

/** A text with the network's own button, by which a person shares their phone number. */
export interface ContactRequestContent {
  type: "contact_request";
  body: string;
}

export const KeptText = Type.Object(
  { text: Type.String() },
  { $id: "TextContent", description: "The text that was sent." },
);

export const text = {
  typeOf: () => "text",
  textOf: ({ body }) => body,
  keptOf: () => null,
  form: {
    $id: "SendText",
    description: "Sends free-form text. Free-form text can be sent within 24 hours of the recipient's last message.",
    members: {
      text: inDocument(
        Type.String({
          minLength: 1,
          maxLength: TEXT_LENGTH_MAX,
          description: "The text, which must not be blank.",
          examples: ["Your table is ready."],
        }),
        NOT_BLANK,
      ),
    },
  },
  read(body, fields) {
    const { text } = body as { text: string };
    if (SHOWS_NOTHING.test(text)) fields.text = [{ rule: "too_short", sentence: "The text must not be blank." }];
    return { type: "text", body: text };
  },
} as const satisfies RequestedKind<TextContent, never>;

export const contactRequest: ServiceKind<ContactRequestContent, never> = {
  typeOf: () => "text",
  textOf: ({ body }) => body,
  keptOf: () => null,
};
