/** The schema of the body of `PUT /contacts`. Pure. */
import { Type } from "@sinclair/typebox";
import { inDocument } from "#src/core/schema.ts";
import { ContactBody } from "./contact-schema.ts";

const CONTACTS_MAX = 500;

/** Without a name, because the server's validator knows the named one as a part of the whole body. */
export const ContactOfManyBody = Type.Object(
  {
    phone: Type.String({
      description: "As in the path of `PUT /contacts/{phone}`: a phone number in any common format, or a user id.",
      examples: ["+919876543210"],
    }),
    ...ContactBody.properties,
  },
  { additionalProperties: false },
);

const NamedContact = {
  ...ContactOfManyBody,
  $id: "ContactOfManyInput",
  description: "One of many contacts to create or update: its number, and the fields of `ContactInput`.",
};

export const ContactsBody = Type.Object(
  {
    // The server checks the contacts one by one, so that a wrong one does not refuse the others.
    contacts: Type.Array(inDocument(Type.Unknown(), NamedContact), {
      minItems: 1,
      maxItems: CONTACTS_MAX,
      description: "Applied in this order.",
    }),
  },
  { $id: "ContactsInput", additionalProperties: false, description: "Many contacts to create or update." },
);
