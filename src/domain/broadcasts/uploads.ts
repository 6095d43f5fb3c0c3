/** Uploads that a broadcast sends: kept while it may need them, and given to the network before its recipients are claimed. */
import { updateRows } from "#src/db/rows.ts";
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import { findNetworkUpload, findUpload } from "../media/read.ts";
import { uploads } from "../media/table.ts";
import { addUploadPerson, touchUpload } from "../media/upload-statements.ts";
import type { SendingNumber } from "../numbers/table.ts";
import { pauseBroadcast } from "./pause.ts";
import { getBroadcast } from "./read.ts";
import { listWaiting } from "./recipients.ts";
import type { Broadcast } from "./table.ts";

function idsIn({ parts }: Pick<Broadcast, "parts">): number[] {
  const ids = [parts?.upload?.id, ...(parts?.cards ?? []).map(({ media }) => media?.upload?.id)];
  return [...new Set(ids.filter((id) => id !== undefined))];
}

/**
 * In the transaction that accepts the broadcast, with its recipients: an upload lives on from the hour of the broadcast.
 * What goes to one person alone is erased with that person.
 */
export function keepUploads(tx: Tx, broadcast: Broadcast): void {
  const ids = idsIn(broadcast);
  if (ids.length === 0) return;
  const [first, ...others] = broadcast.groupId === null ? listWaiting(tx, broadcast.id, "pending", 0, 2) : [];
  const only = others.length === 0 ? (first?.contactId ?? null) : null;
  for (const id of ids) {
    touchUpload(tx).run({ id, usedAt: Math.max(tx.now, broadcast.sendAt ?? 0) });
    if (only !== null) addUploadPerson(tx).run({ uploadId: id, contactId: only });
    else updateRows(tx, uploads, { id }, { isShared: true });
  }
}

type FoundUploads =
  /** The network's ids for the number. */
  | { ids: ReadonlyMap<number, string> }
  /** Those that the network does not have for it. `isGone`: the first was removed here, so it never will. */
  | { missing: number[]; isGone: boolean };

export function findUploads(tx: ReadTx, broadcast: Broadcast, sender: SendingNumber): FoundUploads {
  const ids = new Map<number, string>();
  const missing: number[] = [];
  for (const id of idsIn(broadcast)) {
    const handed = findNetworkUpload(tx, id, sender.id);
    if (handed !== undefined) ids.set(id, handed.networkMediaId);
    else if (findUpload(tx, broadcast.workspaceId, id) === undefined) return { missing: [id], isGone: true };
    else missing.push(id);
  }
  return missing.length > 0 ? { missing, isGone: false } : { ids };
}

/** The network does not take a file of the broadcast. */
export function pauseForFile(tx: Tx, id: number, reason: string): void {
  const broadcast = getBroadcast(tx, id);
  if (broadcast.status === "running") pauseBroadcast(tx, broadcast, "file", reason);
}
