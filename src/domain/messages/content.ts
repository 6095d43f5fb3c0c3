/**
 * The complete content of a message for the network, by kind: the connector adds nothing and looks nothing up. What a
 * network makes of a kind is a file in `networks/kinds`.
 */
import type { MessageType } from "./message.ts";

export type Content = ServiceContent | TemplateContent;

/** Needs an open window, and is never charged. */
export type ServiceContent = TextContent | ContactRequestContent;

/** `type`: what is stored and shown as the message's type. `textOf`: what the person reads. */
export const serviceKinds: {
  readonly [Kind in ServiceContent["type"]]: {
    type: Exclude<MessageType, "template">;
    textOf(content: Extract<ServiceContent, { type: Kind }>): string;
  };
} = {
  text: { type: "text", textOf: ({ body }) => body },
  contact_request: { type: "text", textOf: ({ body }) => body },
};

export function textOf(content: ServiceContent): string {
  // The key and the content have the same type, which the compiler cannot see of a union.
  const { textOf: read }: { textOf(content: ServiceContent): string } = serviceKinds[content.type];
  return read(content);
}

export interface TextContent {
  type: "text";
  body: string;
}

/** A text with the network's own button, by which a person shares their phone number. */
export interface ContactRequestContent {
  type: "contact_request";
  body: string;
}

export interface TemplateContent {
  type: "template";
  name: string;
  language: string;
  header: TextHeader | MediaHeader | null;
  /** Values of the body's placeholders, in order. Empty if the body takes none. */
  body: readonly PlaceholderValue[];
  /** The one-time-password button of an AUTHENTICATION template; it repeats the body's value. */
  oneTimePassword: { index: number; code: string } | null;
}

export interface TextHeader {
  type: "text";
  values: readonly PlaceholderValue[];
}

export interface MediaHeader {
  type: "image" | "video" | "document";
  link: string;
  /** For documents only: the name that the phone shows. */
  filename: string | null;
}

export interface PlaceholderValue {
  /** The placeholder's name in templates with named placeholders; null if placeholders are numbered. */
  name: string | null;
  text: string;
}
