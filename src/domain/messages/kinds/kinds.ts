/** The kinds of free messages. One that is missing here, or in `networks/kinds`, does not compile. */
import { type Static, Type } from "@sinclair/typebox";
import { type ContactsContent, contacts, KeptContacts } from "./contacts.ts";
import { type InteractiveContent, interactive, KeptInteractive } from "./interactive.ts";
import type { RequestedKind, ServiceKind, ServiceType, Words } from "./kind.ts";
import { KeptLocation, type LocationContent, location } from "./location.ts";
import { KeptMedia, type MediaContent, media } from "./media.ts";
import { KeptReaction, type ReactionContent, reaction } from "./reaction.ts";
import { type ContactRequestContent, contactRequest, KeptText, type TextContent, text } from "./text.ts";

/** Needs an open window, and is never charged. */
export type ServiceContent =
  | TextContent
  | MediaContent
  | LocationContent
  | ContactsContent
  | InteractiveContent
  | ReactionContent
  | ContactRequestContent;

/** What is stored of a message beside its text. It never holds a link. */
export const KeptContentView = Type.Union([
  KeptMedia,
  KeptLocation,
  KeptContacts,
  KeptInteractive,
  KeptReaction,
  KeptText,
]);
export type KeptContent = Static<typeof KeptContentView>;

/** By the member of `POST /messages` that names them. */
export const requestedKinds = { text, media, location, contacts, interactive, reaction } as const;
export type RequestedName = keyof typeof requestedKinds;

const kinds: {
  readonly [Kind in ServiceContent["type"]]: ServiceKind<Extract<ServiceContent, { type: Kind }>, KeptContent>;
} = { ...requestedKinds, contact_request: contactRequest };

export function typeOf(content: ServiceContent): ServiceType {
  return kindOf(content).typeOf(content);
}

export function textOf(content: ServiceContent): string {
  return kindOf(content).textOf(content);
}

export function keptOf(content: ServiceContent): KeptContent | null {
  return kindOf(content).keptOf(content);
}

/** Null: the content has no words. */
export function wordsOf(content: ServiceContent): Words<ServiceContent> | null {
  return kindOf(content).wordsOf?.(content) ?? null;
}

function kindOf({ type }: ServiceContent): ServiceKind<ServiceContent, KeptContent> {
  // The key and the content have the same type, which the compiler cannot see of a union.
  return kinds[type] as ServiceKind<ServiceContent, KeptContent>;
}

export function readKind(name: RequestedName): RequestedKind<ServiceContent, KeptContent> {
  return requestedKinds[name] as RequestedKind<ServiceContent, KeptContent>;
}
