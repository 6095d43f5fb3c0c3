/**
 * Fetches the files that people sent: one job for each. The bytes go from the network to the disk as they arrive, never
 * all into memory. A crash at any point leaves the job, which fetches the file again; the database names a file before
 * the disk does (`claimFile`), so a file is never stored twice and none is forgotten on disk.
 */
import type { Clock } from "#src/core/clock.ts";
import type { Log } from "#src/core/log.ts";
import type { Random } from "#src/core/random.ts";
import { ifReadable, type SecretBox } from "#src/core/secret.ts";
import type { Store } from "#src/db/store.ts";
import {
  type FailureReason,
  LINK_LIFE_MS,
  NETWORK_KEEPS_MS,
  ROOM_RETRY_MS,
  retryDelay,
} from "#src/domain/media/media.ts";
import { claimFile, recordFailed, recordRetry, recordStored } from "#src/domain/media/record.ts";
import { fileById, mediaById } from "#src/domain/media/statements.ts";
import type { Media } from "#src/domain/media/table.ts";
import { findNumber } from "#src/domain/numbers/read.ts";
import type { SendingNumber } from "#src/domain/numbers/table.ts";
import { finish } from "#src/jobs/outbox.ts";
import type { OutboxRow } from "#src/jobs/table.ts";
import { Worker } from "#src/jobs/worker.ts";
import { senderOf } from "#src/networks/credentials.ts";
import type { MediaAnswer, MediaSink, Networks } from "#src/networks/network.ts";
import { readContentType } from "./content-type.ts";
import type { MediaFiles, UnfinishedFile } from "./files.ts";
import type { MediaLinks } from "./links.ts";
import type { MediaRoom } from "./room.ts";

interface FetchMediaOptions {
  store: Store;
  clock: Clock;
  random: Random;
  log: Log;
  box: SecretBox;
  networks: Networks;
  files: MediaFiles;
  links: MediaLinks;
  room: MediaRoom;
  maxBytes: number;
}

/** Of one workspace. A fetch is mostly waiting for the network, twice. */
const CONCURRENCY = 16;
/** The network says that the file is not there. It has been seen to say so for a moment only. */
const MISSING_ATTEMPTS_MAX = 6;
/** The bytes are not those that the network states. What it states may be wrong, so they are kept in the end. */
const DIFFERING_ATTEMPTS_MAX = 2;

export class MediaFetcher extends Worker {
  readonly #stopping: AbortController;

  constructor(options: FetchMediaOptions) {
    const stopping = new AbortController();
    const { store, clock, log } = options;
    super({
      ...{ store, clock },
      kind: "fetch_media",
      concurrency: () => CONCURRENCY,
      perform: (row) => perform(options, row, stopping.signal),
      onError: (error, row) =>
        log.error("media.fetch_failed", "Medium could not be fetched", { medium: row?.subject, error }),
    });
    this.#stopping = stopping;
    options.files.create();
    options.files.removeUnfinished();
  }

  /** What is being fetched is fetched again after the next start. */
  override stop(): void {
    super.stop();
    this.#stopping.abort();
  }
}

async function perform(options: FetchMediaOptions, row: OutboxRow, stopping: AbortSignal): Promise<void> {
  const { store, files, room } = options;
  const { medium, number, claimed } = store.read((tx) => {
    const found = mediaById(tx).get({ id: row.subject });
    return {
      medium: found,
      number: found === undefined ? undefined : findNumber(tx, found.numberId),
      claimed: found?.fileId == null ? undefined : fileById(tx).get({ id: found.fileId }),
    };
  });
  if (medium?.state !== "pending") return store.write((tx) => finish(tx, row.id));
  // A crash after the file got its name: nothing is left to fetch.
  if (claimed !== undefined && files.has(claimed)) return record(options, row, medium);
  if (number === undefined) return store.write((tx) => recordFailed(tx, row.id, medium.id, "number_removed"));
  try {
    const attempt = await fetchFile(options, medium, number, stopping);
    if (attempt.kind === "stored") await record(options, row, medium);
    else if (attempt.kind === "gone") await store.write((tx) => finish(tx, row.id));
    else await recordFailure(options, row, medium, attempt);
  } finally {
    room.release(nameOf(medium));
    files.discard(nameOf(medium));
  }
}

/** Of its unfinished file. */
function nameOf({ id }: Pick<Media, "id">): string {
  return String(id);
}

type Attempt =
  /** On disk under its name, and claimed. */
  | { kind: "stored" }
  /** The medium was erased meanwhile. */
  | { kind: "gone" }
  | { kind: "failed"; reason: FailureReason }
  | { kind: "no_room" }
  | { kind: "missing"; says: string }
  | { kind: "later"; says: string; retryAfterMs: number | null };

async function fetchFile(
  options: FetchMediaOptions,
  medium: Media,
  number: SendingNumber,
  stopping: AbortSignal,
): Promise<Attempt> {
  const { store, files, box, networks } = options;
  const port = networks[number.network].media;
  if (port === undefined) return { kind: "failed", reason: "unavailable" };
  const sender = ifReadable(() => senderOf(box, number));
  if (sender === null)
    return { kind: "later", says: "the access token cannot be read with this server's key", retryAfterMs: null };
  const receiver = new Receiver(options, medium);
  try {
    const answer = await port.fetch(sender, medium.networkMediaId, receiver, stopping);
    if (answer.kind !== "fetched") return receiver.refusal ?? attemptOf(answer);
    const refusal = receiver.checkAgainst(answer);
    if (refusal !== null) return refusal;
    const fetched = await receiver.complete(medium.mimeType);
    const differing = checkHash(options, medium, fetched.hash);
    if (differing !== null) return differing;
    const file = await store.write((tx) => claimFile(tx, medium.id, fetched));
    if (file === null) return { kind: "gone" };
    if (!files.has(file)) await files.finish(nameOf(medium), file);
    return { kind: "stored" };
  } finally {
    await receiver.close();
  }
}

/** Null: it is the file that the network announced, or the network keeps giving another one. */
function checkHash({ log }: FetchMediaOptions, { id, sha256, attemptCount }: Media, hash: string): Attempt | null {
  if (sha256 === null || sha256 === Buffer.from(hash, "hex").toString("base64")) return null;
  const says = "the file is not the one that the network announced";
  if (attemptCount < DIFFERING_ATTEMPTS_MAX) return { kind: "later", says, retryAfterMs: null };
  log.warn("media.differs", "Medium is not the one that the network announced; it is stored as it is", { medium: id });
  return null;
}

function attemptOf(answer: Exclude<MediaAnswer, { kind: "fetched" }>): Attempt {
  if (answer.kind === "missing") return { kind: "missing", says: answer.says };
  if (answer.kind === "declined") return { kind: "later", says: "declined", retryAfterMs: null };
  return answer;
}

/** Writes what the network sends, within the limits. */
class Receiver implements MediaSink {
  readonly #options: FetchMediaOptions;
  readonly #medium: Media;
  #file: UnfinishedFile | null = null;
  #limit = 0;
  /** Why it wants no more. */
  refusal: Attempt | null = null;

  constructor(options: FetchMediaOptions, medium: Media) {
    this.#options = options;
    this.#medium = medium;
  }

  async begin(bytes: number | null): Promise<boolean> {
    const { maxBytes, room, files } = this.#options;
    const { workspaceId } = this.#medium;
    const name = nameOf(this.#medium);
    this.#limit = bytes ?? maxBytes;
    if (this.#limit > maxBytes) this.refusal = { kind: "failed", reason: "too_large" };
    else if (!room.reserve(name, workspaceId, this.#limit)) this.refusal = { kind: "no_room" };
    if (this.refusal !== null) return false;
    this.#file = await files.begin(name);
    return true;
  }

  async write(chunk: Uint8Array): Promise<boolean> {
    const file = this.#file;
    if (file === null) return false;
    if (file.bytes + chunk.byteLength > this.#limit) {
      const isTooLarge = this.#limit === this.#options.maxBytes;
      this.refusal = isTooLarge
        ? { kind: "failed", reason: "too_large" }
        : { kind: "later", says: "more bytes came than the network states", retryAfterMs: null };
      return false;
    }
    await file.write(chunk);
    return true;
  }

  checkAgainst({ bytes }: Extract<MediaAnswer, { kind: "fetched" }>): Attempt | null {
    const written = this.#file?.bytes ?? 0;
    if (bytes === null || bytes === written) return null;
    return { kind: "later", says: `${written} bytes came, the network states ${bytes}`, retryAfterMs: null };
  }

  async complete(claimedType: string | null) {
    const file = this.#file;
    if (file === null) throw new Error("a file that was fetched has been begun");
    const hash = await file.complete();
    return { hash, bytes: file.bytes, contentType: readContentType(Buffer.concat(file.head), claimedType) };
  }

  async close(): Promise<void> {
    await this.#file?.close();
  }
}

async function record(
  { store, clock, links, networks }: FetchMediaOptions,
  row: OutboxRow,
  { id, networkMediaId }: Media,
): Promise<void> {
  const link = links.sign(id, clock.now() + LINK_LIFE_MS);
  await store.write((tx) => recordStored(tx, row.id, id, link));
  networks.simulator.media?.forget?.(networkMediaId);
}

async function recordFailure(
  { store, random, log, clock }: FetchMediaOptions,
  row: OutboxRow,
  medium: Media,
  attempt: Exclude<Attempt, { kind: "stored" | "gone" }>,
): Promise<void> {
  const { id, attemptCount, createdAt } = medium;
  const fail = (reason: FailureReason): Promise<void> => {
    log.warn("media.failed", "Medium will not be fetched", {
      medium: id,
      reason,
      ...("says" in attempt ? { says: attempt.says } : {}),
    });
    return store.write((tx) => recordFailed(tx, row.id, id, reason));
  };
  if (attempt.kind === "failed") return fail(attempt.reason);
  if (attempt.kind === "missing" && attemptCount >= MISSING_ATTEMPTS_MAX) return fail("not_found");
  const isRoomMissing = attempt.kind === "no_room";
  const hintMs = attempt.kind === "later" ? attempt.retryAfterMs : null;
  const waitMs = isRoomMissing ? ROOM_RETRY_MS : retryDelay(attemptCount, hintMs, random.fraction());
  const dueAt = clock.now() + waitMs;
  if (dueAt > createdAt + NETWORK_KEEPS_MS) return fail(isRoomMissing ? "no_room" : "unavailable");
  log.info("media.retry", "Medium is fetched again later", {
    medium: id,
    reason: attempt.kind,
    ...("says" in attempt ? { says: attempt.says } : {}),
  });
  await store.write((tx) => recordRetry(tx, row.id, medium, dueAt, isRoomMissing));
}
