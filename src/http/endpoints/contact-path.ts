/** The contact that a path names. */
import { Type } from "@sinclair/typebox";
import { notFound, Problem } from "#src/core/problem.ts";
import type { ReadTx } from "#src/db/transaction.ts";
import { lookUpContact } from "#src/domain/contacts/find.ts";
import { findMovedTo } from "#src/domain/contacts/former-phones.ts";
import type { Contact } from "#src/domain/contacts/table.ts";
import type { Workspace } from "#src/domain/workspaces/table.ts";

export const PhoneParam = Type.String({
  examples: ["442079460210"],
  description:
    "A phone number in any common format, or a user id. Without a country code, the workspace's country is assumed. Encode a leading `+` as `%2B` or omit it.",
});

interface ContactCall {
  workspace: Workspace;
  path: { phone: string };
}

/** Throws `not_found`. */
export function requireContact({ workspace, path }: ContactCall, tx: ReadTx): Contact {
  const contact = lookUpContact(tx, workspace.id, path.phone, workspace.country)?.contact;
  if (contact == null) throw notFound("contact");
  return contact;
}

/** Throws `not_found`, which names the new number of a person who moved away from this one. */
export function requireContactOrMove({ workspace, path }: ContactCall, tx: ReadTx): Contact {
  const contact = lookUpContact(tx, workspace.id, path.phone, workspace.country)?.contact;
  if (contact != null) return contact;
  const movedTo = findMovedTo(tx, workspace, path.phone);
  if (movedTo === null) throw notFound("contact");
  throw new Problem("not_found", `This person has another number now: ${movedTo}.`, { movedTo });
}
