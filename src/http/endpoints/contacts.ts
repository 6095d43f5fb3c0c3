/** Contacts: list, show, change and opt out; search and filter, export as a file, and the consent history of each. */

import { Type } from "@sinclair/typebox";
import { formatInstant } from "#src/core/instant.ts";
import { notFound } from "#src/core/problem.ts";
import { Instant, OneOf } from "#src/core/schema.ts";
import type { ReadTx } from "#src/db/transaction.ts";
import { consentSources, consents } from "#src/domain/contacts/consent.ts";
import { type ConsentEvidence, listConsentChanges } from "#src/domain/contacts/consent-log.ts";
import { clearDoubtOf } from "#src/domain/contacts/doubt.ts";
import { findById, lookUpContact } from "#src/domain/contacts/find.ts";
import { countContacts, listContacts } from "#src/domain/contacts/list.ts";
import { optOutNumber } from "#src/domain/contacts/opt-out.ts";
import { putContactOf } from "#src/domain/contacts/put.ts";
import { ContactView } from "#src/domain/contacts/schema.ts";
import type { Contact } from "#src/domain/contacts/table.ts";
import { viewContact } from "#src/domain/contacts/view.ts";
import { compileCount, compileIds } from "#src/domain/filters/compile.ts";
import { readGroupFilter } from "#src/domain/filters/group-filter.ts";
import { contactLines, IDS_PER_SEARCH } from "#src/transfer/export-contacts.ts";
import { readContactChanges } from "../bodies/contact-body.ts";
import { ContactBody } from "../bodies/contact-schema.ts";
import { contactFilter, readContactSearch } from "../console/contact-filter.ts";
import { answerCsv } from "../console/csv-file.ts";
import { readContactCursor } from "../cursors.ts";
import { pageOfRows, readPage, wrongCursor } from "../page.ts";
import { PER_PAGE } from "../page-view.ts";
import { change, type WorkspaceCall, type WorkspaceCallWith } from "./call.ts";
import { Data, File, ListOf, PageQuery } from "./declare.ts";
import { endpoint } from "./endpoint.ts";
import { Details } from "./fragments.ts";

/** `group`: the id of a static or dynamic group. */
const SearchQuery = { q: Type.String(), consent: OneOf(consents), group: Type.String() };

const phone = Type.String();

export const contactEndpoints = {
  "GET /w/{workspace}/v1/contacts": endpoint({ session: "member", query: PageQuery, output: ListOf(ContactView) }).load(
    ({ store, workspace, query }) => {
      const from = readPage(query);
      const position = "after" in from ? { after: readContactCursor(from.after) } : from;
      return store.read((tx) => {
        const { contacts, hasMore, next } = listContacts(
          tx,
          { workspaceId: workspace.id, identity: "any" },
          null,
          position,
          PER_PAGE,
        );
        const shown = contacts.map((contact) => viewContact(tx, contact, workspace));
        return pageOfRows(from, shown, { total: countContacts(tx, workspace.id).contacts, hasMore, next });
      });
    },
  ),
  "GET /w/{workspace}/v1/contacts/{phone}": endpoint({
    session: "member",
    params: { phone },
    output: Data(ContactView),
  }).read((tx, call) => viewContact(tx, requireContact(call, tx), call.workspace)),
  "PUT /w/{workspace}/v1/contacts/{phone}": endpoint({
    session: "member",
    params: { phone },
    body: ContactBody,
    checkedBy: "handler",
    output: Data(ContactView),
  }).answer((call) => {
    const { workspace, path } = call;
    const phone = path.phone ?? "";
    const changes = readContactChanges(call.body);
    return change(call, (tx) => {
      const { contact, isNew } = putContactOf(tx, workspace, phone, changes, evidenceOf(call));
      const audit = { action: "contact.change", subject: phone };
      return { status: isNew ? 201 : 200, data: viewContact(tx, contact, workspace), audit };
    });
  }),
  "POST /w/{workspace}/v1/contacts/{phone}/opt-out": endpoint({
    session: "member",
    params: { phone },
    output: Data(ContactView),
  }).answer((call) => {
    const { workspace, path } = call;
    const phone = path.phone ?? "";
    return change(call, (tx) => {
      const contact = optOutNumber(tx, workspace, phone, evidenceOf(call));
      const audit = { action: "contact.opt-out", subject: phone };
      return { status: 200, data: viewContact(tx, contact, workspace), audit };
    });
  }),
  "POST /w/{workspace}/v1/contacts/{phone}/keep": endpoint({
    session: "member",
    params: { phone },
    output: Data(ContactView),
  }).change((tx, call) => {
    const { workspace, path } = call;
    const contact = clearDoubtOf(tx, workspace, path.phone);
    const audit = { action: "contact.keep", subject: path.phone };
    return { status: 200, data: viewContact(tx, contact, workspace), audit };
  }),
  /** Ordered by id and searched on the reader's thread: among a million contacts, a rare name takes a moment. */
  "GET /w/{workspace}/contacts": endpoint({
    session: "member",
    query: { ...PageQuery, ...SearchQuery },
    output: ListOf(ContactView),
  }).load(async (call) => {
    const { store, searchReader, workspace, query, clock } = call;
    const from = readPage(query);
    const after = "after" in from ? from.after.id : 0;
    if (typeof after !== "number") throw wrongCursor();
    const { ids, count } = store.read((tx) => {
      const filter = readGroupFilter(tx, workspace, contactFilter(tx, workspace, readContactSearch(query)));
      const context = { workspaceId: workspace.id, timezone: workspace.timezone, now: clock.now() };
      return { ids: compileIds(filter, context, after, PER_PAGE + 1), count: compileCount(filter, context) };
    });
    const found = (await searchReader.query(ids.sql, ids.parameters)).map(({ id }) => Number(id));
    const isWhole = after === 0 && found.length <= PER_PAGE;
    const [row] = isWhole ? [{ total: found.length }] : await searchReader.query(count.sql, count.parameters);
    return store.read((tx) => {
      const shown = found.slice(0, PER_PAGE).flatMap((id) => findById(tx, workspace.id, id) ?? []);
      const hasMore = found.length > PER_PAGE;
      const last = found[PER_PAGE - 1];
      const page = {
        total: Number(row?.total ?? 0),
        hasMore,
        next: hasMore && last !== undefined ? { id: last } : null,
      };
      return pageOfRows(
        from,
        shown.map((contact) => viewContact(tx, contact, workspace)),
        page,
      );
    });
  }),
  /** Exports everything that the list shows, on all pages, with the same code as `waxwing contact export`. */
  "GET /w/{workspace}/contacts/export": endpoint({
    session: "member",
    isSensitive: true,
    query: SearchQuery,
    output: File("text/csv; charset=utf-8"),
  }).answer(async (call) => {
    const { store, exportReader, workspace, query, clock } = call;
    const search = readContactSearch(query);
    const isAll = Object.values(search).every((value) => value === null);
    const now = clock.now();
    const filterJson = store.read((tx) => contactFilter(tx, workspace, search));
    const nextIds = async (after: number): Promise<number[]> => {
      const { sql, parameters } = store.read((tx) => {
        const context = { workspaceId: workspace.id, timezone: workspace.timezone, now };
        return compileIds(readGroupFilter(tx, workspace, filterJson), context, after, IDS_PER_SEARCH);
      });
      return (await exportReader.query(sql, parameters)).map(({ id }) => Number(id));
    };
    // Report an invalid search before the download starts.
    if (!isAll) store.read((tx) => void readGroupFilter(tx, workspace, filterJson));
    const file = { name: "contacts", action: "contact.export", subject: isAll ? "all" : "a selection", details: {} };
    return answerCsv(call, file, contactLines(store, workspace.id, isAll ? null : nextIds));
  }),
  "GET /w/{workspace}/contacts/{phone}/consent": endpoint({
    session: "member",
    params: { phone },
    output: Data(
      Type.Array(
        Type.Object({
          id: Type.Integer(),
          at: Instant(),
          was: OneOf(consents),
          became: OneOf(consents),
          source: OneOf(consentSources),
          evidence: Details,
        }),
      ),
    ),
  }).read((tx, call) => {
    const { workspace } = call;
    const changes = listConsentChanges(tx, requireContact(call, tx).id).map(
      ({ id, at, was, became, source, evidence }) => ({
        id,
        at: formatInstant(at, workspace.timezone),
        was,
        became,
        source,
        evidence,
      }),
    );
    return changes;
  }),
};

/** Throws `not_found`. */
function requireContact({ workspace, path }: WorkspaceCallWith<{ phone: string }>, tx: ReadTx): Contact {
  const contact = lookUpContact(tx, workspace.id, path.phone ?? "", workspace.country)?.contact;
  if (contact == null) throw notFound("contact");
  return contact;
}

/** What the consent log keeps of a change that a user made. */
function evidenceOf({ user }: WorkspaceCall): ConsentEvidence {
  return { source: "manual", evidence: { user: user.id } };
}
