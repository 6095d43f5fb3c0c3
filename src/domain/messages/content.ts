/**
 * The complete content of a message for the network, by kind: the connector adds nothing and looks nothing up. What a
 * network makes of a kind is a file in `networks/kinds`; the kinds beside templates are files in `kinds`.
 */
import type { ServiceContent } from "./kinds/kinds.ts";
import type { LocationContent } from "./kinds/location.ts";

export type Content = ServiceContent | TemplateContent;

export interface TemplateContent {
  type: "template";
  name: string;
  language: string;
  header: TextHeader | MediaHeader | LocationHeader | ProductHeader | null;
  /** Values of the body's placeholders, in order. Empty if the body takes none. */
  body: readonly PlaceholderValue[];
  /** The one-time-password button of an AUTHENTICATION template; it repeats the body's value. */
  oneTimePassword: { index: number; code: string } | null;
  /** Milliseconds. Absent: it has no offer, or none that ends. */
  offerEndsAt?: number;
  /** The buttons that are given something. Absent: none. */
  buttons?: readonly ButtonContent[];
  /** Absent: it is no carousel. */
  cards?: readonly CardContent[];
}

interface TextHeader {
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

interface LocationHeader {
  type: "location";
  location: LocationContent["location"];
}

/** A product of a catalogue, by the shop's own id of it. */
export interface ProductHeader {
  type: "product";
  catalogId: string;
  productId: string;
}

/** `index`: among all buttons of the template or card. */
export type ButtonContent =
  | { gives: "link" | "code" | "payload" | "flow"; index: number; value: string }
  /** `thumbnail`: the product whose picture is shown; null: the network chooses. */
  | { gives: "catalog"; index: number; thumbnail: string | null }
  | { gives: "products"; index: number; thumbnail: string; sections: readonly ProductSection[] }
  | { gives: "order"; index: number; details: Readonly<Record<string, unknown>> };

interface ProductSection {
  /** Null: there is only one. */
  title: string | null;
  /** The shop's own ids. */
  items: readonly string[];
}

export interface CardContent {
  header: MediaHeader | ProductHeader;
  body: readonly PlaceholderValue[];
  buttons: readonly ButtonContent[];
}

export interface PlaceholderValue {
  /** The placeholder's name in templates with named placeholders; null if placeholders are numbered. */
  name: string | null;
  text: string;
}

/** The uploads that the message sends, each once. */
export function uploadsOf(content: Content): number[] {
  return [...new Set(idsIn(content).filter((id) => id !== undefined))];
}

function idsIn(content: Content): (number | undefined)[] {
  switch (content.type) {
    case "media":
      return [content.media.id];
    case "interactive": {
      const { header } = content.interactive;
      return typeof header === "object" ? [header.id] : [];
    }
    case "template":
      return [content.header, ...(content.cards ?? []).map(({ header }) => header)].map((header) =>
        header !== null && "uploadId" in header ? header.uploadId : undefined,
      );
    default:
      return [];
  }
}
