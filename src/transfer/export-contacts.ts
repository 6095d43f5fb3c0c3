/**
 * Exports contacts as CSV that an import can read: all of a workspace, or those that the caller selects. The ids
 * are searched for 500 at a time; each short read covers as many contacts as a slice has time for.
 */

import { type Clock, systemClock } from "#src/core/clock.ts";
import { formatInstant } from "#src/core/instant.ts";
import { SLICE_MS } from "#src/core/turns.ts";
import type { Store } from "#src/db/store.ts";
import type { ReadTx } from "#src/db/transaction.ts";
import { readConsentTerms } from "#src/domain/contacts/consent-log.ts";
import { listFields } from "#src/domain/contacts/custom-fields.ts";
import { readDetails } from "#src/domain/contacts/details.ts";
import { findById, isAddressable } from "#src/domain/contacts/find.ts";
import { listContactIds } from "#src/domain/contacts/list.ts";
import { profileFields, profileNames } from "#src/domain/contacts/profile-fields.ts";
import type { Contact } from "#src/domain/contacts/table.ts";
import { getWorkspace } from "#src/domain/workspaces/read.ts";
import { csvLine } from "./csv-line.ts";

const IDS_PER_SEARCH = 500;
const CONTACTS_PER_READ = 50;
const LIST_SEPARATOR = ";";
/** Spelt so that an import finds them; "user_id" alone is usually the file's own numbering. */
const networkColumns = ["whatsapp_user_id", "whatsapp_username"];

/** The next ids after `after`, in ascending order, at most `IDS_PER_SEARCH`; empty at the end. */
type NextIds = (after: number) => Promise<readonly number[]>;

/** Exports all contacts in pieces, header first. Returns the number of contacts written. */
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

/** The lines of the file in batches; the first batch is the header. */
export async function* contactLines(
  store: Store,
  workspaceId: number,
  nextIds: NextIds | null = null,
  clock: Pick<Clock, "monotonic"> = systemClock,
): AsyncGenerator<string[]> {
  const { workspace, fields } = store.read((tx) => ({
    workspace: getWorkspace(tx, workspaceId),
    fields: listFields(tx, workspaceId).map(({ key }) => key),
  }));
  // The name comes first: a phone number must not be the first column.
  const profile = profileNames.filter((name) => name !== "name");
  const custom = fields.map((key) => `fields.${key}`);
  yield [
    csvLine([
      "name",
      "phone",
      ...profile,
      ...custom,
      "tags",
      "groups",
      ...networkColumns,
      "consent",
      "consent_source",
      "consent_at",
      "consent_purpose",
      "consent_notice",
    ]),
  ];
  const lineOf = (tx: ReadTx, contact: Contact): string => {
    const details = readDetails(tx, contact.id);
    const terms = readConsentTerms(tx, contact);
    const cells = [
      contact.name ?? "",
      contact.phone ?? "",
      ...profile.map((name) => contact[profileFields[name].column] ?? ""),
      ...fields.map((key) => String(details.fields[key] ?? "")),
      details.tags.join(LIST_SEPARATOR),
      details.groups.map(({ name }) => name).join(LIST_SEPARATOR),
      contact.networkUserId ?? "",
      contact.username ?? "",
      contact.consent,
      contact.consentSource ?? "",
      contact.consentAt === null ? "" : formatInstant(contact.consentAt, workspace.timezone),
      terms.purpose ?? "",
      terms.notice ?? "",
    ];
    return csvLine(cells);
  };
  const everybody: NextIds = async (after) =>
    store.read((tx) => listContactIds(tx, workspaceId, after, IDS_PER_SEARCH));
  let after = 0;
  let waiting: readonly number[] = [];
  for (;;) {
    if (waiting.length === 0) waiting = await (nextIds ?? everybody)(after);
    if (waiting.length === 0) return;
    const startedAt = clock.monotonic();
    const lines: string[] = [];
    let done = 0;
    store.read((tx) => {
      while (done < Math.min(waiting.length, CONTACTS_PER_READ) && clock.monotonic() - startedAt < SLICE_MS) {
        after = waiting[done++] ?? after;
        const contact = findById(tx, workspaceId, after);
        // One who was erased since the ids were read has no line.
        if (contact !== undefined && isAddressable(contact)) lines.push(lineOf(tx, contact));
      }
    });
    waiting = waiting.slice(done);
    if (lines.length > 0) yield lines;
  }
}
