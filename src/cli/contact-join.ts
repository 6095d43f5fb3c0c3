/** `waxwing contact duplicates` and `contact join`: contacts that are one person. */
import { notFound } from "#src/core/problem.ts";
import { visible } from "#src/core/shown-text.ts";
import type { ReadTx } from "#src/db/transaction.ts";
import { findById, isAddressable, lookUpContact, nameOfAddress } from "#src/domain/contacts/find.ts";
import type { Contact } from "#src/domain/contacts/table.ts";
import { displayNameOf, viewContact } from "#src/domain/contacts/view.ts";
import { compareFields, consentAfter, numbersAfter, requirePair } from "#src/domain/erasure/join-compare.ts";
import { joinContacts } from "#src/domain/erasure/join-contacts.ts";
import type { PairReason } from "#src/domain/erasure/join-pairs.ts";
import { COMMAND_LINE, recordAudit } from "#src/domain/users/audit-log.ts";
import { getWorkspace } from "#src/domain/workspaces/read.ts";
import type { Workspace } from "#src/domain/workspaces/table.ts";
import { TAKEN_OVER_AFTER_MS } from "#src/server/erase-person.ts";
import { finishJoin } from "#src/server/finish-join.ts";
import { findPairs } from "#src/transfer/find-pairs.ts";
import { type Command, command } from "./command.ts";
import { withDatabase } from "./database.ts";
import { flag, positional, text, workspaceOption } from "./option.ts";
import { lines } from "./output.ts";

const inWords: Readonly<Record<PairReason, string>> = {
  network: "WhatsApp named one by a name of the other",
  same_number: "two variants of one number",
  same_email: "the same e-mail address",
  same_name_and_birthday: "the same name and birthday",
};

export const joinCommands: readonly Command[] = [
  command(
    "contact duplicates",
    {
      summary: "List contacts that may be one person",
      details:
        "At most 50 pairs, the surest reasons first. Nothing is joined: contact join joins a pair. A pair that is marked as\ndifferent people in the console is not listed.",
    },
    { workspace: workspaceOption },
    (context, values) =>
      withDatabase(context, "read", async ({ store }) => {
        const query = async (sql: string) => store.client.prepare(sql).all() as Record<string, unknown>[];
        const { id } = store.read((tx) => getWorkspace(tx, values.workspace));
        const possible = await findPairs(query, id);
        const pairs = store.read((tx) =>
          possible.flatMap(({ one, other, reasons }) => {
            const both = [one, other].flatMap((contact) => findById(tx, id, contact) ?? []).filter(isAddressable);
            const [first, second] = both.map((contact) => ({
              name: displayNameOf(contact),
              phone: contact.phone,
              user_id: contact.networkUserId,
              consent: contact.consent,
            }));
            return first === undefined || second === undefined ? [] : [{ reasons, one: first, other: second }];
          }),
        );
        const say = (side: (typeof pairs)[number]["one"]): string =>
          [side.phone ?? side.user_id ?? "", side.name === null ? "" : visible(side.name)].join(" ").trim();
        const found = pairs.map(
          ({ one, other, reasons }) =>
            `${say(one)}  and  ${say(other)}: ${reasons.map((reason) => inWords[reason]).join(", ")}`,
        );
        return { json: { duplicates: pairs }, text: found.length === 0 ? "No possible duplicates." : found.join("\n") };
      }),
  ),
  command(
    "contact join",
    {
      summary: "Join two contacts that are one person",
      details:
        "The second contact becomes a part of the first: its numbers lead there, and messages, conversations, notes, tags,\ngroups and scheduled messages follow. Of values that differ, those of the first stay, but for the fields of --take.\nConsent is never raised: an opt-out of either holds. It cannot be undone; --dry-run shows what it would do.",
    },
    {
      stays: positional(text("STAYS", "Number or user id of the contact that stays")),
      goes: positional(text("GOES", "Number or user id of the contact that becomes a part of it")),
      workspace: workspaceOption,
      take: text("FIELD,…", "Fields of which the value of the second contact is kept: phone, name, fields.KEY …"),
      dryRun: flag("Show what differs and what would hold, without changing anything"),
    },
    (context, values) =>
      withDatabase(context, "write", async ({ store }) => {
        const take = values.take?.split(",").map((name) => name.trim()) ?? [];
        if (values.dryRun) {
          const shown = store.read((tx) => {
            const workspace = getWorkspace(tx, values.workspace);
            const [stays, goes] = requireBoth(tx, workspace, values.stays, values.goes);
            requirePair(tx, stays, goes, null);
            return {
              fields: compareFields(tx, stays, goes),
              consent: consentAfter(stays, goes),
              further_phone: numbersAfter(stays, goes, take.includes("phone")).further,
            };
          });
          const differing = shown.fields.filter(({ differs }) => differs);
          const text = lines(
            `Consent: ${shown.consent.replace("_", " ")}.`,
            shown.further_phone !== null && `${shown.further_phone} leads to the same contact.`,
            differing.map(
              ({ field, stays, goes }) => `${field}: ${visible(String(stays))} stays, ${visible(String(goes))} goes`,
            ),
          );
          return { json: shown, text };
        }
        const { joinId, contact } = await store.write((tx) => {
          const workspace = getWorkspace(tx, values.workspace);
          const [stays, goes] = requireBoth(tx, workspace, values.stays, values.goes);
          const dueAt = tx.now + TAKEN_OVER_AFTER_MS;
          const join = joinContacts(tx, workspace, { stays, goes, take, seen: null, dueAt });
          const joined = findById(tx, workspace.id, stays.id) ?? stays;
          recordAudit(tx, COMMAND_LINE, {
            ...{ workspaceId: workspace.id, action: "contact.join", subject: `contact ${stays.id}` },
            details: { gone: goes.id, consent: joined.consent, was: [stays.consent, goes.consent], taken: take },
          });
          return { joinId: join.id, contact: viewContact(tx, joined, workspace) };
        });
        await finishJoin({ store, clock: context.io.clock }, joinId);
        const text = `${nameOfAddress({ phone: contact.phone, networkUserId: contact.user_id })} is one contact now. Consent: ${contact.consent.status.replace("_", " ")}.`;
        return { json: contact, text };
      }),
  ),
];

function requireBoth(tx: ReadTx, { id, country }: Workspace, stays: string, goes: string): [Contact, Contact] {
  const [one, other] = [stays, goes].map((input) => lookUpContact(tx, id, input, country)?.contact ?? null);
  if (one == null || other == null) throw notFound("contact");
  return [one, other];
}
