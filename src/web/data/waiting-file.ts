/** The file of a message that waits for the line: uploaded from what this browser keeps, before the message goes. */
import { ApiError } from "./api.ts";
import { readKept } from "./kept-files.ts";
import { uploadFile } from "./upload-file.ts";

export interface WaitingFile {
  /** Its name among the files that this browser keeps. */
  kept: string;
  /** Of the upload that was begun; null: none was. */
  resume: string | null;
  /** Of the complete upload, which the message then has; null: it is not complete. */
  id: number | null;
}

interface UploadOptions {
  userId: number;
  workspaceId: number;
  onBegun: (resume: string) => void;
  onChange: () => void;
}

const NOT_KEPT = "The file is not in this browser any more. Cancel, then attach it again.";
/** Uploads of this page that are under way, by the time of what waits: how far, and what ends it. */
const uploading = new Map<number, { part: number; abort: AbortController }>();

/** Resolves to the id of the upload. Rejects with `ApiError`, also if the file is not there. */
export async function uploadWaiting(at: number, file: WaitingFile, options: UploadOptions): Promise<number> {
  const kept = await readKept(file.kept);
  if (kept === null) throw new ApiError(400, "not_kept", NOT_KEPT);
  const abort = new AbortController();
  const onProgress = (part: number) => {
    uploading.set(at, { part, abort });
    options.onChange();
  };
  onProgress(0);
  try {
    const { id } = await uploadFile(kept.file, {
      ...{ workspace: options.workspaceId, account: options.userId, signal: abort.signal },
      ...{ resume: file.resume, onBegun: options.onBegun, onProgress },
    });
    abort.signal.throwIfAborted();
    return id;
  } finally {
    uploading.delete(at);
    options.onChange();
  }
}

/** The part that is uploaded, 0 to 1; null: none is on its way from this page. */
export function uploadedPart(at: number): number | null {
  return uploading.get(at)?.part ?? null;
}

export function cancelWaitingUpload(at: number): void {
  uploading.get(at)?.abort.abort();
}

/** The message, with this upload in place of the file that the server did not have. */
export function withMedia<Message extends object>(message: Message, id: number): Message {
  const whole: { media?: object; interactive?: { header?: object } } = message;
  if (whole.media !== undefined) return { ...message, media: { ...whole.media, id } };
  return { ...message, interactive: { ...whole.interactive, header: { ...whole.interactive?.header, id } } };
}
