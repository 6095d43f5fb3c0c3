/** The search over names, numbers, tags, texts both ways, notes and file names, for programs and for the inbox. */
import { Type } from "@sinclair/typebox";
import { Component, Instant, Nullable, OneOf } from "#src/core/schema.ts";
import type { ReadTx } from "#src/db/transaction.ts";
import { findTag, readDetails } from "#src/domain/contacts/details.ts";
import { findById, lookUpContact } from "#src/domain/contacts/find.ts";
import type { Contact } from "#src/domain/contacts/table.ts";
import { displayNameOf } from "#src/domain/contacts/view.ts";
import { listConversationsWith } from "#src/domain/inbound/conversations.ts";
import { findNote } from "#src/domain/inbound/notes.ts";
import { type ConversationItem, readItem } from "#src/domain/inbound/read-conversation.ts";
import { chooseSender } from "#src/domain/numbers/choose.ts";
import { numberById } from "#src/domain/numbers/statements.ts";
import {
  type Hit,
  readSearch,
  type SearchKind,
  type SearchScope,
  searchKinds,
  searchParameters,
  searchSql,
} from "#src/domain/search/find.ts";
import { fileNames, isIndexBehind } from "#src/domain/search/index-rows.ts";
import { SnippetPiece, snippetOf } from "#src/domain/search/snippet.ts";
import type { Phrase } from "#src/domain/search/words.ts";
import { seesNumber } from "#src/domain/users/read.ts";
import {
  CursorMeta,
  CursorQuery,
  cut,
  idPosition,
  metaAfter,
  readAfter,
  readBoolean,
  readPerPage,
  readSince,
  wrongParameter,
} from "../page.ts";
import { Rows } from "../rows.ts";
import { timesOf } from "../times.ts";
import type { KeyCall, WorkspaceCall } from "./call.ts";
import { itemName } from "./conversation-items.ts";
import { endpoint, listWith } from "./endpoint.ts";

const SEARCHED_MAX = 200;

const SearchHit = Component("SearchHit", "A person, a message or a note that was found.", {
  kind: OneOf(["message", "contact", "note"], "What was found."),
  id: Nullable(
    Type.Integer({
      description:
        "The message's or the note's id; null for a contact, and for a message that another sender on the number sent.",
    }),
  ),
  direction: Nullable(OneOf(["in", "out"], "Of a message: who wrote it.")),
  conversation: Nullable(
    Type.Integer({ description: "The conversation that the message or the note is in; null for a contact." }),
  ),
  contact: Type.Object({
    phone: Nullable(Type.String()),
    user_id: Nullable(Type.String()),
    username: Nullable(Type.String()),
    name: Nullable(Type.String()),
  }),
  number: Nullable(Type.String({ description: "Your number that the message or the note is on; null for a contact." })),
  at: Instant("When it was written; of a contact, when it was last changed."),
  file: Nullable(Type.String({ description: "The name of the file that the message brings." })),
  snippet: Type.Array(SnippetPiece, {
    description:
      "The part of the text around the first word that was found, in order, in pieces: together they are the text, and those with `match` are the words found.",
  }),
});

/** Where the inbox shows it. */
const HitInConversation = Type.Object({
  contact_id: Type.Integer(),
  /** The name of the item or of the note in its conversation; null for a contact. */
  item: Nullable(Type.String()),
});

const SearchMeta = Type.Composite([
  CursorMeta,
  Type.Object({
    behind: Type.Boolean({
      description:
        "Whether rows wait to be indexed, so that what was written last may be missing. Usually for a few seconds at most; longer after an upgrade or a restore.",
    }),
  }),
]);

type Given = "q" | "kinds" | "from" | "number" | "tag" | "since" | "until" | "has_file" | "per_page" | "after";
type SearchCall = (KeyCall | WorkspaceCall) & { query: { get(name: Given): string | null } };

export const searchEndpoints = {
  "GET /w/{workspace}/search": endpoint({
    key: ["inbox"],
    keyOfFirstVersion: [],
    session: "inbox",
    query: {
      q: Type.String({
        minLength: 1,
        maxLength: SEARCHED_MAX,
        description:
          "The words to find, with spaces between them: all of them, each a whole word or the beginning of one, in any script. Case and accents make no difference. A phone number may have spaces. Without it: everything that the filters let through.",
        examples: ["order A-1042"],
      }),
      kinds: Type.String({
        description: `What to find, with commas between them: ${searchKinds.map((kind) => `\`${kind}\``).join(", ")}. Default: all.`,
        examples: ["messages,notes"],
      }),
      from: Type.String({
        description: "Only what belongs to this person: a phone number in any common format, or a user id.",
      }),
      number: Type.String({ description: "Only what is on this number of yours, in any common format." }),
      tag: Type.String({ description: "Only what belongs to people with this tag." }),
      since: Type.String({ format: "date-time", description: "Only what was written at this time or later." }),
      until: Type.String({ format: "date-time", description: "Only what was written at this time or earlier." }),
      has_file: Type.Boolean({ description: "Only messages with a file." }),
      ...CursorQuery,
    },
    output: listWith(SearchHit, SearchMeta),
    consoleOutput: listWith(Type.Composite([SearchHit, HitInConversation]), SearchMeta),
    reference: {
      operationId: "search",
      tag: "Conversations",
      summary: "Search",
      description:
        "Finds people by name, number and tag, messages both ways by their words and file names, and notes: the newest first, contacts last. What is written is found within a few seconds; `meta.behind` says that rows are still missing. What a broadcast said to its recipients is not searched, and what people answered is.",
      success: "One page of what was found.",
      meta: { per_page: 50, has_more: false, next: null, behind: false },
      example: [
        {
          kind: "message",
          id: 311,
          direction: "in",
          conversation: 17,
          contact: { phone: "+442079460958", user_id: null, username: null, name: "Asha Rao" },
          number: "+442079460100",
          at: "2026-11-21T08:44:26+05:30",
          file: null,
          snippet: [
            { text: "Where is order ", match: false },
            { text: "A-1042", match: true },
            { text: "?", match: false },
          ],
        },
      ],
    },
  }).load(async (call) => {
    const { store, searchReader, query } = call;
    const perPage = readPerPage(query);
    const search = readText(query.get("q"));
    const scope = store.read((tx) => readScope(tx, call));
    const before = readAfter(query, idPosition);
    const rows =
      scope === null
        ? []
        : await searchReader.query(searchSql, searchParameters(search.match, scope, before, perPage + 1));
    const hits = rows.map(
      (row): Hit => ({
        entryId: Number(row.entry_id),
        kind: row.kind as Hit["kind"],
        id: Number(row.subject_id),
      }),
    );
    const { shown, next } = cut(hits, perPage, ({ entryId }) => ({ id: entryId }));
    const data = Rows.of(shown, (hit, tx) => viewHit(tx, call, hit, search.phrases));
    const behind = store.read((tx) => isIndexBehind(tx, call.workspace.id));
    return { data, meta: { ...metaAfter(perPage, next), behind } };
  }),
};

/** Throws `invalid_request`. */
function readText(text: string | null) {
  if (text === null) return { phrases: [], match: null };
  if (text.trim() === "") throw wrongParameter("q", "Say what to find: at least one word.");
  if (text.length > SEARCHED_MAX) throw wrongParameter("q", `Must have at most ${SEARCHED_MAX} characters.`);
  return readSearch(text) ?? refuseText();
}

function refuseText(): never {
  throw wrongParameter("q", "Has no letter, digit or emoji to find.");
}

/** Null: nothing can be found. Throws `invalid_request`. */
function readScope(tx: ReadTx, call: SearchCall): SearchScope | null {
  const { workspace, query } = call;
  const limits = "numberIds" in call ? call.numberIds : null;
  const number = query.get("number");
  const numberIds =
    number === null ? limits : [requireNumber(tx, call, number)].filter((id) => seesNumber({ numberIds: limits }, id));
  const from = query.get("from");
  const person = from === null ? null : lookUpContact(tx, workspace.id, from, workspace.country);
  if (from !== null && person === null)
    throw wrongParameter("from", "Must be a phone number with its country code, or a user id.");
  const tag = query.get("tag");
  const tagId = tag === null ? null : (findTag(tx, workspace.id, tag)?.id ?? null);
  const scope = {
    ...{ workspaceId: workspace.id, numberIds, kinds: readKinds(query.get("kinds")) },
    ...{ contactId: person?.contact?.id ?? null, tagId, hasFile: readBoolean(query, "has_file") },
    since: readSince(query, "since", workspace.timezone),
    until: readSince(query, "until", workspace.timezone),
  };
  const isNobody = (from !== null && scope.contactId === null) || (tag !== null && tagId === null);
  return isNobody || numberIds?.length === 0 ? null : scope;
}

function readKinds(text: string | null): SearchKind[] {
  if (text === null) return [...searchKinds];
  const kinds = text.split(",").map((kind) => kind.trim());
  const isKnown = (kind: string): kind is SearchKind => (searchKinds as readonly string[]).includes(kind);
  if (!kinds.every(isKnown))
    throw wrongParameter("kinds", `Must be one or more of ${searchKinds.join(", ")}, with commas between them.`);
  return kinds;
}

function requireNumber(tx: ReadTx, { workspace }: SearchCall, named: string): number {
  const chosen = chooseSender(tx, workspace, named);
  if ("fields" in chosen || chosen.sender === null)
    throw wrongParameter("number", "Must be one of the workspace's numbers, with its country code.");
  return chosen.sender.id;
}

/** Null: it is gone, or is no longer the caller's to see. */
function viewHit(tx: ReadTx, call: SearchCall, hit: Hit, phrases: readonly Phrase[]) {
  const found = readHit(tx, call, hit);
  if (found === null) return null;
  const { contact, numberId, texts, at, file, ...rest } = found;
  const limits = "numberIds" in call ? call.numberIds : null;
  if (numberId !== null && !seesNumber({ numberIds: limits }, numberId)) return null;
  const number = numberId === null ? undefined : numberById(tx).get({ id: numberId });
  const [conversation] = numberId === null ? [] : listConversationsWith(tx, call.workspace.id, contact.id, [numberId]);
  const plain = [{ text: (texts[0] ?? "").slice(0, SEARCHED_MAX), match: false }].filter(({ text }) => text !== "");
  return {
    ...rest,
    conversation: conversation?.id ?? null,
    contact: {
      phone: contact.phone,
      user_id: contact.networkUserId,
      username: contact.username,
      name: displayNameOf(contact),
    },
    number: number?.phone ?? null,
    at: timesOf(call.workspace)(at),
    file,
    snippet: firstSnippet(texts, phrases) ?? plain,
    ...(call.user === null ? {} : { contact_id: contact.id, item: itemNamed(hit) }),
  };
}

function itemNamed({ kind, id }: Hit): string | null {
  return kind === "contact" ? null : itemName(kind, id);
}

/** Of the first text that has one of the phrases. The texts of a contact may be long. */
function firstSnippet(texts: readonly string[], phrases: readonly Phrase[]) {
  if (phrases.length === 0) return null;
  for (const text of texts) {
    const snippet = snippetOf(text, phrases);
    if (snippet.length > 0) return snippet;
  }
  return null;
}

interface Found {
  kind: "message" | "contact" | "note";
  id: number | null;
  direction: "in" | "out" | null;
  contact: Contact;
  numberId: number | null;
  at: number;
  texts: string[];
  file: string | null;
}

function readHit(tx: ReadTx, { workspace }: SearchCall, { kind, id }: Hit): Found | null {
  const contactOf = (contactId: number | null): Contact | undefined =>
    contactId === null ? undefined : findById(tx, workspace.id, contactId);
  if (kind === "contact") {
    const contact = contactOf(id);
    if (contact === undefined || (contact.phone === null && contact.networkUserId === null)) return null;
    const { people, tags } = readDetails(tx, id);
    const { username, email, company, city, phone, updatedAt } = contact;
    const texts = [displayNameOf(contact), phone, username, email, company, city].filter((text) => text !== null);
    const all = [...texts, ...people.map(({ name }) => name), ...tags];
    return { kind, id: null, direction: null, contact, numberId: null, at: updatedAt, texts: all, file: null };
  }
  if (kind === "note") {
    const note = findNote(tx, workspace.id, id);
    const contact = contactOf(note?.contactId ?? null);
    if (note === undefined || contact === undefined) return null;
    const { numberId, createdAt, text } = note;
    return { kind, id, direction: null, contact, numberId, at: createdAt, texts: [text], file: null };
  }
  const item = readItem(tx, workspace.id, { kind, id, at: 0 });
  if (item === null) return null;
  const { row, at, direction, details, text } = writtenOf(item);
  const contact = contactOf(row.contactId);
  if (contact === undefined) return null;
  const names = fileNames(details);
  return {
    ...{ kind: "message", id: kind === "echo" ? null : id, direction, contact, numberId: row.numberId, at },
    ...{ texts: [text, ...names].filter((one) => one !== ""), file: names[0] ?? null },
  };
}

function writtenOf(item: ConversationItem) {
  switch (item.kind) {
    case "inbound": {
      const { inbound } = item;
      return {
        row: inbound,
        at: inbound.receivedAt,
        direction: "in" as const,
        details: inbound.details,
        text: inbound.text ?? "",
      };
    }
    case "echo": {
      const { echo } = item;
      return { row: echo, at: echo.sentAt, direction: "out" as const, details: echo.details, text: echo.text ?? "" };
    }
    case "message": {
      const { message } = item;
      return { row: message, at: item.at, direction: "out" as const, details: message.content, text: item.text };
    }
  }
}
