/**
 * Writes contacts of a workspace as CSV that an import reads again, all or those whom somebody names; a few hundred at a
 * time, on short reads.
 */

import { formatInstant } from "#src/core/instant.ts";
import type { Store } from "#src/db/store.ts";
import type { ReadTx } from "#src/db/transaction.ts";
import { listFields } from "#src/domain/contacts/custom-fields.ts";
import { readDetails } from "#src/domain/contacts/details.ts";
import { findById } from "#src/domain/contacts/find.ts";
import { listContactsById } from "#src/domain/contacts/list.ts";
import type { Contact } from "#src/domain/contacts/table.ts";
import { getWorkspace } from "#src/domain/workspaces/read.ts";
import { type ProfileColumn, profileColumns } from "./columns.ts";
import { csvLine, safeCell } from "./csv.ts";

export const CONTACTS_PER_READ = 500;
const LIST_SEPARATOR = ";";

/** Ids of those who come next, `CONTACTS_A_READ` at most, in the order of ids; none: these were all. */
export type NextIds = (after: number) => Promise<readonly number[]>;

/** Pieces of the file, header first. Returns how many contacts were written. */
export async function exportContacts(
  store: Store,
  workspaceId: number,
  write: (text: string) => Promise<void> | void,
): Promise<number> {
  let count = -1;
  for await (const lines of contactLines(store, workspaceId)) {
    count += lines.length;
    await write(lines.join(""));
  }
  return count;
}

/** The lines of the file, some at a time; the first is the header. */
export async function* contactLines(
  store: Store,
  workspaceId: number,
  nextIds: NextIds | null = null,
): AsyncGenerator<string[]> {
  const { workspace, fields } = store.read((tx) => ({
    workspace: getWorkspace(tx, workspaceId),
    fields: listFields(tx, workspaceId).map(({ key }) => key),
  }));
  const profile = Object.keys(profileColumns) as ProfileColumn[];
  const custom = fields.map((key) => `fields.${key}`);
  yield [csvLine(["phone", ...profile, ...custom, "tags", "groups", "consent", "consent_source", "consent_at"])];
  const lineOf = (tx: ReadTx, contact: Contact): string => {
    const details = readDetails(tx, contact.id);
    const cells = [
      contact.phone ?? "",
      ...profile.map((name) => contact[profileColumns[name]] ?? ""),
      ...fields.map((key) => String(details.fields[key] ?? "")),
      details.tags.join(LIST_SEPARATOR),
      details.groups.map(({ name }) => name).join(LIST_SEPARATOR),
      contact.consent,
      contact.consentSource ?? "",
      contact.consentAt === null ? "" : formatInstant(contact.consentAt, workspace.timezone),
    ];
    return csvLine(cells.map(safeCell));
  };
  let after = 0;
  for (;;) {
    const ids = nextIds === null ? null : await nextIds(after);
    const { lines, last } = store.read((tx) => {
      const contacts =
        ids === null
          ? listContactsById(tx, workspaceId, after, CONTACTS_PER_READ)
          : ids.flatMap((id) => findById(tx, workspaceId, id) ?? []);
      return {
        lines: contacts.map((contact) => lineOf(tx, contact)),
        last: (ids ?? contacts.map(({ id }) => id)).at(-1),
      };
    });
    if (last === undefined) return;
    after = last;
    if (lines.length > 0) yield lines;
  }
}
