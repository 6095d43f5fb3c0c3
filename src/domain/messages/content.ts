/**
 * The complete content of a message for the network, by kind: the connector adds nothing and looks nothing up. What a
 * network makes of a kind is a file in `networks/kinds`; the kinds beside templates are files in `kinds`.
 */
import type { ServiceContent } from "./kinds/kinds.ts";

export type Content = ServiceContent | TemplateContent;

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
  /** Null: it is an upload. */
  link: string | null;
  /** Absent: it goes by its link. */
  uploadId?: number;
  /** For documents only: the name that the phone shows. */
  filename: string | null;
}

export interface PlaceholderValue {
  /** The placeholder's name in templates with named placeholders; null if placeholders are numbered. */
  name: string | null;
  text: string;
}

/** The upload that the message sends; null: none. */
export function uploadOf(content: Content): number | null {
  if (content.type === "media") return content.media.id ?? null;
  if (content.type === "interactive") {
    const { header } = content.interactive;
    return typeof header === "object" ? (header.id ?? null) : null;
  }
  if (content.type !== "template" || content.header === null || content.header.type === "text") return null;
  return content.header.uploadId ?? null;
}
