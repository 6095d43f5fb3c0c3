/** Contact cards: the request has Meta's own form already. Pure. */
import type { ContactsContent } from "#src/domain/messages/kinds/contacts.ts";
import type { NetworkKind } from "./kind.ts";

export const contacts: NetworkKind<ContactsContent> = {
  payload: ({ contacts }) => ({ type: "contacts", contacts }),
};
