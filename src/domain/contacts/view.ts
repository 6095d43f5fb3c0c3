/** The public JSON of a contact, in the API and in events. */
import type { Static } from "@sinclair/typebox";
import { formatInstant } from "#src/core/instant.ts";
import type { ReadTx } from "#src/db/transaction.ts";
import type { Workspace } from "../workspaces/table.ts";
import { readConsentTerms } from "./consent-log.ts";
import { readDetails } from "./details.ts";
import { displayName, mapProfile } from "./profile-fields.ts";
import type { ContactView } from "./schema.ts";
import type { Contact } from "./table.ts";
import { listThreads } from "./threads.ts";
import { windowEnd, windowTimesOf } from "./window.ts";

/** Builds the JSON; reads the contact's fields, people, tags and groups. */
export function viewContact(
  tx: ReadTx,
  contact: Contact,
  workspace: Pick<Workspace, "timezone">,
): Static<typeof ContactView> {
  const details = readDetails(tx, contact.id);
  const when = (ms: number | null): string | null => (ms === null ? null : formatInstant(ms, workspace.timezone));
  return {
    phone: contact.phone,
    user_id: contact.networkUserId,
    username: contact.username,
    ...mapProfile(({ column }) => contact[column]),
    fields: details.fields,
    people: details.people.map(({ name, firstName, birthday, ref }) => ({
      name,
      first_name: firstName,
      birthday,
      ref,
    })),
    tags: details.tags,
    groups: details.groups,
    consent: {
      status: contact.consent,
      source: contact.consentSource,
      at: when(contact.consentAt),
      ...readConsentTerms(tx, contact),
      may_want_to_stop_since: when(contact.mayWantToStopSince),
    },
    last_message_from_them_at: when(contact.lastMessageAt),
    window_ends_at: when(windowEnd(windowTimesOf(tx, contact))),
    threads: listThreads(tx, contact).map(({ number, owner, since }) => ({
      number,
      owner,
      since: formatInstant(since, workspace.timezone),
    })),
    created_at: formatInstant(contact.createdAt, workspace.timezone),
    updated_at: formatInstant(contact.updatedAt, workspace.timezone),
  };
}

/** What the console calls a contact; null: it is shown by its number. */
export function displayNameOf({ name, firstName, lastName }: Contact): string | null {
  return displayName(name, firstName, lastName);
}
