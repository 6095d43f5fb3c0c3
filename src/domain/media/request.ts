/** A person sent a file: it is recorded with the message, and a job will fetch it. */
import type { Tx } from "#src/db/transaction.ts";
import { enqueue } from "#src/jobs/enqueue.ts";
import type { SendingNumber } from "../numbers/table.ts";
import type { StatedMedia } from "./schema.ts";
import { insertMedia } from "./statements.ts";
import type { Media } from "./table.ts";

/** In the transaction that stores the message. `isSilent`: no event will tell of the file. */
export function requestMedia(
  tx: Tx,
  number: Pick<SendingNumber, "id" | "workspaceId">,
  inboundId: number,
  networkMediaId: string,
  stated: StatedMedia,
  isSilent: boolean,
): Media {
  const { workspaceId, id: numberId } = number;
  const { mime_type: mimeType, sha256, filename } = stated;
  const named = { workspaceId, numberId, inboundId, networkMediaId, mimeType, sha256, filename, isSilent };
  const medium = insertMedia(tx).only({ ...named, createdAt: tx.now });
  enqueue(tx, { kind: "fetch_media", subject: medium.id, queueKey: workspaceId, dueAt: tx.now });
  return medium;
}
