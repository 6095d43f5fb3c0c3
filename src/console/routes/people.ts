/** Contacts beyond what the API lists: searched, filtered, and each with the history of its consent. */
import { answerData, requireId } from "#src/api/endpoint.ts";
import { answerRows, PER_PAGE, readPage, wrongCursor, wrongParameter } from "#src/api/page.ts";
import { compileCount, compileIds } from "#src/domain/audiences/compile.ts";
import type { Filter } from "#src/domain/audiences/filter.ts";
import { readSearch } from "#src/domain/audiences/search.ts";
import { consents } from "#src/domain/contacts/consent.ts";
import { listConsentChanges } from "#src/domain/contacts/consent-log.ts";
import { findById, findPerson } from "#src/domain/contacts/find.ts";
import { viewContact } from "#src/domain/contacts/view.ts";
import { findGroup } from "#src/domain/groups/read.ts";
import type { Workspace } from "#src/domain/workspaces/table.ts";
import { formatInstant } from "#src/primitives/instant.ts";
import { notFound } from "#src/primitives/problem.ts";
import type { Reading } from "#src/storage/transaction.ts";
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
    path: "/w/{workspace}/contacts/{phone}/consent",
    needs: "member",
    handle: ({ store, workspace, path }) =>
      store.read((reading) => {
        const contact = findPerson(reading, workspace.id, path.phone ?? "", workspace.country)?.contact;
        if (contact == null) throw notFound("contact");
        const changes = listConsentChanges(reading, contact.id).map(({ id, at, was, became, source, evidence }) => ({
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

/** By the order of their ids, walked on the reader's thread: with a million people a rare name takes a moment. */
async function searchContacts({ store, searchReader, workspace, query, clock }: WorkspaceCall) {
  const from = readPage(query);
  const after = "after" in from ? from.after.id : 0;
  if (typeof after !== "number") throw wrongCursor();
  const json = filterOf(query);
  const { ids, count } = store.read((reading) => {
    const people = readSearch(reading, workspace, json);
    const members = readGroup(reading, workspace, query.get("group"));
    const filter: Filter = members === null ? people : { kind: "all", parts: [members, people] };
    const context = { workspaceId: workspace.id, timezone: workspace.timezone, now: clock.now() };
    return { ids: compileIds(filter, context, after, PER_PAGE + 1), count: compileCount(filter, context) };
  });
  const found = (await searchReader.query(ids.sql, ids.parameters)).map(({ id }) => Number(id));
  const isWhole = after === 0 && found.length <= PER_PAGE;
  const [row] = isWhole ? [{ total: found.length }] : await searchReader.query(count.sql, count.parameters);
  return store.read((reading) => {
    const shown = found.slice(0, PER_PAGE).flatMap((id) => findById(reading, workspace.id, id) ?? []);
    const hasMore = found.length > PER_PAGE;
    const last = found[PER_PAGE - 1];
    const page = { total: Number(row?.total ?? 0), hasMore, next: hasMore && last !== undefined ? { id: last } : null };
    return answerRows(
      from,
      shown.map((contact) => viewContact(reading, contact, workspace)),
      page,
    );
  });
}

/** Whom a group holds, whichever kind it is; null where none is asked for. Throws `not_found`. */
function readGroup(reading: Reading, workspace: Workspace, given: string | null): Filter | null {
  if (given === null) return null;
  const group = findGroup(reading, workspace.id, requireId(given, "group"));
  if (group === undefined) throw notFound("group");
  return readSearch(reading, workspace, group.filter ?? { field: "group", is: group.id });
}

/** What was typed is looked for in names, numbers and e-mail addresses. */
function filterOf(query: URLSearchParams): unknown {
  const text = (query.get("q") ?? "").trim();
  const consent = query.get("consent");
  if (consent !== null && !consents.some((known) => known === consent)) {
    throw wrongParameter("consent", `The consent is one of ${consents.join(", ")}.`);
  }
  const parts: unknown[] = [];
  if (consent !== null) parts.push({ field: "consent", is: consent });
  if (text !== "") {
    const words = ["name", "first_name", "last_name", "email"].map((field) => ({ field, contains: text }));
    // A trunk zero, or the two of 00, is no part of what is stored.
    const digits = text.replace(/[\s().+-]/g, "").replace(/^0+/, "");
    const isNumber = /^\d{3,}$/.test(digits);
    parts.push({ any: isNumber ? [...words, { field: "phone", contains: digits }] : words });
  }
  return parts.length === 0 ? { field: "phone", set: true } : { all: parts };
}
