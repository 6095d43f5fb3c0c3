/** Contacts beyond the API: search and filter, export as a file, and the consent history of each. */

import { formatInstant } from "#src/core/instant.ts";
import { notFound } from "#src/core/problem.ts";
import { listConsentChanges } from "#src/domain/contacts/consent-log.ts";
import { findById, lookUpContact } from "#src/domain/contacts/find.ts";
import { viewContact } from "#src/domain/contacts/view.ts";
import { compileCount, compileIds } from "#src/domain/filters/compile.ts";
import { readGroupFilter } from "#src/domain/filters/group-filter.ts";
import { CONTACTS_PER_READ, contactLines } from "#src/transfer/export-contacts.ts";
import { answerData } from "../../endpoint.ts";
import { answerRows, readPage, wrongCursor } from "../../page.ts";
import { PER_PAGE } from "../../page-view.ts";
import { contactFilter, readContactSearch } from "../contact-filter.ts";
import { answerCsv } from "../csv-file.ts";
import type { ConsoleRoute, WorkspaceCall } from "../route.ts";

export const peopleRoutes: readonly ConsoleRoute[] = [
  {
    method: "GET",
    path: "/w/{workspace}/contacts",
    needs: "member",
    handle: searchContacts,
  },
  {
    method: "GET",
    path: "/w/{workspace}/contacts/export",
    needs: "member",
    handle: exportContacts,
  },
  {
    method: "GET",
    path: "/w/{workspace}/contacts/{phone}/consent",
    needs: "member",
    handle: ({ store, workspace, path }) =>
      store.read((tx) => {
        const contact = lookUpContact(tx, workspace.id, path.phone ?? "", workspace.country)?.contact;
        if (contact == null) throw notFound("contact");
        const changes = listConsentChanges(tx, contact.id).map(({ id, at, was, became, source, evidence }) => ({
          id,
          at: formatInstant(at, workspace.timezone),
          was,
          became,
          source,
          evidence,
        }));
        return answerData(200, changes);
      }),
  },
];

/** Ordered by id and searched on the reader's thread: among a million contacts, a rare name takes a moment. */
async function searchContacts({ store, searchReader, workspace, query, clock }: WorkspaceCall) {
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
async function exportContacts(call: WorkspaceCall) {
  const { store, searchReader, workspace, query, clock } = call;
  const search = readContactSearch(query);
  const isAll = Object.values(search).every((value) => value === null);
  const now = clock.now();
  const filterJson = store.read((tx) => contactFilter(tx, workspace, search));
  const nextIds = async (after: number): Promise<number[]> => {
    const { sql, parameters } = store.read((tx) => {
      const context = { workspaceId: workspace.id, timezone: workspace.timezone, now };
      return compileIds(readGroupFilter(tx, workspace, filterJson), context, after, CONTACTS_PER_READ);
    });
    return (await searchReader.query(sql, parameters)).map(({ id }) => Number(id));
  };
  // Report an invalid search before the download starts.
  if (!isAll) store.read((tx) => void readGroupFilter(tx, workspace, filterJson));
  const file = { name: "contacts", action: "contact.export", subject: isAll ? "all" : "a selection", details: {} };
  return answerCsv(call, file, contactLines(store, workspace.id, isAll ? null : nextIds));
}
