/**
 * The person named by an item that is put aside: what they wrote is not known, and may have been STOP. They are marked
 * "may want to stop", which ends marketing until a user has looked.
 */
import type { Tx } from "#src/db/transaction.ts";
import { raiseDoubt } from "#src/domain/contacts/doubt.ts";
import { findOrCreateSender } from "#src/domain/inbound/find-sender.ts";
import { findByPhoneNumberId } from "#src/domain/numbers/read.ts";
import { portfolioOf } from "#src/domain/numbers/user-id-scope.ts";
import { getWorkspace } from "#src/domain/workspaces/read.ts";
import type { CallbackItem } from "#src/networks/network.ts";
import { type Callback, speaksFor } from "./apply-item.ts";

/** False: the item names no person, or a number that is not ours or that the signature does not cover. */
export function doubtPersonOf(tx: Tx, callback: Callback, item: CallbackItem): boolean {
  const person = personOf(item);
  if (person === null) return false;
  const number = findByPhoneNumberId(tx, person.phoneNumberId);
  if (number === undefined || number.network !== callback.network || !speaksFor(callback, number)) return false;
  const workspace = getWorkspace(tx, number.workspaceId);
  // Nothing else of the item is read: any of its texts may be what stopped the server.
  const contact = findOrCreateSender(tx, workspace, { ...person, profileName: null }, portfolioOf(tx, number));
  raiseDoubt(tx, workspace, contact, { text: "", saidAt: Math.min(callback.receivedAt, tx.now) });
  return true;
}

interface Person {
  phoneNumberId: string;
  from: string | null;
  networkUserId: string | null;
}

function personOf(item: CallbackItem): Person | null {
  if (item.kind !== "inbound" && item.kind !== "preference" && item.kind !== "number_change") return null;
  const { phoneNumberId } = item;
  const [from, networkUserId] =
    item.kind === "preference" ? [item.waId, item.networkUserId] : [item.from, item.fromNetworkUserId];
  return from === null && networkUserId === null ? null : { phoneNumberId, from, networkUserId };
}
