/** Contacts: list, show, change and opt out; search and filter, export as a file, and the consent history of each. */

import { formatInstant } from "#src/core/instant.ts";
import { notFound } from "#src/core/problem.ts";
import type { ReadTx } from "#src/db/transaction.ts";
import { type ConsentEvidence, listConsentChanges } from "#src/domain/contacts/consent-log.ts";
import { clearDoubtOf } from "#src/domain/contacts/doubt.ts";
import { findById, lookUpContact } from "#src/domain/contacts/find.ts";
import { countContacts, listContacts } from "#src/domain/contacts/list.ts";
import { optOutNumber } from "#src/domain/contacts/opt-out.ts";
import { putContactOf } from "#src/domain/contacts/put.ts";
import type { Contact } from "#src/domain/contacts/table.ts";
import { viewContact } from "#src/domain/contacts/view.ts";
import { compileCount, compileIds } from "#src/domain/filters/compile.ts";
import { readGroupFilter } from "#src/domain/filters/group-filter.ts";
import { contactLines, IDS_PER_SEARCH } from "#src/transfer/export-contacts.ts";
import { readContactChanges } from "../../bodies/contact-body.ts";
import { readContactCursor } from "../../cursors.ts";
import { answerData } from "../../endpoint.ts";
import { answerRows, readPage, wrongCursor } from "../../page.ts";
import { PER_PAGE } from "../../page-view.ts";
import { contactFilter, readContactSearch } from "../contact-filter.ts";
import { peopleContract } from "../contract/people.ts";
import { answerCsv } from "../csv-file.ts";
import { attachHandlers, type CallOf, change, type WorkspaceCall, type WorkspaceCallWith } from "../route.ts";

export const peopleRoutes = attachHandlers(peopleContract, {
  "GET /w/{workspace}/v1/contacts": ({ store, workspace, query }) => {
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
      return answerRows(from, shown, { total: countContacts(tx, workspace.id).contacts, hasMore, next });
    });
  },
  "GET /w/{workspace}/v1/contacts/{phone}": (call) =>
    call.store.read((tx) => answerData(200, viewContact(tx, requireContact(call, tx), call.workspace))),
  "PUT /w/{workspace}/v1/contacts/{phone}": (call) => {
    const { workspace, path } = call;
    const phone = path.phone ?? "";
    const changes = readContactChanges(call.body);
    return change(call, (tx) => {
      const { contact, isNew } = putContactOf(tx, workspace, phone, changes, evidenceOf(call));
      const audit = { action: "contact.change", subject: phone };
      return { status: isNew ? 201 : 200, data: viewContact(tx, contact, workspace), audit };
    });
  },
  "POST /w/{workspace}/v1/contacts/{phone}/opt-out": (call) => {
    const { workspace, path } = call;
    const phone = path.phone ?? "";
    return change(call, (tx) => {
      const contact = optOutNumber(tx, workspace, phone, evidenceOf(call));
      const audit = { action: "contact.opt-out", subject: phone };
      return { status: 200, data: viewContact(tx, contact, workspace), audit };
    });
  },
  "POST /w/{workspace}/v1/contacts/{phone}/keep": (call) =>
    change(call, (tx) => {
      const { workspace, path } = call;
      const contact = clearDoubtOf(tx, workspace, path.phone);
      const audit = { action: "contact.keep", subject: path.phone };
      return { status: 200, data: viewContact(tx, contact, workspace), audit };
    }),
  "GET /w/{workspace}/contacts": searchContacts,
  "GET /w/{workspace}/contacts/export": exportContacts,
  "GET /w/{workspace}/contacts/{phone}/consent": (call) =>
    call.store.read((tx) => {
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
      return answerData(200, changes);
    }),
});

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

/** Ordered by id and searched on the reader's thread: among a million contacts, a rare name takes a moment. */
async function searchContacts(call: CallOf<(typeof peopleContract)["GET /w/{workspace}/contacts"]>) {
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
    const page = { total: Number(row?.total ?? 0), hasMore, next: hasMore && last !== undefined ? { id: last } : null };
    return answerRows(
      from,
      shown.map((contact) => viewContact(tx, contact, workspace)),
      page,
    );
  });
}

/** Exports everything that the list shows, on all pages, with the same code as `waxwing contact export`. */
async function exportContacts(call: CallOf<(typeof peopleContract)["GET /w/{workspace}/contacts/export"]>) {
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
}
