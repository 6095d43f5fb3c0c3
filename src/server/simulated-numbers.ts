/** Keeps in the database what the simulated network keeps of its numbers: their profiles, and whom they block. */

import type { E164 } from "#src/core/phone.ts";
import type { Store } from "#src/db/store.ts";
import type { ReadTx } from "#src/db/transaction.ts";
import { findByAnyVariant, findByUserId } from "#src/domain/contacts/find.ts";
import {
  countSimulatedBlocks,
  isSimulatedBlock,
  lastWroteTo,
  listSimulatedBlocks,
  setSimulatedBlock,
} from "#src/domain/inbound/simulated-blocks.ts";
import { findByPhoneNumberId } from "#src/domain/numbers/read.ts";
import {
  changeSimulatedProfile,
  findUsernameOwner,
  readSimulatedProfile,
} from "#src/domain/numbers/simulated-profile.ts";
import { numberById } from "#src/domain/numbers/statements.ts";
import type { SendingNumber } from "#src/domain/numbers/table.ts";
import type { Sender } from "#src/networks/network.ts";
import type { BlockedPerson } from "#src/networks/profile-request.ts";
import type { SimulatedNumbers } from "#src/networks/simulator/profile.ts";

export function simulatedNumbersIn(store: Store): SimulatedNumbers {
  const numberOf = (tx: ReadTx, { phoneNumberId }: Sender): SendingNumber => {
    const number = findByPhoneNumberId(tx, phoneNumberId);
    if (number === undefined) throw new Error(`the simulated network has no number ${phoneNumberId}`);
    return number;
  };
  return {
    read: (sender) => store.read((tx) => readSimulatedProfile(tx, numberOf(tx, sender).id)),
    change: (sender, change) => store.write((tx) => changeSimulatedProfile(tx, numberOf(tx, sender), change)),
    ownerOf: (sender, username) =>
      store.read((tx) => {
        const owner = findUsernameOwner(tx, username);
        const number = numberOf(tx, sender);
        if (owner === undefined) return "nobody";
        if (owner.numberId === number.id) return "itself";
        return owner.workspaceId === number.workspaceId ? "same" : "other";
      }),
    takeUsername: (sender, username) =>
      store.write((tx) => {
        const owner = findUsernameOwner(tx, username);
        const former = owner === undefined ? undefined : numberById(tx).get({ id: owner.numberId });
        if (former !== undefined) changeSimulatedProfile(tx, former, { username: null });
        changeSimulatedProfile(tx, numberOf(tx, sender), { username });
      }),
    wroteAt: (sender, person) =>
      store.read((tx) => {
        const number = numberOf(tx, sender);
        const contactId = contactOf(tx, number, person);
        return contactId === null ? null : lastWroteTo(tx, number.id, contactId);
      }),
    countBlocked: (sender) => store.read((tx) => countSimulatedBlocks(tx, numberOf(tx, sender).id)),
    setBlocked: (sender, person, isBlocked) =>
      store.write((tx) => {
        const number = numberOf(tx, sender);
        const contactId = contactOf(tx, number, person);
        if (contactId !== null) setSimulatedBlock(tx, number, contactId, isBlocked);
      }),
    listBlocked: (sender, after, limit) =>
      store.read((tx) => {
        const rows = listSimulatedBlocks(tx, numberOf(tx, sender).id, Number(after ?? 0), limit + 1);
        const shown = rows.slice(0, limit);
        const last = rows.length > limit ? shown.at(-1) : undefined;
        const next = last === undefined ? null : String(last.id);
        return { people: shown.map(({ phone, userId }) => ({ phone, userId })), next };
      }),
  };
}

/** Whether the number blocks the person on the simulated network. */
export function isBlockedIn(store: Store, sender: Sender, person: BlockedPerson): boolean {
  return store.read((tx) => {
    const number = findByPhoneNumberId(tx, sender.phoneNumberId);
    const contactId = number === undefined ? null : contactOf(tx, number, person);
    return number !== undefined && contactId !== null && isSimulatedBlock(tx, number.id, contactId);
  });
}

function contactOf(tx: ReadTx, { workspaceId }: SendingNumber, { phone, userId }: BlockedPerson): number | null {
  const byPhone = phone === null ? undefined : findByAnyVariant(tx, workspaceId, phone as E164);
  const found = byPhone ?? (userId === null ? undefined : findByUserId(tx, workspaceId, userId));
  return found?.id ?? null;
}
