/** Possible duplicates among contacts: the pairs, two of them side by side, joining them, and the word that they are different people. */
import { type Static, Type } from "@sinclair/typebox";
import { Component, Form, Instant, Nullable, OneOf } from "#src/core/schema.ts";
import type { Reader } from "#src/db/reader.ts";
import type { ReadTx } from "#src/db/transaction.ts";
import { consents } from "#src/domain/contacts/consent.ts";
import { readDetails } from "#src/domain/contacts/details.ts";
import { findById, isAddressable } from "#src/domain/contacts/find.ts";
import { ContactView } from "#src/domain/contacts/schema.ts";
import type { Contact } from "#src/domain/contacts/table.ts";
import { displayNameOf, viewContact } from "#src/domain/contacts/view.ts";
import { compareFields, consentAfter, numbersAfter, requirePair, seenOf } from "#src/domain/erasure/join-compare.ts";
import { joinContacts } from "#src/domain/erasure/join-contacts.ts";
import { markDifferent } from "#src/domain/erasure/join-different.ts";
import { type FoundPair, pairReasons } from "#src/domain/erasure/join-pairs.ts";
import { COUNTED_MAX, previewErasure, readPreviewCounts } from "#src/domain/erasure/preview.ts";
import { findPairs } from "#src/transfer/find-pairs.ts";
import { timesOf } from "../times.ts";
import type { WorkspaceCall } from "./call.ts";
import { PhoneParam, requireContact } from "./contact-path.ts";
import { Data, endpoint } from "./endpoint.ts";
import { contactExample } from "./examples.ts";

const Side = Component("DuplicateContact", "One of two contacts that may be one person.", {
  phone: Nullable(Type.String()),
  user_id: Nullable(Type.String()),
  name: Nullable(Type.String()),
  email: Nullable(Type.String()),
  birthday: Nullable(Type.String()),
  consent: OneOf(consents),
  last_message_from_them_at: Nullable(Instant()),
  created_at: Instant(),
});

const Pair = Component("DuplicatePair", "Two contacts that may be one person, and why.", {
  reasons: Type.Array(OneOf(pairReasons), {
    description:
      "Why the two may be one person: `network`: WhatsApp named one by a number or user id of the other; `same_number`: two variants of one number, as in Brazil, Mexico and Argentina; `same_email`; `same_name_and_birthday`.",
  }),
  one: Side,
  other: Side,
});

const Value = Nullable(Type.Union([Type.String(), Type.Number(), Type.Boolean()]));

const Comparison = Component("ContactComparison", "Two contacts side by side, and what joining them would do.", {
  fields: Type.Array(
    Type.Object({
      field: Type.String({ description: "`phone`, a profile field, or `fields.` and the key of a custom field." }),
      stays: Value,
      goes: Value,
      differs: Type.Boolean({
        description: "Both have a value and they are not the same: `take` decides. A value that only one has is kept.",
      }),
    }),
  ),
  consent: Type.Object({
    stays: OneOf(consents),
    goes: OneOf(consents),
    becomes: OneOf(consents, "What holds after the join. It is never raised: an opt-out of either holds."),
  }),
  further_phone: Nullable(
    Type.String({
      description:
        "The number that is not answered first after the join, unless `take` has `phone`. It still leads to the contact. Null: both are one number, or only one has a number.",
    }),
  ),
  moves: Type.Object(
    {
      sent: Type.Integer(),
      of_broadcasts: Type.Integer(),
      scheduled: Type.Integer(),
      received: Type.Integer(),
      by_other_senders: Type.Integer(),
      notes: Type.Integer(),
      files: Type.Integer(),
      tags: Type.Integer(),
      groups: Type.Integer(),
    },
    {
      description: `What the contact that stays gets from the other one. ${COUNTED_MAX.toLocaleString("en")} means that many or more.`,
    },
  ),
  seen: Type.String({
    description: "Stands for what was compared; a join that names it fails if either changed since.",
  }),
});

const DifferentPeople = Component("DifferentPeople", "That two contacts are different people.", {
  different: Type.Boolean(),
});

const With = Type.String({ maxLength: 200, description: "Number or user id of the other contact." });

const JoinBody = Form({
  with: Type.String({ maxLength: 200, description: "Number or user id of the contact that goes." }),
  take: Type.Optional(
    Type.Array(Type.String({ maxLength: 200 }), {
      maxItems: 200,
      description:
        "Fields in which the two differ and of which the value of the contact that goes is kept: `phone`, profile fields, `fields.` and a key. Default: none, so the contact that stays keeps its values.",
    }),
  ),
  seen: Type.Optional(
    Type.String({ maxLength: 100, description: "`seen` of the comparison: the join fails if either changed since." }),
  ),
});

const params = { phone: PhoneParam };
const reading = { key: ["read", "contacts"], keyOfFirstVersion: [], session: "broadcasts" } as const;
const joining = { key: ["contacts"], keyOfFirstVersion: [], session: "broadcasts", params } as const;
const OtherParam = Type.String({ ...PhoneParam, examples: ["442079460277"] });

const comparisonExample: Static<typeof Comparison> = {
  fields: [
    { field: "phone", stays: "+442079460210", goes: "+442079460277", differs: true },
    { field: "name", stays: "Asha Rao", goes: "Asha R.", differs: true },
    { field: "email", stays: null, goes: "asha@example.com", differs: false },
  ],
  consent: { stays: "opted_in", goes: "opted_out", becomes: "opted_out" },
  further_phone: "+442079460277",
  moves: {
    ...{ sent: 3, of_broadcasts: 1, scheduled: 0, received: 4, by_other_senders: 0, notes: 1, files: 0 },
    ...{ tags: 2, groups: 1 },
  },
  seen: "0123456789abcdef0123456789abcdef",
};

const sideExample: Static<typeof Side> = {
  ...{ phone: "+442079460210", user_id: null, name: "Asha Rao", email: "asha@example.com", birthday: null },
  ...{ consent: "opted_in", last_message_from_them_at: null, created_at: "2026-11-02T09:30:00+05:30" },
};

export const joinContactEndpoints = {
  "GET /w/{workspace}/duplicates": endpoint({
    ...reading,
    output: Data(Type.Array(Pair)),
    reference: {
      operationId: "listDuplicates",
      tag: "Contacts",
      summary: "List possible duplicates",
      description:
        "Returns pairs of contacts that may be one person, at most 50, the surest reasons first. Further pairs follow once some are joined or marked as different people. Nothing is joined automatically.",
      success: "The pairs.",
      example: [
        {
          reasons: ["same_email"],
          one: sideExample,
          other: { ...sideExample, phone: "+442079460277", name: "Asha R.", consent: "unknown" },
        },
      ],
    },
  }).load(async (call) => {
    const pairs = await findPairs((sql) => call.reader.query(sql), call.workspace.id);
    return call.store.read((tx) => pairs.flatMap((pair) => viewPair(tx, call, pair) ?? []));
  }),
  "POST /w/{workspace}/contacts/{phone}/different": endpoint({
    ...joining,
    body: Form({ with: With }),
    output: Data(DifferentPeople),
    reference: {
      operationId: "markDifferentPeople",
      tag: "Contacts",
      summary: "Mark two contacts as different people",
      description: "The two are not listed as possible duplicates from now on.",
      bodies: { pair: { summary: "The other contact", value: { with: "+442079460277" } } },
      success: "The pair is remembered.",
      example: { different: true },
      problems: ["not_found"],
    },
  }).change((tx, call) => {
    const [one, other] = requireBoth(call, tx, call.body.with);
    requirePair(tx, one, other, null);
    markDifferent(tx, one, other);
    const audit = { action: "contact.different", subject: `contact ${one.id}`, details: { other_contact: other.id } };
    return { status: 200, data: { different: true }, audit };
  }),
  "GET /w/{workspace}/contacts/{phone}/join/{other}": endpoint({
    ...reading,
    params: { phone: PhoneParam, other: OtherParam },
    output: Data(Comparison),
    reference: {
      operationId: "compareContacts",
      tag: "Contacts",
      summary: "Compare two contacts before joining them",
      description:
        "Says what a join would do: the fields in which the contacts differ, the consent that would hold, and what would move from the other contact to the first one in the path. Changes nothing.",
      success: "The comparison.",
      example: comparisonExample,
      problems: ["not_found"],
    },
  }).load(async (call) => {
    const found = call.store.read((tx) => {
      const [stays, goes] = requireBoth(call, tx, call.path.other);
      requirePair(tx, stays, goes, null);
      return { compared: compare(tx, stays, goes), counted: previewErasure(tx, { ...goes, identityId: null }) };
    });
    return withCounts(call.reader, found);
  }),
  "POST /w/{workspace}/contacts/{phone}/join": endpoint({
    ...joining,
    body: JoinBody,
    output: Data(ContactView),
    reference: {
      operationId: "joinContacts",
      tag: "Contacts",
      summary: "Join two contacts",
      description:
        "The contact named by `with` becomes a part of the contact in the path: its numbers and user ids lead there, its messages, conversations, notes, tags, groups and scheduled messages follow, and consent is never raised: an opt-out of either holds, and the evidence of both is kept. Cannot be undone. Messages of the past follow within moments.",
      bodies: {
        join: { summary: "Keep one value of the other contact", value: { with: "+442079460277", take: ["name"] } },
      },
      success: "The contact that stays.",
      example: contactExample,
      problems: ["not_found"],
    },
  }).change((tx, call) => {
    const { workspace, body } = call;
    const [stays, goes] = requireBoth(call, tx, body.with);
    const { take = [], seen = null } = body;
    const join = joinContacts(tx, workspace, { stays, goes, take, seen, dueAt: tx.now });
    const joined = requireContact(call, tx);
    const details = { gone: join.goneId, consent: joined.consent, was: [stays.consent, goes.consent], taken: take };
    const audit = { action: "contact.join", subject: `contact ${stays.id}`, details };
    return { status: 200, data: viewContact(tx, joined, workspace), audit };
  }),
};

/** Throws `not_found` for either. */
function requireBoth(
  call: Pick<WorkspaceCall, "workspace"> & { path: { phone: string } },
  tx: ReadTx,
  other: string,
): [Contact, Contact] {
  return [requireContact(call, tx), requireContact({ ...call, path: { phone: other } }, tx)];
}

function viewPair(
  tx: ReadTx,
  { workspace }: Pick<WorkspaceCall, "workspace">,
  { one, other, reasons }: FoundPair,
): Static<typeof Pair> | null {
  const when = timesOf(workspace);
  const sides = [one, other].flatMap((id) => findById(tx, workspace.id, id) ?? []);
  const [first, second] = sides.filter(isAddressable).map((contact) => ({
    phone: contact.phone,
    user_id: contact.networkUserId,
    name: displayNameOf(contact),
    email: contact.email,
    birthday: contact.birthday,
    consent: contact.consent,
    last_message_from_them_at: when(contact.lastMessageAt),
    created_at: when(contact.createdAt),
  }));
  return first === undefined || second === undefined ? null : { reasons, one: first, other: second };
}

function compare(tx: ReadTx, stays: Contact, goes: Contact) {
  const { tags, groups } = readDetails(tx, goes.id);
  return {
    fields: compareFields(tx, stays, goes),
    consent: { stays: stays.consent, goes: goes.consent, becomes: consentAfter(stays, goes) },
    further_phone: numbersAfter(stays, goes, false).further,
    attached: { tags: tags.length, groups: groups.length },
    seen: seenOf(tx, stays, goes),
  };
}

async function withCounts(
  reader: Reader,
  { compared, counted }: { compared: ReturnType<typeof compare>; counted: ReturnType<typeof previewErasure> },
): Promise<Static<typeof Comparison>> {
  const [row] = await reader.query(counted.sql, counted.parameters);
  const { drafts: _drafts, events: _events, ...counts } = readPreviewCounts(row);
  const { attached, ...others } = compared;
  return { ...others, moves: { ...counts, ...attached } };
}
