/** Writes every contact of a workspace as CSV that an import reads again; a few hundred at a time, on short reads. */
import { readDetails } from "#src/domain/contacts/details.ts";
import { listContactsById } from "#src/domain/contacts/list.ts";
import { listFields } from "#src/domain/fields/read.ts";
import { getWorkspace } from "#src/domain/workspaces/read.ts";
import { formatInstant } from "#src/primitives/instant.ts";
import type { Store } from "#src/storage/store.ts";
import { type ProfileColumn, profileColumns } from "./columns.ts";

const CONTACTS_A_READ = 500;
const LIST_SEPARATOR = ";";

/** Pieces of the file, header first. Returns how many contacts were written. */
export async function exportContacts(
  store: Store,
  workspaceId: number,
  write: (text: string) => Promise<void> | void,
): Promise<number> {
  const { workspace, fields } = store.read((reading) => ({
    workspace: getWorkspace(reading, workspaceId),
    fields: listFields(reading, workspaceId).map(({ key }) => key),
  }));
  const profile = Object.keys(profileColumns) as ProfileColumn[];
  const custom = fields.map((key) => `fields.${key}`);
  await write(csvLine(["phone", ...profile, ...custom, "tags", "groups", "consent", "consent_source", "consent_at"]));
  let count = 0;
  let after = 0;
  for (;;) {
    const lines = store.read((reading) =>
      listContactsById(reading, workspaceId, after, CONTACTS_A_READ).map((contact) => {
        after = contact.id;
        const details = readDetails(reading, contact.id);
        return csvLine([
          contact.phone ?? "",
          ...profile.map((name) => contact[profileColumns[name]] ?? ""),
          ...fields.map((key) => String(details.fields[key] ?? "")),
          details.tags.join(LIST_SEPARATOR),
          details.groups.map(({ name }) => name).join(LIST_SEPARATOR),
          contact.consent,
          contact.consentSource ?? "",
          contact.consentAt === null ? "" : formatInstant(contact.consentAt, workspace.timezone),
        ]);
      }),
    );
    if (lines.length === 0) return count;
    count += lines.length;
    await write(lines.join(""));
  }
}

/** Cells as RFC 4180 wants them, with its line end. */
export function csvLine(cells: readonly string[]): string {
  return `${cells.map((cell) => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(",")}\r\n`;
}
