/**
 * Gives uploads to the network before a message sends them: once for each number, and again before the network's id
 * ends. The file goes from the disk to the network in pieces. Where it fails, nothing has been sent.
 */
import type { Log } from "#src/core/log.ts";
import { Problem } from "#src/core/problem.ts";
import { ifReadable, type SecretBox } from "#src/core/secret.ts";
import type { Store } from "#src/db/store.ts";
import { findNetworkUpload, findUpload } from "#src/domain/media/read.ts";
import type { StoredUpload } from "#src/domain/media/record-upload.ts";
import { recordNetworkUpload } from "#src/domain/media/send-upload.ts";
import { RENEW_BEFORE_MS } from "#src/domain/media/upload.ts";
import type { SendingNumber } from "#src/domain/numbers/table.ts";
import { senderOf } from "#src/networks/credentials.ts";
import type { Networks, RequestFailure } from "#src/networks/network.ts";
import type { MediaFiles } from "./files.ts";

interface NetworkUploadOptions {
  store: Store;
  files: MediaFiles;
  box: SecretBox;
  networks: Networks;
  log: Log;
}

const RETRY_MS = 5_000;

export class NetworkUploads {
  readonly #options: NetworkUploadOptions;
  /** By upload and number: messages that need the same file wait for one upload. */
  readonly #running = new Map<string, Promise<void>>();

  constructor(options: NetworkUploadOptions) {
    this.#options = options;
  }

  /** Returns when the network has the file. Throws a `Problem`: nothing was sent, and nothing changed. */
  provide(number: SendingNumber, uploadId: number): Promise<void> {
    const key = `${uploadId} ${number.id}`;
    const running = this.#running.get(key);
    if (running !== undefined) return running;
    const begun = this.#provide(number, uploadId).finally(() => this.#running.delete(key));
    this.#running.set(key, begun);
    return begun;
  }

  async #provide(number: SendingNumber, uploadId: number): Promise<void> {
    const { store, log } = this.#options;
    const { stored, known, now } = store.read((tx) => ({
      stored: findUpload(tx, number.workspaceId, uploadId),
      known: findNetworkUpload(tx, uploadId, number.id),
      now: tx.now,
    }));
    if (known !== undefined && known.expiresAt - now > RENEW_BEFORE_MS) return;
    // It was removed meanwhile; the message is refused when it is accepted.
    if (stored === undefined) return;
    const failure = await this.#upload(number, stored);
    if (failure === null) return;
    if (known === undefined) throw failure;
    log.warn("media.renew_failed", "An upload could not be renewed; its present id still works", {
      upload: uploadId,
      error: failure,
    });
  }

  async #upload(number: SendingNumber, { upload, file }: StoredUpload): Promise<Problem | null> {
    const { store, files, box, networks } = this.#options;
    const port = networks[number.network].media;
    if (port === undefined) return refused({ code: "no_media", message: "The network takes no files.", kind: "other" });
    if (!files.has(file)) return missing(upload.id);
    const sender = ifReadable(() => senderOf(box, number));
    if (sender === null) {
      const message = "The number's access token cannot be read with this server's key. Store a new token.";
      return refused({ code: "190", message, kind: "token" });
    }
    const answer = await port.uploadFile(sender, {
      ...{ hash: file.hash, bytes: file.bytes, contentType: upload.mimeType, name: upload.filename ?? "file" },
      read: () => files.read(file),
    });
    if (!answer.ok) return refused(answer.failure);
    await store.write((tx) => recordNetworkUpload(tx, upload.id, number.id, answer.value.mediaId));
    return null;
  }
}

function missing(id: number): Problem {
  return new Problem("unavailable", `The file of upload ${id} is missing on this server's disk. Nothing was sent.`, {
    outcome: "not_sent",
  });
}

function refused({ code, message, kind }: Pick<RequestFailure, "code" | "message" | "kind">): Problem {
  const says = `WhatsApp did not take the file, so nothing was sent: ${message}`;
  if (kind === "later") return new Problem("unavailable", says, { outcome: "not_sent", retryAfterMs: RETRY_MS });
  return new Problem("whatsapp_error", says, { outcome: "not_sent", whatsappCode: code, isKeyUnused: true });
}
