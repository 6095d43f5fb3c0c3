/** The kinds of messages as networks know them, one file each; a kind of the domain that is missing here does not compile. */
import type { Content } from "#src/domain/messages/content.ts";
import { contacts } from "./contacts.ts";
import { interactive } from "./interactive.ts";
import type { NetworkKind } from "./kind.ts";
import { location } from "./location.ts";
import { media } from "./media.ts";
import { reaction } from "./reaction.ts";
import { template } from "./template.ts";
import { contactRequest, text } from "./text.ts";

const kinds: { readonly [Type in Content["type"]]: NetworkKind<Extract<Content, { type: Type }>> } = {
  text,
  media,
  location,
  contacts,
  interactive,
  reaction,
  contact_request: contactRequest,
  template,
};

/** What the network knows about the kind of this content. */
export function kindOf<Kind extends Content>({ type }: Kind): NetworkKind<Kind> {
  // The key and the content have the same type, which the compiler cannot see of a union.
  return kinds[type] as NetworkKind<Content>;
}
