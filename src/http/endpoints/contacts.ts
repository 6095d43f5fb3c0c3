/** Contacts: list, show, change and opt out; search and filter, export as a file, and the consent history of each. */

import { Type } from "@sinclair/typebox";
import { Instant, Nullable, OneOf } from "#src/core/schema.ts";
import { consentSources, consents } from "#src/domain/contacts/consent.ts";
import { listConsentChanges } from "#src/domain/contacts/consent-log.ts";
import { clearDoubtOf } from "#src/domain/contacts/doubt.ts";
import { listContacts } from "#src/domain/contacts/list.ts";
import { optOutNumber } from "#src/domain/contacts/opt-out.ts";
import { putContactOf } from "#src/domain/contacts/put.ts";
import { ContactView } from "#src/domain/contacts/schema.ts";
import { viewContact } from "#src/domain/contacts/view.ts";
import { SORTED_WITHOUT_INDEX_MAX } from "#src/domain/filters/sort.ts";
import { listConversationsWith } from "#src/domain/inbound/conversations.ts";
import { findTextAt } from "#src/domain/inbound/read.ts";
import { type CountedTarget, readTarget } from "#src/transfer/bulk-target.ts";
import { contactLines } from "#src/transfer/export-contacts.ts";
import { ContactBody, readContactChanges } from "../bodies/contact.ts";
import { answerCsv, CSV } from "../console/csv-file.ts";
import { contactFilter, isSelective, readContactSearch } from "../contact-filter.ts";
import { countListed, IdentityQuery } from "../listed-identity.ts";
import { PageQuery, pageOfRows, readPage, readSince } from "../page.ts";
import { timesOf } from "../times.ts";
import { change, Refusal, type WorkspaceCall } from "./call.ts";
import { contactPosition, identityOf, searchContacts, shownAt, sortContacts } from "./contact-list.ts";
import { PhoneParam, requireContact, requireContactOrMove } from "./contact-path.ts";
import { putManyEndpoints } from "./contacts-put-many.ts";
import { conversationEndpoints } from "./conversation.ts";
import { Data, type Declaration, endpoint, File, ListOf } from "./endpoint.ts";
import { contactExample } from "./examples.ts";
import { Details } from "./fragments.ts";
import { show } from "./show.ts";

/** `group`: the id of a static or dynamic group. */
const SearchQuery = { q: Type.String(), consent: OneOf(consents), group: Type.String(), filter: Type.String() };

const ExportQuery = {
  ...SearchQuery,
  /** As they were counted: without them, the file has those who are found. */
  count: Type.Integer({ minimum: 0 }),
  set: Type.String(),
};
const ConsentChange = Type.Object({
  id: Type.Integer(),
  at: Instant(),
  was: OneOf(consents),
  became: OneOf(consents),
  source: OneOf(consentSources),
  evidence: Details,
});

const FilterQuery = {
  tag: Type.String({ description: "Only contacts with this tag." }),
  group: Type.String({
    description: "Only contacts in this group, static or dynamic: its id, or its name if no group has this id.",
  }),
  consent: OneOf(consents, "Only contacts with this consent."),
  country: Type.String({
    examples: ["IN"],
    description:
      "Only contacts whose phone number is of this country, two letters as in ISO 3166. Countries that share a calling code, such as Jersey and the United Kingdom, are listed together, except for +1 and +7.",
  }),
  q: Type.String({
    description:
      "Only contacts with this text in a name, the e-mail address, the username or the phone number, or with each of its words, at most 8, at the beginning of a name.",
  }),
  filter: Type.String({
    examples: ['{"all": [{"field": "city", "is": "Pune"}, {"field": "fields.points", "over": 100}]}'],
    description: "Only contacts that match this filter: JSON, as the filter of a dynamic group.",
  }),
};

const params = { phone: PhoneParam };

const list = {
  key: ["read", "contacts"],
  session: "inbox",
  query: {
    ...FilterQuery,
    updated_since: Type.String({
      format: "date-time",
      examples: ["2026-11-20T00:00:00+05:30"],
      description: "Return only contacts that were updated at or after this time.",
    }),
    sort: Type.String({
      examples: ["name", "-last_message_at"],
      description: `The order of the list; with - before it, the other direction. By phone, name, consent, last_message_at, created_at, updated_at, city, username, birthday or anniversary. By another profile field, or by fields. and the key of a custom field, at most ${SORTED_WITHOUT_INDEX_MAX.toLocaleString("en")} contacts. Contacts without a value come last. Pages are read with \`after\`; a contact whose value changes meanwhile can be missed or returned twice. Without it, the list is sorted by update, newest first, and nothing is missed.`,
    }),
    ...IdentityQuery,
    ...PageQuery,
  },
  output: ListOf(ContactView),
  reference: {
    operationId: "listContacts",
    tag: "Contacts",
    summary: "List contacts",
    description:
      "Returns contacts, most recently updated first. To sync contacts, set `updated_since` and follow `meta.next` until it is null: contacts that change in the meantime are returned again, and none is missed. Filters can be combined with each other and with `updated_since`.",
    success: "One page of contacts.",
    example: [contactExample],
  },
} as const satisfies Declaration;

export const contactEndpoints = {
  "GET /w/{workspace}/contacts": endpoint(list).load(async (call) => {
    const { store, reader, workspace, query } = call;
    // A program that syncs must miss nothing that another process is writing. The console shows the page at once, with a
    // total from counters.
    if (call.user === null) await store.waitForOtherWriters();
    const search = { ...readContactSearch(query), tag: query.get("tag"), country: query.get("country") };
    if (query.get("sort") !== null) return sortContacts(call, search);
    if (isSelective(search)) return searchContacts(call, search);
    const since = readSince(query, "updated_since", workspace.timezone);
    const from = readPage(query, contactPosition);
    const identity = identityOf(call);
    const listed = { workspaceId: workspace.id, identity };
    const counted = call.user === null ? listed : { ...listed, identity: "phone" as const };
    const total = await countListed({ store, reader }, counted, "contacts", since);
    return store.read((tx) => {
      const { places, ...page } = listContacts(tx, listed, since, from, from.perPage);
      return pageOfRows(from, shownAt(places, workspace), { ...page, total });
    });
  }),
  ...putManyEndpoints,
  "GET /w/{workspace}/contacts/{phone}": endpoint({
    key: ["read", "contacts"],
    session: "inbox",
    params,
    output: Data(ContactView),
    reference: {
      operationId: "getContact",
      tag: "Contacts",
      summary: "Retrieve a contact",
      description:
        "Returns the contact with this phone number. For 30 days after a person moved to another number, the old number returns 404 with the new one in `error.moved_to`.",
      success: "The contact.",
      example: contactExample,
      problems: ["not_found"],
    },
  }).read((tx, call) => viewContact(tx, requireContactOrMove(call, tx), call.workspace)),
  "PUT /w/{workspace}/contacts/{phone}": endpoint({
    key: ["contacts"],
    session: "inbox",
    params,
    body: ContactBody,
    checkedBy: "handler",
    output: Data(ContactView),
    reference: {
      operationId: "putContact",
      tag: "Contacts",
      summary: "Create or update a contact",
      description:
        "Creates or updates a contact. Fields that are not in the body keep their value. Returns 201 if the contact was created.",
      bodies: {
        profile: { summary: "Profile fields", value: { name: "Asha Rao", city: "Pune", add_tags: ["vip"] } },
        consent: { summary: "Consent", value: { consent: "opted_in", add_to_groups: ["Regulars"] } },
      },
      success: "The contact was updated.",
      created: "The contact was created.",
      example: contactExample,
      problems: ["invalid_number", "opted_out"],
    },
  }).answer((call) => {
    const { workspace, path, by } = call;
    const changes = readContactChanges(call.body);
    return change(call, (tx) => {
      const { contact, isNew } = putContactOf(tx, workspace, path.phone, changes, by);
      const audit = { action: "contact.change", subject: path.phone };
      return { status: isNew ? 201 : 200, data: viewContact(tx, contact, workspace), audit };
    });
  }),
  ...conversationEndpoints,
  "POST /w/{workspace}/contacts/{phone}/opt-out": endpoint({
    key: ["contacts"],
    session: "inbox",
    params,
    output: Data(ContactView),
    reference: {
      operationId: "optOutContact",
      tag: "Contacts",
      summary: "Opt out a contact",
      description:
        "Records an opt-out that reached your own system. No messages are sent to the person until they send START. Also works for numbers that are not contacts yet, and in suspended workspaces.",
      success: "The contact.",
      example: contactExample,
      problems: ["invalid_number"],
    },
  }).change((tx, { workspace, path, by }) => {
    const contact = optOutNumber(tx, workspace, path.phone, by);
    const audit = { action: "contact.opt-out", subject: path.phone };
    return { status: 200, data: viewContact(tx, contact, workspace), audit };
  }),
  "POST /w/{workspace}/contacts/{phone}/keep": endpoint({
    session: "inbox",
    params,
    output: Data(ContactView),
  }).change((tx, call) => {
    const { workspace, path } = call;
    const contact = clearDoubtOf(tx, workspace, path.phone);
    const audit = { action: "contact.keep", subject: path.phone };
    return { status: 200, data: viewContact(tx, contact, workspace), audit };
  }),
  /** Whom the export of this list would hand out. Changes nothing. */
  "GET /w/{workspace}/contacts/export/count": endpoint({
    session: "exports",
    query: SearchQuery,
    output: Data(Type.Object({ count: Type.Integer(), set: Type.String() })),
  }).load(async (call) => {
    const { count, set } = await readExported(call);
    return { count, set };
  }),
  /**
   * Exports everything that the list shows, on all pages, with the same code as `waxwing contact export`: exactly the contacts that were
   * counted, or nothing if they are others by now.
   */
  "GET /w/{workspace}/contacts/export": endpoint({
    session: "exports",
    isSensitive: true,
    query: ExportQuery,
    output: File(CSV),
  }).answer(async (call) => {
    const { store, workspace, query } = call;
    const isAll = !isSelective(readContactSearch(query));
    // Report an invalid search before the download starts.
    const { count, set, parts } = await readExported(call);
    const [shown, shownSet] = [query.get("count"), query.get("set")];
    if ((shown !== null && Number(shown) !== count) || (shownSet !== null && shownSet !== set))
      throw new Refusal(
        409,
        "changed",
        "These are other people than before. Nothing was handed out. Count them again.",
      );
    const subject = isAll ? "all" : "a selection";
    const file = { name: "contacts", action: "contact.export", subject, details: { count } };
    let part = 0;
    const nextIds = () => Promise.resolve(parts[part++] ?? []);
    return answerCsv(call, file, contactLines(store, workspace.id, nextIds, call.clock));
  }),
  "GET /w/{workspace}/contacts/{phone}/consent": endpoint({
    session: "inbox",
    params,
    output: Data(Type.Array(ConsentChange)),
  }).read((tx, call) =>
    listConsentChanges(tx, requireContact(call, tx).id).map((change) =>
      show(ConsentChange, change, timesOf(call.workspace), {}),
    ),
  ),
  /** Where the inbox has the person, also one who never wrote. */
  "GET /w/{workspace}/contacts/{phone}/inbox": endpoint({
    session: "inbox",
    params,
    output: Data(
      Type.Object({
        /** Null: the user is limited to numbers, and the person wrote to none of them. */
        contact_id: Nullable(Type.Integer()),
        /** What the person wrote that may mean that they want to stop; null: nothing, or not to a number of the user's. */
        doubted_text: Nullable(Type.String()),
      }),
    ),
  }).read((tx, call) => {
    const { id, mayWantToStopSince: since } = requireContact(call, tx);
    const { numberIds, workspace } = call;
    const isSeen = numberIds === null || listConversationsWith(tx, workspace.id, id, numberIds).length > 0;
    return {
      contact_id: isSeen ? id : null,
      doubted_text: since === null ? null : findTextAt(tx, id, since, numberIds),
    };
  }),
};

/** The contacts of the list, all pages of it. Throws `invalid_request`. */
async function readExported(call: ExportCall): Promise<CountedTarget> {
  const { store, exportReader: reader, workspace, query, clock } = call;
  const filter = store.read((tx) => contactFilter(tx, workspace, readContactSearch(query)));
  return readTarget({ store, reader }, workspace, { filter }, clock.now());
}

type ExportCall = Pick<WorkspaceCall, "store" | "exportReader" | "workspace" | "clock"> & {
  query: Parameters<typeof readContactSearch>[0];
};
