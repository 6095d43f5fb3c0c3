/** Contacts: show one, list for syncing, create or change, opt out. */
import { Type } from "@sinclair/typebox";
import { notFound } from "#src/core/problem.ts";
import { lookUpContact } from "#src/domain/contacts/find.ts";
import { listContacts } from "#src/domain/contacts/list.ts";
import { optOutNumber } from "#src/domain/contacts/opt-out.ts";
import { putContactOf } from "#src/domain/contacts/put.ts";
import { ContactView } from "#src/domain/contacts/schema.ts";
import { viewContact } from "#src/domain/contacts/view.ts";
import { readContactChanges } from "../../bodies/contact-body.ts";
import { ContactBody } from "../../bodies/contact-schema.ts";
import { readContactCursor } from "../../cursors.ts";
import { answerData, answerJson, type Endpoint, type Parameter } from "../../endpoint.ts";
import { countListed, identityParameter, readIdentity } from "../../listed-identity.ts";
import { pageOfRows, pageParameters, readSince, readSizedPage } from "../../page.ts";
import { contactExample } from "../examples.ts";

export const phoneParameter: Parameter = {
  name: "phone",
  in: "path",
  required: true,
  description:
    "A phone number in any common format, or a user id. Without a country code, the workspace's country is assumed. Encode a leading `+` as `%2B` or omit it.",
  schema: Type.String({ examples: ["919876543210"] }),
};

export const listContactsEndpoint: Endpoint = {
  method: "GET",
  path: "/contacts",
  operationId: "listContacts",
  tag: "Contacts",
  summary: "List contacts",
  description:
    "Returns contacts, most recently updated first. To sync contacts, set `updated_since` and follow `meta.next` until it is null: contacts that change in the meantime are returned again, and none is missed.",
  parameters: [
    {
      name: "updated_since",
      in: "query",
      required: false,
      description: "Return only contacts that were updated at or after this time.",
      schema: Type.String({ format: "date-time", examples: ["2026-11-20T00:00:00+05:30"] }),
    },
    identityParameter,
    ...pageParameters,
  ],
  success: {
    status: 200,
    description: "One page of contacts.",
    data: ContactView,
    isList: true,
    example: [contactExample],
  },
  problems: [],
  handle: async ({ store, reader, workspace, query }) => {
    const since = readSince(query, "updated_since", workspace.timezone);
    const from = readSizedPage(query);
    const listed = { workspaceId: workspace.id, identity: readIdentity(query) };
    const position = "after" in from ? { after: readContactCursor(from.after) } : from;
    await store.waitForOtherWriters();
    const total = await countListed({ store, reader }, listed, "contacts", since);
    return store.read((tx) => {
      const { contacts, hasMore, next } = listContacts(tx, listed, since, position, from.perPage);
      const shown = contacts.map((contact) => viewContact(tx, contact, workspace));
      return answerJson(200, pageOfRows(from, shown, { total, hasMore, next }));
    });
  },
};

export const getContactEndpoint: Endpoint = {
  method: "GET",
  path: "/contacts/{phone}",
  operationId: "getContact",
  tag: "Contacts",
  summary: "Retrieve a contact",
  description: "Returns the contact with this phone number.",
  parameters: [phoneParameter],
  success: { status: 200, description: "The contact.", data: ContactView, isList: false, example: contactExample },
  problems: ["not_found"],
  handle: ({ store, workspace, path }) =>
    store.read((tx) => {
      const person = lookUpContact(tx, workspace.id, path.phone ?? "", workspace.country);
      if (person?.contact == null) throw notFound("contact");
      return answerData(200, viewContact(tx, person.contact, workspace));
    }),
};

export const putContactEndpoint: Endpoint = {
  method: "PUT",
  path: "/contacts/{phone}",
  operationId: "putContact",
  tag: "Contacts",
  summary: "Create or update a contact",
  description:
    "Creates or updates a contact. Fields that are not in the body keep their value. Returns 201 if the contact was created.",
  parameters: [phoneParameter],
  body: {
    schema: ContactBody,
    examples: {
      profile: { summary: "Profile fields", value: { name: "Asha Rao", city: "Pune", add_tags: ["vip"] } },
      consent: { summary: "Consent", value: { consent: "opted_in", add_to_groups: ["Regulars"] } },
    },
  },
  success: {
    status: 200,
    otherStatus: { status: 201, description: "The contact was created." },
    description: "The contact was updated.",
    data: ContactView,
    isList: false,
    example: contactExample,
  },
  problems: ["invalid_number", "opted_out"],
  handle: ({ store, workspace, path, body, keyId }) => {
    const changes = readContactChanges(body);
    return store.write((tx) => {
      const why = { source: "api", evidence: { key: keyId } } as const;
      const { contact, isNew } = putContactOf(tx, workspace, path.phone ?? "", changes, why);
      return answerData(isNew ? 201 : 200, viewContact(tx, contact, workspace));
    });
  },
};

export const optOutEndpoint: Endpoint = {
  method: "POST",
  path: "/contacts/{phone}/opt-out",
  operationId: "optOutContact",
  tag: "Contacts",
  summary: "Opt out a contact",
  description:
    "Records an opt-out that reached your own system. No messages are sent to the person until they send START. Also works for numbers that are not contacts yet, and in suspended workspaces.",
  parameters: [phoneParameter],
  success: { status: 200, description: "The contact.", data: ContactView, isList: false, example: contactExample },
  problems: ["invalid_number"],
  handle: ({ store, workspace, path, keyId }) =>
    store.write((tx) => {
      const why = { source: "api", evidence: { key: keyId } } as const;
      return answerData(200, viewContact(tx, optOutNumber(tx, workspace, path.phone ?? "", why), workspace));
    }),
};
